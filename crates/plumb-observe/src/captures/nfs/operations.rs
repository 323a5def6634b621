//! Which operations does NFS have? Names as in RFC 1094, 1813, 7530, 8881 and 7862, and what each asks for.

use plumb_model::trace::events::CallClass;

/// A procedure, or an operation of version 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    pub name: &'static str,
    pub class: CallClass,
}

const fn of(name: &'static str, class: CallClass) -> Operation {
    Operation { name, class }
}

const fn metadata(name: &'static str) -> Operation {
    of(name, CallClass::Metadata)
}

const fn session(name: &'static str) -> Operation {
    of(name, CallClass::Session)
}

pub const UNKNOWN: Operation = metadata("UNKNOWN");
/// A compound whose operations are encrypted, cut, or none.
pub const COMPOUND: Operation = metadata("COMPOUND");

const READ: Operation = of("READ", CallClass::Read);
const WRITE: Operation = of("WRITE", CallClass::Write);

const VERSION_2: [Operation; 18] = [
    session("NULL"),
    metadata("GETATTR"),
    metadata("SETATTR"),
    metadata("ROOT"),
    metadata("LOOKUP"),
    metadata("READLINK"),
    READ,
    metadata("WRITECACHE"),
    WRITE,
    metadata("CREATE"),
    metadata("REMOVE"),
    metadata("RENAME"),
    metadata("LINK"),
    metadata("SYMLINK"),
    metadata("MKDIR"),
    metadata("RMDIR"),
    metadata("READDIR"),
    metadata("STATFS"),
];

const VERSION_3: [Operation; 22] = [
    session("NULL"),
    metadata("GETATTR"),
    metadata("SETATTR"),
    metadata("LOOKUP"),
    metadata("ACCESS"),
    metadata("READLINK"),
    READ,
    WRITE,
    metadata("CREATE"),
    metadata("MKDIR"),
    metadata("SYMLINK"),
    metadata("MKNOD"),
    metadata("REMOVE"),
    metadata("RMDIR"),
    metadata("RENAME"),
    metadata("LINK"),
    metadata("READDIR"),
    metadata("READDIRPLUS"),
    metadata("FSSTAT"),
    metadata("FSINFO"),
    metadata("PATHCONF"),
    metadata("COMMIT"),
];

/// From number 3 on.
const VERSION_4: [Operation; 73] = [
    metadata("ACCESS"),
    metadata("CLOSE"),
    metadata("COMMIT"),
    metadata("CREATE"),
    session("DELEGPURGE"),
    metadata("DELEGRETURN"),
    metadata("GETATTR"),
    metadata("GETFH"),
    metadata("LINK"),
    metadata("LOCK"),
    metadata("LOCKT"),
    metadata("LOCKU"),
    metadata("LOOKUP"),
    metadata("LOOKUPP"),
    metadata("NVERIFY"),
    metadata("OPEN"),
    metadata("OPENATTR"),
    metadata("OPEN_CONFIRM"),
    metadata("OPEN_DOWNGRADE"),
    metadata("PUTFH"),
    metadata("PUTPUBFH"),
    metadata("PUTROOTFH"),
    READ,
    metadata("READDIR"),
    metadata("READLINK"),
    metadata("REMOVE"),
    metadata("RENAME"),
    session("RENEW"),
    metadata("RESTOREFH"),
    metadata("SAVEFH"),
    metadata("SECINFO"),
    metadata("SETATTR"),
    session("SETCLIENTID"),
    session("SETCLIENTID_CONFIRM"),
    metadata("VERIFY"),
    WRITE,
    session("RELEASE_LOCKOWNER"),
    session("BACKCHANNEL_CTL"),
    session("BIND_CONN_TO_SESSION"),
    session("EXCHANGE_ID"),
    session("CREATE_SESSION"),
    session("DESTROY_SESSION"),
    metadata("FREE_STATEID"),
    metadata("GET_DIR_DELEGATION"),
    metadata("GETDEVICEINFO"),
    metadata("GETDEVICELIST"),
    metadata("LAYOUTCOMMIT"),
    metadata("LAYOUTGET"),
    metadata("LAYOUTRETURN"),
    metadata("SECINFO_NO_NAME"),
    session("SEQUENCE"),
    session("SET_SSV"),
    metadata("TEST_STATEID"),
    metadata("WANT_DELEGATION"),
    session("DESTROY_CLIENTID"),
    session("RECLAIM_COMPLETE"),
    metadata("ALLOCATE"),
    metadata("COPY"),
    metadata("COPY_NOTIFY"),
    metadata("DEALLOCATE"),
    metadata("IO_ADVISE"),
    metadata("LAYOUTERROR"),
    metadata("LAYOUTSTATS"),
    metadata("OFFLOAD_CANCEL"),
    metadata("OFFLOAD_STATUS"),
    of("READ_PLUS", CallClass::Read),
    metadata("SEEK"),
    metadata("WRITE_SAME"),
    metadata("CLONE"),
    metadata("GETXATTR"),
    metadata("SETXATTR"),
    metadata("LISTXATTRS"),
    metadata("REMOVEXATTR"),
];
const FIRST_OF_VERSION_4: u32 = 3;

