//! What does fio's JSON say of a run? One document, one object for each job; JSON+ with the buckets of latencies.

use plumb_model::run::tick::Tick;

use super::depths;
use super::entry::{Entry, Wanted};
use super::groups::{Sum, group_of, groups};
use super::latency::{distribution, latency};
use super::measured::{Direction, Measured, Times, job_of};
use super::node::{Node, Object, text};
use super::report::{Report, version};
use super::steadystate::steadystate;
use super::verdicts::{self, Disk};
use crate::exporter::fio::DIRECTIONS;
use crate::importer::date::calendar;

/// The document, and with `plus` its buckets. fio stamps its results with the time at which it wrote them.
pub fn document(report: &Report<'_>, plus: bool) -> String {
    let measured = report.measured();
    let header = &report.subject.run.header;
    let mut document = Object::default();
    document.put("fio version", version(&header.plumb_version).as_str());
    // An imported run need not say when it began: then these are left out.
    if let Some(end_ns) = measured
        .iter()
        .filter_map(|(_, measured)| measured.end_ns)
        .max()
    {
        document.put("timestamp", end_ns / 1_000_000_000);
        document.put("timestamp_ms", end_ns / 1_000_000);
        document.put("time", calendar(end_ns).as_str());
    }
    if !report.global.is_empty() {
        document.put("global options", options(&report.global));
    }
    let groups = groups(&measured);
    let jobs = measured.iter().map(|(entry, measured)| {
        let sums = group_of(&groups, entry)
            .map(|group| group.sums)
            .unwrap_or_default();
        Node::from(job(report, entry, (measured, &sums), plus))
    });
    document.put("jobs", Node::List(jobs.collect()));
    let disks = verdicts::disks(report.subject).iter().map(disk).collect();
    document.put("disk_util", Node::List(disks));
    text(&document)
}

fn options(given: &[(String, String)]) -> Object {
    let mut out = Object::default();
    for (name, value) in given {
        out.0.retain(|(known, _)| known != name);
        out.put(name, value.as_str());
    }
    out
}

/// A job of fio: with `group_reporting` all members together.
fn job(
    report: &Report<'_>,
    entry: &Entry,
    (measured, sums): (&Measured, &[Sum; 3]),
    plus: bool,
) -> Object {
    let mut out = Object::default();
    out.put("jobname", entry.name.as_str());
    out.put("groupid", u64::from(entry.group));
    if let Some(start_ns) = measured.start_ns {
        out.put("job_start", start_ns / 1_000_000);
    }
    out.put("error", u64::from(report.error(entry).number));
    out.put("eta", 0u64);
    let elapsed_ns = measured
        .end_ns
        .zip(measured.start_ns)
        .map_or(measured.runtime_ms * 1_000_000, |(end, start)| {
            end.saturating_sub(start)
        });
    out.put("elapsed", elapsed_ns.div_ceil(1_000_000_000));
    out.put("job options", options(&entry.options));
    let wanted = &entry.wanted;
    if wanted.is_mixed {
        out.put(
            "mixed",
            direction(&verdicts::mixed(measured), &sums[0], wanted, plus),
        );
    } else {
        for (((_, word), of), sum) in DIRECTIONS.iter().zip(&measured.directions).zip(sums) {
            out.put(word, direction(of, sum, wanted, plus));
        }
    }
    let none = Direction::default();
    let flushes = measured.flushes.as_ref().unwrap_or(&none);
    let mut sync = Object::default();
    sync.put("total_ios", flushes.count);
    sync.put(
        "lat_ns",
        latency(&flushes.completion, Some(&wanted.percentiles), plus),
    );
    out.put("sync", sync);
    out.put("job_runtime", measured.runtime_ms);
    out.put("usr_cpu", measured.user_percent);
    out.put("sys_cpu", measured.system_percent);
    if let Some(switches) = measured.switches {
        out.put("ctx", switches);
    }
    for (name, faults) in [
        ("majf", measured.major_faults),
        ("minf", measured.minor_faults),
    ] {
        if let Some(faults) = faults {
            out.put(name, faults);
        }
    }
    put_levels(measured, &mut out);
    put_scales(measured, &mut out);
    put_goals(measured, &mut out);
    if let Some(description) = &entry.description {
        out.put("desc", description.as_str());
    }
    if let Some(found) = steady(report, entry) {
        out.put("steadystate", found);
    }
    out
}

/// How deep the queues were; left out where it was not counted.
fn put_levels(measured: &Measured, out: &mut Object) {
    let levels = &measured.levels;
    for (name, ends, shares) in [
        (
            "iodepth_level",
            depths::IN_FLIGHT,
            depths::in_flight(&levels.in_flight),
        ),
        (
            "iodepth_submit",
            depths::AT_ONCE,
            depths::at_once(&levels.submitted),
        ),
        (
            "iodepth_complete",
            depths::AT_ONCE,
            depths::at_once(&levels.completed),
        ),
    ] {
        if let Some(shares) = shares {
            let pairs = ends.iter().zip(shares);
            let pairs = pairs.map(|(end, share)| (end.to_string(), Node::Real(share)));
            out.put(name, Object(pairs.collect()));
        }
    }
}

