//! What do client and server of one SMB connection send? Requests and responses are paired by their number, and credits are counted.

use std::collections::{BTreeSet, HashMap};

use plumb_model::trace::capture::{Connection as Facts, Credits};
use plumb_model::trace::events::{Answered, Call, CallClass, TraceEvent};

use super::conversation::Conversation;
use super::framing::{Found, Framing};
use super::segment::{End, Segment};
use super::smb::{self, Command, status};
use super::tally::Tally;
use super::wire::{Delivered, Handshake, Wire};
use foldhash::fast::RandomState;

/// Most outstanding requests of one connection; Windows grants at most 8,192 credits.
const OUTSTANDING_MAX: usize = 32_768;
/// Most sessions of one connection that are remembered.
const SESSIONS_MAX: usize = 16;

struct Outstanding {
    call: Call,
    charge: u16,
    was_pending: bool,
}

/// One SMB connection.
pub struct Connection {
    lane: u32,
    wire: Wire<Framing>,
    /// Which end is the client; missing until known.
    client: Option<usize>,
    outstanding: HashMap<u64, Outstanding, RandomState>,
    facts: Facts,
    /// Credits left to the client, and those used by its outstanding requests.
    credits_left: Option<i64>,
    credits_out: u64,
    sessions: BTreeSet<u64>,
    delivered: Vec<Delivered<Found>>,
}

impl Connection {
    pub fn new(lane: u32, ends: [End; 2], handshake: Handshake, at_ns: u64) -> Connection {
        let wire = Wire::new(ends, handshake, at_ns);
        let client = wire.client();
        Connection {
            lane,
            wire,
            client,
            outstanding: HashMap::default(),
            facts: Facts::default(),
            // A client begins with one credit (MS-SMB2, 3.2.4.1.2).
            credits_left: client.map(|_| 1),
            credits_out: 0,
            sessions: BTreeSet::new(),
            delivered: Vec::new(),
        }
    }
}

impl Conversation for Connection {
    fn waiting_bytes(&self) -> usize {
        self.wire.waiting_bytes()
    }

    fn outstanding(&self) -> usize {
        self.outstanding.len()
    }

    fn span_ns(&self) -> (u64, u64) {
        (self.wire.first_ns, self.wire.last_ns)
    }

    fn sessions(&self) -> &BTreeSet<u64> {
        &self.sessions
    }

    fn has_ended(&self, segment: &Segment<'_>) -> bool {
        self.wire.has_ended(segment)
    }

    fn take(
        &mut self,
        segment: &Segment<'_>,
        at_ns: u64,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        self.wire.take(segment, at_ns, &mut self.delivered);
        self.say(tally, tell);
    }

    fn give_up(&mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent)) {
        self.wire.give_up(&mut self.delivered);
        self.say(tally, tell);
    }

    fn close(&mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent)) -> Facts {
        self.wire.close(&mut self.delivered);
        self.say(tally, tell);
        let mut left: Vec<Outstanding> = self.outstanding.drain().map(|(_, left)| left).collect();
        left.sort_by_key(|left| left.call.at_ns);
        for Outstanding { call, .. } in left {
            // A notification request may wait forever.
            tally.messages.unanswered += u64::from(call.class != CallClass::Wait);
            tell(TraceEvent::Unanswered(call, self.wire.last_ns));
        }
        let mut facts = std::mem::take(&mut self.facts);
        self.wire
            .describe(self.client.unwrap_or(0), &mut facts, tally);
        facts.session = self.sessions.first().map(|id| format!("0x{id:016x}"));
        if facts.gaps > 0 {
            facts.credits.left_min = None;
            facts.credits.last_credit = None;
        }
        facts
    }
}

impl Connection {
    fn say(&mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent)) {
        let mut delivered = std::mem::take(&mut self.delivered);
        for Delivered { side, found, at_ns } in delivered.drain(..) {
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
        self.delivered = delivered;
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
            round_trip_ns: self.wire.to_server_ns(),
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
