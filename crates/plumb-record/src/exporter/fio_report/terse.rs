//! What is in fio's terse output for a run? One line for each job, with fields by position, in versions 2 to 5.

use std::fmt::Write as _;

use super::depths;
use super::entry::{Entry, ReportOptions};
use super::groups::{Sum, group_of, groups};
use super::latency::{deviation_ns, distribution, percentiles};
use super::measured::{Direction, Measured, Times};
use super::report::{Report, version};
use super::samples::Samples;
use super::verdicts::mixed;

/// Number of percentile fields, used or not.
const PERCENTILES: usize = 20;

/// One line for each job. What was not measured has the zeros that fio writes without samples, because positions are fixed.
pub fn lines(report: &Report<'_>, terse_version: u8) -> String {
    let measured = report.measured();
    let groups = groups(&measured);
    let mut out = String::new();
    for (entry, of) in &measured {
        let sums = group_of(&groups, entry)
            .map(|group| group.sums)
            .unwrap_or_default();
        line(report, entry, (of, &sums), terse_version, &mut out);
    }
    out
}

fn line(
    report: &Report<'_>,
    entry: &Entry,
    (of, sums): (&Measured, &[Sum; 3]),
    terse_version: u8,
    out: &mut String,
) {
    let plumb = version(report.fio_version, &report.subject.run.header.plumb_version);
    let name = entry.name.replace(';', ",");
    let number = report.error(entry).number;
    let group = entry.group;
    let _ = match terse_version {
        2 => write!(out, "2;{name};{group};{number}"),
        _ => write!(out, "{terse_version};{plumb};{name};{group};{number}"),
    };
    let reported_directions = if entry.report_options.is_mixed {
        vec![(mixed(of), sums[0])]
    } else {
        let directions = if terse_version == 3 { 2 } else { 3 };
        of.directions
            .iter()
            .cloned()
            .zip(sums.iter().copied())
            .take(directions)
            .collect()
    };
    for (of, sum) in &reported_directions {
        direction(of, sum, &entry.report_options, terse_version, out);
    }
    let _ = write!(
        out,
        ";{:.6}%;{:.6}%;{};{};{}",
        of.user_percent.unwrap_or(0.0),
        of.system_percent.unwrap_or(0.0),
        of.switches.unwrap_or(0),
        of.major_faults.unwrap_or(0),
        of.minor_faults.unwrap_or(0)
    );
    for share in depths::in_flight(&of.levels.in_flight).unwrap_or_default() {
        let _ = write!(out, ";{share:.1}%");
    }
    scales(of, out);
    if terse_version >= 3 {
        for disk in report.disks() {
            let count = |value: Option<u64>| value.unwrap_or(0);
            let _ = write!(
                out,
                ";{};{};{};{};{};{};{};{};{:.2}%",
                disk.name,
                count(disk.reads),
                count(disk.writes),
                count(disk.read_merges),
                count(disk.write_merges),
                count(disk.read_ms),
                count(disk.write_ms),
                count(disk.queue_ms),
                disk.busy_percent.unwrap_or(0.0)
            );
        }
    }
    if let Some(description) = &entry.description {
        if terse_version == 2 {
            out.push('\n');
        }
        let _ = write!(out, ";{description}");
    }
    out.push('\n');
}

/// Microseconds, everything below one in the first field, and milliseconds.
fn scales(of: &Measured, out: &mut String) {
    match distribution(&of.all) {
        Some([ns, mut us, ms]) => {
            us[0].1 += ns.iter().map(|(_, share)| share).sum::<f64>();
            for (_, share) in us.iter().chain(&ms) {
                let _ = write!(out, ";{share:.2}%");
            }
        }
        None => out.push_str(&";0.00%".repeat(22)),
    }
}

fn direction(
    of: &Direction,
    sum: &Sum,
    report_options: &ReportOptions,
    terse_version: u8,
    out: &mut String,
) {
    let _ = write!(
        out,
        ";{};{};{};{}",
        of.bytes >> 10,
        (of.bytes_per_s.unwrap_or(0.0) / 1024.0) as u64,
        of.iops.unwrap_or(0.0) as u64,
        of.runtime_ms()
    );
    let none = Times::default();
    let submission = if report_options.submission {
        &of.submission
    } else {
        &none
    };
    times(submission, out);
    let completion = if report_options.completion {
        &of.completion
    } else {
        &none
    };
    let total = if report_options.total {
        &of.total
    } else {
        &none
    };
    times(completion, out);
    let found = if report_options.of_total {
        percentiles(total, &report_options.percentiles)
    } else if report_options.of_completion {
        percentiles(completion, &report_options.percentiles)
    } else {
        Vec::new()
    };
    for index in 0..PERCENTILES {
        let _ = match (found.get(index), report_options.percentiles.get(index)) {
            (Some((percent, ns)), _) => write!(out, ";{percent:.6}%={}", ns / 1000),
            (None, Some(percent)) if report_options.of_total || report_options.of_completion => {
                write!(out, ";{percent:.6}%=0")
            }
            _ => write!(out, ";0%=0"),
        };
    }
    times(total, out);
    let none = Samples::default();
    let (kib, iops) = if report_options.rates {
        (&of.kib_samples, &of.iops_samples)
    } else {
        (&none, &none)
    };
    let share = if kib.count > 0 { sum.share(of) } else { 0.0 };
    let _ = write!(
        out,
        ";{};{};{share:.6}%;{:.6};{:.6}",
        kib.min as u64, kib.max as u64, kib.mean, kib.deviation
    );
    if terse_version == 5 {
        let _ = write!(
            out,
            ";{};{};{};{:.6};{:.6};{}",
            kib.count, iops.min as u64, iops.max as u64, iops.mean, iops.deviation, iops.count
        );
    }
}

/// Minimum, maximum, mean and deviation in microseconds.
fn times(of: &Times, out: &mut String) {
    let figures = &of.figures;
    let us = |ns: Option<f64>| ns.unwrap_or(0.0) / 1e3;
    let _ = write!(
        out,
        ";{};{};{:.6};{:.6}",
        us(figures.min) as u64,
        us(figures.max) as u64,
        us(figures.mean),
        us(deviation_ns(&of.histogram))
    );
}
