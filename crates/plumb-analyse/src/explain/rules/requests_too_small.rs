//! Does the fixed cost per request dominate, so that larger requests would transfer more?

use plumb_model::explain::conclusion::{Change, Explanation, Prediction};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};
use plumb_model::trace::summary::TransferTime;

use crate::explain::prediction::least_gain;
use crate::explain::rule::{
    Figures, Judgement, Rule, lacks_requests, percent, proof, saved_share, size_probe, time,
};
use crate::explain::scaling::path_use;

/// The rule.
pub const RULE: Rule = Rule {
    name: "requests_too_small",
    meaning: "A request has a cost of its own beside that of its bytes. Where it is most of its time, larger requests move more bytes in the same time. What is small is what the times of different sizes show, not a number of bytes.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Predicted change: requests this many times as large.
const TIMES: f64 = 4.0;
/// Bytes take less than this part of a request's time.
const BYTES_MAX: f64 = 0.4;
/// Largest distance of the bounds of the time for bytes, as a fraction of a request's time.
const UNSURE: f64 = 0.6;
/// Requests that follow one another can be made larger.
const SEQUENTIAL_MIN: f64 = 0.5;
/// Callers wait for this part of the time at least, and other calls take this part of it at most.
const WAITING_MIN: f64 = 0.6;
const OTHERS_MAX: f64 = 0.3;
/// Above this part of requests that took the last credit, credits are the limit, which count bytes.
const CREDITS_MAX: f64 = 0.1;
/// What is predicted to bring less at most is none.
const GAIN_MIN: f64 = 1.3;
/// A core that is busier does the work for bytes and requests alike.
const CORE_MAX: f64 = 0.9;

fn judge(observed: &Observed) -> Judgement {
    let (Some(rate), Some(size), Some(request_ns), Some(waiting)) = (
        observed.requests_per_s,
        observed.bytes_per_request.filter(|size| *size > 0.0),
        observed.request_ns.filter(|ns| *ns > 0.0),
        observed.waiting_share(),
    ) else {
        return Judgement::Abstains(vec![lacks_requests(observed)]);
    };
    let Some(sequential) = observed.sequential_share else {
        return Judgement::Abstains(vec![Statement::new("explain-lacks-offsets")]);
    };
    let others =
        observed.metadata.time_share.unwrap_or(0.0) + observed.flushes.time_share.unwrap_or(0.0);
    let flow = &observed.flow;
    let starved = flow.stalls_per_s.is_some_and(|stalls| stalls > 0.0)
        || flow
            .last_credit_share
            .is_some_and(|share| share > CREDITS_MAX);
    let busy_core = observed
        .processors
        .busiest_core
        .is_some_and(|share| share > CORE_MAX);
    if sequential < SEQUENTIAL_MIN
        || waiting < WAITING_MIN
        || others > OTHERS_MAX
        || starved
        || busy_core
    {
        return Judgement::Silent;
    }
    let Some((time, error)) = observed
        .transfer_time
        .and_then(|time| Some((time, time.ns_per_byte_error?)))
    else {
        return lacks_sizes(observed);
    };
    let bytes_ns = |of: f64| (of * size).clamp(0.0, request_ns);
    let bounds = (
        bytes_ns(time.ns_per_byte - 2.0 * error),
        bytes_ns(time.ns_per_byte + 2.0 * error),
    );
    if bounds.1 - bounds.0 > UNSURE * request_ns {
        return lacks_sizes(observed);
    }
    if bounds.1 > BYTES_MAX * request_ns {
        return Judgement::Silent;
    }
    let prediction = predicted(observed, (rate, size), (request_ns, waiting), bounds);
    if prediction.high < GAIN_MIN {
        return Judgement::Silent;
    }
    Judgement::Found(Box::new(found(
        observed, &time, prediction, size, request_ns,
    )))
}

fn lacks_sizes(observed: &Observed) -> Judgement {
    let lacks = Statement::new("explain-lacks-sizes").name("command", size_probe(observed));
    Judgement::Abstains(vec![lacks])
}

/// A cycle of a caller is its request and its own work for it, which is in proportion to the bytes at most. Larger requests take longer by their bytes; the path
/// is no wider for them.
fn predicted(
    observed: &Observed,
    (rate, size): (f64, f64),
    (request_ns, waiting): (f64, f64),
    (least_ns, most_ns): (f64, f64),
) -> Prediction {
    let own_ns = request_ns / waiting - request_ns;
    let gain = |bytes_ns: f64, own_times: f64| {
        let then = request_ns + (TIMES - 1.0) * bytes_ns + own_ns * own_times;
        TIMES * (request_ns + own_ns) / then
    };
    let (mut low, mut high) = (0.85 * gain(most_ns, TIMES), 1.1 * gain(least_ns, 1.0));
    if let Some(path) = path_use(observed).filter(|path| path.share > 0.0) {
        low = low.min((0.85 / path.share).max(1.0));
        if path.is_serial {
            high = high.min((1.1 / path.share).max(low));
        }
    }
    // A core may have its work with the bytes: then they are as many as it can do.
    if let Some(busiest) = observed
        .processors
        .busiest_core
        .filter(|share| *share > 0.0)
    {
        low = low.min((0.85 / busiest).max(1.0));
    }
    if let (Some(ceiling), Some(bytes)) = (observed.ceiling_bytes_per_s, observed.bytes_per_s) {
        high = high.min((1.05 * ceiling / bytes).max(1.0));
        low = low.min(high * 0.9);
    }
    Prediction {
        change: Change::RequestBytes {
            from: size,
            to: size * TIMES,
        },
        requests_per_s: rate,
        low,
        high,
    }
}

fn found(
    observed: &Observed,
    fit: &TransferTime,
    prediction: Prediction,
    size: f64,
    request_ns: f64,
) -> Explanation {
    let bytes_ns = (fit.ns_per_byte * size).clamp(0.0, request_ns);
    let own = 1.0 - bytes_ns / request_ns;
    let waiting = observed.waiting_share().unwrap_or(1.0);
    let time_share = saved_share(prediction.low, prediction.high) * waiting;
    let bytes = observed.bytes_per_s.unwrap_or(0.0);
    Explanation {
        rule: RULE.name.into(),
        claim: Statement::new("explain-small-claim")
            .quantity("size", size, Unit::Bytes)
            .percent("share", own * 100.0),
        evidence: Figures::of(observed)
            .and(
                Statement::new("explain-figure-request-cost"),
                Some(time(request_ns - bytes_ns)),
            )
            .and(
                Statement::new("explain-figure-bytes-cost"),
                Some(time(bytes_ns)),
            )
            .and(
                Statement::new("explain-figure-sequential"),
                observed.sequential_share.map(percent),
            )
            .waiting()
            .requests()
            .list(),
        ruled_out: vec![
            Statement::new("explain-not-bytes").percent("share", bytes_ns / request_ns * 100.0),
        ],
        advice: Statement::new("explain-small-advice").quantity("to", size * TIMES, Unit::Bytes),
        refuted_by: Statement::new("explain-small-refuted").quantity(
            "bytes",
            bytes * least_gain(&prediction),
            Unit::BytesPerSecond,
        ),
        prediction,
        next_limit: Statement::new("explain-next-path"),
        experiment: proof(observed, RULE.name),
        time_share,
        seconds: observed.span_s() * time_share,
    }
}

#[cfg(test)]
mod tests {
    use crate::explain::rule::{Examples, one_at_a_time};
    use plumb_model::explain::observed::Observed;
    use plumb_model::trace::summary::TransferTime;

    pub fn examples() -> Examples {
        let of = |ns_per_byte, sequential| Observed {
            transfer_time: Some(TransferTime {
                count: 1760,
                base_ns: 5_500_000.0 - ns_per_byte * 103_000.0,
                ns_per_byte,
                ns_per_byte_error: Some(0.1),
                ns_per_byte_before: None,
                explained: 0.5,
            }),
            sequential_share: Some(sequential),
            ..one_at_a_time()
        };
        Examples {
            fires: vec![of(2.0, 0.98)],
            silent: vec![of(45.0, 0.98), of(2.0, 0.0)],
        }
    }
}
