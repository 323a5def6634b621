//! Does the time go to the network round trip, and not to the server?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::rule::{Figures, Judgement, Rule, depth_probe, lacks_requests, percent, time};
use crate::explain::scaling::{SERIAL_MAX, factor};

/// The rule.
pub const RULE: Rule = Rule {
    name: "distance",
    meaning: "Each request takes a round trip at least. Where that is most of its time, a faster server gains little: fewer round trips, more of them at once, or a nearer client do.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the time that round trips take, from which on they are the limit.
const SHARE_MIN: f64 = 0.5;

fn judge(observed: &Observed) -> Judgement {
    if observed.is_local {
        return Judgement::Silent;
    }
    let (Some(rate), Some(waiting), Some(outstanding)) = (
        observed.requests_per_s,
        observed.waiting_share(),
        observed.outstanding,
    ) else {
        return Judgement::Abstains(vec![lacks_requests(observed)]);
    };
    let (Some(of_calls), Some(round_trip)) = (observed.round_trip_share, observed.round_trip_ns)
    else {
        return Judgement::Abstains(vec![Statement::new("explain-lacks-round-trip")]);
    };
    let share = of_calls * waiting;
    if share < SHARE_MIN {
        return Judgement::Silent;
    }
    let gain = 1.0 / (1.0 - share).max(0.02);
    // At the server there are fewer requests at once than outstanding: some are on their way.
    let at_server = outstanding * (1.0 - of_calls);
    let spread = factor(at_server.max(1.0), outstanding.max(1.0), SERIAL_MAX);
    let least = (spread / at_server.clamp(0.02, 1.0)).min(gain);
    Judgement::Found(Box::new(Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-distance-claim")
            .time_ns("round", round_trip)
            .percent("share", of_calls * 100.0),
        evidence: Figures::of(observed)
            .and(
                Statement::new("explain-figure-round-trip"),
                Some(time(round_trip)),
            )
            .and(
                Statement::new("explain-figure-round-trip-share"),
                Some(percent(of_calls)),
            )
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![Statement::new("explain-not-server").time_ns(
            "rest",
            observed.request_ns.unwrap_or(0.0) * (1.0 - of_calls),
        )],
        advice: Statement::new("explain-distance-advice"),
        prediction: Prediction {
            change: Change::NoRoundTrip,
            requests_per_s: rate,
            low: 0.85 * least,
            high: 1.15 * gain,
        },
        next_limit: Statement::new("explain-next-server"),
        experiment: depth_probe(observed),
        refuted_by: Statement::new("explain-distance-refuted").quantity(
            "rate",
            rate * 1.2,
            Unit::PerSecond,
        ),
        time_share: share,
        seconds: observed.span_s() * share,
    }))
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::Observed;

    pub fn examples() -> Examples {
        let far = Observed {
            round_trip_ns: Some(5_000_000.0),
            round_trip_share: Some(0.91),
            ..one_at_a_time()
        };
        Examples {
            fires: vec![far],
            silent: vec![one_at_a_time()],
        }
    }
}
