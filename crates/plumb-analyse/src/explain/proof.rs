//! Does an experiment prove a finding? Interleaved rounds of each setting, compared with the prediction.

use plumb_model::explain::conclusion::{Proof, ProofPoint, ProofState};
use plumb_model::explain::experiment::{Compares, Expects, Experiment, Setting};
use plumb_model::statement::{Statement, Unit};

use crate::statistics::effect::paired;

const CONFIDENCE: f64 = 0.95;
/// Rounds below which nothing is decided.
const ROUNDS_MIN: usize = 5;

/// Largest factor between the requests of the current setting and of the recording, either way, for the target to count as the recorded one.
const ALIKE_MAX: f64 = 4.0;

/// What a setting did in one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    pub requests_per_s: f64,
    pub bytes_per_s: f64,
}

/// The outcome: rounds of each setting of the experiment, in its order; round i of all settings ran close together.
pub fn proof(
    experiment: &Experiment,
    measured: &[Vec<Round>],
    target: String,
    folder: String,
) -> Proof {
    let compared = |round: &Round| match experiment.compares {
        Compares::RequestsPerSecond => round.requests_per_s,
        Compares::BytesPerSecond => round.bytes_per_s,
    };
    let base: Vec<f64> = measured.iter().take(1).flatten().map(compared).collect();
    let points: Vec<ProofPoint> = experiment
        .settings
        .iter()
        .zip(measured)
        .enumerate()
        .map(|(index, (setting, rounds))| {
            let values: Vec<f64> = rounds.iter().map(compared).collect();
            let factors = (index > 0).then_some((base.as_slice(), values.as_slice()));
            point(setting, rounds, factors)
        })
        .collect();
    let rounds = measured.iter().map(Vec::len).min().unwrap_or(0);
    let elsewhere = points
        .first()
        .and_then(|today| elsewhere(experiment, today));
    let is_judged = rounds >= ROUNDS_MIN && points.len() >= 2 && elsewhere.is_none();
    let state = match is_judged {
        true => state(experiment.expects, &points),
        false => ProofState::Undecided,
    };
    let conclusion = || conclusion(experiment.expects, state, points.last());
    let mut statements = vec![elsewhere.unwrap_or_else(conclusion)];
    let shown = points
        .iter()
        .filter_map(|point| sentence(experiment.compares, point));
    statements.extend(shown);
    Proof {
        rule: experiment.rule.clone(),
        state,
        target,
        rounds: rounds as u32,
        points,
        folder,
        statements,
    }
}

fn point(setting: &Setting, rounds: &[Round], factors: Option<(&[f64], &[f64])>) -> ProofPoint {
    let shift = factors.and_then(|(base, values)| {
        let pairs = base.iter().zip(values);
        let differences: Vec<f64> = pairs.map(|(a, b)| (b / a).ln()).collect();
        paired(&differences)
    });
    let interval = shift.map(|shift| shift.interval(CONFIDENCE));
    let mean = |value: fn(&Round) -> f64| {
        rounds.iter().map(value).sum::<f64>() / rounds.len().max(1) as f64
    };
    ProofPoint {
        setting: Some(setting.statement.clone()),
        outstanding: setting.load.outstanding * setting.load.connections,
        requests_per_s: mean(|round| round.requests_per_s),
        bytes_per_s: Some(mean(|round| round.bytes_per_s)),
        factor: shift.map(|shift| shift.estimate.exp()),
        low: interval.map(|(low, _)| low.exp()),
        high: interval.map(|(_, high)| high.exp()),
        predicted_low: setting.predicted.0,
        predicted_high: setting.predicted.1,
    }
}

/// Refuted if the change certainly gains too little (keeps too little, or gains where no gain was expected); proven if it certainly does not.
fn state(expects: Expects, points: &[ProofPoint]) -> ProofState {
    let of = |point: Option<&ProofPoint>| point.and_then(|point| point.low.zip(point.high));
    let Some(last) = points.last() else {
        return ProofState::Undecided;
    };
    let decided = |proven: bool, refuted: bool| match (proven, refuted) {
        (_, true) => ProofState::Refuted,
        (true, false) => ProofState::Proven,
        (false, false) => ProofState::Undecided,
    };
    let Some((low, high)) = of(Some(last)) else {
        return ProofState::Undecided;
    };
    match expects {
        Expects::Gain { at, least } => {
            let Some((at_low, at_high)) = of(points.get(at).or(Some(last))) else {
                return ProofState::Undecided;
            };
            let holds = high >= last.predicted_low && low <= last.predicted_high;
            let falls_short = high < last.predicted_low;
            decided(at_low >= least && holds, at_high < least || falls_short)
        }
        Expects::Keep { least } => decided(low >= least, high < least),
        Expects::NoGain { most } => decided(high <= most, low > most),
    }
}

