//! How does fio write latencies? Mean, deviation, percentiles, the buckets of JSON+, and the shares of three coarse scales.

use plumb_model::results::summary::Latency;
use plumb_model::run::histogram::Histogram;
use serde_json::{Map, Value, json};

use crate::exporter::figures::quantile;

/// The quantiles that fio writes without being asked (stat.c, def_percentile_list).
const QUANTILES: [f64; 17] = [
    0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995,
    0.9999,
];

/// A latency object: from the histogram, and from the figures where an imported run has no histogram.
pub fn latency(histogram: &Histogram, figures: &Latency) -> Value {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_string(), value);
    if histogram.count() == 0 && figures.count == 0 && figures.mean.is_none() {
        for name in ["min", "max", "mean", "stddev", "N"] {
            put(name, if name.len() > 3 { json!(0.0) } else { json!(0) });
        }
        return Value::Object(out);
    }
    let whole = |value: Option<f64>| Value::from(value.map(|ns| ns.round() as u64));
    put("min", whole(figures.min));
    put("max", whole(figures.max));
    put("mean", figures.mean.into());
    put("stddev", deviation_ns(histogram).into());
    put("N", figures.count.into());
    let percentile = percentiles(histogram, figures);
    if !percentile.is_empty() {
        put("percentile", Value::Object(percentile));
    }
    if histogram.count() > 0 {
        let bin = |(low, width, count): (u64, u64, u64)| {
            ((low + (width - 1) / 2).to_string(), json!(count))
        };
        put(
            "bins",
            Value::Object(histogram.buckets().map(bin).collect()),
        );
    }
    Value::Object(out)
}

/// Those that there are samples enough for.
fn percentiles(histogram: &Histogram, figures: &Latency) -> Map<String, Value> {
    let name = |share: f64| format!("{:.6}", 100.0 * share);
    if histogram.count() > 0 {
        let of = |share: &f64| {
            Some((
                name(*share),
                json!(quantile(histogram, *share)?.round() as u64),
            ))
        };
        return QUANTILES.iter().filter_map(of).collect();
    }
    let known = [
        (0.5, figures.p50),
        (0.9, figures.p90),
        (0.95, figures.p95),
        (0.99, figures.p99),
        (0.999, figures.p99_9),
    ];
    let known = known.into_iter().chain([(0.9999, figures.p99_99)]);
    known
        .filter_map(|(share, ns)| Some((name(share), json!(ns?.round() as u64))))
        .collect()
}

/// Standard deviation in nanoseconds, each value taken as the middle of its bucket; missing without values.
fn deviation_ns(histogram: &Histogram) -> Option<f64> {
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

/// `latency_ns`, `latency_us` and `latency_ms`: percent of all operations up to each end. Null for a run without histograms.
pub fn distribution(histogram: &Histogram) -> [(&'static str, Value); 3] {
    let total = histogram.count();
    let scale = |unit_ns: u64, is_last: bool| {
        if total == 0 {
            return Value::Null;
        }
        // Each scale begins where the one before ended.
        let mut low = if unit_ns == 1 { 0 } else { unit_ns };
        let share = |from: u64, to: u64| {
            let inside = histogram
                .buckets()
                .filter(|(start, width, _)| (from..to).contains(&(start + (width - 1) / 2)));
            json!(100.0 * inside.map(|(_, _, count)| count).sum::<u64>() as f64 / total as f64)
        };
        let mut out = Map::new();
        let ends = ENDS.iter().copied().chain(is_last.then_some(2000));
        for end in ends {
            out.insert(end.to_string(), share(low, end * unit_ns));
            low = end * unit_ns;
        }
        if is_last {
            out.insert(">=2000".into(), share(low, u64::MAX));
        }
        Value::Object(out)
    };
    [
        ("latency_ns", scale(1, false)),
        ("latency_us", scale(1000, false)),
        ("latency_ms", scale(1_000_000, true)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let scales = distribution(&histogram);
        let share =
            |scale: usize, end: &str| scales[scale].1[end].as_f64().expect("a share").round();
        let sum: f64 = scales
            .iter()
            .flat_map(|(_, scale)| scale.as_object().expect("a scale").values())
            .filter_map(Value::as_f64)
            .sum();
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
        assert_eq!(distribution(&Histogram::default())[1].1, Value::Null);
    }

    #[test]
    fn what_is_known_of_latencies_is_written_and_no_more() {
        let mut histogram = Histogram::default();
        (1..=100).for_each(|value| histogram.record(value));
        let figures = Latency {
            count: 100,
            min: Some(1.0),
            mean: Some(50.5),
            max: Some(100.0),
            ..Latency::default()
        };
        let written = latency(&histogram, &figures);
        assert_eq!(
            (&written["percentile"]["50.000000"], &written["N"]),
            (&json!(50), &json!(100))
        );
        assert!(
            written["percentile"].get("99.000000").is_none(),
            "100 samples say nothing of the 99th percentile"
        );
        assert!((written["stddev"].as_f64().expect("a deviation") - 29.011).abs() < 0.001);
        assert_eq!(written["bins"].as_object().expect("bins").len(), 100);
        let reported = latency(
            &Histogram::default(),
            &Latency {
                count: 5,
                mean: Some(7.0),
                p99: Some(9.0),
                ..Latency::default()
            },
        );
        assert_eq!(
            (
                &reported["min"],
                &reported["stddev"],
                &reported["percentile"]["99.000000"]
            ),
            (&Value::Null, &Value::Null, &json!(9))
        );
        assert_eq!(latency(&Histogram::default(), &Latency::default())["N"], 0);
    }
}
