//! How are a program's calls on a file system held for a known time, and then let go on? By seccomp's user notification (seccomp_unotify(2), Linux 5.5), which needs no root.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::HeldRun;

/// Calls that are held at the same time.
const THREADS: usize = 32;
/// How often it is looked whether the program has ended.
const LOOK_MS: libc::c_int = 50;
/// `_IOWR('!', 0, struct seccomp_notif)` and `_IOWR('!', 1, struct seccomp_notif_resp)`.
const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
/// Longest path (PATH_MAX), and how much of it is read at once: within a page, so that nothing beyond it is touched.
const PATH_BYTES: usize = 4096;
const CHUNK: usize = 256;

/// Where a call says on which file it is.
#[derive(Debug, Clone, Copy)]
enum On {
    /// The descriptor at this argument.
    Descriptor,
    /// The path at the second argument, from the directory at the first.
    PathAt,
    /// The path at the first argument.
    #[cfg(target_arch = "x86_64")]
    Path,
}

/// Calls that are held.
const CALLS: &[(libc::c_long, On)] = &[
    (libc::SYS_read, On::Descriptor),
    (libc::SYS_pread64, On::Descriptor),
    (libc::SYS_readv, On::Descriptor),
    (libc::SYS_preadv, On::Descriptor),
    (libc::SYS_write, On::Descriptor),
    (libc::SYS_pwrite64, On::Descriptor),
    (libc::SYS_writev, On::Descriptor),
    (libc::SYS_pwritev, On::Descriptor),
    (libc::SYS_fsync, On::Descriptor),
    (libc::SYS_fdatasync, On::Descriptor),
    (libc::SYS_sync_file_range, On::Descriptor),
    (libc::SYS_ftruncate, On::Descriptor),
    (libc::SYS_fallocate, On::Descriptor),
    (libc::SYS_getdents64, On::Descriptor),
    (libc::SYS_copy_file_range, On::Descriptor),
    (libc::SYS_openat, On::PathAt),
    (libc::SYS_newfstatat, On::PathAt),
    (libc::SYS_statx, On::PathAt),
    (libc::SYS_unlinkat, On::PathAt),
    (libc::SYS_mkdirat, On::PathAt),
    (libc::SYS_renameat2, On::PathAt),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, On::Path),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, On::Path),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lstat, On::Path),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, On::Path),
];

/// Runs a command whose calls on files below `storage`, but not below one of `others`, are held for `delay` each. Its output goes nowhere.
///
/// # Errors
/// The kernel has no such notification, or the command cannot be started.
pub fn run_held(
    command: &[OsString],
    storage: &Path,
    others: &[PathBuf],
    delay: Duration,
) -> io::Result<HeldRun> {
    let (program, words) = command
        .split_first()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no command"))?;
    let (ours, theirs) = socket_pair()?;
    let shared = Arc::new(Shared {
        storage: storage.to_path_buf(),
        others: others.to_vec(),
        delay,
        ended: AtomicBool::new(false),
        held: AtomicU64::new(0),
        held_ns: AtomicU64::new(0),
    });
    let server = {
        let shared = shared.clone();
        // The program makes its first held call before `spawn` returns where it cannot be started.
        std::thread::Builder::new()
            .name("plumb-held".into())
            .spawn(move || serve(&ours, &shared))?
    };
    let filter = filter();
    let sender = theirs.as_raw_fd();
    let mut starting = Command::new(program);
    starting
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: between fork and exec, only system calls are made, on memory that was there before.
    unsafe { starting.pre_exec(move || install(&filter, sender)) };
    let begun = Instant::now();
    let started = starting.spawn();
    drop(theirs);
    let ended = started.and_then(|mut child| child.wait());
    let elapsed = begun.elapsed();
    shared.ended.store(true, Ordering::Relaxed);
    let served = server
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the calls could not be held")));
    let is_success = ended?.success();
    served?;
    let held = shared.held.load(Ordering::Relaxed);
    Ok(HeldRun {
        elapsed,
        is_success,
        held,
        held_ns: shared.held_ns.load(Ordering::Relaxed) as f64 / (held as f64).max(1.0),
    })
}

/// What the threads share that hold calls.
struct Shared {
    storage: PathBuf,
    others: Vec<PathBuf>,
    delay: Duration,
    ended: AtomicBool,
    held: AtomicU64,
    held_ns: AtomicU64,
}

/// A call that waits, since when.
struct Waiting {
    call: libc::seccomp_notif,
    since: Instant,
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut pair: [RawFd; 2] = [-1; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: socketpair writes two descriptors, which nobody else has.
    unsafe {
        if libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1])))
    }
}

