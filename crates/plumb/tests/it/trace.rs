//! Do results from a capture of real traffic match tshark's? Samba, smbclient and plumb's own engine on loopback, captured by tcpdump.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::samba::{PASSWORD, Samba, is_installed};
use crate::{json_of, measured, output_of, plumb_in, refusal_of};

/// Port of SMB, on which tshark reads messages of any length.
const SMB_PORT: u16 = 445;
/// Names of tshark's table, and what the specification calls them.
const NAMES: [(&str, &str); 5] = [
    ("NEGOTIATE_PROTOCOL", "NEGOTIATE"),
    ("KEEPALIVE", "ECHO"),
    ("FIND", "QUERY_DIRECTORY"),
    ("GETINFO", "QUERY_INFO"),
    ("SETINFO", "SET_INFO"),
];

/// True when packets can be captured here; else says why the test is skipped.
pub fn can_capture() -> bool {
    let found = |program: &str| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .chain([PathBuf::from("/usr/sbin")])
            .any(|folder| folder.join(program).exists())
    };
    for program in ["tcpdump", "tshark"] {
        if !found(program) {
            println!("skipped: {program} is not installed (Debian packages tcpdump and tshark)");
            return false;
        }
    }
    // Lists the link types, for which it opens the interface.
    let opened = Command::new("tcpdump").args(["-i", "lo", "-L"]).output();
    let may = opened.is_ok_and(|opened| opened.status.success());
    if !may {
        println!("skipped: tcpdump may not capture on lo (it takes root)");
    }
    may
}

/// tcpdump on loopback. Ends with this value.
pub struct Capture {
    child: Child,
    file: PathBuf,
    /// What it says at its end.
    said: Option<std::thread::JoinHandle<String>>,
}

impl Capture {
    pub fn start(file: &Path, port: u16) -> Capture {
        Capture::with(Command::new("tcpdump"), "lo", file, port)
    }

    /// The same with this tcpdump, such as that of another network namespace, on one of its interfaces.
    pub fn with(mut tcpdump: Command, interface: &str, file: &Path, port: u16) -> Capture {
        let mut child = tcpdump
            .args([
                "-i", interface, "-s", "0", "-B", "65536", "-Z", "root", "-U",
            ])
            .args(["--immediate-mode", "-w"])
            .arg(file)
            .arg(format!("tcp port {port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tcpdump");
        let said = BufReader::new(child.stderr.take().expect("piped"));
        let mut lines = said.lines().map_while(Result::ok);
        assert!(
            lines.any(|line| line.contains("listening on")),
            "it listens"
        );
        let said = std::thread::spawn(move || lines.collect::<Vec<_>>().join("\n"));
        let (file, said) = (file.to_path_buf(), Some(said));
        Capture { child, file, said }
    }

    /// What it captured, once nothing more comes; nothing when the kernel dropped packets, which no one could count.
    pub fn taken(mut self) -> Option<Vec<u8>> {
        let length = |file: &Path| fs::metadata(file).map_or(0, |file| file.len());
        let mut before = 0;
        while before == 0 || length(&self.file) != before {
            before = length(&self.file);
            std::thread::sleep(Duration::from_millis(300));
        }
        self.stop();
        let said = self.said.take().map(std::thread::JoinHandle::join);
        let said = said.expect("once").expect("its words");
        let whole = said.contains("\n0 packets dropped by kernel");
        whole.then(|| fs::read(&self.file).expect("a capture"))
    }

    fn stop(&mut self) {
        let _ = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .stderr(Stdio::null())
            .status();
        let _ = self.child.wait();
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The capture (pcap, Ethernet, IPv4) with one port in place of another; checksums are not looked at.
fn on_port(capture: &[u8], from: u16, to: u16) -> Vec<u8> {
    let mut bytes = capture.to_vec();
    let mut at = 24;
    while at + 16 <= bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().expect("four bytes"));
        let ip = at + 16 + 14;
        let tcp = ip + usize::from(bytes[ip] & 0x0f) * 4;
        for port in [tcp, tcp + 2] {
            if bytes[port..port + 2] == from.to_be_bytes() {
                bytes[port..port + 2].copy_from_slice(&to.to_be_bytes());
            }
        }
        at += 16 + length as usize;
    }
    bytes
}

/// Calls, sum and longest in seconds of each command, as tshark counts them. Two processors deliver the packets of loopback, so
/// segments are captured out of order now and then: as it comes, tshark loses the message that is in them.
fn by_tshark(file: &Path) -> Figures {
    let output = Command::new("tshark")
        .args(["-o", "tcp.reassemble_out_of_order:TRUE"])
        .args(["-q", "-z", "smb2,srt", "-r"])
        .arg(file)
        .output()
        .expect("tshark");
    let text = String::from_utf8_lossy(&output.stdout);
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.first()?.parse::<u32>().ok()?;
        let [name @ .., count, _, longest, _, sum] = words.get(1..)? else {
            return None;
        };
        let name = name.join("_").to_uppercase();
        let known = NAMES.iter().find(|(theirs, _)| *theirs == name);
        let name = known.map_or(name.clone(), |(_, ours)| (*ours).to_string());
        let numbers = (
            count.parse().ok()?,
            sum.parse().ok()?,
            longest.parse().ok()?,
        );
        Some((name, numbers))
    };
    text.lines().filter_map(row).collect()
}

