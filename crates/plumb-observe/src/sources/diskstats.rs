//! What did each block device do? Operations, bytes, times and queue from /proc/diskstats, or from FreeBSD's devstat.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{
    Area, Nothing, OneFile, Reader, Scope, Source, System, counter, gauge, push, report_missing,
    scaled,
};
use crate::system::IS_FREEBSD;
use crate::system::devstat::{DiskCounts, disk_counts};

/// Kernel document: Documentation/admin-guide/iostats.rst. One line for each device: major, minor, name, then the numbered fields below.
pub static SOURCE: Source = Source {
    name: "diskstats",
    system: System::LinuxAndFreeBsd,
    meaning: "counters of the block layer for each block device and partition (/proc/diskstats; FreeBSD: sysctl kern.devstat.all)",
    areas: &[Area::Disk],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 15] = [
    counter(
        "disk.reads",
        "operations",
        "reads completed (iostats.rst field 1)",
    ),
    counter(
        "disk.read_bytes",
        "bytes",
        "bytes read (field 3, in sectors of 512 bytes)",
    ),
    counter("disk.writes", "operations", "writes completed (field 5)"),
    counter(
        "disk.write_bytes",
        "bytes",
        "bytes written (field 7, in sectors of 512 bytes)",
    ),
    counter(
        "disk.read_time_ns",
        "ns",
        "total time of all reads, each from queueing to completion (field 4); counted in ms of 32 bits: wraps at 4294967296 ms",
    ),
    counter(
        "disk.write_time_ns",
        "ns",
        "total time of all writes (field 8); counted in ms of 32 bits: wraps at 4294967296 ms",
    ),
    gauge(
        "disk.in_flight",
        "operations",
        "operations issued to the driver and not yet completed (field 9)",
    ),
    counter(
        "disk.busy_ns",
        "ns",
        "time in which a request started, ended or was in flight, seen in steps of a jiffy (field 10): no measure of load for devices that serve requests in parallel; counted in ms of 32 bits: wraps at 4294967296 ms",
    ),
    counter(
        "disk.queue_time_ns",
        "ns",
        "operations in flight times time (field 11): its rate is the mean queue length; counted in ms of 32 bits: wraps at 4294967296 ms",
    ),
    counter(
        "disk.discards",
        "operations",
        "discards completed (field 12; kernel 4.18 or newer)",
    ),
    counter(
        "disk.discard_bytes",
        "bytes",
        "bytes discarded (field 14, in sectors of 512 bytes; kernel 4.18 or newer)",
    ),
    counter(
        "disk.flushes",
        "operations",
        "flush requests completed; counted for whole disks only (field 16; kernel 5.5 or newer)",
    ),
    counter(
        "disk.flush_time_ns",
        "ns",
        "total time of all flushes (field 17; kernel 5.5 or newer); counted in ms of 32 bits: wraps at 4294967296 ms",
    ),
    counter(
        "disk.read_merges",
        "operations",
        "reads merged with an adjacent one before they were queued (field 2)",
    ),
    counter(
        "disk.write_merges",
        "operations",
        "writes merged with an adjacent one before they were queued (field 6)",
    ),
];

/// For each metric: number of the field as the kernel document counts, and what to multiply it by.
const FIELDS: [(usize, f64); 15] = [
    (1, 1.0),
    (3, 512.0),
    (5, 1.0),
    (7, 512.0),
    (4, 1e6),
    (8, 1e6),
    (9, 1.0),
    (10, 1e6),
    (11, 1e6),
    (12, 1.0),
    (14, 512.0),
    (16, 1.0),
    (17, 1e6),
    (2, 1.0),
    (6, 1.0),
];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    if scope.disks.as_ref().is_some_and(Vec::is_empty) {
        return Box::new(Nothing);
    }
    if IS_FREEBSD && machine.is_live() {
        return Box::new(Devstat(scope.clone()));
    }
    Box::new(OneFile {
        file: machine.file("proc/diskstats"),
        scope: scope.clone(),
        parse,
    })
}

fn parse(text: &str, scope: &Scope, out: &mut Vec<Reading>) {
    let first = out.len();
    for line in text.lines() {
        let mut tokens = [None; 20];
        line.split_ascii_whitespace()
            .zip(&mut tokens)
            .for_each(|(token, slot)| *slot = Some(token));
        let Some(name) = tokens[2].filter(|name| scope.wants_disk(name)) else {
            continue;
        };
        for (metric, (field, scale)) in METRICS.iter().zip(FIELDS) {
            push(out, metric, name, scaled(tokens[2 + field], scale));
        }
    }
    report_missing(&METRICS, scope.disks.as_deref(), first, out);
}

/// The disks of FreeBSD; it counts no partitions.
struct Devstat(Scope);

impl Reader for Devstat {
    fn read(&mut self, out: &mut Vec<Reading>) {
        tell(&disk_counts().unwrap_or_default(), &self.0, out);
    }
}

