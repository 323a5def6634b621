//! In which order were the bytes of one direction of a TCP connection sent? Segments are reordered; duplicates and gaps are counted.

use std::collections::VecDeque;

use super::segment::Segment;

/// Segments that wait for an earlier one before it counts as lost.
const WAITING_MAX: usize = 256;
/// The same in bytes.
const WAITING_BYTES_MAX: usize = 2 << 20;
/// Segments remembered to detect duplicate packets in a file.
const RECENT: usize = 8;

/// Splits one direction into messages. What is completed is added to `out`, with the time.
pub trait Framer {
    type Found;

    /// `from_start`: the stream begins with a message.
    fn new(from_start: bool) -> Self;

    /// The next bytes of the stream, seen at this time.
    fn take(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<(Self::Found, u64)>);

    /// This many bytes of the stream are missing.
    fn miss(&mut self, count: u64, at_ns: u64, out: &mut Vec<(Self::Found, u64)>);

    /// End of the stream: an incomplete message is reported as far as it is known.
    fn close(&mut self, at_ns: u64, out: &mut Vec<(Self::Found, u64)>);
}

/// A segment that arrived before an earlier one.
struct Waiting {
    sequence: u32,
    content: Vec<u8>,
    wire_bytes: u32,
    at_ns: u64,
}

/// What happened to the segments of a direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Bytes of content in order, including missing ones.
    pub bytes: u64,
    pub retransmitted: u64,
    pub out_of_order: u64,
    pub duplicates: u64,
    pub gaps: u64,
    pub gap_bytes: u64,
}

/// One direction of a connection.
pub struct Stream<F> {
    /// Number of the next byte; missing until a segment came.
    next: Option<u32>,
    /// In order of their numbers.
    waiting: VecDeque<Waiting>,
    pub waiting_bytes: usize,
    recent: [(u32, u32, u16); RECENT],
    position: usize,
    framing: F,
    pub counts: StreamCounts,
}

/// Distance from `a` to `b` in numbers that wrap around.
fn ahead(a: u32, b: u32) -> i64 {
    i64::from(b.wrapping_sub(a).cast_signed())
}

impl<F: Framer> Stream<F> {
    /// `first`: number of the first byte, when the beginning of the connection was seen.
    pub fn new(first: Option<u32>) -> Stream<F> {
        Stream {
            next: first,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            recent: [(0, 0, 0); RECENT],
            position: 0,
            framing: F::new(first.is_some()),
            counts: StreamCounts::default(),
        }
    }

    /// Adds a segment with content, seen at this time. `found` gets the time at which it was complete.
    pub fn take(&mut self, segment: &Segment<'_>, at_ns: u64, found: &mut Vec<(F::Found, u64)>) {
        let seen = (segment.sequence, segment.wire_bytes, segment.packet_number);
        let is_twice = segment.packet_number != 0 && self.recent.contains(&seen);
        let next = *self.next.get_or_insert(segment.sequence);
        let distance = ahead(next, segment.sequence);
        if is_twice {
            self.counts.duplicates += 1;
            return;
        }
        if let Some(position) = self.recent.get_mut(self.position) {
            *position = seen;
        }
        self.position = (self.position + 1) % RECENT;
        if distance > 0 {
            self.counts.out_of_order += 1;
            self.keep(segment, at_ns);
            if self.waiting.len() > WAITING_MAX || self.waiting_bytes > WAITING_BYTES_MAX {
                self.give_up(found);
            }
            return;
        }
        self.deliver(
            segment.sequence,
            segment.content,
            segment.wire_bytes,
            at_ns,
            found,
        );
        self.go_on(at_ns, found);
    }

    /// The other side has everything before this number: missing data was sent but not captured.
    pub fn acknowledged(&mut self, number: u32, found: &mut Vec<(F::Found, u64)>) {
        while let Some(first) = self.waiting.front() {
            if ahead(first.sequence, number) <= 0 {
                return;
            }
            self.give_up(found);
        }
    }

    /// Nothing more comes.
    pub fn close(&mut self, at_ns: u64, found: &mut Vec<(F::Found, u64)>) {
        while !self.waiting.is_empty() {
            self.give_up(found);
        }
        self.framing.close(at_ns, found);
    }

    /// Data before the first waiting segment is lost.
    pub fn give_up(&mut self, found: &mut Vec<(F::Found, u64)>) {
        let (Some(first), Some(next)) = (self.waiting.front(), self.next) else {
            return;
        };
        let (missing, at_ns) = (
            ahead(next, first.sequence).max(0).cast_unsigned(),
            first.at_ns,
        );
        self.counts.gaps += 1;
        self.counts.gap_bytes += missing;
        self.counts.bytes += missing;
        self.next = Some(first.sequence);
        self.framing.miss(missing, at_ns, found);
        self.go_on(at_ns, found);
    }

    fn keep(&mut self, segment: &Segment<'_>, at_ns: u64) {
        let after = |waiting: &Waiting| ahead(waiting.sequence, segment.sequence) > 0;
        let position = self.waiting.partition_point(after);
        let same = self.waiting.get(position).is_some_and(|waiting| {
            waiting.sequence == segment.sequence && waiting.wire_bytes >= segment.wire_bytes
        });
        if same {
            self.counts.retransmitted += 1;
            return;
        }
        self.waiting_bytes += segment.content.len();
        let waiting = Waiting {
            sequence: segment.sequence,
            content: segment.content.to_vec(),
            wire_bytes: segment.wire_bytes,
            at_ns,
        };
        self.waiting.insert(position, waiting);
    }

    /// Waiting segments that follow now. The receiver can use their bytes only from `filled_ns`, when the preceding ones arrived.
    fn go_on(&mut self, filled_ns: u64, found: &mut Vec<(F::Found, u64)>) {
        while let (Some(first), Some(next)) = (self.waiting.front(), self.next) {
            if ahead(next, first.sequence) > 0 {
                return;
            }
            let Some(first) = self.waiting.pop_front() else {
                return;
            };
            self.waiting_bytes -= first.content.len();
            self.deliver(
                first.sequence,
                &first.content,
                first.wire_bytes,
                first.at_ns.max(filled_ns),
                found,
            );
        }
    }

    /// A segment that begins at the next byte or before it.
    fn deliver(
        &mut self,
        sequence: u32,
        content: &[u8],
        wire_bytes: u32,
        at_ns: u64,
        found: &mut Vec<(F::Found, u64)>,
    ) {
        let next = self.next.unwrap_or(sequence);
        let known = ahead(sequence, next).max(0).cast_unsigned();
        if known >= wire_bytes.into() && wire_bytes > 0 {
            // A byte that was already sent is a keep-alive.
            self.counts.retransmitted += u64::from(wire_bytes > 1);
            return;
        }
        self.counts.retransmitted += u64::from(known > 0);
        let fresh = usize::try_from(known)
            .ok()
            .and_then(|known| content.get(known..))
            .unwrap_or_default();
        let missing = u64::from(wire_bytes) - known - fresh.len() as u64;
        self.next = Some(sequence.wrapping_add(wire_bytes));
        self.counts.bytes += u64::from(wire_bytes) - known;
        self.framing.take(fresh, at_ns, found);
        if missing > 0 {
            self.framing.miss(missing, at_ns, found);
        }
    }
}
