//! How does an operation go into an I/O ring, and how does it come back?

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::os::windows::io::AsRawHandle;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::workload::OperationKind;
use windows_sys::Win32::Foundation::{
    ERROR_HANDLE_EOF, GetLastError, HANDLE, RtlNtStatusToDosError,
};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::CancelIoEx;
use windows_sys::Win32::System::Threading::INFINITE;
use windows_sys::core::HRESULT;

use super::calls::Calls;
use crate::engine::buffers::Region;
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, OpenFile, Opened, Setup, Unavailable, Wait};
use crate::system::windows::second_handle::{HandleOptions, second_handle};

/// Maximum wait of one call, so that requests from the crew are noticed while storage hangs.
const WAIT_MAX_MS: u32 = 100;
/// So long operations are waited for that were cancelled.
const CANCEL_MAX: Duration = Duration::from_secs(2);
/// Result of PopIoRingCompletion for an empty queue (S_FALSE).
const EMPTY: HRESULT = 1;
/// Bit of an HRESULT that was made of an NTSTATUS (FACILITY_NT_BIT), and the facility of those that were made of Windows' codes (winerror.h).
const OF_STATUS: u32 = 0x1000_0000;
const FACILITY_WIN32: u32 = 7;

struct Ring<'a> {
    calls: Calls,
    ring: fs::HIORING,
    open: &'a [OpenFile],
    files: Vec<File>,
    registered_files: bool,
    registered_buffers: bool,
    region: Region,
    flushes: bool,
    in_flight: u32,
}

pub fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let calls =
        Calls::of_system().ok_or_else(|| Unavailable(Statement::new("no-rings-of-windows")))?;
    let (engine, active, refused) = make(calls, &setup)?;
    Ok(Opened {
        active,
        refused,
        ..Opened::local(engine)
    })
}

/// The engine, the features in use, and those that could not be had.
fn make<'a>(
    calls: Calls,
    setup: &Setup<'a>,
) -> Result<(Ring<'a>, Vec<String>, Vec<Statement>), Unavailable> {
    let mut files = Vec::new();
    for file in setup.files {
        let opened = second_handle(&HandleOptions::of(
            (&file.file, &file.path),
            (file.readable, file.writable),
            (file.direct, file.block_device),
        ));
        files.push(opened.map_err(|error| {
            Unavailable(
                Statement::new("file-is-not-overlapped")
                    .name("path", file.path.display().to_string())
                    .name("error", error.to_string()),
            )
        })?);
    }
    let none = fs::IORING_CREATE_FLAGS {
        Required: fs::IORING_CREATE_REQUIRED_FLAGS_NONE,
        Advisory: fs::IORING_CREATE_ADVISORY_FLAGS_NONE,
    };
    // One more than operations in flight, for what is registered.
    let entries = setup.depth.max(1) + 1;
    let mut ring = null_mut();
    // SAFETY: the pointer is valid over the call; the ring is closed in `drop`, and nowhere else.
    let made = unsafe {
        (calls.create)(
            fs::IORING_VERSION_3,
            none,
            entries,
            2 * entries,
            &raw mut ring,
        )
    };
    if made < 0 {
        return Err(Unavailable(
            Statement::new("ring-of-windows-refused").name("error", error_of(made).to_string()),
        ));
    }
    let mut engine = Ring {
        calls,
        ring,
        open: setup.files,
        files,
        registered_files: false,
        registered_buffers: false,
        region: setup.buffers,
        // SAFETY: the ring is open.
        flushes: unsafe { (calls.is_supported)(ring, fs::IORING_OP_FLUSH) } != 0,
        in_flight: 0,
    };
    let (mut active, mut refused) = (vec!["I/O ring".to_owned()], Vec::new());
    if setup.choice.registered {
        engine.register(&mut active, &mut refused);
    }
    Ok((engine, active, refused))
}

/// The code of Windows that a result stands for; `None`: it stands for none.
fn code_of(result: HRESULT) -> Option<u32> {
    let result = result as u32;
    if result & OF_STATUS != 0 {
        // SAFETY: a look-up in a table.
        return Some(unsafe { RtlNtStatusToDosError((result & !OF_STATUS) as i32) });
    }
    (result >> 16 & 0x1FFF == FACILITY_WIN32).then_some(result & 0xFFFF)
}

fn error_of(result: HRESULT) -> io::Error {
    match code_of(result) {
        Some(code) => io::Error::from_raw_os_error(code as i32),
        None => io::Error::other(format!("HRESULT {result:#010x}")),
    }
}

