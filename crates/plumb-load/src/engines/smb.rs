//! How are operations carried out on an SMB share? Pipelined over one connection per worker, by a client of plumb's own: nothing is mounted or cached.

mod by_name;
mod connection;
mod frame;
mod step;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plumb_model::engines::{EngineProperties, SchemeProperties};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::{ConnectionState, EngineAccount};
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::OperationKind;

use self::connection::{Blueprint, WorkerConnection, again, without_thread};
use self::step::{Step, Work};
use crate::engine::buffers::Region;
use crate::engine::failure::FailureKind;
use crate::engine::journal::Journal;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::reconnect::Reconnect;
use crate::engine::{Closing, Engine, EngineKind, Opened, Setup, Unavailable, Wait};
use crate::feed::live_files::LiveFiles;
use crate::shares::smb::command::Command;
use crate::shares::smb::connection::exchange::{Answer, SlotRange, Slots};
use crate::shares::smb::fault::{Fault, SmbResult};

pub static ENGINE: EngineKind = EngineKind {
    properties: EngineProperties {
        name: "smb",
        meaning: "keeps `depth` requests in flight per worker on one connection to an SMB share (2.1 to 3.1.1), by a client of plumb's own, without a cache",
        schemes: &[SchemeProperties {
            word: "smb",
            meaning: "A file share by SMB 2.1 to 3.1.1.",
            default_port: 445,
            while_lost: WhileLost::Wait,
            is_share: true,
            lends_memory: false,
            asks_password: true,
            untried: None,
            unreachable_remedy: "check the name, the port and the firewall, and that the server runs",
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
        never_direct: None,
        shares_connection: true,
        own_options: &[],
        fio: &[],
    },
    open,
};

/// `reap` comes back after so long at the latest, so that the intervals of the record go on.
const TURN: Duration = Duration::from_millis(100);
/// An operation that waits for a connection gives up after so long.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The worker's slots, as the protocol sees them.
struct SlotRegion(Region);

impl Slots for SlotRegion {
    fn bytes(&self, place: SlotRange) -> &[u8] {
        self.check(place);
        // SAFETY: the place lies inside its slot (checked), the region outlives the engine, and the worker leaves a slot alone while an operation on it
        // is in flight.
        unsafe {
            std::slice::from_raw_parts(
                self.0
                    .base
                    .add(place.slot as usize * self.0.stride + place.offset as usize),
                place.len as usize,
            )
        }
    }

    fn bytes_mut(&mut self, place: SlotRange) -> &mut [u8] {
        self.check(place);
        // SAFETY: as above; `&mut self` makes it the engine's only reference into the slots.
        unsafe {
            std::slice::from_raw_parts_mut(
                self.0
                    .base
                    .add(place.slot as usize * self.0.stride + place.offset as usize),
                place.len as usize,
            )
        }
    }
}

impl SlotRegion {
    fn check(&self, place: SlotRange) {
        let end = place.offset as usize + place.len as usize;
        let begin = place.slot as usize * self.0.stride;
        assert!(
            end <= self.0.slot_bytes && begin + end <= self.0.bytes,
            "place {place:?} of slots of {} bytes",
            self.0.slot_bytes
        );
    }
}

struct Smb<'a> {
    link: Link,
    blueprint: Arc<Blueprint>,
    slots: SlotRegion,
    /// What each slot is at.
    works: Vec<Work>,
    /// Slots that have something to ask and cannot yet, for want of credits or of a connection, in order.
    waiting: VecDeque<u32>,
    live_files: Option<&'a LiveFiles>,
    journal: Journal,
    finishing: bool,
    histograms: Vec<Histogram>,
    counters: Counters,
}

/// The connection, or what is done to get it back.
enum Link {
    Up(Box<WorkerConnection>),
    Down(Reconnect<WorkerConnection>),
}

#[derive(Default)]
struct Counters {
    credit_waits: u64,
    credits_granted: u64,
    pending_answers: u64,
    reconnects: u64,
    connections_lost: u64,
    outage: Duration,
}

fn open<'a>(setup: Setup<'a>) -> Result<Opened<'a>, Unavailable> {
    let unavailable = |reason: String, remedy: String| Unavailable { reason, remedy };
    let Some(remote) = setup.remote else {
        return Err(unavailable(
            "there is no share to work on".into(),
            "name a target smb://user@server/share".into(),
        ));
    };
    let blueprint = Arc::new(Blueprint::new(&remote, setup.choice, setup.depth));
    let (line, refused) = blueprint.establish(true).map_err(|fault| {
        let (_, phrase, remedy) = fault.judged(remote.remote);
        unavailable(format!("cannot open {}: {phrase}", remote.remote), remedy)
    })?;
    let (connection, active) = line.describe(remote.workload.workers);
    let engine = Smb {
        link: Link::Up(Box::new(line)),
        blueprint,
        slots: SlotRegion(setup.buffers),
        works: vec![Work::none(); setup.depth as usize],
        waiting: VecDeque::with_capacity(setup.depth as usize),
        live_files: setup.live_files,
        journal: remote.journal.clone(),
        finishing: false,
        histograms: vec![Histogram::default(); Command::ALL.len()],
        counters: Counters::default(),
    };
    Ok(Opened {
        engine: Box::new(engine),
        connection,
        active,
        refused,
    })
}

