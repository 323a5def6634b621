//! Does plumb use the calls of event tracing as they are described? Wine has their names only, and Windows was not at hand: sessions stand here, which hand over what is put into them.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_ALREADY_EXISTS, ERROR_CANCELLED, ERROR_FILE_NOT_FOUND,
    ERROR_NO_SYSTEM_RESOURCES, ERROR_SUCCESS, ERROR_WMI_INSTANCE_NOT_FOUND, FILETIME, SetLastError,
    WIN32_ERROR,
};
use windows_sys::Win32::System::Diagnostics::Etw;
use windows_sys::core::{GUID, PCWSTR};

use super::calls::Calls;
use super::file::read_file_by;
use super::record::Record;
use super::session::{Properties, Session};
use super::{Losses, NotTraced};

/// A session that goes on.
struct Played {
    name: String,
    guid: GUID,
    flags: u32,
    mode: u32,
    is_stopped: bool,
}

/// What this Windows knows and answers.
struct Windows {
    sessions: Vec<Played>,
    /// Answered by StartTrace in place of success.
    refuses: WIN32_ERROR,
    /// Answered by OpenTrace in the same way.
    refuses_consumer: WIN32_ERROR,
    /// Events of a trace: class, type, and payload.
    events: VecDeque<(GUID, u8, Vec<u8>)>,
    opened: u64,
    closed: u64,
    /// Described by the traces that were opened: mode, and where the events go.
    descriptions: Vec<Description>,
}

#[derive(Clone, Copy)]
struct Description {
    mode: u32,
    events: Etw::PEVENT_RECORD_CALLBACK,
    buffers: Etw::PEVENT_TRACE_BUFFER_CALLBACKW,
    context: usize,
}

static WINDOWS: Mutex<Windows> = Mutex::new(Windows {
    sessions: Vec::new(),
    refuses: ERROR_SUCCESS,
    refuses_consumer: ERROR_SUCCESS,
    events: VecDeque::new(),
    opened: 0,
    closed: 0,
    descriptions: Vec::new(),
});
/// One test at a time.
static TURN: Mutex<()> = Mutex::new(());

fn windows() -> MutexGuard<'static, Windows> {
    WINDOWS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A Windows of one's own.
fn turn() -> MutexGuard<'static, ()> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    *windows() = Windows {
        sessions: Vec::new(),
        refuses: ERROR_SUCCESS,
        refuses_consumer: ERROR_SUCCESS,
        events: VecDeque::new(),
        opened: 0,
        closed: 0,
        descriptions: Vec::new(),
    };
    turn
}

fn opened_and_closed() -> (u64, u64) {
    let windows = windows();
    (windows.opened, windows.closed)
}

const CALLS: Calls = Calls {
    start,
    control,
    query_all,
    open,
    process,
    close,
};
const FREQUENCY: i64 = 10_000_000;

/// # Safety
/// A text that ends with 0.
unsafe fn text(from: *const u16) -> String {
    let mut units = Vec::new();
    // SAFETY: as promised by the caller.
    unsafe {
        while *from.add(units.len()) != 0 {
            units.push(*from.add(units.len()));
        }
    }
    String::from_utf16_lossy(&units)
}

unsafe extern "system" fn start(
    handle: *mut Etw::CONTROLTRACE_HANDLE,
    name: PCWSTR,
    properties: *mut Etw::EVENT_TRACE_PROPERTIES,
) -> WIN32_ERROR {
    // SAFETY: as the session promises.
    let (name, reported) = unsafe { (text(name), &*properties) };
    let mut windows = windows();
    if windows.refuses != ERROR_SUCCESS {
        return windows.refuses;
    }
    // "the value must be the size of the structure and the names behind it"; a session without a file has no place for its name.
    assert_eq!(reported.Wnode.BufferSize as usize, size_of::<Properties>());
    assert_eq!(reported.LogFileNameOffset, 0);
    assert!(reported.LoggerNameOffset as usize >= size_of::<Etw::EVENT_TRACE_PROPERTIES>());
    let same = |of: &Played| {
        of.name == name
            || (of.guid.data1, of.guid.data4)
                == (reported.Wnode.Guid.data1, reported.Wnode.Guid.data4)
    };
    let is_there = windows.sessions.iter().any(|of| !of.is_stopped && same(of));
    if is_there {
        return ERROR_ALREADY_EXISTS;
    }
    windows.sessions.push(Played {
        name,
        guid: reported.Wnode.Guid,
        flags: reported.EnableFlags,
        mode: reported.LogFileMode,
        is_stopped: false,
    });
    // SAFETY: the pointer is the session's own.
    unsafe { (*handle).Value = windows.sessions.len() as u64 };
    ERROR_SUCCESS
}

