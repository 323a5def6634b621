//! Which messages does one direction of a connection carry? Each is found by its length prefix, and only the headers of its commands are kept.

use super::smb::{self, Command, HEADER_BYTES, WINDOW_BYTES};
use super::stream::Framer;

/// Bytes before each message: a type and a length (MS-SMB2, 2.1; RFC 1002, 4.3).
const PREFIX_BYTES: usize = 4;
/// First word of plain, encrypted, compressed, and SMB 1 messages.
const CLEAR: &[u8] = b"\xfeSMB";
const ENCRYPTED: &[u8] = b"\xfdSMB";
const COMPRESSED: &[u8] = b"\xfcSMB";
const SMB1: &[u8] = b"\xffSMB";
/// Largest message of NetBIOS about the session itself.
const CONTROL_BYTES_MAX: usize = 1024;
/// Most commands of one message that are kept until it is complete; more than any client sends.
const COMMANDS_MAX: usize = 1024;

/// Content of a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    Command(Command),
    /// With its bytes.
    Encrypted(u64),
    Compressed,
    Smb1,
    /// The header of a message was truncated or lost.
    Cut,
    Malformed,
    /// The beginning of a message was searched for and found.
    Resumed,
}

enum State {
    /// This many bytes of the prefix are there.
    Prefix(usize),
    Message(Message),
    /// The position of the next message is unknown.
    Searching,
}

/// A message that is still incomplete.
struct Message {
    /// Bytes of it that are still to come.
    left: usize,
    /// Of these, the bytes before the next thing to look at.
    skip: usize,
    /// Bytes from the current command to the end of the message; `None`: the rest is skipped.
    command_left: Option<usize>,
    is_first: bool,
}

/// One direction of a connection, split into messages.
pub struct Framing {
    state: State,
    prefix: [u8; PREFIX_BYTES],
    window: [u8; WINDOW_BYTES],
    held: usize,
    /// Of the message that is not complete yet.
    pending: Vec<Found>,
    /// True once a message was found: only then a search counts.
    began: bool,
}

impl Framer for Framing {
    type Found = Found;

    fn new(from_start: bool) -> Framing {
        Framing {
            state: match from_start {
                true => State::Prefix(0),
                false => State::Searching,
            },
            prefix: [0; PREFIX_BYTES],
            window: [0; WINDOW_BYTES],
            held: 0,
            pending: Vec::new(),
            began: from_start,
        }
    }

    fn take(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<(Found, u64)>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let used = match &mut self.state {
                State::Prefix(held) => {
                    let used = copied(&mut self.prefix, held, PREFIX_BYTES, rest);
                    if *held == PREFIX_BYTES {
                        self.begin(at_ns, out);
                    }
                    used
                }
                State::Message(message) if message.skip > 0 => {
                    let used = message.skip.min(rest.len());
                    message.skip -= used;
                    message.left -= used;
                    used
                }
                State::Message(message) => {
                    let selected = message.command_left.unwrap_or(0).min(WINDOW_BYTES);
                    let used = copied(&mut self.window, &mut self.held, selected, rest);
                    message.left -= used;
                    if self.held >= selected {
                        self.look(false);
                    }
                    used
                }
                State::Searching => match beginning(rest) {
                    Some(at) => {
                        if self.began {
                            out.push((Found::Resumed, at_ns));
                        }
                        self.began = true;
                        self.state = State::Prefix(0);
                        at
                    }
                    None => rest.len(),
                },
            };
            rest = rest.get(used..).unwrap_or_default();
            self.end_message(at_ns, out);
        }
    }

    fn miss(&mut self, count: u64, at_ns: u64, out: &mut Vec<(Found, u64)>) {
        let mut missing = usize::try_from(count).unwrap_or(usize::MAX);
        while missing > 0 {
            let used = match &mut self.state {
                State::Searching => return,
                State::Prefix(_) => {
                    self.lose(at_ns, out);
                    return;
                }
                State::Message(message) if message.skip > 0 => message.skip.min(missing),
                State::Message(_) => {
                    // What is there of the header may be enough.
                    self.look(true);
                    0
                }
            };
            if let State::Message(message) = &mut self.state {
                message.skip -= used;
                message.left -= used;
            }
            missing -= used;
            self.end_message(at_ns, out);
        }
    }

    fn close(&mut self, at_ns: u64, out: &mut Vec<(Found, u64)>) {
        out.extend(self.pending.drain(..).map(|found| (found, at_ns)));
    }
}

