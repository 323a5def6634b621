//! What do rules conclude from the share of time that one kind of call takes?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::{CallShare, Observed};
use plumb_model::statement::{Statement, Unit};

use crate::explain::rule::{Figures, Judgement, lacks_requests, percent, proof, time};

/// The calls of this kind, beside the requests.
pub struct CallTime {
    /// Requests per second.
    pub requests_per_s: f64,
    /// Calls of this kind per second.
    pub per_s: f64,
    /// Part of the time of all calls, 0 to 1.
    pub share: f64,
}

/// What is particular to the rule.
pub struct Limit {
    pub claim: Statement,
    /// Names of three figures: calls per second, mean time, and their share of the time.
    pub figures: [Statement; 3],
    pub advice: Statement,
    pub change: Change,
    /// Part of the calls' time that the change saves, 0 to 1.
    pub saved: f64,
    /// The statement that refutes the prediction, with the rate below which it does.
    pub refuted_by: fn(f64) -> Statement,
}

/// Finds the limit where the calls take at least `share_min` of the time. Abstains with `lacks` where their time is not known.
pub fn judge(
    rule: &str,
    observed: &Observed,
    calls: &CallShare,
    (lacks, share_min): (Statement, f64),
    limit: impl FnOnce(&CallTime) -> Option<Limit>,
) -> Judgement {
    let (Some(rate), Some(waiting)) = (observed.requests_per_s, observed.waiting_share()) else {
        return Judgement::Abstains(vec![lacks_requests(observed)]);
    };
    let Some(of_calls) = calls.time_share else {
        return Judgement::Abstains(vec![lacks]);
    };
    let share = of_calls * waiting;
    let Some(per_s) = calls.per_s.filter(|_| share >= share_min) else {
        return Judgement::Silent;
    };
    let found = limit(&CallTime {
        requests_per_s: rate,
        per_s,
        share: of_calls,
    });
    let Some(limit) = found else {
        return Judgement::Silent;
    };
    let saved = share * limit.saved;
    let more = 1.0 / (1.0 - saved).max(0.02) - 1.0;
    let [per_second, mean, share_of_time] = limit.figures;
    Judgement::Found(Box::new(Explanation {
        rule: rule.into(),
        claim: limit.claim,
        evidence: Figures::of(observed)
            .and(per_second, Some((per_s, Unit::PerSecond)))
            .and(mean, calls.mean_ns.map(time))
            .and(share_of_time, Some(percent(of_calls)))
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![
            Statement::new("explain-not-transfers").percent("rest", (1.0 - of_calls) * 100.0),
        ],
        advice: limit.advice,
        prediction: Prediction {
            change: limit.change,
            requests_per_s: rate,
            low: 1.0 + 0.6 * more,
            high: 1.0 + 1.25 * more,
        },
        next_limit: Statement::new("explain-next-transfers"),
        experiment: proof(observed, rule),
        refuted_by: (limit.refuted_by)(rate * (1.0 + 0.3 * more)),
        time_share: saved,
        seconds: observed.span_s() * saved,
    }))
}
