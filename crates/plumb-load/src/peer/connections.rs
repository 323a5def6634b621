//! Which connections does a responder serve? A maximum in total and per address; if all slots are taken, an idle one is closed.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::system::files::{allow_open_files, open_files_limit};

/// Connections that are served at the same time, at most; half of them from one address.
const CONNECTIONS_MAX: u64 = 512;
/// Descriptors that a connection takes: its own, the one by which it is ended, and that of the thread that waits for its end.
const DESCRIPTORS_EACH: u64 = 3;
/// Descriptors for everything else.
const DESCRIPTORS_LEFT: u64 = 64;
/// A connection on which nothing moves marks that so often.
pub const TICK: Duration = Duration::from_secs(5);
/// Time for a connection to send its request before it may be dropped to make room.
const GREETING_DUE: Duration = Duration::from_secs(1);
/// A client from which nothing comes for so long is gone.
const SILENT_TICKS_MAX: u32 = 60;
/// A client that takes nothing for so long is gone.
const UNTAKEN_TICKS_MAX: u32 = 6;

/// Connections under way, so that they can be closed at the end, or to make room.
pub struct Connections {
    open: Mutex<BTreeMap<u64, Connection>>,
    /// How many there may be.
    most: usize,
}

struct Connection {
    network: IpAddr,
    stream: TcpStream,
    since: Instant,
    standing: Arc<Standing>,
}

/// What a connection has done lately.
#[derive(Debug, Default)]
pub struct Standing {
    /// 0 before its greeting, then 1 and the ticks in which nothing moved.
    state: AtomicU32,
}

impl Standing {
    /// It has sent its request.
    pub fn greeted(&self) {
        self.state.store(1, Ordering::Relaxed);
    }
}

/// What counts as one address: of IPv6 a network of 64 bits, which is what one host commonly has.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

impl Connections {
    /// As many as this process may have open: without descriptors, no client would be heard.
    pub fn as_limited() -> Connections {
        allow_open_files(CONNECTIONS_MAX * DESCRIPTORS_EACH + DESCRIPTORS_LEFT);
        Connections::within(open_files_limit().unwrap_or(u64::MAX))
    }

