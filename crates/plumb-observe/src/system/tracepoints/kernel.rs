//! How are the tracepoints of Linux opened for a process and what it starts? One event for each tracepoint, thread and processor, into one ring for each processor.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use super::attributes::{Subject, attach, leave_out, open, record_into};
use super::formats::{FIRST_IS_PATH, Format, Formats, Opens, SECOND_IS_PATH, format_of};
use super::numbers::IDLE;
use super::records::{Record, record};
use super::ring::Ring;
use crate::system::allow_open_files;
use crate::system::kernel_files::{names, number_list, text};
use crate::system::open_paths::{OpenPaths, RequestedPath};
use crate::system::paths;

/// Bytes of a ring: what is recorded while plumb does not run must find room. On machines with many processors less, so that all together stay below the first.
const ALL_RINGS_BYTES: usize = 128 << 20;
const RING_BYTES_MAX: usize = 8 << 20;
/// With less, nothing fast could be followed.
const RING_BYTES_MIN: usize = 64 << 10;
/// Where the events of the kernel are reported, when somebody has mounted it.
const TRACE_FOLDERS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
/// fsmount(2) with FSMOUNT_CLOEXEC; fsconfig(2) with FSCONFIG_CMD_CREATE; fsopen(2) with FSOPEN_CLOEXEC.
const CLOSE_ON_EXEC: libc::c_uint = 1;
const CREATE: libc::c_uint = 6;
/// Times that the threads of a process are listed until no new one is among them.
const LISTINGS_MAX: usize = 20;

/// Tracepoints that are open, and their rings.
pub(crate) struct Tracepoints {
    formats: Formats,
    /// What was opened; missing where it cannot be had.
    paths: Option<OpenPaths>,
    rings: Vec<Ring>,
    /// Events that write into the rings of others; they end with this.
    _others: Vec<OwnedFd>,
    threads: Vec<u32>,
}

impl Tracepoints {
    /// Of the programs that the calling thread starts from now on, and what they start.
    ///
    /// Errors: the kernel does not have them, or this user may not use them.
    pub fn of_started_programs() -> io::Result<Tracepoints> {
        let formats = formats()?;
        let mut opening = Opening::new(&formats)?;
        opening.add(Subject::StartedPrograms)?;
        Ok(opening.done(formats))
    }

    /// Of all threads of a process, and what they start.
    ///
    /// Errors: the same, or there is no such process.
    pub fn of_process(process: u32) -> io::Result<Tracepoints> {
        let formats = formats()?;
        let mut opening = Opening::new(&formats)?;
        // A thread that began meanwhile was made by one that is followed already, or by one that is not yet.
        for _ in 0..LISTINGS_MAX {
            let listed = threads_of(process);
            if listed.is_empty() {
                return Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("no process {process}"),
                ));
            }
            let mut is_new = false;
            for thread in listed {
                if opening.threads.contains(&thread) {
                    continue;
                }
                match opening.add(Subject::Thread(thread as libc::pid_t)) {
                    Ok(()) => {
                        opening.threads.push(thread);
                        is_new = true;
                    }
                    // It has ended.
                    Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                    Err(error) => return Err(error),
                }
            }
            if !is_new {
                break;
            }
        }
        Ok(opening.done(formats))
    }

    /// Whether requests of io_uring are reported.
    pub fn shows_requests(&self) -> bool {
        self.formats.requests.is_some()
    }

    /// Whether paths are reported as they are opened.
    pub fn shows_paths(&self) -> bool {
        self.paths.is_some()
    }

    /// Hands on the paths that were opened since the last time.
    pub fn drain_paths(&mut self, take: &mut dyn FnMut(RequestedPath)) {
        if let Some(paths) = &mut self.paths {
            paths.drain(take);
        }
    }

    /// Threads of the process at the time of opening.
    pub fn threads(&self) -> &[u32] {
        &self.threads
    }

    /// Hands on all that was recorded, of one processor after the other; of each in the order of time.
    pub fn drain(&mut self, take: &mut dyn FnMut(Record)) {
        let formats = &self.formats;
        for ring in &mut self.rings {
            ring.drain(|bytes| {
                if let Some(record) = record(bytes, formats) {
                    take(record);
                }
            });
        }
    }
}

/// Threads of a process now; none when there is no such process.
fn threads_of(process: u32) -> Vec<u32> {
    let listed = names(Path::new("/"), &format!("proc/{process}/task"));
    listed.iter().filter_map(|name| name.parse().ok()).collect()
}

/// The clock of the records, and that of the time since 1970, now, in nanoseconds.
pub(crate) fn clock_ns() -> (u64, u64) {
    let now = |clock| {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: clock_gettime writes one timespec to the pointer, which is valid for it.
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    };
    (now(libc::CLOCK_MONOTONIC), now(libc::CLOCK_REALTIME))
}

/// Events that are being opened.
struct Opening {
    paths: Option<OpenPaths>,
    processors: Vec<u32>,
    /// Tracepoints by number.
    selected: Vec<u16>,
    /// Those of the begin and the end of system calls.
    calls: [u16; 2],
    rings: Vec<Ring>,
    others: Vec<OwnedFd>,
    threads: Vec<u32>,
    ring_bytes: usize,
}

