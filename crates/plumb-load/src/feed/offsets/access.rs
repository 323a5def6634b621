//! What does the next operation of an access specification do, how long is it, and where? Drawn as Iometer draws it.

use plumb_model::units::Bytes;
use plumb_model::workload::{AccessLine, After, Layout, OperationKind, Workload};

use super::generator::{Generator, Purpose};
use super::order::share_of;
use super::random_map::RandomMap;
use super::shares::Shares;
use super::span::Span;
use crate::engine::operation::Op;

/// Kinds, lengths and offsets of one worker's operations, from the lines of an access specification (IOTarget.cpp and Grunt.cpp of Iometer 1.1.0).
///
/// For each burst a line is drawn by its share. An operation of it is a read with the line's share of reads. With its share of random it begins at a byte
/// drawn from the entire span, else where the operation before ended, or the one before of its kind; that is rounded up to the alignment. One that would pass
/// the end goes to the start.
///
/// Workers that share a span ([`Layout::Shared`]) begin at parts of their own, as in every order that goes forwards.
#[derive(Debug)]
pub struct AccessSequence {
    lines: Vec<PreparedLine>,
    /// Which line comes next, by its index.
    shares: Shares<u16>,
    generator: Generator,
    span: Span,
    /// Random offsets of lines with `places once`.
    once: Option<EachOnce>,
    /// Where the last operation ended: the last write, the last read, and the last of any kind.
    ends: [u64; 3],
    /// The line of this burst, and how many operations of it are left.
    line: usize,
    left: u64,
}

/// A line, ready for drawing.
#[derive(Debug, Clone, Copy)]
struct PreparedLine {
    /// Length, of a range the smallest.
    len: u32,
    /// Sizes of a range: so many multiples of the smallest; 1 for one size.
    sizes: u64,
    /// Below this of 2^32 an operation is a read.
    reads: u64,
    /// Below this of 2^32 it goes to a random offset.
    random: u64,
    once: bool,
    /// Each kind follows its own last operation.
    apart: bool,
    burst: u64,
    align: u64,
    /// The first aligned byte of the span.
    start: u64,
}

/// A share in percent of 2^32.
fn threshold(percent: f64) -> u64 {
    (percent / 100.0 * (1u64 << 32) as f64).round() as u64
}

impl AccessSequence {
    /// The sequence of worker `worker` of `workers` over `span`; `None` when the workload has no access specification.
    ///
    /// # Errors
    /// What does not fit, and what to change: a line whose blocks are longer than the span, or than one operation can move.
    pub fn new(
        workload: &Workload,
        span: Span,
        worker: u32,
        workers: u32,
        seed: u64,
    ) -> Result<Option<Self>, String> {
        let Some(access) = &workload.access else {
            return Ok(None);
        };
        let lines = access
            .0
            .iter()
            .map(|line| PreparedLine::new(line, span))
            .collect::<Result<Vec<_>, _>>()?;
        let shares: Vec<(u16, f64)> = (0..)
            .zip(&access.0)
            .map(|(index, line)| (index, line.share))
            .collect();
        let shares = Shares::new(&shares).map_err(|why| format!("access '{access}': {why}"))?;
        let first = if workload.layout == Layout::Shared {
            share_of(
                span.len,
                if workload.same_start { 0 } else { worker },
                workers,
            )
        } else {
            0
        };
        let generator = Generator::from_parts(&[seed, Purpose::Access as u64, u64::from(worker)]);
        let unit_bytes = access.unit_bytes();
        let once = access.0.iter().any(|line| line.once);
        let apart = access
            .0
            .iter()
            .find(|line| line.once && line.align_bytes() != unit_bytes);
        if let Some(line) = apart {
            return Err(format!(
                "access '{line}': offsets of 'places once' are multiples of {}, the unit of all blocks: use align {unit_bytes}",
                Bytes(unit_bytes)
            ));
        }
        let map = || EachOnce::new(unit_bytes, span, (seed, worker));
        let once = once.then(map).transpose()?;
        Ok(Some(AccessSequence {
            lines,
            shares,
            generator,
            span,
            once,
            ends: [span.start + first; 3],
            line: 0,
            left: 0,
        }))
    }

