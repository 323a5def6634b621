//! Is it a file in which plumb kept the calls that it traced (`plumb trace --save`)? Lines of calls as they were answered, put in the order of their begin again.

use std::collections::HashMap;

use plumb_model::statement::Statement;
use plumb_model::trace::events::{Activity, Answered, Call, OffCpu, Status, ThreadLife};
use plumb_model::trace::facts::TraceFacts;

use crate::calls::errno;
use crate::calls::named::call_named;
use crate::captures::smb::status::status_named;
use crate::event_sink::EventSink;
use crate::trace_format::TraceFormat;
use crate::trace_format::call_rows::{
    BEGIN, COLUMNS, END, ERROR_NUMBER, MAGIC, MOUNT, OFF_CPU, OK, REST, THREAD, UNANSWERED, column,
    read_text,
};
use crate::trace_format::lines::Lines;
use crate::trace_format::recent::Recent;
use crate::trace_format::text::number;
use foldhash::fast::RandomState;

pub static FORMAT: TraceFormat = TraceFormat {
    name: "calls",
    program: "plumb trace --save FILE -- COMMAND",
    recognizes: |head| head.starts_with(MAGIC.as_bytes()),
    read,
    #[cfg(test)]
    fixtures: tests::fixtures,
};

/// Calls whose begin has a line of its own and whose end has not come, at once.
const BEGUN_MAX: usize = 65_536;

/// What one line says.
struct Row<'a> {
    call: Call,
    end_ns: u64,
    moved_bytes: Option<u64>,
    /// Missing when it is unanswered.
    answer: Option<Option<Status>>,
    part: Part,
    waiting_ns: Option<u64>,
    thread: &'a [u8],
    name: &'a [u8],
}

#[derive(PartialEq)]
enum Part {
    Whole,
    Begin,
    End,
}

/// What reports a call from others.
type Key = (u64, u32, Option<u64>, Option<u64>);

#[derive(Default)]
struct Reader {
    named: Recent<()>,
    threads: Recent<()>,
    begun: HashMap<Key, Call, RandomState>,
    last_ns: u64,
}

fn read(lines: &mut Lines<'_>, event_sink: &mut EventSink<'_>) {
    let mut reader = Reader::default();
    let mut end = None;
    while let Some(line) = lines.line() {
        if let Some(about) = line.strip_prefix(MAGIC.as_bytes()) {
            if let Some(format) = format_in(about) {
                event_sink.facts.format = format;
            }
            continue;
        }
        if line == COLUMNS.as_bytes() || line.is_empty() {
            continue;
        }
        if let Some(facts) = line.strip_prefix(END.as_bytes()) {
            end = serde_json::from_slice::<TraceFacts>(facts).ok();
            continue;
        }
        if let Some(mount) = line.strip_prefix(MOUNT.as_bytes()) {
            if let Ok([point, file_system, source]) = serde_json::from_slice::<[String; 3]>(mount) {
                event_sink.mount(&point, &file_system, &source);
            }
            continue;
        }
        event_sink.facts.records += 1;
        match row(line) {
            Some(row) => reader.take(&row, event_sink),
            None => match period(line) {
                Some(period) => reader.take_period(&period, event_sink),
                None => event_sink.damaged(),
            },
        }
    }
    for call in std::mem::take(&mut reader.begun).into_values() {
        event_sink.unanswered(call, reader.last_ns);
    }
    match end {
        Some(end) => said_by_the_trace(end, event_sink),
        None => event_sink.facts.damage = Some(Statement::new("calls-not-ended")),
    }
}

/// By what was traced.
fn format_in(about: &[u8]) -> Option<String> {
    let about: serde_json::Value = serde_json::from_slice(about).ok()?;
    Some(about.get("format")?.as_str()?.to_string())
}

