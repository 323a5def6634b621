//! Does the NFS client survive a server that sends wrong replies? A proxy in front of a real nfs-ganesha changes them.
#![cfg(target_os = "linux")]
// Every lie has the form of one that changes the length.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::ptr_arg)]

#[path = "../../../testdata/peers/ganesha.rs"]
mod ganesha;
#[path = "../../../testdata/peers/nfs_4_0_lies.rs"]
mod nfs_4_0_lies;
#[path = "../../../testdata/peers/nfs_proxy.rs"]
mod nfs_proxy;
#[path = "../../../testdata/peers/ports.rs"]
mod ports;

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use ganesha::{Ganesha, in_own_network};
use nfs_4_0_lies::{REFUSED, RETURNED, delegates, expects_another_number};
use nfs_proxy::{Lie, proxy};
use plumb_load::share::ShareError;
use plumb_load::shares;
use plumb_model::target::remote::Remote;
use plumb_model::workload::{EngineChoice, NfsVersion};

fn number_at(answer: &[u8], at: usize) -> u32 {
    answer.get(at..at + 4).map_or(0, |bytes| {
        u32::from_be_bytes(bytes.try_into().expect("four"))
    })
}

/// All requests of a run to a share.
fn work(port: u16, server: &Ganesha) -> Result<(), ShareError> {
    work_by(port, server, &EngineChoice::default())
}

fn by_4_0() -> EngineChoice {
    EngineChoice {
        nfs: NfsVersion::V40,
        ..EngineChoice::default()
    }
}

/// By NFS 3, with MOUNT at this port.
fn by_3(mount_port: u16) -> EngineChoice {
    EngineChoice {
        nfs: NfsVersion::V3,
        mount_port,
        ..EngineChoice::default()
    }
}

fn through(port: u16, server: &Ganesha) -> Remote {
    server
        .address("data")
        .replace(&format!(":{}", server.port()), &format!(":{port}"))
        .parse()
        .expect("an address")
}

fn work_by(port: u16, server: &Ganesha, choice: &EngineChoice) -> Result<(), ShareError> {
    let share = shares::connect(&through(port, server), None, choice)?;
    share.lock().make_folder("plumb")?;
    let mut fill = |_: u64, piece: &mut [u8]| {
        piece.fill(7);
        true
    };
    share
        .lock()
        .write_file("plumb/x", true, 0, 300_000, &mut fill)?;
    let read = share.lock().read_file("plumb/x", 0, 1000)?;
    assert_eq!(read, vec![7; 1000]);
    share.lock().list("plumb")?;
    share.remove_all("plumb")
}

/// Peak of the memory of this process in bytes (VmHWM, proc_pid_status(5)).
fn peak_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a peak");
    line.trim()
        .trim_end_matches(" kB")
        .trim()
        .parse::<u64>()
        .expect("a number")
        << 10
}

/// The answer to CREATE_SESSION (operation 43) grants messages of 2 GiB and four thousand million slots.
fn grants_the_moon(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    const CREATE_SESSION: u32 = 43;
    if number_at(answer, 36) == CREATE_SESSION && number_at(answer, 40) == 0 {
        for at in [72, 76, 88] {
            answer[at..at + 4].copy_from_slice(&0x7fff_ffffu32.to_be_bytes());
        }
    }
}

/// The server refuses one call (RPC MSG_DENIED, AUTH_ERROR).
fn refuses(number: usize, answer: &mut Vec<u8>, of: usize, _: &mut Vec<Vec<u8>>) {
    if number == of {
        answer.truncate(8);
        for part in [1u32, 1, 5] {
            answer.extend(part.to_be_bytes());
        }
    }
}

/// One answer ends in the middle.
fn cuts(number: usize, answer: &mut Vec<u8>, of: usize, _: &mut Vec<Vec<u8>>) {
    if number == of {
        answer.truncate(answer.len() / 2);
    }
}

/// Every number of one answer is as large as it can be, but for that of the message.
fn inflates(number: usize, answer: &mut Vec<u8>, of: usize, _: &mut Vec<Vec<u8>>) {
    if number == of {
        answer.iter_mut().skip(28).for_each(|byte| *byte = 0xff);
    }
}

/// A WRITE (operation 38, done) confirms more bytes than were sent.
fn confirms_too_much(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    let done = [0, 0, 0, 38, 0, 0, 0, 0];
    if let Some(at) = answer.windows(done.len()).position(|part| part == done) {
        answer[at + 8..at + 12].copy_from_slice(&0x7fff_ffffu32.to_be_bytes());
    }
}

/// Names of a listing lead out of the folder: `x` becomes `/`.
fn lists_a_way_out(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    const READDIR: u32 = 26;
    if answer.windows(4).any(|part| part == READDIR.to_be_bytes()) {
        let name = [0, 0, 0, 1, b'x', 0, 0, 0];
        if let Some(at) = answer.windows(name.len()).position(|part| part == name) {
            answer[at + 4] = b'/';
        }
    }
}

