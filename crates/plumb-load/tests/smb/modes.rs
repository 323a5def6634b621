//! Does every way in which a server can go on for ever, or claim too much, come to an end with an error? A peer that answers by the book but for one thing.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plumb_load::engine::Wait;
use plumb_load::share::{ShareError, SharedShare};
use plumb_load::shares;
use plumb_model::workload::{EngineChoice, OperationKind};

use crate::bench::*;
use crate::hostile::{CONTENT_BYTES, good_answer};
use crate::middle::{Deed, between};
use crate::samba::{self, Samba};

const NEGOTIATE: u16 = 0;
const SESSION_SETUP: u16 = 1;
const CREATE: u16 = 5;
const READ: u16 = 8;
const QUERY_DIRECTORY: u16 = 14;

/// By then every case has ended, or never does.
const DEADLINE: Duration = Duration::from_secs(200);

/// How the peer answers one frame.
enum Say {
    Once(Vec<u8>),
    ForEver(Vec<u8>),
    /// A byte at a time.
    Trickle(Vec<u8>),
    Nothing,
}

/// Modifies a valid reply (with its length field) to a request of this command.
type Mode = dyn Fn(u16, &[u8], Vec<u8>) -> Say + Send + Sync;

fn serve(mut stream: TcpStream, mode: &Mode) -> Option<()> {
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length).ok()?;
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut frame).ok()?;
        let command = u16::from_le_bytes(frame.get(12..14)?.try_into().ok()?);
        match mode(command, &frame, good_answer(&frame, false, false, false)?) {
            Say::Once(answer) => stream.write_all(&answer).ok()?,
            Say::ForEver(answer) => loop {
                stream.write_all(&answer).ok()?;
            },
            Say::Trickle(answer) => {
                for byte in answer {
                    stream.write_all(&[byte]).ok()?;
                    std::thread::sleep(Duration::from_millis(300));
                }
            }
            Say::Nothing => {}
        }
    }
}

/// A peer in this mode; its address.
fn peer(mode: impl Fn(u16, &[u8], Vec<u8>) -> Say + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("address").port();
    let mode: Arc<Mode> = Arc::new(mode);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mode = mode.clone();
            std::thread::spawn(move || serve(stream, mode.as_ref()));
        }
    });
    format!("smb://127.0.0.1:{port}/share")
}

/// What comes of it, unless nothing ever does.
fn in_time<T: Send + 'static>(what: &str, act: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = crossbeam_channel::bounded(1);
    std::thread::spawn(move || sender.send(act()));
    receiver
        .recv_timeout(DEADLINE)
        .unwrap_or_else(|_| panic!("{what}: no end, or a panic"))
}

/// Connects to a peer in this mode and does something with the share: it must end in an error with this text.
fn ends(
    what: &str,
    text: &str,
    mode: impl Fn(u16, &[u8], Vec<u8>) -> Say + Send + Sync + 'static,
    act: impl FnOnce(SharedShare) -> Result<(), ShareError> + Send + 'static,
) {
    let address = peer(mode);
    let result = in_time(what, move || {
        shares::connect(&remote(&address), None, &EngineChoice::default()).and_then(act)
    });
    let error = result.expect_err(what).to_string();
    assert!(
        error.contains(text) && error.contains(": check "),
        "{what}: {error}"
    );
    assert!(
        !error.contains('\n') && error.len() < 1000,
        "{what}: {error}"
    );
}

fn connected(_: SharedShare) -> Result<(), ShareError> {
    Ok(())
}

fn looked(share: SharedShare) -> Result<(), ShareError> {
    share.lock().look_up("x").map(drop)
}

fn read(share: SharedShare) -> Result<(), ShareError> {
    share.lock().read_file("x", 0, CONTENT_BYTES).map(drop)
}

fn listed(share: SharedShare) -> Result<(), ShareError> {
    share.lock().list("").map(drop)
}