/// The filter: the calls above are notified, others go on.
fn filter() -> Vec<libc::sock_filter> {
    let step = |code: u32, k: u32, (jt, jf): (u8, u8)| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let give = libc::BPF_RET | libc::BPF_K;
    // The number of the call is the first field of struct seccomp_data.
    let mut filter = vec![step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, (0, 0))];
    for (number, _) in CALLS {
        let is_it = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        filter.push(step(is_it, *number as u32, (0, 1)));
        filter.push(step(give, libc::SECCOMP_RET_USER_NOTIF, (0, 0)));
    }
    filter.push(step(give, libc::SECCOMP_RET_ALLOW, (0, 0)));
    filter
}

/// In the new process: sets the filter, and sends the descriptor that notifies of its calls.
fn install(filter: &[libc::sock_filter], sender: RawFd) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the filter is valid for reading; the message holds one byte and one descriptor, in buffers that live as long as the call.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let listener = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        );
        if listener < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut byte = [0u8; 1];
        let mut part = libc::iovec {
            iov_base: byte.as_mut_ptr().cast(),
            iov_len: 1,
        };
        let mut control = [0u64; 4];
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        let descriptor = listener as RawFd;
        libc::CMSG_DATA(header)
            .cast::<RawFd>()
            .write_unaligned(descriptor);
        if libc::sendmsg(sender, &raw const message, 0) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

/// The descriptor that the new process sent.
fn receive_listener(socket: &OwnedFd) -> io::Result<OwnedFd> {
    let mut byte = [0u8; 1];
    // SAFETY: as of `install`: the buffers live as long as the call, and the descriptor in the message is a new one.
    unsafe {
        let mut part = libc::iovec {
            iov_base: byte.as_mut_ptr().cast(),
            iov_len: 1,
        };
        let mut control = [0u64; 4];
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        let flags = libc::MSG_CMSG_CLOEXEC;
        if libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) < 0 {
            return Err(io::Error::last_os_error());
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "the kernel does not notify of calls (seccomp)",
            ));
        }
        let descriptor = libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned();
        Ok(OwnedFd::from_raw_fd(descriptor))
    }
}

/// Takes calls until the program has ended, and has threads hold them.
fn serve(socket: &OwnedFd, shared: &Arc<Shared>) -> io::Result<()> {
    let listener = receive_listener(socket)?;
    let (give, take) = mpsc::channel::<Waiting>();
    let take = Mutex::new(take);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| hold_calls(&listener, &take, shared));
        }
        while !shared.ended.load(Ordering::Relaxed) {
            if let Some(call) = next_call(&listener)? {
                let since = Instant::now();
                let _ = give.send(Waiting { call, since });
            }
        }
        drop(give);
        Ok(())
    })
}

/// The next call; `None` when there is none for a while, or its thread was killed.
fn next_call(listener: &OwnedFd) -> io::Result<Option<libc::seccomp_notif>> {
    let mut poll = libc::pollfd {
        fd: listener.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: poll and the request write to structures of ours, which are as large as they must be; all zeros are a valid notification.
    unsafe {
        if libc::poll(&raw mut poll, 1, LOOK_MS) <= 0 {
            return Ok(None);
        }
        if poll.revents & libc::POLLIN == 0 {
            // All its processes have ended; that is waited for elsewhere.
            std::thread::sleep(Duration::from_millis(1));
            return Ok(None);
        }
        let mut call: libc::seccomp_notif = std::mem::zeroed();
        match libc::ioctl(listener.as_raw_fd(), RECEIVE as _, &raw mut call) {
            0 => Ok(Some(call)),
            _ => Ok(None),
        }
    }
}

/// Holds calls, one after another, and lets each go on.
fn hold_calls(listener: &OwnedFd, take: &Mutex<mpsc::Receiver<Waiting>>, shared: &Shared) {
    loop {
        let next = take.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Waiting { call, since }) = next else {
            return;
        };
        let is_held = on_storage(&call, shared);
        if is_held {
            std::thread::sleep(shared.delay.saturating_sub(since.elapsed()));
            shared.held.fetch_add(1, Ordering::Relaxed);
            let held_ns = since.elapsed().as_nanos() as u64;
            shared.held_ns.fetch_add(held_ns, Ordering::Relaxed);
        }
        // SAFETY: the answer is a structure of ours; all zeros are a valid one.
        unsafe {
            let mut answer: libc::seccomp_notif_resp = std::mem::zeroed();
            answer.id = call.id;
            answer.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
            // An error: the thread was killed meanwhile.
            libc::ioctl(listener.as_raw_fd(), SEND as _, &raw mut answer);
        }
    }
}

