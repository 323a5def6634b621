//! How does a document of fio become a run? Each group becomes a step, each job a job of it; counts become ticks and the rest reported figures.
//!
//! Times (fio's HOWTO, "Interpreting the output"): `clat` runs from the end of the submission to the completion and becomes the service time; `lat` starts
//! with the submission, when fio issued the operation, and becomes the response time. Usually only `clat` has a distribution: then the response time uses it
//! too, so that all its figures come from one distribution, and the means of `lat` and `slat` become separate reported figures.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure, ReportedLatency};
use plumb_model::run::tick::{KindTick, Phase, Tick, WorkerTick};
use plumb_model::statement::Statement;
use plumb_model::workload;
use plumb_model::workload::operation::OperationKind;

use super::document::Document;
use super::doubts::{distributed, doubts_of};
use super::errors::error_name;
use super::format::Times;
use super::jobs::{Group, Job, Work};
use crate::importer::{RunBuilder, Span, date};

/// Below this, integer milliseconds are too coarse for the time.
const SHORT_MS: f64 = 1000.0;
/// Directions of a job whose times differ by more than this share need rates of their own.
const RUNTIME_TOLERANCE: f64 = 0.01;
/// Most steps that doubts name individually.
const NAMED: usize = 5;

/// What the options of a job would state, and nothing else does.
const STATED_BY_OPTIONS: &[&str] = &["offsets", "depth", "direct"];

/// The run that the document describes, whose options do not state the keys `unstated`.
pub fn run_of(mut document: Document, doubts: &[Statement], unstated: &[&str]) -> Run {
    let version = document
        .version
        .strip_prefix("fio-")
        .unwrap_or(&document.version);
    let mut builder = RunBuilder::new("fio", (!version.is_empty()).then(|| version.to_string()));
    doubts.iter().for_each(|doubt| builder.doubt(doubt.clone()));
    let mut jobs = document.jobs.groups.iter().flat_map(|group| &group.jobs);
    let unstated = match jobs.all(|job| job.has_options) {
        true => unstated,
        false => STATED_BY_OPTIONS,
    };
    builder.does_not_state(unstated);
    began(&mut builder, &document);
    let hosts: BTreeSet<&str> = document
        .jobs
        .groups
        .iter()
        .flat_map(|group| &group.jobs)
        .map(|job| job.host.as_str())
        .filter(|host| !host.is_empty())
        .collect();
    let several_hosts = hosts.len() > 1;
    if let ([Some(host)], false) = ([hosts.first()], several_hosts) {
        builder.fact("host.name", Fact::Text((*host).to_string()));
    }
    if several_hosts {
        builder.doubt(Statement::new("fio-several-clients"));
    }
    if document.jobs.impossible > 0 {
        builder
            .doubt(Statement::new("fio-impossible-jobs").count("count", document.jobs.impossible));
    }
    let mut names = BTreeSet::new();
    let groups = std::mem::take(&mut document.jobs.groups);
    let disks = disk_figures(&document);
    let last = groups.len().saturating_sub(1);
    let mut names_all = !groups.is_empty();
    for (number, mut group) in groups.into_iter().enumerate() {
        group.jobs.iter_mut().for_each(Job::shrink);
        if several_hosts {
            for job in &mut group.jobs {
                job.name = format!("{} @{}", job.name, job.host);
            }
        }
        if group.is_part {
            let first = group.jobs.first().map_or("", |job| job.name.as_str());
            builder.doubt(Statement::new("fio-job-at-another-time").name("name", first));
        }
        let name = unique(step_name(&group), &mut names);
        let (span, names_all_of_it) = add_group(&mut builder, &name, group);
        names_all &= names_all_of_it;
        if number == last && !disks.is_empty() {
            builder.reported(
                span,
                0,
                Reported {
                    figures: disks.clone(),
                    ..Reported::default()
                },
            );
        }
    }
    if names_all && unstated.is_empty() {
        builder.names_all_options();
    }
    builder.finish()
}

