//! Do engine and responder exchange what they should, and survive what they must?

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crossbeam_channel::Receiver;
use plumb_model::run::ConnectionState;
use plumb_model::target::remote::Remote;
use plumb_model::units::Bytes;
use plumb_model::workload::{PingPongBy, Weighted, Workload};
use plumb_words::english;

use super::responder::Responder;
use super::*;
use crate::engine::buffers::Buffers;
use crate::engine::journal::{Journal, JournalEntry};
use crate::engine::meeting::Meeting;
use crate::engines::tests::ports::free_port;
use crate::engines::tests::{Came, came};

const BLOCK: u32 = 4096;
const MEMORY: u64 = 1 << 20;
const DEPTH: u32 = 16;

/// Without the library nothing can be tested; CI installs it.
fn is_there() -> bool {
    let library = Library::open(NAMES);
    if let Err(reason) = &library {
        println!("skipped: {}", english(reason));
    }
    library.is_ok()
}

/// A responder on a thread of its own, stopped when it is dropped.
struct Peer {
    port: u16,
    responder: Arc<Responder>,
    stop: Arc<AtomicBool>,
    messages: Arc<Mutex<Vec<String>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Peer {
    fn start(port: u16) -> Peer {
        let responder = Arc::new(Responder::bind(format!("127.0.0.1:{port}")).expect("responder"));
        let (stop, messages) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(Mutex::new(Vec::new())),
        );
        let port = responder.local_addr().expect("address").port();
        let (server, stopped, log) = (responder.clone(), stop.clone(), messages.clone());
        let thread = std::thread::spawn(move || {
            server.serve(&[], &stopped, &|text| log.lock().expect("told").push(text))
        });
        Peer {
            port,
            responder,
            stop,
            messages,
            thread: Some(thread),
        }
    }

    fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("responder");
        }
    }

    /// Waits until the peer has logged a message with this text.
    fn has_logged(&self, words: &str) {
        for _ in 0..500 {
            if self
                .messages
                .lock()
                .expect("told")
                .iter()
                .any(|text| text.contains(words))
            {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{words}: {:?}", self.messages.lock());
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn op(kind: OperationKind, number: u64, len: u32) -> Op {
    Op {
        offset: number * u64::from(len) % MEMORY,
        len,
        slot: 0,
        file: 0,
        kind,
        priority: 0,
    }
}

/// All that an engine borrows.
struct Bench {
    remote: Remote,
    workload: Workload,
    choice: EngineChoice,
    meeting: Meeting,
    buffers: Buffers,
    depth: u32,
    journal: Journal,
    reports: Receiver<JournalEntry>,
}

impl Bench {
    fn new(port: u16, block: u32, kinds: &[OperationKind]) -> Bench {
        let workload = Workload {
            mix: Weighted(kinds.iter().map(|kind| (*kind, 1.0)).collect()),
            block: Weighted(vec![(Bytes(u64::from(block)).into(), 1.0)]),
            size: Some(Bytes(MEMORY)),
            seed: Some(7),
            ..Workload::default()
        };
        let (sender, reports) = crossbeam_channel::unbounded();
        Bench {
            remote: format!("rdma://127.0.0.1:{port}").parse().expect("address"),
            workload,
            choice: EngineChoice {
                provider: "tcp".into(),
                ..EngineChoice::default()
            },
            meeting: Meeting::default(),
            buffers: Buffers::new(DEPTH as usize, block as usize).expect("buffers"),
            depth: DEPTH,
            journal: Journal::new(move |entry| drop(sender.send(entry))),
            reports,
        }
    }

    /// For ping-pongs by one-sided writes.
    fn of_writes(port: u16, block: u32) -> Bench {
        let mut bench = Bench {
            depth: 1,
            ..Bench::new(port, block, &[OperationKind::PingPong])
        };
        bench.choice.ping_pong_by = PingPongBy::Write;
        bench
    }

    fn open(&self) -> Result<Opened<'_>, Unavailable> {
        super::open(self.setup())
    }

    fn setup(&self) -> Setup<'_> {
        let remote = RemoteSetup {
            remote: &self.remote,
            secret: None,
            file: None,
            worker: 0,
            workload: &self.workload,
            meeting: &self.meeting,
            jobs: Vec::new(),
            step_meeting: &self.meeting,
            journal: self.journal.clone(),
            stop: Default::default(),
        };
        Setup {
            files: &[],
            end_bytes: 0,
            buffers: self.buffers.region(),
            depth: self.depth,
            batch: self.depth,
            choice: &self.choice,
            live_files: None,
            trims: false,
            flush_metadata: false,
            remote: Some(remote),
        }
    }

    /// A buffer of an operation that is not in flight.
    #[allow(
        clippy::mut_from_ref,
        reason = "an engine that is open knows the buffers by address, as the worker's does"
    )]
    fn slot(&self, slot: u32, len: u32) -> &mut [u8] {
        let region = self.buffers.region();
        // SAFETY: the slot lies in the region; the engine does not touch it while no operation is in flight on it.
        unsafe {
            std::slice::from_raw_parts_mut(
                region.base.add(slot as usize * region.stride),
                len as usize,
            )
        }
    }

    /// Carries operations out, at most the depth at once; `before` and `after` see each with its buffer.
    fn carry_out(
        &self,
        engine: &mut dyn Engine,
        ops: &[Op],
        before: impl Fn(&Op, &mut [u8]),
        after: impl Fn(&Op, &[u8]),
    ) -> Vec<Came> {
        let mut results = Vec::new();
        for batch in ops.chunks(self.depth as usize) {
            let mut batch = batch.to_vec();
            for (slot, op) in batch.iter_mut().enumerate() {
                op.slot = slot as u32;
                before(op, self.slot(op.slot, op.len));
            }
            let mut done = Vec::new();
            engine.submit(&batch, &mut done).expect("submit");
            while done.len() < batch.len() {
                engine.reap(Wait::One, &mut done).expect("reap");
            }
            assert_eq!(done.len(), batch.len(), "each comes back once");
            done.sort_by_key(|done| done.slot);
            for (op, done) in batch.iter().zip(&done) {
                assert_eq!(op.slot, done.slot);
                after(op, self.slot(op.slot, op.len));
                results.push(came(done));
            }
        }
        results
    }
}

