//! What differs between systems here? How signals end a run in good order, and how a command is requested to end.

#[cfg(unix)]
pub mod mpi;
#[cfg(not(unix))]
#[path = "system/no_mpi.rs"]
pub mod mpi;

// Calls of 32-bit systems have other names and arguments.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub mod held_calls;
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
#[path = "system/no_held_calls.rs"]
pub mod held_calls;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(unix)]
use crate::notices::say;

/// A command that ran with its calls on a file system held.
#[derive(Debug, Clone, Copy)]
pub struct HeldRun {
    pub elapsed: std::time::Duration,
    pub is_success: bool,
    /// Calls that were held.
    pub held: u64,
    /// How long each was, in nanoseconds, on average.
    pub held_ns: f64,
}

/// Exit code of a program that the user stopped: that of shells for an interrupt, 128 + SIGINT, on every system.
pub const STOPPED_BY_USER: u8 = 130;

/// Sets `stop` at the first signal that requests the end: interrupt (Ctrl-C), terminate, quit, and a lost terminal. Another one ends the program at once,
/// and then files may stay behind; but not within a second or so of the first: `timeout` and terminals send the same request twice, to the process and to its
/// group, which does not mean that the user insists. `by_user` is set by an interrupt only, before `stop` is.
#[cfg(unix)]
pub fn stop_on_signals(
    stop: Arc<AtomicBool>,
    by_user: Arc<AtomicBool>,
    before_exit: fn(),
) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use std::sync::atomic::Ordering;
    use std::time::{Duration, Instant};

    const PATIENCE: Duration = Duration::from_millis(1500);
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGQUIT, SIGHUP])?;
    // A call that waits in the kernel returns by it, and its thread sees that it is to stop.
    signal_hook::flag::register(WAKE, Arc::default())?;
    let watch = move || {
        let mut first = None;
        for signal in signals.forever() {
            if signal == SIGINT && first.is_none() {
                by_user.store(true, Ordering::Relaxed);
            }
            stop.store(true, Ordering::Relaxed);
            if first.is_none() {
                // Without it no thread is woken and nothing is printed, and the run ends when the storage responds.
                let _ = std::thread::Builder::new()
                    .name("plumb-waking".into())
                    .spawn(wake_and_tell);
            }
            if first.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
                before_exit();
                say(
                    "plumb: ended at once by a second signal: files that plumb created may remain; the next run lists them",
                );
                std::process::exit(match by_user.load(Ordering::Relaxed) {
                    true => STOPPED_BY_USER.into(),
                    false => 2,
                });
            }
        }
    };
    std::thread::Builder::new()
        .name("plumb-signals".into())
        .spawn(watch)
        .map(drop)
}

/// The signal that wakes workers: without a handler it is ignored.
#[cfg(unix)]
const WAKE: std::ffi::c_int = signal_hook::consts::SIGURG;

/// After the first signal: wakes workers that wait in the kernel for storage that does not answer, and prints why the program continues. The program ends
/// meanwhile
/// unless it has to wait.
#[cfg(unix)]
fn wake_and_tell() {
    use std::time::Duration;

    std::thread::sleep(Duration::from_millis(300));
    wake_workers();
    std::thread::sleep(Duration::from_secs(4));
    say(
        "plumb: still ending: waiting for outstanding operations, then removing files; press Ctrl-C again to end at once, and files may remain",
    );
    loop {
        wake_workers();
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Sends [`WAKE`] to every thread that carries out a load.
#[cfg(target_os = "linux")]
fn wake_workers() {
    for task in std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten()
    {
        let is_worker = std::fs::read_to_string(task.path().join("comm"))
            .is_ok_and(|name| name.starts_with("plumb-load"));
        if let (true, Some(Ok(thread))) =
            (is_worker, task.file_name().to_str().map(str::parse::<i32>))
        {
            // SAFETY: plain call with numbers; a thread that has ended meanwhile is an error that changes nothing.
            unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, WAKE) };
        }
    }
}

/// Other systems do not list threads this way.
#[cfg(all(unix, not(target_os = "linux")))]
fn wake_workers() {}

/// Ctrl-C and terminate set `stop`; the second one ends the program at once. `by_user` is set by Ctrl-C only, before `stop` is.
#[cfg(not(unix))]
pub fn stop_on_signals(stop: Arc<AtomicBool>, by_user: Arc<AtomicBool>, _: fn()) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    for (signal, status) in [(SIGINT, STOPPED_BY_USER.into()), (SIGTERM, 2)] {
        signal_hook::flag::register_conditional_shutdown(signal, status, stop.clone())?;
        if signal == SIGINT {
            signal_hook::flag::register(signal, by_user.clone())?;
        }
        signal_hook::flag::register(signal, stop.clone())?;
    }
    Ok(())
}