/// fio states when it wrote its results; it started this many full seconds earlier. Newer versions state the start of each job.
fn began(builder: &mut RunBuilder, document: &Document) {
    let earlier = document
        .written_ms
        .map(|written| written - document.jobs.elapsed_s * 1e3);
    if let Some(start_ms) = document
        .jobs
        .start_ms
        .or(earlier)
        .filter(|ms| (0.0..1.8e13).contains(ms))
    {
        let unix_ns = start_ms as u64 * 1_000_000;
        builder.started(date::rfc3339(unix_ns), unix_ns);
    }
}

/// The distinct names of its jobs.
fn step_name(group: &Group) -> String {
    let mut names: Vec<&str> = Vec::new();
    for job in &group.jobs {
        if !names.contains(&job.name.as_str()) && names.len() <= NAMED {
            names.push(&job.name);
        }
    }
    let more = names.len() > NAMED;
    names.truncate(NAMED);
    let name = names.join(" + ") + if more { " + ..." } else { "" };
    if name.is_empty() {
        "job".to_string()
    } else {
        name
    }
}

fn unique(name: String, taken: &mut BTreeSet<String>) -> String {
    let mut number = 2;
    let mut tried = name.clone();
    while !taken.insert(tried.clone()) {
        tried = format!("{name} #{number}");
        // Name clashes are rare in fio files; for a damaged file with thousands, the total count is as good a number.
        number = (number + 1).max(if number > 100 { taken.len() } else { 0 });
    }
    tried
}

/// Adds a step; returns its execution, and whether every option of its jobs is known.
fn add_group(builder: &mut RunBuilder, name: &str, group: Group) -> (Span, bool) {
    let mut entries: BTreeMap<String, u32> = BTreeMap::new();
    for job in &group.jobs {
        *entries.entry(job.name.clone()).or_default() += job.entries;
    }
    let several = group.jobs.len() > 1;
    let mut names_all = true;
    let step = builder.step(name, || {
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        let mut planned = |job: &Job, name: String| {
            let workers = workers(job, &entries);
            let workload = match job
                .translated
                .as_deref()
                .filter(|workload| workload.workers == workers)
            {
                Some(workload) => workload.clone(),
                None => {
                    names_all = false;
                    let rate = job.workload.rate.map(|rate| rate * f64::from(workers));
                    workload::Workload {
                        workers,
                        rate,
                        ..job.workload.clone()
                    }
                }
            };
            RunBuilder::job(&name, job.target.clone(), &job.engine, workload)
        };
        let mut jobs = Vec::new();
        for job in &group.jobs {
            let number = seen
                .entry(&job.name)
                .and_modify(|number| *number += 1)
                .or_insert(1);
            let clones = entries
                .get(&job.name)
                .is_some_and(|entries| *entries > job.entries);
            let name = if clones {
                format!("{} {number}", job.name)
            } else {
                job.name.clone()
            };
            jobs.push(planned(job, if several { name } else { String::new() }));
        }
        jobs
    });
    let runtime_ms = group.runtime_ms();
    if runtime_ms > 0.0 && runtime_ms < SHORT_MS {
        builder.doubt(
            Statement::new("fio-short-job")
                .name("name", name)
                .time_ns("time", runtime_ms * 1e6),
        );
    }
    let span = builder.execution(step, runtime_ms / 1e3);
    for (number, job) in group.jobs.into_iter().enumerate() {
        doubts_of(builder, &job, workers(&job, &entries));
        add_job(builder, span, number as u32, job);
    }
    (span, names_all)
}

/// A single entry for several requested jobs is their sum (`group_reporting`).
fn workers(job: &Job, entries: &BTreeMap<String, u32>) -> u32 {
    let alone = entries.get(&job.name).copied().unwrap_or(1) <= 1;
    if alone {
        job.requested_jobs
    } else {
        job.entries
    }
}

/// No operations of this kind.
fn nothing(kind: OperationKind) -> KindTick {
    KindTick {
        kind,
        count: 0,
        bytes: 0,
        errors: BTreeMap::new(),
        service: empty(),
        response: None,
        split: None,
        priorities: Vec::new(),
    }
}

