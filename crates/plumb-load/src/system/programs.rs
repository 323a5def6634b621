//! What does the operating system know of a program that was started? When it ended and how, what it used, and how its whole group is ended.

/// What a program and the children that it waited for used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    /// Largest resident set of any of them.
    pub memory_bytes: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

/// What a program and the children that it waited for read and wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoCounts {
    /// By read and write calls, from caches too, pipes and sockets included.
    pub read_calls_bytes: u64,
    pub write_calls_bytes: u64,
    /// Fetched from a device, and made dirty for one.
    pub device_read_bytes: u64,
    pub device_write_bytes: u64,
}

#[cfg(unix)]
mod unix {
    use std::fs::OpenOptions;
    use std::io::{self, Write};
    use std::os::unix::fs::OpenOptionsExt;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus};

    use crossbeam_channel::{Receiver, bounded};

    use super::{IoCounts, Usage};
    use crate::clock::Clock;
    use crate::copy::ending::HowEnded;

    /// In a session and group of its own: Ctrl-C of the terminal does not reach it, it can be ended with all that it started, and one that would ask for a
    /// password fails instead of waiting for a terminal.
    pub fn set_apart(command: &mut Command) {
        // SAFETY: setsid(2) takes nothing and touches no memory.
        let apart = || match unsafe { libc::setsid() } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        };
        // SAFETY: between fork and exec only setsid(2) is called, which is async-signal-safe and touches no memory.
        unsafe { command.pre_exec(apart) };
    }

    /// Writes a file that only its owner may read; it must not exist.
    pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?
            .write_all(text.as_bytes())
    }

    /// A program that runs, or has ended and was not collected yet.
    pub struct Process {
        id: libc::pid_t,
    }

    impl Process {
        /// Takes it over: the standard library must not collect it.
        pub fn new(child: Child) -> Process {
            Process {
                id: child.id() as libc::pid_t,
            }
        }

        /// Gives the time of the end, as soon as it is there. The program is not collected: its number and its counters stay.
        pub fn watch(&self, clock: Clock) -> Receiver<u64> {
            let (sender, ends) = bounded(1);
            let id = self.id;
            let wait = move || {
                loop {
                    // SAFETY: siginfo_t is plain memory, valid when all zero; waitid(2) writes to it and nothing else. WNOWAIT leaves the process as it is.
                    let waited = unsafe {
                        let mut signal_info: libc::siginfo_t = std::mem::zeroed();
                        libc::waitid(
                            libc::P_PID,
                            id as libc::id_t,
                            &mut signal_info,
                            libc::WEXITED | libc::WNOWAIT,
                        )
                    };
                    let interrupted = waited != 0
                        && std::io::Error::last_os_error().kind()
                            == std::io::ErrorKind::Interrupted;
                    if !interrupted {
                        let _ = sender.send(clock.now_ns());
                        return;
                    }
                }
            };
            let _ = std::thread::Builder::new()
                .name("plumb-copy-wait".into())
                .spawn(wait);
            ends
        }

        /// /proc/PID/io of a process that has ended and was not reaped is still readable; children that it waited for are in it (kernel/exit.c adds
        /// their accounts to the parent's when they are reaped). `None` on systems without it.
        pub fn io(&self) -> Option<IoCounts> {
            let text = crate::system::kernel_files::text(format!("/proc/{}/io", self.id))?;
            let number = |name: &str| {
                text.lines()
                    .find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse().ok())
            };
            Some(IoCounts {
                read_calls_bytes: number("rchar")?,
                write_calls_bytes: number("wchar")?,
                device_read_bytes: number("read_bytes")?,
                device_write_bytes: number("write_bytes")?,
            })
        }

        /// Collects a program that has ended. wait4(2): the usage is that of the process and of all descendants that were waited for.
        pub fn collect(&self) -> (HowEnded, Option<Usage>) {
            let mut status = 0;
            // SAFETY: rusage is plain memory, valid when all zero; wait4 writes to it and to `status`.
            let (collected, usage) = unsafe {
                let mut usage: libc::rusage = std::mem::zeroed();
                let mut collected = libc::wait4(self.id, &mut status, 0, &mut usage);
                while collected < 0
                    && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
                {
                    collected = libc::wait4(self.id, &mut status, 0, &mut usage);
                }
                (collected, usage)
            };
            if collected != self.id {
                return (HowEnded::Signal(0), None);
            }
            let status = ExitStatus::from_raw(status);
            let how = status.code().map_or_else(
                || HowEnded::Signal(status.signal().unwrap_or(0)),
                HowEnded::Exit,
            );
            let ns = |time: libc::timeval| {
                (time.tv_sec as u64).saturating_mul(1_000_000_000) + time.tv_usec as u64 * 1000
            };
            let used = Usage {
                user_ns: ns(usage.ru_utime),
                system_ns: ns(usage.ru_stime),
                // In kibibytes on Linux and FreeBSD (getrusage(2)).
                memory_bytes: (usage.ru_maxrss as u64).saturating_mul(1024),
                voluntary_switches: usage.ru_nvcsw as u64,
                involuntary_switches: usage.ru_nivcsw as u64,
            };
            (how, Some(used))
        }

        /// Requests the entire process group to end.
        pub fn request_end(&self) {
            self.signal(libc::SIGTERM);
        }

        /// Ends the entire process group.
        pub fn kill(&self) {
            self.signal(libc::SIGKILL);
        }

        /// Ends what is left of the group; true when there was something.
        pub fn end_group(&self) -> bool {
            self.signal(libc::SIGKILL)
        }

        /// The group has the number of its first process, which no other may get while the group has members (POSIX, process group lifetime).
        fn signal(&self, signal: libc::c_int) -> bool {
            // SAFETY: kill(2) touches no memory of ours; the group was made by `set_apart`.
            unsafe { libc::kill(-self.id, signal) == 0 }
        }
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::File;
    use std::io::{self, Write};
    use std::path::Path;
    use std::process::{Child, Command};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Duration;

    use crossbeam_channel::{Receiver, bounded};

    use super::{IoCounts, Usage};
    use crate::clock::Clock;
    use crate::copy::ending::HowEnded;

    /// Between two looks whether the program has ended.
    const LOOK: Duration = Duration::from_millis(1);

    pub fn set_apart(_: &mut Command) {}

    pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
        File::create_new(path)?.write_all(text.as_bytes())
    }

    /// A program that runs, or has ended.
    pub struct Process {
        child: Arc<Mutex<Child>>,
    }

    impl Process {
        pub fn new(child: Child) -> Process {
            Process {
                child: Arc::new(Mutex::new(child)),
            }
        }

        pub fn watch(&self, clock: Clock) -> Receiver<u64> {
            let (sender, ends) = bounded(1);
            let child = self.child.clone();
            let wait = move || {
                while let Ok(None) = child
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .try_wait()
                {
                    std::thread::sleep(LOOK);
                }
                let _ = sender.send(clock.now_ns());
            };
            let _ = std::thread::Builder::new()
                .name("plumb-copy-wait".into())
                .spawn(wait);
            ends
        }

        pub fn io(&self) -> Option<IoCounts> {
            None
        }

        pub fn collect(&self) -> (HowEnded, Option<Usage>) {
            let status = self
                .child
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .wait();
            (
                status
                    .ok()
                    .and_then(|status| status.code())
                    .map_or(HowEnded::Signal(0), HowEnded::Exit),
                None,
            )
        }

        pub fn request_end(&self) {
            self.kill();
        }

        pub fn kill(&self) {
            let _ = self
                .child
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .kill();
        }

        pub fn end_group(&self) -> bool {
            false
        }
    }
}

#[cfg(not(unix))]
pub use other::{Process, set_apart, write_private};
#[cfg(unix)]
pub use unix::{Process, set_apart, write_private};
