//! How is a recording removed, and nothing else? Its files by name, if its header still identifies it as that run.

use std::fs;
use std::io;
use std::path::Path;

use crate::folder::{HEADER, NOTES, OPERATIONS, READINGS, TICKS};
use crate::reader::read_header;

/// Removes the run with this id. False: the folder does not hold that run (it was moved or replaced), and is not changed; or it holds additional files, and
/// the folder stays with them.
///
/// Errors: one of its files cannot be removed.
pub fn remove_run(folder: &Path, id: &str) -> io::Result<bool> {
    // A link would lead elsewhere.
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    if !is_folder || read_header(folder).map_or(true, |header| header.id != id) {
        return Ok(false);
    }
    // The header is removed last: until then it identifies the folder.
    for name in [OPERATIONS, TICKS, READINGS, NOTES, HEADER] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    match fs::remove_dir(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunWriter;
    use crate::tests::synthetic::{Builder, ladder};

    #[test]
    fn only_the_run_itself_is_removed() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("r.plumb");
        let run = Builder::new(ladder("read", &[1])).finish();
        let writer = RunWriter::create(&folder, &run.header).expect("the folder is new");
        writer.finish().expect("written");
        let removed = |folder: &Path, id: &str| remove_run(folder, id).expect("no error");
        let id = run.header.id.as_str();
        // Another run, no run, and nothing.
        assert!(!removed(&folder, "another"));
        assert!(!removed(place.path(), id));
        assert!(!removed(&place.path().join("gone"), id));
        #[cfg(unix)]
        {
            let link = place.path().join("link.plumb");
            std::os::unix::fs::symlink(&folder, &link).expect("a link");
            assert!(!removed(&link, id));
        }
        assert!(crate::read_run(&folder).is_ok());
        assert!(removed(&folder, id));
        assert!(!folder.exists());
    }
}
