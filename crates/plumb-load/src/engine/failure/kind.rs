//! What kinds of failures are there, across systems and protocols?

/// Kinds of failures, each with its name in the record.
macro_rules! kinds {
    ($($kind:ident = $name:literal,)*) => {
        /// What went wrong, independent of system and protocol. The names in the record are those of Linux (errno(3)), which readers and other
        /// programs' results know.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum FailureKind {
            $($kind,)*
            /// None of these: see `Code`.
            Other,
        }

        impl FailureKind {
            pub(crate) const ALL: &[FailureKind] = &[$(FailureKind::$kind,)* FailureKind::Other];

            /// The name in the record; none for [`FailureKind::Other`].
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $(FailureKind::$kind => Some($name),)*
                    FailureKind::Other => None,
                }
            }
        }
    };
}

kinds! {
    NotPermitted = "EPERM",
    NotFound = "ENOENT",
    Interrupted = "EINTR",
    Io = "EIO",
    NoDeviceOrAddress = "ENXIO",
    BadFile = "EBADF",
    TryAgain = "EAGAIN",
    OutOfMemory = "ENOMEM",
    AccessDenied = "EACCES",
    BadAddress = "EFAULT",
    Busy = "EBUSY",
    AlreadyExists = "EEXIST",
    CrossesDevices = "EXDEV",
    NoDevice = "ENODEV",
    NotADirectory = "ENOTDIR",
    IsADirectory = "EISDIR",
    Invalid = "EINVAL",
    TooManyFilesOfSystem = "ENFILE",
    TooManyFiles = "EMFILE",
    ExecutableBusy = "ETXTBSY",
    FileTooBig = "EFBIG",
    NoSpace = "ENOSPC",
    ReadOnly = "EROFS",
    TooManyLinks = "EMLINK",
    BrokenPipe = "EPIPE",
    OutOfDomain = "EDOM",
    OutOfRange = "ERANGE",
    Deadlock = "EDEADLK",
    NameTooLong = "ENAMETOOLONG",
    NotImplemented = "ENOSYS",
    NotEmpty = "ENOTEMPTY",
    TooManySymlinks = "ELOOP",
    Overflow = "EOVERFLOW",
    NotSupported = "EOPNOTSUPP",
    TimedOut = "ETIMEDOUT",
    QuotaExceeded = "EDQUOT",
    Stale = "ESTALE",
    Canceled = "ECANCELED",
    IllegalSequence = "EILSEQ",
    NotConnected = "ENOTCONN",
    ConnectionReset = "ECONNRESET",
    HostDown = "EHOSTDOWN",
    HostUnreachable = "EHOSTUNREACH",
    LinkSevered = "ENOLINK",
    BadMessage = "EBADMSG",
    ProtocolError = "EPROTO",
    NoBuffers = "ENOBUFS",
    NetworkDown = "ENETDOWN",
    NetworkUnreachable = "ENETUNREACH",
    ConnectionRefused = "ECONNREFUSED",
    ConnectionAborted = "ECONNABORTED",
    NoData = "ENODATA",
    RemoteIo = "EREMOTEIO",
    BadExchange = "EBADE",
    NeedsCleaning = "EUCLEAN",
    NoMedium = "ENOMEDIUM",
    NoKey = "ENOKEY",
    TimerExpired = "ETIME",
    RemoteChanged = "EREMCHG",
    // The sender of a stream of messages has ended it: no operation failed, and none follows.
    EndOfStream = "EndOfStream",
    // The server wants fewer requests: HTTP 503 and 429 of an object store. Linux has no error for that.
    SlowDown = "SlowDown",
}
