//! How does an engine restore a lost connection? By attempts on a separate thread, with growing pauses, so that the record of a run continues meanwhile.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

/// How often a pause looks whether nobody waits any more.
const LOOK: Duration = Duration::from_millis(20);

/// Pauses between attempts.
#[derive(Debug, Clone, Copy)]
pub struct Pauses {
    /// Before the first attempt.
    pub before: Duration,
    /// After the first attempt; each further pause is twice as long.
    pub first: Duration,
    /// No pause is longer.
    pub most: Duration,
}

impl Pauses {
    /// Before the attempt that so many have preceded.
    fn after(self, attempts: u32) -> Duration {
        match attempts {
            0 => self.before,
            attempts => {
                let doubled = 1u32.checked_shl(attempts - 1).unwrap_or(u32::MAX);
                self.first.saturating_mul(doubled).min(self.most)
            }
        }
    }
}

/// Tries to connect; `None`: not now.
type Attempt<T> = Arc<dyn Fn() -> Option<T> + Send + Sync>;

/// What the thread and the engine share.
#[derive(Default)]
struct Shared {
    attempts: AtomicU32,
    is_given_up: AtomicBool,
}

/// A connection to be restored. On drop it gives up: a running attempt is not awaited, and its result is discarded.
pub struct Reconnect<T> {
    since: Instant,
    pauses: Pauses,
    thread: &'static str,
    attempt: Attempt<T>,
    shared: Arc<Shared>,
    /// Connections before this one that did not last: as if so many attempts had failed already.
    futile: u32,
    /// Missing: no thread tries.
    arrival: Option<Receiver<T>>,
}

impl<T: Send + 'static> Reconnect<T> {
    /// The connection was lost now. Attempts begin with the first [`Reconnect::poll`], or with [`Reconnect::begin`], on a thread of this name.
    pub fn new(
        thread: &'static str,
        pauses: Pauses,
        attempt: impl Fn() -> Option<T> + Send + Sync + 'static,
    ) -> Reconnect<T> {
        Reconnect {
            since: Instant::now(),
            pauses,
            thread,
            attempt: Arc::new(attempt),
            shared: Arc::default(),
            futile: 0,
            arrival: None,
        }
    }

    /// So many connections came before and did not last: the first attempt waits as if so many had failed, or a server that takes every connection and drops
    /// it would be retried without a pause.
    pub fn after(mut self, futile: u32) -> Reconnect<T> {
        self.futile = futile;
        self
    }

    /// Begins to try, unless a thread does already.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn begin(&mut self) -> io::Result<()> {
        if self.arrival.is_some() {
            return Ok(());
        }
        let (found, arrival) = bounded(1);
        let (attempt, shared, pauses) = (self.attempt.clone(), self.shared.clone(), self.pauses);
        let futile = self.futile;
        std::thread::Builder::new()
            .name(self.thread.into())
            .spawn(move || try_again(&*attempt, &shared, (pauses, futile), &found))?;
        self.arrival = Some(arrival);
        Ok(())
    }

    /// Waits for the connection, for so long at most. After one has come, another call tries for the next, as if that one had failed.
    ///
    /// # Errors
    /// No thread can be started that tries.
    pub fn poll(&mut self, at_most: Duration) -> io::Result<Option<T>> {
        self.begin()?;
        let Some(arrival) = &self.arrival else {
            return Ok(None);
        };
        match arrival.recv_timeout(at_most) {
            Err(RecvTimeoutError::Timeout) => Ok(None),
            // The thread has panicked and printed its message.
            Err(RecvTimeoutError::Disconnected) => {
                self.arrival = None;
                std::thread::sleep(at_most);
                Ok(None)
            }
            Ok(connection) => {
                self.arrival = None;
                Ok(Some(connection))
            }
        }
    }

    /// How long the connection has been gone.
    pub fn outage(&self) -> Duration {
        self.since.elapsed()
    }

    /// Attempts so far.
    pub fn attempts(&self) -> u32 {
        self.shared.attempts.load(Ordering::Relaxed)
    }
}

impl<T> Drop for Reconnect<T> {
    fn drop(&mut self) {
        self.shared.is_given_up.store(true, Ordering::Relaxed);
    }
}

/// Tries until it succeeds, or nobody waits any more.
fn try_again<T>(
    attempt: &(dyn Fn() -> Option<T> + Send + Sync),
    shared: &Shared,
    (pauses, futile): (Pauses, u32),
    found: &Sender<T>,
) {
    let is_given_up = || shared.is_given_up.load(Ordering::Relaxed);
    loop {
        let before = shared.attempts.load(Ordering::Relaxed);
        let mut pause = pauses.after(before.saturating_add(futile));
        while !pause.is_zero() && !is_given_up() {
            let part = pause.min(LOOK);
            std::thread::sleep(part);
            pause -= part;
        }
        if is_given_up() {
            return;
        }
        shared.attempts.fetch_add(1, Ordering::Relaxed);
        if let Some(connection) = attempt() {
            // Whoever waited may be gone meanwhile; the connection then closes.
            let _ = found.send(connection);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSES: Pauses = Pauses {
        before: Duration::ZERO,
        first: Duration::from_millis(1),
        most: Duration::from_millis(4),
    };

    #[test]
    fn pauses_double_up_to_the_longest() {
        let pauses: Vec<u128> = [0, 1, 2, 3, 4, 40, u32::MAX]
            .map(|attempts| PAUSES.after(attempts).as_millis())
            .into();
        assert_eq!(pauses, [0, 1, 2, 4, 4, 4, 4]);
    }

    #[test]
    fn it_is_tried_until_it_succeeds_and_again_after_that() {
        let tried = Arc::new(AtomicU32::new(0));
        let count = tried.clone();
        let mut reconnect = Reconnect::new("plumb-test", PAUSES, move || {
            let number = count.fetch_add(1, Ordering::Relaxed) + 1;
            (number >= 3).then_some(number)
        });
        assert_eq!(tried.load(Ordering::Relaxed), 0, "nothing is tried before");
        let mut wait = || loop {
            let arrived = reconnect.poll(Duration::from_millis(50)).expect("a thread");
            if let Some(number) = arrived {
                return (number, reconnect.attempts());
            }
        };
        assert_eq!(wait(), (3, 3));
        assert_eq!(wait(), (4, 4), "the next one");
    }

    #[test]
    fn who_does_not_wait_any_more_ends_the_attempts() {
        let token = Arc::new(());
        let held = token.clone();
        let mut reconnect = Reconnect::<()>::new("plumb-test", PAUSES, move || {
            let _held = &held;
            None
        });
        reconnect.begin().expect("a thread");
        drop(reconnect);
        while Arc::strong_count(&token) > 1 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
