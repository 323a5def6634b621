//! How is a folder emptied, filled and fetched that only a protocol reaches? By commands, or on a share by plumb's own access.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plumb_model::statement::Statement;

use super::serve;
use crate::copy::tree::{Tree, TreeKind};
use crate::share::{ShareEntry, SharedShare, join};

/// Bytes that are fetched at once.
const PIECE: usize = 8 << 20;

/// A folder that only a protocol reaches.
#[derive(Debug, Clone)]
pub enum FarFolder {
    /// `empty` empties it, `fetch` brings it to a folder here.
    Commands {
        empty: Vec<String>,
        fetch: Vec<String>,
    },
    /// On a share that plumb accesses itself.
    OnShare { share: SharedShare, path: String },
}

impl FarFolder {
    /// Removes everything in it.
    ///
    /// # Errors
    /// The server or the command refuses: why.
    pub fn empty(&self, timeout: Option<Duration>, stop: &AtomicBool) -> Result<(), Statement> {
        match self {
            FarFolder::Commands { empty, .. } => serve(empty, timeout, stop),
            FarFolder::OnShare { share, path } => {
                share.remove_all(path).map_err(|error| error.why)?;
                make_folder(share, path)
            }
        }
    }

    /// Brings all of it to `into`, an empty folder: its files byte for byte, but not their time stamps where plumb itself fetches them.
    ///
    /// # Errors
    /// The server or the command refuses, or what it has cannot be written here: why.
    pub fn fetch(
        &self,
        into: &Path,
        timeout: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<(), Statement> {
        match self {
            FarFolder::Commands { fetch, .. } => serve(fetch, timeout, stop),
            FarFolder::OnShare { share, path } => fetch_folder(share, path, into, stop),
        }
    }

    /// Puts a tree there that lies in the folder `from`. Nothing happens any more once `stop` is set.
    ///
    /// # Errors
    /// The server refuses, or a file cannot be read: why.
    pub fn put(
        share: &SharedShare,
        tree: &Tree,
        from: &Path,
        path: &str,
        stop: &AtomicBool,
    ) -> Result<(), Statement> {
        make_folder(share, path)?;
        for entry in &tree.entries {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let below = entry.path.to_string_lossy().replace('\\', "/");
            let there = join(path, &below);
            match entry.kind {
                TreeKind::Folder => make_folder(share, &there)?,
                TreeKind::File { bytes, .. } => {
                    put_file(share, &from.join(&entry.path), &there, bytes, stop)?
                }
            }
        }
        Ok(())
    }
}

/// Makes a folder where folders are more than beginnings of names.
fn make_folder(share: &SharedShare, path: &str) -> Result<(), Statement> {
    let mut share = share.lock();
    if share.has_prefixes() {
        return Ok(());
    }
    share.make_folder(path).map_err(|error| error.why)
}

fn put_file(
    share: &SharedShare,
    here: &Path,
    there: &str,
    bytes: u64,
    stop: &AtomicBool,
) -> Result<(), Statement> {
    let unreadable = |error: io::Error| {
        Statement::new("copy-source-cannot-be-read")
            .name("path", here.display().to_string())
            .name("error", error.to_string())
    };
    let mut file = File::open(here).map_err(unreadable)?;
    let mut broken = None;
    let mut next = |_, piece: &mut [u8]| {
        broken = file.read_exact(piece).err();
        broken.is_none() && !stop.load(Ordering::Relaxed)
    };
    let written = share.lock().write_file(there, true, 0, bytes, &mut next);
    match broken {
        Some(error) => Err(unreadable(error)),
        None => written.map(drop).map_err(|error| error.why),
    }
}

fn fetch_folder(
    share: &SharedShare,
    path: &str,
    into: &Path,
    stop: &AtomicBool,
) -> Result<(), Statement> {
    let entries = share.plain_entries(path).map_err(|error| error.why)?;
    for entry in entries {
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (there, here) = (join(path, &entry.name), into.join(&entry.name));
        if entry.is_folder {
            fs::create_dir(&here).map_err(|error| not_written(&here, &error))?;
            fetch_folder(share, &there, &here, stop)?;
        } else {
            fetch_file(share, &there, &here, &entry, stop)?;
        }
    }
    Ok(())
}

/// A file that ends before its listed size stays short: that is found when it is compared.
fn fetch_file(
    share: &SharedShare,
    there: &str,
    here: &Path,
    entry: &ShareEntry,
    stop: &AtomicBool,
) -> Result<(), Statement> {
    let failed = |error: io::Error| not_written(here, &error);
    let mut file = File::create_new(here).map_err(failed)?;
    let mut start = 0;
    while start < entry.size_bytes && !stop.load(Ordering::Relaxed) {
        let most = (entry.size_bytes - start).min(PIECE as u64) as usize;
        let read = share.lock().read_file(there, start, most);
        let piece = read.map_err(|error| error.why)?;
        if piece.is_empty() {
            break;
        }
        file.write_all(&piece).map_err(failed)?;
        start += piece.len() as u64;
    }
    Ok(())
}

fn not_written(path: &Path, error: &io::Error) -> Statement {
    Statement::new("copy-cannot-be-fetched")
        .name("path", path.display().to_string())
        .name("error", error.to_string())
}
