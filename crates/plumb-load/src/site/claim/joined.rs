//! How is a local target taken up that another process has made ready?

use std::path::Path;

use plumb_model::run::ranks::JointTarget;

use crate::site::Site;
use crate::site::claim::directory::needed_files;
use crate::site::claim::ready::take;
use crate::site::file::{SiteFile, SiteKind};
use crate::site::file_set::FileSet;
use crate::site::needs::Needs;
use crate::site::refusal::SiteError;
use crate::site::scratch::folder::Folder;
use crate::site::scratch::is_of_this_user;
use crate::site::scratch::owner::Notes;
use crate::site::scratch::removal::FILES;
use crate::system::files::{self, Flags};

/// Takes up the files in a folder of plumb's own in `given`, or the file or device `given` itself.
pub fn local(given: &Path, needs: &Needs, joint: &JointTarget) -> Result<Site, SiteError> {
    let to_read = Flags {
        read: true,
        ..Flags::default()
    };
    let path = given
        .canonicalize()
        .map_err(SiteError::kernel("find the absolute path of", given))?;
    let Some(name) = &joint.folder else {
        let opened = files::open(&path, to_read).map_err(SiteError::kernel("open", &path))?;
        let file = take(&opened, 0, path.clone(), needs.start, joint.size_bytes)?;
        let mut site = Site::new(file.kind, &path);
        site.files.push(file);
        return Ok(site);
    };
    let folder = Folder::open_path(&path)
        .and_then(|parent| parent.folder(Path::new(name)))
        .map_err(|error| not_seen(&path.join(name), &error))?;
    if !is_of_this_user(&folder) {
        return Err(SiteError::Refused(format!(
            "{} was created by another user: start all ranks as the same user",
            folder.path().display()
        )));
    }
    let mut site = Site::new(SiteKind::Directory, &path);
    let files_needed = needed_files(&path.display().to_string(), needs, None)?;
    for (index, (name, start, len)) in files_needed.into_iter().enumerate() {
        let path = folder.path().join(&name);
        let opened = folder
            .open(Path::new(&name), to_read)
            .map_err(|error| not_seen(&path, &error))?;
        site.files.push(SiteFile {
            folder: Some(folder.clone()),
            ..take(&opened, index as u32, path, start, len)?
        });
    }
    site.has_shared = needs.shared;
    if needs.file_set.is_some() {
        let path = folder.path().join(FILES);
        let set = folder
            .folder(Path::new(FILES))
            .map_err(|error| not_seen(&path, &error))?;
        site.file_set = Some(FileSet::local(set, Notes::default()));
    }
    Ok(site)
}

fn not_seen(path: &Path, error: &std::io::Error) -> SiteError {
    SiteError::Unsuitable(format!(
        "{} is not visible here ({error}), and another rank created it for all: ranks = together requires a target that all hosts share; name one, or omit ranks",
        path.display()
    ))
}
