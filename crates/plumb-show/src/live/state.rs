//! What do the views show during a run? Its current state, provided by the caller.

use std::cmp::Ordering;
use std::sync::Arc;

use plumb_model::results::comparison::Comparison;
use plumb_model::results::series::Interval;
use plumb_model::run::step_end::StepEnd;
use plumb_model::statement::Statement;

use crate::chart::or_dash;
use crate::figure::{Quantity, clock_text};
use crate::terminal::printable;

/// One interval of the run so far. A missing value could not be determined.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LivePoint {
    /// Seconds since the start of the run.
    pub time_s: f64,
    /// The execution that it belongs to: between executions there is no load.
    pub execution: u32,
    /// Completed operations per second.
    pub iops: Option<f64>,
    /// Bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Of that, bytes read and written; missing if the workload has none of that kind.
    pub read_bytes_per_s: Option<f64>,
    pub written_bytes_per_s: Option<f64>,
    /// Response times in nanoseconds.
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    pub p999_ns: Option<f64>,
    /// Operations in flight on average: their rate times their mean service time (Little's law).
    pub in_flight: Option<f64>,
}

impl From<&Interval> for LivePoint {
    fn from(interval: &Interval) -> LivePoint {
        LivePoint {
            time_s: interval.end_s,
            iops: interval.iops,
            bandwidth_bytes_per_s: interval.bandwidth_bytes_per_s,
            p50_ns: interval.p50_ns,
            p99_ns: interval.p99_ns,
            ..LivePoint::default()
        }
    }
}

/// A step that has finished in one round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FinishedStep {
    /// Name of the step.
    pub step: String,
    /// Counted from 1.
    pub round: u32,
    pub iops: Option<f64>,
    pub bandwidth_bytes_per_s: Option<f64>,
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    /// Each kind of operation, if there are several.
    pub kinds: Vec<LiveKind>,
    /// Failed operations.
    pub errors: u64,
    pub ended_by: StepEnd,
}

/// One of several kinds of operations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveKind {
    pub name: String,
    pub figures: LivePoint,
}

/// Utilization of a core of this machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveCore {
    /// Its number.
    pub name: String,
    /// Busy share since the previous sample, 0 to 1.
    pub busy: f64,
}

/// One of several jobs of a step: the first is measured, the others run in the background.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveJob {
    pub name: String,
    pub now: LivePoint,
}

/// One host of a run of many ranks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveHost {
    pub name: String,
    /// All its ranks, over the last interval of each; missing before two intervals are known, and if a rank does not report.
    pub iops: Option<f64>,
    pub bandwidth_bytes_per_s: Option<f64>,
    /// It reaches less than half of the median of the others, at the same work.
    pub is_behind: bool,
    /// Seconds since a rank of it last reported, if too long ago.
    pub silent_s: Option<u64>,
}

/// The hosts of a run of many ranks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveHosts {
    /// Number of ranks in the run.
    pub ranks: u32,
    /// Hosts not reporting first, then the slowest.
    pub hosts: Vec<LiveHost>,
}

impl LiveHosts {
    /// The slowest and the fastest host with a known rate, if there are two.
    pub(crate) fn extremes(&self) -> Option<(&LiveHost, &LiveHost)> {
        let mut known = self.hosts.iter().filter(|host| host.iops.is_some());
        let slowest = known.next()?;
        let by_rate = |a: &&LiveHost, b: &&LiveHost| a.iops.partial_cmp(&b.iops);
        let order = |a: &&LiveHost, b: &&LiveHost| by_rate(a, b).unwrap_or(Ordering::Equal);
        let (least, most) = known.fold((slowest, slowest), |(least, most), host| {
            (
                std::cmp::min_by(least, host, |a, b| order(a, b)),
                std::cmp::max_by(most, host, |a, b| order(a, b)),
            )
        });
        (least.name != most.name).then_some((least, most))
    }

    /// `slowest host b 12,300/s, fastest a 40,100/s`; missing without two hosts with a rate.
    pub(crate) fn told(&self) -> Option<Statement> {
        let (slowest, fastest) = self.extremes()?;
        let rate = |host: &LiveHost| or_dash(Quantity::OperationsPerSecond, host.iops);
        let statement = Statement::new("live-hosts-between")
            .name("slowest", printable(&slowest.name))
            .name("least", rate(slowest))
            .name("fastest", printable(&fastest.name))
            .name("most", rate(fastest));
        Some(statement)
    }
}

