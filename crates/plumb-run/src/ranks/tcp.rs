//! How do ranks reach each other without MPI? Over one connection each to rank 0, sealed with a token, which passes on what is for others.

use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_load::secret::Secret;
use serde::{Deserialize, Serialize};

use super::message::Message;
use super::wire::{Wire, WireError};
use crate::agent::frame::{FRAME_MAX, FrameError, Frames, Sender, within};
use crate::agent::handshake::{LOGIN_MAX, READ_TIMEOUT, SILENCE_MAX, answer, first, open};
use crate::environment::host_name;
use crate::notices::say;

/// How long all ranks may take to come, and rank 0 to listen.
const JOIN_PATIENCE: Duration = Duration::from_secs(60);
/// Between two tries, and two looks for a connection.
const RETRY: Duration = Duration::from_millis(100);

/// The message for a client with another token.
const OTHER_TOKEN: &str =
    "the token differs from rank 0's: give all ranks a copy of the same token file";
/// Maximum number of rejections reported.
const REJECTED_REPORTED: usize = 8;

/// A message with where it goes.
#[derive(Debug, Serialize, Deserialize)]
struct Parcel {
    from: u32,
    to: u32,
    body: String,
}

/// The first word of a rank, once the connection is sealed.
#[derive(Debug, Serialize, Deserialize)]
struct Joining {
    rank: u32,
    ranks: u32,
}

/// What becomes of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "joined", rename_all = "kebab-case")]
enum Joined {
    Yes,
    No { reason: String },
}

/// Ways to the ranks that this one is connected to; what is for another goes by rank 0.
type Ways = Arc<Mutex<Vec<Option<mpsc::Sender<Parcel>>>>>;

/// Connections of one rank.
pub struct Tcp {
    rank: u32,
    size: u32,
    ways: Ways,
    inbox: Receiver<(u32, Vec<u8>)>,
    writers: Vec<std::thread::JoinHandle<()>>,
}

/// Where the ranks meet, and what lets them in.
pub struct Meeting {
    pub rank: u32,
    pub ranks: u32,
    /// HOST:PORT of rank 0.
    pub address: String,
    pub token: Secret,
}

impl Tcp {
    /// Connects the ranks of a launcher without MPI. Errors: they do not come together in time, or one has another token.
    pub fn join(meeting: &Meeting, stop: &AtomicBool) -> anyhow::Result<Tcp> {
        if meeting.rank > 0 {
            let host = host_name().unwrap_or_else(|| "an unknown host".into());
            let (frames, sender) =
                reach(meeting, stop).with_context(|| format!("rank {} on {host}", meeting.rank))?;
            return Ok(Tcp::connected(
                meeting.rank,
                meeting.ranks,
                vec![(0, frames, sender)],
            ));
        }
        let port = meeting.address.rsplit_once(':').map(|(_, port)| port);
        let port = port
            .and_then(|port| port.parse::<u16>().ok())
            .with_context(|| format!("{}: not HOST:PORT", meeting.address))?;
        let listener = TcpListener::bind(SocketAddr::from(([0, 0, 0, 0], port)))
            .with_context(|| format!("rank 0 cannot listen on port {port}"))?;
        let connections = take_all(&listener, meeting, stop)?;
        Ok(Tcp::connected(0, meeting.ranks, connections))
    }

    /// What one end makes of its connections: rank 0 has one to each of the others, the others have one to rank 0.
    pub fn connected(rank: u32, size: u32, connections: Vec<(u32, Frames, Sender)>) -> Tcp {
        let (arrive, inbox) = channel();
        let ways: Ways = Arc::new(Mutex::new((0..size).map(|_| None).collect()));
        let mut writers = Vec::new();
        for (to, frames, sender) in connections {
            let (way, parcels) = channel();
            if let Some(slot) = lock(&ways).get_mut(to as usize) {
                *slot = Some(way);
            }
            let writing = std::thread::Builder::new().name("plumb-send".into());
            let writer = writing.spawn(move || write(sender, &parcels));
            let (arrive, ways) = (arrive.clone(), ways.clone());
            let reading = std::thread::Builder::new().name("plumb-receive".into());
            let reader = reading.spawn(move || read(frames, (rank, to), &ways, &arrive));
            // Without its threads the rank stays silent, and is lost after a while like any other.
            drop(reader);
            writers.extend(writer);
        }
        Tcp {
            rank,
            size,
            ways,
            inbox,
            writers,
        }
    }
}

