//! What is in fio's normal output for a run? A line for each job before the start, a block for each job after the end, then groups and disks.

use std::fmt::Write as _;

use plumb_model::workload::FioVersion;

use super::depths;
use super::entry::{Entry, ReportOptions};
use super::groups::{Group, Sum, group_of, groups};
use super::latency::{Scale, deviation_ns, distribution, percentiles};
use super::measured::{Direction, Measured, OfPriority, Times};
use super::report::Report;
use super::scaled::{bandwidths, binary, count, decimal, latency_line};
use super::steadystate;
use super::verdicts::{self, Disk, JobError};
use crate::importer::date::calendar;

const NAMES: [&str; 3] = ["read", "write", "trim"];
const GROUP_NAMES: [&str; 3] = ["   READ", "  WRITE", "   TRIM"];
/// Longest line of percentiles.
const LINE_WIDTH: usize = 80 - 7;

/// The first lines: the jobs as requested.
pub fn header(
    entries: &[Entry],
    global: &[(String, String)],
    version: &str,
    processes: u32,
) -> String {
    let mut out = String::new();
    for entry in entries {
        // The processes of a job that are not reported together have an entry each.
        match entry.parts.first().and_then(|part| part.worker) {
            None | Some(0) => {}
            Some(1) => {
                out.push_str("...\n");
                continue;
            }
            Some(_) => continue,
        }
        let of = |name: &str, otherwise: &'static str| {
            let value = entry.option(name, global);
            value.unwrap_or(otherwise).to_string()
        };
        // Without the increment of `rw=read:4k`.
        let rw = of("rw", "read");
        let rw = match rw.split(':').next() {
            Some("readwrite") => "rw",
            Some(word) => word,
            None => "read",
        };
        let _ = writeln!(
            out,
            "{}: (g={}): rw={}, {}, ioengine={}, iodepth={}",
            entry.name,
            entry.group,
            rw,
            entry.blocks,
            of("ioengine", "psync"),
            of("iodepth", "1"),
        );
        if entry.members > 1 {
            out.push_str("...\n");
        }
    }
    let _ = writeln!(out, "{version}");
    let threads = entries.iter().filter(|entry| {
        let asked = entry.option("thread", global);
        asked.is_some_and(|value| value != "0")
    });
    let threads: u32 = threads.map(|entry| entry.members).sum();
    let some = |number: u32, word: &str, more: &str| {
        let plural = if number == 1 { "" } else { more };
        (number > 0).then(|| format!("{number} {word}{plural}"))
    };
    let started = [
        some(threads, "thread", "s"),
        some(processes - threads.min(processes), "process", "es"),
    ];
    let started: Vec<String> = started.into_iter().flatten().collect();
    let _ = writeln!(out, "Starting {}", started.join(" and "));
    out
}

/// All that fio prints at the end.
pub fn blocks(report: &Report<'_>) -> String {
    let measured = report.measured();
    let groups = groups(&measured);
    let mut out = String::from("\n");
    for (entry, of) in &measured {
        if let Some(group) = group_of(&groups, entry) {
            block(report, entry, of, group, &mut out);
        }
    }
    groups.iter().for_each(|group| group_lines(group, &mut out));
    let disks = report.disks();
    if !disks.is_empty() {
        out.push_str("\nDisk stats (read/write):\n");
        let with_sectors = report.fio_version >= FioVersion::V3At42;
        let lines = disks.iter().map(|disk| disk_line(disk, with_sectors));
        out.extend(lines);
    }
    out
}

