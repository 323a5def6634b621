//! Is a server that sends nonsense survived? A peer that replies correctly, and then breaks off, sends wrong lengths, flips bits or sends something else.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use plumb_load::engine::Wait;
use plumb_load::shares;
use plumb_model::workload::{EngineChoice, OperationKind};

use crate::bench::*;

/// Cases, and how many at once.
const CASES: u64 = 3000;
const PEERS: u64 = 32;
pub const CONTENT_BYTES: usize = 20_000;

/// A CHALLENGE_MESSAGE (MS-NLMP 2.2.1.2) with a time stamp.
const CHALLENGE: &[u8] = b"NTLMSSP\0\x02\0\0\0\0\0\0\0\x38\0\0\0\x35\x82\x88\xe2\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0\0\0\0\0\x10\0\x10\0\x38\0\0\0\0\0\0\0\0\0\0\x0f\
\x07\0\x08\0\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\0";

/// A header and the shortest body (MS-SMB2 2.2.28, an echo).
const SHORTEST_REQUEST_BYTES: usize = 64 + 4;

/// A small generator: the cases are the same every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// The body of a good answer to a request; the share is open to guests, so nothing is signed.
fn body(command: u16, request: &[u8], newest: bool) -> Vec<u8> {
    let mut body = vec![0; 256];
    let put = |body: &mut Vec<u8>, at: usize, bytes: &[u8]| {
        body[at..at + bytes.len()].copy_from_slice(bytes)
    };
    match command {
        0 => {
            body.truncate(64);
            put(&mut body, 0, &65u16.to_le_bytes());
            put(&mut body, 2, &[1, 0]);
            put(
                &mut body,
                4,
                &if newest { 0x311u16 } else { 0x210 }.to_le_bytes(),
            );
            put(&mut body, 24, &0x44u32.to_le_bytes());
            for at in [28, 32, 36] {
                put(&mut body, at, &(1u32 << 20).to_le_bytes());
            }
            put(&mut body, 56, &128u16.to_le_bytes());
            if newest {
                put(&mut body, 6, &[3, 0]);
                put(&mut body, 60, &128u32.to_le_bytes());
                for (kind, data) in [
                    (1u16, &[1u8, 0, 4, 0, 1, 0, 9, 9, 9, 9][..]),
                    (2, &[1, 0, 2, 0]),
                    (8, &[1, 0, 2, 0]),
                ] {
                    body.resize(body.len().next_multiple_of(8), 0);
                    body.extend_from_slice(&kind.to_le_bytes());
                    body.extend_from_slice(&(data.len() as u16).to_le_bytes());
                    body.extend_from_slice(&[0; 4]);
                    body.extend_from_slice(data);
                }
            }
        }
        // A guest.
        1 => {
            body.truncate(8);
            put(&mut body, 0, &[9, 0, 1, 0, 72]);
        }
        3 => {
            body.truncate(16);
            put(&mut body, 0, &[16, 0, 1]);
        }
        5 => {
            body.truncate(88);
            put(&mut body, 0, &[89, 0]);
            put(&mut body, 48, &(CONTENT_BYTES as u64).to_le_bytes());
            put(&mut body, 64, &[7; 16]);
        }
        8 => {
            let asked = u32::from_le_bytes(request[68..72].try_into().expect("length")) as usize;
            let data = vec![0x5a; asked.min(CONTENT_BYTES)];
            body.truncate(16);
            put(&mut body, 0, &[17, 0, 80]);
            put(&mut body, 4, &(data.len() as u32).to_le_bytes());
            body.extend_from_slice(&data);
        }
        14 | 16 => {
            body.truncate(8 + 232);
            put(&mut body, 0, &[9, 0, 72, 0, 232, 0]);
            // Two names of one letter.
            put(&mut body, 8, &[120]);
            for at in [8, 128] {
                put(&mut body, at + 60, &[2]);
                put(&mut body, at + 104, &[b'n', 0]);
            }
        }
        _ => body.truncate(60),
    }
    body
}

/// A good answer to a frame of requests, with its length field; `None` to what is no SMB2, as the negotiation of SMB1.
pub fn good_answer(
    frame: &[u8],
    newest: bool,
    lists_forever: bool,
    challenges: bool,
) -> Option<Vec<u8>> {
    let mut answer = vec![0; 4];
    let mut at = 0;
    loop {
        let request = frame
            .get(at..)
            .filter(|request| request.len() >= SHORTEST_REQUEST_BYTES)?;
        let next = u32::from_le_bytes(request[20..24].try_into().ok()?) as usize;
        let command = u16::from_le_bytes(request[12..14].try_into().ok()?);
        let start = answer.len();
        answer.extend_from_slice(&request[..64]);
        answer[start + 8..start + 12].fill(0);
        answer[start + 14..start + 16].copy_from_slice(&64u16.to_le_bytes());
        answer[start + 16] |= 1;
        answer.extend_from_slice(&body(command, request, newest));
        // The first answer to a login may be a challenge: STATUS_MORE_PROCESSING_REQUIRED.
        if command == 1 && challenges {
            answer[start + 8..start + 12].copy_from_slice(&0xC000_0016u32.to_le_bytes());
            answer[start + 70] = CHALLENGE.len() as u8;
            answer.extend_from_slice(CHALLENGE);
        }
        // QUERY_DIRECTORY continued: STATUS_NO_MORE_FILES.
        if command == 14 && request[67] == 0 && !lists_forever {
            answer[start + 8..start + 12].copy_from_slice(&0x8000_0006u32.to_le_bytes());
        }
        if next == 0 {
            break;
        }
        while !(answer.len() - start).is_multiple_of(8) {
            answer.push(0);
        }
        let distance = (answer.len() - start) as u32;
        answer[start + 20..start + 24].copy_from_slice(&distance.to_le_bytes());
        at += next;
    }
    let len = (answer.len() - 4) as u32;
    answer[..4].copy_from_slice(&len.to_be_bytes());
    Some(answer)
}

