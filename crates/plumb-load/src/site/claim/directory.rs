//! How does a directory become a site? Plumb makes its own files in a folder of its own there.

use std::path::Path;

use crate::site::Site;
use crate::site::claim::ready::{check_file_size, fill_all, keep, make_ready, take};
use crate::site::cleanup::Made;
use crate::site::file::{SiteFile, SiteKind};
use crate::site::file_set::FileSet;
use crate::site::file_set::shape::FileShape;
use crate::site::fill::Preparing;
use crate::site::mark::Mark;
use crate::site::needs::Needs;
use crate::site::permission::subject::Subject;
use crate::site::refusal::SiteError;
use crate::site::scratch::folder::Folder;
use crate::site::scratch::removal::{FILES, SHARED, WORKER};
use crate::site::scratch::{self, Scratch};
use crate::site::space::{self, SpaceNeeded};
use crate::system::files::{self, Flags, Room};

/// Makes a folder in the directory, and the files of blocks and the folder of small files in it.
pub fn directory(
    subject: &Subject,
    needs: &Needs,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let directory = &subject.path;
    let mut site = Site::new(SiteKind::Directory, directory);
    site.warnings = scratch::warn_of_stale(directory);
    let room =
        files::room(directory).map_err(SiteError::kernel("find the free space of", directory))?;
    let scratch = Scratch::make(directory, needs.keep)?;
    let folder = scratch.folder().clone();
    let name = folder.path().file_name();
    site.folder_name = name.map(|name| name.to_string_lossy().into_owned());
    site.cleanup.scratch.push(scratch);

    let files_needed = needed_files(&subject.name(), needs, Some(&room))?;
    let held_already = |name: &str| {
        folder
            .traits(Path::new(name))
            .map_or(0, |traits| traits.size_bytes)
    };
    let new_bytes: u64 = files_needed
        .iter()
        .map(|(name, start, len)| (start + len).saturating_sub(held_already(name).max(*start)))
        .sum();
    let space_needed = SpaceNeeded {
        bytes: new_bytes,
        files: files_needed.len() as u64,
        set: needs.file_set,
        may_fill: needs.until_full,
    };
    space::check(&room, &space_needed, &subject.name())?;

    if let Some(scratch) = site.cleanup.scratch.first().filter(|_| !needs.keep) {
        scratch.note_written(&needs.written)?;
    }
    let mut to_fill = Vec::new();
    for (index, (name, start, len)) in files_needed.into_iter().enumerate() {
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
    site.cleanup.made.clear();
    if needs.file_set.is_some() {
        site.file_set = Some(small_files(&mut site, subject, folder, needs, preparing)?);
    }
    Ok(site)
}

/// The files of blocks that are needed: name, start and length. `room` is used if no size is set.
pub fn needed_files(
    name: &str,
    needs: &Needs,
    room: Option<&Room>,
) -> Result<Vec<(String, u64, u64)>, SiteError> {
    let mut files_needed = Vec::new();
    let holds_blocks = needs.shared || needs.own_files > 0;
    if holds_blocks {
        let chosen = || {
            room.map_or(Ok(0), |room| {
                space::default_bytes(room, needs.block_bytes, name)
            })
        };
        let size = needs.at_least_a_block(needs.size_bytes.map_or_else(chosen, Ok)?, name)?;
        if needs.shared {
            files_needed.push((SHARED.to_string(), needs.start, size));
        }
        for worker in 0..needs.own_files {
            let each = space::part_of_worker(size, needs.block_bytes, worker, needs.own_files);
            files_needed.push((
                format!("{WORKER}{worker}"),
                0,
                needs.at_least_a_block(each, "each worker's file")?,
            ));
        }
    }
    Ok(files_needed)
}

/// The folder of the small files, empty. They are never kept: the next run would have to distinguish them from the user's.
fn small_files(
    site: &mut Site,
    subject: &Subject,
    folder: Folder,
    needs: &Needs,
    preparing: &mut Preparing<'_>,
) -> Result<FileSet, SiteError> {
    let folder = if needs.keep {
        site.cleanup.another_scratch(&subject.path)?
    } else {
        folder
    };
    let path = folder.path().join(FILES);
    let files = folder
        .make_folder(Path::new(FILES))
        .and_then(|()| folder.folder(Path::new(FILES)));
    let notes = site
        .cleanup
        .scratch
        .last()
        .map(|scratch| scratch.notes().clone())
        .unwrap_or_default();
    let mut set = FileSet::local(files.map_err(SiteError::kernel("make", &path))?, notes);
    set.reset(0, FileShape::default(), preparing)?;
    Ok(set)
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
                "{} exists and was changed since plumb created it: remove it, or run without keep",
                path.display()
            )));
        }
        is_filled = mark.is_some_and(|mark| mark.size_bytes >= start + len && mark.suits(needs));
    }
    let file = SiteFile {
        folder: Some(folder.clone()),
        ..take(&opened, index, path, start, len)?
    };
    if let Some(scratch) = site.cleanup.scratch.first_mut().filter(|_| !needs.keep) {
        scratch.own_file(name, file.identity)?;
    }
    if needs.keep {
        // Removed until it is complete; only then may it stay.
        site.cleanup.made.extend((!exists).then(|| Made {
            folder: folder.clone(),
            name: name.into(),
            identity: file.identity,
        }));
        keep(site, &opened, &file, needs, is_filled)?;
    }
    make_ready(&opened, &file, needs, is_filled)?;
    Ok((file, is_filled || !needs.is_to_be_filled()))
}
