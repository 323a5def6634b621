//! Which block device carries the target, what does it rest on, and how is it set up? From /sys.

use std::path::{Path, PathBuf};

use plumb_model::environment::{Environment, Fact};

use super::mount::{self, parse_number};
use super::{Known, flag_fact, number_fact, text, text_fact};
use crate::system::kernel_files::{names, numbered};

/// What a block device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceKind {
    Disk,
    Partition,
    Loop,
    Md,
    Dm,
    Zram,
    Nvme,
    Other,
}

impl DeviceKind {
    fn name(self) -> &'static str {
        match self {
            DeviceKind::Disk => "disk",
            DeviceKind::Partition => "partition",
            DeviceKind::Loop => "loop",
            DeviceKind::Md => "md",
            DeviceKind::Dm => "dm",
            DeviceKind::Zram => "zram",
            DeviceKind::Nvme => "nvme",
            DeviceKind::Other => "other",
        }
    }
}

/// A block device with all it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Device {
    /// Kernel name as in /proc/diskstats: `nvme0n1p2`.
    pub name: String,
    pub number: Option<(u32, u32)>,
    /// Its folder in /sys/devices, symlinks resolved.
    pub folder: PathBuf,
    pub kind: DeviceKind,
    /// The whole disk of a partition, the members of an array or mapping, the device that holds the file of a loop device.
    pub below: Vec<Device>,
    /// Other devices of the same file system (btrfs over several).
    pub peers: Vec<Device>,
}

/// Layers that are followed downwards; a chain this long does not occur, a circle (a loop device on a file on itself) might.
const DEEPEST: u32 = 8;

impl Device {
    /// The device of a major and minor number.
    pub(crate) fn of_number(root: &Path, (major, minor): (u32, u32)) -> Known<Device> {
        Device::at(root, &format!("sys/dev/block/{major}:{minor}"), DEEPEST)
    }

    /// The device of a kernel name.
    pub(crate) fn of_name(root: &Path, name: &str) -> Known<Device> {
        Device::named(root, name, DEEPEST)
    }

    /// The device that a path such as `/dev/mapper/vg-root` names.
    pub(crate) fn of_path(root: &Path, path: &Path) -> Known<Device> {
        Device::behind(root, path, DEEPEST)
    }

    fn named(root: &Path, name: &str, depth: u32) -> Known<Device> {
        Device::at(
            root,
            &format!("sys/class/block/{}", name.replace('/', "!")),
            depth,
        )
    }

    fn behind(root: &Path, path: &Path, depth: u32) -> Known<Device> {
        let resolved = root
            .join(path.strip_prefix("/").unwrap_or(path))
            .canonicalize()
            .unwrap_or_else(|_| path.to_owned());
        let name = resolved
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        Device::named(root, name, depth)
            .map_err(|_| format!("{} is no block device that /sys tells of", path.display()))
    }

    fn at(root: &Path, path: &str, depth: u32) -> Known<Device> {
        let folder = root
            .join(path)
            .canonicalize()
            .map_err(|error| format!("cannot find /{path}: {error}"))?;
        let name = folder
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .replace('!', "/");
        let number = std::fs::read_to_string(folder.join("dev"))
            .ok()
            .and_then(|text| parse_number(&text));
        let kind = kind_of(&folder, &name);
        let mut device = Device {
            name,
            number,
            folder,
            kind,
            below: Vec::new(),
            peers: Vec::new(),
        };
        if depth > 0 {
            device.below = device.find_below(root, depth - 1);
        }
        Ok(device)
    }

    fn find_below(&self, root: &Path, depth: u32) -> Vec<Device> {
        match self.kind {
            DeviceKind::Partition => {
                let disk = self
                    .folder
                    .parent()
                    .and_then(|disk| disk.file_name()?.to_str());
                disk.and_then(|name| Device::named(root, name, depth).ok())
                    .into_iter()
                    .collect()
            }
            DeviceKind::Loop => {
                let Some(file) = self.backing_file() else {
                    return Vec::new();
                };
                if file.starts_with("/dev/") {
                    return Device::behind(root, Path::new(&file), depth)
                        .into_iter()
                        .collect();
                }
                let mounts = mount::mounts(root).unwrap_or_default();
                let carrier = mount::mount_by_path(&mounts, Path::new(&file)).and_then(|mount| {
                    match mount.number {
                        (0, _) => Device::behind(root, Path::new(&mount.source), depth).ok(),
                        (major, minor) => {
                            Device::at(root, &format!("sys/dev/block/{major}:{minor}"), depth).ok()
                        }
                    }
                });
                carrier.into_iter().collect()
            }
            _ => {
                let slaves = names(&self.folder, "slaves");
                slaves
                    .iter()
                    .filter_map(|name| Device::named(root, &name.replace('!', "/"), depth).ok())
                    .collect()
            }
        }
    }

