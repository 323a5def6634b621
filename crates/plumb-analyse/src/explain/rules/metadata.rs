//! Does the time go to names, attributes, opens and closes, and not to reads and writes?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::rule::{Figures, Judgement, Rule, lacks_requests, percent, proof, time};

/// The rule.
pub const RULE: Rule = Rule {
    name: "metadata",
    meaning: "Many small files cost a handful of calls each before and after their few bytes. Where those take the time, larger requests or a faster path gain little.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the time that these calls take, from which on they are the limit.
const SHARE_MIN: f64 = 0.4;

fn judge(observed: &Observed) -> Judgement {
    let (Some(rate), Some(waiting)) = (observed.requests_per_s, observed.waiting_share()) else {
        return Judgement::Abstains(vec![lacks_requests()]);
    };
    let metadata = &observed.metadata;
    let Some(of_calls) = metadata.time_share else {
        return Judgement::Abstains(vec![Statement::new("explain-lacks-metadata-times")]);
    };
    let share = of_calls * waiting;
    let (Some(most), Some(per_s)) = (&metadata.most, metadata.per_s) else {
        return Judgement::Silent;
    };
    if share < SHARE_MIN {
        return Judgement::Silent;
    }
    let more = 1.0 / (1.0 - share).max(0.02) - 1.0;
    Judgement::Found(Box::new(Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-metadata-claim")
            .percent("share", of_calls * 100.0)
            .name("most", most)
            .number("each", per_s / rate.max(1e-9)),
        evidence: Figures::of(observed)
            .and(
                Statement::new("explain-figure-metadata"),
                Some((per_s, Unit::PerSecond)),
            )
            .and(
                Statement::new("explain-figure-metadata-time"),
                metadata.mean_ns.map(time),
            )
            .and(
                Statement::new("explain-figure-metadata-share"),
                Some(percent(of_calls)),
            )
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![
            Statement::new("explain-not-transfers").percent("rest", (1.0 - of_calls) * 100.0),
        ],
        advice: Statement::new("explain-metadata-advice"),
        prediction: Prediction {
            change: Change::NoMetadata,
            requests_per_s: rate,
            low: 1.0 + 0.6 * more,
            high: 1.0 + 1.25 * more,
        },
        next_limit: Statement::new("explain-next-transfers"),
        experiment: proof(observed, RULE.name),
        refuted_by: Statement::new("explain-metadata-refuted").quantity(
            "rate",
            rate * (1.0 + 0.3 * more),
            Unit::PerSecond,
        ),
        time_share: share,
        seconds: observed.span_s() * share,
    }))
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::{CallShare, Observed};

    pub fn examples() -> Examples {
        let with = |time_share| Observed {
            metadata: CallShare {
                per_s: Some(500.0),
                mean_ns: Some(1_400_000.0),
                time_share: Some(time_share),
                most: Some("CREATE".into()),
            },
            ..one_at_a_time()
        };
        Examples {
            fires: vec![with(0.72)],
            silent: vec![with(0.1)],
        }
    }
}