unsafe extern "system" fn control(
    handle: Etw::CONTROLTRACE_HANDLE,
    name: PCWSTR,
    properties: *mut Etw::EVENT_TRACE_PROPERTIES,
    what: Etw::EVENT_TRACE_CONTROL,
) -> WIN32_ERROR {
    assert_eq!(what, Etw::EVENT_TRACE_CONTROL_STOP);
    // SAFETY: as the session promises.
    let name = unsafe { (!name.is_null()).then(|| text(name)) };
    let mut windows = windows();
    let found = windows
        .sessions
        .iter_mut()
        .enumerate()
        .find(|(position, of)| match &name {
            Some(name) => of.name == *name && !of.is_stopped,
            None => *position as u64 + 1 == handle.Value && !of.is_stopped,
        });
    let Some((_, found)) = found else {
        return ERROR_WMI_INSTANCE_NOT_FOUND;
    };
    found.is_stopped = true;
    // SAFETY: the properties are as long as they say.
    unsafe {
        (*properties).EventsLost = 5;
        (*properties).RealTimeBuffersLost = 2;
    }
    ERROR_SUCCESS
}

unsafe extern "system" fn query_all(
    positions: *mut *mut Etw::EVENT_TRACE_PROPERTIES,
    room: u32,
    count: *mut u32,
) -> WIN32_ERROR {
    let windows = windows();
    let there = windows.sessions.iter().filter(|of| !of.is_stopped);
    let mut reported = 0;
    for session in there.take(room as usize) {
        // SAFETY: there is so much room, each with the names behind it.
        unsafe {
            let properties = *positions.add(reported);
            assert_ne!((*properties).LogFileNameOffset, 0);
            let name = properties
                .cast::<u8>()
                .add((*properties).LoggerNameOffset as usize)
                .cast::<u16>();
            for (position, unit) in session.name.encode_utf16().chain([0]).enumerate() {
                *name.add(position) = unit;
            }
        }
        reported += 1;
    }
    // SAFETY: the pointer is the session's own.
    unsafe { *count = reported as u32 };
    ERROR_SUCCESS
}

unsafe extern "system" fn open(
    logfile: *mut Etw::EVENT_TRACE_LOGFILEW,
) -> Etw::PROCESSTRACE_HANDLE {
    // SAFETY: as the session promises.
    let (logfile, name) = unsafe {
        let logfile = &mut *logfile;
        let name = match logfile.LoggerName.is_null() {
            true => text(logfile.LogFileName),
            false => text(logfile.LoggerName),
        };
        (logfile, name)
    };
    let mut windows = windows();
    let refused = match logfile.LoggerName.is_null() {
        true if name.ends_with("none.etl") => ERROR_FILE_NOT_FOUND,
        true => ERROR_SUCCESS,
        false => {
            let is_there = windows.sessions.iter().any(|of| of.name == name);
            assert!(is_there, "there is no session {name}");
            windows.refuses_consumer
        }
    };
    if refused != ERROR_SUCCESS {
        // SAFETY: sets the thread's last error.
        unsafe { SetLastError(refused) };
        return Etw::PROCESSTRACE_HANDLE { Value: u64::MAX };
    }
    logfile.LogfileHeader.PerfFreq = FREQUENCY;
    logfile.LogfileHeader.BuffersLost = 1;
    logfile.LogfileHeader.Anonymous2.Anonymous.EventsLost = 3;
    windows.opened += 1;
    // SAFETY: plumb describes its traces by these fields.
    let (mode, events) = unsafe {
        (
            logfile.Anonymous1.ProcessTraceMode,
            logfile.Anonymous2.EventRecordCallback,
        )
    };
    windows.descriptions.push(Description {
        mode,
        events,
        buffers: logfile.BufferCallback,
        context: logfile.Context as usize,
    });
    Etw::PROCESSTRACE_HANDLE {
        Value: windows.descriptions.len() as u64,
    }
}

