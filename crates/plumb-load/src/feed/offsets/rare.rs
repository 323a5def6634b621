//! Where is the next block in rarely used orders? fio's normal distribution, and runs of blocks at random offsets.

use std::sync::atomic::{AtomicU64, Ordering};

use plumb_model::workload::OperationKind;
use plumb_model::workload::block_list::BlockList;

use super::covering::{Covering, OneSize, Space};
use super::generator::Generator;
use super::permutation::Permutation;
use crate::engine::operation::Op;

/// Uniform draws whose mean is the middle of a bell (GAUSS_ITERS in lib/gauss.h of fio).
const DRAWS: u64 = 12;

/// The distribution that fio calls normal, as fio 3.33 was seen to draw it: for 1024 blocks and deviations of 1, 20 and 50 the standard deviations were 85.6,
/// 104.1 and 170.8 blocks.
#[derive(Debug)]
pub(super) struct Bell {
    pub generator: Generator,
    pub scatter: Permutation,
    /// Units of the uniform draw around the mean.
    pub width: u64,
}

impl Bell {
    pub fn next(&mut self, count: u64) -> u64 {
        let sum: u128 = (0..DRAWS)
            .map(|_| u128::from(self.generator.below(count)))
            .sum();
        let mean = (sum / u128::from(DRAWS)) as u64;
        let around = self.generator.below(self.width.max(1));
        let position = (mean + around).saturating_sub(self.width / 2);
        self.scatter.position_below(position.min(count - 1), count)
    }
}

/// Independent draws, the same again in each pass: whoever draws longer meets no unit that one pass left out.
#[derive(Debug)]
pub(super) struct Repeated {
    first: Generator,
    generator: Generator,
    /// Draws left in this pass.
    left: u64,
}

impl Repeated {
    /// A pass has as many draws as there are units.
    pub fn new(generator: Generator, count: u64) -> Repeated {
        Repeated {
            first: generator.clone(),
            generator,
            left: count,
        }
    }

    pub fn next(&mut self, count: u64) -> u64 {
        if self.left == 0 {
            (self.generator, self.left) = (self.first.clone(), count);
        }
        self.left -= 1;
        self.generator.below(count)
    }
}

/// Units of a list in turn.
#[derive(Debug)]
pub(super) struct Listed {
    list: BlockList,
    /// After each cycle the list begins so many units further.
    step: u64,
    /// Units given so far, by this worker.
    given: u64,
}

impl Listed {
    /// `moves`: each cycle continues behind the one before.
    pub fn new(list: BlockList, moves: bool) -> Listed {
        Listed {
            list,
            step: if moves { list.each().len() as u64 } else { 0 },
            given: 0,
        }
    }

    /// The next unit of `count`. Workers that share a stream take turns.
    pub fn next(&mut self, count: u64, stream: Option<&AtomicU64>) -> u64 {
        let turn = match stream {
            Some(counter) => counter.fetch_add(1, Ordering::Relaxed),
            None => self.given,
        };
        self.given += 1;
        let list = self.list.each();
        let len = list.len() as u64;
        let base = (turn / len).wrapping_mul(self.step);
        u64::from(list[(turn % len) as usize]).wrapping_add(base) % count
    }
}

/// Runs of units that follow each other, at the positions of a permutation of all runs; or of one unit that comes again.
#[derive(Debug)]
pub(super) struct Runs {
    starts: Covering,
    /// Runs in the target; the last may be shorter.
    count: u64,
    blocks: u64,
    /// The units of a run are the same one.
    is_same: bool,
    at: u64,
    left: u64,
}

impl Runs {
    /// `count` runs of `blocks` units.
    pub fn new(starts: Covering, count: u64, blocks: u64) -> Runs {
        Runs {
            starts,
            count,
            blocks,
            is_same: false,
            at: 0,
            left: 0,
        }
    }

    /// `count` units, each so many times in a row.
    pub fn repeats(positions: Covering, count: u64, times: u64) -> Runs {
        Runs {
            is_same: true,
            ..Runs::new(positions, count, times)
        }
    }

    /// The next unit of `count`. Workers that share a stream take a full run each.
    pub fn next(&mut self, count: u64, stream: Option<&AtomicU64>) -> u64 {
        if self.left == 0 {
            let mut run = [Op {
                offset: 0,
                len: 0,
                slot: 0,
                file: 0,
                kind: OperationKind::Read,
                priority: 0,
            }];
            let runs = Space {
                base: 0,
                unit_bytes: 1,
                count: self.count,
            };
            match stream {
                Some(counter) => self.starts.assign_from(counter, OneSize(0), runs, &mut run),
                None => self.starts.assign_own(OneSize(0), runs, &mut run),
            }
            (self.at, self.left) = if self.is_same {
                (run[0].offset, self.blocks)
            } else {
                let first = run[0].offset * self.blocks;
                (first, self.blocks.min(count - first))
            };
        }
        self.left -= 1;
        let unit = self.at;
        self.at += u64::from(!self.is_same);
        unit
    }
}
