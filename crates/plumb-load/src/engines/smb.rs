//! How are operations carried out on an SMB share? Pipelined over one connection per worker, by a client of plumb's own: nothing is mounted or cached.

mod by_name;
mod connection;
mod frame;
mod joint;
mod step;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::run::EngineAccount;
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::OperationKind;

use self::connection::{Blueprint, WorkerConnection, again};
use self::step::{Step, Work};
use crate::engine::buffers::Region;
use crate::engine::connected::{Connected, Lost, Requests};
use crate::engine::failure::FailureKind;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::reconnect::Reconnect;
use crate::engine::stages::{CommandTimes, RequestTimes, since_arrival};
use crate::engine::traffic::Traffic;
use crate::engine::{Closing, EngineKind, Opened, Setup, Unavailable};
use crate::feed::live_files::LiveFiles;
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::exchange::{Answer, SlotRange, Slots};
use crate::shares::smb::fault::{Fault, SmbResult};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "smb",
        meaning: "keeps `depth` requests in flight per worker on one connection to an SMB share (2.0.2 to 3.1.1), with plumb's built-in client, without a cache",
        schemes: &[SchemeProperties {
            word: "smb",
            meaning: "An SMB share (SMB 2.0.2 to 3.1.1).",
            default_port: 445,
            while_lost: WhileLost::Wait,
            is_share: true,
            host_is_share: false,
            writes_entire_files: false,
            lends_memory: false,
            needs_password: true,
            untried: None,
            unreachable_remedy: "check the name, the port and the firewall, and whether the server is running",
        }],
        asynchronous: true,
        batch: 16,
        operations: &[
            OperationKind::Read,
            OperationKind::Write,
            OperationKind::Flush,
            OperationKind::Create,
            OperationKind::Open,
            OperationKind::Stat,
            OperationKind::ReadFile,
            OperationKind::Rename,
            OperationKind::Delete,
            OperationKind::Fsync,
            OperationKind::List,
        ],
        by_auto: true,
        does_work: true,
        maps_files: false,
        request_priorities: false,
        submits_apart: false,
        never_direct: None,
        shares_connection: true,
        own_options: &[],
        fio: &[],
    },
    open,
};

/// The worker's slots, as the protocol sees them.
struct SlotRegion(Region);

impl Slots for SlotRegion {
    fn bytes(&self, range: SlotRange) -> &[u8] {
        self.check(range);
        // SAFETY: the range is inside its slot (checked), the region outlives the engine, and the worker leaves a slot alone while an operation on it
        // is in flight.
        unsafe {
            std::slice::from_raw_parts(
                self.0
                    .base
                    .add(range.slot as usize * self.0.stride + range.offset as usize),
                range.len as usize,
            )
        }
    }

    fn bytes_mut(&mut self, range: SlotRange) -> &mut [u8] {
        self.check(range);
        // SAFETY: as above; `&mut self` makes it the engine's only reference into the slots.
        unsafe {
            std::slice::from_raw_parts_mut(
                self.0
                    .base
                    .add(range.slot as usize * self.0.stride + range.offset as usize),
                range.len as usize,
            )
        }
    }
}

impl SlotRegion {
    fn check(&self, range: SlotRange) {
        let end = range.offset as usize + range.len as usize;
        let begin = range.slot as usize * self.0.stride;
        assert!(
            end <= self.0.slot_bytes && begin + end <= self.0.bytes,
            "place {range:?} of slots of {} bytes",
            self.0.slot_bytes
        );
    }
}

struct Smb<'a> {
    blueprint: Arc<Blueprint>,
    slots: SlotRegion,
    /// What each slot is at.
    works: Vec<Work>,
    /// Slots with requests to send that lack credits, in order.
    waiting: VecDeque<u32>,
    live_files: Option<&'a LiveFiles>,
    times: Vec<CommandTimes>,
    counters: Counters,
}

