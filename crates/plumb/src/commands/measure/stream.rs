//! How do other programs follow a measurement? Each interval is a line of JSON on standard output, and the latest one is served to Prometheus.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use plumb_model::run::histogram::Histogram;
use plumb_model::run::metric::{Metric, MetricKind, Reading};
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::workload::OperationKind;
use plumb_run::Stop;
use plumb_run::measurement::{OnInterval, Seen};
use plumb_run::watch::scraped::Scraped;
use schemars::JsonSchema;
use serde::Serialize;

use crate::arguments::OutputArguments;
use crate::commands::observe::watch::arguments::addresses;
use crate::streams::print_exactly;

/// Name and version of the schema of a line.
const SCHEMA: &str = "plumb-interval-1";

/// One completed interval of one job, as `--json-lines` prints it, one per line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IntervalLine {
    /// `plumb-interval-1`.
    pub schema: &'static str,
    /// End of the interval in seconds since the start of the run.
    pub time_s: f64,
    /// Its length in seconds.
    pub seconds: f64,
    pub step: String,
    /// Name of the job; missing if the step has only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Number of the execution of a step, from 0.
    pub execution: u32,
    /// From 1.
    pub round: u32,
    /// `warm-up`, `measure` or `drain`: only `measure` counts in the results of a step that ends by time.
    pub phase: &'static str,
    /// Completed operations, without flushes beside other operations: those and their latencies are in `kinds` only.
    pub operations: u64,
    pub bytes: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Failed operations.
    pub errors: u64,
    /// Missing for an interval of length 0.
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    /// Latencies in nanoseconds; missing if there are too few operations for the percentile.
    pub p50_ns: Option<u64>,
    pub p90_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub p999_ns: Option<u64>,
    /// The slowest operation; missing if none completed.
    pub max_ns: Option<u64>,
    /// Each kind of operation separately: read, write, flush, ...
    pub kinds: BTreeMap<&'static str, KindLine>,
}

/// One kind of operation of an interval.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KindLine {
    pub operations: u64,
    pub bytes: u64,
    pub errors: u64,
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    pub p50_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub max_ns: Option<u64>,
}

impl KindLine {
    fn of(kind: &KindTick, seconds: f64) -> KindLine {
        let times = kind.response.as_ref().unwrap_or(&kind.service);
        KindLine {
            operations: kind.count,
            bytes: kind.bytes,
            errors: kind.errors.values().sum(),
            iops: per_second(kind.count, seconds),
            bytes_per_s: per_second(kind.bytes, seconds).filter(|_| kind.kind.moves_data()),
            p50_ns: quantile(times, 0.5),
            p99_ns: quantile(times, 0.99),
            max_ns: times.max_ns(),
        }
    }
}

fn per_second(count: u64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| count as f64 / seconds)
}

/// A percentile, if there are enough operations for it.
fn quantile(times: &Histogram, quantile: f64) -> Option<u64> {
    let known = times.supports(quantile);
    times.quantile_ns(quantile).filter(|_| known)
}

impl IntervalLine {
    fn of(seen: &Seen<'_>) -> IntervalLine {
        let Tick {
            kinds,
            start_ns,
            end_ns,
            ..
        } = seen.tick;
        let is_flush = |kind: &KindTick| kind.kind == OperationKind::Flush;
        let others = kinds.iter().any(|kind| !is_flush(kind));
        let mut latencies = Histogram::default();
        for kind in kinds.iter().filter(|kind| !(others && is_flush(kind))) {
            latencies.merge(kind.response.as_ref().unwrap_or(&kind.service));
        }
        let sum = |of: &dyn Fn(&KindTick) -> u64| kinds.iter().map(of).sum::<u64>();
        let seconds = end_ns.saturating_sub(*start_ns) as f64 / 1e9;
        let counted = |kind: &KindTick| match others && is_flush(kind) {
            true => 0,
            false => kind.count,
        };
        let (operations, bytes) = (sum(&counted), sum(&|kind| kind.bytes));
        IntervalLine {
            schema: SCHEMA,
            time_s: *end_ns as f64 / 1e9,
            seconds,
            step: seen.step.to_string(),
            job: Some(seen.job.to_string()).filter(|job| !job.is_empty()),
            execution: seen.tick.execution,
            round: seen.round + 1,
            phase: match seen.tick.phase {
                Phase::WarmUp => "warm-up",
                Phase::Measure => "measure",
                Phase::Drain => "drain",
            },
            operations,
            bytes,
            read_bytes: sum(&|kind| {
                if kind.kind.reads_blocks() {
                    kind.bytes
                } else {
                    0
                }
            }),
            written_bytes: sum(&|kind| {
                if kind.kind.writes_blocks() {
                    kind.bytes
                } else {
                    0
                }
            }),
            errors: sum(&|kind| kind.errors.values().sum()),
            iops: per_second(operations, seconds),
            bytes_per_s: per_second(bytes, seconds),
            p50_ns: quantile(&latencies, 0.5),
            p90_ns: quantile(&latencies, 0.9),
            p99_ns: quantile(&latencies, 0.99),
            p999_ns: quantile(&latencies, 0.999),
            max_ns: latencies.max_ns(),
            kinds: kinds
                .iter()
                .map(|kind| (kind.kind.word(), KindLine::of(kind, seconds)))
                .collect(),
        }
    }
}

