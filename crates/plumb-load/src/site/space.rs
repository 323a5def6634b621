//! How much may be written without filling the file system?

use std::path::Path;

use plumb_words::numbers::{group_thousands, show_bytes};

use crate::site::needs::FileSetNeeds;
use crate::site::refusal::SiteError;
use crate::system::files::{self, Room};

/// Maximum default size: 1 GiB.
const DEFAULT_BYTES: u64 = 1 << 30;
/// Left free at least, unless 5 % of the file system are less: 1 GiB.
const RESERVE_BYTES: u64 = 1 << 30;
/// A small file takes at least one block of the file system; 4 KiB on nearly all.
const FILE_BLOCK_BYTES: u64 = 4096;

/// Bytes that may be taken: free space less the reserve, which is 5 % of the file system or 1 GiB, whichever is less.
pub fn available_bytes(room: &Room) -> u64 {
    room.free_bytes
        .saturating_sub(RESERVE_BYTES.min(room.total_bytes / 20))
}

/// True for file systems that report no size (ramfs and others in memory say 0 of 0 blocks, statvfs(3)).
fn is_unknown(room: &Room) -> bool {
    room.total_bytes == 0
}

/// The default size: 1 GiB or a tenth of the free space, whichever is less, in whole blocks.
///
/// # Errors
/// The file system reports no size: nothing would limit what is written.
pub fn default_bytes(room: &Room, block_bytes: u64, place: &str) -> Result<u64, SiteError> {
    if is_unknown(room) {
        return Err(SiteError::NoRoom(format!(
            "the file system of {place} does not report free space: set the amount to write with --size"
        )));
    }
    Ok(round_down_to_blocks(
        DEFAULT_BYTES.min(room.free_bytes / 10),
        block_bytes,
    ))
}

/// `bytes` rounded down to whole blocks.
pub fn round_down_to_blocks(bytes: u64, block_bytes: u64) -> u64 {
    bytes - bytes % block_bytes.max(1)
}

/// Bytes of `len` that one of several workers has for itself: whole blocks, and the first workers have one more each where they do not come out even, so that
/// every block has a worker.
pub fn part_of_worker(len: u64, block_bytes: u64, worker: u32, workers: u32) -> u64 {
    let (blocks, workers) = (len / block_bytes.max(1), u64::from(workers.max(1)));
    (blocks / workers + u64::from(u64::from(worker) < blocks % workers)) * block_bytes.max(1)
}

/// Room that a set of small files takes, in bytes.
pub fn file_set_bytes(files: u64, bytes_each: u64) -> u64 {
    files.saturating_mul(bytes_each.div_ceil(FILE_BLOCK_BYTES).max(1) * FILE_BLOCK_BYTES)
}

/// What is to be written.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpaceNeeded {
    /// Bytes of files that hold blocks.
    pub bytes: u64,
    /// Those files, as far as they are to be made.
    pub files: u64,
    /// Small files beside them.
    pub set: Option<FileSetNeeds>,
    /// The file system is to be filled.
    pub may_fill: bool,
}

impl SpaceNeeded {
    fn set_files(&self) -> u64 {
        self.set.map_or(0, |set| set.files)
    }

    fn set_bytes(&self) -> u64 {
        self.set
            .map_or(0, |set| file_set_bytes(set.files, set.bytes_each))
    }

    /// `1 GiB`, `1,000 files of 64 KiB on average (62.5 MiB)`.
    fn in_words(&self) -> String {
        let blocks = show_bytes(self.bytes as f64);
        let Some(set) = self.set else { return blocks };
        let files = group_thousands(i64::try_from(set.files).unwrap_or(i64::MAX));
        let set = format!(
            "{files} files of {} on average ({})",
            show_bytes(set.bytes_each as f64),
            show_bytes(self.set_bytes() as f64)
        );
        if self.bytes > 0 {
            format!("{blocks} and {set}")
        } else {
            set
        }
    }

