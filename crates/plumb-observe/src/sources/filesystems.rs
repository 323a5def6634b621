//! How much space is left? Size and free space of each mounted file system on a local device.

use std::path::{Path, PathBuf};

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{Area, Nothing, Reader, Scope, Source, System, gauge, push, report_missing};
use crate::system::freebsd_facts::{self, MountedAt};
use crate::system::mounts::{Mount, mounts};
use crate::system::{IS_FREEBSD, space};

/// man 5 proc_pid_mountinfo, man 3 statvfs. File systems on the network are not asked: they may not answer, and then the watching would stand still.
pub static SOURCE: Source = Source {
    name: "filesystems",
    system: System::LinuxAndFreeBsd,
    meaning: "size and free space of each mounted file system on a device of this machine (/proc/self/mountinfo, FreeBSD: getfsstat; statvfs)",
    areas: &[Area::Disk],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 2] = [
    gauge("filesystem.size_bytes", "bytes", "size of the file system"),
    gauge(
        "filesystem.available_bytes",
        "bytes",
        "free space that users may take, without what is reserved for root",
    ),
];

/// These have a device of their own making, which is none of the kernel's list of block devices.
const POOLED: [&str; 3] = ["btrfs", "zfs", "bcachefs"];
/// Mounts change seldom; their space does not.
const READINGS_BETWEEN_LISTS: u32 = 32;

struct FileSystems {
    machine: Machine,
    points: Vec<PathBuf>,
    readings: u32,
}

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    // A run records the devices under its targets; how full they are is among its facts.
    if scope.disks.is_some() {
        return Box::new(Nothing);
    }
    Box::new(FileSystems {
        machine: machine.clone(),
        points: Vec::new(),
        readings: 0,
    })
}

impl Reader for FileSystems {
    fn read(&mut self, out: &mut Vec<Reading>) {
        if self.readings == 0 || self.points.is_empty() {
            self.points = if IS_FREEBSD && self.machine.is_live() {
                of_freebsd(&freebsd_facts::mounts().unwrap_or_default())
            } else {
                local(&mounts(self.machine.root()).unwrap_or_default())
            };
        }
        self.readings = (self.readings + 1) % READINGS_BETWEEN_LISTS;
        let first = out.len();
        // statvfs applies to this machine, not to a fixture.
        for point in self.points.iter().filter(|_| self.machine.is_live()) {
            let space = space(point).ok();
            let name = point.to_string_lossy();
            let values = [
                space.map(|space| space.total_bytes),
                space.map(|space| space.free_bytes),
            ];
            for (metric, value) in METRICS.iter().zip(values) {
                push(out, metric, &name, value.map(|bytes| bytes as f64));
            }
        }
        report_missing(&METRICS, None, first, out);
    }
}

/// Where FreeBSD has mounted what stores something on this machine: a device, or a dataset of a pool.
fn of_freebsd(mounts: &[MountedAt]) -> Vec<PathBuf> {
    let is_stored = |mount: &&MountedAt| {
        !mount.is_remote() && (mount.source.starts_with("/dev/") || mount.file_system == "zfs")
    };
    let points = mounts.iter().filter(is_stored);
    points.map(|mount| PathBuf::from(&mount.point)).collect()
}

/// Where each file system on a device of this machine is mounted, each once: at the shortest path.
fn local(mounts: &[Mount]) -> Vec<PathBuf> {
    let is_local = |mount: &&Mount| {
        mount.source.starts_with("/dev/") || POOLED.contains(&mount.file_system.as_str())
    };
    let mut found: Vec<&Mount> = Vec::new();
    for mount in mounts.iter().filter(is_local) {
        // A file that is mounted over another, such as containers have, is no file system to look at.
        if Path::new(&mount.point).is_file() {
            continue;
        }
        match found.iter_mut().find(|known| known.number == mount.number) {
            Some(known) if mount.point.len() < known.point.len() => *known = mount,
            Some(_) => {}
            None => found.push(mount),
        }
    }
    found
        .iter()
        .map(|mount| mount.point.clone().into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn what_freebsd_stores_elsewhere_or_nowhere_is_left_out() {
        let mounted = |point: &str, source: &str, file_system: &str, flags| MountedAt {
            point: point.into(),
            source: source.into(),
            file_system: file_system.into(),
            flags,
            total_bytes: 0,
            free_bytes: 0,
        };
        let mounts = [
            mounted("/", "/dev/ada0p2", "ufs", 0x1000),
            mounted("/dev", "devfs", "devfs", 0x1000),
            mounted("/tmp", "tmpfs", "tmpfs", 0x1000),
            mounted("/data", "tank/data", "zfs", 0x1000),
            mounted("/n", "server:/x", "nfs", 0),
        ];
        assert_eq!(
            of_freebsd(&mounts),
            [PathBuf::from("/"), PathBuf::from("/data")]
        );
    }

    #[test]
    fn each_local_file_system_is_named_once_and_shares_are_not() {
        let tree = fixture::tree("proc-share");
        assert_eq!(local(&mounts(tree.path()).unwrap()), [PathBuf::from("/")]);
        let text = "\\
36 1 8:1 / / rw - ext4 /dev/sda1 rw
37 36 8:1 /srv/data /bound rw - ext4 /dev/sda1 rw
38 36 0:30 /@home /home rw - btrfs /dev/sdb rw
39 36 0:31 / /proc rw - proc proc rw
40 36 0:32 / /mnt/c rw - cifs //server/share rw
41 36 0:33 / /tmp rw - tmpfs tmpfs rw
";
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("proc/self")).unwrap();
        std::fs::write(folder.path().join("proc/self/mountinfo"), text).unwrap();
        let found = local(&mounts(folder.path()).unwrap());
        assert_eq!(found, [PathBuf::from("/"), PathBuf::from("/home")]);
    }

    #[test]
    fn a_run_on_named_disks_has_none_of_it() {
        let named = Scope {
            disks: Some(Vec::new()),
            ..Scope::default()
        };
        assert_eq!(fixture::read(&SOURCE, "proc-machine", &named), Vec::new());
    }
}
