//! How do the programs that read fio's results read these? fio's JSON+, one file for each step, as fio writes one for each call.

mod latency;
mod steadystate;

use std::collections::BTreeMap;

use plumb_model::results::summary::{OperationSummary, StepSummary};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::workload::Job;
use plumb_model::workload::operation::OperationKind;
use serde_json::{Map, Value, json};

use crate::exporter::fio::{DIRECTIONS, distinct, executions, file_stem, is_known, options, steps};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};
use crate::importer::date::rfc3339;
use latency::{distribution, latency};
use steadystate::steadystate;

pub static EXPORTER: Exporter = Exporter {
    name: "fio-json",
    meaning: "fio's JSON+ (as of 3.33) with options, latencies and histograms, one file per step, for fio-plot and other readers of fio's results",
    is_text: true,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let mut names = Vec::new();
    let mut files = Vec::new();
    for at in steps(subject)? {
        let step = &subject.summary.steps[at];
        let name = distinct(&mut names, &file_stem(&step.name)) + ".json";
        let span = Span::of(subject, &executions(subject, step.step));
        files.push(file(name, &document(subject, span, jobs(subject, step))?)?);
    }
    if files.is_empty() {
        files.push(file(
            "empty.json".into(),
            &document(subject, None, Vec::new())?,
        )?);
    }
    Ok(files)
}

fn file(name: String, document: &Value) -> Result<ExportedFile<'static>, ExportError> {
    let bytes = serde_json::to_vec_pretty(document)
        .map_err(|error| ExportError(format!("{name}: {error}")))?;
    Ok(ExportedFile::whole(name, bytes))
}

/// When a step ran, all rounds of it, in nanoseconds since 1970.
#[derive(Clone, Copy)]
struct Span {
    start_ns: u64,
    end_ns: u64,
}

impl Span {
    /// `None` where an imported run does not say when it began.
    fn of(subject: &Subject<'_>, executions: &[u32]) -> Option<Span> {
        let began_ns = Some(subject.run.header.started_unix_ns).filter(|ns| *ns > 0)?;
        let ticks = || {
            subject
                .run
                .ticks
                .iter()
                .filter(|tick| executions.contains(&tick.execution))
        };
        let (start_ns, end_ns) = (
            ticks().map(|tick| tick.start_ns).min()?,
            ticks().map(|tick| tick.end_ns).max()?,
        );
        Some(Span {
            start_ns: began_ns.saturating_add(start_ns),
            end_ns: began_ns.saturating_add(end_ns),
        })
    }
}

/// What fio's call would have left. The version names the layout that is kept, and plumb. fio stamps its results with the time at which it wrote them.
fn document(
    subject: &Subject<'_>,
    span: Option<Span>,
    jobs: Vec<Value>,
) -> Result<Value, ExportError> {
    let header = &subject.run.header;
    let mut document = Map::new();
    document.insert(
        "fio version".into(),
        json!(format!("fio-3.33-plumb-{}", header.plumb_version)),
    );
    // An imported run need not say when it began: then these are left out.
    if let Some(Span { end_ns, .. }) = span {
        document.insert("timestamp".into(), json!(end_ns / 1_000_000_000));
        document.insert("timestamp_ms".into(), json!(end_ns / 1_000_000));
        document.insert("time".into(), json!(rfc3339(end_ns)));
    }
    document.insert("jobs".into(), Value::Array(jobs));
    document.insert("disk_util".into(), json!([]));
    Ok(Value::Object(document))
}

fn jobs(subject: &Subject<'_>, step: &StepSummary) -> Vec<Value> {
    let Some(of) = subject.run.header.plan.steps.get(step.step as usize) else {
        return Vec::new();
    };
    let executions = executions(subject, step.step);
    let ticks: Vec<&Tick> = subject
        .run
        .ticks
        .iter()
        .filter(|tick| executions.contains(&tick.execution))
        .collect();
    let known = of.jobs.iter().enumerate().filter(|(_, job)| is_known(job));
    let several = of.jobs.len() > 1;
    let span = Span::of(subject, &executions);
    known
        .map(|(number, job)| {
            let of_job: Vec<&Tick> = ticks
                .iter()
                .copied()
                .filter(|tick| tick.job == number as u32)
                .collect();
            let (operations, engine) = match step.jobs.get(number).filter(|_| several) {
                Some(job) => (&job.operations, &job.engine),
                None => (&step.operations, &step.engine),
            };
            let options = options(job, engine);
            let name = if several && !job.name.is_empty() {
                format!("{}: {}", step.name, job.name)
            } else {
                step.name.clone()
            };
            let mut out = one_job(step, (job, options), (&name, number), operations, &of_job);
            if let Some(Span { start_ns, end_ns }) = span {
                out.insert("job_start".into(), json!(start_ns / 1_000_000));
                out.insert(
                    "elapsed".into(),
                    json!(end_ns.saturating_sub(start_ns).div_ceil(1_000_000_000)),
                );
            }
            Value::Object(out)
        })
        .collect()
}

