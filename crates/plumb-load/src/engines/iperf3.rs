//! How is a stream sent to or received from an `iperf3 -s`? One test for the whole job, one of its streams for each worker.

mod control;

use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use plumb_model::remote::Scheme;
use plumb_model::run::ConnectionState;
use plumb_model::workload::{OperationKind, Workload};

use crate::engine::{Closing, Done, Engine, EngineKind, Op, Opened, RemoteSetup, Setup, Unavailable, Wait};
use crate::journal::Journal;
use crate::peer::dial::{Unreached, buffers};
use crate::peer::host::errors::ENOTCONN;
use crate::peer::host::{congestion_control, connection_counters, wake_for_whole_messages};
use crate::peer::transfer::{CALL, cause, prepare, receive_whole, send_whole};
use control::{Control, Parameters, ServerAccount, StreamCount};

pub static ENGINE: EngineKind = EngineKind {
    name: "iperf3",
    meaning: "streams to or from an 'iperf3 -s', one stream for each worker; iperf3 servers only stream, they do not send messages back",
    schemes: &[Scheme::Iperf3],
    asynchronous: false,
    batch: 1,
    supports: |kind| matches!(kind, OperationKind::Send | OperationKind::Receive),
    open,
};

/// Largest block of iperf3 (MAX_BLOCKSIZE of iperf.h).
const BLOCK_BYTES_MAX: u64 = 1 << 20;
/// The server ends a test by itself a while after its length; this much is added to ours, so that it never does.
const SLACK_S: u64 = 60;
/// Length that is named for a test without a limit of time: the longest that iperf3 takes (MAX_TIME of iperf.h).
const TIME_MAX_S: u64 = 86_400;

/// The test that the workers of a job share.
struct Test(Mutex<Course>);

/// How far it has come.
struct Course {
    control: Control,
    streams: usize,
    joined: usize,
    left: usize,
    counts: Vec<StreamCount>,
    /// Streams of workers that have left. A server that finds one of them closed before the test has ended gives the whole test up.
    resting: Vec<TcpStream>,
    started: Option<Instant>,
}

impl Test {
    fn lock(&self) -> MutexGuard<'_, Course> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the next stream; with the last of them the test begins. Returns its number.
    fn join(&self) -> Result<(TcpStream, usize), Unreached> {
        let mut course = self.lock();
        let stream = course.control.open_stream()?;
        let number = course.joined;
        course.joined += 1;
        if course.joined == course.streams {
            course.control.start()?;
            course.started = Some(Instant::now());
        }
        Ok((stream, number))
    }

    /// Takes a stream's counts; with the last of them the test ends. Returns the server's account and the length of the test then.
    fn leave(&self, number: usize, count: StreamCount, stream: Option<TcpStream>) -> Option<Result<(ServerAccount, Duration), Unreached>> {
        let mut course = self.lock();
        if let Some(place) = course.counts.get_mut(number) {
            *place = count;
        }
        course.resting.extend(stream);
        course.left += 1;
        if course.left < course.streams {
            return None;
        }
        let length = course.started.map(|started| started.elapsed()).unwrap_or_default();
        let counts = std::mem::take(&mut course.counts);
        let account = course.control.end(&counts);
        course.resting.clear();
        Some(account.map(|account| (account, length)))
    }
}

struct Stream {
    test: Arc<Test>,
    number: usize,
    /// Missing once the connection is lost.
    stream: Option<TcpStream>,
    sends: bool,
    bytes: u64,
    journal: Journal,
    place: String,
    base: *mut u8,
    stride: usize,
}

fn unavailable(reason: String, remedy: impl Into<String>) -> Unavailable {
    Unavailable { engine: ENGINE.name, reason, remedy: remedy.into() }
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = &setup.remote else {
        return Err(unavailable("the target is no iperf3 server".into(), "name one as iperf3://host"));
    };
    let parameters = parameters(&setup, remote)?;
    let refusal = |Unreached { reason, remedy }: Unreached| unavailable(reason, remedy);
    let sends = !parameters.reverse;
    let make = || {
        let streams = parameters.streams as usize;
        let counts = vec![StreamCount::default(); streams];
        let control = Control::open(parameters.clone())?;
        Ok(Test(Mutex::new(Course { control, streams, joined: 0, left: 0, counts, resting: Vec::new(), started: None })))
    };
    let test = remote.meeting.join(make).map_err(refusal)?;
    let (stream, number) = test.join().map_err(refusal)?;
    prepare(&stream).map_err(|error| unavailable(format!("the socket takes no time-outs ({error})"), "use another system"))?;
    if !sends {
        wake_for_whole_messages(&stream, parameters.block_bytes as usize, parameters.window_bytes);
    }
    let connection = described(&stream, &parameters);
    let (base, stride) = (setup.buffers.base, setup.buffers.stride);
    let (journal, place) = (remote.journal.clone(), remote.remote.host_and_port());
    let engine = Stream { test, number, stream: Some(stream), sends, bytes: 0, journal, place, base, stride };
    Ok(Opened { engine: Box::new(engine), connection, active: Vec::new(), refused: Vec::new() })
}

