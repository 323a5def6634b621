//! How do requests and answers travel over one connection? Pipelined, within the credits that the server grants.

pub mod exchange;
pub(super) mod inbox;
pub(super) mod outbox;
pub(super) mod receive;

use std::collections::VecDeque;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use plumb_model::statement::Statement;

use crate::engine::lookout::{Awaited, Lookout};
use crate::engine::stop_request::{LOOK, StopRequest};
use crate::shares::smb::connection::exchange::{Counts, Pending, RequestHead, SlotRange, Slots};
use crate::shares::smb::connection::inbox::Inbox;
use crate::shares::smb::connection::outbox::Outbox;
use crate::shares::smb::fault::{Fault, SmbResult};
use crate::shares::smb::frame_builder::{FLAG_RELATED, FLAG_SIGNED, FrameBuilder, Heading};
use crate::shares::smb::protect::{Sealer, Signer};
use crate::system::arrivals::{CAN_DISCARD, stamp_arrivals};

/// A server that has not answered anything for so long while answers are due is given up.
pub const SILENCE_MAX: Duration = Duration::from_secs(60);
/// The same for one that has never answered: what listens there is no SMB server, or it hangs.
const FIRST_WORD_MAX: Duration = Duration::from_secs(10);
/// If requests sent this much later were answered, the oldest open request is considered lost.
const OVERTAKEN_MAX: Duration = Duration::from_secs(120);
/// So many bytes of a long answer count as one: slower than about 1 KiB/s is as good as silent.
const PROGRESS_BYTES: usize = 64 << 10;
/// Messages that answer nothing, one after another, beside one for each request: a server that sends more of them sends nothing else.
const IDLE_MESSAGES_MAX: usize = 1000;
/// A credit is good for so many bytes (MS-SMB2 3.1.5.2).
const CREDIT_BYTES: u32 = 64 << 10;
/// Credits requested initially; Samba grants up to 8192.
const CREDITS_DEFAULT: u32 = 512;

/// When something has to be over, and how long it was given.
struct Deadline {
    at: Instant,
    time: Duration,
}

/// One connection to a server.
pub struct Connection {
    pub(super) socket: TcpStream,
    /// The frame in the making.
    pub draft: FrameBuilder,
    pub(super) outbox: Outbox,
    pub(super) inbox: Inbox,
    /// How the socket is waited for.
    pub lookout: Lookout,
    pub(super) pending: VecDeque<Pending>,
    pub(super) credits: u32,
    credits_target: u32,
    next_message_id: u64,
    pub session_id: u64,
    pub tree_id: u32,
    /// Known as soon as there is a key.
    pub signer: Option<Signer>,
    /// Messages are signed.
    pub signs: bool,
    pub sealer: Option<Sealer>,
    /// Until the login is over messages of an encrypted session are signed too, and answered in the clear or not.
    pub in_login: bool,
    /// Requests may be larger than one credit.
    pub large_requests: bool,
    last_received: Instant,
    pub(super) has_answered: bool,
    /// An answer came since the clock was looked at.
    pub(super) was_answered: bool,
    /// Messages since the last answer that were none: interim answers, notices, signs of life.
    pub(super) idle_messages: usize,
    /// More credits were spent than there were.
    is_overdrawn: bool,
    /// How long to wait for a server that has never answered, and for one that has.
    patience: [Duration; 2],
    /// All requests must be answered until then.
    deadline: Option<Deadline>,
    stop: StopRequest,
    /// Send time of the latest answered request.
    pub(super) answered_latest: Option<Instant>,
    overtaken_max: Duration,
    /// When the stop request was noticed.
    stop_seen: Option<Instant>,
    pub counts: Counts,
}

impl Connection {
    /// Takes over a connected socket.
    ///
    /// # Errors
    /// A socket that cannot be set up.
    pub fn new(socket: TcpStream) -> SmbResult<Connection> {
        socket
            .set_nonblocking(true)
            .and_then(|()| socket.set_nodelay(true))
            .map_err(|error| Fault::io(&error))?;
        stamp_arrivals(&socket);
        Ok(Connection {
            socket,
            draft: FrameBuilder::default(),
            outbox: Outbox::default(),
            inbox: Inbox::default(),
            lookout: Lookout::default(),
            pending: VecDeque::new(),
            credits: 1,
            credits_target: CREDITS_DEFAULT,
            next_message_id: 0,
            session_id: 0,
            tree_id: 0,
            signer: None,
            signs: false,
            sealer: None,
            in_login: true,
            large_requests: false,
            last_received: Instant::now(),
            has_answered: false,
            was_answered: false,
            idle_messages: 0,
            is_overdrawn: false,
            patience: [FIRST_WORD_MAX, SILENCE_MAX],
            deadline: None,
            stop: StopRequest::default(),
            answered_latest: None,
            overtaken_max: OVERTAKEN_MAX,
            stop_seen: None,
            counts: Counts::default(),
        })
    }

