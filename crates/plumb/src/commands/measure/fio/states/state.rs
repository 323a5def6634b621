//! What is the format of a verify state file (`local-NAME-N-verify.state`) of fio 3.33?
//!
//! The form is that of files which fio 3.33 was seen to write (with several depths, files, clones and numbers of writes) and to read; the meaning is HOWTO's
//! (`verify_state_save`, `verify_state_load`). All numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0 | 3, the version of the form; 8 bytes |
//! | 8 | bytes behind the first 24; 8 bytes |
//! | 16 | CRC-32C of these, begun with all ones, not inverted at the end; 8 bytes |
//! | 24 | writes in the list at the end; 8 bytes |
//! | 32 | depth of the job, and its files; 4 bytes each |
//! | 40 | writes of the job, and which of the clones it is; 8 bytes each |
//! | 56 | state of fio's random numbers, zeros where places follow each other; 56 bytes |
//! | 112 | name of the job, zeros behind it; 64 bytes |
//! | 176 | the writes that were done last, the latest first: number of the file and place in bytes; 8 bytes each. There is room for as many as the depth |
//!
//! A job of plumb's at random places has another version (`plumb 1`), which fio refuses, an empty list, and in the place of fio's random numbers what plumb
//! draws the same places from: the seed, the block, the first byte and the bytes from there on, and a checksum of the order.

const VERSION: u64 = 3;
const OWN_VERSION: u64 = u64::from_le_bytes(*b"plumb 1\0");
const HEAD: usize = 24;
const FIXED: usize = 152;
const NAME: usize = 64;
/// Maximum depth of fio.
const LAST_MAX: u64 = 1 << 20;

/// The progress of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// At most 64 bytes of it are kept.
    pub name: String,
    pub clone: u64,
    pub depth: u32,
    pub writes: u64,
    /// Places of the last writes in bytes, the latest first: as many as the depth, or all.
    pub last: Vec<u64>,
    pub order: Places,
}

/// The order of the written offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    Sequential,
    /// By fio's random numbers, from which only fio derives the offsets.
    OfFio,
    Random(Draw),
}

/// The seed of plumb's random offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draw {
    pub seed: u64,
    pub block: u64,
    pub start: u64,
    pub region: u64,
    /// Checksum of the order's name.
    pub order: u64,
}

impl Draw {
    pub fn new(seed: u64, (start, region, block): (u64, u64, u64), order: &str) -> Draw {
        Draw {
            seed,
            block,
            start,
            region,
            order: u64::from(checksum(order.as_bytes())),
        }
    }

    fn numbers(&self) -> [u64; 5] {
        [self.seed, self.block, self.start, self.region, self.order]
    }
}

impl State {
    /// A job that went over `places` bytes from `start` on in order, block by block, as often as it came.
    pub fn in_order(
        (name, clone, depth): (&str, u64, u32),
        writes: u64,
        (start, region, block): (u64, u64, u64),
    ) -> State {
        let blocks = (region / block.max(1)).max(1);
        let place = |back: u64| start + (writes - 1 - back) % blocks * block;
        State {
            name: name.to_string(),
            clone,
            depth,
            writes,
            last: (0..writes.min(u64::from(depth))).map(place).collect(),
            order: Places::Sequential,
        }
    }

    /// A job of plumb's at random places, all of whose writes have ended.
    pub fn random((name, clone, depth): (&str, u64, u32), writes: u64, draw: Draw) -> State {
        State {
            name: name.to_string(),
            clone,
            depth,
            writes,
            last: Vec::new(),
            order: Places::Random(draw),
        }
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut rest = Vec::new();
        let mut long = |number: u64| rest.extend(number.to_le_bytes());
        long(self.last.len() as u64);
        long(u64::from(self.depth) | 1 << 32);
        long(self.writes);
        long(self.clone);
        let (version, drawn) = match &self.order {
            Places::Random(draw) => (OWN_VERSION, draw.numbers()),
            Places::Sequential | Places::OfFio => (VERSION, [0; 5]),
        };
        drawn.into_iter().chain([0; 2]).for_each(&mut long);
        let mut name = self.name.clone().into_bytes();
        name.truncate(NAME - 1);
        name.resize(NAME, 0);
        rest.extend(name);
        for place in &self.last {
            rest.extend(0u64.to_le_bytes());
            rest.extend(place.to_le_bytes());
        }
        rest.resize(FIXED + 16 * self.last.len().max(self.depth as usize), 0);
        let head = [version, rest.len() as u64, u64::from(checksum(&rest))];
        let mut file: Vec<u8> = head
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        file.extend(rest);
        file
    }

    /// True of a verify state of any version of fio, and of plumb: the version, the length of what follows, its CRC-32C.
    pub fn is_any(file: &[u8]) -> bool {
        let Some((head, rest)) = file.split_at_checked(HEAD) else {
            return false;
        };
        let [length, sum] = [rest.len() as u64, u64::from(checksum(rest))].map(u64::to_le_bytes);
        !rest.is_empty() && head[8..16] == length && head[16..24] == sum
    }

