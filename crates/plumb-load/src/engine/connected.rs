//! How does an engine submit and reap over one connection, which may be lost and come back? Written once for all protocols of shares.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use plumb_model::run::{ConnectionState, PathAccount};
use plumb_model::statement::Statement;

use crate::engine::failure::FailureKind;
use crate::engine::journal::Journal;
use crate::engine::operation::{Done, Op, Outcome};
use crate::engine::reconnect::Reconnect;
use crate::engine::traffic::{Ends, Traffic};
use crate::engine::{Closing, Engine, Wait};

/// `reap` returns after this time at the latest, so that the intervals of the record continue.
const TURN: Duration = Duration::from_millis(100);
/// After the end of a step, a server that brings no operation to its end for so long is not waited for any more.
const LAST_ANSWERS: Duration = Duration::from_secs(30);

/// A connection that is lost sooner than this has brought nothing: the next one is tried for after a pause that grows from one to the next.
const LASTS: Duration = Duration::from_secs(2);

/// What a protocol makes of operations: its requests on a connection that is there. Whether there is one is not its concern.
pub trait Requests {
    type Connection: Send + 'static;
    /// An operation that waits for a connection fails after so long.
    const WAIT_MAX: Duration;

    /// Queues an operation for the next [`Requests::send`] or [`Requests::turn`].
    fn begin(&mut self, op: Op, done: &mut Vec<Done>);

    /// Sends what can be sent now.
    ///
    /// # Errors
    /// Why the connection is of no use any more; so for all that follow.
    fn send(&mut self, connection: &mut Self::Connection, done: &mut Vec<Done>) -> Lost;

    /// Sends what can be sent, takes the available replies, and sends what follows from them. Does not wait.
    fn turn(&mut self, connection: &mut Self::Connection, done: &mut Vec<Done>) -> Lost;

    /// Waits until data arrives or a request is to be repeated, at most this long.
    fn wait(&mut self, connection: &mut Self::Connection, at_most: Duration) -> Lost;

    /// The connection is lost: requests in flight fail with `outcome`, queued ones are returned.
    fn abandon(&mut self, outcome: Outcome, unasked: &mut Vec<Op>, done: &mut Vec<Done>);

    /// Keeps the counts of a connection that ends.
    fn retire(&mut self, connection: &mut Self::Connection);

    /// What it has moved so far; `None` where it is none of TCP.
    fn traffic(_: &mut Self::Connection) -> Option<Traffic<'_>> {
        None
    }

    /// There is another connection: handles and limits may be others.
    fn renew(&mut self, connection: &Self::Connection);

    /// Tries for another connection.
    fn again(&self) -> Reconnect<Self::Connection>;

    /// Nothing more is submitted: what waits for anything but an answer ends now.
    fn finish(&mut self, done: &mut Vec<Done>);

    /// Ends the connection, if there is one, and returns its counts.
    fn close(&mut self, connection: Option<Self::Connection>) -> Closing;
}

/// Nothing, or why the connection is of no use any more.
pub type Lost = Result<(), Statement>;

/// The connection, or what is done to get it back.
enum Link<C> {
    /// Since when it is there.
    Up(C, Instant),
    Down(Reconnect<C>),
    /// It is lost, and the step is over.
    Gone,
}

/// The connections of an engine, counted.
#[derive(Default)]
struct Counts {
    lost: u64,
    restored: u64,
    outage: Duration,
}

/// An engine over one connection.
pub struct Connected<R: Requests> {
    requests: R,
    link: Link<R::Connection>,
    journal: Journal,
    /// Operations that wait for a connection, with the moment since when.
    held: VecDeque<(Instant, Op)>,
    /// Completed operations that were not returned yet.
    finished: Vec<Done>,
    /// Since when nothing new comes, and the last time an operation ended after that.
    ending: Option<Instant>,
    /// Connections one after the other that did not last.
    futile: u32,
    counts: Counts,
    /// Of the connection that is there.
    ends: Option<Ends>,
    /// What went over those that ended.
    paths: Vec<PathAccount>,
}

