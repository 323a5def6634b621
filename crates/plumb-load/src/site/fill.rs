//! How is a file filled before it is measured? Written from end to end (no holes, no unwritten extents), made durable, and dropped from the page cache.

pub mod on_share;

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::site::file::SiteFile;
use crate::site::open::{AlignedBuffer, DIRECT_ALIGNMENT_BYTES, direct_refusal};
use crate::site::refusal::SiteError;
use crate::system::files::{self, Flags};

/// Written at once: large enough that one write at a time keeps most devices busy.
const CHUNK_BYTES: u64 = 4 << 20;
/// Chunks that are generated ahead of the writing.
const CHUNKS: usize = 3;
/// No chunk is longer, whatever the block size.
const CHUNK_LIMIT_BYTES: u64 = 64 << 20;

/// What is being done while a site is made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Writing the content of a file.
    Filling,
    /// Waiting until the device has all of it (fdatasync).
    Syncing,
    /// Making the small files of a file set.
    MakingFiles,
}

/// How far the making ready has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    pub activity: Activity,
    pub path: &'a Path,
    /// Over all files of the site.
    pub done_bytes: u64,
    pub total_bytes: u64,
}

/// What the caller provides while a site is prepared.
pub struct Preparing<'a> {
    /// Gives the content: (index of the file, offset in the file, bytes to set). Offsets rise from the file's `start` in full blocks; the last piece of a
    /// file may be shorter than a block.
    pub fill: &'a mut dyn FnMut(u32, u64, &mut [u8]),
    /// Set by the caller (a signal) to end the work; looked at between chunks.
    pub stop: &'a AtomicBool,
    /// Called now and then, for a display of the time left.
    pub progress: &'a mut dyn FnMut(Progress<'_>),
}

/// What was written before the measuring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    pub path: PathBuf,
    pub bytes: u64,
    /// Writing and syncing, in nanoseconds.
    pub duration_ns: u64,
}

impl Preparing<'_> {
    /// An error when the caller wants the work to end.
    pub(super) fn go_on(&self) -> Result<(), SiteError> {
        if self.stop.load(Ordering::Relaxed) {
            Err(SiteError::Stopped)
        } else {
            Ok(())
        }
    }
}

/// Length of a chunk: whole blocks, and a multiple of the alignment of O_DIRECT where that is possible.
fn chunk_bytes(block_bytes: u64) -> u64 {
    let block = block_bytes.max(1);
    let mut common = block;
    // Least common multiple with a power of two: double until the alignment divides it.
    while !common.is_multiple_of(DIRECT_ALIGNMENT_BYTES) && common < CHUNK_LIMIT_BYTES {
        common *= 2;
    }
    let unit = if common <= CHUNK_LIMIT_BYTES {
        common
    } else {
        block
    };
    unit * (CHUNK_BYTES / unit).max(1)
}

/// The open file, twice where O_DIRECT works: its writes must be aligned, the tail of a file need not be.
struct Sink {
    direct: Option<File>,
    buffered: File,
    at: u64,
}