/// Reads by the engine. Returns the results and the events of the connection.
fn pulled(address: String) -> (Vec<Came>, String) {
    let bench = Bench::new(&address, "read", Some("x"));
    let buffers =
        plumb_load::engine::buffers::Buffers::new(DEPTH as usize, CONTENT_BYTES).expect("buffers");
    let mut engine = bench.open(&buffers).engine;
    // In place, and copied.
    let ops: Vec<_> = [CONTENT_BYTES as u32, 1000]
        .into_iter()
        .zip(0..)
        .map(|(len, slot)| op(OperationKind::Read, 0, len, slot))
        .collect();
    let mut done = Vec::new();
    engine.submit(&ops, &mut done).expect("submitted");
    engine.reap(Wait::One, &mut done).expect("reaped");
    engine.finish();
    let begun = Instant::now();
    while done.len() < ops.len() && begun.elapsed() < DEADLINE {
        engine.reap(Wait::One, &mut done).expect("reaped");
    }
    engine.close();
    let told = bench
        .connections()
        .into_iter()
        .map(|(_, text)| text)
        .collect::<Vec<_>>()
        .join("; ");
    (done.iter().map(came).collect(), told)
}

/// The engine's reads fail, and the journal has the reason.
fn fails(
    what: &str,
    text: &str,
    mode: impl Fn(u16, &[u8], Vec<u8>) -> Say + Send + Sync + 'static,
) {
    let address = peer(mode);
    let (results, told) = in_time(what, move || pulled(address));
    assert!(
        results.len() == 2 && results.iter().all(|result| result.is_err()),
        "{what}: {results:?} {told}"
    );
    assert!(told.contains(text), "{what}: {told}");
}

/// Only the first message of an answer.
fn alone(mut answer: Vec<u8>) -> Vec<u8> {
    let next = u32::from_le_bytes(answer[4 + 20..4 + 24].try_into().expect("next"));
    if next > 0 {
        answer.truncate(4 + next as usize);
        set(&mut answer, 20, &[0; 4]);
        answer[..4].copy_from_slice(&next.to_be_bytes());
    }
    answer
}

/// Sets a field of the first message of an answer.
fn set(answer: &mut [u8], at: usize, bytes: &[u8]) {
    answer[4 + at..4 + at + bytes.len()].copy_from_slice(bytes);
}

#[test]
fn credits_that_are_never_granted() {
    let grants_none_from = |first: u16| {
        move |command: u16, _: &[u8], mut answer: Vec<u8>| {
            let mut at = 0;
            loop {
                if command >= first {
                    set(&mut answer, at + 14, &[0, 0]);
                }
                match u32::from_le_bytes(answer[4 + at + 20..4 + at + 24].try_into().expect("next"))
                {
                    0 => return Say::Once(answer),
                    next => at += next as usize,
                }
            }
        }
    };
    ends(
        "none at all",
        "grants no more credits",
        grants_none_from(NEGOTIATE),
        connected,
    );
    // What was granted before is used up first.
    for (what, first) in [
        ("none after the login", SESSION_SETUP),
        ("none for files", CREATE),
    ] {
        ends(
            what,
            "grants no more credits",
            grants_none_from(first),
            |share| (0..200).try_for_each(|_| share.lock().look_up("x").map(drop)),
        );
    }
}

#[test]
fn work_that_never_ends() {
    let is_at_work = |at: u16| {
        move |command: u16, _: &[u8], mut answer: Vec<u8>| {
            if command != at {
                return Say::Once(answer);
            }
            set(&mut answer, 8, &0x103u32.to_le_bytes());
            answer[4 + 16] |= 2;
            Say::ForEver(alone(answer))
        }
    };
    ends(
        "NEGOTIATE",
        "none of which is a reply to a request",
        is_at_work(NEGOTIATE),
        connected,
    );
    ends(
        "SESSION_SETUP",
        "none of which is a reply to a request",
        is_at_work(SESSION_SETUP),
        connected,
    );
    ends(
        "CREATE",
        "none of which is a reply to a request",
        is_at_work(CREATE),
        looked,
    );
    fails(
        "READ",
        "none of which is a reply to a request",
        is_at_work(READ),
    );
    // Pending, and never to come later.
    let now = |command: u16, _: &[u8], mut answer: Vec<u8>| {
        if command == CREATE {
            set(&mut answer, 8, &0x103u32.to_le_bytes());
        }
        Say::Once(answer)
    };
    ends("pending, at once", "STATUS_PENDING", now, looked);
}

#[test]
fn a_byte_at_a_time() {
    let mode = |_: u16, _: &[u8], answer: Vec<u8>| Say::Trickle(answer);
    ends(
        "a byte at a time",
        "no reply for 10 s, except part of one",
        mode,
        connected,
    );
    let mode = |_: u16, _: &[u8], _: Vec<u8>| Say::Nothing;
    ends("nothing", "no reply for 10 s: ", mode, connected);
}

