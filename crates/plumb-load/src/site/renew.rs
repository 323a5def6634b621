//! In which state do a site's files enter a step? Truncated, complete, out of the page cache, or in it.

mod on_share;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::site::Site;
use crate::site::file::{SiteFile, SiteKind};
use crate::site::fill::{self, Prepared, Preparing};
use crate::site::needs::Part;
use crate::site::refusal::{SiteError, unsuitable};
use crate::system;
use crate::system::files::{self, Flags};

/// The range of one file that a step uses, over all its workers.
struct Range {
    path: PathBuf,
    start: u64,
    end: u64,
}

/// What a file is once it has been emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emptied {
    /// Without any length.
    Nothing,
    /// One hole of its length, which a mapping needs.
    Hole,
    /// Its length in blocks that nothing was written to yet.
    Allocated,
}

/// One range for each file.
fn ranges(parts: &[SiteFile]) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for part in parts {
        let end = part.start + part.len;
        match ranges.iter_mut().find(|range| range.path == part.path) {
            Some(range) => {
                (range.start, range.end) = (range.start.min(part.start), range.end.max(end))
            }
            None => ranges.push(Range {
                path: part.path.clone(),
                start: part.start,
                end,
            }),
        }
    }
    ranges
}

impl Site {
    /// Truncates the files that a step uses, so that their blocks are reallocated.
    /// The freeing of the old blocks is committed before this returns: no step pays for it.
    ///
    /// # Errors
    /// When the site was not claimed for that ([`crate::site::Needs::fresh`]), or a file cannot be emptied.
    pub fn empty(&mut self, part: &Part, then: Emptied) -> Result<(), SiteError> {
        if !self.fresh {
            return Err(unsuitable(format!(
                "{} was not claimed for truncation",
                self.path.display()
            )));
        }
        if self.kind == SiteKind::Share {
            return self.empty_on_share(part);
        }
        for range in ranges(&self.part(part)?) {
            let file = self.open_made(&range)?;
            let emptied = file
                .set_len(0)
                .and_then(|()| match then {
                    Emptied::Nothing => Ok(()),
                    Emptied::Hole => file.set_len(range.end),
                    Emptied::Allocated => system::allocate(&file, range.end),
                })
                .and_then(|()| file.sync_all());
            emptied.map_err(SiteError::kernel("empty", &range.path))?;
            self.cleanup
                .kept
                .iter_mut()
                .filter(|kept| kept.file.path == range.path)
                .for_each(|kept| kept.filled = false);
        }
        Ok(())
    }

    /// Fills the files that a step uses where steps that emptied them left them short or with holes. Returns what was written. Where no step
    /// empties files, nothing is looked at: they were filled when they were claimed.
    ///
    /// # Errors
    /// As [`Site::claim`].
    pub fn complete(
        &mut self,
        part: &Part,
        preparing: &mut Preparing<'_>,
    ) -> Result<Vec<Prepared>, SiteError> {
        if !self.fresh {
            return Ok(Vec::new());
        }
        if self.kind == SiteKind::Share {
            return self.complete_on_share(part, preparing);
        }
        let mut wanting = Vec::new();
        let files = self.part(part)?.into_iter();
        let files: Vec<SiteFile> = files.filter(|file| file.kind == SiteKind::File).collect();
        for range in ranges(&files) {
            if !is_complete(&self.open_made(&range)?, &range)
                .map_err(SiteError::kernel("examine", &range.path))?
            {
                wanting.extend(
                    self.files
                        .iter()
                        .find(|file| file.path == range.path)
                        .cloned(),
                );
            }
        }
        let total_bytes = wanting.iter().map(|file| file.len).sum();
        let (mut prepared, mut done_bytes) = (Vec::new(), 0);
        for file in &wanting {
            prepared.push(fill::fill(
                file,
                part.block_bytes,
                preparing,
                &mut done_bytes,
                total_bytes,
            )?);
            self.cleanup
                .kept
                .iter_mut()
                .filter(|kept| kept.file.path == file.path)
                .for_each(|kept| kept.filled = true);
        }
        Ok(prepared)
    }

