//! Several clients on one server: two hosts with two ranks each, by plumb's own clients, and what the server and the kernel counted of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plumb_model::run::{Event, Run};
use plumb_model::workload::OperationKind;
use plumb_record::read_run;
use serde_json::Value;

use crate::ganesha::Ganesha;
use crate::hosts::{Hosts, Server};
use crate::many_hosts::{check_sums, launcher, program, text};
use crate::samba::{self, PASSWORD, Samba};

/// Of each operation, of the test file of each rank, and how many ranks each host has.
const BLOCK: u64 = 64 << 10;
const FILE: u64 = 4 << 20;
const RANKS_PER_HOST: u32 = 2;

/// The interface by which hosts reach the server; the ranks reach each other by another.
const TO_SERVER: &str = "eth1";

/// Two hosts with a server, and a folder.
struct Clients {
    hosts: Hosts,
    server: Server,
    folder: tempfile::TempDir,
}

/// What was read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Work {
    reads: u64,
    read_bytes: u64,
    writes: u64,
    written_bytes: u64,
    /// Written before there was something to read.
    prepared_bytes: u64,
}

impl Work {
    /// All of the load that a run holds: before, in and after the measured time.
    fn add(&mut self, run: &Run) {
        for kind in run.ticks.iter().flat_map(|tick| &tick.kinds) {
            match kind.kind {
                OperationKind::Read => {
                    self.reads += kind.count;
                    self.read_bytes += kind.bytes;
                }
                OperationKind::Write => {
                    self.writes += kind.count;
                    self.written_bytes += kind.bytes;
                }
                // IOR's plans end their writes with one for each worker.
                OperationKind::Flush => {}
                other => panic!("{other:?} is not of this load"),
            }
        }
        for note in &run.notes {
            if let Event::Prepared { bytes, .. } = &note.event {
                self.prepared_bytes += bytes;
            }
        }
    }
}

impl Clients {
    /// `net`: as of [`Hosts::new`]; the one after it is of the server.
    fn new(net: u8) -> Option<Clients> {
        let hosts = Hosts::new(net)?;
        let server = hosts.with_server(net + 1);
        let folder = tempfile::tempdir().expect("folder");
        Some(Clients {
            hosts,
            server,
            folder,
        })
    }

    /// Samba on the server, with this beside the interfaces in its `[global]` section.
    fn samba(&self, global: &[&str]) -> Samba {
        let address = &self.server.address;
        let interfaces = format!("interfaces = {address}/24");
        let lines: Vec<&str> = std::iter::once(interfaces.as_str())
            .chain(global.iter().copied())
            .collect();
        Samba::on_host_with(address, &self.on_server(), &lines)
    }

    /// The words before a program that runs on the server.
    fn on_server(&self) -> [&str; 4] {
        ["ip", "netns", "exec", &self.server.name]
    }

    /// Bytes that each host has received and sent on its way to the server.
    fn counted(&self) -> [[u64; 2]; 2] {
        [0, 1].map(|host| {
            ["rx_bytes", "tx_bytes"].map(|name| self.hosts.counter(host, TO_SERVER, name))
        })
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("run.plumb")
    }

    /// The launcher on the first host, up to the program of the ranks: with the words before it that this launcher takes.
    fn launched(&self, launcher: &str, own: &[&str], load: &str) {
        let reach = self.hosts.shell(self.folder.path());
        let own = own.iter().map(|word| match *word {
            "SHELL" => reach.display().to_string(),
            word => word.to_string(),
        });
        let line = format!("run {load} --set interval=200ms --quiet --output run.plumb");
        let mut command = self.hosts.on(0, launcher);
        command.args(own).arg(program());
        command.args(line.split_whitespace());
        let ran = command
            .env("PLUMB_PASSWORD", PASSWORD)
            .current_dir(self.folder.path())
            .output()
            .expect("the launcher runs");
        check_end(&ran);
    }

