//! How does a connection wait for its socket? It looks again and again for a moment where an answer is near, and sleeps until as much has come as is wanted.

use std::net::TcpStream;
use std::num::NonZero;
use std::time::{Duration, Instant};

use plumb_model::run::active;
use plumb_model::workload::BusyPoll;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;

use crate::system::tcp_connections::{HAS_LOW_WATER, connection_counters, wake_at};

/// So long the socket is looked at again and again before this thread sleeps. To be woken costs this thread time, and that of the server which sends where both run
/// on one machine (docs/decisions/0011).
const LOOK_FOR: Duration = Duration::from_micros(20);
/// The same for the answer to the only request: nothing else happens meanwhile, and the wake-up would be part of each response time.
const LOOK_FOR_ONE: Duration = Duration::from_micros(100);
/// So many waits one after another that looking did not spare: this server takes longer.
const IN_VAIN_MAX: u8 = 4;
/// From then on the last [`IN_VAIN_MAX`] of so many waits begin with looking, to learn when that changes. They follow one another, since a server whose CPU went idle
/// is late for the first of them.
const TRIED_AGAIN_IN: u8 = 128;
/// If this much data is missing, the thread sleeps until it is completely received, while other requests keep the server busy.
const COMPLETE_FROM_BYTES: usize = 64 << 10;

/// It is slept for only where it takes no more than this share of the receive buffer, since nothing is sent into the room that unread data takes. With more, a path
/// with a long round trip brings one buffer in each, and the system, which makes a buffer larger that is emptied within one, never does (docs/decisions/0011).
const BUFFER_SHARE: usize = 16;
/// The same for a round trip so short that the sender learns of free buffer space at once.
const BUFFER_SHARE_NEARBY: usize = 4;
const NEARBY_US: f64 = 1000.0;
/// The buffer grows with the data: its size is queried again after this many replies.
const REQUERY_AFTER: u32 = 16;

/// What a thread does while nothing can be received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waiting {
    /// It sleeps at once.
    Sleeps,
    /// It looks for a moment before it sleeps.
    #[default]
    Looks,
    /// It looks for longer where only one answer is due.
    LooksLonger,
    /// It never sleeps.
    Polls,
}

impl Waiting {
    /// From the key `busy-poll` and the number of workers: long polling needs a CPU per worker, and the system as many for itself.
    pub fn of(choice: BusyPoll, workers: u32) -> Waiting {
        let cpus = std::thread::available_parallelism().map_or(1, NonZero::get);
        match choice {
            BusyPoll::Yes => Waiting::Polls,
            BusyPoll::No => Waiting::Sleeps,
            BusyPoll::Auto if 2 * workers as usize <= cpus => Waiting::LooksLonger,
            BusyPoll::Auto => Waiting::Looks,
        }
    }

    /// Its name among the features in use at this depth, where response times depend on it.
    pub fn in_use(self, depth: u32) -> Option<&'static str> {
        match self {
            Waiting::Polls => Some(active::POLLS_SOCKET),
            Waiting::LooksLonger if depth == 1 => Some(active::POLLS_BRIEFLY),
            Waiting::LooksLonger | Waiting::Sleeps | Waiting::Looks => None,
        }
    }
}

/// What is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Awaited {
    /// Something is left to be sent too.
    pub sends: bool,
    /// Requests without their complete reply.
    pub requests: usize,
    /// Those of them whose answers bring large data.
    pub large: usize,
    /// Bytes of data that are missing of the answer that has begun to come.
    pub missing_bytes: usize,
}

/// How one connection waits for its socket.
#[derive(Debug, Default)]
pub struct Lookout {
    waiting: Waiting,
    /// Waits one after another that began with looking and came to sleep all the same.
    in_vain: u8,
    /// Waits since looking was given up or last tried again.
    since_given_up: u8,
    /// The socket is ready from this many bytes on (SO_RCVLOWAT); 0 if never set.
    low_water: usize,
    /// Largest data for which the thread sleeps until it is complete, and how many replies ago that was determined.
    complete_max_bytes: usize,
    found_out_before: u32,
    /// How long it was looked, added up.
    looked: Duration,
}

