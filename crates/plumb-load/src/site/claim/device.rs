//! How does a block device or a character device become a site?

use std::fs::File;
use std::io;
use std::time::Duration;

use crate::site::Site;
use crate::site::claim::ready::{fill_all, take};
use crate::site::file::SiteKind;
use crate::site::fill::Preparing;
use crate::site::needs::Needs;
use crate::site::permission::subject::Subject;
use crate::site::permission::usage;
use crate::site::permission::{self, Overwrite};
use crate::site::refusal::{SiteError, unsuitable};
use crate::site::space;
use crate::system::files::{self, Flags};

/// Takes a block device; to write it, it is claimed first.
pub fn block_device(
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let path = &subject.path;
    let mut site = Site::new(SiteKind::BlockDevice, path);
    if needs.modifies {
        // Claimed before any check: what is free now cannot be mounted between the check and the first write.
        let is_busy = !claim_device(&mut site, subject)?;
        site.warnings
            .extend(permission::authorize(subject, permission, is_busy)?);
        for volume in
            files::take_volumes(path).map_err(SiteError::kernel("take the volumes of", path))?
        {
            site.cleanup.locks.push(volume);
        }
        if subject
            .traits
            .device_number
            .is_some_and(usage::is_read_only)
        {
            return Err(unsuitable(format!(
                "{} is read-only: see blockdev --getro; name another target",
                subject.name()
            )));
        }
    }
    let flags = Flags {
        read: needs.reads || needs.reads_back || !needs.modifies,
        write: needs.modifies,
        ..Flags::default()
    };
    let mut opened = files::open(path, flags).map_err(SiteError::kernel("open", path))?;
    let own =
        files::device_bytes(&mut opened).map_err(SiteError::kernel("find the size of", path))?;
    let rest = space::round_down_to_blocks(own.saturating_sub(needs.start), needs.block_bytes);
    if let Some(requested) = needs
        .size_bytes
        .filter(|requested| *requested > own.saturating_sub(needs.start))
    {
        return Err(unsuitable(format!(
            "{} has {own} bytes, and {requested} bytes at offset {} were requested: use --size {rest} or less",
            subject.name(),
            needs.start
        )));
    }
    let len = needs.at_least_a_block(needs.needed_bytes(rest), &subject.name())?;
    let file = take(&opened, 0, path.clone(), needs.start, len)?;
    if needs.modifies && needs.verify && needs.reads {
        fill_all(&mut site, std::slice::from_ref(&file), needs, preparing)?;
    }
    site.files.push(file);
    Ok(site)
}

/// Looks at a claimed device before it counts as claimed.
const CLAIM_TRIES: u32 = 10;
const CLAIM_PAUSE: Duration = Duration::from_millis(50);

/// Keeps others from mounting or claiming the device during the run: an exclusive open, and the lock that udev and partitioning programs respect. `false`:
/// another process has claimed it already. For reading only, so that closing it makes no event that lets udev examine the device.
fn claim_device(site: &mut Site, subject: &Subject) -> Result<bool, SiteError> {
    let path = &subject.path;
    let flags = Flags {
        read: true,
        exclusive: true,
        ..Flags::default()
    };
    let is_busy = |opened: &io::Result<File>| {
        opened
            .as_ref()
            .is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
    };
    // The kernel claims a device itself for the moment in which it reads its partition table (disk_scan_partitions in block/genhd.c).
    let mut opened = files::open(path, flags);
    for _ in 0..CLAIM_TRIES {
        if !is_busy(&opened) {
            break;
        }
        std::thread::sleep(CLAIM_PAUSE);
        opened = files::open(path, flags);
    }
    if is_busy(&opened) {
        return Ok(false);
    }
    let file = opened.map_err(SiteError::kernel("open", path))?;
    let traits = files::traits(&file).map_err(SiteError::kernel("examine", path))?;
    let number = traits.device_number;
    if number != subject.traits.device_number {
        return Err(SiteError::Refused(format!(
            "{} was replaced while it was examined: start again",
            subject.name()
        )));
    }
    site.cleanup.lock(file, path).map(|()| true)
}

/// Takes a character device.
pub fn character_device(
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
) -> Result<Site, SiteError> {
    let path = &subject.path;
    if needs.modifies && !permission::is_harmless(&subject.traits) {
        permission::authorize(subject, permission, false)?;
    }
    let disk_bytes = || files::disk_bytes(path)?.checked_sub(needs.start);
    let Some(requested) = needs.size_bytes.or_else(disk_bytes) else {
        return Err(unsuitable(format!(
            "{} is a character device, which has no size: set the size to use, such as --size 1g",
            subject.name()
        )));
    };
    let len = needs.at_least_a_block(requested, &subject.name())?;
    let flags = Flags {
        read: needs.reads || needs.reads_back || !needs.modifies,
        write: needs.modifies,
        ..Flags::default()
    };
    let opened = files::open(path, flags).map_err(SiteError::kernel("open", path))?;
    let mut site = Site::new(SiteKind::CharacterDevice, path);
    site.files
        .push(take(&opened, 0, path.clone(), needs.start, len)?);
    Ok(site)
}
