//! Which calls start an overlapped operation, and how does it come back?

use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;
use windows_sys::Win32::Foundation::{
    ERROR_HANDLE_EOF, ERROR_IO_PENDING, GetLastError, HANDLE, INVALID_HANDLE_VALUE,
    RtlNtStatusToDosError, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO as overlapped;
use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_ENTRY};
use windows_sys::Win32::System::WindowsProgramming::{
    FILE_SKIP_COMPLETION_PORT_ON_SUCCESS, FILE_SKIP_SET_EVENT_ON_HANDLE,
};

use crate::engine::buffers::Region;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, OpenFile, Opened, Setup, Unavailable, Wait};
use crate::system::windows::handles::{overlapped, succeeded};
use crate::system::windows::second_handle::{HandleOptions, second_handle};
use crate::system::windows::trim::{self, Trim};

/// Completions that one call takes at most.
const TAKEN_AT_ONCE: usize = 256;
/// Maximum wait of one call, so that requests from the crew are noticed while storage hangs.
const WAIT_MAX_MS: u32 = 100;
/// So long operations are waited for that were cancelled.
const CANCEL_MAX: Duration = Duration::from_secs(2);
/// Statuses from here on are errors (NT_ERROR, ntdef.h).
const ERRORS_FROM: u32 = 0xC000_0000;

struct Overlapped<'a> {
    port: OwnedHandle,
    open: &'a [OpenFile],
    files: Vec<File>,
    /// One for each slot. The kernel writes into them: they stay where they are while an operation is in flight.
    control: Box<[OVERLAPPED]>,
    entries: Vec<OVERLAPPED_ENTRY>,
    region: Region,
    trim: Trim,
    /// An operation that is done when its call comes back sends no packet.
    skips_port: bool,
    in_flight: u32,
    started: u64,
    at_once: u64,
}

pub fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    // SAFETY: makes a port that belongs to nobody else; one thread takes from it.
    let port = unsafe {
        let port = overlapped::CreateIoCompletionPort(INVALID_HANDLE_VALUE, null_mut(), 0, 1);
        if port.is_null() {
            let error = io::Error::last_os_error().to_string();
            return Err(Unavailable(
                Statement::new("no-completion-port").name("error", error),
            ));
        }
        OwnedHandle::from_raw_handle(port)
    };
    let depth = (setup.depth as usize).max(1);
    let mut engine = Overlapped {
        port,
        open: setup.files,
        files: Vec::new(),
        control: vec![overlapped(0); depth].into(),
        entries: vec![OVERLAPPED_ENTRY::default(); depth.min(TAKEN_AT_ONCE)],
        region: setup.buffers,
        trim: Trim::of(setup.files.first().is_some_and(|file| file.block_device)),
        skips_port: true,
        in_flight: 0,
        started: 0,
        at_once: 0,
    };
    let mut refused = Vec::new();
    let joined = setup.files.iter().map(|file| engine.join(file));
    let joined: Vec<File> = joined.collect::<Result<_, _>>()?;
    let skips: io::Result<()> = joined.iter().try_for_each(skip_port);
    engine.files = joined;
    if let Err(error) = skips {
        // All are treated alike: those that would skip it are opened again.
        engine.skips_port = false;
        engine.files = setup
            .files
            .iter()
            .map(|file| engine.join(file))
            .collect::<Result<_, _>>()?;
        refused
            .push(Statement::new("completions-are-not-skipped").name("error", error.to_string()));
    }
    let mut active = vec!["completion port".to_owned()];
    if engine.skips_port {
        active.push("skip completion port on success".into());
    }
    if setup.trims {
        active.push(engine.trim.name().into());
    }
    Ok(Opened {
        active,
        refused,
        ..Opened::local(engine)
    })
}

/// An operation that is done when its call comes back sends no packet.
fn skip_port(file: &File) -> io::Result<()> {
    let modes = FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE;
    // SAFETY: plain call on an open handle.
    succeeded(unsafe { fs::SetFileCompletionNotificationModes(file.as_raw_handle(), modes as u8) })
}

/// The outcome of an operation that failed with this code. At the end of the file a read transfers nothing, which is not an error.
#[cold]
fn failed(code: u32) -> Outcome {
    match code {
        ERROR_HANDLE_EOF => Outcome::moved(0),
        code => Outcome::of_system(-(code as i32)),
    }
}

/// What the last call failed with.
#[cold]
fn last_failure() -> Outcome {
    // SAFETY: reads the thread's last error.
    failed(unsafe { GetLastError() })
}

