//! How are calls kept that are traced? Each is a line of a file as soon as it is answered; the file is read again as a stream.

use std::collections::BTreeMap;
use std::io::{self, Write};

use plumb_model::trace::events::{Answered, Call, CallClass, TraceEvent};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

use super::call_rows::{
    BEGIN, COLUMNS, END, ERROR_NUMBER, MAGIC, MOUNT, OFF_CPU, OK, REST, THREAD, UNANSWERED,
    write_text,
};
use super::recent::Recent;

/// A call that is outstanding while so many others are answered gets a line for its begin: who reads the lines has to keep no more of them.
const LINES_MAX: u64 = 8192;
/// So often at least, by the time of the calls, what is kept reaches the file.
const FLUSH_NS: u64 = 1_000_000_000;

/// When it was made, by whom, and which of those of the same moment.
type Key = (u64, u32, u32);

/// A call that has no line yet.
struct Outstanding {
    call: Call,
    /// Lines that there were when it was made.
    lines: u64,
}

/// Writes the calls of a trace.
pub struct CallsWriter<W: Write> {
    file: W,
    line: Vec<u8>,
    lines: u64,
    outstanding: BTreeMap<Key, Outstanding>,
    /// Those that have a line for their begin.
    begun: BTreeMap<Key, Call>,
    names: Recent<Box<str>>,
    threads: Recent<Box<str>>,
    flushed_ns: u64,
    /// Why nothing is written any more.
    failed: Option<io::Error>,
}

impl<W: Write> CallsWriter<W> {
    /// Begins a file of calls that are seen by this: `perf`, `strace`.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(mut file: W, format: &str) -> io::Result<CallsWriter<W>> {
        let about = serde_json::json!({ "format": format });
        writeln!(file, "{MAGIC}{about}\n{COLUMNS}")?;
        file.flush()?;
        Ok(CallsWriter {
            file,
            line: Vec::with_capacity(256),
            lines: 0,
            outstanding: BTreeMap::new(),
            begun: BTreeMap::new(),
            names: Recent::default(),
            threads: Recent::default(),
            flushed_ns: 0,
            failed: None,
        })
    }

    /// The trace is at its end: how many calls were kept.
    ///
    /// # Errors
    /// Not all of it could be written.
    pub fn end(mut self, facts: &TraceFacts) -> io::Result<u64> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        writeln!(self.file, "{END}{}", serde_json::to_string(facts)?)?;
        self.file.flush()?;
        Ok(self.lines)
    }

    fn make(&mut self, call: Call) {
        let of_moment = (call.at_ns, call.lane, 0)..=(call.at_ns, call.lane, u32::MAX);
        let last = self.outstanding.range(of_moment.clone()).next_back();
        let last_begun = self.begun.range(of_moment).next_back();
        let number = [last.map(|(key, _)| key.2), last_begun.map(|(key, _)| key.2)];
        let number = number.into_iter().flatten().max();
        let key = (call.at_ns, call.lane, number.map_or(0, |number| number + 1));
        let lines = self.lines;
        self.outstanding.insert(key, Outstanding { call, lines });
    }

    /// The call has ended, so that it is outstanding no more; whether its begin has a line.
    fn ends(&mut self, call: &Call) -> bool {
        let of_moment = (call.at_ns, call.lane, 0)..=(call.at_ns, call.lane, u32::MAX);
        let mut found = self.outstanding.range(of_moment.clone());
        if let Some(key) = found.find(|(_, of)| of.call == *call).map(|(key, _)| *key) {
            self.outstanding.remove(&key);
            return false;
        }
        let mut found = self.begun.range(of_moment);
        let key = found.find(|(_, of)| *of == call).map(|(key, _)| *key);
        key.is_some_and(|key| self.begun.remove(&key).is_some())
    }

    fn write(
        &mut self,
        call: &Call,
        end_ns: Option<u64>,
        moved_bytes: Option<u64>,
        result: &str,
        part: &str,
    ) {
        if self.failed.is_some() {
            return;
        }
        self.line.clear();
        let line = &mut self.line;
        number(call.at_ns, line);
        optional(end_ns.map(|end_ns| end_ns.saturating_sub(call.at_ns)), line);
        line.push(b',');
        if let Some(thread) = self.threads.get(call.lane.into()) {
            write_text(thread, line);
        }
        optional(Some(call.lane.into()), line);
        for text in [call.name, class(call.class)] {
            line.push(b',');
            line.extend_from_slice(text.as_bytes());
        }
        line.push(b',');
        if let Some(name) = call.file.and_then(|file| self.names.get(file)) {
            write_text(name, line);
        }
        for value in [call.file, call.offset, call.bytes, moved_bytes] {
            optional(value, line);
        }
        line.push(b',');
        line.extend_from_slice(result.as_bytes());
        line.extend_from_slice(if call.closes { b",1," } else { b",," });
        line.extend_from_slice(part.as_bytes());
        let oldest_ns = self
            .outstanding
            .first_key_value()
            .map(|((at_ns, ..), _)| *at_ns);
        optional(
            end_ns
                .zip(oldest_ns)
                .map(|(end_ns, oldest_ns)| end_ns.saturating_sub(oldest_ns)),
            line,
        );
        line.push(b'\n');
        self.lines += u64::from(part != BEGIN);
        let at_ns = end_ns.unwrap_or(0);
        let is_due = at_ns.saturating_sub(self.flushed_ns) >= FLUSH_NS;
        let mut written = self.file.write_all(&self.line);
        if is_due && written.is_ok() {
            self.flushed_ns = at_ns;
            written = self.file.flush();
        }
        self.failed = written.err();
    }

    /// A call ended: its line, and lines for the begin of those that are outstanding for long.
    fn end_call(&mut self, call: &Call, end_ns: u64, moved_bytes: Option<u64>, result: &str) {
        let part = if self.ends(call) { REST } else { "" };
        while let Some(oldest) = self.outstanding.first_entry()
            && self.lines.saturating_sub(oldest.get().lines) >= LINES_MAX
        {
            let (key, Outstanding { call, .. }) = oldest.remove_entry();
            self.begun.insert(key, call);
            self.write(&call, None, None, "", BEGIN);
        }
        self.write(call, Some(end_ns), moved_bytes, result, part);
        if let (true, Some(file)) = (call.closes, call.file) {
            self.names.remove(file);
        }
    }

    /// A line with a period of a thread.
    fn period(
        &mut self,
        call: &str,
        class: &str,
        (lane, begin_ns, end_ns): (u32, u64, u64),
        file: Option<u64>,
    ) {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        number(begin_ns, &mut line);
        optional(Some(end_ns.saturating_sub(begin_ns)), &mut line);
        line.push(b',');
        if let Some(thread) = self.threads.get(lane.into()) {
            write_text(thread, &mut line);
        }
        optional(Some(lane.into()), &mut line);
        for text in [call, class] {
            line.push(b',');
            line.extend_from_slice(text.as_bytes());
        }
        line.push(b',');
        if let Some(name) = file.and_then(|file| self.names.get(file)) {
            write_text(name, &mut line);
        }
        optional(file, &mut line);
        line.extend_from_slice(b",,,,,,,\n");
        self.write_line(&line);
        self.line = line;
    }

    fn write_line(&mut self, line: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(line).err();
        }
    }

    fn answer(&mut self, answered: &Answered) {
        let number;
        let result = match answered.status {
            None => OK,
            Some(status) => match status.name {
                Some(name) => name,
                None => {
                    number = format!("{ERROR_NUMBER}{}", status.code);
                    &number
                }
            },
        };
        self.end_call(&answered.call, answered.at_ns, answered.moved_bytes, result);
    }
}