/// What the byte at this position of the peer's memory is written as.
fn pattern(position: u64) -> u8 {
    (position.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

fn fill(op: &Op, buffer: &mut [u8]) {
    buffer
        .iter_mut()
        .zip(op.offset..)
        .for_each(|(byte, position)| *byte = pattern(position));
}

#[test]
fn what_is_written_one_sided_stands_there_and_is_read_back_one_sided() {
    if !is_there() {
        return;
    }
    let mut peer = Peer::start(0);
    let bench = Bench::new(
        peer.port,
        BLOCK,
        &[OperationKind::Write, OperationKind::Read],
    );
    let mut opened = bench.open().expect("open");
    assert!(
        opened.connection["provider"].starts_with("tcp"),
        "{:?}",
        opened.connection
    );
    assert_eq!(
        (
            opened.connection["memory_bytes"].as_str(),
            opened.connection["memory"].as_str()
        ),
        ("1048576", "new")
    );
    let blocks = MEMORY / u64::from(BLOCK);
    let writes: Vec<Op> = (0..blocks)
        .map(|number| op(OperationKind::Write, number, BLOCK))
        .collect();
    let results = bench.carry_out(opened.engine.as_mut(), &writes, fill, |_, _| {});
    assert!(
        results.iter().all(|result| *result == Ok(BLOCK)),
        "{results:?}"
    );
    let reads: Vec<Op> = (0..blocks)
        .rev()
        .map(|number| op(OperationKind::Read, number, BLOCK))
        .collect();
    let check = |op: &Op, buffer: &[u8]| {
        assert!(
            buffer
                .iter()
                .zip(op.offset..)
                .all(|(byte, position)| *byte == pattern(position)),
            "{}",
            op.offset
        )
    };
    let results = bench.carry_out(
        opened.engine.as_mut(),
        &reads,
        |_, buffer| buffer.fill(0xee),
        check,
    );
    assert!(
        results.iter().all(|result| *result == Ok(BLOCK)),
        "{results:?}"
    );
    // Beyond the memory, and what this engine cannot do.
    let wrong = [
        Op {
            offset: MEMORY - 1,
            ..op(OperationKind::Read, 0, BLOCK)
        },
        op(OperationKind::Trim, 0, BLOCK),
    ];
    assert_eq!(
        bench.carry_out(opened.engine.as_mut(), &wrong[..1], |_, _| {}, |_, _| {}),
        [Err(FailureKind::Invalid)]
    );
    let numbers = opened.engine.close().account.numbers;
    assert_eq!(
        (
            numbers["writes_completed"],
            numbers["reads_completed"],
            numbers["reconnects"]
        ),
        (blocks as f64, blocks as f64, 0.0)
    );
    assert!(numbers["progress_calls"] > 0.0);
    // A second engine of the same run gets the same memory.
    assert_eq!(bench.open().expect("open").connection["memory"], "kept");
    drop(opened);
    peer.stop();
    assert!(
        peer.responder
            .leased_bytes()
            .iter()
            .zip(0..)
            .all(|(byte, position)| *byte == pattern(position)),
        "the peer's side"
    );
}

#[test]
fn messages_of_all_sizes_are_sent_received_and_pushed() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let kinds = [
        OperationKind::Send,
        OperationKind::Receive,
        OperationKind::PingPong,
    ];
    for block in [1u32, 8, 4096, 65_536, 1 << 20] {
        let bench = Bench::new(peer.port, block, &kinds);
        let mut opened = bench.open().expect("open");
        let ops: Vec<Op> = (0..96)
            .map(|number| op(kinds[number % 3], 0, block))
            .collect();
        let mark = |op: &Op, buffer: &mut [u8]| {
            buffer.fill(if op.kind == OperationKind::PingPong {
                op.slot as u8 + 1
            } else {
                0xee
            })
        };
        let back = |op: &Op, buffer: &[u8]| {
            let is_right = match op.kind {
                OperationKind::PingPong => buffer.iter().all(|byte| *byte == op.slot as u8 + 1),
                // Other bytes than those that were there: the message has arrived to its last byte.
                OperationKind::Receive => buffer[buffer.len() - 1] != 0xee,
                _ => true,
            };
            assert!(
                is_right,
                "{} of {} bytes in slot {}",
                op.kind, op.len, op.slot
            );
        };
        let results = bench.carry_out(opened.engine.as_mut(), &ops, mark, back);
        assert!(
            results.iter().all(|result| *result == Ok(block)),
            "{block}: {results:?}"
        );
        let numbers = opened.engine.close().account.numbers;
        assert_eq!(
            (
                numbers["sends_completed"],
                numbers["receives_completed"],
                numbers["ping_pongs_completed"]
            ),
            (32.0, 32.0, 32.0)
        );
    }
}

#[test]
fn polling_for_completions_gives_the_same() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let mut bench = Bench::new(
        peer.port,
        BLOCK,
        &[OperationKind::Write, OperationKind::PingPong],
    );
    bench.choice.iopoll = true;
    let mut opened = bench.open().expect("open");
    assert_eq!(opened.connection["waiting"], "polls");
    let ops = [
        op(OperationKind::Write, 3, BLOCK),
        op(OperationKind::PingPong, 0, BLOCK),
    ];
    assert_eq!(
        bench.carry_out(opened.engine.as_mut(), &ops, fill, |_, _| {}),
        [Ok(BLOCK); 2]
    );
    assert_eq!(opened.engine.close().account.numbers["waits"], 0.0);
}

