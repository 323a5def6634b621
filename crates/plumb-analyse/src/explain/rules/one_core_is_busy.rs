//! Is one core of the client always busy with the work of one connection or one thread?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::prediction::least_gain;
use crate::explain::rule::{
    Figures, Judgement, Rule, lacks_outstanding, lacks_requests, missing, percent, proof,
    saved_share,
};
use crate::explain::scaling::growth;

/// The rule.
pub const RULE: Rule = Rule {
    name: "one_core_is_busy",
    meaning: "Encrypting, signing, copying and interrupts of one connection are done by one core. Where it is busy all of the time, neither more nor larger requests help; several connections or threads do.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// A core is busy from this share of the time on.
const BUSY_MIN: f64 = 0.9;
/// With all cores as busy as this, it is not one of them.
const ALL_BUSY: f64 = 0.8;
/// Callers wait for this part of the time at least: else the core does the application's own work.
const WAITING_MIN: f64 = 0.5;
/// One request after the other keeps no second core busy.
const OUTSTANDING_MIN: f64 = 1.5;
/// A rate that grows with this exponent of the outstanding requests is not limited by one core.
const GROWTH_MAX: f64 = 0.6;
/// Predicted change: this many times the connections.
const TIMES: f64 = 4.0;

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
    let processors = &observed.processors;
    let Some(busiest) = processors.busiest_core else {
        return Judgement::Abstains(vec![Statement::new("explain-lacks-cores")]);
    };
    let everywhere = processors.all_cores.is_some_and(|share| share > ALL_BUSY);
    let grows = growth(observed).is_some_and(|grown| grown.exponent > GROWTH_MAX);
    if busiest < BUSY_MIN
        || everywhere
        || grows
        || waiting < WAITING_MIN
        || outstanding < OUTSTANDING_MIN
    {
        return Judgement::Silent;
    }
    let prediction = predicted(observed, rate, outstanding);
    let time_share = saved_share(prediction.low, prediction.high);
    Judgement::Found(Box::new(Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-core-claim").percent("busy", busiest * 100.0),
        evidence: Figures::of(observed)
            .and(
                Statement::new("explain-figure-busiest-core"),
                Some(percent(busiest)),
            )
            .and(
                Statement::new("explain-figure-all-cores"),
                processors.all_cores.map(percent),
            )
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![Statement::new("explain-not-application").quantity(
            "pauses",
            (1.0 - waiting) * 100.0,
            Unit::Percent,
        )],
        advice: Statement::new("explain-core-advice"),
        refuted_by: Statement::new("explain-core-refuted").quantity(
            "rate",
            rate * least_gain(&prediction),
            Unit::PerSecond,
        ),
        prediction,
        next_limit: Statement::new("explain-next-unknown"),
        experiment: proof(observed, RULE.name),
        time_share,
        seconds: observed.span_s() * time_share,
    }))
}

/// As many cores as there are connections do as much each, as long as there are cores and requests for all; what limits next is not known.
fn predicted(observed: &Observed, rate: f64, outstanding: f64) -> Prediction {
    let cores = observed
        .processors
        .cores
        .map_or(TIMES, |cores| cores as f64);
    let mut high = 1.05 * TIMES.min(cores).min(outstanding.max(1.0) * 1.5);
    if let (Some(ceiling), Some(bytes)) = (observed.ceiling_bytes_per_s, observed.bytes_per_s) {
        high = high.min((1.05 * ceiling / bytes).max(1.0));
    }
    Prediction {
        change: Change::Connections { times: TIMES },
        requests_per_s: rate,
        low: 1.2f64.min(high),
        high,
    }
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::{Observed, Processors};

    pub fn examples() -> Examples {
        let with = |busiest, outstanding, most| Observed {
            outstanding: Some(outstanding),
            outstanding_most: Some(most),
            by_outstanding: Vec::new(),
            processors: Processors {
                busiest_core: Some(busiest),
                all_cores: Some(0.2),
                cores: Some(8),
            },
            ..one_at_a_time()
        };
        Examples {
            fires: vec![with(0.98, 7.9, 8)],
            silent: vec![with(0.5, 7.9, 8), with(0.98, 0.98, 1)],
        }
    }
}