/// Whether a call is on a file of the storage.
fn on_storage(call: &libc::seccomp_notif, shared: &Shared) -> bool {
    let number = libc::c_long::from(call.data.nr);
    let Some((_, on)) = CALLS.iter().find(|(of, _)| *of == number) else {
        return false;
    };
    let thread = call.pid;
    let descriptor = call.data.args[0] as u32 as i32;
    let opened = || std::fs::read_link(format!("/proc/{thread}/fd/{descriptor}")).ok();
    let folder = || match descriptor {
        libc::AT_FDCWD => std::fs::read_link(format!("/proc/{thread}/cwd")).ok(),
        _ => opened(),
    };
    let path = match on {
        On::Descriptor => opened(),
        On::PathAt => path_of(thread, call.data.args[1]).and_then(|path| {
            if path.is_absolute() {
                Some(path)
            } else {
                Some(folder()?.join(path))
            }
        }),
        #[cfg(target_arch = "x86_64")]
        On::Path => path_of(thread, call.data.args[0]).and_then(|path| {
            let cwd = || std::fs::read_link(format!("/proc/{thread}/cwd")).ok();
            if path.is_absolute() {
                Some(path)
            } else {
                Some(cwd()?.join(path))
            }
        }),
    };
    path.is_some_and(|path| {
        path.starts_with(&shared.storage)
            && !shared.others.iter().any(|other| path.starts_with(other))
    })
}

/// A path in the memory of a thread that waits.
fn path_of(thread: u32, address: u64) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;

    let mut path = Vec::new();
    while path.len() < PATH_BYTES {
        let at = address.checked_add(path.len() as u64)?;
        let mut chunk = [0u8; CHUNK];
        // A chunk ends with its page at most.
        let length = CHUNK - (at as usize % CHUNK);
        let local = libc::iovec {
            iov_base: chunk.as_mut_ptr().cast(),
            iov_len: length,
        };
        let remote = libc::iovec {
            iov_base: at as *mut libc::c_void,
            iov_len: length,
        };
        // SAFETY: the kernel writes at most `length` bytes to the chunk, and checks the other address.
        let read = unsafe {
            libc::process_vm_readv(
                thread as libc::pid_t,
                &raw const local,
                1,
                &raw const remote,
                1,
                0,
            )
        };
        let read = usize::try_from(read).ok().filter(|read| *read > 0)?;
        let chunk = &chunk[..read];
        match chunk.iter().position(|byte| *byte == 0) {
            Some(end) => {
                path.extend_from_slice(&chunk[..end]);
                return Some(PathBuf::from(OsString::from_vec(path)));
            }
            None => path.extend_from_slice(chunk),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, storage: &Path, delay_ms: u64) -> Option<HeldRun> {
        let command: Vec<OsString> = ["sh", "-c", script].map(OsString::from).to_vec();
        let ran = run_held(&command, storage, &[], Duration::from_millis(delay_ms));
        match ran {
            Ok(run) => Some(run),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                println!("skipped: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn each_call_on_the_storage_takes_so_much_longer_and_others_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, [1; 4096]).unwrap();
        // 64 reads and the one at the end, one open.
        let script = format!("dd if={} of=/dev/null bs=64 status=none", file.display());
        let Some(held) = run(&script, folder.path(), 5) else {
            return;
        };
        assert!(held.is_success);
        assert!((65..=70).contains(&held.held), "{held:?}");
        assert!(held.held_ns >= 5e6, "{held:?}");
        assert!(held.elapsed.as_secs_f64() >= held.held as f64 * 0.005);
        let elsewhere = run(&script, Path::new("/nowhere"), 5).unwrap();
        assert_eq!(elsewhere.held, 0);
        assert!(elsewhere.elapsed < held.elapsed);
    }

    #[test]
    fn threads_that_work_at_once_are_held_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c", "d"] {
            std::fs::write(folder.path().join(name), [1; 1024]).unwrap();
        }
        let script = format!(
            "cd {}; for f in a b c d; do dd if=$f of=/dev/null bs=64 status=none & done; wait",
            folder.path().display()
        );
        let Some(held) = run(&script, folder.path(), 20) else {
            return;
        };
        assert!(held.held >= 68, "{held:?}");
        let one_after_another = held.held as f64 * 0.020;
        assert!(
            held.elapsed.as_secs_f64() < 0.6 * one_after_another,
            "{held:?}"
        );
    }

    #[test]
    fn a_program_that_cannot_be_started_is_an_error() {
        let command = [OsString::from("/no/such/program")];
        let ran = run_held(&command, Path::new("/"), &[], Duration::from_millis(1));
        let error = ran.expect_err("nothing to start");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
