//! Did the figure settle? The steady-state criteria of the SNIA performance test specification, and the first part against the last.

use plumb_model::plan;

use crate::statistics::{difference_p_value, mean, range, trend};

/// Rounds in the measurement window, and the largest excursions of data and fit in it, in parts of the average: those of the specification.
pub const WINDOW: usize = plan::WINDOW as usize;
const DATA_EXCURSION: f64 = plan::DATA_EXCURSION_PERCENT / 100.0;
const SLOPE_EXCURSION: f64 = plan::SLOPE_EXCURSION_PERCENT / 100.0;
/// Probability below which a trend is taken to be real.
const SIGNIFICANT: f64 = 0.01;

/// How steady a figure was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadiness {
    /// Highest less lowest of the window, in parts of its average; at most 0.20 in steady state.
    pub data_excursion: f64,
    /// Change of the best linear fit over the window, in parts of the average (signed); at most 0.10 either way in steady state.
    pub slope_excursion: f64,
    /// Mean of the last third over mean of the first third.
    pub last_to_first: f64,
    /// Probability of a trend at least this strong when there is none.
    pub p_value: f64,
}

impl Steadiness {
    /// True when both criteria of the specification hold.
    pub fn is_steady(&self) -> bool {
        self.data_excursion <= DATA_EXCURSION && self.slope_excursion.abs() <= SLOPE_EXCURSION
    }

    /// True when the figure drifts: the slope criterion fails and chance does not explain it. A noisy figure without direction does not drift.
    pub fn drifts(&self) -> bool {
        self.slope_excursion.abs() > SLOPE_EXCURSION && self.p_value < SIGNIFICANT
    }
}

/// How far rounds are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excursions {
    pub average: f64,
    /// Highest less lowest, in parts of the average.
    pub data: f64,
    /// Change of the best linear fit from the first to the last, in parts of the average (signed).
    pub slope: f64,
    /// The fit at the first and at the last.
    pub fit: (f64, f64),
}

/// The excursions of rounds in order of time. `None` below three rounds or when the average is not above 0.
pub fn excursions(rounds: &[f64]) -> Option<Excursions> {
    let average = mean(rounds).filter(|average| *average > 0.0)?;
    let (low, high) = range(rounds)?;
    let line = trend(&numbered(rounds))?;
    let end = line.intercept + line.slope * (rounds.len() - 1) as f64;
    Some(Excursions {
        average,
        data: (high - low) / average,
        slope: (end - line.intercept) / average,
        fit: (line.intercept, end),
    })
}

fn numbered(values: &[f64]) -> Vec<(f64, f64)> {
    values
        .iter()
        .enumerate()
        .map(|(i, value)| (i as f64, *value))
        .collect()
}

/// Judges equally long intervals in order of time. They are averaged to the five rounds of the specification's window, so that the noise of
/// short intervals is not taken for unsteadiness; significance comes from the intervals themselves. `None` below ten intervals or when the
/// average is not above 0.
pub fn steadiness(values: &[f64]) -> Option<Steadiness> {
    if values.len() < 2 * WINDOW {
        return None;
    }
    let rounds: Vec<f64> = (0..WINDOW)
        .filter_map(|round| mean(part(values, round, WINDOW)))
        .collect();
    let of_rounds = excursions(&rounds)?;
    let (first, last) = (part(values, 0, 3), part(values, 2, 3));
    let p_trend = trend(&numbered(values))?.p_value;
    // A slow change may be no straight line: the first third against the last finds a step as well. Two looks, so twice the probability
    // (Bonferroni).
    let p_parts = difference_p_value(first, last)?;
    Some(Steadiness {
        data_excursion: of_rounds.data,
        slope_excursion: of_rounds.slope,
        last_to_first: mean(last)? / mean(first).filter(|first| *first > 0.0)?,
        p_value: (2.0 * p_trend.min(p_parts)).min(1.0),
    })
}

/// Part `index` of `parts` nearly equal parts.
fn part(values: &[f64], index: usize, parts: usize) -> &[f64] {
    &values[values.len() * index / parts..values.len() * (index + 1) / parts]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u64) -> f64 {
        crate::synthetic::Random(seed).next_share() - 0.5
    }

    #[test]
    fn the_worked_limits_of_the_specification() {
        // Five rounds 100, 105, 110, 105, 100 (each twice): excursion 10 / 104 = 9.6 %, slope of the fit 0.
        let level: Vec<f64> = [100.0, 105.0, 110.0, 105.0, 100.0]
            .iter()
            .flat_map(|y| [*y, *y])
            .collect();
        let steady = steadiness(&level).expect("ten values");
        assert!(
            (steady.data_excursion - 10.0 / 104.0).abs() < 1e-12
                && steady.slope_excursion.abs() < 1e-12
        );
        assert!(steady.is_steady() && !steady.drifts());
        // 100, 110, 120, 130, 140: excursion 40 / 120, fit rises by 40 of 120.
        let rising: Vec<f64> = [100.0, 110.0, 120.0, 130.0, 140.0]
            .iter()
            .flat_map(|y| [*y, *y])
            .collect();
        let steady = steadiness(&rising).expect("ten values");
        assert!((steady.slope_excursion - 40.0 / 120.0).abs() < 1e-12);
        assert!(!steady.is_steady() && steady.drifts());
    }

    #[test]
    fn noise_alone_does_not_drift() {
        let drifting = (0..500u64)
            .filter(|run| {
                let values: Vec<f64> = (0..30u64)
                    .map(|i| 100.0 + 60.0 * noise(run * 1000 + i))
                    .collect();
                steadiness(&values).expect("values").drifts()
            })
            .count();
        assert!(
            drifting <= 10,
            "{drifting} of 500 noisy runs are said to drift"
        );
    }

    #[test]
    fn too_few_or_nothing() {
        assert_eq!(steadiness(&[1.0; 9]), None);
        assert_eq!(steadiness(&[0.0; 20]), None);
    }
}