    /// What the common record holds is what the ranks hold, and what the interfaces of each host carried: the payload, and at most a tenth of it beside.
    fn check(&self, before: [[u64; 2]; 2]) -> Work {
        let now = self.counted();
        let (output, ranks) = (self.output(), 2 * RANKS_PER_HOST);
        let all = check_sums(&output, ranks);
        let mut sums = Work::default();
        sums.add(&all);
        let mut pooled = Work::default();
        for host in 0..2u32 {
            let mut work = Work::default();
            for rank in host * RANKS_PER_HOST..(host + 1) * RANKS_PER_HOST {
                let of_rank = read_run(&rank_folder(&output, rank)).expect("the record of a rank");
                work.add(&of_rank);
                pooled.add(&of_rank);
            }
            assert_eq!(work.prepared_bytes, u64::from(RANKS_PER_HOST) * FILE);
            let at = host as usize;
            let [received, sent] = [0, 1].map(|way| now[at][way] - before[at][way]);
            let to_server = work.written_bytes + work.prepared_bytes;
            println!(
                "host {host}: {received} bytes received and {sent} sent on {TO_SERVER}; {work:?}"
            );
            for (counted, payload) in [(received, work.read_bytes), (sent, to_server)] {
                assert!(
                    payload <= counted && counted <= payload + payload / 10 + (1 << 20),
                    "host {host}: {counted} bytes on {TO_SERVER}, {payload} of them payload: {work:?}"
                );
            }
        }
        // Preparing is told by the ranks alone.
        sums.prepared_bytes = pooled.prepared_bytes;
        assert_eq!(sums, pooled);
        let processes = &all.header.ranks.as_ref().expect("ranks").processes;
        let hosts: Vec<&str> = processes.iter().map(|place| place.host.as_str()).collect();
        assert!(
            hosts[0] == hosts[1] && hosts[1] != hosts[2] && hosts[2..] == ["hostb"; 2],
            "{hosts:?}"
        );
        let summary = summary(&output);
        let measured: u64 = summary["steps"][0]["ranks"]["hosts"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|host| host["operations"].as_u64())
            .sum();
        assert!(
            measured > 0 && measured <= sums.reads + sums.writes,
            "{summary}"
        );
        pooled
    }
}

/// It measured. A severe finding, which ends it with 1, may be true of the machine that runs the test.
fn check_end(ran: &Output) {
    assert!(matches!(ran.status.code(), Some(0 | 1)), "{}", text(ran));
}

fn summary(folder: &Path) -> Value {
    let mut show = crate::plumb();
    show.args(["show", "--json"]).arg(folder);
    crate::measured(show)
}

fn rank_folder(run: &Path, rank: u32) -> PathBuf {
    run.join(format!("ranks/{rank:04}"))
}

/// Reads and writes in one file for each rank.
fn mixed(target: &str) -> String {
    format!("--target {target} --pattern random-mixed --block {BLOCK} --size {FILE} --time 1s")
}

/// The same with the launchers' own words.
fn by_mpich(clients: &Clients, net: u8, load: &str) {
    let hosts = format!("10.231.{net}.1:{RANKS_PER_HOST},10.231.{net}.2:{RANKS_PER_HOST}");
    let own = [
        "-launcher",
        "rsh",
        "-launcher-exec",
        "SHELL",
        "-hosts",
        &hosts,
        "-n",
        "4",
    ];
    clients.launched("mpirun.mpich", &own, load);
}

fn by_open_mpi(clients: &Clients, net: u8, load: &str) {
    let hosts = format!("10.231.{net}.1:{RANKS_PER_HOST},10.231.{net}.2:{RANKS_PER_HOST}");
    let own = "--allow-run-as-root --mca plm_rsh_agent SHELL --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0 -n 4 --host";
    let own: Vec<&str> = own.split_whitespace().chain([hosts.as_str()]).collect();
    clients.launched("mpirun.openmpi", &own, load);
}

#[test]
fn four_ranks_on_two_hosts_read_and_write_what_samba_counts() {
    if !samba::is_installed() || launcher("mpirun.mpich", 4).is_none() {
        return;
    }
    let Some(clients) = Clients::new(51) else {
        return;
    };
    let server = clients.samba(&["smbd profiling level = on"]);
    let counted = || {
        ["read_count", "read_bytes", "write_count", "write_bytes"]
            .map(|name| server.counter(&format!("syscall_asys_p{name}")))
    };
    let (before, sent_before) = (counted(), clients.counted());
    by_mpich(&clients, 51, &mixed(&server.address("share")));
    let work = clients.check(sent_before);
    let now = counted();
    let [reads, read_bytes, writes, written_bytes] = [0, 1, 2, 3].map(|at| now[at] - before[at]);
    // Exactly: each operation of 64 KiB is one call of the server.
    assert_eq!((reads, read_bytes), (work.reads, work.read_bytes));
    assert_eq!(written_bytes, work.written_bytes + work.prepared_bytes);
    assert!(writes >= work.writes, "{writes} {work:?}");
    assert_eq!(crate::left_in(&server.share()), Vec::<String>::new());
}

