//! What is the name of an NTSTATUS (MS-ERREF, 2.3.1), and is it an error?

use plumb_model::trace::events::Status;

/// The operation goes on; the answer follows.
pub const PENDING: u32 = 0x0000_0103;

/// Those that file servers answer with.
const NAMES: &[(u32, &str)] = &[
    (0x0000_0103, "STATUS_PENDING"),
    (0x0000_010b, "STATUS_NOTIFY_CLEANUP"),
    (0x0000_010c, "STATUS_NOTIFY_ENUM_DIR"),
    (0x8000_0005, "STATUS_BUFFER_OVERFLOW"),
    (0x8000_0006, "STATUS_NO_MORE_FILES"),
    (0x8000_002d, "STATUS_STOPPED_ON_SYMLINK"),
    (0xc000_0001, "STATUS_UNSUCCESSFUL"),
    (0xc000_0002, "STATUS_NOT_IMPLEMENTED"),
    (0xc000_0003, "STATUS_INVALID_INFO_CLASS"),
    (0xc000_0004, "STATUS_INFO_LENGTH_MISMATCH"),
    (0xc000_0008, "STATUS_INVALID_HANDLE"),
    (0xc000_000d, "STATUS_INVALID_PARAMETER"),
    (0xc000_000f, "STATUS_NO_SUCH_FILE"),
    (0xc000_0010, "STATUS_INVALID_DEVICE_REQUEST"),
    (0xc000_0011, "STATUS_END_OF_FILE"),
    (0xc000_0016, "STATUS_MORE_PROCESSING_REQUIRED"),
    (0xc000_0022, "STATUS_ACCESS_DENIED"),
    (0xc000_0023, "STATUS_BUFFER_TOO_SMALL"),
    (0xc000_0033, "STATUS_OBJECT_NAME_INVALID"),
    (0xc000_0034, "STATUS_OBJECT_NAME_NOT_FOUND"),
    (0xc000_0035, "STATUS_OBJECT_NAME_COLLISION"),
    (0xc000_003a, "STATUS_OBJECT_PATH_NOT_FOUND"),
    (0xc000_0043, "STATUS_SHARING_VIOLATION"),
    (0xc000_0044, "STATUS_QUOTA_EXCEEDED"),
    (0xc000_004f, "STATUS_EAS_NOT_SUPPORTED"),
    (0xc000_0051, "STATUS_EA_TOO_LARGE"),
    (0xc000_0054, "STATUS_FILE_LOCK_CONFLICT"),
    (0xc000_0055, "STATUS_LOCK_NOT_GRANTED"),
    (0xc000_0056, "STATUS_DELETE_PENDING"),
    (0xc000_0061, "STATUS_PRIVILEGE_NOT_HELD"),
    (0xc000_006d, "STATUS_LOGON_FAILURE"),
    (0xc000_007e, "STATUS_RANGE_NOT_LOCKED"),
    (0xc000_007f, "STATUS_DISK_FULL"),
    (0xc000_009a, "STATUS_INSUFFICIENT_RESOURCES"),
    (0xc000_00b5, "STATUS_IO_TIMEOUT"),
    (0xc000_00ba, "STATUS_FILE_IS_A_DIRECTORY"),
    (0xc000_00bb, "STATUS_NOT_SUPPORTED"),
    (0xc000_00c9, "STATUS_NETWORK_NAME_DELETED"),
    (0xc000_00cc, "STATUS_BAD_NETWORK_NAME"),
    (0xc000_00d0, "STATUS_REQUEST_NOT_ACCEPTED"),
    (0xc000_0101, "STATUS_DIRECTORY_NOT_EMPTY"),
    (0xc000_0103, "STATUS_NOT_A_DIRECTORY"),
    (0xc000_0120, "STATUS_CANCELLED"),
    (0xc000_0121, "STATUS_CANNOT_DELETE"),
    (0xc000_0123, "STATUS_FILE_DELETED"),
    (0xc000_0128, "STATUS_FILE_CLOSED"),
    (0xc000_0184, "STATUS_INVALID_DEVICE_STATE"),
    (0xc000_0185, "STATUS_IO_DEVICE_ERROR"),
    (0xc000_0203, "STATUS_USER_SESSION_DELETED"),
    (0xc000_0225, "STATUS_NOT_FOUND"),
    (0xc000_0257, "STATUS_PATH_NOT_COVERED"),
    (0xc000_0275, "STATUS_NOT_A_REPARSE_POINT"),
    (0xc000_035c, "STATUS_NETWORK_SESSION_EXPIRED"),
    (0xc000_0467, "STATUS_FILE_NOT_AVAILABLE"),
];

/// Errors by their number that belong to ordinary work: the end of a file, a further step of a login.
const ORDINARY: [u32; 2] = [0xc000_0011, 0xc000_0016];

/// What an answer says in place of success; `None` for success.
pub fn status(code: u32) -> Option<Status> {
    let name = NAMES
        .binary_search_by_key(&code, |(code, _)| *code)
        .ok()
        .and_then(|at| NAMES.get(at))
        .map(|(_, name)| *name);
    (code != 0).then_some(Status {
        code,
        name,
        // The two highest bits are the severity.
        is_error: code >> 30 == 3 && !ORDINARY.contains(&code),
    })
}

/// The same by its name; `None` when the name is not known.
pub fn status_named(name: &[u8]) -> Option<Status> {
    let (code, _) = NAMES.iter().find(|(_, known)| known.as_bytes() == name)?;
    status(*code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_severities_known() {
        assert!(NAMES.is_sorted_by_key(|(code, _)| *code));
        assert_eq!(status(0), None);
        for (code, name, is_error) in [
            (0xc000_0034, Some("STATUS_OBJECT_NAME_NOT_FOUND"), true),
            (0xc000_0016, Some("STATUS_MORE_PROCESSING_REQUIRED"), false),
            (0x8000_0006, Some("STATUS_NO_MORE_FILES"), false),
            (0xc123_4567, None, true),
        ] {
            assert_eq!(
                status(code),
                Some(Status {
                    code,
                    name,
                    is_error
                })
            );
        }
    }
}
