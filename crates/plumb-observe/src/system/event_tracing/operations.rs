//! Which operations on files does Windows' kernel report? By the event types of its class FileIo ("FileIo class", Microsoft Learn).

use plumb_model::trace::events::CallClass;

/// How the payload of an event that begins an operation is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// FileIo_Create.
    Create,
    /// FileIo_ReadWrite.
    Transfer,
    /// FileIo_SimpleOp.
    Simple,
    /// FileIo_Info.
    Info,
    /// FileIo_DirEnum.
    Folder,
}

/// One kind of operation.
#[derive(Debug, PartialEq, Eq)]
pub struct Operation {
    pub kind: u8,
    /// As EventTypeName has it.
    pub name: &'static str,
    pub class: CallClass,
    pub layout: Layout,
}

const fn metadata(kind: u8, name: &'static str, layout: Layout) -> Operation {
    let class = CallClass::Metadata;
    Operation {
        kind,
        name,
        class,
        layout,
    }
}

/// All that begin and end.
pub static OPERATIONS: &[Operation] = &[
    metadata(64, "Create", Layout::Create),
    // The last handle of an open file is closed; then nothing refers to it any more.
    metadata(65, "Cleanup", Layout::Simple),
    metadata(CLOSE, "Close", Layout::Simple),
    Operation {
        kind: 67,
        name: "Read",
        class: CallClass::Read,
        layout: Layout::Transfer,
    },
    Operation {
        kind: 68,
        name: "Write",
        class: CallClass::Write,
        layout: Layout::Transfer,
    },
    metadata(69, "SetInfo", Layout::Info),
    metadata(70, "Delete", Layout::Info),
    metadata(71, "Rename", Layout::Info),
    metadata(72, "DirEnum", Layout::Folder),
    metadata(73, "Flush", Layout::Simple),
    metadata(74, "QueryInfo", Layout::Info),
    metadata(75, "FSControl", Layout::Info),
    Operation {
        kind: 77,
        name: "DirNotify",
        class: CallClass::Wait,
        layout: Layout::Folder,
    },
];

/// The event type of the operation that ends the use of an open file.
pub const CLOSE: u8 = 66;

/// Requests to disks (class DiskIo), reported where a trace has no operations on files.
pub const DISK_REQUESTS: [(u8, &str, CallClass); 3] = [
    (10, "disk read", CallClass::Read),
    (11, "disk write", CallClass::Write),
    (14, "disk flush", CallClass::Metadata),
];

/// The operation that an event of this type begins.
pub fn operation(kind: u8) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.kind == kind)
}

/// Name and class of the operation or request that is called so.
pub fn operation_named(name: &[u8]) -> Option<(&'static str, CallClass)> {
    let known = OPERATIONS
        .iter()
        .find(|known| known.name.as_bytes() == name);
    if let Some(known) = known {
        return Some((known.name, known.class));
    }
    let known = DISK_REQUESTS
        .iter()
        .find(|(_, known, _)| known.as_bytes() == name);
    known.map(|(_, name, class)| (*name, *class))
}
