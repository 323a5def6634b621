//! Which calls of Windows make and read traces? A table of them, so that tests can put others in their place: Wine has the names without what they do.

use windows_sys::Win32::Foundation::{FILETIME, WIN32_ERROR};
use windows_sys::Win32::System::Diagnostics::Etw;
use windows_sys::core::PCWSTR;

/// The calls, as evntrace.h declares them.
#[derive(Clone, Copy)]
pub struct Calls {
    pub start: unsafe extern "system" fn(
        *mut Etw::CONTROLTRACE_HANDLE,
        PCWSTR,
        *mut Etw::EVENT_TRACE_PROPERTIES,
    ) -> WIN32_ERROR,
    pub control: unsafe extern "system" fn(
        Etw::CONTROLTRACE_HANDLE,
        PCWSTR,
        *mut Etw::EVENT_TRACE_PROPERTIES,
        Etw::EVENT_TRACE_CONTROL,
    ) -> WIN32_ERROR,
    pub query_all: unsafe extern "system" fn(
        *mut *mut Etw::EVENT_TRACE_PROPERTIES,
        u32,
        *mut u32,
    ) -> WIN32_ERROR,
    pub open: unsafe extern "system" fn(*mut Etw::EVENT_TRACE_LOGFILEW) -> Etw::PROCESSTRACE_HANDLE,
    pub process: unsafe extern "system" fn(
        *const Etw::PROCESSTRACE_HANDLE,
        u32,
        *const FILETIME,
        *const FILETIME,
    ) -> WIN32_ERROR,
    pub close: unsafe extern "system" fn(Etw::PROCESSTRACE_HANDLE) -> WIN32_ERROR,
}

/// Those of this system.
pub const OF_SYSTEM: Calls = Calls {
    start: Etw::StartTraceW,
    control: Etw::ControlTraceW,
    query_all: Etw::QueryAllTracesW,
    open: Etw::OpenTraceW,
    process: Etw::ProcessTrace,
    close: Etw::CloseTrace,
};
