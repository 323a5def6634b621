//! What is in fio's JSON for a run? One document, one object for each job; JSON+ adds latency buckets.

use plumb_model::workload::FioVersion;

use super::depths;
use super::entry::{Entry, ReportOptions};
use super::groups::{Sum, group_of, groups};
use super::latency::{distribution, latency, no_distribution};
use super::measured::{Direction, Measured, Times};
use super::node::{Node, Object, text};
use super::report::{Report, version};
use super::verdicts::{self, Disk};
use crate::exporter::fio::DIRECTIONS;
use crate::importer::date::calendar;

/// The document; with `plus`, including latency buckets. fio stamps its results with the time at which it wrote them.
pub fn document(report: &Report<'_>, plus: bool) -> String {
    let measured = report.measured();
    let header = &report.subject.run.header;
    let mut document = Object::default();
    document.put(
        "fio version",
        version(report.fio_version, &header.plumb_version).as_str(),
    );
    // The start time of an imported run may be unknown: then these are left out.
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
        document.put("global options", options(report, &report.global));
    }
    let groups = groups(&measured);
    let jobs = measured.iter().map(|(entry, measured)| {
        let sums = group_of(&groups, entry)
            .map(|group| group.sums)
            .unwrap_or_default();
        Node::from(job(report, entry, (measured, &sums), plus))
    });
    document.put("jobs", Node::List(jobs.collect()));
    let disks = report.disks().iter().map(disk).collect();
    document.put("disk_util", Node::List(disks));
    text(&document)
}

/// fio 3.33 leaves out flags without a value.
fn options(report: &Report<'_>, given: &[(String, String)]) -> Object {
    let mut out = Object::default();
    let has_flags = report.fio_version >= FioVersion::V3At42;
    let shown = given
        .iter()
        .filter(|(_, value)| has_flags || !value.is_empty());
    for (name, value) in shown {
        out.0.retain(|(known, _)| known != name);
        out.put(name, value.as_str());
    }
    out
}

/// A fio job; with `group_reporting` all members together.
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
    // What fio writes for a job that has ended.
    out.put("eta", u64::from(i32::MAX.unsigned_abs()));
    let elapsed_ns = measured
        .end_ns
        .zip(measured.start_ns)
        .map_or(measured.runtime_ms * 1_000_000, |(end, start)| {
            end.saturating_sub(start)
        });
    out.put("elapsed", elapsed_ns.div_ceil(1_000_000_000));
    out.put("job options", options(report, &entry.options));
    let report_options = &entry.report_options;
    if report_options.is_mixed {
        out.put(
            "mixed",
            direction(&verdicts::mixed(measured), &sums[0], report_options, plus),
        );
    } else {
        for (((_, word), of), sum) in DIRECTIONS.iter().zip(&measured.directions).zip(sums) {
            out.put(word, direction(of, sum, report_options, plus));
        }
    }
    let none = Direction::default();
    let flushes = measured.flushes.as_ref().unwrap_or(&none);
    let mut sync = Object::default();
    sync.put("total_ios", flushes.count);
    sync.put(
        "lat_ns",
        latency(&flushes.completion, Some(&report_options.percentiles), plus),
    );
    out.put("sync", sync);
    out.put("job_runtime", measured.runtime_ms);
    // A job that did nothing took no CPU.
    let idle = (!measured.has_tried() && !entry.parts.is_empty()).then_some(0.0);
    out.put("usr_cpu", measured.user_percent.or(idle));
    out.put("sys_cpu", measured.system_percent.or(idle));
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
    put_goals(measured, report.depth(entry, measured), &mut out);
    if entry.counts_errors {
        let ended = report.error(entry);
        let (total, first) = verdicts::error_totals(measured, &ended);
        out.put("total_err", total);
        out.put("first_error", u64::from(first.number));
    }
    if let Some(description) = &entry.description {
        out.put("desc", description.as_str());
    }
    if let Some(found) = report.steadystate(entry) {
        out.put("steadystate", Node::from(found));
    }
    out
}

/// Queue depth levels; left out if not counted.
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

/// Shares of latencies on coarse scales. Null for a run without histograms.
fn put_scales(measured: &Measured, out: &mut Object) {
    let scales = distribution(&measured.all).or_else(|| {
        let is_idle = !measured.directions.iter().any(Direction::is_used);
        is_idle.then(no_distribution)
    });
    for (index, name) in ["latency_ns", "latency_us", "latency_ms"]
        .into_iter()
        .enumerate()
    {
        let scale = scales.as_ref().map(|scales| {
            let pairs = scales[index]
                .iter()
                .map(|(end, share)| (end.clone(), Node::Real(*share)));
            Object(pairs.collect())
        });
        out.put(name, scale);
    }
}

/// The depth, and the latency target.
fn put_goals(measured: &Measured, depth: u64, out: &mut Object) {
    out.put("latency_depth", depth);
    out.put("latency_target", measured.latency_target_ns);
    out.put("latency_target_ns", measured.latency_target_ns);
    out.put("latency_percentile", measured.latency_percentile);
    out.put("latency_window", measured.latency_window_us);
    out.put("latency_window_us", measured.latency_window_us);
}

/// One of read, write and trim. A direction without operations has what fio writes then: zero operations, and zero times with N = 0.
fn direction(of: &Direction, sum: &Sum, report_options: &ReportOptions, plus: bool) -> Object {
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
    out.put("drop_ios", of.dropped);
    let percentiles_if = |is_shown: bool| is_shown.then_some(report_options.percentiles.as_slice());
    let none = Times::default();
    // If not measured, it has what fio writes when it has no samples.
    let submission = if report_options.submission {
        &of.submission
    } else {
        &none
    };
    out.put(
        "slat_ns",
        latency(
            submission,
            percentiles_if(report_options.of_submission),
            plus,
        ),
    );
    let completion = if report_options.completion {
        &of.completion
    } else {
        &none
    };
    out.put(
        "clat_ns",
        latency(
            completion,
            percentiles_if(report_options.of_completion),
            plus,
        ),
    );
    // fio's lat runs from the creation of an operation to its completion; the closest that plumb has is the time since it was due, which is the same in a closed loop.
    let total = if report_options.total {
        &of.total
    } else {
        &none
    };
    out.put(
        "lat_ns",
        latency(total, percentiles_if(report_options.of_total), plus),
    );
    put_priorities(of, report_options, plus, &mut out);
    let empty = Default::default();
    let (kib, iops) = match report_options.rates {
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

/// Times by I/O priority, where there are several: of completion, or of all if its percentiles are wanted.
fn put_priorities(of: &Direction, report_options: &ReportOptions, plus: bool, out: &mut Object) {
    let (is_total, is_completion) = (report_options.of_total, report_options.of_completion);
    let percentiles = report_options.percentiles.as_slice();
    let percentiles = (is_total || is_completion).then_some(percentiles);
    let all = of.by_priority().into_iter().map(|of| {
        let mut priority = Object::default();
        priority.put("prioclass", u64::from(of.class));
        priority.put("prio", u64::from(of.level));
        priority.put("priohint", 0u64);
        let (name, times) = match is_total {
            true => ("lat_ns", &of.total),
            false => ("clat_ns", &of.completion),
        };
        priority.put(name, latency(times, percentiles, plus));
        Node::from(priority)
    });
    let all: Vec<Node> = all.collect();
    if !all.is_empty() {
        out.put("prios", Node::List(all));
    }
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
