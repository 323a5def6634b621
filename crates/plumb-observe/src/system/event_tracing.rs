//! How does Windows hand over the events of its kernel (ETW)? From a session of plumb's own while they happen, or from a file.
#![cfg_attr(
    not(windows),
    allow(dead_code, reason = "other systems have no such events")
)]

#[cfg(windows)]
mod calls;
pub(crate) mod event;
#[cfg(windows)]
mod file;
#[cfg(not(windows))]
mod none;
pub(crate) mod operations;
#[cfg(windows)]
mod privilege;
pub(crate) mod record;
#[cfg(windows)]
mod session;
#[cfg(windows)]
mod taking;
#[cfg(all(test, windows))]
mod tests;

#[cfg(windows)]
pub(crate) use file::{letters, read_file};
#[cfg(not(windows))]
pub(crate) use none::{Session, letters, read_file};
#[cfg(windows)]
pub(crate) use session::Session;

/// Whether this system has them.
pub(crate) const IS_HERE: bool = cfg!(windows);

/// What was lost between the kernel and plumb.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    pub events: u64,
    pub buffers: u64,
}

/// Why there are no events.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTraced {
    #[error("this is not Windows")]
    NotWindows,
    #[error(
        "Windows denies this user access to kernel events. Administrator rights are needed: start the terminal with 'Run as administrator' and repeat \
         the command (the group Performance Log Users alone does not do; the kernel's events take the right 'Profile system performance', SeSystemProfilePrivilege, besides). \
         Without these rights: 'plumb watch -- COMMAND' counts what a program does; or an administrator records (wpr -start FileIO -filemode; wpr -stop app.etl), and 'plumb trace app.etl' reads it"
    )]
    Rights,
    #[error(
        "Windows has no kernel event session left (StartTrace: error 1450); it allows 8 at once. 'logman query -ets' lists them, 'logman stop NAME -ets' ends one"
    )]
    NoSession,
    #[error("{call} fails with error {code} of Windows{remedy}")]
    Failed {
        call: &'static str,
        code: u32,
        remedy: &'static str,
    },
    #[error(
        "it has no file operations and no disk requests. An administrator records them with 'wpr -start FileIO -filemode' and 'wpr -stop FILE.etl'; \
         a recording of packets is converted with 'pktmon etl2pcap FILE.etl'"
    )]
    NoCalls,
    #[error(
        "another program stopped the kernel event session during the trace (ProcessTrace: {code}); repeat the command"
    )]
    Ended { code: u32 },
}