/// In the order of the metrics. FreeBSD does not count the length of the queue over time, and flushes together with all else that moves no data.
fn tell(disks: &[DiskCounts], scope: &Scope, out: &mut Vec<Reading>) {
    let first = out.len();
    for disk in disks.iter().filter(|disk| scope.wants_disk(&disk.name)) {
        let values = [
            Some(disk.reads.operations as f64),
            Some(disk.reads.bytes as f64),
            Some(disk.writes.operations as f64),
            Some(disk.writes.bytes as f64),
            Some(disk.reads.time_ns),
            Some(disk.writes.time_ns),
            Some(f64::from(disk.in_flight)),
            Some(disk.busy_ns),
            None,
            Some(disk.discards.operations as f64),
            Some(disk.discards.bytes as f64),
            None,
            None,
            None,
            None,
        ];
        for (metric, value) in METRICS.iter().zip(values) {
            push(out, metric, &disk.name, value);
        }
    }
    report_missing(&METRICS, scope.disks.as_deref(), first, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};
    use crate::system::devstat::Transfers;

    fn readings(scope: &Scope) -> Vec<Reading> {
        fixture::read(&SOURCE, "proc-machine", scope)
    }

    #[test]
    fn fields_are_those_of_the_kernel_document() {
        let out = readings(&Scope::default());
        for (metric, expected) in [
            ("disk.reads", 56760.0),
            ("disk.read_bytes", 4632954.0 * 512.0),
            ("disk.read_time_ns", 13294e6),
            ("disk.writes", 32690.0),
            ("disk.write_bytes", 4825968.0 * 512.0),
            ("disk.write_time_ns", 18200e6),
            ("disk.in_flight", 3.0),
            ("disk.busy_ns", 7004e6),
            ("disk.queue_time_ns", 32147e6),
            ("disk.discards", 10133.0),
            ("disk.discard_bytes", 908368.0 * 512.0),
            ("disk.flushes", 4425.0),
            ("disk.flush_time_ns", 103e6),
        ] {
            assert_eq!(value(&out, metric, "vda"), Some(expected), "{metric}");
        }
    }

    #[test]
    fn counts_of_freebsd_have_the_same_metrics() {
        let transfers = |operations| Transfers {
            operations,
            bytes: operations * 512,
            time_ns: operations as f64 * 1e6,
        };
        let disk = DiskCounts {
            name: "ada0".into(),
            reads: transfers(1),
            writes: transfers(2),
            discards: transfers(3),
            in_flight: 4,
            busy_ns: 5.0,
        };
        let mut out = Vec::new();
        tell(std::slice::from_ref(&disk), &Scope::default(), &mut out);
        assert_eq!(out.len(), METRICS.len());
        for (metric, expected) in [
            ("disk.reads", Some(1.0)),
            ("disk.read_bytes", Some(512.0)),
            ("disk.read_time_ns", Some(1e6)),
            ("disk.writes", Some(2.0)),
            ("disk.write_bytes", Some(1024.0)),
            ("disk.write_time_ns", Some(2e6)),
            ("disk.in_flight", Some(4.0)),
            ("disk.busy_ns", Some(5.0)),
            ("disk.discards", Some(3.0)),
            ("disk.discard_bytes", Some(1536.0)),
            ("disk.queue_time_ns", None),
            ("disk.flushes", None),
            ("disk.flush_time_ns", None),
            ("disk.read_merges", None),
            ("disk.write_merges", None),
        ] {
            assert_eq!(value(&out, metric, "ada0"), expected, "{metric}");
        }
        let other = Scope {
            disks: Some(vec!["ada1".into()]),
            ..Scope::default()
        };
        out.clear();
        tell(&[disk], &other, &mut out);
        assert!(out.iter().all(|reading| reading.value.is_none()));
        assert_eq!(out.len(), METRICS.len());
    }

    #[test]
    fn an_old_kernel_has_no_discards_and_no_flushes() {
        let out = readings(&Scope::default());
        assert_eq!(value(&out, "disk.queue_time_ns", "sdb1"), Some(9e6));
        assert_eq!(value(&out, "disk.discards", "sdb1"), None);
        assert_eq!(value(&out, "disk.flushes", "sdb1"), None);
    }

    #[test]
    fn only_wanted_disks_are_told_and_a_vanished_one_is_missing() {
        let out = readings(&Scope {
            disks: Some(vec!["vda1".into(), "sdz".into()]),
            ..Scope::default()
        });
        assert_eq!(out.len(), 2 * METRICS.len());
        assert_eq!(value(&out, "disk.reads", "vda1"), Some(100.0));
        assert!(
            out.iter()
                .any(|reading| reading.instance == "sdz" && reading.value.is_none())
        );
        assert_eq!(
            readings(&Scope {
                disks: Some(Vec::new()),
                ..Scope::default()
            }),
            Vec::new()
        );
    }
}
