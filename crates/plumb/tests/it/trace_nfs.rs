//! Do results from a capture of real NFS traffic match tshark's? plumb's own client and nfs-ganesha, in each version, captured by tcpdump.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::ganesha::{Ganesha, in_own_network};
use crate::trace::{Capture, can_capture, in_order_of_time};
use crate::{json_of, measured, plumb_in};

/// Calls, sum and longest in seconds, bytes moved.
#[derive(Debug, Default, Clone, PartialEq)]
struct Figures {
    calls: u64,
    sum_s: f64,
    longest_s: f64,
    bytes: u64,
}

/// Names of procedures of version 3, and operations of version 4, by the numbers that tshark prints (RFC 1813, 8881).
const PROCEDURES_3: [(u32, &str); 9] = [
    (0, "NULL"),
    (1, "GETATTR"),
    (3, "LOOKUP"),
    (6, "READ"),
    (7, "WRITE"),
    (8, "CREATE"),
    (12, "REMOVE"),
    (18, "FSSTAT"),
    (19, "FSINFO"),
];
const OPERATIONS_4: [(u32, &str); 22] = [
    (3, "ACCESS"),
    (4, "CLOSE"),
    (5, "COMMIT"),
    (9, "GETATTR"),
    (15, "LOOKUP"),
    (18, "OPEN"),
    (20, "OPEN_CONFIRM"),
    (24, "PUTROOTFH"),
    (25, "READ"),
    (26, "READDIR"),
    (28, "REMOVE"),
    (30, "RENEW"),
    (34, "SETATTR"),
    (35, "SETCLIENTID"),
    (36, "SETCLIENTID_CONFIRM"),
    (38, "WRITE"),
    (42, "EXCHANGE_ID"),
    (43, "CREATE_SESSION"),
    (44, "DESTROY_SESSION"),
    (52, "SECINFO_NO_NAME"),
    (53, "SEQUENCE"),
    (57, "DESTROY_CLIENTID"),
];

