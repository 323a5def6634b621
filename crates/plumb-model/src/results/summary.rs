//! What does `--json` print? The summary of a run: derived figures by a versioned schema (`plumb schema`).

mod figures;
mod ranks;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::plan::{Plan, SteadyFigure};
use crate::results::finding::{Finding, argument_or_text};
use crate::results::grid::GridRow;
use crate::results::scaling::Scaling;
use crate::run::imported::{Imported, ReportedFigure};
use crate::run::step_end::{Ends, StepEnd, serialize_ends};
use crate::run::{EngineRecord, PathAccount, WriteBackFailure};
use crate::statement::{Argument, Statement};
use crate::text::word::{serde_as_text, words};
use crate::units::UnitError;
use crate::workload::operation::OperationKind;
pub use figures::{
    Cpu, DepthLevel, DeviceSummary, IntervalSpread, Latency, OperationSummary, Spread,
    WorkerSummary, in_order,
};
pub use ranks::{LostRank, PartSummary, RanksSummary, StepRanks};

/// Name and version of the schema. Names may be added under one version, never changed.
pub const SUMMARY_SCHEMA: &str = "plumb-summary-2";

/// The summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// `plumb-summary-2`.
    pub schema: String,
    /// Unique name of the run.
    pub id: String,
    pub plumb_version: String,
    /// RFC 3339.
    pub started: String,
    /// `finished`, `interrupted` (by a signal), or `incomplete` (killed, or still running).
    pub state: String,
    pub plan: Plan,
    pub environment: Environment,
    pub findings: Vec<Finding>,
    /// The verdict; each sentence is based on a measured number.
    pub verdict: Vec<Sentence>,
    /// One entry per step that ran, all rounds merged; in a plan whose rounds end when steady, those of the window.
    pub steps: Vec<StepSummary>,
    /// Whether the tracked figures became steady, and which rounds the results are based on. Missing for a plan that tracks none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadySummary>,
    /// How throughput scales along each ladder of depths or workers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<Scaling>,
    /// Sequential and random, high depth and depth 1, reads and writes, from the steps that did that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grid: Vec<GridRow>,
    /// The ranks of the run. Missing for a run of one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RanksSummary>,
    /// Doubts about the record, and about an imported run.
    pub doubts: Vec<Statement>,
    /// Origin of a run measured by another program; its doubts are in `doubts`. Missing for a run of plumb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

/// One sentence of the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sentence {
    /// The sentence.
    #[serde(flatten)]
    pub statement: Statement,
    /// Its evidence.
    pub evidence: Vec<SentenceEvidence>,
}

/// One figure that supports a sentence. It comes from the summary itself, so that it names no source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SentenceEvidence {
    /// Subject: the name of a step, a side or a layer as a name, anything else as a statement.
    #[serde(deserialize_with = "argument_or_text")]
    pub what: Argument,
    /// Its value with its unit; a statement when it takes several.
    #[serde(deserialize_with = "argument_or_text")]
    pub value: Argument,
}

impl Sentence {
    /// A sentence given as finished text.
    pub fn verbatim(text: impl Into<String>, evidence: Vec<SentenceEvidence>) -> Sentence {
        Sentence {
            statement: Statement::verbatim(text),
            evidence,
        }
    }
}

/// The figures of one step, over all rounds (histograms merged, counts added).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepSummary {
    pub name: String,
    /// Index of the step in the plan.
    pub step: u32,
    /// The keys that vary in this plan with this step's values: `depth` = `32`.
    pub swept: BTreeMap<String, String>,
    /// Of an imported result: keys of the plan whose values the source does not state, as in `imported` of the summary.
    #[serde(skip)]
    pub unstated: Vec<String>,
    /// Measured time in seconds, summed over rounds, without warm-up and drain.
    pub duration_s: f64,
    /// Name of the engine that ran (of the first job).
    pub engine: String,
    /// How it ran: options, stamping, target; of the first job. Missing if the engine never opened.
    pub engine_record: Option<EngineRecord>,
    /// Requested depth: depth x workers, over all jobs. Missing in an open loop.
    #[serde(rename = "asked_depth")]
    pub requested_depth: Option<f64>,
    /// Mean number of operations in flight: the sum of service times over the measured time (Little's law), without the time spent waiting for credits
    /// of an SMB server (`credit_wait_s` and `on_wire_s` of `connections`). Missing when nothing completed.
    pub achieved_depth: Option<f64>,
    /// Requested rate in operations per second (open loop), over all jobs.
    #[serde(rename = "asked_rate")]
    pub requested_rate: Option<f64>,
    /// By kind of operation: read, write, ...
    pub operations: BTreeMap<String, OperationSummary>,
    /// All kinds together, except flushes among other operations: those are listed in `operations`, and only their errors count here.
    pub total: OperationSummary,
    /// From due to completion, of the operations of `total`.
    pub response_ns: Latency,
    /// From submission to completion, of the operations of `total`.
    pub service_ns: Latency,
    /// Open loop: from due to submission.
    pub lateness_ns: Option<Latency>,
    /// Open loop: operations due but not submitted when the step ended. They are in the response times with their waiting time so far, and in no
    /// count and no rate.
    pub unsubmitted: Option<u64>,
    pub cpu: Cpu,
    /// Each round.
    pub rounds: Vec<RoundSummary>,
    /// Each job; only if the step has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobSummary>,
    /// Each worker, for jobs with `workers-apart`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerSummary>,
    /// Queue depths of the workers, over all jobs. Empty in older records and if not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depth_levels: Vec<DepthLevel>,
    /// Mean number of operations that a worker submitted at once, over all jobs. Missing in older records and if not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations_per_submission: Option<f64>,
    /// The device below the target. Missing if unknown or without counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceSummary>,
    /// Counters of the engine of a share or peer, over all jobs, workers and rounds. Missing for local targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionSummary>,
    /// Whether it became steady, by round; only for a step with `until-steady`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until_steady: Vec<SteadyEnd>,
    /// Whether its jobs met their `latency-limit`; only jobs that have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latency_limits: Vec<LimitSummary>,
    /// Operations that failed in the warm-up, by the kernel's name of the error, `short` or `mismatch`, over all rounds and kinds; in no other figure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub warm_up_errors: BTreeMap<String, u64>,
    /// Acknowledged writes that failed in writeback, by time, over all rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write_back_failures: Vec<WriteBackFailure>,
    /// Figures stated by the source of an imported run that have no field of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "stated")]
    pub reported: Vec<ReportedFigure>,
    /// Each host and each rank. Missing in a run of one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<StepRanks>,
    /// How it ended, each distinct end once.
    #[serde(flatten, serialize_with = "serialize_ends")]
    #[schemars(with = "Ends")]
    pub ended_by: Vec<StepEnd>,
}

