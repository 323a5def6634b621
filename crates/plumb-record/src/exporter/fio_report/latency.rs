//! How does fio write latencies? Mean, deviation, percentiles, the buckets of JSON+, and shares on three coarse scales.

use plumb_model::run::histogram::Histogram;

use super::measured::Times;
use super::node::{Node, Object};

/// A latency object: from the histogram, or from the figures of an imported run without one. `percentiles` in percent, if requested; `bins` if buckets are requested.
pub fn latency(times: &Times, percentiles: Option<&[f64]>, bins: bool) -> Object {
    let mut out = Object::default();
    if times.is_empty() {
        ["min", "max"].iter().for_each(|name| out.put(name, 0u64));
        ["mean", "stddev"]
            .iter()
            .for_each(|name| out.put(name, 0.0));
        out.put("N", 0u64);
        return out;
    }
    let rounded = |value: Option<f64>| value.map(|ns| ns.round() as u64);
    let Times { histogram, figures } = times;
    out.put("min", rounded(figures.min));
    out.put("max", rounded(figures.max));
    out.put("mean", figures.mean);
    out.put("stddev", deviation_ns(histogram));
    out.put("N", figures.count);
    let found = percentiles
        .map(|percents| self::percentiles(times, percents))
        .unwrap_or_default();
    if !found.is_empty() {
        let name = |percent: f64| format!("{percent:.6}");
        let pairs = found
            .into_iter()
            .map(|(percent, ns)| (name(percent), Node::Integer(ns)));
        out.put("percentile", Object(pairs.collect()));
        if bins && histogram.count() > 0 {
            let bin = |(low, width, count): (u64, u64, u64)| {
                ((low + (width - 1) / 2).to_string(), Node::Integer(count))
            };
            out.put("bins", Object(histogram.buckets().map(bin).collect()));
        }
    }
    out
}

/// Percentiles with their values in nanoseconds. fio prints them for any number of operations: the value that this share of them did not exceed. Without a
/// histogram, those that the source states.
pub fn percentiles(times: &Times, percents: &[f64]) -> Vec<(f64, u64)> {
    let Times { histogram, figures } = times;
    if histogram.count() > 0 {
        // 99.9 / 100 exceeds 0.999 by the last bit, which would select another operation.
        let share = |percent: f64| (percent * 1e6).round() / 1e8;
        let of = |percent: &f64| Some((*percent, histogram.quantile_ns(share(*percent))?));
        return percents.iter().filter_map(of).collect();
    }
    let known = [
        (50.0, figures.p50),
        (90.0, figures.p90),
        (95.0, figures.p95),
        (99.0, figures.p99),
        (99.9, figures.p99_9),
        (99.99, figures.p99_99),
    ];
    known
        .into_iter()
        .filter_map(|(percent, ns)| Some((percent, ns?.round() as u64)))
        .collect()
}

/// Standard deviation in nanoseconds, using the middle of each bucket; missing without values.
pub fn deviation_ns(histogram: &Histogram) -> Option<f64> {
    let mean = histogram.mean_ns()?;
    let count = histogram.count() as f64;
    let spread: f64 = histogram
        .buckets()
        .map(|(low, width, n)| n as f64 * (low as f64 + (width - 1) as f64 / 2.0 - mean).powi(2))
        .sum();
    Some(if count > 1.0 {
        (spread / (count - 1.0)).sqrt()
    } else {
        0.0
    })
}

/// Upper ends of fio's scales: nanoseconds, microseconds, milliseconds.
const ENDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// A scale: percent of all operations up to each upper end, by the name of the end.
pub type Scale = Vec<(String, f64)>;

/// Nanoseconds, microseconds and milliseconds. `None` for a run without histograms.
pub fn distribution(histogram: &Histogram) -> Option<[Scale; 3]> {
    (histogram.count() > 0).then(|| shares(histogram))
}

/// Of a job without operations: no share anywhere.
pub fn no_distribution() -> [Scale; 3] {
    shares(&Histogram::default())
}

