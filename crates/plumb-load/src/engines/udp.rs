//! How are messages exchanged over UDP? One socket of each worker; at the other end is a job too, of plumb or of fio.

mod flows;
mod message;
mod socket;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::OperationKind;
use rustix::event::PollFlags;

use self::flows::Flows;
use self::message::{Arrival, closing, number, opening};
use self::socket::{Ready, receiver, sender};
use crate::engine::buffers::Region;
use crate::engine::failure::FailureKind;
use crate::engine::lookout::is_ready;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::{Closing, Engine, EngineKind, Opened, Setup, Unavailable, Wait};
use crate::peer::dial::buffers;
use crate::peer::transfer::{CALL, STALLED};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "udp",
        meaning: "sends messages as datagrams, receives them and counts those lost, or exchanges them; one socket per worker, at consecutive ports; the other end is another job, of plumb or of fio (ioengine=net, protocol=udp)",
        schemes: &[SchemeProperties {
            word: "udp",
            meaning: "A job that receives (the target is then an own address) or sends, over UDP, or a multicast group.",
            default_port: 7475,
            while_lost: WhileLost::Fail,
            is_share: false,
            host_is_share: false,
            writes_entire_files: false,
            lends_memory: false,
            needs_password: false,
            untried: Some(
                "a datagram is not acknowledged: only the receiver knows that it arrived",
            ),
            unreachable_remedy: "check the name and the firewall, and start the job that receives there",
        }],
        asynchronous: true,
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
        own_options: &["answer", "multicast-ttl", "multicast-interface"],
        fio: &[],
    },
    open,
};

/// Longest message: that of a datagram over IPv4 (65,535 bytes with the headers of IP and UDP).
const MESSAGE_BYTES_MAX: u64 = 65_535 - 20 - 8;
/// An answer that has not come by then is lost.
const ANSWER: Duration = Duration::from_secs(1);
/// A stream from which nothing has come for so long has ended: the message that ends it was lost.
const SILENCE: Duration = Duration::from_secs(10);
/// Arrivals that belong to no operation and are taken one after another, before the time is looked at again.
const TAKEN_AT_ONCE: u32 = 64;

struct Udp {
    socket: UdpSocket,
    kind: OperationKind,
    /// Where messages go, or what receives them.
    address: SocketAddr,
    is_connected: bool,
    /// Each message that is received is sent back.
    answers: bool,
    buffers: Region,
    in_flight: VecDeque<InFlight>,
    flows: Flows,
    /// How long nothing has come, as far as it was waited for.
    silent: Duration,
    /// Receives that are in flight end: the sender has ended, or the job.
    is_over: bool,
    /// The message that begins the stream was sent.
    is_announced: bool,
    sent: u64,
    bytes_sent: u64,
    bytes_received: u64,
    /// Messages that were returned as undeliverable.
    returned: u64,
    /// Answers that could not be sent.
    unanswered: u64,
}

struct InFlight {
    op: Op,
    /// Of a ping-pong: the message's number, and when it was sent.
    number: u64,
    sent_at: Option<Instant>,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = &setup.remote else {
        return Err(Unavailable(Statement::new("target-is-no-udp-peer")));
    };
    let kinds = &remote.workload.mix.0;
    let kind = kinds.first().map(|(kind, _)| *kind);
    let (Some(kind), true) = (kind, kinds.iter().all(|(other, _)| Some(*other) == kind)) else {
        return Err(Unavailable(Statement::new("udp-is-one-way")));
    };
    let longest = remote.workload.largest_block_bytes();
    if longest > MESSAGE_BYTES_MAX {
        return Err(Unavailable(
            Statement::new("message-is-too-long-for-udp")
                .name("bytes", longest.to_string())
                .name("most", MESSAGE_BYTES_MAX.to_string()),
        ));
    }
    let worker = remote.workload.number_of(remote.worker);
    let set_up = match kind {
        OperationKind::Receive => receiver,
        _ => sender,
    };
    let Ready {
        socket,
        address,
        is_connected,
    } = set_up(remote.remote, worker, setup.choice)?;
    let connection = described(&socket, address, kind);
    let udp = Udp {
        is_connected,
        answers: setup.choice.answer,
        ..Udp::new(socket, kind, address, setup.buffers)
    };
    Ok(Opened {
        connection,
        ..Opened::local(udp)
    })
}