    /// Parses a file.
    ///
    /// # Errors
    /// It is not a verify state, has another version, is damaged, or belongs to a job with several files.
    pub fn parse(file: &[u8]) -> Result<State, String> {
        let long = |at: usize| {
            let bytes = file.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u64::from_le_bytes)
        };
        let rest = file.get(HEAD..).filter(|rest| rest.len() >= FIXED);
        let rest = rest.ok_or("the file is too short for a verify state")?;
        let is_own = long(0) == OWN_VERSION;
        if !(is_own || long(0) == VERSION) || long(8) != rest.len() as u64 {
            return Err("it is not a verify state of version 3, the version of fio 3.33".into());
        }
        if long(16) != u64::from(checksum(rest)) {
            return Err("the verify state is corrupt: checksum mismatch".into());
        }
        let count = long(24);
        if count > LAST_MAX || (rest.len() as u64) < FIXED as u64 + 16 * count {
            return Err("the verify state is corrupt: its list is longer than the file".into());
        }
        if long(32) >> 32 > 1 {
            return Err("the verify state is of a job with several files: verify them all".into());
        }
        let name = &file[HEAD + FIXED - NAME..HEAD + FIXED];
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let is_random = file[56..HEAD + FIXED - NAME].iter().any(|byte| *byte != 0);
        let order = match (is_own, is_random) {
            (true, _) => Places::Random(Draw {
                seed: long(56),
                block: long(64),
                start: long(72),
                region: long(80),
                order: long(88),
            }),
            (false, true) => Places::OfFio,
            (false, false) => Places::Sequential,
        };
        Ok(State {
            name: String::from_utf8_lossy(name).into_owned(),
            clone: long(48),
            depth: long(32) as u32,
            writes: long(40),
            last: (0..count as usize)
                .map(|at| long(HEAD + FIXED + 16 * at + 8))
                .collect(),
            order,
        })
    }

    /// Number of blocks from `start` known to be completely written, for a sequential job.
    pub fn complete(&self, start: u64, block: u64) -> u64 {
        let in_doubt = self.writes.min(u64::from(self.depth));
        let mut complete = self.writes - in_doubt;
        let place = |number: u64| start.saturating_add(number.saturating_mul(block));
        while complete < self.writes && self.last.contains(&place(complete)) {
            complete += 1;
        }
        complete
    }
}

/// CRC-32C (Castagnoli, reflected), begun with all ones and not inverted at the end.
fn checksum(bytes: &[u8]) -> u32 {
    let bit = |sum: u32| (sum >> 1) ^ (0x82f6_3b78 & 0u32.wrapping_sub(sum & 1));
    let byte = |sum: u32, byte: &u8| (0..8).fold(sum ^ u32::from(*byte), |sum, _| bit(sum));
    bytes.iter().fold(u32::MAX, byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(writes: u64) -> State {
        State::in_order(("job", 1, 4), writes, (8192, 1 << 20, 4096))
    }

    #[test]
    fn what_is_written_is_read() {
        for writes in [0, 3, 4, 100, 300] {
            let written = state(writes);
            assert_eq!(State::parse(&written.bytes()), Ok(written));
        }
        // RFC 3720, B.4: 32 bytes of zeros have the CRC-32C 8a9136aa, which is inverted.
        assert_eq!(!checksum(&[0; 32]), 0x8a91_36aa);
        let whole = state(9).bytes();
        for at in [0, 8, 16, 30, 100, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(State::parse(&damaged).is_err(), "byte {at}");
        }
        assert!(State::parse(&whole[..whole.len() - 1]).is_err());
        assert!(State::parse(b"").is_err());
        // fio 3.42 has version 7 and other fields.
        let mut newer = whole.clone();
        newer[0] = 7;
        assert!(State::parse(&newer).is_err() && State::is_any(&newer) && State::is_any(&whole));
        newer[100] ^= 1;
        assert!(!State::is_any(&newer) && !State::is_any(&whole[..24]) && !State::is_any(b""));
    }

    #[test]
    fn a_state_of_random_places_is_no_state_of_fio() {
        let draw = Draw::new(7, (0, 1 << 20, 4096), "random");
        let written = State::random(("job", 0, 8), 20, draw.clone());
        let bytes = written.bytes();
        assert_eq!(&bytes[..8], b"plumb 1\0");
        assert_eq!(State::parse(&bytes), Ok(written));
        assert_ne!(draw, Draw::new(7, (0, 1 << 20, 4096), "zipf:1.2"));
    }

    #[test]
    fn what_was_in_flight_is_in_doubt() {
        assert_eq!(state(100).complete(8192, 4096), 100);
        let mut one_lost = state(100);
        one_lost.last = vec![8192 + 99 * 4096, 8192 + 96 * 4096];
        assert_eq!(one_lost.complete(8192, 4096), 97);
        assert_eq!(state(0).complete(8192, 4096), 0);
    }
}
