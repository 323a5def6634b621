//! How is a tracepoint of one thread on one processor opened? By perf_event_open(2), with the attributes of linux/perf_event.h.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use syscalls::Sysno;

const TYPE_TRACEPOINT: u32 = 2;
const SAMPLE_TID: u64 = 1 << 1;
const SAMPLE_TIME: u64 = 1 << 2;
const SAMPLE_RAW: u64 = 1 << 10;
const DISABLED: u64 = 1;
const INHERIT: u64 = 1 << 1;
/// Records of what is mapped to be carried out.
const MAPPED_CODE: u64 = 1 << 8;
const ENABLE_ON_EXEC: u64 = 1 << 12;
const TASK: u64 = 1 << 13;
const SAMPLE_ID_ALL: u64 = 1 << 18;
const USE_CLOCK: u64 = 1 << 25;
/// Records of each time that a thread leaves or gets a CPU (Linux 4.3).
const SWITCHES: u64 = 1 << 26;
const FLAG_CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
/// `_IO('$', 5)`.
const SET_OUTPUT: libc::c_ulong = 0x2405;
/// `_IOW('$', 6, char *)`.
const SET_FILTER: libc::c_ulong = 0x4008_2406;
/// `_IOW('$', 8, __u32)`.
const SET_PROGRAM: libc::c_ulong = 0x4004_2408;

/// struct perf_event_attr up to its fifth version, which Linux 4.1 has.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_kind: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_registers_user: u64,
    sample_stack_user: u32,
    clock: i32,
    sample_registers_interrupt: u64,
    auxiliary_watermark: u32,
    sample_stack_max: u16,
    reserved: u16,
}

/// Whose passes of a tracepoint are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject {
    /// This thread's from now on, and those of threads and processes that it makes.
    Thread(libc::pid_t),
    /// Those of programs that the calling thread starts, from their begin (execve) on.
    StartedPrograms,
}

/// Opens a tracepoint on one processor. `tells_threads`: records of threads that begin, end, leave and get a CPU come too, and of programs that begin.
pub(super) fn open(
    id: u16,
    subject: Subject,
    processor: u32,
    tells_threads: bool,
) -> io::Result<OwnedFd> {
    let (thread, when) = match subject {
        Subject::Thread(thread) => (thread, 0),
        Subject::StartedPrograms => (0, DISABLED | ENABLE_ON_EXEC),
    };
    let reported = match tells_threads {
        true => TASK | MAPPED_CODE | SWITCHES,
        false => 0,
    };
    let attributes = Attributes {
        kind: TYPE_TRACEPOINT,
        size: size_of::<Attributes>() as u32,
        config: id.into(),
        sample_period: 1,
        sample_type: SAMPLE_TID | SAMPLE_TIME | SAMPLE_RAW,
        flags: INHERIT | SAMPLE_ID_ALL | USE_CLOCK | reported | when,
        clock: libc::CLOCK_MONOTONIC,
        ..Attributes::default()
    };
    let group: libc::c_int = -1;
    // SAFETY: the attributes are valid for reading and as long as they say; the result is a descriptor that nobody else has, or an error.
    unsafe {
        let found = libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            thread,
            processor,
            group,
            FLAG_CLOSE_ON_EXEC,
        );
        if found < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(found as RawFd))
    }
}

/// An event of a tracepoint, whoever passes it, that records nothing by itself; the BPF program is carried out when it is passed, on any processor.
pub(super) fn attach(id: u16, processor: u32, program: RawFd) -> io::Result<OwnedFd> {
    let attributes = Attributes {
        kind: TYPE_TRACEPOINT,
        size: size_of::<Attributes>() as u32,
        config: id.into(),
        ..Attributes::default()
    };
    let (everyone, group): (libc::pid_t, libc::c_int) = (-1, -1);
    // SAFETY: the attributes are valid for reading and as long as they say; the result is a descriptor that nobody else has, or an error. The ioctl
    // (PERF_EVENT_IOC_SET_BPF) takes a descriptor and touches no memory of ours.
    unsafe {
        let found = libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            everyone,
            processor,
            group,
            FLAG_CLOSE_ON_EXEC,
        );
        if found < 0 {
            return Err(io::Error::last_os_error());
        }
        let event = OwnedFd::from_raw_fd(found as RawFd);
        match libc::ioctl(event.as_raw_fd(), SET_PROGRAM as _, program) {
            0 => Ok(event),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// What `event` records goes to the ring of `to`, which is of the same processor.
pub(super) fn record_into(event: &OwnedFd, to: RawFd) -> io::Result<()> {
    // SAFETY: PERF_EVENT_IOC_SET_OUTPUT takes a descriptor and touches no memory of ours.
    let done = unsafe { libc::ioctl(event.as_raw_fd(), SET_OUTPUT as _, to) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Does not record these system calls. A kernel that cannot filter records them.
pub(super) fn leave_out(event: &OwnedFd, calls: &[Sysno]) {
    let conditions: Vec<String> = calls
        .iter()
        .map(|call| format!("id != {}", call.id()))
        .collect();
    if let Ok(filter) = CString::new(conditions.join(" && ")) {
        // SAFETY: PERF_EVENT_IOC_SET_FILTER reads a text that ends with 0.
        let _ = unsafe { libc::ioctl(event.as_raw_fd(), SET_FILTER as _, filter.as_ptr()) };
    }
}
