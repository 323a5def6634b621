//! How are operations carried out through the C library's buffered streams (FILE), as older programs do?
//!
//! Blocks go through fwrite and fread, or byte by byte through putc and getc. `fputc` and `fgetc` stand for the latter: in the C libraries of Linux and
//! FreeBSD they are the same functions, which take the stream's lock for each byte, as bonnie++ 1.03 did (newer C libraries leave the lock out in programs
//! of one thread, which this is not).

#[cfg(unix)]
#[path = "stdio/unix.rs"]
mod library;
#[cfg(windows)]
#[path = "stdio/windows.rs"]
mod library;

use std::io;
use std::ptr::NonNull;

use plumb_model::engines::EngineProperties;
use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;

use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome, one_by_one};
use crate::engine::{Closing, Engine, EngineKind, OpenFile, Opened, Setup, Unavailable, Wait};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "stdio",
        meaning: "one operation at a time with fread and fwrite of the C library, or getc and putc (per-character); depth is 1 per worker",
        schemes: &[],
        asynchronous: false,
        batch: 1,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Rewrite,
            OperationKind::Flush,
        ],
        by_auto: false,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: Some("moves data through the C library's buffers, so it cannot be direct"),
        shares_connection: false,
        own_options: &["per-character", "stdio-buffer"],
        fio: &[],
    },
    open,
};

struct Stdio<'a> {
    streams: Vec<Stream>,
    files: &'a [OpenFile],
    base: *mut u8,
    stride: usize,
    per_character: bool,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    if setup.files.iter().any(|file| file.direct) {
        return Err(Unavailable(Statement::new("stdio-is-not-aligned")));
    }
    let buffer_bytes = match setup.choice.stdio_buffer.0 as usize {
        0 => setup.buffers.slot_bytes,
        requested => requested,
    };
    let streams = setup
        .files
        .iter()
        .map(|file| Stream::open(file, buffer_bytes))
        .collect::<Result<_, _>>()?;
    let per_character = setup.choice.per_character;
    let engine = Stdio {
        streams,
        files: setup.files,
        base: setup.buffers.base,
        stride: setup.buffers.stride,
        per_character,
    };
    let calls = if per_character {
        "putc and getc"
    } else {
        "fwrite and fread"
    };
    Ok(Opened {
        active: vec![format!("{calls} with a buffer of {buffer_bytes} bytes")],
        ..Opened::local(engine)
    })
}

/// Which way bytes went last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Reading,
    Writing,
}

/// One open stream.
struct Stream {
    file: NonNull<libc::FILE>,
    /// Where the next byte comes from or goes to; missing at first and after a failure.
    at: Option<u64>,
    last: Option<Direction>,
    /// The stream's buffer: in use until it is closed. `setvbuf` without one ignores the size (glibc).
    buffer: Box<[u8]>,
}

impl Stream {
    /// A stream on a descriptor of its own, so that closing it closes nothing else.
    fn open(file: &OpenFile, buffer_bytes: usize) -> Result<Stream, Unavailable> {
        let refuse = |error: io::Error| {
            Unavailable(
                Statement::new("file-cannot-be-a-stream")
                    .name("path", file.path.display().to_string())
                    .name("error", error.to_string()),
            )
        };
        let stream = library::stream(file).map_err(refuse)?;
        let mut stream = Stream {
            file: stream,
            at: None,
            last: None,
            buffer: vec![0; buffer_bytes.max(1)].into(),
        };
        // SAFETY: nothing was done with the stream yet; the buffer lives until the stream is closed.
        unsafe { library::set_buffer(stream.file.as_ptr(), &mut stream.buffer) }.map_err(refuse)?;
        Ok(stream)
    }

    /// Seeks the stream to an offset. Skipped if it is there already; but between reading and writing the C standard demands a call (7.23.5.3).
    fn seek(&mut self, offset: u64, direction: Direction) -> io::Result<()> {
        if self.at != Some(offset) || self.last != Some(direction) {
            // SAFETY: the stream is open.
            let sought = unsafe { library::seek(self.file.as_ptr(), offset) };
            if let Err(error) = sought {
                self.at = None;
                return Err(error);
            }
        }
        self.last = Some(direction);
        Ok(())
    }

    /// Moves `length` bytes between the stream at `offset` and the buffer. Returns how many; fewer only at the end of the file.
    ///
    /// # Safety
    /// `buffer` holds `length` bytes.
    unsafe fn transfer(
        &mut self,
        offset: u64,
        buffer: *mut u8,
        length: usize,
        direction: Direction,
        per_character: bool,
    ) -> io::Result<usize> {
        self.seek(offset, direction)?;
        let file = self.file.as_ptr();
        // SAFETY: the stream is open, the buffer holds `length` bytes as promised by the caller.
        let (moved, error) = unsafe {
            let moved = match (direction, per_character) {
                (Direction::Reading, false) => libc::fread(buffer.cast(), 1, length, file),
                (Direction::Writing, false) => libc::fwrite(buffer.cast(), 1, length, file),
                (Direction::Reading, true) => get_each(buffer, length, file),
                (Direction::Writing, true) => put_each(buffer, length, file),
            };
            (moved, library::last_error())
        };
        if moved == length {
            self.at = Some(offset + length as u64);
            return Ok(moved);
        }
        // What was moved of a failed block is not known: the next one is sought.
        self.at = None;
        // SAFETY: as above.
        let failed = unsafe {
            let failed = libc::ferror(file) != 0;
            library::clearerr(file);
            failed
        };
        if failed { Err(error) } else { Ok(moved) }
    }

