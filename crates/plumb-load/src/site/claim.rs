//! How does each kind of target become a site: directory, new file, existing file, block device, character device, nothing?

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plumb_model::target::Target;
use plumb_model::units::show_bytes;

use super::fill::{self, Preparing};
use super::folder::Folder;
use super::held::{Held, KeptFile, Made};
use super::leftovers;
use super::mark::{Mark, State};
use super::on_share;
use super::permission::{self, Admission, Overwrite, Subject};
use super::refusal::SiteError;
use super::removal::{FILES, SHARED, WORKER};
use super::resolve::{Found, goes_through_symlink, resolve};
use super::scratch::{self, Scratch};
use super::space::Wanted;
use super::usage;
use super::{FileSet, FileShape, Needs, Site, SiteFile, SiteKind, space, unsuitable};
use crate::system::files::{self, Flags, PathKind};

/// Size of `null:` when none is asked: nothing is stored, the number only spreads the offsets.
const NULL_BYTES: u64 = 1 << 30;

pub fn claim(
    target: &Target,
    needs: &Needs,
    admission: &Admission,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let given = match target {
        Target::Path(given) => given,
        Target::Remote(remote) => return on_share::claim(remote, needs, admission, preparing),
        Target::Null => return null(needs),
    };
    let permission = &admission.overwrite;
    let subject = match resolve(given)? {
        Found::New(path) => {
            return new_file(path, needs, preparing).map(|site| Site {
                fresh: needs.fresh,
                ..site
            });
        }
        Found::Existing(subject) => subject,
    };
    let mut site = match subject.traits.kind {
        PathKind::Directory => directory(&subject, needs, preparing),
        kind if needs.file_set.is_some() => Err(unsuitable(format!(
            "{} is a {}: file operations need a directory to make their files in; name one",
            subject.name(),
            if kind == PathKind::File {
                "file"
            } else {
                "device"
            }
        ))),
        PathKind::BlockDevice | PathKind::CharacterDevice if needs.fresh => {
            Err(unsuitable(format!(
                "{} is a device, which cannot be emptied and allocated anew: leave fresh out, or name a directory or a file that does not exist yet",
                subject.name()
            )))
        }
        PathKind::File => existing_file(&subject, needs, permission, preparing),
        PathKind::BlockDevice => block_device(&subject, needs, permission, preparing),
        PathKind::CharacterDevice => character_device(&subject, needs, permission),
        PathKind::Other => Err(unsuitable(format!(
            "{} is a pipe or a socket: name a directory, a file, a device, or null:",
            subject.name()
        ))),
    }?;
    site.fresh = needs.fresh;
    if goes_through_symlink(given, &subject.path) {
        site.warnings.insert(
            0,
            format!(
                "{} leads by a symlink to {}, which is what is used",
                given.display(),
                subject.path.display()
            ),
        );
    }
    Ok(site)
}

pub fn empty_site(kind: SiteKind, path: &Path) -> Site {
    Site {
        kind,
        path: path.to_path_buf(),
        files: Vec::new(),
        has_shared: true,
        file_set: None,
        prepared: Vec::new(),
        warnings: Vec::new(),
        fresh: false,
        held: Held::default(),
        secret: None,
    }
}

fn null(needs: &Needs) -> Result<Site, SiteError> {
    let path = PathBuf::from("null:");
    let mut site = empty_site(SiteKind::Null, &path);
    let len = at_least_a_block(needs.size_bytes.unwrap_or(NULL_BYTES), needs, "null:")?;
    site.files.push(SiteFile {
        index: 0,
        path: path.clone(),
        start: needs.start,
        len,
        kind: SiteKind::Null,
        identity: None,
        folder: None,
    });
    site.file_set = needs.file_set.map(|_| FileSet::imaginary(path));
    Ok(site)
}

pub fn at_least_a_block(len: u64, needs: &Needs, name: &str) -> Result<u64, SiteError> {
    if len >= needs.block_bytes && len > 0 {
        return Ok(len);
    }
    Err(unsuitable(format!(
        "{name} has room for {len} bytes from {} on, less than one block of {}: choose a larger --size, a smaller --block, or another target",
        needs.start, needs.block_bytes
    )))
}

