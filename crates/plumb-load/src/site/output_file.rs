//! May the output of a command be written to this file, and how is it known again as one that plumb wrote?

use std::fs::File;
use std::io;
use std::path::Path;

use crate::site::mark::{Mark, State};
use crate::system::files;

/// Content of the file, according to its mark.
const CONTENT: &str = "output of a command";

/// True of a name that is free, and of a file that is as plumb left it, or empty: nothing is lost when it is written over.
pub fn loses_nothing(path: &Path) -> bool {
    let Ok(found) = path.symlink_metadata() else {
        return true;
    };
    found.is_file()
        && (found.len() == 0 || File::open(path).is_ok_and(|file| Mark::is_as_left(&file)))
}

/// Marks a file that was written as plumb's. On a file system without extended attributes it has no mark.
///
/// # Errors
/// The mark cannot be written.
pub fn mark_as_written(file: File) -> io::Result<()> {
    if files::mark(&file).is_none() && files::set_mark(&file, "").is_err() {
        return Ok(());
    }
    Mark::end(file, State::Filled, CONTENT)?.hold()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_another_wrote_is_kept() {
        // The temporary folder may be on a file system without extended attributes.
        let folder = tempfile::tempdir_in(".").expect("folder");
        let path = folder.path().join("a.prerun.txt");
        assert!(loses_nothing(&path));
        fs::write(&path, "").expect("written");
        assert!(loses_nothing(&path));
        fs::write(&path, "notes of mine").expect("written");
        assert!(!loses_nothing(&path));
        let file = File::options().write(true).open(&path).expect("opened");
        let is_marked = files::set_mark(&file, "").is_ok();
        mark_as_written(file).expect("marked");
        assert_eq!(loses_nothing(&path), is_marked);
        fs::write(&path, "other notes of mine").expect("written");
        assert!(!loses_nothing(&path));
        assert!(!loses_nothing(folder.path()), "no file");
    }
}
