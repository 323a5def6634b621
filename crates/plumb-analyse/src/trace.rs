//! What are the figures of a trace? Its events are counted as they are read, from captures and system calls, and figures computed from the counts.

mod doubts;
mod kind;
mod outstanding;
mod sentences;
mod size_times;
mod together;
mod transfer;
mod transfer_time;
mod work;

use plumb_model::trace::capture::CaptureFacts;
use plumb_model::trace::events::{Answered, Call, CallClass, TraceEvent};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;
use plumb_model::trace::summary::{TRACE_SCHEMA, TraceSummary};

use kind::Kind;
use outstanding::OutstandingTally;
use size_times::SizeTimesTally;
use together::TogetherTally;
use transfer_time::TransferTimeTally;
use work::WorkTally;
pub(crate) use work::makes_durable;

/// A trace as it is read. Takes as much memory for a million events as for one.
#[derive(Default)]
pub struct TraceTally {
    /// By name, in the order in which they first came: there are few, and most calls are of the first.
    kinds: Vec<(&'static str, Kind)>,
    outstanding: OutstandingTally,
    transfer_time: TransferTimeTally,
    size_times: SizeTimesTally,
    together: TogetherTally,
    work: WorkTally,
    /// Service times of calls whose round trip is known, and the round trips in them, in nanoseconds.
    service_ns: u128,
    round_trips_ns: u128,
}

impl TraceTally {
    /// Takes what happened next.
    pub fn take(&mut self, event: &TraceEvent) {
        self.work.take(event);
        match event {
            TraceEvent::Made(call) => {
                if call.class != CallClass::Wait {
                    self.outstanding.begin(call.at_ns);
                }
                if call.closes {
                    let file = call.file;
                    self.kinds.iter_mut().for_each(|(_, kind)| kind.close(file));
                }
                self.transfer_time.make(call);
                self.kind(call).make(call);
            }
            TraceEvent::Answered(answered) => self.answer(answered),
            TraceEvent::Unanswered(call, _) => {
                if call.class != CallClass::Wait {
                    self.outstanding.forget(call.at_ns);
                }
                self.transfer_time.forget(call);
                self.kind(call).unanswered += 1;
            }
            // Of the account of time (`crate::account`).
            TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
        }
    }

    fn kind(&mut self, call: &Call) -> &mut Kind {
        let known = self.kinds.iter().position(|(name, _)| *name == call.name);
        let index = known.unwrap_or(self.kinds.len());
        if known.is_none() {
            self.kinds.push((call.name, Kind::of(call.class)));
        }
        &mut self.kinds[index].1
    }

    fn answer(&mut self, answered: &Answered) {
        let call = &answered.call;
        if call.class != CallClass::Wait {
            let moved_bytes = answered.moved_bytes.unwrap_or(0);
            self.outstanding
                .end(call.at_ns, answered.at_ns, moved_bytes);
            if let Some(round_trip_ns) = answered.round_trip_ns {
                let service_ns = answered.service_ns();
                self.service_ns += u128::from(service_ns);
                self.round_trips_ns += u128::from(round_trip_ns.min(service_ns));
            }
        }
        self.transfer_time.answer(answered);
        self.size_times.answer(answered);
        self.together.answer(answered);
        self.kind(call).answer(answered);
    }

    /// The figures of a packet capture, and its sentences.
    pub fn summary(
        self,
        source: String,
        plumb_version: &str,
        capture: Option<CaptureFacts>,
    ) -> TraceSummary {
        self.figures(source, plumb_version, capture, None)
    }

    /// The same of system calls or block requests.
    pub fn summary_of_calls(
        self,
        source: String,
        plumb_version: &str,
        recorded: TraceFacts,
    ) -> TraceSummary {
        self.figures(source, plumb_version, None, Some(recorded))
    }

    fn figures(
        self,
        source: String,
        plumb_version: &str,
        capture: Option<CaptureFacts>,
        recorded: Option<TraceFacts>,
    ) -> TraceSummary {
        let has_responses = recorded.as_ref().is_none_or(|facts| facts.has_responses);
        let span_ns = self.outstanding.span_ns();
        let of_work = |kind: &&Kind| kind.class != CallClass::Wait;
        let kinds = self.kinds.iter().map(|(_, kind)| kind);
        let all_ns: u128 = kinds.filter(of_work).map(Kind::sum_ns).sum();
        let mut calls: Vec<_> = self
            .kinds
            .iter()
            .map(|(name, kind)| kind.figures(name, all_ns, span_ns, has_responses))
            .collect();
        // Calls that wait for an event are last, regardless of their time.
        calls.sort_by(|a, b| {
            let by_share = b.time_share.partial_cmp(&a.time_share);
            by_share
                .unwrap_or(std::cmp::Ordering::Equal)
                .then((b.count + b.without_time).cmp(&(a.count + a.without_time)))
        });
        let round_trip_share =
            (self.service_ns > 0).then(|| self.round_trips_ns as f64 / self.service_ns as f64);
        let outstanding = has_responses.then(|| self.outstanding.figures());
        let (outstanding, contradictory) = match outstanding {
            Some(figures) if !figures.is_consistent() => (None, Some(figures)),
            figures => (figures, None),
        };
        let mut summary = TraceSummary {
            schema: TRACE_SCHEMA.into(),
            plumb_version: plumb_version.into(),
            source,
            span_ns,
            verdict: Vec::new(),
            doubts: Vec::new(),
            mix: work::mix(&calls, all_ns),
            calls,
            outstanding,
            round_trip_share,
            transfer_time: self.transfer_time.figures(),
            together: self.together.figures(),
            size_times: self.size_times.figures(),
            files: None,
            threads: None,
            think_time: None,
            flushes: None,
            slowest: Vec::new(),
            capture,
            recorded,
        };
        self.work.figures(&mut summary, all_ns, has_responses);
        summary.verdict = sentences::verdict(&summary);
        summary.doubts = doubts::doubts(&summary);
        summary
            .doubts
            .extend(contradictory.as_ref().map(doubts::contradictory));
        summary
    }
}

impl TraceReceiver for TraceTally {
    fn take(&mut self, event: TraceEvent) {
        TraceTally::take(self, &event);
    }

    fn name(&mut self, file: u64, name: &str) {
        self.work.name(file, name);
    }

    fn name_lane(&mut self, lane: u32, name: &str) {
        self.work.name_lane(lane, name);
    }
}

#[cfg(test)]
mod tests;