impl Sink {
    fn open(file: &SiteFile) -> io::Result<Sink> {
        let buffered = file.open(Flags {
            read: true,
            write: true,
            ..Flags::default()
        })?;
        if files::traits(&buffered)?.identity != file.identity {
            return Err(io::Error::other(
                "another file has taken its name since the run started",
            ));
        }
        let direct = match direct_refusal(file, DIRECT_ALIGNMENT_BYTES) {
            None => file
                .open(Flags {
                    write: true,
                    direct: true,
                    ..Flags::default()
                })
                .ok()
                .filter(|direct| is_same(direct, &buffered)),
            Some(_) => None,
        };
        Ok(Sink {
            direct,
            buffered,
            at: file.start,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let aligned = self.at.is_multiple_of(DIRECT_ALIGNMENT_BYTES)
            && (bytes.len() as u64).is_multiple_of(DIRECT_ALIGNMENT_BYTES);
        let file = self
            .direct
            .as_mut()
            .filter(|_| aligned)
            .unwrap_or(&mut self.buffered);
        file.seek(SeekFrom::Start(self.at))?;
        match file.write_all(bytes) {
            // Some file systems take the flag at open and refuse the writes.
            Err(error)
                if aligned
                    && self.direct.is_some()
                    && error.kind() == io::ErrorKind::InvalidInput =>
            {
                self.direct = None;
                return self.write(bytes);
            }
            result => result?,
        }
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// True of two descriptors of one file.
fn is_same(one: &File, other: &File) -> bool {
    let identity = |file: &File| files::traits(file).ok().map(|traits| traits.identity);
    identity(one).is_some() && identity(one) == identity(other)
}

/// Fills `file` from its start over its length. `done_bytes` is counted up; `total_bytes` is only shown.
pub fn fill(
    file: &SiteFile,
    block_bytes: u64,
    preparing: &mut Preparing<'_>,
    done_bytes: &mut u64,
    total_bytes: u64,
) -> Result<Prepared, SiteError> {
    let started = Instant::now();
    let mut sink = Sink::open(file).map_err(SiteError::kernel("open", &file.path))?;
    let chunk = chunk_bytes(block_bytes).min(file.len.max(1));
    let (full_sender, full) = bounded::<(AlignedBuffer, usize)>(CHUNKS);
    let (free_sender, free) = bounded::<AlignedBuffer>(CHUNKS);
    for _ in 0..CHUNKS {
        // Cannot fail: the channel has room for all, and its receiver lives.
        let _ = free_sender.send(AlignedBuffer::new(chunk as usize));
    }
    let sink = std::thread::scope(|scope| {
        let writer = std::thread::Builder::new().name("plumb-fill".into());
        let writer = writer.spawn_scoped(scope, move || {
            write_chunks(&mut sink, &full, &free_sender).map(|()| sink)
        });
        let writer = writer.map_err(SiteError::kernel("start a thread that fills", &file.path))?;
        let generated = generate(
            file,
            chunk,
            preparing,
            done_bytes,
            total_bytes,
            &free,
            full_sender,
        );
        let written = writer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the writing thread ended by itself")));
        let sink = written.map_err(SiteError::kernel("fill", &file.path))?;
        generated.map(|()| sink)
    })?;
    preparing.go_on()?;
    (preparing.progress)(Progress {
        activity: Activity::Syncing,
        path: &file.path,
        done_bytes: *done_bytes,
        total_bytes,
    });
    sink.buffered
        .sync_data()
        .map_err(SiteError::kernel("sync", &file.path))?;
    // A cache that cannot be dropped shows in the findings (`cached_bytes`), it is no reason to stop.
    let _ = files::forget_cached(&sink.buffered, file.start, file.len);
    Ok(Prepared {
        path: file.path.clone(),
        bytes: file.len,
        duration_ns: started.elapsed().as_nanos() as u64,
    })
}

/// Fills buffers with content and hands them to the writer, until the file is full, the caller stops, or the writer has failed.
fn generate(
    file: &SiteFile,
    chunk: u64,
    preparing: &mut Preparing<'_>,
    done_bytes: &mut u64,
    total_bytes: u64,
    free: &Receiver<AlignedBuffer>,
    full: Sender<(AlignedBuffer, usize)>,
) -> Result<(), SiteError> {
    let end = file.start + file.len;
    let mut at = file.start;
    while at < end {
        preparing.go_on()?;
        // Both channels close when the writer fails; its error is reported by the caller.
        let Ok(mut buffer) = free.recv() else {
            return Ok(());
        };
        let len = chunk.min(end - at);
        (preparing.fill)(file.index, at, &mut buffer.bytes()[..len as usize]);
        if full.send((buffer, len as usize)).is_err() {
            return Ok(());
        }
        at += len;
        *done_bytes += len;
        (preparing.progress)(Progress {
            activity: Activity::Filling,
            path: &file.path,
            done_bytes: *done_bytes,
            total_bytes,
        });
    }
    Ok(())
}

/// Writes what comes, and gives the buffers back.
fn write_chunks(
    sink: &mut Sink,
    full: &Receiver<(AlignedBuffer, usize)>,
    free: &Sender<AlignedBuffer>,
) -> io::Result<()> {
    for (mut buffer, len) in full {
        sink.write(&buffer.bytes()[..len])?;
        // The generator may have finished and gone.
        let _ = free.send(buffer);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_full_blocks_and_aligned_where_they_can_be() {
        for block in [512, 1000, 4096, 6144, 65_536, 1 << 20, 3 << 20, 16 << 20] {
            let chunk = chunk_bytes(block);
            assert_eq!(chunk % block, 0, "{block}");
            assert_eq!(chunk % DIRECT_ALIGNMENT_BYTES, 0, "{block}");
            assert!(chunk <= CHUNK_LIMIT_BYTES && chunk >= block, "{block}");
        }
        assert_eq!(chunk_bytes(128 << 20), 128 << 20);
    }
}
