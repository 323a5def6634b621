//! Who may be at the login at the same time? So many in all and so many of each address, each for a short while: nobody can shut the others out.

use std::collections::BTreeMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

use plumb_load::peer::connections::network_of;

/// Connections that may be at their login at the same time.
const STRANGERS_MAX: usize = 64;
/// Those of them that may come from one address; of IPv6 from one network of 64 bits, which is what one host commonly has.
const STRANGERS_PER_ADDRESS: usize = 4;

/// Connections that are open, by number.
#[derive(Default)]
pub struct Slots(Mutex<Open>);

#[derive(Default)]
struct Open {
    next: u64,
    connections: BTreeMap<u64, Connection>,
}

struct Connection {
    network: IpAddr,
    stream: TcpStream,
    /// It has not shown that it has the token.
    is_stranger: bool,
}

/// The slot of one connection, released on drop.
pub struct Slot<'s> {
    slots: &'s Slots,
    number: u64,
}

/// Why there is no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Full {
    #[error(
        "{STRANGERS_PER_ADDRESS} connections from this address are logging in already; try again in a few seconds"
    )]
    Address,
    #[error("{STRANGERS_MAX} connections are logging in already; try again in a few seconds")]
    All,
}

impl Slots {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot for a connection that starts its login.
    pub fn take(&self, address: IpAddr, stream: TcpStream) -> Result<Slot<'_>, Full> {
        let network = network_of(address);
        let mut open = self.open();
        let strangers = || {
            open.connections
                .values()
                .filter(|connection| connection.is_stranger)
        };
        if strangers()
            .filter(|connection| connection.network == network)
            .count()
            >= STRANGERS_PER_ADDRESS
        {
            return Err(Full::Address);
        }
        if strangers().count() >= STRANGERS_MAX {
            return Err(Full::All);
        }
        open.next += 1;
        let number = open.next;
        open.connections.insert(
            number,
            Connection {
                network,
                stream,
                is_stranger: true,
            },
        );
        Ok(Slot {
            slots: self,
            number,
        })
    }

    /// Ends the connections of those who are at their login.
    pub fn close_strangers(&self) {
        self.close(|connection| connection.is_stranger);
    }

    /// Ends all connections.
    pub fn close_all(&self) {
        self.close(|_| true);
    }

    fn close(&self, which: impl Fn(&Connection) -> bool) {
        // A connection that is closed already has nothing to be closed.
        self.open()
            .connections
            .values()
            .filter(|one| which(one))
            .for_each(|one| drop(one.stream.shutdown(Shutdown::Both)));
    }

    /// No connection is open.
    pub fn is_empty(&self) -> bool {
        self.open().connections.is_empty()
    }
}

impl Slot<'_> {
    /// The login succeeded: the slot for logins is free again.
    pub fn is_known(&self) {
        if let Some(connection) = self.slots.open().connections.get_mut(&self.number) {
            connection.is_stranger = false;
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.slots.open().connections.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv6Addr, TcpListener};

    #[test]
    fn one_address_cannot_take_the_slots_of_others() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stream =
            TcpStream::connect(listener.local_addr().expect("address")).expect("connected");
        let slots = Slots::default();
        let take = |address: IpAddr| slots.take(address, stream.try_clone().expect("descriptor"));
        let v6 = |host: u16| IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 1, 0, 0, 0, host));
        let held: Vec<Slot<'_>> = (0..4)
            .map(|host| take(v6(host)).unwrap_or_else(|full| panic!("{full}")))
            .collect();
        assert_eq!(take(v6(9)).err(), Some(Full::Address));
        let other = take([192, 0, 2, 1].into()).unwrap_or_else(|full| panic!("{full}"));
        held[0].is_known();
        let fifth = take(v6(9));
        assert!(
            fifth.is_ok(),
            "who has logged in takes no place of those who have not"
        );
        drop((held, other, fifth));
        assert!(slots.is_empty());
        let all: Vec<_> = (0..STRANGERS_MAX as u8)
            .map(|host| take([10, 0, 0, host].into()))
            .collect();
        assert!(all.iter().all(Result::is_ok));
        assert_eq!(take([10, 0, 1, 0].into()).err(), Some(Full::All));
    }
}
