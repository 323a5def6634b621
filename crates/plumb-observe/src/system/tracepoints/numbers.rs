//! Which numbers do system calls have? Those of the architecture that this program was made for.

/// Calls that neither wait nor concern a file. Programs that measure time make a million of them in a second, more than a ring takes.
pub(crate) const IDLE: &[i64] = &[
    libc::SYS_clock_gettime,
    libc::SYS_getcpu,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_sigaltstack,
    libc::SYS_times,
];

/// Numbers and names of the calls that plumb knows, in no order.
pub(crate) const NUMBERS: &[(i64, &str)] = &[
    (libc::SYS_accept, "accept"),
    (libc::SYS_accept4, "accept4"),
    (libc::SYS_bpf, "bpf"),
    (libc::SYS_chdir, "chdir"),
    (libc::SYS_clone, "clone"),
    (libc::SYS_clone3, "clone3"),
    (libc::SYS_close, "close"),
    (libc::SYS_close_range, "close_range"),
    (libc::SYS_copy_file_range, "copy_file_range"),
    (libc::SYS_dup, "dup"),
    (libc::SYS_dup3, "dup3"),
    (libc::SYS_epoll_create1, "epoll_create1"),
    (libc::SYS_eventfd2, "eventfd2"),
    (libc::SYS_execve, "execve"),
    (libc::SYS_execveat, "execveat"),
    (libc::SYS_faccessat, "faccessat"),
    (libc::SYS_faccessat2, "faccessat2"),
    (libc::SYS_fadvise64, "fadvise64"),
    (libc::SYS_fallocate, "fallocate"),
    (libc::SYS_fanotify_init, "fanotify_init"),
    (libc::SYS_fchdir, "fchdir"),
    (libc::SYS_fchmod, "fchmod"),
    (libc::SYS_fchmodat, "fchmodat"),
    (libc::SYS_fchown, "fchown"),
    (libc::SYS_fchownat, "fchownat"),
    (libc::SYS_fcntl, "fcntl"),
    (libc::SYS_fdatasync, "fdatasync"),
    (libc::SYS_fgetxattr, "fgetxattr"),
    (libc::SYS_flistxattr, "flistxattr"),
    (libc::SYS_flock, "flock"),
    (libc::SYS_fremovexattr, "fremovexattr"),
    (libc::SYS_fsetxattr, "fsetxattr"),
    (libc::SYS_fstat, "fstat"),
    (libc::SYS_fstatfs, "fstatfs"),
    (libc::SYS_fsync, "fsync"),
    (libc::SYS_ftruncate, "ftruncate"),
    (libc::SYS_getdents64, "getdents64"),
    (libc::SYS_getxattr, "getxattr"),
    (libc::SYS_inotify_init1, "inotify_init1"),
    (libc::SYS_io_submit, "io_submit"),
    (libc::SYS_io_uring_enter, "io_uring_enter"),
    (libc::SYS_io_uring_setup, "io_uring_setup"),
    (libc::SYS_lgetxattr, "lgetxattr"),
    (libc::SYS_linkat, "linkat"),
    (libc::SYS_listxattr, "listxattr"),
    (libc::SYS_llistxattr, "llistxattr"),
    (libc::SYS_lremovexattr, "lremovexattr"),
    (libc::SYS_lseek, "lseek"),
    (libc::SYS_lsetxattr, "lsetxattr"),
    (libc::SYS_memfd_create, "memfd_create"),
    (libc::SYS_memfd_secret, "memfd_secret"),
    (libc::SYS_mkdirat, "mkdirat"),
    (libc::SYS_mknodat, "mknodat"),
    (libc::SYS_mmap, "mmap"),
    (libc::SYS_newfstatat, "newfstatat"),
    (libc::SYS_openat, "openat"),
    (libc::SYS_openat2, "openat2"),
    (libc::SYS_perf_event_open, "perf_event_open"),
    (libc::SYS_pidfd_open, "pidfd_open"),
    (libc::SYS_pipe2, "pipe2"),
    (libc::SYS_pread64, "pread64"),
    (libc::SYS_preadv, "preadv"),
    (libc::SYS_preadv2, "preadv2"),
    (libc::SYS_pwrite64, "pwrite64"),
    (libc::SYS_pwritev, "pwritev"),
    (libc::SYS_pwritev2, "pwritev2"),
    (libc::SYS_read, "read"),
    (libc::SYS_readahead, "readahead"),
    (libc::SYS_readlinkat, "readlinkat"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_removexattr, "removexattr"),
    (libc::SYS_renameat2, "renameat2"),
    (libc::SYS_sendfile, "sendfile"),
    (libc::SYS_setxattr, "setxattr"),
    (libc::SYS_signalfd4, "signalfd4"),
    (libc::SYS_socket, "socket"),
    (libc::SYS_socketpair, "socketpair"),
    (libc::SYS_statfs, "statfs"),
    (libc::SYS_statx, "statx"),
    (libc::SYS_symlinkat, "symlinkat"),
    (libc::SYS_sync, "sync"),
    (libc::SYS_syncfs, "syncfs"),
    (libc::SYS_timerfd_create, "timerfd_create"),
    (libc::SYS_truncate, "truncate"),
    (libc::SYS_unlinkat, "unlinkat"),
    (libc::SYS_unshare, "unshare"),
    (libc::SYS_userfaultfd, "userfaultfd"),
    (libc::SYS_utimensat, "utimensat"),
    (libc::SYS_write, "write"),
    (libc::SYS_writev, "writev"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_access, "access"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, "chmod"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chown, "chown"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, "creat"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_dup2, "dup2"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_epoll_create, "epoll_create"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_eventfd, "eventfd"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_fork, "fork"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_futimesat, "futimesat"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_getdents, "getdents"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_inotify_init, "inotify_init"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lchown, "lchown"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_link, "link"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_lstat, "lstat"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, "mkdir"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, "mknod"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, "open"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_pipe, "pipe"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_readlink, "readlink"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, "rename"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, "rmdir"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_signalfd, "signalfd"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_stat, "stat"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_symlink, "symlink"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, "unlink"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_utime, "utime"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_utimes, "utimes"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_vfork, "vfork"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_renameat, "renameat"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_sync_file_range, "sync_file_range"),
    (libc::SYS_futex, "futex"),
    (libc::SYS_nanosleep, "nanosleep"),
    (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    (libc::SYS_wait4, "wait4"),
    (libc::SYS_waitid, "waitid"),
    (libc::SYS_recvfrom, "recvfrom"),
    (libc::SYS_recvmsg, "recvmsg"),
    (libc::SYS_recvmmsg, "recvmmsg"),
    (libc::SYS_sendto, "sendto"),
    (libc::SYS_sendmsg, "sendmsg"),
    (libc::SYS_sendmmsg, "sendmmsg"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_ppoll, "ppoll"),
    (libc::SYS_pselect6, "pselect6"),
    (libc::SYS_epoll_pwait, "epoll_pwait"),
    (libc::SYS_epoll_pwait2, "epoll_pwait2"),
    (libc::SYS_rt_sigtimedwait, "rt_sigtimedwait"),
    (libc::SYS_rt_sigsuspend, "rt_sigsuspend"),
    (libc::SYS_io_getevents, "io_getevents"),
    (libc::SYS_msync, "msync"),
    // futex_wait, which libc does not name yet; the same number everywhere (Linux 6.7).
    (455, "futex_wait"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_poll, "poll"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_select, "select"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_epoll_wait, "epoll_wait"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_pause, "pause"),
];