/// Unrequested messages come before one reply: replies to calls that were never made.
fn floods(number: usize, _: &mut Vec<u8>, of: usize, before: &mut Vec<Vec<u8>>) {
    if number == of {
        before.extend(std::iter::repeat_n(
            vec![0xee, 0xee, 0xee, 0xee, 0, 0, 0, 1, 0, 0, 0, 0],
            100_000,
        ));
    }
}

/// Each page of a listing is the first one again, and none is the last.
fn lists_without_end(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    // Behind the heads of RPC and COMPOUND, SEQUENCE and PUTFH.
    const AT: usize = 24 + 12 + 44 + 8;
    const READDIR: u32 = 26;
    static FIRST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    if number_at(answer, AT) != READDIR || number_at(answer, AT + 4) != 0 {
        return;
    }
    let mut first = FIRST.lock().expect("whole");
    if first.is_empty() {
        *first = answer[AT..].to_vec();
    }
    answer.truncate(AT);
    answer.extend(first.iter());
    // The cookie of the last name stays, the flag of the end is taken off.
    let end = answer.len();
    answer[end - 1] = 0;
}

#[test]
fn a_server_that_sends_what_was_not_requested_is_left() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    for of in [0, 2, 6] {
        let error = work(
            proxy(format!("127.0.0.1:{}", server.port()), floods, of),
            &server,
        )
        .expect_err("refused")
        .to_string();
        assert!(
            error.contains("messages that are replies to no request"),
            "{error}"
        );
        let honest = server.address("data").parse().expect("an address");
        shares::connect(&honest, None, &EngineChoice::default())
            .and_then(|share| share.remove_all("plumb"))
            .expect("clean");
    }
}

#[test]
fn a_listing_without_end_has_one_here() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    std::fs::create_dir(server.data().join("many")).expect("folder");
    for number in 0..2000 {
        std::fs::write(server.data().join(format!("many/name-{number}")), "").expect("written");
    }
    let before = peak_bytes();
    let port = proxy(format!("127.0.0.1:{}", server.port()), lists_without_end, 0);
    let address = server
        .address("data")
        .replace(&format!(":{}", server.port()), &format!(":{port}"))
        .parse()
        .expect("an address");
    let share = shares::connect(&address, None, &EngineChoice::default()).expect("a share");
    let error = share.lock().list("many").expect_err("no end").to_string();
    assert!(
        error.contains("the server lists more than 1,048,576 names"),
        "{error}"
    );
    assert!(
        peak_bytes() - before < 512 << 20,
        "{} MiB",
        (peak_bytes() - before) >> 20
    );
}

#[test]
fn what_a_server_grants_beyond_what_was_asked_is_not_believed() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    let before = peak_bytes();
    let port = proxy(format!("127.0.0.1:{}", server.port()), grants_the_moon, 0);
    work(port, &server).expect("the share works all the same");
    assert!(
        peak_bytes() - before < 256 << 20,
        "{} MiB",
        (peak_bytes() - before) >> 20
    );
}

#[test]
fn answers_that_refuse_end_early_or_lie_are_errors_and_no_panic() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    let before = peak_bytes();
    for choice in [EngineChoice::default(), by_4_0()] {
        let mut failed = 0;
        for lie in [refuses as Lie, cuts, inflates] {
            for of in 0..14 {
                let port = proxy(format!("127.0.0.1:{}", server.port()), lie, of);
                failed += u32::from(work_by(port, &server, &choice).is_err());
                clean(&server);
            }
        }
        assert!(
            failed >= 30,
            "{failed} of 42 by {}: some lies are of answers that are asked for again",
            choice.nfs
        );
    }
    assert!(
        peak_bytes() - before < 256 << 20,
        "{} MiB",
        (peak_bytes() - before) >> 20
    );
}

#[test]
fn a_listing_that_leads_out_of_the_folder_is_refused() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    for choice in [EngineChoice::default(), by_4_0()] {
        let port = proxy(format!("127.0.0.1:{}", server.port()), lists_a_way_out, 0);
        let refused = work_by(port, &server, &choice).expect_err("refused");
        let error = refused.to_string();
        assert!(error.contains("a name that no file can have"), "{error}");
        clean(&server);
    }
}

#[test]
fn a_write_that_confirms_more_than_was_sent_is_an_error() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    for choice in [EngineChoice::default(), by_4_0()] {
        let port = proxy(format!("127.0.0.1:{}", server.port()), confirms_too_much, 0);
        let refused = work_by(port, &server, &choice).expect_err("refused");
        let error = refused.to_string();
        assert!(
            error.contains("confirmed 2,147,483,647 bytes of a WRITE of"),
            "{error}"
        );
        clean(&server);
    }
}