fn by_plumb(trace: &Value) -> Figures {
    let seconds = |value: &Value| value.as_f64().expect("nanoseconds") / 1e9;
    let calls = trace["calls"].as_array().expect("calls").iter();
    calls
        .map(|call| {
            let name = call["name"].as_str().expect("a name").to_string();
            let count = call["count"].as_u64().expect("a count");
            let longest = seconds(&call["service_time"]["max"]);
            (name, (count, seconds(&call["sum_ns"]), longest))
        })
        .collect()
}

/// Traffic of every kind that smbclient and plumb make.
fn traffic(server: &Samba, folder: &Path) {
    let local = folder.join("local");
    fs::write(&local, vec![7u8; 3_000_000]).expect("a file");
    let put = format!("put {} d/f", local.display());
    let get = format!("get d/f {}", folder.join("back").display());
    let commands = [
        "mkdir d",
        &put,
        &get,
        "ls d/*",
        "allinfo d/f",
        "rename d/f d/g",
        "del d/g",
        "rmdir d",
    ];
    server.smbclient("share", &commands.join(";"));
    for pattern in [
        "random-mixed --block 4k --depth 8 --set batch=8 --set operations=3000",
        "sequential-read --block 64k --set operations=400",
    ] {
        let line = format!(
            "run --target {} --pattern {pattern} --size 8m --quiet --json --no-report --output {}",
            server.address("share"),
            pattern.split(' ').next().unwrap_or_default(),
        );
        let mut command = plumb_in(folder, &line);
        command.env("PLUMB_PASSWORD", PASSWORD);
        measured(command);
    }
    server.smbclient("sealed", "ls");
}

/// The capture of a round of traffic of which the kernel dropped nothing, and its folder.
fn whole_capture(server: &Samba) -> (Vec<u8>, tempfile::TempDir) {
    let round = || {
        let folder = tempfile::tempdir().expect("folder");
        let capture = Capture::start(&folder.path().join("raw.pcap"), server.port);
        traffic(server, folder.path());
        Some((capture.taken()?, folder))
    };
    let whole = (0..5).find_map(|_| round());
    whole.expect("a capture of which the kernel dropped nothing")
}

type Figures = BTreeMap<String, (u64, f64, f64)>;

/// The capture (pcap, little-endian, microseconds) in the order of its times. Two processors deliver the packets of loopback, and
/// what was stamped first is captured second now and then.
pub fn in_order_of_time(capture: &[u8]) -> Vec<u8> {
    let number = |at: usize| {
        let bytes = capture.get(at..at + 4).expect("a whole packet");
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    };
    let mut packets = Vec::new();
    let mut at = 24;
    while at + 16 <= capture.len() {
        let end = at + 16 + number(at + 8) as usize;
        packets.push(((number(at), number(at + 4)), &capture[at..end]));
        at = end;
    }
    packets.sort_by_key(|(stamp, _)| *stamp);
    let packets = packets.into_iter().flat_map(|(_, packet)| packet);
    capture[..24].iter().chain(packets).copied().collect()
}

/// Both programs have the packets' microseconds, and tshark's table has six digits.
fn assert_same_times(ours: &Figures, theirs: &Figures) {
    assert!(theirs.len() >= 10, "{theirs:?}");
    for (name, (count, sum, longest)) in theirs {
        let found = ours
            .get(name)
            .unwrap_or_else(|| panic!("no {name} in {ours:?}"));
        assert_eq!(found.0, *count, "{name}: {found:?}");
        let is_same = (found.1 - sum).abs() < 2e-6 && (found.2 - longest).abs() < 2e-6;
        assert!(is_same, "{name}: {found:?} is not {sum} and {longest}");
    }
}

