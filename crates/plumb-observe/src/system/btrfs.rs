//! Which btrfs file systems are mounted, on which devices, and how do they store data? From /sys/fs/btrfs.

use std::path::Path;

use super::block_devices::Device;
use super::kernel_files::{names, text};

const FILE_SYSTEMS: &str = "sys/fs/btrfs";

/// A mounted btrfs.
pub(crate) struct FileSystem {
    pub id: String,
    /// Its folder under the root.
    pub folder: String,
    /// Kernel names of its devices.
    pub devices: Vec<String>,
}

impl FileSystem {
    /// Profiles that data is stored in: there is a folder for each, such as allocation/data/raid1.
    pub(crate) fn profiles(&self, root: &Path) -> Vec<String> {
        const PROFILES: [&str; 10] = [
            "single", "dup", "raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6",
            "linear",
        ];
        let mut profiles = names(root, &format!("{}/allocation/data", self.folder));
        profiles.retain(|name| PROFILES.contains(&name.as_str()));
        profiles
    }

    /// How many of its devices are missing, and how many there are in all.
    pub(crate) fn missing_devices(&self, root: &Path) -> (usize, usize) {
        let folder = format!("{}/devinfo", self.folder);
        let devices = names(root, &folder);
        let is_missing = |id: &&String| {
            text(root, &format!("{folder}/{id}/missing")).is_ok_and(|flag| flag == "1")
        };
        (devices.iter().filter(is_missing).count(), devices.len())
    }
}

/// All that are mounted.
pub(crate) fn file_systems(root: &Path) -> Vec<FileSystem> {
    let of = |id: String| {
        let folder = format!("{FILE_SYSTEMS}/{id}");
        let devices = names(root, &format!("{folder}/devices"));
        FileSystem {
            id,
            folder,
            devices,
        }
    };
    names(root, FILE_SYSTEMS).into_iter().map(of).collect()
}

/// The one that has a device of this name.
pub(crate) fn of_device(root: &Path, name: &str) -> Option<FileSystem> {
    let has = |found: &FileSystem| found.devices.iter().any(|device| device == name);
    file_systems(root).into_iter().find(has)
}

/// Other devices of the btrfs that `device` belongs to.
pub(crate) fn peers(root: &Path, device: &Device) -> Vec<Device> {
    let devices = of_device(root, &device.name).map(|found| found.devices);
    devices
        .unwrap_or_default()
        .iter()
        .filter(|name| **name != device.name)
        .filter_map(|name| Device::of_name(root, name).ok())
        .collect()
}
