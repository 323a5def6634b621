//! How is a recorded pattern carried out again: at which pace, with which requests, and at which places?
//!
//! Each of its keys is a single one, not a word of one text as the lines of an access specification are: `replay-speed-percent` and the others can then be
//! swept and set by themselves.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::units::{Bytes, Nanos, UnitError};
use crate::workload::iolog::Request;
use crate::workload::operation::OperationKind;
use crate::workload::{
    BlockSizes, BlockSpan, Mix, Offsets, Weighted, Workload, serde_as_text, words,
};

/// Lengths that a plan lists; those of a log with more are told by the most frequent.
const LENGTHS_MAX: usize = 32;
/// The stretches of several files in one target begin at multiples of this, so that direct I/O goes to them as it went to the files.
const STRETCH_BYTES: u64 = 4096;

words! {
    /// When the requests of a log start.
    ReplayPace, "pace of a replay" {
        /// When they were recorded.
        Recorded = "recorded",
        /// As soon as there is room for them.
        None = "none",
    }
}

impl ReplayPace {
    pub(crate) fn is_recorded(&self) -> bool {
        *self == ReplayPace::Recorded
    }
}

words! {
    /// Where the files of a log lie in the target.
    ReplayFiles, "place of the files" {
        /// Each in a stretch of its own, one after the other.
        Apart = "apart",
        /// All at the same place: the offsets of all files are offsets in the target.
        Together = "together",
    }
}

impl ReplayFiles {
    pub(crate) fn is_apart(&self) -> bool {
        *self == ReplayFiles::Apart
    }
}

/// Kinds of requests that are left out of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplaySkip(pub Vec<OperationKind>);

/// Kinds that a log can hold.
pub const KINDS: [OperationKind; 4] = [
    OperationKind::Read,
    OperationKind::Write,
    OperationKind::Trim,
    OperationKind::Flush,
];

impl ReplaySkip {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for ReplaySkip {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut kinds = Vec::new();
        for word in text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty() && *word != "none")
        {
            let kind = if word == "sync" {
                Some(OperationKind::Flush)
            } else {
                word.parse().ok()
            };
            let kind = kind.filter(|kind| KINDS.contains(kind));
            let kind = kind.ok_or_else(|| {
                UnitError(format!("'{word}' is nothing that a replay could leave out: choose of read, write, trim, flush"))
            })?;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(ReplaySkip(kinds))
    }
}

impl fmt::Display for ReplaySkip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.0.iter().map(|kind| kind.word()).collect();
        f.write_str(
            if words.is_empty() {
                "none".to_string()
            } else {
                words.join(",")
            }
            .as_str(),
        )
    }
}

serde_as_text!(
    ReplaySkip,
    "ReplaySkip",
    "kinds of requests: read, write, trim, flush, with commas between them, or none"
);

pub(crate) fn is_full_speed(percent: &f64) -> bool {
    *percent == 100.0
}

pub(crate) fn is_one(number: &u64) -> bool {
    *number == 1
}

pub(crate) fn is_one_byte(bytes: &Bytes) -> bool {
    *bytes == Bytes(1)
}

impl Workload {
    /// True when operations start on a schedule, whether or not earlier ones have ended: an open loop.
    pub fn is_open(&self) -> bool {
        self.rate.is_some() || self.is_replayed_in_time()
    }

    /// Operations per second over all workers that an open loop asks for: its rate, or the mean of the log that it replays. `None` in a closed loop.
    pub fn requested_rate(&self) -> Option<f64> {
        let of_log = || {
            let holds = self
                .replay_holds
                .filter(|holds| self.is_replayed_in_time() && holds.length.0 > 0)?;
            Some(
                holds.requests as f64 * f64::from(self.workers) / holds.length.seconds()
                    * self.replay_speed_percent
                    / 100.0,
            )
        };
        self.rate.or_else(of_log)
    }

    /// True for a replay at its recorded pace.
    pub fn is_replayed_in_time(&self) -> bool {
        self.replay.is_some() && self.replay_pace == ReplayPace::Recorded
    }
}

/// What a log holds for the workload that replays it, found out before anything runs: once, by one worker, at the recorded speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayHolds {
    pub requests: u64,
    pub read: Bytes,
    pub written: Bytes,
    /// End of the request that reaches farthest.
    pub end: Bytes,
    /// From the first line of the log to the last.
    pub length: Nanos,
    pub files: u32,
}