/// A buffer of events, one after the other; of a session until it is stopped, and what is left then.
unsafe extern "system" fn process(
    handles: *const Etw::PROCESSTRACE_HANDLE,
    count: u32,
    _: *const FILETIME,
    _: *const FILETIME,
) -> WIN32_ERROR {
    assert_eq!(count, 1);
    // SAFETY: as the session promises.
    let handle = unsafe { (*handles).Value } as usize;
    let described = windows().descriptions[handle - 1];
    assert_ne!(described.mode & Etw::PROCESS_TRACE_MODE_EVENT_RECORD, 0);
    let (Some(take_event), Some(take_buffer)) = (described.events, described.buffers) else {
        panic!("nobody takes the events");
    };
    let is_live = described.mode & Etw::PROCESS_TRACE_MODE_REAL_TIME != 0;
    loop {
        let (event, is_stopped) = {
            let mut windows = windows();
            let is_stopped = windows.sessions.iter().all(|of| of.is_stopped);
            (windows.events.pop_front(), is_stopped)
        };
        match event {
            Some((class, kind, mut payload)) => {
                let mut record = Etw::EVENT_RECORD {
                    UserDataLength: payload.len() as u16,
                    UserData: payload.as_mut_ptr().cast(),
                    UserContext: described.context as *mut _,
                    ..Default::default()
                };
                record.EventHeader.Flags = Etw::EVENT_HEADER_FLAG_64_BIT_HEADER as u16;
                record.EventHeader.ThreadId = u32::MAX;
                record.EventHeader.ProcessId = 12;
                record.EventHeader.TimeStamp = 132_444_736_000_000_000;
                record.EventHeader.ProviderId = class;
                record.EventHeader.EventDescriptor.Opcode = kind;
                record.EventHeader.EventDescriptor.Version = 3;
                let mut logfile = Etw::EVENT_TRACE_LOGFILEW {
                    Context: described.context as *mut _,
                    ..Default::default()
                };
                // SAFETY: the callbacks that were given, with whole events.
                let goes_on = unsafe {
                    take_event(&raw mut record);
                    take_buffer(&raw mut logfile)
                };
                if goes_on == 0 {
                    return ERROR_CANCELLED;
                }
            }
            None if is_live && !is_stopped => std::thread::sleep(Duration::from_millis(1)),
            None => return ERROR_SUCCESS,
        }
    }
}

unsafe extern "system" fn close(_: Etw::PROCESSTRACE_HANDLE) -> WIN32_ERROR {
    windows().closed += 1;
    ERROR_SUCCESS
}

const FILE_IO: GUID = GUID::from_u128(super::record::FILE_IO);
const DISK_IO: GUID = GUID::from_u128(super::record::DISK_IO);

/// FileIo_OpEnd.
fn end(request: u64) -> (GUID, u8, Vec<u8>) {
    let mut payload = request.to_le_bytes().to_vec();
    payload.extend([0; 12]);
    (FILE_IO, 76, payload)
}

/// DiskIo_TypeGroup3.
fn flush(ticks: u64) -> (GUID, u8, Vec<u8>) {
    let mut payload = vec![0; 8];
    payload.extend(ticks.to_le_bytes());
    payload.extend([0; 12]);
    (DISK_IO, 14, payload)
}

fn never_runs(_: u32) -> bool {
    false
}

#[test]
fn a_session_hands_over_its_events_and_says_what_was_lost() {
    let _turn = turn();
    let mut session = Session::begin_by(CALLS, 4711, never_runs).unwrap();
    {
        let mut windows = windows();
        let begun = &windows.sessions[0];
        assert_eq!(begun.name, "plumb-trace-4711");
        let system_and_live = Etw::EVENT_TRACE_SYSTEM_LOGGER_MODE | Etw::EVENT_TRACE_REAL_TIME_MODE;
        assert_eq!(begun.mode, system_and_live);
        // "Ensure that Wnode.Guid is not SystemTraceControlGuid".
        assert_ne!(begun.guid.data1, Etw::SystemTraceControlGuid.data1);
        for flag in [
            Etw::EVENT_TRACE_FLAG_FILE_IO,
            Etw::EVENT_TRACE_FLAG_FILE_IO_INIT,
            Etw::EVENT_TRACE_FLAG_DISK_FILE_IO,
            Etw::EVENT_TRACE_FLAG_PROCESS,
            Etw::EVENT_TRACE_FLAG_THREAD,
        ] {
            assert_ne!(begun.flags & flag, 0);
        }
        windows.events.extend([end(1), flush(50), end(2)]);
        // Another provider's.
        windows
            .events
            .push_back((GUID::from_u128(1), 76, Vec::new()));
    }
    let mut records = Vec::new();
    while records.len() < 3 {
        session.drain(&mut |record| records.push(record));
        std::thread::sleep(Duration::from_millis(1));
    }
    windows().events.push_back(end(3));
    let losses = session.end(&mut |record| records.push(record)).unwrap();
    assert_eq!(
        losses,
        Losses {
            events: 5,
            buffers: 2
        }
    );
    let requests: Vec<u64> = records
        .iter()
        .filter_map(|record| match record {
            Record::Ended { request, .. } => Some(*request),
            _ => None,
        })
        .collect();
    assert_eq!(requests, [1, 2, 3]);
    let Record::Disk(request) = &records[1] else {
        panic!("{records:?}");
    };
    // By the frequency that the trace reports.
    assert_eq!(request.response_ns, Some(5000));
    assert_eq!(opened_and_closed(), (1, 1));
}

