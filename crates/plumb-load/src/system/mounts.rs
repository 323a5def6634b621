//! Where are block devices mounted or swapped to, in this mount name space and in others? From /proc and /sys.

use std::path::{Path, PathBuf};

use super::kernel_files::{entries, link, parse_number, text};
use super::openers::{self, Number, Seen};
use super::processes;

/// What a path of this name space leads to.
pub fn look(path: &str) -> Option<Seen> {
    path.starts_with('/')
        .then(|| openers::look(Path::new(path)))?
}

/// Mounts of the devices in this and in every other mount name space whose processes can be looked into; devices of a mounted btrfs, which no mount names.
pub fn mounts_of(numbers: &[Number]) -> Vec<String> {
    let own = text("/proc/self/mountinfo").unwrap_or_default();
    let is_source = |source: &str| {
        look(source)
            .and_then(|seen| seen.block_device)
            .is_some_and(|number| numbers.contains(&number))
    };
    let mut found = mount_points(&own, |number, source| {
        numbers.contains(&number) || is_source(source)
    });
    if found.is_empty() {
        found = mounts_elsewhere(numbers);
    }
    for file_system in entries(Path::new("/sys/fs/btrfs")) {
        for name in entries(&PathBuf::from(format!(
            "/sys/fs/btrfs/{file_system}/devices"
        ))) {
            let number = text(format!("/sys/class/block/{name}/dev"))
                .and_then(|text| parse_number(text.trim()));
            if found.is_empty() && number.is_some_and(|number| numbers.contains(&number)) {
                found.push(format!("part of the mounted btrfs {file_system}"));
            }
        }
    }
    found
}

/// Mounts in the name spaces of other processes: the first that is found, with who is in it.
fn mounts_elsewhere(numbers: &[Number]) -> Vec<String> {
    let space = |process: &str| link(format!("/proc/{process}/ns/mnt"));
    let mut seen: Vec<PathBuf> = space("self").into_iter().collect();
    for process in processes::ids() {
        let Some(name_space) = space(&process.to_string()).filter(|space| !seen.contains(space))
        else {
            continue;
        };
        seen.push(name_space);
        let text = text(format!("/proc/{process}/mountinfo")).unwrap_or_default();
        if let Some(point) = mount_points(&text, |number, _| numbers.contains(&number)).first() {
            return vec![format!(
                "{point} in the mount namespace of {}",
                processes::name(process)
            )];
        }
    }
    Vec::new()
}

/// Where the devices that `is_ours(number, source)` accepts are mounted, from the text of /proc/self/mountinfo (proc_pid_mountinfo(5)): third field major:minor,
/// fifth the mount point, and after ` - ` the type and the source. btrfs and others show a number of their own, therefore the source counts too.
fn mount_points(text: &str, is_ours: impl Fn(Number, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((left, right)) = line.split_once(" - ") else {
            continue;
        };
        let (mut left, mut right) = (left.split(' ').skip(2), right.split(' ').skip(1));
        let (Some(number), Some(point)) = (left.next().and_then(parse_number), left.nth(1)) else {
            continue;
        };
        if is_ours(number, &unescape(right.next().unwrap_or_default())) {
            found.push(format!("mounted at {}", unescape(point)));
        }
    }
    found.dedup();
    found
}

/// Active swap files and devices (proc(5), /proc/swaps: a heading, then the name as the first field).
pub fn swap_names() -> Vec<String> {
    let text = text("/proc/swaps").unwrap_or_default();
    text.lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .map(unescape)
        .collect()
}

/// Undoes the kernel's octal escapes: `\040` is a blank.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|octal| u8::from_str_radix(std::str::from_utf8(octal).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[3..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
        assert_eq!(
            mount_points(text, |number, _| number == (7, 3)),
            ["mounted at /mnt/a b"]
        );
        assert_eq!(
            mount_points(text, |_, source| source == "/dev/loop4"),
            ["mounted at /mnt/c"]
        );
        assert!(mount_points(text, |_, _| false).is_empty());
    }

    #[test]
    fn escapes_are_undone() {
        for (text, plain) in [
            ("a\\040b", "a b"),
            ("\\134", "\\"),
            ("a\\04", "a\\04"),
            ("plain", "plain"),
            ("\\999x", "\\999x"),
        ] {
            assert_eq!(unescape(text), plain);
        }
    }
}