#[test]
fn a_capture_of_real_traffic_has_the_figures_of_tshark() {
    if !is_installed() || !can_capture() {
        return;
    }
    let server = Samba::start(&[]);
    let (captured, folder) = whole_capture(&server);
    let captured = in_order_of_time(&captured);
    let raw = folder.path().join("raw.pcap");
    fs::write(&raw, &captured).expect("written");
    // On the port where it was, which plumb finds by itself.
    let there = json_of(plumb_in(folder.path(), "trace --pcap raw.pcap --json"), 0);
    let file = folder.path().join("smb.pcap");
    fs::write(&file, on_port(&captured, server.port, SMB_PORT)).expect("written");
    let trace = json_of(plumb_in(folder.path(), "trace --pcap smb.pcap --json"), 0);
    assert_eq!(there["calls"], trace["calls"]);
    let (ours, theirs) = (by_plumb(&trace), by_tshark(&file));
    has_what_the_traffic_had(&trace, &ours, &theirs);
    assert_same_times(&ours, &theirs);
}

fn has_what_the_traffic_had(trace: &Value, ours: &Figures, theirs: &Figures) {
    let unknown: Vec<_> = ours
        .keys()
        .filter(|name| !theirs.contains_key(*name))
        .collect();
    // tshark leaves these two out of its table.
    assert!(
        unknown.iter().all(|name| name.ends_with("BREAK")),
        "{unknown:?}"
    );
    let capture = &trace["capture"];
    assert!(
        capture["protection"]["encrypted_messages"].as_u64() > Some(0),
        "{capture}"
    );
    assert_eq!(capture["message_losses"]["malformed"], 0);
    assert_eq!(capture["connections"][0]["dialect"], "3.1.1");
    let mut reads = trace["calls"].as_array().expect("calls").iter();
    let reads = reads.find(|call| call["name"] == "READ").expect("reads");
    assert!(
        reads["transfer"]["bytes"].as_u64() > Some(3_000_000),
        "{reads}"
    );
    assert!(
        trace["outstanding"]["max"].as_u64() >= Some(8),
        "{}",
        trace["outstanding"]
    );
}

/// The smallest pcap file, with one packet that is none of SMB.
fn foreign() -> Vec<u8> {
    let mut file = 0xa1b2_c3d4u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0]);
    file.extend([1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 9, 9, 9, 9]);
    file
}

#[test]
fn what_cannot_be_traced_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("text"), "no capture").expect("written");
    fs::write(folder.path().join("foreign.pcap"), foreign()).expect("written");
    for (line, words) in [
        ("trace --pcap absent.pcap", ["absent.pcap", "No such file"]),
        ("trace --pcap text", ["editcap", "pcapng"]),
        ("trace --pcap .", ["folder", "file"]),
        (
            "trace --pcap foreign.pcap",
            ["its 1 packets", "tcpdump -i any"],
        ),
    ] {
        let refused = refusal_of(plumb_in(folder.path(), line));
        assert!(
            words.iter().all(|word| refused.contains(word)),
            "{line}: {refused}"
        );
    }
}

#[test]
fn a_capture_is_told_in_each_language() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures");
    for (file, calls) in [("reads.pcap", "10"), ("compound.pcapng", "6")] {
        let line = format!("trace --pcap {}", captures.join(file).display());
        for (tag, words) in [
            ("en", ["answered calls", "of the time"]),
            ("zh-CN", ["已应答的调用", "时间占比"]),
            ("ja", ["応答のあった呼び出し", "時間の割合"]),
        ] {
            let shown = output_of(
                plumb_in(folder_of_tests(), &format!("{line} --language {tag}")),
                0,
            );
            assert!(
                words.iter().all(|word| shown.contains(word)),
                "{tag}: {shown}"
            );
            assert!(shown.contains(calls), "{shown}");
        }
    }
}