/// A job of fio: with `group_reporting` all workers together.
fn one_job(
    step: &StepSummary,
    (job, options): (&Job, BTreeMap<String, String>),
    (name, number): (&str, usize),
    operations: &BTreeMap<String, OperationSummary>,
    ticks: &[&Tick],
) -> Map<String, Value> {
    let mut options: Map<String, Value> = options
        .into_iter()
        .map(|(name, value)| (name.to_string(), value.into()))
        .collect();
    options.insert("name".into(), name.into());
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_string(), value);
    put("jobname", name.into());
    put("groupid", number.into());
    put("error", 0.into());
    put("eta", 0.into());
    put("elapsed", json!(step.duration_s.ceil() as u64));
    put("job options", Value::Object(options));
    let mut all = Histogram::default();
    for (kind, word) in DIRECTIONS {
        put(
            word,
            direction(step, kind, operations.get(word), ticks, &mut all),
        );
    }
    if let Some(flushes) = operations.get(OperationKind::Flush.word()) {
        let mut service = Histogram::default();
        let kinds = ticks
            .iter()
            .filter(|tick| tick.phase != Phase::WarmUp)
            .flat_map(|tick| &tick.kinds);
        kinds
            .filter(|of| of.kind == OperationKind::Flush)
            .for_each(|of| service.merge(&of.service));
        put(
            "sync",
            json!({ "total_ios": flushes.count, "lat_ns": latency(&service, &flushes.service_ns) }),
        );
    }
    put("job_runtime", json!((step.duration_s * 1e3).round() as u64));
    // fio's is the mean over its processes, plumb's the sum over its workers.
    let workers = f64::from(job.workload.workers.max(1));
    put(
        "usr_cpu",
        step.cpu
            .user_percent
            .map(|percent| percent / workers)
            .into(),
    );
    put(
        "sys_cpu",
        step.cpu
            .system_percent
            .map(|percent| percent / workers)
            .into(),
    );
    for (name, shares) in distribution(&all) {
        put(name, shares);
    }
    put("latency_depth", job.workload.depth.into());
    let limit = job.workload.latency_limit;
    put("latency_target", limit.map_or(0, |limit| limit.0).into());
    put(
        "latency_percentile",
        json!(job.workload.latency_limit_percentile.unwrap_or(100.0)),
    );
    put(
        "latency_window",
        limit
            .and(job.workload.time)
            .map_or(0, |time| time.0 / 1000)
            .into(),
    );
    if let Some(found) = steadystate(job, step, ticks) {
        put("steadystate", found);
    }
    out
}

/// One of read, write and trim. A direction that did nothing has what fio writes then: no operations, and zeros for their times with N = 0.
fn direction(
    step: &StepSummary,
    kind: OperationKind,
    figures: Option<&OperationSummary>,
    ticks: &[&Tick],
    all: &mut Histogram,
) -> Value {
    let none = OperationSummary {
        iops: Some(0.0),
        bandwidth_bytes_per_s: Some(0.0),
        ..OperationSummary::default()
    };
    let did = figures.unwrap_or(&none);
    let (mut service, mut response) = (Histogram::default(), Histogram::default());
    for of in ticks
        .iter()
        .filter(|tick| tick.phase != Phase::WarmUp)
        .flat_map(|tick| &tick.kinds)
        .filter(|of| of.kind == kind)
    {
        service.merge(&of.service);
        response.merge(of.response.as_ref().unwrap_or(&of.service));
    }
    all.merge(&response);
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_string(), value);
    put("io_bytes", did.bytes.into());
    put("io_kbytes", (did.bytes / 1024).into());
    put(
        "bw_bytes",
        did.bandwidth_bytes_per_s
            .map(|rate| rate.round() as u64)
            .into(),
    );
    put(
        "bw",
        did.bandwidth_bytes_per_s
            .map(|rate| (rate / 1024.0).round() as u64)
            .into(),
    );
    put("iops", did.iops.into());
    put(
        "runtime",
        json!(if figures.is_some() {
            (step.duration_s * 1e3).round() as u64
        } else {
            0
        }),
    );
    put("total_ios", did.count.into());
    put(
        "short_ios",
        did.errors_by_kind.get("short").copied().unwrap_or(0).into(),
    );
    put("drop_ios", 0.into());
    // fio's lat is the time from when an operation was made to its end; from when it was due is the nearest that plumb has, and the same in a closed
    // loop. The time of the submission alone (slat_ns) is not measured.
    put("clat_ns", latency(&service, &did.service_ns));
    put("lat_ns", latency(&response, &did.response_ns));
    samples(kind, ticks, &mut put);
    Value::Object(out)
}

/// fio's figures over its samples; plumb's samples are its intervals. The deviation of one sample is 0, as in fio (stat.c, calc_lat).
fn samples(
    kind: OperationKind,
    ticks: &[&Tick],
    put: &mut impl FnMut(&str, Value) -> Option<Value>,
) {
    let measured = || {
        let of = ticks.iter().filter(|tick| tick.phase == Phase::Measure);
        of.filter_map(move |tick| Some((*tick, tick.kinds.iter().find(|of| of.kind == kind)?)))
    };
    let iops: Vec<f64> = measured()
        .filter_map(|(tick, of)| figures::per_second(tick, of.count))
        .collect();
    let bandwidth: Vec<f64> = measured()
        .filter_map(|(tick, of)| figures::per_second(tick, of.bytes))
        .map(|rate| rate / 1024.0)
        .collect();
    for (name, deviation, values) in [("bw", "bw_dev", &bandwidth), ("iops", "iops_stddev", &iops)]
    {
        let count = values.len() as f64;
        let mean = if values.is_empty() {
            0.0
        } else {
            values.iter().sum::<f64>() / count
        };
        let spread = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        put(
            &format!("{name}_min"),
            json!(if least.is_finite() {
                least.round() as u64
            } else {
                0
            }),
        );
        put(&format!("{name}_max"), json!(most.round() as u64));
        put(&format!("{name}_mean"), json!(mean));
        put(
            deviation,
            json!(if count > 1.0 {
                (spread / (count - 1.0)).sqrt()
            } else {
                0.0
            }),
        );
        put(&format!("{name}_samples"), json!(values.len()));
    }
}
