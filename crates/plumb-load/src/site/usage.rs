//! Who uses this device or file already? Mounts, swap, RAID and mappings, partitions, other programs.

use std::fs;
use std::path::{Path, PathBuf};

use super::host::{self, Flags};

/// Number of a device: major, minor.
type Number = (u32, u32);

/// Reasons why a block device is in use, each as a phrase that follows "it is": `mounted at /mnt`, `partitioned (loop0p1)`. Empty when nobody is known
/// to use it. What /proc and /sys do not show (mounts of other name spaces, ZFS pools) is found by opening it exclusively, which the kernel refuses
/// while anyone has claimed the device or a part of it (bd_may_claim in block/bdev.c).
pub fn device_uses(path: &Path, number: Number) -> Vec<String> {
    let mut uses = Vec::new();
    let folder = PathBuf::from(format!("/sys/dev/block/{}:{}", number.0, number.1));
    let parts = partitions(&folder);
    if !parts.is_empty() {
        let names: Vec<_> = parts.iter().map(|(name, _)| name.as_str()).collect();
        uses.push(format!("partitioned ({})", names.join(", ")));
    }
    let numbers: Vec<Number> = std::iter::once(number).chain(parts.iter().map(|(_, number)| *number)).collect();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    uses.extend(mount_points(&mounts, |line_number, source| {
        numbers.contains(&line_number) || device_of(source).is_some_and(|n| numbers.contains(&n))
    }));
    for name in swap_names() {
        if device_of(&name).is_some_and(|number| numbers.contains(&number)) {
            uses.push(format!("swap space in use ({name})"));
        }
    }
    let holders = numbers.iter().flat_map(|(major, minor)| entries(Path::new(&format!("/sys/dev/block/{major}:{minor}/holders"))));
    uses.extend(holders.map(|holder| format!("held by {holder} (RAID, LVM, encryption or another mapping)")));
    if uses.is_empty() && is_claimed(path) {
        uses.push("claimed by the kernel or another program (a mount elsewhere, a pool, a virtual machine)".into());
    }
    uses
}

/// True when the kernel lets nobody write to the device. Opening it for writing may succeed all the same (for root); then every write fails with EPERM.
pub fn is_read_only(number: Number) -> bool {
    fs::read_to_string(format!("/sys/dev/block/{}:{}/ro", number.0, number.1)).is_ok_and(|text| text.trim() == "1")
}

/// Reasons why a regular file is in use, each as a phrase that follows "it is". Processes of other users are seen by root only.
pub fn file_uses(path: &Path) -> Vec<String> {
    let mut uses = Vec::new();
    let name = path.to_string_lossy();
    if swap_names().iter().any(|swap| *swap == name) {
        uses.push("swap space in use".into());
    }
    for device in entries(Path::new("/sys/block")) {
        let backing = fs::read_to_string(format!("/sys/block/{device}/loop/backing_file")).unwrap_or_default();
        if backing.trim_end() == name {
            uses.push(format!("the backing file of /dev/{device}"));
        }
    }
    if host::open(path, Flags { read: true, write: true, ..Flags::default() }).is_ok_and(|file| host::has_record_lock(&file)) {
        uses.push("locked by another program".into());
    }
    uses.extend(processes_with(path).into_iter().map(|process| format!("open in {process}")));
    uses
}

/// True when the device cannot be opened exclusively because someone has claimed it.
fn is_claimed(path: &Path) -> bool {
    let opened = host::open(path, Flags { read: true, exclusive: true, ..Flags::default() });
    opened.is_err_and(|error| error.kind() == std::io::ErrorKind::ResourceBusy)
}

/// Names in a folder; none when it cannot be read.
fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Partitions of a disk that the kernel knows, by its folder in /sys.
fn partitions(disk: &Path) -> Vec<(String, Number)> {
    let part = |name: String| {
        let folder = disk.join(&name);
        let number = fs::read_to_string(folder.join("dev")).ok()?;
        folder.join("partition").exists().then_some((name, parse_number(number.trim())?))
    };
    entries(disk).into_iter().filter_map(part).collect()
}