    /// What a file in the device's own folder holds.
    pub(crate) fn text(&self, file: &str) -> Known<String> {
        text(&self.folder, file).map_err(|_| format!("/sys tells no {file} of {}", self.name))
    }

    fn number_in(&self, file: &str) -> Known<f64> {
        let text = self.text(file)?;
        text.parse::<i64>()
            .map(|number| number as f64)
            .map_err(|_| format!("/sys tells '{text}' as {file} of {}", self.name))
    }

    /// Itself, or the whole disk of a partition: where the queue is.
    pub(crate) fn whole(&self) -> &Device {
        match (self.kind, self.below.first()) {
            (DeviceKind::Partition, Some(disk)) => disk,
            _ => self,
        }
    }

    /// The disks at the end of the chain.
    pub(crate) fn disks(&self) -> Vec<&Device> {
        let mut disks: Vec<&Device> = Vec::new();
        for device in self
            .below
            .iter()
            .chain(&self.peers)
            .flat_map(Device::disks)
            .chain(self.below.is_empty().then_some(self))
        {
            if !disks.iter().any(|disk| disk.name == device.name) {
                disks.push(device);
            }
        }
        disks
    }

    /// Names of the device and of all it rests on, each once.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut all = vec![self.name.clone()];
        for name in self.below.iter().chain(&self.peers).flat_map(Device::names) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }

    /// The loop devices among it and all it rests on.
    fn loops(&self) -> Vec<&Device> {
        let own = (self.kind == DeviceKind::Loop).then_some(self);
        own.into_iter()
            .chain(self.below.iter().chain(&self.peers).flat_map(Device::loops))
            .collect()
    }

    /// Names of its partitions.
    pub(crate) fn partitions(&self) -> Vec<String> {
        let inside = names(&self.folder, "").into_iter();
        inside
            .filter(|name| self.folder.join(name).join("partition").exists())
            .map(|name| name.replace('!', "/"))
            .collect()
    }

    /// The file that a loop device shows.
    fn backing_file(&self) -> Option<String> {
        self.text("loop/backing_file").ok()
    }

    /// Name and kind of a mapping, such as `vg-root, lvm` (`crypt`, `mpath`, ...: the text before the first hyphen of dm/uuid).
    fn mapping(&self) -> Option<String> {
        let name = self.text("dm/name").ok()?;
        let uuid = self.text("dm/uuid").unwrap_or_default();
        Some(match uuid.split_once('-') {
            Some((kind, _)) => format!("{name}, {}", kind.to_ascii_lowercase()),
            None => name,
        })
    }

    /// True when a mapping is of this kind: `mpath`, `CRYPT`, `LVM`.
    pub(crate) fn is_mapping(&self, kind: &str) -> bool {
        self.text("dm/uuid")
            .is_ok_and(|uuid| uuid.starts_with(&format!("{kind}-")))
    }

    /// What the device rests on, in words; `None` for a disk.
    fn backing(&self) -> Option<String> {
        let below = |device: &Device| match device.backing() {
            Some(deeper) => format!("{} on {deeper}", device.name),
            None => device.name.clone(),
        };
        let parts: Vec<String> = self.below.iter().map(below).collect();
        let parts = parts.join(", ");
        match self.kind {
            DeviceKind::Loop => {
                let file = self.backing_file()?;
                Some(if parts.is_empty() {
                    file
                } else {
                    format!("{file} on {parts}")
                })
            }
            DeviceKind::Dm => Some(match self.mapping() {
                Some(mapping) if !parts.is_empty() => format!("{parts} ({mapping})"),
                Some(mapping) => mapping,
                None => parts,
            }),
            _ if parts.is_empty() => None,
            _ => Some(parts),
        }
    }

    fn transport(&self) -> String {
        let path = self.folder.to_string_lossy().into_owned();
        let has = |part: &str| path.contains(part);
        if self.name.starts_with("nvme") {
            // A fabric's controller tells its transport; a multipath name space hangs on no single controller, and then it is just nvme.
            let transport = self.text("device/transport").unwrap_or_default();
            return match transport.as_str() {
                "" | "pcie" => "nvme".into(),
                fabric => format!("nvme-{fabric}"),
            };
        }
        let known = [
            ("/usb", "usb"),
            ("/virtio", "virtio"),
            ("/ata", "sata"),
            ("/end_device-", "sas"),
            ("/session", "iscsi"),
            ("/mmc", "mmc"),
        ];
        known
            .iter()
            .find(|(part, _)| has(part))
            .map_or("other", |(_, name)| name)
            .into()
    }

    fn model(&self) -> Known<String> {
        let model = self
            .text("device/model")
            .or_else(|_| self.text("device/name"))
            .ok()
            .filter(|model| !model.is_empty());
        let model = model.ok_or_else(|| format!("{} tells no model", self.name))?;
        match self.text("device/vendor") {
            // libata sets the vendor of every disk to "ATA"; virtio and NVMe have a number there.
            Ok(vendor) if !vendor.is_empty() && vendor != "ATA" && !vendor.starts_with("0x") => {
                Ok(format!("{vendor} {model}"))
            }
            _ => Ok(model),
        }
    }
}

