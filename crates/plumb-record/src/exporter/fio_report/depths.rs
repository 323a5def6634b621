//! How does fio report queue depth and batch sizes? As shares of seven levels.

/// Names of the queue depth levels.
pub const IN_FLIGHT: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
/// Names of the levels of submissions and completions: the largest batch in each.
pub const AT_ONCE: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];

/// Shares in percent; anything above zero shows at least 0.1, as in fio.
fn shares(counts: [u64; 7]) -> Option<[f64; 7]> {
    let all: u64 = counts.iter().sum();
    let share = |count: u64| match count {
        0 => 0.0,
        count => (100.0 * count as f64 / all as f64).max(0.1),
    };
    (all > 0).then(|| counts.map(share))
}

/// From operations by number in flight: index i counts 2^i and more. `None` if not counted.
pub fn in_flight(counts: &[u64]) -> Option<[f64; 7]> {
    let mut levels = [0; 7];
    for (index, count) in counts.iter().enumerate() {
        levels[index.min(6)] += count;
    }
    shares(levels)
}

/// From submissions or completions by batch size: index i counts at most 2^i; fio's first level counts up to four.
pub fn at_once(counts: &[u64]) -> Option<[f64; 7]> {
    let mut levels = [0; 7];
    for (index, count) in counts.iter().enumerate() {
        levels[index.saturating_sub(1).clamp(1, 6)] += count;
    }
    shares(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_fall_into_fios_levels() {
        let depth = in_flight(&[1, 1, 2, 0, 0, 0, 1, 3]).expect("shares");
        assert_eq!(depth, [12.5, 12.5, 25.0, 0.0, 0.0, 0.0, 50.0]);
        // One, two and up to four at once are level 4; 33 to 64 are level 64.
        let submitted = at_once(&[1, 1, 2, 1, 1, 1, 1, 2]).expect("shares");
        assert_eq!(submitted, [0.0, 40.0, 10.0, 10.0, 10.0, 10.0, 20.0]);
        assert_eq!((in_flight(&[]), at_once(&[0, 0])), (None, None));
        assert_eq!(in_flight(&[1, 9_999]).expect("shares")[0], 0.1);
    }
}
