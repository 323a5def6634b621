//! What did warp measure? Its results as JSON (`.json.zst`, what it writes without `--full`): totals and times of each operation.

use jiff::Timestamp;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::statement::Statement;
use plumb_model::workload::operation::OperationKind;
use serde_json::Value;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::embedded::Embedded;
use crate::importer::warp::{Load, kind_of, run_of};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, date};

pub static IMPORTER: Importer = Importer {
    name: "warp-json",
    program: "warp",
    meaning: "results of warp 1.1 and later (the .json.zst file that it writes without `--full`, as it is or unpacked): operations of one benchmark are one step; rates are over all of its requests and all of its time",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Most requests and bytes: larger sums would overflow.
const SUM_MAX: u64 = 1 << 58;
/// Names of mean, fastest, slowest and deviation.
const OF_REQUESTS: [&str; 4] = [
    "dur_avg_millis",
    "fastest_millis",
    "slowest_millis",
    "std_dev_millis",
];
const OF_FIRST_BYTES: [&str; 4] = [
    "average_millis",
    "fastest_millis",
    "slowest_millis",
    "std_dev_millis",
];
const QUANTILES: &[(f64, &str)] = &[
    (0.5, "dur_median_millis"),
    (0.9, "dur_90_millis"),
    (0.99, "dur_99_millis"),
];
/// Results of one file.
const RESULTS_MAX: usize = 10_000;

fn recognizes(head: &Head<'_>) -> bool {
    let text = head.text();
    text.trim_start().starts_with('{')
        && text.contains("\"total_requests\"")
        && text.contains("\"throughput_by_host\"")
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut file = Embedded::new(&mut *source.reader, "warp");
    let mut runs = Vec::new();
    while file.next_object()?.0 {
        let root: Value = match file.value() {
            Ok(root) => root,
            Err(error) if runs.is_empty() => return Err(error),
            Err(error) => {
                let imported = runs
                    .last_mut()
                    .and_then(|run: &mut Run| run.header.imported.as_mut());
                let left_out =
                    Statement::new("rest-of-file-left-out").name("error", error.to_string());
                imported
                    .into_iter()
                    .for_each(|of| of.doubts.push(left_out.clone()));
                break;
            }
        };
        if runs.len() == RESULTS_MAX {
            return Err(ImportError::at(
                file.line(),
                format!("at most {RESULTS_MAX} results in one file"),
            ));
        }
        runs.extend(run(&root));
    }
    if runs.is_empty() {
        return Err(ImportError::of_file(
            "'by_op_type' with the total_requests, start_time and end_time of a known operation (GET, PUT, STAT, DELETE, LIST), as warp writes them",
        ));
    }
    Ok(runs)
}

fn number(of: &Value, name: &str) -> Option<f64> {
    of.get(name)?
        .as_f64()
        .filter(|number| number.is_finite() && *number >= 0.0)
}

fn integer(of: &Value, name: &str) -> u64 {
    let number = of.get(name).and_then(Value::as_u64);
    number.unwrap_or(0).min(SUM_MAX)
}

/// Nanoseconds since 1970.
fn time(of: &Value, name: &str) -> Option<u64> {
    let time: Timestamp = of.get(name)?.as_str()?.parse().ok()?;
    u64::try_from(time.as_nanosecond()).ok()
}

/// Totals of one operation.
struct Totals<'a> {
    kind: OperationKind,
    of: &'a Value,
    start_ns: u64,
    end_ns: u64,
    load: Load,
}

impl<'a> Totals<'a> {
    fn of(name: &str, of: &'a Value) -> Option<Totals<'a>> {
        let (start_ns, end_ns) = (time(of, "start_time")?, time(of, "end_time")?);
        let mut load = Load::of_threads(integer(of, "concurrency"));
        let (count, bytes) = (integer(of, "total_requests"), integer(of, "total_bytes"));
        load.add_size(bytes / count.max(1), count);
        (end_ns > start_ns && count > 0).then_some(Totals {
            kind: kind_of(name)?,
            of,
            start_ns,
            end_ns,
            load,
        })
    }

    /// Requests that did not fail.
    fn count(&self) -> u64 {
        integer(self.of, "total_requests").saturating_sub(integer(self.of, "total_errors"))
    }
}

/// The benchmark, if there is an operation that plumb has.
fn run(root: &Value) -> Option<Run> {
    let all = root.get("by_op_type")?.as_object()?;
    let totals: Vec<Totals<'_>> = all
        .iter()
        .filter_map(|(name, of)| Totals::of(name, of))
        .collect();
    let start_ns = totals.iter().map(|of| of.start_ns).min()?;
    let end_ns = totals.iter().map(|of| of.end_ns).max()?;
    let text = |name: &str| root.get(name).and_then(Value::as_str);
    let mut builder = run_of(
        text("warp_version"),
        text("commandline").unwrap_or_default(),
    );
    builder.started(date::rfc3339(start_ns), start_ns);
    let left_out = all.keys().filter(|name| kind_of(name).is_none());
    for name in left_out {
        builder.doubt(Statement::new("warp-operation-left-out").name("operation", name));
    }
    if root.get("final").and_then(Value::as_bool) == Some(false) {
        builder.doubt(Statement::new("warp-not-final"));
    }
    let loads: Vec<_> = totals
        .iter()
        .map(|of| (of.kind, of.count().max(1), &of.load))
        .collect();
    let step = Load::step(&mut builder, &loads);
    let span = builder.execution(step, (end_ns - start_ns) as f64 / 1e9);
    for of in &totals {
        let failed = integer(of.of, "total_errors");
        let mut reported = reported(of.kind, of.of, &mut builder);
        if failed == 0 {
            let bytes = integer(of.of, "total_bytes");
            builder.tally(span, 0, of.kind, of.count(), bytes, None);
        } else {
            // Bytes of failed requests are in warp's sum.
            builder.doubt(Statement::new("warp-bytes-of-failed-requests"));
            reported.iops = Some(of.count() as f64 * 1e9 / (end_ns - start_ns) as f64);
        }
        builder.reported(span, 0, reported);
    }
    Some(builder.finish())
}

/// Times of all segments and clients together, in nanoseconds: their means are weighted; percentiles are only those of a single segment.
#[derive(Default)]
struct Times {
    requests: f64,
    sum_ns: f64,
    least_ns: Option<f64>,
    most_ns: Option<f64>,
    segments: u64,
    quantiles_ns: Vec<(f64, f64)>,
    deviation_ns: Option<f64>,
}

impl Times {
    /// Adds so many requests of so many entries: the names of their mean, fastest and slowest time, deviation and percentiles.
    fn add(
        &mut self,
        of: &Value,
        (requests, entries): (f64, f64),
        names: [&str; 4],
        quantiles: &[(f64, &str)],
    ) {
        let ms = |name: &str| number(of, name).map(|ms| ms * 1e6);
        let [mean, fastest, slowest, deviation] = names;
        let Some(mean) = ms(mean) else { return };
        self.requests += requests;
        self.sum_ns += mean / entries * requests;
        self.segments += entries as u64;
        let least = [self.least_ns, ms(fastest)].into_iter().flatten();
        self.least_ns = least.reduce(f64::min);
        let most = [self.most_ns, ms(slowest)].into_iter().flatten();
        self.most_ns = most.reduce(f64::max);
        let of = |(share, name): &(f64, &str)| Some((*share, ms(name)?));
        self.quantiles_ns = quantiles.iter().filter_map(of).collect();
        self.deviation_ns = ms(deviation);
    }

