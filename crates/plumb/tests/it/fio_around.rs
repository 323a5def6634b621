//! Does `plumb fio` match fio around the load: commands, required files, memory, network peers, a full target?

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::fio_pair::{jobs, json_by_fio as by_fio, json_by_plumb};
use crate::ganesha::Ganesha;
use crate::{fixtures, plumb, plumb_in};

/// With the record elsewhere.
fn by_plumb(folder: &Path, line: &str) -> Output {
    let record = tempfile::tempdir().expect("folder");
    let out = record.path().join("out");
    json_by_plumb(folder, &format!("--plumb-output={} {line}", out.display()))
}

#[test]
fn commands_of_a_job_are_run_where_they_are_allowed() {
    let line = "--name=a --size=64k --exec_prerun=echo~before --exec_postrun=(echo~after;false)";
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let refused = by_plumb(folders[0].path(), line);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("--allow-exec"), "{said}");
    let done = by_plumb(folders[0].path(), &format!("--allow-exec {line}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    let left = |folder: &Path| {
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
        (read("a.prerun.txt"), read("a.postrun.txt"))
    };
    let expected = ("before\n".to_string(), "after\n".to_string());
    assert_eq!(left(folders[0].path()), expected);
    if let Some(of_fio) = by_fio(folders[1].path(), line) {
        assert_eq!(of_fio.status.code(), Some(0));
        assert_eq!(left(folders[1].path()), expected);
    }
}

/// fio writes over whatever has the name.
#[test]
fn the_output_of_a_command_is_not_written_over_files_of_others() {
    let folder = tempfile::tempdir_in(".").expect("folder");
    let line = "--allow-exec --name=a --size=64k --exec_prerun=echo~before";
    let output = folder.path().join("a.prerun.txt");
    fs::write(&output, "notes of mine\n").expect("written");
    let refused = by_plumb(folder.path(), line);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("a.prerun.txt: exists"), "{said}");
    let left = || fs::read_to_string(&output).expect("read");
    assert_eq!(left(), "notes of mine\n");
    assert!(!folder.path().join("a.0.0").exists(), "nothing ran");
    // With the word of the user, and then again over plumb's own.
    for options in ["--overwrite", ""] {
        let done = by_plumb(folder.path(), &format!("{options} {line}"));
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{said}");
        assert_eq!(left(), "before\n");
    }
}

#[test]
fn the_page_cache_is_dropped_without_a_shell() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "--name=a --size=64k --exec_prerun=sync;echo~1~>/proc/sys/vm/drop_caches";
    let done = by_plumb(folder.path(), line);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(!folder.path().join("a.prerun.txt").exists());
}

/// The offsets of the writes of an iolog.
fn places(folder: &Path) -> Vec<String> {
    let log = fs::read_to_string(folder.join("log")).expect("a log");
    let writes = log.lines().filter(|line| line.contains(" write "));
    writes
        .map(|line| line.split(' ').rev().nth(1).unwrap_or_default().to_string())
        .collect()
}

#[test]
fn identical_places_come_again_as_often_as_under_fio() {
    let line = "--name=a --size=256k --rw=randwrite:4 --rw_sequencer=identical --write_iolog=log";
    let runs = |places: &[String]| {
        let mut lengths = Vec::new();
        for of_one in places.chunk_by(|one, other| one == other) {
            lengths.push(of_one.len());
        }
        lengths
    };
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    assert_eq!(by_plumb(folders[0].path(), line).status.code(), Some(0));
    let own = runs(&places(folders[0].path()));
    assert_eq!(own, vec![4; 16]);
    if by_fio(folders[1].path(), line).is_some() {
        assert_eq!(runs(&places(folders[1].path())), own);
    }
}

#[test]
fn files_are_not_made_where_that_is_not_allowed() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let line = "--name=a --size=64k --allow_file_create=0";
    let refused = by_plumb(folders[0].path(), line);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("a.0.0 does not exist"), "{said}");
    assert_eq!(refused.status.code(), Some(1));
    let of_fio = by_fio(folders[1].path(), line);
    assert!(of_fio.is_none_or(|output| output.status.code() == Some(1)));
    fs::write(folders[0].path().join("a.0.0"), vec![1; 64 << 10]).expect("written");
    let done = by_plumb(folders[0].path(), line);
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(jobs(&done)[0]["read"]["total_ios"], 16);
}

