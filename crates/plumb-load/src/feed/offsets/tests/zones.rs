//! Do zones follow one another, each with the requested amount?

use super::*;

/// Places in blocks, of `count` operations of worker `worker`.
fn positions(offsets: &str, zones: [u64; 3], blocks: u64, worker: u32, count: usize) -> Vec<u64> {
    let [size, range, skip] = zones.map(|blocks| Some(Bytes(blocks * BLOCK)));
    let workload = Workload {
        zone_size: size,
        zone_range: range,
        zone_skip: skip,
        ..workload(offsets, "4k", Layout::Shared)
    };
    let mut ops = vec![BLANK; count];
    let mut sequence = sequence(&workload, span(blocks), worker, 4);
    ops.chunks_mut(5).for_each(|ops| sequence.fill(ops));
    let position = |op: &Op| op.offset / BLOCK - 8;
    ops.iter().map(position).collect()
}

// fio 3.33 does the same, seen by strace: size=4m bs=64k zonesize=128k zoneskip=512k.
#[test]
fn each_zone_is_read_and_what_lies_between_is_skipped() {
    let first = [0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61];
    let twice: Vec<u64> = first.into_iter().chain(first).collect();
    for worker in [0, 3] {
        assert_eq!(positions("sequential", [2, 2, 8], 64, worker, 28), twice);
    }
}

#[test]
fn a_shorter_range_is_gone_over_several_times_and_a_longer_one_in_part() {
    assert_eq!(
        positions("sequential", [4, 2, 2], 8, 0, 10),
        [0, 1, 0, 1, 4, 5, 4, 5, 0, 1]
    );
    assert_eq!(
        positions("sequential", [2, 4, 0], 12, 0, 8),
        [0, 1, 4, 5, 8, 9, 0, 1]
    );
}

#[test]
fn random_offsets_of_a_zone_come_once_each_and_in_another_order_in_each_zone() {
    let drawn = positions("random", [16, 16, 16], 64, 0, 64);
    let mut orders = HashSet::new();
    for (number, zone) in drawn.chunks(16).enumerate() {
        let first = 32 * (number as u64 % 2);
        let within: Vec<u64> = zone.iter().map(|position| position - first).collect();
        let mut sorted = within.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..16), "{zone:?}");
        orders.insert(within);
    }
    assert_eq!(orders.len(), 4);
    // Three rounds of a range of 4, and no position twice within one.
    let drawn = positions("random", [12, 4, 4], 16, 0, 24);
    for (number, round) in drawn.chunks(4).enumerate() {
        let first = 8 * (number as u64 / 3);
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(first..first + 4), "{round:?}");
    }
    let drawn = positions("random-with-replacement", [16, 16, 16], 64, 0, 64);
    for (number, zone) in drawn.chunks(16).enumerate() {
        let first = 32 * (number as u64 % 2);
        assert!(
            zone.iter()
                .all(|position| (first..first + 16).contains(position))
        );
    }
}

#[test]
fn the_last_zone_ends_with_the_target_and_a_rest_without_a_complete_block_is_none() {
    assert_eq!(
        positions("sequential", [4, 4, 4], 10, 0, 12),
        [0, 1, 2, 3, 8, 9, 8, 9, 0, 1, 2, 3]
    );
    let workload = Workload {
        zone_size: Some(Bytes(4 * BLOCK)),
        ..workload("sequential", "4k:1,8k:1", Layout::Own)
    };
    let mut ops = [BLANK; 400];
    sequence(&workload, span(9), 0, 1).fill(&mut ops);
    let end = |op: &Op| op.offset + u64::from(op.len);
    assert!(
        ops.iter()
            .all(|op| end(op) <= 17 * BLOCK && op.offset >= 8 * BLOCK)
    );
    assert!(
        ops.iter().all(|op| op.offset < 16 * BLOCK),
        "the ninth block is no zone"
    );
}
