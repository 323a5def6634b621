//! Where does an application operate between throughput and latency, and where is it predicted to?

use plumb_model::explain::conclusion::{Change, Explained, Prediction};
use plumb_model::explain::curve::{OperatingCurve, OperatingPoint, PredictedPoint};
use plumb_model::explain::observed::Observed;

use crate::explain::prediction::of_outstanding;

/// Part of the window and answers from which on a number of outstanding calls is worth a point.
const TIME_MIN: f64 = 0.01;
const ANSWERS_MIN: u64 = 20;
/// Other calls than reads and writes may take this part of the time, for the rate of all calls to be that of requests.
const OTHERS_MAX: f64 = 0.05;

/// The curve; `None` where the rate or the time of a request is not known.
pub fn operating_curve(explained: &Explained) -> Option<OperatingCurve> {
    let observed = &explained.observed;
    let current = OperatingPoint {
        outstanding: observed.outstanding.unwrap_or(0.0),
        requests_per_s: observed.requests_per_s.filter(|rate| *rate > 0.0)?,
        request_ns: observed.request_ns.filter(|ns| *ns > 0.0)?,
    };
    let first = explained.findings.first().map(|first| &first.prediction);
    let is_of_outstanding =
        |of: &&Prediction| matches!(of.change, Change::Outstanding { from, to } if to > from);
    let by_outstanding = first.filter(is_of_outstanding);
    // Only points that differ in the number of outstanding requests form a curve.
    let proven = explained.proof.as_ref().filter(|proof| {
        let mut findings = explained.findings.iter();
        let finding = findings.find(|finding| finding.rule == proof.rule || proof.rule.is_empty());
        finding.is_some_and(|of| matches!(of.prediction.change, Change::Outstanding { .. }))
    });
    let measured = proven.into_iter().flat_map(|proof| &proof.points);
    Some(OperatingCurve {
        current,
        recorded: recorded(observed),
        predicted: by_outstanding.map_or_else(Vec::new, |of| predicted(of, &current)),
        predicted_rate: first
            .filter(|of| {
                let keeps_size = !matches!(of.change, Change::RequestBytes { .. });
                by_outstanding.is_none() && keeps_size
            })
            .map(|of| (of.requests_per_s * of.low, of.requests_per_s * of.high)),
        measured: measured
            .filter(|point| point.requests_per_s > 0.0)
            .map(|point| of_rate(point.outstanding as f64, point.requests_per_s))
            .collect(),
        ceiling_requests_per_s: observed
            .ceiling_bytes_per_s
            .zip(observed.bytes_per_request.filter(|bytes| *bytes > 0.0))
            .map(|(ceiling, bytes)| ceiling / bytes),
    })
}

/// By Little's law.
fn of_rate(outstanding: f64, requests_per_s: f64) -> OperatingPoint {
    OperatingPoint {
        outstanding,
        requests_per_s,
        request_ns: outstanding / requests_per_s * 1e9,
    }
}

fn recorded(observed: &Observed) -> Vec<OperatingPoint> {
    let others =
        observed.metadata.time_share.unwrap_or(0.0) + observed.flushes.time_share.unwrap_or(0.0);
    if others > OTHERS_MAX {
        return Vec::new();
    }
    let all_ns: u64 = observed.by_outstanding.iter().map(|of| of.time_ns).sum();
    let points: Vec<OperatingPoint> = observed
        .by_outstanding
        .iter()
        .filter(|of| of.answered >= ANSWERS_MIN && of.time_ns as f64 > TIME_MIN * all_ns as f64)
        .map(|of| {
            let rate = of.answered as f64 * 1e9 / of.time_ns as f64;
            of_rate(of.outstanding as f64, rate)
        })
        .collect();
    // A single number of outstanding calls is the window itself.
    if points.len() < 2 { Vec::new() } else { points }
}

/// Points of doubling numbers of outstanding requests, up to the advised one.
fn predicted(prediction: &Prediction, current: &OperatingPoint) -> Vec<PredictedPoint> {
    let Change::Outstanding { from, to } = prediction.change else {
        return Vec::new();
    };
    let mut steps: Vec<f64> = std::iter::successors(Some(from), |step| Some(step * 2.0))
        .take_while(|step| *step < to * 0.999)
        .collect();
    steps.push(to);
    let point = |outstanding: f64, factor: f64| OperatingPoint {
        outstanding,
        requests_per_s: prediction.requests_per_s * factor,
        // Outstanding requests and throughput grow by these factors: the rest is waiting.
        request_ns: current.request_ns * outstanding / from / factor,
    };
    let of_step = |outstanding: f64| {
        let (low, high) = of_outstanding(prediction, outstanding);
        PredictedPoint {
            low: point(outstanding, low),
            high: point(outstanding, high),
        }
    };
    steps.into_iter().map(of_step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::conclude::explain;
    use crate::explain::rule::one_at_a_time;

    #[test]
    fn the_curve_leads_from_here_to_what_is_advised() {
        let explained = explain(one_at_a_time(), "0");
        let curve = operating_curve(&explained).expect("a curve");
        assert_eq!(curve.current.requests_per_s, 176.0);
        let outstanding: Vec<f64> = curve
            .predicted
            .iter()
            .map(|point| point.low.outstanding)
            .collect();
        assert_eq!(outstanding, [1.0, 2.0, 4.0, 8.0]);
        let (first, last) = (&curve.predicted[0], &curve.predicted[3]);
        assert_eq!(first.low, first.high);
        let prediction = &explained.findings[0].prediction;
        assert!((last.high.requests_per_s - 176.0 * prediction.high).abs() < 1e-6);
        assert!(curve.predicted.iter().all(|point| {
            point.low.requests_per_s <= point.high.requests_per_s
                && point.low.request_ns >= point.high.request_ns
        }));
        assert_eq!(curve.predicted_rate, None);
        assert!(curve.recorded.is_empty() && curve.ceiling_requests_per_s.is_none());
    }

    #[test]
    fn without_a_rate_there_is_no_curve_and_another_finding_predicts_a_rate_only() {
        let mut observed = one_at_a_time();
        observed.requests_per_s = None;
        assert_eq!(operating_curve(&explain(observed, "0")), None);
        let thinks = Observed {
            outstanding: Some(0.2),
            idle_share: Some(0.8),
            by_outstanding: Vec::new(),
            ceiling_bytes_per_s: Some(280e6),
            ..one_at_a_time()
        };
        let curve = operating_curve(&explain(thinks, "0")).expect("a curve");
        assert!(curve.predicted.is_empty());
        assert!(curve.predicted_rate.is_some_and(|(low, high)| low < high));
        assert!(
            curve
                .ceiling_requests_per_s
                .is_some_and(|rate| rate > 2000.0)
        );
    }
}
