//! How often is written data made durable? The time between flushes, their service times, and the bytes written before each.

use plumb_model::run::histogram::Histogram;
use plumb_model::trace::work::{Flushes, WrittenBefore};

use super::share::share;
use crate::figures::tally::latency;

/// Calls that make data durable: system calls, requests of io_uring, those of SMB, NFS and block devices, and operations of Windows.
const FLUSHES: [&str; 7] = [
    "fsync",
    "fdatasync",
    "io_uring fsync",
    "FLUSH",
    "COMMIT",
    "flush",
    "Flush",
];
/// sync(2) and related calls (syncfs, sync_file_range): no other call name starts like this.
const SYNCS: &str = "syn";

/// Whether calls of this name are flushes: they make data durable.
pub fn makes_durable(name: &str) -> bool {
    FLUSHES.contains(&name) || name.starts_with(SYNCS)
}

/// Counts of flushes.
#[derive(Default)]
pub struct FlushTally {
    made: u64,
    last_ns: Option<u64>,
    intervals: Histogram,
    service: Histogram,
    written: Histogram,
    without_bytes: u64,
}

impl FlushTally {
    /// A flush, with the bytes written to its file since the previous one, if known.
    pub fn make(&mut self, at_ns: u64, written: Option<u64>) {
        self.made += 1;
        if let Some(last_ns) = self.last_ns.replace(at_ns) {
            self.intervals.record(at_ns.saturating_sub(last_ns));
        }
        if let Some(written) = written {
            self.written.record(written);
            self.without_bytes += u64::from(written == 0);
        }
    }

    pub fn answer(&mut self, service_ns: u64) {
        self.service.record(service_ns);
    }

    /// The figures; `None` without flushes.
    pub fn figures(&self, all_ns: u128, has_responses: bool) -> Option<Flushes> {
        let time_share = share(self.service.sum_ns() as f64, all_ns);
        (self.made > 0).then(|| Flushes {
            count: self.service.count(),
            without_time: self.made - self.service.count().min(self.made),
            time_share: time_share.filter(|_| has_responses),
            service_time: latency(&self.service),
            interval: latency(&self.intervals),
            written_before: self.written_before(),
        })
    }

    fn written_before(&self) -> Option<WrittenBefore> {
        Some(WrittenBefore {
            flushes: self.written.count(),
            without_bytes: self.without_bytes,
            p50: self.written.quantile_ns(0.5)? as f64,
            mean: self.written.mean_ns()?,
            max: self.written.max_ns()? as f64,
        })
    }
}