impl Overlapped<'_> {
    /// The engine's own handle on a file, whose operations come back through the port.
    fn join(&self, file: &OpenFile) -> Result<File, Unavailable> {
        let options = HandleOptions::of(
            (&file.file, &file.path),
            (file.readable, file.writable),
            (file.direct, file.block_device),
        );
        let opened = second_handle(&options).map_err(|error| {
            Unavailable(
                Statement::new("file-is-not-overlapped")
                    .name("path", file.path.display().to_string())
                    .name("error", error.to_string()),
            )
        })?;
        let port = self.port.as_raw_handle();
        // SAFETY: both handles are open and belong to the engine.
        let joined =
            unsafe { overlapped::CreateIoCompletionPort(opened.as_raw_handle(), port, 0, 0) };
        if joined.is_null() {
            let error = io::Error::last_os_error();
            return Err(Unavailable(
                Statement::new("file-takes-no-completion-port")
                    .name("path", file.path.display().to_string())
                    .name("error", error.to_string()),
            ));
        }
        Ok(opened)
    }

    /// Starts an operation. `Some`: it is done.
    #[inline(always)]
    fn start(&mut self, op: &Op) -> Option<Outcome> {
        let slot = op.slot as usize;
        let handle: HANDLE = self.files[op.file as usize].as_raw_handle();
        // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
        let buffer = unsafe { self.region.base.add(slot * self.region.stride) };
        self.control[slot] = overlapped(op.offset);
        let control = &raw mut self.control[slot];
        // SAFETY: buffer and control stay where they are until the operation has come back: the worker drains before it ends, and `drop` waits.
        let answer = unsafe {
            match op.kind {
                OperationKind::Read => fs::ReadFile(handle, buffer, op.len, null_mut(), control),
                OperationKind::Write => fs::WriteFile(handle, buffer, op.len, null_mut(), control),
                OperationKind::Trim => {
                    let range = (op.offset, u64::from(op.len));
                    trim::start(handle, self.trim, range, control)
                }
                OperationKind::Flush => return Some(flush(handle)),
                _ => return Some(Outcome::failed(FailureKind::NotSupported)),
            }
        };
        if answer != 0 {
            // Done: with the skip mode no packet comes; without it one does.
            return self
                .skips_port
                .then(|| Outcome::moved(self.control[slot].InternalHigh as u32));
        }
        // SAFETY: reads the thread's last error.
        match unsafe { GetLastError() } {
            ERROR_IO_PENDING => None,
            // A call that fails at once never sends a packet.
            code => Some(failed(code)),
        }
    }

    /// Takes what is done, waiting so long. 0: nothing came.
    #[inline(always)]
    fn take(&mut self, milliseconds: u32, done: &mut Vec<Done>) -> io::Result<u32> {
        let mut taken = 0;
        // SAFETY: the entries are ours, and their number is the one passed.
        let answer = unsafe {
            overlapped::GetQueuedCompletionStatusEx(
                self.port.as_raw_handle(),
                self.entries.as_mut_ptr(),
                self.entries.len() as u32,
                &raw mut taken,
                milliseconds,
                0,
            )
        };
        if answer == 0 {
            // SAFETY: reads the thread's last error.
            return match unsafe { GetLastError() } {
                WAIT_TIMEOUT => Ok(0),
                code => Err(io::Error::from_raw_os_error(code as i32)),
            };
        }
        let first = self.control.as_ptr();
        for entry in &self.entries[..taken as usize] {
            // SAFETY: every packet of this port is of an operation that was started with one of `control`.
            let (slot, status) = unsafe {
                (
                    entry.lpOverlapped.cast_const().offset_from(first),
                    (*entry.lpOverlapped).Internal as u32,
                )
            };
            // Warnings (STATUS_BUFFER_OVERFLOW) have moved bytes.
            let outcome = match status {
                ..ERRORS_FROM => Outcome::moved(entry.dwNumberOfBytesTransferred),
                // SAFETY: a look-up in a table.
                status => failed(unsafe { RtlNtStatusToDosError(status as i32) }),
            };
            done.push(Done {
                slot: slot as u32,
                outcome,
            });
        }
        self.in_flight -= taken;
        Ok(taken)
    }
}

/// Brings a file to stable storage. It waits: Windows has no overlapped flush but that of an I/O ring.
fn flush(handle: HANDLE) -> Outcome {
    // SAFETY: plain call on an open handle.
    match unsafe { fs::FlushFileBuffers(handle) } {
        0 => last_failure(),
        _ => Outcome::moved(0),
    }
}

impl Engine for Overlapped<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            self.started += 1;
            match self.start(op) {
                Some(outcome) => {
                    self.at_once += u64::from(op.kind != OperationKind::Flush);
                    done.push(Done {
                        slot: op.slot,
                        outcome,
                    });
                }
                None => self.in_flight += 1,
            }
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        match wait {
            Wait::No => self.take(0, done).map(drop),
            Wait::One => self.take(WAIT_MAX_MS, done).map(drop),
            // The port counts whole milliseconds, and a wait ends at a tick of the system's timer: the last of them is looked for.
            Wait::AtMost(ns) => {
                let end = Instant::now() + Duration::from_nanos(ns);
                loop {
                    let left = end.saturating_duration_since(Instant::now());
                    let milliseconds = (left.as_millis() as u32).saturating_sub(1);
                    if self.take(milliseconds.min(WAIT_MAX_MS), done)? > 0 || left.is_zero() {
                        return Ok(());
                    }
                    std::hint::spin_loop();
                }
            }
        }
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        let file = self.files.get(file as usize)?;
        Some(flush(file.as_raw_handle()))
    }

    fn close(&mut self) -> Closing {
        let mut closing = Closing::default();
        // More than the few that a cache or a late start explains.
        if self.control.len() > 1 && self.at_once * 2 > self.started {
            closing.remarks.push(
                Statement::new("overlapped-was-synchronous")
                    .count("at-once", self.at_once)
                    .count("started", self.started),
            );
        }
        let failures = self.open.iter().filter_map(OpenFile::closing_failure);
        closing.write_back.extend(failures);
        closing
    }
}

impl Drop for Overlapped<'_> {
    fn drop(&mut self) {
        if self.in_flight == 0 {
            return;
        }
        for file in &self.files {
            // SAFETY: an open handle, and null for all its operations.
            unsafe { overlapped::CancelIoEx(file.as_raw_handle(), null()) };
        }
        let (end, mut done) = (Instant::now() + CANCEL_MAX, Vec::new());
        while self.in_flight > 0 && Instant::now() < end {
            if self.take(WAIT_MAX_MS, &mut done).is_err() {
                break;
            }
        }
        if self.in_flight > 0 {
            // SAFETY: the buffers outlive the engine.
            unsafe { self.region.leave_to_kernel() };
            // The kernel writes into what is in flight when its storage answers.
            std::mem::forget(std::mem::take(&mut self.control));
        }
    }
}