#[test]
fn four_ranks_on_two_hosts_read_and_write_what_ganesha_does() {
    if launcher("mpirun.openmpi", 4).is_none() {
        return;
    }
    let Some(clients) = Clients::new(53) else {
        return;
    };
    let Some(server) = Ganesha::on_host(&clients.server.address, &clients.on_server()) else {
        return;
    };
    let (before, sent_before) = (server.file_bytes(), clients.counted());
    by_open_mpi(&clients, 53, &mixed(&server.address("data")));
    let work = clients.check(sent_before);
    let now = server.file_bytes();
    let [read, written] = [0, 1].map(|at| now[at] - before[at]);
    // Its log and its bookkeeping of clients are files too.
    let own = 256 << 10;
    for (counted, payload) in [
        (read, work.read_bytes),
        (written, work.written_bytes + work.prepared_bytes),
    ] {
        assert!(
            payload <= counted && counted <= payload + own,
            "the server has {counted} bytes of files, the ranks {payload}: {work:?}"
        );
    }
    assert_eq!(crate::left_in(&server.data()), Vec::<String>::new());
}

/// The steps of one of IOR's plans: each of them moved every byte of its files once, on both hosts, and nothing was written before.
fn check_ior(clients: &Clients, block: u64, size: u64) {
    let all = check_sums(&clients.output(), 2 * RANKS_PER_HOST);
    let mut work = Work::default();
    work.add(&all);
    let blocks = size / block;
    let expected = Work {
        reads: blocks,
        read_bytes: size,
        writes: blocks,
        written_bytes: size,
        prepared_bytes: 0,
    };
    assert_eq!(work, expected);
    for rank in 0..2 * RANKS_PER_HOST {
        let own = read_run(&rank_folder(&clients.output(), rank)).expect("the record of a rank");
        let mut of_rank = Work::default();
        of_rank.add(&own);
        let share = expected.reads / u64::from(2 * RANKS_PER_HOST);
        assert_eq!(
            (of_rank.reads, of_rank.writes),
            (share, share),
            "rank {rank}"
        );
    }
}

/// One file for all, which the first rank empties and nobody fills.
#[test]
fn ior_hard_on_samba_writes_one_emptied_file_and_reads_what_the_other_host_wrote() {
    if !samba::is_installed() || launcher("mpirun.mpich", 4).is_none() {
        return;
    }
    let Some(clients) = Clients::new(57) else {
        return;
    };
    let server = clients.samba(&["smbd profiling level = on"]);
    let written = || server.counter("syscall_asys_pwrite_bytes");
    let before = written();
    let (block, size) = (47_008, 47_008 * 4 * 20);
    let load = format!(
        "ior-hard --target {} --size {size} --set rounds=1",
        server.address("share")
    );
    by_mpich(&clients, 57, &load);
    check_ior(&clients, block, size);
    assert_eq!(written() - before, size);
    assert_eq!(crate::left_in(&server.share()), Vec::<String>::new());
}

/// A file for each worker, on a server by NFS.
#[test]
fn ior_easy_on_ganesha_writes_emptied_files_and_reads_what_the_other_host_wrote() {
    if launcher("mpirun.openmpi", 4).is_none() {
        return;
    }
    let Some(clients) = Clients::new(59) else {
        return;
    };
    let Some(server) = Ganesha::on_host(&clients.server.address, &clients.on_server()) else {
        return;
    };
    let (block, size) = (2 << 20, 32 * (2 << 20));
    let load = format!("ior-easy --target {} --size {size}", server.address("data"));
    by_open_mpi(&clients, 59, &load);
    check_ior(&clients, block, size);
    assert_eq!(crate::left_in(&server.data()), Vec::<String>::new());
}

