//! Who uses this device or file already? Mounts, swap, RAID and mappings, partitions, loop devices, other programs; looked up by device and inode, not by name.

use plumb_model::statement::Statement;
use std::path::Path;

use crate::system::files::{self, Flags, Identity};
use crate::system::mounts::{look, mounts_of, swap_names};
use crate::system::openers::{self, Number, Openers};
use crate::system::processes;
pub use crate::system::related_devices::is_read_only;
use crate::system::related_devices::{self, Relative};

/// What was found out about the use of a target.
#[derive(Debug, Default)]
pub struct Uses {
    /// Reasons why it is in use, each as a phrase that follows "it is": `mounted at /mnt`, `partitioned (loop0p1)`. Empty when nobody is known to use it.
    pub found: Vec<String>,
    /// Whose use cannot be seen from here, as a sentence's part; `None` when all can.
    pub unseen: Option<Statement>,
}

/// Uses of a block device and of all that shares bytes with it. `is_busy`: the kernel refused to let this process claim it, which it does while anyone
/// has claimed the device or a part of it (bd_may_claim in block/bdev.c): mounts of any name space, swap, RAID, mappings, ZFS.
pub fn device_uses(number: Number, is_busy: bool) -> Uses {
    let relatives = related_devices::relatives(number);
    let numbers: Vec<Number> = relatives.iter().map(|relative| relative.number).collect();
    let mut found = Vec::new();
    let parts: Vec<_> = related_devices::partitions(number)
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
        unseen: openers::unseen_processes(),
    }
}

/// Uses of a regular file. Programs that cannot be seen from here, and the kernel's own servers, are found by a lease where the file system has leases.
pub fn file_uses(path: &Path, identity: Option<Identity>) -> Uses {
    let Some(identity) = identity.or_else(|| Some(openers::look(path)?.identity)) else {
        return Uses {
            found: Vec::new(),
            unseen: openers::unseen_processes(),
        };
    };
    let mut found = Vec::new();
    if swap_names()
        .iter()
        .any(|swap| look(swap).is_some_and(|seen| seen.identity == identity))
    {
        found.push("swap space in use".into());
    }
    let loops = related_devices::loop_devices().into_iter();
    let shown = loops.filter(|device| device.backing.is_some_and(|seen| seen.identity == identity));
    found.extend(shown.map(|device| format!("the backing file of /dev/{}", device.name)));
    if files::open(
        path,
        Flags {
            read: true,
            write: true,
            ..Flags::default()
        },
    )
    .is_ok_and(|file| files::has_record_lock(&file))
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
        openers::openers(path)
    } else {
        Openers::Unknown
    };
    let unseen = match openers {
        Openers::Nobody => None,
        Openers::Readers => {
            found.push("open for reading in a program that is not visible from here".into());
            None
        }
        Openers::Writers => {
            found.push("open for writing in a program that is not visible from here (another container, or a server in the kernel)".into());
            None
        }
        Openers::Unknown => openers::unseen_processes(),
    };
    Uses { found, unseen }
}

/// Claimed loop devices over the device: the kernel does not count their claims as claims of what they show.
fn claimed_relatives(relatives: &[Relative], known: &[String]) -> Vec<String> {
    // A claim of the device is one of its partitions and of its disk as well: this process may hold it.
    let own = relatives
        .first()
        .map(|device| related_devices::of_one_disk(device.number))
        .unwrap_or_default();
    let others = relatives
        .iter()
        .skip(1)
        .filter(|relative| relative.name.starts_with("loop") && !own.contains(&relative.number));
    let claimed =
        others.filter(|relative| is_claimed(Path::new(&format!("/dev/{}", relative.name))));
    let texts = claimed.map(|relative| {
        format!(
            "also available as /dev/{}, which is claimed (a mount elsewhere, RAID, a mapping)",
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
    let loops = related_devices::loop_devices().into_iter();
    let Some((path, file)) = loops
        .filter(|device| device.number == number)
        .find_map(|device| {
            let backing = device.backing.filter(|seen| seen.block_device.is_none())?;
            Some((device.path, backing.identity))
        })
    else {
        return Vec::new();
    };
    let users = processes::users(file, Path::new(&path)).into_iter();
    users
        .map(|process| format!("exported from {path}, which is open in {process}"))
        .collect()
}

/// True when the device cannot be opened exclusively because someone has claimed it.
fn is_claimed(path: &Path) -> bool {
    let opened = files::open(
        path,
        Flags {
            read: true,
            exclusive: true,
            ..Flags::default()
        },
    );
    opened.is_err_and(|error| error.kind() == std::io::ErrorKind::ResourceBusy)
}
