//! Which other devices hold the same bytes as a device? Its partitions, what is built upon them, the disk of a partition, loop devices in both directions.

use std::fs;
use std::path::{Path, PathBuf};

use super::kernel_files::{entries, parse_number, text};
use super::openers::{self, Number, Seen};

/// A device that shares bytes with the one that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    pub number: Number,
    /// `loop3p1`.
    pub name: String,
    /// A phrase that follows "it is", when the relation alone means that the device is in use.
    pub use_text: Option<String>,
}

/// A loop device with what it shows.
pub struct LoopDevice {
    pub name: String,
    pub number: Number,
    /// The path of its backing file, as reported by the kernel.
    pub path: String,
    pub backing: Option<Seen>,
}

/// All loop devices that show something. Their status names the file by device and inode; without a device file the path that /sys shows has to do.
pub fn loop_devices() -> Vec<LoopDevice> {
    let bound = |name: String| {
        let path = text(format!("/sys/block/{name}/loop/backing_file"))?;
        let number =
            text(format!("/sys/block/{name}/dev")).and_then(|text| parse_number(text.trim()))?;
        let backing = openers::loop_backing(Path::new(&format!("/dev/{name}")))
            .or_else(|| openers::look(Path::new(path.trim_end())));
        Some(LoopDevice {
            name,
            number,
            path: path.trim_end().to_owned(),
            backing,
        })
    };
    entries(Path::new("/sys/block"))
        .into_iter()
        .filter(|name| name.starts_with("loop"))
        .filter_map(bound)
        .collect()
}

fn folder(number: Number) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{}:{}", number.0, number.1))
}

/// True when the kernel lets nobody write to the device. Opening it for writing may succeed all the same (for root); then every write fails with EPERM.
pub fn is_read_only(number: Number) -> bool {
    text(folder(number).join("ro")).is_some_and(|text| text.trim() == "1")
}

/// The name that the kernel gives a device.
fn name_of(number: Number) -> String {
    let parent_disk = fs::canonicalize(folder(number)).unwrap_or_default();
    parent_disk.file_name().map_or_else(
        || format!("{}:{}", number.0, number.1),
        |name| name.to_string_lossy().replace('!', "/"),
    )
}

/// Partitions of a disk that the kernel knows.
pub fn partitions(disk: Number) -> Vec<(String, Number)> {
    let disk = folder(disk);
    let part = |name: String| {
        let number = text(disk.join(&name).join("dev"))?;
        disk.join(&name)
            .join("partition")
            .exists()
            .then_some((name, parse_number(number.trim())?))
    };
    entries(&disk).into_iter().filter_map(part).collect()
}

/// The disk of a partition.
fn parent_disk(number: Number) -> Option<Number> {
    let folder = folder(number);
    folder.join("partition").exists().then_some(())?;
    let parent_disk = fs::canonicalize(&folder).ok()?.parent()?.join("dev");
    parse_number(text(parent_disk)?.trim())
}

/// The partitions of a device and the disk that it is a partition of.
pub fn of_one_disk(number: Number) -> Vec<Number> {
    partitions(number)
        .into_iter()
        .map(|(_, part)| part)
        .chain(parent_disk(number))
        .collect()
}

/// The device itself first, then all that share bytes with it, each once.
pub fn relatives(number: Number) -> Vec<Relative> {
    let loops = loop_devices();
    let mut found = vec![Relative {
        number,
        name: name_of(number),
        use_text: None,
    }];
    above(&mut found, 0, &loops);
    // A mount of the entire disk is one of the partition too, its other partitions are not.
    if let Some(disk) = parent_disk(number) {
        add(&mut found, disk, None);
        let from = found.len();
        for holder in holders(disk) {
            add(
                &mut found,
                holder,
                Some(format!(
                    "on {}, which is held by {}",
                    name_of(disk),
                    name_of(holder)
                )),
            );
        }
        above(&mut found, from, &loops);
    }
    let backing = loops
        .iter()
        .find(|device| device.number == number)
        .and_then(|device| device.backing);
    if let Some(backing) = backing {
        let from = found.len();
        match backing.block_device {
            Some(beneath) => add(&mut found, beneath, None),
            None => {
                for twin in loops.iter().filter(|device| {
                    device
                        .backing
                        .is_some_and(|seen| seen.identity == backing.identity)
                }) {
                    add(&mut found, twin.number, None);
                }
            }
        }
        above(&mut found, from, &loops);
    }
    found
}

/// Adds partitions, holders and loop devices of all devices from `from` on, and theirs.
fn above(found: &mut Vec<Relative>, from: usize, loops: &[LoopDevice]) {
    let mut at = from;
    while let Some(Relative { number, name, .. }) = found.get(at).cloned() {
        at += 1;
        for (_, part) in partitions(number) {
            add(found, part, None);
        }
        for holder in holders(number) {
            let text = format!(
                "held by {} (RAID, LVM, encryption or another mapping of {name})",
                name_of(holder)
            );
            add(found, holder, Some(text));
        }
        for device in loops
            .iter()
            .filter(|device| device.backing.and_then(|seen| seen.block_device) == Some(number))
        {
            add(
                found,
                device.number,
                Some(format!("shown as /dev/{} by the loop driver", device.name)),
            );
        }
    }
}

fn holders(number: Number) -> Vec<Number> {
    let holders = entries(&folder(number).join("holders")).into_iter();
    let number = |name: String| parse_number(text(format!("/sys/class/block/{name}/dev"))?.trim());
    holders.filter_map(number).collect()
}

fn add(found: &mut Vec<Relative>, number: Number, use_text: Option<String>) {
    if !found.iter().any(|known| known.number == number) {
        found.push(Relative {
            number,
            name: name_of(number),
            use_text,
        });
    }
}