impl<R: Requests> Connected<R> {
    /// Works on a connection that is ready.
    pub fn new(requests: R, mut connection: R::Connection, journal: Journal) -> Connected<R> {
        Connected {
            ends: Ends::of(R::traffic(&mut connection)),
            paths: Vec::new(),
            requests,
            link: Link::Up(connection, Instant::now()),
            journal,
            held: VecDeque::new(),
            finished: Vec::new(),
            ending: None,
            futile: 0,
            counts: Counts::default(),
        }
    }

    /// Keeps what was counted on a connection that ends.
    fn retire(&mut self, connection: &mut R::Connection) {
        self.requests.retire(connection);
        if let Some((ends, traffic)) = self.ends.take().zip(R::traffic(connection)) {
            ends.add(&traffic, &mut self.paths);
        }
    }

    /// The connection is unusable: requests in flight fail, queued and new ones wait for the next connection.
    fn lose(&mut self, why: Statement, done: &mut Vec<Done>) {
        let Link::Up(mut connection, since) = std::mem::replace(&mut self.link, Link::Gone) else {
            return;
        };
        self.futile = if since.elapsed() < LASTS {
            self.futile.saturating_add(1)
        } else {
            0
        };
        self.retire(&mut connection);
        drop(connection);
        let outcome = Outcome::failed(FailureKind::ConnectionReset);
        let mut unasked = Vec::new();
        self.requests.abandon(outcome, &mut unasked, done);
        self.counts.lost += 1;
        self.journal.connection(ConnectionState::Lost, why);
        if self.ending.is_some() {
            done.extend(unasked.iter().map(|op| failed(op, outcome)));
            return;
        }
        let now = Instant::now();
        self.held.extend(unasked.into_iter().map(|op| (now, op)));
        self.link = Link::Down(self.requests.again().after(self.futile));
    }

    /// Waits for the connection to come back, for so long at most. True when it has.
    ///
    /// # Errors
    /// It cannot even be tried.
    fn redial(&mut self, at_most: Duration, done: &mut Vec<Done>) -> io::Result<bool> {
        let Link::Down(reconnect) = &mut self.link else {
            return Ok(false);
        };
        let Some(mut connection) = reconnect
            .poll(at_most)
            .map_err(|error| without_thread(&error))?
        else {
            let outcome = Outcome::failed(FailureKind::TimedOut);
            let too_long = |(since, _): &(Instant, Op)| since.elapsed() > R::WAIT_MAX;
            while self.held.front().is_some_and(too_long) {
                let given_up = self.held.pop_front();
                done.extend(given_up.map(|(_, op)| failed(&op, outcome)));
            }
            return Ok(false);
        };
        let (attempts, outage) = (reconnect.attempts(), reconnect.outage());
        self.counts.restored += 1;
        self.counts.outage += outage;
        let text = Statement::new("connection-restored-after")
            .time_ns("time", outage.as_nanos() as f64)
            .count("attempts", u64::from(attempts));
        self.journal.connection(ConnectionState::Restored, text);
        self.requests.renew(&connection);
        self.ends = Ends::of(R::traffic(&mut connection));
        self.link = Link::Up(connection, Instant::now());
        for (_, op) in self.held.drain(..) {
            self.requests.begin(op, done);
        }
        Ok(true)
    }

    /// Asks and takes what is there; loses the connection when that fails.
    fn turn(&mut self, done: &mut Vec<Done>) {
        let Link::Up(connection, _) = &mut self.link else {
            return;
        };
        let before = done.len();
        let result = self.requests.turn(connection, done);
        if self.ending.is_some() && done.len() > before {
            // Replies alone do not end it: a server could continue a listing forever.
            self.ending = Some(Instant::now());
        }
        if let Err(why) = result {
            self.lose(why, done);
        }
    }
}

fn failed(op: &Op, outcome: Outcome) -> Done {
    Done {
        slot: op.slot,
        outcome,
    }
}

/// Why nobody tries.
fn without_thread(error: &io::Error) -> io::Error {
    let text = format!(
        "the connection to the share was lost, and cannot start a thread to reconnect ({error}): raise the thread or memory limit (ulimit -u, ulimit -v, pids.max of the control group)"
    );
    io::Error::new(error.kind(), text)
}

