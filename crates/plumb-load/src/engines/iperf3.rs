//! How is a stream sent to or received from an `iperf3 -s`? One test for the entire step, one of its streams for each worker.

mod control;
mod joint_test;

use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::{Job, OperationKind, Workload};

use crate::engine::journal::Journal;
use crate::engine::lookout::{Lookout, Waiting};
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, EngineKind, Opened, RemoteSetup, Setup, Unavailable, Wait};
use crate::peer::dial::{Unreached, buffers, no_time_outs, window_is_too_large};
use crate::peer::transfer::{prepare, receive_all, send_all};
use crate::peer::wake_ups::WakeUps;
use crate::system::tcp_connections::{congestion_control, connection_counters};
use control::{Parameters, StreamCount};
use joint_test::{Test, Tests};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "iperf3",
        meaning: "streams to or from an 'iperf3 -s', one stream per worker; iperf3 servers only stream: no ping-pong",
        schemes: &[SchemeProperties {
            word: "iperf3",
            meaning: "An `iperf3 -s` server.",
            default_port: 5201,
            while_lost: WhileLost::End,
            is_share: false,
            host_is_share: false,
            writes_entire_files: false,
            lends_memory: false,
            needs_password: false,
            untried: Some(
                "an iperf3 server serves one client at a time: a trial connection would block the test",
            ),
            unreachable_remedy: "check the name",
        }],
        asynchronous: false,
        batch: 1,
        operations: &[OperationKind::Send, OperationKind::Receive],
        by_auto: true,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: false,
        own_options: &[],
        fio: &[],
    },
    open,
};

/// Largest block of iperf3 (MAX_BLOCKSIZE of iperf.h).
const BLOCK_BYTES_MAX: u64 = 1 << 20;
/// The server ends a test by itself a while after its length; this much is added to ours, so that it never does.
const SLACK_S: u64 = 60;
/// Length that is named for a test without a limit of time: the longest that iperf3 takes (MAX_TIME of iperf.h).
const TIME_MAX_S: u64 = 86_400;

struct Stream {
    test: Arc<Test>,
    parameters: Parameters,
    number: usize,
    /// Missing once the connection is lost.
    stream: Option<TcpStream>,
    /// Of a stream that receives.
    wake_ups: Option<WakeUps>,
    bytes: u64,
    journal: Journal,
    address: String,
    base: *mut u8,
    stride: usize,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = &setup.remote else {
        return Err(Unavailable(Statement::new("target-is-no-iperf3-server")));
    };
    let parameters = parameters(&setup, remote)?;
    let sends = does(remote.workload, OperationKind::Send);
    let tests = remote
        .step_meeting
        .join::<Tests, Unreached>(|| Ok(Tests::default()))?;
    let test = tests.join(&parameters)?;
    let stream = test.take(&parameters, sends);
    let (stream, number) =
        stream.ok_or_else(|| Unavailable(Statement::new("iperf3-streams-are-taken")))?;
    prepare(&stream, Waiting::Sleeps).map_err(|error| no_time_outs(&error))?;
    let wake_ups = (!sends).then(|| {
        WakeUps::new(
            &stream,
            remote
                .workload
                .largest_block_bytes()
                .clamp(1, BLOCK_BYTES_MAX) as usize,
        )
    });
    let connection = described(&stream, &parameters);
    let (base, stride) = (setup.buffers.base, setup.buffers.stride);
    let (journal, address) = (remote.journal.clone(), remote.remote.host_and_port());
    let engine = Stream {
        test,
        parameters,
        number,
        stream: Some(stream),
        wake_ups,
        bytes: 0,
        journal,
        address,
        base,
        stride,
    };
    Ok(Opened {
        engine: Box::new(engine),
        connection,
        active: Vec::new(),
        refused: Vec::new(),
    })
}

fn does(workload: &Workload, kind: OperationKind) -> bool {
    workload.mix.0.iter().any(|(other, _)| *other == kind)
}

