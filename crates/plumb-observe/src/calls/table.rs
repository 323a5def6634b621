//! Which system calls use files, and what do they do? By name, which is the same on every architecture.

use plumb_model::trace::events::CallClass;

/// Location of the transfer size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The number at this argument.
    At(usize),
    /// The buffers of the vector at this argument.
    Vector(usize),
}

/// Location of the transfer offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offset {
    /// At the position of the open file, which advances.
    Position,
    /// The number at this argument; -1 means the position.
    At(usize),
    /// The number behind the pointer at this argument; the position if it is NULL.
    Behind(usize),
}

/// Effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Transfers content of the file with the descriptor at `file`.
    Transfer {
        file: usize,
        size: Size,
        offset: Offset,
    },
    /// Opens the path at the first argument, with the flags at the second; `None`: as for creat.
    Open { path: usize, flags: Option<usize> },
    /// Closes the descriptor at 0.
    Close,
    /// Closes the descriptors from the one at 0 to the one at 1.
    CloseRange,
    /// Moves the position of the file at 0; its result is the new position.
    Seek,
    /// A second descriptor for the file at 0: its result; with this flag argument for O_CLOEXEC.
    Duplicate { flags: Option<usize> },
    /// fcntl: a duplicate, a flag of the descriptor, or something else.
    Control,
    /// Another operation on the file at this argument.
    OfFile(usize),
    /// Queries the type of the file at 0, and returns it at `mode`; with flags at `flags`, the path at 0 must be empty (AT_EMPTY_PATH).
    Stat { flags: Option<usize>, mode: usize },
    /// Operation on a path or a file system.
    OfPath,
    /// Its result is a descriptor that is not a file.
    NoFile,
    /// It returns two descriptors at this argument that are not files.
    NoFiles(usize),
    /// Creates a process or thread; whether it shares descriptors is a flag (CLONE_FILES) at this argument.
    Clone(Option<usize>),
    /// Replaces the program.
    Execute,
    /// Changes the working directory: to a path, or to the directory with the descriptor at 0.
    ChangeFolder { by_descriptor: bool },
    /// Unshares its descriptors (CLONE_FILES at 0).
    Unshare,
    /// Maps the file at 4.
    Map,
    /// Submits requests of io_uring, or waits for them.
    Ring,
    /// Submits requests of libaio.
    Submit,
}

/// One system call.
#[derive(Debug, PartialEq, Eq)]
pub struct SystemCall {
    pub name: &'static str,
    /// Missing for calls that are tracked but are not file I/O.
    pub class: Option<CallClass>,
    pub action: Action,
}

const fn read(name: &'static str, size: Size, offset: Offset) -> SystemCall {
    SystemCall {
        name,
        class: Some(CallClass::Read),
        action: Action::Transfer {
            file: 0,
            size,
            offset,
        },
    }
}

const fn write(name: &'static str, size: Size, offset: Offset) -> SystemCall {
    SystemCall {
        name,
        class: Some(CallClass::Write),
        action: Action::Transfer {
            file: 0,
            size,
            offset,
        },
    }
}

const fn metadata(name: &'static str, action: Action) -> SystemCall {
    SystemCall {
        name,
        class: Some(CallClass::Metadata),
        action,
    }
}

const fn followed(name: &'static str, action: Action) -> SystemCall {
    SystemCall {
        name,
        class: None,
        action,
    }
}

/// The call with this name; `None` if it does not use files.
pub fn system_call(name: &[u8]) -> Option<&'static SystemCall> {
    CALLS
        .binary_search_by(|call| call.name.as_bytes().cmp(name))
        .ok()
        .and_then(|at| CALLS.get(at))
}

use Action::{OfFile, OfPath};
use Offset::{At as OffsetAt, Behind, Position};
use Size::{At, Vector};