/// Sends this many messages back and forth; the content of each differs from that of the one before in every byte.
fn write_to_and_fro(bench: &Bench, engine: &mut Rdma<'_>, count: u64) {
    let mut done = Vec::new();
    for number in 0..count {
        let len = bench.workload.largest_block_bytes() as u32;
        let message = bench.slot(0, len);
        message
            .iter_mut()
            .zip(number * 31..)
            .for_each(|(byte, position)| *byte = pattern(position));
        engine
            .submit(&[op(OperationKind::PingPong, 0, len)], &mut done)
            .expect("submit");
        while done.is_empty() {
            engine.reap(Wait::One, &mut done).expect("reap");
        }
        assert_eq!(
            std::mem::take(&mut done),
            [Done {
                slot: 0,
                outcome: Outcome::moved(len)
            }]
        );
        let answer = engine
            .link
            .as_mut()
            .and_then(|link| link.landing.as_mut())
            .expect("landing")
            .answer();
        let (last, body) = answer.split_last().expect("a message");
        assert_eq!(
            u64::from(*last),
            number % 255 + 1,
            "the running number of message {number}"
        );
        assert!(
            body.iter()
                .zip(number * 31..)
                .all(|(byte, position)| *byte == pattern(position)),
            "message {number} of {len} bytes"
        );
    }
}

