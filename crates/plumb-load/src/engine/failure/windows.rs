//! What do the codes of GetLastError mean that I/O on Windows fails with? Their names (winerror.h), and the kinds that they stand for.

use super::kind::FailureKind;

/// Code, name, kind; in the order of the codes.
const CODES: &[(u32, &str, FailureKind)] = &[
    (1, "ERROR_INVALID_FUNCTION", FailureKind::NotSupported),
    (2, "ERROR_FILE_NOT_FOUND", FailureKind::NotFound),
    (3, "ERROR_PATH_NOT_FOUND", FailureKind::NotFound),
    (4, "ERROR_TOO_MANY_OPEN_FILES", FailureKind::TooManyFiles),
    (5, "ERROR_ACCESS_DENIED", FailureKind::AccessDenied),
    (6, "ERROR_INVALID_HANDLE", FailureKind::BadFile),
    (8, "ERROR_NOT_ENOUGH_MEMORY", FailureKind::OutOfMemory),
    (14, "ERROR_OUTOFMEMORY", FailureKind::OutOfMemory),
    (15, "ERROR_INVALID_DRIVE", FailureKind::NoDevice),
    (17, "ERROR_NOT_SAME_DEVICE", FailureKind::CrossesDevices),
    (19, "ERROR_WRITE_PROTECT", FailureKind::ReadOnly),
    (20, "ERROR_BAD_UNIT", FailureKind::NoDevice),
    (21, "ERROR_NOT_READY", FailureKind::NoMedium),
    (23, "ERROR_CRC", FailureKind::Io),
    (25, "ERROR_SEEK", FailureKind::Io),
    (27, "ERROR_SECTOR_NOT_FOUND", FailureKind::Io),
    (29, "ERROR_WRITE_FAULT", FailureKind::Io),
    (30, "ERROR_READ_FAULT", FailureKind::Io),
    (31, "ERROR_GEN_FAILURE", FailureKind::Io),
    (32, "ERROR_SHARING_VIOLATION", FailureKind::Busy),
    (33, "ERROR_LOCK_VIOLATION", FailureKind::Busy),
    (39, "ERROR_HANDLE_DISK_FULL", FailureKind::NoSpace),
    (50, "ERROR_NOT_SUPPORTED", FailureKind::NotSupported),
    (51, "ERROR_REM_NOT_LIST", FailureKind::HostUnreachable),
    (53, "ERROR_BAD_NETPATH", FailureKind::HostUnreachable),
    (54, "ERROR_NETWORK_BUSY", FailureKind::TryAgain),
    (55, "ERROR_DEV_NOT_EXIST", FailureKind::NoDevice),
    (58, "ERROR_BAD_NET_RESP", FailureKind::ProtocolError),
    (59, "ERROR_UNEXP_NET_ERR", FailureKind::Io),
    (64, "ERROR_NETNAME_DELETED", FailureKind::ConnectionReset),
    (65, "ERROR_NETWORK_ACCESS_DENIED", FailureKind::AccessDenied),
    (67, "ERROR_BAD_NET_NAME", FailureKind::NotFound),
    (80, "ERROR_FILE_EXISTS", FailureKind::AlreadyExists),
    (87, "ERROR_INVALID_PARAMETER", FailureKind::Invalid),
    (109, "ERROR_BROKEN_PIPE", FailureKind::BrokenPipe),
    (110, "ERROR_OPEN_FAILED", FailureKind::Io),
    (112, "ERROR_DISK_FULL", FailureKind::NoSpace),
    (121, "ERROR_SEM_TIMEOUT", FailureKind::TimedOut),
    (123, "ERROR_INVALID_NAME", FailureKind::Invalid),
    (145, "ERROR_DIR_NOT_EMPTY", FailureKind::NotEmpty),
    (158, "ERROR_NOT_LOCKED", FailureKind::Invalid),
    (170, "ERROR_BUSY", FailureKind::Busy),
    (183, "ERROR_ALREADY_EXISTS", FailureKind::AlreadyExists),
    (206, "ERROR_FILENAME_EXCED_RANGE", FailureKind::NameTooLong),
    (223, "ERROR_FILE_TOO_LARGE", FailureKind::FileTooBig),
    (267, "ERROR_DIRECTORY", FailureKind::NotADirectory),
    (303, "ERROR_DELETE_PENDING", FailureKind::Busy),
    (433, "ERROR_NO_SUCH_DEVICE", FailureKind::NoDevice),
    (483, "ERROR_DEVICE_HARDWARE_ERROR", FailureKind::Io),
    (665, "ERROR_FILE_SYSTEM_LIMITATION", FailureKind::FileTooBig),
    (995, "ERROR_OPERATION_ABORTED", FailureKind::Canceled),
    (998, "ERROR_NOACCESS", FailureKind::BadAddress),
    (
        1005,
        "ERROR_UNRECOGNIZED_VOLUME",
        FailureKind::NeedsCleaning,
    ),
    (1006, "ERROR_FILE_INVALID", FailureKind::Stale),
    (1112, "ERROR_NO_MEDIA_IN_DRIVE", FailureKind::NoMedium),
    (1117, "ERROR_IO_DEVICE", FailureKind::Io),
    (1142, "ERROR_TOO_MANY_LINKS", FailureKind::TooManyLinks),
    (1167, "ERROR_DEVICE_NOT_CONNECTED", FailureKind::NoDevice),
    (1222, "ERROR_NO_NETWORK", FailureKind::NetworkDown),
    (1224, "ERROR_USER_MAPPED_FILE", FailureKind::Busy),
    (
        1225,
        "ERROR_CONNECTION_REFUSED",
        FailureKind::ConnectionRefused,
    ),
    (
        1231,
        "ERROR_NETWORK_UNREACHABLE",
        FailureKind::NetworkUnreachable,
    ),
    (1232, "ERROR_HOST_UNREACHABLE", FailureKind::HostUnreachable),
    (
        1236,
        "ERROR_CONNECTION_ABORTED",
        FailureKind::ConnectionAborted,
    ),
    (
        1295,
        "ERROR_DISK_QUOTA_EXCEEDED",
        FailureKind::QuotaExceeded,
    ),
    (1314, "ERROR_PRIVILEGE_NOT_HELD", FailureKind::NotPermitted),
    (1392, "ERROR_FILE_CORRUPT", FailureKind::NeedsCleaning),
    (1393, "ERROR_DISK_CORRUPT", FailureKind::NeedsCleaning),
    (1450, "ERROR_NO_SYSTEM_RESOURCES", FailureKind::OutOfMemory),
    (1453, "ERROR_WORKING_SET_QUOTA", FailureKind::OutOfMemory),
    (1460, "ERROR_TIMEOUT", FailureKind::TimedOut),
    (1784, "ERROR_INVALID_USER_BUFFER", FailureKind::OutOfMemory),
    (1816, "ERROR_NOT_ENOUGH_QUOTA", FailureKind::OutOfMemory),
    (4390, "ERROR_NOT_A_REPARSE_POINT", FailureKind::Invalid),
    (10_004, "WSAEINTR", FailureKind::Interrupted),
    (10_013, "WSAEACCES", FailureKind::AccessDenied),
    (10_022, "WSAEINVAL", FailureKind::Invalid),
    (10_024, "WSAEMFILE", FailureKind::TooManyFiles),
    (10_035, "WSAEWOULDBLOCK", FailureKind::TryAgain),
    (10_050, "WSAENETDOWN", FailureKind::NetworkDown),
    (10_051, "WSAENETUNREACH", FailureKind::NetworkUnreachable),
    (10_053, "WSAECONNABORTED", FailureKind::ConnectionAborted),
    (10_054, "WSAECONNRESET", FailureKind::ConnectionReset),
    (10_055, "WSAENOBUFS", FailureKind::NoBuffers),
    (10_057, "WSAENOTCONN", FailureKind::NotConnected),
    (10_060, "WSAETIMEDOUT", FailureKind::TimedOut),
    (10_061, "WSAECONNREFUSED", FailureKind::ConnectionRefused),
    (10_064, "WSAEHOSTDOWN", FailureKind::HostDown),
    (10_065, "WSAEHOSTUNREACH", FailureKind::HostUnreachable),
];

fn found(code: u32) -> Option<&'static (u32, &'static str, FailureKind)> {
    let at = CODES.binary_search_by_key(&code, |(code, ..)| *code).ok()?;
    CODES.get(at)
}

/// What a code of GetLastError means.
pub fn kind(code: u32) -> FailureKind {
    found(code).map_or(FailureKind::Other, |(.., kind)| *kind)
}

/// The name of a code in winerror.h, as far as I/O has it.
pub fn name(code: u32) -> Option<&'static str> {
    found(code).map(|(_, name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_have_names_of_winerror() {
        assert!(CODES.is_sorted_by(|one, next| one.0 < next.0));
        for (_, name, _) in CODES {
            assert!(
                name.starts_with("ERROR_") || name.starts_with("WSAE"),
                "{name}"
            );
        }
        assert_eq!(kind(112), FailureKind::NoSpace);
        assert_eq!(name(1117), Some("ERROR_IO_DEVICE"));
        assert_eq!((kind(77_777), name(77_777)), (FailureKind::Other, None));
    }
}
