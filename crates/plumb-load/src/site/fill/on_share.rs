//! How is a file on a share filled? In whole blocks of content, sent in pieces of the share's own length.

use std::path::PathBuf;
use std::time::Instant;

use plumb_model::target::remote::Remote;

use super::{Activity, Prepared, Preparing, Progress};
use crate::share::{self, SharedShare};
use crate::site::file::{SiteFile, path_text};
use crate::site::refusal::SiteError;

/// Where files are filled, and in which blocks.
pub struct ShareFill<'a> {
    pub remote: &'a Remote,
    pub share: &'a SharedShare,
    pub block_bytes: u64,
}

impl ShareFill<'_> {
    /// Fills a file from its start to its end; `is_new` makes it. `done_bytes` of `total_bytes` are those of all files that are filled.
    ///
    /// # Errors
    /// The server refuses it, or the user wants to end: a new file is gone then.
    pub fn fill(
        &self,
        file: &SiteFile,
        is_new: bool,
        preparing: &mut Preparing<'_>,
        done_bytes: &mut u64,
        total_bytes: u64,
    ) -> Result<Prepared, SiteError> {
        let begun = Instant::now();
        let shown = PathBuf::from(format!(
            "{}://{}/{}",
            self.remote.scheme,
            self.remote.host,
            share::join(self.remote.share(), &path_text(&file.path))
        ));
        let mut blocks = AlignedBlocks::of(file, self.block_bytes);
        let mut next = |offset: u64, piece: &mut [u8]| {
            blocks.copy(offset, piece, |at, bytes| {
                (preparing.fill)(file.index, at, bytes)
            });
            let done_bytes = *done_bytes + (offset - file.start);
            (preparing.progress)(Progress {
                activity: Activity::Filling,
                path: &shown,
                done_bytes,
                total_bytes,
            });
            preparing.go_on().is_ok()
        };
        let complete = self.share.lock().write_file(
            &path_text(&file.path),
            is_new,
            file.start,
            file.len,
            &mut next,
        )?;
        if !complete {
            // The site is dropped by its owner, and what was made goes; a new file of the user's folder is not in its list yet.
            if is_new {
                self.share.remove_all(&path_text(&file.path))?;
            }
            return Err(SiteError::Stopped);
        }
        *done_bytes += file.len;
        Ok(Prepared {
            path: shown,
            bytes: file.len,
            duration_ns: begun.elapsed().as_nanos() as u64,
        })
    }
}

/// Least bytes of content that are made at once.
const MADE_BYTES: u64 = 1 << 20;

/// Content is made in whole blocks, whose stamps are kept, and sent in pieces of the share's own length.
struct AlignedBlocks {
    bytes: Vec<u8>,
    /// Where they lie in the file.
    at: u64,
    end: u64,
    each: u64,
}

impl AlignedBlocks {
    fn of(file: &SiteFile, block_bytes: u64) -> AlignedBlocks {
        let block = block_bytes.max(1);
        AlignedBlocks {
            bytes: Vec::new(),
            at: file.start,
            end: file.start + file.len,
            each: MADE_BYTES.div_ceil(block).saturating_mul(block),
        }
    }

    /// The content of a piece. Pieces follow each other without gaps.
    fn copy(
        &mut self,
        mut offset: u64,
        mut piece: &mut [u8],
        mut make: impl FnMut(u64, &mut [u8]),
    ) {
        while !piece.is_empty() && offset < self.end {
            let mut made_to = self.at + self.bytes.len() as u64;
            if offset >= made_to {
                self.at = made_to;
                self.bytes
                    .resize(self.each.min(self.end - self.at) as usize, 0);
                make(self.at, &mut self.bytes);
                made_to = self.at + self.bytes.len() as u64;
            }
            let count = ((made_to - offset) as usize).min(piece.len());
            let from = (offset - self.at) as usize;
            let (now, rest) = std::mem::take(&mut piece).split_at_mut(count);
            now.copy_from_slice(&self.bytes[from..from + count]);
            (piece, offset) = (rest, offset + count as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::SiteKind;

    #[test]
    fn content_is_made_in_full_blocks_whatever_pieces_are_asked_for() {
        let file = SiteFile {
            index: 0,
            path: "f".into(),
            start: 500,
            len: 5 << 20,
            kind: SiteKind::Share,
            identity: None,
            folder: None,
        };
        for (block, piece_bytes) in [
            (20_000, 1 << 20),
            (3 << 20, 1 << 20),
            (4096, 12 << 20),
            (1, 777_777),
        ] {
            let mut blocks = AlignedBlocks::of(&file, block);
            let (mut at, end) = (file.start, file.start + file.len);
            while at < end {
                let mut piece = vec![0; (end - at).min(piece_bytes) as usize];
                blocks.copy(at, &mut piece, |offset, bytes| {
                    let is_aligned = (bytes.len() as u64).is_multiple_of(block)
                        || offset + bytes.len() as u64 == end;
                    assert!(
                        (offset - file.start).is_multiple_of(block) && is_aligned,
                        "{offset} of {block}"
                    );
                    bytes
                        .iter_mut()
                        .enumerate()
                        .for_each(|(index, byte)| *byte = ((offset + index as u64) % 251) as u8);
                });
                assert!(
                    piece
                        .iter()
                        .enumerate()
                        .all(|(index, byte)| *byte == ((at + index as u64) % 251) as u8),
                    "{at} of {block}"
                );
                at += piece.len() as u64;
            }
        }
    }
}
