//! How is a target prepared for load, and released afterwards? Resolved, judged safe, filled, opened, cleaned up.
//!
//! A run claims one site for each distinct target, with the union of what its steps need, and keeps it over all steps and rounds. Everything that plumb
//! made is removed when the site is dropped, whatever ended the run.

mod admission;
mod claim;
mod cleanup;
mod file;
mod file_set;
mod fill;
mod joint;
mod mark;
mod needs;
mod open;
mod output_file;
mod permission;
mod refusal;
mod renew;
mod scratch;
mod space;
mod written;

use std::path::{Path, PathBuf};

use plumb_model::statement::Statement;
use plumb_model::workload::Layout;

pub use crate::system::files::{Flags, Identity, open_files_limit};
pub use admission::{Admission, ShareLogin};
pub use file::{SiteFile, SiteKind};
pub use file_set::FileSet;
pub use file_set::shape::FileShape;
pub use fill::{Activity, Prepared, Preparing, Progress};
pub use needs::{FileSetNeeds, Needs, Part, content_name};
pub use open::{Access, Opened, open_file};
pub use output_file::{loses_nothing, mark_as_written};
pub use permission::Overwrite;
pub use refusal::SiteError;
pub use renew::Emptied;
pub use scratch::folder::{Folder, holds_folders, refuse_path_of_others};
pub use scratch::leftovers::{Leftover, leftovers, scratch_leftovers};
pub use scratch::small_files::SmallFiles;
pub use scratch::{IMPORT, Scratch, warn_of_stale};
pub use space::total_bytes;
pub use written::Written;

use cleanup::Cleanup;
use refusal::unsuitable;

use crate::engine::stop_request::StopRequest;
use crate::secret::Secret;

/// A target that is ready for load.
#[derive(Debug)]
pub struct Site {
    kind: SiteKind,
    path: PathBuf,
    /// The shared file if there is one, then each worker's own.
    files: Vec<SiteFile>,
    has_shared: bool,
    /// All workers go over all files.
    is_spread: bool,
    file_set: Option<FileSet>,
    prepared: Vec<Prepared>,
    warnings: Vec<Statement>,
    /// Steps empty the files before they begin.
    fresh: bool,
    cleanup: Cleanup,
    /// Name of the folder that plumb made in the target.
    folder_name: Option<String>,
    /// Another process made the files and takes care of them.
    is_joined: bool,
    /// The password of the share.
    secret: Option<Secret>,
    /// Ends waits for a server.
    stop: StopRequest,
}

impl Site {
    /// A target of which nothing is used yet.
    fn new(kind: SiteKind, path: &Path) -> Site {
        Site {
            kind,
            path: path.to_path_buf(),
            files: Vec::new(),
            has_shared: true,
            is_spread: false,
            file_set: None,
            prepared: Vec::new(),
            warnings: Vec::new(),
            fresh: false,
            cleanup: Cleanup::default(),
            folder_name: None,
            is_joined: false,
            secret: None,
            stop: StopRequest::default(),
        }
    }

    /// What the target turned out to be.
    pub fn kind(&self) -> SiteKind {
        self.kind
    }

    /// The target with symlinks resolved; `null:` for none.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All files that hold blocks: the shared one first, then each worker's own.
    pub fn files(&self) -> &[SiteFile] {
        &self.files
    }

    fn shared(&self) -> Option<&SiteFile> {
        self.files.first().filter(|_| self.has_shared)
    }

    fn own(&self) -> &[SiteFile] {
        &self.files[usize::from(self.has_shared)..]
    }

    /// Bytes in use: of the shared file, else of all own files together; 0 if only file operations were requested.
    pub fn size_bytes(&self) -> u64 {
        self.shared().map_or_else(
            || self.own().iter().map(|file| file.len).sum(),
            |file| file.len,
        )
    }

    /// The small files that file operations work on, if requested. None exists until [`FileSet::reset`]; they go with the site.
    pub fn file_set(&self) -> Option<&FileSet> {
        self.file_set.as_ref()
    }

    /// The password of the share, for engines; `None` when there is none.
    pub fn secret(&self) -> Option<&Secret> {
        self.secret.as_ref()
    }

    /// The request to end, for engines that wait for a server.
    pub fn stop(&self) -> &StopRequest {
        &self.stop
    }

    /// What was written before the measuring; to be recorded.
    pub fn prepared(&self) -> &[Prepared] {
        &self.prepared
    }

