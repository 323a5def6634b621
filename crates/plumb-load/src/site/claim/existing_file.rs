//! How does a file that exists become a site?

use std::ops::Range;

use crate::site::Site;
use crate::site::claim::ready::{check_file_size, fill_all, keep, make_ready, take};
use crate::site::cleanup::KeptFile;
use crate::site::file::{SiteFile, SiteKind};
use crate::site::fill::Preparing;
use crate::site::mark::Mark;
use crate::site::needs::Needs;
use crate::site::permission::subject::Subject;
use crate::site::permission::{self, Overwrite};
use crate::site::refusal::{SiteError, unsuitable};
use crate::site::scratch::leftovers;
use crate::site::space::{self, SpaceNeeded};
use crate::system;
use crate::system::files::{self, Flags};
use plumb_model::statement::Statement;
use plumb_words::english;

/// To read and write what is there.
const TO_WRITE: Flags = Flags {
    read: true,
    write: true,
    create: false,
    direct: false,
    sync: false,
    data_sync: false,
    exclusive: false,
    marked: false,
};

/// Takes a file that exists, to read it or, with the user's word or plumb's own mark on it, to write it.
pub fn existing_file(
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let path = &subject.path;
    let flags = Flags {
        read: needs.reads || needs.reads_back || !needs.modifies,
        write: false,
        ..Flags::default()
    };
    let mut site = Site::new(SiteKind::File, path);
    if needs.modifies {
        return existing_file_to_write(site, subject, needs, permission, preparing);
    }
    let opened = files::open(path, flags).map_err(SiteError::kernel("open", path))?;
    if let Some(left) = leftovers::unfinished_target(path) {
        site.warnings
            .push(Statement::new("target-was-left-unfinished").part("left", left));
    }
    let own = subject.traits.size_bytes;
    let rest = own.saturating_sub(needs.start);
    let wanted = needs.size_bytes.filter(|requested| *requested > rest);
    if let Some(requested) = wanted.filter(|_| needs.extend) {
        let end = needs.start.saturating_add(requested);
        let (behind, mark) = lengthened(&mut site, subject, own..end, needs)?;
        fill_all(&mut site, std::slice::from_ref(&behind), needs, preparing)?;
        if let Some(mark) = mark.filter(|_| needs.keep) {
            site.cleanup.kept.push(KeptFile {
                file: behind.clone(),
                content: mark.content,
                state: mark.state,
                filled: true,
            });
        }
        site.files.push(SiteFile {
            start: needs.start,
            len: needs.at_least_a_block(requested, &subject.name())?,
            ..behind
        });
        return Ok(site);
    }
    if let Some(requested) = wanted {
        return Err(unsuitable(format!(
            "{} has {own} bytes, and {requested} bytes at offset {} were requested: use --size {rest} or less, or name a new file",
            subject.name(),
            needs.start
        )));
    }
    let len = needs.at_least_a_block(needs.needed_bytes(rest), &subject.name())?;
    site.files
        .push(take(&opened, 0, path.clone(), needs.start, len)?);
    Ok(site)
}

/// Lengthens a file. Returns the new part, from the next full page on: no page of what was there is written; and the mark that the file had, if plumb made it.
fn lengthened(
    site: &mut Site,
    subject: &Subject,
    new: Range<u64>,
    needs: &Needs,
) -> Result<(SiteFile, Option<Mark>), SiteError> {
    let path = &subject.path;
    let start = new
        .start
        .next_multiple_of(system::page_bytes() as u64)
        .min(new.end);
    let opened = files::open(path, TO_WRITE).map_err(SiteError::kernel("lengthen", path))?;
    let behind = take(&opened, 0, path.clone(), start, new.end - start)?;
    if behind.identity != subject.traits.identity {
        return Err(replaced(subject));
    }
    check_file_size(new.end, path)?;
    let room = files::room(path).map_err(SiteError::kernel("find the free space of", path))?;
    let needed = SpaceNeeded {
        bytes: new.end - new.start,
        ..SpaceNeeded::default()
    };
    space::check(&room, &needed, &subject.name())?;
    site.cleanup.lock(opened, path)?;
    if !needs.keep {
        let before = (path.clone(), behind.identity, new.start);
        site.cleanup.lengthened.push(before);
    }
    let opened = files::open(path, TO_WRITE).map_err(SiteError::kernel("lengthen", path))?;
    let mark = Mark::read(&opened);
    let done = opened.set_len(new.end);
    done.map_err(SiteError::kernel("lengthen", path))?;
    Ok((behind, mark))
}

