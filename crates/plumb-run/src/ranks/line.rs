//! How does a rank receive requests of rank 0, and report to it?

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use anyhow::bail;
use plumb_model::run::ranks::JointTarget;

use super::exchange::{News, Order};
use super::message::Message;
use crate::measurement::Joints;

/// Rank 0 sends a message every second; after this long without one it is lost.
const LEAD_PATIENCE: Duration = Duration::from_secs(30);
/// The end of the run is looked for so often while a message is waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Where a rank stands among the others.
#[derive(Debug, Clone)]
pub struct Standing {
    pub rank: u32,
    pub ranks: u32,
    pub host: String,
}

/// What the rank and its companion have in common: the way to the other ranks.
pub struct Line {
    pub standing: Standing,
    orders: Sender<Order>,
    news: Receiver<News>,
    last_message: Cell<Instant>,
    /// The next request, if it came while waiting for something else.
    ahead: RefCell<VecDeque<Message>>,
    /// Why rank 0 is lost, or ends the run.
    pub over: RefCell<Option<String>>,
}

impl Line {
    pub fn new(standing: Standing, orders: Sender<Order>, news: Receiver<News>) -> Line {
        Line {
            standing,
            orders,
            news,
            last_message: Cell::new(Instant::now()),
            ahead: RefCell::default(),
            over: RefCell::new(None),
        }
    }

    /// The thread that carries messages ends last: until then orders are accepted.
    pub fn order(&self, order: Order) {
        let _ = self.orders.send(order);
    }

    pub fn send(&self, message: Message) {
        self.order(Order::Send(0, message));
    }

    /// Waits for a message of rank 0 that `accept` takes; `None` when the run is to end before, for the reason in `over` or by `stop`.
    pub fn wait<T>(
        &self,
        stop: Option<&AtomicBool>,
        mut accept: impl FnMut(Message) -> Option<T>,
    ) -> Option<T> {
        self.order(Order::Hurry);
        loop {
            if self.over.borrow().is_some() || stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            {
                break None;
            }
            match self.news.recv_timeout(LOOK) {
                Ok(News::FromLead(message)) => {
                    self.last_message.set(Instant::now());
                    match message {
                        Message::Stop { reason } | Message::Refused { reason } => {
                            self.over.borrow_mut().get_or_insert(reason);
                        }
                        message => {
                            let next = matches!(message, Message::Turn { .. } | Message::NoMore);
                            let next = next.then(|| message.clone());
                            match accept(message) {
                                Some(found) => break Some(found),
                                None => self.ahead.borrow_mut().extend(next),
                            }
                        }
                    }
                }
                Ok(News::Broken(error)) => {
                    self.over.borrow_mut().get_or_insert(error.to_string());
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout)
                    if self.last_message.get().elapsed() > LEAD_PATIENCE =>
                {
                    let lost = format!("no message from rank 0 for {} s", LEAD_PATIENCE.as_secs());
                    self.over.borrow_mut().get_or_insert(lost);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let gone = "the messaging thread has ended".to_string();
                    self.over.borrow_mut().get_or_insert(gone);
                }
            }
        }
    }

    /// Waits for what comes next: number of the execution, step and round. `None`: nothing more, or the run is to end.
    pub fn next_turn(&self, stop: &AtomicBool) -> Option<(u32, usize, u32)> {
        let next = |message| match message {
            Message::Turn {
                execution,
                step,
                round,
            } => Some(Some((execution, step as usize, round))),
            Message::NoMore => Some(None),
            _ => None,
        };
        let ahead = self.ahead.borrow_mut().pop_front();
        match ahead {
            Some(message) => next(message).flatten(),
            None => self.wait(Some(stop), next).flatten(),
        }
    }

    /// Waits until an execution has ended everywhere; `false`: the run is to end.
    pub fn all_have_ended(&self, execution: u32, stop: &AtomicBool) -> bool {
        let ended = self.wait(Some(stop), |message| match message {
            Message::AllEnded { execution: of } if of == execution => Some(()),
            _ => None,
        });
        ended.is_some()
    }

    /// Takes what has come while nobody waited: a wish to end among it.
    pub fn look(&self, stop: &AtomicBool) {
        while let Ok(news) = self.news.try_recv() {
            self.last_message.set(Instant::now());
            match news {
                News::FromLead(Message::Stop { reason }) => {
                    self.over.borrow_mut().get_or_insert(reason);
                }
                News::Broken(error) => {
                    self.over.borrow_mut().get_or_insert(error.to_string());
                }
                _ => {}
            }
        }
        if self.over.borrow().is_some() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Joints for Line {
    fn publish(&self, sets: Vec<(u32, JointTarget)>) {
        self.send(Message::Made { sets });
    }

    fn wait(&self, accept: &[u32]) -> anyhow::Result<BTreeMap<u32, JointTarget>> {
        let mut found = BTreeMap::new();
        if accept.is_empty() {
            return Ok(found);
        }
        let all = self.wait(None, |message| {
            if let Message::Shared { sets } = message {
                found.extend(sets);
            }
            let is_there = |set: &u32| found.contains_key(set);
            accept.iter().all(is_there).then_some(())
        });
        match all {
            Some(()) => Ok(found),
            None => bail!(
                self.over
                    .borrow()
                    .clone()
                    .unwrap_or_else(|| { "it ended before the shared files were created".into() })
            ),
        }
    }
}
