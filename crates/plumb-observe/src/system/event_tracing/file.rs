//! How is a file read that was recorded by event tracing? Windows opens it, puts its buffers in the order of time, and hands over one event after the other.

use std::path::Path;
use std::ptr;

use windows_sys::Win32::Foundation::{ERROR_CANCELLED, ERROR_SUCCESS, GetLastError};
use windows_sys::Win32::Storage::FileSystem::QueryDosDeviceW;

use super::calls::{Calls, OF_SYSTEM};
use super::record::Record;
use super::taking::{Taking, logfile};
use super::{Losses, NotTraced};
use crate::system::windows::wide;

/// What OpenTrace gives where it does not succeed.
pub const NO_TRACE: u64 = u64::MAX;
const NOT_READ: &str = "; it may not be a complete event trace file (.etl): check it with 'tracerpt FILE.etl -summary'";

/// Hands over what the events of a file say, until nothing more is wanted.
pub(crate) fn read_file(
    file: &Path,
    take: &mut dyn FnMut(Record) -> bool,
) -> Result<Losses, NotTraced> {
    read_file_by(&OF_SYSTEM, file, take)
}

pub fn read_file_by(
    calls: &Calls,
    file: &Path,
    take: &mut dyn FnMut(Record) -> bool,
) -> Result<Losses, NotTraced> {
    let mut name = wide(file);
    let mut taking = Taking {
        take,
        ticks_per_second: 0,
        is_done: false,
    };
    let taking = &raw mut taking;
    let mut described = logfile(taking, 0);
    described.LogFileName = name.as_mut_ptr();
    let failed = |call, code| NotTraced::Failed {
        call,
        code,
        remedy: NOT_READ,
    };
    // SAFETY: the name and what takes the events outlive the trace, which is closed below; its header is filled in when it is opened, and read before any event comes.
    unsafe {
        let trace = (calls.open)(&raw mut described);
        if trace.Value == NO_TRACE {
            return Err(failed("OpenTrace", GetLastError()));
        }
        let header = &described.LogfileHeader;
        (*taking).ticks_per_second = header.PerfFreq.try_into().unwrap_or(0);
        let losses = Losses {
            events: header.Anonymous2.Anonymous.EventsLost.into(),
            buffers: header.BuffersLost.into(),
        };
        let ended = (calls.process)(&raw const trace, 1, ptr::null(), ptr::null());
        (calls.close)(trace);
        match ended {
            ERROR_SUCCESS | ERROR_CANCELLED => Ok(losses),
            code => Err(failed("ProcessTrace", code)),
        }
    }
}

/// Devices of volumes and the letters that stand for them now.
pub(crate) fn letters() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for letter in 'A'..='Z' {
        let drive = format!("{letter}:");
        let mut device = [0u16; 1024];
        // SAFETY: the name ends with 0, and the room is as large as is said.
        let length = unsafe {
            QueryDosDeviceW(
                wide(&drive).as_ptr(),
                device.as_mut_ptr(),
                device.len() as u32,
            )
        };
        if length > 0 {
            let device = device.split(|unit| *unit == 0).next().unwrap_or_default();
            found.push((String::from_utf16_lossy(device), drive));
        }
    }
    found
}