/// The block of one job; empty for a job without operations, failed ones among them.
fn block(report: &Report<'_>, entry: &Entry, of: &Measured, group: &Group, out: &mut String) {
    if !of.has_tried() {
        return;
    }
    let ended = report.error(entry);
    let why = if ended.number == 0 {
        String::new()
    } else {
        format!(" ({})", ended.text)
    };
    let when = of.end_ns.map_or_else(String::new, calendar);
    let _ = writeln!(
        out,
        "{}: (groupid={}, jobs={}): err={:2}{why}: pid={}: {when}",
        entry.name,
        entry.group,
        entry.members,
        ended.number,
        std::process::id(),
    );
    if let Some(description) = &entry.description {
        let _ = writeln!(out, "  Description  : [{description}]");
    }
    let options = (&entry.report_options, report.fio_version);
    if entry.report_options.is_mixed {
        direction("mixed", &verdicts::mixed(of), &group.sums[0], options, out);
    } else {
        for ((name, direction_of), sum) in NAMES.iter().zip(&of.directions).zip(&group.sums) {
            direction(name, direction_of, sum, options, out);
        }
    }
    if let Some([ns, us, ms]) = distribution(&of.all).filter(|_| entry.report_options.total) {
        scale("nsec", &ns, out);
        scale("usec", &us, out);
        scale("msec", &ms, out);
    }
    if let Some(flushes) = of.flushes.as_ref().filter(|flushes| flushes.count > 0) {
        out.push_str(match report.fio_version {
            FioVersion::V3At33 => "  fsync/fdatasync/sync_file_range:\n",
            FioVersion::V3At42 => "  fsync/fdatasync/sync_file_range/syncfs:\n",
        });
        times("sync", &flushes.completion, out);
        percentile_lines(
            "sync",
            &flushes.completion,
            &entry.report_options.percentiles,
            out,
        );
    }
    let totals = entry
        .counts_errors
        .then(|| verdicts::error_totals(of, &ended));
    ends(
        (of, report.fio_version),
        report.depth(entry, of),
        totals,
        out,
    );
    if let Some(found) = report.steadystate(entry) {
        let _ = writeln!(out, "{}", steadystate::line(&found));
    }
}

/// Lines of a job besides its directions. What was not measured has no line.
fn ends(
    (of, fio_version): (&Measured, FioVersion),
    depth: u64,
    errors: Option<(u64, JobError)>,
    out: &mut String,
) {
    let mut cpu = Vec::new();
    cpu.extend(of.user_percent.map(|percent| format!("usr={percent:.2}%")));
    cpu.extend(
        of.system_percent
            .map(|percent| format!("sys={percent:.2}%")),
    );
    cpu.extend(of.switches.map(|switches| format!("ctx={switches}")));
    cpu.extend(of.major_faults.map(|faults| format!("majf={faults}")));
    cpu.extend(of.minor_faults.map(|faults| format!("minf={faults}")));
    if !cpu.is_empty() {
        let _ = writeln!(out, "  cpu          : {}", cpu.join(", "));
    }
    for (name, ends, shares) in [
        (
            "  IO depths    ",
            depths::IN_FLIGHT,
            depths::in_flight(&of.levels.in_flight),
        ),
        (
            "     submit    ",
            depths::AT_ONCE,
            depths::at_once(&of.levels.submitted),
        ),
        (
            "     complete  ",
            depths::AT_ONCE,
            depths::at_once(&of.levels.completed),
        ),
    ] {
        if let Some(shares) = shares {
            let parts = ends.iter().zip(shares);
            let parts: Vec<String> = parts
                .map(|(end, share)| format!("{end}={share:.1}%"))
                .collect();
            let _ = writeln!(out, "{name}: {}", parts.join(", "));
        }
    }
    let [reads, writes, trims] = &of.directions;
    let flushes = of.flushes.as_ref().map_or(0, |flushes| flushes.count);
    let _ = writeln!(
        out,
        "     issued rwts: total={},{},{},{flushes} short={},{},{},0 dropped={},{},{},0",
        reads.count,
        writes.count,
        trims.count,
        reads.short,
        writes.short,
        trims.short,
        reads.dropped,
        writes.dropped,
        trims.dropped
    );
    if let Some((total, first)) = errors {
        let _ = writeln!(
            out,
            "     errors    : total={total}, first_error={}/<{}>",
            first.number, first.text
        );
    }
    let [target, window] = match fio_version {
        FioVersion::V3At33 => {
            [of.latency_target_ns, of.latency_window_us].map(|time| time.to_string())
        }
        FioVersion::V3At42 => [of.latency_target_ns, of.latency_window_us * 1000].map(in_unit),
    };
    let _ = writeln!(
        out,
        "     latency   : target={target}, window={window}, percentile={:.2}%, depth={depth}",
        of.latency_percentile
    );
}