#[test]
fn lengths_beyond_all_measure() {
    let claims = |at: u16, len: u32| {
        move |command: u16, _: &[u8], mut answer: Vec<u8>| {
            if command != at {
                return Say::Once(answer);
            }
            answer[..4].copy_from_slice(&len.to_be_bytes());
            Say::ForEver(answer)
        }
    };
    for at in [NEGOTIATE, SESSION_SETUP, CREATE, READ] {
        for len in [0xff_ffff, 0xa0_0000, 63, 0] {
            let act = if at == READ { read } else { looked };
            ends(
                &format!("{at}: {len}"),
                &format!(
                    "a frame of {} bytes",
                    plumb_words::numbers::count(len.into())
                ),
                claims(at, len),
                act,
            );
        }
    }
    // What is allowed is no more than plumb uses.
    let generous = |command: u16, _: &[u8], mut answer: Vec<u8>| {
        if command == NEGOTIATE {
            set(&mut answer, 64 + 28, &[0xff; 12]);
        }
        Say::Once(answer)
    };
    let bench = Bench::new(&peer(generous), "read", Some("x"));
    let opened = bench.open(
        &plumb_load::engine::buffers::Buffers::new(DEPTH as usize, CONTENT_BYTES).expect("buffers"),
    );
    assert_eq!(opened.connection["read_max_bytes"], "8388608");
}

#[test]
fn messages_that_point_elsewhere() {
    for next in [1u32, 8, 63, 0x7fff_fff8, 0xffff_fff8, u32::MAX] {
        let mode = move |command: u16, _: &[u8], mut answer: Vec<u8>| {
            if command == CREATE {
                set(&mut answer, 20, &next.to_le_bytes());
            }
            Say::Once(answer)
        };
        ends(
            &format!("next {next}"),
            "the data received is not SMB",
            mode,
            looked,
        );
    }
    // Into the middle of the last message: what lies there is none.
    let mode = |command: u16, _: &[u8], mut answer: Vec<u8>| {
        if command == READ {
            set(&mut answer, 20, &72u32.to_le_bytes());
        }
        Say::Once(answer)
    };
    ends("into the data", "the data received is not SMB", mode, read);
}

#[test]
fn answers_that_was_not_requested() {
    let other = |id: u64, forever: bool| {
        move |command: u16, _: &[u8], mut answer: Vec<u8>| {
            if command != CREATE {
                return Say::Once(answer);
            }
            set(&mut answer, 24, &id.to_le_bytes());
            if forever {
                Say::ForEver(alone(answer))
            } else {
                Say::Once(answer)
            }
        }
    };
    ends(
        "another number",
        "which was never sent",
        other(12_345, false),
        looked,
    );
    ends(
        "the number of the login",
        "which was never sent",
        other(1, false),
        looked,
    );
    ends(
        "notices without end",
        "none of which is a reply to a request",
        other(u64::MAX, true),
        looked,
    );
    let signs_of_life = |command: u16, _: &[u8], answer: Vec<u8>| match command {
        CREATE => Say::ForEver(vec![0x85, 0, 0, 0]),
        _ => Say::Once(answer),
    };
    ends(
        "signs of life without end",
        "none of which is a reply to a request",
        signs_of_life,
        looked,
    );
    let another_session = |command: u16, _: &[u8], mut answer: Vec<u8>| {
        if command == CREATE {
            set(&mut answer, 40, &[9; 8]);
        }
        Say::Once(answer)
    };
    ends(
        "of another session",
        "a reply of another session",
        another_session,
        looked,
    );
}

/// An answer to QUERY_DIRECTORY with these names (MS-FSCC 2.4.17).
fn listing(request: &[u8], names: impl Iterator<Item = String>) -> Vec<u8> {
    let mut good = good_answer(request, false, true, false).expect("an answer");
    good.truncate(4 + 64 + 8);
    let mut start = good.len();
    for name in names {
        let next = (good.len() - start) as u32;
        if next > 0 {
            good[start..start + 4].copy_from_slice(&next.to_le_bytes());
        }
        start = good.len();
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        good.resize(start + 104, 0);
        good[start + 60..start + 64].copy_from_slice(&(units.len() as u32).to_le_bytes());
        good.extend_from_slice(&units);
        good.resize(good.len().next_multiple_of(8) + 4, 0);
        good.truncate(good.len() / 8 * 8 + 4);
    }
    let bytes = (good.len() - 4 - 64 - 8) as u32;
    set(&mut good, 64 + 4, &bytes.to_le_bytes());
    let len = (good.len() - 4) as u32;
    good[..4].copy_from_slice(&len.to_be_bytes());
    good
}

