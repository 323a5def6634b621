//! What does an event of Windows' kernel say? Operations on files, requests to disks, names, processes and threads, by the layouts of their MOF classes.
//!
//! Layouts: Microsoft Learn, "FileIo class", "DiskIo class", "Process_TypeGroup1", "Thread_TypeGroup1" and the classes that they name. They describe version 2 of FileIo
//! (Windows Vista and 7); version 3 (from Windows 8 on) has the thread as 32 bits behind the pointers, as the classes FileIo_V3_* of Windows' own WMI repository say.

use super::event::{Event, Fields};
use super::operations::{DISK_REQUESTS, Layout, Operation, operation};

/// GUIDs of the classes.
pub const FILE_IO: u128 = 0x90cbdc39_4a3e_11d1_84f4_0000f80464e3;
pub const DISK_IO: u128 = 0x3d6fa8d4_fe05_11d0_9dda_00c04fd7ba7c;
pub const PROCESS: u128 = 0x3d6fa8d0_fe05_11d0_9dda_00c04fd7ba7c;
pub const THREAD: u128 = 0x3d6fa8d1_fe05_11d0_9dda_00c04fd7ba7c;

/// The first version of FileIo whose threads are 32 bits behind the pointers.
const THREAD_BEHIND_POINTERS: u8 = 3;
/// Types of FileIo_Name.
const NAME: u8 = 0;
const FILE_CREATE: u8 = 32;
const FILE_DELETE: u8 = 35;
const FILE_RUNDOWN: u8 = 36;
const OPERATION_END: u8 = 76;
/// A response time that is longer is a damaged number.
const RESPONSE_NS_MAX: u128 = 24 * 3600 * 1_000_000_000;
/// Offsets from here on stand for the position of the file, or its end (FILE_USE_FILE_POINTER_POSITION, FILE_WRITE_TO_END_OF_FILE).
const OFFSETS_END: u64 = 1 << 63;

/// An operation on a file that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    pub at_ns: u64,
    pub thread: Option<u32>,
    pub process: Option<u32>,
    pub operation: &'static Operation,
    /// What reports it from others that are outstanding.
    pub request: u64,
    /// The open file: the same from Create to Close.
    pub object: u64,
    /// The file: the same for all who have it open; 0 for Create.
    pub key: u64,
    pub offset: Option<u64>,
    pub bytes: Option<u64>,
    /// IRP_NOCACHE, IRP_PAGING_IO and the like (wdm.h).
    pub flags: u32,
    /// What Create asks for.
    pub path: Option<String>,
}

/// A request to a disk, reported when it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskRequest {
    pub at_ns: u64,
    pub kind: u8,
    pub disk: u32,
    pub thread: Option<u32>,
    pub offset: Option<u64>,
    pub bytes: Option<u64>,
    /// Missing where the ticks of the machine are not known.
    pub response_ns: Option<u64>,
}

/// What one event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    Begun(Begun),
    /// An operation ended: with an NTSTATUS and, for reads and writes, the bytes that were moved.
    Ended {
        at_ns: u64,
        request: u64,
        information: u64,
        status: u32,
    },
    /// The file with this key has this name.
    Named {
        key: u64,
        name: String,
    },
    /// The key stands for this file no more.
    Forgotten {
        key: u64,
    },
    ProcessBegan {
        process: u32,
        parent: u32,
        /// `notepad.exe`; empty where it is not reported.
        image: String,
    },
    ProcessEnded {
        process: u32,
    },
    ThreadBegan {
        thread: u32,
        process: u32,
    },
    Disk(DiskRequest),
    /// An event of a known kind that is not as it should be.
    Damaged,
}

/// What an event says; `None` for kinds that say nothing of files and disks.
pub fn record(event: &Event<'_>) -> Option<Record> {
    let read: fn(&Event<'_>) -> Option<Record> = match (event.class, event.kind) {
        (FILE_IO, NAME | FILE_CREATE | FILE_DELETE | FILE_RUNDOWN) => name,
        (FILE_IO, OPERATION_END) => end,
        (FILE_IO, kind) if operation(kind).is_some() => begin,
        (DISK_IO, kind) if DISK_REQUESTS.iter().any(|(known, ..)| *known == kind) => disk_request,
        // Start, End, and DCStart for those that run already.
        (PROCESS, 1..=3) => process,
        (THREAD, 1 | 3) => thread,
        _ => return None,
    };
    Some(read(event).unwrap_or(Record::Damaged))
}

fn name(event: &Event<'_>) -> Option<Record> {
    let mut fields = event.fields();
    let key = fields.pointer()?;
    Some(match event.kind {
        FILE_DELETE => Record::Forgotten { key },
        _ => Record::Named {
            key,
            name: fields.wide_text(),
        },
    })
}