/// Bytes wanted of an existing target that has `rest` bytes from the start on.
pub fn wanted_bytes(needs: &Needs, rest: u64) -> u64 {
    match needs.size_bytes {
        Some(asked) if needs.whole => asked.max(rest),
        Some(asked) => asked,
        None => rest,
    }
}

/// Refuses sizes beyond RLIMIT_FSIZE before the kernel ends the process for it.
fn check_file_size(end: u64, path: &Path) -> Result<(), SiteError> {
    match files::file_size_limit_bytes().filter(|limit| end > *limit) {
        Some(limit) => Err(unsuitable(format!(
            "{} would become {}, and this shell allows files of {} only (ulimit -f): raise the limit, or choose a smaller --size",
            path.display(),
            show_bytes(end as f64),
            show_bytes(limit as f64)
        ))),
        None => Ok(()),
    }
}

fn directory(
    subject: &Subject,
    needs: &Needs,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let place = &subject.path;
    let mut site = empty_site(SiteKind::Directory, place);
    site.warnings = scratch::warn_of_stale(place);
    let room = files::room(place).map_err(SiteError::kernel("find the free space of", place))?;
    let scratch = Scratch::make(place, needs.keep)?;
    let folder = scratch.folder().clone();
    site.held.scratch.push(scratch);

    // Name, start and length.
    let mut wanted: Vec<(String, u64, u64)> = Vec::new();
    let holds_blocks = needs.shared || needs.own_files > 0;
    if holds_blocks {
        let chosen = || space::default_bytes(&room, needs.block_bytes, &subject.name());
        let size = at_least_a_block(
            needs.size_bytes.map_or_else(chosen, Ok)?,
            needs,
            &subject.name(),
        )?;
        if needs.shared {
            wanted.push((SHARED.to_string(), needs.start, size));
        }
        for worker in 0..needs.own_files {
            let each = space::part_of_worker(size, needs.block_bytes, worker, needs.own_files);
            wanted.push((
                format!("{WORKER}{worker}"),
                0,
                at_least_a_block(each, needs, "each worker's file")?,
            ));
        }
    }
    let held_already = |name: &str| {
        folder
            .traits(Path::new(name))
            .map_or(0, |traits| traits.size_bytes)
    };
    let new_bytes: u64 = wanted
        .iter()
        .map(|(name, start, len)| (start + len).saturating_sub(held_already(name).max(*start)))
        .sum();
    let wanted_room = Wanted {
        bytes: new_bytes,
        files: wanted.len() as u64,
        set: needs.file_set,
    };
    space::check(&room, &wanted_room, &subject.name())?;

    if let Some(scratch) = site.held.scratch.first().filter(|_| !needs.keep) {
        scratch.tell_written(&needs.written)?;
    }
    let mut to_fill = Vec::new();
    for (index, (name, start, len)) in wanted.into_iter().enumerate() {
        let (file, is_filled) = file_of_folder(
            &mut site,
            index as u32,
            (&folder, &name),
            (start, len),
            needs,
        )?;
        if !is_filled {
            to_fill.push(file.clone());
        }
        site.files.push(file);
    }
    site.has_shared = needs.shared;
    fill_all(&mut site, &to_fill, needs, preparing)?;
    site.held.made.clear();
    if needs.file_set.is_some() {
        // Small files are never kept: the next run would have to tell them from the user's.
        let folder = if needs.keep {
            site.held.scratch_beside(place)?
        } else {
            folder
        };
        let path = folder.path().join(FILES);
        let files = folder
            .make_folder(Path::new(FILES))
            .and_then(|()| folder.folder(Path::new(FILES)));
        let notes = site
            .held
            .scratch
            .last()
            .map(|scratch| scratch.notes().clone())
            .unwrap_or_default();
        let mut set = FileSet::local(files.map_err(SiteError::kernel("make", &path))?, notes);
        set.reset(0, FileShape::default(), preparing)?;
        site.file_set = Some(set);
    }
    Ok(site)
}