fn lock(ways: &Ways) -> std::sync::MutexGuard<'_, Vec<Option<mpsc::Sender<Parcel>>>> {
    ways.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands a parcel to the connection that leads to its rank; one for a rank that has gone is dropped.
fn pass(ways: &Ways, rank: u32, parcel: Parcel) {
    let via = if rank == 0 { parcel.to } else { 0 };
    if let Some(Some(way)) = lock(ways).get(via as usize) {
        let _ = way.send(parcel);
    }
}

/// Writes what is to be sent until nobody has anything more.
fn write(mut sender: Sender, parcels: &Receiver<Parcel>) {
    let _ = sender.stream().set_write_timeout(Some(SILENCE_MAX));
    while let Ok(parcel) = parcels.recv() {
        if sender.send(&parcel).is_err() {
            // The reader of this connection reports that it is lost.
            let _ = sender.stream().shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

/// Receives from the connection to `other`, and forwards messages for others. Reports its end as a message of `other`.
fn read(
    mut frames: Frames,
    (rank, other): (u32, u32),
    ways: &Ways,
    arrive: &mpsc::Sender<(u32, Vec<u8>)>,
) {
    frames.longest = FRAME_MAX;
    let why = loop {
        match frames.next::<Parcel>(within(READ_TIMEOUT)) {
            Ok(Some(parcel)) => {
                // The sender is known by the connection, whatever the message contains.
                let from = if rank == 0 { other } else { parcel.from };
                let parcel = Parcel { from, ..parcel };
                if parcel.to != rank {
                    pass(ways, rank, parcel);
                } else if arrive.send((from, parcel.body.into_bytes())).is_err() {
                    return;
                }
            }
            Ok(None) => {}
            Err(error) => break error,
        }
    };
    let why = match why {
        FrameError::Closed => "its connection was closed".to_string(),
        error => error.to_string(),
    };
    let answer = match rank {
        0 => Message::Gone { why },
        _ => Message::Stop {
            reason: format!("lost rank 0: {why}"),
        },
    };
    if let Some(slot) = lock(ways).get_mut(other as usize) {
        *slot = None;
    }
    let _ = arrive.send((other, serde_json::to_vec(&answer).unwrap_or_default()));
}

/// Connects to rank 0, which may not listen yet.
fn reach(meeting: &Meeting, stop: &AtomicBool) -> anyhow::Result<(Frames, Sender)> {
    let begun = Instant::now();
    let stream = loop {
        let addresses = meeting
            .address
            .to_socket_addrs()
            .with_context(|| format!("{}: no such host or port", meeting.address))?;
        let mut last = None;
        let reached = addresses.into_iter().find_map(|address| {
            TcpStream::connect_timeout(&address, LOGIN_MAX)
                .map_err(|error| last = Some(error))
                .ok()
        });
        match (reached, last) {
            (Some(stream), _) => break stream,
            _ if stop.load(Ordering::Relaxed) => bail!("it ended before it connected to rank 0"),
            (None, error) if begun.elapsed() > JOIN_PATIENCE => {
                let error = error.map_or_else(|| "no address".into(), |error| error.to_string());
                bail!(
                    "could not connect to rank 0 at {} within {} s: {error}",
                    meeting.address,
                    JOIN_PATIENCE.as_secs()
                );
            }
            _ => std::thread::sleep(RETRY),
        }
    };
    let (mut frames, mut sender) = open(stream, &meeting.token, &meeting.address)?;
    sender.send(&Joining {
        rank: meeting.rank,
        ranks: meeting.ranks,
    })?;
    match first(&mut frames)? {
        Joined::Yes => Ok((frames, sender)),
        Joined::No { reason } => bail!("{}: {reason}", meeting.address),
    }
}

/// Takes the connections of all other ranks. Who does not have the token is sent away, and named when a rank is missing at the end.
fn take_all(
    listener: &TcpListener,
    meeting: &Meeting,
    stop: &AtomicBool,
) -> anyhow::Result<Vec<(u32, Frames, Sender)>> {
    listener.set_nonblocking(true)?;
    let begun = Instant::now();
    let mut joined: Vec<(u32, Frames, Sender)> = Vec::new();
    let mut refused: Vec<String> = Vec::new();
    let (ready, answered) = channel();
    std::thread::scope(|scope| {
        while joined.len() + 1 < meeting.ranks as usize {
            if stop.load(Ordering::Relaxed) {
                bail!("it ended before all ranks had connected");
            }
            if begun.elapsed() > JOIN_PATIENCE {
                let missing: Vec<String> = (1..meeting.ranks)
                    .filter(|rank| !joined.iter().any(|(known, ..)| known == rank))
                    .take(8)
                    .map(|rank| rank.to_string())
                    .collect();
                refused.dedup();
                bail!(
                    "{} of {} ranks connected within {} s; missing: {}{}",
                    joined.len() + 1,
                    meeting.ranks,
                    JOIN_PATIENCE.as_secs(),
                    missing.join(", "),
                    refused
                        .first()
                        .map_or_else(String::new, |why| format!(" (one was rejected: {why})"))
                );
            }
            if let Ok((stream, address)) = listener.accept() {
                let ready = ready.clone();
                scope.spawn(move || {
                    let taken = take_one(stream, meeting);
                    let _ = ready.send(taken.with_context(|| address.to_string()));
                });
            }
            match answered.recv_timeout(RETRY / 10) {
                Ok(Ok((rank, frames, mut sender))) => {
                    let twice = joined.iter().any(|(known, ..)| *known == rank);
                    let _ = sender.send(&match twice {
                        true => Joined::No {
                            reason: format!("rank {rank} is connected already"),
                        },
                        false => Joined::Yes,
                    });
                    if !twice {
                        joined.push((rank, frames, sender));
                    }
                }
                Ok(Err(error)) => {
                    refused.push(format!("{error:#}"));
                    if refused.len() <= REJECTED_REPORTED {
                        say(&format!("rejected as a rank: {error:#}"));
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
        Ok(joined)
    })
}

/// One connection up to the word which rank it is.
fn take_one(stream: TcpStream, meeting: &Meeting) -> anyhow::Result<(u32, Frames, Sender)> {
    let (mut frames, mut sender) =
        answer(stream, (&meeting.token, OTHER_TOKEN), within(LOGIN_MAX))?;
    let Joining { rank, ranks } = first(&mut frames)?;
    if ranks != meeting.ranks || rank == 0 || rank >= meeting.ranks {
        let reason = format!(
            "it is rank {rank} of {ranks}, and this run has {} ranks",
            meeting.ranks
        );
        let _ = sender.send(&Joined::No {
            reason: reason.clone(),
        });
        bail!(reason);
    }
    Ok((rank, frames, sender))
}

impl Wire for Tcp {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn name(&self) -> String {
        "TCP".into()
    }

    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), WireError> {
        let body = String::from_utf8(message.to_vec())
            .map_err(|_| WireError("a message is not text".into()))?;
        let from = self.rank;
        pass(&self.ways, self.rank, Parcel { from, to, body });
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, WireError> {
        Ok(self.inbox.try_recv().ok())
    }

    fn has_barrier(&self) -> bool {
        false
    }

    fn enter_barrier(&mut self) -> Result<(), WireError> {
        Ok(())
    }

    fn is_barrier_passed(&mut self) -> Result<bool, WireError> {
        Ok(true)
    }

    fn close(self: Box<Self>, patience: Duration) {
        let Tcp { ways, writers, .. } = *self;
        // The writers end once they have sent what they have.
        lock(&ways).iter_mut().for_each(|way| *way = None);
        let until = Instant::now() + patience;
        for writer in writers {
            while !writer.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