fn end(event: &Event<'_>) -> Option<Record> {
    let mut fields = event.fields();
    Some(Record::Ended {
        at_ns: event.at_ns()?,
        request: fields.pointer()?,
        information: fields.pointer()?,
        status: fields.u32()?,
    })
}

fn begin(event: &Event<'_>) -> Option<Record> {
    let operation = operation(event.kind)?;
    let mut fields = event.fields();
    let offset = match operation.layout {
        Layout::Transfer => Some(fields.u64()?),
        _ => None,
    };
    let request = fields.pointer()?;
    let is_behind = event.version >= THREAD_BEHIND_POINTERS;
    let mut thread = None;
    if !is_behind {
        // A number of 32 bits in a field as large as a pointer.
        thread = Some(fields.pointer()? as u32);
    }
    let object = fields.pointer()?;
    let key = match operation.layout {
        Layout::Create => 0,
        _ => fields.pointer()?,
    };
    if operation.layout == Layout::Info {
        fields.skip_pointers(1)?;
    }
    if is_behind {
        thread = Some(fields.u32()?);
    }
    let mut begun = Begun {
        at_ns: event.at_ns()?,
        thread: thread.or(event.thread),
        process: event.process,
        operation,
        request,
        object,
        key,
        offset: offset.filter(|offset| *offset < OFFSETS_END),
        bytes: None,
        flags: 0,
        path: None,
    };
    rest(&mut begun, &mut fields)?;
    Some(Record::Begun(begun))
}

/// What stands behind the thread.
fn rest(begun: &mut Begun, fields: &mut Fields<'_>) -> Option<()> {
    match begun.operation.layout {
        Layout::Transfer => {
            begun.bytes = Some(fields.u32()?.into());
            begun.flags = fields.u32()?;
        }
        Layout::Create => {
            // CreateOptions, FileAttributes, ShareAccess.
            fields.skip(12)?;
            begun.path = Some(fields.wide_text());
        }
        Layout::Info | Layout::Folder => {
            // InfoClass, or Length.
            fields.skip(4)?;
        }
        Layout::Simple => {}
    }
    Some(())
}

fn disk_request(event: &Event<'_>) -> Option<Record> {
    let mut fields = event.fields();
    let is_flush = event.kind == 14;
    let disk = fields.u32()?;
    // IrpFlags.
    fields.skip(4)?;
    let (mut bytes, mut offset) = (None, None);
    if !is_flush {
        bytes = Some(fields.u32()?.into());
        // Reserved.
        fields.skip(4)?;
        offset = Some(fields.u64()?);
        // FileObject, Irp.
        fields.skip_pointers(2)?;
    }
    let ticks = fields.u64()?;
    if is_flush {
        fields.skip_pointers(1)?;
    }
    // From Windows 8 on.
    let thread = fields.u32();
    let response_ns =
        (u128::from(ticks) * 1_000_000_000).checked_div(event.ticks_per_second.into());
    if response_ns.is_some_and(|time| time > RESPONSE_NS_MAX) {
        return None;
    }
    Some(Record::Disk(DiskRequest {
        at_ns: event.at_ns()?,
        kind: event.kind,
        disk,
        thread: thread.or(event.thread),
        offset: offset.filter(|offset| *offset < OFFSETS_END),
        bytes,
        response_ns: response_ns.map(|time| time as u64),
    }))
}

fn process(event: &Event<'_>) -> Option<Record> {
    let mut fields = event.fields();
    // UniqueProcessKey.
    fields.skip_pointers(1)?;
    let process = fields.u32()?;
    let parent = fields.u32()?;
    if event.kind == 2 {
        return Some(Record::ProcessEnded { process });
    }
    let image = image(event.version, &mut fields).unwrap_or_default();
    Some(Record::ProcessBegan {
        process,
        parent,
        image,
    })
}

/// What stands behind the parent.
fn image(version: u8, fields: &mut Fields<'_>) -> Option<String> {
    // SessionId, ExitStatus.
    fields.skip(8)?;
    if version >= 3 {
        // DirectoryTableBase.
        fields.skip_pointers(1)?;
    }
    if version >= 4 {
        // Flags.
        fields.skip(4)?;
    }
    fields.skip_user()?;
    Some(fields.text())
}

fn thread(event: &Event<'_>) -> Option<Record> {
    let mut fields = event.fields();
    let process = fields.u32()?;
    let thread = fields.u32()?;
    Some(Record::ThreadBegan { thread, process })
}
