//! Which commands of SMB2 are used, and what are they called?

/// A command (MS-SMB2 2.2.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Command {
    Negotiate = 0,
    SessionSetup = 1,
    Logoff = 2,
    TreeConnect = 3,
    Create = 5,
    Close = 6,
    Flush = 7,
    Read = 8,
    Write = 9,
    Ioctl = 11,
    Echo = 13,
    QueryDirectory = 14,
    QueryInfo = 16,
    SetInfo = 17,
}

impl Command {
    /// All, for tables by command.
    pub const ALL: [Command; 14] = [
        Command::Negotiate,
        Command::SessionSetup,
        Command::Logoff,
        Command::TreeConnect,
        Command::Create,
        Command::Close,
        Command::Flush,
        Command::Read,
        Command::Write,
        Command::Ioctl,
        Command::Echo,
        Command::QueryDirectory,
        Command::QueryInfo,
        Command::SetInfo,
    ];

    /// As the specification writes it, without SMB2.
    pub fn name(self) -> &'static str {
        match self {
            Command::Negotiate => "NEGOTIATE",
            Command::SessionSetup => "SESSION_SETUP",
            Command::Logoff => "LOGOFF",
            Command::TreeConnect => "TREE_CONNECT",
            Command::Create => "CREATE",
            Command::Close => "CLOSE",
            Command::Flush => "FLUSH",
            Command::Read => "READ",
            Command::Write => "WRITE",
            Command::Ioctl => "IOCTL",
            Command::Echo => "ECHO",
            Command::QueryDirectory => "QUERY_DIRECTORY",
            Command::QueryInfo => "QUERY_INFO",
            Command::SetInfo => "SET_INFO",
        }
    }
}

impl std::fmt::Display for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
