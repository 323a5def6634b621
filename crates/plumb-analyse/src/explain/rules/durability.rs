//! Does the time go to making data durable: flushes that each wait for the storage?

use plumb_model::explain::conclusion::Change;
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::call_time::{self, Limit};
use crate::explain::rule::{Judgement, Rule};

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
    let flushes = &observed.flushes;
    let lacks = Statement::new("explain-lacks-flush-times");
    call_time::judge(RULE.name, observed, flushes, (lacks, SHARE_MIN), |calls| {
        Some(Limit {
            claim: Statement::new("explain-flushes-claim")
                .percent("share", calls.share * 100.0)
                .time_ns("time", flushes.mean_ns?)
                .number("writes", calls.requests_per_s / calls.per_s.max(1e-9)),
            figures: [
                Statement::new("explain-figure-flushes"),
                Statement::new("explain-figure-flush-time"),
                Statement::new("explain-figure-flush-share"),
            ],
            advice: Statement::new("explain-flushes-advice").number("together", TOGETHER),
            change: Change::FlushesTogether { flushes: TOGETHER },
            saved: 1.0 - 1.0 / TOGETHER,
            refuted_by: |rate| {
                Statement::new("explain-flushes-refuted").quantity("rate", rate, Unit::PerSecond)
            },
        })
    })
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