    fn mean_ns(&self) -> Option<f64> {
        (self.requests > 0.0).then(|| self.sum_ns / self.requests)
    }

    fn latency(self) -> Option<ReportedLatency> {
        let is_one = self.segments == 1;
        Some(ReportedLatency {
            count: Some(self.requests as u64),
            min_ns: self.least_ns,
            mean_ns: Some(self.mean_ns()?),
            standard_deviation_ns: self.deviation_ns.filter(|_| is_one),
            max_ns: self.most_ns,
            quantiles_ns: match is_one {
                true => self.quantiles_ns,
                false => Vec::new(),
            },
        })
    }
}

fn reported(kind: OperationKind, of: &Value, builder: &mut RunBuilder) -> Reported {
    let clients = of.get("requests_by_client").and_then(Value::as_object);
    let segments = clients
        .into_iter()
        .flat_map(|clients| clients.values())
        .filter_map(Value::as_array)
        .flatten();
    let (mut times, mut first) = (Times::default(), Times::default());
    for segment in segments {
        let by_size = segment
            .get("multi_sized_requests")
            .and_then(|of| of.get("by_size"))
            .and_then(Value::as_array);
        let parts = segment.get("single_sized_requests").into_iter();
        for part in parts.chain(by_size.into_iter().flatten()) {
            // Means and percentiles of merged entries are sums.
            let entries = number(part, "merged_entries").unwrap_or(1.0).max(1.0);
            let amount = (number(part, "requests").unwrap_or(0.0), entries);
            match part.get("avg_duration_millis") {
                // Of a range of sizes.
                Some(_) => times.add(part, amount, ["avg_duration_millis", "", "", ""], &[]),
                None => times.add(part, amount, OF_REQUESTS, QUANTILES),
            }
            if let Some(of_first) = part.get("first_byte") {
                first.add(of_first, amount, OF_FIRST_BYTES, &[]);
            }
        }
    }
    if times.segments > 1 {
        builder.doubt(Statement::new("warp-percentiles-of-segments"));
    }
    let requests = integer(of, "total_requests");
    let objects = Some(integer(of, "total_objects")).filter(|objects| *objects != requests);
    let failed = Some(integer(of, "total_errors")).filter(|failed| *failed > 0);
    let figures = [
        ("time to first byte: mean", first.mean_ns(), "ns"),
        ("time to first byte: max", first.most_ns, "ns"),
        ("objects", objects.map(|objects| objects as f64), ""),
        ("errors", failed.map(|failed| failed as f64), ""),
    ];
    let figure =
        |(name, value, unit): (&str, Option<f64>, &str)| ReportedFigure::known(name, value, unit);
    Reported {
        kind: Some(kind),
        service: times.latency(),
        figures: figures.into_iter().filter_map(figure).collect(),
        ..Reported::default()
    }
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    let mixed = include_bytes!("../../../../testdata/foreign/warp/1.6-mixed.json.zst");
    let put = include_bytes!("../../../../testdata/foreign/warp/1.6-put.json.zst");
    let stat = include_bytes!("../../../../testdata/foreign/warp/1.6-stat.json");
    vec![
        Fixture::of("stat.json", stat, |runs| {
            assert_eq!(runs[0].header.plan.steps[0].name, "stat");
        }),
        Fixture::of("mixed.json.zst", mixed, |runs| {
            let step = &runs[0].header.plan.steps[0];
            assert_eq!(step.name, "mixed");
            assert_eq!(step.jobs[0].target.to_string(), "s3://wbench");
            assert_eq!(step.jobs[0].workload.mix.0.len(), 4);
        }),
        Fixture::of("put.json.zst", put, |runs| {
            let imported = runs[0].header.imported.as_ref().expect("imported");
            let of_segments = |of: &Statement| of.id == "warp-percentiles-of-segments";
            assert!(imported.doubts.iter().any(of_segments), "sizes are apart");
        }),
    ]
}
