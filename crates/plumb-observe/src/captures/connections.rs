//! Which connections of a capture use SMB or NFS? Each is followed from its first message until it ends, on any port.

use std::collections::{BTreeMap, HashMap};

use plumb_model::trace::capture::Connection as Facts;
use plumb_model::trace::events::TraceEvent;

use super::connection::Connection;
use super::conversation::Conversation;
use super::framing::begins;
use super::nfs;
use super::segment::{End, Segment};
use super::tally::Tally;
use super::wire::Handshake;
use foldhash::fast::RandomState;

/// Ports of SMB: messages are also searched for inside segments.
const SMB_PORTS: [u16; 2] = [445, 139];
/// The same of NFS.
const NFS_PORT: u16 = 2049;
/// Most connection starts remembered until it is known what they use.
const HANDSHAKES_MAX: usize = 16_384;
/// Most connections followed at the same time.
const CONNECTIONS_MAX: usize = 16_384;
/// Most bytes of waiting segments, over all connections.
const WAITING_BYTES_MAX: usize = 64 << 20;
/// Most outstanding requests, over all connections.
const OUTSTANDING_MAX: usize = 1 << 20;
/// Most ended connections kept for the list.
const LISTED: usize = 100;
/// Most sessions remembered to find those with several connections.
const SESSIONS_MAX: usize = 65_536;

type Pair = [End; 2];

/// All connections of a capture.
#[derive(Default)]
pub struct Connections {
    followed: HashMap<Pair, Box<dyn Conversation>, RandomState>,
    handshakes: HashMap<Pair, Handshake, RandomState>,
    pub tally: Tally,
    lanes: u32,
    waiting_bytes: usize,
    outstanding: usize,
    ended: Vec<Facts>,
    ended_count: u64,
    /// When each session used which connection: (from, to).
    sessions: BTreeMap<u64, Vec<(u64, u64)>>,
}

impl Connections {
    /// Adds a segment seen at this time.
    pub fn take(&mut self, segment: &Segment<'_>, at_ns: u64, tell: &mut dyn FnMut(TraceEvent)) {
        let mut pair = [segment.from, segment.to];
        pair.sort_unstable();
        if segment.syn {
            self.shake_hands(pair, segment, at_ns, tell);
            return;
        }
        if let Some(connection) = self.followed.get_mut(&pair) {
            let before = (connection.waiting_bytes(), connection.outstanding());
            connection.take(segment, at_ns, &mut self.tally, tell);
            let after = (connection.waiting_bytes(), connection.outstanding());
            let has_ended = connection.has_ended(segment);
            self.waiting_bytes = (self.waiting_bytes + after.0).saturating_sub(before.0);
            self.outstanding = (self.outstanding + after.1).saturating_sub(before.1);
            if has_ended {
                self.end(pair, tell);
            }
            if self.waiting_bytes > WAITING_BYTES_MAX || self.outstanding > OUTSTANDING_MAX {
                self.make_room(tell);
            }
            return;
        }
        let handshake = self.handshakes.get_mut(&pair);
        if segment.content.is_empty() {
            if let Some(handshake) = handshake {
                handshake.take(segment, at_ns);
            }
            return;
        }
        let has_port = |ports: &[u16]| pair.iter().any(|end| ports.contains(&end.port));
        let is_smb = begins(segment.content);
        let is_nfs = !is_smb && nfs::begins(segment.content);
        if !is_smb && !is_nfs && !has_port(&SMB_PORTS) && !has_port(&[NFS_PORT]) {
            return;
        }
        let is_nfs = is_nfs || (!is_smb && !has_port(&SMB_PORTS));
        if self.followed.len() >= CONNECTIONS_MAX {
            self.end_all(tell);
        }
        let mut handshake = self.handshakes.remove(&pair).unwrap_or_default();
        handshake.take(segment, at_ns);
        let mut connection: Box<dyn Conversation> = match is_nfs {
            true => Box::new(nfs::Connection::new(self.lanes, pair, handshake, at_ns)),
            false => Box::new(Connection::new(self.lanes, pair, handshake, at_ns)),
        };
        self.lanes = self.lanes.wrapping_add(1);
        connection.take(segment, at_ns, &mut self.tally, tell);
        self.waiting_bytes += connection.waiting_bytes();
        self.outstanding += connection.outstanding();
        self.followed.insert(pair, connection);
    }

