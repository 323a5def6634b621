//! What does an NFS server's status mean? Its name (RFC 8881, 15.1), the system's error number, and what to do about it.

use crate::share::ShareErrorKind;

use super::host::errors as e;

/// `nfsstat4`; 0 is success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    pub const OK: Status = Status(0);
    pub const PERM: Status = Status(1);
    pub const NOENT: Status = Status(2);
    pub const IO: Status = Status(5);
    pub const ACCESS: Status = Status(13);
    pub const EXIST: Status = Status(17);
    pub const NOSPC: Status = Status(28);
    pub const ROFS: Status = Status(30);
    pub const NAMETOOLONG: Status = Status(63);
    pub const DQUOT: Status = Status(69);
    pub const STALE: Status = Status(70);
    pub const DELAY: Status = Status(10008);
    pub const GRACE: Status = Status(10013);
    pub const WRONGSEC: Status = Status(10016);
    pub const MINOR_VERS_MISMATCH: Status = Status(10021);

    /// The name in RFC 8881.
    pub fn name(self) -> String {
        row(self).map_or_else(
            || format!("NFS status {}", self.0),
            |(_, name, _)| format!("NFS4ERR_{name}"),
        )
    }

    /// The system's number for the same error, as a kernel mount would return it; EIO when there is none.
    pub fn errno(self) -> i32 {
        row(self).map_or(e::EIO, |(_, _, errno)| *errno)
    }

    /// For those who have to choose what to do next.
    pub fn kind(self) -> ShareErrorKind {
        match self {
            Status::NOENT => ShareErrorKind::NotFound,
            Status::EXIST => ShareErrorKind::Exists,
            Status::PERM | Status::ACCESS | Status::ROFS | Status::WRONGSEC => {
                ShareErrorKind::Denied
            }
            Status::NOSPC | Status::DQUOT => ShareErrorKind::Full,
            _ => ShareErrorKind::Other,
        }
    }

    /// The server wants to be asked again a little later.
    pub fn asks_to_wait(self) -> bool {
        matches!(self, Status::DELAY | Status::GRACE)
    }

    /// The session, the client or its open files are not known any more: after a restart, or when the lease ran out.
    pub fn ends_session(self) -> bool {
        // EXPIRED, STALE_CLIENTID, STALE_STATEID, BAD_STATEID, BADSESSION, CONN_NOT_BOUND_TO_SESSION, DEADSESSION.
        matches!(
            self.0,
            10011 | 10022 | 10023 | 10025 | 10052 | 10055 | 10078
        )
    }

    /// What the user can do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Status::PERM | Status::ACCESS => {
                "the server takes the number of the user who runs plumb: look at the owner and the mode of the folder, and at the export's squash option \
                 (root is nobody unless it says no_root_squash)"
            }
            Status::ROFS => "the export is read-only: measure reads, or export it for writing",
            Status::NOSPC => {
                "choose a smaller --size or another target (what had been written is removed)"
            }
            Status::DQUOT => "the quota is used up: choose a smaller --size or another target",
            Status::NOENT => "a folder on the way is not there: make it, or name one that is",
            Status::WRONGSEC => {
                "the export wants Kerberos, or a source port below 1024 (run as root, or export it with 'insecure'); plumb proves itself by the user's \
                 number (sec=sys): allow that for the export, or measure a kernel mount by its path"
            }
            Status::MINOR_VERS_MISMATCH => {
                "the server does not speak NFS 4.1: switch it on there, or measure a kernel mount by its path"
            }
            Status::NAMETOOLONG => {
                "the name is too long, most servers take at most 255 bytes: choose a shorter one"
            }
            Status::STALE => "what was opened is gone on the server: start again",
            Status::GRACE | Status::DELAY => {
                "the server asks to wait, it may have been started just now: try again in a minute or two"
            }
            _ => "see the server's log",
        }
    }
}

fn row(status: Status) -> Option<&'static (u32, &'static str, i32)> {
    NAMES.iter().find(|(number, _, _)| *number == status.0)
}

