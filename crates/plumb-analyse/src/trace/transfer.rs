//! What do reads or writes transfer? Their sizes, and whether each starts where the previous one ended.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use plumb_model::run::histogram::Histogram;
use plumb_model::trace::events::Call;
use plumb_model::trace::summary::{SizeClass, SizeFigures, Transfer};

/// Files whose last offset is remembered; more are open at once in no trace that is not damaged.
const FILES_MAX: usize = 65_536;
/// What offsets and sizes are aligned to: the page of most processors and the sector of most disks.
const ALIGNMENT_BYTES: u64 = 4096;

/// Counts of reads or of writes.
#[derive(Default)]
pub(super) struct TransferTally {
    /// Bytes that were moved.
    bytes: u64,
    sizes: Histogram,
    /// Where the last call on each file ended.
    ends: HashMap<u64, u64, RandomState>,
    located: u64,
    sequential: u64,
    aligned: u64,
    files: u64,
}

impl TransferTally {
    pub fn make(&mut self, call: &Call) {
        if let Some(bytes) = call.bytes {
            self.count(call, bytes);
        }
    }

    /// If the trace lacks the requested size (readv, io_uring), it is at least what was transferred.
    pub fn answer(&mut self, call: &Call, moved: u64) {
        self.bytes = self.bytes.saturating_add(moved);
        if call.bytes.is_none() {
            self.count(call, moved);
        }
    }

    fn count(&mut self, call: &Call, bytes: u64) {
        self.sizes.record(bytes);
        let (Some(file), Some(offset)) = (call.file, call.offset) else {
            return;
        };
        self.located += 1;
        self.aligned += u64::from((offset | bytes).is_multiple_of(ALIGNMENT_BYTES));
        if self.ends.len() >= FILES_MAX && !self.ends.contains_key(&file) {
            self.ends.clear();
        }
        match self.ends.insert(file, offset.saturating_add(bytes)) {
            Some(end) => self.sequential += u64::from(end == offset),
            None => self.files += 1,
        }
    }

    pub fn close(&mut self, file: u64) {
        self.ends.remove(&file);
    }

    /// `None` without requests. Requested bytes count as transferred if the trace has no responses.
    pub fn figures(&self, span_ns: u64, has_responses: bool) -> Option<Transfer> {
        let bytes = match has_responses {
            true => self.bytes,
            false => u64::try_from(self.sizes.sum_ns()).unwrap_or(u64::MAX),
        };
        let size = SizeFigures {
            min: self.sizes.min_ns()?,
            mean: self.sizes.mean_ns()?,
            p50: self.sizes.quantile_ns(0.5)?,
            max: self.sizes.max_ns()?,
            classes: self.classes(),
        };
        Some(Transfer {
            bytes,
            bytes_per_s: bytes as f64 * 1e9 / span_ns.max(1) as f64,
            size,
            located: self.located,
            sequential: self.sequential,
            aligned: self.aligned,
            files: self.files,
        })
    }

    /// Calls by the power of two that their size does not exceed. Powers of two start a bucket of the histogram, and are distinguished from larger values
    /// by less than one part in 128 no better than that.
    fn classes(&self) -> Vec<SizeClass> {
        let mut classes: BTreeMap<u64, u64> = BTreeMap::new();
        for (low, _, count) in self.sizes.buckets() {
            let bound = low.checked_next_power_of_two().unwrap_or(u64::MAX);
            *classes.entry(bound).or_default() += count;
        }
        let class = |(up_to_bytes, count)| SizeClass { up_to_bytes, count };
        classes.into_iter().map(class).collect()
    }
}
