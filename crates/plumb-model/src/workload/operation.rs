//! Which kinds of operation are there, and what is each of them?

use std::fmt;
use std::str::FromStr;

use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;

words! {
    /// One kind of operation.
    OperationKind, "operation" {
        /// Read a block; from the memory of a peer (`rdma:`) one-sided.
        Read = "read",
        /// Write a block; to the memory of a peer (`rdma:`) one-sided.
        Write = "write",
        /// Read a block, change one byte, write it back at the same place. One operation; its bytes count once.
        Rewrite = "rewrite",
        /// Discard a block (BLKDISCARD on a device, hole punching in a file).
        Trim = "trim",
        /// Flush the file or device to stable storage (fdatasync).
        Flush = "flush",
        /// Create a new file, write `block` bytes into it, close it.
        Create = "create",
        /// Open and close an existing file.
        Open = "open",
        /// Read the attributes of a file by name.
        Stat = "stat",
        /// Open a file, read it whole, close it.
        ReadFile = "read-file",
        /// Rename a file within its directory.
        Rename = "rename",
        /// Delete a file.
        Delete = "delete",
        /// Open a file, fsync it, close it.
        Fsync = "fsync",
        /// List the directory that a file of the set lies in, names and attributes.
        List = "list",
        /// Send a message to a peer; done when the system has taken it (TCP) or the peer has it (RDMA).
        Send = "send",
        /// Receive a message from a peer that sends as fast as it can.
        Receive = "receive",
        /// Send a message to a peer and wait until it has come back: the time is that of the round trip, the bytes count in both directions.
        PingPong = "ping-pong",
        /// Copy a whole tree of files with a program (`copy-test`).
        Copy = "copy",
    }
}

impl OperationKind {
    /// Number of kinds; `kind as usize` is below it.
    pub const COUNT: usize = OperationKind::ALL.len();

    /// True for operations on files by name (`small-files`), false for operations on blocks of an open file, on messages and on trees.
    pub fn is_file_operation(self) -> bool {
        use OperationKind::{Create, Delete, Fsync, List, Open, ReadFile, Rename, Stat};
        matches!(
            self,
            Create | Open | Stat | ReadFile | Rename | Delete | Fsync | List
        )
    }

    /// True for operations that exchange messages with a peer: nothing is stored anywhere.
    pub fn is_message(self) -> bool {
        matches!(
            self,
            OperationKind::Send | OperationKind::Receive | OperationKind::PingPong
        )
    }

    /// True for operations that read blocks of an open file or device.
    pub fn reads_blocks(self) -> bool {
        matches!(self, OperationKind::Read | OperationKind::Rewrite)
    }

    /// True for operations that put data into blocks of an open file or device.
    pub fn writes_blocks(self) -> bool {
        matches!(self, OperationKind::Write | OperationKind::Rewrite)
    }

    /// Where an operation was to take place, for a sentence: `at offset 4096 of PATH`; of operations on files by name `offset` is the number of the file
    /// in the set, and messages have none.
    pub fn place(self, offset: u64, path: &str) -> String {
        match self {
            _ if self.is_file_operation() => format!("of file {offset} of {path}"),
            _ if self.reads_blocks() || self.writes_blocks() || self == OperationKind::Trim => {
                format!("at offset {offset} of {path}")
            }
            OperationKind::Flush | OperationKind::Copy => format!("of {path}"),
            _ => format!("with {path}"),
        }
    }

    /// How many times an operation moves its bytes: a ping-pong there and back.
    pub fn directions(self) -> u64 {
        if self == OperationKind::PingPong {
            2
        } else {
            1
        }
    }

    /// True when the operation changes the target.
    pub fn modifies(self) -> bool {
        use OperationKind::{Copy, Create, Delete, Rename, Rewrite, Trim, Write};
        matches!(
            self,
            Write | Rewrite | Trim | Create | Rename | Delete | Copy
        )
    }

    /// True when the operation moves or discards data, so that a bandwidth makes sense.
    pub fn moves_data(self) -> bool {
        use OperationKind::{
            Copy, Create, PingPong, Read, ReadFile, Receive, Rewrite, Send, Trim, Write,
        };
        matches!(
            self,
            Read | Write | Rewrite | Create | ReadFile | Send | Receive | PingPong | Copy | Trim
        )
    }
}
