//! Is the block device in use or partitioned, so that writing to it would destroy data? In doubt, yes.

use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use super::fact::flag_fact;
use super::target::TargetPath;
use crate::system::block_devices::{Device, holders, loop_devices, swap_paths};
use crate::system::kernel_files::Known;
use crate::system::mounts::{Mount, mounts};
use crate::system::processes::writers;
use crate::system::{self, Exclusive, btrfs};

/// Sets `device.mounted_at` (the flag `false` when the device is free, [`Fact::Unknown`] when that is not certain) and
/// `device.has_partitions`. When the target is the block device itself, the kernel is queried too: an exclusive open, and who else writes.
pub(crate) fn look(
    root: &Path,
    target_path: &TargetPath,
    device: &Device,
    environment: &mut Environment,
) {
    let is_target = target_path.block_device.is_some();
    let mut uses = uses_in_files(root, device);
    let mut doubt = None;
    if is_target {
        match system::try_exclusive(&target_path.existing) {
            Exclusive::Free => {}
            // The kernel also refuses for mounts of other namespaces, ZFS and the like, which no file here reports.
            Exclusive::Claimed if uses.is_empty() => uses.push(
                "claimed by the kernel or another program (it refuses an exclusive open)".into(),
            ),
            Exclusive::Claimed => {}
            Exclusive::Untried(reason) => {
                doubt = Some(format!("cannot verify that the device is unused: {reason}"))
            }
        }
        uses.extend(writers(
            root,
            &[device.name.as_str(), device.complete().name.as_str()],
        ));
    }
    let mounted_at = match (uses.is_empty(), doubt) {
        (false, _) => Fact::Text(uses.join("; ")),
        (true, Some(doubt)) => Fact::Unknown(doubt),
        (true, None) => Fact::Flag(false),
    };
    environment.set("device.mounted_at", mounted_at);
    let listed = !device.partitions().is_empty();
    let partitions = if is_target && !listed {
        has_partition_table(&target_path.existing)
    } else {
        Ok(listed)
    };
    environment.set("device.has_partitions", flag_fact(partitions));
}

/// All uses shown in /proc and /sys: of the device, its partitions, everything built on these, and the whole disk itself.
fn uses_in_files(root: &Path, device: &Device) -> Vec<String> {
    let mut found = Vec::new();
    let mut claimed = vec![device.name.clone()];
    claimed.extend(device.partitions());
    if device.complete().name != device.name {
        claimed.push(device.complete().name.clone());
    }
    // Holders, and holders of holders, each with the kind of use.
    let mut at = 0;
    while let Some(name) = claimed.get(at).cloned() {
        at += 1;
        for holder in holders(root, &name) {
            found.push(format!("{name} is part of {holder}"));
            if !claimed.contains(&holder) {
                claimed.push(holder);
            }
        }
    }
    let is_claimed = |device: &Device| claimed.contains(&device.name);
    for mount in mounts(root).unwrap_or_default() {
        if let Some(device) = device_of(root, &mount).filter(is_claimed) {
            found.push(format!("{} is mounted at {}", device.name, mount.point));
        }
    }
    for path in swap_paths(root) {
        if let Ok(device) = Device::of_path(root, Path::new(&path))
            && is_claimed(&device)
        {
            found.push(format!("{} is swap space", device.name));
        }
    }
    found.extend(uses_without_mount(root, &claimed));
    found
}

fn device_of(root: &Path, mount: &Mount) -> Option<Device> {
    match mount.number {
        // btrfs and others have numbers of their own; the source names one of their devices.
        (0, _) if mount.source.starts_with("/dev/") => {
            Device::of_path(root, Path::new(&mount.source)).ok()
        }
        (0, _) => None,
        number => Device::of_number(root, number).ok(),
    }
}

/// Further devices of a mounted btrfs, and loop devices whose backing file is one of the devices.
fn uses_without_mount(root: &Path, claimed: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for file_system in btrfs::file_systems(root) {
        for name in file_system.devices {
            if claimed.contains(&name) {
                found.push(format!("{name} is part of the btrfs {}", file_system.id));
            }
        }
    }
    for (name, file) in loop_devices(root)
        .iter()
        .filter(|(name, _)| !claimed.contains(name))
    {
        if file.starts_with("/dev/")
            && let Ok(device) = Device::of_path(root, Path::new(file))
            && claimed.contains(&device.name)
        {
            found.push(format!("{} appears as {name}", device.name));
        }
    }
    found
}