/// What the test is to be like that carries all jobs of the step on this server.
fn parameters(setup: &Setup<'_>, remote: &RemoteSetup<'_>) -> Result<Parameters, Unavailable> {
    let address = remote.remote.host_and_port();
    let is_here = |job: &&&Job| {
        job.target.remote().is_some_and(|other| {
            ENGINE.supports_scheme(other.scheme.word()) && other.host_and_port() == address
        })
    };
    let jobs: Vec<&Job> = remote.jobs.iter().filter(is_here).copied().collect();
    if jobs.iter().any(|job| {
        does(&job.workload, OperationKind::Send) && does(&job.workload, OperationKind::Receive)
    }) {
        return Err(Unavailable(Statement::new("iperf3-is-one-way")));
    }
    let streams = |kind| {
        jobs.iter()
            .filter(|job| does(&job.workload, kind))
            .map(|job| job.workload.workers)
            .sum()
    };
    let (sending, receiving): (u32, u32) = (
        streams(OperationKind::Send),
        streams(OperationKind::Receive),
    );
    if sending > 0 && receiving > 0 && sending != receiving {
        return Err(Unavailable(
            Statement::new("iperf3-streams-differ")
                .count("sending", u64::from(sending))
                .count("receiving", u64::from(receiving)),
        ));
    }
    let window = setup.choice.window.0;
    if jobs
        .iter()
        .any(|job| job.engine.window.0 != window || job.engine.no_delay != setup.choice.no_delay)
    {
        return Err(Unavailable(Statement::new("iperf3-is-one-test")));
    }
    Ok(Parameters {
        remote: remote.remote.clone(),
        sending,
        receiving,
        block_bytes: jobs
            .iter()
            .map(|job| job.workload.largest_block_bytes())
            .max()
            .unwrap_or(0)
            .clamp(1, BLOCK_BYTES_MAX) as u32,
        window_bytes: u32::try_from(window)
            .ok()
            .filter(|bytes| *bytes <= i32::MAX as u32)
            .ok_or_else(|| window_is_too_large(window))?,
        no_delay: setup.choice.no_delay,
        time_s: jobs
            .iter()
            .map(|job| time_s(&job.workload))
            .max()
            .unwrap_or(TIME_MAX_S),
    })
}

fn time_s(workload: &Workload) -> u64 {
    let before_s = workload.warm_up.seconds() + workload.start_delay.unwrap_or_default().seconds();
    let length = workload
        .time
        .map(|time| (time.seconds() + before_s).ceil() as u64 + SLACK_S);
    length.unwrap_or(TIME_MAX_S).min(TIME_MAX_S)
}

/// What was agreed on a stream, for the record.
fn described(stream: &TcpStream, parameters: &Parameters) -> BTreeMap<String, String> {
    let (send, receive) = buffers(stream);
    let all = [
        (
            "local_address",
            stream.local_addr().ok().map(|address| address.to_string()),
        ),
        (
            "peer_address",
            stream.peer_addr().ok().map(|address| address.to_string()),
        ),
        (
            "segment_bytes",
            connection_counters(stream)
                .segment_bytes
                .map(|bytes| bytes.to_string()),
        ),
        ("congestion_control", congestion_control(stream)),
        (
            "window_asked_bytes",
            (parameters.window_bytes > 0).then(|| parameters.window_bytes.to_string()),
        ),
        ("send_buffer_bytes", send.map(|bytes| bytes.to_string())),
        (
            "receive_buffer_bytes",
            receive.map(|bytes| bytes.to_string()),
        ),
        ("no_delay", Some(parameters.no_delay.to_string())),
        ("streams", Some(parameters.streams().to_string())),
    ];
    all.into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), value?)))
        .collect()
}

impl Stream {
    fn sends(&self) -> bool {
        self.wake_ups.is_none()
    }