    /// The socket, for its addresses and options.
    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Bytes sent and received since the connection began.
    pub fn moved_bytes(&self) -> (u64, u64) {
        (self.outbox.sent_bytes, self.inbox.received_bytes)
    }

    /// A server that answers nothing for so long is given up from now on.
    pub fn set_patience(&mut self, silence: Duration) {
        self.patience[1] = silence;
    }

    /// Waits no longer than a moment for a server that does not answer once this is made.
    pub fn set_stop(&mut self, stop: &StopRequest) {
        self.stop = stop.clone();
    }

    /// The data of large READs is discarded in the kernel from now on.
    ///
    /// # Errors
    /// The session needs the data, or the system cannot do that.
    pub fn discard_data(&mut self) -> SmbResult<()> {
        let what = if self.sealer.is_some() {
            Statement::new("discard-in-encrypted-session")
        } else if self.signs && self.signer.is_some() {
            Statement::new("discard-in-signed-session")
        } else if !CAN_DISCARD {
            Statement::new("discard-on-this-system")
        } else {
            self.inbox.discards = true;
            return Ok(());
        };
        let remedy = Statement::new("leave-skip-rx-copy");
        Err(Fault::Unfit { what, remedy })
    }

    /// It does.
    pub fn discards(&self) -> bool {
        self.inbox.discards
    }

    /// Everything up to [`Connection::without_deadline`] must complete within this time, whatever the server sends.
    pub fn within(&mut self, time: Duration) {
        self.deadline = Some(Deadline {
            at: Instant::now() + time,
            time,
        });
    }

    /// Only silence ends the wait again.
    pub fn without_deadline(&mut self) {
        self.deadline = None;
    }

    /// Credits in hand.
    pub fn credits(&self) -> u32 {
        self.credits
    }

    /// Asks for so many credits from now on, at most what 16 bits can count.
    pub fn set_credits_target(&mut self, target: u32) {
        self.credits_target = target.clamp(CREDITS_DEFAULT, 8192);
    }

    /// Answers that are due.
    pub fn due(&self) -> usize {
        self.pending.len()
    }

    /// What a request of so many bytes costs.
    pub fn charge(&self, bytes: u32) -> u32 {
        if self.large_requests {
            bytes.div_ceil(CREDIT_BYTES).max(1)
        } else {
            1
        }
    }

    /// As many of these bytes as one request can move with the credits in hand; 0 where there are none.
    pub fn affordable(&self, bytes: u32) -> u32 {
        if self.large_requests || self.credits == 0 {
            bytes.min(self.credits.saturating_mul(CREDIT_BYTES))
        } else {
            bytes
        }
    }

    /// Begins a request in the frame that is in the making; its body goes to [`Connection::draft`]. The credits must be there, or [`Connection::end`] fails.
    pub fn begin(&mut self, head: RequestHead) -> &mut FrameBuilder {
        let charge = self.charge(head.bytes);
        let related = !self.draft.starts().is_empty();
        let more = self
            .credits_target
            .saturating_sub(self.credits)
            .min(CREDITS_DEFAULT);
        let heading = Heading {
            command: head.command,
            // Without large requests the field is reserved (MS-SMB2 2.2.1.2).
            credit_charge: if self.large_requests {
                charge as u16
            } else {
                0
            },
            credits_requested: (charge + more) as u16,
            flags: if related { FLAG_RELATED } else { 0 }
                | if self.signs && (self.sealer.is_none() || self.in_login) {
                    FLAG_SIGNED
                } else {
                    0
                },
            message_id: self.next_message_id,
            tree_id: self.tree_id,
            session_id: self.session_id,
        };
        if self.pending.is_empty() {
            self.last_received = Instant::now();
        }
        let pending = Pending {
            message_id: self.next_message_id,
            command: head.command,
            tag: head.tag,
            bytes: head.bytes,
            sink: head.sink,
            sent: if self.pending.is_empty() {
                self.last_received
            } else {
                Instant::now()
            },
            end: None,
            handed_over: None,
        };
        self.next_message_id += u64::from(charge);
        self.is_overdrawn |= charge > self.credits;
        self.credits = self.credits.saturating_sub(charge);
        self.inbox.expect(&pending);
        self.pending.push_back(pending);
        self.draft.begin(&heading);
        &mut self.draft
    }

