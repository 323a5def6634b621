//! Are more requests outstanding than the storage can use, so that they only wait for one another?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::{Observed, ObservedFrom};
use plumb_model::statement::{Statement, Unit};

use crate::explain::rule::{
    Figures, Judgement, Rule, depth_probe, lacks_outstanding, lacks_requests, missing, proof,
};
use crate::explain::scaling::{growth, path_use, queueing};

/// The rule.
pub const RULE: Rule = Rule {
    name: "more_outstanding_than_needed",
    meaning: "Beyond the number of requests that keeps the storage busy, each further one only makes all others wait: the same rate, with longer times.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Fewer than this are not many.
const MANY: f64 = 4.0;
/// The rate grows with less than this exponent of the outstanding requests: it does not.
const GROWTH_MAX: f64 = 0.12;
/// From this part of the time on, requests wait for those before them.
const QUEUEING_MIN: f64 = 0.7;
/// Above this part of requests that took the last credit, no more can be outstanding than credits let, and all of them are needed; unless the path is as full as this.
const CREDITS_MAX: f64 = 0.1;
const PATH_MAX: f64 = 0.85;
/// A disk is busy from this share of the time on; above this time of a request, its queue is what takes it (PAL's limit for a slow disk is 15 ms).
const DISK_BUSY_MIN: f64 = 0.8;
const DISK_TIME_MIN_NS: f64 = 15e6;
/// Half of them: half of the waiting.
const SAVED: f64 = 0.5;

fn judge(observed: &Observed) -> Judgement {
    let (Some(rate), Some(outstanding)) = (observed.requests_per_s, observed.outstanding) else {
        let needs = [
            (observed.requests_per_s.is_some(), lacks_requests(observed)),
            (observed.outstanding.is_some(), lacks_outstanding(observed)),
        ];
        return missing(&needs).unwrap_or(Judgement::Silent);
    };
    let takes_last = observed.flow.last_credit_share;
    let by_credits = takes_last.is_some_and(|share| share > CREDITS_MAX)
        && path_use(observed).is_none_or(|path| !path.is_serial || path.share < PATH_MAX);
    if outstanding < MANY || by_credits {
        return Judgement::Silent;
    }
    let full = queueing(observed).filter(|share| *share >= QUEUEING_MIN);
    if let Some(busy) = busy_disk(observed) {
        return Judgement::Found(Box::new(found(
            observed,
            (rate, outstanding),
            Statement::new("explain-disk-claim")
                .name("disk", observed.target.clone().unwrap_or_default())
                .percent("busy", busy * 100.0)
                .number("outstanding", outstanding)
                .time_ns("time", observed.request_ns.unwrap_or(0.0)),
            Statement::new("explain-many-queue"),
            Statement::new("explain-disk-advice"),
        )));
    }
    let grown = growth(observed);
    let flat = grown.is_some_and(|grown| grown.exponent < GROWTH_MAX);
    if !flat && full.is_none() {
        return match grown {
            Some(_) => Judgement::Silent,
            None => Judgement::Abstains(vec![
                Statement::new("explain-lacks-depths").name("command", depth_probe(observed)),
            ]),
        };
    }
    let statement = match (grown, full) {
        (Some(grown), _) if flat => Statement::new("explain-many-flat")
            .number("few", grown.few)
            .number("many", grown.many),
        _ => Statement::new("explain-many-queue"),
    };
    Judgement::Found(Box::new(found(
        observed,
        (rate, outstanding),
        Statement::new("explain-many-claim")
            .number("outstanding", outstanding)
            .time_ns("time", observed.request_ns.unwrap_or(0.0)),
        statement,
        Statement::new("explain-many-advice").number("to", outstanding / 2.0),
    )))
}

/// Busy share of a local disk that is the limit by the counters of its machine: hardly ever idle, with requests that take as long as only a queue makes them.
fn busy_disk(observed: &Observed) -> Option<f64> {
    let busy = 1.0 - observed.idle_share?;
    let is_slow = observed.request_ns? >= DISK_TIME_MIN_NS;
    let by_counters = observed.is_local && observed.from == ObservedFrom::Counters;
    (by_counters && busy >= DISK_BUSY_MIN && is_slow).then_some(busy)
}

fn found(
    observed: &Observed,
    (rate, outstanding): (f64, f64),
    claim: Statement,
    ruled_out: Statement,
    advice: Statement,
) -> Explanation {
    Explanation {
        rule: RULE.name.into(),
        claim,
        evidence: Figures::of(observed).waiting().requests().list(),
        ruled_out: vec![ruled_out],
        advice,
        prediction: Prediction {
            change: Change::Outstanding {
                from: outstanding,
                to: outstanding / 2.0,
            },
            requests_per_s: rate,
            low: 0.85,
            high: 1.05,
        },
        next_limit: Statement::new("explain-next-server"),
        experiment: proof(observed, RULE.name),
        refuted_by: Statement::new("explain-many-refuted").quantity(
            "rate",
            rate * 0.9,
            Unit::PerSecond,
        ),
        time_share: SAVED,
        seconds: observed.span_s() * SAVED,
    }
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::{Observed, ObservedFrom};
    use plumb_model::trace::summary::DepthFigures;

    pub fn examples() -> Examples {
        let at = |outstanding, answered| DepthFigures {
            outstanding,
            time_ns: 1_000_000_000,
            answered,
        };
        let many = |rates: [u64; 3]| Observed {
            outstanding: Some(32.0),
            outstanding_most: Some(40),
            request_ns: Some(180_000_000.0),
            by_outstanding: vec![at(10, rates[0]), at(20, rates[1]), at(40, rates[2])],
            ..one_at_a_time()
        };
        let busy_disk = Observed {
            from: ObservedFrom::Counters,
            target: Some("0 C:".into()),
            is_local: true,
            requests_per_s: Some(300.0),
            request_ns: Some(26_700_000.0),
            outstanding: Some(8.0),
            outstanding_most: Some(8),
            idle_share: Some(0.05),
            by_outstanding: Vec::new(),
            ..one_at_a_time()
        };
        Examples {
            fires: vec![many([176, 177, 176]), busy_disk],
            silent: vec![one_at_a_time(), many([100, 176, 300])],
        }
    }
}
