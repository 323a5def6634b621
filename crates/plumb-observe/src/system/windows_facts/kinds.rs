//! What are the values that Windows tells of the machine, of a volume and of its disk?

use std::net::IpAddr;
use std::path::PathBuf;

use crate::system::kernel_files::Known;

/// The machine.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub name: Known<String>,
    /// `Windows Server 2022 Datacenter 21H2`.
    pub product: Known<String>,
    /// `10.0.20348.2402`.
    pub build: Known<String>,
    pub processor: Known<String>,
    pub sockets: Known<u32>,
    pub cores: Known<u32>,
    pub threads: Known<u32>,
    /// Of these, those that this process may use.
    pub allowed: Known<u32>,
    pub nodes: Known<u32>,
    pub memory_bytes: Known<u64>,
    pub memory_available_bytes: Known<u64>,
    /// Ticks of QueryPerformanceCounter in a second.
    pub counter_hz: Known<u64>,
    /// Name and GUID of the active power scheme.
    pub power_scheme: Known<(String, String)>,
    /// Manufacturer, product and BIOS by the SMBIOS tables.
    pub tables: Known<String>,
}

/// A network adapter, or what Windows takes for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NetworkAdapter {
    /// `Ethernet`.
    pub name: String,
    /// `Intel(R) Ethernet Connection X722`.
    pub description: String,
    /// IfType.
    pub kind: u32,
    pub is_up: bool,
    pub mtu_bytes: u32,
    pub speed_bits_per_s: Option<u64>,
    pub addresses: Vec<IpAddr>,
}

/// The volume, or the share, that a path is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Volume {
    /// Where it is mounted: `C:\`, `C:\data\`, `\\server\share\`.
    pub point: PathBuf,
    /// `\\?\Volume{...}\`; the share itself for a share.
    pub source: String,
    /// `NTFS`, `ReFS`.
    pub file_system: Known<String>,
    /// Those of GetVolumeInformation.
    pub flags: u32,
    pub kind: DriveKind,
    pub cluster_bytes: Known<u64>,
    /// Files of ReFS have checksums of their data; missing where the file system has no such thing.
    pub integrity: Option<bool>,
}

/// Of GetDriveType.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DriveKind {
    Fixed,
    Removable,
    Remote,
    Memory,
    Other,
}

/// The disk that carries a volume, by IOCTL_STORAGE_QUERY_PROPERTY.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    /// `PhysicalDrive0`; missing for a volume over several.
    pub number: Known<u32>,
    pub model: Known<String>,
    /// STORAGE_BUS_TYPE.
    pub bus: Known<u32>,
    pub size_bytes: Known<u64>,
    pub seek_penalty: Known<bool>,
    /// WRITE_CACHE_TYPE and WRITE_CACHE_ENABLE.
    pub write_cache: Known<(i32, i32)>,
    pub logical_sector_bytes: Known<u32>,
    pub physical_sector_bytes: Known<u32>,
    pub transfer_max_bytes: Known<u32>,
}
