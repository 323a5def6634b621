//! Does the time go to the application, between a response and its next request?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::prediction::least_gain;
use crate::explain::rule::{
    Figures, Judgement, Rule, lacks_outstanding, lacks_requests, missing, proof,
};
use crate::explain::scaling::{SERIAL_MAX, factor, growth, queueing};

/// The rule.
pub const RULE: Rule = Rule {
    name: "storage_waits_for_application",
    meaning: "An application that computes, reads elsewhere or pauses between its requests leaves the storage idle. Faster storage then gains little.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Callers wait for storage for less than this part of the time.
const WAITING_MAX: f64 = 0.5;
/// Above this part of requests that took the last credit, pauses are not the application's.
const CREDITS_MAX: f64 = 0.1;
/// Storage that makes requests wait for one another, or answers no more when more are outstanding, does not wait.
const QUEUEING_MAX: f64 = 0.7;
const GROWTH_MIN: f64 = 0.12;

fn judge(observed: &Observed) -> Judgement {
    let (Some(rate), Some(outstanding), Some(waiting)) = (
        observed.requests_per_s,
        observed.outstanding,
        observed.waiting_share(),
    ) else {
        let needs = [
            (observed.requests_per_s.is_some(), lacks_requests(observed)),
            (
                observed.waiting_share().is_some(),
                lacks_outstanding(observed),
            ),
        ];
        return missing(&needs).unwrap_or(Judgement::Silent);
    };
    let flow = &observed.flow;
    let starved = flow.stalls_per_s.is_some_and(|stalls| stalls > 0.0)
        || flow
            .last_credit_share
            .is_some_and(|share| share > CREDITS_MAX);
    let queues = queueing(observed).is_some_and(|share| share >= QUEUEING_MAX)
        || growth(observed).is_some_and(|grown| grown.exponent < GROWTH_MIN);
    if waiting >= WAITING_MAX || waiting <= 0.0 || starved || queues {
        return Judgement::Silent;
    }
    let prediction = Prediction {
        change: Change::NoPauses,
        requests_per_s: rate,
        low: least(observed, outstanding, waiting),
        high: 1.1 / (0.85 * waiting),
    };
    let time_share = 1.0 - waiting;
    Judgement::Found(Box::new(Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-pauses-claim")
            .percent("waiting", waiting * 100.0)
            .percent("pauses", time_share * 100.0),
        evidence: Figures::of(observed).waiting().requests().list(),
        ruled_out: vec![Statement::new("explain-not-storage").quantity(
            "most",
            1.0 / time_share,
            Unit::Times,
        )],
        advice: Statement::new("explain-pauses-advice"),
        prediction,
        next_limit: Statement::new("explain-next-unknown"),
        experiment: proof(observed, RULE.name),
        refuted_by: Statement::new("explain-pauses-refuted").quantity(
            "rate",
            least_gain(&prediction) * rate,
            Unit::PerSecond,
        ),
        time_share,
        seconds: observed.span_s() * time_share,
    }))
}

/// Lower bound without pauses: then one request per caller is outstanding, and they may wait for one another.
fn least(observed: &Observed, outstanding: f64, waiting: f64) -> f64 {
    let callers = (outstanding / waiting).max(1.0);
    let by_law = factor(outstanding.max(1.0), callers, SERIAL_MAX) / outstanding.min(1.0);
    let seen = match growth(observed) {
        Some(grown) => (1.0 / waiting).powf((grown.exponent - 0.3).clamp(0.0, 1.0)),
        None => by_law,
    };
    (0.9 * by_law.min(seen)).max(0.9)
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::Observed;

    pub fn examples() -> Examples {
        let thinks = Observed {
            outstanding: Some(0.2),
            idle_share: Some(0.8),
            by_outstanding: Vec::new(),
            ..one_at_a_time()
        };
        Examples {
            fires: vec![thinks],
            silent: vec![one_at_a_time()],
        }
    }
}