impl<R: Requests> Engine for Connected<R> {
    fn submit(&mut self, ops: &[Op], done: &mut Vec<Done>) -> io::Result<()> {
        let Link::Up(connection, _) = &mut self.link else {
            let now = Instant::now();
            self.held.extend(ops.iter().map(|op| (now, *op)));
            return Ok(());
        };
        for op in ops {
            self.requests.begin(*op, done);
        }
        if let Err(why) = self.requests.send(connection, done) {
            self.lose(why, done);
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let limit = match wait {
            Wait::No => Duration::ZERO,
            Wait::One => TURN,
            Wait::AtMost(ns) => Duration::from_nanos(ns).min(TURN),
        };
        let before = done.len();
        done.append(&mut self.finished);
        // The clock is read only where something is waited for.
        let mut begun = None;
        loop {
            self.turn(done);
            if done.len() > before {
                return Ok(());
            }
            let left = if limit.is_zero() {
                limit
            } else {
                limit.saturating_sub(begun.get_or_insert_with(Instant::now).elapsed())
            };
            match &mut self.link {
                Link::Up(..) if left.is_zero() => break,
                Link::Up(connection, _) => {
                    if let Err(why) = self.requests.wait(connection, left) {
                        self.lose(why, done);
                    }
                }
                Link::Down(_) => {
                    if !self.redial(left, done)? {
                        return Ok(());
                    }
                }
                Link::Gone => return Ok(()),
            }
        }
        if let Some(since) = self.ending
            && since.elapsed() > LAST_ANSWERS
        {
            self.lose(Statement::new("connection-lost-at-end"), done);
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.ending = Some(Instant::now());
        if matches!(self.link, Link::Down(_)) {
            self.link = Link::Gone;
        }
        let outcome = Outcome::failed(FailureKind::NotConnected);
        let held = self.held.drain(..);
        self.finished
            .extend(held.map(|(_, op)| failed(&op, outcome)));
        self.requests.finish(&mut self.finished);
    }

    fn close(&mut self) -> Closing {
        let connection = match std::mem::replace(&mut self.link, Link::Gone) {
            Link::Up(mut connection, _) => {
                self.retire(&mut connection);
                Some(connection)
            }
            Link::Down(_) | Link::Gone => None,
        };
        let mut closing = self.requests.close(connection);
        closing.account.paths = std::mem::take(&mut self.paths);
        let mut count = |name: &str, number: f64| {
            closing.account.numbers.insert(name.into(), number);
        };
        count("connections_lost", self.counts.lost as f64);
        count("reconnects", self.counts.restored as f64);
        if self.counts.lost > 0 {
            count("outage_s", self.counts.outage.as_secs_f64());
        }
        closing
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use plumb_model::workload::OperationKind;

    use super::*;
    use crate::engine::reconnect::Pauses;

    /// A protocol whose server answers while its line is sound.
    struct Echo {
        sound: Arc<AtomicBool>,
        in_progress: Vec<u32>,
        waiting: Vec<Op>,
    }

    impl Requests for Echo {
        type Connection = ();
        const WAIT_MAX: Duration = Duration::MAX;

        fn begin(&mut self, op: Op, _: &mut Vec<Done>) {
            self.waiting.push(op);
        }

        fn send(&mut self, (): &mut (), _: &mut Vec<Done>) -> Lost {
            // Sends one at a time, so that some are left when the connection breaks.
            if self.in_progress.is_empty() && !self.waiting.is_empty() {
                self.in_progress.push(self.waiting.remove(0).slot);
            }
            Ok(())
        }

        fn turn(&mut self, line: &mut (), done: &mut Vec<Done>) -> Lost {
            if !self.sound.load(Ordering::Relaxed) {
                return Err(Statement::verbatim("cut"));
            }
            let outcome = Outcome::moved(0);
            done.extend(
                self.in_progress
                    .drain(..)
                    .map(|slot| Done { slot, outcome }),
            );
            self.send(line, done)
        }

        fn wait(&mut self, (): &mut (), _: Duration) -> Lost {
            Ok(())
        }

        fn abandon(&mut self, outcome: Outcome, unasked: &mut Vec<Op>, done: &mut Vec<Done>) {
            done.extend(
                self.in_progress
                    .drain(..)
                    .map(|slot| Done { slot, outcome }),
            );
            unasked.append(&mut self.waiting);
        }

        fn retire(&mut self, (): &mut ()) {}

        fn renew(&mut self, (): &()) {}

        fn again(&self) -> Reconnect<()> {
            let pauses = Pauses {
                before: Duration::ZERO,
                first: Duration::from_millis(1),
                most: Duration::from_millis(100),
            };
            let sound = self.sound.clone();
            Reconnect::new("plumb-test", pauses, move || {
                sound.load(Ordering::Relaxed).then_some(())
            })
        }

        fn finish(&mut self, _: &mut Vec<Done>) {}

        fn close(&mut self, _: Option<()>) -> Closing {
            Closing::default()
        }
    }

    fn op(slot: u32) -> Op {
        Op {
            offset: 0,
            len: 0,
            slot,
            file: 0,
            kind: OperationKind::Read,
            priority: 0,
        }
    }

    fn engine() -> (Connected<Echo>, Arc<AtomicBool>) {
        let sound = Arc::new(AtomicBool::new(true));
        let echo = Echo {
            sound: sound.clone(),
            in_progress: Vec::new(),
            waiting: Vec::new(),
        };
        (Connected::new(echo, (), Journal::new(|_| {})), sound)
    }

    #[test]
    fn what_was_asked_fails_and_what_was_not_is_asked_on_the_next_connection() {
        let (mut engine, sound) = engine();
        let mut done = Vec::new();
        engine.submit(&[op(0), op(1)], &mut done).expect("submit");
        sound.store(false, Ordering::Relaxed);
        engine.reap(Wait::No, &mut done).expect("reap");
        let reset = Outcome::failed(FailureKind::ConnectionReset);
        let outcomes = |done: &mut Vec<Done>| -> Vec<(u32, Outcome)> {
            done.drain(..).map(|one| (one.slot, one.outcome)).collect()
        };
        assert_eq!(outcomes(&mut done), [(0, reset)]);
        engine.submit(&[op(2)], &mut done).expect("held");
        engine.reap(Wait::No, &mut done).expect("reap");
        assert_eq!(outcomes(&mut done), [], "both wait");
        sound.store(true, Ordering::Relaxed);
        let mut after = Vec::new();
        while after.len() < 2 {
            engine.reap(Wait::One, &mut done).expect("reap");
            after.extend(outcomes(&mut done));
        }
        let moved = Outcome::moved(0);
        assert_eq!(after, [(1, moved), (2, moved)]);
        let numbers = engine.close().account.numbers;
        assert_eq!(numbers["connections_lost"], 1.0);
        assert_eq!(numbers["reconnects"], 1.0);
        assert!(numbers["outage_s"] > 0.0);
    }

    #[test]
    fn a_server_that_drops_every_connection_is_not_asked_without_a_pause() {
        let (mut engine, sound) = engine();
        let mut done = Vec::new();
        let begun = Instant::now();
        let mut dropped = 0;
        while begun.elapsed() < Duration::from_millis(400) {
            sound.store(false, Ordering::Relaxed);
            engine.submit(&[op(0)], &mut done).expect("submit");
            engine.reap(Wait::No, &mut done).expect("lost");
            sound.store(true, Ordering::Relaxed);
            while matches!(engine.link, Link::Down(_)) {
                engine.reap(Wait::One, &mut done).expect("reap");
            }
            dropped += 1;
        }
        // Pauses of 0, 1, 2, 4, ... up to 100 ms; without them thousands fit.
        assert!((3..30).contains(&dropped), "{dropped} connections");
        assert_eq!(engine.futile, dropped);
    }

    #[test]
    fn at_the_end_of_a_step_nothing_waits_for_a_connection() {
        let (mut engine, sound) = engine();
        let mut done = Vec::new();
        sound.store(false, Ordering::Relaxed);
        engine.reap(Wait::No, &mut done).expect("lost");
        engine.submit(&[op(3)], &mut done).expect("held");
        engine.finish();
        engine.reap(Wait::One, &mut done).expect("reap");
        assert_eq!(done.len(), 1);
        assert_eq!(done[0].outcome, Outcome::failed(FailureKind::NotConnected));
    }
}