impl Smb<'_> {
    /// Asks what can be asked now, in order.
    fn ask_waiting(&mut self, done: &mut Vec<Done>) -> SmbResult<()> {
        let mut at = 0;
        while let Some(slot) = self.waiting.get(at).copied() {
            if self.live_files.is_some() && self.is_behind_another(at, slot) {
                at += 1;
                continue;
            }
            let Link::Up(line) = &mut self.link else {
                return Ok(());
            };
            let work = &mut self.works[slot as usize];
            let step = work.ask(slot, line, &mut self.slots, self.live_files)?;
            match step {
                Step::Asked => {}
                // Nothing is in flight that could bring more: this server never grants what the operation needs.
                Step::WantsCredits if line.channel.connection.due() == 0 => {
                    end(work, slot, Outcome::failed(FailureKind::Busy), done)
                }
                Step::WantsCredits => {
                    self.counters.credit_waits +=
                        u64::from(!std::mem::replace(&mut work.waited, true));
                    return Ok(());
                }
                Step::Done(outcome) => end(work, slot, outcome, done),
            }
            self.waiting.remove(at);
        }
        Ok(())
    }

    /// An earlier operation works on the same file, or waits to: a server may carry out requests in any order (MS-SMB2 3.3.5.1), and what is looked at
    /// must have been made.
    fn is_behind_another(&self, at: usize, slot: u32) -> bool {
        let work = &self.works[slot as usize];
        let is_earlier = |other: u32| {
            self.works[other as usize].was_asked()
                || self.waiting.iter().take(at).any(|waits| *waits == other)
        };
        !work.was_asked()
            && (0..self.works.len() as u32).any(|other| {
                other != slot && work.shares_file(&self.works[other as usize]) && is_earlier(other)
            })
    }

    /// Sends and receives until something is done or the time is over.
    fn turn(&mut self, wait: Wait, done: &mut Vec<Done>) -> SmbResult<()> {
        let limit = match wait {
            Wait::No => Duration::ZERO,
            Wait::One => TURN,
            Wait::AtMost(ns) => Duration::from_nanos(ns).min(TURN),
        };
        let (before, mut begun) = (done.len(), None);
        loop {
            self.ask_waiting(done)?;
            let Link::Up(line) = &mut self.link else {
                return Ok(());
            };
            line.channel.connection.send(&self.slots)?;
            // What has been done is handed back before more is received: the worker asks for the next at once, and the server never runs dry.
            while let Some(answer) = line
                .channel
                .connection
                .next(done.len() == before, &mut self.slots)?
            {
                take(
                    line,
                    &mut self.works,
                    &mut self.histograms,
                    &answer,
                    &mut self.waiting,
                    done,
                )?;
            }
            if !self.waiting.is_empty() {
                self.ask_waiting(done)?;
                let Link::Up(line) = &mut self.link else {
                    return Ok(());
                };
                line.channel.connection.send(&self.slots)?;
            }
            if done.len() > before || limit.is_zero() {
                return Ok(());
            }
            let begun = *begun.get_or_insert_with(Instant::now);
            let left = limit.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            if let Link::Up(line) = &mut self.link {
                line.channel.connection.wait(left)?;
            }
        }
    }

    /// The connection is gone: what was asked fails, what was not waits for another.
    fn lose(&mut self, fault: &Fault, done: &mut Vec<Done>) {
        self.retire();
        self.counters.connections_lost += 1;
        for (slot, work) in self.works.iter_mut().enumerate() {
            if work.is_busy() && work.was_asked() {
                end(
                    work,
                    slot as u32,
                    Outcome::failed(FailureKind::ConnectionReset),
                    done,
                );
            }
        }
        let works = &self.works;
        self.waiting.retain(|slot| works[*slot as usize].is_busy());
        self.journal
            .connection(ConnectionState::Lost, Statement::verbatim(fault.phrase()));
        self.link = Link::Down(again(&self.blueprint));
    }

    /// Keeps the counts of a connection that ends.
    fn retire(&mut self) {
        if let Link::Up(line) = &self.link {
            self.counters.credits_granted += line.channel.connection.counts.credits_granted;
            self.counters.pending_answers += line.channel.connection.counts.pending_answers;
        }
    }

    /// Tries to get a connection again; comes back soon. An error: it cannot even be tried.
    fn redial(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let Link::Down(reconnect) = &mut self.link else {
            return Ok(());
        };
        let at_most = match wait {
            Wait::No => Duration::ZERO,
            Wait::One => TURN,
            Wait::AtMost(ns) => Duration::from_nanos(ns).min(TURN),
        };
        if !self.finishing
            && let Some(line) = reconnect
                .poll(at_most)
                .map_err(|error| without_thread(&error))?
        {
            let (attempts, outage) = (reconnect.attempts(), reconnect.outage());
            self.counters.reconnects += 1;
            self.counters.outage += outage;
            let text = Statement::new("connection-restored-after")
                .time_ns("time", outage.as_nanos() as f64)
                .count("attempts", u64::from(attempts));
            self.journal.connection(ConnectionState::Restored, text);
            self.link = Link::Up(Box::new(line));
            return Ok(());
        }
        let finishing = self.finishing;
        for (slot, work) in self
            .works
            .iter_mut()
            .enumerate()
            .filter(|(_, work)| work.is_busy())
        {
            if finishing {
                end(
                    work,
                    slot as u32,
                    Outcome::failed(FailureKind::NotConnected),
                    done,
                );
            } else if work.waited_for_connection() > WAIT_MAX {
                end(
                    work,
                    slot as u32,
                    Outcome::failed(FailureKind::TimedOut),
                    done,
                );
            }
        }
        let works = &self.works;
        self.waiting.retain(|slot| works[*slot as usize].is_busy());
        Ok(())
    }
}

