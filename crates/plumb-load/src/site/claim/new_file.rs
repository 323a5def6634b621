//! How does a name that does not exist yet become a site? Plumb makes the file, and removes it unless it is to be kept.

use std::path::{Path, PathBuf};

use crate::site::Site;
use crate::site::claim::ready::{check_file_size, fill_all, keep, make_ready, take};
use crate::site::cleanup::Made;
use crate::site::file::{SiteFile, SiteKind};
use crate::site::fill::Preparing;
use crate::site::mark::Mark;
use crate::site::needs::Needs;
use crate::site::refusal::{SiteError, unsuitable};
use crate::site::scratch::folder::Folder;
use crate::site::space::{self, SpaceNeeded};
use crate::system::files::{self, Flags};

/// Makes the file.
pub fn new_file(
    path: PathBuf,
    needs: &Needs,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    if needs.file_set.is_some() {
        return Err(unsuitable(format!(
            "{} does not exist: file operations require a directory; create it, or name another",
            path.display()
        )));
    }
    let parent = path.parent().unwrap_or(Path::new("/"));
    let room = files::room(parent).map_err(SiteError::kernel("find the free space of", parent))?;
    let chosen = || space::default_bytes(&room, needs.block_bytes, &path.display().to_string());
    let len = needs.at_least_a_block(
        needs.size_bytes.map_or_else(chosen, Ok)?,
        &path.display().to_string(),
    )?;
    space::check(
        &room,
        &SpaceNeeded {
            bytes: len,
            files: 1,
            set: None,
            may_fill: needs.until_full,
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
    let mut site = Site::new(SiteKind::File, &path);
    // Removed until it is complete; only then may it stay.
    site.cleanup.made.push(Made {
        folder,
        name: name.into(),
        identity: file.identity,
    });
    // Also where it will not be kept: what a killed run leaves is known by it.
    if needs.keep {
        keep(&mut site, &opened, &file, needs, false)?;
    } else {
        // Where the file system keeps no marks, a killed run's file cannot be distinguished from a user's, and is treated as one.
        let _ = Mark::begin(&opened, &needs.content, &needs.written);
    }
    make_ready(&opened, &file, needs, false)?;
    site.cleanup.lock(opened, &path)?;
    if needs.is_to_be_filled() {
        fill_all(&mut site, std::slice::from_ref(&file), needs, preparing)?;
    }
    if needs.keep {
        site.cleanup.made.clear();
    }
    site.files.push(file);
    Ok(site)
}
