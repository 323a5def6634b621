//! Does Ctrl-C work while plumb waits for a frozen server, and is the record kept? On a Samba and an NFS server of the tests.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::ganesha::Ganesha;
use crate::plumb_in;
use crate::samba::{PASSWORD, Samba, is_installed};

/// Far more than it takes on a busy machine; without an answer to Ctrl-C it is a minute and more.
const SOON: Duration = Duration::from_secs(30);

/// A server that can be frozen (`STOP`) and thawed (`CONT`).
trait Freezes {
    fn signal(&self, name: &str);
}

impl Freezes for Samba {
    fn signal(&self, name: &str) {
        Samba::signal(self, name);
    }
}

impl Freezes for Ganesha {
    fn signal(&self, name: &str) {
        Ganesha::signal(self, name);
    }
}

fn started(folder: &Path, line: &str) -> Child {
    let prepared = plumb_in(folder, line);
    Command::new(prepared.get_program())
        .args(prepared.get_args())
        .env("PLUMB_PASSWORD", PASSWORD)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Interrupts a program that waits for a frozen server, and thaws the server once the program has ended.
fn interrupted(child: Child, server: &dyn Freezes) -> (Output, Duration) {
    let begun = Instant::now();
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(sent.success());
    let output = child.wait_with_output().expect("ended");
    let took = begun.elapsed();
    server.signal("CONT");
    (output, took)
}

#[test]
fn a_run_on_a_share_that_freezes_ends_by_an_interrupt_and_is_recorded() {
    if is_installed() {
        let server = Samba::start(&[]);
        ends_by_an_interrupt(
            &server,
            &server.address("share"),
            "smb-no-answer-after-stop",
        );
    }
}

#[test]
fn a_run_on_an_export_that_freezes_ends_by_an_interrupt_and_is_recorded() {
    if let Some(server) = Ganesha::start() {
        ends_by_an_interrupt(&server, &server.address("data"), "nfs-no-answer-after-stop");
    }
}

fn ends_by_an_interrupt(server: &dyn Freezes, address: &str, told: &str) {
    for polls in [false, true] {
        ends_however_it_waits(server, address, told, polls);
    }
}

fn ends_however_it_waits(server: &dyn Freezes, address: &str, told: &str, polls: bool) {
    let folder = tempfile::tempdir().expect("folder");
    let line = format!(
        "run --target {address} --set busy-poll={polls} --pattern random-read --size 1m --time 10m --interval 50ms --quiet --no-report --output out"
    );
    let mut child = started(folder.path(), &line);
    let ticks = folder.path().join("out/ticks.jsonl");
    while std::fs::metadata(&ticks).map_or(0, |file| file.len()) == 0 {
        assert!(child.try_wait().expect("waited").is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    server.signal("STOP");
    std::thread::sleep(Duration::from_millis(300));
    let (output, took) = interrupted(child, server);
    let error = String::from_utf8_lossy(&output.stderr);
    println!("{took:?}");
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(took < SOON, "{took:?}: {error}");
    // What was waited for, what stays there, and what was measured until then.
    assert!(
        error.contains("did not reply within") && error.contains("to remove them by hand"),
        "{error}"
    );
    let notes = std::fs::read_to_string(folder.path().join("out/notes.jsonl")).expect("notes");
    assert!(
        notes.contains(told) && notes.contains("\"event\":\"finished\""),
        "{notes}"
    );
    let ticks = std::fs::read_to_string(ticks).expect("ticks");
    assert!(ticks.lines().count() > 1, "{ticks}");
}

#[test]
fn every_verb_that_opens_a_share_ends_by_an_interrupt_while_the_server_is_frozen() {
    if is_installed() {
        let server = Samba::start(&[]);
        every_verb_ends(&server, &server.address("share"));
    }
}

#[test]
fn every_verb_that_opens_an_export_ends_by_an_interrupt_while_the_server_is_frozen() {
    if let Some(server) = Ganesha::start() {
        every_verb_ends(&server, &server.address("data"));
    }
}

fn every_verb_ends(server: &dyn Freezes, address: &str) {
    let folder = tempfile::tempdir().expect("folder");
    for line in [
        format!("run --target {address} --pattern random-read --time 1s --size 1m --output out"),
        format!("check {address} --output out"),
        format!("doctor {address}"),
    ] {
        server.signal("STOP");
        let mut child = started(folder.path(), &line);
        std::thread::sleep(Duration::from_millis(1500));
        assert!(
            child.try_wait().expect("waited").is_none(),
            "{line}: it waits for the server"
        );
        let (output, took) = interrupted(child, server);
        println!("{line}: {took:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{line}: {error}");
        assert!(
            error.contains("after the stop"),
            "{line}, {took:?}: {error}"
        );
        assert!(!folder.path().join("out").exists(), "nothing was recorded");
    }
}
