//! Who is there, and how do their clocks stand? Rank 0 waits for all to greet it, refuses what does not fit, and compares its clock with theirs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use anyhow::bail;
use plumb_load::clock::Clock;
use plumb_model::environment::Environment;
use plumb_model::run::ranks::RankPlace;

use super::exchange::{News, Order};
use super::message::{Hello, Message, VERSION};
use crate::notices::say;

/// How long all ranks may take to come.
const JOIN_PATIENCE: Duration = Duration::from_secs(60);
/// Who is waited for is named after this.
const REPORT_AFTER: Duration = Duration::from_secs(5);
/// Messages back and forth by which the clock of a rank is compared; the fastest counts.
const PINGS: u32 = 12;
/// How long all clocks may take.
const CLOCK_PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);

/// How the ranks are placed.
pub struct Assembled {
    pub places: Vec<RankPlace>,
    /// What is added to the times of each rank to make them rank 0's.
    pub offsets_ns: Vec<i64>,
    /// Of the target, as rank 1 sees it.
    pub environment: Option<Box<Environment>>,
}

/// What rank 0 has in its hands while they assemble.
pub struct Assembly<'a> {
    pub size: u32,
    /// Rank 0 makes load like the others.
    pub lead_makes_load: bool,
    pub clock: Clock,
    /// Digest of the plan of rank 0.
    pub plan: &'a str,
    pub orders: &'a Sender<Order>,
    pub news: &'a Receiver<News>,
    pub stop: &'a AtomicBool,
}

