//! Does a server that freezes, or drops every connection, block anything? A real server, and a proxy that stops forwarding messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use plumb_load::engine::Wait;
use plumb_load::engine::operation::Done;
use plumb_load::engine::stop_request::StopRequest;
use plumb_load::share::ShareError;
use plumb_load::shares;
use plumb_model::workload::{EngineChoice, OperationKind, Protection};

use crate::bench::*;
use crate::middle::{Deed, Message, SESSION_SETUP, between};
use crate::samba::{self, Samba};

const TREE_CONNECT: u16 = 3;
const CREATE: u16 = 5;
const CLOSE: u16 = 6;
const READ: u16 = 8;
/// Far more than it takes on a busy machine, and less than any wait for silence.
const SOON: Duration = Duration::from_secs(8);
/// Message for a server that did not respond after the stop request.
const NOT_WAITED_FOR: &str = "after the stop";

/// Freezes everything, on every connection, from a message on.
#[derive(Clone, Default)]
struct Frost(Arc<AtomicBool>);

impl Frost {
    fn is_here(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The share of a server that freezes at the `count`th request of `command`.
    fn before(&self, server: &Samba, command: u16, count: usize) -> String {
        let (frost, asked) = (self.clone(), AtomicUsize::new(0));
        between(server, "share", move |message: &mut Message| {
            if message.asks(command) && asked.fetch_add(1, Ordering::Relaxed) + 1 == count {
                frost.begin();
            }
            while frost.is_here() {
                std::thread::sleep(Duration::from_millis(20));
            }
            Deed::Pass
        })
    }

    /// Makes the request as soon as the server is frozen.
    fn then_ask_for_the_end(&self) -> StopRequest {
        let (frost, flag) = (self.clone(), Arc::new(AtomicBool::new(false)));
        let request = StopRequest::new(flag.clone());
        std::thread::spawn(move || {
            while !frost.is_here() {
                std::thread::sleep(Duration::from_millis(20));
            }
            flag.store(true, Ordering::Relaxed);
        });
        request
    }
}

fn connect_until(
    stop: &StopRequest,
    address: &str,
) -> Result<plumb_load::share::SharedShare, ShareError> {
    shares::connect_unless(
        stop,
        &remote(address),
        Some(&secret()),
        &EngineChoice::default(),
    )
}

#[test]
fn nobody_waits_for_a_frozen_server_once_a_stop_is_requested() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    for (command, count) in [
        (0, 1),
        (SESSION_SETUP, 1),
        (SESSION_SETUP, 2),
        (TREE_CONNECT, 1),
    ] {
        let frost = Frost::default();
        let address = frost.before(&server, command, count);
        let stop = frost.then_ask_for_the_end();
        let begun = Instant::now();
        let error = connect_until(&stop, &address).err();
        let text = error.expect("no share").to_string();
        assert!(frost.is_here(), "command {command} was asked");
        assert!(text.contains(NOT_WAITED_FOR), "command {command}: {text}");
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
}

#[test]
fn what_stays_on_a_frozen_server_is_reported_at_once_and_asked_for_no_more() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    std::fs::write(server.share().join("file"), "content").expect("file");
    let frost = Frost::default();
    let address = frost.before(&server, CREATE, 2);
    let stop = frost.then_ask_for_the_end();
    let share = connect_until(&stop, &address).expect("a share");
    assert!(share.lock().look_up("file").expect("found").is_some());
    let begun = Instant::now();
    for _ in 0..20 {
        let error = share.lock().remove_file("file").expect_err("frozen");
        assert!(error.to_string().contains(NOT_WAITED_FOR), "{error}");
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[test]
fn operations_on_a_frozen_server_end_soon_after_a_stop_is_requested() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let frost = Frost::default();
    let mut bench = Bench::new(&frost.before(&server, READ, 3), "read", Some("file"));
    bench.stop = frost.then_ask_for_the_end();
    let buffers = buffers();
    let mut engine = bench.open(&buffers).engine;
    let ops = &blocks(OperationKind::Read)[..DEPTH as usize];
    let mut done: Vec<Done> = Vec::new();
    engine.submit(ops, &mut done).expect("submitted");
    engine.finish();
    let begun = Instant::now();
    while done.len() < ops.len() {
        engine.reap(Wait::One, &mut done).expect("reaped");
        assert!(begun.elapsed() < SOON, "{} came back", done.len());
    }
    engine.close();
    assert!(frost.is_here() && begun.elapsed() < SOON);
    let told = bench.connections();
    assert!(
        told.iter().any(|(_, text)| text.contains(NOT_WAITED_FOR)),
        "{told:?}"
    );
}

#[test]
fn a_file_that_a_frozen_server_does_not_close_is_left_to_it() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let frost = Frost::default();
    let bench = Bench::new(&frost.before(&server, CLOSE, 1), "read", Some("file"));
    let mut buffers = buffers();
    let mut engine = bench.open(&buffers).engine;
    read_blocks(engine.as_mut(), &mut buffers);
    let begun = Instant::now();
    close(engine);
    assert!(frost.is_here(), "CLOSE was asked");
    // No stop is requested; elsewhere the timeout is a minute.
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_server_that_drops_each_connection_is_not_stormed() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    make_file(&server);
    let (opened, dropped) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    let (count, drops) = (opened.clone(), dropped.clone());
    let address = between(&server, "share", move |message: &mut Message| {
        if message.asks(TREE_CONNECT) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        // An answer to nothing makes the client hang up.
        if message.asks(READ) {
            drops.fetch_add(1, Ordering::Relaxed);
            return Deed::Answer(b"\xfeSMB no answer at all".to_vec());
        }
        Deed::Pass
    });
    let bench = Bench::new(&address, "read", Some("file"));
    let buffers = buffers();
    let mut engine = bench.open(&buffers).engine;
    let op = blocks(OperationKind::Read)[0];
    let begun = Instant::now();
    let mut failed = 0;
    while begun.elapsed() < Duration::from_secs(4) {
        let mut done: Vec<Done> = Vec::new();
        engine.submit(&[op], &mut done).expect("submitted");
        while done.is_empty() && begun.elapsed() < Duration::from_secs(4) {
            engine.reap(Wait::One, &mut done).expect("reaped");
        }
        failed += done.len();
        if done.is_empty() {
            break;
        }
    }
    close(engine);
    let (opened, dropped) = (
        opened.load(Ordering::Relaxed),
        dropped.load(Ordering::Relaxed),
    );
    assert!(
        failed >= 2 && dropped >= 2,
        "{failed} failed, {dropped} dropped"
    );
    // Pauses of 0.1, 0.2, 0.4, 0.8, 1, ... s. Without them 40 to 60 in a second.
    assert!(opened <= 12, "{opened} connections in 4 s");
}