/// State of a pause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pause {
    #[default]
    No,
    /// Starts when the running step has ended.
    Asked,
    /// Paused: no load runs.
    Now,
}

/// State shown by the views; provided by the caller.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveState {
    /// Name of the plan.
    pub plan: String,
    /// Target of the load.
    pub target: String,
    /// Device and file system below it, as far as known: `nvme0n1, Samsung SSD 980, ext4`.
    pub device: String,
    /// Overall standing: `after 6 blocks: 3 worse, 12 same, 9 undecided`, `after round 6: not steady`; missing if nothing is judged during the run.
    pub standing: Option<Statement>,
    /// The sides so far; missing without a comparison, and before there is enough data of each.
    pub comparison: Option<Arc<Comparison>>,
    /// Current phase; missing before the first: `preparing`, `warm-up`, `measuring`, `between steps`.
    pub phase: Option<Statement>,
    /// Name of the running step; empty before the first.
    pub step: String,
    /// Index and number of steps, from 1; 0 before the first.
    pub step_number: u32,
    pub steps: u32,
    /// Index and number of rounds, from 1; 0 before the first.
    pub round: u32,
    pub rounds: u32,
    /// Engine and load; missing before they are known: `io_uring, 4 KiB, depth 32 x 1 worker`.
    pub load: Option<Statement>,
    /// Names of the steps, in the order of the plan.
    pub plan_steps: Vec<String>,
    /// Most operations in flight.
    pub depth: Option<u64>,
    /// Jobs of the step, if it has several.
    pub jobs: Vec<LiveJob>,
    /// The cores of this machine; empty if not sampled.
    pub cores: Vec<LiveCore>,
    /// Missing in a run of one process.
    pub hosts: Option<LiveHosts>,
    pub pause: Pause,
    /// Seconds since the start of the run.
    pub elapsed_s: f64,
    /// Seconds until the end; missing if unknown.
    pub left_s: Option<f64>,
    /// An upper limit: the rounds end earlier once they are steady.
    pub may_end_earlier: bool,
    /// Done share of the plan, 0 to 1; missing if unknown.
    pub done: Option<f64>,
    /// The last interval.
    pub now: LivePoint,
    /// Of that, each kind of operation, if there are several.
    pub kinds: Vec<LiveKind>,
    /// The intervals so far, oldest first; the last few hundred are enough.
    pub history: Vec<LivePoint>,
    /// Failed operations so far.
    pub errors: u64,
    /// Bytes read and written so far, including preparation.
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// Finished steps, oldest first; all of them, so that plain output misses none.
    pub finished: Vec<FinishedStep>,
    /// Warnings for the user, newest last.
    pub warnings: Vec<Statement>,
}

/// Damaged blocks reported one by one; the record has all of them.
const BLOCKS_TOLD: usize = 5;

impl LiveState {
    /// Reports a block that was not read back as written; after the first few, that there are more.
    pub fn warn_of_block(&mut self, path: &str, offset: u64, explanation: Statement) {
        let told = |id| {
            self.warnings
                .iter()
                .filter(|statement| statement.id == id)
                .count()
        };
        if told("live-block-differs") < BLOCKS_TOLD {
            self.warnings.push(
                Statement::new("live-block-differs")
                    .name("path", path)
                    .name("offset", offset.to_string())
                    .part("explanation", explanation),
            );
        } else if told("live-more-blocks-differ") == 0 {
            self.warnings
                .push(Statement::new("live-more-blocks-differ"));
        }
    }

    /// The time left, else the elapsed time.
    pub(crate) fn time(&self) -> Statement {
        match self.left_s {
            Some(left_s) => Statement::new(if self.may_end_earlier {
                "live-left-at-most"
            } else {
                "live-left"
            })
            .name("time", clock_text(left_s)),
            None => Statement::new("live-so-far").name("time", clock_text(self.elapsed_s)),
        }
    }
}
