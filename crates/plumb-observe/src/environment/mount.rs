//! Which mount holds the target, which file system is it, and which device carries it?

use std::path::Path;
use std::process::Command;

use plumb_model::environment::{Environment, Fact, is_kernel_view};

use super::fact::{flag_fact, number_fact};
use super::target::TargetPath;
use crate::system;
use crate::system::block_devices::Device;
use crate::system::btrfs;
use crate::system::kernel_files::Known;
use crate::system::mounts::{Mount, lies_in_memory, mount_by_path, mounts};

/// The mount that holds a place: by the number that statx reports; else by device number, with the longest mount point above the path; else by
/// the mount point alone. Of equals the last counts, which is on top.
fn mount_of<'a>(mounts: &'a [Mount], target_path: &TargetPath) -> Known<&'a Mount> {
    if let Some(mount) = target_path
        .mount_id
        .and_then(|id| mounts.iter().find(|mount| mount.id == id))
    {
        return Ok(mount);
    }
    let above = |mount: &&Mount| target_path.existing.starts_with(&mount.point);
    let same_device = mounts
        .iter()
        .filter(above)
        .filter(|mount| mount.number == target_path.device);
    let longest = same_device.max_by_key(|mount| mount.point.len());
    longest
        .or_else(|| {
            mounts
                .iter()
                .filter(above)
                .max_by_key(|mount| mount.point.len())
        })
        .ok_or_else(|| {
            format!(
                "no mount of {} is listed in /proc/self/mountinfo (a mount of another namespace?)",
                target_path.existing.display()
            )
        })
}

const FACTS: [&str; 10] = [
    "mount.point",
    "mount.source",
    "mount.file_system",
    "mount.options",
    "mount.read_only",
    "mount.network",
    "mount.memory",
    "mount.compresses",
    "mount.deduplicates",
    "mount.free_bytes",
];

/// Sets the facts of the mount that holds `place`. Then the device that carries it: `None` where there is none (network, memory), an error
/// where there must be one that was not found.
pub(crate) fn look(
    root: &Path,
    target_path: &TargetPath,
    environment: &mut Environment,
) -> Option<Known<Device>> {
    let all = mounts(root);
    let mount = all
        .as_ref()
        .map_err(String::clone)
        .and_then(|mounts| mount_of(mounts, target_path));
    let mount = match mount {
        Ok(mount) => mount,
        Err(reason) => {
            FACTS
                .iter()
                .for_each(|id| environment.set(*id, Fact::Unknown(reason.clone())));
            environment.set("mount.total_bytes", Fact::Unknown(reason.clone()));
            return Some(Err(reason));
        }
    };
    let is_network = is_network(&mount.file_system);
    environment.set("mount.point", Fact::Text(mount.point.clone()));
    environment.set("mount.source", Fact::Text(mount.source.clone()));
    environment.set("mount.file_system", Fact::Text(mount.file_system.clone()));
    environment.set("mount.options", Fact::Text(mount.all_options()));
    environment.set("mount.read_only", Fact::Flag(mount.option("ro").is_some()));
    environment.set("mount.network", Fact::Flag(is_network));
    let stores = match mount.file_system.as_str() {
        "overlay" => below_overlay(root, all.as_deref().unwrap_or_default(), mount),
        _ => Ok(mount),
    };
    let in_memory = stores.clone().map(lies_in_memory);
    let is_memory = in_memory == Ok(true);
    environment.set("mount.memory", flag_fact(in_memory));
    environment.set(
        "mount.compresses",
        flag_fact(
            stores
                .clone()
                .and_then(|stores| compresses(stores, target_path)),
        ),
    );
    environment.set(
        "mount.deduplicates",
        flag_fact(stores.and_then(deduplicates)),
    );
    let space = system::space(&target_path.existing).map_err(|error| {
        format!(
            "cannot query the space at {}: {error}",
            target_path.existing.display()
        )
    });
    let space = space.and_then(|space| match space.total_bytes {
        0 => Err("the file system reports no size".to_owned()),
        _ => Ok(space),
    });
    environment.set(
        "mount.free_bytes",
        number_fact(space.clone().map(|space| space.free_bytes as f64)),
    );
    environment.set(
        "mount.total_bytes",
        number_fact(space.map(|space| space.total_bytes as f64)),
    );
    if is_network || is_memory || is_kernel_view(&mount.file_system) {
        return None;
    }
    Some(carrier(root, all.as_deref().unwrap_or_default(), mount))
}

