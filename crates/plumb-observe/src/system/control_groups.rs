//! Which control groups hold this process, and where do their files lie? For version 1, version 2, and both at once.

use std::path::{Component, Path};

use super::kernel_files::{exists, full_text, text};
use super::mounts::{Mount, mounts};

/// The two versions of control groups: their files have other names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

/// Limits on I/O by device: the file of version 1, and the key in `io.max` of version 2.
pub(crate) const IO_LIMITS: [(&str, &str); 4] = [
    ("blkio.throttle.read_bps_device", "rbps"),
    ("blkio.throttle.write_bps_device", "wbps"),
    ("blkio.throttle.read_iops_device", "riops"),
    ("blkio.throttle.write_iops_device", "wiops"),
];

/// Folders (relative to the root, no leading slash) of the groups that hold this process for `controller` (`cpu`, `memory`, `blkio` in
/// version 1, `io` in version 2): its own group first, then each one above. Limits and throttling of any of them hold for the process.
/// Empty when no hierarchy with that controller is mounted. Version 1 is preferred where it owns the controller.
///
/// cgroups(7): /proc/self/cgroup has `id:controllers:path` for each hierarchy (`0::path` for version 2).
pub(crate) fn groups(root: &Path, controller: &str) -> (Version, Vec<String>) {
    let membership = membership(root, "self").unwrap_or_default();
    groups_of(root, &membership, controller)
}

/// The groups of a process (`self`: this one) as the kernel lists them; `None` when it has ended.
pub(crate) fn membership(root: &Path, process: &str) -> Option<String> {
    full_text(root, &format!("proc/{process}/cgroup")).ok()
}

/// As [`groups`], of a process with this membership.
pub(crate) fn groups_of(root: &Path, membership: &str, controller: &str) -> (Version, Vec<String>) {
    let mounts = mounts(root).unwrap_or_default();
    let own_path = |matches: &dyn Fn(&str) -> bool| {
        membership.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            matches(controllers).then_some(path)
        })
    };
    let in_version_1 = if controller == "io" {
        "blkio"
    } else {
        controller
    };
    let version_1 = mounts.iter().find(|mount| {
        mount.file_system == "cgroup" && mount.super_options.split(',').any(|o| o == in_version_1)
    });
    if let Some(mount) = version_1 {
        let path = own_path(&|controllers| controllers.split(',').any(|name| name == in_version_1));
        return (Version::One, upwards(root, mount, path.unwrap_or("/")));
    }
    match mounts.iter().find(|mount| mount.file_system == "cgroup2") {
        Some(mount) => (
            Version::Two,
            upwards(root, mount, own_path(&str::is_empty).unwrap_or("/")),
        ),
        None => (Version::Two, Vec::new()),
    }
}

/// The folder of the group at `path` and those above it, up to the mount point. A container often sees a path that lies outside of what
/// is mounted for it; the mount point is then the group that counts.
fn upwards(root: &Path, mount: &Mount, path: &str) -> Vec<String> {
    let top = mount.point.trim_matches('/').to_owned();
    let below = path
        .strip_prefix(mount.root.trim_end_matches('/'))
        .unwrap_or("/")
        .trim_matches('/');
    let is_plain = Path::new(below)
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    let mut folders = Vec::new();
    let mut at = if is_plain { below } else { "" };
    while !at.is_empty() {
        let folder = format!("{top}/{at}");
        if exists(root, &folder) {
            folders.push(folder);
        }
        at = at.rsplit_once('/').map_or("", |(above, _)| above);
    }
    folders.push(top);
    folders
}

/// The file with the limit on memory of a group, and its bytes; `None` where there is none.
pub(crate) fn memory_limit(root: &Path, version: Version, folder: &str) -> Option<(String, u64)> {
    let file = match version {
        Version::Two => format!("{folder}/memory.max"),
        Version::One => format!("{folder}/memory.limit_in_bytes"),
    };
    let bytes = text(root, &file).ok()?.parse::<u64>().ok()?;
    // Version 1 has no word for "none": the largest count of pages that fits a signed 64-bit number of bytes (PAGE_COUNTER_MAX).
    (bytes < 1 << 62).then_some((file, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn version_2_is_followed_up_to_its_mount_point() {
        let tree = fixture::tree("proc-machine");
        let (version, folders) = groups(tree.path(), "cpu");
        assert_eq!(version, Version::Two);
        assert_eq!(
            folders,
            [
                "sys/fs/cgroup/system.slice/plumb.scope",
                "sys/fs/cgroup/system.slice",
                "sys/fs/cgroup"
            ]
        );
    }

    #[test]
    fn version_1_is_found_by_controller_and_a_containers_foreign_path_ends_at_the_mount_point() {
        let tree = fixture::tree("proc-raid");
        assert_eq!(
            groups(tree.path(), "cpu"),
            (Version::One, vec!["sys/fs/cgroup/cpu,cpuacct".into()])
        );
        assert_eq!(
            groups(tree.path(), "io"),
            (
                Version::One,
                vec![
                    "sys/fs/cgroup/blkio/jobs".into(),
                    "sys/fs/cgroup/blkio".into()
                ]
            )
        );
        let nothing = tempfile::tempdir().unwrap();
        assert_eq!(groups(nothing.path(), "cpu"), (Version::Two, Vec::new()));
    }
}