/// Makes a file in plumb's own folder, or takes up a kept one. `true`: it is filled already.
fn file_of_folder(
    site: &mut Site,
    index: u32,
    (folder, name): (&Folder, &str),
    (start, len): (u64, u64),
    needs: &Needs,
) -> Result<(SiteFile, bool), SiteError> {
    let path = folder.path().join(name);
    check_file_size(start + len, &path)?;
    let exists = folder.traits(Path::new(name)).is_ok();
    let flags = Flags {
        read: true,
        write: true,
        create: !exists,
        marked: !needs.keep,
        ..Flags::default()
    };
    let opened = folder
        .open(Path::new(name), flags)
        .map_err(SiteError::kernel("make", &path))?;
    let mut is_filled = false;
    if exists {
        let mark = Mark::read(&opened);
        if mark.is_none()
            && !Mark::is_as_left(&opened)
            && !Mark::is_unfinished_and_untouched(&opened)
        {
            return Err(SiteError::Refused(format!(
                "{} is in the way and is not as plumb left it: remove it, or run without keep",
                path.display()
            )));
        }
        is_filled = mark.is_some_and(|mark| mark.size_bytes >= start + len && mark.suits(needs));
    }
    let file = SiteFile {
        folder: Some(folder.clone()),
        ..take(&opened, index, path, start, len)?
    };
    if let Some(scratch) = site.held.scratch.first_mut().filter(|_| !needs.keep) {
        scratch.own_file(name, file.identity)?;
    }
    if needs.keep {
        // Removed until it is complete; only then may it stay.
        site.held.made.extend((!exists).then(|| Made {
            folder: folder.clone(),
            name: name.into(),
            identity: file.identity,
        }));
        keep(site, &opened, &file, needs, is_filled)?;
    }
    make_ready(&opened, &file, needs, is_filled)?;
    Ok((file, is_filled || !is_to_be_filled(needs)))
}

/// True when a file that plumb has made must be filled before the first operation.
fn is_to_be_filled(needs: &Needs) -> bool {
    !needs.fresh && (needs.reads || needs.verify || needs.fill_before_writes)
}

/// Gives a file that will not be filled its length, so that it can be mapped. One that steps empty is looked at before each step.
fn make_ready(
    opened: &File,
    file: &SiteFile,
    needs: &Needs,
    is_filled: bool,
) -> Result<(), SiteError> {
    if is_filled || is_to_be_filled(needs) || needs.fresh {
        return Ok(());
    }
    let present = opened.metadata().map_or(0, |metadata| metadata.len());
    opened
        .set_len(present.max(file.start + file.len))
        .map_err(SiteError::kernel("lengthen", &file.path))
}

fn take(
    opened: &File,
    index: u32,
    path: PathBuf,
    start: u64,
    len: u64,
) -> Result<SiteFile, SiteError> {
    let metadata = opened
        .metadata()
        .map_err(SiteError::kernel("examine", &path))?;
    let traits = files::traits(&metadata);
    let kind = match traits.kind {
        PathKind::BlockDevice => SiteKind::BlockDevice,
        PathKind::CharacterDevice => SiteKind::CharacterDevice,
        _ => SiteKind::File,
    };
    Ok(SiteFile {
        index,
        path,
        start,
        len,
        kind,
        identity: traits.identity,
        folder: None,
    })
}

/// Marks a file that stays: as work in progress now, as finished at the end.
fn keep(
    site: &mut Site,
    opened: &File,
    file: &SiteFile,
    needs: &Needs,
    is_filled: bool,
) -> Result<(), SiteError> {
    if is_filled && !needs.modifies {
        return Ok(());
    }
    match Mark::begin(opened, &needs.content, &needs.written) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => site.warnings.push(format!(
            "the file system of {} keeps no extended attributes: later runs will take the kept file for one that plumb did not make",
            file.path.display()
        )),
        Err(error) => return Err(SiteError::kernel("mark", &file.path)(error)),
    }
    let state = if needs.modifies {
        State::Modified
    } else {
        State::Filled
    };
    site.held.kept.push(KeptFile {
        file: file.clone(),
        content: needs.content.clone(),
        state,
        filled: is_filled,
    });
    Ok(())
}

/// Fills files one after the other and remembers what was written.
fn fill_all(
    site: &mut Site,
    files: &[SiteFile],
    needs: &Needs,
    preparing: &mut Preparing<'_>,
) -> Result<(), SiteError> {
    let total_bytes = files.iter().map(|file| file.len).sum();
    let mut done_bytes = 0;
    for file in files {
        site.prepared.push(fill::fill(
            file,
            needs.block_bytes,
            preparing,
            &mut done_bytes,
            total_bytes,
        )?);
    }
    for kept in &mut site.held.kept {
        kept.filled |= files.iter().any(|file| file.path == kept.file.path);
    }
    Ok(())
}