impl Framing {
    /// The prefix is complete: process it.
    fn begin(&mut self, at_ns: u64, out: &mut Vec<(Found, u64)>) {
        let [kind, high, middle, low] = self.prefix;
        let length = u32::from_be_bytes([0, high, middle, low]) as usize;
        let (command_left, skip) = match kind {
            0 => (Some(length), 0),
            // Session requests, their responses, and keep-alives.
            0x81..=0x85 if length <= CONTROL_BYTES_MAX => (None, length),
            _ => return self.lose(at_ns, out),
        };
        self.began = true;
        self.held = 0;
        self.state = State::Message(Message {
            left: length,
            skip,
            command_left,
            is_first: true,
        });
    }

    /// The window holds as much of a command as it can, or, when the rest of it `is_missing`, as there is.
    fn look(&mut self, is_missing: bool) {
        let State::Message(message) = &mut self.state else {
            return;
        };
        let window = self.window.get(..self.held).unwrap_or_default();
        let to_the_end = |message: &mut Message| {
            message.command_left = None;
            message.skip = message.left;
        };
        let found = match window.get(..4) {
            Some(word) if word == CLEAR => smb::command(window).map(Found::Command),
            _ if !message.is_first => None,
            Some(word) if word == ENCRYPTED => {
                Some(Found::Encrypted((message.left + window.len()) as u64))
            }
            Some(word) if word == COMPRESSED => Some(Found::Compressed),
            Some(word) if word == SMB1 => Some(Found::Smb1),
            _ => None,
        };
        // A length that does not are before a message is no length.
        let is_foreign = message.is_first && found.is_none() && window.len() >= 4;
        message.is_first = false;
        let lacking = match is_missing && window.len() < HEADER_BYTES {
            true => Found::Cut,
            false => Found::Malformed,
        };
        self.pending.push(found.unwrap_or(lacking));
        if is_foreign && lacking == Found::Malformed {
            self.state = State::Searching;
            return;
        }
        let next = match found {
            Some(Found::Command(command)) => command.next as usize,
            _ => 0,
        };
        let command_left = message.command_left.unwrap_or(0);
        if next == 0 {
            return to_the_end(message);
        }
        if next < HEADER_BYTES || next >= command_left || self.pending.len() >= COMMANDS_MAX {
            self.pending.push(Found::Malformed);
            return to_the_end(message);
        }
        message.command_left = Some(command_left - next);
        // The start of the next command moves to the front.
        let read = window.len();
        self.held = read.saturating_sub(next);
        self.window.copy_within(next.min(read)..read, 0);
        message.skip = next.saturating_sub(read);
        let selected = (command_left - next).min(WINDOW_BYTES);
        if message.skip == 0 && self.held >= selected {
            self.look(false);
        }
    }

    /// Reports the commands of a completed message.
    fn end_message(&mut self, at_ns: u64, out: &mut Vec<(Found, u64)>) {
        if let State::Message(message) = &self.state
            && message.left == 0
        {
            if message.command_left.is_some() && message.is_first {
                self.pending.push(Found::Malformed);
            }
            out.extend(self.pending.drain(..).map(|found| (found, at_ns)));
            self.state = State::Prefix(0);
        }
    }

    /// Search for the next message.
    fn lose(&mut self, at_ns: u64, out: &mut Vec<(Found, u64)>) {
        out.extend(self.pending.drain(..).map(|found| (found, at_ns)));
        self.state = State::Searching;
    }
}

/// Copies from `rest` until `wanted` bytes are held; returns how many it took.
fn copied(into: &mut [u8], held: &mut usize, selected: usize, rest: &[u8]) -> usize {
    let used = selected.saturating_sub(*held).min(rest.len());
    if let (Some(room), Some(bytes)) = (into.get_mut(*held..*held + used), rest.get(..used)) {
        room.copy_from_slice(bytes);
    }
    *held += used;
    used
}

/// True if these bytes begin with a message prefix and an SMB message.
pub fn begins(bytes: &[u8]) -> bool {
    let Some((prefix, message)) = bytes.split_at_checked(PREFIX_BYTES) else {
        return false;
    };
    let [kind, high, middle, low] = *prefix else {
        return false;
    };
    let length = u32::from_be_bytes([0, high, middle, low]) as usize;
    let fits = |word: &[u8], least: usize| message.starts_with(word) && length >= least;
    let is_clear = fits(CLEAR, HEADER_BYTES) && message.get(4).is_none_or(|size| *size == 64);
    kind == 0 && (is_clear || fits(ENCRYPTED, 52) || fits(COMPRESSED, 16) || fits(SMB1, 32))
}

/// Where in these bytes a message begins.
fn beginning(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        if begins(rest) {
            return Some(from);
        }
        // The next zero byte may be the type of a message.
        from += 1 + rest.get(1..)?.iter().position(|byte| *byte == 0)?;
    }
}