impl Lookout {
    /// For a thread that waits so.
    pub fn new(waiting: Waiting) -> Lookout {
        Lookout {
            waiting,
            ..Lookout::default()
        }
    }

    /// From now on the thread waits so; what it was before counts no more.
    pub fn set(&mut self, waiting: Waiting) {
        *self = Lookout {
            low_water: self.low_water,
            ..Lookout::new(waiting)
        };
    }

    /// What the thread does.
    pub fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// How long the socket was looked at before the thread slept or went on, added up since it waits so.
    pub fn looked(&self) -> Duration {
        self.looked
    }

    /// Waits until the socket is ready, at most for so long; `false`: it is not, or not enough has come. If polling, returns `true` at once.
    ///
    /// # Errors
    /// Of the system; a signal is none, and ends the wait.
    pub fn wait(
        &mut self,
        socket: &TcpStream,
        awaited: Awaited,
        at_most: Duration,
    ) -> rustix::io::Result<bool> {
        if self.waiting == Waiting::Polls {
            return Ok(true);
        }
        // The sender is spared the wake-ups in between, and the data is copied at once, while it sends what follows.
        let low_water = if self.sleeps_until_complete(socket, awaited) {
            awaited.missing_bytes
        } else {
            1
        };
        if low_water != self.low_water.max(1) {
            wake_at(socket, low_water);
            self.low_water = low_water;
        }
        let flags = if awaited.sends {
            PollFlags::IN | PollFlags::OUT
        } else {
            PollFlags::IN
        };
        let look_for = match awaited {
            Awaited { requests: 1, .. } => self.for_one(),
            // Here looking costs CPU time and gains nothing.
            Awaited { large: 2.., .. } => Duration::ZERO,
            _ if self.waiting == Waiting::Sleeps => Duration::ZERO,
            _ => LOOK_FOR,
        };
        if self.look(socket, flags, look_for, at_most)? {
            return Ok(true);
        }
        is_ready(socket, flags, at_most)
    }

    /// Looks for the only answer, for those who sleep in the call that receives.
    ///
    /// # Errors
    /// Of the system.
    #[inline]
    pub fn look_for_one(
        &mut self,
        socket: &TcpStream,
        at_most: Duration,
    ) -> rustix::io::Result<()> {
        match self.waiting {
            Waiting::Sleeps | Waiting::Polls => Ok(()),
            Waiting::Looks | Waiting::LooksLonger => {
                let look_for = self.for_one();
                self.look(socket, PollFlags::IN, look_for, at_most)
                    .map(|_| ())
            }
        }
    }

    /// All that is missing of an answer is wanted at once.
    fn sleeps_until_complete(&mut self, socket: &TcpStream, awaited: Awaited) -> bool {
        if !HAS_LOW_WATER || awaited.requests < 2 || awaited.missing_bytes < COMPLETE_FROM_BYTES {
            return false;
        }
        if self.found_out_before == 0 {
            self.complete_max_bytes = complete_max_bytes(socket);
        }
        self.found_out_before = (self.found_out_before + 1) % REQUERY_AFTER;
        awaited.missing_bytes <= self.complete_max_bytes
    }

    fn for_one(&self) -> Duration {
        match self.waiting {
            Waiting::Sleeps | Waiting::Polls => Duration::ZERO,
            Waiting::Looks => LOOK_FOR,
            Waiting::LooksLonger => LOOK_FOR_ONE,
        }
    }

    /// Looks again and again for so long. `true`: the socket is ready.
    fn look(
        &mut self,
        socket: &TcpStream,
        flags: PollFlags,
        look_for: Duration,
        at_most: Duration,
    ) -> rustix::io::Result<bool> {
        if look_for.is_zero() || at_most <= look_for || !self.is_worth_looking() {
            return Ok(false);
        }
        let begun = Instant::now();
        let mut elapsed = Duration::ZERO;
        let mut found = false;
        while !found && elapsed < look_for {
            found = is_ready(socket, flags, Duration::ZERO)?;
            elapsed = begun.elapsed();
        }
        self.looked += elapsed;
        if found {
            (self.in_vain, self.since_given_up) = (0, 0);
        } else {
            self.in_vain = (self.in_vain + 1).min(IN_VAIN_MAX);
        }
        Ok(found)
    }

