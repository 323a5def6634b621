//! What is file `number` of a set called, in which folder does it lie, and how large is it?

use std::path::{Path, PathBuf};

use plumb_model::workload::{FileNames, FileSizes, Layout, Workload};

/// Files in one folder if no number of folders is set: more would measure the size of folders, not the file system.
const FILES_PER_FOLDER: u64 = 1000;
/// What bonnie++ puts before the number in a random name: up to 12 of these characters.
const CHARACTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const CHARACTERS_MAX: u64 = 12;
/// Digits of the number in a random name, hexadecimal.
const DIGITS: usize = 10;

/// The shape of a set of small files: everything about file `number` follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileShape {
    /// Files that are dealt to the folders.
    files: u64,
    /// 0: as many as it takes.
    folders: u64,
    /// Workers that have a folder each, in turns; 0: files are together, whichever worker creates them.
    apart: u64,
    names: FileNames,
    sizes: FileSizes,
}

impl Default for FileShape {
    fn default() -> Self {
        FileShape {
            files: 0,
            folders: 0,
            apart: 0,
            names: FileNames::Numbered,
            sizes: FileSizes {
                from_bytes: 0,
                to_bytes: 0,
                directories: false,
            },
        }
    }
}

impl FileShape {
    /// The shape that a workload requests.
    pub fn of(workload: &Workload) -> FileShape {
        let block = workload.largest_block_bytes();
        // Of a rank by itself the files lie apart from those of the others anyway.
        let apart = workload
            .place
            .among
            .filter(|_| workload.layout == Layout::Own);
        FileShape {
            files: workload.files,
            folders: workload.folders,
            apart: apart.map_or(0, |among| u64::from(among.workers)),
            names: workload.names,
            sizes: workload.file_size.unwrap_or(FileSizes {
                from_bytes: block,
                to_bytes: block,
                directories: false,
            }),
        }
    }

    /// True when the files of one shape can be taken for those of another.
    pub fn fits(&self, other: &FileShape) -> bool {
        let placed =
            self.folders == other.folders && (self.folders == 0 || self.files == other.files);
        placed
            && self.apart == other.apart
            && self.names == other.names
            && self.sizes == other.sizes
    }

    /// What has a name in the set is an empty directory.
    pub fn is_of_directories(&self) -> bool {
        self.sizes.directories
    }

    /// Size of file `number` in bytes.
    pub fn bytes(&self, number: u64) -> u64 {
        let FileSizes {
            from_bytes,
            to_bytes,
            ..
        } = self.sizes;
        if from_bytes == to_bytes {
            from_bytes
        } else {
            from_bytes + below(self.draw(number, 1), to_bytes - from_bytes + 1)
        }
    }

    /// The largest size.
    pub fn largest_bytes(&self) -> u64 {
        self.sizes.to_bytes
    }

    /// Number of the folder that file `number` lies in. With a number of folders, each is filled before the next, as bonnie++ does.
    fn folder(&self, number: u64) -> u64 {
        match self.folders {
            _ if self.apart > 0 => number % self.apart,
            0 => number / FILES_PER_FOLDER,
            folders => number / self.files.div_ceil(folders).max(1) % folders,
        }
    }

    /// Folders to be there before files 0 to `existing` are made.
    pub fn folders(&self, existing: u64) -> u64 {
        if self.apart > 0 {
            self.apart
        } else if self.folders > 0 {
            self.folders
        } else {
            existing.max(1).div_ceil(FILES_PER_FOLDER)
        }
    }

    /// Path of file `number` below `folder`.
    pub fn path(&self, folder: &Path, number: u64) -> PathBuf {
        let folder = folder.join(self.folder(number).to_string());
        match self.names {
            FileNames::Numbered => folder.join(number.to_string()),
            FileNames::Random => folder.join(self.random_name(number)),
        }
    }

    fn random_name(&self, number: u64) -> String {
        let mut draw = self.draw(number, 2);
        let count = below(draw, CHARACTERS_MAX + 1);
        let mut name = String::with_capacity(CHARACTERS_MAX as usize + DIGITS);
        for _ in 0..count {
            draw = mixed(draw);
            name.push(CHARACTERS[below(draw, CHARACTERS.len() as u64) as usize] as char);
        }
        name + &format!("{number:0DIGITS$x}")
    }

    /// The number of a file by its name; `None` for a name that is none of the set's.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.names {
            FileNames::Numbered => name.parse().ok(),
            FileNames::Random => {
                u64::from_str_radix(name.get(name.len().checked_sub(DIGITS)?..)?, 16).ok()
            }
        }
    }

    /// A random number of the file; another one for each `purpose`. The same files come about in every run.
    fn draw(&self, number: u64, purpose: u64) -> u64 {
        mixed(number.wrapping_mul(4).wrapping_add(purpose))
    }
}

/// A number below `limit` from the high bits of a random one.
fn below(random: u64, limit: u64) -> u64 {
    ((u128::from(random) * u128::from(limit)) >> 64) as u64
}

/// SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", figure 19).
fn mixed(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(keys: impl FnOnce(&mut Workload)) -> FileShape {
        let mut workload = Workload {
            files: 2500,
            ..Workload::default()
        };
        keys(&mut workload);
        FileShape::of(&workload)
    }

    #[test]
    fn without_a_wish_a_thousand_numbered_files_share_a_folder() {
        let plain = shape(|_| {});
        assert_eq!(plain.path(Path::new("f"), 1999), Path::new("f/1/1999"));
        assert_eq!(
            (
                plain.folders(0),
                plain.folders(1000),
                plain.folders(1001),
                plain.bytes(7)
            ),
            (1, 1, 2, 4096)
        );
    }

    #[test]
    fn folders_are_filled_one_after_the_other_and_never_exceeded() {
        let dealt = shape(|workload| workload.folders = 3);
        let folders: Vec<u64> = [0, 833, 834, 1667, 1668, 2499, 2500, 5001]
            .map(|number| dealt.folder(number))
            .to_vec();
        assert_eq!(
            (folders, dealt.folders(0)),
            (vec![0, 0, 1, 1, 2, 2, 2, 2], 3)
        );
        assert_eq!(dealt.folder(2502), 0, "files beyond the set begin anew");
    }

    #[test]
    fn random_names_are_all_different_in_no_order_and_tell_their_number() {
        let random = shape(|workload| workload.names = FileNames::Random);
        let names: Vec<String> = (0..2500).map(|number| random.random_name(number)).collect();
        for (number, name) in names.iter().enumerate() {
            assert_eq!(random.number(name), Some(number as u64));
            assert!(
                (DIGITS..=DIGITS + CHARACTERS_MAX as usize).contains(&name.len())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            );
        }
        let rising = names.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(
            (1000..1500).contains(&rising),
            "{rising} of 2499 names are above the one before"
        );
        assert_eq!(
            (random.number("lost+found"), random.number("x")),
            (None, None)
        );
    }

    #[test]
    fn sizes_are_spread_evenly_over_their_span() {
        let sized =
            shape(|workload| workload.file_size = Some("1000-2000".parse().expect("sizes")));
        let sizes: Vec<u64> = (0..20_000).map(|number| sized.bytes(number)).collect();
        assert!(sizes.iter().all(|bytes| (1000..=2000).contains(bytes)));
        assert!(
            sizes.contains(&1000) && sizes.contains(&2000),
            "both ends occur"
        );
        let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
        assert!((mean - 1500.0).abs() < 10.0, "{mean}");
        assert!(!sized.fits(&shape(|_| {})) && sized.fits(&sized.clone()));
    }
}
