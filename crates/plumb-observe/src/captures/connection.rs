//! What do client and server of one connection send? Requests and responses are paired by their number, and credits are counted.

use std::collections::{BTreeSet, HashMap};

use plumb_model::trace::capture::{Connection as Facts, Credits};
use plumb_model::trace::events::{Answered, Call, CallClass, TraceEvent};

use super::framing::Found;
use super::segment::{End, Segment};
use super::smb::{self, Command, status};
use super::stream::Stream;
use super::tally::Tally;
use foldhash::fast::RandomState;

/// Most outstanding requests of one connection; Windows grants at most 8,192 credits.
const OUTSTANDING_MAX: usize = 32_768;
/// Most sessions of one connection that are remembered.
const SESSIONS_MAX: usize = 16;

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

struct Outstanding {
    call: Call,
    charge: u16,
    was_pending: bool,
}

/// One SMB connection.
pub struct Connection {
    lane: u32,
    /// The two ends, in the order of [`Stream`]s.
    ends: [End; 2],
    streams: [Stream; 2],
    handshake: Handshake,
    /// Which end is the client; missing until known.
    client: Option<usize>,
    outstanding: HashMap<u64, Outstanding, RandomState>,
    facts: Facts,
    /// Credits left to the client, and those used by its outstanding requests.
    credits_left: Option<i64>,
    credits_out: u64,
    pub sessions: BTreeSet<u64>,
    pub first_ns: u64,
    pub last_ns: u64,
    /// Which end will send nothing more.
    finished: [bool; 2],
    found: Vec<(Found, u64)>,
}

impl Connection {
    pub fn new(lane: u32, ends: [End; 2], handshake: Handshake, at_ns: u64) -> Connection {
        let client = handshake
            .client
            .and_then(|(client, ..)| ends.iter().position(|end| *end == client));
        let first = |end: usize| {
            let number = match client? == end {
                true => handshake.client.map(|(_, number, _)| number),
                false => handshake.server.map(|(number, _)| number),
            };
            number.map(|number| number.wrapping_add(1))
        };
        Connection {
            lane,
            ends,
            streams: [Stream::new(first(0)), Stream::new(first(1))],
            handshake,
            client,
            outstanding: HashMap::default(),
            facts: Facts::default(),
            // A client begins with one credit (MS-SMB2, 3.2.4.1.2).
            credits_left: client.map(|_| 1),
            credits_out: 0,
            sessions: BTreeSet::new(),
            first_ns: at_ns,
            last_ns: at_ns,
            finished: [false; 2],
            found: Vec::new(),
        }
    }

    /// Bytes of segments waiting for earlier ones.
    pub fn waiting_bytes(&self) -> usize {
        self.streams.iter().map(|stream| stream.waiting_bytes).sum()
    }

    pub fn outstanding(&self) -> usize {
        self.outstanding.len()
    }

    /// Adds one of its segments.
    pub fn take(
        &mut self,
        segment: &Segment<'_>,
        at_ns: u64,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        self.last_ns = self.last_ns.max(at_ns);
        if self.handshake.confirmed_ns.is_none() {
            self.handshake.take(segment, at_ns);
        }
        let side = usize::from(self.ends[1] == segment.from);
        let mut found = std::mem::take(&mut self.found);
        // Data acknowledged by the other side was sent before this.
        if let (Some(number), Some(other)) = (segment.acknowledged, self.streams.get_mut(1 - side))
        {
            other.acknowledged(number, &mut found);
            self.say(1 - side, &mut found, tally, tell);
        }
        if let Some(stream) = self.streams.get_mut(side)
            && segment.wire_bytes > 0
            && !segment.syn
        {
            stream.take(segment, at_ns, &mut found);
            self.say(side, &mut found, tally, tell);
        }
        self.found = found;
        if segment.fin || segment.rst {
            self.finished[side] = true;
        }
    }

    /// True if neither end sends anything more; a reset ends the connection for both.
    pub fn has_ended(&self, segment: &Segment<'_>) -> bool {
        segment.rst || self.finished == [true; 2]
    }