/// A partition table on the device itself, which the kernel need not have read (loop devices, mappings, a changed table): GPT by its
/// signature (UEFI 2.10, 5.3.2) in the second block of 512 or 4096 bytes, MBR by signature and a plausible entry.
fn has_partition_table(path: &Path) -> Known<bool> {
    let head = system::bytes_at(path, 0, 8192).map_err(|error| {
        format!(
            "cannot look for a partition table on {}: {error}",
            path.display()
        )
    })?;
    let is_gpt = [512, 4096]
        .iter()
        .any(|at| head.get(*at..*at + 8) == Some(b"EFI PART"));
    let is_mbr = head.get(510..512) == Some(&[0x55, 0xAA])
        && head[446..510].chunks(16).all(|entry| entry[0] & 0x7F == 0)
        && {
            // File systems such as FAT have the same signature, with program code where the entries would be.
            head[446..510]
                .chunks(16)
                .any(|entry| entry[4] != 0 && entry[12..16].iter().any(|byte| *byte != 0))
        };
    Ok(is_gpt || is_mbr)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::target::tests::target_path;
    use crate::fixture;

    fn mounted_at(name: &str, device: &str) -> Fact {
        let tree = fixture::tree(name);
        let root = tree.path().canonicalize().unwrap();
        let device = Device::of_name(&root, device).unwrap();
        let mut environment = Environment::default();
        look(&root, &target_path("/", (0, 0)), &device, &mut environment);
        environment.facts["device.mounted_at"].clone()
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn every_use_is_seen_from_every_side() {
        for (tree, device, expected) in [
            // The disk: its partitions are mounted and mapped, and the mapping is mounted.
            ("proc-nvme", "nvme0n1", "nvme0n1p2 is mounted at /home"),
            ("proc-nvme", "nvme0n1", "nvme0n1p3 is part of dm-0"),
            ("proc-nvme", "nvme0n1", "dm-0 is mounted at /vault"),
            ("proc-nvme", "nvme0n1p3", "dm-0 is mounted at /vault"),
            ("proc-nvme", "nvme1n1", "nvme1n1 is mounted at /data"),
            // The second device of a btrfs: no mount names it.
            ("proc-nvme", "nvme2n1", "nvme2n1 is part of the btrfs"),
            ("proc-raid", "sda1", "sda1 is part of md0"),
            ("proc-raid", "sda", "md0 is mounted at /srv/pool"),
            ("proc-raid", "sde1", "sde1 is swap space"),
            ("proc-raid", "sdf", "sdf appears as loop7"),
            // A whole disk that is mounted, though it has a partition.
            ("proc-raid", "sdg1", "sdg is mounted at /mnt/whole"),
        ] {
            let fact = mounted_at(tree, device);
            assert!(
                matches!(&fact, Fact::Text(uses) if uses.contains(expected)),
                "{device}: {fact:?}"
            );
        }
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_free_device_is_told_free() {
        assert_eq!(mounted_at("proc-raid", "sdh"), Fact::Flag(false));
        // Its neighbor on the same disk is mounted; itself it is free.
        assert_eq!(mounted_at("proc-nvme", "nvme0n1p4"), Fact::Flag(false));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_device_that_cannot_be_opened_is_in_doubt() {
        let tree = fixture::tree("proc-raid");
        let root = tree.path().canonicalize().unwrap();
        let device = Device::of_name(&root, "sdh").unwrap();
        let mut environment = Environment::default();
        let target_path = TargetPath {
            block_device: Some((8, 112)),
            ..target_path("/no/such/device", (0, 6))
        };
        look(&root, &target_path, &device, &mut environment);
        assert!(
            matches!(&environment.facts["device.mounted_at"], Fact::Unknown(why) if why.contains("cannot verify")),
            "{environment:?}"
        );
        assert!(matches!(
            environment.facts["device.has_partitions"],
            Fact::Unknown(_)
        ));
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn a_writer_in_another_process_is_found_and_a_reader_is_not() {
        let tree = fixture::tree("proc-raid");
        let found = writers(tree.path(), &["sdd"]);
        assert_eq!(
            found,
            ["/dev/sdd is open for writing by process 900 (qemu)"]
        );
    }

    #[test]
    fn partition_tables_are_known_by_their_signatures() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk");
        let check = |edit: &dyn Fn(&mut [u8]), expected: bool, what: &str| {
            let mut image = vec![0u8; 16384];
            edit(&mut image);
            std::fs::write(&path, image).unwrap();
            assert_eq!(has_partition_table(&path), Ok(expected), "{what}");
        };
        let mbr = |image: &mut [u8]| {
            image[510..512].copy_from_slice(&[0x55, 0xAA]);
            image[446 + 4] = 0x83;
            image[446 + 12] = 1;
        };
        check(&|_| {}, false, "zeros");
        check(&mbr, true, "MBR");
        check(
            &|image| image[512..520].copy_from_slice(b"EFI PART"),
            true,
            "GPT, 512",
        );
        check(
            &|image| image[4096..4104].copy_from_slice(b"EFI PART"),
            true,
            "GPT, 4096",
        );
        check(
            &|image| image[510..512].copy_from_slice(&[0x55, 0xAA]),
            false,
            "signature alone",
        );
        let fat = |image: &mut [u8]| {
            mbr(image);
            image[446] = 0x3C;
        };
        check(&fat, false, "boot sector with code in place of entries");
        std::fs::write(&path, b"short").unwrap();
        assert_eq!(has_partition_table(&path), Ok(false));
        assert!(has_partition_table(&folder.path().join("none")).is_err());
    }
}