    /// A connection starts, or restarts with the same ends.
    fn shake_hands(
        &mut self,
        pair: Pair,
        segment: &Segment<'_>,
        at_ns: u64,
        tell: &mut dyn FnMut(TraceEvent),
    ) {
        if self.handshakes.len() >= HANDSHAKES_MAX {
            self.handshakes.clear();
        }
        let is_anew = self
            .handshakes
            .entry(pair)
            .or_default()
            .take(segment, at_ns);
        if is_anew {
            self.end(pair, tell);
        }
    }

    /// Ends one connection.
    fn end(&mut self, pair: Pair, tell: &mut dyn FnMut(TraceEvent)) {
        let Some(mut connection) = self.followed.remove(&pair) else {
            return;
        };
        self.waiting_bytes = self
            .waiting_bytes
            .saturating_sub(connection.waiting_bytes());
        self.outstanding = self.outstanding.saturating_sub(connection.outstanding());
        let used = connection.span_ns();
        for session in connection.sessions() {
            if self.sessions.len() < SESSIONS_MAX || self.sessions.contains_key(session) {
                let times = self.sessions.entry(*session).or_default();
                if times.len() < LISTED {
                    times.push(used);
                }
            }
        }
        let facts = connection.close(&mut self.tally, tell);
        // A connection on a port of SMB or NFS without any of their messages does not count.
        if facts.requests == 0 && facts.encrypted_messages == 0 && facts.session.is_none() {
            return;
        }
        self.ended_count += 1;
        self.ended.push(facts);
        if self.ended.len() >= 2 * LISTED {
            self.keep_largest();
        }
    }

    fn keep_largest(&mut self) {
        self.ended
            .sort_by_key(|facts| std::cmp::Reverse(facts.bytes_to_client + facts.bytes_to_server));
        self.ended.truncate(LISTED);
    }

    fn end_all(&mut self, tell: &mut dyn FnMut(TraceEvent)) {
        let mut all: Vec<(u64, Pair)> = self
            .followed
            .iter()
            .map(|(pair, connection)| (connection.span_ns().0, *pair))
            .collect();
        all.sort_unstable();
        all.into_iter().for_each(|(_, pair)| self.end(pair, tell));
    }

    /// Drops waiting segments first, then outstanding requests.
    fn make_room(&mut self, tell: &mut dyn FnMut(TraceEvent)) {
        if self.outstanding > OUTSTANDING_MAX {
            self.end_all(tell);
            return;
        }
        for connection in self.followed.values_mut() {
            let before = connection.outstanding();
            connection.give_up(&mut self.tally, tell);
            self.outstanding = (self.outstanding + connection.outstanding()).saturating_sub(before);
        }
        self.waiting_bytes = 0;
    }

    /// Ends all; returns those with the most bytes, their number, and the number of sessions that used several at the same time.
    pub fn close(mut self, tell: &mut dyn FnMut(TraceEvent)) -> (Tally, Vec<Facts>, u64, u64) {
        self.end_all(tell);
        self.keep_largest();
        let overlap = |times: &&Vec<(u64, u64)>| {
            let mut times = times.to_vec();
            times.sort_unstable();
            times
                .windows(2)
                .any(|pair| matches!(pair, [(_, end), (begin, _)] if begin < end))
        };
        let several = self.sessions.values().filter(overlap).count() as u64;
        (self.tally, self.ended, self.ended_count, several)
    }
}