/// TCP segments that a host has sent again, by its own kernel.
fn sent_again(hosts: &Hosts, host: usize) -> u64 {
    let output = hosts.on(host, "cat").arg("/proc/net/snmp").output();
    let text = String::from_utf8(output.expect("cat").stdout).expect("text");
    let mut rows = text.lines().filter(|line| line.starts_with("Tcp:"));
    let (names, values) = (rows.next().expect("names"), rows.next().expect("values"));
    let mut pairs = names.split_whitespace().zip(values.split_whitespace());
    let found = pairs
        .find(|(name, _)| *name == "RetransSegs")
        .expect("a counter");
    found.1.parse().expect("a number")
}

/// One host's way to the server has a short queue that overflows. The finding names this host, and no more segments than its kernel counted.
#[test]
fn a_host_whose_path_drops_segments_is_named() {
    if !samba::is_installed() || launcher("mpirun.mpich", 4).is_none() {
        return;
    }
    let Some(clients) = Clients::new(61) else {
        return;
    };
    let queue = "qdisc add dev eth1 root tbf rate 200mbit burst 16k limit 24k";
    let mut narrow = clients.hosts.on(1, "tc");
    if !narrow
        .args(queue.split_whitespace())
        .status()
        .is_ok_and(|done| done.success())
    {
        println!("skipped: this kernel has no token bucket filter (tc {queue})");
        return;
    }
    let server = clients.samba(&[]);
    let load = format!(
        "--target {} --pattern sequential-write --block 256k --size 4m --time 2s",
        server.address("share")
    );
    by_mpich(&clients, 61, &load);
    let counted = [0, 1].map(|host| sent_again(&clients.hosts, host));
    let summary = summary(&clients.output());
    let mut findings = summary["findings"].as_array().into_iter().flatten();
    let found = findings.find(|finding| finding["rule"] == "one_path_loses_segments");
    let found = found.unwrap_or_else(|| panic!("{counted:?} {}", summary["steps"][0]["ranks"]));
    let claim = found["claim"]["text"].as_str();
    assert!(
        claim.is_some_and(|claim| claim.contains("hostb")),
        "{found}"
    );
    let told = &summary["steps"][0]["ranks"]["hosts"];
    let again = |host: usize| told[host]["machine"]["segments_retransmitted"].as_f64();
    for host in [0, 1] {
        assert!(
            again(host) <= Some(counted[host] as f64),
            "{counted:?} {told}"
        );
    }
    assert!(again(1) >= Some(20.0), "{counted:?} {told}");
}

/// By agents, one on each host and one rank by each: the same, over connections of plumb's own.
#[test]
fn two_agents_read_and_write_what_samba_counts() {
    if !samba::is_installed() {
        return;
    }
    let Some(clients) = Clients::new(55) else {
        return;
    };
    let server = Samba::on_host(&clients.server.address, &clients.on_server());
    let target = server.address("share");
    let before = clients.counted();
    let shell = clients.hosts.shell(clients.folder.path());
    let line = format!(
        "launch --hosts 10.231.55.1,10.231.55.2 --target {target} --pattern random-mixed --block {BLOCK} --size {FILE} --time 600ms --set interval=200ms \
         --quiet --output run.plumb"
    );
    let ran = Command::new(program())
        .args(line.split_whitespace())
        .arg(format!("--ssh={}", shell.display()))
        .arg("--program")
        .arg(program())
        .env("PLUMB_PASSWORD", PASSWORD)
        .current_dir(clients.folder.path())
        .output()
        .expect("ran");
    check_end(&ran);
    let now = clients.counted();
    let summary = summary(&clients.output());
    let processes = summary["ranks"]["places"].as_array().cloned();
    let hosts: Vec<String> = processes
        .into_iter()
        .flatten()
        .filter_map(|place| Some(place["host"].as_str()?.to_string()))
        .collect();
    assert_eq!(hosts, ["hosta", "hostb"]);
    for (host, rank) in [(0, 1), (1, 2)] {
        let folder = rank_folder(&clients.output(), rank);
        let mut work = Work::default();
        work.add(&read_run(&folder).expect("the record of a rank"));
        let received = now[host][0] - before[host][0];
        assert!(
            work.reads > 0
                && (work.read_bytes..work.read_bytes + work.read_bytes / 10 + (1 << 20))
                    .contains(&received),
            "{received} bytes received by host {host}: {work:?}"
        );
    }
}