/// The operation of a slot is done.
fn end(work: &mut Work, slot: u32, outcome: Outcome, done: &mut Vec<Done>) {
    work.rest();
    done.push(Done { slot, outcome });
}

/// Takes an answer to its operation, which may have something more to ask.
fn take(
    line: &WorkerConnection,
    works: &mut [Work],
    histograms: &mut [Histogram],
    answer: &Answer,
    waiting: &mut VecDeque<u32>,
    done: &mut Vec<Done>,
) -> SmbResult<()> {
    if let Some(place) = Command::ALL
        .iter()
        .position(|command| *command == answer.command)
    {
        histograms[place].record(answer.sent.elapsed().as_nanos() as u64);
    }
    let Some(work) = works.get_mut(answer.tag as usize) else {
        return Ok(());
    };
    match work.answered(line.channel.connection.message(answer), answer)? {
        step::After::More => {}
        step::After::Asks => waiting.push_back(answer.tag),
        step::After::Done(outcome) => {
            end(work, answer.tag, outcome, done);
            // A block whose first part failed may still wait to ask for the rest.
            waiting.retain(|slot| *slot != answer.tag);
        }
    }
    Ok(())
}

impl Engine for Smb<'_> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        for op in ops {
            self.works[op.slot as usize].begin(*op, self.slots.0.slot_bytes);
            self.waiting.push_back(op.slot);
        }
        let mut result = self.ask_waiting(done);
        if let (Ok(()), Link::Up(line)) = (&result, &mut self.link) {
            result = line.channel.connection.send(&self.slots).map(|_| ());
        }
        if let Err(fault) = result {
            self.lose(&fault, done);
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        if matches!(self.link, Link::Down(_)) {
            return self.redial(wait, done);
        }
        if let Err(fault) = self.turn(wait, done) {
            self.lose(&fault, done);
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.finishing = true;
    }

    fn close(&mut self) -> Closing {
        self.retire();
        if let Link::Up(line) = &mut self.link {
            line.close();
        }
        let Counters {
            credit_waits,
            credits_granted,
            pending_answers,
            reconnects,
            connections_lost,
            outage,
        } = self.counters;
        let mut numbers: BTreeMap<String, f64> = [
            ("credits_granted", credits_granted),
            ("credit_waits", credit_waits),
            ("pending_answers", pending_answers),
            ("connections_lost", connections_lost),
            ("reconnects", reconnects),
        ]
        .map(|(name, count)| (name.to_string(), count as f64))
        .into();
        if connections_lost > 0 {
            numbers.insert("outage_s".into(), outage.as_secs_f64());
        }
        let commands = Command::ALL
            .iter()
            .zip(std::mem::take(&mut self.histograms))
            .filter(|(_, histogram)| histogram.count() > 0)
            .map(|(command, histogram)| (command.name().to_string(), histogram))
            .collect();
        Closing {
            account: EngineAccount { numbers, commands },
            ..Closing::default()
        }
    }
}
