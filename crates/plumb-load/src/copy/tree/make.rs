//! How does a tree come to lie on a file system, and go again? Written file by file; folders get their time stamps last.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::entries::{Tree, TreeKind};
use crate::system::trees;

/// Bytes that are made and written at once.
const PIECE: usize = 1 << 20;

impl Tree {
    /// Writes the tree into `root`, a folder that exists and is empty. `progress` gets the bytes written so far.
    ///
    /// # Errors
    /// The first thing that could not be made, with its path; [`io::ErrorKind::Interrupted`] when `stop` was set. What was made stays.
    pub fn make(
        &self,
        root: &Path,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> io::Result<()> {
        let at = |path: &Path, error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        };
        let mut buffer = vec![0; PIECE.min(self.bytes().max(1) as usize)];
        let mut written = 0;
        for entry in &self.entries {
            let path = root.join(&entry.path);
            match entry.kind {
                TreeKind::Folder => fs::create_dir(&path).map_err(|error| at(&path, error))?,
                TreeKind::File {
                    number,
                    bytes,
                    zeros,
                } => {
                    if stop.load(Ordering::Relaxed) {
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                    let mut file = File::create_new(&path).map_err(|error| at(&path, error))?;
                    self.write(&mut file, (number, bytes, zeros), &mut buffer, stop)
                        .map_err(|error| at(&path, error))?;
                    trees::set_modified(&file, entry.modified_ns)
                        .map_err(|error| at(&path, error))?;
                    trees::set_mode(&path, entry.mode).map_err(|error| at(&path, error))?;
                    written += bytes;
                    progress(written);
                }
            }
        }
        // What is made in a folder changes its time stamp: folders come last, the innermost first.
        for entry in self
            .entries
            .iter()
            .rev()
            .filter(|entry| entry.kind == TreeKind::Folder)
        {
            let path = root.join(&entry.path);
            trees::set_mode(&path, entry.mode).map_err(|error| at(&path, error))?;
            if trees::FOLDERS_OPEN {
                let set = File::open(&path)
                    .and_then(|folder| trees::set_modified(&folder, entry.modified_ns));
                set.map_err(|error| at(&path, error))?;
            }
        }
        Ok(())
    }

    fn write(
        &self,
        file: &mut File,
        of: (u64, u64, bool),
        buffer: &mut [u8],
        stop: &AtomicBool,
    ) -> io::Result<()> {
        let (number, bytes, zeros) = of;
        let mut offset = 0;
        while offset < bytes {
            if stop.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let len = (bytes - offset).min(buffer.len() as u64) as usize;
            self.fill(number, zeros, offset, &mut buffer[..len]);
            file.write_all(&buffer[..len])?;
            offset += len as u64;
        }
        Ok(())
    }
}

/// Removes everything in a folder, following no symlink; the folder itself stays.
///
/// # Errors
/// The first thing that could not be removed.
pub fn empty_folder(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let removed = if entry.file_type()?.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        removed.map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
    }
    Ok(())
}

/// True when there is nothing in the folder.
///
/// # Errors
/// It cannot be read.
pub fn holds_nothing(folder: &Path) -> io::Result<bool> {
    Ok(fs::read_dir(folder)?.next().is_none())
}
