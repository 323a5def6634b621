//! Which threads do the work, on which files? Figures of files, threads, flushes and single calls from the same events, with names.

mod files;
mod flushes;
mod mix;
mod share;
mod slowest;
mod threads;

use plumb_model::trace::events::{CallClass, TraceEvent};
use plumb_model::trace::summary::TraceSummary;

use files::FilesTally;
use flushes::FlushTally;
pub(crate) use flushes::makes_durable;
pub(super) use mix::mix;
use slowest::SlowestTally;
use threads::ThreadsTally;

/// Counts of all of them.
#[derive(Default)]
pub(super) struct WorkTally {
    /// When the first call was made.
    first_ns: Option<u64>,
    files: FilesTally,
    threads: ThreadsTally,
    flushes: FlushTally,
    slowest: SlowestTally,
}

impl WorkTally {
    /// Takes what happened next; calls that wait for something to happen are no work.
    pub fn take(&mut self, event: &TraceEvent) {
        match event {
            TraceEvent::Made(call) => {
                self.first_ns.get_or_insert(call.at_ns);
                if call.class == CallClass::Wait {
                    return;
                }
                if makes_durable(call.name) {
                    let written = call.file.and_then(|file| self.files.flush(file));
                    self.flushes.make(call.at_ns, written);
                }
                self.files.make(call);
                self.threads.make(call.lane, call.at_ns);
            }
            TraceEvent::Answered(answered) => {
                let call = &answered.call;
                if call.class == CallClass::Wait {
                    return;
                }
                if self.slowest.wants(answered) {
                    let file = call.file.and_then(|file| self.files.name_of(file));
                    self.slowest.keep(answered, file);
                }
                if makes_durable(call.name) {
                    self.flushes.answer(answered.service_ns());
                }
                self.files.answer(answered);
                self.threads.end(call.lane, answered.at_ns);
            }
            TraceEvent::Unanswered(call, _) => {
                if call.class != CallClass::Wait {
                    self.files.forget(call);
                    self.threads.forget(call.lane);
                }
            }
            TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
        }
    }

    /// The file with this number has this name.
    pub fn name(&mut self, file: u64, name: &str) {
        self.files.name(file, name);
    }

    /// Calls of this lane were made by the thread with this name.
    pub fn name_lane(&mut self, lane: u32, name: &str) {
        self.threads.name(lane, name);
    }

    /// Fills in the figures of a summary, in which all calls together took `all_ns`.
    pub fn figures(self, summary: &mut TraceSummary, all_ns: u128, has_responses: bool) {
        summary.slowest = self.slowest.figures(self.first_ns.unwrap_or(0), |lane| {
            self.threads.name_of(lane)
        });
        summary.files = self.files.figures(all_ns, has_responses);
        summary.flushes = self.flushes.figures(all_ns, has_responses);
        if has_responses {
            summary.think_time = self.threads.think_time();
        }
        summary.threads = self.threads.figures(summary.span_ns, has_responses);
    }
}

#[cfg(test)]
mod tests;