/// What was counted while the trace was made, beside what is wrong with the file.
fn said_by_the_trace(end: TraceFacts, event_sink: &mut EventSink<'_>) {
    let read = std::mem::take(&mut event_sink.facts);
    event_sink.facts = TraceFacts {
        has_responses: true,
        damaged: end.damaged + read.damaged,
        first_damaged: read.first_damaged.or(end.first_damaged),
        unanswered: read.unanswered,
        ..end
    };
}

impl Reader {
    /// Reports the names of a thread and a file that come for the first time.
    fn name(
        &mut self,
        (lane, thread): (u32, &[u8]),
        (file, name): (Option<u64>, &[u8]),
        event_sink: &mut EventSink<'_>,
    ) {
        if !thread.is_empty() && self.threads.get(lane.into()).is_none() {
            self.threads.insert(lane.into(), ());
            if let Some(thread) = read_text(thread) {
                event_sink.name_lane(lane, &thread);
            }
        }
        if let (false, Some(file)) = (name.is_empty(), file)
            && self.named.get(file).is_none()
        {
            self.named.insert(file, ());
            if let Some(name) = read_text(name) {
                event_sink.name(file, &name);
            }
        }
    }

    fn take_period(&mut self, row: &Period<'_>, event_sink: &mut EventSink<'_>) {
        let (lane, file) = (row.of.lane, row.of.file);
        self.name((lane, row.thread), (file, row.name), event_sink);
        match row.is_life {
            true => event_sink.ended(ThreadLife {
                lane,
                begin_ns: row.of.begin_ns,
                end_ns: row.of.end_ns,
            }),
            false => event_sink.off_cpu(row.of),
        }
    }

    fn take(&mut self, row: &Row<'_>, event_sink: &mut EventSink<'_>) {
        let call = row.call;
        self.name((call.lane, row.thread), (call.file, row.name), event_sink);
        let key = (call.at_ns, call.lane, call.file, call.offset);
        self.last_ns = self.last_ns.max(row.end_ns);
        if row.part == Part::Begin {
            if self.begun.len() < BEGUN_MAX && !self.begun.contains_key(&key) {
                event_sink.made_later(call);
                self.begun.insert(key, call);
            } else {
                event_sink.damaged();
            }
            return;
        }
        let begun = match row.part {
            Part::End => self.begun.remove(&key),
            _ => None,
        };
        // An end whose begin is damaged is reported whole.
        if begun.is_none() {
            event_sink.made_later(call);
        }
        let call = begun.unwrap_or(call);
        match row.answer {
            Some(status) => event_sink.answered(Answered {
                call,
                at_ns: row.end_ns,
                moved_bytes: row.moved_bytes,
                status,
                round_trip_ns: None,
                was_pending: false,
            }),
            None => event_sink.unanswered(call, row.end_ns),
        }
        // The oldest one that waits is still to come.
        event_sink.release(match row.waiting_ns {
            Some(waiting_ns) => row.end_ns.saturating_sub(waiting_ns).saturating_sub(1),
            None => row.end_ns,
        });
    }
}

/// A number, or nothing; `None` when it is neither.
fn optional(column: &[u8]) -> Option<Option<u64>> {
    match column {
        [] => Some(None),
        digits => number(digits).map(Some),
    }
}

/// A line with a period of a thread.
struct Period<'a> {
    of: OffCpu,
    is_life: bool,
    thread: &'a [u8],
    name: &'a [u8],
}

fn period(line: &[u8]) -> Option<Period<'_>> {
    let mut rest = Some(line);
    let mut next = || column(&mut rest);
    let begin_ns = number(next()?)?;
    let end_ns = begin_ns.checked_add(number(next()?)?)?;
    let thread = next()?;
    let lane = u32::try_from(number(next()?)?).ok()?;
    let call = next()?;
    let class = next()?;
    let name = next()?;
    let file = optional(next()?)?;
    let is_life = call == THREAD.as_bytes();
    let known = Activity::ALL.into_iter();
    let activity = match (is_life, call == OFF_CPU.as_bytes()) {
        (true, _) => Activity::Other,
        (_, true) => known.into_iter().find(|of| of.name().as_bytes() == class)?,
        _ => return None,
    };
    Some(Period {
        of: OffCpu {
            lane,
            begin_ns,
            end_ns,
            activity,
            file,
        },
        is_life,
        thread,
        name,
    })
}