#[test]
fn nonsense_in_a_signed_session_is_not_another_protocol() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    std::fs::write(server.share().join("file"), "content").expect("file");
    let choice = EngineChoice {
        signing: Protection::Yes,
        ..EngineChoice::default()
    };
    // The number of the message, the session, and the signature itself.
    for at in [24, 40, 48] {
        let address = between(&server, "share", move |message: &mut Message| {
            if message.grants(CREATE) {
                message.bytes[at] ^= 0x10;
            }
            Deed::Pass
        });
        let share = connect(&address, &choice).expect("a share");
        let text = share
            .lock()
            .look_up("file")
            .expect_err("changed")
            .to_string();
        assert!(
            text.contains("modified in transit, or signed or encrypted with another key"),
            "byte {at}: {text}"
        );
        assert!(!text.contains("(445)"), "byte {at}: {text}");
    }
}

#[test]
fn a_server_with_few_credits_is_filled_read_and_distinguished() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["smb2 max credits = 8"]);
    let share = open_share(&server);
    let len = BLOCKS * u64::from(BLOCK);
    assert!(write(&share, "file", true, 0, len).expect("written"));
    assert!(is_whole(&server));
    let read = share
        .lock()
        .read_file("file", 0, len as usize)
        .expect("read");
    assert_eq!(read.len() as u64, len);
    let mut buffers = buffers();
    let bench = Bench::new(&server.address("share"), "read", Some("file"));
    let mut engine = bench.open(&buffers).engine;
    read_blocks(engine.as_mut(), &mut buffers);
    let numbers = close(engine).account.numbers;
    // 8 operations of 4 credits each at once, and 8 credits.
    assert!(numbers["credit_waits"] >= 4.0, "{numbers:?}");
    assert!(
        numbers["credit_wait_s"] > 0.0 && numbers["on_wire_s"] > 0.0,
        "{numbers:?}"
    );
    assert_eq!(numbers["split_operations"], 0.0, "{numbers:?}");
}

#[test]
fn blocks_that_the_server_does_not_take_at_once_are_counted() {
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&["smb2 max read = 65536"]);
    make_file(&server);
    let mut buffers = buffers();
    let bench = Bench::new(&server.address("share"), "read", Some("file"));
    let opened = bench.open(&buffers);
    assert_eq!(opened.connection["read_max_bytes"], "65536");
    let mut engine = opened.engine;
    read_blocks(engine.as_mut(), &mut buffers);
    let numbers = close(engine).account.numbers;
    assert_eq!(numbers["split_operations"], BLOCKS as f64, "{numbers:?}");
}
