//! What does a trace of an application say? A file of any kind that is known is read as a stream, and counted as it is read.

pub mod live;

use std::fs::File;
use std::io::{Cursor, Read, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use plumb_analyse::trace::TraceTally;
use plumb_model::trace::capture::CaptureFacts;
use plumb_model::trace::events::TraceEvent;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_model::trace::summary::TraceSummary;
use plumb_model::units::Nanos;
use plumb_observe::captures::{is_capture, read_capture};
use plumb_observe::trace_formats::{FORMATS, format_of, head_of, read_trace};

/// A part of a recording, counted from its first call on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    pub from: Option<Nanos>,
    pub to: Option<Nanos>,
}

impl Window {
    /// Its begin and its end in nanoseconds.
    pub fn bounds_ns(&self) -> (u64, u64) {
        let from = self.from.map_or(0, |from| from.0);
        (from, self.to.map_or(u64::MAX, |to| to.0))
    }

    /// Whether a call that was made at `at_ns` belongs to it, when the first one was made at `first_ns`.
    fn holds(&self, at_ns: u64, first_ns: u64) -> bool {
        let (from, to) = self.bounds_ns();
        (from..=to).contains(&at_ns.saturating_sub(first_ns))
    }
}

/// When the call of this event was made, in nanoseconds since 1970.
fn made_at_ns(event: &TraceEvent) -> u64 {
    match event {
        TraceEvent::Made(call) | TraceEvent::Unanswered(call, _) => call.at_ns,
        TraceEvent::Answered(answered) => answered.call.at_ns,
    }
}

/// Hands on what belongs to a window.
struct Within<'a> {
    window: &'a Window,
    first_ns: Option<u64>,
    tally: TraceTally,
}

impl Within<'_> {
    fn of(window: &Window) -> Within<'_> {
        Within {
            window,
            first_ns: None,
            tally: TraceTally::default(),
        }
    }
}

impl TraceReceiver for Within<'_> {
    fn take(&mut self, event: TraceEvent) {
        let at_ns = made_at_ns(&event);
        if self
            .window
            .holds(at_ns, *self.first_ns.get_or_insert(at_ns))
        {
            self.tally.take(&event);
        }
    }

    fn name(&mut self, file: u64, name: &str) {
        self.tally.name(file, name);
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        self.tally.name_lane(lane, name);
    }
}

/// Reads a trace to its end, and hands its events to `receiver`: a capture of packets, or what another program wrote of calls or block requests.
/// `-` is the standard input.
///
/// Errors: it cannot be read, is no trace, or holds no calls.
pub fn read(file: &Path, receiver: &mut dyn TraceReceiver) -> anyhow::Result<TraceSource> {
    let shown = file.display();
    let mut input: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(stdin().lock())
    } else {
        // A folder can be opened, and says only on reading what it is.
        if file.is_dir() {
            bail!("{shown} is a folder; a trace is a file");
        }
        Box::new(File::open(file).with_context(|| format!("{shown} cannot be opened"))?)
    };
    let head = head_of(&mut input).with_context(|| format!("{shown} cannot be read"))?;
    if is_capture(&head) {
        let mut take = |event: TraceEvent| receiver.take(event);
        let facts = read_capture(Cursor::new(head).chain(input), &mut take)
            .with_context(|| format!("{shown} cannot be used"))?;
        if facts.connections_count == 0 {
            bail!("{}", without_smb(&shown.to_string(), &facts));
        }
        return Ok(TraceSource::Capture(facts));
    }
    let Some(format) = format_of(&head) else {
        bail!("{}", unknown_kind(&shown.to_string(), &head));
    };
    let facts = read_trace(format, head, input, receiver);
    Ok(TraceSource::Calls(facts))
}

/// What is to be known of a trace beside its events.
pub enum TraceSource {
    Capture(CaptureFacts),
    Calls(TraceFacts),
}

impl TraceSource {
    /// Whether it says when calls were answered, and with what.
    pub fn tells_answers(&self) -> bool {
        match self {
            TraceSource::Capture(_) => true,
            TraceSource::Calls(facts) => facts.tells_answers,
        }
    }
}

/// Whether a file, or what it begins with, is a trace that [`read`] reads.
pub fn is_trace(file: &Path) -> bool {
    let head = File::open(file).and_then(|mut file| head_of(&mut file));
    head.is_ok_and(|head| is_capture(&head) || format_of(&head).is_some())
}

fn without_smb(shown: &str, facts: &CaptureFacts) -> String {
    let damage = match &facts.damage {
        Some(_) => "; the file is damaged or cut",
        None => "",
    };
    format!(
        "no SMB in {shown}: none of its {} packets belongs to a connection that speaks SMB over TCP{damage}. \
         Capture with 'tcpdump -i any -w FILE port 445' while the application runs",
        facts.packets
    )
}

fn unknown_kind(shown: &str, head: &[u8]) -> String {
    let what = match head {
        [] => "it is empty".to_string(),
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0xfd, b'7', b'z', ..] => {
            "it is compressed; unpack it into 'plumb trace -'".to_string()
        }
        _ => "it is none of the kinds that plumb reads".to_string(),
    };
    let programs: Vec<&str> = FORMATS.iter().map(|format| format.program).collect();
    format!(
        "{shown} is no trace: {what}. Read are captures of SMB (pcap, pcapng; 'editcap -F pcapng' makes one of other captures) and what these wrote: {}",
        programs.join("; ")
    )
}

/// The figures of a trace: of the calls that were made in a window.
///
/// Errors: as of [`read`].
pub fn of_file(file: &Path, window: &Window) -> anyhow::Result<TraceSummary> {
    let mut within = Within::of(window);
    let source = read(file, &mut within)?;
    let (shown, version) = (file.display().to_string(), env!("CARGO_PKG_VERSION"));
    Ok(match source {
        TraceSource::Capture(facts) => within.tally.summary(shown, version, Some(facts)),
        TraceSource::Calls(facts) => within.tally.summary_of_calls(shown, version, facts),
    })
}