/// A time in the smallest unit that has it below 2000.
fn in_unit(ns: u64) -> String {
    let mut value = ns as f64;
    for unit in ["ns", "us", "ms"] {
        if value < 2000.0 {
            return format!("{value:.2}{unit}");
        }
        value /= 1000.0;
    }
    format!("{value:.2}s")
}

/// Reads, writes or trims of one job.
fn direction(
    name: &str,
    of: &Direction,
    sum: &Sum,
    (report_options, fio_version): (&ReportOptions, FioVersion),
    out: &mut String,
) {
    if !of.is_used() {
        return;
    }
    let rate = of.bytes_per_s.unwrap_or(0.0);
    let resets = if name == "write" && fio_version == FioVersion::V3At33 {
        "; 0 zone resets"
    } else {
        ""
    };
    let [rate, rate_decimal] = bandwidths(rate, report_options.in_bits);
    let _ = writeln!(
        out,
        "  {name}: IOPS={}, BW={rate} ({rate_decimal})({}/{}msec){resets}",
        count(of.iops.unwrap_or(0.0)),
        binary(of.bytes as f64),
        of.runtime_ms(),
    );
    if report_options.submission {
        times("slat", &of.submission, out);
    }
    if report_options.completion {
        times("clat", &of.completion, out);
    }
    if report_options.total {
        times(" lat", &of.total, out);
    }
    let priorities = of.by_priority();
    let (word, of_priority): (&str, fn(&OfPriority) -> &Times) = match report_options.of_total {
        true => (" lat", |of| &of.total),
        false => ("clat", |of| &of.completion),
    };
    for priority in &priorities {
        let name = format!("{word} prio {}/{}", priority.class, priority.level);
        times(&name, of_priority(priority), out);
    }
    if report_options.of_submission && report_options.submission {
        percentile_lines("slat", &of.submission, &report_options.percentiles, out);
    }
    if report_options.of_completion && report_options.completion {
        percentile_lines("clat", &of.completion, &report_options.percentiles, out);
    }
    if report_options.of_total && report_options.total {
        percentile_lines("lat", &of.total, &report_options.percentiles, out);
    }
    if report_options.of_completion || report_options.of_total {
        for priority in &priorities {
            let (times, word) = (of_priority(priority), word.trim_start());
            let OfPriority { class, level, .. } = priority;
            let share = 100.0 * times.figures.count as f64 / of.count.max(1) as f64;
            let name = format!("{word} prio {class}/{level} ({share:.2}% of IOs)");
            percentile_lines(&name, times, &report_options.percentiles, out);
        }
    }
    if report_options.rates && of.kib_samples.count > 0 {
        rates(of, sum, out);
    }
}

fn rates(of: &Direction, sum: &Sum, out: &mut String) {
    let kib = &of.kib_samples;
    let (unit, divisor) = if kib.mean > 1024.0 * 1024.0 {
        ("MiB", 1024.0)
    } else {
        ("KiB", 1.0)
    };
    let _ = writeln!(
        out,
        "   bw ({unit:>5}/s): min={:5}, max={:5}, per={:.2}%, avg={:5.2}, stdev={:5.2}, samples={}",
        (kib.min / divisor) as u64,
        (kib.max / divisor) as u64,
        sum.share(of),
        kib.mean / divisor,
        kib.deviation / divisor,
        kib.count
    );
    let iops = &of.iops_samples;
    let _ = writeln!(
        out,
        "   iops        : min={:5}, max={:5}, avg={:5.2}, stdev={:5.2}, samples={}",
        iops.min as u64, iops.max as u64, iops.mean, iops.deviation, iops.count
    );
}

