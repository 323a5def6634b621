//! What does the operating system report about a tree? Permission bits, time stamps, and what lies in the page cache.

use std::fs::{File, FileTimes, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Sets the last change, in nanoseconds since 1970.
pub fn set_modified(file: &File, modified_ns: u64) -> io::Result<()> {
    let time = UNIX_EPOCH + Duration::from_nanos(modified_ns);
    file.set_times(FileTimes::new().set_modified(time).set_accessed(time))
}

/// The last change in nanoseconds since 1970; times before that are 0.
pub fn modified_ns(metadata: &Metadata) -> io::Result<u64> {
    let since = metadata
        .modified()?
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Ok(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// Finest step of time stamps in `folder`, in nanoseconds, found by a trial: 1 on most file systems of Linux, 100 on NTFS and SMB, 2 s on FAT.
///
/// # Errors
/// The trial file could not be made.
pub fn time_granularity_ns(folder: &Path) -> io::Result<u64> {
    let path = folder.join(".plumb-time");
    let trial = || {
        let requested_ns = 1_234_567_891_987_654_321;
        set_modified(&File::create(&path)?, requested_ns)?;
        let got = modified_ns(&std::fs::metadata(&path)?)?;
        let steps = [1, 100, 1000, 1_000_000, 1_000_000_000, 2_000_000_000];
        Ok(steps
            .into_iter()
            .find(|step| got.abs_diff(requested_ns) < *step)
            .unwrap_or(2_000_000_000))
    };
    let found = trial();
    let removed = std::fs::remove_file(&path);
    found.and_then(|step| removed.map(|()| step))
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
    }

    /// Permission bits; `None` where there are none.
    pub fn mode(metadata: &Metadata) -> Option<u32> {
        Some(metadata.permissions().mode() & 0o7777)
    }

    /// Device and inode: the identity of a file. `None` where there are none.
    pub fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }

    /// True when a folder can be opened as a file, to set its time.
    pub const FOLDERS_OPEN: bool = true;
}

#[cfg(not(unix))]
mod other {
    use super::*;

    pub fn set_mode(_: &Path, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub fn mode(_: &Metadata) -> Option<u32> {
        None
    }

    pub fn identity(_: &Metadata) -> Option<(u64, u64)> {
        None
    }

    pub const FOLDERS_OPEN: bool = false;
}

#[cfg(not(unix))]
pub use other::{FOLDERS_OPEN, identity, mode, set_mode};
#[cfg(unix)]
pub use unix::{FOLDERS_OPEN, identity, mode, set_mode};

/// Bytes of `copy` that lie in the same blocks as `source` (a reflink: FICLONE, or copy_file_range on btrfs and XFS); `None` where the file system does not
/// report where its files are.
#[cfg(target_os = "linux")]
pub fn shared_bytes(copy: &File, source: &Path) -> Option<u64> {
    use plumb_system::fiemap::{self, Extent};
    let located = |file: &File| {
        let mut extents = Vec::new();
        fiemap::visit(file, u64::MAX, true, |extent| extents.push(extent)).ok()?;
        extents.retain(Extent::has_location);
        Some(extents)
    };
    let mut shared = located(copy)?;
    shared.retain(Extent::is_shared);
    if shared.is_empty() {
        return Some(0);
    }
    let mut sources = located(&File::open(source).ok()?)?;
    sources.sort_by_key(|extent| extent.physical);
    let common = |extent: &Extent| {
        let end = extent.physical.saturating_add(extent.bytes);
        let overlap = |other: &Extent| {
            other
                .physical
                .saturating_add(other.bytes)
                .min(end)
                .saturating_sub(other.physical.max(extent.physical))
        };
        sources.iter().map(overlap).sum::<u64>().min(extent.bytes)
    };
    Some(shared.iter().map(common).sum())
}

/// As on Linux.
#[cfg(not(target_os = "linux"))]
pub fn shared_bytes(_: &File, _: &Path) -> Option<u64> {
    None
}

/// Writes everything of the file system that holds `path` to stable storage; `None` where the system has no call for that.
///
/// # Errors
/// The path cannot be opened, or the storage failed.
#[cfg(target_os = "linux")]
pub fn sync_file_system(path: &Path) -> io::Result<Option<()>> {
    Ok(Some(rustix::fs::syncfs(File::open(path)?)?))
}

/// As on Linux.
#[cfg(not(target_os = "linux"))]
pub fn sync_file_system(_: &Path) -> io::Result<Option<()>> {
    Ok(None)
}

/// Drops the clean pages of a file from the page cache; `false` where the system has no call for that.
///
/// # Errors
/// The file cannot be opened.
#[cfg(target_os = "linux")]
pub fn forget_cached(path: &Path) -> io::Result<bool> {
    rustix::fs::fadvise(File::open(path)?, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(true)
}

/// As on Linux.
#[cfg(not(target_os = "linux"))]
pub fn forget_cached(_: &Path) -> io::Result<bool> {
    Ok(false)
}
