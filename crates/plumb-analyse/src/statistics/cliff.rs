//! Where does a level change? One change point in a sequence: the end of a write cache, of a burst allowance.

use crate::statistics::{difference_p_value, mean, median};

/// A change from one level to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value on the new level.
    pub index: usize,
    /// Mean before and after.
    pub before: f64,
    pub after: f64,
    /// Probability of a change at least this clear at any place when there is none.
    pub p_value: f64,
}

/// Finds the one place that splits the values best into two levels: least squares over all splits (Hinkley, "Inference about the
/// change-point in a sequence of random variables", Biometrika 57, 1970). Its probability is that of Welch's test times the number of
/// places looked at (Bonferroni), which errs on the side of no change. At least three values on each side; `None` when there are fewer.
pub fn change_point(values: &[f64]) -> Option<ChangePoint> {
    const LEAST: usize = 3;
    let n = values.len();
    if n < 2 * LEAST {
        return None;
    }
    let total: f64 = values.iter().sum();
    let mut head: f64 = values[..LEAST - 1].iter().sum();
    let mut best = (f64::NEG_INFINITY, LEAST);
    for split in LEAST..=n - LEAST {
        head += values[split - 1];
        let (left, right) = (head / split as f64, (total - head) / (n - split) as f64);
        // The sum of squares between the two levels: largest where the sum within them is smallest.
        let between = split as f64 * (n - split) as f64 / n as f64 * (left - right).powi(2);
        if between > best.0 {
            best = (between, split);
        }
    }
    let (before, after) = values.split_at(best.1);
    let positions = (n - 2 * LEAST + 1) as f64;
    let p_value = (difference_p_value(before, after)? * positions).min(1.0);
    Some(ChangePoint {
        index: best.1,
        before: mean(before)?,
        after: mean(after)?,
        p_value,
    })
}

/// A fall of throughput after an amount of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cliff {
    /// Amount that went through before the fall, in the unit of the amounts given.
    pub amount: f64,
    /// Level before and after, in the unit of the rates given.
    pub before: f64,
    pub after: f64,
    /// Scatter of the intervals after the fall: median distance from their median, in parts of it.
    pub scatter_after: f64,
}

/// Finds a lasting fall to two thirds or less: (amount in the interval, rate of the interval) in order of time. `None` when there is no
/// such fall, or chance explains it (1 in 1,000), or the later values rise again (their second half is above the middle of both levels).
pub fn cliff(intervals: &[(f64, f64)]) -> Option<Cliff> {
    let rates: Vec<f64> = intervals.iter().map(|(_, rate)| *rate).collect();
    let change = change_point(&rates).filter(|change| change.p_value < 0.001)?;
    let after = &rates[change.index..];
    let late = mean(&after[after.len() / 2..])?;
    if change.after * 1.5 > change.before || late > (change.before + change.after) / 2.0 {
        return None;
    }
    let middle = median(after).filter(|middle| *middle > 0.0)?;
    let distances: Vec<f64> = after
        .iter()
        .map(|rate| (rate - middle).abs() / middle)
        .collect();
    Some(Cliff {
        amount: intervals[..change.index]
            .iter()
            .map(|(amount, _)| amount)
            .sum(),
        before: change.before,
        after: change.after,
        scatter_after: median(&distances)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flow of the Nile at Aswan 1871 to 1970 in 10^8 m^3 (Cobb, "The problem of the Nile", Biometrika 65, 1978; R's data set `Nile`).
    const NILE: [f64; 100] = [
        1120., 1160., 963., 1210., 1160., 1160., 813., 1230., 1370., 1140., 995., 935., 1110.,
        994., 1020., 960., 1180., 799., 958., 1140., 1100., 1210., 1150., 1250., 1260., 1220.,
        1030., 1100., 774., 840., 874., 694., 940., 833., 701., 916., 692., 1020., 1050., 969.,
        831., 726., 456., 824., 702., 1120., 1100., 832., 764., 821., 768., 845., 864., 862., 698.,
        845., 744., 796., 1040., 759., 781., 865., 845., 944., 984., 897., 822., 1010., 771., 676.,
        649., 846., 812., 742., 801., 1040., 860., 874., 848., 890., 744., 749., 838., 1050., 918.,
        986., 797., 923., 975., 815., 1020., 906., 901., 1170., 912., 746., 919., 718., 714., 740.,
    ];

    #[test]
    fn the_nile_changed_after_1898() {
        // Published: the change lies after the 28th year, means 1097.75 and 849.97 (R: changepoint::cpt.mean(Nile), 28).
        let change = change_point(&NILE).expect("100 values");
        assert_eq!(change.index, 28);
        assert!(
            (change.before - 1097.75).abs() < 0.01 && (change.after - 849.97).abs() < 0.01,
            "{change:?}"
        );
        assert!(change.p_value < 1e-6);
    }

    #[test]
    fn a_write_cache_that_fills_up() {
        let mut random = crate::synthetic::Random(7);
        let rate = |i: usize, noise: f64| if i < 6 { 500e6 } else { 210e6 } * (0.95 + 0.1 * noise);
        let intervals: Vec<(f64, f64)> = (0..40)
            .map(|i| rate(i, random.next_share()))
            .map(|rate| (rate, rate))
            .collect();
        let cliff = cliff(&intervals).expect("a fall");
        assert!(
            (cliff.amount / 3e9 - 1.0).abs() < 0.05 && (cliff.after / 210e6 - 1.0).abs() < 0.05,
            "{cliff:?}"
        );
        assert!(cliff.scatter_after < 0.05);
    }

    #[test]
    fn noise_dips_and_rises_are_no_cliff() {
        let mut random = crate::synthetic::Random(9);
        let found = (0..500).filter(|_| {
            let intervals: Vec<(f64, f64)> = (0..30)
                .map(|_| 100.0 + 100.0 * random.next_share())
                .map(|rate| (rate, rate))
                .collect();
            cliff(&intervals).is_some()
        });
        assert!(found.count() <= 1);
        let rising: Vec<(f64, f64)> = (0..30)
            .map(|i| if i < 10 { 100.0 } else { 300.0 + f64::from(i) })
            .map(|r| (r, r))
            .collect();
        assert_eq!(cliff(&rising), None);
        assert_eq!(cliff(&rising[..4]), None);
        assert_eq!(cliff(&[]), None);
    }
}