const fn metric(
    id: &'static str,
    unit: &'static str,
    kind: MetricKind,
    meaning: &'static str,
) -> Metric {
    Metric {
        id,
        unit,
        kind,
        meaning,
    }
}

/// The metrics of a step for Prometheus.
static METRICS: [Metric; 8] = [
    metric(
        "load.operations",
        "operations",
        MetricKind::Counter,
        "completed operations, including warm-up",
    ),
    metric(
        "load.bytes",
        "bytes",
        MetricKind::Counter,
        "bytes read and written, including warm-up",
    ),
    metric(
        "load.errors",
        "operations",
        MetricKind::Counter,
        "failed operations",
    ),
    metric(
        "load.operations_per_second",
        "per_second",
        MetricKind::Gauge,
        "operations per second in the last interval",
    ),
    metric(
        "load.bytes_per_second",
        "bytes_per_second",
        MetricKind::Gauge,
        "bytes per second in the last interval",
    ),
    metric(
        "load.median_latency_ns",
        "ns",
        MetricKind::Gauge,
        "median latency in the last interval",
    ),
    metric(
        "load.p99_latency_ns",
        "ns",
        MetricKind::Gauge,
        "99th percentile of latency in the last interval",
    ),
    metric(
        "load.p999_latency_ns",
        "ns",
        MetricKind::Gauge,
        "99.9th percentile of latency in the last interval",
    ),
];

/// Counts since the start, and the last readings, of each step and job.
#[derive(Default)]
struct Totals {
    counts: BTreeMap<String, [u64; 3]>,
    readings: BTreeMap<String, Vec<Reading>>,
}

impl Totals {
    fn take(&mut self, line: &IntervalLine, time_ns: u64) -> Vec<Reading> {
        let name = match &line.job {
            Some(job) => format!("{}, {job}", line.step),
            None => line.step.clone(),
        };
        let counts = self.counts.entry(name.clone()).or_default();
        for (count, more) in counts
            .iter_mut()
            .zip([line.operations, line.bytes, line.errors])
        {
            *count += more;
        }
        let counted = counts.map(|count| Some(count as f64));
        let latency = |ns: Option<u64>| ns.map(|ns| ns as f64);
        let now = [
            line.iops,
            line.bytes_per_s,
            latency(line.p50_ns),
            latency(line.p99_ns),
            latency(line.p999_ns),
        ];
        let values = counted.into_iter().chain(now);
        let readings = METRICS.iter().zip(values).map(|(metric, value)| Reading {
            metric: metric.id.into(),
            instance: name.clone(),
            time_ns,
            value,
        });
        self.readings.insert(name.clone(), readings.collect());
        self.readings.values().flatten().cloned().collect()
    }
}

/// The receiver of each interval for these arguments; `None`: none. Errors: the address is not available.
pub fn on_interval(arguments: &OutputArguments, stop: &Stop) -> anyhow::Result<Option<OnInterval>> {
    let served = match arguments.open_metrics {
        Some(at) => Scraped::listen(&addresses(at), METRICS.iter().collect())?,
        None => None,
    };
    if served.is_none() && !arguments.json_lines {
        return Ok(None);
    }
    let (is_printed, stop) = (arguments.json_lines, stop.clone());
    let totals = RefCell::new(Totals::default());
    let began = jiff::Timestamp::now().as_nanosecond();
    let began_unix_ns = u64::try_from(began).unwrap_or_default();
    Ok(Some(Rc::new(move |seen: &Seen<'_>| {
        let line = IntervalLine::of(seen);
        if let Some(served) = &served {
            let readings = totals.borrow_mut().take(&line, seen.tick.end_ns);
            served.take(&readings, began_unix_ns);
        }
        if is_printed {
            let printed = serde_json::to_string(&line).map(|text| text + "\n");
            // The reader has closed the pipe (`plumb run --json-lines | head`): stop measuring.
            if !printed.is_ok_and(|text| print_exactly(text.as_bytes()).is_ok()) {
                stop.request_end();
            }
        }
    })))
}