impl fmt::Display for ReplayHolds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReplayHolds {
            requests,
            read,
            written,
            end,
            length,
            files,
        } = self;
        write!(
            f,
            "requests:{requests},read:{read},written:{written},end:{end},length:{length},files:{files}"
        )
    }
}

impl FromStr for ReplayHolds {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = || {
            UnitError(format!(
                "'{text}' is not what plumb writes here: leave replay-holds out, it is found out from the log"
            ))
        };
        let words: BTreeMap<&str, &str> = text
            .split(',')
            .filter_map(|word| word.split_once(':'))
            .map(|(k, v)| (k.trim(), v.trim()))
            .collect();
        let word = |name: &str| words.get(name).copied().ok_or_else(bad);
        Ok(ReplayHolds {
            requests: word("requests")?.parse().map_err(|_| bad())?,
            read: word("read")?.parse().map_err(|_| bad())?,
            written: word("written")?.parse().map_err(|_| bad())?,
            end: word("end")?.parse().map_err(|_| bad())?,
            length: word("length")?.parse().map_err(|_| bad())?,
            files: word("files")?.parse().map_err(|_| bad())?,
        })
    }
}

serde_as_text!(
    ReplayHolds,
    "ReplayHolds",
    "found out from the log: its requests, bytes, end, length and files"
);

/// What becomes of a request on its way from the log to the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayRules {
    skip: ReplaySkip,
    divisor: u64,
    /// A power of two.
    align: u64,
}

impl ReplayRules {
    /// The rules of a workload.
    pub fn of(workload: &Workload) -> ReplayRules {
        let align = workload.replay_align.0;
        ReplayRules {
            skip: workload.replay_skip.clone(),
            divisor: workload.replay_divisor.max(1),
            align: if align.is_power_of_two() { align } else { 1 },
        }
    }

    /// The request as it is carried out, with its offset in its own file; `None`: it is left out.
    pub fn apply(&self, request: Request) -> Option<Request> {
        let offset = (request.offset / self.divisor) & !(self.align - 1);
        (!self.skip.0.contains(&request.kind)).then_some(Request { offset, ..request })
    }
}

/// What has been seen of a log so far, after the rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplaySurvey {
    /// Requests of each of [`KINDS`].
    counts: [u64; KINDS.len()],
    /// Bytes of each of [`KINDS`].
    bytes: [u64; KINDS.len()],
    /// Of requests that move data, and of trims.
    lengths: BTreeMap<u32, u64>,
    trim_lengths: BTreeMap<u32, u64>,
    /// End of each file: that of the request that reaches farthest.
    file_ends: Vec<u64>,
    /// Largest number that all offsets and lengths are multiples of; 0 before the first.
    unit_bytes: u64,
    /// Requests that begin where the one before ended.
    following: u64,
    last_end: (u16, u64),
}

impl ReplaySurvey {
    /// Takes a request that the rules let pass.
    pub fn add(&mut self, request: &Request) {
        let kind = KINDS
            .iter()
            .position(|kind| *kind == request.kind)
            .unwrap_or_default();
        self.counts[kind] += 1;
        if request.len == 0 {
            return;
        }
        let (file, len) = (usize::from(request.file), u64::from(request.len));
        self.bytes[kind] = self.bytes[kind].saturating_add(len);
        let lengths = match request.kind {
            OperationKind::Trim => &mut self.trim_lengths,
            _ => &mut self.lengths,
        };
        *lengths.entry(request.len).or_default() += 1;
        if self.file_ends.len() <= file {
            self.file_ends.resize(file + 1, 0);
        }
        let end = request.offset + len;
        self.file_ends[file] = self.file_ends[file].max(end);
        if !request.offset.is_multiple_of(self.unit_bytes.max(1))
            || !len.is_multiple_of(self.unit_bytes.max(1))
            || self.unit_bytes == 0
        {
            self.unit_bytes = common_divisor(common_divisor(self.unit_bytes, request.offset), len);
        }
        self.following += u64::from(self.last_end == (request.file, request.offset));
        self.last_end = (request.file, end);
    }

