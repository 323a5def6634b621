//! What does a trace of an application contain? A file of any kind that is known is read as a stream, and counted as it is read.

mod kept;
pub mod live;

use std::fs::File;
use std::io::{BufReader, Cursor, Read, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use plumb_analyse::account::AccountTally;
use plumb_analyse::trace::TraceTally;
use plumb_model::explain::account::TimeAccount;
use plumb_model::trace::capture::CaptureFacts;
use plumb_model::trace::events::TraceEvent;
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_model::trace::summary::TraceSummary;
use plumb_model::units::Nanos;
use plumb_observe::captures::{is_capture, read_capture};
use plumb_observe::trace_format::event_tracing::{self, is_event_trace, read_event_trace};
pub use plumb_observe::trace_formats::BlkparseLayout;
use plumb_observe::trace_formats::{
    FORMATS, format_of, head_of, is_of_layout, read_blkparse, read_trace, without_use,
};
use plumb_record::text::decoded;

use crate::file_kind::{FileKind, has_name_of_event_trace, is_compressed, kind_of};

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
        TraceEvent::OffCpu(of) => of.begin_ns,
        TraceEvent::Ended(of) => of.begin_ns,
    }
}

/// Hands on what belongs to a window.
struct Within<'a> {
    window: &'a Window,
    first_ns: Option<u64>,
    tally: TraceTally,
    /// Where an account of time is wanted.
    account: Option<AccountTally>,
}

impl Within<'_> {
    fn of(window: &Window) -> Within<'_> {
        Within {
            window,
            first_ns: None,
            tally: TraceTally::default(),
            account: None,
        }
    }

    fn with_account(window: &Window) -> Within<'_> {
        Within {
            account: Some(AccountTally::default()),
            ..Within::of(window)
        }
    }

    /// The account of the time in the window.
    fn take_account(&mut self) -> Option<TimeAccount> {
        let first_ns = self.first_ns?;
        let (from_ns, to_ns) = self.window.bounds_ns();
        let bounds = match self.window {
            Window {
                from: None,
                to: None,
            } => (0, u64::MAX),
            _ => (
                first_ns.saturating_add(from_ns),
                first_ns.saturating_add(to_ns),
            ),
        };
        self.account.take()?.account(bounds)
    }
}

impl TraceReceiver for Within<'_> {
    fn take(&mut self, event: TraceEvent) {
        if let Some(account) = &mut self.account {
            account.take(event);
        }
        let at_ns = made_at_ns(&event);
        if self
            .window
            .holds(at_ns, *self.first_ns.get_or_insert(at_ns))
        {
            self.tally.take(&event);
        }
    }

    fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        if let Some(account) = &mut self.account {
            account.mount(point, file_system, source);
        }
    }

    fn name(&mut self, file: u64, name: &str) {
        if let Some(account) = &mut self.account {
            account.name(file, name);
        }
        self.tally.name(file, name);
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        if let Some(account) = &mut self.account {
            account.name_lane(lane, name);
        }
        self.tally.name_lane(lane, name);
    }
}

/// Reads a trace to its end, and hands its events to `receiver`: a capture of packets, or what another program wrote of calls or block requests.
/// `-` is the standard input.
///
/// Errors: it cannot be read, is no trace, or holds no calls.
pub fn read(file: &Path, receiver: &mut dyn TraceReceiver) -> anyhow::Result<TraceSource> {
    read_in(file, None, receiver)
}

/// The same of what blkparse printed in this format, where one is stated.
fn read_in(
    file: &Path,
    layout: Option<&BlkparseLayout>,
    receiver: &mut dyn TraceReceiver,
) -> anyhow::Result<TraceSource> {
    let shown = file.display();
    let mut input: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(stdin().lock())
    } else {
        // A folder can be opened, and fails only on read.
        if file.is_dir() {
            bail!("{shown} is a folder, not a trace file");
        }
        Box::new(File::open(file).with_context(|| format!("{shown} cannot be opened"))?)
    };
    let head = head_of(&mut input).with_context(|| format!("{shown} cannot be read"))?;
    if is_capture(&head) {
        let mut take = |event: TraceEvent| receiver.take(event);
        let facts = read_capture(Cursor::new(head).chain(input), &mut take)
            .with_context(|| format!("{shown} cannot be used"))?;
        if facts.connections_count == 0 {
            bail!("{}", without_calls(&shown.to_string(), &facts));
        }
        return Ok(TraceSource::Capture(facts));
    }
    if is_event_trace(&head) || has_name_of_event_trace(file) {
        return of_events(file, receiver);
    }
    // Text in UTF-16 becomes UTF-8 here.
    let mut text = decoded(BufReader::new(Cursor::new(head).chain(input)))
        .with_context(|| format!("{shown} cannot be read"))?;
    let head = head_of(&mut text).with_context(|| format!("{shown} cannot be read"))?;
    if let Some(layout) = layout {
        if !is_of_layout(layout, &head) {
            bail!(
                "{shown} has no line in the format of --blkparse-format; its first line is: {}",
                first_line(&head)
            );
        }
        return Ok(TraceSource::Calls(read_blkparse(
            layout, head, text, receiver,
        )));
    }
    let Some(format) = format_of(&head) else {
        bail!("{}", unknown_kind(file, &head));
    };
    let facts = read_trace(format, head, text, receiver);
    Ok(TraceSource::Calls(facts))
}