    /// What to request instead, given `available` bytes.
    fn remedy(&self, available: u64) -> String {
        let fewer = self.set.filter(|set| set.files > 0 && self.bytes < available).map(|set| {
            let room = available - self.bytes;
            match (room / file_set_bytes(1, set.bytes_each), room / set.files / FILE_BLOCK_BYTES * (FILE_BLOCK_BYTES >> 10)) {
                (0, 0) => "use fewer and smaller files (--files, --set file-size), free some space, or name another target".to_owned(),
                (0, kib) => format!("use --set file-size={kib}k or less, or another target"),
                (files, 0) => format!("use --files {files} or fewer, or another target"),
                (files, kib) => format!("use --files {files} or fewer, or --set file-size={kib}k or less, or another target"),
            }
        });
        fewer.unwrap_or_else(|| match available >> 10 {
            0..4 => "free some space, or name another target".to_owned(),
            kib => format!("use --size {kib}k or less, or another target"),
        })
    }
}

/// Bytes of the entire file system that holds `path`, or would hold it; `None` if it reports none.
pub fn total_bytes(path: &Path) -> Option<u64> {
    let mut folders = path.ancestors();
    let found = folders.find_map(|folder| {
        let named = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        files::room(named).ok()
    });
    found
        .filter(|room| !is_unknown(room))
        .map(|room| room.total_bytes)
}

