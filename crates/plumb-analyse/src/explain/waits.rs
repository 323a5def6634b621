//! How long was the actual wait? Calls in one message wait once, and are divided by what they do.

use plumb_model::explain::observed::Observed;
use plumb_model::trace::events::CallClass;
use plumb_model::trace::summary::TraceSummary;

/// Below this share of the time of all calls, repeated time is ignored.
const REPEATED_MIN: f64 = 0.02;
/// From this share, the number of outstanding calls no longer shows the number of waits.
const MOSTLY_REPEATED: f64 = 0.3;

/// The figures with each wait counted once: outstanding are messages then, and the time of metadata is that of messages that move no content.
pub fn counted_once(observed: Observed, trace: &TraceSummary) -> Observed {
    let of_work = trace
        .calls
        .iter()
        .filter(|call| call.class != CallClass::Wait);
    let all_ns: f64 = of_work.map(|call| call.sum_ns).sum();
    let Some(together) = trace
        .together
        .filter(|together| together.repeated_ns > REPEATED_MIN * all_ns)
    else {
        return observed;
    };
    let waited_ns = all_ns - together.repeated_ns;
    let kept = waited_ns / all_ns;
    let (mut metadata, mut flushes) = (observed.metadata, observed.flushes);
    let of_metadata = metadata.time_share.map(|share| share * all_ns);
    metadata.time_share =
        of_metadata.map(|ns| ((ns - together.repeated_metadata_ns) / waited_ns).clamp(0.0, 1.0));
    flushes.time_share = flushes.time_share.map(|share| (share / kept).min(1.0));
    let counted = Observed {
        outstanding: observed.outstanding.map(|mean| mean * kept),
        metadata,
        flushes,
        ..observed
    };
    if kept > 1.0 - MOSTLY_REPEATED {
        return counted;
    }
    Observed {
        outstanding_most: counted
            .outstanding_most
            .map(|most| ((most as f64 * kept).round() as u64).max(1)),
        by_outstanding: Vec::new(),
        ..counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::from_trace::observed_in_trace;
    use crate::trace::TraceTally;
    use plumb_model::trace::events::{Answered, Call, TraceEvent};

    /// Files that are opened, read and closed, one after the other, 5 ms for each message: in one, or in three.
    fn files(in_one: bool) -> Observed {
        let mut tally = TraceTally::default();
        let calls = [
            ("CREATE", CallClass::Metadata),
            ("READ", CallClass::Read),
            ("CLOSE", CallClass::Metadata),
        ];
        let mut now = 1_000_000_000;
        for _ in 0..200 {
            let answered: Vec<Answered> = calls
                .iter()
                .enumerate()
                .map(|(index, (name, class))| {
                    let step = if in_one { 0 } else { index as u64 };
                    let call = Call {
                        name,
                        class: *class,
                        at_ns: now + step * 5_000_000,
                        lane: 0,
                        file: None,
                        offset: Some(0),
                        bytes: Some(16_384),
                        closes: false,
                    };
                    Answered {
                        call,
                        at_ns: call.at_ns + 5_000_000,
                        moved_bytes: None,
                        status: None,
                        round_trip_ns: None,
                        was_pending: false,
                    }
                })
                .collect();
            for found in answered.chunks(if in_one { 3 } else { 1 }) {
                let made = found.iter().map(|of| TraceEvent::Made(of.call));
                made.chain(found.iter().map(|of| TraceEvent::Answered(*of)))
                    .for_each(|event| tally.take(&event));
            }
            now = answered.last().map_or(now, |last| last.at_ns);
        }
        observed_in_trace(&tally.summary("x.pcap".into(), "0", None), 0)
    }

    #[test]
    fn opening_and_closing_in_the_message_of_the_read_take_no_time_of_their_own() {
        let apart = files(false);
        let share = apart.metadata.time_share.expect("a share");
        assert!((share - 2.0 / 3.0).abs() < 1e-6, "{share}");
        let one = files(true);
        assert_eq!(one.metadata.time_share, Some(0.0));
        assert_eq!(one.outstanding_most, Some(1));
        let waiting = one.waiting_share().expect("a share");
        assert!((waiting - 1.0).abs() < 0.01, "{waiting}");
    }

    use proptest::prelude::*;

    proptest! {
        /// However calls overlap and share messages, in no figure is less than one outstanding while any is.
        #[test]
        fn outstanding_and_idle_time_never_contradict_each_other(
            messages in prop::collection::vec((0u64..4000, 1u64..90, 1usize..5, prop::bool::weighted(0.9)), 1..80)
        ) {
            let mut events = Vec::new();
            for (lane, (from, length, calls, is_answered)) in (0u32..).zip(&messages) {
                for index in 0..*calls {
                    let class = if index == 0 { CallClass::Read } else { CallClass::Metadata };
                    let call = Call {
                        name: if index == 0 { "READ" } else { "CLOSE" },
                        class,
                        at_ns: *from,
                        lane,
                        file: None,
                        offset: None,
                        bytes: Some(1),
                        closes: false,
                    };
                    let at_ns = from + length;
                    let end = match is_answered {
                        true => TraceEvent::Answered(Answered {
                            call,
                            at_ns,
                            moved_bytes: None,
                            status: None,
                            round_trip_ns: None,
                            was_pending: false,
                        }),
                        false => TraceEvent::Unanswered(call, at_ns + 5000),
                    };
                    events.push((*from, TraceEvent::Made(call)));
                    events.push((if *is_answered { at_ns } else { at_ns + 5000 }, end));
                }
            }
            events.sort_by_key(|(at, _)| *at);
            let mut tally = TraceTally::default();
            events.iter().for_each(|(_, event)| tally.take(event));
            let summary = tally.summary("x".into(), "0", None);
            let figures = summary.outstanding.as_ref().expect("none contradicts");
            prop_assert!(figures.is_consistent());
            let observed = observed_in_trace(&summary, 0);
            let closed = crate::explain::gates::closed(&observed);
            prop_assert!(closed.iter().all(|of| of.id != "explain-outstanding-off"));
            if let (Some(mean), Some(idle)) = (observed.outstanding, observed.idle_share) {
                prop_assert!(mean >= 1.0 - idle - 1e-9, "{mean} {idle}");
            }
        }
    }
}
