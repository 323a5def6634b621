//! Is it a log of strace? System calls of an application, with times (-ttt, -tt or -r), threads (-f), durations (-T) and names of descriptors (-y) where they were requested.

mod call;
mod line;

use std::collections::{BTreeSet, HashMap};

use crate::calls::processes::{Ended, Processes};
use crate::calls::table::{Action, system_call};
use crate::event_sink::EventSink;
use crate::trace_format::first_program::FirstProgram;
use crate::trace_format::lines::Lines;
use crate::trace_format::{TraceFormat, most_lines};
use foldhash::fast::RandomState;

use call::Written;
use line::Clock;

pub static FORMAT: TraceFormat = TraceFormat {
    name: "strace",
    program: "strace -f -ttt -T -o FILE",
    recognizes: |head| {
        let mut clock = Clock::default();
        most_lines(head, |line| is_line(line, &mut clock))
    },
    read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Calls that have begun and not ended, at once.
const UNFINISHED_MAX: usize = 65_536;
/// The thread, where no line reports one.
const ONLY_THREAD: u32 = 0;

/// A call whose end follows on another line.
struct Unfinished {
    at_ns: u64,
    text: Vec<u8>,
    /// It makes a thread, of which no line was seen yet.
    makes_thread: bool,
}

#[derive(Default)]
struct Reader<'a> {
    clock: Clock,
    processes: Processes,
    unfinished: HashMap<u32, Unfinished, RandomState>,
    /// Begin and thread of those that concern files: what began later waits for them.
    awaited: BTreeSet<(u64, u32)>,
    /// Lines report how long calls took.
    is_timed: bool,
    /// Who wants to know of the first program.
    program: Option<&'a FirstProgram>,
}

fn is_line(line: &[u8], clock: &mut Clock) -> bool {
    match clock.line(line) {
        Some(line) => {
            is_mark(line.rest) || line.rest.starts_with(b"<... ") || {
                call::name(line.rest).is_some()
            }
        }
        None => false,
    }
}

/// A signal, or the end of a thread.
fn is_mark(rest: &[u8]) -> bool {
    rest.starts_with(b"--- ") || rest.starts_with(b"+++ ")
}

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let reader = Reader {
        is_timed: lines
            .head()
            .split(|byte| *byte == b'\n')
            .any(call::is_timed),
        ..Reader::default()
    };
    event_sink.facts.has_responses = reader.is_timed;
    reader.all(lines, event_sink);
}

/// Reads what is written meanwhile by a strace that is told to write times and durations, and reports about the program that it started.
pub(crate) fn read_written(
    lines: &mut Lines<'_>,
    event_sink: &mut EventSink<'_>,
    program: &FirstProgram,
) {
    let reader = Reader {
        is_timed: true,
        program: Some(program),
        ..Reader::default()
    };
    reader.all(lines, event_sink);
}

/// What strace says of itself.
fn is_remark(line: &[u8]) -> bool {
    line.starts_with(b"strace: ") || line.trim_ascii().is_empty()
}