    /// Sets kind, offset and length of each operation, and leaves the other fields alone.
    pub fn fill(&mut self, ops: &mut [Op]) {
        let end = self.span.start + self.span.len;
        for op in ops {
            if self.left == 0 {
                self.line = usize::from(self.shares.pick(self.generator.draw()));
                self.left = self.lines[self.line].burst;
            }
            self.left -= 1;
            let line = self.lines[self.line];
            let bits = self.generator.draw();
            let is_read = bits >> 32 < line.reads;
            op.kind = if is_read {
                OperationKind::Read
            } else {
                OperationKind::Write
            };
            let before = if line.apart { usize::from(is_read) } else { 2 };
            let is_random = u64::from(bits as u32) < line.random;
            if is_random
                && line.once
                && let Some(once) = &mut self.once
            {
                op.len = line.len;
                if line.sizes > 1 {
                    op.len *= 1 + self.generator.below(line.sizes) as u32;
                }
                once.assign(op);
                let ended = op.offset + u64::from(op.len);
                (self.ends[usize::from(is_read)], self.ends[2]) = (ended, ended);
                continue;
            }
            let from = if is_random {
                self.span.start + self.generator.below(self.span.len)
            } else {
                self.ends[before]
            };
            // The span ends below 2^63: rounding up does not overflow.
            let aligned = from.next_multiple_of(line.align);
            op.len = line.len;
            if line.sizes > 1 {
                op.len *= 1 + self.generator.below(line.sizes) as u32;
            }
            op.offset = if aligned + u64::from(op.len) > end {
                line.start
            } else {
                aligned
            };
            let ended = op.offset + u64::from(op.len);
            (self.ends[usize::from(is_read)], self.ends[2]) = (ended, ended);
        }
    }
}

/// A map of the units of a span, of which each is taken once before any is taken again.
#[derive(Debug)]
struct EachOnce {
    map: RandomMap,
    unit_bytes: u64,
    start: u64,
    count: u64,
}

impl EachOnce {
    fn new(unit_bytes: u64, span: Span, (seed, worker): (u64, u32)) -> Result<EachOnce, String> {
        let unit_bytes = unit_bytes.max(1);
        let start = span.start.next_multiple_of(unit_bytes);
        let count = (span.start + span.len).saturating_sub(start) / unit_bytes;
        let generator = Generator::from_parts(&[seed, Purpose::Offsets as u64, u64::from(worker)]);
        Ok(EachOnce {
            map: RandomMap::new(Layout::Own, count, generator)?,
            unit_bytes,
            start,
            count,
        })
    }

    /// Sets the offset, and the length where the block ends earlier.
    fn assign(&mut self, op: &mut Op) {
        let units = u64::from(op.len) / self.unit_bytes;
        let (position, taken) = self.map.take(units, self.count);
        op.offset = self.start + position * self.unit_bytes;
        op.len = (taken * self.unit_bytes) as u32;
    }
}

