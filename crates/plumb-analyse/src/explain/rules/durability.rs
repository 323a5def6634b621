//! Does the time go to making data durable: flushes that each wait for the storage?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::rule::{Figures, Judgement, Rule, lacks_requests, percent, proof, time};

/// The rule.
pub const RULE: Rule = Rule {
    name: "durability",
    meaning: "A flush waits until all that was written is durable. Where flushes take the time, one flush for several writes saves most of it; leaving them out is never advised.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the time that flushes take, from which on they are the limit.
const SHARE_MIN: f64 = 0.3;
/// Predicted change: one flush in place of this many.
const TOGETHER: f64 = 4.0;

fn judge(observed: &Observed) -> Judgement {
    let (Some(rate), Some(waiting)) = (observed.requests_per_s, observed.waiting_share()) else {
        return Judgement::Abstains(vec![lacks_requests()]);
    };
    let flushes = &observed.flushes;
    let Some(of_calls) = flushes.time_share else {
        return Judgement::Abstains(vec![Statement::new("explain-lacks-flush-times")]);
    };
    let share = of_calls * waiting;
    let (true, Some(per_s), Some(mean_ns)) = (share >= SHARE_MIN, flushes.per_s, flushes.mean_ns)
    else {
        return Judgement::Silent;
    };
    let saved = share * (1.0 - 1.0 / TOGETHER);
    let more = 1.0 / (1.0 - saved).max(0.02) - 1.0;
    Judgement::Found(Box::new(Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-flushes-claim")
            .percent("share", of_calls * 100.0)
            .time_ns("time", mean_ns)
            .number("writes", rate / per_s.max(1e-9)),
        evidence: Figures::of(observed)
            .and(
                Statement::new("explain-figure-flushes"),
                Some((per_s, Unit::PerSecond)),
            )
            .and(
                Statement::new("explain-figure-flush-time"),
                Some(time(mean_ns)),
            )
            .and(
                Statement::new("explain-figure-flush-share"),
                Some(percent(of_calls)),
            )
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![
            Statement::new("explain-not-transfers").percent("rest", (1.0 - of_calls) * 100.0),
        ],
        advice: Statement::new("explain-flushes-advice").number("together", TOGETHER),
        prediction: Prediction {
            change: Change::FlushesTogether { flushes: TOGETHER },
            requests_per_s: rate,
            low: 1.0 + 0.6 * more,
            high: 1.0 + 1.25 * more,
        },
        next_limit: Statement::new("explain-next-transfers"),
        experiment: proof(observed, RULE.name),
        refuted_by: Statement::new("explain-flushes-refuted").quantity(
            "rate",
            rate * (1.0 + 0.3 * more),
            Unit::PerSecond,
        ),
        time_share: saved,
        seconds: observed.span_s() * saved,
    }))
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::{CallShare, Observed};

    pub fn examples() -> Examples {
        let with = |time_share| Observed {
            flushes: CallShare {
                per_s: Some(176.0),
                mean_ns: Some(3_000_000.0),
                time_share: Some(time_share),
                most: Some("FLUSH".into()),
            },
            ..one_at_a_time()
        };
        Examples {
            fires: vec![with(0.55)],
            silent: vec![with(0.05)],
        }
    }
}
