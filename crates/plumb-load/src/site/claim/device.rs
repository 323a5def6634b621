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
    let len = used_bytes(subject, own, needs)?;
    let file = take(&opened, 0, path.clone(), needs.start, len)?;
    if needs.modifies && needs.verify && needs.reads {
        fill_all(&mut site, std::slice::from_ref(&file), needs, preparing)?;
    }
    site.files.push(file);
    Ok(site)
}

/// Bytes of a device that are used, of all that it has.
fn used_bytes(subject: &Subject, own: u64, needs: &Needs) -> Result<u64, SiteError> {
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
    needs.at_least_a_block(needs.needed_bytes(rest), &subject.name())
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

/// Takes a character device. One that gives commands to an NVMe namespace is judged and claimed as the block device of that namespace.
pub fn character_device(
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let path = &subject.path;
    let mut site = Site::new(SiteKind::CharacterDevice, path);
    let shown = files::shown_block_device(&subject.traits).filter(|_| needs.modifies);
    let shown = shown
        .map(|shown| permission::shown_subject(&shown))
        .transpose()?;
    if needs.modifies && !permission::is_harmless(&subject.traits) {
        let is_busy = match &shown {
            Some(shown) => !claim_device(&mut site, shown)?,
            None => false,
        };
        site.warnings
            .extend(permission::authorize(subject, permission, is_busy)?);
        let shown_number = shown.as_ref().and_then(|shown| shown.traits.device_number);
        if shown_number.is_some_and(usage::is_read_only) {
            return Err(unsuitable(format!(
                "the namespace of {} is read-only: see blockdev --getro; name another target",
                subject.name()
            )));
        }
    }
    let len = match (files::disk_bytes(path), needs.size_bytes) {
        (Some(own), _) => used_bytes(subject, own, needs)?,
        (None, Some(requested)) => needs.at_least_a_block(requested, &subject.name())?,
        (None, None) => {
            return Err(unsuitable(format!(
                "{} is a character device, which has no size: set the size to use, such as --size 1g",
                subject.name()
            )));
        }
    };
    let flags = Flags {
        read: needs.reads || needs.reads_back || !needs.modifies,
        write: needs.modifies,
        ..Flags::default()
    };
    let opened = files::open(path, flags).map_err(SiteError::kernel("open", path))?;
    if let Some(shown) = shown.filter(|_| needs.verify && needs.reads) {
        // Through the block device: only commands can be given to this one.
        let block =
            files::open(&shown.path, flags).map_err(SiteError::kernel("open", &shown.path))?;
        let same = take(&block, 0, shown.path.clone(), needs.start, len)?;
        fill_all(&mut site, std::slice::from_ref(&same), needs, preparing)?;
    }
    site.files
        .push(take(&opened, 0, path.clone(), needs.start, len)?);
    Ok(site)
}