#[test]
fn nfs_4_0_returns_a_delegation_that_it_did_not_ask_for() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    let port = proxy(format!("127.0.0.1:{}", server.port()), delegates, 0);
    work_by(port, &server, &by_4_0()).expect("the share works all the same");
    assert_eq!(RETURNED.load(Ordering::Relaxed), 2, "written, and read");
}

#[test]
fn nfs_4_0_opens_by_another_owner_where_its_number_is_not_the_one_expected() {
    let Some(server) = Ganesha::start() else {
        return;
    };
    std::fs::write(server.data().join("file"), "content").expect("written");
    // The first reading fails after two OPENs, the second passes with its second one.
    let upstream = format!("127.0.0.1:{}", server.port());
    let port = proxy(upstream, expects_another_number, 3);
    let share = shares::connect(&through(port, &server), None, &by_4_0()).expect("a share");
    let refused = share.lock().read_file("file", 0, 100).expect_err("twice");
    assert!(
        refused.to_string().contains("NFS4ERR_BAD_SEQID"),
        "{refused}"
    );
    assert_eq!(
        share.lock().read_file("file", 0, 100).expect("read"),
        b"content"
    );
    assert_eq!(REFUSED.load(Ordering::Relaxed), 3);
    assert_eq!(
        share.lock().read_file("file", 0, 100).expect("again"),
        b"content"
    );
}

/// What a lie left behind is removed by the truth.
fn clean(server: &Ganesha) {
    let honest = server.address("data").parse().expect("an address");
    shares::connect(&honest, None, &EngineChoice::default())
        .and_then(|share| share.remove_all("plumb"))
        .expect("clean");
}

#[test]
fn nfs_3_takes_answers_that_refuse_end_early_or_lie_for_errors() {
    if !in_own_network("nfs_3_takes_answers_that_refuse_end_early_or_lie_for_errors") {
        return;
    }
    let server = Ganesha::start_3();
    work_by(server.port(), &server, &by_3(server.mount_port())).expect("without a lie");
    let before = peak_bytes();
    let mut failed = [0, 0];
    for lie in [refuses as Lie, cuts, inflates] {
        for of in 0..14 {
            let port = proxy(format!("127.0.0.1:{}", server.port()), lie, of);
            let result = work_by(port, &server, &by_3(server.mount_port()));
            failed[0] += u32::from(result.is_err());
            clean(&server);
        }
        // The exports, and the handle of one.
        for of in 0..2 {
            let mount = proxy(format!("127.0.0.1:{}", server.mount_port()), lie, of);
            let result = work_by(server.port(), &server, &by_3(mount));
            failed[1] += u32::from(result.is_err());
            clean(&server);
        }
    }
    assert!(
        failed[0] >= 18 && failed[1] == 6,
        "{failed:?} of 42 and 6: what only looks is asked again on a new connection"
    );
    assert!(
        peak_bytes() - before < 256 << 20,
        "{} MiB",
        (peak_bytes() - before) >> 20
    );
}

/// A WRITE of 300,000 bytes, UNSTABLE, confirms more: its count is the last number of that value in the answer.
fn confirms_too_much_by_3(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    let count = 300_000u32.to_be_bytes();
    if let Some(at) = answer.windows(4).rposition(|part| part == count) {
        answer[at..at + 4].copy_from_slice(&0x7fff_ffffu32.to_be_bytes());
    }
}

/// A name of a listing leads out of the folder: `x` becomes `/`.
fn lists_a_way_out_by_3(_: usize, answer: &mut Vec<u8>, _: usize, _: &mut Vec<Vec<u8>>) {
    let name = [0, 0, 0, 1, b'x', 0, 0, 0];
    if let Some(at) = answer.windows(name.len()).position(|part| part == name) {
        answer[at + 4] = b'/';
    }
}

/// A listing without end is bounded by the same code as that of NFS 4, above.
#[test]
fn nfs_3_believes_no_name_and_no_count_that_cannot_be() {
    if !in_own_network("nfs_3_believes_no_name_and_no_count_that_cannot_be") {
        return;
    }
    let server = Ganesha::start_3();
    let refused = |lie: Lie| {
        let port = proxy(format!("127.0.0.1:{}", server.port()), lie, 0);
        let result = work_by(port, &server, &by_3(server.mount_port()));
        clean(&server);
        result.expect_err("refused").to_string()
    };
    let error = refused(confirms_too_much_by_3);
    assert!(
        error.contains("confirmed 2,147,483,647 bytes of a WRITE of"),
        "{error}"
    );
    let error = refused(lists_a_way_out_by_3);
    assert!(error.contains("a name that no file can have"), "{error}");
}