#[test]
fn messages_go_back_and_forth_by_writes_alone() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    for (block, is_polling) in [
        (1, false),
        (2, true),
        (8, false),
        (4096, false),
        (65_536, false),
        (65_536, true),
    ] {
        let mut bench = Bench::of_writes(peer.port, block);
        bench.choice.iopoll = is_polling;
        let (mut engine, (connection, _)) = connected(bench.setup()).expect("open");
        assert!(
            connection["ping_pong_by"].contains("one-sided writes"),
            "{connection:?}"
        );
        write_to_and_fro(&bench, &mut engine, 600);
        let numbers = engine.close().account.numbers;
        assert_eq!(
            (
                numbers["ping_pongs_completed"],
                numbers["operations_failed"],
                numbers["reconnects"]
            ),
            (600.0, 0.0, 0.0)
        );
    }
    // Nothing is posted for messages where there are none.
    assert!(
        peer.messages
            .lock()
            .expect("told")
            .iter()
            .all(|text| !text.contains("lost")),
        "{:?}",
        peer.messages
    );
}

/// The responder waits in the kernel by then: it finds the message none the less.
#[test]
fn a_message_after_a_pause_returns_too() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let bench = Bench::of_writes(peer.port, 8);
    let (mut engine, _) = connected(bench.setup()).expect("open");
    std::thread::sleep(Duration::from_millis(300));
    write_to_and_fro(&bench, &mut engine, 3);
}

#[test]
fn two_messages_by_writes_are_not_under_way_at_once() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let bench = Bench {
        depth: 2,
        ..Bench::of_writes(peer.port, 8)
    };
    let mut opened = bench.open().expect("open");
    let ops = [op(OperationKind::PingPong, 0, 8); 2];
    assert_eq!(
        bench.carry_out(opened.engine.as_mut(), &ops, |_, _| {}, |_, _| {}),
        [Ok(8), Err(FailureKind::Invalid)]
    );
    assert_eq!(
        bench.carry_out(opened.engine.as_mut(), &ops[..1], |_, _| {}, |_, _| {}),
        [Ok(8)],
        "the first is whole, and another follows"
    );
}

#[test]
fn a_peer_that_is_lost_between_writes_is_found_again() {
    if !is_there() {
        return;
    }
    let mut peer = Peer::start(0);
    let bench = Bench::of_writes(peer.port, 4096);
    let (mut engine, _) = connected(bench.setup()).expect("open");
    write_to_and_fro(&bench, &mut engine, 7);
    peer.stop();
    let mut done = Vec::new();
    engine
        .submit(&[op(OperationKind::PingPong, 0, 4096)], &mut done)
        .expect("submit");
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).expect("reap");
    }
    assert!(!done[0].outcome.is_success(), "{done:?}");
    assert!(engine.link.is_none(), "the connection is gone");
    let port = peer.port;
    drop(peer);
    let _peer = Peer::start(port);
    // Waits for the connection, then begins to count anew.
    write_to_and_fro(&bench, &mut engine, 300);
    assert_eq!(engine.close().account.numbers["reconnects"], 1.0);
}