fn folder_of_tests() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// One reply is missing, and the connection ends 160 s after the last one. By tshark's times: 13.7 ms with any, one at a time.
#[test]
fn a_lost_reply_and_a_late_end_do_not_stretch_a_capture() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/captures/late-end.pcap");
    let line = format!("trace {} --json", file.display());
    let trace = json_of(plumb_in(folder_of_tests(), &line), 0);
    let span_ms = trace["span_ns"].as_f64().expect("a span") / 1e6;
    assert!((13.0..14.5).contains(&span_ms), "{span_ms}");
    let outstanding = &trace["outstanding"];
    assert_eq!(outstanding["mean_while_busy"], 1.0, "{outstanding}");
    assert_eq!(outstanding["max"], 1, "{outstanding}");
    let idle = outstanding["idle_share"].as_f64().expect("a share");
    assert!((0.15..0.3).contains(&idle), "{idle}");
    assert_eq!(trace["capture"]["message_losses"]["unanswered"], 1);
}

/// Sixty reads of 4 KiB of 0.5 ms each, one every millisecond, as other programs print them.
#[test]
fn requests_of_block_devices_are_read_from_what_programs_print() {
    let folder = tempfile::tempdir().expect("folder");
    let mut bio =
        String::from("TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n");
    let (mut ftrace, mut perf) = (String::from("# tracer: nop\n#\n"), String::new());
    for at in 0..60 {
        let (begin, sector) = (100.0 + f64::from(at) / 1000.0, 1000 + 8 * at);
        let end = begin + 0.0005;
        bio += &format!(
            "{:<11.6} {:<14} {:<6} {:<7} R {sector:<10} 4096      0.50\n",
            f64::from(at) / 1000.0,
            "my app",
            4321,
            "sda"
        );
        let request = format!("8,0 R 4096 () {sector} + 8 none,0,0 [my app]");
        let done = format!("8,0 R () {sector} + 8 none,0,0 [0]");
        ftrace +=
            &format!("          my app-4321  [001] ..... {begin:.6}: block_rq_issue: {request}\n");
        ftrace +=
            &format!("          <idle>-0     [000] ..s.. {end:.6}: block_rq_complete: {done}\n");
        perf += &format!("my app  4321 [001] {begin:.6}: block:block_rq_issue: {request}\n");
        perf += &format!("swapper     0 [000] {end:.6}: block:block_rq_complete: {done}\n");
    }
    for (name, text) in [("biosnoop", bio), ("ftrace", ftrace), ("perf_script", perf)] {
        // As Linux writes it, and as it comes through Windows' editors.
        for text in [
            text.clone(),
            format!("\u{feff}{}", text.replace('\n', "\r\n")),
        ] {
            fs::write(folder.path().join(name), text).expect("written");
            let line = format!("trace {name} --json");
            let trace = json_of(plumb_in(folder.path(), &line), 0);
            assert_eq!(trace["recorded"]["format"], name);
            let reads = &trace["calls"][0];
            assert_eq!(
                (&reads["name"], &reads["count"]),
                (&"read".into(), &60.into())
            );
            assert_eq!(reads["transfer"]["bytes"], 60 * 4096, "{name}");
            let mean = reads["service_time"]["mean"].as_f64().expect("a mean");
            assert!((mean - 500_000.0).abs() < 2000.0, "{name}: {mean}");
            let outstanding = &trace["outstanding"];
            assert_eq!(outstanding["mean_while_busy"], 1.0, "{name}: {outstanding}");
            let explained = plumb_in(folder.path(), &format!("explain {name} --json"));
            let explained = json_of(explained, 0);
            assert_eq!(explained["observed"]["requests"], 60, "{name}");
        }
    }
    let own =
        "  0.000000000, 77, fio, D, R, 1000, 4096\n  0.000500000, 0, swapper, C, R, 1000, 4096\n";
    fs::write(folder.path().join("own"), own).expect("written");
    let refused = refusal_of(plumb_in(folder.path(), "trace own"));
    assert!(
        refused.contains("--blkparse-format") && refused.contains("-f"),
        "{refused}"
    );
    let stated = "trace own --blkparse-format %T.%t,%p,%C,%a,%d,%S,%N";
    let saved = plumb_in(folder.path(), &format!("{stated} --save own.csv --json"));
    let saved = json_of(saved, 0);
    let again = json_of(plumb_in(folder.path(), "trace own.csv --json"), 0);
    for trace in [&saved, &again] {
        assert_eq!(trace["calls"][0]["name"], "read", "{trace}");
        assert_eq!(trace["calls"][0]["service_time"]["mean"], 500_000.0);
    }
    let other = plumb_in(
        folder.path(),
        "trace own --blkparse-format %T.%t,%a,%d,%S,%n",
    );
    let refused = refusal_of(other);
    assert!(refused.contains("no line in the format"), "{refused}");
}