/// The first line of a file, for a message.
fn first_line(head: &[u8]) -> String {
    const SHOWN_MAX: usize = 100;
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.chars()
        .filter(|of| !of.is_control())
        .take(SHOWN_MAX)
        .collect()
}

/// Reads a file that was recorded by Windows' event tracing, which Windows alone can read.
fn of_events(file: &Path, receiver: &mut dyn TraceReceiver) -> anyhow::Result<TraceSource> {
    let shown = file.display();
    if !event_tracing::IS_HERE {
        bail!(
            "{shown} is a Windows event trace (.etl), which can be read on Windows only. Convert it there: 'plumb trace {shown} --save app.csv'; plumb reads app.csv on every system. (For a packet capture: 'pktmon etl2pcap {shown}'.)"
        );
    }
    if file.as_os_str() == "-" {
        bail!("Windows reads event traces (.etl) from files only: 'plumb trace FILE.etl'");
    }
    let facts =
        read_event_trace(file, receiver).with_context(|| format!("{shown} cannot be used"))?;
    Ok(TraceSource::Calls(facts))
}

/// What is to be known of a trace beside its events.
pub enum TraceSource {
    Capture(CaptureFacts),
    Calls(TraceFacts),
}

impl TraceSource {
    /// Whether it contains the replies of calls and their times.
    pub fn has_responses(&self) -> bool {
        match self {
            TraceSource::Capture(_) => true,
            TraceSource::Calls(facts) => facts.has_responses,
        }
    }
}

/// Why a capture without a connection that could be read is of no use.
fn without_calls(shown: &str, facts: &CaptureFacts) -> String {
    let damage = match &facts.damage {
        Some(_) => "; the file is damaged or truncated",
        None => "",
    };
    let (smb1, udp) = (facts.protection.smb1_messages, facts.nfs_udp_calls);
    if smb1 > 0 {
        return format!(
            "{shown} holds SMB 1 only ({smb1} messages), which plumb does not read{damage}. Capture a client and a server that agree on SMB 2 or 3"
        );
    }
    if udp > 0 {
        return format!(
            "{shown} holds NFS over UDP only ({udp} calls), which plumb does not read{damage}. Mount with proto=tcp and capture again"
        );
    }
    format!(
        "no SMB and no NFS in {shown}: none of its {} packets belongs to an SMB or NFS connection over TCP{damage}. Capture with 'tcpdump -i any -w FILE port 445 or port 2049' while the application runs",
        facts.packets
    )
}

fn unknown_kind(file: &Path, head: &[u8]) -> String {
    let shown = file.display();
    // What it is instead, or what all commands read.
    let what = match kind_of(file) {
        Ok(FileKind::Result(importer)) => format!(
            "it is a result of {} ({}), shown by 'plumb show {shown}'",
            importer.program, importer.name
        ),
        Ok(FileKind::JobFile | FileKind::IometerConfiguration) => {
            format!("it describes a measurement: 'plumb run {shown}' carries it out")
        }
        _ if head.is_empty() => "it is empty".to_string(),
        _ if is_compressed(head) => {
            "it is compressed; decompress it into 'plumb trace -'".to_string()
        }
        _ => match without_use(head) {
            Some(why) => return format!("{shown} cannot be used: {why}"),
            None => "unknown format".to_string(),
        },
    };
    let programs: Vec<&str> = FORMATS.iter().map(|format| format.program).collect();
    format!(
        "{shown} is not a supported trace: {what}. Supported are captures of SMB and NFS (pcap, pcapng; convert others with 'editcap -F pcapng') and the output of: {}",
        programs.join("; ")
    )
}

/// The figures of a trace: of the calls that were made in a window.
///
/// Errors: as of [`read`].
pub fn of_file(file: &Path, window: &Window) -> anyhow::Result<TraceSummary> {
    of_file_in(file, None, window)
}