#[test]
fn memory_is_taken_from_the_nodes_that_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    let line = "--name=a --size=64k --numa_mem_policy=bind:0";
    let done = by_plumb(folder.path(), line);
    let said = String::from_utf8_lossy(&done.stderr);
    // A container may forbid the call (its seccomp filter).
    if said.contains("memory policy") {
        println!("skipped: memory policies are not permitted here: {said}");
        return;
    }
    assert_eq!(done.status.code(), Some(0), "{said}");
    let line = "--name=a --size=64k --numa_mem_policy=bind:900";
    let failed = by_plumb(folder.path(), line);
    let said = String::from_utf8_lossy(&failed.stderr);
    assert_eq!(failed.status.code(), Some(1), "{said}");
    assert!(said.contains("memory policy bind:900"), "{said}");
}

#[test]
fn operations_on_files_count_as_under_fio() {
    for line in [
        "--name=a --ioengine=filecreate --filesize=4k --nrfiles=10",
        "--name=a --ioengine=filecreate --filesize=4k --nrfiles=10 --numjobs=2",
        "--name=a --ioengine=filestat --filesize=4k --nrfiles=10",
        "--name=a --ioengine=filedelete --filesize=4k --nrfiles=10",
        "--name=a --ioengine=filecreate --filesize=4k --nrfiles=10 --rw=write",
    ] {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
        let counts = |output: &Output| {
            let of = |job: &Value| ["read", "write"].map(|kind| job[kind]["total_ios"].clone());
            jobs(output).iter().map(of).collect::<Vec<_>>()
        };
        let own = counts(&by_plumb(folders[0].path(), line));
        if let Some(of_fio) = by_fio(folders[1].path(), line) {
            assert_eq!(own, counts(&of_fio), "{line}");
        }
    }
}

/// fio 3.33 has no operations on directories: those of later versions (engines/diroperations.c) count one for each name, without bytes of content.
#[test]
fn operations_on_directories_count_one_for_each() {
    for (line, counts) in [
        ("--ioengine=dircreate", [10, 0]),
        (
            "--ioengine=dircreate --rw=write --numjobs=2 --group_reporting",
            [0, 20],
        ),
        ("--ioengine=dirstat", [10, 0]),
        ("--ioengine=dirdelete", [10, 0]),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let line = format!("--name=a --nrfiles=10 {line}");
        let done = by_plumb(folder.path(), &line);
        let found = jobs(&done);
        let of = ["read", "write"].map(|kind| found[0][kind]["total_ios"].as_u64());
        assert_eq!(of, counts.map(Some), "{line}");
        assert_eq!(found[0]["read"]["io_bytes"], 0, "{line}");
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0, "{line}");
    }
}

#[test]
fn pauses_and_a_rate_go_together() {
    for (line, least_ms) in [
        (
            "--name=a --size=64k --rw=write --thinktime=100 --rate_iops=80",
            150,
        ),
        (
            "--name=a --size=64k --rw=write --thinktime=20000 --rate_iops=1000",
            250,
        ),
    ] {
        let folder = tempfile::tempdir().expect("folder");
        let done = by_plumb(folder.path(), line);
        let jobs = jobs(&done);
        assert_eq!(jobs[0]["write"]["total_ios"], 16, "{line}");
        let took_ms = jobs[0]["write"]["runtime"].as_u64().expect("a time");
        assert!(took_ms >= least_ms, "{line}: {took_ms} ms");
    }
}

#[test]
fn without_room_the_result_says_so() {
    if !fixtures::may_mount("without room the result says so") {
        return;
    }
    let line = "--name=a --size=64m --rw=read --name=b --size=1m";
    let disk = fixtures::Mounted::tmpfs("size=4m");
    let own = by_plumb(disk.path(), line);
    assert_eq!(own.status.code(), Some(1));
    let errors: Vec<Value> = jobs(&own).iter().map(|job| job["error"].clone()).collect();
    assert_eq!(errors, [28, 28]);
    assert_eq!(jobs(&own)[0]["read"]["total_ios"], 0);
}