fn kind_of(folder: &Path, name: &str) -> DeviceKind {
    if folder.join("partition").exists() {
        DeviceKind::Partition
    } else if folder.join("md").is_dir() {
        DeviceKind::Md
    } else if folder.join("dm").is_dir() {
        DeviceKind::Dm
    } else if folder.join("loop").is_dir() || name.starts_with("loop") {
        DeviceKind::Loop
    } else if name.starts_with("zram") {
        DeviceKind::Zram
    } else if name.starts_with("nvme") {
        DeviceKind::Nvme
    } else if folder.join("device").exists() {
        DeviceKind::Disk
    } else {
        DeviceKind::Other
    }
}

/// Ids of facts that every block device has.
const ALWAYS: [&str; 20] = [
    "device.name",
    "device.number",
    "device.kind",
    "device.model",
    "device.transport",
    "device.size_bytes",
    "device.rotational",
    "device.scheduler",
    "device.queue_requests",
    "device.hardware_queues",
    "device.poll_queues",
    "device.transfer_max_bytes",
    "device.transfer_limit_bytes",
    "device.read_ahead_bytes",
    "device.write_cache",
    "device.logical_block_bytes",
    "device.physical_block_bytes",
    "device.discard_max_bytes",
    "device.mounted_at",
    "device.has_partitions",
];

/// There must be a device, but it was not found.
pub(crate) fn unknown(reason: &str, environment: &mut Environment) {
    ALWAYS
        .iter()
        .for_each(|id| environment.set(*id, Fact::Unknown(reason.to_owned())));
    environment.set("device.numa_node", Fact::Unknown(reason.to_owned()));
}

/// Sets the facts of a device, but for those that guard against overwriting.
pub(crate) fn look(root: &Path, device: &Device, environment: &mut Environment) {
    let number = device
        .number
        .map(|(major, minor)| format!("{major}:{minor}"));
    environment.set("device.name", Fact::Text(device.name.clone()));
    environment.set(
        "device.number",
        text_fact(number.ok_or_else(|| format!("/sys tells no number of {}", device.name))),
    );
    environment.set("device.kind", Fact::Text(device.kind.name().into()));
    environment.set(
        "device.size_bytes",
        number_fact(device.number_in("size").map(|sectors| sectors * 512.0)),
    );
    if let Some(backing) = device.backing() {
        environment.set("device.backing", Fact::Text(backing));
    }
    look_at_loops(root, &device.loops(), environment);
    let disks = device.disks();
    if disks.iter().any(|disk| disk.name != device.name) {
        environment.set(
            "device.disk",
            Fact::Text(listed(disks.iter().map(|disk| disk.name.clone()))),
        );
    }
    let models: Known<Vec<String>> = disks.iter().map(|disk| disk.model()).collect();
    environment.set("device.model", text_fact(models.map(listed)));
    environment.set(
        "device.transport",
        Fact::Text(listed(disks.iter().map(|disk| disk.transport()))),
    );
    environment.set(
        "device.numa_node",
        number_fact(numa_node(disks.first().copied().unwrap_or(device))),
    );
    look_at_queue(root, device.whole(), environment);
}

