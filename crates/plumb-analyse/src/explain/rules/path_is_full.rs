//! Is the path to the storage at its bandwidth limit?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::rule::{Figures, Judgement, Rule, lacks_outstanding, percent, proof};
use crate::explain::scaling::path_use;

/// The rule.
pub const RULE: Rule = Rule {
    name: "path_is_full",
    meaning: "A path that carries as many bytes per second as it can gains nothing by more or larger requests. Only a measured ceiling counts, or requests that are seen to wait for the bytes of others; the nominal speed never does.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Utilization of the path from which it counts as full.
const FULL: f64 = 0.85;
/// A core that is busier than this may be what requests wait for.
const CORE_MAX: f64 = 0.9;

fn judge(observed: &Observed) -> Judgement {
    let (Some(bytes), Some(rate), Some(outstanding)) = (
        observed.bytes_per_s,
        observed.requests_per_s,
        observed.outstanding,
    ) else {
        return Judgement::Abstains(vec![lacks_outstanding(observed)]);
    };
    // A saturated core looks like a full path: it has its own rule.
    let busy_core = observed
        .processors
        .busiest_core
        .is_some_and(|share| share > CORE_MAX);
    if busy_core && observed.ceiling_bytes_per_s.is_none() {
        return Judgement::Silent;
    }
    let measured = observed
        .ceiling_bytes_per_s
        .map(|ceiling| (bytes / ceiling).min(1.0));
    let seen = path_use(observed).filter(|path| path.is_serial);
    let share = match (measured, seen) {
        (Some(share), _) => share,
        (None, Some(path)) => path.share,
        // Sizes varied and requests overlapped, and none waited for the bytes of others.
        (None, None)
            if observed
                .transfer_time
                .is_some_and(|time| time.ns_per_byte_before.is_some()) =>
        {
            return Judgement::Silent;
        }
        (None, None) => {
            return Judgement::Abstains(vec![Statement::new("explain-lacks-ceiling")]);
        }
    };
    if share < FULL {
        return Judgement::Silent;
    }
    Judgement::Found(Box::new(found(
        observed,
        (bytes, rate, outstanding),
        share,
        measured.is_some(),
    )))
}

fn found(
    observed: &Observed,
    (bytes, rate, outstanding): (f64, f64, f64),
    share: f64,
    is_measured: bool,
) -> Explanation {
    let ceiling = observed.ceiling_bytes_per_s.unwrap_or(bytes / share);
    let why = match is_measured {
        true => Statement::new("explain-path-measured").quantity(
            "ceiling",
            ceiling,
            Unit::BytesPerSecond,
        ),
        false => {
            Statement::new("explain-path-seen").quantity("ceiling", ceiling, Unit::BytesPerSecond)
        }
    };
    Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-path-claim")
            .quantity("bytes", bytes, Unit::BytesPerSecond)
            .percent("share", share * 100.0),
        evidence: Figures::of(observed)
            .and(
                Statement::new("explain-figure-bytes"),
                Some((bytes, Unit::BytesPerSecond)),
            )
            .and(Statement::new("explain-figure-path"), Some(percent(share)))
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![why],
        advice: Statement::new("explain-path-advice"),
        prediction: Prediction {
            change: Change::Outstanding {
                from: outstanding,
                to: outstanding * 2.0,
            },
            requests_per_s: rate,
            low: 0.93,
            high: (1.1 / share).max(1.07),
        },
        next_limit: Statement::new("explain-next-server"),
        experiment: proof(observed, RULE.name),
        refuted_by: Statement::new("explain-path-refuted").quantity(
            "bytes",
            bytes * (1.2 / share).max(1.2),
            Unit::BytesPerSecond,
        ),
        time_share: share,
        seconds: observed.span_s() * share,
    }
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::Observed;
    use plumb_model::trace::summary::TransferTime;

    pub fn examples() -> Examples {
        let full = Observed {
            ceiling_bytes_per_s: Some(19e6),
            ..one_at_a_time()
        };
        let seen = |ns_per_byte| Observed {
            transfer_time: Some(TransferTime {
                count: 1760,
                base_ns: 200_000.0,
                ns_per_byte,
                ns_per_byte_error: None,
                ns_per_byte_before: Some(ns_per_byte),
                explained: 0.95,
            }),
            ..one_at_a_time()
        };
        Examples {
            fires: vec![full, seen(52.0)],
            silent: vec![seen(5.0)],
        }
    }
}
