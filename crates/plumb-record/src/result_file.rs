//! How does a result become a file? Written under another name in the same folder, synced, then renamed; existing files are left alone.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::system::{self, Receiver};

/// Marker in the head of every page that plumb writes, including pages of plumb 0.1.
const PAGE_MARK: &str = "<meta name=\"generator\" content=\"plumb ";
/// The marker is within this many bytes of the beginning.
const PAGE_HEAD_BYTES: u64 = 4096;
/// Prefix of temporary file names; the process id and a number follow.
pub const DRAFT: &str = ".plumb-draft-";
/// Names tried for a temporary file before giving up.
const DRAFTS_MAX: u32 = 100;

/// Which existing file may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// None.
    Nothing,
    /// A report page that plumb wrote.
    OwnReport,
}

/// Why a result was not written.
#[derive(Debug, thiserror::Error)]
pub enum ResultFileError {
    /// The file exists; it was not changed.
    #[error("{path}: {what}; it was not changed; choose a file name that does not exist yet")]
    Taken { path: PathBuf, what: String },
    /// The file cannot be created or written; nothing is left of it.
    #[error("{path}: cannot be written: {error}; choose another location")]
    Failed { path: PathBuf, error: io::Error },
}

/// Writes a result in memory, see [`write_result_with`].
pub fn write_result(path: &Path, bytes: &[u8], replace: Replace) -> Result<(), ResultFileError> {
    write_result_with(path, replace, &mut |out| out.write_all(bytes))
}

/// Writes a result, piece by piece.
pub type Content<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Writes a file completely or not at all. Pipes, `/dev/stdout`, `/dev/stderr` and `/dev/null` are written as streams. Errors: an existing file may not be
/// replaced, or the file cannot be written.
pub fn write_result_with(
    path: &Path,
    replace: Replace,
    content: Content<'_>,
) -> Result<(), ResultFileError> {
    let failed = |error| ResultFileError::Failed {
        path: path.to_path_buf(),
        error,
    };
    if let Some(done) = write_to_stream(path, content) {
        return done.map_err(failed);
    }
    let before = judge(path, replace)?;
    let temporary = TemporaryFile::write(path, content).map_err(failed)?;
    system::unmark(&temporary.file).map_err(failed)?;
    match before {
        Some(found) => {
            // Checked again as late as possible: the name may refer to another file by now.
            let now = fs::symlink_metadata(path).map_err(failed)?;
            if !system::is_same(&found, &now) {
                return Err(taken(
                    path,
                    "replaced by another file while the result was written",
                ));
            }
            fs::rename(&temporary.path, path).map_err(failed)?;
        }
        None => match publish(&temporary.path, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(taken(
                    path,
                    "created by another process while the result was written",
                ));
            }
            published => published.map_err(failed)?,
        },
    }
    sync_folder(folder_of(path));
    Ok(())
}

/// Checks that a result could be written there now, before hours are spent on its content. Leaves nothing behind. Errors: as for writing it.
pub fn check_result_path(path: &Path, replace: Replace) -> Result<(), ResultFileError> {
    if [Path::new("/dev/stdout"), Path::new("/dev/stderr")].contains(&path)
        || fs::metadata(path).is_ok_and(|metadata| is_stream(&metadata))
    {
        return Ok(());
    }
    judge(path, replace)?;
    TemporaryFile::make(folder_of(path))
        .map(drop)
        .map_err(|error| ResultFileError::Failed {
            path: path.to_path_buf(),
            error,
        })
}

/// The existing file, which may be replaced; `None` if there is none. Errors: it must not be replaced, or the name cannot be a file's.
fn judge(path: &Path, replace: Replace) -> Result<Option<Metadata>, ResultFileError> {
    let failed = |error| ResultFileError::Failed {
        path: path.to_path_buf(),
        error,
    };
    match fs::symlink_metadata(path) {
        Ok(found) => check_replaceable(path, &found, replace).map(|()| Some(found)),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        Err(_) if path.file_name().is_none() || path.to_string_lossy().ends_with('/') => {
            Err(failed(io::ErrorKind::IsADirectory.into()))
        }
        Err(_) => Ok(None),
    }
}

fn is_stream(metadata: &Metadata) -> bool {
    system::receiver(metadata) == Receiver::Stream
}

/// Gives a temporary file its name, which must be free: a link fails if it is taken, a rename would replace.
fn publish(temporary: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links (FAT, some network file systems): an empty file reserves the name first, which the temporary file then replaces.
        Err(_) => {
            let reserved = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path)?
                .metadata()?;
            let renamed = match fs::symlink_metadata(path) {
                Ok(now) if system::is_same(&reserved, &now) => fs::rename(temporary, path),
                _ => return Err(io::ErrorKind::AlreadyExists.into()),
            };
            if renamed.is_err() {
                let _ = fs::remove_file(path);
            }
            renamed
        }
    }
}

fn taken(path: &Path, what: &str) -> ResultFileError {
    ResultFileError::Taken {
        path: path.to_path_buf(),
        what: what.into(),
    }
}

