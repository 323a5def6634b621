//! How does rank 0 lead a run of many ranks? It lets them begin, start and end each step together, records the sums, and names who is late or lost.

pub mod agenda;
mod hosts;
mod known;
pub mod wording;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use plumb_load::clock::Clock;
use plumb_load::crew::LoadEvent;
use plumb_model::plan::Plan;
use plumb_model::run::ranks::{Placement, RankEnd, Ranks};
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::{Phase, Tick};
use plumb_model::run::{Event, RunHeader};
use plumb_model::statement::Statement;
use plumb_record::RunWriter;

use super::division::{is_carried_out, left_out, shares_files};
use super::exchange::{News, Order};
use super::message::{Begun, Message};
use super::record_sending::take_piece;
use crate::measurement::{Record, SharedView, Turn};
use crate::notices::say;
use agenda::{Agenda, Next};
use hosts::Hosts;
use known::Known;
use wording::named;

/// A rank sends a message every second; after this long without one it is lost.
const RANK_PATIENCE: Duration = Duration::from_secs(10);
/// Who is waited for is named after this.
const REPORT_AFTER: Duration = Duration::from_secs(5);
/// After the last rank has ended a step, its last intervals are waited for so long.
const SUMS_PATIENCE: Duration = Duration::from_secs(3);
/// Without a barrier a step starts so long after the word to start: that reaches all by then.
const START_AHEAD_NS: u64 = 20_000_000;
/// Between two looks at the time.
const LOOK: Duration = Duration::from_millis(50);
/// Different warnings of ranks that are recorded.
const WARNINGS_MAX: usize = 100;

/// What becomes of the run when a rank is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnLostRank {
    /// The others continue.
    #[default]
    Continue,
    /// All end in good order.
    Stop,
}

/// How the ranks are placed, what they do together, and how they are reached.
pub struct Together<'a> {
    pub plan: &'a Plan,
    pub ranks: Ranks,
    /// What is added to the times of each rank to make them rank 0's.
    pub offsets_ns: Vec<i64>,
    /// Seeds that the plan leaves open are drawn from this.
    pub seed: u64,
    pub clock: Clock,
    pub orders: &'a Sender<Order>,
    pub news: &'a Receiver<News>,
    pub on_lost_rank: OnLostRank,
    /// What carries the messages has a barrier.
    pub has_barrier: bool,
    pub stop: &'a AtomicBool,
}

/// Leads a run.
pub struct Lead<'a> {
    all: Together<'a>,
    folder: PathBuf,
    record: Record<'a>,
    placement: Placement,
    known: Vec<Known>,
    hosts: Hosts,
    execution: u32,
    /// Operations that the ranks have reported for this execution, and that the sums hold.
    reported: u64,
    summed: u64,
    ends: Vec<(u32, Option<StopReason>, Option<Statement>)>,
    engines: BTreeSet<u32>,
    warned: Vec<Statement>,
    /// The load of a step has been started.
    has_started: bool,
    stopping: bool,
    failures: Vec<String>,
}

