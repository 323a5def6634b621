//! Does a random map move every byte once in a pass, whatever the sizes?

use super::*;

const SIZES: [&str; 4] = ["4k", "4k:10,64k:50,32k:40", "512-1m", "8k:1,24k:1"];

/// The operations of one pass over the span.
fn pass(sequence: &mut OffsetSequence, span: Span) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut moved = 0;
    while moved < span.len {
        ops.extend(take(sequence, 1));
        moved += u64::from(ops.last().expect("an operation").len);
    }
    ops
}

fn sequence_of(block: &str, span: Span, worker: u32) -> OffsetSequence {
    let workload = workload("random-map", block, Layout::Shared);
    sequence(&workload, span, worker, 3)
}

#[test]
fn every_byte_comes_once_in_a_pass_and_each_pass_has_another_order() {
    for (block, blocks) in SIZES.into_iter().zip([1000, 1001, 777, 600]) {
        let span = span(blocks);
        let mut sequence = sequence_of(block, span, 2);
        let passes = [(); 3].map(|()| pass(&mut sequence, span));
        for ops in &passes {
            let mut parts: Vec<(u64, u64)> = ops
                .iter()
                .map(|op| (op.offset, op.offset + u64::from(op.len)))
                .collect();
            parts.sort_unstable();
            let ends: Vec<u64> = parts.iter().map(|(_, end)| *end).collect();
            let starts: Vec<u64> = parts.iter().map(|(start, _)| *start).collect();
            assert_eq!(starts[0], span.start, "{block}");
            assert_eq!(
                starts[1..],
                ends[..ends.len() - 1],
                "{block}: holes or overlaps"
            );
            assert_eq!(ends.last(), Some(&(span.start + span.len)), "{block}");
        }
        assert_ne!(offsets(&passes[0]), offsets(&passes[1]), "{block}");
    }
}

#[test]
fn blocks_keep_the_sizes_that_were_requested_where_nothing_was_moved_yet() {
    let ops = take(&mut sequence_of("4k:70,64k:30", span(1 << 20), 0), 2000);
    let large_share = ops.iter().filter(|op| op.len == 65_536).count() as f64 / 2000.0;
    // A tenth of the span is moved by then.
    assert!((0.24..0.33).contains(&large_share), "{large_share}");
}

#[test]
fn one_pass_of_each_worker_is_the_entire_span() {
    let span = span(1001);
    for layout in [Layout::Shared, Layout::Own] {
        let sequence = sequence_of("4k:1,64k:1", span, 1);
        assert_eq!(sequence.pass_bytes(2, layout, 1, 3), 2 * span.len);
    }
}

#[test]
fn workers_of_one_stream_have_no_map_in_common() {
    let workload = workload("random-map", "4k:1,64k:1", Layout::Stream);
    let counter = Some(Arc::new(AtomicU64::new(0)));
    let refused = OffsetSequence::new(&workload, span(100), 0, 2, 1, counter);
    assert!(refused.expect_err("refused").contains("layout"));
}