impl<W: Write> TraceReceiver for CallsWriter<W> {
    fn take(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::Made(call) => self.make(call),
            TraceEvent::Answered(answered) => self.answer(&answered),
            TraceEvent::Unanswered(call, at_ns) => self.end_call(&call, at_ns, None, UNANSWERED),
            TraceEvent::OffCpu(of) => {
                self.period(
                    OFF_CPU,
                    of.activity.name(),
                    (of.lane, of.begin_ns, of.end_ns),
                    of.file,
                );
            }
            TraceEvent::Ended(of) => {
                self.period(THREAD, "", (of.lane, of.begin_ns, of.end_ns), None);
            }
        }
    }

    fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        let mount = serde_json::json!([point, file_system, source]);
        self.write_line(format!("{MOUNT}{mount}\n").as_bytes());
    }

    fn name(&mut self, file: u64, name: &str) {
        self.names.insert(file, name.into());
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        self.threads.insert(lane.into(), name.into());
    }
}

fn class(class: CallClass) -> &'static str {
    match class {
        CallClass::Read => "read",
        CallClass::Write => "write",
        CallClass::Metadata => "metadata",
        CallClass::Session => "session",
        CallClass::Wait => "wait",
    }
}

/// A column of its own, after a comma.
fn optional(value: Option<u64>, line: &mut Vec<u8>) {
    line.push(b',');
    if let Some(value) = value {
        number(value, line);
    }
}

fn number(mut value: u64, line: &mut Vec<u8>) {
    let begin = line.len();
    loop {
        line.push(b'0' + (value % 10) as u8);
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line[begin..].reverse();
}

#[cfg(test)]
mod tests;
