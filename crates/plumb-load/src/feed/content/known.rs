//! Was a file of blocks written by plumb alone? Told sector by sector, as blocks of any size begin at sectors, from the pools that random content is made of.

use std::collections::HashMap;
use std::io::{self, Read};

use super::{Body, KEY, POOL, differ_by_one_key};
use crate::verify::intact_unit;

/// What is looked at at once; blocks of other sizes than multiples of it are not known.
pub(crate) const SECTOR: usize = 512;
/// Positions in a pool at which a sector may start.
const STEP: usize = 64;
/// Fewer bytes before zeros are not conclusive.
const COMPARABLE_FROM: usize = 2 * KEY;
/// Pools beyond this number would fill the memory.
pub(crate) const POOLS_MAX: usize = 4096;

/// All that some runs may have written.
#[derive(Default)]
pub(crate) struct Known {
    pools: Vec<Vec<u8>>,
    /// Where in which pools a sector starts, by a hash of its first 24 bytes that does not depend on the key: bytes 0 to 7 xor bytes 16 to 23.
    positions: HashMap<u64, Vec<(u32, u32)>>,
    /// Zeros and patterns.
    others: Vec<Body>,
}

impl Known {
    pub(crate) fn add(&mut self, body: Body) {
        match body {
            Body::Random { pool, .. } => {
                let number = self.pools.len() as u32;
                for position in (0..=POOL - SECTOR).step_by(STEP) {
                    self.positions
                        .entry(without_key(&pool[position..]))
                        .or_default()
                        .push((number, position as u32));
                }
                self.pools.push(pool);
            }
            other => self.others.push(other),
        }
    }

    /// True when nothing else stands in what is read, from its beginning to its end. Holes and what was never written are zeros.
    pub(crate) fn is_all(&self, mut read: impl Read) -> io::Result<bool> {
        let mut sector = Vec::with_capacity(SECTOR);
        let mut at = 0;
        loop {
            sector.clear();
            read.by_ref().take(SECTOR as u64).read_to_end(&mut sector)?;
            if sector.is_empty() {
                return Ok(true);
            }
            let first = at;
            at += sector.len() as u64;
            // A verified unit contains its length and its offset. One that a kill has torn is checked sector by sector, like everything else.
            if let Some(unit_bytes) = intact_unit::bytes(&sector, first) {
                read.by_ref()
                    .take((unit_bytes - SECTOR) as u64)
                    .read_to_end(&mut sector)?;
                at = first + sector.len() as u64;
                if intact_unit::is_intact(&sector, unit_bytes) {
                    continue;
                }
            }
            let mut sectors = sector.chunks(SECTOR).zip((first..).step_by(SECTOR));
            if !sectors.all(|(sector, at)| self.may_hold_at(sector, at)) {
                return Ok(false);
            }
        }
    }

    fn may_hold_at(&self, sector: &[u8], at: u64) -> bool {
        match intact_unit::bytes(sector, at) {
            Some(_) => self.may_hold_below_header(&sector[intact_unit::HEADER..]),
            None => self.may_hold(sector),
        }
    }

    /// The rest of a sector that begins with the header of a unit: rarely checked, so all positions are tried.
    fn may_hold_below_header(&self, rest: &[u8]) -> bool {
        let Some(last) = rest.iter().rposition(|byte| *byte != 0) else {
            return true;
        };
        let random = &rest[..=last];
        let positions = || (intact_unit::HEADER..=POOL - rest.len()).step_by(STEP);
        let is_random = random.len() >= COMPARABLE_FROM
            && self.pools.iter().any(|pool| {
                positions().any(|position| differ_by_one_key(random, &pool[position..]))
            });
        is_random
            || self
                .others
                .iter()
                .any(|body| body.may_have_made(rest, rest.len()))
    }

    fn may_hold(&self, sector: &[u8]) -> bool {
        // Compressible content ends in zeros; a random byte before them may be one too.
        let Some(last) = sector.iter().rposition(|byte| *byte != 0) else {
            return true;
        };
        let random = &sector[..=last];
        let positions = || {
            self.positions
                .get(&without_key(random))
                .into_iter()
                .flatten()
        };
        let is_random = random.len() >= COMPARABLE_FROM
            && positions().any(|(pool, position)| {
                differ_by_one_key(random, &self.pools[*pool as usize][*position as usize..])
            });
        is_random
            || self
                .others
                .iter()
                .any(|body| body.may_have_made(sector, sector.len()))
    }
}