/// How the files under loop devices are read, and whether they lie in memory (Documentation/ABI/stable/sysfs-block, /sys/block/loopN/loop/dio).
fn look_at_loops(root: &Path, loops: &[&Device], environment: &mut Environment) {
    if loops.is_empty() {
        return;
    }
    let direct: Known<Vec<bool>> = loops
        .iter()
        .map(|device| device.text("loop/dio").map(|text| text == "1"))
        .collect();
    environment.set(
        "device.loop_direct",
        flag_fact(direct.map(|all| all.iter().all(|direct| *direct))),
    );
    let in_memory = mount::mounts(root).map(|mounts| {
        let mount =
            |device: &&Device| mount::mount_by_path(&mounts, Path::new(&device.backing_file()?));
        loops.iter().filter_map(mount).any(mount::lies_in_memory)
    });
    environment.set("device.backing_memory", flag_fact(in_memory));
}

/// Each once, in order.
fn listed(parts: impl IntoIterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for part in parts {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    all.join(", ")
}

/// Kernel document: Documentation/ABI/stable/sysfs-block.
fn look_at_queue(root: &Path, disk: &Device, environment: &mut Environment) {
    let numbers = [
        ("device.queue_requests", "queue/nr_requests", 1.0),
        ("device.transfer_max_bytes", "queue/max_sectors_kb", 1024.0),
        (
            "device.transfer_limit_bytes",
            "queue/max_hw_sectors_kb",
            1024.0,
        ),
        ("device.read_ahead_bytes", "queue/read_ahead_kb", 1024.0),
        (
            "device.logical_block_bytes",
            "queue/logical_block_size",
            1.0,
        ),
        (
            "device.physical_block_bytes",
            "queue/physical_block_size",
            1.0,
        ),
        ("device.discard_max_bytes", "queue/discard_max_bytes", 1.0),
    ];
    for (id, file, scale) in numbers {
        environment.set(
            id,
            number_fact(disk.number_in(file).map(|number| number * scale)),
        );
    }
    environment.set(
        "device.rotational",
        flag_fact(
            disk.number_in("queue/rotational")
                .map(|number| number != 0.0),
        ),
    );
    environment.set(
        "device.write_cache",
        text_fact(disk.text("queue/write_cache")),
    );
    // `none [mq-deadline] kyber`: the one in brackets is in force. Devices that pass requests on have the lone word `none`.
    let scheduler = disk.text("queue/scheduler").map(|line| {
        let chosen = line
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'))
            .map(|(name, _)| name.to_owned());
        chosen.unwrap_or(line)
    });
    environment.set("device.scheduler", text_fact(scheduler));
    let queues = numbered(&disk.folder, "mq", "").len();
    let queues = if queues > 0 {
        Ok(queues as f64)
    } else {
        Err(format!(
            "{} has no queues of its own: it passes requests on",
            disk.name
        ))
    };
    environment.set("device.hardware_queues", number_fact(queues));
    environment.set("device.poll_queues", number_fact(poll_queues(root, disk)));
}

/// queue/io_poll tells whether there are any; how many, only the parameter of the driver's module.
fn poll_queues(root: &Path, disk: &Device) -> Known<f64> {
    if disk.number_in("queue/io_poll")? == 0.0 {
        return Ok(0.0);
    }
    let driver = match disk.transport().as_str() {
        "nvme" => "nvme",
        "virtio" => "virtio_blk",
        other => {
            return Err(format!(
                "the device can be polled, but no parameter of a {other} driver tells with how many queues"
            ));
        }
    };
    super::number(root, &format!("sys/module/{driver}/parameters/poll_queues"))
}

/// The node is told by the bus device, some folders above the disk; -1 there means none in particular.
fn numa_node(disk: &Device) -> Known<f64> {
    let told = disk.folder.ancestors().find_map(|folder| {
        text(folder, "numa_node")
            .or_else(|_| text(folder, "device/numa_node"))
            .ok()
    });
    match told.as_deref().map(str::parse::<i32>) {
        Some(Ok(node)) if node >= 0 => Ok(f64::from(node)),
        Some(_) => Err(format!(
            "{} hangs on no memory node in particular",
            disk.name
        )),
        None => Err(format!("/sys tells no memory node of {}", disk.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn facts_of(name: &str, device: &str) -> Environment {
        let tree = fixture::tree(name);
        let device = Device::of_name(&tree.path().canonicalize().unwrap(), device).unwrap();
        let mut environment = Environment::default();
        look(tree.path(), &device, &mut environment);
        environment
    }

    #[test]
    fn a_partition_has_the_queue_of_its_disk() {
        let facts = facts_of("proc-nvme", "nvme0n1p2");
        for (id, expected) in [
            ("device.name", "nvme0n1p2"),
            ("device.number", "259:2"),
            ("device.kind", "partition"),
            ("device.model", "Example SSD 990"),
            ("device.transport", "nvme"),
            ("device.scheduler", "none"),
            ("device.write_cache", "write back"),
            ("device.disk", "nvme0n1"),
            ("device.backing", "nvme0n1"),
        ] {
            assert_eq!(facts.text(id), Some(expected), "{id}");
        }
        for (id, expected) in [
            ("device.size_bytes", 1000.0 * 512.0),
            ("device.queue_requests", 1023.0),
            ("device.hardware_queues", 4.0),
            ("device.poll_queues", 2.0),
            ("device.transfer_max_bytes", 131072.0),
            ("device.transfer_limit_bytes", 2097152.0),
            ("device.read_ahead_bytes", 131072.0),
            ("device.logical_block_bytes", 512.0),
            ("device.physical_block_bytes", 4096.0),
            ("device.discard_max_bytes", 2199023255040.0),
            ("device.numa_node", 1.0),
        ] {
            assert_eq!(facts.number(id), Some(expected), "{id}");
        }
        assert_eq!(facts.flag("device.rotational"), Some(false));
    }

    #[test]
    fn a_mapping_is_followed_to_its_disk() {
        let facts = facts_of("proc-nvme", "dm-0");
        assert_eq!(facts.text("device.kind"), Some("dm"));
        assert_eq!(
            facts.text("device.backing"),
            Some("nvme0n1p3 on nvme0n1 (secret, crypt)")
        );
        assert_eq!(facts.text("device.disk"), Some("nvme0n1"));
        assert_eq!(facts.text("device.transport"), Some("nvme"));
        assert!(
            matches!(&facts.facts["device.hardware_queues"], Fact::Unknown(why) if why.contains("passes requests on"))
        );
        let tree = fixture::tree("proc-nvme");
        let root = tree.path().canonicalize().unwrap();
        let device = Device::of_path(&root, Path::new("/dev/mapper/secret")).unwrap();
        assert_eq!(device.names(), ["dm-0", "nvme0n1p3", "nvme0n1"]);
    }

    #[test]
    fn a_loop_device_is_followed_through_its_file() {
        let facts = facts_of("proc-nvme", "loop0");
        assert_eq!(facts.text("device.kind"), Some("loop"));
        assert_eq!(
            (
                facts.flag("device.loop_direct"),
                facts.flag("device.backing_memory")
            ),
            (Some(false), Some(false))
        );
        assert_eq!(
            facts.text("device.backing"),
            Some("/home/images/disk.img on nvme0n1p2 on nvme0n1")
        );
        assert_eq!(facts.text("device.disk"), Some("nvme0n1"));
    }

    #[test]
    fn an_array_names_the_disks_of_its_members() {
        let facts = facts_of("proc-raid", "md0");
        assert_eq!(facts.text("device.kind"), Some("md"));
        assert_eq!(facts.text("device.disk"), Some("sda, sdb, sdc"));
        assert_eq!(facts.text("device.transport"), Some("sata"));
        assert_eq!(
            facts.text("device.model"),
            Some("EXAMPLE DISK-4T, EXAMPLE DISK-6T")
        );
        assert_eq!(facts.flag("device.rotational"), Some(true));
    }

    #[test]
    fn a_device_without_files_is_unknown_with_reasons() {
        let nothing = tempfile::tempdir().unwrap();
        assert!(
            Device::of_number(nothing.path(), (8, 1))
                .unwrap_err()
                .contains("/sys/dev/block/8:1")
        );
        let mut environment = Environment::default();
        unknown("because", &mut environment);
        assert!(
            environment
                .facts
                .values()
                .all(|fact| *fact == Fact::Unknown("because".into()))
        );
    }
}