    /// Ends the frame: signs or encrypts it, and puts it to what is to be sent. `data` belongs to its last request, a WRITE.
    ///
    /// # Errors
    /// Credits that were not there, and a message beyond the cipher's limit.
    pub fn end<S: Slots>(&mut self, data: Option<SlotRange>, slots: &S) -> SmbResult<()> {
        self.check_credits()?;
        let bytes = data.map_or(&[][..], |range| slots.bytes(range));
        match (&mut self.sealer, &self.signer) {
            (Some(sealer), _) => self.outbox.sealed(sealer, self.draft.bytes(), bytes)?,
            (None, signer) => {
                if let Some(signer) = signer.as_ref().filter(|_| self.signs) {
                    sign(signer, &mut self.draft, bytes);
                }
                self.outbox.plain(self.draft.bytes(), data);
            }
        }
        let end = self.outbox.end();
        let requests = self.draft.starts().len();
        let of_frame = self.pending.iter_mut().rev().take(requests);
        of_frame.for_each(|pending| pending.end = Some(end));
        self.draft.clear();
        Ok(())
    }

    /// As [`Connection::end`], for the messages of a login: each goes into the hash from which keys are derived (MS-SMB2 3.2.5.2). With `seals` it is sent
    /// encrypted, where there is a key.
    ///
    /// # Errors
    /// As [`Connection::end`].
    pub fn end_hashed(
        &mut self,
        hasher: &mut smb2::crypto::kdf::PreauthHasher,
        seals: bool,
    ) -> SmbResult<()> {
        self.check_credits()?;
        if let Some(signer) = self.signer.as_ref().filter(|_| self.signs) {
            sign(signer, &mut self.draft, &[]);
        }
        hasher.update(self.draft.bytes());
        match self.sealer.as_mut().filter(|_| seals) {
            Some(sealer) => self.outbox.sealed(sealer, self.draft.bytes(), &[])?,
            None => self.outbox.plain(self.draft.bytes(), None),
        }
        self.draft.clear();
        Ok(())
    }

    /// A server must disconnect a client that exceeds its credits (MS-SMB2 3.3.5.2.3).
    fn check_credits(&self) -> SmbResult<()> {
        if self.is_overdrawn {
            return Err(Fault::no_credits());
        }
        Ok(())
    }

    /// Sends what the socket takes without waiting. `true`: nothing is left.
    ///
    /// # Errors
    /// A connection that failed.
    pub fn send<S: Slots>(&mut self, slots: &S) -> SmbResult<bool> {
        let before = self.outbox.sent_bytes;
        let result = self.outbox.send(&self.socket, slots);
        let sent = self.outbox.sent_bytes;
        if sent > before {
            let now = Instant::now();
            let is_under_way = |pending: &&mut Pending| pending.handed_over.is_none();
            for pending in self.pending.iter_mut().rev().take_while(is_under_way) {
                pending.handed_over = pending.end.filter(|end| *end <= sent).map(|_| now);
            }
        }
        result
    }

    /// Waits until something can be read, or sent where something is left, at most for so long.
    ///
    /// # Errors
    /// A server without replies for too long, whatever else it sends; a missed deadline.
    pub fn wait(&mut self, at_most: Duration) -> SmbResult<()> {
        self.keep_time()?;
        let missing_bytes = self.inbox.missing_bytes();
        let awaited = Awaited {
            sends: !self.outbox.is_empty(),
            // The one whose data has begun to come is not among those pending any more.
            requests: self.pending.len() + usize::from(missing_bytes > 0),
            large: self.inbox.direct_reads as usize,
            missing_bytes,
        };
        // So that a request to end is seen soon.
        self.lookout
            .wait(&self.socket, awaited, at_most.min(LOOK))
            .map(|_| ())
            .map_err(|error| Fault::io(&error.into()))
    }

