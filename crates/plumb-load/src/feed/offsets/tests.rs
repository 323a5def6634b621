//! Do offsets, lengths and kinds follow the requested distributions, cover what they promise, and stay as they were for a seed?

use std::collections::HashSet;

use plumb_model::units::Nanos;
use plumb_model::workload::Weighted;

use super::permutation::Permutation;
use super::*;

mod preconditioning;
mod random_map;
mod rare;
mod zones;

const BLOCK: u64 = 4096;
const BLANK: Op = Op {
    offset: u64::MAX,
    len: 0,
    slot: 9,
    file: 8,
    kind: OperationKind::Flush,
    priority: 0,
};

fn workload(offsets: &str, block: &str, layout: Layout) -> Workload {
    Workload {
        offsets: offsets.parse().expect(offsets),
        block: block.parse().expect(block),
        layout,
        ..Workload::default()
    }
}

fn span(blocks: u64) -> Span {
    Span {
        start: 8 * BLOCK,
        len: blocks * BLOCK,
    }
}

fn sequence(workload: &Workload, span: Span, worker: u32, workers: u32) -> OffsetSequence {
    OffsetSequence::new(workload, span, worker, workers, 42, None).expect("the workload is valid")
}

/// The next operations, in batches of changing length.
fn take(sequence: &mut OffsetSequence, count: usize) -> Vec<Op> {
    let mut ops = vec![BLANK; count];
    let (mut rest, mut batch) = (ops.as_mut_slice(), 1);
    while !rest.is_empty() {
        let (now, later) = rest.split_at_mut(batch.min(rest.len()));
        sequence.fill(now);
        (rest, batch) = (later, batch % 33 + 1);
    }
    ops
}

fn offsets(ops: &[Op]) -> Vec<u64> {
    ops.iter().map(|op| op.offset).collect()
}

/// Numbers of the 4 KiB blocks within `span(..)`.
fn blocks(ops: &[Op]) -> Vec<u64> {
    ops.iter()
        .map(|op| (op.offset - 8 * BLOCK) / BLOCK)
        .collect()
}

const ALL: [&str; 12] = [
    "sequential",
    "reverse",
    "strided:64k",
    "random",
    "random-with-replacement",
    "zipf:1.1",
    "zipf:0.8",
    "pareto:0.2",
    "hot-spot:80/20",
    "normal:5",
    "zoned:60/10:30/20:10/70",
    "random-runs:8",
];

