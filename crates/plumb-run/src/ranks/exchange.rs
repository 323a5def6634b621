//! How do messages come and go while the load runs? A thread of its own carries them, adds up intervals along the tree, and answers for the rank's life.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use plumb_load::clock::Clock;
use plumb_model::run::tick::Tick;

use super::message::{Message, SoFar};
use super::reduction::{Reduction, parent};
use super::wire::{Wire, WireError};

/// Between two looks for messages: shortly after one has come or a wait for one started, and else. A look costs some microseconds of CPU, which many
/// ranks on few CPUs take from each other.
const LOOK_SOON: Duration = Duration::from_micros(100);
const LOOK: Duration = Duration::from_millis(2);
const SHORTLY: Duration = Duration::from_millis(20);
/// How long messages are delivered at the end, and all ranks waited for: launchers of MPI end the others where one leaves alone.
const CLOSE_PATIENCE: Duration = Duration::from_secs(60);
/// The same where a rank is lost, which cannot be waited for.
const CLOSE_WITHOUT_ONE: Duration = Duration::from_secs(5);
/// Between two signs of life.
const BEAT_EVERY: Duration = Duration::from_secs(1);
/// A barrier that some rank does not enter any more is left after this.
const BARRIER_PATIENCE: Duration = Duration::from_secs(5);

/// Requests to the thread.
pub enum Order {
    Send(u32, Message),
    SendAll(Message),
    /// Compares the clock of a rank with this one.
    Ping(u32),
    /// Intervals of this rank.
    Own(Vec<Tick>),
    /// This rank has ended an execution.
    OwnEnded(u32),
    /// Somebody waits for a message.
    Hurry,
    /// Delivers what is to be sent, and ends.
    Close,
}

/// Its notifications. The first two go to the lead, the others to the worker of this rank.
#[derive(Debug)]
pub enum News {
    /// A message for rank 0, with the rank that sent it and when it came, by the clock of the run.
    ForLead(u32, Message, u64),
    /// Intervals of all ranks, as far as they have come.
    Summed(Vec<Tick>),
    /// A message from rank 0.
    FromLead(Message),
    /// Messages cannot be carried any more.
    Broken(WireError),
}

/// Where news goes.
pub struct Listeners {
    /// On rank 0.
    pub lead: Option<Sender<News>>,
    pub rank: Sender<News>,
}

/// The thread.
pub struct Exchange {
    wire: Box<dyn Wire>,
    clock: Clock,
    listeners: Listeners,
    reduction: Reduction,
    /// Ranks that are lost.
    lost: BTreeSet<u32>,
    /// Ranks below this one that have ended an execution, and were not reported to the parent.
    ended: Option<(u32, u32)>,
    /// The word to start, as long as the barrier before it is not passed.
    at_barrier: Option<(Message, Instant)>,
    beaten: Option<Instant>,
    /// What this rank has done of the last execution that it has intervals of.
    so_far: Option<SoFar>,
    /// When a message came last, or a wait for one started.
    active: Instant,
}

impl Exchange {
    pub fn new(wire: Box<dyn Wire>, clock: Clock, listeners: Listeners) -> Exchange {
        let reduction = Reduction::new(wire.rank(), wire.size());
        Exchange {
            wire,
            clock,
            listeners,
            reduction,
            lost: BTreeSet::new(),
            ended: None,
            at_barrier: None,
            beaten: None,
            so_far: None,
            active: Instant::now(),
        }
    }

    /// Transfers messages until it is requested to close.
    pub fn run(mut self, orders: &Receiver<Order>) {
        let patience = loop {
            let nap = match self.active.elapsed() < SHORTLY {
                true => LOOK_SOON,
                false => LOOK,
            };
            let done = match orders.recv_timeout(nap) {
                Ok(Order::Close) if self.lost.is_empty() => break CLOSE_PATIENCE,
                Ok(Order::Close) => break CLOSE_WITHOUT_ONE,
                Ok(order) => self.obey(order),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                // Nobody is left who could want anything.
                Err(RecvTimeoutError::Disconnected) => break Duration::ZERO,
            };
            if let Err(error) = done.and_then(|()| self.turn()) {
                self.notify_rank(News::Broken(error.clone()));
                self.notify_lead(News::Broken(error));
                break Duration::ZERO;
            }
        };
        self.wire.close(patience);
    }

    fn obey(&mut self, order: Order) -> Result<(), WireError> {
        match order {
            Order::Send(to, message) => self.send(to, message),
            Order::SendAll(message) => {
                (0..self.wire.size()).try_for_each(|to| self.send(to, message.clone()))
            }
            Order::Ping(to) => {
                let sent_ns = self.clock.now_ns();
                self.send(to, Message::Ping { sent_ns })
            }
            Order::Own(ticks) => {
                let now = Instant::now();
                for tick in ticks {
                    self.so_far = Some(SoFar::add(self.so_far, &tick));
                    self.reduction.take(tick, now);
                }
                Ok(())
            }
            Order::OwnEnded(execution) => {
                self.end(execution, 1);
                Ok(())
            }
            Order::Hurry => {
                self.active = Instant::now();
                Ok(())
            }
            Order::Close => Ok(()),
        }
    }

