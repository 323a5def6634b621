//! How does fio tell the depth of queues, and how many operations go and come at once? In shares of seven levels.

/// Names of the levels of the depth.
pub const IN_FLIGHT: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
/// Names of the levels of submissions and completions: the most that one of them holds.
pub const AT_ONCE: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];

/// Shares in percent; what there is of at all has a tenth at least, as in fio.
fn shares(counts: [u64; 7]) -> Option<[f64; 7]> {
    let all: u64 = counts.iter().sum();
    let share = |count: u64| match count {
        0 => 0.0,
        count => (100.0 * count as f64 / all as f64).max(0.1),
    };
    (all > 0).then(|| counts.map(share))
}

/// Of operations by how many were in flight: the place i is of 2^i and more. `None` where it was not counted.
pub fn in_flight(counts: &[u64]) -> Option<[f64; 7]> {
    let mut levels = [0; 7];
    for (place, count) in counts.iter().enumerate() {
        levels[place.min(6)] += count;
    }
    shares(levels)
}

/// Of submissions or completions by how many they held: the place i is of at most 2^i, and fio's first level is of up to four.
pub fn at_once(counts: &[u64]) -> Option<[f64; 7]> {
    let mut levels = [0; 7];
    for (place, count) in counts.iter().enumerate() {
        levels[place.saturating_sub(1).clamp(1, 6)] += count;
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
        // One, two and up to four at once are the level 4; 33 to 64 are 64.
        let submitted = at_once(&[1, 1, 2, 1, 1, 1, 1, 2]).expect("shares");
        assert_eq!(submitted, [0.0, 40.0, 10.0, 10.0, 10.0, 10.0, 20.0]);
        assert_eq!((in_flight(&[]), at_once(&[0, 0])), (None, None));
        assert_eq!(in_flight(&[1, 9_999]).expect("shares")[0], 0.1);
    }
}
