//! What does a server's status mean? Its name, and the error number under which a failed operation is counted.

use crate::engine::failure::FailureKind;
use crate::engine::operation::Outcome;

/// A status of an answer (MS-ERREF 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    pub const SUCCESS: Status = Status(0);
    /// Interim: the answer comes later.
    pub const PENDING: Status = Status(0x0000_0103);
    pub const BUFFER_OVERFLOW: Status = Status(0x8000_0005);
    pub const NO_MORE_FILES: Status = Status(0x8000_0006);
    pub const NO_SUCH_FILE: Status = Status(0xC000_000F);
    pub const END_OF_FILE: Status = Status(0xC000_0011);
    /// The login continues.
    pub const MORE_PROCESSING_REQUIRED: Status = Status(0xC000_0016);
    pub const INVALID_DEVICE_REQUEST: Status = Status(0xC000_0010);
    pub const ACCESS_DENIED: Status = Status(0xC000_0022);
    pub const OBJECT_NAME_INVALID: Status = Status(0xC000_0033);
    pub const OBJECT_NAME_NOT_FOUND: Status = Status(0xC000_0034);
    pub const OBJECT_NAME_COLLISION: Status = Status(0xC000_0035);
    pub const OBJECT_PATH_NOT_FOUND: Status = Status(0xC000_003A);
    pub const LOGON_FAILURE: Status = Status(0xC000_006D);
    pub const DISK_FULL: Status = Status(0xC000_007F);
    pub const MEDIA_WRITE_PROTECTED: Status = Status(0xC000_00A2);
    pub const NOT_SUPPORTED: Status = Status(0xC000_00BB);
    pub const BAD_NETWORK_NAME: Status = Status(0xC000_00CC);
    pub const REQUEST_NOT_ACCEPTED: Status = Status(0xC000_00D0);
    pub const FILE_CLOSED: Status = Status(0xC000_0128);
    pub const USER_SESSION_DELETED: Status = Status(0xC000_0203);
    /// A link of DFS (MS-SMB2 3.3.5.9).
    pub const PATH_NOT_COVERED: Status = Status(0xC000_0257);

    /// Neither a warning nor an error.
    pub fn is_success(self) -> bool {
        self.0 >> 30 == 0
    }

    /// The name in MS-ERREF, and what it means.
    fn row(self) -> Option<&'static (u32, &'static str, FailureKind)> {
        TABLE.iter().find(|(code, ..)| *code == self.0)
    }

    /// What went wrong with an operation that failed with it; [`FailureKind::Io`] for a status that means nothing more.
    pub fn kind(self) -> FailureKind {
        self.row().map_or(FailureKind::Io, |(_, _, kind)| *kind)
    }

    /// What came of an operation that failed with it.
    pub fn outcome(self) -> Outcome {
        Outcome::refused(self.kind(), self.0)
    }

    /// The name or address cannot be found.
    pub fn is_missing(self) -> bool {
        [
            Status::OBJECT_NAME_NOT_FOUND,
            Status::OBJECT_PATH_NOT_FOUND,
            Status::NO_SUCH_FILE,
        ]
        .contains(&self)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.row() {
            Some((_, name, _)) => f.write_str(name),
            None => write!(f, "status 0x{:08X}", self.0),
        }
    }
}