fn replaced(subject: &Subject) -> SiteError {
    SiteError::Refused(format!(
        "{} was replaced while it was examined: start again",
        subject.name()
    ))
}

fn existing_file_to_write(
    mut site: Site,
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let path = &subject.path;
    let mark = may_be_written(&mut site, subject, needs, permission)?;
    let opened = files::open(path, TO_WRITE).map_err(SiteError::kernel("open", path))?;
    let own = subject.traits.size_bytes;
    let len = needs.at_least_a_block(
        needs.needed_bytes(own.saturating_sub(needs.start)),
        &subject.name(),
    )?;
    let end = needs.start + len;
    let file = take(&opened, 0, path.clone(), needs.start, len)?;
    if file.identity != subject.traits.identity {
        return Err(replaced(subject));
    }
    site.cleanup.lock(opened, path)?;
    let opened = files::open(path, TO_WRITE).map_err(SiteError::kernel("open", path))?;
    if end > own {
        check_file_size(end, path)?;
        let room = files::room(path).map_err(SiteError::kernel("find the free space of", path))?;
        space::check(
            &room,
            &SpaceNeeded {
                bytes: end - own.max(needs.start),
                may_fill: needs.until_full,
                ..SpaceNeeded::default()
            },
            &subject.name(),
        )?;
        if mark.is_none() {
            site.cleanup
                .lengthened
                .push((path.clone(), file.identity, own));
        }
    }
    // A user's file that is sparse would be read as zeros that no device delivers; he allowed that it is written.
    let has_hole = || needs.reads && files::first_hole(&opened, needs.start, end).is_some();
    let is_filled = match &mark {
        _ if needs.verify_existing => end <= own,
        Some(mark) => mark.size_bytes >= end && mark.suits(needs),
        None => end <= own && !(needs.verify && needs.reads) && !has_hole(),
    };
    if mark.is_some() {
        keep(&mut site, &opened, &file, needs, is_filled)?;
    }
    make_ready(&opened, &file, needs, is_filled)?;
    if !is_filled && needs.is_to_be_filled() {
        let held = if needs.verify_existing { own } else { 0 };
        let start = held
            .next_multiple_of(system::page_bytes() as u64)
            .clamp(needs.start, end);
        let empty = take(&opened, 0, path.clone(), start, end - start)?;
        fill_all(&mut site, std::slice::from_ref(&empty), needs, preparing)?;
    }
    site.files.push(file);
    Ok(site)
}

/// True for a file that an earlier run of the same job left: a name that fio derives (`job.0.0`), and exactly the size that the job gives it.
fn is_left_by_fio(subject: &Subject, needs: &Needs) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = subject.path.file_name().and_then(|name| name.to_str());
    let mut parts = name.unwrap_or_default().rsplitn(3, '.');
    let is_derived = [parts.next(), parts.next()]
        .iter()
        .all(|part| part.is_some_and(is_number))
        && parts.next().is_some_and(|job| !job.is_empty());
    let end = needs.size_bytes.map(|size| needs.start + size);
    needs.reuse && is_derived && end == Some(subject.traits.size_bytes)
}

/// Asks whether the file may be written; its mark, when plumb made it.
fn may_be_written(
    site: &mut Site,
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
) -> Result<Option<Mark>, SiteError> {
    let path = &subject.path;
    // Opened for reading first: a mark can be looked at without touching what may not be written.
    let mark = files::open(
        path,
        Flags {
            read: true,
            ..Flags::default()
        },
    )
    .ok()
    .and_then(|file| Mark::read(&file));
    if let (None, Overwrite::No, Some(left)) =
        (&mark, permission, leftovers::unfinished_target(path))
    {
        return Err(SiteError::Refused(format!(
            "{}; to use it as it is, add --overwrite",
            english(&left)
        )));
    }
    if mark.is_none() && needs.fresh {
        return Err(SiteError::Refused(format!(
            "{} is not truncated: plumb did not create this file; omit fresh, or name a directory or a new file",
            subject.name()
        )));
    }
    if mark.is_none() {
        // Its users are checked anyway.
        let permission = match permission {
            Overwrite::No if is_left_by_fio(subject, needs) => &Overwrite::Yes,
            error => error,
        };
        site.warnings
            .extend(permission::authorize(subject, permission, false)?);
    }
    Ok(mark)
}
