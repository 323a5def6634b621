//! Which block device does an open descriptor of another process lead to?

use std::path::Path;

/// The number of the block device that a path leads to, links of /proc/PID/fd included. A server that does not answer is not waited for.
#[cfg(target_os = "linux")]
pub(crate) fn block_device_number(path: &Path) -> Option<(u32, u32)> {
    use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, statx};
    let found = statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE).ok()?;
    let is_block = FileType::from_raw_mode(found.stx_mode.into()) == FileType::BlockDevice;
    is_block.then_some((found.stx_rdev_major, found.stx_rdev_minor))
}

/// Other systems have no such links.
#[cfg(not(target_os = "linux"))]
pub(crate) fn block_device_number(_: &Path) -> Option<(u32, u32)> {
    None
}
