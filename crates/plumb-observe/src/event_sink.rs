//! How does a trace that is read become events in the order of their time? Answers that are known early, and calls that are known late, wait for their turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use plumb_model::trace::events::{Answered, Call, OffCpu, ThreadLife, TraceEvent};
use plumb_model::trace::facts::TraceFacts;
use plumb_model::trace::receiver::TraceReceiver;

/// Events that wait at most; then the earliest goes ahead of its turn.
const WAITING_MAX: usize = 65_536;

/// An event and when it happened; `number` keeps the order of those of one time.
struct Waiting {
    at_ns: u64,
    number: u64,
    event: TraceEvent,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        (self.at_ns, self.number) == (other.at_ns, other.number)
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        (self.at_ns, self.number).cmp(&(other.at_ns, other.number))
    }
}

/// What is reported of a trace while it is read.
pub struct EventSink<'a> {
    receiver: &'a mut dyn TraceReceiver,
    waiting: BinaryHeap<Reverse<Waiting>>,
    reported: u64,
    pub facts: TraceFacts,
}

impl<'a> EventSink<'a> {
    pub fn new(receiver: &'a mut dyn TraceReceiver, format: &str) -> EventSink<'a> {
        EventSink {
            receiver,
            waiting: BinaryHeap::new(),
            reported: 0,
            facts: TraceFacts {
                format: format.to_string(),
                has_responses: true,
                ..TraceFacts::default()
            },
        }
    }

    /// A call was made. What was answered until then comes before it.
    pub fn made(&mut self, call: Call) {
        self.release(call.at_ns);
        self.receiver.take(TraceEvent::Made(call));
    }

    /// A call was made, and calls that were made before it may still come: it waits until `release` says that none does.
    pub fn made_later(&mut self, call: Call) {
        self.wait(call.at_ns, TraceEvent::Made(call));
    }

    /// A call is or will be answered.
    pub fn answered(&mut self, answered: Answered) {
        self.wait(answered.at_ns, TraceEvent::Answered(answered));
    }

    /// It is known at this time that a call has no answer.
    pub fn unanswered(&mut self, call: Call, at_ns: u64) {
        self.facts.unanswered += 1;
        self.wait(at_ns.max(call.at_ns), TraceEvent::Unanswered(call, at_ns));
    }

    /// A thread was off its CPU: known late, and handed on at once.
    pub fn off_cpu(&mut self, period: OffCpu) {
        self.receiver.take(TraceEvent::OffCpu(period));
    }

    /// A thread ended, or the trace.
    pub fn ended(&mut self, life: ThreadLife) {
        self.receiver.take(TraceEvent::Ended(life));
    }

    pub fn mount(&mut self, point: &str, file_system: &str, source: &str) {
        self.receiver.mount(point, file_system, source);
    }

    pub fn name(&mut self, file: u64, name: &str) {
        self.receiver.name(file, name);
    }

    pub fn name_lane(&mut self, lane: u32, name: &str) {
        self.receiver.name_lane(lane, name);
    }

    /// The record that was read last is not of the format.
    pub fn damaged(&mut self) {
        self.facts.damaged += 1;
        self.facts.first_damaged.get_or_insert(self.facts.records);
    }

    fn wait(&mut self, at_ns: u64, event: TraceEvent) {
        self.reported += 1;
        let number = self.reported;
        self.waiting.push(Reverse(Waiting {
            at_ns,
            number,
            event,
        }));
        if self.waiting.len() > WAITING_MAX
            && let Some(Reverse(earliest)) = self.waiting.pop()
        {
            self.receiver.take(earliest.event);
        }
    }

    /// Nothing comes any more that happened before this time.
    pub fn release(&mut self, until_ns: u64) {
        while let Some(Reverse(earliest)) = self.waiting.peek()
            && earliest.at_ns <= until_ns
        {
            if let Some(Reverse(earliest)) = self.waiting.pop() {
                self.receiver.take(earliest.event);
            }
        }
    }

    /// The trace is at its end.
    pub fn close(mut self) -> TraceFacts {
        self.release(u64::MAX);
        self.facts
    }
}

#[cfg(test)]
pub mod tests {
    //! What was reported of a trace, kept for tests.

    use std::collections::BTreeMap;

    use plumb_model::trace::events::{Answered, Call, OffCpu, ThreadLife, TraceEvent};
    use plumb_model::trace::facts::TraceFacts;
    use plumb_model::trace::receiver::TraceReceiver;

    #[derive(Default, Debug)]
    pub struct Reported {
        pub made: Vec<Call>,
        pub answered: Vec<Answered>,
        pub unanswered: Vec<Call>,
        pub off_cpu: Vec<OffCpu>,
        pub ended: Vec<ThreadLife>,
        pub mounts: Vec<(String, String, String)>,
        pub names: BTreeMap<u64, String>,
        pub lanes: BTreeMap<u32, String>,
        pub facts: TraceFacts,
        /// Events that came after later ones.
        pub disordered: usize,
        last_ns: u64,
    }

    impl Reported {
        /// Calls with this name.
        pub fn count(&self, name: &str) -> usize {
            self.made.iter().filter(|call| call.name == name).count()
        }

        /// Calls on a file with this name.
        pub fn of_file(&self, name: &str) -> Vec<Answered> {
            let is_it = |file: &u64| self.names.get(file).is_some_and(|of| of == name);
            let answered = self.answered.iter();
            answered
                .filter(|of| of.call.file.as_ref().is_some_and(is_it))
                .copied()
                .collect()
        }
    }

    impl TraceReceiver for Reported {
        fn take(&mut self, event: TraceEvent) {
            let at_ns = match event {
                TraceEvent::Made(call) => call.at_ns,
                TraceEvent::Answered(answered) => answered.at_ns,
                TraceEvent::Unanswered(_, at_ns) => at_ns,
                TraceEvent::OffCpu(period) => return self.off_cpu.push(period),
                TraceEvent::Ended(life) => return self.ended.push(life),
            };
            self.disordered += usize::from(at_ns < self.last_ns);
            self.last_ns = self.last_ns.max(at_ns);
            match event {
                TraceEvent::Made(call) => self.made.push(call),
                TraceEvent::Answered(answered) => self.answered.push(answered),
                TraceEvent::Unanswered(call, _) => self.unanswered.push(call),
                TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
            }
        }

        fn mount(&mut self, point: &str, file_system: &str, source: &str) {
            self.mounts
                .push((point.into(), file_system.into(), source.into()));
        }

        fn name(&mut self, file: u64, name: &str) {
            let before = self.names.insert(file, name.to_string());
            assert_eq!(before, None, "file {file} is named twice");
        }

        fn name_lane(&mut self, lane: u32, name: &str) {
            self.lanes.insert(lane, name.to_string());
        }
    }
}