    /// Hands what the stream holds to the kernel.
    fn flush(&mut self) -> io::Result<()> {
        // SAFETY: the stream is open.
        match unsafe { libc::fflush(self.file.as_ptr()) } {
            0 => Ok(()),
            _ => {
                self.at = None;
                Err(library::last_error())
            }
        }
    }

    /// Closes it with its descriptor; nothing is left in its buffer, or it could not be written.
    fn close(mut self) -> io::Result<()> {
        let file = self.file.as_ptr();
        // The buffer outlives the stream; only the stream itself is not closed twice.
        let buffer = std::mem::take(&mut self.buffer);
        std::mem::forget(self);
        // SAFETY: closed once: `drop` does not run.
        let rc = unsafe { libc::fclose(file) };
        let error = library::last_error();
        drop(buffer);
        if rc == 0 { Ok(()) } else { Err(error) }
    }

    fn fsync(&mut self) -> io::Result<()> {
        self.flush()?;
        // SAFETY: the stream is open.
        unsafe { library::fsync(self.file.as_ptr()) }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: closed once, here; the buffer is freed after it. Errors were reported by `close`, unless the engine never started.
        unsafe { libc::fclose(self.file.as_ptr()) };
    }
}

/// Writes byte by byte; stops at the first that fails.
///
/// # Safety
/// `buffer` holds `length` bytes; the stream is open.
unsafe fn put_each(buffer: *const u8, length: usize, file: *mut libc::FILE) -> usize {
    // SAFETY: as promised by the caller.
    (0..length)
        .find(|at| unsafe { libc::fputc(libc::c_int::from(*buffer.add(*at)), file) } == libc::EOF)
        .unwrap_or(length)
}

/// Reads byte by byte; stops at the end of the file and at the first that fails.
///
/// # Safety
/// `buffer` has room for `length` bytes; the stream is open.
unsafe fn get_each(buffer: *mut u8, length: usize, file: *mut libc::FILE) -> usize {
    for at in 0..length {
        // SAFETY: as promised by the caller.
        unsafe {
            match libc::fgetc(file) {
                libc::EOF => return at,
                byte => *buffer.add(at) = byte as u8,
            }
        }
    }
    length
}

impl Stdio<'_> {
    fn carry_out(&mut self, op: &Op) -> io::Result<usize> {
        let (stream, length, each) = (
            &mut self.streams[op.file as usize],
            op.len as usize,
            self.per_character,
        );
        // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
        let buffer = unsafe { self.base.add(op.slot as usize * self.stride) };
        // SAFETY: buffer and length lie inside the slot.
        let transfer = move |stream: &mut Stream, direction| unsafe {
            stream.transfer(op.offset, buffer, length, direction, each)
        };
        match op.kind {
            OperationKind::Read => transfer(stream, Direction::Reading),
            OperationKind::Write => transfer(stream, Direction::Writing),
            OperationKind::Rewrite => {
                let moved = transfer(stream, Direction::Reading)?;
                // A block that cannot be read completely is not written.
                if moved < length {
                    return Ok(moved);
                }
                // SAFETY: a block has at least a byte.
                unsafe { *buffer = (*buffer).wrapping_add(1) };
                transfer(stream, Direction::Writing)
            }
            OperationKind::Flush => stream.fsync().map(|()| 0),
            _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
        }
    }
}

/// A stream without a reason has no number above 0.
fn outcome(result: io::Result<usize>) -> Outcome {
    match result {
        Ok(moved) => Outcome::moved(moved as u32),
        Err(error) if error.raw_os_error().is_some_and(|number| number > 0) => {
            Outcome::of_error(&error)
        }
        Err(_) => Outcome::failed(FailureKind::Io),
    }
}

impl Engine for Stdio<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        one_by_one(ops, done, |op| outcome(self.carry_out(op)));
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        Some(outcome(self.streams[file as usize].fsync().map(|()| 0)))
    }

    /// What the buffers still hold is written here, after the last operation: an error is a loss of data that counts as written.
    fn close(&mut self) -> Closing {
        let error = self
            .streams
            .iter_mut()
            .find_map(|stream| stream.flush().err());
        let loss = error
            .map(|error| Statement::new("buffered-data-was-lost").name("error", error.to_string()));
        // Closing the stream closes its descriptor, which may fail where closing another one no longer does.
        let closed: Vec<io::Result<()>> = self.streams.drain(..).map(Stream::close).collect();
        let of_streams = closed
            .into_iter()
            .zip(self.files)
            .filter(|(_, file)| file.writable);
        let of_streams =
            of_streams.filter_map(|(closed, file)| Some(file.failure("close", &closed.err()?)));
        let write_back = of_streams
            .chain(self.files.iter().filter_map(OpenFile::closing_failure))
            .collect();
        Closing {
            loss,
            write_back,
            ..Closing::default()
        }
    }
}
