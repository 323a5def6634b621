//! Rarely used orders: fio's normal distribution, zones, runs at random offsets.

use super::*;

/// Blocks of the order over `count` blocks, `draws` of them.
fn drawn(order: &str, count: u64, draws: usize) -> Vec<u64> {
    let mut sequence = sequence(&workload(order, "4k", Layout::Own), span(count), 0, 1);
    blocks(&take(&mut sequence, draws))
}

/// How often each block came, the most frequent first: the shape of a distribution whose blocks are scattered.
fn frequencies(order: &str, count: u64, draws: usize) -> Vec<f64> {
    let mut counts = vec![0u64; count as usize];
    drawn(order, count, draws)
        .into_iter()
        .for_each(|block| counts[block as usize] += 1);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
        .iter()
        .map(|count| *count as f64 / draws as f64)
        .collect()
}

/// Standard deviations, in blocks of 1024, that fio 3.33 was seen to give (random_distribution=normal:N, 102,400 reads).
#[test]
fn normal_has_the_spread_of_fio() {
    for (percent, expected) in [
        (1, 85.55),
        (20, 104.07),
        (30, 123.45),
        (50, 170.79),
        (80, 170.79),
    ] {
        let frequencies = frequencies(&format!("normal:{percent}"), 1024, 400_000);
        // The nth most frequent block lies n / 2 blocks from the middle.
        let square: f64 = frequencies
            .iter()
            .enumerate()
            .map(|(rank, share)| share * (rank as f64 / 2.0).powi(2))
            .sum();
        let found = square.sqrt();
        assert!(
            (found / expected - 1.0).abs() < 0.03,
            "normal:{percent}: {found}, fio {expected}"
        );
    }
}

#[test]
fn zones_get_their_shares() {
    let order = "zoned:60/10:30/20:8/30:2/40";
    let positions = drawn(order, 1000, 200_000);
    for (zone, share) in [
        (0..100, 60.0),
        (100..300, 30.0),
        (300..600, 8.0),
        (600..1000, 2.0),
    ] {
        let found = positions
            .iter()
            .filter(|position| zone.contains(*position))
            .count() as f64
            / 2000.0;
        assert!((found - share).abs() < 0.6, "{zone:?}: {found} %");
    }
    let none_in_the_middle = drawn("zoned:50/10:0/80:50/10", 1000, 10_000);
    assert!(
        none_in_the_middle
            .iter()
            .all(|position| !(100..900).contains(position))
    );
}

#[test]
fn runs_follow_each_other_and_cover_everything_once() {
    // The last run is shorter.
    let positions = drawn("random-runs:8", 1003, 2006);
    for lap in positions.chunks(1003) {
        let distinct: std::collections::BTreeSet<u64> = lap.iter().copied().collect();
        assert_eq!(distinct.len(), 1003, "each block once");
    }
    let jumps = positions[..1003]
        .windows(2)
        .filter(|pair| pair[1] != pair[0] + 1)
        .count();
    assert!((115..=125).contains(&jumps), "{jumps} jumps for 126 runs");
}

#[test]
fn workers_share_runs_between_them() {
    let workload = workload("random-runs:4", "4k", Layout::Shared);
    let mut all: Vec<u64> = (0..2)
        .flat_map(|worker| {
            let mut sequence = sequence(&workload, span(64), worker, 2);
            blocks(&take(&mut sequence, 32))
        })
        .collect();
    all.sort_unstable();
    assert_eq!(all, (0..64).collect::<Vec<u64>>());
}

#[test]
fn listed_blocks_come_in_turn_and_may_move_on() {
    assert_eq!(drawn("listed:2,0,1", 12, 7), [2, 0, 1, 2, 0, 1, 2]);
    // Beyond the end they are counted from the start again.
    assert_eq!(drawn("listed:2,13", 12, 3), [2, 1, 2]);
    assert_eq!(
        drawn("listed-moving:2,0,1", 7, 9),
        [2, 0, 1, 5, 3, 4, 1, 6, 0]
    );
}

#[test]
fn repeated_offsets_come_so_often_in_a_row_and_cover_everything() {
    let positions = drawn("random-repeats:4", 100, 800);
    let of_one: Vec<&[u64]> = positions.chunks(4).collect();
    assert!(
        of_one
            .iter()
            .all(|same| same.iter().all(|position| *position == same[0]))
    );
    for lap in of_one.chunks(100) {
        let distinct: std::collections::BTreeSet<u64> = lap.iter().map(|same| same[0]).collect();
        assert_eq!(distinct.len(), 100, "each place once in a lap");
    }
}