/// What the peer does to one of its answers.
fn mangle(frame: &mut Vec<u8>, dice: &mut Dice) -> bool {
    match dice.below(9) {
        0 => {
            for _ in 0..1 + dice.below(4) {
                let at = dice.below(frame.len());
                frame[at] ^= 1 << dice.below(8);
            }
        }
        1 => frame.truncate(dice.below(frame.len())),
        2 => (0..1 + dice.below(200)).for_each(|_| frame.push(dice.next() as u8)),
        3 => frame[1..4].copy_from_slice(&dice.next().to_le_bytes()[..3]),
        4 => {
            let at = 4 + dice.below(frame.len().saturating_sub(12).max(1));
            let lie = [0, 1, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, u64::MAX][dice.below(7)];
            let end = (at + 8).min(frame.len());
            frame[at..end].copy_from_slice(&lie.to_le_bytes()[..end - at]);
        }
        5 => *frame = (0..dice.below(2000)).map(|_| dice.next() as u8).collect(),
        6 => {
            let again = frame.clone();
            frame.extend_from_slice(&again);
        }
        // Another status: pending forever, or a failure.
        7 => frame[12..16].copy_from_slice(
            &[0x103u32, 0xC000_0022, 0x8000_0005, 0xC000_0203][dice.below(4)].to_le_bytes(),
        ),
        _ => return false,
    }
    true
}

/// Answers one client, and mangles its answer number `victim`. Disconnects when the client sends nothing for a while.
fn serve(mut stream: TcpStream, mut dice: Dice) -> Option<()> {
    stream
        .set_read_timeout(Some(Duration::from_millis(60)))
        .ok()?;
    let (victim, newest, lists_forever, challenges) = (
        dice.below(9),
        dice.below(2) == 0,
        dice.below(8) == 0,
        dice.below(2) == 0,
    );
    let mut count = 0;
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length).ok()?;
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut frame).ok()?;
        let mut answer = good_answer(&frame, newest, lists_forever, count == 1 && challenges)?;
        let goes_on = count != victim || mangle(&mut answer, &mut dice);
        stream.write_all(&answer).ok()?;
        if !goes_on {
            return None;
        }
        count += 1;
    }
}

/// All that is done with a share, against whatever comes. Returns how many of the calls succeeded.
fn visit(address: &str) -> usize {
    let Ok(share) = shares::connect(&remote(address), Some(&secret()), &EngineChoice::default())
    else {
        return 0;
    };
    let mut fine = 1;
    fine += usize::from(share.lock().room().is_ok());
    fine += usize::from(share.lock().look_up("x").is_ok());
    fine += usize::from(share.lock().read_file("x", 0, CONTENT_BYTES).is_ok());
    let _ = share.lock().list("");
    fine += usize::from(write(&share, "y", false, 0, 3 << 20).is_ok());
    fine
}

/// Reads by the engine, which takes large answers in place.
fn pull(address: &str) -> usize {
    let bench = Bench::new(address, "read", Some("x"));
    let buffers =
        plumb_load::engine::buffers::Buffers::new(DEPTH as usize, CONTENT_BYTES).expect("buffers");
    let Ok(opened) = bench.try_open(&buffers, 0) else {
        return 0;
    };
    let mut engine = opened.engine;
    let ops: Vec<_> = (0..DEPTH)
        .map(|slot| op(OperationKind::Read, 0, CONTENT_BYTES as u32, slot))
        .collect();
    let mut done = Vec::new();
    engine.submit(&ops, &mut done).expect("submitted");
    for _ in 0..3 {
        if done.len() < ops.len() {
            engine.reap(Wait::One, &mut done).expect("reaped");
        }
    }
    engine.finish();
    let begun = Instant::now();
    while done.len() < ops.len() {
        engine.reap(Wait::One, &mut done).expect("reaped");
        assert!(
            begun.elapsed() < Duration::from_secs(100),
            "{} of {} came back",
            done.len(),
            ops.len()
        );
    }
    assert_eq!(done.len(), ops.len(), "each operation comes back once");
    engine.close();
    done.iter()
        .filter(|done| done.outcome.is_all_of(CONTENT_BYTES as u32))
        .count()
}

#[test]
fn nonsense_is_survived() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("address").port();
    let connections = Arc::new(AtomicU64::new(0));
    let served = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let number = served.fetch_add(1, Ordering::Relaxed);
            std::thread::spawn(move || {
                serve(
                    stream,
                    Dice(0x9e37_79b9_7f4a_7c15 ^ (number + 1).wrapping_mul(0x2545_f491_4f6c_dd1d)),
                )
            });
        }
    });
    let (next, fine) = (AtomicU64::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..PEERS {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < CASES {
                    let number = next.load(Ordering::Relaxed);
                    // Every other one with a name: its login parses the server's data.
                    let user = if number % 2 == 0 { "" } else { "user@" };
                    let address = format!("smb://{user}127.0.0.1:{port}/share");
                    let got = if number % 3 == 0 {
                        pull(&address)
                    } else {
                        visit(&address)
                    };
                    fine.fetch_add(got, Ordering::Relaxed);
                }
            });
        }
    });
    // Not all of it is nonsense: what comes before the broken answer is taken.
    assert!(
        fine.load(Ordering::Relaxed) as u64 > CASES,
        "only {} calls succeeded",
        fine.load(Ordering::Relaxed)
    );
    assert!(connections.load(Ordering::Relaxed) >= CASES);
}