impl Assembly<'_> {
    /// Waits for all, and compares the clocks. Errors: one is missing or incompatible; all have been informed.
    pub fn assemble(&self) -> anyhow::Result<Assembled> {
        let done = self
            .places()
            .and_then(|(places, environment)| self.clocks(places, environment));
        if let Err(error) = &done {
            let _ = self.orders.send(Order::SendAll(Message::Refused {
                reason: format!("{error:#}"),
            }));
        }
        done
    }

    fn next(&self) -> anyhow::Result<Option<(u32, Message, u64)>> {
        if self.stop.load(Ordering::Relaxed) {
            bail!("it ended before all ranks had connected");
        }
        match self.news.recv_timeout(LOOK) {
            Ok(News::ForLead(rank, message, now_ns)) => Ok(Some((rank, message, now_ns))),
            Ok(News::Broken(error)) => bail!("the ranks cannot communicate: {error}"),
            Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("no messages are exchanged between the ranks")
            }
        }
    }

    /// Takes the greetings.
    fn places(&self) -> anyhow::Result<(Vec<RankPlace>, Option<Box<Environment>>)> {
        let mut of_target = None;
        let (begun, mut last_report) = (Instant::now(), Instant::now());
        let mut places: Vec<Option<RankPlace>> = vec![None; self.size as usize];
        let first = usize::from(!self.lead_makes_load);
        while places[first..].iter().any(Option::is_none) {
            let received = self.next()?;
            if let Some((rank, Message::CannotBegin { reason }, _)) = &received {
                bail!("rank {rank} cannot start: {reason}");
            }
            if let Some((rank, Message::Hello(hello), _)) = received {
                self.fits(rank, &hello)?;
                of_target = hello.environment.or(of_target);
                if let Some(entry) = places.get_mut(rank as usize) {
                    *entry = Some(RankPlace {
                        rank,
                        host: hello.host,
                        process: hello.process,
                        time_of_day_ahead_ns: 0,
                        clock_uncertainty_ns: 0,
                    });
                }
            }
            let missing: Vec<String> = (first as u32..self.size)
                .filter(|rank| places[*rank as usize].is_none())
                .map(|rank| rank.to_string())
                .collect();
            let some = missing
                .iter()
                .take(8)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            if begun.elapsed() > JOIN_PATIENCE {
                bail!(
                    "{} of {} ranks did not connect within {} s: {some}; check that plumb starts on their hosts, and that the launcher started that many",
                    missing.len(),
                    self.size,
                    JOIN_PATIENCE.as_secs()
                );
            }
            if !missing.is_empty() && last_report.elapsed() >= REPORT_AFTER {
                last_report = Instant::now();
                say(&format!(
                    "waiting for {} of {} ranks: {some}",
                    missing.len(),
                    self.size
                ));
            }
        }
        Ok((places.into_iter().flatten().collect(), of_target))
    }

    /// Refuses a rank that runs another plumb or another plan.
    fn fits(&self, rank: u32, hello: &Hello) -> anyhow::Result<()> {
        let at = format!("rank {rank} on {}", hello.host);
        let own = env!("CARGO_PKG_VERSION");
        if (hello.version, hello.plumb_version.as_str()) != (VERSION, own) {
            bail!(
                "{at} runs plumb {}, rank 0 runs {own}: start the same plumb on all hosts",
                hello.plumb_version
            );
        }
        if hello.plan != self.plan {
            bail!(
                "{at} has a different plan than rank 0: give all ranks the same command line, and the same plan file if one is used"
            );
        }
        Ok(())
    }

    /// Compares this clock with those of the ranks, one message at a time to each: the shortest round trip is the most exact.
    ///
    /// As in Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989: the other clock was read somewhere between sending and answer, so
    /// that taking the middle errs by at most half of the round trip.
    fn clocks(
        &self,
        mut places: Vec<RankPlace>,
        environment: Option<Box<Environment>>,
    ) -> anyhow::Result<Assembled> {
        let begun = Instant::now();
        let size = self.size as usize;
        let mut offsets_ns = vec![0i64; size];
        let mut best_ns = vec![u64::MAX; size];
        let mut left = vec![PINGS; size];
        left[0] = 0;
        // Many at once would wait for each other at rank 0; one after the other takes its time with thousands.
        let at_once = 1 + size / 64;
        let mut next = 1;
        let mut under_way = 0;
        while left.iter().any(|left| *left > 0) {
            while under_way < at_once && next < size {
                let _ = self.orders.send(Order::Ping(next as u32));
                (next, under_way) = (next + 1, under_way + 1);
            }
            if begun.elapsed() > CLOCK_PATIENCE {
                let silent = left.iter().position(|left| *left > 0).unwrap_or_default();
                bail!("rank {silent} connected but no longer responds");
            }
            let Some((rank, message, now_ns)) = self.next()? else {
                continue;
            };
            let Message::Pong {
                sent_ns,
                clock_ns,
                unix_ns,
            } = message
            else {
                continue;
            };
            let at = rank as usize;
            if left.get(at).is_none_or(|left| *left == 0) {
                continue;
            }
            let round_trip_ns = now_ns.saturating_sub(sent_ns);
            let middle_ns = (sent_ns + round_trip_ns / 2) as i64;
            if round_trip_ns < best_ns[at] {
                best_ns[at] = round_trip_ns;
                offsets_ns[at] = middle_ns - clock_ns as i64;
                if let Some(entry) = places.iter_mut().find(|entry| entry.rank == rank) {
                    entry.clock_uncertainty_ns = round_trip_ns / 2;
                    entry.time_of_day_ahead_ns = unix_ns as i64 - self.unix_at(middle_ns);
                }
            }
            left[at] -= 1;
            match left[at] {
                0 => under_way -= 1,
                _ => drop(self.orders.send(Order::Ping(rank))),
            }
        }
        Ok(Assembled {
            places,
            offsets_ns,
            environment,
        })
    }

    /// Time of day here at a time of the clock, in nanoseconds since 1970.
    fn unix_at(&self, clock_ns: i64) -> i64 {
        let now = jiff::Timestamp::now().as_nanosecond() as i64;
        now - (self.clock.now_ns() as i64 - clock_ns)
    }
}
