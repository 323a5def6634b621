//! What does a trace of an application say? It is read as a stream, and counted as it is read.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use plumb_analyse::trace::TraceTally;
use plumb_model::trace::events::TraceEvent;
use plumb_model::trace::summary::TraceSummary;
use plumb_model::units::Nanos;
use plumb_observe::captures::read_capture;

/// The summary of a capture of packets (pcap, pcapng); `-` is the standard input.
///
/// Errors: it cannot be read, is no capture, or holds no SMB.
pub fn of_capture(file: &Path) -> anyhow::Result<TraceSummary> {
    of_capture_within(file, &Window::default())
}

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

/// The same of the calls that were made in a window.
pub fn of_capture_within(file: &Path, window: &Window) -> anyhow::Result<TraceSummary> {
    let shown = file.display();
    let input: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(stdin().lock())
    } else {
        // A folder can be opened, and says only on reading what it is.
        if file.is_dir() {
            bail!("{shown} is a folder; --pcap wants a capture file");
        }
        Box::new(File::open(file).with_context(|| format!("{shown} cannot be opened"))?)
    };
    let mut tally = TraceTally::default();
    let mut first_ns = None;
    let mut take = |event: TraceEvent| {
        let at_ns = made_at_ns(&event);
        if window.holds(at_ns, *first_ns.get_or_insert(at_ns)) {
            tally.take(&event);
        }
    };
    let facts =
        read_capture(input, &mut take).with_context(|| format!("{shown} cannot be used"))?;
    if facts.connections_count == 0 {
        let damage = match &facts.damage {
            Some(_) => "; the file is damaged or cut",
            None => "",
        };
        bail!(
            "no SMB in {shown}: none of its {} packets belongs to a connection that speaks SMB over TCP{damage}. \
             Capture with 'tcpdump -i any -w FILE port 445' while the application runs",
            facts.packets
        );
    }
    let summary = tally.summary(shown.to_string(), env!("CARGO_PKG_VERSION"), Some(facts));
    Ok(summary)
}
