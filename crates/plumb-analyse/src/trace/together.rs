//! Which calls wait together? Those sent and completed in one message wait once, though each has the time.

use plumb_model::trace::events::{Answered, CallClass};
use plumb_model::trace::summary::Together;

/// Calls as they are answered, those of one message one after the other.
#[derive(Default)]
pub struct TogetherTally {
    figures: Together,
    message: Option<Message>,
}

/// The calls that were made at the same moment on the same connection, and answered at the same moment.
struct Message {
    lane: u32,
    made_ns: u64,
    answered_ns: u64,
    calls: u64,
    metadata: u64,
    moves_content: bool,
}

impl TogetherTally {
    /// Adds the next completed call.
    pub fn answer(&mut self, answered: &Answered) {
        let call = &answered.call;
        if call.class == CallClass::Wait {
            return;
        }
        let is_same = |message: &&mut Message| {
            message.lane == call.lane
                && message.made_ns == call.at_ns
                && message.answered_ns == answered.at_ns
        };
        let is_metadata = u64::from(call.class == CallClass::Metadata);
        let moves_content = matches!(call.class, CallClass::Read | CallClass::Write);
        if let Some(message) = self.message.as_mut().filter(is_same) {
            message.calls += 1;
            message.metadata += is_metadata;
            message.moves_content |= moves_content;
            return;
        }
        self.end();
        self.message = Some(Message {
            lane: call.lane,
            made_ns: call.at_ns,
            answered_ns: answered.at_ns,
            calls: 1,
            metadata: is_metadata,
            moves_content,
        });
    }

    fn end(&mut self) {
        let Some(message) = self.message.take().filter(|message| message.calls > 1) else {
            return;
        };
        let service_ns = message.answered_ns.saturating_sub(message.made_ns) as f64;
        self.figures.calls += message.calls;
        self.figures.messages += 1;
        self.figures.repeated_ns += service_ns * (message.calls - 1) as f64;
        // The wait is that of the data transfer, if there is one.
        let waits = match message.moves_content {
            true => 0,
            false => message.metadata.min(1),
        };
        self.figures.repeated_metadata_ns += service_ns * (message.metadata - waits) as f64;
    }

    /// The figures; `None` without compound messages.
    pub fn figures(mut self) -> Option<Together> {
        self.end();
        (self.figures.calls > 0).then_some(self.figures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::trace::events::Call;

    fn answered(class: CallClass, made_ns: u64, answered_ns: u64) -> Answered {
        Answered {
            call: Call {
                name: "CALL",
                class,
                at_ns: made_ns,
                lane: 0,
                file: None,
                offset: None,
                bytes: None,
                closes: false,
            },
            at_ns: answered_ns,
            moved_bytes: None,
            status: None,
            round_trip_ns: None,
            was_pending: false,
        }
    }

    fn of(calls: &[(CallClass, u64, u64)]) -> Option<Together> {
        let mut tally = TogetherTally::default();
        for (class, made_ns, answered_ns) in calls {
            tally.answer(&answered(*class, *made_ns, *answered_ns));
        }
        tally.figures()
    }

    #[test]
    fn what_goes_in_one_message_waits_once_and_is_the_wait_of_what_moves_content() {
        use CallClass::{Metadata, Read};
        let apart = [(Metadata, 0, 10), (Read, 20, 30), (Read, 20, 40)];
        assert_eq!(of(&apart), None, "made together is not answered together");
        let both = of(&[
            (Metadata, 0, 10),
            (Read, 0, 10),
            (Metadata, 0, 10),
            (Metadata, 50, 54),
            (Metadata, 50, 54),
        ]);
        let expected = Together {
            calls: 5,
            messages: 2,
            repeated_ns: 24.0,
            repeated_metadata_ns: 24.0,
        };
        assert_eq!(both, Some(expected));
    }
}