fn shares(histogram: &Histogram) -> [Scale; 3] {
    let total = histogram.count().max(1);
    let scale = |unit_ns: u64, is_last: bool| {
        // Each scale begins where the previous one ended.
        let mut low = if unit_ns == 1 { 0 } else { unit_ns };
        let share = |from: u64, to: u64| {
            let inside = histogram
                .buckets()
                .filter(|(start, width, _)| (from..to).contains(&(start + (width - 1) / 2)));
            100.0 * inside.map(|(_, _, count)| count).sum::<u64>() as f64 / total as f64
        };
        let mut out = Scale::new();
        let ends = ENDS.iter().copied().chain(is_last.then_some(2000));
        for end in ends {
            out.push((end.to_string(), share(low, end * unit_ns)));
            low = end * unit_ns;
        }
        if is_last {
            out.push((">=2000".into(), share(low, u64::MAX)));
        }
        out
    };
    [scale(1, false), scale(1000, false), scale(1_000_000, true)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use plumb_model::results::summary::Latency;

    #[test]
    fn every_operation_is_in_one_place_of_the_scales() {
        let mut histogram = Histogram::default();
        for ns in [
            1,
            3,
            999,
            1_000,
            1_999,
            250_000,
            3_000_000,
            1_900_000_000,
            2_100_000_000,
            90_000_000_000,
        ] {
            histogram.record(ns);
        }
        let scales = distribution(&histogram).expect("scales");
        let share = |scale: usize, end: &str| {
            let found = scales[scale].iter().find(|(name, _)| name == end);
            found.expect("a share").1.round()
        };
        let sum: f64 = scales.iter().flatten().map(|(_, share)| share).sum();
        assert!((sum - 100.0).abs() < 1e-9, "{sum}");
        assert_eq!(
            (
                share(0, "2"),
                share(0, "4"),
                share(0, "1000"),
                share(1, "2")
            ),
            (10.0, 10.0, 10.0, 20.0)
        );
        assert_eq!(
            (share(2, "4"), share(2, "2000"), share(2, ">=2000")),
            (10.0, 10.0, 20.0)
        );
        assert_eq!(distribution(&Histogram::default()), None);
    }

    #[test]
    fn only_known_latencies_are_written() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|value| histogram.record(value));
        let figures = Latency {
            count: 100,
            min: Some(1.0),
            mean: Some(50.5),
            max: Some(100.0),
            ..Latency::default()
        };
        let get = |object: &Object, key: &str| {
            let found = object.0.iter().find(|(name, _)| name == key);
            found.map(|(_, value)| value.clone())
        };
        let times = Times { histogram, figures };
        let written = latency(&times, Some(&[50.0, 99.9]), true);
        let Some(Node::Object(percentile)) = get(&written, "percentile") else {
            panic!("{written:?}");
        };
        assert_eq!(get(&percentile, "50.000000"), Some(Node::Integer(50)));
        assert_eq!(get(&percentile, "99.900000"), Some(Node::Integer(100)));
        let Some(Node::Real(deviation)) = get(&written, "stddev") else {
            panic!("{written:?}");
        };
        assert!((deviation - 29.011).abs() < 0.001);
        let Some(Node::Object(bins)) = get(&written, "bins") else {
            panic!("{written:?}");
        };
        assert_eq!(bins.0.len(), 100);
        assert_eq!(get(&latency(&times, None, true), "percentile"), None);
        let mut many = Times::default();
        many.histogram.record_n(1, 59_940);
        many.histogram.record_n(1000, 60);
        assert_eq!(percentiles(&many, &[99.9])[0].1, 1);
        let stated = Times {
            histogram: Histogram::default(),
            figures: Latency {
                count: 5,
                mean: Some(7.0),
                p99: Some(9.0),
                ..Latency::default()
            },
        };
        let written = latency(&stated, Some(&[50.0]), true);
        assert_eq!(
            (
                get(&written, "min"),
                get(&written, "stddev"),
                get(&written, "bins")
            ),
            (Some(Node::Null), Some(Node::Null), None)
        );
        assert_eq!(percentiles(&stated, &[50.0]), [(99.0, 9)]);
        assert_eq!(
            get(&latency(&Times::default(), None, true), "N"),
            Some(Node::Integer(0))
        );
    }
}
