//! How are the events of Windows' kernel had while they happen? By a session of plumb's own ("Configuring and Starting a SystemTraceProvider Session", Microsoft Learn), whose
//! events a thread takes.

use std::mem::offset_of;
use std::ptr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_NO_SYSTEM_RESOURCES, ERROR_PRIVILEGE_NOT_HELD, ERROR_SUCCESS,
    GetLastError,
};
use windows_sys::Win32::System::Diagnostics::Etw;
use windows_sys::core::GUID;

use super::calls::{Calls, OF_SYSTEM};
use super::file::NO_TRACE;
use super::privilege::use_profile_privilege;
use super::record::Record;
use super::taking::{Taking, logfile};
use super::{Losses, NotTraced};
use crate::system::windows::{process_name, wide};

/// What the names of sessions begin with; the number of their process follows.
const NAME: &str = "plumb-trace-";
/// Characters of the name of a session at most.
const NAME_CHARACTERS: usize = 1024;
/// Sessions that Windows has at once at most.
const SESSIONS_MAX: usize = 64;
/// One buffer in KiB, and how many there are at first and at most: what happens while plumb does not run must find room.
const BUFFER_KIB: u32 = 256;
const BUFFERS_MIN: u32 = 64;
const BUFFERS_MAX: u32 = 512;
/// What is reported: operations on files as they begin and end, names of files, and who they belong to. Names come with requests to disks only.
const FLAGS: u32 = Etw::EVENT_TRACE_FLAG_FILE_IO
    | Etw::EVENT_TRACE_FLAG_FILE_IO_INIT
    | Etw::EVENT_TRACE_FLAG_DISK_FILE_IO
    | Etw::EVENT_TRACE_FLAG_DISK_IO
    | Etw::EVENT_TRACE_FLAG_PROCESS
    | Etw::EVENT_TRACE_FLAG_THREAD;
/// Times by QueryPerformanceCounter.
const CLOCK: u32 = 1;

/// EVENT_TRACE_PROPERTIES with room for the two names behind it.
#[repr(C)]
pub struct Properties {
    pub fixed: Etw::EVENT_TRACE_PROPERTIES,
    pub name: [u16; NAME_CHARACTERS],
    pub file: [u16; NAME_CHARACTERS],
}

impl Properties {
    fn new() -> Box<Properties> {
        let mut made = Box::new(Properties {
            fixed: Etw::EVENT_TRACE_PROPERTIES::default(),
            name: [0; NAME_CHARACTERS],
            file: [0; NAME_CHARACTERS],
        });
        made.fixed.Wnode.BufferSize = size_of::<Properties>() as u32;
        made.fixed.Wnode.Flags = Etw::WNODE_FLAG_TRACED_GUID;
        made.fixed.LoggerNameOffset = offset_of!(Properties, name) as u32;
        made
    }

    fn name(&self) -> String {
        let name = self.name.split(|unit| *unit == 0).next();
        String::from_utf16_lossy(name.unwrap_or_default())
    }
}

/// A session that goes on. It ends when this goes.
pub(crate) struct Session {
    calls: Calls,
    handle: Etw::CONTROLTRACE_HANDLE,
    /// Missing once it has been waited for.
    taker: Option<JoinHandle<u32>>,
    records: Receiver<Record>,
    is_ended: bool,
}

impl Session {
    pub fn begin() -> Result<Session, NotTraced> {
        Session::begin_by(OF_SYSTEM, std::process::id(), is_of_plumb)
    }

    /// By these calls, for the plumb with this number; `runs` says whether a process is a plumb.
    pub fn begin_by(
        calls: Calls,
        own: u32,
        runs: impl Fn(u32) -> bool,
    ) -> Result<Session, NotTraced> {
        use_profile_privilege();
        end_left_behind(&calls, own, runs);
        let name = wide(format!("{NAME}{own}"));
        let mut properties = Properties::new();
        let selected = &mut properties.fixed;
        selected.Wnode.Guid =
            GUID::from_u128(u128::from(own) << 96 | 0x7a1c_4d1e_8e5b_7075_6d62_2d65_7477);
        selected.Wnode.ClientContext = CLOCK;
        selected.BufferSize = BUFFER_KIB;
        selected.MinimumBuffers = BUFFERS_MIN;
        selected.MaximumBuffers = BUFFERS_MAX;
        selected.FlushTimer = 1;
        selected.LogFileMode =
            Etw::EVENT_TRACE_REAL_TIME_MODE | Etw::EVENT_TRACE_SYSTEM_LOGGER_MODE;
        selected.EnableFlags = FLAGS;
        let mut handle = Etw::CONTROLTRACE_HANDLE::default();
        // SAFETY: the name ends with 0, the properties are as long as they say, and both live over the call.
        let begun = unsafe {
            (calls.start)(
                &raw mut handle,
                name.as_ptr(),
                (&raw mut *properties).cast(),
            )
        };
        match begun {
            ERROR_SUCCESS => {}
            ERROR_ACCESS_DENIED | ERROR_PRIVILEGE_NOT_HELD => return Err(NotTraced::Rights),
            ERROR_NO_SYSTEM_RESOURCES => return Err(NotTraced::NoSession),
            code => {
                return Err(NotTraced::Failed {
                    call: "StartTrace",
                    code,
                    remedy: "; Windows 8 or later is needed",
                });
            }
        }
        let (sender, records) = channel();
        let mut session = Session {
            calls,
            handle,
            taker: None,
            records,
            is_ended: false,
        };
        session.taker = Some(take_events(calls, name, sender)?);
        Ok(session)
    }

