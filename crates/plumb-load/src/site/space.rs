//! How much may be written without filling the file system?

use plumb_model::units::show_bytes;

use super::host::Room;
use super::refusal::SiteError;

/// Most bytes chosen when no size is asked: 1 GiB.
const DEFAULT_BYTES: u64 = 1 << 30;
/// Left free at least, unless 5 % of the file system are less: 256 MiB.
const RESERVE_BYTES: u64 = 256 << 20;
/// A small file takes at least one block of the file system; 4 KiB on nearly all.
const FILE_BLOCK_BYTES: u64 = 4096;

/// Bytes that may be taken: free space less the reserve, which is 5 % of the file system or 256 MiB, whichever is less.
pub fn available_bytes(room: &Room) -> u64 {
    room.free_bytes.saturating_sub(RESERVE_BYTES.min(room.total_bytes / 20))
}

/// True of file systems that tell no size (ramfs and others in memory say 0 of 0 blocks, statvfs(3)).
fn is_unknown(room: &Room) -> bool {
    room.total_bytes == 0
}

/// The size taken when none is asked: 1 GiB or a tenth of the free space, whichever is less, in whole blocks.
///
/// # Errors
/// When the file system tells no size: nothing would bound what is written.
pub fn default_bytes(room: &Room, block_bytes: u64, place: &str) -> Result<u64, SiteError> {
    if is_unknown(room) {
        return Err(SiteError::NoRoom(format!("the file system of {place} tells no free space: say with --size how much may be written")));
    }
    Ok(whole_blocks(DEFAULT_BYTES.min(room.free_bytes / 10), block_bytes))
}

/// `bytes` rounded down to whole blocks.
pub fn whole_blocks(bytes: u64, block_bytes: u64) -> u64 {
    bytes - bytes % block_bytes.max(1)
}

/// Room that a set of small files takes, in bytes.
pub fn file_set_bytes(files: u64, bytes_each: u64) -> u64 {
    files.saturating_mul(bytes_each.div_ceil(FILE_BLOCK_BYTES).max(1) * FILE_BLOCK_BYTES)
}

/// Refuses what would fill the file system: `bytes` to be written and `files` to be made in `place`.
pub fn check(room: &Room, bytes: u64, files: u64, place: &str) -> Result<(), SiteError> {
    let available = available_bytes(room);
    if bytes > available && !is_unknown(room) {
        let remedy = match available >> 10 {
            0..4 => "free some space, or name another target".to_owned(),
            kib => format!("choose --size {kib}k or less, or another target"),
        };
        return Err(SiteError::NoRoom(format!(
            "{} do not fit into {place}: {} are free, of which {} may be used so that the file system is not filled; {remedy}",
            show_bytes(bytes as f64),
            show_bytes(room.free_bytes as f64),
            show_bytes(available as f64),
        )));
    }
    match room.free_files.map(|free| free - free / 20) {
        Some(usable) if files > usable => Err(SiteError::NoRoom(format!(
            "{files} files do not fit into {place}: it has inodes for {usable} more; choose --set files={usable} or less, or another target"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(free_bytes: u64, total_bytes: u64) -> Room {
        Room { free_bytes, total_bytes, free_files: Some(1000) }
    }

    #[test]
    fn the_default_is_bounded_by_a_tenth_of_the_free_space_in_whole_blocks() {
        let chosen = |room: Room, block_bytes| default_bytes(&room, block_bytes, "/x").ok();
        assert_eq!(chosen(room(1 << 40, 1 << 41), 4096), Some(1 << 30));
        assert_eq!(chosen(room(100_000_000, 1 << 41), 1 << 20), Some(9 << 20));
        assert_eq!(chosen(room(4096, 1 << 41), 4096), Some(0));
    }

    #[test]
    fn a_reserve_stays_free() {
        assert_eq!(available_bytes(&room(1 << 40, 1 << 40)), (1 << 40) - (256 << 20));
        assert_eq!(available_bytes(&room(8 << 20, 20 << 20)), 7 << 20);
        assert_eq!(available_bytes(&room(1000, 1 << 40)), 0);
        assert!(check(&room(8 << 20, 20 << 20), 7 << 20, 0, "/x").is_ok());
        let error = check(&room(8 << 20, 20 << 20), (7 << 20) + 1, 0, "/x").expect_err("too much").to_string();
        assert!(error.contains("--size 7168k"), "{error}");
    }

    #[test]
    fn a_file_system_that_tells_no_size_is_bounded_by_the_users_word_only() {
        assert!(check(&room(0, 0), 1 << 40, 0, "/x").is_ok());
        assert!(default_bytes(&room(0, 0), 4096, "/x").expect_err("no size").to_string().contains("--size"));
        let full = check(&room(0, 20 << 20), 4096, 0, "/x").expect_err("full").to_string();
        assert!(full.contains("free some space"), "{full}");
    }

    #[test]
    fn inodes_are_counted() {
        assert!(check(&room(1 << 40, 1 << 40), 0, 950, "/x").is_ok());
        assert!(check(&room(1 << 40, 1 << 40), 0, 951, "/x").expect_err("inodes").to_string().contains("inodes for 950"));
        assert_eq!(file_set_bytes(10, 1), 40_960);
        assert_eq!(file_set_bytes(10, 5000), 81_920);
        assert_eq!(file_set_bytes(10, 0), 40_960);
    }
}
