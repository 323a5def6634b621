//! What does the name of a target lead to, with symlinks resolved?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::site::permission::subject::Subject;
use crate::site::refusal::SiteError;
use crate::system::files;

/// What was found at a name.
#[derive(Debug)]
pub enum Found {
    Existing(Subject),
    /// Nothing, but its directory is there: a file can be made.
    New(PathBuf),
}

/// Follows the name to its end. An error when nothing is there and nothing can be made there.
pub fn resolve(given: &Path) -> Result<Found, SiteError> {
    match files::resolved(given) {
        Ok(path) => {
            let traits = files::traits_at(&path).map_err(SiteError::kernel("examine", &path))?;
            Ok(Found::Existing(Subject {
                given: given.to_path_buf(),
                traits,
                path,
            }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => resolve_missing(given),
        Err(error) => Err(SiteError::kernel("examine", given)(error)),
    }
}

fn resolve_missing(given: &Path) -> Result<Found, SiteError> {
    let unsuitable = |text: String| Err(SiteError::Unsuitable(text));
    let shown = given.display();
    // The way Windows writes shares; there it is a path that the system itself opens.
    if let (Some(rest), false) = (
        given.to_string_lossy().strip_prefix(r"\\"),
        given.is_absolute(),
    ) {
        return unsuitable(format!(
            "no such file: {shown}; use smb://{} for a share, or ./{shown} for a file",
            rest.replace('\\', "/")
        ));
    }
    if let Ok(to) = fs::read_link(given) {
        return unsuitable(format!(
            "{shown} is a symlink to {}, which does not exist: name the file itself",
            to.display()
        ));
    }
    if files::is_device_name(given) {
        return unsuitable(format!(
            "no such disk or volume: {shown}; list them with Get-Disk and Get-Volume"
        ));
    }
    let last = given.as_os_str().as_encoded_bytes().last();
    let is_folder = last.is_some_and(|last| std::path::is_separator(char::from(*last)));
    let (Some(name), false) = (given.file_name(), is_folder) else {
        return unsuitable(format!(
            "no such directory: {shown}; create it first, or name another target"
        ));
    };
    let parent = given
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    match files::resolved(parent) {
        Ok(parent) if parent == Path::new("/dev") => unsuitable(format!(
            "no such device: {shown}; list the devices with lsblk"
        )),
        Ok(parent) if parent.is_dir() => Ok(Found::New(parent.join(name))),
        _ => unsuitable(format!(
            "cannot create {shown}: no such directory: {}; create it first, or name another target",
            parent.display()
        )),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_share_as_windows_writes_it_is_refused_with_its_address() {
        let refused = resolve(Path::new(r"\\server\share\folder")).expect_err("refused");
        assert!(
            refused
                .to_string()
                .contains("use smb://server/share/folder"),
            "{refused}"
        );
    }
}
