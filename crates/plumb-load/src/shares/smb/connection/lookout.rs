//! Is an answer so near that looking for it again and again is cheaper than sleeping until it comes?

use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// So long the socket is looked at again and again before this thread sleeps. To be woken costs this thread time, and that of the server which sends where both run
/// on one machine (docs/decisions/0011).
const LOOK_FOR: Duration = Duration::from_micros(20);
/// So many waits one after another that looking did not spare: this server takes longer.
const IN_VAIN_MAX: u8 = 4;
/// From then on one wait in so many begins with looking, to learn when that changes.
const ONE_IN: u8 = 32;

/// How a connection waits for its socket.
#[derive(Default)]
pub struct Lookout {
    /// Waits one after another that began with looking and came to sleep all the same.
    in_vain: u8,
    /// Waits without looking since the last with it.
    unlooked: u8,
}

impl Lookout {
    /// Waits until the socket is ready for one of these, at most for so long.
    ///
    /// # Errors
    /// Of the system; a signal is none, and ends the wait.
    pub fn wait(
        &mut self,
        socket: &TcpStream,
        flags: PollFlags,
        at_most: Duration,
    ) -> rustix::io::Result<()> {
        if at_most > LOOK_FOR && self.is_worth_looking() {
            let begun = Instant::now();
            while begun.elapsed() < LOOK_FOR {
                if is_over(socket, flags, Duration::ZERO)? {
                    self.in_vain = 0;
                    return Ok(());
                }
            }
            self.in_vain = (self.in_vain + 1).min(IN_VAIN_MAX);
        }
        is_over(socket, flags, at_most).map(|_| ())
    }

    /// It was worth it of late, or it is time to try again.
    fn is_worth_looking(&mut self) -> bool {
        if self.in_vain < IN_VAIN_MAX {
            return true;
        }
        self.unlooked = (self.unlooked + 1) % ONE_IN;
        self.unlooked == 0
    }
}

/// Waits once. `false`: the time is over.
fn is_over(socket: &TcpStream, flags: PollFlags, at_most: Duration) -> rustix::io::Result<bool> {
    let time = Timespec {
        tv_sec: at_most.as_secs() as _,
        tv_nsec: at_most.subsec_nanos() as _,
    };
    match poll(&mut [PollFd::new(socket, flags)], Some(&time)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_server_that_takes_long_is_looked_at_once_in_a_while() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let socket =
            TcpStream::connect(listener.local_addr().expect("address")).expect("a connection");
        let (mut peer, _) = listener.accept().expect("a client");
        let mut lookout = Lookout::default();
        let wait = |lookout: &mut Lookout| {
            lookout
                .wait(&socket, PollFlags::IN, Duration::from_millis(1))
                .expect("a socket that can be waited for");
        };
        for waits in 1..=IN_VAIN_MAX {
            wait(&mut lookout);
            assert_eq!(lookout.in_vain, waits);
        }
        peer.write_all(b"answer").expect("a client that listens");
        for _ in 1..ONE_IN {
            wait(&mut lookout);
            assert_eq!(lookout.in_vain, IN_VAIN_MAX, "it was not looked");
        }
        wait(&mut lookout);
        assert_eq!(lookout.in_vain, 0, "what was there already was seen");
        wait(&mut lookout);
        assert_eq!((lookout.in_vain, lookout.unlooked), (0, 0));
    }
}