#[test]
fn a_session_ends_with_what_holds_it() {
    let _turn = turn();
    drop(Session::begin_by(CALLS, 4711, never_runs).unwrap());
    assert!(windows().sessions[0].is_stopped);
    assert_eq!(windows().closed, 1);
    // By its own name again.
    let session = Session::begin_by(CALLS, 4711, never_runs).unwrap();
    windows().sessions[1].is_stopped = true;
    let ended = session.end(&mut |_| {});
    let code = ERROR_WMI_INSTANCE_NOT_FOUND;
    assert_eq!(ended, Err(NotTraced::Ended { code }));
}

#[test]
fn sessions_that_were_left_behind_are_ended_and_no_others() {
    let _turn = turn();
    for name in [
        "plumb-trace-1",
        "plumb-trace-2",
        "plumb-trace-4711",
        "plumb-trace-x",
        "plumb-trace-",
        "NT Kernel Logger",
    ] {
        windows().sessions.push(Played {
            name: name.into(),
            guid: GUID::from_u128(u128::from(name.len() as u64)),
            flags: 0,
            mode: 0,
            is_stopped: false,
        });
    }
    let session = Session::begin_by(CALLS, 4711, |process| process == 2).unwrap();
    let running: Vec<String> = windows()
        .sessions
        .iter()
        .filter(|of| !of.is_stopped)
        .map(|of| of.name.clone())
        .collect();
    assert_eq!(
        running,
        [
            "plumb-trace-2",
            "plumb-trace-x",
            "plumb-trace-",
            "NT Kernel Logger",
            "plumb-trace-4711"
        ]
    );
    for played in &mut windows().sessions {
        played.is_stopped = true;
    }
    drop(session);
}

#[test]
fn what_windows_refuses_is_said_with_what_to_do() {
    let _turn = turn();
    let refused = |code| {
        windows().refuses = code;
        Session::begin_by(CALLS, 4711, never_runs).err().unwrap()
    };
    let rights = refused(ERROR_ACCESS_DENIED);
    assert_eq!(rights, NotTraced::Rights);
    let said = rights.to_string();
    for word in [
        "Run as administrator",
        "SeSystemProfilePrivilege",
        "Performance Log Users",
        "wpr",
    ] {
        assert!(said.contains(word), "{said}");
    }
    assert_eq!(refused(ERROR_NO_SYSTEM_RESOURCES), NotTraced::NoSession);
    let other = refused(87).to_string();
    assert!(other.contains("StartTrace fails with error 87"), "{other}");
    windows().refuses = ERROR_SUCCESS;
    windows().refuses_consumer = ERROR_ACCESS_DENIED;
    let consumer = Session::begin_by(CALLS, 4711, never_runs).err();
    assert_eq!(consumer, Some(NotTraced::Rights));
    // Nothing goes on that nobody takes from.
    assert!(windows().sessions.iter().all(|of| of.is_stopped));
}

#[test]
fn a_file_is_read_to_its_end_or_as_far_as_it_is_wanted() {
    let _turn = turn();
    windows().events.extend([end(1), end(2), end(3)]);
    let mut count = 0;
    let losses = read_file_by(&CALLS, Path::new(r"C:\a.etl"), &mut |_| {
        count += 1;
        true
    });
    let expected = Losses {
        events: 3,
        buffers: 1,
    };
    assert_eq!((losses, count), (Ok(expected), 3));
    windows().events.extend([end(1), end(2), end(3)]);
    let mut count = 0;
    let stopped = read_file_by(&CALLS, Path::new(r"C:\a.etl"), &mut |_| {
        count += 1;
        count < 2
    });
    assert_eq!((stopped, count), (Ok(expected), 2));
    assert_eq!(opened_and_closed(), (2, 2));
    let none = read_file_by(&CALLS, Path::new(r"C:\none.etl"), &mut |_| true);
    let said = none.unwrap_err().to_string();
    assert!(said.contains("OpenTrace fails with error 2 "), "{said}");
}

/// The calls of this system, whatever they say: nothing breaks.
#[test]
fn the_calls_of_this_system_are_asked() {
    let _turn = turn();
    match Session::begin() {
        Ok(session) => drop(session),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert!(super::read_file(Path::new(r"C:\there is no such.etl"), &mut |_| true).is_err());
    let letters = super::letters();
    assert!(
        letters.iter().any(|(_, letter)| letter == "C:"),
        "{letters:?}"
    );
}
