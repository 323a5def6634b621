//! How are messages exchanged with `plumb serve-net` on another host? One connection of each worker, plain blocking calls, one message at a time.

mod connection;

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::run::active;
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::{OperationKind, Workload};

use crate::engine::failure::FailureKind;
use crate::engine::lookout::Waiting;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, EngineKind, Opened, Setup, Unavailable, Wait};
use crate::peer::dial::{buffers, no_time_outs, window_is_too_large};
use crate::peer::protocol::{Hello, Mode};
use crate::system::arrivals::CAN_DISCARD;
use crate::system::tcp_connections::ConnectionCounters;
use crate::system::tcp_connections::{congestion_control, connection_counters};
use connection::{Connection, ConnectionEnd, Greeted, Terms, greet};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "tcp",
        meaning: "sends messages to, receives them from, or exchanges them with 'plumb serve-net' on another host, one at a time, on one connection per worker",
        schemes: &[SchemeProperties {
            word: "tcp",
            meaning: "`plumb serve-net` on another host, over TCP.",
            default_port: 7473,
            while_lost: WhileLost::Fail,
            is_share: false,
            host_is_share: false,
            writes_entire_files: false,
            lends_memory: false,
            needs_password: false,
            untried: None,
            unreachable_remedy: "check the name and the firewall, and start 'plumb serve-net --listen any' there",
        }],
        asynchronous: false,
        batch: 1,
        operations: &[
            OperationKind::Send,
            OperationKind::Receive,
            OperationKind::PingPong,
        ],
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

struct Tcp {
    /// One for each kind of message in the mix.
    links: Vec<Connection>,
    /// Place of each kind in `connections`.
    index_of_kind: [u8; OperationKind::COUNT],
    base: *mut u8,
    stride: usize,
}

fn mode_of(kind: OperationKind) -> Option<Mode> {
    match kind {
        OperationKind::Send => Some(Mode::Send),
        OperationKind::Receive => Some(Mode::Receive),
        OperationKind::PingPong => Some(Mode::PingPong),
        _ => None,
    }
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = &setup.remote else {
        return Err(Unavailable(Statement::new("target-is-no-peer")));
    };
    let waiting = Waiting::of(setup.choice.busy_poll, remote.workers_on_host());
    let discards = setup.choice.skip_rx_copy;
    if discards && !CAN_DISCARD {
        return Err(Unavailable(Statement::new("discard-on-this-system-alone")));
    }
    let mut tcp = Tcp {
        links: Vec::new(),
        index_of_kind: [u8::MAX; OperationKind::COUNT],
        base: setup.buffers.base,
        stride: setup.buffers.stride,
    };
    let mut connection = BTreeMap::new();
    for (kind, _) in &remote.workload.mix.0 {
        let Some(mode) = mode_of(*kind).filter(|_| tcp.index_of_kind[*kind as usize] == u8::MAX)
        else {
            continue;
        };
        let terms = Terms {
            remote: remote.remote.clone(),
            hello: hello(mode, remote.workload, &setup)?,
            discards,
            waiting: waiting_in(mode, waiting),
        };
        let greeted = greet(&terms)?;
        if connection.is_empty() {
            connection = described(&greeted, &terms.hello);
        }
        let link = Connection::new(terms, greeted.stream, remote.journal.clone())
            .map_err(|error| no_time_outs(&error))?;
        tcp.index_of_kind[*kind as usize] = tcp.links.len() as u8;
        tcp.links.push(link);
    }
    if tcp.links.len() > 1 {
        connection.insert("connections_per_worker".into(), tcp.links.len().to_string());
    }
    // One message is under way on each, whatever the depth.
    let waits = tcp.links.iter().find_map(|link| link.waiting().in_use(1));
    Ok(Opened {
        engine: Box::new(tcp),
        connection,
        active: waits
            .into_iter()
            .chain(discards.then_some(active::DISCARDS))
            .map(str::to_string)
            .collect(),
        refused: Vec::new(),
    })
}

/// Only the answer of a ping-pong is looked for: a stream continues by itself.
fn waiting_in(mode: Mode, waiting: Waiting) -> Waiting {
    match (mode, waiting) {
        (Mode::PingPong, _) | (_, Waiting::Polls) => waiting,
        _ => Waiting::Sleeps,
    }
}

fn hello(mode: Mode, workload: &Workload, setup: &Setup<'_>) -> Result<Hello, Unavailable> {
    let window = setup.choice.window.0;
    let window_bytes = u32::try_from(window)
        .ok()
        .filter(|bytes| *bytes <= i32::MAX as u32);
    let longest = workload.largest_block_bytes();
    Ok(Hello {
        mode,
        message_bytes: u32::try_from(longest).map_err(|_| {
            Unavailable(Statement::new("message-is-too-long").name("bytes", longest.to_string()))
        })?,
        framed: mode == Mode::PingPong && workload.smallest_block_bytes() != longest,
        no_delay: setup.choice.no_delay,
        window_bytes: window_bytes.ok_or_else(|| window_is_too_large(window))?,
    })
}