/// The procedure of version 2 or 3 with this number.
pub fn procedure(version: u32, number: u32) -> Operation {
    let table: &[Operation] = match version {
        2 => &VERSION_2,
        3 => &VERSION_3,
        _ => &[session("NULL"), COMPOUND],
    };
    let index = usize::try_from(number).unwrap_or(usize::MAX);
    table.get(index).copied().unwrap_or(UNKNOWN)
}

/// The operation of version 4 with this number.
pub fn operation(number: u32) -> Operation {
    let index = number.checked_sub(FIRST_OF_VERSION_4);
    let index = index.and_then(|index| usize::try_from(index).ok());
    let known = index.and_then(|index| VERSION_4.get(index)).copied();
    known.unwrap_or(UNKNOWN)
}

pub const ACCESS: u32 = 3;
pub const CLOSE: u32 = 4;
pub const COMMIT: u32 = 5;
pub const CREATE: u32 = 6;
pub const GETATTR: u32 = 9;
pub const GETFH: u32 = 10;
pub const LINK: u32 = 11;
pub const LOOKUP: u32 = 15;
pub const LOOKUPP: u32 = 16;
pub const NVERIFY: u32 = 17;
pub const OPEN: u32 = 18;
pub const OPEN_CONFIRM: u32 = 20;
pub const PUTFH: u32 = 22;
pub const PUTPUBFH: u32 = 23;
pub const PUTROOTFH: u32 = 24;
pub const READ_4: u32 = 25;
pub const READDIR: u32 = 26;
pub const READLINK: u32 = 27;
pub const REMOVE: u32 = 28;
pub const RENAME: u32 = 29;
pub const RENEW: u32 = 30;
pub const RESTOREFH: u32 = 31;
pub const SAVEFH: u32 = 32;
pub const SETATTR: u32 = 34;
pub const VERIFY: u32 = 37;
pub const WRITE_4: u32 = 38;
pub const SEQUENCE: u32 = 53;
pub const READ_PLUS: u32 = 68;

/// How much an operation stands for its compound: what moves data most, what only says on which file least. Of two of the same weight, the later one does.
pub fn weight(number: u32) -> u32 {
    match number {
        READ_4 | WRITE_4 | READ_PLUS => 7,
        LOOKUP | LOOKUPP | ACCESS => 5,
        GETATTR | VERIFY | NVERIFY => 4,
        PUTPUBFH | PUTROOTFH => 3,
        GETFH => 2,
        SEQUENCE => 1,
        PUTFH | SAVEFH | RESTOREFH => 0,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_names_of_the_specifications() {
        for (version, number, name) in [
            (2, 8, "WRITE"),
            (2, 17, "STATFS"),
            (3, 0, "NULL"),
            (3, 6, "READ"),
            (3, 17, "READDIRPLUS"),
            (3, 21, "COMMIT"),
            (3, 22, "UNKNOWN"),
            (4, 1, "COMPOUND"),
        ] {
            assert_eq!(procedure(version, number).name, name);
        }
        for (number, name) in [
            (2, "UNKNOWN"),
            (3, "ACCESS"),
            (18, "OPEN"),
            (25, "READ"),
            (38, "WRITE"),
            (39, "RELEASE_LOCKOWNER"),
            (42, "EXCHANGE_ID"),
            (53, "SEQUENCE"),
            (58, "RECLAIM_COMPLETE"),
            (59, "ALLOCATE"),
            (68, "READ_PLUS"),
            (71, "CLONE"),
            (75, "REMOVEXATTR"),
            (76, "UNKNOWN"),
        ] {
            assert_eq!(operation(number).name, name);
        }
    }
}
