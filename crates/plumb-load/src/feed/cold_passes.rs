//! When are the pages of a worker's files dropped again? Before each further pass over them (`cold-passes`).

use std::fs::File;
use std::io;

use crate::engine::OpenFile;
use crate::engine::operation::Op;
use crate::site::SiteFile;
use crate::system::files;

/// The files of a worker, and the bytes that are left of its pass over them.
pub struct ColdPasses {
    files: Vec<(File, u64, u64)>,
    pass_bytes: u64,
    left: u64,
}

impl ColdPasses {
    /// For passes of `pass_bytes`; 0: of all bytes of the files.
    ///
    /// # Errors
    /// When no further descriptor can be had.
    pub fn of(open: &[OpenFile], parts: &[SiteFile], pass_bytes: u64) -> io::Result<ColdPasses> {
        let file = |(open, part): (&OpenFile, &SiteFile)| {
            Ok((open.file.try_clone()?, part.start, part.len))
        };
        let files: io::Result<Vec<_>> = open.iter().zip(parts).map(file).collect();
        let all_bytes = parts.iter().map(|part| part.len).sum();
        let pass_bytes = [pass_bytes, all_bytes].into_iter().find(|bytes| *bytes > 0);
        let pass_bytes = pass_bytes.unwrap_or(u64::MAX);
        Ok(ColdPasses {
            files: files?,
            pass_bytes,
            left: pass_bytes,
        })
    }

    /// Takes note of operations that are about to be submitted. What the kernel does not drop stays, as at the start of the step.
    pub fn count(&mut self, ops: &[Op]) {
        for op in ops {
            if self.left == 0 {
                self.left = self.pass_bytes;
                self.drop_pages();
            }
            self.left = self.left.saturating_sub(u64::from(op.len));
        }
    }

    #[cold]
    fn drop_pages(&self) {
        for (file, start, len) in &self.files {
            let _ = files::forget_cached(file, *start, *len);
        }
    }
}