/// What was agreed on a connection, for the record.
fn described(greeted: &Greeted, hello: &Hello) -> BTreeMap<String, String> {
    let stream = &greeted.stream;
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
            (hello.window_bytes > 0).then(|| hello.window_bytes.to_string()),
        ),
        ("send_buffer_bytes", send.map(|bytes| bytes.to_string())),
        (
            "receive_buffer_bytes",
            receive.map(|bytes| bytes.to_string()),
        ),
        (
            "peer_send_buffer_bytes",
            Some(greeted.send_buffer_bytes)
                .filter(|bytes| *bytes > 0)
                .map(|bytes| bytes.to_string()),
        ),
        (
            "peer_receive_buffer_bytes",
            Some(greeted.receive_buffer_bytes)
                .filter(|bytes| *bytes > 0)
                .map(|bytes| bytes.to_string()),
        ),
        ("no_delay", Some(hello.no_delay.to_string())),
    ];
    all.into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), value?)))
        .collect()
}

impl Engine for Tcp {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            // SAFETY: the worker hands out slots below the depth and lengths within a slot; no operation is in flight, so this is the only reference.
            let buffer = unsafe {
                std::slice::from_raw_parts_mut(
                    self.base.add(op.slot as usize * self.stride),
                    op.len as usize,
                )
            };
            let index = usize::from(self.index_of_kind[op.kind as usize]);
            let outcome = self
                .links
                .get_mut(index)
                .map_or(Outcome::failed(FailureKind::Io), |link| {
                    link.carry_out(buffer)
                });
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
        let partings: Vec<ConnectionEnd> = self.links.iter_mut().map(Connection::part).collect();
        closing(&self.links, &partings)
    }
}

/// The account of one worker, and a remark when the two ends do not agree.
fn closing(links: &[Connection], partings: &[ConnectionEnd]) -> Closing {
    let mut closing = Closing::default();
    let numbers = &mut closing.account.numbers;
    let mut put = |name: &str, value: Option<f64>| {
        numbers.extend(value.map(|value| (name.to_string(), value)))
    };
    put("socket_poll_s", Some(looked_s(links)));
    let (sent, received) = links.iter().fold((0, 0), |(sent, received), link| {
        (sent + link.bytes_sent, received + link.bytes_received)
    });
    let losses = links.iter().map(|link| link.losses).sum::<u64>();
    put("bytes_sent", Some(sent as f64));
    put("bytes_received", Some(received as f64));
    put("reconnects", Some(losses as f64));
    let sum = |of: fn(&ConnectionEnd) -> Option<u64>| {
        partings
            .iter()
            .map(of)
            .try_fold(0u64, |sum, number| Some(sum + number?))
    };
    // After a reconnect the responder's account covers the last connection only.
    let of_peer = |of: fn(&ConnectionEnd) -> Option<u64>| sum(of).filter(|_| losses == 0);
    put(
        "retransmits",
        sum(|parting| parting.own.retransmits).map(|count| count as f64),
    );
    let under_way = links
        .iter()
        .zip(partings)
        .filter(|(link, _)| link.sends())
        .map(|(_, parting)| parting.own.unacknowledged_bytes);
    put(
        "bytes_unacknowledged",
        under_way
            .flatten()
            .reduce(|sum, bytes| sum + bytes)
            .map(|bytes| bytes as f64),
    );
    if let Some(ConnectionEnd { own, .. }) = partings.first() {
        for (name, value) in of_connection(own) {
            put(name, value);
        }
    }
    let peer_received = of_peer(|parting| Some(parting.peer?.bytes_received));
    let peer_sent = of_peer(|parting| Some(parting.peer?.bytes_sent));
    put(
        "bytes_received_by_peer",
        peer_received.map(|bytes| bytes as f64),
    );
    put("bytes_sent_by_peer", peer_sent.map(|bytes| bytes as f64));
    put(
        "peer_retransmits",
        of_peer(|parting| parting.peer?.retransmits).map(|count| count as f64),
    );
    put(
        "peer_cpu_user_s",
        of_peer(|parting| parting.peer?.cpu_user_ns).map(|ns| ns as f64 / 1e9),
    );
    put(
        "peer_cpu_system_s",
        of_peer(|parting| parting.peer?.cpu_system_ns).map(|ns| ns as f64 / 1e9),
    );
    if losses == 0 {
        let of_peer = peer_received.zip(peer_sent);
        closing
            .remarks
            .extend(disagreement(sent, received, of_peer));
    }
    closing
}

/// How long sockets were looked at before calls that slept, added up.
fn looked_s(links: &[Connection]) -> f64 {
    let looked: Duration = links.iter().map(Connection::looked).sum();
    looked.as_secs_f64()
}

/// What the kernel reports of a connection.
fn of_connection(own: &ConnectionCounters) -> [(&'static str, Option<f64>); 5] {
    let window = own.congestion_window_bytes.map(|bytes| bytes as f64);
    let rate = own.delivery_rate_bytes_per_s.map(|rate| rate as f64);
    [
        ("round_trip_us", own.round_trip_us),
        ("round_trip_variation_us", own.round_trip_variation_us),
        ("round_trip_min_us", own.round_trip_min_us),
        ("congestion_window_bytes", window),
        ("delivery_rate_bytes_per_s", rate),
    ]
}

/// Remarks on the bytes that this end sent and received, and the peer received and sent.
fn disagreement(sent: u64, received: u64, of_peer: Option<(u64, u64)>) -> Option<Statement> {
    match of_peer {
        None => Some(Statement::new("peer-counts-not-known")),
        Some(counts) if counts == (sent, received) => None,
        Some((arrived, returned)) => Some(
            Statement::new("peer-counts-disagree")
                .name("sent", sent.to_string())
                .name("arrived", arrived.to_string())
                .name("returned", returned.to_string())
                .name("received", received.to_string()),
        ),
    }
}
