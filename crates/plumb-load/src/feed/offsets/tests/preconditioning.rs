//! Is an SSD at steady state after one pass of `precondition`? Beside a simulated flash translation layer.

use super::*;

const UNITS: u64 = 40_000;

/// Positions of one pass.
fn pass(order: &str) -> Vec<u64> {
    let workload = workload(order, "4k", Layout::Own);
    let mut sequence = sequence(&workload, span(UNITS), 0, 1);
    let bytes = sequence.pass_bytes(1, Layout::Own, 0, 1);
    blocks(&take(&mut sequence, (bytes / 4096) as usize))
}

#[test]
fn one_pass_writes_every_block_and_as_much_as_there_is_flash() {
    for (order, flash) in [
        ("precondition:15", 46_000),
        ("precondition:28/40", 51_200),
        ("precondition:7/500/80k", 42_800),
        ("precondition:100/2", 80_000),
    ] {
        let positions = pass(order);
        assert_eq!(positions.len(), flash, "{order}");
        let mut times = vec![0u32; UNITS as usize];
        positions
            .iter()
            .for_each(|position| times[*position as usize] += 1);
        assert!(times.iter().all(|times| *times > 0), "{order}");
        let mut another = sequence(&workload(order, "4k", Layout::Own), span(UNITS), 0, 1);
        let two = blocks(&take(&mut another, 2 * flash));
        assert_eq!(two[..flash], positions[..], "{order}: not the same again");
        assert_ne!(two[flash..], positions[..], "{order}: the second pass");
        let second: std::collections::BTreeSet<u64> = two[flash..].iter().copied().collect();
        assert_eq!(second.len() as u64, UNITS, "{order}: the second pass");
    }
}

/// Shares of the writes of each region that no later write of the pass replaces.
fn validities(positions: &[u64], regions: usize) -> Vec<f64> {
    let mut last = vec![0; UNITS as usize];
    for (at, position) in positions.iter().enumerate() {
        last[*position as usize] = at;
    }
    let len = positions.len() / regions;
    (0..regions)
        .map(|region| {
            let writes = region * len..(region + 1) * len;
            let valid = writes.filter(|at| last[positions[*at] as usize] == *at);
            valid.count() as f64 / len as f64
        })
        .collect()
}

#[test]
fn regions_are_as_valid_as_the_model_says() {
    // Validities of the 1st, 25th, 50th, 75th and 100th of 100 regions, as fio 3.42 prints them with --debug=sprandom.
    for (order, fio) in [
        ("precondition:15", [0.75, 0.81, 0.87, 0.93, 1.0]),
        ("precondition:28", [0.60, 0.68, 0.77, 0.88, 1.0]),
    ] {
        let found = validities(&pass(order), 100);
        for (region, expected) in [0, 24, 49, 74, 99].into_iter().zip(fio) {
            let found = found[region];
            assert!(
                (found - expected).abs() < 0.02,
                "{order}, region {region}: {found}, fio {expected}"
            );
        }
    }
}

#[test]
fn a_block_is_written_again_within_the_next_region_and_after_a_cache() {
    for (order, nearest) in [("precondition:15/20", 1), ("precondition:15/20/2m", 512)] {
        let positions = pass(order);
        let region = positions.len() / 20;
        let mut last = std::collections::BTreeMap::new();
        for (at, position) in positions.iter().enumerate() {
            if let Some(before) = last.insert(*position, at) {
                let distance = at - before;
                assert!(
                    (nearest..=2 * region).contains(&distance),
                    "{order}: {distance} writes later"
                );
                assert_eq!(
                    at / region,
                    before / region + 1,
                    "{order}: not the next region"
                );
            }
        }
    }
}

/// A page-mapped flash translation layer with a greedy collector, one place to write for host and collector.
struct Flash {
    /// Page of flash that holds each unit.
    map: Vec<Option<usize>>,
    /// Unit in each page of flash.
    pages: Vec<Option<u64>>,
    valid: Vec<usize>,
    free: Vec<usize>,
    open: (usize, usize),
    copied: u64,
}

const PAGES: usize = 64;

impl Flash {
    fn new(blocks: usize) -> Flash {
        Flash {
            map: vec![None; UNITS as usize],
            pages: vec![None; blocks * PAGES],
            valid: vec![0; blocks],
            free: (1..blocks).rev().collect(),
            open: (0, 0),
            copied: 0,
        }
    }

    fn place(&mut self, unit: u64) {
        if self.open.1 == PAGES {
            self.open = (self.free.pop().expect("a free block"), 0);
        }
        let page = self.open.0 * PAGES + self.open.1;
        self.open.1 += 1;
        if let Some(old) = self.map[unit as usize].replace(page) {
            self.pages[old] = None;
            self.valid[old / PAGES] -= 1;
        }
        self.pages[page] = Some(unit);
        self.valid[self.open.0] += 1;
    }

    fn write(&mut self, unit: u64) {
        self.place(unit);
        while self.free.len() < 2 {
            let usable = (0..self.valid.len())
                .filter(|block| *block != self.open.0 && !self.free.contains(block));
            let victim = usable
                .min_by_key(|block| self.valid[*block])
                .expect("a block to free");
            for page in victim * PAGES..(victim + 1) * PAGES {
                if let Some(unit) = self.pages[page] {
                    self.copied += 1;
                    self.place(unit);
                }
            }
            self.free.push(victim);
        }
    }

    /// Write amplification of so many random writes.
    fn amplification(&mut self, writes: u64, generator: &mut Generator) -> f64 {
        self.copied = 0;
        (0..writes).for_each(|_| self.write(generator.below(UNITS)));
        (writes + self.copied) as f64 / writes as f64
    }
}

#[test]
fn write_amplification_is_that_of_long_random_writes_at_once() {
    // The flash has 15 % more pages than there are units, and a few spare blocks for the collector.
    let blocks = (UNITS as usize * 115 / 100).div_ceil(PAGES) + 3;
    let mut generator = Generator::from_parts(&[3]);
    let after = |first: &[u64], generator: &mut Generator| {
        let mut flash = Flash::new(blocks);
        first.iter().for_each(|unit| flash.write(*unit));
        flash.amplification(UNITS / 20, generator)
    };
    let steady = {
        let mut flash = Flash::new(blocks);
        (0..UNITS).for_each(|unit| flash.write(unit));
        flash.amplification(6 * UNITS, &mut generator);
        flash.amplification(UNITS, &mut generator)
    };
    let preconditioned = after(&pass("precondition:15"), &mut generator);
    let sequential: Vec<u64> = (0..UNITS).chain(0..UNITS * 15 / 100).collect();
    let sequential = after(&sequential, &mut generator);
    let random = after(&pass("random"), &mut generator);
    assert!(
        (preconditioned / steady - 1.0).abs() < 0.1,
        "{preconditioned}, steady {steady}"
    );
    for (how, other) in [("sequential", sequential), ("random", random)] {
        assert!(other < 0.85 * steady, "{how} {other}, steady {steady}");
    }
}

#[test]
fn regions_that_do_not_fit_are_refused_with_advice() {
    for (order, count, workers, why) in [
        ("precondition:15/5000", 1000, 1, "fewer regions"),
        ("precondition:15/100/10m", 1000, 1, "cache"),
        ("precondition:15", 1000, 2, "one worker"),
    ] {
        let workload = Workload {
            workers,
            ..workload(order, "4k", Layout::Shared)
        };
        let error =
            OffsetSequence::new(&workload, span(count), 0, workers, 1, None).expect_err("refused");
        assert!(error.contains(why), "{order}: {error}");
    }
}