/// Shares of latencies by coarse scales. Null for a run without histograms.
fn put_scales(measured: &Measured, out: &mut Object) {
    let scales = distribution(&measured.all);
    for (place, name) in ["latency_ns", "latency_us", "latency_ms"]
        .into_iter()
        .enumerate()
    {
        let scale = scales.as_ref().map(|scales| {
            let pairs = scales[place]
                .iter()
                .map(|(end, share)| (end.clone(), Node::Real(*share)));
            Object(pairs.collect())
        });
        out.put(name, scale);
    }
}

/// The depth, and the latency that was to be kept.
fn put_goals(measured: &Measured, out: &mut Object) {
    out.put("latency_depth", u64::from(measured.depth));
    out.put("latency_target", measured.latency_target_ns);
    out.put("latency_target_ns", measured.latency_target_ns);
    out.put("latency_percentile", measured.latency_percentile);
    out.put("latency_window", measured.latency_window_us);
    out.put("latency_window_us", measured.latency_window_us);
}

/// One of read, write and trim. A direction that did nothing has what fio writes then: no operations, and zeros for their times with N = 0.
fn direction(of: &Direction, sum: &Sum, wanted: &Wanted, plus: bool) -> Object {
    let is_used = of.is_used();
    let mut out = Object::default();
    let rate = |rate: Option<f64>| rate.or((!is_used).then_some(0.0));
    out.put("io_bytes", of.bytes);
    out.put("io_kbytes", of.bytes / 1024);
    out.put(
        "bw_bytes",
        rate(of.bytes_per_s).map(|rate| rate.round() as u64),
    );
    out.put(
        "bw",
        rate(of.bytes_per_s).map(|rate| (rate / 1024.0).round() as u64),
    );
    out.put("iops", rate(of.iops));
    out.put("runtime", of.runtime_ms());
    out.put("total_ios", of.count);
    out.put("short_ios", of.short);
    out.put("drop_ios", 0u64);
    let asked = |is_asked: bool| is_asked.then_some(wanted.percentiles.as_slice());
    let none = Times::default();
    // Where it was not measured, it is as fio writes it where it has none.
    let submission = if wanted.submission {
        &of.submission
    } else {
        &none
    };
    out.put(
        "slat_ns",
        latency(submission, asked(wanted.of_submission), plus),
    );
    let completion = if wanted.completion {
        &of.completion
    } else {
        &none
    };
    out.put(
        "clat_ns",
        latency(completion, asked(wanted.of_completion), plus),
    );
    // fio's lat is the time from when an operation was made to its end; from when it was due is the nearest that plumb has, and the same in a closed loop.
    let total = if wanted.total { &of.total } else { &none };
    out.put("lat_ns", latency(total, asked(wanted.of_total), plus));
    let empty = Default::default();
    let (kib, iops) = match wanted.rates {
        true => (&of.kib_samples, &of.iops_samples),
        false => (&empty, &empty),
    };
    out.put("bw_min", kib.min.round() as u64);
    out.put("bw_max", kib.max.round() as u64);
    out.put("bw_agg", if kib.count > 0 { sum.share(of) } else { 0.0 });
    out.put("bw_mean", kib.mean);
    out.put("bw_dev", kib.deviation);
    out.put("bw_samples", kib.count as u64);
    out.put("iops_min", iops.min.round() as u64);
    out.put("iops_max", iops.max.round() as u64);
    out.put("iops_mean", iops.mean);
    out.put("iops_stddev", iops.deviation);
    out.put("iops_samples", iops.count as u64);
    out
}

fn steady(report: &Report<'_>, entry: &Entry) -> Option<Node> {
    let place = entry.places.first()?;
    let job = job_of(report.subject, place)?;
    let executions = entry.executions(report.subject, place);
    let summary = report.subject.summary;
    let step = summary
        .steps
        .iter()
        .find(|step| place.steps.contains(&step.step))?;
    let ticks: Vec<&Tick> = report
        .subject
        .run
        .ticks
        .iter()
        .filter(|tick| tick.job == place.job && executions.contains(&tick.execution))
        .collect();
    steadystate(job, step, &ticks).map(Node::from)
}

fn disk(of: &Disk) -> Node {
    let mut out = Object::default();
    out.put("name", of.name.as_str());
    for (key, value) in [
        ("read_ios", of.reads),
        ("write_ios", of.writes),
        ("read_sectors", of.read_sectors),
        ("write_sectors", of.write_sectors),
        ("read_merges", of.read_merges),
        ("write_merges", of.write_merges),
        ("read_ticks", of.read_ms),
        ("write_ticks", of.write_ms),
        ("in_queue", of.queue_ms),
    ] {
        // What the system does not count is left out.
        if let Some(value) = value {
            out.put(key, value);
        }
    }
    if let Some(util) = of.busy_percent {
        out.put("util", util);
    }
    Node::from(out)
}