/// A hello names memory that was never exposed: its answers go nowhere, others are served meanwhile, and the session ends when the stranger goes.
#[test]
fn an_answer_to_memory_that_was_not_lent_disturbs_nobody() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let library = Library::open(NAMES).expect("library");
    let endpoint_request = provider::EndpointRequest {
        provider: "tcp",
        source: "127.0.0.1".parse().expect("address"),
        depth: 1,
        polling: false,
    };
    let message = Buffers::new(1, 8).expect("buffers");
    let mut contexts = Context::several(1);
    let mut endpoint = endpoint::Endpoint::open(&library, &endpoint_request).expect("endpoint");
    let mut stream = TcpStream::connect(("127.0.0.1", peer.port)).expect("connect");
    let hello = hello::Hello {
        provider: endpoint.provider(),
        address: endpoint.name().expect("name"),
        depth: 1,
        message_bytes: 0,
        memory_bytes: 4096,
        memory_name: 1,
        polling: false,
        memory: Some(hello::PeerMemory {
            key: 0xdead_beef,
            base: 0,
            bytes: 8,
        }),
    };
    hello.send(&mut stream).expect("hello");
    let hello::Answer::Welcome(welcome) = hello::Answer::receive(&mut stream).expect("answer")
    else {
        panic!("refused")
    };
    let there = welcome.memory.expect("memory");
    let server = endpoint.insert(&welcome.address).expect("address");
    let region = message.region();
    let mut done = Vec::new();
    let mut is_begun = false;
    // The last byte is the running number of the first message.
    // SAFETY: the buffer is this function's own and outlives the endpoint.
    unsafe { region.base.add(7).write(1) };
    for _ in 0..500 {
        if !is_begun {
            let (buffer, memory) = (
                (region.base, 8, std::ptr::null_mut()),
                (there.base, there.key),
            );
            // SAFETY: as above; the tcp provider needs no registration of local memory.
            is_begun = unsafe {
                endpoint.move_memory(true, buffer, server, memory, contexts.as_mut_ptr())
            } == Begun::Yes;
        }
        let _ = endpoint.completions(10, &mut done);
        if !done.is_empty() {
            break;
        }
    }
    assert!(
        is_begun && done.first().is_some_and(|done| done.error == 0),
        "the message is there: {done:?}"
    );
    let bench = Bench::of_writes(peer.port, 8);
    let (mut engine, _) = connected(bench.setup()).expect("open");
    write_to_and_fro(&bench, &mut engine, 3);
    let stranger = stream.local_addr().expect("address");
    drop(endpoint);
    drop(stream);
    // `left`, or `lost: ...` if the provider reports it first.
    peer.has_logged(&format!("RDMA peer {stranger}: disconnected"));
}

#[test]
fn a_lost_peer_fails_what_was_in_flight_and_is_found_again() {
    if !is_there() {
        return;
    }
    let mut peer = Peer::start(0);
    let bench = Bench::new(
        peer.port,
        BLOCK,
        &[OperationKind::Read, OperationKind::Receive],
    );
    let mut opened = bench.open().expect("open");
    let engine = opened.engine.as_mut();
    let mut done = Vec::new();
    peer.stop();
    // The peer's endpoint is gone, so that nothing comes of these.
    let lost = [
        Op {
            slot: 0,
            ..op(OperationKind::Read, 0, BLOCK)
        },
        Op {
            slot: 1,
            ..op(OperationKind::Receive, 0, BLOCK)
        },
    ];
    engine.submit(&lost, &mut done).expect("submit");
    let mut later = vec![Op {
        slot: 2,
        ..op(OperationKind::Read, 2, BLOCK)
    }];
    while done.len() < 2 {
        engine.reap(Wait::One, &mut done).expect("reap");
    }
    assert!(
        done.iter().all(|done| came(done).is_err() && done.slot < 2),
        "{done:?}"
    );
    done.clear();
    engine.submit(&later, &mut done).expect("submit");
    engine.reap(Wait::One, &mut done).expect("reap");
    assert!(done.is_empty(), "what comes later waits: {done:?}");
    let port = peer.port;
    drop(peer);
    let peer = Peer::start(port);
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).expect("reap");
    }
    assert_eq!(
        done,
        [Done {
            slot: 2,
            outcome: Outcome::moved(BLOCK)
        }]
    );
    let messages: Vec<ConnectionState> = bench
        .reports
        .try_iter()
        .filter_map(|entry| match entry {
            JournalEntry::Connection { state, text, .. } => {
                assert!(english(&text).contains(&format!("127.0.0.1:{port}")));
                Some(state)
            }
            _ => None,
        })
        .collect();
    assert_eq!(messages, [ConnectionState::Lost, ConnectionState::Restored]);
    // Gone again, and for good: at the end nothing is waited for.
    drop(peer);
    later[0].slot = 3;
    done.clear();
    engine.submit(&later, &mut done).expect("submit");
    engine.finish();
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).expect("reap");
    }
    assert!(done[0].slot == 3 && came(&done[0]).is_err(), "{done:?}");
    assert_eq!(engine.close().account.numbers["reconnects"], 1.0);
}