/// The outcome of an operation with this result. At the end of the file a read transfers nothing, which is not an error.
#[cold]
fn failed(result: HRESULT) -> Outcome {
    match code_of(result) {
        Some(ERROR_HANDLE_EOF) => Outcome::moved(0),
        Some(code) => Outcome::of_system(-(code as i32)),
        None => Outcome::failed(FailureKind::Io),
    }
}

impl Ring<'_> {
    /// Registers files and buffers if the ring supports it; otherwise each operation names them.
    fn register(&mut self, active: &mut Vec<String>, refused: &mut Vec<Statement>) {
        let handles: Vec<HANDLE> = self.files.iter().map(AsRawHandle::as_raw_handle).collect();
        // SAFETY: the handles are open, and their number is the one passed.
        let built = unsafe {
            (self.calls.register_files)(self.ring, handles.len() as u32, handles.as_ptr(), 0)
        };
        match self.registered(built) {
            Ok(()) => {
                self.registered_files = true;
                active.push("registered files".into());
            }
            Err(error) => refused
                .push(Statement::new("ring-registers-no-files").name("error", error.to_string())),
        }
        let Ok(bytes) = u32::try_from(self.region.bytes) else {
            return;
        };
        let buffer_info = fs::IORING_BUFFER_INFO {
            Address: self.region.base.cast(),
            Length: bytes,
        };
        // SAFETY: one buffer, which outlives the engine.
        let built =
            unsafe { (self.calls.register_buffers)(self.ring, 1, &raw const buffer_info, 0) };
        match self.registered(built) {
            Ok(()) => {
                self.registered_buffers = true;
                active.push("registered buffers".into());
            }
            Err(error) => refused
                .push(Statement::new("ring-registers-no-buffers").name("error", error.to_string())),
        }
    }

    /// Waits for a registration that was built.
    fn registered(&mut self, built: HRESULT) -> io::Result<()> {
        let mut found = fs::IORING_CQE::default();
        // SAFETY: the ring is open, and the pointers are valid over the calls.
        let answers = unsafe {
            [
                built,
                if built < 0 {
                    built
                } else {
                    (self.calls.submit)(self.ring, 1, INFINITE, null_mut())
                },
                (self.calls.pop)(self.ring, &raw mut found),
            ]
        };
        match answers
            .into_iter()
            .chain([found.ResultCode])
            .find(|answer| *answer < 0)
        {
            Some(failed) => Err(error_of(failed)),
            None if answers[2] == EMPTY => Err(io::ErrorKind::TimedOut.into()),
            None => Ok(()),
        }
    }

    fn file(&self, number: u32) -> fs::IORING_HANDLE_REF {
        match self.registered_files {
            true => fs::IORING_HANDLE_REF {
                Kind: fs::IORING_REF_REGISTERED,
                Handle: fs::IORING_HANDLE_REF_0 { Index: number },
            },
            false => fs::IORING_HANDLE_REF {
                Kind: fs::IORING_REF_RAW,
                Handle: fs::IORING_HANDLE_REF_0 {
                    Handle: self.files[number as usize].as_raw_handle(),
                },
            },
        }
    }

    fn buffer(&self, slot: u32) -> fs::IORING_BUFFER_REF {
        let at = slot as usize * self.region.stride;
        match self.registered_buffers {
            true => fs::IORING_BUFFER_REF {
                Kind: fs::IORING_REF_REGISTERED,
                Buffer: fs::IORING_BUFFER_REF_0 {
                    IndexAndOffset: fs::IORING_REGISTERED_BUFFER {
                        BufferIndex: 0,
                        // The region was registered: it is shorter than 4 GiB.
                        Offset: at as u32,
                    },
                },
            },
            false => fs::IORING_BUFFER_REF {
                Kind: fs::IORING_REF_RAW,
                Buffer: fs::IORING_BUFFER_REF_0 {
                    // SAFETY: the worker hands out slots below the depth, so the address lies inside the region.
                    Address: unsafe { self.region.base.add(at) }.cast(),
                },
            },
        }
    }

    /// Puts an operation into the queue. `Some`: it is done.
    #[inline(always)]
    fn build(&mut self, op: &Op) -> Option<Outcome> {
        let (ring, file, slot) = (self.ring, self.file(op.file), op.slot as usize);
        // SAFETY: the buffer stays where it is until the operation has come back: the worker drains before it ends, and `drop` waits.
        let built = unsafe {
            match op.kind {
                OperationKind::Read => {
                    let buffer = self.buffer(op.slot);
                    (self.calls.read)(ring, file, buffer, op.len, op.offset, slot, 0)
                }
                OperationKind::Write => {
                    let (buffer, flags) = (self.buffer(op.slot), fs::FILE_WRITE_FLAGS_NONE);
                    (self.calls.write)(ring, file, buffer, op.len, op.offset, flags, slot, 0)
                }
                OperationKind::Flush if self.flushes => {
                    (self.calls.flush)(ring, file, fs::FILE_FLUSH_DEFAULT, slot, 0)
                }
                OperationKind::Flush => return Some(self.flush_now(op.file)),
                _ => return Some(Outcome::failed(FailureKind::NotSupported)),
            }
        };
        (built < 0).then(|| failed(built))
    }

    fn flush_now(&self, file: u32) -> Outcome {
        // SAFETY: plain calls on an open handle.
        unsafe {
            match fs::FlushFileBuffers(self.files[file as usize].as_raw_handle()) {
                0 => Outcome::of_system(-(GetLastError() as i32)),
                _ => Outcome::moved(0),
            }
        }
    }

    /// Takes what is done; how many came.
    #[inline(always)]
    fn take(&mut self, done: &mut Vec<Done>) -> io::Result<u32> {
        let mut taken = 0;
        loop {
            let mut found = fs::IORING_CQE::default();
            // SAFETY: the ring is open, and the pointer is valid over the call.
            match unsafe { (self.calls.pop)(self.ring, &raw mut found) } {
                EMPTY => break,
                0.. => {}
                failed => return Err(error_of(failed)),
            }
            let outcome = match found.ResultCode {
                0.. => Outcome::moved(found.Information as u32),
                result => failed(result),
            };
            done.push(Done {
                slot: found.UserData as u32,
                outcome,
            });
            taken += 1;
        }
        self.in_flight -= taken;
        Ok(taken)
    }

    /// The same after waiting for one, so long at most.
    fn take_after(&mut self, milliseconds: u32, done: &mut Vec<Done>) -> io::Result<u32> {
        let taken = self.take(done)?;
        if taken > 0 || milliseconds == 0 {
            return Ok(taken);
        }
        // Whether the wait was in vain shows in what is there afterwards.
        // SAFETY: the ring is open; null is allowed for what is not requested.
        unsafe { (self.calls.submit)(self.ring, 1, milliseconds, null_mut()) };
        self.take(done)
    }
}