    /// What the user should know: folders of killed runs, symlinks, files that cannot be marked.
    pub fn warnings(&self) -> &[Statement] {
        &self.warnings
    }

    /// The ranges that the workers of one step use: one for each worker with [`Layout::Own`], else a single one for all of them; of several files
    /// that all of them go over, all.
    ///
    /// # Errors
    /// When the part is not within what was claimed, or smaller than a block for each worker.
    pub fn part(&self, part: &Part) -> Result<Vec<SiteFile>, SiteError> {
        if self.is_spread {
            return self.spread_part(part);
        }
        if part.layout == Layout::Own && !self.own().is_empty() {
            return self.own_part(part);
        }
        let shared = self.shared().ok_or_else(|| {
            unsuitable(format!(
                "{} was claimed without a block size",
                self.path.display()
            ))
        })?;
        let end = shared.start + shared.len;
        let len = part
            .size_bytes
            .unwrap_or_else(|| end.saturating_sub(part.start));
        if part.start < shared.start || part.start.checked_add(len).is_none_or(|last| last > end) {
            return Err(unsuitable(format!(
                "{len} bytes at offset {} are outside of the {} bytes at offset {} that were claimed of {}",
                part.start,
                shared.len,
                shared.start,
                self.path.display()
            )));
        }
        let shared_file = SiteFile {
            start: part.start,
            len,
            ..shared.clone()
        };
        if part.layout != Layout::Own {
            return at_least_a_block(vec![shared_file], part);
        }
        let of_worker = |worker: u32| {
            let before: u64 = (0..worker)
                .map(|worker| space::part_of_worker(len, part.block_bytes, worker, part.workers))
                .sum();
            let len = space::part_of_worker(len, part.block_bytes, worker, part.workers);
            SiteFile {
                start: shared_file.start + before,
                len,
                ..shared_file.clone()
            }
        };
        at_least_a_block((0..part.workers).map(of_worker).collect(), part)
    }

    /// True when every worker goes over all files.
    pub fn is_spread(&self) -> bool {
        self.is_spread
    }

    /// All files, with the share of each of the size that the step uses.
    fn spread_part(&self, part: &Part) -> Result<Vec<SiteFile>, SiteError> {
        let count = self.files.len().max(1) as u64;
        let block = part.block_bytes.max(1);
        let each = part
            .size_bytes
            .map_or(u64::MAX, |size| size / count - size / count % block);
        let files = self.files.iter().map(|file| SiteFile {
            len: file.len.min(each),
            ..file.clone()
        });
        at_least_a_block(files.collect(), part)
    }

    fn own_part(&self, part: &Part) -> Result<Vec<SiteFile>, SiteError> {
        let files = self.own().get(..part.workers as usize).ok_or_else(|| {
            unsuitable(format!(
                "{} was claimed for {} workers with separate files, not for {}",
                self.path.display(),
                self.own().len(),
                part.workers
            ))
        })?;
        let most = |worker: u32| {
            part.size_bytes.map_or(u64::MAX, |size| {
                space::part_of_worker(size, part.block_bytes, worker, part.workers)
            })
        };
        at_least_a_block(
            files
                .iter()
                .zip(0..)
                .map(|(file, worker)| SiteFile {
                    len: file.len.min(most(worker)),
                    ..file.clone()
                })
                .collect(),
            part,
        )
    }

    /// Whether plumb's own folder is still where it was made.
    ///
    /// # Errors
    /// Somebody moved or replaced it, or unmounted its file system.
    pub fn is_in_place(&self) -> Result<(), SiteError> {
        self.cleanup.is_in_place()
    }

    /// Removes what plumb made (unless it is to be kept), restores lengths, frees locks. Dropping the site does the same without reporting errors.
    ///
    /// # Errors
    /// What could not be removed, and why; the rest has been removed all the same.
    pub fn release(mut self) -> Result<(), SiteError> {
        self.judge_kept();
        self.cleanup.release()
    }
}

fn at_least_a_block(files: Vec<SiteFile>, part: &Part) -> Result<Vec<SiteFile>, SiteError> {
    match files.iter().find(|file| file.len < part.block_bytes) {
        Some(file) => Err(unsuitable(format!(
            "the part of {} per worker has {} bytes, less than one block of {}: use a larger --size, smaller blocks or fewer workers",
            file.path.display(),
            file.len,
            part.block_bytes
        ))),
        None => Ok(files),
    }
}