#[test]
fn memory_that_was_lost_ends_a_verified_run() {
    if !is_there() {
        return;
    }
    let mut peer = Peer::start(0);
    let mut bench = Bench::new(peer.port, BLOCK, &[OperationKind::Read]);
    bench.workload.verify = true;
    let mut opened = bench.open().expect("open");
    peer.stop();
    let port = peer.port;
    drop(peer);
    let _peer = Peer::start(port);
    let mut done = Vec::new();
    opened
        .engine
        .submit(&[op(OperationKind::Read, 0, BLOCK)], &mut done)
        .expect("submit");
    let error = loop {
        if let Err(error) = opened.engine.reap(Wait::One, &mut done) {
            break error.to_string();
        }
    };
    assert!(error.contains("nothing can be verified"), "{error}");
}

#[test]
fn strangers_are_refused_and_disturb_nobody() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let say = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(("127.0.0.1", peer.port)).expect("connect");
        stream.write_all(bytes).expect("write");
        stream
            .shutdown(std::net::Shutdown::Write)
            .expect("shutdown");
        let mut answer = Vec::new();
        // A reset means the same as an end.
        let _ = stream.read_to_end(&mut answer);
        answer
    };
    assert!(say(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").is_empty());
    assert!(say(b"").is_empty());
    assert!(say(b"PLMBRDM2\xff\xff\xff\xff").is_empty());
    match hello::Answer::receive(&mut say(b"PLMBRDM1\x00\x00\x00\x00").as_slice())
        .expect("an answer")
    {
        hello::Answer::Refused(reason) => assert!(
            reason.contains("version 1") && reason.contains("version 2"),
            "{reason}"
        ),
        hello::Answer::Welcome(welcome) => panic!("{welcome:?}"),
    }
    let hello = |change: &dyn Fn(&mut hello::Hello)| {
        let mut hello = hello::Hello {
            provider: "tcp;ofi_rxm".into(),
            address: vec![0xaa; 16],
            depth: 1,
            message_bytes: 8,
            memory_bytes: 4096,
            memory_name: 1,
            polling: false,
            memory: None,
        };
        change(&mut hello);
        let mut bytes = Vec::new();
        hello.send(&mut bytes).expect("hello");
        let answer = say(&bytes);
        match hello::Answer::receive(&mut answer.as_slice()).expect("an answer") {
            hello::Answer::Refused(reason) => reason,
            hello::Answer::Welcome(welcome) => panic!("{welcome:?}"),
        }
    };
    assert!(hello(&|hello| hello.address = vec![1; 3]).contains("3 bytes"));
    assert!(hello(&|hello| hello.provider = "nonsense".into()).contains("nonsense"));
    assert!(hello(&|hello| hello.depth = 0).contains("depth"));
    assert!(hello(&|hello| hello.depth = u32::MAX).contains("depth"));
    assert!(hello(&|hello| hello.memory_bytes = 1 << 60).contains("exceed"));
    assert!(hello(&|hello| hello.message_bytes = u32::MAX).contains("messages"));
    let memory = |key, base, bytes| Some(hello::PeerMemory { key, base, bytes });
    assert!(hello(&|hello| hello.memory = memory(1, 0, u32::MAX)).contains("ping-pong"));
    assert!(
        hello(&|hello| hello.memory = memory(1, u64::MAX - 6, 8))
            .contains("beyond the address space")
    );
    peer.has_logged("no hello");
    let bench = Bench::new(peer.port, BLOCK, &[OperationKind::Read]);
    let mut opened = bench.open().expect("open");
    assert_eq!(
        bench.carry_out(
            opened.engine.as_mut(),
            &[op(OperationKind::Read, 0, BLOCK)],
            |_, _| {},
            |_, _| {}
        ),
        [Ok(BLOCK)]
    );
}

/// The engine's error for a peer that replies with these bytes.
fn error_after(answer: Vec<u8>) -> String {
    error_from(
        |port| Bench::new(port, BLOCK, &[OperationKind::Read]),
        answer,
    )
}

fn error_from(bench: impl Fn(u16) -> Bench, answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listener");
    let port = listener.local_addr().expect("address").port();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("accept");
        let _ = hello::Hello::receive(&mut stream);
        let _ = stream.write_all(&answer);
    });
    let bench = bench(port);
    let error = bench.open().err().expect("refused").to_string();
    thread.join().expect("peer");
    error
}

