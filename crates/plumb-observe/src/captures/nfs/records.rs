//! Which records does one direction of a connection carry? Each is one or more fragments behind their lengths (RFC 5531, 11), of which only the beginning is kept.

use super::call::{self, NfsCall, Parsed};
use super::reply::NfsReply;
use super::rpc::{CALL, LAST_FRAGMENT, RECORD_BYTES_MAX, REPLY, begins, is_reply};
use super::xdr::Reader;
use crate::captures::stream::Framer;

/// Bytes before each fragment.
const MARK_BYTES: usize = 4;
/// Bytes of a record that are kept: its head with credentials, and the arguments of all operations before the data of a write.
const KEPT_BYTES: usize = 2048;
/// Number and kind of a record.
const HEAD_BYTES: usize = 8;

/// Content of a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NfsFound {
    Call(NfsCall),
    Reply(NfsReply),
    OfAnotherProgram,
    /// TLS (RFC 9289), with bytes seen.
    Encrypted(u64),
    /// The head of a record was truncated or lost.
    Cut,
    Malformed,
    /// The beginning of a record was searched for and found.
    Resumed,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// This many bytes of a fragment's length are there.
    Mark(usize),
    /// This many bytes of a fragment are still to come.
    Fragment { left: usize, is_last: bool },
    /// The position of the next record is unknown.
    Searching,
}

/// One direction of a connection, split into records.
pub struct Records {
    state: State,
    mark: [u8; MARK_BYTES],
    /// The beginning of the record, without marks.
    kept: Vec<u8>,
    /// False once a part of what is kept is missing.
    is_complete: bool,
    /// Bytes of the record so far.
    record_bytes: u64,
    /// True once a record was found: only then a search counts.
    began: bool,
}

impl Framer for Records {
    type Found = NfsFound;

    fn new(from_start: bool) -> Records {
        Records {
            state: match from_start {
                true => State::Mark(0),
                false => State::Searching,
            },
            mark: [0; MARK_BYTES],
            kept: Vec::new(),
            is_complete: true,
            record_bytes: 0,
            began: from_start,
        }
    }

    fn take(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<(NfsFound, u64)>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let used = match self.state {
                State::Mark(held) => {
                    let used = (MARK_BYTES - held).min(rest.len());
                    let room = self.mark.get_mut(held..held + used);
                    if let (Some(room), Some(bytes)) = (room, rest.get(..used)) {
                        room.copy_from_slice(bytes);
                    }
                    self.state = State::Mark(held + used);
                    if held + used == MARK_BYTES {
                        self.begin(at_ns, out);
                    }
                    used
                }
                State::Fragment { left, is_last } => {
                    let used = left.min(rest.len());
                    self.keep(rest.get(..used).unwrap_or_default());
                    self.advance(left - used, is_last, at_ns, out);
                    used
                }
                State::Searching => self.search(rest, at_ns, out),
            };
            rest = rest.get(used..).unwrap_or_default();
        }
    }

    fn miss(&mut self, count: u64, at_ns: u64, out: &mut Vec<(NfsFound, u64)>) {
        let mut missing = usize::try_from(count).unwrap_or(usize::MAX);
        while missing > 0 {
            match self.state {
                State::Searching => return,
                State::Mark(_) => return self.lose(at_ns, out),
                State::Fragment { left, is_last } => {
                    let used = left.min(missing);
                    self.is_complete &= self.kept.len() >= KEPT_BYTES;
                    self.record_bytes += used as u64;
                    missing -= used;
                    self.advance(left - used, is_last, at_ns, out);
                }
            }
        }
    }

    fn close(&mut self, at_ns: u64, out: &mut Vec<(NfsFound, u64)>) {
        if let State::Fragment { .. } = self.state {
            // A call that was begun was not made: its end would have to be there.
            self.kept.clear();
        }
        let _ = (at_ns, out);
    }
}