impl Opening {
    fn new(formats: &Formats) -> io::Result<Opening> {
        let online = text(Path::new("/"), &paths::cpus("online"));
        let processors: Vec<u32> = online.map(|list| number_list(&list)).unwrap_or_default();
        if processors.is_empty() {
            return Err(io::Error::other("the online processors are unknown"));
        }
        let calls = [formats.entered.id, formats.left.id];
        let mut selected = calls.to_vec();
        if let Some((submitted, completed)) = formats.requests {
            selected.extend([submitted.id, completed.id]);
        }
        let share = (ALL_RINGS_BYTES / processors.len()).clamp(RING_BYTES_MIN, RING_BYTES_MAX);
        // Before the other events: what is first at the end of a call is carried out first, so that a path is there before the record of the call's end; unless
        // another program has that event already.
        let paths = processors
            .first()
            .and_then(|processor| paths(&formats.opens, *processor));
        Ok(Opening {
            paths,
            ring_bytes: 1 << share.ilog2(),
            processors,
            selected,
            calls,
            rings: Vec::new(),
            others: Vec::new(),
            threads: Vec::new(),
        })
    }

    fn add(&mut self, subject: Subject) -> io::Result<()> {
        self.allow_files();
        for position in 0..self.processors.len() {
            let processor = self.processors[position];
            for (number, id) in self.selected.clone().into_iter().enumerate() {
                let event = open(id, subject, processor, number == 0)?;
                if self.calls.contains(&id) {
                    leave_out(&event, IDLE);
                }
                match self.rings.get(position) {
                    Some(ring) => {
                        record_into(&event, ring.event().as_raw_fd())?;
                        self.others.push(event);
                    }
                    None => self.map(event)?,
                }
            }
        }
        Ok(())
    }

    /// A ring for this event; a smaller one where the user may not lock as much memory.
    fn map(&mut self, mut event: OwnedFd) -> io::Result<()> {
        let page_bytes = crate::system::page_bytes() as usize;
        loop {
            match Ring::of(event, page_bytes, self.ring_bytes) {
                Ok(ring) => {
                    self.rings.push(ring);
                    return Ok(());
                }
                Err((_, error)) if self.ring_bytes <= RING_BYTES_MIN => return Err(error),
                Err((again, _)) => event = again,
            }
            self.ring_bytes /= 2;
        }
    }

    /// Each event is a file: more than the usual limit on machines with many processors, or of a process with many threads. Only where it is needed, as what is started
    /// inherits the limit.
    fn allow_files(&self) {
        let each = self.processors.len() * self.selected.len();
        allow_open_files((self.others.len() + 2 * each + 128) as u64);
    }

    fn done(self, formats: Formats) -> Tracepoints {
        Tracepoints {
            formats,
            paths: self.paths,
            rings: self.rings,
            _others: self.others,
            threads: self.threads,
        }
    }
}

/// The paths that are opened; `None` where the kernel does not report them.
fn paths(opens: &Opens, processor: u32) -> Option<OpenPaths> {
    // Without openat, names of files would be missing.
    opens.second.first()?.as_ref()?;
    let known = |all: &[Option<u16>]| -> Vec<u16> { all.iter().flatten().copied().collect() };
    let attach = |id, program| attach(id, processor, program);
    OpenPaths::at(&known(&opens.second), &known(&opens.first), attach).ok()
}

/// Where the tracepoints stand, from the folder of the kernel's tracing, mounted by somebody or here for this process alone.
fn formats() -> io::Result<Formats> {
    let of = |folder: &Path, event: &str, first: &str, second: &str| -> io::Result<Format> {
        let file = folder.join("events").join(event).join("format");
        let text = std::fs::read_to_string(&file)?;
        format_of(&text, first, second)
            .ok_or_else(|| io::Error::other(format!("{} is not as expected", file.display())))
    };
    let in_folder = |folder: &Path| -> io::Result<Formats> {
        let submitted = of(folder, "io_uring/io_uring_submit_req", "req", "opcode");
        let completed = of(folder, "io_uring/io_uring_complete", "req", "res");
        let end_of = |call: &str| {
            let event = format!("syscalls/sys_exit_{call}");
            of(folder, &event, "ret", "ret")
                .ok()
                .map(|format| format.id)
        };
        Ok(Formats {
            entered: of(folder, "raw_syscalls/sys_enter", "id", "args")?,
            left: of(folder, "raw_syscalls/sys_exit", "id", "ret")?,
            requests: submitted.ok().zip(completed.ok()),
            opens: Opens {
                second: SECOND_IS_PATH.map(end_of),
                first: FIRST_IS_PATH.map(end_of),
            },
        })
    };
    let mounted = TRACE_FOLDERS
        .iter()
        .find_map(|folder| in_folder(Path::new(folder)).ok());
    if let Some(found) = mounted {
        return Ok(found);
    }
    let mount = own_mount()?;
    in_folder(&PathBuf::from(format!(
        "/proc/self/fd/{}",
        mount.as_raw_fd()
    )))
}

/// The file system tracefs, mounted nowhere: only this descriptor leads to it (fsopen(2), Linux 5.2).
fn own_mount() -> io::Result<OwnedFd> {
    let name = CString::new("tracefs")?;
    // SAFETY: the calls take a name that ends with 0, null pointers where they allow them, and descriptors.
    unsafe {
        let context = owned(libc::syscall(
            libc::SYS_fsopen,
            name.as_ptr(),
            CLOSE_ON_EXEC,
        ))?;
        let none = std::ptr::null::<libc::c_char>();
        let created = libc::syscall(
            libc::SYS_fsconfig,
            context.as_raw_fd(),
            CREATE,
            none,
            none,
            0,
        );
        if created < 0 {
            return Err(io::Error::last_os_error());
        }
        owned(libc::syscall(
            libc::SYS_fsmount,
            context.as_raw_fd(),
            CLOSE_ON_EXEC,
            0,
        ))
    }
}

/// What a call gave: a descriptor that nobody else has, or an error.
///
/// # Safety
/// `found` is the result of a call that gives a new descriptor, right after it.
unsafe fn owned(found: libc::c_long) -> io::Result<OwnedFd> {
    if found < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as of this function.
    Ok(unsafe { OwnedFd::from_raw_fd(found as RawFd) })
}