#[test]
fn listings_that_never_end() {
    // Memory is counted for the entire process.
    if !is_alone("modes::listings_that_never_end") {
        return;
    }
    // How many names an answer holds, and what they are; the first is another one each time where it begins with a digit.
    for (what, count, name) in [
        ("the same names", 2, "same".to_string()),
        ("none but the folder itself", 1, ".".to_string()),
        ("a name at a time", 1, "0".repeat(20)),
        ("long names", 100, "0".repeat(1000)),
    ] {
        let content = std::sync::Mutex::new((0_u64, Vec::new()));
        let mode = move |command: u16, request: &[u8], mut answer: Vec<u8>| {
            if command != QUERY_DIRECTORY {
                return Say::Once(answer);
            }
            let mut content = content.lock().expect("content");
            let (number, body) = &mut *content;
            if *number == 0 {
                *body =
                    listing(request, std::iter::repeat_n(name.clone(), count))[4 + 64..].to_vec();
            }
            *number += 1;
            if name.starts_with('0') {
                let digits: Vec<u8> = format!("{number:020}")
                    .bytes()
                    .flat_map(|digit| [digit, 0])
                    .collect();
                body[8 + 104..8 + 104 + 40].copy_from_slice(&digits);
            }
            answer.truncate(4 + 64);
            answer.extend_from_slice(body);
            set(&mut answer, 8, &[0; 4]);
            let len = (answer.len() - 4) as u32;
            answer[..4].copy_from_slice(&len.to_be_bytes());
            Say::Once(answer)
        };
        ends(what, "the server sends an endless listing", mode, listed);
    }
    let peak_kib = memory_kib("VmHWM:");
    assert!(peak_kib < 512 << 10, "{peak_kib} KiB");
}

#[test]
fn reads_that_bring_more_than_requested() {
    for excess in [1u32, 4096, 30_000] {
        let mode = move |command: u16, request: &[u8], mut answer: Vec<u8>| {
            if command != READ {
                return Say::Once(answer);
            }
            let asked = u32::from_le_bytes(request[68..72].try_into().expect("length"));
            answer.resize(4 + 64 + 16 + (asked + excess) as usize, 0x5a);
            set(&mut answer, 64 + 4, &(asked + excess).to_le_bytes());
            let len = (answer.len() - 4) as u32;
            answer[..4].copy_from_slice(&len.to_be_bytes());
            Say::Once(answer)
        };
        ends(
            &format!("{excess} more"),
            "in reply to a READ of",
            mode,
            read,
        );
        fails(&format!("{excess} more"), "in reply to a READ of", mode);
    }
}

#[test]
fn an_encrypted_message_of_another_session() {
    // Where none was agreed.
    let sealed = |command: u16, _: &[u8], mut answer: Vec<u8>| {
        if command == CREATE {
            set(&mut answer, 0, b"\xfdSMB");
        }
        Say::Once(answer)
    };
    ends(
        "where encryption was not negotiated",
        "an encrypted message where encryption was not negotiated",
        sealed,
        looked,
    );
    if !samba::is_installed() {
        return;
    }
    let server = Samba::start(&[]);
    let address = between(&server, "sealed", |message| {
        if message.is_answer && message.bytes.starts_with(b"\xfdSMB") {
            message.bytes[44] ^= 1;
        }
        Deed::Pass
    });
    let share =
        connect(&address, &EngineChoice::default()).unwrap_or_else(|error| panic!("{error}"));
    let error = in_time("another session", move || {
        share.lock().look_up("x").map(drop)
    })
    .expect_err("refused")
    .to_string();
    assert!(
        error.contains("an encrypted message of another session"),
        "{error}"
    );
    // The same with a byte of what is encrypted.
    let address = between(&server, "sealed", |message| {
        if message.is_answer && message.bytes.starts_with(b"\xfdSMB") {
            message.bytes[60] ^= 1;
        }
        Deed::Pass
    });
    let share =
        connect(&address, &EngineChoice::default()).unwrap_or_else(|error| panic!("{error}"));
    let error = in_time("another byte", move || share.lock().look_up("x").map(drop))
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("encrypted with another key: an encrypted message"),
        "{error}"
    );
}