/// File systems with data on another machine.
fn is_network(file_system: &str) -> bool {
    const NAMES: [&str; 19] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "ceph",
        "afs",
        "coda",
        "lustre",
        "gpfs",
        "beegfs",
        "orangefs",
        "pvfs2",
        "glusterfs",
        "davfs",
        "panfs",
        "wekafs",
        "ncpfs",
    ];
    const FUSE: [&str; 14] = [
        "sshfs",
        "glusterfs",
        "ceph",
        "ceph-fuse",
        "s3fs",
        "rclone",
        "curlftpfs",
        "gcsfuse",
        "goofys",
        "blobfuse2",
        "juicefs",
        "cephfs",
        "smbnetfs",
        "gvfsd-fuse",
    ];
    NAMES.contains(&file_system)
        || file_system
            .strip_prefix("fuse.")
            .is_some_and(|name| FUSE.contains(&name))
}

/// The mount that holds the upper directory of an overlay, where everything is written.
fn below_overlay<'a>(root: &Path, mounts: &'a [Mount], mount: &Mount) -> Known<&'a Mount> {
    let upper = mount.option("upperdir").ok_or(
        "the overlay has no upper directory; it is read-only, and its layers may be anywhere",
    )?;
    // The options give the path as the one who mounted it saw it: a container mostly sees another tree.
    let below = mount_by_path(mounts, Path::new(upper))
        .filter(|below| below.id != mount.id && root.join(upper.trim_matches('/')).is_dir());
    below.ok_or_else(|| {
        format!("the overlay's upper directory {upper} is not visible from here (a container)")
    })
}

/// The block device under a mount.
fn carrier(root: &Path, mounts: &[Mount], mount: &Mount) -> Known<Device> {
    // Major 0 stands for no device: btrfs, ZFS, overlay and FUSE have such numbers though devices carry them.
    if mount.number.0 != 0 {
        return Device::of_number(root, mount.number);
    }
    if mount.file_system == "overlay" {
        return carrier(root, mounts, below_overlay(root, mounts, mount)?);
    }
    if mount.file_system.starts_with("fuse") && !mount.source.starts_with("/dev/") {
        return Err(format!(
            "a program serves this file system ({}); only that program knows where the data is stored",
            mount.file_system
        ));
    }
    if mount.file_system == "zfs" {
        let pool = mount.source.split('/').next().unwrap_or_default();
        return Err(format!(
            "ZFS does not report the devices of pool {pool} to the kernel; see `zpool status {pool}`"
        ));
    }
    let mut device = Device::of_path(root, Path::new(&mount.source))?;
    if mount.file_system == "btrfs" {
        device.peers = btrfs::peers(root, &device);
    }
    Ok(device)
}

/// Does the file system compress? From option and attribute; for ZFS with its own command.
fn compresses(mount: &Mount, target_path: &TargetPath) -> Known<bool> {
    if target_path.is_compressed == Some(true) {
        return Ok(true);
    }
    let option = ["compress", "compress-force", "compression"]
        .iter()
        .find_map(|name| mount.option(name));
    match mount.file_system.as_str() {
        "btrfs" | "bcachefs" => Ok(option.is_some_and(|value| !["no", "none"].contains(&value))),
        "zfs" => zfs_property(mount, "compression"),
        "squashfs" | "erofs" | "cramfs" => Ok(true),
        "ext2" | "ext3" | "ext4" | "xfs" | "tmpfs" | "ramfs" | "devtmpfs" | "vfat" | "exfat" => {
            Ok(false)
        }
        "f2fs" | "ntfs3" | "ntfs" if target_path.is_compressed.is_some() => Ok(false),
        other if is_network(other) => {
            Err(format!("the server of {} does not report it", mount.source))
        }
        other => Err(format!("it is unknown whether {other} compresses")),
    }
}

/// Does the file system deduplicate?
fn deduplicates(mount: &Mount) -> Known<bool> {
    match mount.file_system.as_str() {
        "zfs" => zfs_property(mount, "dedup"),
        "ext2" | "ext3" | "ext4" | "tmpfs" | "ramfs" | "devtmpfs" | "vfat" | "exfat" | "f2fs" => {
            Ok(false)
        }
        name @ ("btrfs" | "xfs" | "bcachefs") => Err(format!(
            "{name} supports deduplication after writing (duperemove, bees); whether a program does so is not visible"
        )),
        other if is_network(other) => {
            Err(format!("the server of {} does not report it", mount.source))
        }
        other => Err(format!("it is unknown whether {other} deduplicates")),
    }
}

