//! Who uses this device or file already? Mounts, swap, RAID and mappings, partitions, loop devices, other programs; asked of device and inode, not of names.

mod host;
mod processes;
mod relatives;

use std::fs;
use std::path::{Path, PathBuf};

use super::host::{self as system, Flags, Identity};
use host::{Openers, Seen};
use relatives::Relative;

/// Number of a device: major, minor.
type Number = (u32, u32);

/// What was found out about the use of a target.
#[derive(Debug, Default)]
pub struct Uses {
    /// Reasons why it is in use, each as a phrase that follows "it is": `mounted at /mnt`, `partitioned (loop0p1)`. Empty when nobody is known to use it.
    pub found: Vec<String>,
    /// Whose use cannot be seen from here, as a sentence's part; `None` when all can.
    pub unseen: Option<String>,
}

/// Uses of a block device and of all that shares bytes with it. `is_busy`: the kernel refused to let this process claim it, which it does while anyone
/// has claimed the device or a part of it (bd_may_claim in block/bdev.c): mounts of any name space, swap, RAID, mappings, ZFS.
pub fn device_uses(number: Number, is_busy: bool) -> Uses {
    let relatives = relatives::relatives(number);
    let numbers: Vec<Number> = relatives.iter().map(|relative| relative.number).collect();
    let mut found = Vec::new();
    let parts: Vec<_> = relatives::partitions(number)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    if !parts.is_empty() {
        found.push(format!("partitioned ({})", parts.join(", ")));
    }
    found.extend(mounts_of(&numbers));
    for name in swap_names() {
        if look(&name)
            .and_then(|seen| seen.block_device)
            .is_some_and(|number| numbers.contains(&number))
        {
            found.push(format!("swap space in use ({name})"));
        }
    }
    found.extend(
        relatives
            .iter()
            .filter_map(|relative| relative.use_text.clone()),
    );
    found.extend(claimed_relatives(&relatives, &found));
    found.extend(
        processes::writers(&numbers)
            .into_iter()
            .map(|process| format!("open for writing in {process}")),
    );
    found.extend(backing_file_uses(number));
    if is_busy && found.is_empty() {
        found.push("claimed by the kernel or another program (a mount elsewhere, a pool, a virtual machine)".into());
    }
    found.dedup();
    Uses {
        found,
        unseen: host::unseen_processes(),
    }
}

/// True when the kernel lets nobody write to the device. Opening it for writing may succeed all the same (for root); then every write fails with EPERM.
pub fn is_read_only(number: Number) -> bool {
    fs::read_to_string(format!("/sys/dev/block/{}:{}/ro", number.0, number.1))
        .is_ok_and(|text| text.trim() == "1")
}

/// Uses of a regular file. Programs that cannot be seen from here, and the kernel's own servers, are found by a lease where the file system has leases.
pub fn file_uses(path: &Path, identity: Option<Identity>) -> Uses {
    let Some(identity) = identity.or_else(|| Some(host::look(path)?.identity)) else {
        return Uses {
            found: Vec::new(),
            unseen: host::unseen_processes(),
        };
    };
    let mut found = Vec::new();
    if swap_names()
        .iter()
        .any(|swap| look(swap).is_some_and(|seen| seen.identity == identity))
    {
        found.push("swap space in use".into());
    }
    let loops = relatives::loop_devices().into_iter();
    let shown = loops.filter(|device| device.backing.is_some_and(|seen| seen.identity == identity));
    found.extend(shown.map(|device| format!("the backing file of /dev/{}", device.name)));
    if system::open(
        path,
        Flags {
            read: true,
            write: true,
            ..Flags::default()
        },
    )
    .is_ok_and(|file| system::has_record_lock(&file))
    {
        found.push("locked by another program".into());
    }
    found.extend(
        processes::users(identity, path)
            .into_iter()
            .map(|process| format!("open in {process}")),
    );
    // A file that this process has open itself refuses every lease.
    let openers = if found.is_empty() && !processes::has_it_open(identity) {
        host::openers(path)
    } else {
        Openers::Unknown
    };
    let unseen = match openers {
        Openers::Nobody => None,
        Openers::Readers => {
            found.push("open for reading in a program that cannot be seen from here".into());
            None
        }
        Openers::Writers => {
            found.push("open for writing in a program that cannot be seen from here (another container, or a server in the kernel)".into());
            None
        }
        Openers::Unknown => host::unseen_processes(),
    };
    Uses { found, unseen }
}