/// Reads `8:1`.
fn parse_number(text: &str) -> Option<Number> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The number of the block device at a path.
fn device_of(path: &str) -> Option<Number> {
    if !path.starts_with('/') {
        return None;
    }
    let traits = host::traits(&fs::metadata(path).ok()?);
    (traits.kind == host::PathKind::BlockDevice).then_some(traits.device_number?)
}

/// Where the devices that `is_ours(number, source)` accepts are mounted, from the text of /proc/self/mountinfo (proc_pid_mountinfo(5)): third field major:minor,
/// fifth the mount point, and after ` - ` the type and the source. btrfs and others show a number of their own, therefore the source counts too.
fn mount_points(text: &str, is_ours: impl Fn(Number, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let (mut left, mut right) = (left.split(' ').skip(2), right.split(' ').skip(1));
        let (Some(number), Some(point)) = (left.next().and_then(parse_number), left.nth(1)) else { continue };
        if is_ours(number, &unescape(right.next().unwrap_or_default())) {
            found.push(format!("mounted at {}", unescape(point)));
        }
    }
    found.dedup();
    found
}

/// Active swap files and devices (proc(5), /proc/swaps: a heading, then the name as the first field).
fn swap_names() -> Vec<String> {
    let text = fs::read_to_string("/proc/swaps").unwrap_or_default();
    text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(unescape).collect()
}

/// Undoes the kernel's octal escapes: `\040` is a blank.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..3).filter(|_| *first == b'\\').and_then(|octal| u8::from_str_radix(std::str::from_utf8(octal).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[3..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Other processes that have the file open, run it or map it, as `process 123 (postgres)`; at most three. Links are read and never followed:
/// following one to a dead server would hang.
fn processes_with(path: &Path) -> Vec<String> {
    let own = std::process::id();
    let mut found = Vec::new();
    for process in entries(Path::new("/proc")).iter().filter_map(|name| name.parse::<u32>().ok()).filter(|process| *process != own) {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let is_open =
            || entries(&folder.join("fd")).iter().any(|number| fs::read_link(folder.join("fd").join(number)).is_ok_and(|to| to == path));
        // Known from the first moment of a program on, before its pages are mapped (begin_new_exec in fs/exec.c).
        let is_run = || fs::read_link(folder.join("exe")).is_ok_and(|to| to == path);
        let is_mapped = || {
            let maps = fs::read_to_string(folder.join("maps")).unwrap_or_default();
            maps.lines().any(|line| line.find('/').is_some_and(|at| Path::new(&line[at..]) == path))
        };
        if is_open() || is_run() || is_mapped() {
            let name = fs::read_to_string(folder.join("comm")).unwrap_or_default();
            found.push(format!("process {process} ({})", name.trim_end()));
        }
        if found.len() == 3 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_found_by_number_and_by_source() {
        let text = "36 35 7:3 / /mnt/a\\040b rw shared:1 - ext4 /dev/loop3 rw\n\
                    37 35 0:41 / /mnt/c rw - btrfs /dev/loop4 rw\n\
                    38 35 0:42 / /proc rw - proc proc rw\n\
                    broken\n";
        assert_eq!(mount_points(text, |number, _| number == (7, 3)), ["mounted at /mnt/a b"]);
        assert_eq!(mount_points(text, |_, source| source == "/dev/loop4"), ["mounted at /mnt/c"]);
        assert!(mount_points(text, |_, _| false).is_empty());
    }

    #[test]
    fn escapes_are_undone() {
        for (text, plain) in [("a\\040b", "a b"), ("\\134", "\\"), ("a\\04", "a\\04"), ("plain", "plain"), ("\\999x", "\\999x")] {
            assert_eq!(unescape(text), plain);
        }
    }
}