/// Codes with their names (MS-ERREF 2.3.1).
const TABLE: &[(u32, &str, FailureKind)] = &[
    (0x0000_0000, "STATUS_SUCCESS", FailureKind::Other),
    (0x0000_0103, "STATUS_PENDING", FailureKind::TryAgain),
    (0x8000_0005, "STATUS_BUFFER_OVERFLOW", FailureKind::Overflow),
    (0x8000_0006, "STATUS_NO_MORE_FILES", FailureKind::NotFound),
    (
        0x8000_002D,
        "STATUS_STOPPED_ON_SYMLINK",
        FailureKind::TooManySymlinks,
    ),
    (0xC000_0001, "STATUS_UNSUCCESSFUL", FailureKind::Io),
    (
        0xC000_0002,
        "STATUS_NOT_IMPLEMENTED",
        FailureKind::NotImplemented,
    ),
    (
        0xC000_0003,
        "STATUS_INVALID_INFO_CLASS",
        FailureKind::Invalid,
    ),
    (
        0xC000_0004,
        "STATUS_INFO_LENGTH_MISMATCH",
        FailureKind::Invalid,
    ),
    (0xC000_0008, "STATUS_INVALID_HANDLE", FailureKind::BadFile),
    (
        0xC000_000D,
        "STATUS_INVALID_PARAMETER",
        FailureKind::Invalid,
    ),
    (0xC000_000E, "STATUS_NO_SUCH_DEVICE", FailureKind::NoDevice),
    (0xC000_000F, "STATUS_NO_SUCH_FILE", FailureKind::NotFound),
    (
        0xC000_0010,
        "STATUS_INVALID_DEVICE_REQUEST",
        FailureKind::Invalid,
    ),
    (0xC000_0011, "STATUS_END_OF_FILE", FailureKind::Other),
    (
        0xC000_0016,
        "STATUS_MORE_PROCESSING_REQUIRED",
        FailureKind::TryAgain,
    ),
    (0xC000_0017, "STATUS_NO_MEMORY", FailureKind::OutOfMemory),
    (
        0xC000_0022,
        "STATUS_ACCESS_DENIED",
        FailureKind::AccessDenied,
    ),
    (0xC000_0023, "STATUS_BUFFER_TOO_SMALL", FailureKind::Invalid),
    (
        0xC000_0033,
        "STATUS_OBJECT_NAME_INVALID",
        FailureKind::Invalid,
    ),
    (
        0xC000_0034,
        "STATUS_OBJECT_NAME_NOT_FOUND",
        FailureKind::NotFound,
    ),
    (
        0xC000_0035,
        "STATUS_OBJECT_NAME_COLLISION",
        FailureKind::AlreadyExists,
    ),
    (
        0xC000_003A,
        "STATUS_OBJECT_PATH_NOT_FOUND",
        FailureKind::NotFound,
    ),
    (
        0xC000_003B,
        "STATUS_OBJECT_PATH_SYNTAX_BAD",
        FailureKind::Invalid,
    ),
    (0xC000_0043, "STATUS_SHARING_VIOLATION", FailureKind::Busy),
    (
        0xC000_0044,
        "STATUS_QUOTA_EXCEEDED",
        FailureKind::QuotaExceeded,
    ),
    (0xC000_0054, "STATUS_FILE_LOCK_CONFLICT", FailureKind::Busy),
    (0xC000_0055, "STATUS_LOCK_NOT_GRANTED", FailureKind::Busy),
    (0xC000_0056, "STATUS_DELETE_PENDING", FailureKind::Busy),
    (
        0xC000_005E,
        "STATUS_NO_LOGON_SERVERS",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_0064,
        "STATUS_NO_SUCH_USER",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_006A,
        "STATUS_WRONG_PASSWORD",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_006D,
        "STATUS_LOGON_FAILURE",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_006E,
        "STATUS_ACCOUNT_RESTRICTION",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_006F,
        "STATUS_INVALID_LOGON_HOURS",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_0070,
        "STATUS_INVALID_WORKSTATION",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_0071,
        "STATUS_PASSWORD_EXPIRED",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_0072,
        "STATUS_ACCOUNT_DISABLED",
        FailureKind::AccessDenied,
    ),
    (0xC000_007F, "STATUS_DISK_FULL", FailureKind::NoSpace),
    (
        0xC000_009A,
        "STATUS_INSUFFICIENT_RESOURCES",
        FailureKind::OutOfMemory,
    ),
    (
        0xC000_00A2,
        "STATUS_MEDIA_WRITE_PROTECTED",
        FailureKind::ReadOnly,
    ),
    (0xC000_00B5, "STATUS_IO_TIMEOUT", FailureKind::TimedOut),
    (
        0xC000_00BA,
        "STATUS_FILE_IS_A_DIRECTORY",
        FailureKind::IsADirectory,
    ),
    (
        0xC000_00BB,
        "STATUS_NOT_SUPPORTED",
        FailureKind::NotSupported,
    ),
    (
        0xC000_00BE,
        "STATUS_BAD_NETWORK_PATH",
        FailureKind::NotFound,
    ),
    (
        0xC000_00C3,
        "STATUS_INVALID_NETWORK_RESPONSE",
        FailureKind::Io,
    ),
    (
        0xC000_00C9,
        "STATUS_NETWORK_NAME_DELETED",
        FailureKind::NoDevice,
    ),
    (
        0xC000_00CA,
        "STATUS_NETWORK_ACCESS_DENIED",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_00CC,
        "STATUS_BAD_NETWORK_NAME",
        FailureKind::NotFound,
    ),
    (
        0xC000_00D0,
        "STATUS_REQUEST_NOT_ACCEPTED",
        FailureKind::Busy,
    ),
    (0xC000_00E5, "STATUS_INTERNAL_ERROR", FailureKind::Io),
    (
        0xC000_0101,
        "STATUS_DIRECTORY_NOT_EMPTY",
        FailureKind::NotEmpty,
    ),
    (
        0xC000_0103,
        "STATUS_NOT_A_DIRECTORY",
        FailureKind::NotADirectory,
    ),
    (0xC000_0107, "STATUS_FILES_OPEN", FailureKind::Busy),
    (
        0xC000_011F,
        "STATUS_TOO_MANY_OPENED_FILES",
        FailureKind::TooManyFiles,
    ),
    (0xC000_0120, "STATUS_CANCELLED", FailureKind::Canceled),
    (
        0xC000_0121,
        "STATUS_CANNOT_DELETE",
        FailureKind::AccessDenied,
    ),
    (0xC000_0128, "STATUS_FILE_CLOSED", FailureKind::BadFile),
    (0xC000_0184, "STATUS_INVALID_DEVICE_STATE", FailureKind::Io),
    (0xC000_0185, "STATUS_IO_DEVICE_ERROR", FailureKind::Io),
    (
        0xC000_0193,
        "STATUS_ACCOUNT_EXPIRED",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_0203,
        "STATUS_USER_SESSION_DELETED",
        FailureKind::NotConnected,
    ),
    (
        0xC000_0205,
        "STATUS_INSUFF_SERVER_RESOURCES",
        FailureKind::OutOfMemory,
    ),
    (
        0xC000_0224,
        "STATUS_PASSWORD_MUST_CHANGE",
        FailureKind::AccessDenied,
    ),
    (0xC000_0225, "STATUS_NOT_FOUND", FailureKind::NotFound),
    (
        0xC000_0234,
        "STATUS_ACCOUNT_LOCKED_OUT",
        FailureKind::AccessDenied,
    ),
    (
        0xC000_0257,
        "STATUS_PATH_NOT_COVERED",
        FailureKind::CrossesDevices,
    ),
    (
        0xC000_035C,
        "STATUS_NETWORK_SESSION_EXPIRED",
        FailureKind::NotConnected,
    ),
    (
        0xC000_0427,
        "STATUS_FILE_SYSTEM_LIMITATION",
        FailureKind::FileTooBig,
    ),
    (
        0xC05D_0000,
        "STATUS_SMB_NO_PREAUTH_INTEGRITY_HASH_OVERLAP",
        FailureKind::NotSupported,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_a_name_and_a_meaning() {
        for (status, name, kind) in [
            (Status::DISK_FULL, "STATUS_DISK_FULL", FailureKind::NoSpace),
            (
                Status::ACCESS_DENIED,
                "STATUS_ACCESS_DENIED",
                FailureKind::AccessDenied,
            ),
            (
                Status::OBJECT_NAME_NOT_FOUND,
                "STATUS_OBJECT_NAME_NOT_FOUND",
                FailureKind::NotFound,
            ),
            (Status(0xC123_4567), "status 0xC1234567", FailureKind::Io),
        ] {
            assert_eq!((status.to_string().as_str(), status.kind()), (name, kind));
        }
        assert!(Status::SUCCESS.is_success() && !Status::BUFFER_OVERFLOW.is_success());
    }
}
