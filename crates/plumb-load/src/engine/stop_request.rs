//! Was a stop requested? Checked by all code that waits for a server, so that nothing waits for one that does not respond.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, bounded};

/// How often a waiting thread checks.
pub const LOOK: Duration = Duration::from_millis(50);
/// A server that does not answer for so long after the request is not waited for any more.
const LAST_WAIT: Duration = Duration::from_millis(700);
/// The same after one wait has timed out: all together take less than a second.
const LAST_LOOK: Duration = Duration::from_millis(200);

/// A request to end. Cloning gives the same request; the default is one that nobody makes.
#[derive(Debug, Clone, Default)]
pub struct StopRequest {
    flag: Arc<AtomicBool>,
    /// Somebody has waited for a server in vain since.
    in_vain: Arc<AtomicBool>,
}

impl StopRequest {
    /// Made as soon as `flag` is true.
    pub fn new(flag: Arc<AtomicBool>) -> StopRequest {
        let in_vain = Arc::default();
        StopRequest { flag, in_vain }
    }

    /// How long a server is still waited for from the request on, or from its last answer after that.
    fn patience(&self) -> Duration {
        if self.in_vain.load(Ordering::Relaxed) {
            LAST_LOOK
        } else {
            LAST_WAIT
        }
    }

    /// A server was waited for since this moment. `Some`: for long enough, after so much time.
    pub fn is_enough(&self, since: Instant) -> Option<Duration> {
        let patience = self.patience();
        if since.elapsed() <= patience {
            return None;
        }
        self.in_vain.store(true, Ordering::Relaxed);
        Some(patience)
    }

    /// A stop was requested.
    pub fn is_made(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Carries out what may take long on a thread of its own. The inner error: a stop was requested, and so much time later there was no result yet; the
    /// thread is left to itself.
    ///
    /// # Errors
    /// No thread can be started, or it panicked.
    pub fn unless_made<T: Send + 'static>(
        &self,
        thread: &str,
        act: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Result<T, Duration>> {
        let (found, arrival) = bounded(1);
        std::thread::Builder::new()
            .name(thread.into())
            .spawn(move || {
                // Whoever waited may be gone meanwhile.
                let _ = found.send(act());
            })?;
        let mut requested_at = None;
        loop {
            match arrival.recv_timeout(LOOK) {
                Ok(result) => return Ok(Ok(result)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other(format!("thread {thread} has panicked")));
                }
                Err(RecvTimeoutError::Timeout) if self.is_made() => {
                    let requested_at: &mut Instant = requested_at.get_or_insert_with(Instant::now);
                    if let Some(waited) = self.is_enough(*requested_at) {
                        return Ok(Err(waited));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_in_time_gives_its_result_and_what_does_not_is_left_once_a_stop_is_requested() {
        let flag = Arc::new(AtomicBool::new(false));
        let stop = StopRequest::new(flag.clone());
        let result = stop.unless_made("plumb-test", || 7).expect("a thread");
        assert_eq!(result, Ok(7));
        flag.store(true, Ordering::Relaxed);
        let begun = Instant::now();
        let hangs = || std::thread::sleep(Duration::from_secs(60));
        assert_eq!(
            stop.unless_made("plumb-test", hangs).expect("a thread"),
            Err(LAST_WAIT)
        );
        // Another one of the same request is not waited for as long.
        let again = stop.clone().unless_made("plumb-test", hangs);
        assert_eq!(again.expect("a thread"), Err(LAST_LOOK));
        assert!(begun.elapsed() < Duration::from_secs(30));
        // What is quick is done all the same: files are removed after the request.
        let result = stop.unless_made("plumb-test", || 8).expect("a thread");
        assert_eq!(result, Ok(8));
    }
}