/// The key drops out of the exclusive or of two bytes that it was applied to.
fn without_key(bytes: &[u8]) -> u64 {
    let word = |at: usize| {
        bytes
            .get(at..)
            .and_then(|rest| rest.first_chunk())
            .copied()
            .map_or(0, u64::from_le_bytes)
    };
    word(0) ^ word(KEY)
}

#[cfg(test)]
mod tests {
    use plumb_model::workload::Workload;

    use super::*;
    use crate::feed::content::ContentSource;

    fn written(
        content: &str,
        compress_percent: f64,
        block: usize,
        bytes: usize,
    ) -> (Known, Vec<u8>) {
        let workload = Workload {
            content: content.parse().expect(content),
            compress_percent,
            ..Workload::default()
        };
        let (mut known, mut source) = (
            Known::default(),
            ContentSource::new(&workload, 11, 3).expect("valid"),
        );
        [10, 11]
            .into_iter()
            .for_each(|seed| known.add(Body::new(&workload, seed).expect("valid")));
        let mut all = vec![0; bytes];
        all.chunks_mut(block)
            .enumerate()
            .for_each(|(number, block)| source.fill(block, (number * block.len()) as u64));
        (known, all)
    }

    #[test]
    fn what_plumb_wrote_is_known_and_the_smallest_change_is_not() {
        for (content, compress) in [
            ("random", 0.0),
            ("random", 30.0),
            ("reused", 0.0),
            ("zeros", 0.0),
            ("pattern:010203", 0.0),
        ] {
            for block in [512, 4096, 7 * 512, 64 << 10] {
                let (known, mut all) = written(content, compress, block, 256 << 10);
                assert!(
                    known.is_all(&all[..]).expect("read"),
                    "{content} {compress} {block}"
                );
                // A hole, and a block that was cut off.
                all[4096..8192].fill(0);
                assert!(
                    known.is_all(&all[..all.len() - 100]).expect("read"),
                    "{content} {compress} {block}"
                );
                for (at, what) in [
                    (0, b"mine"),
                    (100_000, b"mine"),
                    (4096, b"mine"),
                    ((256 << 10) - 512, b"mine"),
                ] {
                    let mut changed = all.clone();
                    changed[at..at + 4].copy_from_slice(what);
                    assert!(
                        !known.is_all(&changed[..]).expect("read"),
                        "{content} {compress} {block}: changed at {at}"
                    );
                }
            }
        }
        let (known, _) = written("random", 0.0, 4096, 4096);
        let (_, foreign) = written("pattern:41", 0.0, 4096, 4096);
        assert!(!known.is_all(&foreign[..]).expect("read"));
    }

    #[test]
    fn verified_units_are_known_whole_and_torn() {
        let workload = Workload {
            block: plumb_model::workload::Weighted::only(plumb_model::units::Bytes(8192)),
            verify: true,
            ..Workload::default()
        };
        let mut known = Known::default();
        known.add(Body::new(&workload, 11).expect("valid"));
        let span = crate::feed::offsets::Span {
            start: 0,
            len: 64 << 10,
        };
        let verifier = crate::verify::Verifier::new(&workload, 11, &[span]).expect("valid");
        let (mut first, mut second) = (vec![0; 64 << 10], vec![0; 64 << 10]);
        verifier.fill_initial(0, 0, &mut first);
        verifier.fill_initial(0, 0, &mut second);
        assert!(
            known.is_all(&first[..]).expect("read") && known.is_all(&second[..]).expect("read")
        );
        for torn_at in [512, 4096, 8192 + 4096] {
            first[..torn_at].copy_from_slice(&second[..torn_at]);
            assert!(known.is_all(&first[..]).expect("read"), "torn at {torn_at}");
        }
        for at in [0, 45, 300, 5000] {
            let mut changed = second.clone();
            changed[at..at + 4].copy_from_slice(b"mine");
            assert!(
                !known.is_all(&changed[..]).expect("read"),
                "changed at {at}"
            );
        }
    }
}