/// A ZFS property, from the `zfs` command, which is the only way to query it.
fn zfs_property(mount: &Mount, property: &str) -> Known<bool> {
    let output = Command::new("zfs")
        .args(["get", "-H", "-o", "value", property, &mount.source])
        .output();
    let output = output
        .map_err(|error| format!("cannot run `zfs get {property} {}`: {error}", mount.source))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "`zfs get {property} {}` failed: {}",
            mount.source,
            reason.trim()
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim() != "off")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::target::tests::target_path;
    use crate::fixture;

    fn facts_at(name: &str, target_path: &TargetPath) -> (Environment, Option<Known<Device>>) {
        let tree = fixture::tree(name);
        let mut environment = Environment::default();
        let device = look(tree.path(), target_path, &mut environment);
        (environment, device)
    }

    #[test]
    fn the_mount_is_found_by_number_by_device_and_by_path() {
        // (path, device number, mount number), and the mount point and source expected.
        let cases = [
            ("/home/a", (259, 2), None, "/home", "/dev/nvme0n1p2"),
            // A bind mount of a folder of the root file system: same device as "/", longer mount point.
            (
                "/srv/bound/file",
                (259, 1),
                None,
                "/srv/bound",
                "/dev/nvme0n1p1",
            ),
            // Two mounts at the same point: the device reports which, and where there is no device number the upper one counts.
            ("/stacked/x", (259, 1), None, "/stacked", "/dev/nvme0n1p1"),
            ("/stacked/x", (0, 0), None, "/stacked", "/dev/nvme0n1p2"),
            // The number of the mount goes before all else.
            (
                "/stacked/x",
                (259, 2),
                Some(60),
                "/stacked",
                "/dev/nvme0n1p1",
            ),
            // A btrfs subvolume has a number of its own, which no line has.
            ("/data/sub/file", (0, 77), None, "/data", "/dev/nvme1n1"),
        ];
        for (path, device, mount_id, point, source) in cases {
            let (facts, _) = facts_at(
                "proc-nvme",
                &TargetPath {
                    mount_id,
                    ..target_path(path, device)
                },
            );
            assert_eq!(
                (facts.text("mount.point"), facts.text("mount.source")),
                (Some(point), Some(source)),
                "{path}"
            );
        }
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn compression_and_deduplication_are_told_only_where_known() {
        let (facts, device) = facts_at("proc-nvme", &target_path("/data/sub/file", (0, 77)));
        assert_eq!(facts.text("mount.file_system"), Some("btrfs"));
        assert_eq!(facts.flag("mount.compresses"), Some(true));
        assert!(
            matches!(&facts.facts["mount.deduplicates"], Fact::Unknown(why) if why.contains("duperemove"))
        );
        assert_eq!(device.unwrap().unwrap().name, "nvme1n1");
        let (facts, _) = facts_at("proc-nvme", &target_path("/a", (259, 1)));
        assert_eq!(facts.flag("mount.compresses"), Some(false));
        assert_eq!(facts.flag("mount.deduplicates"), Some(false));
        let compressed = TargetPath {
            is_compressed: Some(true),
            ..target_path("/home/a", (259, 2))
        };
        assert_eq!(
            facts_at("proc-nvme", &compressed)
                .0
                .flag("mount.compresses"),
            Some(true)
        );
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn network_and_memory_have_no_device_and_an_unseen_overlay_says_why() {
        let (facts, device) = facts_at("proc-nvme", &target_path("/net/x", (0, 50)));
        assert_eq!(
            (facts.flag("mount.network"), facts.flag("mount.memory")),
            (Some(true), Some(false))
        );
        assert!(device.is_none());
        let (facts, device) = facts_at("proc-nvme", &target_path("/dev/shm/x", (0, 25)));
        assert_eq!(
            (facts.flag("mount.network"), facts.flag("mount.memory")),
            (Some(false), Some(true))
        );
        assert!(device.is_none());
        let (_, device) = facts_at("proc-nvme", &target_path("/container/x", (0, 60)));
        assert!(
            device
                .unwrap()
                .unwrap_err()
                .contains("is not visible from here")
        );
        let (facts, device) = facts_at("proc-nvme", &target_path("/overlay/x", (0, 61)));
        assert_eq!(
            facts.flag("mount.compresses"),
            Some(false),
            "the file system under the overlay does not"
        );
        assert_eq!(
            (facts.flag("mount.memory"), device.unwrap().unwrap().name),
            (Some(false), "nvme0n1p2".to_owned())
        );
        let (facts, device) = facts_at("proc-nvme", &target_path("/overlay-in-memory/x", (0, 62)));
        assert_eq!(facts.flag("mount.memory"), Some(true));
        assert!(device.is_none());
    }

    #[test]
    fn without_mountinfo_all_is_unknown() {
        let nothing = tempfile::tempdir().unwrap();
        let mut facts = Environment::default();
        let device = look(nothing.path(), &target_path("/x", (8, 1)), &mut facts);
        assert!(device.unwrap().is_err());
        assert!(
            facts
                .facts
                .values()
                .all(|fact| matches!(fact, Fact::Unknown(_))),
            "{facts:?}"
        );
        assert_eq!(facts.facts.len(), 11);
    }
}
