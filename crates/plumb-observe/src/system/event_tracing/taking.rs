//! How does an event come out of Windows? As a record that a callback is given, which is read where it lies.

use std::ffi::c_void;

use windows_sys::Win32::System::Diagnostics::Etw;

use super::event::Event;
use super::record::{Record, record};

/// What takes the events of one trace.
pub struct Taking<'a> {
    /// What an event says; whether more is wanted.
    pub take: &'a mut dyn FnMut(Record) -> bool,
    pub ticks_per_second: u64,
    /// Nothing more is wanted.
    pub is_done: bool,
}

/// A description of a trace to be opened, whose events go to `taking`.
pub fn logfile(taking: *mut Taking<'_>, mode: u32) -> Etw::EVENT_TRACE_LOGFILEW {
    Etw::EVENT_TRACE_LOGFILEW {
        Anonymous1: Etw::EVENT_TRACE_LOGFILEW_0 {
            // Times come as FILETIME, converted by Windows from the clock of the session.
            ProcessTraceMode: mode | Etw::PROCESS_TRACE_MODE_EVENT_RECORD,
        },
        Anonymous2: Etw::EVENT_TRACE_LOGFILEW_1 {
            EventRecordCallback: Some(take_event),
        },
        BufferCallback: Some(take_buffer),
        Context: taking.cast::<c_void>(),
        ..Etw::EVENT_TRACE_LOGFILEW::default()
    }
}

/// PEVENT_RECORD_CALLBACK.
unsafe extern "system" fn take_event(event: *mut Etw::EVENT_RECORD) {
    // SAFETY: Windows hands over a whole event that lives over the call, with the context that the trace was opened with, which outlives it and is used by no other thread meanwhile.
    let (event, taking) = unsafe {
        let event = &*event;
        let Some(taking) = event.UserContext.cast::<Taking<'_>>().as_mut() else {
            return;
        };
        (event, taking)
    };
    if taking.is_done {
        return;
    }
    let payload = match event.UserData.is_null() {
        true => &[][..],
        // SAFETY: as it says itself, its payload is so long.
        false => unsafe {
            std::slice::from_raw_parts(event.UserData.cast::<u8>(), event.UserDataLength.into())
        },
    };
    let header = &event.EventHeader;
    let is_32_bit = u32::from(header.Flags) & Etw::EVENT_HEADER_FLAG_32_BIT_HEADER != 0;
    let known = |number: u32| (number != u32::MAX).then_some(number);
    let said = record(&Event {
        class: class(&header.ProviderId),
        kind: header.EventDescriptor.Opcode,
        version: header.EventDescriptor.Version,
        pointer_bytes: if is_32_bit { 4 } else { 8 },
        thread: known(header.ThreadId),
        process: known(header.ProcessId),
        filetime: header.TimeStamp,
        ticks_per_second: taking.ticks_per_second,
        payload,
    });
    if let Some(said) = said {
        taking.is_done = !(taking.take)(said);
    }
}

/// PEVENT_TRACE_BUFFER_CALLBACKW: whether to go on.
unsafe extern "system" fn take_buffer(logfile: *mut Etw::EVENT_TRACE_LOGFILEW) -> u32 {
    // SAFETY: as for events.
    let taking = unsafe { (*logfile).Context.cast::<Taking<'_>>().as_ref() };
    u32::from(taking.is_none_or(|taking| !taking.is_done))
}

/// A GUID as a number in the order in which it is written.
fn class(guid: &windows_sys::core::GUID) -> u128 {
    u128::from(guid.data1) << 96
        | u128::from(guid.data2) << 80
        | u128::from(guid.data3) << 64
        | u128::from(u64::from_be_bytes(guid.data4))
}