fn add_job(builder: &mut RunBuilder, span: Span, number: u32, mut job: Job) {
    let runtime_ms = job.runtime_ms();
    let of_job = Span {
        end_ns: span
            .end_ns
            .min(span.start_ns.saturating_add((runtime_ms * 1e6) as u64)),
        ..span
    };
    let mut kinds = Vec::new();
    let mut reported = Vec::new();
    for (kind, mut work) in std::mem::take(&mut job.work) {
        let differs = (work.runtime_ms - runtime_ms).abs() > RUNTIME_TOLERANCE * runtime_ms;
        if differs {
            builder.doubt(
                Statement::new("fio-directions-took-different-times").name("name", &job.name),
            );
        }
        reported.push(stated_of(kind, &work, differs));
        // Flushes that fio did not count have times, but no rate.
        if let Some(kind) = kind.filter(|_| work.count > 0) {
            let service = work.clat.bins.0.take().map_or_else(empty, |bins| *bins);
            let response = work.lat.bins.0.take().map(|bins| *bins);
            kinds.push(KindTick {
                count: work.count,
                bytes: work.bytes,
                service,
                response,
                ..nothing(kind)
            });
        }
    }
    if job.errors > 0 {
        let kind = job
            .workload
            .mix
            .0
            .first()
            .map_or(OperationKind::Read, |(kind, _)| *kind);
        if kinds.is_empty() {
            kinds.push(nothing(kind));
        }
        if let Some(first) = kinds.first_mut() {
            first.errors.insert(error_name(job.error), job.errors);
        }
    }
    let several = job.workers.len() > 1;
    let worker = |(worker, (operations, bytes)): (usize, (u64, u64))| WorkerTick {
        worker: worker as u32,
        operations,
        bytes,
        ..WorkerTick::default()
    };
    let workers = if several {
        std::mem::take(&mut job.workers)
            .into_iter()
            .enumerate()
            .map(worker)
            .collect()
    } else {
        only_worker(&job, runtime_ms).into_iter().collect()
    };
    builder.run().ticks.push(Tick {
        execution: span.execution,
        job: number,
        phase: Phase::Measure,
        start_ns: of_job.start_ns,
        end_ns: of_job.end_ns,
        kinds,
        lateness: None,
        backlog: None,
        workers,
        ranks: None,
    });
    reported
        .into_iter()
        .filter(|reported| {
            *reported
                != Reported {
                    kind: reported.kind,
                    ..Reported::default()
                }
        })
        .for_each(|of| builder.reported(of_job, number, of));
    builder.reported(
        of_job,
        number,
        Reported {
            figures: job_figures(&job),
            ..Reported::default()
        },
    );
}

/// The worker of a job with one process, with its CPU time: fio reports it in percent of the job's runtime. For several processes it reports only the mean.
fn only_worker(job: &Job, runtime_ms: f64) -> Option<WorkerTick> {
    let time_ns = |percent: Option<f64>| {
        percent
            .filter(|percent| (0.0..=100.0).contains(percent))
            .map(|percent| (percent * runtime_ms * 1e4) as u64)
    };
    let (operations, bytes) = job
        .workers
        .first()
        .copied()
        .filter(|_| job.entries == 1 && job.requested_jobs == 1)?;
    let (user, system) = (time_ns(job.usr_cpu)?, time_ns(job.sys_cpu)?);
    Some(WorkerTick {
        operations,
        bytes,
        cpu_user_ns: Some(user),
        cpu_system_ns: Some(system),
        ..WorkerTick::default()
    })
}

/// An empty histogram that uses little memory.
fn empty() -> plumb_model::run::histogram::Histogram {
    let mut empty = plumb_model::run::histogram::Histogram::default();
    empty.shrink();
    empty
}