fn conclusion(expects: Expects, state: ProofState, last: Option<&ProofPoint>) -> Statement {
    let exceeds = last.is_some_and(|last| last.low.is_some_and(|low| low > last.predicted_high));
    match (expects, state) {
        (Expects::Gain { .. }, ProofState::Undecided) if exceeds => {
            Statement::new("explain-undecided-more")
        }
        (_, ProofState::Undecided) => Statement::new("explain-undecided"),
        (Expects::Gain { least, .. }, ProofState::Proven) => {
            Statement::new("explain-proven-gain").quantity("least", least, Unit::Times)
        }
        (Expects::Gain { least, .. }, ProofState::Refuted) => {
            Statement::new("explain-disproven-gain").quantity("least", least, Unit::Times)
        }
        (Expects::Keep { least }, ProofState::Proven) => {
            Statement::new("explain-proven-keep").percent("least", least * 100.0)
        }
        (Expects::Keep { least }, ProofState::Refuted) => {
            Statement::new("explain-disproven-keep").percent("least", least * 100.0)
        }
        (Expects::NoGain { most }, ProofState::Proven) => {
            Statement::new("explain-proven-no-gain").quantity("most", most, Unit::Times)
        }
        (Expects::NoGain { most }, ProofState::Refuted) => {
            Statement::new("explain-disproven-no-gain").quantity("most", most, Unit::Times)
        }
    }
}

/// If the current setting is not close to the recording, nothing is proven: it is another target, or served by a cache.
fn elsewhere(experiment: &Experiment, today: &ProofPoint) -> Option<Statement> {
    let (here, recorded) = (today.requests_per_s, experiment.requests_per_s);
    let is_alike = (recorded / ALIKE_MAX..=recorded * ALIKE_MAX).contains(&here);
    (!is_alike && recorded > 0.0).then(|| {
        Statement::new("explain-undecided-elsewhere")
            .quantity("here", here, Unit::PerSecond)
            .quantity("recorded", recorded, Unit::PerSecond)
    })
}