impl StepSummary {
    /// True unless it is of an imported result that does not state the value of this key of the plan.
    pub fn states(&self, key: &str) -> bool {
        !self.unstated.iter().any(|unstated| unstated == key)
    }

    /// Why rounds could not run, each reason once.
    pub fn failures(&self) -> impl Iterator<Item = &Statement> {
        self.ended_by.iter().filter_map(StepEnd::failure)
    }

    /// Errors that ended rounds that did run, each once.
    pub fn fatal_errors(&self) -> impl Iterator<Item = &Statement> {
        self.ended_by.iter().filter_map(StepEnd::error)
    }

    /// True if no round ran.
    pub fn could_not_run(&self) -> bool {
        !self.ended_by.is_empty() && self.ended_by.iter().all(|end| end.failure().is_some())
    }

    /// Jobs, if there are several, each followed by its separately reported workers: name and figures by kind.
    pub fn parts(&self) -> Vec<(String, &BTreeMap<String, OperationSummary>)> {
        let named = |worker| (self.worker_name(worker), &worker.operations);
        if self.jobs.is_empty() {
            return self.workers.iter().map(named).collect();
        }
        let mut parts = Vec::new();
        for job in &self.jobs {
            parts.push((self.job_name(&job.name).to_string(), &job.operations));
            let workers = self.workers.iter().filter(|worker| worker.job == job.name);
            parts.extend(workers.map(named));
        }
        parts
    }

    /// `job.0`: a worker of a job, numbered as fio numbers the files of its clones.
    pub fn worker_name(&self, worker: &WorkerSummary) -> String {
        format!("{}.{}", self.job_name(&worker.job), worker.worker)
    }

    /// Displayed name of a job: the main job of a step has the step's name.
    pub fn job_name<'s>(&'s self, job: &'s str) -> &'s str {
        match job {
            "" | "main" => &self.name,
            other => other,
        }
    }

    /// The figures by kind in display order: reads, writes, discards, flushes, files, messages.
    pub fn kinds(&self) -> Vec<(&str, &OperationSummary)> {
        in_order(&self.operations)
    }

    /// Flushes among other operations, which `total` excludes.
    pub fn flushes(&self) -> Option<&OperationSummary> {
        let others = |(kind, figures): (&String, &OperationSummary)| {
            kind != OperationKind::Flush.word()
                && (figures.is_measured() || figures.errors > 0 || figures.response_ns.count > 0)
        };
        let flushes = self.operations.get(OperationKind::Flush.word())?;
        (flushes.is_measured() && self.operations.iter().any(others)).then_some(flushes)
    }

    /// Operations of all kinds, including flushes.
    pub fn all_operations(&self) -> u64 {
        self.total.count + self.flushes().map_or(0, |flushes| flushes.count)
    }

    /// The rate of all kinds, including flushes: the requested rate of an open loop counts them.
    pub fn all_iops(&self) -> Option<f64> {
        Some(
            self.total.iops?
                + self
                    .flushes()
                    .and_then(|flushes| flushes.iops)
                    .unwrap_or(0.0),
        )
    }
}

/// One step in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundSummary {
    pub round: u32,
    /// Index of the execution in the run.
    pub execution: u32,
    pub duration_s: f64,
    pub operations: u64,
    pub errors: u64,
    pub iops: Option<f64>,
    pub bandwidth_bytes_per_s: Option<f64>,
    #[serde(default)]
    pub response_mean_ns: Option<f64>,
    pub response_p50_ns: Option<f64>,
    pub response_p99_ns: Option<f64>,
    /// Excluded from the figures of the step: it came before the steady window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

