//! What is written? Bytes that neither a compressor nor a deduplicator can shrink, or that they can by exactly the requested share.

pub(crate) mod known;

use plumb_model::workload::{Content, Workload};

use crate::feed::offsets::{Generator, Purpose};

/// Content is made in segments of this many bytes, the page size on which file systems and arrays compress and deduplicate at the finest.
const SEGMENT: usize = 4096;

/// Random bytes that all segments are made from; small enough to stay in the first-level cache beside the block that is being filled.
const POOL: usize = 8192;

/// The smallest block that devices and deduplicators know.
const SECTOR: usize = 512;
const LINE: usize = 64;
/// Between the marks of two sectors: odd, so that they repeat after 2^64 sectors.
const MARK_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Bytes of a key.
const KEY: usize = 16;

/// Most distinct blocks back that a repeated block reaches.
const RECENT: u64 = 256;

/// The seed of a job in one of its rounds: each goes its own way through the target, as the same blocks in the same order would come from caches.
pub fn seed_of_round(seed: u64, round: u32) -> u64 {
    seed.wrapping_add(u64::from(round).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Fills the blocks that one worker writes.
///
/// Random content: each segment of 4 KiB is a stretch of a pool of random bytes, from a random position, combined by exclusive or with a random key of
/// 128 bits of its own. That is one load and one store for 16 bytes, and no two stretches of 16 bytes or more are alike, within a block, between blocks,
/// or between workers (two segments would have to draw keys that differ just as the pool does there: 2^-128 for each pair). Single bytes are uniform. So
/// neither an entropy coder, nor a match finder of any window, nor a deduplicator of any block size and alignment finds anything; only somebody
/// who knows the pool could. `compress_percent` of each segment, at its end, is zeros. `dedupe_percent` of the blocks repeat
/// one of the worker's 256 last different blocks of the same length, or one of a set that stays the same, evenly: after n blocks of a length, the share is right to one block.
///
/// Cost: filling 4 KiB takes little more than copying 4 KiB (71 and 51 ns on a 2 GHz Xeon, 125 to 160 and 115 to 135 ns with busy neighbours). Cheaper would be
/// to change only some words of a used buffer, as fio does (`scrambled`); then a compressor finds the rest again in the previous blocks.
#[derive(Debug)]
pub struct ContentSource {
    body: Body,
    keys: Generator,
    repeats: Option<Repeats>,
    /// Blocks are full already, and get marks.
    scrambles: bool,
}

impl ContentSource {
    /// The content of worker `worker`; what lays out a file beforehand takes a number that no worker has. The same arguments give the same bytes
    /// on every machine.
    ///
    /// # Errors
    /// A percentage is out of range, a pattern is empty, or shares are requested of content that is not random.
    pub fn new(workload: &Workload, seed: u64, worker: u32) -> Result<Self, String> {
        let dedupe = workload.dedupe_percent;
        if !(0.0..=100.0).contains(&dedupe) {
            return Err(format!(
                "dedupe-percent {dedupe} is out of range: use 0 to 100"
            ));
        }
        if dedupe > 0.0 && workload.content != Content::Random {
            return Err(format!(
                "content {} repeats already: set dedupe-percent to 0, or content to random",
                workload.content
            ));
        }
        let body = Body::new(workload, seed)?;
        let keys = Generator::from_parts(&[seed, Purpose::Content as u64, u64::from(worker)]);
        let repeats = (dedupe > 0.0).then(|| Repeats {
            share: dedupe / 100.0,
            stem: [seed, u64::from(worker)],
            set: workload.dedupe_set.map(|set| Set {
                blocks: set.blocks,
                owner: if set.is_shared {
                    u64::MAX
                } else {
                    u64::from(worker)
                },
            }),
            draws: Generator::from_parts(&[seed, Purpose::Repeats as u64, u64::from(worker)]),
            lengths: Vec::with_capacity(workload.block.0.len()),
        });
        Ok(ContentSource {
            body,
            keys,
            repeats,
            scrambles: false,
        })
    }

    /// From now on single contents differ from those of other runs with the same seed, which storage that looks for repeated blocks may hold already.
    /// `run`: a number that no other run has.
    pub fn differ(&mut self, run: u64) {
        self.keys = Generator::from_parts(&[run, self.keys.draw()]);
    }

    /// From now on blocks contain random bytes already, and only a mark in each of their sectors is new.
    pub fn scramble(&mut self) {
        self.scrambles = true;
    }

    /// Fills `block`, which will be written at `offset` of its file (a pattern continues across blocks).
    #[inline]
    pub fn fill(&mut self, block: &mut [u8], offset: u64) {
        if self.scrambles {
            return scramble(&mut self.keys, block);
        }
        match &mut self.repeats {
            None => self.body.fill(&mut self.keys, block, offset),
            Some(repeats) => self
                .body
                .fill(&mut repeats.next(block.len()), block, offset),
        }
    }
}

/// Puts 8 bytes into each sector that no other sector has: no deduplicator finds two alike. One cache line of 64 bytes is touched in each, in all sectors of a
/// block the same one.
#[inline]
fn scramble(keys: &mut Generator, block: &mut [u8]) {
    let mut mark = keys.draw();
    let line = (keys.draw() % (SECTOR / LINE) as u64) as usize * LINE;
    let mut sectors = block.chunks_exact_mut(SECTOR);
    for sector in &mut sectors {
        sector[line..line + 8].copy_from_slice(&mark.to_le_bytes());
        mark = mark.wrapping_add(MARK_STEP);
    }
    let rest = sectors.into_remainder();
    let marked = rest.len().min(8);
    rest[..marked].copy_from_slice(&mark.to_le_bytes()[..marked]);
}

/// Which block a block repeats. Contents are numbered, for each length on its own, and a number gives the keys.
#[derive(Debug)]
struct Repeats {
    share: f64,
    stem: [u64; 2],
    /// Missing: the blocks that were written last are repeated.
    set: Option<Set>,
    draws: Generator,
    lengths: Vec<Different>,
}

/// Blocks that repeated ones are taken from, numbered from the end of all numbers.
#[derive(Debug, Clone, Copy)]
struct Set {
    blocks: u64,
    /// Whose they are: a worker's, or everyone's.
    owner: u64,
}

/// The different blocks of one length so far.
#[derive(Debug)]
struct Different {
    len: usize,
    count: u64,
    /// Repetitions that are due: grows by the share with each block.
    due: f64,
}

impl Repeats {
    /// The keys of the next block of `len` bytes.
    fn next(&mut self, len: usize) -> Generator {
        let at = self
            .lengths
            .iter()
            .position(|different| different.len == len)
            .unwrap_or_else(|| {
                self.lengths.push(Different {
                    len,
                    count: 0,
                    due: 0.0,
                });
                self.lengths.len() - 1
            });
        let different = &mut self.lengths[at];
        different.due += self.share;
        let is_due = different.due >= 1.0;
        let mut owner = self.stem[1];
        let number = match self.set.filter(|_| is_due) {
            Some(set) => {
                different.due -= 1.0;
                owner = set.owner;
                u64::MAX - self.draws.below(set.blocks)
            }
            None if is_due && different.count > 0 => {
                different.due -= 1.0;
                different.count - 1 - self.draws.below(different.count.min(RECENT))
            }
            None => {
                different.count += 1;
                different.count - 1
            }
        };
        Generator::from_parts(&[
            self.stem[0],
            Purpose::Repeats as u64,
            owner,
            len as u64,
            number,
        ])
    }
}

/// The bytes of blocks, given their keys; the same for all workers.
#[derive(Debug)]
pub(crate) enum Body {
    Zeros,
    /// The pattern, repeated over a segment and once more, and its length.
    Pattern {
        tile: Vec<u8>,
        period: u64,
    },
    /// A pool of random bytes, and how much of a segment is not zeros.
    Random {
        pool: Vec<u8>,
        kept: usize,
    },
}

impl Body {
    /// What the workload requests; the seed fixes the pool.
    ///
    /// # Errors
    /// As [`ContentSource::new`], but for repetitions.
    pub(crate) fn new(workload: &Workload, seed: u64) -> Result<Self, String> {
        let compress = workload.compress_percent;
        if !(0.0..=100.0).contains(&compress) {
            return Err(format!(
                "compress-percent {compress} is out of range: use 0 to 100"
            ));
        }
        if compress > 0.0 && workload.content != Content::Random {
            return Err(format!(
                "content {} compresses already: set compress-percent to 0, or content to random",
                workload.content
            ));
        }
        Ok(match &workload.content {
            Content::Zeros => Body::Zeros,
            Content::Pattern(bytes) if bytes.is_empty() => {
                return Err(
                    "the pattern is empty: set for example content = \"pattern:deadbeef\"".into(),
                );
            }
            Content::Pattern(bytes) => Body::Pattern {
                tile: bytes
                    .iter()
                    .copied()
                    .cycle()
                    .take(bytes.len() + SEGMENT)
                    .collect(),
                period: bytes.len() as u64,
            },
            Content::Random | Content::Scrambled | Content::Reused => {
                let mut generator = Generator::from_parts(&[seed, Purpose::Pool as u64]);
                let pool = (0..POOL / 8)
                    .flat_map(|_| generator.draw().to_le_bytes())
                    .collect();
                // At least one key's worth, so that blocks stay different from each other, unless all is to be zeros.
                let kept = (SEGMENT as f64 * (100.0 - compress) / 100.0).round() as usize;
                Body::Random {
                    pool,
                    kept: if compress < 100.0 { kept.max(16) } else { 0 },
                }
            }
        })
    }

    /// Fills a block with what these keys give.
    #[inline]
    pub(crate) fn fill(&self, keys: &mut Generator, block: &mut [u8], offset: u64) {
        match self {
            Body::Zeros => block.fill(0),
            Body::Pattern { tile, period } => {
                for (number, segment) in block.chunks_mut(SEGMENT).enumerate() {
                    let phase = ((offset + (number * SEGMENT) as u64) % period) as usize;
                    segment.copy_from_slice(&tile[phase..phase + segment.len()]);
                }
            }
            Body::Random { pool, kept } => {
                for segment in block.chunks_mut(SEGMENT) {
                    let (key, position) = (
                        [keys.draw(), keys.draw()],
                        keys.below((POOL - SEGMENT) as u64 / 64) as usize * 64,
                    );
                    let kept = if segment.len() == SEGMENT {
                        *kept
                    } else {
                        (segment.len() * kept).div_ceil(SEGMENT)
                    };
                    let (random, zeros) = segment.split_at_mut(kept);
                    combine(random, &pool[position..position + kept], key);
                    zeros.fill(0);
                }
            }
        }
    }

    /// True of bytes that this may have written, whatever the keys and the offset: the beginning of a block of `block_bytes` bytes. A random segment that is
    /// believed wrongly has a chance of 2^-8 for each byte beyond 16, so that one of up to 16 bytes is always believed. Zeros are believed too: a machine that lost its power leaves them.
    pub(crate) fn may_have_made(&self, found: &[u8], block_bytes: usize) -> bool {
        let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        match self {
            Body::Zeros => is_zero(found),
            Body::Pattern { tile, period } => (0..*period).any(|phase| {
                let expected = (phase..*period).chain(0..phase).cycle();
                found
                    .iter()
                    .zip(expected)
                    .all(|(byte, at)| *byte == tile[at as usize])
            }),
            Body::Random { pool, kept } => {
                found.chunks(SEGMENT).enumerate().all(|(number, segment)| {
                    let full = block_bytes.saturating_sub(number * SEGMENT).min(SEGMENT);
                    let kept = if full == SEGMENT {
                        *kept
                    } else {
                        (full * kept).div_ceil(SEGMENT)
                    };
                    let (random, zeros) = segment.split_at(kept.min(segment.len()));
                    // This is too short for a complete write of a longer block.
                    let is_cut_short = random.len() < 2 * KEY && random.len() < kept.min(full);
                    let positions = || (0..POOL - SEGMENT).step_by(64);
                    is_zero(zeros)
                        && (is_zero(random)
                            || !is_cut_short
                                && positions()
                                    .any(|position| differ_by_one_key(random, &pool[position..])))
                })
            }
        }
    }
}

/// True when one key of 16 bytes, repeated, makes one of the other.
fn differ_by_one_key(one: &[u8], other: &[u8]) -> bool {
    let key = |at: usize| one[at] ^ other[at];
    (KEY..one.len()).all(|at| key(at) == key(at % KEY))
}

/// `out` = `pool` xor the key, repeated. Both have the same length. Lines of 64 bytes are compiled to 16-byte loads, exclusive ors and stores.
#[inline]
fn combine(out: &mut [u8], pool: &[u8], key: [u64; 2]) {
    let mut line_key = [0; 64];
    for (at, bytes) in line_key.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        *bytes = key[at % 2].to_le_bytes();
    }
    let (out_lines, out_rest) = out.as_chunks_mut::<64>();
    let (pool_lines, pool_rest) = pool.as_chunks::<64>();
    for (out, pool) in out_lines.iter_mut().zip(pool_lines) {
        for at in 0..64 {
            out[at] = pool[at] ^ line_key[at];
        }
    }
    for ((out, pool), key) in out_rest.iter_mut().zip(pool_rest).zip(line_key) {
        *out = pool ^ key;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};
    use std::io::Write;

    use plumb_model::workload::DedupeSet;

    use super::*;

    fn workload(content: &str, compress_percent: f64, dedupe_percent: f64) -> Workload {
        Workload {
            content: content.parse().expect(content),
            compress_percent,
            dedupe_percent,
            ..Workload::default()
        }
    }

    fn written(workload: &Workload, worker: u32, block_bytes: usize, blocks: usize) -> Vec<u8> {
        let mut source = ContentSource::new(workload, 11, worker).expect("valid");
        let mut bytes = vec![0xaa; block_bytes * blocks];
        for (number, block) in bytes.chunks_mut(block_bytes).enumerate() {
            source.fill(block, (number * block_bytes) as u64);
        }
        bytes
    }

    /// Size after zstd with a window of 128 MiB, as a share of the size before.
    fn zstd_long(bytes: &[u8], level: i32) -> f64 {
        let mut encoder = zstd::Encoder::new(Vec::new(), level).expect("an encoder");
        encoder.long_distance_matching(true).expect("an option");
        encoder.window_log(27).expect("an option");
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory").len() as f64 / bytes.len() as f64
    }

    /// Size after lz4 and after zstd in records of 128 KiB, as ZFS and btrfs compress.
    fn in_records(bytes: &[u8]) -> [f64; 2] {
        let lz4: usize = bytes
            .chunks(128 << 10)
            .map(|record| lz4_flex::compress(record).len())
            .sum();
        let zstd: usize = bytes
            .chunks(128 << 10)
            .map(|record| zstd::bulk::compress(record, 3).expect("memory").len())
            .sum();
        [lz4, zstd].map(|size| size as f64 / bytes.len() as f64)
    }

    /// Share of chunks that equal an earlier one.
    fn repeated(bytes: &[u8], chunk: usize) -> f64 {
        let different: HashSet<&[u8]> = bytes.chunks(chunk).collect();
        1.0 - different.len() as f64 / (bytes.len() / chunk) as f64
    }

    #[test]
    fn repeated_blocks_are_of_a_set() {
        let of_worker = |worker, is_shared| {
            let workload = Workload {
                dedupe_set: Some(DedupeSet {
                    blocks: 8,
                    is_shared,
                }),
                ..workload("random", 0.0, 50.0)
            };
            let bytes = written(&workload, worker, 4096, 1000);
            let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
            for block in bytes.chunks(4096) {
                *counts.entry(block.to_vec()).or_default() += 1;
            }
            counts
        };
        let mut sets = Vec::new();
        for (worker, is_shared) in [(0, false), (1, false), (0, true), (1, true)] {
            let mut counts = of_worker(worker, is_shared);
            assert_eq!(counts.len(), 508, "half of them, and the set");
            counts.retain(|_, count| *count > 1);
            assert_eq!(counts.len(), 8);
            sets.push(counts.into_keys().collect::<HashSet<_>>());
        }
        assert!(sets[0].is_disjoint(&sets[1]) && sets[2] == sets[3]);
    }

    #[test]
    fn random_content_cannot_be_shrunk() {
        for block_bytes in [512, 4096, 10_000, 1 << 20] {
            let bytes: Vec<u8> = (0..2)
                .flat_map(|worker| {
                    written(
                        &workload("random", 0.0, 0.0),
                        worker,
                        block_bytes,
                        (2 << 20) / block_bytes,
                    )
                })
                .collect();
            for share in in_records(&bytes) {
                assert!(
                    share > 0.999,
                    "blocks of {block_bytes} bytes compress to {share}"
                );
            }
            assert!(
                zstd_long(&bytes, 9) > 0.999,
                "blocks of {block_bytes} bytes compress over a long window"
            );
        }
    }

    #[test]
    fn no_two_sectors_are_alike_anywhere() {
        let bytes: Vec<u8> = (0..4)
            .flat_map(|worker| written(&workload("random", 0.0, 0.0), worker, 4096, 4096))
            .collect();
        assert_eq!(repeated(&bytes, 512), 0.0);
        // Sixteen bytes at any eight-byte alignment: what a content-defined deduplicator or a match finder would find.
        let mut seen = HashSet::new();
        assert!(
            bytes[..4 << 20]
                .windows(16)
                .step_by(8)
                .all(|window| seen.insert(window))
        );
    }

    #[test]
    fn bytes_are_uniform() {
        let bytes = written(&workload("random", 0.0, 0.0), 0, 4096, 2560);
        let mut counts = [0u64; 256];
        bytes
            .iter()
            .for_each(|byte| counts[usize::from(*byte)] += 1);
        let expected = bytes.len() as f64 / 256.0;
        let chi: f64 = counts
            .iter()
            .map(|count| (*count as f64 - expected).powi(2) / expected)
            .sum();
        // 255 degrees of freedom: six standard deviations.
        assert!(
            (chi - 255.0).abs() < 6.0 * 510.0f64.sqrt(),
            "chi-square {chi}"
        );
    }

    #[test]
    fn compressors_get_the_requested_share() {
        for percent in [0.0, 10.0, 30.0, 50.0, 75.0, 90.0, 100.0] {
            for block_bytes in [512, 4096, 65_536] {
                let bytes = written(
                    &workload("random", percent, 0.0),
                    0,
                    block_bytes,
                    (2 << 20) / block_bytes,
                );
                for share in in_records(&bytes) {
                    assert!(
                        (share - (1.0 - percent / 100.0)).abs() < 0.03,
                        "asked {percent} % of {block_bytes} bytes, compressed to {share}"
                    );
                }
                assert!(
                    percent == 100.0 || repeated(&bytes, block_bytes) == 0.0,
                    "compressible blocks must still differ"
                );
            }
        }
    }

    #[test]
    fn deduplicators_get_the_requested_share() {
        for percent in [1.0, 33.3, 50.0, 90.0, 99.0, 100.0] {
            for block_bytes in [4096, 65_536] {
                let blocks = (16 << 20) / block_bytes.max(4096);
                let bytes = written(&workload("random", 0.0, percent), 0, block_bytes, blocks);
                let found = repeated(&bytes, 4096) * 100.0;
                assert!(
                    (found - percent).abs() <= 100.0 / blocks as f64 + 0.01,
                    "asked {percent} %, found {found} % in blocks of {block_bytes} bytes"
                );
            }
        }
    }

    #[test]
    fn repetitions_are_spread_and_of_the_same_length() {
        let workload = workload("random", 50.0, 90.0);
        let mut source = ContentSource::new(&workload, 11, 0).expect("valid");
        let mut copies: HashMap<Vec<u8>, u32> = HashMap::new();
        for number in 0..8000 {
            let mut block = vec![0; if number % 3 == 0 { 8192 } else { 4096 }];
            source.fill(&mut block, 0);
            *copies.entry(block).or_default() += 1;
        }
        assert!(
            (780..=820).contains(&copies.len()),
            "{} different blocks of 8000",
            copies.len()
        );
        assert!(
            copies.values().all(|copies| *copies < 200),
            "one block takes most of the repetitions"
        );
        let other: Vec<u8> = written(&workload, 1, 4096, 1);
        assert!(
            !copies.contains_key(&other),
            "two workers write the same blocks"
        );
    }

    #[test]
    fn zeros_and_patterns_are_as_named() {
        assert!(
            written(&workload("zeros", 0.0, 0.0), 0, 5000, 3)
                .iter()
                .all(|byte| *byte == 0)
        );
        for block_bytes in [512, 4096, 5000, 9999] {
            let bytes = written(&workload("pattern:010203", 0.0, 0.0), 0, block_bytes, 3);
            assert!(
                bytes
                    .iter()
                    .enumerate()
                    .all(|(at, byte)| usize::from(*byte) == at % 3 + 1),
                "blocks of {block_bytes} bytes"
            );
        }
    }

    #[test]
    fn what_was_written_is_recognised_whole_and_cut_off_and_nothing_else_is() {
        for (content, compress) in [
            ("random", 0.0),
            ("random", 40.0),
            ("random", 100.0),
            ("zeros", 0.0),
            ("pattern:010203", 0.0),
        ] {
            let workload = workload(content, compress, 0.0);
            let body = Body::new(&workload, 11).expect("valid");
            for len in [1, 16, 100, 4096, 5000, 20_000] {
                let mut source = ContentSource::new(&workload, 11, 3).expect("valid");
                let mut bytes = vec![0xaa; len];
                source.fill(&mut bytes, 17);
                for cut in [0, len / 2, len]
                    .into_iter()
                    .filter(|cut| *cut == len || *cut >= 32 || *cut == 0)
                {
                    assert!(
                        body.may_have_made(&bytes[..cut], len),
                        "{content} {compress}: {cut} of {len}"
                    );
                }
                if len >= 100 {
                    bytes[len - 2] ^= 1;
                    assert!(
                        !body.may_have_made(&bytes, len),
                        "{content} {compress}: one bit of {len} bytes"
                    );
                    assert!(
                        !body.may_have_made(b"a letter of the user to his bank", len),
                        "{content} {compress} {len}"
                    );
                    let other = Body::new(&workload, 12).expect("valid");
                    bytes[len - 2] ^= 1;
                    assert_eq!(
                        other.may_have_made(&bytes, len),
                        content != "random" || compress == 100.0,
                        "{content}: another seed"
                    );
                }
            }
        }
    }

    #[test]
    fn no_two_scrambled_sectors_are_equal_and_little_of_them_is_new() {
        let mut sectors = HashSet::new();
        // Two runs of one seed, the first one with two workers.
        for (worker, run) in [(0, 1), (1, 1), (0, 2)] {
            let mut source =
                ContentSource::new(&workload("scrambled", 0.0, 0.0), 11, worker).expect("valid");
            let mut buffers = [vec![0; 16 << 10], vec![0; 16 << 10], vec![0; 700]];
            buffers.iter_mut().for_each(|buffer| source.fill(buffer, 0));
            source.differ(run);
            source.scramble();
            for write in 0..200 {
                for buffer in &mut buffers {
                    let before = buffer.clone();
                    source.fill(buffer, 0);
                    for (new, old) in buffer.chunks(512).zip(before.chunks(512)) {
                        let changed = new.iter().zip(old).filter(|(new, old)| new != old);
                        let changed = changed.count();
                        assert!((4..=8).contains(&changed), "{write}: {changed} bytes");
                        assert!(sectors.insert(new.to_vec()), "{write}: written before");
                    }
                }
            }
        }
        // A block of fewer bytes than a mark.
        let mut source =
            ContentSource::new(&workload("scrambled", 0.0, 0.0), 11, 0).expect("valid");
        source.scramble();
        let mut block = [0; 3];
        source.fill(&mut block, 0);
        assert_ne!(block, [0; 3]);
    }

    #[test]
    fn every_byte_of_a_block_is_set() {
        for len in [1, 7, 8, 15, 16, 17, 24, 511, 4095, 4097, 8200] {
            for compress_percent in [0.0, 40.0] {
                let workload = workload("random", compress_percent, 0.0);
                let fill = |first: u8| {
                    let mut block = vec![first; len];
                    ContentSource::new(&workload, 1, 1)
                        .expect("valid")
                        .fill(&mut block, 0);
                    block
                };
                assert_eq!(fill(0x55), fill(0xaa), "{len} bytes");
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (content, compress, dedupe) in [
            ("random", 101.0, 0.0),
            ("random", -1.0, 0.0),
            ("random", f64::NAN, 0.0),
            ("random", 0.0, 200.0),
            ("zeros", 0.0, 5.0),
            ("pattern:00", 5.0, 0.0),
        ] {
            let error =
                ContentSource::new(&workload(content, compress, dedupe), 1, 0).expect_err(content);
            assert!(error.contains("percent"), "{error}");
        }
        assert!(
            ContentSource::new(
                &Workload {
                    content: Content::Pattern(vec![]),
                    ..Workload::default()
                },
                1,
                0
            )
            .is_err()
        );
    }

    #[test]
    fn the_content_of_a_seed_never_changes() {
        let bytes = written(&workload("random", 0.0, 0.0), 3, 4096, 2);
        assert_eq!(
            (&bytes[..8], &bytes[8188..8192]),
            (&PINNED.0[..], &PINNED.1[..]),
            "recorded seeds would no longer give the runs they gave"
        );
    }

    const PINNED: ([u8; 8], [u8; 4]) =
        ([126, 174, 185, 112, 63, 228, 9, 215], [176, 132, 230, 155]);
}
