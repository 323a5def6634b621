//! Why did an operation fail? A kind that is the same on every system and protocol, and the original error number.

mod kind;
pub mod windows;

use std::borrow::Cow;

pub use self::kind::FailureKind;

/// The number that came with a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Error number of the operating system: errno.
    System(u32),
    /// The code of GetLastError on Windows.
    Windows(u32),
    /// Status of the engine's protocol, as in the reply.
    Protocol(u32),
    /// plumb itself gave the operation up: the connection was lost, it waited too long, nobody could have carried it out.
    Own,
}

/// Why an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub code: Code,
}

impl Failure {
    /// As the record names it: `ENOSPC` (on Windows `ERROR_DISK_FULL`), or the number where there is no name.
    pub fn name(self) -> Cow<'static, str> {
        match (self.kind.name(), self.code) {
            (_, Code::Windows(code)) => windows::name(code).map_or_else(
                || format!("Windows error {code}").into(),
                std::convert::Into::into,
            ),
            (Some(name), _) => name.into(),
            (None, Code::System(number)) => format!("errno {number}").into(),
            (None, Code::Protocol(status)) => format!("status {status:#x}").into(),
            (None, Code::Own) => "failed".into(),
        }
    }
}