fn row(line: &[u8]) -> Option<Row<'_>> {
    let mut rest = Some(line);
    let mut next = || column(&mut rest);
    let at_ns = number(next()?)?;
    let latency_ns = optional(next()?)?;
    let thread = next()?;
    let lane = u32::try_from(number(next()?)?).ok()?;
    let (name_of_call, class) = call_named(next()?)?;
    next()?;
    let name = next()?;
    let [file, offset, bytes, moved_bytes] = [
        optional(next()?)?,
        optional(next()?)?,
        optional(next()?)?,
        optional(next()?)?,
    ];
    let result = next()?;
    let closes = match next()? {
        b"" => false,
        b"1" => true,
        _ => return None,
    };
    let part = match next()? {
        b"" => Part::Whole,
        part if part == BEGIN.as_bytes() => Part::Begin,
        part if part == REST.as_bytes() => Part::End,
        _ => return None,
    };
    let waiting_ns = optional(next()?)?;
    let answer = match result {
        b"" if part == Part::Begin => None,
        result if result == OK.as_bytes() => Some(None),
        result if result == UNANSWERED.as_bytes() => None,
        result => Some(Some(status(result)?)),
    };
    // Only what has not ended has no latency.
    if latency_ns.is_none() != (part == Part::Begin) || rest.is_some() {
        return None;
    }
    Some(Row {
        call: Call {
            name: name_of_call,
            class,
            at_ns,
            lane,
            file,
            offset,
            bytes,
            closes,
        },
        end_ns: at_ns.checked_add(latency_ns.unwrap_or(0))?,
        moved_bytes,
        answer,
        part,
        waiting_ns,
        thread,
        name,
    })
}

fn status(result: &[u8]) -> Option<Status> {
    match result.strip_prefix(ERROR_NUMBER.as_bytes()) {
        Some(code) => Some(errno::of_number(u32::try_from(number(code)?).ok()?)),
        None => Some(errno::of_name(result))
            .filter(|status| status.name.is_some())
            .or_else(|| status_named(result)),
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::trace::events::CallClass;

    use crate::trace_format::Fixture;

    pub fn fixtures() -> Vec<Fixture> {
        vec![Fixture {
            bytes: include_bytes!("../../../../testdata/traces/calls.csv"),
            check: |reported| {
                assert_eq!(
                    (reported.facts.format.as_str(), reported.facts.damaged),
                    ("perf", 0)
                );
                assert_eq!(reported.facts.damage, None);
                assert_eq!(
                    (reported.facts.not_shown.not_files, reported.facts.cpu_ns),
                    (2, Some(1_234_567))
                );
                // The lock was taken first and is held longest; its begin has a line of its own.
                assert_eq!(reported.made[0].name, "flock");
                let lock = reported.answered.last().unwrap();
                assert_eq!((lock.call.name, lock.service_ns()), ("flock", 900_000));
                let of_data: Vec<_> = reported.of_file("/data/a, \"b\"");
                let reads = of_data.iter().filter(|of| of.call.class == CallClass::Read);
                let offsets: Vec<_> = reads.map(|of| (of.call.offset, of.moved_bytes)).collect();
                assert_eq!(offsets, [(Some(0), Some(4096)), (Some(4096), Some(100))]);
                let refused = reported
                    .answered
                    .iter()
                    .find(|of| of.status.is_some())
                    .unwrap();
                assert_eq!(
                    refused.status.and_then(|status| status.name),
                    Some("ENOENT")
                );
                assert_eq!(reported.unanswered.len(), 1);
                assert_eq!(
                    reported.lanes.values().collect::<Vec<_>>(),
                    ["4711", "4712"]
                );
            },
        }]
    }
}
