//! Where does a recording change, and which of its parts matters most?

use plumb_model::explain::observed::Observed;

use crate::statistics::change_points::{Parameters, change_points};

/// A change of the rate by less than this part of it is none.
const CHANGE_MIN: f64 = 0.3;
/// Intervals of the window that are looked at.
const INTERVALS: usize = 40;

/// The rate of requests changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateChange {
    /// Nanoseconds after the begin of the recording.
    pub at_ns: u64,
    /// Requests per second before and after.
    pub before: f64,
    pub after: f64,
}

/// The changes of the rate, in order.
pub fn changes(observed: &Observed) -> Vec<RateChange> {
    let all = &observed.requests_over_time;
    let length = all.len().div_ceil(INTERVALS).max(1);
    let means: Vec<f64> = all
        .chunks_exact(length)
        .map(|part| part.iter().sum::<f64>() / length as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / means.len().max(1) as f64;
    let parameters = Parameters {
        window: INTERVALS,
        p_value_max: 0.001,
        distance_min: CHANGE_MIN * mean,
        stretch_min: 4,
    };
    let change = |at: usize, before, after| RateChange {
        at_ns: observed.begin_ns
            + ((at * length) as f64 / all.len() as f64 * observed.span_ns as f64) as u64,
        before,
        after,
    };
    change_points(&means, &parameters)
        .iter()
        .map(|of| change(of.index, of.before, of.after))
        .collect()
}

/// A part between two changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Nanoseconds after the begin of the recording.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// Of the time that requests took in the window, 0 to 1; of the requests, where their time is unknown.
    pub share: f64,
}

/// The parts between the changes, the one with most of the requests' time first; empty where nothing changes.
pub fn parts(observed: &Observed) -> Vec<Part> {
    let changes = changes(observed);
    if changes.is_empty() {
        return Vec::new();
    }
    let end_ns = observed.begin_ns + observed.span_ns;
    let inner = changes.iter().map(|change| change.at_ns);
    let bounds: Vec<u64> = std::iter::once(observed.begin_ns)
        .chain(inner)
        .chain([end_ns])
        .collect();
    let over_time = match observed.outstanding_over_time.is_empty() {
        true => &observed.requests_over_time,
        false => &observed.outstanding_over_time,
    };
    let all: f64 = over_time.iter().sum();
    let index = |at_ns: u64| {
        let share = (at_ns - observed.begin_ns) as f64 / observed.span_ns.max(1) as f64;
        (share * over_time.len() as f64).round() as usize
    };
    let mut parts: Vec<Part> = bounds
        .windows(2)
        .map(|of| Part {
            begin_ns: of[0],
            end_ns: of[1],
            share: over_time[index(of[0])..index(of[1])].iter().sum::<f64>()
                / all.max(f64::MIN_POSITIVE),
        })
        .collect();
    parts.sort_by(|a, b| b.share.total_cmp(&a.share));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::rule::one_at_a_time;

    #[test]
    fn a_recording_is_cut_where_its_rate_changes() {
        let rates = |at: usize| match at {
            0..40 => 10.0 + (at % 3) as f64,
            _ => 200.0 + (at % 3) as f64,
        };
        let outstanding = |at: usize| if at < 40 { 0.1 } else { 3.9 };
        let observed = Observed {
            begin_ns: 2_000_000_000,
            span_ns: 10_000_000_000,
            requests_over_time: (0..100).map(rates).collect(),
            outstanding_over_time: (0..100).map(outstanding).collect(),
            ..one_at_a_time()
        };
        let [heavy, light] = parts(&observed)[..] else {
            panic!("{:?}", parts(&observed));
        };
        // Intervals are looked at three together.
        let (at, off_max) = (6e9, 0.31e9);
        assert!((heavy.begin_ns as f64 - at).abs() < off_max, "{heavy:?}");
        assert_eq!(
            (light.begin_ns, light.end_ns),
            (2_000_000_000, heavy.begin_ns)
        );
        assert_eq!(heavy.end_ns, 12_000_000_000);
        assert!((heavy.share - 234.0 / 238.0).abs() < 0.02, "{heavy:?}");
        assert!((heavy.share + light.share - 1.0).abs() < 1e-9);
        // Counters that have no time of requests: by their number.
        let counted = Observed {
            outstanding_over_time: Vec::new(),
            ..observed.clone()
        };
        let most = parts(&counted)[0].share;
        assert!((most - 12_060.0 / 12_500.0).abs() < 0.02, "{most}");
        let steady = Observed {
            requests_over_time: vec![100.0; 100],
            ..observed
        };
        assert_eq!(parts(&steady), []);
    }
}