impl Reader<'_> {
    fn all(mut self, lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
        while let Some(line) = lines.line() {
            event_sink.facts.records += 1;
            if self.line(line, event_sink).is_none() && !is_remark(line) {
                event_sink.damaged();
            }
        }
        self.close(event_sink);
    }

    /// `None` when the line is none of strace's.
    fn line(&mut self, line: &[u8], event_sink: &mut EventSink<'_>) -> Option<()> {
        let line = self.clock.line(line)?;
        let thread = line.thread.unwrap_or(ONLY_THREAD);
        if !self.processes.is_known(thread) {
            self.begin_thread(thread, event_sink);
        }
        let rest = line.rest;
        if let Some(program) = self.program {
            program.note(thread, rest);
        }
        if is_mark(rest) {
            if rest.starts_with(b"+++ ") {
                self.lose(thread, line.at_ns, event_sink);
                self.processes.exit(thread);
            }
        } else if let Some(resumed) = rest.strip_prefix(b"<... ") {
            self.resume(thread, resumed, event_sink)?;
        } else if let Some(begun) = rest.strip_suffix(b"<unfinished ...>") {
            self.suspend(thread, line.at_ns, begun, event_sink)?;
        } else {
            self.call(thread, line.at_ns, &call::call(rest)?, event_sink);
        }
        let oldest = self.awaited.first().map(|(at_ns, _)| *at_ns);
        event_sink.release(oldest.map_or(line.at_ns, |oldest| oldest.min(line.at_ns)));
        Some(())
    }

    /// The first line of a thread may come before the end of the call that made it.
    fn begin_thread(&mut self, thread: u32, event_sink: &mut EventSink<'_>) {
        let made_by = self
            .unfinished
            .iter_mut()
            .filter(|(_, unfinished)| unfinished.makes_thread)
            .min_by_key(|(_, unfinished)| unfinished.at_ns);
        if let Some((parent, unfinished)) = made_by {
            unfinished.makes_thread = false;
            let flag = b"CLONE_FILES";
            let shares = unfinished.text.windows(flag.len()).any(|part| part == flag);
            let parent = *parent;
            self.processes.fork(parent, thread, shares, event_sink);
        }
    }

    fn suspend(
        &mut self,
        thread: u32,
        at_ns: u64,
        begun: &[u8],
        event_sink: &mut EventSink<'_>,
    ) -> Option<()> {
        let (name, _) = call::name(begun)?;
        self.lose(thread, at_ns, event_sink);
        let Some(system_call) = system_call(name) else {
            event_sink.facts.not_shown.other_calls += 1;
            return Some(());
        };
        if self.unfinished.len() < UNFINISHED_MAX {
            let unfinished = Unfinished {
                at_ns,
                text: begun.to_vec(),
                makes_thread: matches!(system_call.action, Action::Clone(_)),
            };
            self.unfinished.insert(thread, unfinished);
            if system_call.class.is_some() {
                self.awaited.insert((at_ns, thread));
            }
        }
        Some(())
    }

    fn resume(
        &mut self,
        thread: u32,
        resumed: &[u8],
        event_sink: &mut EventSink<'_>,
    ) -> Option<()> {
        let end = resumed.iter().position(|byte| *byte == b'>')?;
        let name = resumed.get(..end)?.strip_suffix(b" resumed")?;
        let Some(mut begun) = self.unfinished.remove(&thread) else {
            // Calls that concern no files are not kept.
            if system_call(name).is_some_and(|call| call.class.is_some()) {
                event_sink.facts.unmatched_responses += 1;
            }
            return Some(());
        };
        self.awaited.remove(&(begun.at_ns, thread));
        begun.text.extend_from_slice(resumed.get(end + 1..)?);
        let written = call::call(&begun.text).filter(|call| call.name == name)?;
        self.call(thread, begun.at_ns, &written, event_sink);
        Some(())
    }

    fn call(
        &mut self,
        thread: u32,
        at_ns: u64,
        written: &Written<'_>,
        event_sink: &mut EventSink<'_>,
    ) {
        let Some(system_call) = system_call(written.name) else {
            event_sink.facts.not_shown.other_calls += 1;
            return;
        };
        let requested = &written.arguments;
        let begun = self
            .processes
            .begin(thread, at_ns, system_call, requested, event_sink);
        let took_ns = written.took_ns.unwrap_or(0);
        let end_ns = at_ns.saturating_add(took_ns);
        let ended = written.ended;
        let answered = self
            .processes
            .end(thread, &begun, ended, end_ns, requested, event_sink);
        let Some(answered) = answered else { return };
        event_sink.made_later(answered.call);
        if !self.is_timed {
            return;
        }
        match (written.took_ns, ended) {
            (Some(_), Ended::Well(_) | Ended::Badly(_)) => event_sink.answered(answered),
            _ => event_sink.unanswered(answered.call, end_ns),
        }
    }

    /// What this thread had begun has no end.
    fn lose(&mut self, thread: u32, at_ns: u64, event_sink: &mut EventSink<'_>) {
        let Some(begun) = self.unfinished.remove(&thread) else {
            return;
        };
        self.awaited.remove(&(begun.at_ns, thread));
        // What is known of its arguments is used: `read(3, ` has a file and no size.
        let mut text = begun.text;
        text.extend_from_slice(b") = ?");
        if let Some(written) = call::call(&text) {
            let requested = &written.arguments;
            let Some(system_call) = system_call(written.name) else {
                return;
            };
            let begun =
                self.processes
                    .begin(thread, begun.at_ns, system_call, requested, event_sink);
            if let Some(call) = begun.call {
                event_sink.made_later(call);
                if self.is_timed {
                    event_sink.unanswered(call, at_ns);
                }
            }
        }
    }

    fn close(&mut self, event_sink: &mut EventSink<'_>) {
        let mut threads: Vec<u32> = self.unfinished.keys().copied().collect();
        threads.sort_unstable();
        let end_ns = self.clock.last_ns();
        for thread in threads {
            self.lose(thread, end_ns, event_sink);
        }
    }
}

#[cfg(test)]
mod tests;