    pub fn requests(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number that all offsets and lengths are multiples of, in bytes.
    pub fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    /// Files that requests go to.
    pub fn files(&self) -> usize {
        self.file_ends.iter().filter(|end| **end > 0).count()
    }

    /// First byte of each file in the target; the error: all together end beyond 2^62 bytes.
    pub fn beginnings(&self, files: ReplayFiles) -> Result<Vec<u64>, String> {
        let mut next = 0u64;
        let mut beginnings = Vec::with_capacity(self.file_ends.len());
        for end in &self.file_ends {
            beginnings.push(next);
            if files == ReplayFiles::Apart {
                let sum = next
                    .checked_add(end.next_multiple_of(STRETCH_BYTES))
                    .filter(|sum| *sum <= 1 << 62);
                next = sum
                    .ok_or("the files of the log end beyond 2^62 bytes when they lie one after the other: write replay-files = together")?;
            }
        }
        Ok(beginnings)
    }

    /// End of the request that reaches farthest in the target.
    ///
    /// # Errors
    /// As for [`ReplaySurvey::beginnings`].
    pub fn end_bytes(&self, files: ReplayFiles) -> Result<u64, String> {
        let beginnings = self.beginnings(files)?;
        Ok(beginnings
            .iter()
            .zip(&self.file_ends)
            .filter(|(_, end)| **end > 0)
            .map(|(begin, end)| begin + end)
            .max()
            .unwrap_or(0))
    }

    /// What it holds; `length_ns` is that of the whole log.
    ///
    /// # Errors
    /// As for [`ReplaySurvey::beginnings`].
    pub fn holds(&self, files: ReplayFiles, length_ns: u64) -> Result<ReplayHolds, String> {
        Ok(ReplayHolds {
            requests: self.requests(),
            read: Bytes(self.bytes[0]),
            written: Bytes(self.bytes[1]),
            end: Bytes(self.end_bytes(files)?),
            length: Nanos(length_ns),
            files: self.files() as u32,
        })
    }

    /// The kinds with the number of each.
    pub fn mix(&self) -> Mix {
        Weighted(
            KINDS
                .into_iter()
                .zip(self.counts)
                .filter(|(_, count)| *count > 0)
                .map(|(kind, count)| (kind, count as f64))
                .collect(),
        )
    }

    /// The lengths with the number of each, and whether they are all: of many only the most frequent, the shortest and the longest are listed. Those of trims,
    /// which need no buffer, only if nothing else is requested.
    pub fn block(&self) -> (BlockSizes, bool) {
        let mut lengths: Vec<(u32, u64)> = self
            .listed_lengths()
            .iter()
            .map(|(len, count)| (*len, *count))
            .collect();
        let all = lengths.len() <= LENGTHS_MAX;
        if let (false, [shortest, .., longest]) = (all, lengths.as_slice()) {
            let ends = [shortest.0, longest.0];
            lengths.sort_by_key(|(len, count)| (!ends.contains(len), std::cmp::Reverse(*count)));
            lengths.truncate(LENGTHS_MAX);
            lengths.sort_unstable();
        }
        (
            Weighted(
                lengths
                    .into_iter()
                    .map(|(len, count)| (BlockSpan::one(Bytes(u64::from(len))), count as f64))
                    .collect(),
            ),
            all,
        )
    }

    /// Different lengths.
    pub fn lengths(&self) -> usize {
        self.listed_lengths().len()
    }

    fn listed_lengths(&self) -> &BTreeMap<u32, u64> {
        match self.lengths.is_empty() {
            true => &self.trim_lengths,
            false => &self.lengths,
        }
    }

    /// The order of offsets that most requests follow.
    pub fn offsets(&self) -> Offsets {
        let moving: u64 = self.counts[..3].iter().sum();
        if self.following.saturating_mul(2) >= moving.max(1) {
            Offsets::Sequential
        } else {
            Offsets::RandomWithReplacement
        }
    }
}

/// Euclid's; 0 divides nothing and everything divides it.
fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: OperationKind, file: u16, offset: u64, len: u32) -> Request {
        Request {
            kind,
            file,
            offset,
            len,
            time_ns: 0,
        }
    }

    fn survey(requests: &[(OperationKind, u16, u64, u32)]) -> ReplaySurvey {
        let mut survey = ReplaySurvey::default();
        requests.iter().for_each(|(kind, file, offset, len)| {
            survey.add(&request(*kind, *file, *offset, *len))
        });
        survey
    }

    #[test]
    fn a_survey_tells_what_a_log_holds() {
        use OperationKind::{Flush, Read, Trim, Write};
        let found = survey(&[
            (Write, 0, 0, 8192),
            (Write, 0, 8192, 4096),
            (Flush, 0, 0, 0),
            (Read, 2, 1536, 512),
            (Trim, 0, 4096, 1024),
        ]);
        assert_eq!(found.mix().to_string(), "read:1,write:2,trim:1,flush:1");
        assert_eq!(
            (found.block().0.to_string().as_str(), found.block().1),
            ("512:1,4k:1,8k:1", true)
        );
        assert_eq!(
            (found.unit_bytes(), found.files(), found.requests()),
            (512, 2, 5)
        );
        assert_eq!(
            found.beginnings(ReplayFiles::Apart),
            Ok(vec![0, 12_288, 12_288])
        );
        assert_eq!(
            (
                found.end_bytes(ReplayFiles::Apart),
                found.end_bytes(ReplayFiles::Together)
            ),
            (Ok(12_288 + 2048), Ok(12_288))
        );
        let holds = found.holds(ReplayFiles::Together, 1500).expect("holds");
        assert_eq!(
            holds.to_string(),
            "requests:5,read:512,written:12k,end:12k,length:1500ns,files:2"
        );
        assert_eq!(holds.to_string().parse(), Ok(holds));
        assert!("requests:5".parse::<ReplayHolds>().is_err());
    }

    #[test]
    fn trims_need_no_buffer() {
        use OperationKind::{Trim, Write};
        let mixed = survey(&[(Trim, 0, 0, 1 << 31), (Write, 0, 0, 4096)]);
        assert_eq!(mixed.block().0.to_string(), "4k");
        assert_eq!(
            (mixed.lengths(), mixed.end_bytes(ReplayFiles::Apart)),
            (1, Ok(1 << 31))
        );
        let trims = survey(&[(Trim, 0, 0, 1 << 31)]);
        assert_eq!(trims.block().0.to_string(), "2g");
    }

    #[test]
    fn of_many_lengths_the_ends_and_the_most_frequent_are_listed() {
        let mut found = ReplaySurvey::default();
        for len in 1..=100 {
            (0..len).for_each(|_| found.add(&request(OperationKind::Read, 0, 0, len)));
        }
        let (block, all) = found.block();
        assert_eq!(
            (block.0.len(), all, block.0[0], block.0[1].0, block.0[31].0),
            (
                32,
                false,
                (BlockSpan::one(Bytes(1)), 1.0),
                BlockSpan::one(Bytes(70)),
                BlockSpan::one(Bytes(100))
            )
        );
        assert_eq!((found.lengths(), found.unit_bytes()), (100, 1));
    }

    #[test]
    fn rules_leave_out_divide_and_align() {
        let workload = Workload {
            replay_skip: "trim,sync".parse().expect("kinds"),
            replay_divisor: 10,
            replay_align: Bytes(4096),
            ..Workload::default()
        };
        let rules = ReplayRules::of(&workload);
        let of = |kind, offset| {
            rules
                .apply(request(kind, 0, offset, 512))
                .map(|request| request.offset)
        };
        assert_eq!(of(OperationKind::Read, 99_999), Some(8192));
        assert_eq!(
            (
                of(OperationKind::Trim, 0),
                of(OperationKind::Flush, 0),
                of(OperationKind::Write, 0)
            ),
            (None, None, Some(0))
        );
        assert_eq!(workload.replay_skip.to_string(), "trim,flush");
        assert!("create".parse::<ReplaySkip>().is_err());
        assert_eq!(
            "none".parse::<ReplaySkip>().expect("nothing").to_string(),
            "none"
        );
    }

    #[test]
    fn files_that_do_not_fit_one_after_the_other_are_refused() {
        let found = survey(&[
            (OperationKind::Read, 0, 1 << 61, 512),
            (OperationKind::Read, 1, 1 << 61, 512),
        ]);
        assert!(
            found
                .beginnings(ReplayFiles::Apart)
                .expect_err("too far")
                .contains("together")
        );
        assert_eq!(found.end_bytes(ReplayFiles::Together), Ok((1 << 61) + 512));
    }
}
