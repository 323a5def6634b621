//! Which block device carries the target, what is it built on, and how is it configured? From /sys.

use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use super::fact::{flag_fact, number_fact, text_fact};
use crate::system::block_devices::{self, Device};
use crate::system::kernel_files::{Known, numbered, text};
use crate::system::mounts;

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

/// Sets the facts of a device, except those that guard against overwriting.
pub(crate) fn look(root: &Path, device: &Device, environment: &mut Environment) {
    let number = device
        .number
        .map(|(major, minor)| format!("{major}:{minor}"));
    environment.set("device.name", Fact::Text(device.name.clone()));
    environment.set(
        "device.number",
        text_fact(number.ok_or_else(|| format!("/sys shows no number of {}", device.name))),
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
    look_at_queue(root, device.complete(), environment);
}

/// How the files under loop devices are read, and whether they are in memory (Documentation/ABI/stable/sysfs-block, /sys/block/loopN/loop/dio).
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
    let in_memory = mounts::mounts(root).map(|all| {
        let mount =
            |device: &&Device| mounts::mount_by_path(&all, Path::new(&device.backing_file()?));
        loops.iter().filter_map(mount).any(mounts::lies_in_memory)
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
            "{} has no queues of its own; it forwards requests",
            disk.name
        ))
    };
    environment.set("device.hardware_queues", number_fact(queues));
    environment.set("device.poll_queues", number_fact(poll_queues(root, disk)));
}

/// queue/io_poll shows whether there are any; how many, only the parameter of the driver's module.
fn poll_queues(root: &Path, disk: &Device) -> Known<f64> {
    if disk.number_in("queue/io_poll")? == 0.0 {
        return Ok(0.0);
    }
    let driver = match disk.transport().as_str() {
        "nvme" => "nvme",
        "virtio" => "virtio_blk",
        other => {
            return Err(format!(
                "the device supports polling, but the {other} driver has no parameter that shows the number of poll queues"
            ));
        }
    };
    block_devices::poll_queues(root, driver)
}

/// The node is reported by the bus device, some folders above the disk; -1 there means none in particular.
fn numa_node(disk: &Device) -> Known<f64> {
    let reported = disk.folder.ancestors().find_map(|folder| {
        text(folder, "numa_node")
            .or_else(|_| text(folder, "device/numa_node"))
            .ok()
    });
    match reported.as_deref().map(str::parse::<i32>) {
        Some(Ok(node)) if node >= 0 => Ok(f64::from(node)),
        Some(_) => Err(format!("{} is not attached to a NUMA node", disk.name)),
        None => Err(format!("/sys shows no NUMA node of {}", disk.name)),
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
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
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
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
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
            matches!(&facts.facts["device.hardware_queues"], Fact::Unknown(why) if why.contains("forwards requests"))
        );
        let tree = fixture::tree("proc-nvme");
        let root = tree.path().canonicalize().unwrap();
        let device = Device::of_path(&root, Path::new("/dev/mapper/secret")).unwrap();
        assert_eq!(device.names(), ["dm-0", "nvme0n1p3", "nvme0n1"]);
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
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
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
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
    fn a_generic_nvme_device_is_the_block_device_of_its_namespace() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["nvme-generic/ng0n1", "block/nvme0n1"] {
            std::fs::create_dir_all(root.path().join("sys/class").join(folder)).unwrap();
        }
        std::fs::write(root.path().join("sys/class/block/nvme0n1/dev"), "259:3\n").unwrap();
        let of = |path: &str| Device::of_nvme_generic(root.path(), Path::new(path));
        let device = of("/dev/ng0n1").unwrap();
        assert_eq!(
            (device.name.as_str(), device.number),
            ("nvme0n1", Some((259, 3)))
        );
        // Another namespace, and other character devices.
        for other in ["/dev/ng0n2", "/dev/zero", "/dev/ng"] {
            assert!(of(other).is_none(), "{other}");
        }
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