/// The socket, for the record.
fn described(
    socket: &UdpSocket,
    address: SocketAddr,
    kind: OperationKind,
) -> BTreeMap<String, String> {
    let (send, receive) = buffers(socket);
    let peer = (kind != OperationKind::Receive || address.ip().is_multicast()).then_some(address);
    let all = [
        (
            "local_address",
            socket.local_addr().ok().map(|own| own.to_string()),
        ),
        ("peer_address", peer.map(|peer| peer.to_string())),
        ("send_buffer_bytes", send.map(|size| size.to_string())),
        ("receive_buffer_bytes", receive.map(|size| size.to_string())),
    ];
    all.into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), value?)))
        .collect()
}

/// The system returned an earlier message: nothing listens at its address (ICMP).
fn is_returned(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset
    )
}

impl Udp {
    /// For one worker, on a socket that is not connected.
    fn new(socket: UdpSocket, kind: OperationKind, address: SocketAddr, buffers: Region) -> Udp {
        Udp {
            socket,
            kind,
            address,
            is_connected: false,
            answers: false,
            buffers,
            in_flight: VecDeque::new(),
            flows: Flows::default(),
            silent: Duration::ZERO,
            is_over: false,
            is_announced: false,
            sent: 0,
            bytes_sent: 0,
            bytes_received: 0,
            returned: 0,
            unanswered: 0,
        }
    }

    /// The buffer of a slot, as long as the longest message.
    fn buffer<'b>(buffers: &Region, slot: u32) -> &'b mut [u8] {
        let start = slot as usize * buffers.stride;
        // SAFETY: the worker hands out slots below the depth, and leaves the buffer alone until the operation is done.
        unsafe { std::slice::from_raw_parts_mut(buffers.base.add(start), buffers.slot_bytes) }
    }

