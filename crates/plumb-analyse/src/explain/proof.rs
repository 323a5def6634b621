//! What does an experiment say of a finding? The same requests with more and more of them outstanding, in interleaved rounds, beside the prediction.

use plumb_model::explain::conclusion::{
    Change, Explanation, Prediction, Proof, ProofPoint, ProofState,
};
use plumb_model::statement::{Statement, Unit};

use crate::explain::scaling::{SERIAL_MAX, factor};
use crate::statistics::effect::paired;

/// Twice as many outstanding requests have to bring this factor at least.
const TWICE_MIN: f64 = 1.3;
const CONFIDENCE: f64 = 0.95;
/// Rounds below which nothing is decided.
const ROUNDS_MIN: usize = 5;

/// The numbers of outstanding requests that are measured for this finding: those there are, twice as many, and what is advised. `None` when it is not about them.
pub fn depths(finding: &Explanation) -> Option<Vec<u64>> {
    let Change::Outstanding { from, to } = finding.prediction.change else {
        return None;
    };
    if to <= from {
        return None;
    }
    let mut depths = vec![
        from.round() as u64,
        (2.0 * from).round() as u64,
        to.round() as u64,
    ];
    depths.dedup();
    Some(depths)
}

/// The outcome of rounds of each depth: requests per second, round by round; round i of all depths ran close together.
pub fn proof(
    prediction: &Prediction,
    measured: &[(u64, Vec<f64>)],
    target: String,
    folder: String,
) -> Proof {
    let base = measured.first();
    let points: Vec<ProofPoint> = measured
        .iter()
        .enumerate()
        .map(|(place, (depth, rates))| {
            let against = base.filter(|_| place > 0);
            point(prediction, *depth, rates, against)
        })
        .collect();
    let rounds = measured
        .iter()
        .map(|(_, rates)| rates.len())
        .min()
        .unwrap_or(0);
    let state = match points.as_slice() {
        [_, twice, .., last] if rounds >= ROUNDS_MIN => state(twice, last),
        [_, only] if rounds >= ROUNDS_MIN => state(only, only),
        _ => ProofState::Undecided,
    };
    let mut said = vec![match state {
        ProofState::Proven => Statement::new("explain-proven"),
        ProofState::Refuted => Statement::new("explain-disproven"),
        ProofState::Undecided => Statement::new("explain-undecided"),
    }];
    said.extend(points.iter().skip(1).filter_map(sentence));
    Proof {
        state,
        target,
        rounds: rounds as u32,
        points,
        folder,
        said,
    }
}

fn point(
    prediction: &Prediction,
    depth: u64,
    rates: &[f64],
    base: Option<&(u64, Vec<f64>)>,
) -> ProofPoint {
    let shift = base.and_then(|(_, base)| {
        let differences: Vec<f64> = base.iter().zip(rates).map(|(a, b)| (b / a).ln()).collect();
        paired(&differences)
    });
    let interval = shift.map(|shift| shift.interval(CONFIDENCE));
    let from = match prediction.change {
        Change::Outstanding { from, .. } => from,
        _ => depth as f64,
    };
    let is_advised =
        matches!(prediction.change, Change::Outstanding { to, .. } if to.round() as u64 == depth);
    let by_law = |serial| factor(from, depth as f64, serial);
    let (predicted_low, predicted_high) = match is_advised {
        true => (prediction.low, prediction.high),
        false => (by_law(SERIAL_MAX).min(prediction.low), by_law(0.0) * 1.05),
    };
    ProofPoint {
        outstanding: depth,
        requests_per_s: rates.iter().sum::<f64>() / rates.len().max(1) as f64,
        factor: shift.map(|shift| shift.estimate.exp()),
        low: interval.map(|(low, _)| low.exp()),
        high: interval.map(|(_, high)| high.exp()),
        predicted_low,
        predicted_high,
    }
}

/// Refuted where twice as many, or as many as advised, surely bring too little; proven where they surely bring enough, and what is advised brings what was predicted.
fn state(twice: &ProofPoint, last: &ProofPoint) -> ProofState {
    let (Some(low), Some(high)) = (twice.low, twice.high) else {
        return ProofState::Undecided;
    };
    let holds = last
        .low
        .zip(last.high)
        .is_some_and(|(low, high)| high >= last.predicted_low && low <= last.predicted_high);
    let falls_short = last.high.is_some_and(|high| high < last.predicted_low);
    if high < TWICE_MIN || falls_short {
        ProofState::Refuted
    } else if low >= TWICE_MIN && holds {
        ProofState::Proven
    } else {
        ProofState::Undecided
    }
}

fn sentence(point: &ProofPoint) -> Option<Statement> {
    Some(
        Statement::new("explain-proof-point")
            .count("outstanding", point.outstanding)
            .quantity("rate", point.requests_per_s, Unit::PerSecond)
            .quantity("factor", point.factor?, Unit::Times)
            .number("low", point.low?)
            .number("high", point.high?)
            .number("least", point.predicted_low)
            .number("most", point.predicted_high),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::said;

    const PREDICTION: Prediction = Prediction {
        change: Change::Outstanding { from: 1.0, to: 8.0 },
        requests_per_s: 176.0,
        low: 2.6,
        high: 8.4,
    };

    fn of(factors: [f64; 2], rounds: usize) -> Proof {
        let noise = [1.0, 1.01, 0.99, 1.005, 0.995, 1.002];
        let rates = |factor: f64| {
            noise
                .iter()
                .take(rounds)
                .map(|n| 176.0 * factor * n * n)
                .collect()
        };
        let base = noise.iter().take(rounds).map(|n| 176.0 * n).collect();
        let measured = [(1, base), (2, rates(factors[0])), (8, rates(factors[1]))];
        proof(&PREDICTION, &measured, "x".into(), "y".into())
    }

    #[test]
    fn what_was_predicted_is_proven_and_what_does_not_scale_is_refuted() {
        let proven = of([1.8, 4.3], 6);
        assert_eq!(proven.state, ProofState::Proven, "{proven:?}");
        assert!(
            said(&proven.said[2]).contains("4.3 times"),
            "{}",
            said(&proven.said[2])
        );
        assert_eq!(of([1.02, 1.05], 6).state, ProofState::Refuted);
        assert_eq!(of([1.3, 2.9], 6).state, ProofState::Undecided);
        // More than enough for two, and less than predicted for eight.
        assert_eq!(of([1.5, 1.6], 6).state, ProofState::Refuted);
        assert_eq!(
            of([1.8, 4.3], 3).state,
            ProofState::Undecided,
            "too few rounds"
        );
    }
}
