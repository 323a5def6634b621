//! What did an application do, by the counters of its SMB client? Readings of one share in a window, as input of the rules.

use std::collections::BTreeMap;

use plumb_model::explain::observed::{FlowControl, Observed, ObservedFrom, Processors};
use plumb_model::run::Run;
use plumb_model::run::metric::Reading;

use super::at_samples::most_at_samples;

/// Counters of a share, all of which begin so.
const GROUP: &str = "smb_client_share.";

/// Windows' counters of the busy time of each core in percent, in English and German, and the name of all cores together.
const CORES: [[&str; 2]; 4] = [
    ["Processor Information", "% Processor Time"],
    ["Processor", "% Processor Time"],
    ["Prozessorinformationen", "Prozessorzeit (%)"],
    ["Prozessor", "Prozessorzeit (%)"],
];
const ALL_CORES: &str = "_Total";

/// The shares with readings, the one with the most bytes first.
pub fn shares(run: &Run) -> Vec<String> {
    let mut bytes: BTreeMap<&str, f64> = BTreeMap::new();
    for reading in run.readings.iter().filter(|reading| is_of_a_share(reading)) {
        let moved = bytes.entry(&reading.instance).or_default();
        if name(reading) == "data_bytes_per_second" {
            *moved += reading.value.unwrap_or(0.0);
        }
    }
    let mut shares: Vec<(&str, f64)> = bytes.into_iter().collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
        .into_iter()
        .map(|(name, _)| name.to_string())
        .collect()
}

fn is_of_a_share(reading: &Reading) -> bool {
    reading.metric.starts_with(GROUP)
}

fn name(reading: &Reading) -> &str {
    reading.metric.strip_prefix(GROUP).unwrap_or_default()
}

/// Values of one counter in order of time.
type Values = Vec<(u64, f64)>;

/// What the counters of `share` show from `from_ns` to `to_ns`; `source` is the file as it was named.
pub fn observed_in_counters(
    run: &Run,
    source: &str,
    share: &str,
    (from_ns, to_ns): (u64, u64),
) -> Observed {
    let mut counters: BTreeMap<&str, Values> = BTreeMap::new();
    let of_share = run
        .readings
        .iter()
        .filter(|reading| is_of_a_share(reading) && reading.instance == share)
        .filter(|reading| (from_ns..=to_ns).contains(&reading.time_ns));
    for reading in of_share {
        if let Some(value) = reading.value {
            let values = counters.entry(name(reading)).or_default();
            values.push((reading.time_ns, value));
        }
    }
    let of = |name: &str| counters.get(name).filter(|values| !values.is_empty());
    let average = |name: &str| {
        let values = of(name)?;
        Some(values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64)
    };
    let rate = average("data_requests_per_second");
    let bytes = average("data_bytes_per_second");
    let times = counters.values().flatten().map(|(time_ns, _)| *time_ns);
    let (begin_ns, end_ns) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
    let busy = |value: &f64| *value > 0.0;
    Observed {
        target: Some(share.to_string()),
        begin_ns,
        span_ns: end_ns - begin_ns,
        requests: rate.map(|rate| (rate * (end_ns - begin_ns) as f64 / 1e9) as u64),
        requests_per_s: rate,
        bytes_per_s: bytes,
        bytes_per_request: bytes
            .zip(rate.filter(busy))
            .map(|(bytes, rate)| bytes / rate),
        read_share: average("read_requests_per_second")
            .zip(rate.filter(busy))
            .map(|(reads, rate)| (reads / rate).min(1.0)),
        request_ns: by_requests(of("data_requests_per_second"), of("data_request_seconds")),
        outstanding: average("data_queue_length"),
        outstanding_most: of("current_data_queue_length")
            .and_then(|values| most_at_samples(values.iter().map(|(_, value)| *value))),
        metadata: plumb_model::explain::observed::CallShare {
            per_s: average("metadata_requests_per_second"),
            ..Default::default()
        },
        flow: FlowControl {
            stalls_per_s: average("credit_stalls_per_second"),
            ..FlowControl::default()
        },
        processors: processors(run, (from_ns, to_ns)),
        requests_over_time: over_time(of("data_requests_per_second")),
        outstanding_over_time: over_time(of("data_queue_length")),
        ..Observed::unknown(ObservedFrom::Counters, source)
    }
}

/// CPU use of the machine, if recorded too.
fn processors(run: &Run, (from_ns, to_ns): (u64, u64)) -> Processors {
    let of_metric = |metric: &str| {
        let mut cores: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        let readings = run
            .readings
            .iter()
            .filter(|reading| reading.metric == metric);
        for reading in readings.filter(|reading| (from_ns..=to_ns).contains(&reading.time_ns)) {
            if let Some(percent) = reading.value {
                let (sum, count) = cores.entry(&reading.instance).or_default();
                *sum += percent / 100.0;
                *count += 1.0;
            }
        }
        let mean = |(name, (sum, count)): (&str, (f64, f64))| (name.to_string(), sum / count);
        cores.into_iter().map(mean).collect::<Vec<_>>()
    };
    let cores = CORES.iter().map(|name| of_metric(&name.join("\\")));
    let Some(cores) = cores.into_iter().find(|cores| !cores.is_empty()) else {
        return Processors::default();
    };
    // All of a group of cores are written `0,_Total`.
    let (all, each): (Vec<_>, Vec<_>) = cores
        .into_iter()
        .partition(|(name, _)| name.ends_with(ALL_CORES));
    Processors {
        busiest_core: each.iter().map(|(_, share)| *share).reduce(f64::max),
        all_cores: all
            .iter()
            .find(|(name, _)| name == ALL_CORES)
            .map(|(_, share)| *share),
        cores: Some(each.len() as u64).filter(|count| *count > 0),
    }
}