impl<'a> Lead<'a> {
    /// Opens the common record in `folder`, and lets all ranks begin. Errors: the record cannot be written.
    pub fn begin(
        all: Together<'a>,
        header: &RunHeader,
        folder: &Path,
        view: SharedView,
    ) -> anyhow::Result<Lead<'a>> {
        let mut record = Record::new(all.plan, all.clock, view, all.stop);
        record.begin_without_counters(RunWriter::create(folder, header)?);
        let makes_load = |rank: usize| {
            all.ranks
                .places
                .iter()
                .any(|place| place.rank as usize == rank)
        };
        // Whoever only leads has nothing to hand in.
        let known = (0..all.offsets_ns.len()).map(|rank| Known::new(!makes_load(rank)));
        let lead = Lead {
            folder: std::path::absolute(folder)?,
            record,
            placement: Placement::of(&all.ranks),
            known: known.collect(),
            hosts: Hosts::new(all.offsets_ns.len()),
            execution: 0,
            reported: 0,
            summed: 0,
            ends: Vec::new(),
            engines: BTreeSet::new(),
            warned: Vec::new(),
            has_started: false,
            stopping: false,
            failures: Vec::new(),
            all,
        };
        for (rank, offset_ns) in lead.all.offsets_ns.iter().enumerate() {
            let begun = Begun {
                run: header.id.clone(),
                folder: lead.folder.display().to_string(),
                offset_ns: *offset_ns,
                seed: lead.all.seed,
                placement: lead.placement.clone(),
            };
            lead.order(Order::Send(rank as u32, Message::Begun(Box::new(begun))));
        }
        Ok(lead)
    }

    /// Carries out the plan to its end, and gathers the records. Returns what could not run. Errors: the record could not be written.
    pub fn carry_out(mut self, agenda: &mut dyn Agenda) -> anyhow::Result<Vec<String>> {
        let left_out = left_out(self.all.plan, &self.placement);
        if left_out > 0 {
            let text = Statement::new("steps-need-more-hosts")
                .count("left", left_out as u64)
                .count("all", self.all.plan.steps.len() as u64)
                .count("hosts", self.all.ranks.hosts().len() as u64);
            self.record.warn(text);
        }
        agenda.done(&[]);
        let mut executions = 0;
        while !self.stopping && !self.all.stop.load(Ordering::Relaxed) {
            let (step, round) = match agenda.next() {
                Next::Turn(step, round) => (step, round),
                Next::Later => {
                    self.take_news();
                    continue;
                }
                Next::End => break,
            };
            let turn = Turn {
                execution: executions,
                step,
                round,
            };
            executions += 1;
            if is_carried_out(&self.all.plan.steps[step], &self.placement) {
                self.execute(turn);
            }
            agenda.done(&self.failures);
        }
        self.order(Order::SendAll(Message::NoMore));
        self.gather();
        self.order(Order::SendAll(Message::Over));
        let interrupted = self.stopping || self.all.stop.load(Ordering::Relaxed);
        self.record.finish(interrupted)?;
        Ok(self.failures)
    }

    fn execute(&mut self, turn: Turn) {
        self.execution = turn.execution;
        (self.reported, self.summed) = (0, 0);
        self.ends.clear();
        self.engines.clear();
        for known in &mut self.known {
            known.begin();
        }
        let step = &self.all.plan.steps[turn.step];
        self.hosts.begin(step.jobs.len());
        self.order(Order::SendAll(Message::Turn {
            execution: turn.execution,
            step: turn.step as u32,
            round: turn.round,
        }));
        self.record.start(turn, step);
        if shares_files(step) {
            self.until("prepare their files", |known| known.ready || known.ended);
            self.order(Order::SendAll(Message::AllReady {
                execution: turn.execution,
            }));
        }
        self.until("prepare their targets", |known| {
            known.arrived || known.ended
        });
        if self.stopping {
            return self.end(turn);
        }
        self.has_started = true;
        let all_are_there = self.known.iter().all(|known| !known.is_gone());
        let barrier = self.all.has_barrier && all_are_there;
        let time_ns = self.all.clock.now_ns();
        self.order(Order::SendAll(Message::Go {
            execution: turn.execution,
            barrier,
            at_ns: (!barrier).then_some(time_ns + START_AHEAD_NS),
        }));
        self.record.take(LoadEvent::Started { time_ns });
        self.until("end the step", |known| known.ended);
        let patience = Instant::now() + SUMS_PATIENCE;
        while self.summed < self.reported && Instant::now() < patience {
            self.take_news();
        }
        // A rank that is lost has handed up intervals, and reports nothing.
        let is_missing = match self.known.iter().any(|known| known.lost) {
            true => self.summed < self.reported,
            false => self.summed != self.reported,
        };
        if is_missing {
            let text = Statement::new("ranks-sums-differ")
                .count("recorded", self.summed)
                .count("reported", self.reported);
            self.record.warn(text);
        }
        self.end(turn);
        self.order(Order::SendAll(Message::AllEnded {
            execution: turn.execution,
        }));
    }

    /// Takes news until all ranks that are there have come so far. `doing` is what the others are waited for to do.
    fn until(&mut self, doing: &str, is_there: impl Fn(&Known) -> bool) {
        let mut last_report = Instant::now();
        loop {
            let waited_for: Vec<u32> = (0..self.known.len())
                .filter(|rank| {
                    let known = &self.known[*rank];
                    !known.is_gone() && !is_there(known)
                })
                .map(|rank| rank as u32)
                .collect();
            if waited_for.is_empty() {
                return;
            }
            let some_are_there = waited_for.len() < self.known.len();
            if some_are_there && last_report.elapsed() >= REPORT_AFTER {
                last_report = Instant::now();
                say(&format!(
                    "waiting for {} to {doing}",
                    self.named(&waited_for)
                ));
            }
            self.take_news();
        }
    }

    fn named(&self, ranks: &[u32]) -> String {
        named(&self.all.ranks, ranks)
    }

    /// Takes what has come, or waits a moment for it; looks who is silent, and whether the run is to end.
    fn take_news(&mut self) {
        match self.all.news.recv_timeout(LOOK) {
            Ok(news) => self.take(news),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.break_off("no messages are exchanged"),
        }
        if self.all.stop.load(Ordering::Relaxed) && !self.stopping {
            self.stop_all("the run was ended by rank 0");
        }
        let silent: Vec<u32> = (1..self.known.len())
            .filter(|rank| {
                let known = &self.known[*rank];
                !known.is_gone() && known.last_message.elapsed() > RANK_PATIENCE
            })
            .map(|rank| rank as u32)
            .collect();
        for rank in silent {
            let why = Statement::new("rank-was-silent").count("seconds", RANK_PATIENCE.as_secs());
            self.lose(rank, why);
        }
        let time_ns = self.all.clock.now_ns();
        if let Some(hosts) = self.hosts.due(&self.all.ranks, &self.known) {
            self.record.show_hosts(hosts);
        }
        self.record.take(LoadEvent::Interval { time_ns });
    }

    fn take(&mut self, news: News) {
        match news {
            News::ForLead(rank, message, _) => {
                if let Some(known) = self.known.get_mut(rank as usize) {
                    known.last_message = Instant::now();
                    self.take_message(rank, message);
                }
            }
            News::Summed(ticks) => ticks.into_iter().for_each(|tick| self.take_tick(tick)),
            News::Broken(error) => self.break_off(&error.to_string()),
            News::FromLead(_) => {}
        }
    }

    fn take_tick(&mut self, tick: Tick) {
        if tick.phase != Phase::WarmUp && tick.execution == self.execution {
            self.summed += tick.kinds.iter().map(|kind| kind.count).sum::<u64>();
        }
        self.record.keep_and_take(LoadEvent::Tick(tick));
    }

    fn take_message(&mut self, rank: u32, message: Message) {
        let at = rank as usize;
        match message {
            Message::Arrived { execution, engines } if execution == self.execution => {
                self.known[at].arrived = true;
                for (job, record) in engines {
                    if self.engines.insert(job) {
                        self.record.take(LoadEvent::EngineOpened { job, record });
                    }
                }
            }
            Message::Ready { execution } if execution == self.execution => {
                self.known[at].ready = true;
            }
            Message::Made { sets } => self.order(Order::SendAll(Message::Shared { sets })),
            Message::Ended { execution, end } if execution == self.execution => {
                self.take_end(rank, end)
            }
            Message::Noted { event } => self.take_event(event),
            Message::Gone { why } => self.lose(rank, Statement::verbatim(why)),
            Message::CannotBegin { reason } => {
                let host = self.all.ranks.host_of(rank).unwrap_or_default();
                self.failures
                    .push(format!("rank {rank} on {host}: {reason}"));
                // Nothing has been measured yet: the request is not the result.
                if !self.has_started {
                    self.stop_all(&format!("{} could not start", self.named(&[rank])));
                }
                self.lose(rank, Statement::verbatim(reason));
            }
            Message::Piece { file, text } => {
                if let Err(error) = take_piece(&self.folder, rank, &file, &text) {
                    self.record.warn(Statement::verbatim(format!("{error:#}")));
                }
            }
            Message::SoFar(so_far) => self.hosts.update(rank, so_far),
            Message::LetGo => self.known[at].let_go = true,
            Message::Left { .. } => self.known[at].left = true,
            _ => {}
        }
    }

    /// A rank has ended the step.
    fn take_end(&mut self, rank: u32, end: RankEnd) {
        self.known[rank as usize].ended = true;
        self.reported += end.kinds.iter().map(|kind| kind.count).sum::<u64>();
        let last_report = (rank, end.stopped_by.clone(), end.failed.clone());
        if end.took_part() {
            self.ends.push(last_report);
        }
        let execution = self.execution;
        self.record.note(Event::RankEnded { execution, end });
    }

    /// A note of a rank is reported once for all: many hosts report the same.
    fn take_event(&mut self, mut event: Event) {
        if let Some(of) = event.execution_mut() {
            *of = self.execution;
        }
        match event {
            Event::Warning { text } => {
                if !self.warned.contains(&text) && self.warned.len() < WARNINGS_MAX {
                    self.warned.push(text.clone());
                    self.record.warn(text);
                }
            }
            Event::WriteBackFailed { failure, .. } => self.record.write_back_failed(failure),
            event => self.record.note(event),
        }
    }

    /// Nothing more is expected of a rank.
    fn lose(&mut self, rank: u32, why: Statement) {
        let known = &mut self.known[rank as usize];
        if known.is_gone() {
            return;
        }
        known.lost = true;
        let host = self.all.ranks.host_of(rank).unwrap_or_default().to_string();
        if self.failures.is_empty() {
            let lost = format!("{} was lost", self.named(&[rank]));
            self.failures.push(lost);
        }
        let lost = Statement::new("live-rank-lost")
            .name("rank", rank.to_string())
            .name("host", &host)
            .part("why", why.clone());
        self.record.show_warning(lost);
        self.record.note(Event::RankLost {
            execution: Some(self.execution),
            rank,
            host,
            why,
        });
        self.order(Order::SendAll(Message::Lost { rank }));
        let all_are_lost = self.known.iter().all(|known| known.is_gone());
        if self.all.on_lost_rank == OnLostRank::Stop || all_are_lost {
            let reason = format!("{} was lost", self.named(&[rank]));
            self.stop_all(&reason);
        }
    }

    fn stop_all(&mut self, reason: &str) {
        self.stopping = true;
        self.order(Order::SendAll(Message::Stop {
            reason: reason.into(),
        }));
    }

    /// Messages are not carried any more: what was recorded stays.
    fn break_off(&mut self, why: &str) {
        if !self.stopping {
            self.failures
                .push(format!("the ranks can no longer communicate: {why}"));
        }
        self.stopping = true;
        self.known.iter_mut().for_each(|known| known.lost = true);
    }

    /// The step has ended everywhere.
    fn end(&mut self, turn: Turn) {
        let failed = self.ends.iter().filter_map(|(rank, _, failed)| {
            let host = self.all.ranks.host_of(*rank).unwrap_or_default();
            Some((*rank, host.to_string(), failed.clone()?))
        });
        let failed: Vec<(u32, String, Statement)> = failed.collect();
        let step = &self.all.plan.steps[turn.step].name;
        for (rank, host, why) in &failed {
            self.failures.push(format!(
                "step '{step}', rank {rank} on {host}: {}",
                plumb_words::english(why)
            ));
        }
        let reasons = || self.ends.iter().filter_map(|(_, ended, _)| ended.as_ref());
        let worst = reasons()
            .find(|reason| reason.error().is_some())
            .or_else(|| reasons().find(|reason| **reason == StopReason::Signal))
            .or_else(|| reasons().next())
            .cloned();
        match (worst, failed.first()) {
            (Some(reason), _) => self.record.end(reason),
            (None, Some((_, _, why))) => {
                let error = plumb_load::crew::LoadError(why.clone());
                self.record.fail(turn, &error.into());
            }
            (None, None) => self.record.end(StopReason::Signal),
        }
    }

    /// Takes the records of ranks that have them elsewhere, and waits until all have left.
    fn gather(&mut self) {
        if self.all.plan.steps.iter().any(shares_files) {
            self.until("close their files", |known| known.let_go || known.left);
            self.order(Order::SendAll(Message::AllLetGo));
        }
        self.until("close their records", |known| known.left);
    }

    fn order(&self, order: Order) {
        // The thread that carries messages ends last.
        let _ = self.all.orders.send(order);
    }
}