#[derive(Default)]
struct Counters {
    credit_waits: u64,
    /// How long operations waited for the credits of their first request, and how long they were on their way, added up.
    credit_wait: Duration,
    on_wire: Duration,
    /// Operations whose block went out in several requests.
    split: u64,
    credits_granted: u64,
    pending_answers: u64,
    /// How long sockets were looked at before the worker slept or went on.
    socket_poll: Duration,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let Some(remote) = setup.remote else {
        return Err(Unavailable(Statement::new("target-is-no-smb-share")));
    };
    let blueprint = Arc::new(Blueprint::new(&remote, setup.choice, setup.depth));
    let (line, refused) = blueprint.establish(true).map_err(|fault| {
        let (_, reason, remedy) = fault.judged(remote.remote);
        Unavailable(
            Statement::new("share-cannot-be-opened")
                .name("target", remote.remote.to_string())
                .part("reason", reason)
                .part("remedy", remedy),
        )
    })?;
    let (connection, active) = line.describe(remote.workload.workers, setup.depth);
    let requests = Smb {
        blueprint,
        slots: SlotRegion(setup.buffers),
        works: vec![Work::none(); setup.depth as usize],
        waiting: VecDeque::with_capacity(setup.depth as usize),
        live_files: setup.live_files,
        times: vec![CommandTimes::default(); Command::ALL.len()],
        counters: Counters::default(),
    };
    Ok(Opened {
        engine: Box::new(Connected::new(requests, line, remote.journal.clone())),
        connection,
        active,
        refused,
    })
}

impl Smb<'_> {
    /// Sends what can be sent now, in order.
    fn send_waiting(&mut self, line: &mut WorkerConnection, done: &mut Vec<Done>) -> SmbResult<()> {
        let mut at = 0;
        while let Some(slot) = self.waiting.get(at).copied() {
            if self.live_files.is_some() && self.is_behind_another(at, slot) {
                at += 1;
                continue;
            }
            let work = &mut self.works[slot as usize];
            let step = work.send_next(slot, line, &mut self.slots, self.live_files)?;
            match step {
                Step::Sent => {
                    let since = work.waits_since.take();
                    self.counters.credit_wait +=
                        since.map_or(Duration::ZERO, |since| since.elapsed());
                }
                // Nothing is in flight that could bring more: this server never grants what the operation needs.
                Step::NeedsCredits if line.channel.connection.due() == 0 => {
                    end(work, slot, Outcome::failed(FailureKind::Busy), done)
                }
                Step::NeedsCredits => {
                    self.note_waiting();
                    return Ok(());
                }
                Step::Done(outcome) => end(work, slot, outcome, done),
            }
            self.waiting.remove(at);
        }
        Ok(())
    }

    /// All operations without a request in flight wait for credits from now on, behind the first.
    fn note_waiting(&mut self) {
        let now = Instant::now();
        // Those before the last that is known already are known too.
        for slot in self.waiting.iter().rev() {
            let work = &mut self.works[*slot as usize];
            if std::mem::replace(&mut work.waited, true) {
                break;
            }
            self.counters.credit_waits += 1;
            work.waits_since = (!work.was_sent()).then_some(now);
        }
    }

    /// An earlier operation works on the same file, or waits to: a server may carry out requests in any order (MS-SMB2 3.3.5.1), and what is looked at
    /// must have been made.
    fn is_behind_another(&self, at: usize, slot: u32) -> bool {
        let work = &self.works[slot as usize];
        let is_earlier = |other: u32| {
            self.works[other as usize].was_sent()
                || self.waiting.iter().take(at).any(|waits| *waits == other)
        };
        !work.was_sent()
            && (0..self.works.len() as u32).any(|other| {
                other != slot && work.shares_file(&self.works[other as usize]) && is_earlier(other)
            })
    }

    fn build_and_send(
        &mut self,
        line: &mut WorkerConnection,
        done: &mut Vec<Done>,
    ) -> SmbResult<()> {
        self.send_waiting(line, done)?;
        line.channel.connection.send(&self.slots).map(|_| ())
    }

    fn send_and_receive(
        &mut self,
        line: &mut WorkerConnection,
        done: &mut Vec<Done>,
    ) -> SmbResult<()> {
        let before = done.len();
        self.build_and_send(line, done)?;
        // Completed operations are returned before more is received: the worker asks for the next at once, and the server never runs dry.
        while let Some(answer) = line
            .channel
            .connection
            .next(done.len() == before, &mut self.slots)?
        {
            take(
                line,
                &mut self.works,
                (&mut self.times, &mut self.counters),
                &answer,
                &mut self.waiting,
                done,
            )?;
        }
        if !self.waiting.is_empty() {
            self.build_and_send(line, done)?;
        }
        Ok(())
    }
}

/// The operation of a slot is done.
fn end(work: &mut Work, slot: u32, outcome: Outcome, done: &mut Vec<Done>) {
    work.rest();
    done.push(Done { slot, outcome });
}