/// Writes to a stream that the path refers to; `None` if it does not refer to one.
fn write_to_stream(path: &Path, content: Content<'_>) -> Option<io::Result<()>> {
    // Redirecting them was the user's decision, also to a regular file.
    if path == Path::new("/dev/stdout") {
        let mut out = io::stdout().lock();
        return Some(content(&mut out).and_then(|()| out.flush()));
    }
    if path == Path::new("/dev/stderr") {
        return Some(content(&mut io::stderr().lock()));
    }
    // `>(gzip)` of a shell is a symlink in /dev/fd to a pipe: followed, and checked on the opened file, which no rename can change.
    if !fs::metadata(path).is_ok_and(|metadata| is_stream(&metadata)) {
        return None;
    }
    let mut write = || {
        let mut stream = OpenOptions::new().write(true).open(path)?;
        match is_stream(&stream.metadata()?) {
            true => content(&mut stream),
            false => Err(io::Error::other("it was a pipe and no longer is")),
        }
    };
    Some(write())
}

/// Errors: the existing file must not be replaced.
fn check_replaceable(
    path: &Path,
    found: &Metadata,
    replace: Replace,
) -> Result<(), ResultFileError> {
    if found.file_type().is_symlink() {
        let to = fs::read_link(path)
            .map(|to| format!(" to {}", to.display()))
            .unwrap_or_default();
        return Err(taken(path, &format!("a symlink{to}")));
    }
    match (system::receiver(found), replace) {
        (Receiver::Other(what), _) => Err(taken(path, what)),
        (_, Replace::Nothing) => Err(taken(path, "already exists")),
        (_, Replace::OwnReport) if is_own_report(path) => Ok(()),
        (_, Replace::OwnReport) => Err(taken(path, "a file that is not a plumb report")),
    }
}

/// True for a page that plumb wrote.
fn is_own_report(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(PAGE_HEAD_BYTES).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    read.is_ok() && head.starts_with("<!doctype html>") && head.contains(PAGE_MARK)
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Makes the names in a folder durable. If a folder cannot be opened or synced (Windows, some network shares), the system makes them durable later; that is
/// not an error.
pub(crate) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// A temporary file next to the result, removed unless it became the result.
///
/// It has a marker and a lock, so that leftovers of a killed process can be identified (`plumb clean`).
struct TemporaryFile {
    path: PathBuf,
    /// Kept open while it is a temporary file, for its lock.
    file: File,
}

impl TemporaryFile {
    fn write(result: &Path, content: Content<'_>) -> io::Result<TemporaryFile> {
        let mut temporary = TemporaryFile::make(folder_of(result))?;
        content(&mut temporary.file)?;
        temporary.file.sync_all()?;
        Ok(temporary)
    }

    /// O_EXCL: always a new file, never the target of a symlink with this name.
    fn make(folder: &Path) -> io::Result<TemporaryFile> {
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in 0..DRAFTS_MAX {
            let path = folder.join(format!("{DRAFT}{}-{number}", std::process::id()));
            match system::make_marked(&path) {
                Ok(file) => {
                    // File systems without locks: the marker and the process id identify it.
                    let _ = file.try_lock();
                    return Ok(TemporaryFile { path, file });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After a rename the temporary name is gone; after a link the result has its own.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{PAGE_MARK}0.1.0\">\n{text}"
        )
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_result_is_a_new_file_and_only_a_report_takes_the_place_of_a_report() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page.html");
        write_result(&path, page("one").as_bytes(), Replace::OwnReport).expect("new");
        write_result(&path, page("two").as_bytes(), Replace::OwnReport).expect("replaced");
        assert!(fs::read_to_string(&path).expect("a page").ends_with("two"));
        let refused = write_result(&path, b"three", Replace::Nothing)
            .expect_err("taken")
            .to_string();
        assert!(
            refused.contains("already exists") && refused.contains("does not exist yet"),
            "{refused}"
        );
        fs::write(&path, "<!doctype html>\nof somebody else").expect("written");
        let refused = write_result(&path, page("four").as_bytes(), Replace::OwnReport)
            .expect_err("foreign")
            .to_string();
        assert!(refused.contains("not a plumb report"), "{refused}");
        assert_eq!(names_in(folder.path()), ["page.html"]);
    }

    #[cfg(unix)]
    #[test]
    fn no_symlink_is_followed_and_a_pipe_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("page.html");
        write_result(&own, page("one").as_bytes(), Replace::OwnReport).expect("new");
        for (name, to) in [
            ("link", "page.html"),
            ("dangling", "nothing"),
            ("device", "/dev/zero"),
        ] {
            let link = folder.path().join(name);
            std::os::unix::fs::symlink(to, &link).expect("a symlink");
            let refused = write_result(&link, page("two").as_bytes(), Replace::OwnReport)
                .expect_err(name)
                .to_string();
            assert!(refused.contains(&format!("a symlink to {to}")), "{refused}");
        }
        assert!(fs::read_to_string(&own).expect("a page").ends_with("one"));
        assert_eq!(
            names_in(folder.path()),
            ["dangling", "device", "link", "page.html"]
        );
        write_result(Path::new("/dev/null"), b"page", Replace::OwnReport).expect("swallowed");
        let refused = write_result(Path::new("/dev/zero"), b"page", Replace::OwnReport)
            .expect_err("a device")
            .to_string();
        assert!(refused.contains("a character device"), "{refused}");
        let full = write_result(Path::new("/dev/full"), b"page", Replace::OwnReport)
            .expect_err("full")
            .to_string();
        assert!(full.contains("cannot be written"), "{full}");
    }
}