    /// It was worth it of late, or it is time to try again.
    fn is_worth_looking(&mut self) -> bool {
        if self.in_vain < IN_VAIN_MAX {
            return true;
        }
        self.since_given_up = self.since_given_up % TRIED_AGAIN_IN + 1;
        self.since_given_up > TRIED_AGAIN_IN - IN_VAIN_MAX
    }
}

/// Bytes that may lie in the receive buffer while this thread sleeps.
fn complete_max_bytes(socket: &TcpStream) -> usize {
    let round_trip_us = connection_counters(socket).round_trip_min_us;
    let share = match round_trip_us {
        Some(time) if time < NEARBY_US => BUFFER_SHARE_NEARBY,
        _ => BUFFER_SHARE,
    };
    let buffer_bytes = socket2::SockRef::from(socket).recv_buffer_size();
    buffer_bytes.map_or(0, |bytes| bytes / share)
}

/// Waits once. `false`: the time is over.
///
/// # Errors
/// Of the system; a signal is none, and ends the wait.
pub fn is_ready(
    socket: impl AsFd,
    flags: PollFlags,
    at_most: Duration,
) -> rustix::io::Result<bool> {
    let time = Timespec {
        tv_sec: at_most.as_secs() as _,
        tv_nsec: at_most.subsec_nanos() as _,
    };
    match poll(&mut [PollFd::new(&socket, flags)], Some(&time)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    fn connection() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let socket =
            TcpStream::connect(listener.local_addr().expect("address")).expect("a connection");
        (socket, listener.accept().expect("a client").0)
    }

    const SMALL: Awaited = Awaited {
        sends: false,
        requests: 1,
        large: 0,
        missing_bytes: 0,
    };

    #[test]
    fn a_server_that_takes_long_is_looked_at_once_in_a_while() {
        let (socket, mut peer) = connection();
        let mut lookout = Lookout::default();
        let wait = |lookout: &mut Lookout| {
            lookout
                .wait(&socket, SMALL, Duration::from_millis(1))
                .expect("a socket that can be waited for");
        };
        for waits in 1..=IN_VAIN_MAX {
            wait(&mut lookout);
            assert_eq!(lookout.in_vain, waits);
        }
        assert!(lookout.looked() >= LOOK_FOR * u32::from(IN_VAIN_MAX));
        let looked = lookout.looked();
        let given_up = |lookout: &mut Lookout| {
            let before = lookout.looked();
            for _ in IN_VAIN_MAX..TRIED_AGAIN_IN {
                wait(lookout);
                assert_eq!(lookout.looked(), before, "it was not looked");
            }
        };
        given_up(&mut lookout);
        for tries in 1..=IN_VAIN_MAX {
            wait(&mut lookout);
            assert!(lookout.looked() >= looked + LOOK_FOR * u32::from(tries));
        }
        given_up(&mut lookout);
        wait(&mut lookout);
        peer.write_all(b"answer").expect("a client that listens");
        wait(&mut lookout);
        assert_eq!(lookout.in_vain, 0, "found by the second try");
        wait(&mut lookout);
        assert_eq!((lookout.in_vain, lookout.since_given_up), (0, 0));
    }

    #[test]
    fn who_looks_and_for_how_long() {
        let (socket, _peer) = connection();
        let looked = |waiting, awaited| {
            let mut lookout = Lookout::new(waiting);
            lookout
                .wait(&socket, awaited, Duration::from_millis(1))
                .expect("a socket that can be waited for");
            lookout.looked()
        };
        let several = Awaited {
            requests: 8,
            ..SMALL
        };
        let large = Awaited {
            large: 8,
            ..several
        };
        let mut lookout = Lookout::default();
        let most = Duration::from_millis(1);
        lookout.wait(&socket, SMALL, most).expect("waits");
        lookout.set(Waiting::Sleeps);
        lookout.wait(&socket, SMALL, most).expect("waits");
        assert_eq!(lookout.looked(), Duration::ZERO, "what was before");
        for (waiting, awaited, at_least) in [
            (Waiting::Sleeps, SMALL, None),
            (Waiting::Looks, SMALL, Some(LOOK_FOR)),
            (Waiting::LooksLonger, SMALL, Some(LOOK_FOR_ONE)),
            (Waiting::Polls, SMALL, None),
            (Waiting::Sleeps, several, None),
            (Waiting::LooksLonger, several, Some(LOOK_FOR)),
            (Waiting::LooksLonger, large, None),
        ] {
            let looked = looked(waiting, awaited);
            match at_least {
                None => assert_eq!(looked, Duration::ZERO, "{waiting:?}, {awaited:?}"),
                Some(time) => assert!(looked >= time, "{waiting:?}, {awaited:?}: {looked:?}"),
            }
        }
    }

    /// Data of several requests wakes its receiver when it is completely received; what follows, and the data of the only request, wakes at once.
    #[test]
    fn a_receiver_sleeps_until_data_is_there_whole() {
        let (socket, mut peer) = connection();
        socket2::SockRef::from(&socket)
            .set_recv_buffer_size(4 * COMPLETE_FROM_BYTES)
            .expect("set");
        let mut lookout = Lookout::default();
        let is_woken = |lookout: &mut Lookout, requests, missing_bytes| {
            let awaited = Awaited {
                requests,
                large: requests,
                missing_bytes,
                ..SMALL
            };
            lookout
                .wait(&socket, awaited, Duration::from_secs(2))
                .expect("a socket that can be waited for")
        };
        let mut data = vec![7; COMPLETE_FROM_BYTES];
        peer.write_all(&data[1..]).expect("a client that listens");
        assert!(is_woken(&mut lookout, 1, data.len()), "the only request");
        assert_eq!(
            is_woken(&mut lookout, 2, data.len()),
            !HAS_LOW_WATER,
            "one byte is missing"
        );
        peer.write_all(&data[..1]).expect("a client that listens");
        assert!(is_woken(&mut lookout, 2, data.len()), "all is there");
        (&socket).read_exact(&mut data).expect("received");
        peer.write_all(b"1").expect("a client that listens");
        assert!(is_woken(&mut lookout, 2, 0), "the next answer");
        assert!(
            is_woken(&mut lookout, 2, COMPLETE_FROM_BYTES - 1),
            "less than is slept for"
        );
        drop(peer);
        assert!(is_woken(&mut lookout, 2, data.len()), "the server is gone");
    }

    /// More than the receive buffer holds is not slept for.
    #[test]
    fn data_beyond_the_receive_buffer_arrives() {
        let (mut socket, mut peer) = connection();
        let bytes = 32 << 20;
        let sender = std::thread::spawn(move || peer.write_all(&vec![7; bytes]));
        socket.set_nonblocking(true).expect("set");
        let mut lookout = Lookout::default();
        let mut missing_bytes = bytes;
        let mut waits = 0;
        let mut buffer = vec![0; 1 << 20];
        while missing_bytes > 0 {
            match socket.read(&mut buffer) {
                Ok(count) => missing_bytes -= count,
                Err(_) => {
                    let awaited = Awaited {
                        requests: 2,
                        large: 2,
                        missing_bytes,
                        ..SMALL
                    };
                    waits += 1;
                    let most = Duration::from_secs(20);
                    let is_woken = lookout.wait(&socket, awaited, most).expect("waits");
                    assert!(is_woken, "{missing_bytes} of {bytes} missing");
                }
            }
        }
        assert!(waits < 1000, "{waits} waits");
        sender.join().expect("a sender").expect("sent");
    }
}
