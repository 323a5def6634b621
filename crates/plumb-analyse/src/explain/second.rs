//! What does a second recording show after a change? The gain as factors, the scaling, and whether the prediction held.

use plumb_model::explain::conclusion::{Change, Explained, PredictionOutcome, SecondRecording};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};

use crate::explain::scaling::{SERIAL_MAX, factor, serial_share};

/// Sizes that differ by less are the same.
const SIZE_SAME: f64 = 0.05;
/// Outstanding requests that differ by less are as many.
const OUTSTANDING_SAME: f64 = 0.1;

/// The second recording compared with the first. The first's findings are as stored: a file keeps the prediction made then.
pub fn second_recording(first: &Explained, observed: Observed) -> SecondRecording {
    let before = &first.observed;
    let over = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) if a > 0.0 && b > 0.0 => Some(b / a),
        _ => None,
    };
    let requests = over(before.requests_per_s, observed.requests_per_s);
    let size = over(before.bytes_per_request, observed.bytes_per_request);
    let bytes = requests.zip(size).map(|(requests, size)| requests * size);
    let threads = |of: &Observed| of.outstanding_most.map(|most| most as f64);
    let outstanding = over(threads(before), threads(&observed))
        .filter(|factor| (factor - 1.0).abs() > OUTSTANDING_SAME);
    let gained = bytes.filter(|factor| *factor > 1.0).map(f64::ln);
    let part = |of: Option<f64>| gained.zip(of).map(|(all, of)| of.ln() / all);
    let (from, to) = (threads(before), threads(&observed));
    let serial = outstanding
        .and(requests)
        .and_then(|requests| serial_share(from?, to?, requests));
    let mut second = SecondRecording {
        requests_factor: requests,
        size_factor: size,
        bytes_factor: bytes,
        requests_part: part(requests),
        size_part: part(size),
        outstanding_factor: outstanding,
        scaling_efficiency: outstanding.zip(requests).map(|(more, got)| got / more),
        serial_share: serial,
        requests_per_s_limit: serial
            .filter(|share| *share > 0.0)
            .zip(before.requests_per_s.zip(from))
            .map(|(share, (rate, from))| rate / from * (1.0 + share * (from - 1.0)) / share),
        prediction: requests.and_then(|measured| outcome(first, from?, to?, measured)),
        observed,
        statements: Vec::new(),
    };
    second.statements = statements_of(&second);
    second
}

/// What the first finding predicted for as many outstanding requests as there were.
fn outcome(first: &Explained, from: f64, to: f64, measured: f64) -> Option<PredictionOutcome> {
    let prediction = &first.findings.first()?.prediction;
    let Change::Outstanding { to: requested, .. } = prediction.change else {
        return None;
    };
    let (low, high) = if (requested - to).abs() <= OUTSTANDING_SAME * requested {
        (prediction.low, prediction.high)
    } else if (to - from).abs() > OUTSTANDING_SAME * from && requested > from {
        // Another number than advised: by the same law, within the range of the prediction.
        let limit = |to: f64, serial| factor(from, to, serial);
        (
            limit(to, SERIAL_MAX),
            limit(to, 0.0).min(prediction.high.max(limit(to, SERIAL_MAX))),
        )
    } else {
        return None;
    };
    Some(PredictionOutcome {
        low,
        high,
        measured,
        held: (low..=high).contains(&measured),
    })
}

fn statements_of(second: &SecondRecording) -> Vec<Statement> {
    let mut statements = Vec::new();
    if let (Some(bytes), Some(requests), Some(size)) = (
        second.bytes_factor,
        second.requests_factor,
        second.size_factor,
    ) {
        statements.push(
            Statement::new("explain-second-factors")
                .quantity("bytes", bytes, Unit::Times)
                .quantity("requests", requests, Unit::Times)
                .quantity("size", size, Unit::Times),
        );
        if let Some(part) = second.size_part.filter(|_| (size - 1.0).abs() > SIZE_SAME) {
            statements.push(
                Statement::new("explain-second-parts")
                    .percent("requests", second.requests_part.unwrap_or(0.0) * 100.0)
                    .percent("size", part * 100.0),
            );
        }
    }
    if let (Some(more), Some(efficiency)) = (second.outstanding_factor, second.scaling_efficiency) {
        statements.push(
            Statement::new("explain-second-scaling")
                .quantity("outstanding", more, Unit::Times)
                .percent("efficiency", efficiency * 100.0),
        );
    }
    if let (Some(serial), Some(limit)) = (second.serial_share, second.requests_per_s_limit) {
        statements.push(
            Statement::new("explain-second-limit")
                .percent("serial", serial * 100.0)
                .quantity("limit", limit, Unit::PerSecond),
        );
    }
    if let Some(outcome) = &second.prediction {
        statements.push(match outcome.held {
            true => Statement::new("explain-second-held")
                .quantity("low", outcome.low, Unit::Times)
                .quantity("high", outcome.high, Unit::Times)
                .quantity("measured", outcome.measured, Unit::Times),
            false => Statement::new("explain-second-missed")
                .quantity("low", outcome.low, Unit::Times)
                .quantity("high", outcome.high, Unit::Times)
                .quantity("measured", outcome.measured, Unit::Times),
        });
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::in_english as text;
    use crate::explain::conclude::explain;
    use crate::explain::rule::one_at_a_time;

    #[test]
    fn the_published_case_has_both_factors_and_its_prediction_holds() {
        let first = explain(one_at_a_time(), "0");
        assert_eq!(first.findings[0].rule, "too_few_outstanding_requests");
        let prediction = first.findings[0].prediction;
        assert!(
            (prediction.low * 176.0 - 466.0).abs() < 5.0,
            "{prediction:?}"
        );
        let eight = Observed {
            requests_per_s: Some(750.0),
            bytes_per_request: Some(133e6 / 750.0),
            outstanding: Some(7.9),
            outstanding_most: Some(8),
            ..one_at_a_time()
        };
        let second = second_recording(&first, eight);
        let sentences: String = second.statements.iter().map(text).collect();
        for words in ["4.26", "1.71", "53.3 %", "72.9 %", "27.1 %"] {
            assert!(sentences.contains(words), "{words}: {sentences}");
        }
        assert!(second.prediction.is_some_and(|outcome| outcome.held));
    }

    #[test]
    fn what_is_the_same_has_no_scaling_and_no_outcome() {
        let first = explain(one_at_a_time(), "0");
        let second = second_recording(&first, one_at_a_time());
        assert_eq!(second.requests_factor, Some(1.0));
        assert_eq!(second.scaling_efficiency, None);
        assert_eq!((second.prediction, second.serial_share), (None, None));
    }
}
