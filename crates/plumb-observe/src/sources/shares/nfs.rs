//! What did each NFS mount do, and how long did the server take? Requests, bytes, round trips and retransmissions from /proc/self/mountstats.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::mountstats::{NfsMount, Operation, READS, WRITES, nfs_mounts};
use crate::source::{
    Area, Nothing, OneFile, Reader, Scope, Source, System, counter, gauge, push, report_missing,
};

/// Kernel: net/sunrpc/stats.c; man 8 mountstats. Counted since the mount; times are sums over requests, in whole milliseconds.
pub static SOURCE: Source = Source {
    name: "nfs",
    system: System::Linux,
    meaning: "requests, bytes, round trips and retransmissions of each NFS mount (/proc/self/mountstats)",
    areas: &[Area::Share],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 14] = [
    counter("nfs.requests", "operations", "requests of all kinds"),
    counter(
        "nfs.retransmits",
        "operations",
        "requests retransmitted, all kinds",
    ),
    counter(
        "nfs.timeouts",
        "operations",
        "requests timed out, all kinds",
    ),
    counter(
        "nfs.reads",
        "operations",
        "read requests (READ, and READ_PLUS of NFS 4.2)",
    ),
    counter(
        "nfs.read_bytes",
        "bytes",
        "bytes received for reads, with headers",
    ),
    counter(
        "nfs.read_queue_ns",
        "ns",
        "total time that read requests waited before they were sent",
    ),
    counter(
        "nfs.read_round_trip_ns",
        "ns",
        "total time from sending read requests to their replies",
    ),
    counter(
        "nfs.read_execute_ns",
        "ns",
        "total time of read requests from creation to completion",
    ),
    counter("nfs.writes", "operations", "write requests (WRITE)"),
    counter(
        "nfs.write_bytes",
        "bytes",
        "bytes sent for writes, with headers",
    ),
    counter(
        "nfs.write_queue_ns",
        "ns",
        "total time that write requests waited before they were sent",
    ),
    counter(
        "nfs.write_round_trip_ns",
        "ns",
        "total time from sending write requests to their replies",
    ),
    counter(
        "nfs.write_execute_ns",
        "ns",
        "total time of write requests from creation to completion",
    ),
    gauge("nfs.connections", "1", "connections that carry the mount"),
];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    // Looked for only where it may be: the file has a line for each kind of request of each mount.
    if scope
        .shares_like("/")
        .is_some_and(|shares| shares.is_empty())
    {
        return Box::new(Nothing);
    }
    Box::new(OneFile {
        file: machine.file("proc/self/mountstats"),
        scope: scope.clone(),
        parse,
    })
}

fn parse(text: &str, scope: &Scope, out: &mut Vec<Reading>) {
    let first = out.len();
    let mounts = nfs_mounts(text);
    let mut reported: Vec<&str> = Vec::new();
    // Of two mounts at one point the upper one counts, which comes last.
    for mount in mounts
        .iter()
        .rev()
        .filter(|mount| scope.wants_share(&mount.point))
    {
        if !reported.contains(&mount.point.as_str()) {
            reported.push(&mount.point);
            METRICS
                .iter()
                .zip(values(mount))
                .for_each(|(metric, value)| push(out, metric, &mount.point, value));
        }
    }
    report_missing(&METRICS, scope.shares_like("/").as_deref(), first, out);
}

/// In the order of the metrics. Kinds of request that the kernel does not list did not occur on this mount's version of the protocol.
fn values(mount: &NfsMount) -> [Option<f64>; METRICS.len()] {
    let total = |value: fn(&Operation) -> Option<f64>| -> Option<f64> {
        (!mount.operations.is_empty())
            .then(|| mount.operations.iter().map(value).sum::<Option<f64>>())?
    };
    let kind = |names: &[&str], bytes: fn(&Operation) -> Option<f64>| {
        let ns = |pick: fn((f64, f64, f64)) -> f64| {
            mount
                .sum(names, |operation| operation.times_ms().map(pick))
                .map(|ms| 1e6 * ms)
        };
        [
            mount.sum(names, Operation::requests),
            mount.sum(names, bytes),
            ns(|times| times.0),
            ns(|times| times.1),
            ns(|times| times.2),
        ]
    };
    let reads = kind(&READS, |operation| operation.bytes().map(|bytes| bytes.1));
    let writes = kind(&WRITES, |operation| operation.bytes().map(|bytes| bytes.0));
    let retransmits =
        total(|operation| Some((operation.transmissions()? - operation.requests()?).max(0.0)));
    let mut values = [None; METRICS.len()];
    (values[0], values[1], values[2]) = (
        total(Operation::requests),
        retransmits,
        total(Operation::timeouts),
    );
    values[3..8].copy_from_slice(&reads);
    values[8..13].copy_from_slice(&writes);
    values[13] = Some(mount.connections.len() as f64).filter(|count| *count > 0.0);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn sums_are_those_of_the_lines() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        for (metric, expected) in [
            ("nfs.requests", 171.0),
            ("nfs.retransmits", 0.0),
            ("nfs.timeouts", 0.0),
            ("nfs.reads", 50.0),
            ("nfs.read_bytes", 6_559_600.0),
            ("nfs.read_queue_ns", 56e6),
            ("nfs.read_round_trip_ns", 306e6),
            ("nfs.read_execute_ns", 406e6),
            ("nfs.writes", 82.0),
            ("nfs.write_bytes", 10_763_976.0),
            ("nfs.write_round_trip_ns", 7849e6),
            ("nfs.write_execute_ns", 11528e6),
            ("nfs.connections", 3.0),
        ] {
            assert_eq!(value(&out, metric, "/mnt/n"), Some(expected), "{metric}");
        }
    }

    #[test]
    fn only_wanted_mounts_are_told_and_a_vanished_one_is_missing() {
        let scope = Scope {
            shares: Some(vec!["/gone".into()]),
            ..Scope::default()
        };
        let out = fixture::read(&SOURCE, "proc-machine", &scope);
        assert_eq!(out.len(), METRICS.len());
        assert_eq!(value(&out, "nfs.reads", "/gone"), None);
        let scope = Scope {
            shares: Some(vec!["\\\\s\\e".into()]),
            ..Scope::default()
        };
        assert_eq!(fixture::read(&SOURCE, "proc-machine", &scope), Vec::new());
    }
}