impl Records {
    /// The length of a fragment is complete.
    fn begin(&mut self, at_ns: u64, out: &mut Vec<(NfsFound, u64)>) {
        let mark = u32::from_be_bytes(self.mark);
        let length = mark & !LAST_FRAGMENT;
        let is_last = mark & LAST_FRAGMENT != 0;
        if is_tls(&self.mark) || length > RECORD_BYTES_MAX {
            if is_tls(&self.mark) {
                out.push((NfsFound::Encrypted(MARK_BYTES as u64), at_ns));
            }
            return self.lose(at_ns, out);
        }
        let left = usize::try_from(length).unwrap_or(usize::MAX);
        self.advance(left, is_last, at_ns, out);
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.record_bytes += bytes.len() as u64;
        if self.is_complete {
            let room = KEPT_BYTES.saturating_sub(self.kept.len()).min(bytes.len());
            self.kept
                .extend_from_slice(bytes.get(..room).unwrap_or_default());
        }
    }

    /// So many bytes of the fragment are still to come.
    fn advance(&mut self, left: usize, is_last: bool, at_ns: u64, out: &mut Vec<(NfsFound, u64)>) {
        self.state = match left {
            0 => State::Mark(0),
            left => State::Fragment { left, is_last },
        };
        if self.is_foreign() {
            out.push((NfsFound::Malformed, at_ns));
            return self.lose(at_ns, out);
        }
        if left == 0 && is_last {
            self.began = true;
            out.push((self.found(), at_ns));
            self.forget();
        }
    }

    /// What is neither a call nor a reply is no record, and its length was none.
    fn is_foreign(&self) -> bool {
        let mut rest = Reader::of(&self.kept);
        let kind = rest.skip(4).and_then(|()| rest.u32());
        kind.is_some_and(|kind| ![CALL, REPLY].contains(&kind))
    }

    fn found(&self) -> NfsFound {
        let mut rest = Reader::of(&self.kept);
        let (Some(xid), Some(kind)) = (rest.u32(), rest.u32()) else {
            return match self.is_complete {
                true => NfsFound::Malformed,
                false => NfsFound::Cut,
            };
        };
        let body = self.kept.get(HEAD_BYTES..).unwrap_or_default();
        if kind == REPLY {
            return NfsFound::Reply(NfsReply::of(xid, body));
        }
        match call::call(xid, body, self.record_bytes) {
            Parsed::Call(call) => NfsFound::Call(call),
            Parsed::OfAnotherProgram => NfsFound::OfAnotherProgram,
            Parsed::Cut => NfsFound::Cut,
            Parsed::Malformed => NfsFound::Malformed,
        }
    }

    fn forget(&mut self) {
        self.kept.clear();
        self.is_complete = true;
        self.record_bytes = 0;
    }

    /// Search for the next record.
    fn lose(&mut self, at_ns: u64, out: &mut Vec<(NfsFound, u64)>) {
        if !self.kept.is_empty() && !self.is_foreign() {
            out.push((self.found(), at_ns));
        }
        self.forget();
        self.state = State::Searching;
    }

    /// Looks for a record in the bytes of a segment; returns how many of them are passed over.
    fn search(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<(NfsFound, u64)>) -> usize {
        if is_tls(bytes) {
            out.push((NfsFound::Encrypted(bytes.len() as u64), at_ns));
            return bytes.len();
        }
        let is_begin = |at: &usize| {
            let rest = bytes.get(*at..).unwrap_or_default();
            rest.first().is_some_and(|first| first & 0x80 != 0) && (begins(rest) || is_reply(rest))
        };
        let Some(at) = (0..bytes.len()).find(is_begin) else {
            return bytes.len();
        };
        if self.began {
            out.push((NfsFound::Resumed, at_ns));
        }
        self.began = true;
        self.state = State::Mark(0);
        at
    }
}

/// A record of TLS: its kind, and version 3 (RFC 8446, 5.1).
fn is_tls(bytes: &[u8]) -> bool {
    matches!(bytes, [0x14..=0x17, 3, 0..=4, ..])
}