    /// Checks how long no reply has arrived. Bytes alone do not count: they may trickle in, or be interim replies.
    fn keep_time(&mut self) -> SmbResult<()> {
        let is_alive = std::mem::take(&mut self.was_answered)
            || self.inbox.amid_bytes >= PROGRESS_BYTES
            || self.pending.is_empty();
        if is_alive {
            (self.last_received, self.inbox.amid_bytes) = (Instant::now(), 0);
        }
        self.keep_deadlines()?;
        let patience = self.patience[usize::from(self.has_answered)];
        if is_alive || self.last_received.elapsed() <= patience {
            return Ok(());
        }
        let silence = Statement::new(match (self.idle_messages, self.inbox.is_amid()) {
            (0, false) => "smb-no-answer-in-time",
            (0, true) => "smb-no-answer-in-time-but-a-part",
            _ => "smb-no-answer-in-time-but-at-work",
        })
        .time_ns("time", patience.as_nanos() as f64);
        Err(Fault::Silent(silence))
    }

    /// Looks whether it took too long, although something may have been answered meanwhile.
    fn keep_deadlines(&mut self) -> SmbResult<()> {
        if self.stop.is_made() {
            let seen = *self.stop_seen.get_or_insert_with(Instant::now);
            if let Some(time) = self.stop.is_enough(seen.max(self.last_received)) {
                return Err(Fault::stopped(time));
            }
        }
        if let Some(deadline) = &self.deadline
            && Instant::now() > deadline.at
        {
            return Err(Fault::Silent(
                Statement::new("smb-not-over-in-time")
                    .time_ns("time", deadline.time.as_nanos() as f64),
            ));
        }
        // By what was answered, not by the clock: over a slow line many requests wait for long. They are in the order of sending.
        let overtaken = self.pending.front().zip(self.answered_latest);
        match overtaken {
            Some((oldest, latest)) if latest.duration_since(oldest.sent) > self.overtaken_max => {
                Err(Fault::Silent(
                    Statement::new("smb-request-never-answered")
                        .time_ns("time", self.overtaken_max.as_nanos() as f64),
                ))
            }
            _ => Ok(()),
        }
    }

    /// A message came that answers nothing.
    ///
    /// # Errors
    /// Too many of them.
    pub(super) fn took_idle(&mut self) -> SmbResult<()> {
        self.idle_messages += 1;
        if self.idle_messages <= IDLE_MESSAGES_MAX + self.pending.len() {
            return Ok(());
        }
        Err(Fault::Unruly(
            Statement::new("smb-messages-answer-nothing")
                .count("messages", self.idle_messages as u64),
        ))
    }
}