/// Loop devices over the device that somebody has claimed: the kernel does not count their claims as claims of what they show.
fn claimed_relatives(relatives: &[Relative], known: &[String]) -> Vec<String> {
    // A claim of the device is one of its partitions and of its disk as well: this process may hold it.
    let own = relatives
        .first()
        .map(|device| relatives::of_one_disk(device.number))
        .unwrap_or_default();
    let others = relatives
        .iter()
        .skip(1)
        .filter(|relative| relative.name.starts_with("loop") && !own.contains(&relative.number));
    let claimed =
        others.filter(|relative| is_claimed(Path::new(&format!("/dev/{}", relative.name))));
    let texts = claimed.map(|relative| {
        format!(
            "shown as /dev/{} too, which is claimed (a mount elsewhere, RAID, a mapping)",
            relative.name
        )
    });
    match known.iter().any(|text| text.starts_with("mounted")) {
        true => Vec::new(),
        false => texts.collect(),
    }
}

/// Programs that use the file behind a loop device past the loop device.
fn backing_file_uses(number: Number) -> Vec<String> {
    let loops = relatives::loop_devices().into_iter();
    let Some((name, file)) = loops
        .filter(|device| device.number == number)
        .find_map(|device| {
            let backing = device.backing.filter(|seen| seen.block_device.is_none())?;
            Some((device.name, backing.identity))
        })
    else {
        return Vec::new();
    };
    let path =
        fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap_or_default();
    let users = processes::users(file, Path::new(path.trim_end())).into_iter();
    users
        .map(|process| format!("shown from {}, which is open in {process}", path.trim_end()))
        .collect()
}

/// True when the device cannot be opened exclusively because someone has claimed it.
fn is_claimed(path: &Path) -> bool {
    let opened = system::open(
        path,
        Flags {
            read: true,
            exclusive: true,
            ..Flags::default()
        },
    );
    opened.is_err_and(|error| error.kind() == std::io::ErrorKind::ResourceBusy)
}

/// Names in a folder; none when it cannot be read.
fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Reads `8:1`.
fn parse_number(text: &str) -> Option<Number> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What a path of this name space leads to.
fn look(path: &str) -> Option<Seen> {
    path.starts_with('/').then(|| host::look(Path::new(path)))?
}

/// Mounts of the devices in this and in every other mount name space whose processes can be looked into; devices of a mounted btrfs, which no mount names.
fn mounts_of(numbers: &[Number]) -> Vec<String> {
    let own = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
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
            let number = fs::read_to_string(format!("/sys/class/block/{name}/dev"))
                .ok()
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
    let space = |process: &str| fs::read_link(format!("/proc/{process}/ns/mnt")).ok();
    let mut seen: Vec<PathBuf> = space("self").into_iter().collect();
    for process in processes::ids() {
        let Some(name_space) = space(&process.to_string()).filter(|space| !seen.contains(space))
        else {
            continue;
        };
        seen.push(name_space);
        let text = fs::read_to_string(format!("/proc/{process}/mountinfo")).unwrap_or_default();
        if let Some(point) = mount_points(&text, |number, _| numbers.contains(&number)).first() {
            return vec![format!(
                "{point} in the mount name space of {}",
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
fn swap_names() -> Vec<String> {
    let text = fs::read_to_string("/proc/swaps").unwrap_or_default();
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