fn parameters(setup: &Setup<'_>, remote: &RemoteSetup<'_>) -> Result<Parameters, Unavailable> {
    let workload = remote.workload;
    let does = |kind: OperationKind| workload.mix.0.iter().any(|(other, _)| *other == kind);
    let reverse = does(OperationKind::Receive);
    if reverse && does(OperationKind::Send) {
        return Err(unavailable("a test of iperf3 streams in one direction".into(), "leave send or receive out of the mix"));
    }
    let window = setup.choice.window.0;
    Ok(Parameters {
        remote: remote.remote.clone(),
        streams: workload.workers,
        reverse,
        block_bytes: workload.largest_block_bytes().clamp(1, BLOCK_BYTES_MAX) as u32,
        window_bytes: u32::try_from(window)
            .ok()
            .filter(|bytes| *bytes <= i32::MAX as u32)
            .ok_or_else(|| unavailable(format!("no socket has a window of {window} bytes"), "ask for less than 2g, or leave window out"))?,
        no_delay: setup.choice.no_delay,
        time_s: time_s(workload),
    })
}

fn time_s(workload: &Workload) -> u64 {
    let before_s = workload.warm_up.seconds() + workload.start_delay.unwrap_or_default().seconds();
    let length = workload.time.map(|time| (time.seconds() + before_s).ceil() as u64 + SLACK_S);
    length.unwrap_or(TIME_MAX_S).min(TIME_MAX_S)
}

/// What was agreed on a stream, for the record.
fn described(stream: &TcpStream, parameters: &Parameters) -> BTreeMap<String, String> {
    let (send, receive) = buffers(stream);
    let all = [
        ("local_address", stream.local_addr().ok().map(|address| address.to_string())),
        ("peer_address", stream.peer_addr().ok().map(|address| address.to_string())),
        ("segment_bytes", connection_counters(stream).segment_bytes.map(|bytes| bytes.to_string())),
        ("congestion_control", congestion_control(stream)),
        ("window_asked_bytes", (parameters.window_bytes > 0).then(|| parameters.window_bytes.to_string())),
        ("send_buffer_bytes", send.map(|bytes| bytes.to_string())),
        ("receive_buffer_bytes", receive.map(|bytes| bytes.to_string())),
        ("no_delay", Some(parameters.no_delay.to_string())),
        ("streams", Some(parameters.streams.to_string())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?))).collect()
}

impl Stream {
    fn carry_out(&mut self, buffer: &mut [u8]) -> i32 {
        let Some(stream) = &mut self.stream else {
            std::thread::sleep(CALL);
            return -ENOTCONN;
        };
        let (moved, wrong) = if self.sends { send_whole(stream, buffer) } else { receive_whole(stream, buffer) };
        self.bytes += moved;
        match wrong {
            None => moved as i32,
            Some(wrong) => {
                let text = format!("the stream to {} was lost: {}; a test of iperf3 cannot be resumed", self.place, cause(wrong));
                self.journal.connection(ConnectionState::Lost, text);
                self.stream = None;
                -wrong
            }
        }
    }
}

impl Engine for Stream {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            // SAFETY: the worker hands out slots below the depth and lengths within a slot; no operation is in flight, so this is the only reference.
            let buffer = unsafe { std::slice::from_raw_parts_mut(self.base.add(op.slot as usize * self.stride), op.len as usize) };
            let result = self.carry_out(buffer);
            done.push(Done { slot: op.slot, result });
        }
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> Closing {
        let own = self.stream.as_ref().map(connection_counters).unwrap_or_default();
        let retransmits = own.retransmits.filter(|_| self.sends);
        let mut closing = Closing::default();
        let numbers = &mut closing.account.numbers;
        let mut put = |name: &str, value: Option<f64>| numbers.extend(value.map(|value| (name.to_string(), value)));
        put(if self.sends { "bytes_sent" } else { "bytes_received" }, Some(self.bytes as f64));
        put("retransmits", retransmits.map(|count| count as f64));
        put("round_trip_us", own.round_trip_us);
        put("round_trip_variation_us", own.round_trip_variation_us);
        put("round_trip_min_us", own.round_trip_min_us);
        put("congestion_window_bytes", own.congestion_window_bytes.map(|bytes| bytes as f64));
        put("delivery_rate_bytes_per_s", own.delivery_rate_bytes_per_s.map(|rate| rate as f64));
        match self.test.leave(self.number, StreamCount { bytes: self.bytes, retransmits }, self.stream.take()) {
            // The server's account is that of all streams; the worker that leaves last has it.
            Some(Ok((server, length))) => {
                let seconds = |percent: Option<f64>| percent.map(|percent| percent / 100.0 * length.as_secs_f64());
                put(if self.sends { "bytes_received_by_peer" } else { "bytes_sent_by_peer" }, Some(server.bytes as f64));
                put("peer_retransmits", server.retransmits.filter(|_| !self.sends).map(|count| count as f64));
                put("peer_cpu_user_s", seconds(server.cpu_user_percent));
                put("peer_cpu_system_s", seconds(server.cpu_system_percent));
            }
            Some(Err(Unreached { reason, .. })) => {
                closing.remarks.push(format!("the iperf3 server's own counts and CPU time are not known: {reason}"));
            }
            None => {}
        }
        closing
    }
}
