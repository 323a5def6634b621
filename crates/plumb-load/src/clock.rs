//! What time is it, in nanoseconds since the run began, at the least cost?

use std::time::{Duration, Instant};

use crate::system;

/// How long the counter is watched against the system's clock: 20 ms give its rate within about 10 parts in a million.
const CALIBRATION: Duration = Duration::from_millis(20);

/// A clock that counts nanoseconds from the run's start. Copied into every worker: all see the same time.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    base: Instant,
    source: Source,
}

/// Where the time comes from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Counter(Counter),
    System,
    /// Time that only passes when it is waited for, or by a little for each look at it: for exact tests of pacing.
    #[cfg(any(test, feature = "simulated"))]
    Virtual(&'static std::sync::atomic::AtomicU64),
}

/// Conversion of the counter: ns = (ticks - base) * multiplier / 2^32.
#[derive(Debug, Clone, Copy)]
struct Counter {
    base_ticks: u64,
    multiplier: u64,
}

impl Clock {
    /// Starts the clock: from now on it counts from 0. Uses the processor's counter where the kernel does, else CLOCK_MONOTONIC.
    pub fn start() -> Clock {
        if !system::counter_is_steady() {
            return Clock {
                base: Instant::now(),
                source: Source::System,
            };
        }
        let (first, first_ticks) = both();
        std::thread::sleep(CALIBRATION);
        let (second, second_ticks) = both();
        let ns = second.duration_since(first).as_nanos() as f64;
        let multiplier =
            (ns / second_ticks.wrapping_sub(first_ticks) as f64 * 2f64.powi(32)).round();
        // A counter below 1 kHz or standing still is no clock.
        if !(1.0..1e15).contains(&multiplier) {
            return Clock {
                base: Instant::now(),
                source: Source::System,
            };
        }
        Clock {
            base: second,
            source: Source::Counter(Counter {
                base_ticks: second_ticks,
                multiplier: multiplier as u64,
            }),
        }
    }

    /// Nanoseconds since the start.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        let Source::Counter(counter) = self.source else {
            return self.now_without_counter_ns();
        };
        // A CPU may lag the one that started the clock by a few ticks: never wrap below 0.
        let ticks = system::counter().saturating_sub(counter.base_ticks);
        ((u128::from(ticks) * u128::from(counter.multiplier)) >> 32) as u64
    }

    /// Out of the hot loop's way: what else there is must not cost those who have a counter.
    #[cold]
    #[inline(never)]
    fn now_without_counter_ns(&self) -> u64 {
        match self.source {
            #[cfg(any(test, feature = "simulated"))]
            Source::Virtual(time_ns) => {
                time_ns.fetch_add(LOOK_NS, std::sync::atomic::Ordering::Relaxed)
            }
            _ => self.base.elapsed().as_nanos() as u64,
        }
    }

    /// Name of the source, for the record.
    pub fn source(&self) -> &'static str {
        if matches!(self.source, Source::Counter(_)) {
            system::COUNTER
        } else {
            "clock_monotonic"
        }
    }

    /// Lets another thread have the CPU.
    pub fn give_way(&self) {
        match self.source {
            #[cfg(any(test, feature = "simulated"))]
            Source::Virtual(_) => self.pass(1000),
            _ => std::thread::yield_now(),
        }
    }

    /// Lets about `ns` nanoseconds pass without using the CPU.
    pub fn sleep_ns(&self, ns: u64) {
        match self.source {
            #[cfg(any(test, feature = "simulated"))]
            Source::Virtual(_) => self.pass(ns),
            _ => system::sleep_ns(ns),
        }
    }
}

/// What a look at the virtual clock takes.
#[cfg(any(test, feature = "simulated"))]
pub const LOOK_NS: u64 = 50;

#[cfg(any(test, feature = "simulated"))]
impl Clock {
    /// A clock that stands at 0 until time is made to pass.
    pub fn simulated() -> Clock {
        Clock {
            base: Instant::now(),
            source: Source::Virtual(Box::leak(Box::default())),
        }
    }

    /// Lets virtual time pass.
    pub fn pass(&self, ns: u64) {
        if let Source::Virtual(time_ns) = self.source {
            time_ns.fetch_add(ns, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

/// System clock and counter read as close together as they come: the best of a few tries.
fn both() -> (Instant, u64) {
    let read = || {
        let before = system::counter();
        let now = Instant::now();
        let after = system::counter();
        (
            after.wrapping_sub(before),
            now,
            before.wrapping_add(after.wrapping_sub(before) / 2),
        )
    };
    let (mut best, mut instant, mut ticks) = read();
    for _ in 0..16 {
        let (width, now, middle) = read();
        if width < best {
            (best, instant, ticks) = (width, now, middle);
        }
    }
    (instant, ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_system_clock() {
        let clock = Clock::start();
        let (before, start) = (clock.now_ns(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        let (after, passed) = (clock.now_ns(), start.elapsed());
        let ratio = (after - before) as f64 / passed.as_nanos() as f64;
        // Preemption between the two reads may widen either span; a wrong conversion is off by far more.
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}
