//! Is a conclusion allowed at all? The recording must be complete, have enough requests, satisfy Little's law, and be stationary.

use plumb_model::explain::observed::{Observed, ObservedFrom};
use plumb_model::statement::{Statement, Unit};

use crate::explain::parts::changes;

/// Minimum number of requests for a conclusion.
const REQUESTS_MIN: u64 = 50;
/// Fewer are enough where there is none for so much of the time, and that for so long: then their number is the finding.
const IDLE_MIN: f64 = 0.9;
const IDLE_SPAN_MIN_NS: u64 = 5_000_000_000;
/// Outstanding requests are the rate times the time of each (J. Little, 1961); by more than this they do not fit.
const LITTLE_OFF_MAX: f64 = 0.15;
/// By this much the mean outstanding and the share of time without any may miss each other: counters are sampled one after the other, single calls are not.
const OUTSTANDING_OFF_MAX: f64 = 0.1;
const OUTSTANDING_OFF_MAX_OF_CALLS: f64 = 0.001;

/// Why nothing may be concluded; empty if it may.
pub fn closed(observed: &Observed) -> Vec<Statement> {
    let mut statements = observed.invalid.clone();
    let is_idle = observed.span_ns >= IDLE_SPAN_MIN_NS
        && observed.idle_share.is_some_and(|share| share >= IDLE_MIN);
    let few = observed.requests.filter(|count| *count < REQUESTS_MIN);
    if let Some(requests) = few.filter(|_| !is_idle) {
        statements.push(
            Statement::new("explain-too-few-requests")
                .count("requests", requests)
                .count("needed", REQUESTS_MIN),
        );
    }
    statements.extend(little(observed));
    statements.extend(while_any(observed));
    if statements.is_empty() {
        statements.extend(changed(observed));
    }
    statements
}

/// The requests' share of the outstanding calls is rate times time; a recording that has both and contradicts this has a wrong unit, instance or clock.
/// Individual calls have it inherently.
fn little(observed: &Observed) -> Option<Statement> {
    if observed.from != ObservedFrom::Counters {
        return None;
    }
    let alone =
        observed.metadata.time_share.unwrap_or(0.0) + observed.flushes.time_share.unwrap_or(0.0);
    let outstanding = observed.outstanding? * (1.0 - alone);
    let product = observed.requests_per_s? * observed.request_ns? / 1e9;
    let is_off = (product - outstanding).abs() > LITTLE_OFF_MAX * product.max(outstanding);
    (is_off && product.max(outstanding) > 0.05).then(|| {
        Statement::new("explain-little-off")
            .number("outstanding", outstanding)
            .number("product", product)
    })
}

/// While any request is outstanding at least one is, so that the mean is no less than the share of the time with any.
fn while_any(observed: &Observed) -> Option<Statement> {
    let (outstanding, idle_share) = (observed.outstanding?, observed.idle_share?);
    let off_max = match observed.from {
        ObservedFrom::Counters => OUTSTANDING_OFF_MAX,
        ObservedFrom::Trace | ObservedFrom::Load => OUTSTANDING_OFF_MAX_OF_CALLS,
    };
    let is_share = (-off_max..=1.0 + off_max).contains(&idle_share);
    (!is_share || outstanding < 1.0 - idle_share - off_max).then(|| {
        Statement::new("explain-outstanding-off")
            .number("outstanding", outstanding)
            .percent("idle", idle_share * 100.0)
    })
}

fn changed(observed: &Observed) -> Option<Statement> {
    let change = *changes(observed).first()?;
    Some(
        Statement::new("explain-not-steady")
            .time_ns("at", change.at_ns as f64)
            .quantity("before", change.before, Unit::PerSecond)
            .quantity("after", change.after, Unit::PerSecond),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::in_english;
    use crate::explain::rule::one_at_a_time;

    #[test]
    fn a_whole_and_steady_recording_passes() {
        let mut observed = one_at_a_time();
        observed.requests_over_time = (0..200).map(|at| 176.0 + f64::from(at % 7)).collect();
        assert_eq!(closed(&observed), []);
    }

    #[test]
    fn what_is_short_or_does_not_fit_or_changes_is_closed() {
        let words =
            |observed: &Observed| closed(observed).iter().map(in_english).collect::<String>();
        let few = Observed {
            requests: Some(12),
            ..one_at_a_time()
        };
        assert!(words(&few).contains("12"), "{}", words(&few));
        let off = Observed {
            from: ObservedFrom::Counters,
            request_ns: Some(55_000_000.0),
            ..one_at_a_time()
        };
        assert!(words(&off).contains("Little"), "{}", words(&off));
        let off = Observed {
            outstanding: Some(0.4),
            idle_share: Some(0.2),
            ..one_at_a_time()
        };
        assert!(
            words(&off).contains("the number is at least 1"),
            "{}",
            words(&off)
        );
        let mut changes = one_at_a_time();
        changes.requests_over_time = (0..40)
            .map(|at| {
                if at < 20 {
                    100.0
                } else {
                    300.0 + f64::from(at)
                }
            })
            .collect();
        assert!(words(&changes).contains("--from"), "{}", words(&changes));
    }
}
