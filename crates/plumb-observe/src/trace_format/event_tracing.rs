//! What do programs on Windows ask of files? Events of its kernel (ETW), as they happen or from a file that was recorded (.etl), become calls.

mod following;
mod opened;
mod paths;
#[cfg(test)]
mod tests;

use std::path::Path;

use plumb_model::statement::Statement;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use crate::observer::own_cpu_ns;
use crate::system::event_tracing::record::Record;
use crate::system::event_tracing::{self as system, Losses, Session};
use following::{Following, Subject};

pub use crate::system::event_tracing::NotTraced;

/// Whether plumb follows running programs by these events on this system.
pub const IS_HERE: bool = system::IS_HERE;

/// Bytes in front of the first event of a file (WMI_BUFFER_HEADER).
const BUFFER_HEADER_BYTES: usize = 0x48;

/// Whether a file that begins so was recorded by event tracing. A buffer begins with its size, and the first event in it describes the file: type 0 of group 0 behind a
/// marker of SYSTEM_TRACE_HEADER or its compact form.
pub fn is_event_trace(head: &[u8]) -> bool {
    let size = head.first_chunk().map(|size| u32::from_le_bytes(*size));
    let is_size = size.is_some_and(|size| size % 1024 == 0 && (1024..=64 << 20).contains(&size));
    let event = head.get(BUFFER_HEADER_BYTES..BUFFER_HEADER_BYTES + 8);
    is_size && matches!(event, Some([_, _, 1..=4, 0xc0, _, _, 0, 0]))
}

/// Reads a file that was recorded by event tracing: operations on files, or requests to disks where it has none of the former.
///
/// # Errors
/// It cannot be read, holds neither, or this is not Windows.
pub fn read_event_trace(
    file: &Path,
    receiver: &mut dyn TraceReceiver,
) -> Result<TraceFacts, NotTraced> {
    let (mut has_operations, mut has_requests) = (false, false);
    system::read_file(file, &mut |record| {
        has_operations |= matches!(record, Record::Begun(_));
        has_requests |= matches!(record, Record::Disk(_));
        !has_operations
    })?;
    let subject = match (has_operations, has_requests) {
        (true, _) => Subject::Everything,
        (false, true) => Subject::Disks,
        (false, false) => return Err(NotTraced::NoCalls),
    };
    // Which letters stood for the devices of that machine, it does not say.
    let mut following = Following::new(receiver, subject, Vec::new());
    let losses = system::read_file(file, &mut |record| {
        following.take(record);
        true
    })?;
    let facts = following.facts();
    facts.file_bytes = std::fs::metadata(file).map_or(0, |of| of.len());
    facts.lost = lost(losses);
    Ok(following.end())
}

/// Events that were lost; of a buffer nobody knows how many, and one is certain.
fn lost(losses: Losses) -> u64 {
    losses.events + losses.buffers
}

/// A session of event tracing that was begun for one program: events are kept from now on.
pub struct EventSession {
    session: Session,
    cpu_ns_before: Option<u64>,
}

impl EventSession {
    /// Begins it, and ends those that a plumb left behind that was killed.
    ///
    /// # Errors
    /// Windows does not let this user, or this is not Windows.
    pub fn begin() -> Result<EventSession, NotTraced> {
        Ok(EventSession {
            session: Session::begin()?,
            cpu_ns_before: own_cpu_ns(),
        })
    }
}

/// Calls of one process, and of what it starts, that are followed while they are made.
pub struct LiveEvents<'a> {
    session: Session,
    following: Following<'a>,
    cpu_ns_before: Option<u64>,
}

impl<'a> LiveEvents<'a> {
    /// Follows this process.
    pub fn of(
        begun: EventSession,
        process: u32,
        receiver: &'a mut dyn TraceReceiver,
    ) -> LiveEvents<'a> {
        let letters = system::letters();
        let mut following = Following::new(receiver, Subject::Process(process), letters);
        following.facts().names_at_open = true;
        LiveEvents {
            session: begun.session,
            following,
            cpu_ns_before: begun.cpu_ns_before,
        }
    }

    /// Takes what has come since the last look.
    pub fn look(&mut self) {
        let following = &mut self.following;
        self.session.drain(&mut |record| following.take(record));
    }

    /// The program has ended, or is followed no more.
    pub fn end(mut self) -> TraceFacts {
        let following = &mut self.following;
        let ended = self.session.end(&mut |record| following.take(record));
        let facts = following.facts();
        match ended {
            Ok(losses) => facts.lost = lost(losses),
            // What came until then is sound.
            Err(error) => {
                let damage = Statement::new("calls-ended-early").name("error", error.to_string());
                facts.damage = Some(damage);
            }
        }
        let cpu_ns = own_cpu_ns().zip(self.cpu_ns_before);
        facts.cpu_ns = cpu_ns.map(|(after, before)| after.saturating_sub(before));
        self.following.end()
    }
}