/// The line of a latency. None if a part of it is unknown.
fn times(name: &str, of: &Times, out: &mut String) {
    let figures = &of.figures;
    if let (Some(min), Some(max), Some(mean), Some(deviation)) = (
        figures.min,
        figures.max,
        figures.mean,
        deviation_ns(&of.histogram),
    ) {
        out.push_str(&latency_line(name, [min, max, mean, deviation]));
    }
}

fn percentile_lines(name: &str, of: &Times, percents: &[f64], out: &mut String) {
    let found = percentiles(of, percents);
    let (Some(least), Some(most)) = (
        found.iter().map(|(_, ns)| *ns).min(),
        found.iter().map(|(_, ns)| *ns).max(),
    ) else {
        return;
    };
    let (unit, divisor) = if least > 2_000_000 && most > 99_999_999 {
        ("msec", 1_000_000)
    } else if least > 2_000 && most > 99_999 {
        ("usec", 1_000)
    } else {
        ("nsec", 1)
    };
    let width = (most / divisor).to_string().len().max(5);
    let in_a_line = LINE_WIDTH / (2 + 10 + width);
    let _ = write!(out, "    {name} percentiles ({unit}):\n     |");
    for (index, (percent, ns)) in found.iter().enumerate() {
        if index > 0 && index % in_a_line == 0 {
            out.push_str("\n     |");
        }
        let end = if index + 1 < found.len() { "," } else { "\n" };
        let _ = write!(
            out,
            " {percent:5.2}th=[{:width$}]{end}",
            ns.div_ceil(divisor)
        );
    }
}

/// Shares on a scale, five per line.
fn scale(unit: &str, shares: &Scale, out: &mut String) {
    let some: Vec<String> = shares
        .iter()
        .filter(|(_, share)| *share > 0.0)
        .map(|(end, share)| format!("{end}={:.2}%", share.max(0.01)))
        .collect();
    for line in some.chunks(5) {
        let _ = writeln!(out, "  lat ({unit})   : {}", line.join(", "));
    }
}

fn group_lines(group: &Group, out: &mut String) {
    let _ = writeln!(out, "\nRun status group {} (all jobs):", group.number);
    for (name, sum) in GROUP_NAMES.iter().zip(&group.sums) {
        if sum.most_ms == 0 {
            continue;
        }
        let name = if group.is_mixed { "  MIXED" } else { name };
        let of = |rate: f64| bandwidths(rate, group.in_bits);
        let [all, all_decimal] = of(sum.rate());
        let ([least, least_decimal], [most, most_decimal]) =
            (of(sum.least_rate), of(sum.most_rate));
        let _ = writeln!(
            out,
            "{name}: bw={all} ({all_decimal}), {least}-{most} ({least_decimal}-{most_decimal}), io={} ({}), run={}-{}msec",
            binary(sum.bytes as f64),
            decimal(sum.bytes as f64),
            sum.least_ms,
            sum.most_ms
        );
    }
}

/// What the system does not count is left out.
fn disk_line(disk: &Disk, with_sectors: bool) -> String {
    let mut parts = Vec::new();
    let mut pair = |name: &str, read: Option<u64>, write: Option<u64>| {
        parts.extend(
            read.zip(write)
                .map(|(read, write)| format!("{name}={read}/{write}")),
        );
    };
    pair("ios", disk.reads, disk.writes);
    if with_sectors {
        pair("sectors", disk.read_sectors, disk.write_sectors);
    }
    pair("merge", disk.read_merges, disk.write_merges);
    pair("ticks", disk.read_ms, disk.write_ms);
    parts.extend(disk.queue_ms.map(|ms| format!("in_queue={ms}")));
    parts.extend(
        disk.busy_percent
            .map(|percent| format!("util={percent:.2}%")),
    );
    format!("  {}: {}\n", disk.name, parts.join(", "))
}