#[test]
fn a_hostile_peer_is_reported_in_one_sentence() {
    if !is_there() {
        return;
    }
    let welcome = |change: &dyn Fn(&mut hello::Welcome)| {
        let software = "none".into();
        let mut welcome = hello::Welcome {
            address: vec![0xff; 16],
            key: 1,
            base: 0,
            memory_bytes: MEMORY,
            is_new: true,
            software,
            memory: None,
        };
        change(&mut welcome);
        let mut bytes = Vec::new();
        hello::Answer::Welcome(welcome)
            .send(&mut bytes)
            .expect("answer");
        bytes
    };
    for (answer, expected) in [
        (Vec::new(), "closed the connection without a reply"),
        (
            b"HTTP/1.1 400 Bad Request\r\n".to_vec(),
            "does not use plumb's protocol",
        ),
        (
            b"PLMBRDM2\x00\x00\x00\x01\x09".to_vec(),
            "a reply of kind 9",
        ),
        (
            b"PLMBRDM2\x00\x10\x00\x00".to_vec(),
            "a message of 1,048,576 bytes",
        ),
        (
            b"PLMBRDM1\x00\x00\x00\x01\x00".to_vec(),
            "it uses version 1 of plumb's protocol for RDMA, and this is version 2",
        ),
        (welcome(&|welcome| welcome.address = vec![1; 5]), "5 bytes"),
        (
            welcome(&|welcome| welcome.memory_bytes = 1),
            "offers 1 B of memory",
        ),
        (
            welcome(&|welcome| welcome.base = u64::MAX),
            "beyond the address space",
        ),
    ] {
        let error = error_after(answer);
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
    // Places for ping-pongs by writes.
    let memory = |base, bytes| {
        welcome(&|welcome| {
            welcome.memory = Some(hello::PeerMemory {
                key: 1,
                base,
                bytes,
            })
        })
    };
    for (answer, expected) in [
        (welcome(&|_| {}), "offers no memory for ping-pongs"),
        (memory(0, 9), "offers 9 B for messages of 8 B"),
        (memory(u64::MAX - 6, 8), "beyond the address space"),
    ] {
        let error = error_from(|port| Bench::of_writes(port, 8), answer);
        assert!(
            error.contains(expected) && !error.contains('\n'),
            "{expected}: {error}"
        );
    }
    // Where no endpoint is, though the address has the right form.
    let error = error_after(welcome(&|welcome| {
        welcome.address = [vec![2, 0, 0, 1, 127, 0, 0, 1], vec![0; 8]].concat()
    }));
    assert!(error.contains("rdma://127.0.0.1"), "{error}");
}

#[test]
fn what_is_not_available_is_reported_with_what_to_do() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let mut bench = Bench::new(peer.port, BLOCK, &[OperationKind::Read]);
    bench.choice.provider = "carrier-pigeon".into();
    let error = bench.open().err().expect("provider").to_string();
    assert!(
        error.contains("carrier-pigeon")
            && error.contains("tcp")
            && error.contains("plumb doctor rdma"),
        "{error}"
    );
    let error = Bench::new(free_port(), BLOCK, &[OperationKind::Read])
        .open()
        .err()
        .expect("nobody")
        .to_string();
    assert!(
        error.contains("no peer responds") && error.contains("serve-net --listen any --rdma"),
        "{error}"
    );
    let error = Bench::new(peer.port, BLOCK, &[OperationKind::Read]);
    let error = Bench {
        workload: Workload {
            size: Some(Bytes(1 << 50)),
            ..error.workload.clone()
        },
        ..error
    };
    let error = error.open().err().expect("memory").to_string();
    assert!(error.contains("reduce size"), "{error}");
}

#[test]
fn a_peer_that_is_asked_answers_and_what_there_is_is_listed() {
    if !is_there() {
        return;
    }
    let peer = Peer::start(0);
    let remote: Remote = format!("rdma://127.0.0.1:{}", peer.port)
        .parse()
        .expect("address");
    let pong = ping::ping(&remote, "tcp").expect("pong");
    assert!(
        pong.read_ns > 0 && pong.peer_software.contains("libfabric"),
        "{pong:?}"
    );
    let fabrics = listing::listing().expect("listing");
    assert!(
        fabrics
            .offers
            .iter()
            .any(|offer| offer.is_usable && offer.provider.contains("tcp")),
        "{fabrics:?}"
    );
    assert!(
        fabrics
            .offers
            .iter()
            .all(|offer| !offer.provider.is_empty() && !offer.endpoint.is_empty()),
        "{fabrics:?}"
    );
}