/// True when others than the owner may read the file; false if the system does not report it.
#[cfg(unix)]
pub fn others_may_read(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

/// Access lists of other systems are not read here.
#[cfg(not(unix))]
pub fn others_may_read(_: &std::path::Path) -> bool {
    false
}

/// A directory in which another user could replace what this process creates: one that belongs to neither this user nor root, or in which
/// others may write without the sticky bit (chmod(2)). `None`: none of those on the way to this one, which must exist.
#[cfg(target_os = "linux")]
pub fn changeable_by_others(directory: &std::path::Path) -> io::Result<Option<std::path::PathBuf>> {
    use std::os::unix::fs::MetadataExt;

    const STICKY: u32 = 0o1000;
    // SAFETY: plain call without arguments, which cannot fail.
    let own = unsafe { libc::geteuid() };
    for directory in directory.canonicalize()?.ancestors() {
        let found = std::fs::metadata(directory)?;
        let is_shared = found.mode() & 0o022 != 0 && found.mode() & STICKY == 0;
        if is_shared || ![0, own].contains(&found.uid()) {
            return Ok(Some(directory.to_path_buf()));
        }
    }
    Ok(None)
}

/// Access lists of other systems are not read here.
#[cfg(not(target_os = "linux"))]
pub fn changeable_by_others(_: &std::path::Path) -> io::Result<Option<std::path::PathBuf>> {
    Ok(None)
}

/// The auxiliary vector of this process: pairs of words, the first of which names the second (getauxval(3)); `None` if the system does not report it.
pub fn auxiliary_vector() -> Option<Vec<u8>> {
    cfg!(target_os = "linux").then(|| std::fs::read("/proc/self/auxv").ok())?
}

/// Asks a child to end: terminate, which it may take as it likes.
#[cfg(target_os = "linux")]
pub fn terminate_process(child: &mut std::process::Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        // SAFETY: plain call with numbers; the child has not been waited for, so that its number is not another process's.
        unsafe { libc::kill(pid, libc::SIGTERM) };
    }
}

/// Ends a child: there is no request to end here.
#[cfg(not(target_os = "linux"))]
pub fn terminate_process(child: &mut std::process::Child) {
    let _ = child.kill();
}

/// Whether a child has ended. It is not waited for: until then, what the system counted of it can still be read.
#[cfg(target_os = "linux")]
pub fn has_exited(child: &mut std::process::Child) -> bool {
    // SAFETY: siginfo_t is plain data, for which zeroes are valid; waitid writes it.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the pointer is to a siginfo_t of our own; the child has not been waited for, so that its number is not another process's.
    let answer = unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut info, flags) };
    // SAFETY: the kernel filled in the number of the child, or left it 0 as it was.
    answer == 0 && unsafe { info.si_pid() } != 0
}

/// Waits on a thread of its own for the end of a child, which is left as it was, and gives the time of it.
#[cfg(target_os = "linux")]
pub fn time_of_exit(
    child: &std::process::Child,
) -> Option<std::thread::JoinHandle<std::time::Instant>> {
    let process = child.id();
    let wait = move || {
        loop {
            // SAFETY: siginfo_t is plain data, for which zeroes are valid; waitid writes it.
            let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
            let flags = libc::WEXITED | libc::WNOWAIT;
            // SAFETY: the pointer is to a siginfo_t of our own.
            let answer = unsafe { libc::waitid(libc::P_PID, process, &raw mut info, flags) };
            if answer == 0
                || std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted
            {
                return std::time::Instant::now();
            }
        }
    };
    let thread = std::thread::Builder::new().name("plumb-exit".into());
    thread.spawn(wait).ok()
}

/// There is no such wait here.
#[cfg(not(target_os = "linux"))]
pub fn time_of_exit(
    _: &std::process::Child,
) -> Option<std::thread::JoinHandle<std::time::Instant>> {
    None
}

/// Whether a child has ended; then nothing is known of it any more.
#[cfg(not(target_os = "linux"))]
pub fn has_exited(child: &mut std::process::Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

/// The signal that ended a process.
#[cfg(unix)]
pub fn signal_of(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// There are none here.
#[cfg(not(unix))]
pub fn signal_of(_: std::process::ExitStatus) -> Option<i32> {
    None
}

/// Asks a process to end that a child of this one has started: terminate, which it may take as it likes. Nothing happens when it has ended.
#[cfg(target_os = "linux")]
pub fn terminate_grandchild(process: u32, child: u32) {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    if parent.and_then(|parent| parent.trim().parse().ok()) == Some(child)
        && let Ok(pid) = i32::try_from(process)
    {
        // SAFETY: plain call with numbers; the process was the child's a moment ago, which has to wait for it before the number is given to another.
        unsafe { libc::kill(pid, libc::SIGTERM) };
    }
}

/// Nothing is started that way here.
#[cfg(not(target_os = "linux"))]
pub fn terminate_grandchild(_: u32, _: u32) {}

/// A path under which another process of the same user can open a pipe of this one.
#[cfg(unix)]
pub fn path_of_pipe(pipe: &io::PipeWriter) -> std::path::PathBuf {
    use std::os::fd::AsRawFd;

    format!("/proc/{}/fd/{}", std::process::id(), pipe.as_raw_fd()).into()
}

/// There is none here.
#[cfg(not(unix))]
pub fn path_of_pipe(_: &io::PipeWriter) -> std::path::PathBuf {
    std::path::PathBuf::new()
}

/// Whether there is a process with this number.
pub fn process_is_there(process: u32) -> bool {
    cfg!(target_os = "linux") && std::path::Path::new(&format!("/proc/{process}")).exists()
}

/// The command line of this process, for the record. On Windows the program is called by its name alone: shells there want its path without the quotes that a
/// backslash needs.
pub fn own_command_line() -> Vec<String> {
    let mut words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let (true, Some(program)) = (cfg!(windows), words.first_mut())
        && let Some(name) = std::path::Path::new(program).file_stem()
    {
        *program = name.to_string_lossy().into_owned();
    }
    words
}