/// Refuses what would fill the file system of `place`, unless that is requested.
pub fn check(room: &Room, needed: &SpaceNeeded, place: &str) -> Result<(), SiteError> {
    if needed.may_fill {
        return Ok(());
    }
    let available = available_bytes(room);
    if needed.bytes.saturating_add(needed.set_bytes()) > available && !is_unknown(room) {
        return Err(SiteError::NoRoom(format!(
            "{} do not fit in {place}: {} free, {} of it usable so that the file system does not fill up; {}",
            needed.in_words(),
            show_bytes(room.free_bytes as f64),
            show_bytes(available as f64),
            needed.remedy(available)
        )));
    }
    let files = needed.files + needed.set_files();
    match room.free_files.map(|free| free - free / 20) {
        Some(usable) if files > usable => Err(SiteError::NoRoom(format!(
            "{files} files do not fit in {place}: it has inodes for {usable} more; use --set files={usable} or less, or another target"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(free_bytes: u64, total_bytes: u64) -> Room {
        Room {
            free_bytes,
            total_bytes,
            free_files: Some(1000),
        }
    }

    fn check(room: &Room, bytes: u64, files: u64, place: &str) -> Result<(), SiteError> {
        super::check(
            room,
            &SpaceNeeded {
                bytes,
                files,
                may_fill: false,
                set: None,
            },
            place,
        )
    }

    #[test]
    fn small_files_that_do_not_fit_are_reported_as_files() {
        let refused = |free_kib: u64, bytes: u64, files: u64, bytes_each: u64| {
            let room = Room {
                free_bytes: free_kib << 10,
                total_bytes: 1 << 40,
                free_files: None,
            };
            let room = Room {
                free_bytes: room.free_bytes + RESERVE_BYTES,
                ..room
            };
            super::check(
                &room,
                &SpaceNeeded {
                    bytes,
                    files: 0,
                    may_fill: false,
                    set: Some(FileSetNeeds { files, bytes_each }),
                },
                "/x",
            )
            .expect_err("full")
            .to_string()
        };
        let text = refused(22_000, 0, 1000, 64 << 10);
        assert!(
            text.contains("1,000 files of 64 KiB on average (62.5 MiB) do not fit in /x"),
            "{text}"
        );
        assert!(
            text.contains("use --files 343 or fewer, or --set file-size=20k or less")
                && !text.contains("--size"),
            "{text}"
        );
        let text = refused(2000, 0, 1000, 1 << 10);
        assert!(
            text.contains("use --files 500 or fewer, or another target"),
            "{text}"
        );
        let text = refused(40, 0, 1000, 64 << 10);
        assert!(
            text.contains("fewer and smaller files (--files, --set file-size)"),
            "{text}"
        );
        assert!(refused(500, 0, 10, 1 << 20).contains("use --set file-size=48k or less"));
        let text = refused(22_000, 8 << 20, 1000, 64 << 10);
        assert!(
            text.contains("8 MiB and 1,000 files") && text.contains("use --files 215 or fewer"),
            "{text}"
        );
        let text = refused(22_000, 80 << 20, 1, 1);
        assert!(text.contains("use --size 22000k or less"), "{text}");
        assert!(refused(0, 0, 1000, 1).contains("free some space"));
    }

    #[test]
    fn the_default_is_bounded_by_a_tenth_of_the_free_space_in_full_blocks() {
        let chosen = |room: Room, block_bytes| default_bytes(&room, block_bytes, "/x").ok();
        assert_eq!(chosen(room(1 << 40, 1 << 41), 4096), Some(1 << 30));
        assert_eq!(chosen(room(100_000_000, 1 << 41), 1 << 20), Some(9 << 20));
        assert_eq!(chosen(room(4096, 1 << 41), 4096), Some(0));
    }

    #[test]
    fn a_reserve_stays_free() {
        assert_eq!(
            available_bytes(&room(1 << 40, 1 << 40)),
            (1 << 40) - (1 << 30)
        );
        assert_eq!(available_bytes(&room(8 << 20, 20 << 20)), 7 << 20);
        assert_eq!(available_bytes(&room(1000, 1 << 40)), 0);
        assert!(check(&room(8 << 20, 20 << 20), 7 << 20, 0, "/x").is_ok());
        let error = check(&room(8 << 20, 20 << 20), (7 << 20) + 1, 0, "/x")
            .expect_err("too much")
            .to_string();
        assert!(error.contains("--size 7168k"), "{error}");
    }

    #[test]
    fn a_file_system_that_reports_no_size_is_bounded_by_the_users_word_only() {
        assert!(check(&room(0, 0), 1 << 40, 0, "/x").is_ok());
        assert!(
            default_bytes(&room(0, 0), 4096, "/x")
                .expect_err("no size")
                .to_string()
                .contains("--size")
        );
        let full = check(&room(0, 20 << 20), 4096, 0, "/x")
            .expect_err("full")
            .to_string();
        assert!(full.contains("free some space"), "{full}");
    }

    #[test]
    fn every_block_is_exactly_one_workers() {
        for (len, block, workers) in [
            (100 * 4096, 4096, 3),
            (4096, 4096, 1),
            (10 * 4096 + 100, 4096, 7),
            (1 << 30, 1 << 20, 6),
            (5, 1, 5),
        ] {
            let parts: Vec<u64> = (0..workers)
                .map(|worker| part_of_worker(len, block, worker, workers))
                .collect();
            assert_eq!(
                parts.iter().sum::<u64>(),
                round_down_to_blocks(len, block),
                "{len} {block} {workers}"
            );
            assert!(parts.iter().all(|part| part % block == 0), "{parts:?}");
            assert!(
                parts
                    .iter()
                    .max()
                    .zip(parts.iter().min())
                    .is_some_and(|(most, least)| most - least <= block),
                "{parts:?}"
            );
        }
    }

    #[test]
    fn inodes_are_counted() {
        assert!(check(&room(1 << 40, 1 << 40), 0, 950, "/x").is_ok());
        assert!(
            check(&room(1 << 40, 1 << 40), 0, 951, "/x")
                .expect_err("inodes")
                .to_string()
                .contains("inodes for 950")
        );
        assert_eq!(file_set_bytes(10, 1), 40_960);
        assert_eq!(file_set_bytes(10, 5000), 81_920);
        assert_eq!(file_set_bytes(10, 0), 40_960);
    }
}
