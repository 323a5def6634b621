//! How does each kind of target become a site: directory, new file, existing file, block device, character device, nothing?

mod device;
mod directory;
mod existing_file;
mod joined;
mod new_file;
mod ready;
mod several;
mod share;

use std::path::{Path, PathBuf};

use plumb_model::run::ranks::JointTarget;
use plumb_model::statement::Statement;
use plumb_model::target::Target;

use crate::site::Site;
use crate::site::admission::{Admission, ShareLogin};
use crate::site::file::{SiteFile, SiteKind};
use crate::site::file_set::FileSet;
use crate::site::fill::Preparing;
use crate::site::needs::Needs;
use crate::site::permission::Overwrite;
use crate::site::permission::resolve::{Found, resolve};
use crate::site::refusal::{SiteError, unsuitable};
use crate::system::files::{PathKind, goes_through_link};
use device::{block_device, character_device};
use directory::directory;
use existing_file::existing_file;
use new_file::new_file;

/// Default size of `null:`: nothing is stored, the number only spreads the offsets.
const NULL_BYTES: u64 = 1 << 30;

impl Site {
    /// Prepares a target: resolves it, checks permission to write, checks the space, creates and fills files, takes locks.
    ///
    /// # Errors
    /// [`SiteError`] with what, where, and what to do next; everything made so far has been removed then.
    pub fn claim(
        target: &Target,
        needs: &Needs,
        admission: &Admission,
        preparing: &mut Preparing<'_>,
    ) -> Result<Site, SiteError> {
        match target {
            Target::Path(given) if !needs.paths.is_empty() => {
                several::claim(given, needs, preparing, &mut |path, needs, preparing| {
                    local(path, needs, &admission.overwrite, preparing)
                })
            }
            Target::Path(given) => local(given, needs, &admission.overwrite, preparing),
            Target::Remote(remote) => share::claim(remote, needs, admission, preparing),
            Target::Null => null(needs),
        }
    }

    /// Takes up what another process has made ready of the same target and keeps until all have ended: nothing is made, filled, marked or removed here, and
    /// permission to write is not checked, which the other process did.
    ///
    /// # Errors
    /// The files are not found, or are another user's.
    pub fn join(
        target: &Target,
        needs: &Needs,
        login: &ShareLogin,
        joint: &JointTarget,
    ) -> Result<Site, SiteError> {
        let needs = &Needs {
            size_bytes: Some(joint.size_bytes),
            ..needs.clone()
        };
        let joined = match target {
            Target::Path(given) => joined::local(given, needs, joint),
            Target::Remote(remote) => share::join(remote, needs, login, joint),
            Target::Null => null(needs),
        };
        joined.map(|site| Site {
            is_joined: true,
            ..site
        })
    }
}

/// A path of this machine.
fn local(
    given: &Path,
    needs: &Needs,
    permission: &Overwrite,
    preparing: &mut Preparing<'_>,
) -> Result<Site, SiteError> {
    let subject = match resolve(given)? {
        Found::New(path) => {
            return new_file(path, needs, preparing).map(|site| Site {
                fresh: needs.leaves_unfilled(),
                ..site
            });
        }
        Found::Existing(subject) => subject,
    };
    let mut site = match subject.traits.kind {
        PathKind::Directory => directory(&subject, needs, preparing),
        kind if needs.file_set.is_some() => Err(unsuitable(format!(
            "{} is a {}: file operations require a directory; name one",
            subject.name(),
            if kind == PathKind::File {
                "file"
            } else {
                "device"
            }
        ))),
        PathKind::BlockDevice | PathKind::CharacterDevice if needs.fresh => {
            Err(unsuitable(format!(
                "{} is a device, which cannot be truncated and reallocated: omit fresh, or name a directory or a new file",
                subject.name()
            )))
        }
        PathKind::File => existing_file(&subject, needs, permission, preparing),
        PathKind::BlockDevice => block_device(&subject, needs, permission, preparing),
        PathKind::CharacterDevice => character_device(&subject, needs, permission, preparing),
        PathKind::Other => Err(unsuitable(format!(
            "{} is a pipe or a socket: name a directory, a file, a device, or null:",
            subject.name()
        ))),
    }?;
    site.fresh = needs.leaves_unfilled();
    if goes_through_link(given, &subject.path) {
        let through = Statement::new("target-is-a-symlink")
            .name("given", given.display().to_string())
            .name("path", subject.path.display().to_string());
        site.warnings.insert(0, through);
    }
    Ok(site)
}

fn null(needs: &Needs) -> Result<Site, SiteError> {
    let path = PathBuf::from("null:");
    let mut site = Site::new(SiteKind::Null, &path);
    let len = needs.at_least_a_block(needs.size_bytes.unwrap_or(NULL_BYTES), "null:")?;
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