/// By the fields of each reply that tshark dissects: which operation, its time, and the bytes of reads and writes.
fn by_tshark(file: &Path, port: u16, version: &str) -> BTreeMap<String, Figures> {
    let is_3 = version == "3";
    let fields = match is_3 {
        true => ["nfs.procedure_v3", "rpc.time", "nfs.count3", "nfs.status3"],
        false => [
            "nfs.main_opcode",
            "rpc.time",
            "nfs.count4",
            "nfs.read.data_length",
        ],
    };
    let mut command = Command::new("tshark");
    command
        .args(["-o", "tcp.reassemble_out_of_order:TRUE"])
        .args(["-d", &format!("tcp.port=={port},rpc")])
        .args([
            "-Y",
            "rpc.msgtyp == 1 && rpc.program == 100003",
            "-T",
            "fields",
        ]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.arg("-r").arg(file).output().expect("tshark");
    let text = String::from_utf8_lossy(&output.stdout);
    let names: &[(u32, &str)] = if is_3 { &PROCEDURES_3 } else { &OPERATIONS_4 };
    let mut figures: BTreeMap<String, Figures> = BTreeMap::new();
    for line in text.lines() {
        let columns: Vec<Vec<&str>> = line
            .split('\t')
            .map(|column| {
                column
                    .split(',')
                    .filter(|value| !value.is_empty())
                    .collect()
            })
            .collect();
        let [operations, times, counts, lengths] = columns.as_slice() else {
            panic!("{line}");
        };
        // One frame may hold several replies: then each column has as many values.
        for (at, time) in times.iter().enumerate() {
            let number: u32 = operations
                .get(at)
                .map_or(0, |of| of.parse().expect("a number"));
            let known = names.iter().find(|(of, _)| *of == number);
            let name = match number {
                0 => "NULL",
                21 if is_3 => "COMMIT",
                33 if !is_3 => "SECINFO",
                58 if !is_3 => "RECLAIM_COMPLETE",
                _ => known.map_or("?", |(_, name)| *name),
            };
            let of = figures.entry(name.to_string()).or_default();
            let time: f64 = time.parse().expect("seconds");
            of.calls += 1;
            of.sum_s += time;
            of.longest_s = of.longest_s.max(time);
        }
        let sum = |values: &Vec<&str>| -> u64 {
            let numbers = values
                .iter()
                .map(|value| value.parse::<u64>().expect("bytes"));
            numbers.sum()
        };
        let is_single = operations.len() == 1;
        if let (true, Some(number)) = (is_single, operations.first()) {
            let name = names.iter().find(|(of, _)| of.to_string() == *number);
            let moved = match (name.map(|(_, name)| *name), is_3) {
                (Some("READ" | "WRITE"), true) => sum(counts),
                (Some("WRITE"), false) => sum(counts),
                (Some("READ"), false) => sum(lengths),
                _ => 0,
            };
            if let Some((_, name)) = name {
                figures.entry((*name).to_string()).or_default().bytes += moved;
            }
        }
    }
    figures
}

fn by_plumb(trace: &Value) -> BTreeMap<String, Figures> {
    let seconds = |value: &Value| value.as_f64().expect("nanoseconds") / 1e9;
    let calls = trace["calls"].as_array().expect("calls").iter();
    let figures = |call: &Value| Figures {
        calls: call["count"].as_u64().expect("a count"),
        sum_s: seconds(&call["sum_ns"]),
        longest_s: seconds(&call["service_time"]["max"]),
        bytes: call["transfer"]["bytes"].as_u64().unwrap_or(0),
    };
    calls
        .map(|call| {
            (
                call["name"].as_str().expect("a name").to_string(),
                figures(call),
            )
        })
        .collect()
}

/// One read or write a reply, so that a frame has one of them, and one after the other besides.
fn traffic(server: &Ganesha, folder: &Path, version: &str) {
    for pattern in [
        "random-mixed --block 4k --depth 4 --set operations=300",
        "sequential-read --block 256k --set operations=20",
    ] {
        let line = format!(
            "run --target {} --set nfs={version} --pattern {pattern} --size 2m --quiet --json --no-report --output {version}-{}",
            server.address(&format!("data/{version}")),
            pattern.split(' ').next().unwrap_or_default(),
        );
        measured(plumb_in(folder, &line));
    }
}

#[test]
fn a_capture_of_nfs_has_the_figures_of_tshark() {
    if !can_capture() || !in_own_network("trace_nfs::a_capture_of_nfs_has_the_figures_of_tshark") {
        return;
    }
    let server = Ganesha::start_3();
    for version in ["3", "4.0", "4.1", "4.2"] {
        let round = |_| {
            let folder = tempfile::tempdir().expect("folder");
            let capture = Capture::start(&folder.path().join("raw.pcap"), server.port());
            traffic(&server, folder.path(), version);
            Some((capture.taken()?, folder))
        };
        let whole = (0..5).find_map(round);
        let (captured, folder) = whole.expect("a capture of which the kernel dropped nothing");
        let file = folder.path().join("nfs.pcap");
        fs::write(&file, in_order_of_time(&captured)).expect("written");
        let trace = json_of(plumb_in(folder.path(), "trace nfs.pcap --json"), 0);
        let mut ours = by_plumb(&trace);
        let mut theirs = by_tshark(&file, server.port(), version);
        if version == "3" {
            // The client looks for a server of version 4 first, and both versions have an empty call: tshark was asked for one version.
            theirs.remove("NULL");
            ours.retain(|name, _| theirs.contains_key(name));
        }
        let mut names = (
            ours.keys().collect::<Vec<_>>(),
            theirs.keys().collect::<Vec<_>>(),
        );
        names.0.sort_unstable();
        assert_eq!(names.0, names.1, "{version}");
        for (name, theirs) in &theirs {
            let ours = &ours[name];
            assert_eq!(
                (ours.calls, ours.bytes),
                (theirs.calls, theirs.bytes),
                "{version} {name}"
            );
            let is_same = (ours.sum_s - theirs.sum_s).abs() < 1e-6 * (1.0 + theirs.calls as f64)
                && (ours.longest_s - theirs.longest_s).abs() < 2e-6;
            assert!(is_same, "{version} {name}: {ours:?} is not {theirs:?}");
        }
        let capture = &trace["capture"];
        let all = capture["connections"].as_array().expect("connections");
        let dialects: Vec<&str> = all.iter().filter_map(|of| of["dialect"].as_str()).collect();
        assert!(
            dialects.contains(&format!("NFS {version}").as_str()),
            "{dialects:?}"
        );
        assert_eq!(capture["message_losses"]["malformed"], 0, "{capture}");
        assert_eq!(capture["message_losses"]["unanswered"], 0, "{capture}");
        let outstanding = &trace["outstanding"];
        assert!(outstanding["max"].as_u64() >= Some(2), "{outstanding}");
        assert!(
            outstanding["mean_while_busy"].as_f64() >= Some(1.0),
            "{outstanding}"
        );
    }
}