/// (counts - expected) as chi-square, in standard deviations from its mean.
fn chi_square_deviation(counts: &[u64], expected: &[f64]) -> f64 {
    let chi: f64 = counts
        .iter()
        .zip(expected)
        .map(|(count, expected)| (*count as f64 - expected).powi(2) / expected)
        .sum();
    let freedom = counts.len() as f64 - 1.0;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn every_order_stays_aligned_and_inside_and_touches_nothing_else() {
    let spans = [
        Span {
            start: 0,
            len: 1 << 20,
        },
        Span {
            start: 5000,
            len: (1 << 20) + 777,
        },
        Span {
            start: 1 << 40,
            len: 64 << 10,
        },
        Span {
            start: 1,
            len: 135_168,
        },
    ];
    for order in ALL {
        for (block, lens) in [
            ("4k", vec![4096]),
            ("4k:70,64k:30", vec![4096, 65_536]),
            ("512:1,6000:1,8k:2", vec![512, 6000, 8192]),
        ] {
            for layout in [Layout::Shared, Layout::Own, Layout::Stream] {
                for span in spans {
                    let workload = workload(order, block, layout);
                    let stream = Arc::new(AtomicU64::new(0));
                    let unit = workload.smallest_block_bytes();
                    for worker in [0, 2] {
                        let mut sequence = OffsetSequence::new(
                            &workload,
                            span,
                            worker,
                            3,
                            1,
                            Some(stream.clone()),
                        )
                        .expect(order);
                        for op in take(&mut sequence, 3000) {
                            assert!(
                                op.offset.is_multiple_of(unit),
                                "{order} {block} {layout} {span:?}: {op:?}"
                            );
                            assert!(
                                op.offset >= span.start
                                    && op.offset + u64::from(op.len) <= span.start + span.len,
                                "{order} {block} {layout} {span:?}: {op:?}"
                            );
                            assert!(lens.contains(&op.len), "{order} {block}: {op:?}");
                            assert_eq!(
                                (op.slot, op.file, op.kind),
                                (BLANK.slot, BLANK.file, BLANK.kind)
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_span_of_a_single_block_works_in_every_order() {
    for order in ALL {
        for layout in [Layout::Shared, Layout::Own, Layout::Stream] {
            let workload = workload(order, "4k", layout);
            let mut sequence =
                OffsetSequence::new(&workload, span(1), 1, 2, 1, Some(Arc::default()))
                    .expect(order);
            assert_eq!(
                blocks(&take(&mut sequence, 100)),
                vec![0; 100],
                "{order} {layout}"
            );
        }
    }
}

#[test]
fn batches_do_not_change_a_sequence() {
    for order in ALL {
        for block in ["4k", "4k:1,16k:1"] {
            let workload = workload(order, block, Layout::Shared);
            let mut at_once = vec![BLANK; 5000];
            sequence(&workload, span(777), 1, 3).fill(&mut at_once);
            assert_eq!(
                at_once,
                take(&mut sequence(&workload, span(777), 1, 3), 5000),
                "{order} {block}"
            );
        }
    }
}

#[test]
fn plain_orders_visit_blocks_as_named() {
    let first = |order: &str, count: usize| {
        blocks(&take(
            &mut sequence(&workload(order, "4k", Layout::Own), span(5), 0, 1),
            count,
        ))
    };
    assert_eq!(first("sequential", 7), [0, 1, 2, 3, 4, 0, 1]);
    assert_eq!(first("reverse", 7), [4, 3, 2, 1, 0, 4, 3]);
    assert_eq!(first("first", 3), [0, 0, 0]);
    assert_eq!(first("strided:8k", 10), [0, 2, 4, 1, 3, 0, 2, 4, 1, 3]);
    assert_eq!(first("strided:12k", 7), [0, 3, 1, 4, 2, 0, 3]);
    assert_eq!(first("strided:1m", 7), [0, 1, 2, 3, 4, 0, 1]);
    assert_eq!(first("strided:3-blocks", 7), [0, 3, 1, 4, 2, 0, 3]);
    assert_eq!(first("strided:1-block", 3), [0, 1, 2]);
}

#[test]
fn sequential_blocks_of_several_sizes_join_up() {
    for (order, forward) in [("sequential", true), ("reverse", false)] {
        let ops = take(
            &mut sequence(
                &workload(order, "4k:1,16k:1", Layout::Own),
                span(1000),
                0,
                1,
            ),
            2000,
        );
        let joined = ops.windows(2).filter(|pair| match forward {
            true => pair[0].offset + u64::from(pair[0].len) == pair[1].offset,
            false => pair[1].offset + u64::from(pair[1].len) == pair[0].offset,
        });
        // Five laps of about 400 blocks: only the turns, and a block moved back to the end before each, do not join.
        assert!(joined.count() >= 1999 - 2 * 6, "{order}");
    }
}

#[test]
fn sharing_workers_start_apart() {
    for (order, starts) in [
        ("sequential", [0, 25, 50, 75]),
        ("reverse", [99, 74, 49, 24]),
        ("strided:40k", [0, 52, 5, 57]),
    ] {
        let workload = workload(order, "4k", Layout::Shared);
        let first: Vec<u64> = (0..4)
            .map(|worker| blocks(&take(&mut sequence(&workload, span(100), worker, 4), 1))[0])
            .collect();
        assert_eq!(first, starts, "{order}");
        for worker in 0..4 {
            let visited: HashSet<u64> =
                blocks(&take(&mut sequence(&workload, span(100), worker, 4), 100))
                    .into_iter()
                    .collect();
            assert_eq!(
                visited.len(),
                100,
                "{order}: each worker goes over the whole span"
            );
        }
    }
}

#[test]
fn random_covers_every_block_once_a_lap_in_a_new_order() {
    for count in [1, 2, 3, 5, 64, 100, 1000, 4096, 4097, 50_000] {
        for layout in [Layout::Shared, Layout::Own, Layout::Stream] {
            let workload = workload("random", "4k", layout);
            let mut sequence =
                OffsetSequence::new(&workload, span(count), 0, 1, 5, Some(Arc::default()))
                    .expect("valid");
            let laps: Vec<Vec<u64>> = (0..3)
                .map(|_| blocks(&take(&mut sequence, count as usize)))
                .collect();
            for lap in &laps {
                let mut sorted = lap.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..count), "{count} blocks, {layout}");
            }
            assert!(
                count < 64 || (laps[0] != laps[1] && laps[1] != laps[2]),
                "{count} blocks, {layout}: the order did not change"
            );
        }
    }
}

#[test]
fn workers_cover_a_shared_span_once_between_them() {
    for (layout, count, workers) in [
        (Layout::Shared, 1000, 3),
        (Layout::Shared, 1024, 4),
        (Layout::Shared, 5, 8),
        (Layout::Stream, 1000, 3),
        (Layout::Stream, 4096, 5),
    ] {
        let (workload, stream) = (
            workload("random", "4k", layout),
            Arc::new(AtomicU64::new(0)),
        );
        let new = |worker| {
            OffsetSequence::new(
                &workload,
                span(count),
                worker,
                workers,
                5,
                Some(stream.clone()),
            )
            .expect("valid")
        };
        let mut sequences: Vec<OffsetSequence> = (0..workers).map(new).collect();
        // Tickets of whole laps, dealt in turn: each worker stops at its first ticket of the fourth lap.
        let mut visits = vec![0u32; count as usize];
        match layout {
            Layout::Stream => {
                for turn in 0..3 * count as usize {
                    visits
                        [blocks(&take(&mut sequences[turn % workers as usize], 1))[0] as usize] +=
                        1;
                }
            }
            _ => {
                let end = 3u64 << Permutation::bits(count);
                for sequence in &mut sequences {
                    loop {
                        let mut op = [BLANK];
                        sequence.source.draw(&mut op);
                        let block = blocks(&op)[0];
                        let Order::Covering(covering) = &sequence.source.order else {
                            panic!("random is covering")
                        };
                        if covering.ticket - covering.step >= end {
                            break;
                        }
                        visits[block as usize] += 1;
                    }
                }
            }
        }
        assert!(
            visits.iter().all(|times| *times == 3),
            "{layout}, {count} blocks, {workers} workers: {visits:?}"
        );
    }
}

#[test]
fn a_stream_is_one_stream_for_threads_at_once() {
    for (order, block) in [
        ("sequential", "4k"),
        ("reverse", "4k"),
        ("strided:64k", "4k"),
        ("random", "4k"),
        ("sequential", "4k:1,12k:1"),
    ] {
        let (workload, stream, count) = (
            workload(order, block, Layout::Stream),
            Arc::new(AtomicU64::new(0)),
            60_000u64,
        );
        let taken: Vec<Op> = std::thread::scope(|scope| {
            let work = |worker| {
                let mut sequence =
                    OffsetSequence::new(&workload, span(count), worker, 4, 5, Some(stream.clone()))
                        .expect("valid");
                scope.spawn(move || {
                    take(
                        &mut sequence,
                        count as usize / 4 / if block == "4k" { 1 } else { 3 },
                    )
                })
            };
            let threads: Vec<_> = (0..4).map(work).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        let mut visits = vec![0u32; count as usize];
        for op in &taken {
            let first = (op.offset - 8 * BLOCK) / BLOCK;
            (first..first + u64::from(op.len) / BLOCK).for_each(|unit| visits[unit as usize] += 1);
        }
        assert!(
            visits.iter().all(|times| *times <= 1),
            "{order} {block}: a block was handed out twice within a lap"
        );
        assert!(
            block != "4k" || visits.iter().all(|times| *times == 1),
            "{order} {block}: a block was left out"
        );
    }
}

#[test]
fn mixed_sizes_start_once_at_each_unit() {
    let mut sequence = sequence(
        &workload("random", "4k:1,8k:1", Layout::Own),
        span(1000),
        0,
        1,
    );
    for _ in 0..2 {
        let mut counts = vec![0u32; 1000];
        blocks(&take(&mut sequence, 1000))
            .into_iter()
            .for_each(|block| counts[block as usize] += 1);
        // A block of 8 KiB at the last unit moves back by one.
        assert!(counts[..998].iter().all(|count| *count == 1), "{counts:?}");
        assert_eq!(counts[998] + counts[999], 2);
    }
}

#[test]
fn random_offsets_show_no_correlation() {
    for order in ["random", "random-with-replacement"] {
        for count in [10_000u64, 65_536, 262_144, 1_000_003] {
            let ops = take(
                &mut sequence(&workload(order, "4k", Layout::Own), span(count), 0, 1),
                200_000.min(count as usize),
            );
            let positions = blocks(&ops);
            for lag in [1, 2, 3, 8, 32] {
                let pairs = || positions.iter().zip(&positions[lag..]);
                let mean = (count - 1) as f64 / 2.0;
                let variance = (count as f64 * count as f64 - 1.0) / 12.0;
                let number = pairs().count() as f64;
                let correlation = pairs()
                    .map(|(a, b)| (*a as f64 - mean) * (*b as f64 - mean))
                    .sum::<f64>()
                    / (number * variance);
                // A serial correlation of independent draws has a standard deviation of 1 / sqrt(n).
                assert!(
                    correlation.abs() < 5.0 / number.sqrt(),
                    "{order}, {count} blocks, lag {lag}: {correlation}"
                );
                let mut grid = [0u64; 256];
                pairs()
                    .for_each(|(a, b)| grid[(a * 16 / count * 16 + b * 16 / count) as usize] += 1);
                let deviation = chi_square_deviation(&grid, &[number / 256.0; 256]);
                assert!(
                    deviation < 6.0,
                    "{order}, {count} blocks, lag {lag}: pairs deviate by {deviation} standard deviations"
                );
            }
            let mut distances = [0u64; 64];
            positions.windows(2).for_each(|pair| {
                distances[((pair[1] + count - pair[0]) % count * 64 / count) as usize] += 1
            });
            let deviation =
                chi_square_deviation(&distances, &[(positions.len() - 1) as f64 / 64.0; 64]);
            assert!(
                deviation < 6.0,
                "{order}, {count} blocks: distances deviate by {deviation} standard deviations"
            );
        }
    }
}

#[test]
fn draws_with_replacement_are_uniform() {
    let ops = take(
        &mut sequence(
            &workload("random-with-replacement", "4k", Layout::Own),
            span(1000),
            0,
            1,
        ),
        1_000_000,
    );
    let mut counts = [0u64; 1000];
    blocks(&ops)
        .into_iter()
        .for_each(|block| counts[block as usize] += 1);
    let deviation = chi_square_deviation(&counts, &[1000.0; 1000]);
    assert!(deviation.abs() < 5.0, "{deviation} standard deviations");
}

/// A job that reads until its time is up reads what one that wrote as long, and slower, has written.
#[test]
fn a_job_that_verifies_draws_the_same_blocks_in_each_pass() {
    let timed = Workload {
        verify_as: "md5".parse().ok(),
        seed: Some(1),
        time: Some(Nanos(1_000_000_000)),
        ..workload("random-with-replacement", "4k", Layout::Own)
    };
    let limited = Workload {
        operations: Some(300),
        ..timed.clone()
    };
    for (workload, repeats) in [(timed, true), (limited, false)] {
        let drawn = blocks(&take(&mut sequence(&workload, span(100), 0, 1), 300));
        let passes: Vec<&[u64]> = drawn.chunks(100).collect();
        assert_eq!(passes[0] == passes[1] && passes[0] == passes[2], repeats);
        let distinct: HashSet<&u64> = passes[0].iter().collect();
        assert!((50..80).contains(&distinct.len()), "{}", distinct.len());
    }
}

/// Counts of all blocks, the most frequent first, and the positions of the most frequent ones.
fn ranked(order: &str, count: u64, draws: usize) -> (Vec<u64>, Vec<u64>) {
    let mut counts: Vec<(u64, u64)> = (0..count).map(|block| (0, block)).collect();
    let ops = take(
        &mut sequence(&workload(order, "4k", Layout::Own), span(count), 0, 1),
        draws,
    );
    blocks(&ops)
        .into_iter()
        .for_each(|block| counts[block as usize].0 += 1);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.into_iter().unzip()
}

#[test]
fn zipf_frequencies_follow_the_law() {
    for exponent in [0.6, 1.0, 1.1, 1.5] {
        let (count, draws) = (10_000, 500_000);
        let (counts, positions) = ranked(&format!("zipf:{exponent}"), count, draws);
        let sum: f64 = (1..=count).map(|rank| (rank as f64).powf(-exponent)).sum();
        for rank in [1usize, 2, 3, 5, 10] {
            let expected = draws as f64 * (rank as f64).powf(-exponent) / sum;
            let bound = 6.0 * expected.sqrt()
                + if rank > 3 && exponent < 1.0 {
                    0.1 * expected
                } else {
                    0.0
                };
            assert!(
                (counts[rank - 1] as f64 - expected).abs() < bound,
                "zipf:{exponent}: rank {rank} came {} times, not {expected}",
                counts[rank - 1]
            );
        }
        let share = |ranks: usize| counts[..ranks].iter().sum::<u64>() as f64 / draws as f64;
        let expected = |ranks: u64| {
            (1..=ranks)
                .map(|rank| (rank as f64).powf(-exponent))
                .sum::<f64>()
                / sum
        };
        assert!(
            (share(1000) - expected(1000)).abs() < 0.02,
            "zipf:{exponent}: {} against {}",
            share(1000),
            expected(1000)
        );
        let apart = positions[..10]
            .windows(2)
            .filter(|pair| pair[0].abs_diff(pair[1]) > 10)
            .count();
        assert!(
            apart >= 7,
            "zipf:{exponent}: the hot blocks lie side by side: {:?}",
            &positions[..10]
        );
    }
}

#[test]
fn pareto_and_hot_spot_send_the_named_shares() {
    for (power, share) in [(0.2, 0.8), (0.1, 0.9), (0.4, 0.6)] {
        let (counts, _) = ranked(&format!("pareto:{power}"), 1000, 1_000_000);
        let found = counts[..(1000.0 * power) as usize].iter().sum::<u64>() as f64 / 1e6;
        assert!((found - share).abs() < 0.005, "pareto:{power} sent {found}");
    }
    for (operations, space) in [(80.0, 20.0), (100.0, 1.0), (0.0, 50.0), (33.3, 10.0)] {
        let order = format!("hot-spot:{operations}/{space}");
        let ops = take(
            &mut sequence(&workload(&order, "4k", Layout::Own), span(1000), 0, 1),
            200_000,
        );
        let hot = blocks(&ops)
            .into_iter()
            .filter(|block| *block < (10.0 * space) as u64)
            .count() as f64
            / 2000.0;
        assert!((hot - operations).abs() < 0.6, "{order} sent {hot} %");
    }
}

#[test]
fn several_block_sizes_come_in_their_shares() {
    let ops = take(
        &mut sequence(
            &workload("random", "4k:70,64k:25,1m:5", Layout::Own),
            span(100_000),
            0,
            1,
        ),
        200_000,
    );
    for (len, share) in [(4096, 0.7), (65_536, 0.25), (1 << 20, 0.05)] {
        let found = ops.iter().filter(|op| op.len == len).count() as f64 / 200_000.0;
        assert!((found - share).abs() < 0.006, "{len} bytes: {found}");
    }
}

#[test]
fn all_multiples_of_a_range_come_equally_often() {
    let workload = workload("random", "512-1m", Layout::Own);
    let ops = take(&mut sequence(&workload, span(100_000), 0, 1), 400_000);
    let mut counts = vec![0u64; 2048];
    for op in &ops {
        assert!(op.len.is_multiple_of(512) && op.offset.is_multiple_of(512));
        assert!(op.offset >= 8 * BLOCK && op.offset + u64::from(op.len) <= 100_008 * BLOCK);
        counts[op.len as usize / 512 - 1] += 1;
    }
    let deviation = chi_square_deviation(&counts, &vec![400_000.0 / 2048.0; 2048]);
    assert!(deviation.abs() < 5.0, "{deviation}");
}

#[test]
fn random_offsets_are_aligned_otherwise_than_their_blocks() {
    for (block, align, unit) in [("512:50,8k:50", 4096, 4096), ("8k", 512, 512)] {
        let workload = Workload {
            align: Some(Bytes(align)),
            ..workload("random-with-replacement", block, Layout::Own)
        };
        let ops = take(&mut sequence(&workload, span(1000), 0, 1), 20_000);
        assert!(
            ops.iter().all(|op| op.offset.is_multiple_of(unit)
                && op.offset + u64::from(op.len) <= 1008 * BLOCK)
        );
        let odd = ops.iter().filter(|op| !op.offset.is_multiple_of(unit * 2));
        near_half(odd.count(), ops.len());
    }
}

fn near_half(found: usize, of: usize) {
    let deviation = (found as f64 - of as f64 / 2.0) / (of as f64 / 4.0).sqrt();
    assert!(deviation.abs() < 5.0, "{found} of {of}");
}

#[test]
fn trims_may_be_longer_than_other_operations() {
    let block = "3g";
    let of = |mix: &str| Workload {
        mix: mix.parse().expect(mix),
        ..workload("sequential", block, Layout::Own)
    };
    let span = span(10 << 18);
    assert!(OffsetSequence::new(&of("read"), span, 0, 1, 1, None).is_err());
    let mut trims = sequence(&of("trim"), span, 0, 1);
    let ops = take(&mut trims, 3);
    assert!(ops.iter().all(|op| op.len == 3 << 30));
}

#[test]
fn kinds_come_in_their_shares_and_leave_the_rest_alone() {
    let mut mixed = KindSequence::new(
        &Workload {
            mix: "read:70,write:25,trim:5".parse().expect("mix"),
            ..Workload::default()
        },
        3,
        0,
    )
    .expect("valid");
    assert_eq!(mixed.only(), None);
    let mut ops = vec![BLANK; 200_000];
    mixed.fill(&mut ops);
    for (kind, share) in [
        (OperationKind::Read, 0.7),
        (OperationKind::Write, 0.25),
        (OperationKind::Trim, 0.05),
    ] {
        let found = ops.iter().filter(|op| op.kind == kind).count() as f64 / 200_000.0;
        assert!((found - share).abs() < 0.006, "{kind}: {found}");
    }
    assert!(ops.iter().all(|op| Op {
        kind: BLANK.kind,
        ..*op
    } == BLANK));
    let mut single = KindSequence::new(
        &Workload {
            mix: Weighted::only(OperationKind::Write),
            ..Workload::default()
        },
        3,
        0,
    )
    .expect("valid");
    assert_eq!(single.only(), Some(OperationKind::Write));
    single.fill(&mut ops);
    assert!(ops.iter().all(|op| op.kind == OperationKind::Write));
    assert!(
        KindSequence::new(
            &Workload {
                mix: Weighted(vec![]),
                ..Workload::default()
            },
            3,
            0
        )
        .is_err()
    );
}

#[test]
fn workers_and_seeds_differ_and_the_same_repeat() {
    for order in [
        "random",
        "random-with-replacement",
        "zipf:1.1",
        "pareto:0.2",
        "hot-spot:80/20",
        "normal:5",
        "zoned:60/10:30/20:10/70",
        "random-runs:8",
        "random-map",
    ] {
        for layout in [Layout::Shared, Layout::Own] {
            let first = |worker, seed| {
                let mut sequence = OffsetSequence::new(
                    &workload(order, "4k", layout),
                    span(5000),
                    worker,
                    2,
                    seed,
                    None,
                )
                .expect("valid");
                offsets(&take(&mut sequence, 50))
            };
            assert_eq!(first(0, 1), first(0, 1), "{order}");
            assert_ne!(
                first(0, 1),
                first(1, 1),
                "{order} {layout}: two workers go the same way"
            );
            assert_ne!(
                first(0, 1),
                first(0, 2),
                "{order}: the seed changes nothing"
            );
        }
    }
}

#[test]
fn the_offsets_of_a_seed_never_change() {
    for (order, pinned) in PINNED {
        let positions = blocks(&take(
            &mut sequence(&workload(order, "4k", Layout::Shared), span(100_000), 1, 2),
            6,
        ));
        assert_eq!(
            positions, pinned,
            "{order}: recorded seeds would no longer give the runs they gave"
        );
    }
}

const PINNED: [(&str, [u64; 6]); 5] = [
    ("random", [22841, 65058, 41547, 39842, 87282, 37552]),
    (
        "random-with-replacement",
        [23272, 62721, 11166, 72242, 88651, 73107],
    ),
    ("zipf:1.1", [40366, 77194, 96893, 25648, 29385, 19397]),
    ("pareto:0.2", [40366, 87117, 57588, 25648, 29385, 19397]),
    ("hot-spot:80/20", [12544, 14448, 78486, 3893, 2767, 15752]),
];

#[test]
fn what_does_not_fit_is_refused_with_advice() {
    let refused = |order: &str, block: &str, layout, span| {
        OffsetSequence::new(&workload(order, block, layout), span, 0, 1, 1, None)
            .expect_err("cannot work")
    };
    assert!(
        refused(
            "random",
            "4k",
            Layout::Shared,
            Span {
                start: 0,
                len: 4095
            }
        )
        .contains("increase size")
    );
    assert!(
        refused(
            "random",
            "4k",
            Layout::Shared,
            Span {
                start: 1,
                len: 4096
            }
        )
        .contains("4096")
    );
    assert!(
        refused(
            "random",
            "4k:1,64k:1",
            Layout::Shared,
            Span {
                start: 0,
                len: 60 << 10
            }
        )
        .contains("65536")
    );
    assert!(refused("strided:5000", "4k", Layout::Shared, span(9)).contains("multiple"));
    assert!(refused("random", "4k", Layout::Stream, span(9)).contains("counter"));
    assert!(
        refused(
            "random",
            "4g",
            Layout::Shared,
            Span {
                start: 0,
                len: 1 << 40
            }
        )
        .contains("2g")
    );
    assert!(refused("random", "0", Layout::Shared, span(9)).contains("0 bytes"));
}

/// Drawn to the end of its part by each worker, one pass touches each block once, whatever the layout; several passes of a random order do so that often.
#[test]
fn passes_touch_each_block_as_often_as_they_say() {
    for layout in [Layout::Shared, Layout::Own, Layout::Stream] {
        for (order, passes) in [
            ("random", 1),
            ("random", 3),
            ("sequential", 1),
            ("reverse", 1),
            ("strided:64k", 1),
        ] {
            for (count, workers) in [(64, 4), (61, 1), (61, 4), (1000, 3), (5, 2), (7, 7)] {
                let workload = workload(order, "4k", layout);
                let stream = Arc::new(AtomicU64::new(0));
                let mut touched = vec![0; count as usize];
                // Own parts lie beside each other.
                let (each, rest) = if layout == Layout::Own {
                    (count / workers, count % workers)
                } else {
                    (count, 0)
                };
                for worker in 0..workers {
                    let first = if layout == Layout::Own {
                        worker * each
                    } else {
                        0
                    };
                    let part = Span {
                        start: (8 + first) * BLOCK,
                        len: each * BLOCK,
                    };
                    let mut sequence = OffsetSequence::new(
                        &workload,
                        part,
                        worker as u32,
                        workers as u32,
                        42,
                        Some(stream.clone()),
                    )
                    .expect("valid");
                    let bytes = sequence.pass_bytes(passes, layout, worker as u32, workers as u32);
                    assert_eq!(bytes % BLOCK, 0);
                    let ops = take(&mut sequence, (bytes / BLOCK) as usize);
                    blocks(&ops)
                        .into_iter()
                        .for_each(|block| touched[block as usize] += 1);
                }
                let wrong = touched[..(count - rest) as usize]
                    .iter()
                    .any(|times| *times != passes);
                assert!(
                    !wrong,
                    "{layout} {order}, {count} blocks, {workers} workers, {passes} passes: {touched:?}"
                );
            }
        }
    }
}
