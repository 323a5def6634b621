//! On which file system or device does a file lie? By its path and the mounts that the traced program saw.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use plumb_model::explain::account::Storage;

/// Open files whose names are kept; only a trace of very many has more.
const FILES_MAX: usize = 1 << 20;
/// Devices that are no storage: what they give costs no waiting that a faster disk would shorten.
const NO_STORAGE: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/pts/",
];

/// File systems and devices, by number.
#[derive(Debug, Default)]
pub(super) struct Storages {
    mounts: Vec<Storage>,
    found: Vec<Storage>,
    files: HashMap<u64, Option<u16>, RandomState>,
}

impl Storages {
    pub fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        self.mounts.push(Storage {
            name: point.to_string(),
            file_system: Some(file_system.to_string()),
            source: Some(source.to_string()),
        });
    }

    /// The file with this number has this name.
    pub fn file(&mut self, file: u64, name: &str) {
        let storage = self.storage_of(name);
        if self.files.len() >= FILES_MAX {
            self.files.clear();
        }
        self.files.insert(file, storage);
    }

    pub fn of_file(&self, file: u64) -> Option<u16> {
        self.files.get(&file).copied().flatten()
    }

    pub fn name(&self, number: u16) -> &str {
        self.found
            .get(number as usize)
            .map_or("", |storage| &storage.name)
    }

    /// All that were met.
    pub fn used(&self) -> Vec<Storage> {
        self.found.clone()
    }

    fn storage_of(&mut self, name: &str) -> Option<u16> {
        let is_device = name.starts_with("/dev/") && !name.starts_with("/dev/shm/");
        let storage = if is_device {
            Storage {
                name: name.to_string(),
                file_system: None,
                source: NO_STORAGE
                    .iter()
                    .all(|of| !name.starts_with(of))
                    .then(|| name.to_string()),
            }
        } else {
            // Of mounts at one point the last covers the others.
            let holds = self.mounts.iter().filter(|of| lies_below(name, &of.name));
            holds.max_by_key(|of| of.name.len())?.clone()
        };
        let known = self.found.iter().position(|of| of.name == storage.name);
        let number = known.unwrap_or_else(|| {
            self.found.push(storage);
            self.found.len() - 1
        });
        u16::try_from(number).ok()
    }
}

/// Whether a path is a mount point or lies below it.
fn lies_below(path: &str, point: &str) -> bool {
    let rest = path.strip_prefix(point.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_lies_on_the_longest_mount_above_it() {
        let mut storages = Storages::default();
        for (point, source) in [
            ("/", "/dev/vda"),
            ("/mnt/a", "server:/x"),
            ("/mnt/a", "server:/y"),
        ] {
            storages.mount(point, "any", source);
        }
        for (file, name) in [
            (1, "/etc/x"),
            (2, "/mnt/a/f"),
            (3, "/mnt/ab"),
            (4, "/dev/sda"),
            (5, "no"),
        ] {
            storages.file(file, name);
        }
        let named = |file| storages.of_file(file).map(|number| storages.name(number));
        assert_eq!(named(1), Some("/"));
        assert_eq!(named(2), Some("/mnt/a"));
        assert_eq!(named(3), Some("/"));
        assert_eq!(named(4), Some("/dev/sda"));
        assert_eq!((named(5), named(6)), (None, None));
        let used = storages.used();
        assert_eq!(used[1].source.as_deref(), Some("server:/y"));
    }
}