    /// Hands one message to the system, and waits for room in its buffer.
    fn hand_over(&mut self, bytes: &[u8], to: SocketAddr) -> io::Result<()> {
        let mut stalled = Duration::ZERO;
        loop {
            let sent = match self.is_connected {
                true => self.socket.send(bytes),
                false => self.socket.send_to(bytes, to),
            };
            match sent {
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // That was an earlier one; this one was not sent.
                Err(error) if is_returned(&error) => self.returned += 1,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && stalled < STALLED => {
                    if !is_ready(&self.socket, PollFlags::OUT, CALL)? {
                        stalled += CALL;
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends the message of an operation.
    fn send(&mut self, op: &Op) -> Outcome {
        if !self.is_announced {
            self.is_announced = true;
            // A receiver of plumb does without it.
            let _ = self.hand_over(&opening(), self.address);
        }
        let buffer = &mut Udp::buffer(&self.buffers, op.slot)[..op.len as usize];
        number(buffer, self.sent);
        match self.hand_over(buffer, self.address) {
            Ok(()) => {
                self.sent += 1;
                self.bytes_sent += u64::from(op.len);
                Outcome::moved(op.len)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Outcome::failed(FailureKind::TimedOut)
            }
            Err(error) => Outcome::of_error(&error),
        }
    }

    /// Takes what has arrived, without waiting.
    fn take_arrivals(&mut self, done: &mut Vec<Done>) {
        let mut left = TAKEN_AT_ONCE;
        while left > 0
            && !self.is_over
            && let Some(first) = self.in_flight.front()
        {
            // An answer may be longer than the oldest message.
            let slot = first.op.slot;
            let buffer = Udp::buffer(&self.buffers, slot);
            match self.socket.recv_from(buffer) {
                Ok((bytes, from)) => {
                    self.silent = Duration::ZERO;
                    let bytes = bytes.min(buffer.len());
                    if !self.arrived(&buffer[..bytes], from, done) {
                        left -= 1;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_returned(&error) => self.returned += 1,
                Err(error) => {
                    self.in_flight.pop_front();
                    let outcome = Outcome::of_error(&error);
                    done.push(Done { slot, outcome });
                }
            }
        }
    }

    /// True: an operation is done.
    #[inline]
    fn arrived(&mut self, bytes: &[u8], from: SocketAddr, done: &mut Vec<Done>) -> bool {
        let receives = self.kind == OperationKind::Receive;
        let in_flight = match Arrival::of(bytes) {
            Arrival::Opening => {
                self.flows.open(from);
                return false;
            }
            Arrival::Closing => {
                self.is_over |= receives && self.flows.close(from);
                return false;
            }
            Arrival::Message(number) if receives => {
                self.flows.count(from, number);
                if self.answers && self.hand_over(bytes, from).is_err() {
                    self.unanswered += 1;
                }
                self.in_flight.pop_front()
            }
            // What has no number answers the oldest; an answer that came too late is of no use.
            Arrival::Message(None) => self.in_flight.pop_front(),
            Arrival::Message(Some(number)) => self
                .in_flight
                .iter()
                .position(|sent| sent.number == number)
                .and_then(|index| self.in_flight.remove(index)),
        };
        let Some(InFlight { op, .. }) = in_flight else {
            return false;
        };
        self.bytes_received += bytes.len() as u64;
        done.push(Done {
            slot: op.slot,
            outcome: Outcome::moved(bytes.len() as u32),
        });
        true
    }

    /// Ends operations for which nothing will come any more.
    fn give_up(&mut self, done: &mut Vec<Done>) {
        if self.kind == OperationKind::Receive {
            self.is_over |= self.flows.is_any() && self.silent >= SILENCE;
            let ended = if self.is_over {
                self.in_flight.len()
            } else {
                0
            };
            done.extend(self.in_flight.drain(..ended).map(|receive| Done {
                slot: receive.op.slot,
                outcome: Outcome::failed(FailureKind::EndOfStream),
            }));
            return;
        }
        let is_late = |sent: &InFlight| sent.sent_at.is_some_and(|at| at.elapsed() >= ANSWER);
        let late = self.in_flight.iter().take_while(|sent| is_late(sent));
        let late = late.count();
        done.extend(self.in_flight.drain(..late).map(|sent| Done {
            slot: sent.op.slot,
            outcome: Outcome::failed(FailureKind::TimedOut),
        }));
    }
}

impl Engine for Udp {
    /// A receiver waits for the first message, as fio does.
    fn has_begun(&mut self) -> bool {
        if self.kind != OperationKind::Receive {
            return true;
        }
        let mut first = [0; 64];
        if !is_ready(&self.socket, PollFlags::IN, CALL).unwrap_or(true) {
            return false;
        }
        // Windows reports a message that is longer than the buffer as an error.
        let Ok((bytes, _)) = self.socket.peek_from(&mut first) else {
            return true;
        };
        match Arrival::of(&first[..bytes]) {
            Arrival::Message(_) => true,
            Arrival::Opening | Arrival::Closing => {
                if let Ok((bytes, from)) = self.socket.recv_from(&mut first)
                    && Arrival::of(&first[..bytes]) == Arrival::Opening
                {
                    self.flows.open(from);
                }
                self.flows.is_any()
            }
        }
    }

    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            let number = self.sent;
            let outcome = match self.kind {
                OperationKind::Receive => Outcome::moved(0),
                _ => self.send(op),
            };
            if self.kind == OperationKind::Send || !outcome.is_success() {
                done.push(Done {
                    slot: op.slot,
                    outcome,
                });
                continue;
            }
            self.in_flight.push_back(InFlight {
                op: *op,
                number,
                sent_at: (self.kind == OperationKind::PingPong).then(Instant::now),
            });
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let before = done.len();
        let mut until = None;
        loop {
            self.take_arrivals(done);
            if done.len() == before {
                self.give_up(done);
            }
            if done.len() > before {
                return Ok(());
            }
            let at_most = match wait {
                Wait::No => return Ok(()),
                Wait::One => CALL,
                Wait::AtMost(ns) => Duration::from_nanos(ns).min(CALL),
            };
            let until = *until.get_or_insert_with(|| Instant::now() + at_most);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            if !is_ready(&self.socket, PollFlags::IN, left)? {
                self.silent += left;
            }
        }
    }

    fn finish(&mut self) {
        self.is_over |= self.kind == OperationKind::Receive;
    }

    fn close(&mut self) -> Closing {
        if self.is_announced {
            // A receiver that does not get it ends when nothing comes any more.
            let _ = self.hand_over(&closing(), self.address);
        }
        let mut closing = Closing::default();
        let mut put = |name: &str, value: Option<u64>| {
            let numbers = &mut closing.account.numbers;
            numbers.extend(value.map(|value| (name.to_string(), value as f64)));
        };
        put("bytes_sent", Some(self.bytes_sent));
        put("bytes_received", Some(self.bytes_received));
        put("messages_lost", self.flows.lost());
        let of_any = |count: u64| Some(count).filter(|count| *count > 0);
        put("messages_returned", of_any(self.returned));
        put("messages_not_answered", of_any(self.unanswered));
        let place = self.address.to_string();
        let remarks = &mut closing.remarks;
        if self.returned > 0 {
            remarks.push(
                Statement::new("udp-messages-returned")
                    .count("count", self.returned)
                    .name("place", place),
            );
        } else if self.kind == OperationKind::Send && self.sent > 0 {
            remarks.push(Statement::new("udp-arrivals-not-known").count("count", self.sent));
        }
        if self.kind == OperationKind::Receive && self.flows.is_any() && self.silent >= SILENCE {
            remarks.push(
                Statement::new("udp-end-by-silence").time_ns("time", SILENCE.as_nanos() as f64),
            );
        }
        closing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::buffers::Buffers;

    /// A worker's side of `kind`, and the other end.
    fn pair(kind: OperationKind, buffers: &Buffers) -> (Udp, UdpSocket) {
        let other = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_nonblocking(true).expect("a mode");
        let address = match kind {
            OperationKind::Receive => socket.local_addr(),
            _ => other.local_addr(),
        };
        let address = address.expect("an address");
        (Udp::new(socket, kind, address, buffers.region()), other)
    }

    fn ops(kind: OperationKind, lengths: [u32; 2]) -> [Op; 2] {
        [0, 1].map(|slot| Op {
            offset: 0,
            len: lengths[slot as usize],
            slot,
            file: 0,
            kind,
            priority: 0,
        })
    }

    fn all_done(udp: &mut Udp, count: usize) -> Vec<Done> {
        let mut done = Vec::new();
        let begun = Instant::now();
        while done.len() < count && begun.elapsed() < Duration::from_secs(60) {
            udp.reap(Wait::One, &mut done).expect("a socket");
        }
        done
    }

    #[test]
    fn an_answer_belongs_to_its_message_and_one_that_never_comes_is_an_error() {
        let buffers = Buffers::new(2, 64).expect("memory");
        let (mut udp, other) = pair(OperationKind::PingPong, &buffers);
        let mut done = Vec::new();
        // The answer to the longer one comes while the shorter one is the oldest.
        udp.submit(&ops(OperationKind::PingPong, [32, 64]), &mut done)
            .expect("sent");
        assert!(done.is_empty(), "{done:?}");
        let mut arrived = [0; 256];
        let mut messages = Vec::new();
        let mut from = None;
        while messages.len() < 2 {
            let (bytes, sender) = other.recv_from(&mut arrived).expect("a message");
            from = Some(sender);
            if Arrival::of(&arrived[..bytes]) != Arrival::Opening {
                messages.push(arrived[..bytes].to_vec());
            }
        }
        // Of the first nothing comes; a message with another number is no answer to it.
        let mut stranger = messages[1].clone();
        number(&mut stranger, 77);
        let from = from.expect("a sender");
        for message in [&stranger, &messages[1]] {
            other.send_to(message, from).expect("sent");
        }
        let outcomes: Vec<(u32, Outcome)> = all_done(&mut udp, 2)
            .into_iter()
            .map(|done| (done.slot, done.outcome))
            .collect();
        let late = Outcome::failed(FailureKind::TimedOut);
        assert_eq!(outcomes, [(1, Outcome::moved(64)), (0, late)]);
    }

    #[test]
    fn a_stream_ends_by_its_sender_by_silence_or_with_the_job() {
        let ended = Outcome::failed(FailureKind::EndOfStream);
        for how in ["closing", "silence", "finish"] {
            let buffers = Buffers::new(2, 64).expect("memory");
            let (mut udp, other) = pair(OperationKind::Receive, &buffers);
            let address = udp.address;
            assert!(!udp.has_begun());
            for message in [opening().to_vec(), vec![5; 64]] {
                other.send_to(&message, address).expect("sent");
            }
            assert!(udp.has_begun());
            // The end of a stream by a stranger is none.
            let stranger = UdpSocket::bind("127.0.0.1:0").expect("a port");
            stranger.send_to(&closing(), address).expect("sent");
            let receives = ops(OperationKind::Receive, [64, 64]);
            udp.submit(&receives, &mut Vec::new()).expect("taken");
            let first = all_done(&mut udp, 1);
            assert_eq!(first[0].outcome, Outcome::moved(64), "{how}");
            match how {
                "closing" => assert_eq!(other.send_to(&closing(), address).ok(), Some(8)),
                "silence" => {
                    assert!(udp.reap(Wait::No, &mut Vec::new()).is_ok());
                    udp.silent = SILENCE;
                }
                _ => udp.finish(),
            }
            let last = all_done(&mut udp, 1);
            assert_eq!((last[0].slot, last[0].outcome), (1, ended), "{how}");
            let remarks = udp.close().remarks;
            assert_eq!(remarks.len(), usize::from(how == "silence"), "{how}");
        }
    }
}