fn new_file(
    path: PathBuf,
    needs: &Needs,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    if needs.file_set.is_some() {
        return Err(unsuitable(format!(
            "{} does not exist: file operations need a directory; make one, or name another",
            path.display()
        )));
    }
    let parent = path.parent().unwrap_or(Path::new("/"));
    let room = files::room(parent).map_err(SiteError::kernel("find the free space of", parent))?;
    let chosen = || space::default_bytes(&room, needs.block_bytes, &path.display().to_string());
    let len = at_least_a_block(
        needs.size_bytes.map_or_else(chosen, Ok)?,
        needs,
        &path.display().to_string(),
    )?;
    space::check(
        &room,
        &Wanted {
            bytes: len,
            files: 1,
            set: None,
        },
        &parent.display().to_string(),
    )?;
    check_file_size(needs.start + len, &path)?;

    let name = Path::new(path.file_name().unwrap_or_default());
    let folder = Folder::open_path(parent).map_err(SiteError::kernel("open", parent))?;
    let flags = Flags {
        read: true,
        write: true,
        create: true,
        ..Flags::default()
    };
    let opened = folder
        .open(name, flags)
        .map_err(SiteError::kernel("make", &path))?;
    let file = SiteFile {
        folder: Some(folder.clone()),
        ..take(&opened, 0, path.clone(), needs.start, len)?
    };
    let mut site = empty_site(SiteKind::File, &path);
    // Removed until it is complete; only then may it stay.
    site.held.made.push(Made {
        folder,
        name: name.into(),
        identity: file.identity,
    });
    // Also where it will not be kept: what a killed run leaves is known by it.
    if needs.keep {
        keep(&mut site, &opened, &file, needs, false)?;
    } else {
        // Where the file system keeps no marks, a killed run's file cannot be told from the user's, and is treated as that.
        let _ = Mark::begin(&opened, &needs.content, &needs.written);
    }
    make_ready(&opened, &file, needs, false)?;
    site.held.lock(opened, &path)?;
    if is_to_be_filled(needs) {
        fill_all(&mut site, std::slice::from_ref(&file), needs, preparing)?;
    }
    if needs.keep {
        site.held.made.clear();
    }
    site.files.push(file);
    Ok(site)
}

fn existing_file(
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let path = &subject.path;
    let flags = Flags {
        read: needs.reads || !needs.modifies,
        write: false,
        ..Flags::default()
    };
    let mut site = empty_site(SiteKind::File, path);
    if needs.modifies {
        return existing_file_to_write(site, subject, needs, permission, preparing);
    }
    let opened = files::open(path, flags).map_err(SiteError::kernel("open", path))?;
    if let Some(left) = leftovers::unfinished_target(path) {
        site.warnings
            .push(format!("{left}; parts of it may never have been written"));
    }
    let own = subject.traits.size_bytes;
    let rest = own.saturating_sub(needs.start);
    if let Some(asked) = needs.size_bytes.filter(|asked| *asked > rest) {
        return Err(unsuitable(format!(
            "{} has {own} bytes, and {asked} from {} on are asked: choose --size {rest} or less, or name a file that does not exist yet",
            subject.name(),
            needs.start
        )));
    }
    let len = at_least_a_block(wanted_bytes(needs, rest), needs, &subject.name())?;
    site.files
        .push(take(&opened, 0, path.clone(), needs.start, len)?);
    Ok(site)
}

