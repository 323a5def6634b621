//! What do Windows calls report about the machine, a volume and its disk? As Windows says it; the environment makes facts of it.
#![cfg_attr(
    not(windows),
    allow(dead_code, reason = "other systems have nothing to tell here")
)]

pub(super) mod kinds;

pub(crate) use kinds::{Disk, DriveKind, Host, NetworkAdapter, Volume};

#[cfg(not(windows))]
pub(crate) use none::{disk_of, filter_drivers, host, network_adapters, volume_of};

#[cfg(windows)]
pub(crate) use super::windows::{disk_of, filter_drivers, host, network_adapters, volume_of};

#[cfg(not(windows))]
mod none {
    use std::io;
    use std::path::Path;

    use super::{Disk, Host, NetworkAdapter, Volume};
    use crate::system::kernel_files::Known;

    const REASON: &str = "this system is not Windows";

    pub(crate) fn host() -> Known<Host> {
        Err(REASON.into())
    }

    pub(crate) fn filter_drivers() -> Known<Vec<String>> {
        Err(REASON.into())
    }

    pub(crate) fn network_adapters() -> io::Result<Vec<NetworkAdapter>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, REASON))
    }

    pub(crate) fn volume_of(_: &Path) -> Known<Volume> {
        Err(REASON.into())
    }

    pub(crate) fn disk_of(_: &Volume) -> Known<Disk> {
        Err(REASON.into())
    }
}
