//! Which blocks are written twice so that an SSD is at steady state after one pass?
//!
//! Under uniform random writes and a collector that always frees the block with the fewest valid pages, the share of the flash that consists of blocks with
//! validity v falls as 1/v, from the validity of the block that is freed up to 1 (Desnoyers, Analytic Models of SSD Write Performance, ACM TOS 8(2), 2012).
//! Sorted by age, which is by validity, the block at share x of the flash thus has validity `oldest^(1 - x)`. The mean of all is the capacity over the
//! flash, which fixes `oldest`. fio's sprandom aims at the same distribution.

use std::collections::VecDeque;

use plumb_model::workload::preconditioning::Preconditioning;
use plumb_model::workload::{Layout, OperationKind, Workload};

use super::covering::{Covering, OneSize, Space};
use super::generator::Generator;
use crate::engine::operation::Op;

/// Units that one pass writes: every unit once, and so many of a region again while the next one is filled that the region is as valid as at steady state.
#[derive(Debug)]
pub(super) struct Writes {
    /// Order in which units are written for the first time.
    first: Covering,
    generator: Generator,
    /// Units to write in each region, and how many of them are written again later.
    regions: Vec<Region>,
    /// Of a pass.
    total: u64,
    /// Again at the end of the next region, not at its start.
    late: bool,
    region: usize,
    /// Writes left in this region, and units still to be chosen among them.
    left: Region,
    /// Units of the region before that are to be written again.
    again: VecDeque<u64>,
    /// Units of this region that are chosen.
    chosen: VecDeque<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Region {
    writes: u64,
    again: u64,
}

impl Writes {
    /// `first` gives the units that were not written yet, `generator` chooses those that are written again.
    ///
    /// # Errors
    /// Workers that share the blocks, too few blocks for the regions, a region that is smaller than the cache.
    pub(super) fn new(
        how: Preconditioning,
        workload: &Workload,
        space: Space,
        first: Covering,
        generator: Generator,
    ) -> Result<Writes, String> {
        let is_alone = workload.layout == Layout::Own || workload.all_workers() == 1;
        if !is_alone || workload.layout == Layout::Stream {
            return Err("with offsets precondition each worker needs blocks of its own: use one worker, or layout own".into());
        }
        let total = how.writes(space.count);
        let smallest = total / u64::from(how.regions);
        let advice = "increase size, or use fewer regions";
        if smallest == 0 {
            return Err(format!(
                "{total} blocks do not fill {} regions of precondition: {advice}",
                how.regions
            ));
        }
        if smallest * space.unit_bytes < how.cache.0 {
            return Err(format!(
                "a region of precondition has {} bytes, fewer than the cache of {}: {advice}",
                smallest * space.unit_bytes,
                how.cache
            ));
        }
        let mut writes = Writes {
            first,
            generator,
            regions: regions(how.regions, total, total - space.count),
            total,
            late: how.cache.0 > 0,
            region: 0,
            left: Region {
                writes: 0,
                again: 0,
            },
            again: VecDeque::new(),
            chosen: VecDeque::new(),
        };
        writes.left = writes.regions[0];
        Ok(writes)
    }

    pub(super) fn of_a_pass(&self) -> u64 {
        self.total
    }

    /// The next unit of `count`.
    pub(super) fn next(&mut self, count: u64) -> u64 {
        if self.left.writes == 0 {
            self.begin_region();
        }
        let waits = self.late && self.left.writes > self.again.len() as u64;
        let again = if waits { None } else { self.again.pop_front() };
        let unit = again.unwrap_or_else(|| self.not_written(count));
        // As many as are to be chosen, each with the same probability.
        if self.generator.below(self.left.writes) < self.left.again {
            self.chosen.push_back(unit);
            self.left.again -= 1;
        }
        self.left.writes -= 1;
        unit
    }

    fn not_written(&mut self, count: u64) -> u64 {
        let mut one = [Op {
            offset: 0,
            len: 0,
            slot: 0,
            file: 0,
            kind: OperationKind::Write,
            priority: 0,
        }];
        let units = Space {
            base: 0,
            unit_bytes: 1,
            count,
        };
        self.first.assign_own(OneSize(0), units, &mut one);
        one[0].offset
    }

    #[cold]
    fn begin_region(&mut self) {
        self.region = (self.region + 1) % self.regions.len();
        self.left = self.regions[self.region];
        // What was to be written again is written; the lists change places, so that their memory is reused.
        std::mem::swap(&mut self.again, &mut self.chosen);
        self.chosen.clear();
    }
}

/// `total` writes in so many regions, of which `again` are second ones. Nothing of the last region is written again: it is as new as at steady state.
fn regions(count: u32, total: u64, again: u64) -> Vec<Region> {
    let oldest = validity_of_oldest(again as f64 / (total - again) as f64);
    let count = count as usize;
    let invalid: Vec<f64> = (0..count)
        .map(|region| match region + 1 == count {
            true => 0.0,
            false => 1.0 - oldest.powf(1.0 - (region as f64 + 0.5) / count as f64),
        })
        .collect();
    let sum: f64 = invalid.iter().sum();
    let mut regions = Vec::with_capacity(count);
    let (mut share, mut done) = (
        0.0,
        Region {
            writes: 0,
            again: 0,
        },
    );
    for (region, invalid) in invalid.iter().enumerate() {
        share += invalid / sum;
        let writes = (u128::from(total) * (region as u128 + 1) / count as u128) as u64;
        let chosen = if region + 2 >= count {
            again
        } else {
            (share * again as f64).round() as u64
        };
        regions.push(Region {
            writes: writes - done.writes,
            again: (chosen - done.again).min(writes - done.writes),
        });
        done = Region {
            writes,
            again: chosen,
        };
    }
    regions
}

/// Share of valid pages of the block that is freed next, from the over-provisioning (flash beyond the capacity over the capacity): where the mean of the
/// distribution, `(1 - v) / ln(1 / v)`, is the capacity over the flash.
fn validity_of_oldest(over_provisioning: f64) -> f64 {
    let mean = 1.0 / (1.0 + over_provisioning);
    let (mut low, mut high) = (1e-12, 1.0 - 1e-12);
    for _ in 0..100 {
        let middle: f64 = (low + high) / 2.0;
        if (1.0 - middle) / -middle.ln() < mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}
