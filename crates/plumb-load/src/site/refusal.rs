//! Why can a target not be used, and what is to be done next?

use std::io;
use std::path::{Path, PathBuf};

use plumb_model::statement::Statement;

use crate::share::ShareError;

/// A site could not be made, or not be cleaned up. Each text says what, where, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The target may not be written without permission, or not even with it.
    #[error("{0}")]
    Refused(String),
    /// The target cannot carry what is asked: missing, of the wrong kind, too small.
    #[error("{0}")]
    Unsuitable(String),
    /// There is not enough room.
    #[error("{0}")]
    NoRoom(String),
    /// A share said no.
    // Not a source, for the same reason as below.
    #[error("{0}")]
    Share(ShareError),
    /// The kernel said no.
    // Not a source: the text holds the error already, and a chain of causes would tell it twice.
    #[error("cannot {action} {}: {error}{}", path.display(), next_step(error))]
    Kernel {
        action: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// The user stopped the run while the site was made ready.
    #[error("stopped while the target was made ready; everything made so far has been removed")]
    Stopped,
}

impl From<ShareError> for SiteError {
    fn from(error: ShareError) -> SiteError {
        SiteError::Share(error)
    }
}

impl SiteError {
    /// For a record: what a share said as it said it, anything else as the English sentence that it is.
    pub fn statement(&self) -> Statement {
        match self {
            SiteError::Share(error) => error.why.clone(),
            other => Statement::verbatim(other.to_string()),
        }
    }

    /// For `map_err`: wraps an error of the kernel with what was tried and where.
    pub(super) fn kernel(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SiteError {
        let path = path.to_path_buf();
        move |error| SiteError::Kernel {
            action,
            path,
            error,
        }
    }
}

/// The target cannot carry what is asked.
pub fn unsuitable(text: String) -> SiteError {
    SiteError::Unsuitable(text)
}

/// What the user can do about an error of the kernel; empty when the text of the error says it all.
fn next_step(error: &io::Error) -> &'static str {
    // EMFILE has no kind of its own; 24 on all Unix systems.
    if error.raw_os_error() == Some(24) {
        return "; allow more open files ('ulimit -n'), or use fewer workers";
    }
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "; choose a smaller --size or another target (what had been written is removed)"
        }
        io::ErrorKind::QuotaExceeded => {
            "; your quota is used up: choose a smaller --size or another target (what had been written is removed)"
        }
        io::ErrorKind::FileTooLarge => {
            "; the file system or a limit (ulimit -f) allows no file of this size: choose a smaller --size"
        }
        io::ErrorKind::PermissionDenied => permission_remedy(),
        io::ErrorKind::ReadOnlyFilesystem => {
            "; the file system or device is read-only: name a target that may be written"
        }
        io::ErrorKind::ExecutableFileBusy => {
            "; it is the file of a running program or an active swap file: name another target"
        }
        io::ErrorKind::ResourceBusy => "; it is in use: unmount or release it first",
        io::ErrorKind::Unsupported => "; name another target",
        _ => "",
    }
}

/// What to do where the system denies it.
fn permission_remedy() -> &'static str {
    match crate::system::HAS_IMMUTABLE_FILES {
        true => {
            "; run as a user who may do that, or name another target (chattr +i and +a also refuse: see lsattr)"
        }
        false => "; run as a user who may do that, or name another target",
    }
}