    /// Kept files that steps truncated and rewrote count as filled if nothing is missing.
    pub(super) fn judge_kept(&mut self) {
        if !self.fresh {
            return;
        }
        for kept in &mut self.cleanup.kept {
            let Some(file) = self.files.iter().find(|file| file.path == kept.file.path) else {
                continue;
            };
            let range = Range {
                path: file.path.clone(),
                start: file.start,
                end: file.start + file.len,
            };
            let opened = file.open(Flags {
                read: true,
                ..Flags::default()
            });
            kept.filled = opened.is_ok_and(|opened| is_complete(&opened, &range).unwrap_or(false));
        }
    }

    /// Drops the pages of all files from the page cache, after writing them out: the next step starts cold. Returns the bytes that stayed
    /// all the same, if the kernel reports it.
    ///
    /// # Errors
    /// When a file cannot be written out, or the system has no way to drop pages.
    pub fn forget_cached(&self) -> Result<Option<u64>, SiteError> {
        let regular = self
            .files
            .iter()
            .filter(|file| matches!(file.kind, SiteKind::File | SiteKind::BlockDevice));
        let mut stayed = Some(0);
        for file in regular {
            let forget = |opened: File| {
                opened.sync_data()?;
                files::forget_cached(&opened, file.start, file.len)?;
                Ok(files::cached_bytes(&opened, file.start, file.len))
            };
            let opened = file.open(Flags {
                read: true,
                ..Flags::default()
            });
            let here = opened
                .and_then(forget)
                .map_err(SiteError::kernel("drop from the page cache", &file.path))?;
            stayed = stayed.zip(here).map(|(sum, here): (u64, u64)| sum + here);
        }
        Ok(stayed)
    }

    /// Reads the part that a step uses into the page cache. A file that is shorter is read to its end. `stop` ends it early.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn pre_read(&self, part: &Part, stop: &AtomicBool) -> Result<(), SiteError> {
        let mut buffer = vec![0; PRE_READ_BYTES];
        let parts = self.part(part)?;
        for range in ranges(&parts) {
            let file = parts.iter().find(|file| file.path == range.path);
            let read = |flags| match file {
                Some(file) => file.open(flags),
                None => files::open(&range.path, flags),
            };
            let flags = Flags {
                read: true,
                ..Flags::default()
            };
            read(flags)
                .and_then(|opened| read_through(opened, &range, &mut buffer, stop))
                .map_err(SiteError::kernel("read", &range.path))?;
        }
        Ok(())
    }

    /// Opens a file that plumb made; another one that has taken its name is left alone.
    fn open_made(&self, range: &Range) -> Result<File, SiteError> {
        let file = self.files.iter().find(|file| file.path == range.path);
        let meant = file.and_then(|file| file.identity);
        let flags = Flags {
            read: true,
            write: true,
            ..Flags::default()
        };
        let opened = file
            .map_or_else(|| files::open(&range.path, flags), |file| file.open(flags))
            .map_err(SiteError::kernel("open", &range.path))?;
        let found = files::traits(&opened).map_err(SiteError::kernel("examine", &range.path))?;
        if found.identity == meant {
            return Ok(opened);
        }
        Err(SiteError::Refused(format!(
            "{} has been replaced by another file since the run started: start again when nothing else changes it",
            range.path.display()
        )))
    }
}

/// Bytes that are read at once into the page cache.
const PRE_READ_BYTES: usize = 1 << 20;

fn read_through(
    mut file: File,
    range: &Range,
    buffer: &mut [u8],
    stop: &AtomicBool,
) -> io::Result<()> {
    file.seek(SeekFrom::Start(range.start))?;
    let mut left = range.end - range.start;
    while left > 0 && !stop.load(Ordering::Relaxed) {
        let len = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        match file.read(&mut buffer[..len]) {
            Ok(0) => break,
            Ok(bytes) => left -= bytes as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// True when the file reaches to the end of the range and was written everywhere within it.
fn is_complete(file: &File, range: &Range) -> io::Result<bool> {
    Ok(file.metadata()?.len() >= range.end
        && files::first_hole(file, range.start, range.end).is_none())
}