fn over_time(values: Option<&Values>) -> Vec<f64> {
    values
        .into_iter()
        .flatten()
        .map(|(_, value)| *value)
        .collect()
}

/// Mean time of a request in nanoseconds. Each interval's mean is weighted by its requests.
fn by_requests(rates: Option<&Values>, seconds: Option<&Values>) -> Option<f64> {
    let rates: BTreeMap<u64, f64> = rates?.iter().copied().collect();
    let (mut sum, mut weight) = (0.0, 0.0);
    for (time_ns, seconds) in seconds? {
        let rate = rates.get(time_ns).copied().unwrap_or(0.0);
        sum += seconds * rate;
        weight += rate;
    }
    (weight > 0.0).then(|| sum / weight * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::conclude::explain;

    /// Ten seconds of a share, one reading of each counter per second.
    fn run(values: &[(&'static str, f64)]) -> Run {
        let mut run = crate::synthetic::Builder::new(Vec::new()).finish();
        run.readings = (1..=10u64)
            .flat_map(|second| {
                values.iter().map(move |(name, value)| Reading {
                    metric: format!("{GROUP}{name}").into(),
                    instance: "\\nas\\backup".into(),
                    time_ns: second * 1_000_000_000,
                    value: Some(*value),
                })
            })
            .collect();
        run
    }

    const ONE_THREAD: [(&str, f64); 6] = [
        ("data_requests_per_second", 176.0),
        ("data_bytes_per_second", 18.2e6),
        ("data_request_seconds", 0.00551),
        ("data_queue_length", 0.97),
        ("current_data_queue_length", 1.0),
        ("credit_stalls_per_second", 0.0),
    ];

    #[test]
    fn the_time_of_a_request_is_weighted_by_the_requests() {
        let (rates, seconds) = (vec![(1, 100.0), (2, 300.0)], vec![(1, 0.004), (2, 0.008)]);
        // 100 of 4 ms and 300 of 8 ms.
        let mean = by_requests(Some(&rates), Some(&seconds)).expect("requests");
        assert!((mean / 7e6 - 1.0).abs() < 1e-12, "{mean}");
        // Without requests there is no time; an interval without a rate has none.
        assert_eq!(by_requests(Some(&vec![(1, 0.0)]), Some(&seconds)), None);
        let first = by_requests(Some(&vec![(1, 5.0)]), Some(&seconds));
        assert_eq!(first, Some(0.004 * 5.0 / 5.0 * 1e9));
    }

    #[test]
    fn one_thread_on_a_share_is_one_outstanding_request() {
        let run = run(&ONE_THREAD);
        let share = shares(&run).remove(0);
        let observed = observed_in_counters(&run, "x.csv", &share, (0, u64::MAX));
        assert_eq!(observed.outstanding_most, Some(1));
        let explained = explain(observed, "0");
        assert_eq!(explained.withheld, []);
        assert_eq!(explained.findings[0].rule, "too_few_outstanding_requests");
        let abstained: Vec<&str> = explained
            .abstained
            .iter()
            .map(|of| of.rule.as_str())
            .collect();
        assert!(
            abstained.contains(&"metadata") && abstained.contains(&"distance"),
            "{abstained:?}"
        );
    }

    #[test]
    fn cores_in_the_recording_tell_whether_one_of_them_is_the_limit() {
        let mut run = run(&[
            ("data_requests_per_second", 9000.0),
            ("data_bytes_per_second", 9000.0 * 65536.0),
            ("data_request_seconds", 0.000_88),
            ("data_queue_length", 7.9),
            ("current_data_queue_length", 8.0),
            ("credit_stalls_per_second", 0.0),
        ]);
        let abstains = |run: &Run| {
            let observed = observed_in_counters(run, "x.csv", "\\nas\\backup", (0, u64::MAX));
            let explained = explain(observed, "0");
            let abstained = explained.abstained.iter();
            (
                abstained.filter(|of| of.rule == "one_core_is_busy").count(),
                explained
                    .findings
                    .iter()
                    .any(|of| of.rule == "one_core_is_busy"),
            )
        };
        assert_eq!(abstains(&run), (1, false));
        for (core, busy) in [
            ("0,0", 98.0),
            ("0,1", 4.0),
            ("0,_Total", 51.0),
            ("_Total", 51.0),
        ] {
            run.readings.extend((1..=10u64).map(|second| Reading {
                metric: "Processor Information\\% Processor Time".into(),
                instance: core.into(),
                time_ns: second * 1_000_000_000,
                value: Some(busy),
            }));
        }
        run.readings.sort_by_key(|reading| reading.time_ns);
        assert_eq!(abstains(&run), (0, true));
    }

    #[test]
    fn without_the_queue_it_abstains() {
        let run = run(&ONE_THREAD[..3]);
        let observed = observed_in_counters(&run, "x.csv", "\\nas\\backup", (0, u64::MAX));
        assert_eq!(observed.outstanding, None);
        let explained = explain(observed, "0");
        assert_eq!(explained.findings, []);
        assert_eq!(
            explained.abstained.len(),
            crate::explain::rules::RULES.len()
        );
    }
}