/// The same of what blkparse printed in this format of its option `-f`, where one is stated.
///
/// Errors: as of [`read`], or no line is in the format.
pub fn of_file_in(
    file: &Path,
    layout: Option<&BlkparseLayout>,
    window: &Window,
) -> anyhow::Result<TraceSummary> {
    Ok(counted(file, layout, Within::of(window))?.0)
}

/// The same with the account of time; missing for a capture, and for a trace without the times of calls.
///
/// Errors: as of [`read`].
pub fn of_file_with_account(
    file: &Path,
    window: &Window,
) -> anyhow::Result<(TraceSummary, Option<TimeAccount>)> {
    counted(file, None, Within::with_account(window))
}

fn counted(
    file: &Path,
    layout: Option<&BlkparseLayout>,
    mut within: Within<'_>,
) -> anyhow::Result<(TraceSummary, Option<TimeAccount>)> {
    let source = read_in(file, layout, &mut within)?;
    let (shown, version) = (file.display().to_string(), env!("CARGO_PKG_VERSION"));
    Ok(match source {
        TraceSource::Capture(facts) => (within.tally.summary(shown, version, Some(facts)), None),
        TraceSource::Calls(facts) => {
            let account = within.take_account().filter(|_| facts.has_threads());
            (
                within.tally.summary_of_calls(shown, version, facts),
                account,
            )
        }
    })
}

/// The figures of a recording of Windows' event tracing, or of blkparse's output in a stated format, whose calls are kept in another file besides; how many
/// calls those are, or why not all are.
///
/// Errors: as of [`read`], or it is neither: what others are is read on every system, and by every command, as it is.
pub fn of_file_kept(
    file: &Path,
    layout: Option<&BlkparseLayout>,
    keep: &Path,
) -> anyhow::Result<(TraceSummary, anyhow::Result<u64>)> {
    let shown = file.display().to_string();
    let is_one = has_name_of_event_trace(file)
        || File::open(file)
            .and_then(|mut file| head_of(&mut file))
            .is_ok_and(|head| is_event_trace(&head));
    if !is_one && layout.is_none() {
        bail!(
            "--save stores the calls of a running program, of a Windows event trace (.etl) or of blkparse's output with --blkparse-format; {shown} is none of them, and plumb reads it as it is on every system"
        );
    }
    let window = Window::default();
    let mut within = Within::of(&window);
    let format = layout.map_or("etw", |_| "blkparse");
    let mut kept = kept::begin(keep, format)?;
    let mut both = kept::Both {
        figures: &mut within,
        kept: Some(&mut kept),
    };
    let source = read_in(file, layout, &mut both);
    if source.is_err() {
        // It was made a moment ago, and holds nothing that is of use.
        let _ = std::fs::remove_file(keep);
    }
    let TraceSource::Calls(facts) = source? else {
        bail!("{shown} is a packet capture");
    };
    let kept = kept::end(kept, keep, &facts);
    let version = env!("CARGO_PKG_VERSION");
    let summary = within.tally.summary_of_calls(shown, version, facts);
    Ok((summary, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_kind::is_trace;

    #[test]
    fn a_recording_of_event_tracing_is_known_and_says_where_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut head = vec![0u8; 4096];
        head[..4].copy_from_slice(&4096u32.to_le_bytes());
        // The first event behind the header of the buffer, as a 64-bit Windows writes it.
        head[0x48..0x50].copy_from_slice(&[2, 0, 2, 0xc0, 0x20, 1, 0, 0]);
        let by_content = folder.path().join("recording");
        let by_name = folder.path().join("app.ETL");
        std::fs::write(&by_content, &head).unwrap();
        std::fs::write(&by_name, b"anything").unwrap();
        assert!(is_trace(&by_content) && is_trace(&by_name));
        let kept = folder.path().join("app.csv");
        for file in [&by_content, &by_name] {
            let refused = [
                of_file(file, &Window::default()).err(),
                of_file_kept(file, None, &kept).err(),
            ];
            for error in refused {
                let message = format!("{:#}", error.unwrap());
                let expected = match event_tracing::IS_HERE {
                    true => "cannot be used",
                    false => "--save app.csv",
                };
                assert!(message.contains(expected), "{message}");
            }
            assert!(!kept.exists());
        }
        let other = folder.path().join("other");
        std::fs::write(&other, b"1,R,0,4096,1577808144360767\n").unwrap();
        let message = of_file_kept(&other, None, &kept).err().unwrap().to_string();
        assert!(
            message.contains("reads it as it is on every system"),
            "{message}"
        );
        assert!(!kept.exists());
    }
}