#[test]
fn messages_go_from_the_side_that_sends_to_the_side_that_listens() {
    let port = {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        socket.local_addr().expect("an address").port()
    };
    let folder = tempfile::tempdir().expect("folder");
    let text = format!(
        "[global]\nioengine=net\nport={port}\nprotocol=tcp\nbs=4k\nsize=1m\n[receiver]\nlisten\nrw=read\n[sender]\nhostname=127.0.0.1\nrw=write\n"
    );
    fs::write(folder.path().join("net.fio"), &text).expect("written");
    let done = by_plumb(folder.path(), "net.fio");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    let jobs = jobs(&done);
    let names: Vec<&Value> = jobs.iter().map(|job| &job["jobname"]).collect();
    assert_eq!(names, ["receiver", "sender"]);
    for (number, kind) in [(0, "read"), (1, "write")] {
        let side = &jobs[number][kind];
        assert_eq!(side["total_ios"], 256, "{kind}");
        assert_eq!(side["io_bytes"], 1 << 20, "{kind}");
        assert!(side["bw"].as_u64() > Some(0), "{side}");
    }
    assert!(said.contains("listens on port"), "{said}");
    // `plumb run` serves nobody.
    let run = plumb_in(folder.path(), "run net.fio")
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&run.stderr);
    assert_ne!(run.status.code(), Some(0));
    assert!(said.contains("plumb serve-net"), "{said}");
}

/// Each message comes back, and counts once on either side.
#[test]
fn messages_that_come_back_count_once() {
    let port = {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        socket.local_addr().expect("an address").port()
    };
    let folder = tempfile::tempdir().expect("folder");
    let text = format!(
        "[global]\nioengine=net\nport={port}\npingpong=1\nbs=4k\nsize=1m\n[receiver]\nlisten\nrw=read\n[sender]\nhostname=127.0.0.1\nrw=write\n"
    );
    fs::write(folder.path().join("net.fio"), &text).expect("written");
    let done = by_plumb(folder.path(), "net.fio");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    let jobs = jobs(&done);
    for (number, kind, other) in [(0, "read", "write"), (1, "write", "read")] {
        let job = &jobs[number];
        assert_eq!(job[kind]["total_ios"], 256, "{job}");
        assert_eq!(job[kind]["io_bytes"], 1 << 20, "{job}");
        assert_eq!(job[other]["total_ios"], 0, "{job}");
    }
}

/// A command line that only listens ends when its client has gone, with what it received.
#[test]
fn the_side_that_listens_alone_has_figures_too() {
    let port = {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        socket.local_addr().expect("an address").port()
    };
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("folder"));
    let job = format!("--name=a --ioengine=net --port={port} --bs=4k --size=1m");
    let listens = format!("fio --output-format=json {job} --listen --rw=read");
    let mut listening = Command::new(plumb().get_program())
        .args(listens.split(' '))
        .current_dir(folders[0].path())
        .env("PLUMB_FIO_RECORD", "off")
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let sends = format!("{job} --hostname=127.0.0.1 --rw=write");
    let is_sent = (0..50).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(200));
        by_plumb(folders[1].path(), &sends).status.code() == Some(0)
    });
    if !is_sent {
        listening.kill().expect("killed");
    }
    let heard = listening.wait_with_output().expect("ended");
    assert!(is_sent, "{heard:?}");
    assert_eq!(heard.status.code(), Some(0));
    let jobs = jobs(&heard);
    assert_eq!(jobs[0]["read"]["io_bytes"], 1 << 20);
    assert_eq!(jobs[0]["read"]["total_ios"], 256);
    assert_eq!(jobs[0]["write"]["io_bytes"], 0);
}

#[test]
fn the_engine_nfs_works_on_an_export() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let address = server.address("data");
    for (options, expected) in [
        ("--rw=write", (0, 256)),
        ("--rw=randread --iodepth=4 --filename=x", (256, 0)),
    ] {
        let line = format!("--name=n --ioengine=nfs --nfs_url={address} --size=1m {options}");
        let done = by_plumb(folder.path(), &line);
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{line}: {said}");
        let job = &jobs(&done)[0];
        let count = |kind: &str| job[kind]["total_ios"].as_u64().expect("a count");
        assert_eq!((count("read"), count("write")), expected, "{line}");
    }
}
