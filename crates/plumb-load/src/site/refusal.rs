//! Why can a target not be used, and what is to be done next?

use std::io;
use std::path::{Path, PathBuf};

use plumb_model::statement::Statement;

use crate::share::ShareError;

/// A site could not be created or cleaned up. Each text gives what, where, and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The target may not be written without permission, or not even with it.
    #[error("{0}")]
    Refused(String),
    /// The target cannot provide what is requested: missing, of the wrong kind, too small.
    #[error("{0}")]
    Unsuitable(String),
    /// There is not enough room.
    #[error("{0}")]
    NoRoom(String),
    /// An error of a share.
    // Not a source, for the same reason as below.
    #[error("{0}")]
    Share(ShareError),
    /// An error of the kernel.
    // Not a source: the text holds the error already, and a chain of causes would repeat it.
    #[error("cannot {action} {}: {error}{}", path.display(), next_step(error))]
    Kernel {
        action: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// The user stopped the run while the site was made ready.
    #[error("stopped while the target was prepared; everything created so far was removed")]
    Stopped,
}

impl From<ShareError> for SiteError {
    fn from(error: ShareError) -> SiteError {
        SiteError::Share(error)
    }
}

impl SiteError {
    /// For a record: a share's statement as it is, anything else as its English sentence.
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

/// The target cannot provide what is requested.
pub fn unsuitable(text: String) -> SiteError {
    SiteError::Unsuitable(text)
}

/// What the user can do about an error of the kernel; empty if the error text is sufficient.
fn next_step(error: &io::Error) -> &'static str {
    // EMFILE has no kind of its own; 24 on all Unix systems.
    if error.raw_os_error() == Some(24) {
        return "; raise the limit of open files (ulimit -n), or use fewer workers";
    }
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "; use a smaller --size or another target (data written so far was removed)"
        }
        io::ErrorKind::QuotaExceeded => {
            "; your quota is exhausted: use a smaller --size or another target (data written so far was removed)"
        }
        io::ErrorKind::FileTooLarge => {
            "; the file is too large for the file system or the limit (ulimit -f): use a smaller --size"
        }
        io::ErrorKind::PermissionDenied => permission_remedy(),
        io::ErrorKind::ReadOnlyFilesystem => {
            "; the file system or device is read-only: name a writable target"
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
            "; run as a user with permission, or name another target (chattr +i and +a also prevent it: see lsattr)"
        }
        false => "; run as a user with permission, or name another target",
    }
}