/// Whether the figures that a plan tracks became steady.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadySummary {
    /// All tracked figures were steady at once.
    pub reached: bool,
    /// Rounds that began.
    pub rounds: u32,
    /// How many times the tracked steps wrote the part of the target in use. Missing if they write nothing, or its size is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacities: Option<f64>,
    /// First and last round (from 0) that the figures of the run are based on: the first window in which all were steady, else the last rounds. Missing if
    /// no round was complete.
    pub window: Option<(u32, u32)>,
    /// `iops` (operations/s), `bandwidth` (bytes/s) or `latency` (mean response time in nanoseconds).
    pub figure: SteadyFigure,
    /// The tracked steps.
    pub steps: Vec<SteadyStep>,
}

/// One tracked step over the window. Figures are missing if there were fewer rounds than the window has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyStep {
    pub name: String,
    /// Index of the step in the plan.
    pub step: u32,
    /// The figure of each round; null if the step did not end normally.
    pub values: Vec<Option<f64>>,
    /// Mean of the window.
    pub average: Option<f64>,
    /// Highest minus lowest of the window, in percent of the average.
    pub data_excursion_percent: Option<f64>,
    /// Change of the best linear fit over the window, in percent of the average.
    pub slope_excursion_percent: Option<f64>,
    /// The best linear fit at the first and at the last round of the window.
    pub fit: Option<(f64, f64)>,
    /// Both criteria are met.
    pub steady: bool,
}

/// One round of a step with `until-steady`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyEnd {
    pub round: u32,
    /// The round ended because it was steady.
    pub reached: bool,
    /// Measured time up to the end of the window, in seconds.
    pub after_s: Option<f64>,
    /// Mean of the window: operations/s, bytes/s, or mean response time in nanoseconds. This and the following fields are missing if no window was complete.
    pub mean: Option<f64>,
    /// Largest deviation of an interval from the mean, and slope of the least-squares line per interval, both in percent of the mean.
    pub deviation_percent: Option<f64>,
    pub slope_percent: Option<f64>,
    /// The figure of each interval of the window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
}

words! {
    /// Outcome of a latency limit.
    LimitVerdict, "verdict on a limit" {
        /// Met in every round.
        Kept = "kept",
        /// Missed in every round.
        Missed = "missed",
        /// The rounds disagree, or had too few operations.
        Undecided = "undecided",
    }
}

/// One job's latency limit. Failed operations count as outside the limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitSummary {
    /// Name of the job; empty if the step has only one.
    pub job: String,
    pub limit_ns: f64,
    /// Share of operations required within it, in percent.
    pub percentile: f64,
    pub verdict: LimitVerdict,
    /// Each round that ran to its end.
    pub rounds: Vec<LimitRound>,
}

/// A limit in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitRound {
    pub round: u32,
    /// Operations that completed or failed.
    pub operations: u64,
    /// Share of them that ended within the limit, in percent. Missing without operations.
    pub within_percent: Option<f64>,
    /// The response time at the required percentile; missing if too many failed.
    pub reached_ns: Option<f64>,
    /// Missing if there were too few operations to decide.
    pub kept: Option<bool>,
}

/// Counters of engines of shares and peers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionSummary {
    /// Numbers by name, unit last. A name that ends in `_us` or `_bytes` is a level, and the mean over workers and rounds; one that
    /// ends in `_per_s` is a rate, and the sum over workers and the mean over rounds; any other is a count, and the sum.
    pub numbers: BTreeMap<String, f64>,
    /// Response times by the protocol's command.
    pub commands: BTreeMap<String, Latency>,
    /// Part of these times spent on the client. Empty for older records, and if not measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, StageSummary>,
    /// Times without a connection, by start.
    pub outages: Vec<Outage>,
    /// Traffic of the connections, by the addresses of both ends: the channels of an SMB session. Over all rounds, including login and warm-up;
    /// empty for older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathAccount>,
}

/// Parts of the response times of a command spent on the client, in nanoseconds; the rest is network and server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageSummary {
    /// From building the request until the socket accepted its last byte. Missing if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_queue_ns: Option<Latency>,
    /// From the arrival of the last bytes of the reply, by the kernel's timestamp, until the reply was read. Missing if the system has no such timestamps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_up_ns: Option<Latency>,
}

/// A time in which a worker had no connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outage {
    pub worker: u32,
    /// When it was lost and when it was restored, in seconds since the start of the run; the end is missing if it was not restored.
    pub lost_s: f64,
    pub restored_s: Option<f64>,
    /// How it was lost and restored.
    pub text: Statement,
}

/// One job of a step with several jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobSummary {
    pub name: String,
    pub engine: String,
    /// Its measured time in seconds, summed over rounds.
    #[serde(default)]
    pub duration_s: f64,
    pub achieved_depth: Option<f64>,
    pub operations: BTreeMap<String, OperationSummary>,
}
