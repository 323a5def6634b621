//! What do the two ends of a TCP connection send? Handshake, both directions in order, and when they end; what is in them is split by a [`Framer`].

use plumb_model::trace::capture::Connection as Facts;

use super::segment::{End, Segment};
use super::stream::{Framer, Stream};
use super::tally::Tally;

/// How a connection started, as far as seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Handshake {
    /// Who sent the first SYN; its number and its time.
    pub client: Option<(End, u32, u64)>,
    /// Number and time of the SYN that answered it.
    pub server: Option<(u32, u64)>,
    /// When the client acknowledged that.
    pub confirmed_ns: Option<u64>,
}

impl Handshake {
    /// Adds a segment of a connection that may be starting. True if it starts here.
    pub fn take(&mut self, segment: &Segment<'_>, at_ns: u64) -> bool {
        let is_client = self.client.is_some_and(|(end, ..)| end == segment.from);
        match (segment.syn, segment.acknowledged) {
            (true, None) => {
                let again = self
                    .client
                    .is_some_and(|(_, number, _)| is_client && number == segment.sequence);
                // A retransmitted SYN restarts the round trip; a duplicate in the file does not.
                let is_late = self
                    .client
                    .is_some_and(|(.., before_ns)| at_ns.saturating_sub(before_ns) > 100_000_000);
                if !again || (is_late && self.server.is_none()) {
                    self.client = Some((segment.from, segment.sequence, at_ns));
                    self.server = None;
                    self.confirmed_ns = None;
                }
                !again
            }
            (true, Some(_)) if self.server.is_none() => {
                self.server = Some((segment.sequence, at_ns));
                self.client = self.client.or_else(|| {
                    let number = segment.acknowledged?.wrapping_sub(1);
                    Some((segment.to, number, u64::MAX))
                });
                false
            }
            (false, Some(number)) if is_client && self.confirmed_ns.is_none() => {
                let confirms = |server: (u32, u64)| number == server.0.wrapping_add(1);
                if self.server.is_some_and(confirms) {
                    self.confirmed_ns = Some(at_ns);
                }
                false
            }
            _ => false,
        }
    }

    /// From SYN to the ACK of its response, and the part of it between here and the server.
    fn times(&self) -> (Option<u64>, Option<u64>) {
        let client_ns = self.client.map(|(.., at_ns)| at_ns);
        let from = |begin: Option<u64>, end: Option<u64>| end?.checked_sub(begin?);
        let server_ns = self.server.map(|(_, at_ns)| at_ns);
        (
            from(client_ns, self.confirmed_ns),
            from(client_ns, server_ns),
        )
    }
}

/// What one side delivered.
pub struct Delivered<T> {
    /// Which of the two ends.
    pub side: usize,
    pub found: T,
    /// When it was complete.
    pub at_ns: u64,
}

/// One TCP connection.
pub struct Wire<F: Framer> {
    /// The two ends, in the order of [`Stream`]s.
    pub ends: [End; 2],
    streams: [Stream<F>; 2],
    handshake: Handshake,
    pub first_ns: u64,
    pub last_ns: u64,
    /// Which end will send nothing more.
    finished: [bool; 2],
    found: Vec<(F::Found, u64)>,
}

impl<F: Framer> Wire<F> {
    pub fn new(ends: [End; 2], handshake: Handshake, at_ns: u64) -> Wire<F> {
        let client = client_of(&ends, &handshake);
        let first = |end: usize| {
            let number = match client? == end {
                true => handshake.client.map(|(_, number, _)| number),
                false => handshake.server.map(|(number, _)| number),
            };
            number.map(|number| number.wrapping_add(1))
        };
        Wire {
            ends,
            streams: [Stream::new(first(0)), Stream::new(first(1))],
            handshake,
            first_ns: at_ns,
            last_ns: at_ns,
            finished: [false; 2],
            found: Vec::new(),
        }
    }

    /// Which end began the connection; missing without a handshake.
    pub fn client(&self) -> Option<usize> {
        client_of(&self.ends, &self.handshake)
    }

    /// Bytes of segments waiting for earlier ones.
    pub fn waiting_bytes(&self) -> usize {
        self.streams.iter().map(|stream| stream.waiting_bytes).sum()
    }

    /// The part of the handshake between here and the server, in nanoseconds.
    pub fn to_server_ns(&self) -> Option<u64> {
        self.handshake.times().1
    }

    /// Adds one of its segments; what it completes goes to `delivered`.
    pub fn take(
        &mut self,
        segment: &Segment<'_>,
        at_ns: u64,
        delivered: &mut Vec<Delivered<F::Found>>,
    ) {
        self.last_ns = self.last_ns.max(at_ns);
        if self.handshake.confirmed_ns.is_none() {
            self.handshake.take(segment, at_ns);
        }
        let side = usize::from(self.ends[1] == segment.from);
        // Data acknowledged by the other side was sent before this.
        if let (Some(number), Some(other)) = (segment.acknowledged, self.streams.get_mut(1 - side))
        {
            other.acknowledged(number, &mut self.found);
            self.hand_over(1 - side, delivered);
        }
        if let Some(stream) = self.streams.get_mut(side)
            && segment.wire_bytes > 0
            && !segment.syn
        {
            stream.take(segment, at_ns, &mut self.found);
            self.hand_over(side, delivered);
        }
        if segment.fin || segment.rst {
            self.finished[side] = true;
        }
    }

    /// True if neither end sends anything more; a reset ends the connection for both.
    pub fn has_ended(&self, segment: &Segment<'_>) -> bool {
        segment.rst || self.finished == [true; 2]
    }

    /// Gives up waiting for missing segments.
    pub fn give_up(&mut self, delivered: &mut Vec<Delivered<F::Found>>) {
        for side in [0, 1] {
            while self.streams[side].waiting_bytes > 0 {
                self.streams[side].give_up(&mut self.found);
            }
            self.hand_over(side, delivered);
        }
    }

    /// Nothing more comes.
    pub fn close(&mut self, delivered: &mut Vec<Delivered<F::Found>>) {
        for side in [0, 1] {
            self.streams[side].close(self.last_ns, &mut self.found);
            self.hand_over(side, delivered);
        }
    }

    /// What is known of the connection itself, whose client is this end.
    pub fn describe(&self, client: usize, facts: &mut Facts, tally: &mut Tally) {
        facts.client = self.ends[client].to_string();
        facts.server = self.ends[1 - client].to_string();
        facts.bytes_to_server = self.streams[client].counts.bytes;
        facts.bytes_to_client = self.streams[1 - client].counts.bytes;
        (facts.handshake_ns, facts.to_server_ns) = self.handshake.times();
        for counts in self.streams.iter().map(|stream| stream.counts) {
            facts.retransmitted += counts.retransmitted;
            facts.gaps += counts.gaps;
            tally.packets.retransmitted += counts.retransmitted;
            tally.packets.out_of_order += counts.out_of_order;
            tally.packets.duplicates += counts.duplicates;
            tally.packets.gaps += counts.gaps;
            tally.packets.gap_bytes += counts.gap_bytes;
        }
    }

    fn hand_over(&mut self, side: usize, delivered: &mut Vec<Delivered<F::Found>>) {
        let found = self.found.drain(..);
        delivered.extend(found.map(|(found, at_ns)| Delivered { side, found, at_ns }));
    }
}

fn client_of(ends: &[End; 2], handshake: &Handshake) -> Option<usize> {
    let (client, ..) = handshake.client?;
    ends.iter().position(|end| *end == client)
}
