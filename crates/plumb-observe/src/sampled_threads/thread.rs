//! One thread that is sampled: what the kernel counted of it so far, and what it was blocked in at the last look.

use std::fs::File;

use plumb_model::trace::events::{Activity, OffCpu};

use crate::event_sink::EventSink;
use crate::system::blocked::{Lookup, State, Waits};
use crate::system::kernel_files::read_at;
use crate::system::processes::{self, call_of_thread, times_of_thread};

/// What the kernel has counted of a running thread may be as old as a tick of its clock.
const TICK_NS: i64 = 10_000_000;

/// One thread.
pub(super) struct Thread {
    process: u32,
    thread: u32,
    pub lane: u32,
    /// Name of its program; one that was started replaces that of its parent a moment later.
    pub command: String,
    pub begin_ns: u64,
    /// The last look at which it was there.
    pub seen_ns: u64,
    schedstat: File,
    /// The call that it is in; `None` where this user may not see it.
    call: Option<File>,
    counted: Counted,
    /// Time on a CPU or waiting for one that was counted before the first look, and what has been handed on since.
    before: Counted,
    on_ns: i64,
    ready_ns: i64,
    state: State,
    /// What it was blocked in last.
    waits: Waits,
    pending: Option<OffCpu>,
}

/// What the kernel counts of a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counted {
    cpu_ns: i64,
    ready_ns: i64,
}

/// `schedstat`: time on a CPU and time waiting for one, in nanoseconds, and the number of times.
fn counted(file: &File) -> Option<Counted> {
    let mut bytes = [0; 96];
    let length = read_at(file, &mut bytes, 0)
        .ok()
        .filter(|length| *length > 0)?;
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    let mut fields = text.split_ascii_whitespace().map(str::parse::<i64>);
    let (Some(Ok(cpu_ns)), Some(Ok(ready_ns))) = (fields.next(), fields.next()) else {
        return None;
    };
    Some(Counted { cpu_ns, ready_ns })
}

impl Thread {
    /// Looks at its name again; true if it is another one.
    pub fn is_renamed(&mut self) -> bool {
        let now = processes::name(self.thread).unwrap_or_default();
        let is_other = !now.is_empty() && now != self.command;
        if is_other {
            self.command = now;
        }
        is_other
    }

    /// `None` if it has ended, or the kernel does not count the time of threads.
    pub fn begin(process: u32, thread: u32, lane: u32, at_ns: u64) -> Option<Thread> {
        let schedstat = times_of_thread(process, thread)?;
        let before = counted(&schedstat)?;
        let command = processes::name(thread).unwrap_or_default();
        // Workers of io_uring are the kernel's.
        if command.starts_with("iou-") {
            return None;
        }
        Some(Thread {
            process,
            thread,
            lane,
            command,
            begin_ns: at_ns,
            seen_ns: at_ns,
            schedstat,
            call: call_of_thread(process, thread),
            counted: before,
            before,
            on_ns: 0,
            ready_ns: 0,
            state: State::Running,
            waits: Waits {
                activity: Activity::Other,
                file: None,
            },
            pending: None,
        })
    }

    /// Hands on what it did since the last look. Returns false if it has ended.
    pub fn look(
        &mut self,
        at_ns: u64,
        lookup: &mut Lookup,
        event_sink: &mut EventSink<'_>,
    ) -> bool {
        let Some(now) = counted(&self.schedstat) else {
            return false;
        };
        // A thread that did not run is where it was.
        if now != self.counted || self.state == State::Running {
            self.state = lookup.state((self.process, self.thread), self.call.as_ref(), event_sink);
            if self.state == State::Ended {
                return false;
            }
        }
        self.counted = now;
        if let State::Blocked(waits) = self.state {
            self.waits = waits;
        }
        self.divide(at_ns, event_sink);
        self.seen_ns = at_ns;
        true
    }

    /// Divides the time since the last look: on a CPU and waiting for one as the kernel counted, the rest blocked.
    fn divide(&mut self, at_ns: u64, event_sink: &mut EventSink<'_>) {
        let span_ns = at_ns.saturating_sub(self.seen_ns) as i64;
        let cpu_ns = self.counted.cpu_ns - self.before.cpu_ns;
        let ready_ns = self.counted.ready_ns - self.before.ready_ns;
        let is_running = self.state == State::Running;
        let ahead_ns = if is_running { TICK_NS } else { 0 };
        let on_ns = (cpu_ns + ready_ns + ahead_ns - self.on_ns).clamp(0, span_ns);
        let of_ready_ns = (ready_ns - self.ready_ns).clamp(0, on_ns);
        self.on_ns += on_ns;
        self.ready_ns += of_ready_ns;
        let off_ns = (span_ns - on_ns) as u64;
        // One that runs now was blocked before; one that is blocked now ran before.
        let off_from_ns = match is_running {
            true => self.seen_ns,
            false => at_ns - off_ns,
        };
        let on_from_ns = match is_running {
            true => self.seen_ns + off_ns,
            false => self.seen_ns,
        };
        let off = OffCpu {
            lane: self.lane,
            begin_ns: off_from_ns,
            end_ns: off_from_ns + off_ns,
            activity: self.waits.activity,
            file: self.waits.file,
        };
        let ready = OffCpu {
            begin_ns: on_from_ns,
            end_ns: on_from_ns + of_ready_ns as u64,
            activity: Activity::Ready,
            file: None,
            ..off
        };
        for period in [off, ready] {
            self.report(period, event_sink);
        }
    }

    /// Hands a period on, joined with the one before where it goes on.
    fn report(&mut self, period: OffCpu, event_sink: &mut EventSink<'_>) {
        if period.begin_ns == period.end_ns {
            return;
        }
        match &mut self.pending {
            Some(last)
                if last.end_ns == period.begin_ns
                    && (last.activity, last.file) == (period.activity, period.file) =>
            {
                last.end_ns = period.end_ns;
            }
            _ => {
                if let Some(last) = self.pending.replace(period) {
                    event_sink.off_cpu(last);
                }
            }
        }
    }

    pub fn end(&mut self, event_sink: &mut EventSink<'_>) {
        if let Some(last) = self.pending.take() {
            event_sink.off_cpu(last);
        }
    }
}
