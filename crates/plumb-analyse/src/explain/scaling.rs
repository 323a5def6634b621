//! How does throughput scale with outstanding requests? Amdahl's law with bounds for unknowns, and the estimate from a single recording.
//!
//! With n requests outstanding, of which each has to wait for the others for the share sigma of its time, the rate is n / (1 + sigma (n - 1)) times that of one
//! (G. Amdahl, AFIPS 1967; the Universal Scalability Law of N. Gunther without its second parameter, which takes more points).

use plumb_model::explain::observed::Observed;
use plumb_model::trace::summary::DepthFigures;

/// The largest serial share that is expected of a server that one request at a time does not fill.
pub const SERIAL_MAX: f64 = 0.3;
/// Minimum number of calls for a rate at a number of outstanding calls.
const ANSWERED_MIN: u64 = 100;

/// Factor of the rate from `from` to `to` outstanding requests.
pub fn factor(from: f64, to: f64, serial: f64) -> f64 {
    let waits = |n: f64| 1.0 + serial * (n - 1.0).max(0.0);
    to / from * waits(from) / waits(to)
}

/// The serial share by which `from` outstanding requests that became `to` gave this factor; `None` when no share from 0 to 1 does.
pub fn serial_share(from: f64, to: f64, measured: f64) -> Option<f64> {
    let times = to / from;
    let below = measured * (to - 1.0) - times * (from - 1.0).max(0.0);
    let share = (times - measured) / below;
    (below > 0.0 && (0.0..=1.0).contains(&share)).then_some(share)
}

/// How the rate of answers grows with outstanding calls within one recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Mean of the fewer and of the more outstanding calls that are compared.
    pub few: f64,
    pub many: f64,
    /// Logarithm of the factor of the rates over that of the calls: 1 is in proportion, 0 is none.
    pub exponent: f64,
}

/// Compares the time with at most half of the usual number of outstanding calls to the time with more. `None` when the number hardly ever changed.
pub fn growth(observed: &Observed) -> Option<Growth> {
    let most = observed.outstanding_most? as f64;
    if most < 2.0 {
        return None;
    }
    let all = &observed.by_outstanding;
    let few = part(all, |n| n <= most / 2.0)?;
    let many = part(all, |n| n > most / 2.0)?;
    Some(Growth {
        few: few.0,
        many: many.0,
        exponent: (many.1 / few.1).ln() / (many.0 / few.0).ln(),
    })
}

/// Mean of the outstanding calls and rate of the answers in the time with such a number of them.
fn part(all: &[DepthFigures], with: impl Fn(f64) -> bool) -> Option<(f64, f64)> {
    let (mut time, mut area, mut answered) = (0.0, 0.0, 0u64);
    for of in all.iter().filter(|of| with(of.outstanding as f64)) {
        time += of.time_ns as f64;
        area += of.time_ns as f64 * of.outstanding as f64;
        answered += of.answered;
    }
    (answered >= ANSWERED_MIN && time > 0.0).then(|| (area / time, answered as f64 / time))
}

/// Utilization of the path, by the time that request size adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathUse {
    /// Share of the window in which bytes were on their way: 1 is a full path.
    pub share: f64,
    /// Requests were seen to wait for the bytes of others. Without that, `share` is an upper bound: bytes may be on their way side by side.
    pub is_serial: bool,
}

/// Minimum share of the variance of service times explained by sizes: for one request at a time, and for several.
const EXPLAINED_MIN: f64 = 0.3;
const EXPLAINED_OF_SEVERAL_MIN: f64 = 0.1;
/// A byte before costs as much as one of the request itself, within these factors, when both take the same path one after the other.
const SAME_COST: (f64, f64) = (0.6, 1.5);

pub fn path_use(observed: &Observed) -> Option<PathUse> {
    let time = observed.transfer_time?;
    let share = (time.ns_per_byte * observed.bytes_per_s? / 1e9).clamp(0.0, 1.0);
    match time.ns_per_byte_before {
        None if time.explained >= EXPLAINED_MIN => Some(PathUse {
            share,
            is_serial: false,
        }),
        Some(before) if time.explained >= EXPLAINED_OF_SEVERAL_MIN => {
            let cost = before / time.ns_per_byte;
            let is_serial = time.ns_per_byte > 0.0 && cost > SAME_COST.0 && cost < SAME_COST.1;
            is_serial.then_some(PathUse { share, is_serial })
        }
        _ => None,
    }
}

/// How much of the window requests spent waiting for those before them, whatever they queue for: 1 is a storage that always has more to do than it can. `None` where
/// the requests before did not vary, or say little.
pub fn queueing(observed: &Observed) -> Option<f64> {
    let time = observed.transfer_time?;
    let share = time.ns_per_byte_before? * observed.bytes_per_s? / 1e9;
    (time.explained >= EXPLAINED_MIN).then_some(share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_case_has_the_curve_of_its_two_points() {
        // 176 requests/s with one outstanding, 750 with eight.
        let share = serial_share(1.0, 8.0, 750.0 / 176.0).expect("a share");
        assert!((share - 0.125).abs() < 0.001, "{share}");
        assert!((176.0 * factor(1.0, 16.0, share) - 978.0).abs() < 2.0);
        assert!((176.0 / share - 1404.0).abs() < 3.0);
        let (low, high) = (factor(1.0, 8.0, SERIAL_MAX), factor(1.0, 8.0, 0.0));
        assert!((176.0 * low - 454.0).abs() < 1.0 && (176.0 * high - 1408.0).abs() < 1.0);
    }

    #[test]
    fn more_than_in_proportion_has_no_serial_share() {
        assert_eq!(serial_share(1.0, 2.0, 2.5), None);
        assert_eq!(serial_share(4.0, 4.0, 1.0), None);
        assert_eq!(serial_share(1.0, 8.0, 0.5), None);
    }
}