/// What ticks cannot hold: exact minima, maxima and means, percentiles without buckets, rates if the direction's time differs from the tick's.
fn stated_of(kind: Option<OperationKind>, work: &Work, own_rates: bool) -> Reported {
    let own_rates = own_rates || kind.is_none();
    let mut figures = times_figures("slat", &work.slat);
    let response = (distributed(&work.lat) || !distributed(&work.clat))
        .then(|| latency(&work.lat))
        .flatten();
    if response.is_none() {
        figures.extend(times_figures("lat", &work.lat));
    }
    if kind.is_none() {
        figures.push(figure("operations", work.count as f64, ""));
        figures.push(figure("bytes", work.bytes as f64, "B"));
    }
    if work.short > 0 {
        figures.push(figure("short operations", work.short as f64, ""));
    }
    if let Some((min, max, deviation)) = work.samples {
        figures.push(figure("iops_min", min, "operations/s"));
        figures.push(figure("iops_max", max, "operations/s"));
        figures.push(figure("iops_stddev", deviation, "operations/s"));
    }
    let known = |value: f64| (own_rates && value > 0.0).then_some(value);
    Reported {
        kind,
        iops: known(work.iops),
        bandwidth_bytes_per_s: known(work.bandwidth_bytes_per_s),
        response,
        service: latency(&work.clat),
        figures,
    }
}

fn latency(times: &Times) -> Option<ReportedLatency> {
    if times.is_empty() {
        return None;
    }
    Some(ReportedLatency {
        count: times.count.positive().map(|count| count as u64),
        min_ns: times.min.0,
        mean_ns: times.mean.0,
        standard_deviation_ns: times.deviation.0,
        max_ns: times.max.0,
        quantiles_ns: if times.bins.0.is_some() {
            Vec::new()
        } else {
            times.percentiles.0.clone()
        },
    })
}

fn figure(name: &str, value: f64, unit: &str) -> ReportedFigure {
    ReportedFigure {
        name: name.into(),
        value,
        unit: unit.into(),
    }
}

fn times_figures(name: &str, times: &Times) -> Vec<ReportedFigure> {
    let reported_times = [("mean", times.mean.0), ("max", times.max.0)];
    let known = reported_times.into_iter().filter(|_| !times.is_empty());
    known
        .filter_map(|(what, value)| {
            value.map(|value| figure(&format!("{name} {what}"), value, "ns"))
        })
        .collect()
}

/// CPU of the threads of a job in percent of one CPU, and kernel counters of these threads. For clones, percentages are means and counts are sums.
fn job_figures(job: &Job) -> Vec<ReportedFigure> {
    let entries = f64::from(job.entries.max(1));
    let reported = [
        ("usr_cpu", job.usr_cpu.map(|percent| percent / entries), "%"),
        ("sys_cpu", job.sys_cpu.map(|percent| percent / entries), "%"),
        ("context switches", job.context_switches, ""),
        ("major page faults", job.major_faults, ""),
        ("minor page faults", job.minor_faults, ""),
    ];
    let mut figures: Vec<ReportedFigure> = reported
        .into_iter()
        .filter_map(|(name, value, unit)| value.map(|value| figure(name, value, unit)))
        .collect();
    if let Some((criterion, attained)) = &job.steady {
        figures.push(figure(
            &format!("steady state attained ({criterion})"),
            f64::from(u8::from(*attained)),
            "",
        ));
    }
    figures
}

/// The disks over the full run, as the kernel counted them.
fn disk_figures(document: &Document) -> Vec<ReportedFigure> {
    let of = |disk: &super::format::Disk| {
        let reported = [
            ("util", disk.util_percent.0, "%"),
            ("reads", disk.read_ios.0, ""),
            ("writes", disk.write_ios.0, ""),
            ("time in queue", disk.in_queue_ms.0.map(|ms| ms * 1e6), "ns"),
        ];
        let name = &disk.name.0;
        reported.map(|(what, value, unit)| {
            value.map(|value| figure(&format!("disk {name}: {what} (whole run)"), value, unit))
        })
    };
    document.disks.iter().flat_map(of).flatten().collect()
}
