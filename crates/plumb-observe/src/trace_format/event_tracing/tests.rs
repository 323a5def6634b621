//! Are events read as their MOF classes lay them out, and do they come to the right calls? Payloads are put together here by the fields that Microsoft Learn lists for each class
//! ("FileIo_Create", "FileIo_ReadWrite", "FileIo_SimpleOp", "FileIo_Info", "FileIo_DirEnum", "FileIo_OpEnd", "FileIo_Name", "DiskIo_TypeGroup1", "DiskIo_TypeGroup3",
//! "Process_TypeGroup1", "Thread_TypeGroup1"); of FileIo also by those of its version 3, as Windows' own repository has them.

mod calls;
mod layouts;

use plumb_model::trace::facts::TraceFacts;

use super::following::{Following, Subject};
use crate::event_sink::tests::Reported;
use crate::system::event_tracing::event::Event;
use crate::system::event_tracing::record::{self, record};

/// 2020-09-13 12:26:40 UTC as FILETIME, and the same in nanoseconds since 1970.
const FILETIME: i64 = 132_444_736_000_000_000;
const UNIX_NS: u64 = 1_600_000_000_000_000_000;

/// An event that owns its payload.
#[derive(Clone)]
struct Made {
    class: u128,
    kind: u8,
    version: u8,
    pointer_bytes: usize,
    thread: Option<u32>,
    process: Option<u32>,
    /// After the begin, in units of 100 ns.
    at: i64,
    payload: Vec<u8>,
}

impl Made {
    fn event(&self) -> Event<'_> {
        Event {
            class: self.class,
            kind: self.kind,
            version: self.version,
            pointer_bytes: self.pointer_bytes,
            thread: self.thread,
            process: self.process,
            filetime: FILETIME + self.at,
            ticks_per_second: 10_000_000,
            payload: &self.payload,
        }
    }

    fn u32(mut self, value: u32) -> Made {
        self.payload.extend(value.to_le_bytes());
        self
    }

    fn u64(mut self, value: u64) -> Made {
        self.payload.extend(value.to_le_bytes());
        self
    }

    fn pointer(self, value: u64) -> Made {
        match self.pointer_bytes {
            4 => self.u32(value as u32),
            _ => self.u64(value),
        }
    }

    fn wide(mut self, text: &str) -> Made {
        for unit in text.encode_utf16().chain([0]) {
            self.payload.extend(unit.to_le_bytes());
        }
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Made {
        self.payload.extend(bytes);
        self
    }

    fn by(mut self, process: u32, thread: u32) -> Made {
        (self.process, self.thread) = (Some(process), Some(thread));
        self
    }
}

/// An event of a 64-bit Windows of today, without a word of who made it.
fn made(class: u128, kind: u8, version: u8, at: i64) -> Made {
    Made {
        class,
        kind,
        version,
        pointer_bytes: 8,
        thread: None,
        process: None,
        at,
        payload: Vec::new(),
    }
}

fn file_io(kind: u8, at: i64) -> Made {
    made(record::FILE_IO, kind, 3, at)
}

fn create(at: i64, request: u64, object: u64, thread: u32, path: &str) -> Made {
    let begun = file_io(64, at).pointer(request).pointer(object).u32(thread);
    // CreateOptions, FileAttributes, ShareAccess.
    begun.u32(0x0100_0060).u32(0x80).u32(7).wide(path)
}

fn transfer(kind: u8, at: i64, request: u64, object: (u64, u64), part: (u64, u32)) -> Made {
    let begun = file_io(kind, at).u64(part.0).pointer(request);
    let begun = begun.pointer(object.0).pointer(object.1);
    begun.u32(77).u32(part.1).u32(0x0006_0900)
}

fn paging(kind: u8, at: i64, request: u64, object: (u64, u64)) -> Made {
    let mut made = transfer(kind, at, request, object, (0, 4096));
    let flags = made.payload.len() - 4;
    made.payload[flags..].copy_from_slice(&0x0006_0043u32.to_le_bytes());
    made
}

fn simple(kind: u8, at: i64, request: u64, object: (u64, u64)) -> Made {
    let begun = file_io(kind, at).pointer(request);
    begun.pointer(object.0).pointer(object.1).u32(77)
}

fn end(at: i64, request: u64, information: u64, status: u32) -> Made {
    let ended = file_io(76, at).pointer(request);
    ended.pointer(information).u32(status)
}

fn name(kind: u8, key: u64, name: &str) -> Made {
    file_io(kind, 0).pointer(key).wide(name)
}

fn process(kind: u8, process: u32, parent: u32, image: &str) -> Made {
    let began = made(record::PROCESS, kind, 4, 0).pointer(0xffff_8000_0000_1000);
    // SessionId, ExitStatus, DirectoryTableBase, Flags.
    let began = began
        .u32(process)
        .u32(parent)
        .u32(1)
        .u32(0)
        .pointer(7)
        .u32(0);
    // TOKEN_USER, and S-1-5-18 behind it.
    let began = began.pointer(0x1234).pointer(0);
    let began = began.bytes(&[1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0]);
    began
        .bytes(image.as_bytes())
        .bytes(&[0])
        .wide("command line")
}

fn thread(kind: u8, process: u32, thread: u32) -> Made {
    made(record::THREAD, kind, 3, 0).u32(process).u32(thread)
}

fn report_of(subject: Subject, letters: &[(&str, &str)], events: &[Made]) -> Reported {
    let mut reported = Reported::default();
    let letters = letters
        .iter()
        .map(|(device, letter)| ((*device).to_string(), (*letter).to_string()));
    let mut following = Following::new(&mut reported, subject, letters.collect());
    for event in events {
        if let Some(said) = record(&event.event()) {
            following.take(said);
        }
    }
    let facts: TraceFacts = following.end();
    reported.facts = facts;
    let ended = reported.answered.len() + reported.unanswered.len();
    assert_eq!(reported.made.len(), ended, "each is answered or not, once");
    assert_eq!(
        reported.facts.unanswered as usize,
        reported.unanswered.len()
    );
    assert_eq!(reported.facts.format, "etw");
    reported
}