    /// Hands over what has come.
    pub fn drain(&mut self, take: &mut dyn FnMut(Record)) {
        self.records.try_iter().for_each(take);
    }

    /// Ends the session, and hands over what is left.
    pub fn end(mut self, take: &mut dyn FnMut(Record)) -> Result<Losses, NotTraced> {
        let (losses, stopped) = self.stop();
        let taken = self.wait();
        self.drain(take);
        match (stopped, taken) {
            (ERROR_SUCCESS, Some(ERROR_SUCCESS)) => Ok(losses),
            (ERROR_SUCCESS, code) => Err(NotTraced::Failed {
                call: "ProcessTrace",
                code: code.unwrap_or(0),
                remedy: "; repeat the command",
            }),
            (code, _) => Err(NotTraced::Ended { code }),
        }
    }

    /// Ends it: what was lost, and whether it went on until now.
    fn stop(&mut self) -> (Losses, u32) {
        self.is_ended = true;
        let mut reported = Properties::new();
        // SAFETY: the properties are as long as they say and live over the call.
        let stopped = unsafe {
            (self.calls.control)(
                self.handle,
                ptr::null(),
                (&raw mut *reported).cast(),
                Etw::EVENT_TRACE_CONTROL_STOP,
            )
        };
        let losses = Losses {
            events: reported.fixed.EventsLost.into(),
            buffers: u64::from(reported.fixed.LogBuffersLost)
                + u64::from(reported.fixed.RealTimeBuffersLost),
        };
        (losses, stopped)
    }

    /// The thread that takes events ends with the session; how, as ProcessTrace reported.
    fn wait(&mut self) -> Option<u32> {
        self.taker.take()?.join().ok()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.is_ended {
            self.stop();
        }
        self.wait();
    }
}

/// Takes the events of a session in a thread of its own.
fn take_events(
    calls: Calls,
    mut name: Vec<u16>,
    sender: Sender<Record>,
) -> Result<JoinHandle<u32>, NotTraced> {
    let (opened, is_open) = channel();
    let taker = std::thread::spawn(move || {
        let mut take = |record| sender.send(record).is_ok();
        let mut taking = Taking {
            take: &mut take,
            ticks_per_second: 0,
            is_done: false,
        };
        let taking = &raw mut taking;
        let mut described = logfile(taking, Etw::PROCESS_TRACE_MODE_REAL_TIME);
        described.LoggerName = name.as_mut_ptr();
        // SAFETY: the name and what takes the events outlive the trace, which is closed below; its header is filled in when it is opened, and read before any event comes.
        unsafe {
            let trace = (calls.open)(&raw mut described);
            if trace.Value == NO_TRACE {
                let code = GetLastError();
                // Who began the session waits for it.
                let _ = opened.send(Err(code));
                return code;
            }
            (*taking).ticks_per_second = described.LogfileHeader.PerfFreq.try_into().unwrap_or(0);
            let _ = opened.send(Ok(()));
            let ended = (calls.process)(&raw const trace, 1, ptr::null(), ptr::null());
            (calls.close)(trace);
            ended
        }
    });
    match is_open.recv() {
        Ok(Ok(())) => Ok(taker),
        Ok(Err(ERROR_ACCESS_DENIED)) => Err(NotTraced::Rights),
        reported => Err(NotTraced::Failed {
            call: "OpenTrace",
            code: reported.ok().and_then(Result::err).unwrap_or(0),
            remedy: "",
        }),
    }
}

/// Whether the process with this number runs the same program.
fn is_of_plumb(process: u32) -> bool {
    let own = process_name(std::process::id());
    own.is_some() && process_name(process) == own
}

/// Ends sessions of plumbs that are no more: Windows keeps a session when its program is killed.
fn end_left_behind(calls: &Calls, own: u32, runs: impl Fn(u32) -> bool) {
    let mut reported: Vec<Box<Properties>> = (0..SESSIONS_MAX)
        .map(|_| {
            let mut properties = Properties::new();
            properties.fixed.LogFileNameOffset = offset_of!(Properties, file) as u32;
            properties
        })
        .collect();
    let mut positions: Vec<*mut Etw::EVENT_TRACE_PROPERTIES> = reported
        .iter_mut()
        .map(|properties| (&raw mut **properties).cast())
        .collect();
    let mut count = 0;
    // SAFETY: there are so many properties, which are as long as they say.
    let requested = unsafe {
        (calls.query_all)(
            positions.as_mut_ptr(),
            positions.len() as u32,
            &raw mut count,
        )
    };
    if requested != ERROR_SUCCESS {
        return;
    }
    for session in reported.iter().take(count as usize) {
        let name = session.name();
        let process = name.strip_prefix(NAME).and_then(|of| of.parse().ok());
        let is_left = process.is_some_and(|process| process == own || !runs(process));
        if is_left {
            let mut properties = Properties::new();
            // SAFETY: the name ends with 0, and the properties are as long as they say. What cannot be ended is said by StartTrace.
            unsafe {
                (calls.control)(
                    Etw::CONTROLTRACE_HANDLE::default(),
                    wide(&name).as_ptr(),
                    (&raw mut *properties).cast(),
                    Etw::EVENT_TRACE_CONTROL_STOP,
                );
            }
        }
    }
}