    /// Carries out one message. Returns the bytes, or the negated error number.
    ///
    /// # Errors
    /// The stream was lost before: what comes now belongs to no test, and the job ends.
    fn carry_out(&mut self, buffer: &mut [u8]) -> io::Result<Outcome> {
        let Some(stream) = &mut self.stream else {
            return Err(crate::engine::error_of(
                Statement::new("iperf3-stream-is-gone").name("place", self.address.to_string()),
            ));
        };
        let (moved, wrong) = match &mut self.wake_ups {
            None => send_all(stream, Waiting::Sleeps, buffer),
            Some(wake_ups) => {
                let (received, wrong) =
                    receive_all(stream, &mut Lookout::new(Waiting::Sleeps), buffer);
                wake_ups.count(stream, received);
                (received, wrong)
            }
        };
        self.bytes += moved;
        Ok(match wrong {
            None => Outcome::moved(moved as u32),
            Some(broken) => {
                let text = Statement::new("stream-lost")
                    .name("place", self.address.to_string())
                    .part("cause", broken.cause());
                self.journal.lost(text, broken.silent);
                self.stream = None;
                broken.outcome
            }
        })
    }
}

impl Engine for Stream {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            // SAFETY: the worker hands out slots below the depth and lengths within a slot; no operation is in flight, so this is the only reference.
            let buffer = unsafe {
                std::slice::from_raw_parts_mut(
                    self.base.add(op.slot as usize * self.stride),
                    op.len as usize,
                )
            };
            let outcome = self.carry_out(buffer)?;
            done.push(Done {
                slot: op.slot,
                outcome,
            });
        }
        Ok(())
    }

    /// Nothing is ever in flight after `submit`.
    fn reap(&mut self, _: Wait, _: &mut Vec<Done>) -> io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> Closing {
        let own = self
            .stream
            .as_ref()
            .map(connection_counters)
            .unwrap_or_default();
        let retransmits = own.retransmits.filter(|_| self.sends());
        let mut closing = Closing::default();
        let numbers = &mut closing.account.numbers;
        let mut put = |name: &str, value: Option<f64>| {
            numbers.extend(value.map(|value| (name.to_string(), value)))
        };
        put(
            if self.sends() {
                "bytes_sent"
            } else {
                "bytes_received"
            },
            Some(self.bytes as f64),
        );
        put("retransmits", retransmits.map(|count| count as f64));
        put(
            "bytes_unacknowledged",
            own.unacknowledged_bytes
                .filter(|_| self.sends())
                .map(|bytes| bytes as f64),
        );
        put("round_trip_us", own.round_trip_us);
        put("round_trip_variation_us", own.round_trip_variation_us);
        put("round_trip_min_us", own.round_trip_min_us);
        put(
            "congestion_window_bytes",
            own.congestion_window_bytes.map(|bytes| bytes as f64),
        );
        put(
            "delivery_rate_bytes_per_s",
            own.delivery_rate_bytes_per_s.map(|rate| rate as f64),
        );
        match self.test.leave(
            self.number,
            StreamCount {
                bytes: self.bytes,
                retransmits,
            },
            self.stream.take(),
        ) {
            // The server's account is that of all streams, of whichever job; the worker that leaves last has it.
            Some(Ok((server, length))) => {
                let seconds = |percent: Option<f64>| {
                    percent.map(|percent| percent / 100.0 * length.as_secs_f64())
                };
                let Parameters {
                    sending, receiving, ..
                } = self.parameters;
                put(
                    "bytes_received_by_peer",
                    (sending > 0).then_some(server.bytes_received as f64),
                );
                put(
                    "bytes_sent_by_peer",
                    (receiving > 0).then_some(server.bytes_sent as f64),
                );
                put(
                    "peer_retransmits",
                    server.retransmits.map(|count| count as f64),
                );
                put("peer_cpu_user_s", seconds(server.cpu_user_percent));
                put("peer_cpu_system_s", seconds(server.cpu_system_percent));
            }
            Some(Err(Unreached(reason))) => {
                let unknown = Statement::new("iperf3-counts-not-known").part("reason", reason);
                closing.remarks.push(unknown);
            }
            None => {}
        }
        closing
    }
}