/// Passes a reply to its operation, which may have more requests to send.
fn take(
    line: &WorkerConnection,
    works: &mut [Work],
    (times, counters): (&mut [CommandTimes], &mut Counters),
    answer: &Answer,
    waiting: &mut VecDeque<u32>,
    done: &mut Vec<Done>,
) -> SmbResult<()> {
    let now = Instant::now();
    if let Some(range) = Command::ALL
        .iter()
        .position(|command| *command == answer.command)
    {
        times[range].record(&RequestTimes {
            response: now.saturating_duration_since(answer.sent),
            send_queue: answer
                .handed_over
                .map(|at| at.saturating_duration_since(answer.sent)),
            wake_up: since_arrival(answer.arrived),
        });
    }
    let Some(work) = works.get_mut(answer.tag as usize) else {
        return Ok(());
    };
    match work.answered(line.channel.connection.message(answer), answer)? {
        step::After::More => {}
        step::After::SendMore => waiting.push_back(answer.tag),
        step::After::Done(outcome) => {
            counters.on_wire += work.on_wire(now);
            counters.split += u64::from(work.was_split());
            end(work, answer.tag, outcome, done);
            // A block whose first part failed may still wait to request the rest.
            waiting.retain(|slot| *slot != answer.tag);
        }
    }
    Ok(())
}

/// Why a connection is of no use any more.
fn why(fault: Fault) -> Statement {
    fault.statement()
}

impl Requests for Smb<'_> {
    type Connection = WorkerConnection;
    const WAIT_MAX: Duration = Duration::from_secs(30);

    fn begin(&mut self, op: Op, _: &mut Vec<Done>) {
        self.works[op.slot as usize].begin(op, self.slots.0.slot_bytes);
        self.waiting.push_back(op.slot);
    }

    fn send(&mut self, line: &mut WorkerConnection, done: &mut Vec<Done>) -> Lost {
        self.build_and_send(line, done).map_err(why)
    }

    fn turn(&mut self, line: &mut WorkerConnection, done: &mut Vec<Done>) -> Lost {
        self.send_and_receive(line, done).map_err(why)
    }

    fn wait(&mut self, line: &mut WorkerConnection, at_most: Duration) -> Lost {
        line.channel.connection.wait(at_most).map_err(why)
    }

    fn abandon(&mut self, outcome: Outcome, unasked: &mut Vec<Op>, done: &mut Vec<Done>) {
        for slot in self.waiting.drain(..) {
            let work = &mut self.works[slot as usize];
            if !work.was_sent() {
                unasked.push(work.op);
                work.rest();
            }
        }
        for (slot, work) in self.works.iter_mut().enumerate() {
            if work.is_busy() {
                end(work, slot as u32, outcome, done);
            }
        }
    }

    fn retire(&mut self, line: &mut WorkerConnection) {
        let counts = &line.channel.connection.counts;
        self.counters.credits_granted += counts.credits_granted;
        self.counters.pending_answers += counts.pending_answers;
        self.counters.socket_poll += line.channel.connection.lookout.looked();
    }

    fn traffic(line: &mut WorkerConnection) -> Option<Traffic<'_>> {
        let (sent_bytes, received_bytes) = line.channel.connection.moved_bytes();
        Some(Traffic {
            stream: line.channel.connection.socket(),
            sent_bytes,
            received_bytes,
        })
    }

    fn renew(&mut self, _: &WorkerConnection) {}

    fn again(&self) -> Reconnect<WorkerConnection> {
        again(&self.blueprint)
    }

    fn finish(&mut self, _: &mut Vec<Done>) {}

    fn close(&mut self, line: Option<WorkerConnection>) -> Closing {
        if let Some(mut line) = line {
            line.close();
        }
        let Counters {
            credit_waits,
            credit_wait,
            on_wire,
            split,
            credits_granted,
            pending_answers,
            socket_poll,
        } = self.counters;
        let numbers = [
            ("credits_granted", credits_granted),
            ("credit_waits", credit_waits),
            ("pending_answers", pending_answers),
            ("split_operations", split),
        ]
        .map(|(name, count)| (name.to_string(), count as f64));
        let times = [
            ("credit_wait_s", credit_wait),
            ("on_wire_s", on_wire),
            ("socket_poll_s", socket_poll),
        ]
        .map(|(name, time)| (name.to_string(), time.as_secs_f64()));
        let numbers = numbers.into_iter().chain(times).collect();
        let mut account = EngineAccount {
            numbers,
            ..EngineAccount::default()
        };
        let times = std::mem::take(&mut self.times);
        for (command, times) in Command::ALL.iter().zip(times) {
            times.report(command.name(), &mut account);
        }
        Closing {
            account,
            ..Closing::default()
        }
    }
}