impl PreparedLine {
    fn new(line: &AccessLine, span: Span) -> Result<PreparedLine, String> {
        let end = span
            .start
            .checked_add(span.len)
            .filter(|end| *end < 1 << 62);
        let end =
            end.ok_or("the part of the target ends beyond 2^62 bytes: reduce start or size")?;
        // Linux moves at most 0x7fff_f000 bytes at once (read(2)).
        let len_of = |size: Bytes| {
            let len = u32::try_from(size.0).ok();
            len.filter(|len| (1..=0x7fff_f000).contains(len))
                .ok_or_else(|| format!("access '{line}': one operation transfers 1 byte to 2 GiB"))
        };
        let (len, longest) = (len_of(line.size.from)?, len_of(line.size.to)?);
        let align = line.align_bytes();
        let start = span
            .start
            .checked_next_multiple_of(align)
            .filter(|start| start.saturating_add(u64::from(longest)) <= end);
        let start = start.ok_or_else(|| {
            format!(
                "the part of the target at offset {} with {} bytes has no aligned block of the access line '{line}': increase size or reduce workers",
                span.start, span.len
            )
        })?;
        let (reads, random) = (
            threshold(line.reads_percent),
            threshold(line.random_percent),
        );
        Ok(PreparedLine {
            len,
            sizes: line.size.count(),
            reads,
            random,
            once: line.once,
            apart: line.after == After::Same,
            burst: line.burst.max(1),
            align,
            start,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLANK: Op = Op {
        offset: 9,
        len: 9,
        slot: 3,
        file: 5,
        kind: OperationKind::Flush,
        priority: 0,
    };

    fn workload(access: &str, more: Workload) -> Workload {
        Workload {
            access: Some(access.parse().expect(access)),
            ..more
        }
    }

    fn drawn(access: &str, span: Span, worker: u32, workers: u32, count: usize) -> Vec<Op> {
        let workload = workload(access, Workload::default());
        let mut sequence = AccessSequence::new(&workload, span, worker, workers, 7)
            .expect(access)
            .expect("lines");
        let mut ops = vec![BLANK; count];
        // Batches of any size give the same sequence.
        let (first, rest) = ops.split_at_mut(count / 3);
        sequence.fill(first);
        rest.chunks_mut(5).for_each(|batch| sequence.fill(batch));
        ops
    }

    const SPAN: Span = Span {
        start: 1 << 20,
        len: 64 << 20,
    };

    #[test]
    fn an_operation_of_a_range_begins_where_the_one_before_ended() {
        let ops = drawn("512-1m reads 100 random 0", SPAN, 0, 1, 100);
        let sizes: std::collections::BTreeSet<u32> = ops.iter().map(|op| op.len).collect();
        assert!(sizes.len() > 50, "{sizes:?}");
        for pair in ops.windows(2) {
            let ended = pair[0].offset + u64::from(pair[0].len);
            assert!(
                pair[1].offset == ended || pair[1].offset == SPAN.start,
                "{pair:?}"
            );
        }
    }

    #[test]
    fn kinds_sizes_and_random_offsets_come_in_their_shares() {
        let count = 200_000;
        let ops = drawn(
            "4k share 60 reads 80 random 100; 64k share 30 reads 100 random 0; 512 share 10 reads 0 random 50",
            SPAN,
            0,
            1,
            count,
        );
        // Five standard deviations of a binomial count.
        let bound = |share: f64| 5.0 * (count as f64 * share * (1.0 - share)).sqrt();
        let near = |what: &str, found: usize, share: f64| {
            assert!(
                (found as f64 - count as f64 * share).abs() < bound(share),
                "{what}: {found} of {count}, not {share}"
            );
        };
        let of = |len: u32| ops.iter().filter(move |op| op.len == len);
        near("4k", of(4096).count(), 0.6);
        near("64k", of(65_536).count(), 0.3);
        near("512", of(512).count(), 0.1);
        let reads = |len: u32| of(len).filter(|op| op.kind == OperationKind::Read).count();
        near("reads of 4k", reads(4096), 0.48);
        assert_eq!((reads(65_536), reads(512)), (of(65_536).count(), 0));
        let joined = |len: u32| {
            ops.windows(2)
                .filter(|pair| {
                    pair[1].len == len && pair[0].offset + u64::from(pair[0].len) == pair[1].offset
                })
                .count()
        };
        // Random offsets follow by chance in one of 131,072 cases; a lap of 64 MiB ends about every 4000 operations.
        near("4k that follow", joined(4096), 0.0001);
        near("512 that follow", joined(512), 0.05);
        assert!(
            of(65_536).count() - joined(65_536) < 100,
            "{} of {}",
            joined(65_536),
            of(65_536).count()
        );
        assert!(
            ops.iter()
                .all(|op| (op.slot, op.file) == (3, 5) && op.offset.is_multiple_of(512))
        );
        assert!(
            ops.iter().all(|op| op.offset >= SPAN.start
                && op.offset + u64::from(op.len) <= SPAN.start + SPAN.len)
        );
    }

    /// Over two passes each random offset comes twice; what follows another operation is not counted.
    #[test]
    fn random_offsets_come_once_if_requested() {
        let span = Span {
            start: 8192,
            len: 512 * 4096,
        };
        let access = "4k share 60 reads 100 random 100 places once after same align 4k; 4k share 40 reads 0 random 100 places once after same align 4k";
        let mut counts = std::collections::BTreeMap::new();
        for op in drawn(access, span, 0, 1, 1024) {
            *counts.entry(op.offset).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 512);
        assert!(counts.values().all(|count| *count == 2), "{counts:?}");
        let ops = drawn(
            "4k random 80 places once after same align 4k",
            span,
            0,
            1,
            512,
        );
        let generator: std::collections::BTreeSet<u64> = ops.iter().map(|op| op.offset).collect();
        // Four fifths at random, and of the places that follow those about 18 % of the others: 428 on average, where it would be 324 with replacement.
        assert!((400..456).contains(&generator.len()), "{}", generator.len());
    }

    /// The counts of one seed, exactly: recorded seeds give the runs that they gave.
    #[test]
    fn the_operations_of_a_seed_never_change() {
        let ops = drawn(
            "4k share 67 reads 67 random 100; 8k share 33 reads 0 random 0 burst 2",
            SPAN,
            1,
            2,
            6,
        );
        let found: Vec<(bool, u64, u32)> = ops
            .iter()
            .map(|op| (op.kind == OperationKind::Read, op.offset, op.len))
            .collect();
        assert_eq!(found, PINNED);
    }

    const PINNED: [(bool, u64, u32); 6] = [
        (false, 66_685_440, 4096),
        (true, 5_370_368, 4096),
        (false, 40_727_552, 4096),
        (false, 40_731_648, 8192),
        (false, 40_739_840, 8192),
        (false, 40_748_032, 8192),
    ];

    #[test]
    fn sequential_lines_follow_each_other_and_begin_again_at_the_start() {
        let span = Span {
            start: 1000,
            len: 3 * 4096,
        };
        let offsets: Vec<u64> = drawn("4k reads 0", span, 0, 1, 5)
            .iter()
            .map(|op| op.offset)
            .collect();
        assert_eq!(
            offsets,
            [1024, 5120, 1024, 5120, 1024],
            "the third block would pass the end"
        );
        let offsets: Vec<u64> = drawn(
            "1k align 2k",
            Span {
                start: 0,
                len: 8192,
            },
            0,
            1,
            6,
        )
        .iter()
        .map(|op| op.offset)
        .collect();
        assert_eq!(offsets, [0, 2048, 4096, 6144, 0, 2048]);
        let ops = drawn(
            "8k share 50 reads 100 after same; 4k share 50 reads 0 after same",
            SPAN,
            0,
            1,
            1000,
        );
        for kind in [OperationKind::Read, OperationKind::Write] {
            let of: Vec<&Op> = ops.iter().filter(|op| op.kind == kind).collect();
            assert!(
                of.len() > 400
                    && of
                        .windows(2)
                        .all(|pair| pair[1].offset == pair[0].offset + u64::from(pair[0].len)),
                "{kind}"
            );
        }
        let starts: Vec<u64> = (0..4)
            .map(|worker| drawn("4k", SPAN, worker, 4, 1)[0].offset)
            .collect();
        assert_eq!(starts, [1 << 20, 17 << 20, 33 << 20, 49 << 20]);
    }

    #[test]
    fn a_burst_stays_with_its_line() {
        let ops = drawn("4k share 50 burst 8; 8k share 50 burst 3", SPAN, 0, 1, 3000);
        let mut runs = Vec::new();
        for op in &ops {
            match runs.last_mut() {
                Some((len, count)) if *len == op.len => *count += 1,
                _ => runs.push((op.len, 1)),
            }
        }
        runs.pop();
        assert!(runs.len() > 100);
        assert!(
            runs.iter()
                .all(|(len, count)| count % if *len == 4096 { 8 } else { 3 } == 0),
            "{runs:?}"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_with_advice() {
        let refused = |access: &str, span| {
            AccessSequence::new(&workload(access, Workload::default()), span, 0, 1, 7)
                .expect_err(access)
        };
        assert!(
            refused(
                "64k",
                Span {
                    start: 0,
                    len: 65_535
                }
            )
            .contains("increase size")
        );
        assert!(
            refused(
                "64k align 1m",
                Span {
                    start: 1,
                    len: 1 << 20
                }
            )
            .contains("'64k reads 100 random 0 align 1m'")
        );
        assert!(refused("4k places once align 4k; 1k", SPAN).contains("use align 512"));
        assert!(refused("4g", SPAN).contains("2 GiB"));
        assert!(
            refused(
                "4k",
                Span {
                    start: 1 << 62,
                    len: 1 << 20
                }
            )
            .contains("2^62")
        );
        assert!(
            AccessSequence::new(&Workload::default(), SPAN, 0, 1, 7)
                .expect("no lines")
                .is_none()
        );
    }
}