/// Signs each message of a frame; `data` belongs to the last.
fn sign(signer: &Signer, draft: &mut FrameBuilder, data: &[u8]) {
    for message in 0..draft.starts().len() {
        let (start, next) = (
            draft.starts()[message],
            draft.starts().get(message + 1).copied(),
        );
        let signature = match next {
            Some(end) => signer.signature(false, &draft.bytes()[start..end], &[]),
            None => signer.signature(false, &draft.bytes()[start..], data),
        };
        draft.bytes_mut()[start + 48..start + 64].copy_from_slice(&signature);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use plumb_words::english;

    use super::*;
    use crate::shares::smb::command::Command;
    use crate::shares::smb::connection::exchange::{NoSlots, Reply};

    /// Sends a request to a peer, and returns the result. The peer runs `respond` after the request, until the connection closes.
    fn reply_to(respond: impl FnOnce(TcpStream) + Send + 'static) -> SmbResult<Reply> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let socket =
            TcpStream::connect(listener.local_addr().expect("address")).expect("a connection");
        let (peer, _) = listener.accept().expect("a client");
        let responder = std::thread::spawn(move || respond(peer));
        let mut connection = Connection::new(socket).expect("a connection");
        connection.patience = [Duration::from_millis(400); 2];
        connection.inbox.allow(1 << 20);
        connection.begin(RequestHead::plain(Command::Echo)).empty();
        let reply = connection.reply();
        drop(connection);
        responder.join().expect("a peer");
        reply
    }

    /// An answer to the first request, of so many bytes, with its length field.
    fn answer(bytes: usize) -> Vec<u8> {
        let mut answer = vec![0; 4 + bytes];
        answer[..4].copy_from_slice(&(bytes as u32).to_be_bytes());
        answer[4..10].copy_from_slice(b"\xfeSMB\x40\0");
        answer[16] = Command::Echo as u8;
        answer[20] = 1;
        answer
    }

    fn every(pause_ms: u64, mut peer: TcpStream, pieces: impl Iterator<Item = Vec<u8>>) {
        for piece in pieces {
            if peer.write_all(&piece).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(pause_ms));
        }
    }

    #[test]
    fn a_byte_at_a_time_is_as_good_as_silence() {
        let lost = reply_to(|peer| every(5, peer, answer(5000).into_iter().map(|byte| vec![byte])))
            .expect_err("given up");
        assert!(
            english(&lost.statement()).ends_with(", except part of one"),
            "{lost:?}"
        );
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "under Wine fewer messages come in the time that is given"
    )]
    fn a_server_that_is_forever_at_work_is_abandoned() {
        let mut interim = answer(73);
        // STATUS_PENDING, with the flag of an answer that comes later.
        (interim[12], interim[13], interim[20]) = (3, 1, 3);
        let slowly = interim.clone();
        let lost =
            reply_to(move |peer| every(20, peer, std::iter::repeat(slowly))).expect_err("given up");
        assert!(
            english(&lost.statement()).ends_with("only messages that the server is still working"),
            "{lost:?}"
        );
        let unruly =
            reply_to(move |peer| every(0, peer, std::iter::repeat(interim))).expect_err("given up");
        assert!(
            matches!(&unruly, Fault::Unruly(what) if what.id == "smb-messages-answer-nothing"),
            "{unruly:?}"
        );
    }

    #[test]
    fn a_deadline_ends_what_never_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let socket =
            TcpStream::connect(listener.local_addr().expect("address")).expect("a connection");
        let mut interim = answer(73);
        (interim[12], interim[13], interim[20]) = (3, 1, 3);
        let (peer, _) = listener.accept().expect("a client");
        let responder =
            std::thread::spawn(move || every(20, peer, std::iter::repeat_n(interim, 1500)));
        let mut connection = Connection::new(socket).expect("a connection");
        connection.within(Duration::from_millis(400));
        connection.begin(RequestHead::plain(Command::Echo)).empty();
        let fault = connection.reply().expect_err("given up");
        drop(connection);
        responder.join().expect("a peer");
        assert!(
            matches!(&fault, Fault::Silent(what) if what.id == "smb-not-over-in-time"),
            "{fault:?}"
        );
    }

    #[test]
    fn a_request_that_is_passed_over_for_ever_is_abandoned() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let socket =
            TcpStream::connect(listener.local_addr().expect("address")).expect("a connection");
        let (mut peer, _) = listener.accept().expect("a client");
        // Every request but the first is answered, each with a credit for two more.
        let responder = std::thread::spawn(move || {
            for number in 1..1000u16 {
                let mut reply = answer(73);
                reply[18..20].copy_from_slice(&1u16.to_le_bytes());
                reply[28..30].copy_from_slice(&(number - 1).to_le_bytes());
                let mut request = [0; 72];
                let read = std::io::Read::read_exact(&mut peer, &mut request);
                if read.is_err() || (number > 1 && peer.write_all(&reply).is_err()) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let mut connection = Connection::new(socket).expect("a connection");
        connection.overtaken_max = Duration::from_millis(300);
        connection.credits = 500;
        let begun = Instant::now();
        let fault = loop {
            connection.begin(RequestHead::plain(Command::Echo)).empty();
            connection.end(None, &NoSlots).expect("laid out");
            connection.send(&NoSlots).expect("sent");
            if let Err(fault) = connection.wait(Duration::from_millis(50)) {
                break fault;
            }
            while connection
                .next(true, &mut NoSlots)
                .expect("answers")
                .is_some()
            {}
            assert!(begun.elapsed() < Duration::from_secs(60), "it goes on");
        };
        drop(connection);
        responder.join().expect("a peer");
        assert!(
            matches!(&fault, Fault::Silent(what) if what.id == "smb-request-never-answered"),
            "{fault:?}"
        );
    }

    #[test]
    fn a_long_answer_over_a_slow_line_is_waited_for() {
        let reply = reply_to(|peer| {
            every(
                100,
                peer,
                answer(1 << 20)
                    .chunks(80_000)
                    .map(<[u8]>::to_vec)
                    .collect::<Vec<_>>()
                    .into_iter(),
            )
        });
        assert_eq!(reply.expect("an answer").message.len(), 1 << 20);
    }
}
