//! How often is the receiver of a stream of messages woken? Not for every segment, and never so late that the sender waits for it.

use std::net::TcpStream;

use crate::system::tcp_connections::wake_at;

/// More at once saves nothing.
const WOKEN_BYTES_MAX: usize = 128 << 10;
/// Share of the receive buffer that may lie there unread. With most of it, one buffer would come in each round trip and no more: the sender stops before a
/// full buffer, and the system makes no buffer larger that is not emptied within a round trip.
const BUFFER_SHARE: usize = 16;
/// The buffer grows with the data: its size is queried again after this many bytes, then each time the amount doubles.
const REQUERY_BYTES: u64 = 256 << 10;

/// Wakes the receiver of a stream once a message has come, or as much of it as the receive buffer may hold unread. Waking it for every segment costs the
/// sender, who does the waking, more than the receiver: over loopback a tenth of the rate. Where the system does not do that, it is woken as ever.
pub struct WakeUps {
    message_bytes: usize,
    received_bytes: u64,
    /// When the buffer size is queried again.
    due_bytes: u64,
}

impl WakeUps {
    /// For a connection that brings messages of this length.
    pub fn new(stream: &TcpStream, message_bytes: usize) -> WakeUps {
        let mut wake_ups = WakeUps {
            message_bytes,
            received_bytes: 0,
            due_bytes: 0,
        };
        wake_ups.adjust(stream);
        wake_ups
    }

    /// So many bytes have come.
    #[inline]
    pub fn count(&mut self, stream: &TcpStream, bytes: u64) {
        self.received_bytes += bytes;
        if self.received_bytes >= self.due_bytes {
            self.adjust(stream);
        }
    }

    #[cold]
    fn adjust(&mut self, stream: &TcpStream) {
        self.due_bytes = (2 * self.received_bytes).max(REQUERY_BYTES);
        if let Ok(buffer_bytes) = socket2::SockRef::from(stream).recv_buffer_size() {
            wake_at(
                stream,
                self.message_bytes
                    .min(buffer_bytes / BUFFER_SHARE)
                    .clamp(1, WOKEN_BYTES_MAX),
            );
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::{Read, Write};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    const AMPLE_MS: i64 = 60_000;

    fn connection() -> (TcpStream, TcpStream) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let client =
            TcpStream::connect(listener.local_addr().expect("address")).expect("connected");
        (client, listener.accept().expect("accepted").0)
    }

    /// Whether a read would return at once; waits up to this many milliseconds.
    fn is_woken(stream: &TcpStream, wait_ms: i64) -> bool {
        let time = Timespec {
            tv_sec: wait_ms / 1000,
            tv_nsec: wait_ms % 1000 * 1_000_000,
        };
        poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&time)).expect("polled") == 1
    }

    fn buffer_bytes(stream: &TcpStream) -> usize {
        socket2::SockRef::from(stream)
            .recv_buffer_size()
            .expect("told")
    }

    #[test]
    fn a_receiver_is_woken_by_a_message_or_a_share_of_its_buffer_and_by_the_end() {
        let (mut client, mut server) = connection();
        let share = buffer_bytes(&server) / BUFFER_SHARE;
        for (message_bytes, woken_by) in [(1000, 1000), (usize::MAX, share.min(WOKEN_BYTES_MAX))] {
            WakeUps::new(&server, message_bytes);
            let mut message = vec![7u8; woken_by];
            client.write_all(&message[1..]).expect("sent");
            assert!(
                !is_woken(&server, 50),
                "{message_bytes}: woken by less than a message"
            );
            client.write_all(&message[..1]).expect("sent");
            assert!(
                is_woken(&server, AMPLE_MS),
                "{message_bytes}: a whole message does not wake"
            );
            server.read_exact(&mut message).expect("received");
        }
        WakeUps::new(&server, 0);
        client.write_all(b"1").expect("sent");
        assert!(is_woken(&server, AMPLE_MS));
        WakeUps::new(&server, 1000);
        client.write_all(b" rest").expect("sent");
        drop(client);
        let mut rest = Vec::new();
        server.read_to_end(&mut rest).expect("the end");
        assert_eq!(rest, b"1 rest");
    }

    #[test]
    fn a_buffer_that_has_grown_is_used_and_none_is_made_to_grow() {
        let (mut client, mut server) = connection();
        let at_first = buffer_bytes(&server);
        let mut wake_ups = WakeUps::new(&server, usize::MAX);
        assert_eq!(buffer_bytes(&server), at_first);
        socket2::SockRef::from(&server)
            .set_recv_buffer_size(2 * at_first)
            .expect("set");
        let grown = buffer_bytes(&server);
        assert!(grown > at_first);
        wake_ups.count(&server, REQUERY_BYTES);
        let share = vec![7u8; grown / BUFFER_SHARE];
        client.write_all(&share[1..]).expect("sent");
        assert!(!is_woken(&server, 50), "woken as by the smaller buffer");
        client.write_all(&share[..1]).expect("sent");
        assert!(is_woken(&server, AMPLE_MS));
        server
            .read_exact(&mut vec![0; share.len()])
            .expect("received");
    }
}
