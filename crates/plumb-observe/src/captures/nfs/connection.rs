//! What do client and server of one NFS connection send? Calls and replies are paired by their number (xid), calls that are sent again are counted.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;
use plumb_model::trace::capture::{Connection as Facts, Protocol};
use plumb_model::trace::events::{Answered, Call, TraceEvent};

use super::call::{NfsCall, Wrapping};
use super::records::{NfsFound, Records};
use super::reply::NfsReply;
use crate::captures::conversation::Conversation;
use crate::captures::segment::{End, Segment};
use crate::captures::tally::Tally;
use crate::captures::wire::{Delivered, Handshake, Wire};

/// Most outstanding calls of one connection; Linux has at most some thousand slots.
const OUTSTANDING_MAX: usize = 32_768;
/// Calls that were sent again, and may be answered twice.
const AGAIN_MAX: usize = 4096;

struct Outstanding {
    call: Call,
    version: u32,
    procedure: u32,
    wrapping: Wrapping,
}

/// One NFS connection.
pub struct Connection {
    lane: u32,
    wire: Wire<Records>,
    /// Which end is the client; missing until known.
    client: Option<usize>,
    outstanding: HashMap<u32, Outstanding, RandomState>,
    /// Replies that may come twice.
    again: HashMap<u32, u32, RandomState>,
    facts: Facts,
    sessions: BTreeSet<u64>,
    delivered: Vec<Delivered<NfsFound>>,
}

impl Connection {
    pub fn new(lane: u32, ends: [End; 2], handshake: Handshake, at_ns: u64) -> Connection {
        let wire = Wire::new(ends, handshake, at_ns);
        Connection {
            lane,
            client: wire.client(),
            wire,
            outstanding: HashMap::default(),
            again: HashMap::default(),
            facts: Facts {
                protocol: Protocol::Nfs,
                ..Facts::default()
            },
            sessions: BTreeSet::new(),
            delivered: Vec::new(),
        }
    }

    fn say(&mut self, tally: &mut Tally, tell: &mut dyn FnMut(TraceEvent)) {
        let mut delivered = std::mem::take(&mut self.delivered);
        for Delivered { side, found, at_ns } in delivered.drain(..) {
            match found {
                NfsFound::Call(call) => {
                    self.client.get_or_insert(side);
                    self.request(&call, at_ns, tally, tell);
                }
                // A client replies to the calls that the server makes back to it.
                NfsFound::Reply(reply) if self.client != Some(side) => {
                    self.answer(&reply, at_ns, tally, tell);
                }
                NfsFound::Reply(_) => {}
                NfsFound::OfAnotherProgram => {
                    self.facts.notifications += u64::from(self.client == Some(1 - side));
                }
                NfsFound::Encrypted(bytes) => {
                    tally.protection.encrypted_messages += 1;
                    tally.protection.encrypted_bytes += bytes;
                    self.facts.encrypted_messages += 1;
                }
                NfsFound::Cut => tally.messages.cut += 1,
                NfsFound::Malformed => tally.messages.malformed += 1,
                NfsFound::Resumed => tally.messages.searches += 1,
            }
        }
        self.delivered = delivered;
    }

    fn request(
        &mut self,
        of: &NfsCall,
        at_ns: u64,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        match of.wrapping {
            Wrapping::Encrypted => {
                tally.protection.encrypted_messages += 1;
                tally.protection.encrypted_bytes += of.record_bytes;
                self.facts.encrypted_messages += 1;
            }
            Wrapping::None | Wrapping::Signed => tally.protection.clear_messages += 1,
        }
        self.learn_version(of);
        let same = self.outstanding.get(&of.xid);
        if same.is_some_and(|same| (same.version, same.procedure) == (of.version, of.procedure)) {
            // The client waits since it sent the call for the first time.
            self.facts.calls_again += 1;
            if self.again.len() < AGAIN_MAX {
                *self.again.entry(of.xid).or_default() += 1;
            }
            return;
        }
        let call = Call {
            name: of.operation.name,
            class: of.operation.class,
            at_ns,
            lane: self.lane,
            file: of.file,
            offset: of.offset,
            bytes: of.bytes,
            closes: of.closes,
        };
        self.facts.requests += 1;
        if tally.take_left(&self.identity(of.xid, of.procedure)) {
            self.facts.calls_again += 1;
        }
        if self.outstanding.len() >= OUTSTANDING_MAX {
            tally.messages.evicted += self.outstanding.len() as u64;
            for (_, left) in self.outstanding.drain() {
                tell(TraceEvent::Unanswered(left.call, at_ns));
            }
        }
        tell(TraceEvent::Made(call));
        let outstanding = Outstanding {
            call,
            version: of.version,
            procedure: of.procedure,
            wrapping: of.wrapping,
        };
        if let Some(before) = self.outstanding.insert(of.xid, outstanding) {
            tally.messages.repeated += 1;
            tell(TraceEvent::Unanswered(before.call, at_ns));
        }
    }

    /// What a call keeps when its client sends it again over another connection.
    fn identity(&self, xid: u32, procedure: u32) -> (u128, u128, u32, u32) {
        let client = self.client.unwrap_or(0);
        let [client, server] = [client, 1 - client].map(|end| self.wire.ends[end].address);
        (client, server, xid, procedure)
    }

    fn learn_version(&mut self, of: &NfsCall) {
        let is_known = self.facts.dialect.is_some();
        match (of.version, of.minor) {
            (version @ (2 | 3), _) if !is_known => {
                self.facts.dialect = Some(format!("NFS {version}"));
            }
            (4, Some(minor)) if !is_known => self.facts.dialect = Some(format!("NFS 4.{minor}")),
            _ => {}
        }
    }

    fn answer(
        &mut self,
        reply: &NfsReply,
        at_ns: u64,
        tally: &mut Tally,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        let Some(of) = self.outstanding.remove(&reply.xid) else {
            if let Some(count) = self.again.get_mut(&reply.xid) {
                *count -= 1;
                if *count == 0 {
                    self.again.remove(&reply.xid);
                }
                return;
            }
            tally.messages.unmatched_responses += 1;
            return;
        };
        let outcome = reply.outcome(of.version, of.call.name, of.wrapping);
        tell(TraceEvent::Answered(Answered {
            call: of.call,
            at_ns,
            moved_bytes: outcome.moved_bytes,
            status: outcome.status,
            round_trip_ns: self.wire.to_server_ns(),
            was_pending: false,
        }));
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
        let mut left: Vec<(u32, Outstanding)> = self.outstanding.drain().collect();
        left.sort_by_key(|(xid, left)| (left.call.at_ns, *xid));
        for (xid, of) in left {
            tally.messages.unanswered += 1;
            tally.leave(self.identity(xid, of.procedure));
            tell(TraceEvent::Unanswered(of.call, self.wire.last_ns));
        }
        let mut facts = std::mem::take(&mut self.facts);
        let client = self.client.unwrap_or(0);
        self.wire.describe(client, &mut facts, tally);
        facts
    }
}