    /// Gives up waiting for missing segments.
    pub fn give_up(&mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent)) {
        let mut found = std::mem::take(&mut self.found);
        for side in [0, 1] {
            while self.streams[side].waiting_bytes > 0 {
                self.streams[side].give_up(&mut found);
            }
            self.say(side, &mut found, tally, tell);
        }
        self.found = found;
    }

    /// Ends it: outstanding requests stay unanswered.
    pub fn close(mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent)) -> Facts {
        let mut found = std::mem::take(&mut self.found);
        for side in [0, 1] {
            self.streams[side].close(self.last_ns, &mut found);
            self.say(side, &mut found, tally, tell);
        }
        let mut left: Vec<Outstanding> = self.outstanding.drain().map(|(_, left)| left).collect();
        left.sort_by_key(|left| left.call.at_ns);
        for Outstanding { call, .. } in left {
            // A notification request may wait forever.
            tally.messages.unanswered += u64::from(call.class != CallClass::Wait);
            tell(TraceEvent::Unanswered(call, self.last_ns));
        }
        let client = self.client.unwrap_or(0);
        let mut facts = std::mem::take(&mut self.facts);
        facts.client = self.ends[client].to_string();
        facts.server = self.ends[1 - client].to_string();
        facts.bytes_to_server = self.streams[client].counts.bytes;
        facts.bytes_to_client = self.streams[1 - client].counts.bytes;
        (facts.handshake_ns, facts.to_server_ns) = self.handshake.times();
        facts.session = self.sessions.first().map(|id| format!("0x{id:016x}"));
        for counts in self.streams.iter().map(|stream| stream.counts) {
            facts.retransmitted += counts.retransmitted;
            facts.gaps += counts.gaps;
            tally.packets.retransmitted += counts.retransmitted;
            tally.packets.out_of_order += counts.out_of_order;
            tally.packets.duplicates += counts.duplicates;
            tally.packets.gaps += counts.gaps;
            tally.packets.gap_bytes += counts.gap_bytes;
        }
        if facts.gaps > 0 {
            facts.credits.left_min = None;
            facts.credits.last_credit = None;
        }
        facts
    }

    fn say(
        &mut self,
        side: usize,
        found: &mut Vec<(Found, u64)>,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        for (found, at_ns) in found.drain(..) {
            match found {
                Found::Command(command) => {
                    tally.protection.clear_messages += 1;
                    let asks = if command.is_response { 1 - side } else { side };
                    self.client.get_or_insert(asks);
                    self.learn_session(&command);
                    if command.is_response {
                        self.answer(&command, at_ns, tally, tell);
                    } else {
                        self.request(&command, at_ns, tally, tell);
                    }
                }
                Found::Encrypted(bytes) => {
                    tally.protection.encrypted_messages += 1;
                    tally.protection.encrypted_bytes += bytes;
                    self.facts.encrypted_messages += 1;
                    // Credits within cannot be counted.
                    self.credits_left = None;
                }
                Found::Compressed => {
                    tally.protection.compressed_messages += 1;
                    self.credits_left = None;
                }
                Found::Smb1 => tally.protection.smb1_messages += 1,
                Found::Cut => {
                    tally.messages.cut += 1;
                    self.credits_left = None;
                }
                Found::Malformed => tally.messages.malformed += 1,
                Found::Resumed => {
                    tally.messages.searches += 1;
                    self.credits_left = None;
                }
            }
        }
    }

    fn learn_session(&mut self, command: &Command) {
        let is_one = command.session != 0 && command.session != u64::MAX;
        if is_one && self.sessions.len() < SESSIONS_MAX {
            self.sessions.insert(command.session);
        }
    }

    fn request(
        &mut self,
        command: &Command,
        at_ns: u64,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        // It has the number of the canceled request, costs nothing and gets no response (3.2.4.24).
        if command.code == smb::CANCEL {
            self.facts.cancels += 1;
            return;
        }
        let (name, class) = smb::meaning(command.code);
        let call = Call {
            name,
            class,
            at_ns,
            lane: self.lane,
            file: command.body.file,
            offset: command.body.offset,
            bytes: command.body.bytes,
            closes: smb::closes(command.code),
        };
        self.facts.requests += 1;
        self.use_credits(command, class);
        if self.outstanding.len() >= OUTSTANDING_MAX {
            tally.messages.evicted += self.outstanding.len() as u64;
            for (_, left) in self.outstanding.drain() {
                tell(TraceEvent::Unanswered(left.call, at_ns));
            }
            self.credits_out = 0;
        }
        tell(TraceEvent::Made(call));
        let outstanding = Outstanding {
            call,
            charge: command.charge,
            was_pending: false,
        };
        if let Some(before) = self.outstanding.insert(command.message, outstanding) {
            tally.messages.repeated += 1;
            self.credits_out = self.credits_out.saturating_sub(before.charge.into());
            tell(TraceEvent::Unanswered(before.call, at_ns));
        }
    }

    fn use_credits(&mut self, command: &Command, class: CallClass) {
        let credits: &mut Credits = &mut self.facts.credits;
        credits.used += u64::from(command.charge);
        self.credits_out += u64::from(command.charge);
        credits.outstanding_max = credits.outstanding_max.max(self.credits_out);
        if let Some(left) = &mut self.credits_left {
            *left -= i64::from(command.charge);
            // The first messages take the only credit there is.
            if class != CallClass::Session {
                credits.left_min = Some(credits.left_min.unwrap_or(*left).min(*left));
                let last_credit = u64::from(*left <= 0);
                credits.last_credit = Some(credits.last_credit.unwrap_or(0) + last_credit);
            }
        } else {
            (credits.left_min, credits.last_credit) = (None, None);
        }
    }

    fn answer(
        &mut self,
        command: &Command,
        at_ns: u64,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        if command.message == smb::UNASKED {
            self.facts.notifications += 1;
            return;
        }
        self.facts.credits.granted += u64::from(command.credits);
        if let Some(left) = &mut self.credits_left {
            *left += i64::from(command.credits);
        }
        if smb::is_interim(command) {
            if let Some(outstanding) = self.outstanding.get_mut(&command.message) {
                outstanding.was_pending = true;
            }
            return;
        }
        self.learn_server(command);
        let Some(outstanding) = self.outstanding.remove(&command.message) else {
            // The first request may have been one of SMB 1 (3.3.5.3.1).
            let of_smb1 = command.code == smb::NEGOTIATE && tally.protection.smb1_messages > 0;
            tally.messages.unmatched_responses += u64::from(!of_smb1);
            return;
        };
        self.credits_out = self.credits_out.saturating_sub(outstanding.charge.into());
        tell(TraceEvent::Answered(Answered {
            call: outstanding.call,
            at_ns,
            moved_bytes: command.body.bytes,
            status: status::status(command.status),
            round_trip_ns: self.handshake.times().1,
            was_pending: outstanding.was_pending,
        }));
    }

    fn learn_server(&mut self, command: &Command) {
        let body = &command.body;
        // The answer to SMB 1 names no dialect yet, but what comes next.
        if let Some(dialect) = body.dialect {
            self.facts.dialect = Some(smb::dialect_name(dialect));
            self.facts.read_max_bytes = body.read_max_bytes.map(u64::from);
            self.facts.write_max_bytes = body.write_max_bytes.map(u64::from);
        }
    }
}