    /// As many as take so many descriptors.
    fn within(descriptors: u64) -> Connections {
        let most = descriptors.saturating_sub(DESCRIPTORS_LEFT) / DESCRIPTORS_EACH;
        Connections {
            open: Mutex::default(),
            most: most.clamp(2, CONNECTIONS_MAX) as usize,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Connection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Accepts a connection; `Ok(None)`: all slots are taken, and none is idle.
    ///
    /// # Errors
    /// The system's: no descriptor is left.
    pub fn admit(
        &self,
        number: u64,
        address: IpAddr,
        stream: &TcpStream,
    ) -> io::Result<Option<Arc<Standing>>> {
        let network = network_of(address);
        let mut open = self.lock();
        let of_network = open.values().filter(|one| one.network == network).count();
        let has_room = if of_network >= self.most / 2 {
            make_room(&mut open, |one| one.network == network)
        } else {
            open.len() < self.most || make_room(&mut open, |_| true)
        };
        if !has_room {
            return Ok(None);
        }
        let standing = Arc::new(Standing::default());
        open.insert(
            number,
            Connection {
                network,
                stream: stream.try_clone()?,
                since: Instant::now(),
                standing: standing.clone(),
            },
        );
        Ok(Some(standing))
    }

    /// A connection has ended.
    pub fn remove(&self, number: u64) {
        self.lock().remove(&number);
    }

    /// No connection is open.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Ends all connections.
    pub fn close_all(&self) {
        // A connection that is closed already has nothing to be closed.
        self.lock()
            .values()
            .for_each(|one| drop(one.stream.shutdown(Shutdown::Both)));
    }
}

/// Ends the connection that has done nothing for the longest time, of those that match; `false`: there is none.
fn make_room(open: &mut BTreeMap<u64, Connection>, matches: impl Fn(&Connection) -> bool) -> bool {
    let idle = |one: &Connection| match one.standing.state.load(Ordering::Relaxed) {
        0 => one.since.elapsed().checked_sub(GREETING_DUE),
        1 => None,
        ticks => Some(TICK * (ticks - 1)),
    };
    let longest = open
        .iter()
        .filter(|(_, one)| matches(one))
        .filter_map(|(number, one)| Some((idle(one)?, *number)))
        .max();
    let Some((_, number)) = longest else {
        return false;
    };
    if let Some(one) = open.remove(&number) {
        let _ = one.stream.shutdown(Shutdown::Both);
    }
    true
}

/// How long nothing has moved on a connection whose calls return after a [`TICK`] without any.
pub struct Idle<'s> {
    standing: &'s Standing,
    ticks: u32,
}

impl<'s> Idle<'s> {
    /// For a connection whose greeting has come.
    pub fn new(standing: &'s Standing) -> Idle<'s> {
        standing.greeted();
        Idle { standing, ticks: 0 }
    }

    /// Something has moved.
    #[inline]
    pub fn moved(&mut self) {
        if self.ticks > 0 {
            self.ticks = 0;
            self.standing.greeted();
        }
    }

    /// A call that waited for bytes has failed: whether to wait on.
    ///
    /// # Errors
    /// It had failed for another reason, or no data received for 5 minutes.
    pub fn waits_to_receive(&mut self, error: io::Error) -> io::Result<()> {
        self.wait(error, SILENT_TICKS_MAX, "no data received for 5 minutes")
    }

    /// A call that waited for the client to take bytes has failed: whether to wait on.
    ///
    /// # Errors
    /// It had failed for another reason, or no data accepted for 30 s.
    pub fn waits_to_send(&mut self, error: io::Error) -> io::Result<()> {
        self.wait(error, UNTAKEN_TICKS_MAX, "no data accepted for 30 s")
    }

    fn wait(&mut self, error: io::Error, most: u32, what: &str) -> io::Result<()> {
        match error.kind() {
            io::ErrorKind::Interrupted => Ok(()),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut if self.ticks >= most => {
                Err(io::Error::new(io::ErrorKind::TimedOut, what))
            }
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                self.ticks += 1;
                self.standing.state.store(1 + self.ticks, Ordering::Relaxed);
                Ok(())
            }
            _ => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn the_idle_make_room_and_the_busy_do_not() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stream =
            TcpStream::connect(listener.local_addr().expect("address")).expect("connected");
        let connections = Connections::within(u64::MAX);
        let admit = |number: u64, address: [u8; 4]| {
            connections
                .admit(number, address.into(), &stream)
                .expect("descriptors")
        };
        let busy: Vec<_> = (0..256)
            .map(|number| admit(number, [10, 0, 0, 1]).expect("room"))
            .collect();
        busy.iter().for_each(|standing| standing.greeted());
        assert!(
            admit(1000, [10, 0, 0, 1]).is_none(),
            "one address has as many places as it may"
        );
        assert!(admit(1001, [10, 0, 0, 2]).is_some(), "another has its own");
        let mut idle = Idle::new(&busy[7]);
        for _ in 0..3 {
            idle.waits_to_receive(io::ErrorKind::WouldBlock.into())
                .expect("waits");
        }
        let mut less = Idle::new(&busy[9]);
        less.waits_to_send(io::ErrorKind::TimedOut.into())
            .expect("waits");
        assert!(
            admit(1002, [10, 0, 0, 1]).is_some() && !connections.lock().contains_key(&7),
            "the longest idle has gone"
        );
        less.moved();
        assert!(
            admit(1003, [10, 0, 0, 1]).is_none(),
            "who moves again stays"
        );
        assert_eq!(connections.lock().len(), 257);
    }

    #[test]
    fn there_are_no_more_connections_than_descriptors_for_them() {
        for (descriptors, most) in [
            (u64::MAX, 512),
            (1600, 512),
            (1024, 320),
            (256, 64),
            (10, 2),
        ] {
            assert_eq!(Connections::within(descriptors).most, most);
        }
    }

    #[test]
    fn waiting_has_an_end_and_other_errors_are_reported() {
        let standing = Standing::default();
        let mut idle = Idle::new(&standing);
        let late = || io::Error::from(io::ErrorKind::WouldBlock);
        assert!((0..6).all(|_| idle.waits_to_send(late()).is_ok()));
        assert_eq!(
            idle.waits_to_send(late()).expect_err("the end").to_string(),
            "no data accepted for 30 s"
        );
        idle.moved();
        assert!((0..60).all(|_| idle.waits_to_receive(late()).is_ok()));
        assert!(idle.waits_to_receive(late()).is_err());
        idle.moved();
        assert_eq!(
            idle.waits_to_receive(io::ErrorKind::ConnectionReset.into())
                .expect_err("broken")
                .kind(),
            io::ErrorKind::ConnectionReset
        );
        assert!(
            idle.waits_to_receive(io::ErrorKind::Interrupted.into())
                .is_ok()
        );
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let of = |text: &str| network_of(text.parse().expect("address"));
        assert_eq!(of("fd00::1:2:3:4"), of("fd00::9"));
        assert_ne!(of("fd00::1"), of("fd00:0:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