impl Engine for Ring<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            match self.build(op) {
                Some(outcome) => done.push(Done {
                    slot: op.slot,
                    outcome,
                }),
                None => self.in_flight += 1,
            }
        }
        // SAFETY: the ring is open; null is allowed for what is not requested.
        match unsafe { (self.calls.submit)(self.ring, 0, 0, null_mut()) } {
            0.. => Ok(()),
            failed => Err(error_of(failed)),
        }
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        match wait {
            Wait::No => self.take(done).map(drop),
            Wait::One => self.take_after(WAIT_MAX_MS, done).map(drop),
            // Whole milliseconds are waited, and the rest is looked for.
            Wait::AtMost(ns) => {
                let end = Instant::now() + Duration::from_nanos(ns);
                loop {
                    let left = end.saturating_duration_since(Instant::now());
                    let milliseconds = (left.as_millis() as u32).saturating_sub(1);
                    if self.take_after(milliseconds.min(WAIT_MAX_MS), done)? > 0 || left.is_zero() {
                        return Ok(());
                    }
                    std::hint::spin_loop();
                }
            }
        }
    }

    fn fsync(&mut self, file: u32) -> Option<Outcome> {
        ((file as usize) < self.files.len()).then(|| self.flush_now(file))
    }

    fn close(&mut self) -> Closing {
        let failures = self.open.iter().filter_map(OpenFile::closing_failure);
        Closing {
            write_back: failures.collect(),
            ..Closing::default()
        }
    }
}

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        let (end, mut done) = (Instant::now() + CANCEL_MAX, Vec::new());
        if self.in_flight > 0 {
            for file in &self.files {
                // SAFETY: an open handle, and null for all its operations.
                unsafe { CancelIoEx(file.as_raw_handle(), null()) };
            }
        }
        while self.in_flight > 0 && Instant::now() < end {
            if self.take_after(WAIT_MAX_MS, &mut done).is_err() {
                break;
            }
        }
        if self.in_flight > 0 {
            // SAFETY: the buffers outlive the engine. The ring is left to the kernel with them.
            unsafe { self.region.leave_to_kernel() };
            return;
        }
        // SAFETY: made in `make`, closed once, and nothing is in flight.
        unsafe { (self.calls.close)(self.ring) };
    }
}
