//! Does the client wait for credits that the server has not granted?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::prediction::least_gain;
use crate::explain::rule::{
    Figures, Judgement, Rule, lacks_requests, missing, percent, proof, saved_share,
};
use crate::explain::scaling::{SERIAL_MAX, factor, path_use};

/// The rule.
pub const RULE: Rule = Rule {
    name: "flow_control",
    meaning: "A client may have as many requests outstanding as the server granted credits for. Where those run out, more threads gain nothing; more credits do.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the requests that took the last credit or had to wait for one, from which on credits are the limit. Of eight that are answered together, one takes the last.
const SHARE_MIN: f64 = 0.1;
/// Predicted change: this many times the credits.
const TIMES: f64 = 4.0;
/// A path that is as full as this is the limit before the credits are.
const PATH_MAX: f64 = 0.85;

fn judge(observed: &Observed) -> Judgement {
    if observed.is_local {
        return Judgement::Silent;
    }
    let (Some(rate), Some(outstanding)) = (observed.requests_per_s, observed.outstanding) else {
        return Judgement::Abstains(vec![lacks_requests(observed)]);
    };
    let flow = &observed.flow;
    let stalled = flow.stalls_per_s.map(|stalls| stalls / rate.max(1e-9));
    let lacks = [(
        stalled.or(flow.last_credit_share).is_some(),
        Statement::new("explain-lacks-credits"),
    )];
    if let Some(abstains) = missing(&lacks) {
        return abstains;
    }
    let share = stalled.or(flow.last_credit_share).unwrap_or(0.0).min(1.0);
    let full = path_use(observed).is_some_and(|path| path.is_serial && path.share >= PATH_MAX);
    if share < SHARE_MIN || full {
        return Judgement::Silent;
    }
    let (from, to) = (outstanding.max(1.0), outstanding.max(1.0) * TIMES);
    let prediction = Prediction {
        change: Change::Credits { times: TIMES },
        requests_per_s: rate,
        low: 0.95 * factor(from, to, SERIAL_MAX).min(1.2),
        high: 1.05 * TIMES,
    };
    let time_share = saved_share(prediction.low, prediction.high);
    Judgement::Found(Box::new(Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-credits-claim").percent("share", share * 100.0),
        evidence: Figures::of(observed)
            .and(
                Statement::new("explain-figure-credits-share"),
                Some(percent(share)),
            )
            .and(
                Statement::new("explain-figure-credits"),
                flow.credits_in_use,
            )
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![Statement::new("explain-not-threads")],
        advice: Statement::new("explain-credits-advice"),
        prediction,
        next_limit: Statement::new("explain-next-unknown"),
        experiment: proof(observed, RULE.name),
        refuted_by: Statement::new("explain-credits-refuted").quantity(
            "rate",
            least_gain(&prediction) * rate,
            Unit::PerSecond,
        ),
        time_share,
        seconds: observed.span_s() * time_share,
    }))
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::{FlowControl, Observed};

    pub fn examples() -> Examples {
        let took = |share| Observed {
            outstanding: Some(7.8),
            outstanding_most: Some(8),
            flow: FlowControl {
                stalls_per_s: None,
                last_credit_share: Some(share),
                credits_in_use: Some(8),
            },
            ..one_at_a_time()
        };
        Examples {
            fires: vec![took(0.95)],
            silent: vec![took(0.0)],
        }
    }
}