fn existing_file_to_write(
    mut site: Site,
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
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
            "{left}; or, if it is to be used as it is, add --overwrite"
        )));
    }
    if mark.is_none() && needs.fresh {
        return Err(SiteError::Refused(format!(
            "{} is not emptied: it is a file that plumb did not make; leave fresh out, or name a directory or a file that does not exist yet",
            subject.name()
        )));
    }
    if mark.is_none() {
        site.warnings
            .extend(permission::ask(subject, permission, false)?);
    }
    let opened = files::open(
        path,
        Flags {
            read: true,
            write: true,
            ..Flags::default()
        },
    )
    .map_err(SiteError::kernel("open", path))?;
    let own = subject.traits.size_bytes;
    let len = at_least_a_block(
        wanted_bytes(needs, own.saturating_sub(needs.start)),
        needs,
        &subject.name(),
    )?;
    let end = needs.start + len;
    let file = take(&opened, 0, path.clone(), needs.start, len)?;
    if file.identity != subject.traits.identity {
        return Err(SiteError::Refused(format!(
            "{} was replaced while it was examined: start again",
            subject.name()
        )));
    }
    site.held.lock(opened, path)?;
    let opened = files::open(
        path,
        Flags {
            read: true,
            write: true,
            ..Flags::default()
        },
    )
    .map_err(SiteError::kernel("open", path))?;
    if end > own {
        check_file_size(end, path)?;
        let room = files::room(path).map_err(SiteError::kernel("find the free space of", path))?;
        space::check(
            &room,
            &Wanted {
                bytes: end - own.max(needs.start),
                ..Wanted::default()
            },
            &subject.name(),
        )?;
        if mark.is_none() {
            site.held
                .lengthened
                .push((path.clone(), file.identity, own));
        }
    }
    // A user's file that is sparse would be read as zeros that no device delivers; he allowed that it is written.
    let has_hole = || needs.reads && files::first_hole(&opened, needs.start, end).is_some();
    let is_filled = match &mark {
        Some(mark) => mark.size_bytes >= end && mark.suits(needs),
        None => end <= own && !(needs.verify && needs.reads) && !has_hole(),
    };
    if mark.is_some() {
        keep(&mut site, &opened, &file, needs, is_filled)?;
    }
    make_ready(&opened, &file, needs, is_filled)?;
    if !is_filled && is_to_be_filled(needs) {
        fill_all(&mut site, std::slice::from_ref(&file), needs, preparing)?;
    }
    site.files.push(file);
    Ok(site)
}

fn block_device(
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    use std::io::Seek;
    let path = &subject.path;
    let mut site = empty_site(SiteKind::BlockDevice, path);
    if needs.modifies {
        // Claimed before anything is asked: what is free now cannot be mounted between the question and the first write.
        let is_busy = !claim_device(&mut site, subject)?;
        site.warnings
            .extend(permission::ask(subject, permission, is_busy)?);
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
        read: needs.reads || !needs.modifies,
        write: needs.modifies,
        ..Flags::default()
    };
    let mut opened = files::open(path, flags).map_err(SiteError::kernel("open", path))?;
    let own = opened
        .seek(std::io::SeekFrom::End(0))
        .map_err(SiteError::kernel("find the size of", path))?;
    let rest = space::whole_blocks(own.saturating_sub(needs.start), needs.block_bytes);
    if let Some(asked) = needs
        .size_bytes
        .filter(|asked| *asked > own.saturating_sub(needs.start))
    {
        return Err(unsuitable(format!(
            "{} has {own} bytes, and {asked} from {} on are asked: choose --size {rest} or less",
            subject.name(),
            needs.start
        )));
    }
    let len = at_least_a_block(wanted_bytes(needs, rest), needs, &subject.name())?;
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
/// somebody has claimed it already. For reading only, so that closing it makes no event that lets udev examine the device.
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
    let number = files::traits(
        &file
            .metadata()
            .map_err(SiteError::kernel("examine", path))?,
    )
    .device_number;
    if number != subject.traits.device_number {
        return Err(SiteError::Refused(format!(
            "{} was replaced while it was examined: start again",
            subject.name()
        )));
    }
    site.held.lock(file, path).map(|()| true)
}

fn character_device(
    subject: &Subject,
    needs: &Needs,
    permission: &Overwrite,
) -> Result<Site, SiteError> {
    let path = &subject.path;
    if needs.modifies && !permission::is_harmless(&subject.traits) {
        permission::ask(subject, permission, false)?;
    }
    let Some(asked) = needs.size_bytes else {
        return Err(unsuitable(format!(
            "{} is a character device, which has no size: say how much of it is used, such as --size 1g",
            subject.name()
        )));
    };
    let len = at_least_a_block(asked, needs, &subject.name())?;
    let flags = Flags {
        read: needs.reads || !needs.modifies,
        write: needs.modifies,
        ..Flags::default()
    };
    let opened = files::open(path, flags).map_err(SiteError::kernel("open", path))?;
    let mut site = empty_site(SiteKind::CharacterDevice, path);
    site.files
        .push(take(&opened, 0, path.clone(), needs.start, len)?);
    Ok(site)
}
