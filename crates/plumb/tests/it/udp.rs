//! Are messages over UDP those of fio's network engine, are lost ones counted, and is an end without a word noticed?

use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fio_pair::jobs;
use crate::{measured, plumb_in};

const FIO: &str = "fio";

/// A port at which nothing is bound.
fn free_port() -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.local_addr().expect("an address").port()
}

/// Sockets that the kernel lists at the port.
fn listening(port: u16) -> usize {
    let sockets = std::fs::read_to_string("/proc/net/udp").expect("sockets");
    let port = format!(":{port:04X} 00000000:0000");
    sockets.lines().filter(|line| line.contains(&port)).count()
}

fn wait_for(port: u16, sockets: usize) {
    let begun = Instant::now();
    while listening(port) < sockets {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing listens");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn has_fio() -> bool {
    let found = Command::new(FIO).arg("--version").output().is_ok();
    if !found {
        println!("skipped: fio is not installed");
    }
    found
}

/// A job of fio's command line, run by fio or by `plumb fio`.
fn start(program: &str, folder: &Path, port: u16, options: &str) -> Child {
    let mut command = match program {
        FIO => Command::new(FIO),
        _ => {
            let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
            command.arg("fio").env("PLUMB_FIO_RECORD", "off");
            command
        }
    };
    command
        .current_dir(folder)
        .args([
            "--name=j",
            "--ioengine=net",
            "--protocol=udp",
            "--bs=256",
            "--output-format=json",
        ])
        .arg(format!("--port={port}"))
        .args(options.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("started")
}

fn ended(child: Child) -> Output {
    let output = child.wait_with_output().expect("ended");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    output
}

/// Of the only job: messages of this direction, those dropped, and whether its latencies are those of messages.
fn counted(output: &Output, direction: &str) -> (u64, u64, f64) {
    let job = &jobs(output)[0];
    let number = |name: &str| job[direction][name].as_u64().expect("a count");
    let longest = job[direction]["clat_ns"]["max"].as_f64().expect("a time");
    (number("total_ios"), number("drop_ios"), longest / 1e9)
}

#[test]
fn fio_and_plumb_receive_what_the_other_sends_and_answer_it() {
    if !has_fio() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    for (sender, receiver) in [(FIO, "plumb"), ("plumb", FIO), ("plumb", "plumb")] {
        for pingpong in ["", "--pingpong=1"] {
            let port = free_port();
            let receives = format!("--rw=read --size=256k {pingpong}");
            let receives = start(receiver, folder.path(), port, &receives);
            wait_for(port, 1);
            // Until something is sent the receiver's time does not count.
            std::thread::sleep(Duration::from_millis(1500));
            let sends =
                format!("--rw=write --size=256k --hostname=127.0.0.1 --rate_iops=2000 {pingpong}");
            let sent = ended(start(sender, folder.path(), port, &sends));
            let received = ended(receives);
            let case = format!("{sender} to {receiver} {pingpong}");
            assert_eq!(counted(&sent, "write").0, 1024, "{case}");
            let (messages, dropped, longest_s) = counted(&received, "read");
            assert_eq!((messages, dropped), (1024, 0), "{case}");
            assert!(longest_s < 1.5, "{case}: {longest_s} s");
        }
    }
}

#[test]
fn a_group_gets_each_message_and_every_member_counts_those_that_are_missing() {
    // As fio numbers its messages: magic, number, length, little-endian, at the end.
    let message = |number: u64| {
        let mut message = [7u8; 256];
        for (at, value) in [0x6573_7571_6E55_6563, number, 256].into_iter().enumerate() {
            message[232 + 8 * at..][..8].copy_from_slice(&value.to_le_bytes());
        }
        message
    };
    let folder = tempfile::tempdir().expect("folder");
    let port = free_port();
    let receives =
        "--rw=read --size=256k --hostname=239.83.7.1 --interface=127.0.0.1 --window_size=1m";
    let members = match has_fio() {
        true => vec![FIO, "plumb", "plumb"],
        false => vec!["plumb", "plumb"],
    };
    let started: Vec<Child> = members
        .iter()
        .map(|program| start(program, folder.path(), port, receives))
        .collect();
    wait_for(port, members.len());
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let group: SocketAddr = format!("239.83.7.1:{port}").parse().expect("an address");
    let send = |bytes: &[u8]| {
        socket.send_to(bytes, group).expect("sent");
        std::thread::sleep(Duration::from_micros(200));
    };
    send(b"link\0\0\0\x98");
    // Of 400, 30 are missing: 100 to 109, and 300 to 319.
    for number in
        (0..400).filter(|number| !(100..110).contains(number) && !(300..320).contains(number))
    {
        send(&message(number));
    }
    send(b"knil\x89\0\0\0");
    for (program, child) in members.iter().zip(started) {
        let (messages, dropped, _) = counted(&ended(child), "read");
        assert_eq!((messages, dropped), (370, 30), "{program}");
    }
}

#[test]
fn plans_have_one_port_for_each_worker_and_say_what_was_lost() {
    let folder = tempfile::tempdir().expect("folder");
    let port = free_port();
    let line = format!(
        "run --target udp://127.0.0.1:{port} --mix receive --block 64 --workers 2 --operations 1000 --json --output received"
    );
    let receiver = {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
        command
            .current_dir(folder.path())
            .args(line.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command.spawn().expect("started")
    };
    wait_for(port, 1);
    wait_for(port + 1, 1);
    let sent = measured(plumb_in(
        folder.path(),
        &format!(
            "run --target udp://127.0.0.1:{port} --mix send --block 64 --workers 2 --rate 2000 --operations 1000 --json --output sent"
        ),
    ));
    let received = receiver.wait_with_output().expect("ended");
    let received: Value = serde_json::from_slice(&received.stdout).expect("JSON");
    let numbers =
        |summary: &Value, name: &str| summary["steps"][0]["connections"]["numbers"][name].as_f64();
    assert_eq!(numbers(&sent, "bytes_sent"), Some(64_000.0));
    assert_eq!(numbers(&sent, "messages_lost"), None);
    assert_eq!(numbers(&received, "bytes_received"), Some(64_000.0));
    assert_eq!(numbers(&received, "messages_lost"), Some(0.0));
    assert_eq!(received["steps"][0]["total"]["count"], 1000);
}

#[test]
fn nothing_that_listens_and_an_address_of_another_host_are_named() {
    let folder = tempfile::tempdir().expect("folder");
    let port = free_port();
    let mut command = plumb_in(
        folder.path(),
        &format!(
            "run --target udp://127.0.0.1:{port} --mix send --block 64 --operations 100 --output sent"
        ),
    );
    let output = command.output().expect("started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("messages came back")
            && errors.contains("start the job that receives first"),
        "{errors}"
    );
    for (line, why) in [
        (
            "--target udp://192.0.2.77 --mix receive --block 64",
            "udp://0.0.0.0:PORT",
        ),
        (
            "--target udp://239.1.1.1 --mix receive --block 64 --set multicast-interface=192.0.2.77",
            "multicast-interface",
        ),
        ("--target udp://127.0.0.1 --mix send --block 64k", "65507"),
        (
            "--target udp://127.0.0.1:65535 --mix send --block 64 --workers 2",
            "worker 2",
        ),
    ] {
        let line = format!("run {line} --time 1s --output out");
        let output = plumb_in(folder.path(), &line).output().expect("started");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "{line}");
        assert!(errors.replace(',', "").contains(why), "{line}: {errors}");
        let _ = std::fs::remove_dir_all(folder.path().join("out"));
    }
}