fn sentence(compares: Compares, point: &ProofPoint) -> Option<Statement> {
    let rate = match compares {
        Compares::RequestsPerSecond => Statement::new("explain-proof-requests").quantity(
            "rate",
            point.requests_per_s,
            Unit::PerSecond,
        ),
        Compares::BytesPerSecond => Statement::new("explain-proof-bytes").quantity(
            "rate",
            point.bytes_per_s?,
            Unit::BytesPerSecond,
        ),
    };
    let setting = point.setting.clone()?;
    let (Some(factor), Some(low), Some(high)) = (point.factor, point.low, point.high) else {
        return Some(
            Statement::new("explain-proof-today")
                .part("setting", setting)
                .part("rate", rate),
        );
    };
    Some(
        Statement::new("explain-proof-setting")
            .part("setting", setting)
            .part("rate", rate)
            .quantity("factor", factor, Unit::Times)
            .number("low", low)
            .number("high", high)
            .number("least", point.predicted_low)
            .number("most", point.predicted_high),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::in_english;
    use plumb_model::explain::experiment::{Load, Work};

    const LOAD: Load = Load {
        work: Work::Requests { reads: 1.0 },
        request_bytes: 4096.0,
        outstanding: 1,
        connections: 1,
        pause_ns: 0.0,
    };

    fn experiment(expects: Expects, predicted: &[(f64, f64)]) -> Experiment {
        let setting = |(index, predicted): (usize, &(f64, f64))| Setting {
            statement: Statement::new("explain-setting-outstanding")
                .count("outstanding", 1 << index),
            load: Load {
                outstanding: 1 << index,
                ..LOAD
            },
            predicted: *predicted,
        };
        Experiment {
            rule: "some".into(),
            requests_per_s: 176.0,
            settings: predicted.iter().enumerate().map(setting).collect(),
            compares: Compares::RequestsPerSecond,
            expects,
        }
    }

    fn of(experiment: &Experiment, factors: &[f64], rounds: usize) -> Proof {
        let noise = [1.0, 1.01, 0.99, 1.005, 0.995, 1.002];
        let rates = |factor: &f64| {
            let rounds = noise.iter().take(rounds).map(|n| {
                let requests_per_s = 176.0 * factor * if *factor == 1.0 { *n } else { n * n };
                Round {
                    requests_per_s,
                    bytes_per_s: requests_per_s * 4096.0,
                }
            });
            rounds.collect()
        };
        let measured: Vec<Vec<Round>> = factors.iter().map(rates).collect();
        proof(experiment, &measured, "x".into(), "y".into())
    }

    #[test]
    fn what_was_predicted_is_proven_and_what_does_not_scale_is_refuted() {
        let predicted = [(1.0, 1.0), (1.5, 2.1), (2.6, 8.4)];
        let few = experiment(Expects::Gain { at: 1, least: 1.3 }, &predicted);
        let proven = of(&few, &[1.0, 1.8, 4.3], 6);
        assert_eq!(proven.state, ProofState::Proven, "{proven:?}");
        assert_eq!(proven.rule, "some");
        let last = in_english(&proven.statements[3]);
        assert!(last.contains("4.3 times"), "{last}");
        let state = |factors: &[f64], rounds| of(&few, factors, rounds).state;
        assert_eq!(state(&[1.0, 1.02, 1.05], 6), ProofState::Refuted);
        assert_eq!(state(&[1.0, 1.3, 2.9], 6), ProofState::Undecided);
        // More than enough for two, and less than predicted for eight.
        assert_eq!(state(&[1.0, 1.5, 1.6], 6), ProofState::Refuted);
        // More than predicted, which more rounds would not change.
        let more = of(&few, &[1.0, 1.8, 12.0], 6);
        assert_eq!(more.state, ProofState::Undecided);
        assert!(in_english(&more.statements[0]).contains("more than predicted"));
        let few_rounds = state(&[1.0, 1.8, 4.3], 3);
        assert_eq!(few_rounds, ProofState::Undecided, "too few rounds");
    }

    #[test]
    fn a_target_that_is_far_from_the_recording_proves_nothing() {
        let mut few = experiment(
            Expects::Gain { at: 1, least: 1.3 },
            &[(1.0, 1.0), (1.5, 2.1)],
        );
        assert_eq!(of(&few, &[1.0, 1.8], 6).state, ProofState::Proven);
        few.requests_per_s = 2.0;
        let proof = of(&few, &[1.0, 1.8], 6);
        assert_eq!(proof.state, ProofState::Undecided);
        let text = in_english(&proof.statements[0]);
        assert!(
            text.contains("176") && text.contains("another target"),
            "{text}"
        );
    }

    #[test]
    fn half_as_many_have_to_keep_the_rate_and_more_on_a_full_path_bring_nothing() {
        let half = experiment(Expects::Keep { least: 0.9 }, &[(1.0, 1.0), (0.85, 1.05)]);
        assert_eq!(of(&half, &[1.0, 0.99], 6).state, ProofState::Proven);
        assert_eq!(of(&half, &[1.0, 0.6], 6).state, ProofState::Refuted);
        assert_eq!(of(&half, &[1.0, 0.9], 6).state, ProofState::Undecided);
        let full = experiment(Expects::NoGain { most: 1.2 }, &[(1.0, 1.0), (0.93, 1.1)]);
        assert_eq!(of(&full, &[1.0, 1.03], 6).state, ProofState::Proven);
        assert_eq!(of(&full, &[1.0, 1.9], 6).state, ProofState::Refuted);
        for (proof, words) in [
            (of(&half, &[1.0, 0.99], 6), "90 %"),
            (of(&full, &[1.0, 1.9], 6), "1.2 times"),
        ] {
            let text = in_english(&proof.statements[0]);
            assert!(text.contains(words), "{text}");
        }
    }
}
