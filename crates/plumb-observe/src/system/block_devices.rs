//! Which block devices are there, what is each built on, and what does /sys report about it?

use std::path::{Path, PathBuf};

use super::kernel_files::{Known, below_root, full_text, names, number, text};
use super::mounts::{mount_by_path, mounts, parse_number};

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
    pub(crate) fn name(self) -> &'static str {
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

/// What the kernel has counted of each block device (Documentation/admin-guide/iostats.rst), a line for each; empty where it does not.
pub(crate) fn counters_of_disks() -> String {
    full_text(Path::new("/"), "proc/diskstats").unwrap_or_default()
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

    /// The block device of the same NVMe namespace as a generic character device such as `/dev/ng0n1`; the kernel numbers both alike.
    pub(crate) fn of_nvme_generic(root: &Path, path: &Path) -> Option<Device> {
        let name = path.file_name()?.to_str()?;
        let number = name.strip_prefix("ng")?;
        let generic = below_root(root, &format!("sys/class/nvme-generic/{name}")).ok()?;
        generic.exists().then_some(())?;
        Device::of_name(root, &format!("nvme{number}")).ok()
    }

    fn named(root: &Path, name: &str, depth: u32) -> Known<Device> {
        Device::at(
            root,
            &format!("sys/class/block/{}", name.replace('/', "!")),
            depth,
        )
    }

    fn behind(root: &Path, path: &Path, depth: u32) -> Known<Device> {
        let below = path.strip_prefix("/").unwrap_or(path).to_string_lossy();
        let resolved = below_root(root, &below).and_then(std::fs::canonicalize);
        let resolved = resolved.unwrap_or_else(|_| path.to_owned());
        let name = resolved
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        Device::named(root, name, depth)
            .map_err(|_| format!("{} is not a block device in /sys", path.display()))
    }

    fn at(root: &Path, path: &str, depth: u32) -> Known<Device> {
        let folder = below_root(root, path)
            .and_then(std::fs::canonicalize)
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
                let mounts = mounts(root).unwrap_or_default();
                let carrier =
                    mount_by_path(&mounts, Path::new(&file)).and_then(|mount| match mount.number {
                        (0, _) => Device::behind(root, Path::new(&mount.source), depth).ok(),
                        (major, minor) => {
                            Device::at(root, &format!("sys/dev/block/{major}:{minor}"), depth).ok()
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

    /// Content of a file in the device's own folder.
    pub(crate) fn text(&self, file: &str) -> Known<String> {
        text(&self.folder, file).map_err(|_| format!("/sys has no {file} of {}", self.name))
    }

    pub(crate) fn number_in(&self, file: &str) -> Known<f64> {
        let text = self.text(file)?;
        text.parse::<i64>()
            .map(|number| number as f64)
            .map_err(|_| format!("/sys has '{text}' as {file} of {}", self.name))
    }

    /// Itself, or the whole disk of a partition: where the queue is.
    pub(crate) fn complete(&self) -> &Device {
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

    /// Names of the device and of everything below it, each once.
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
    pub(crate) fn loops(&self) -> Vec<&Device> {
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

    /// The backing file of a loop device.
    pub(crate) fn backing_file(&self) -> Option<String> {
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
    pub(crate) fn backing(&self) -> Option<String> {
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

    pub(crate) fn transport(&self) -> String {
        let path = self.folder.to_string_lossy().into_owned();
        let has = |part: &str| path.contains(part);
        if self.name.starts_with("nvme") {
            // A fabric's controller reports its transport; a multipath name space hangs on no single controller, and then it is just nvme.
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

    pub(crate) fn model(&self) -> Known<String> {
        let model = self
            .text("device/model")
            .or_else(|_| self.text("device/name"))
            .ok()
            .filter(|model| !model.is_empty());
        let model = model.ok_or_else(|| format!("{} reports no model", self.name))?;
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

/// Queues that the module of a driver was told to poll, such as `nvme`.
pub(crate) fn poll_queues(root: &Path, driver: &str) -> Known<f64> {
    number(root, &format!("sys/module/{driver}/parameters/poll_queues"))
}

/// What holds the device of this name: an array or a mapping that it is part of.
pub(crate) fn holders(root: &Path, name: &str) -> Vec<String> {
    let folder = format!("sys/class/block/{}/holders", name.replace('/', "!"));
    names(root, &folder)
        .iter()
        .map(|holder| holder.replace('!', "/"))
        .collect()
}

/// Loop devices by name, each with its backing file or device; empty if it has none.
pub(crate) fn loop_devices(root: &Path) -> Vec<(String, String)> {
    names(root, "sys/class/block")
        .into_iter()
        .filter(|name| name.starts_with("loop"))
        .map(|name| {
            let file = format!("sys/class/block/{name}/loop/backing_file");
            let shown = text(root, &file).unwrap_or_default();
            (name, shown)
        })
        .collect()
}

/// Devices and files in use as swap space, by path.
pub(crate) fn swap_paths(root: &Path) -> Vec<String> {
    let table = text(root, "proc/swaps").unwrap_or_default();
    let lines = table.lines().skip(1);
    lines
        .filter_map(|line| Some(line.split_ascii_whitespace().next()?.to_owned()))
        .collect()
}
