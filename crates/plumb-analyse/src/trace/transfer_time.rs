//! What is the time of a read or write by its size and by the bytes outstanding before it? Least squares over all of them, kept as sums.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use plumb_model::trace::events::{Answered, Call, CallClass};
use plumb_model::trace::summary::TransferTime;

/// Calls that are followed at once; more are outstanding in no trace that is not damaged.
const CALLS_MAX: usize = 65_536;
/// Calls from which on a plane is laid through them.
const CALLS_MIN: u64 = 50;
/// Variance below this part of the square of the mean is none: all sizes are the same.
const VARIES_MIN: f64 = 1e-4;

/// Sums over reads and writes. Sizes in KiB and times in microseconds, so that squares keep their digits.
#[derive(Default)]
pub(super) struct TransferTimeTally {
    /// Bytes of reads and writes that are outstanding.
    outstanding_bytes: u64,
    /// Per outstanding call, by its key: bytes outstanding when it was issued.
    before: HashMap<(u32, u64, Option<u64>), u64, RandomState>,
    count: u64,
    /// Sums of size, bytes before it, time, and of their products.
    sums: [f64; 3],
    products: [[f64; 3]; 3],
}

fn key(call: &Call) -> (u32, u64, Option<u64>) {
    (call.lane, call.at_ns, call.offset)
}

fn moved_by(call: &Call) -> Option<u64> {
    matches!(call.class, CallClass::Read | CallClass::Write).then_some(call.bytes?)
}

impl TransferTimeTally {
    pub fn make(&mut self, call: &Call) {
        let Some(bytes) = moved_by(call) else { return };
        if self.before.len() >= CALLS_MAX {
            self.before.clear();
            self.outstanding_bytes = 0;
        }
        self.before.insert(key(call), self.outstanding_bytes);
        self.outstanding_bytes = self.outstanding_bytes.saturating_add(bytes);
    }

    pub fn forget(&mut self, call: &Call) {
        if let Some(bytes) = moved_by(call)
            && self.before.remove(&key(call)).is_some()
        {
            self.outstanding_bytes = self.outstanding_bytes.saturating_sub(bytes);
        }
    }

    pub fn answer(&mut self, answered: &Answered) {
        let call = &answered.call;
        let (Some(bytes), Some(before)) = (moved_by(call), self.before.get(&key(call)).copied())
        else {
            return;
        };
        self.forget(call);
        let moved = answered.moved_bytes.unwrap_or(bytes);
        let values = [
            moved as f64 / 1024.0,
            before as f64 / 1024.0,
            answered.service_ns() as f64 / 1000.0,
        ];
        self.count += 1;
        for (row, a) in values.iter().enumerate() {
            self.sums[row] += a;
            for (column, b) in values.iter().enumerate() {
                self.products[row][column] += a * b;
            }
        }
    }

    /// `None` with too few calls, or when all had the same size.
    pub fn figures(&self) -> Option<TransferTime> {
        if self.count < CALLS_MIN {
            return None;
        }
        let n = self.count as f64;
        let means = self.sums.map(|sum| sum / n);
        let covariance = |a: usize, b: usize| self.products[a][b] / n - means[a] * means[b];
        let (size, before, time) = (covariance(0, 0), covariance(1, 1), covariance(2, 2));
        if size <= VARIES_MIN * means[0] * means[0] || time <= 0.0 {
            return None;
        }
        let both = covariance(0, 1);
        let (with_size, with_before) = (covariance(0, 2), covariance(1, 2));
        let determinant = size * before - both * both;
        // Bytes before a call that correlate with its own size cannot be separated from it.
        let is_plane =
            before > VARIES_MIN * means[0] * means[0] && determinant > 0.05 * size * before;
        let (own, of_before) = match is_plane {
            true => (
                (with_size * before - with_before * both) / determinant,
                Some((with_before * size - with_size * both) / determinant),
            ),
            false => (with_size / size, None),
        };
        let explained = (own * with_size + of_before.unwrap_or(0.0) * with_before) / time;
        let in_ns = |us_per_kib: f64| us_per_kib * 1000.0 / 1024.0;
        // Residual variance of the fit, divided by the unique variance of the sizes.
        let of_its_own = match is_plane {
            true => determinant / before,
            false => size,
        };
        let rest = time * (1.0 - explained.clamp(0.0, 1.0));
        let error = (rest / (of_its_own * (n - 3.0))).sqrt();
        Some(TransferTime {
            count: self.count,
            base_ns: (means[2] - own * means[0] - of_before.unwrap_or(0.0) * means[1]) * 1000.0,
            ns_per_byte: in_ns(own),
            ns_per_byte_error: Some(in_ns(error)),
            ns_per_byte_before: of_before.map(in_ns),
            explained: explained.clamp(0.0, 1.0),
        })
    }
}
