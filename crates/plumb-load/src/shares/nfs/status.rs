//! What does an NFS server's status mean? Its name (RFC 8881, 15.1), the system's error number, and what to do about it.

use plumb_model::statement::Statement;

use crate::engine::failure::FailureKind;
use crate::engine::operation::Outcome;
use crate::share::ShareErrorKind;

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
    pub const INVAL: Status = Status(22);
    pub const NOTSUPP: Status = Status(10004);
    pub const DELAY: Status = Status(10008);
    pub const GRACE: Status = Status(10013);
    pub const BAD_SEQID: Status = Status(10026);
    pub const OP_ILLEGAL: Status = Status(10044);
    pub const WRONGSEC: Status = Status(10016);
    pub const MINOR_VERS_MISMATCH: Status = Status(10021);

    /// The name in RFC 8881, or that in RFC 1813 of an NFS 3 server.
    pub fn name(self, is_version_3: bool) -> String {
        let row = if is_version_3 {
            let of_version_3 = |(number, _, _): &&_| *number == self.0;
            VERSION_3.iter().find(of_version_3).or_else(|| row(self))
        } else {
            row(self)
        };
        let version = if is_version_3 { 3 } else { 4 };
        row.map_or_else(
            || format!("NFS status {}", self.0),
            |(_, name, _)| format!("NFS{version}ERR_{name}"),
        )
    }

    /// What a kernel mount would return for it; [`FailureKind::Io`] when there is nothing better.
    pub fn failure_kind(self) -> FailureKind {
        let row = row(self).or_else(|| VERSION_3.iter().find(|row| row.0 == self.0));
        row.map_or(FailureKind::Io, |(_, _, kind)| *kind)
    }

    /// What came of an operation that failed with it.
    pub fn outcome(self) -> Outcome {
        Outcome::refused(self.failure_kind(), self.0)
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

    /// The server asks for a retry later.
    pub fn means_retry(self) -> bool {
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
    pub fn advice(self) -> Statement {
        Statement::new(match self {
            Status::PERM | Status::ACCESS => "nfs-see-owner-and-squash",
            Status::ROFS => "nfs-export-is-read-only",
            Status::NOSPC => "nfs-export-is-full",
            Status::DQUOT => "nfs-quota-is-used-up",
            Status::NOENT => "nfs-folder-is-not-there",
            Status::WRONGSEC => "nfs-export-wants-another-proof",
            Status::MINOR_VERS_MISMATCH => "nfs-no-such-minor-version",
            Status::NAMETOOLONG => "nfs-name-too-long",
            Status::STALE => "nfs-opened-is-gone",
            Status::GRACE | Status::DELAY => "nfs-server-asks-to-wait",
            _ => "nfs-see-the-servers-log",
        })
    }
}

fn row(status: Status) -> Option<&'static (u32, &'static str, FailureKind)> {
    NAMES.iter().find(|(number, _, _)| *number == status.0)
}

/// What NFS 3 has alone, or calls otherwise (RFC 1813, 2.6).
const VERSION_3: &[(u32, &str, FailureKind)] = &[
    (13, "ACCES", FailureKind::AccessDenied),
    (19, "NODEV", FailureKind::NoDeviceOrAddress),
    (71, "REMOTE", FailureKind::Io),
    (10002, "NOT_SYNC", FailureKind::Io),
    (10008, "JUKEBOX", FailureKind::TryAgain),
];

