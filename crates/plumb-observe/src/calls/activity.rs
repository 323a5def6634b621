//! What does a thread wait for while it is blocked in a system call? By the name of the call and, for calls on files, by its class.

use plumb_model::trace::events::{Activity, CallClass};

use super::file_names::is_file_name;

/// What a thread waits for in a call that does not use files; `None` for others.
pub fn waiting_call(name: &str) -> Option<Activity> {
    Some(match name {
        "futex" | "futex_wait" | "flock" | "fcntl" => Activity::Lock,
        "nanosleep" | "clock_nanosleep" => Activity::Sleep,
        "wait4" | "waitid" => Activity::Child,
        "accept" | "accept4" | "connect" | "recvfrom" | "recvmsg" | "recvmmsg" | "sendto"
        | "sendmsg" | "sendmmsg" => Activity::Socket,
        "poll" | "ppoll" | "select" | "pselect6" | "epoll_wait" | "epoll_pwait"
        | "epoll_pwait2" | "rt_sigtimedwait" | "rt_sigsuspend" | "pause" => Activity::Event,
        "io_getevents" | "io_pgetevents" | "io_uring_enter" => Activity::Requests,
        "msync" => Activity::Flush,
        _ => return None,
    })
}

/// What a thread waits for in a call on a file; `is_synchronous`: the file is opened with O_SYNC or O_DSYNC.
pub fn file_call(name: &str, class: CallClass, is_synchronous: bool) -> Activity {
    match class {
        CallClass::Read => Activity::Read,
        CallClass::Write if is_synchronous => Activity::SyncWrite,
        CallClass::Write => Activity::Write,
        _ => match name {
            "fsync" | "fdatasync" | "sync" | "syncfs" | "sync_file_range" => Activity::Flush,
            "flock" => Activity::Lock,
            _ => Activity::Metadata,
        },
    }
}

/// What a thread waits for that reads or writes what the kernel names so; `None` for a file.
pub fn of_descriptor(name: &str) -> Option<Activity> {
    match name {
        _ if name.starts_with("socket:") => Some(Activity::Socket),
        _ if name.starts_with("anon_inode:") => Some(Activity::Event),
        _ if is_file_name(name) => None,
        _ => Some(Activity::Pipe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_and_synchronous_writes_are_apart() {
        let of = |name, class| file_call(name, class, true);
        assert_eq!(of("pread64", CallClass::Read), Activity::Read);
        assert_eq!(of("write", CallClass::Write), Activity::SyncWrite);
        assert_eq!(file_call("write", CallClass::Write, false), Activity::Write);
        assert_eq!(of("fdatasync", CallClass::Metadata), Activity::Flush);
        assert_eq!(of("openat", CallClass::Metadata), Activity::Metadata);
        assert_eq!(waiting_call("futex"), Some(Activity::Lock));
        assert_eq!(waiting_call("getpid"), None);
    }

    #[test]
    fn sockets_pipes_and_files_are_apart() {
        for (name, activity) in [
            ("socket:[7]", Some(Activity::Socket)),
            ("pipe:[7]", Some(Activity::Pipe)),
            ("/dev/pts/3", Some(Activity::Pipe)),
            ("anon_inode:[eventfd]", Some(Activity::Event)),
            ("/data/f", None),
        ] {
            assert_eq!(of_descriptor(name), activity, "{name}");
        }
    }
}