/// By name.
pub static CALLS: &[SystemCall] = &[
    followed("accept", Action::NoFile),
    followed("accept4", Action::NoFile),
    metadata("access", OfPath),
    followed("bpf", Action::NoFile),
    followed(
        "chdir",
        Action::ChangeFolder {
            by_descriptor: false,
        },
    ),
    metadata("chmod", OfPath),
    metadata("chown", OfPath),
    followed("clone", Action::Clone(Some(0))),
    followed("clone3", Action::Clone(Some(0))),
    metadata("close", Action::Close),
    followed("close_range", Action::CloseRange),
    SystemCall {
        name: "copy_file_range",
        class: Some(CallClass::Write),
        action: Action::Transfer {
            file: 2,
            size: At(4),
            offset: Behind(3),
        },
    },
    metadata(
        "creat",
        Action::Open {
            path: 0,
            flags: None,
        },
    ),
    followed("dup", Action::Duplicate { flags: None }),
    followed("dup2", Action::Duplicate { flags: None }),
    followed("dup3", Action::Duplicate { flags: Some(2) }),
    followed("epoll_create", Action::NoFile),
    followed("epoll_create1", Action::NoFile),
    followed("eventfd", Action::NoFile),
    followed("eventfd2", Action::NoFile),
    followed("execve", Action::Execute),
    followed("execveat", Action::Execute),
    metadata("faccessat", OfPath),
    metadata("faccessat2", OfPath),
    metadata("fadvise64", OfFile(0)),
    metadata("fallocate", OfFile(0)),
    followed("fanotify_init", Action::NoFile),
    followed(
        "fchdir",
        Action::ChangeFolder {
            by_descriptor: true,
        },
    ),
    metadata("fchmod", OfFile(0)),
    metadata("fchmodat", OfPath),
    metadata("fchown", OfFile(0)),
    metadata("fchownat", OfPath),
    followed("fcntl", Action::Control),
    metadata("fdatasync", OfFile(0)),
    metadata("fgetxattr", OfFile(0)),
    metadata("flistxattr", OfFile(0)),
    metadata("flock", OfFile(0)),
    followed("fork", Action::Clone(None)),
    metadata("fremovexattr", OfFile(0)),
    metadata("fsetxattr", OfFile(0)),
    metadata(
        "fstat",
        Action::Stat {
            flags: None,
            mode: 1,
        },
    ),
    metadata("fstatfs", OfFile(0)),
    metadata("fsync", OfFile(0)),
    metadata("ftruncate", OfFile(0)),
    metadata("futimesat", OfPath),
    metadata("getdents", OfFile(0)),
    metadata("getdents64", OfFile(0)),
    metadata("getxattr", OfPath),
    followed("inotify_init", Action::NoFile),
    followed("inotify_init1", Action::NoFile),
    followed("io_submit", Action::Submit),
    followed("io_uring_enter", Action::Ring),
    followed("io_uring_setup", Action::NoFile),
    metadata("lchown", OfPath),
    metadata("lgetxattr", OfPath),
    metadata("link", OfPath),
    metadata("linkat", OfPath),
    metadata("listxattr", OfPath),
    metadata("llistxattr", OfPath),
    metadata("lremovexattr", OfPath),
    metadata("lseek", Action::Seek),
    metadata("lsetxattr", OfPath),
    metadata("lstat", OfPath),
    metadata("lstat64", OfPath),
    followed("memfd_create", Action::NoFile),
    followed("memfd_secret", Action::NoFile),
    metadata("mkdir", OfPath),
    metadata("mkdirat", OfPath),
    metadata("mknod", OfPath),
    metadata("mknodat", OfPath),
    followed("mmap", Action::Map),
    metadata(
        "newfstatat",
        Action::Stat {
            flags: Some(3),
            mode: 2,
        },
    ),
    metadata(
        "open",
        Action::Open {
            path: 0,
            flags: Some(1),
        },
    ),
    metadata(
        "openat",
        Action::Open {
            path: 1,
            flags: Some(2),
        },
    ),
    metadata(
        "openat2",
        Action::Open {
            path: 1,
            flags: Some(2),
        },
    ),
    followed("perf_event_open", Action::NoFile),
    followed("pidfd_open", Action::NoFile),
    followed("pipe", Action::NoFiles(0)),
    followed("pipe2", Action::NoFiles(0)),
    read("pread64", At(2), OffsetAt(3)),
    read("preadv", Vector(1), OffsetAt(3)),
    read("preadv2", Vector(1), OffsetAt(3)),
    write("pwrite64", At(2), OffsetAt(3)),
    write("pwritev", Vector(1), OffsetAt(3)),
    write("pwritev2", Vector(1), OffsetAt(3)),
    read("read", At(2), Position),
    metadata("readahead", OfFile(0)),
    metadata("readlink", OfPath),
    metadata("readlinkat", OfPath),
    read("readv", Vector(1), Position),
    metadata("removexattr", OfPath),
    metadata("rename", OfPath),
    metadata("renameat", OfPath),
    metadata("renameat2", OfPath),
    metadata("rmdir", OfPath),
    SystemCall {
        name: "sendfile",
        class: Some(CallClass::Read),
        action: Action::Transfer {
            file: 1,
            size: At(3),
            offset: Behind(2),
        },
    },
    SystemCall {
        name: "sendfile64",
        class: Some(CallClass::Read),
        action: Action::Transfer {
            file: 1,
            size: At(3),
            offset: Behind(2),
        },
    },
    metadata("setxattr", OfPath),
    followed("signalfd", Action::NoFile),
    followed("signalfd4", Action::NoFile),
    followed("socket", Action::NoFile),
    followed("socketpair", Action::NoFiles(3)),
    metadata("stat", OfPath),
    metadata("stat64", OfPath),
    metadata("statfs", OfPath),
    metadata(
        "statx",
        Action::Stat {
            flags: Some(2),
            mode: 4,
        },
    ),
    metadata("symlink", OfPath),
    metadata("symlinkat", OfPath),
    metadata("sync", OfPath),
    metadata("sync_file_range", OfFile(0)),
    metadata("syncfs", OfFile(0)),
    followed("timerfd_create", Action::NoFile),
    metadata("truncate", OfPath),
    metadata("unlink", OfPath),
    metadata("unlinkat", OfPath),
    followed("unshare", Action::Unshare),
    followed("userfaultfd", Action::NoFile),
    metadata("utime", OfPath),
    metadata("utimensat", OfPath),
    metadata("utimes", OfPath),
    followed("vfork", Action::Clone(None)),
    write("write", At(2), Position),
    write("writev", Vector(1), Position),
];

/// Requests of io_uring that read, write or flush: opcode (include/uapi/linux/io_uring.h), name and class.
pub const REQUESTS: [(u8, &str, CallClass); 7] = [
    (1, "io_uring readv", CallClass::Read),
    (2, "io_uring writev", CallClass::Write),
    (3, "io_uring fsync", CallClass::Metadata),
    (4, "io_uring read_fixed", CallClass::Read),
    (5, "io_uring write_fixed", CallClass::Write),
    (22, "io_uring read", CallClass::Read),
    (23, "io_uring write", CallClass::Write),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_by_name() {
        assert!(CALLS.is_sorted_by_key(|call| call.name));
        assert_eq!(
            system_call(b"pread64").unwrap().class,
            Some(CallClass::Read)
        );
        assert_eq!(system_call(b"futex"), None);
    }
}