/// Number, name, and the error number of a Linux client for it (fs/nfs/nfs4proc.c and include/linux/nfs.h).
const NAMES: &[(u32, &str, FailureKind)] = &[
    (1, "PERM", FailureKind::NotPermitted),
    (2, "NOENT", FailureKind::NotFound),
    (5, "IO", FailureKind::Io),
    (6, "NXIO", FailureKind::NoDeviceOrAddress),
    (13, "ACCESS", FailureKind::AccessDenied),
    (17, "EXIST", FailureKind::AlreadyExists),
    (18, "XDEV", FailureKind::CrossesDevices),
    (20, "NOTDIR", FailureKind::NotADirectory),
    (21, "ISDIR", FailureKind::IsADirectory),
    (22, "INVAL", FailureKind::Invalid),
    (27, "FBIG", FailureKind::FileTooBig),
    (28, "NOSPC", FailureKind::NoSpace),
    (30, "ROFS", FailureKind::ReadOnly),
    (31, "MLINK", FailureKind::TooManyLinks),
    (63, "NAMETOOLONG", FailureKind::NameTooLong),
    (66, "NOTEMPTY", FailureKind::NotEmpty),
    (69, "DQUOT", FailureKind::QuotaExceeded),
    (70, "STALE", FailureKind::Stale),
    (10001, "BADHANDLE", FailureKind::Stale),
    (10003, "BAD_COOKIE", FailureKind::Io),
    (10004, "NOTSUPP", FailureKind::NotSupported),
    (10005, "TOOSMALL", FailureKind::Io),
    (10006, "SERVERFAULT", FailureKind::Io),
    (10007, "BADTYPE", FailureKind::Io),
    (10008, "DELAY", FailureKind::TryAgain),
    (10009, "SAME", FailureKind::Io),
    (10010, "DENIED", FailureKind::TryAgain),
    (10011, "EXPIRED", FailureKind::Io),
    (10012, "LOCKED", FailureKind::TryAgain),
    (10013, "GRACE", FailureKind::TryAgain),
    (10014, "FHEXPIRED", FailureKind::Stale),
    (10015, "SHARE_DENIED", FailureKind::AccessDenied),
    (10016, "WRONGSEC", FailureKind::NotPermitted),
    (10017, "CLID_INUSE", FailureKind::Io),
    (10018, "RESOURCE", FailureKind::Io),
    (10019, "MOVED", FailureKind::Io),
    (10020, "NOFILEHANDLE", FailureKind::Io),
    (10021, "MINOR_VERS_MISMATCH", FailureKind::Io),
    (10022, "STALE_CLIENTID", FailureKind::Io),
    (10023, "STALE_STATEID", FailureKind::Io),
    (10024, "OLD_STATEID", FailureKind::Io),
    (10025, "BAD_STATEID", FailureKind::Io),
    (10026, "BAD_SEQID", FailureKind::Io),
    (10027, "NOT_SAME", FailureKind::Io),
    (10029, "SYMLINK", FailureKind::TooManySymlinks),
    (10032, "ATTRNOTSUPP", FailureKind::NotSupported),
    (10033, "NO_GRACE", FailureKind::Io),
    (10034, "RECLAIM_BAD", FailureKind::Io),
    (10035, "RECLAIM_CONFLICT", FailureKind::Io),
    (10036, "BADXDR", FailureKind::Io),
    (10037, "LOCKS_HELD", FailureKind::Io),
    (10038, "OPENMODE", FailureKind::BadFile),
    (10039, "BADOWNER", FailureKind::Invalid),
    (10040, "BADCHAR", FailureKind::Invalid),
    (10041, "BADNAME", FailureKind::Invalid),
    (10044, "OP_ILLEGAL", FailureKind::Io),
    (10046, "FILE_OPEN", FailureKind::Busy),
    (10047, "ADMIN_REVOKED", FailureKind::Io),
    (10048, "CB_PATH_DOWN", FailureKind::Io),
    (10052, "BADSESSION", FailureKind::Io),
    (10053, "BADSLOT", FailureKind::Io),
    (10054, "COMPLETE_ALREADY", FailureKind::Io),
    (10055, "CONN_NOT_BOUND_TO_SESSION", FailureKind::Io),
    (10058, "SEQ_MISORDERED", FailureKind::Io),
    (10063, "REQ_TOO_BIG", FailureKind::Io),
    (10064, "REP_TOO_BIG", FailureKind::Io),
    (10068, "RETRY_UNCACHED_REP", FailureKind::Io),
    (10070, "TOO_MANY_OPS", FailureKind::Io),
    (10071, "OP_NOT_IN_SESSION", FailureKind::Io),
    (10078, "DEADSESSION", FailureKind::Io),
    (10082, "REJECT_DELEG", FailureKind::Io),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_a_name_and_a_meaning() {
        assert_eq!(
            (Status::ROFS.name(false), Status::ROFS.failure_kind()),
            ("NFS4ERR_ROFS".to_string(), FailureKind::ReadOnly)
        );
        assert_eq!(
            (Status(424_242).name(true), Status(424_242).failure_kind()),
            ("NFS status 424242".to_string(), FailureKind::Io)
        );
        assert!(
            Status::NAMETOOLONG.name(false) == "NFS4ERR_NAMETOOLONG"
                && plumb_words::english(&Status::NAMETOOLONG.advice())
                    .contains("choose a shorter one")
        );
        let of_version_3 = [Status::DELAY, Status::ACCESS, Status::NOENT];
        assert_eq!(
            of_version_3.map(|status| status.name(true)),
            ["NFS3ERR_JUKEBOX", "NFS3ERR_ACCES", "NFS3ERR_NOENT"]
        );
        assert!(
            NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "in order, each once"
        );
    }
}
