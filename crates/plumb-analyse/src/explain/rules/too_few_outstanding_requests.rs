//! Does the application wait for requests one by one, although the storage could serve several at once?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::rule::{
    Figures, Judgement, Rule, depth_probe, lacks_outstanding, lacks_requests, missing, percent,
    proof, saved_share,
};
use crate::explain::scaling::{SERIAL_MAX, factor, growth, path_use};

/// The rule.
pub const RULE: Rule = Rule {
    name: "too_few_outstanding_requests",
    meaning: "An application that waits for each answer before it asks again gets one request per answer time, however fast the storage is. With more requests outstanding the waiting times overlap.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Callers wait for this part of the time at least: else it is the application that is waited for.
const WAITING_MIN: f64 = 0.8;
/// More outstanding requests than this are not few.
const FEW: u64 = 16;
/// With several outstanding, the rate has to grow with this exponent, for more to help.
const GROWTH_MIN: f64 = 0.6;
/// Share of the requests that took the last credit, from which on the credits are the limit.
const CREDITS_MAX: f64 = 0.05;
/// Above this use of the path, it is the limit.
const PATH_MAX: f64 = 0.7;
/// A core that is busier has no room for more.
const CORE_MAX: f64 = 0.7;
/// Advised number: this many in place of one, or this many times the current number.
const TO: f64 = 8.0;
const TIMES: f64 = 4.0;

fn judge(observed: &Observed) -> Judgement {
    let (Some(rate), Some(most), Some(outstanding), Some(waiting)) = (
        observed.requests_per_s,
        observed.outstanding_most,
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
    let path = path_use(observed);
    let ceiling = observed
        .ceiling_bytes_per_s
        .zip(observed.bytes_per_s)
        .map(|(ceiling, bytes)| ceiling / bytes);
    let full = path.is_some_and(|path| path.share > PATH_MAX) || ceiling.is_some_and(|of| of < 1.3);
    let busy_core = observed
        .processors
        .busiest_core
        .is_some_and(|share| share > CORE_MAX);
    if most > FEW || waiting < WAITING_MIN || starved || full || busy_core {
        return Judgement::Silent;
    }
    let grown = growth(observed);
    if most > 1 {
        match grown {
            None => {
                return Judgement::Abstains(vec![
                    Statement::new("explain-lacks-depths").name("command", depth_probe(observed)),
                ]);
            }
            Some(grown) if grown.exponent < GROWTH_MIN => return Judgement::Silent,
            Some(_) => {}
        }
    }
    let to = if most == 1 { TO } else { most as f64 * TIMES };
    let prediction = predicted(observed, rate, most as f64, to);
    let time_share = saved_share(prediction.low, prediction.high) * waiting;
    Judgement::Found(Box::new(Explanation {
        rule: RULE.name.into(),
        claim: claim(observed, most, outstanding, waiting),
        evidence: Figures::of(observed).waiting().requests().list(),
        ruled_out: ruled_out(observed),
        advice: Statement::new("explain-few-advice").count("to", to as u64),
        prediction,
        next_limit: next_limit(path.is_some(), ceiling.is_some()),
        experiment: proof(observed, RULE.name),
        refuted_by: Statement::new("explain-few-refuted")
            .count("twice", most * 2)
            .quantity("rate", rate * 1.3, Unit::PerSecond),
        time_share,
        seconds: observed.span_s() * time_share,
    }))
}

fn claim(observed: &Observed, most: u64, outstanding: f64, waiting: f64) -> Statement {
    let waiting = waiting * 100.0;
    match (most, observed.request_ns) {
        (1, Some(time)) => Statement::new("explain-few-claim-one")
            .number("outstanding", outstanding)
            .percent("waiting", waiting)
            .time_ns("time", time),
        _ => Statement::new("explain-few-claim")
            .count("most", most)
            .percent("waiting", waiting),
    }
}

/// The interval: from no mutual waiting to the largest expected serial share, limited by the path and a measured ceiling.
fn predicted(observed: &Observed, rate: f64, from: f64, to: f64) -> Prediction {
    // What a request spends on its way can overlap with that of others for certain.
    let on_the_way = observed.round_trip_share.unwrap_or(0.0);
    let serial = SERIAL_MAX * (1.0 - on_the_way);
    let (mut low, mut high) = (factor(from, to, serial), factor(from, to, 0.0));
    if let Some(grown) = growth(observed) {
        low = low.min((to / from).powf((grown.exponent - 0.4).max(0.0)));
    }
    if let Some(path) = path_use(observed).filter(|path| path.share > 0.0) {
        low = low.min((0.9 / path.share).max(1.0));
        if path.is_serial {
            high = high.min((1.1 / path.share).max(low));
        }
    }
    if let (Some(ceiling), Some(bytes)) = (observed.ceiling_bytes_per_s, observed.bytes_per_s) {
        high = high.min((1.05 * ceiling / bytes).max(1.0));
        low = low.min(high * 0.9);
    }
    Prediction {
        change: Change::Outstanding { from, to },
        requests_per_s: rate,
        low,
        // What varies by chance from one recording to the next comes on top.
        high: high * 1.05,
    }
}

fn ruled_out(observed: &Observed) -> Vec<Statement> {
    let mut statements = Vec::new();
    let flow = &observed.flow;
    if flow.stalls_per_s == Some(0.0) || flow.last_credit_share.is_some() {
        statements.push(Statement::new("explain-not-credits"));
    }
    if let Some(path) = path_use(observed) {
        statements.push(Statement::new("explain-not-path").percent("share", path.share * 100.0));
    }
    if let (Some(ceiling), Some(bytes)) = (observed.ceiling_bytes_per_s, observed.bytes_per_s) {
        statements.push(
            Statement::new("explain-not-ceiling")
                .quantity("bytes", bytes, Unit::BytesPerSecond)
                .quantity("ceiling", ceiling, Unit::BytesPerSecond),
        );
    }
    if let Some(share) = observed.waiting_share() {
        let (value, unit) = percent(1.0 - share);
        statements.push(Statement::new("explain-not-application").quantity("pauses", value, unit));
    }
    statements
}

fn next_limit(path_known: bool, ceiling_known: bool) -> Statement {
    if path_known || ceiling_known {
        Statement::new("explain-next-path")
    } else {
        Statement::new("explain-next-unknown")
    }
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::{FlowControl, Observed};

    pub fn examples() -> Examples {
        let thinks = Observed {
            outstanding: Some(0.3),
            by_outstanding: Vec::new(),
            ..one_at_a_time()
        };
        let starved = Observed {
            flow: FlowControl {
                stalls_per_s: Some(20.0),
                ..FlowControl::default()
            },
            ..one_at_a_time()
        };
        let full = Observed {
            ceiling_bytes_per_s: Some(19e6),
            ..one_at_a_time()
        };
        Examples {
            fires: vec![one_at_a_time()],
            silent: vec![thinks, starved, full],
        }
    }
}