    /// Takes what has come, and does what is due.
    fn turn(&mut self) -> Result<(), WireError> {
        while let Some((from, bytes)) = self.wire.receive()? {
            self.active = Instant::now();
            // Unreadable messages come from an incompatible plumb; its greeting shows that, the rest is ignored.
            if let Ok(message) = serde_json::from_slice(&bytes) {
                self.take(from, message)?;
            }
        }
        if let Some((_, since)) = &self.at_barrier
            && (self.wire.is_barrier_passed()? || since.elapsed() > BARRIER_PATIENCE)
            && let Some((go, _)) = self.at_barrier.take()
        {
            self.notify_rank(News::FromLead(go));
        }
        self.hand_on()?;
        let now = Instant::now();
        if self.beaten.is_none_or(|last| now >= last + BEAT_EVERY) {
            self.beaten = Some(now);
            if self.wire.rank() == 0 {
                (1..self.wire.size()).try_for_each(|to| self.send(to, Message::Beat))?;
            }
            let beat = self.so_far.map_or(Message::Beat, Message::SoFar);
            self.send(0, beat)?;
        }
        Ok(())
    }

    fn take(&mut self, from: u32, message: Message) -> Result<(), WireError> {
        let now_ns = self.clock.now_ns();
        match message {
            Message::Ping { sent_ns } => {
                let answer = Message::Pong {
                    sent_ns,
                    clock_ns: now_ns,
                    unix_ns: unix_ns(),
                };
                return self.send(from, answer);
            }
            Message::Intervals {
                execution,
                ticks,
                ended,
            } => {
                let now = Instant::now();
                ticks
                    .into_iter()
                    .for_each(|tick| self.reduction.take(tick, now));
                self.end(execution, ended);
                self.notify_lead(News::ForLead(from, Message::Beat, now_ns));
            }
            go @ Message::Go { barrier: true, .. } => {
                self.wire.enter_barrier()?;
                self.at_barrier = Some((go, Instant::now()));
            }
            Message::Lost { rank } => {
                self.lose(rank);
                self.notify_rank(News::FromLead(message));
            }
            Message::Beat if self.wire.rank() > 0 => self.notify_rank(News::FromLead(message)),
            Message::Refused { .. }
            | Message::Begun(_)
            | Message::Turn { .. }
            | Message::NoMore
            | Message::Shared { .. }
            | Message::AllReady { .. }
            | Message::AllLetGo
            | Message::Go { .. }
            | Message::AllEnded { .. }
            | Message::Stop { .. }
            | Message::Over => self.notify_rank(News::FromLead(message)),
            _ => self.notify_lead(News::ForLead(from, message, now_ns)),
        }
        Ok(())
    }

    /// Sends a message; one to this rank itself is taken at once.
    fn send(&mut self, to: u32, message: Message) -> Result<(), WireError> {
        if to == self.wire.rank() {
            return self.take(to, message);
        }
        if self.lost.contains(&to) {
            return Ok(());
        }
        let bytes = serde_json::to_vec(&message).map_err(|error| WireError(error.to_string()))?;
        self.wire.send(to, &bytes)
    }

    /// Ranks of the branch have ended an execution.
    fn end(&mut self, execution: u32, ranks: u32) {
        if ranks == 0 {
            return;
        }
        self.reduction.end(execution, ranks);
        self.ended = match self.ended {
            Some((of, count)) if of == execution => Some((of, count + ranks)),
            _ => Some((execution, ranks)),
        };
    }

    /// Hands on what is ready: to the rank above, or to who leads.
    fn hand_on(&mut self) -> Result<(), WireError> {
        let ticks = self.reduction.ready(Instant::now());
        let Some(above) = self.above() else {
            if !ticks.is_empty() {
                self.notify_lead(News::Summed(ticks));
            }
            return Ok(());
        };
        let ended = self.ended.take();
        if ticks.is_empty() && ended.is_none() {
            return Ok(());
        }
        let execution = ended.map(|(execution, _)| execution);
        let execution = execution.or_else(|| ticks.first().map(|tick| tick.execution));
        let message = Message::Intervals {
            execution: execution.unwrap_or_default(),
            ticks,
            ended: ended.map_or(0, |(_, ranks)| ranks),
        };
        self.send(above, message)
    }

    /// The next rank above that is not lost; `None` for rank 0.
    fn above(&self) -> Option<u32> {
        let mut above = parent(self.wire.rank())?;
        while self.lost.contains(&above) {
            above = parent(above)?;
        }
        Some(above)
    }

    /// Nothing more is expected of a rank.
    fn lose(&mut self, rank: u32) {
        if !self.lost.insert(rank) {
            return;
        }
        let me = self.wire.rank();
        let mut above = parent(rank);
        while let Some(next) = above {
            if next == me {
                self.reduction.lose();
            }
            above = parent(next);
        }
    }

    fn notify_rank(&self, news: News) {
        // Whoever has gone needs no news.
        let _ = self.listeners.rank.send(news);
    }

    fn notify_lead(&self, news: News) {
        if let Some(lead) = &self.listeners.lead {
            let _ = lead.send(news);
        }
    }
}

/// Time of day in nanoseconds since 1970.
fn unix_ns() -> u64 {
    let now = jiff::Timestamp::now().as_nanosecond();
    u64::try_from(now).unwrap_or_default()
}