/// Number, name, and the error number of a Linux client for it (fs/nfs/nfs4proc.c and include/linux/nfs.h).
const NAMES: &[(u32, &str, i32)] = &[
    (1, "PERM", e::EPERM),
    (2, "NOENT", e::ENOENT),
    (5, "IO", e::EIO),
    (6, "NXIO", e::ENXIO),
    (13, "ACCESS", e::EACCES),
    (17, "EXIST", e::EEXIST),
    (18, "XDEV", e::EXDEV),
    (20, "NOTDIR", e::ENOTDIR),
    (21, "ISDIR", e::EISDIR),
    (22, "INVAL", e::EINVAL),
    (27, "FBIG", e::EFBIG),
    (28, "NOSPC", e::ENOSPC),
    (30, "ROFS", e::EROFS),
    (31, "MLINK", e::EMLINK),
    (63, "NAMETOOLONG", e::ENAMETOOLONG),
    (66, "NOTEMPTY", e::ENOTEMPTY),
    (69, "DQUOT", e::EDQUOT),
    (70, "STALE", e::ESTALE),
    (10001, "BADHANDLE", e::ESTALE),
    (10003, "BAD_COOKIE", e::EIO),
    (10004, "NOTSUPP", e::EOPNOTSUPP),
    (10005, "TOOSMALL", e::EIO),
    (10006, "SERVERFAULT", e::EIO),
    (10007, "BADTYPE", e::EIO),
    (10008, "DELAY", e::EAGAIN),
    (10009, "SAME", e::EIO),
    (10010, "DENIED", e::EAGAIN),
    (10011, "EXPIRED", e::EIO),
    (10012, "LOCKED", e::EAGAIN),
    (10013, "GRACE", e::EAGAIN),
    (10014, "FHEXPIRED", e::ESTALE),
    (10015, "SHARE_DENIED", e::EACCES),
    (10016, "WRONGSEC", e::EPERM),
    (10017, "CLID_INUSE", e::EIO),
    (10018, "RESOURCE", e::EIO),
    (10019, "MOVED", e::EIO),
    (10020, "NOFILEHANDLE", e::EIO),
    (10021, "MINOR_VERS_MISMATCH", e::EIO),
    (10022, "STALE_CLIENTID", e::EIO),
    (10023, "STALE_STATEID", e::EIO),
    (10024, "OLD_STATEID", e::EIO),
    (10025, "BAD_STATEID", e::EIO),
    (10026, "BAD_SEQID", e::EIO),
    (10027, "NOT_SAME", e::EIO),
    (10029, "SYMLINK", e::ELOOP),
    (10032, "ATTRNOTSUPP", e::EOPNOTSUPP),
    (10033, "NO_GRACE", e::EIO),
    (10034, "RECLAIM_BAD", e::EIO),
    (10035, "RECLAIM_CONFLICT", e::EIO),
    (10036, "BADXDR", e::EIO),
    (10037, "LOCKS_HELD", e::EIO),
    (10038, "OPENMODE", e::EBADF),
    (10039, "BADOWNER", e::EINVAL),
    (10040, "BADCHAR", e::EINVAL),
    (10041, "BADNAME", e::EINVAL),
    (10044, "OP_ILLEGAL", e::EIO),
    (10046, "FILE_OPEN", e::EBUSY),
    (10047, "ADMIN_REVOKED", e::EIO),
    (10052, "BADSESSION", e::EIO),
    (10053, "BADSLOT", e::EIO),
    (10054, "COMPLETE_ALREADY", e::EIO),
    (10055, "CONN_NOT_BOUND_TO_SESSION", e::EIO),
    (10058, "SEQ_MISORDERED", e::EIO),
    (10063, "REQ_TOO_BIG", e::EIO),
    (10064, "REP_TOO_BIG", e::EIO),
    (10068, "RETRY_UNCACHED_REP", e::EIO),
    (10070, "TOO_MANY_OPS", e::EIO),
    (10071, "OP_NOT_IN_SESSION", e::EIO),
    (10078, "DEADSESSION", e::EIO),
    (10082, "REJECT_DELEG", e::EIO),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_a_name_and_an_error_number() {
        assert_eq!(
            (Status::ROFS.name(), Status::ROFS.errno()),
            ("NFS4ERR_ROFS".to_string(), e::EROFS)
        );
        assert_eq!(
            (Status(424_242).name(), Status(424_242).errno()),
            ("NFS status 424242".to_string(), e::EIO)
        );
        assert!(
            Status::NAMETOOLONG.name() == "NFS4ERR_NAMETOOLONG"
                && Status::NAMETOOLONG
                    .advice()
                    .contains("choose a shorter one")
        );
        assert!(
            NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "in order, each once"
        );
    }
}
