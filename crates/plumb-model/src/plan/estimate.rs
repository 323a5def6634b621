//! How long will a plan take, and how much will it write, as far as known before the run?

use std::collections::{BTreeMap, BTreeSet};

use super::{Order, Plan, Step};
use crate::target::Target;
use crate::workload::{Job, OperationKind, Workload};

/// An estimate before a run. Unknown values are missing: a stop by bytes on a target of unknown speed has no duration.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Estimate {
    /// Steps times rounds.
    pub executions: u64,
    /// Warm-up and measured time of all executions in seconds, without file preparation; a stop by bytes or operations may come earlier.
    /// Missing when an execution stops by bytes or operations alone.
    pub duration_s: Option<f64>,
    /// The same if rounds and steps end as early as possible because the figures are steady; equal to `duration_s` without such stops.
    pub least_duration_s: Option<f64>,
    /// Bytes written before measuring, so that there is data to read. Missing if the size is not known yet.
    pub prepared_bytes: Option<u64>,
    /// Most bytes that the steps write. Missing if a step writes at full speed, limited by time only.
    pub written_bytes_max: Option<u64>,
    /// Seconds in which steps write at full speed, limited by time only.
    pub unbounded_write_s: f64,
    /// Most seconds in which steps write, limited in other ways or not. Missing if a step writes without a time limit.
    pub write_s_max: Option<f64>,
}

impl Plan {
    /// The estimate. `prepared` returns the bytes that must be written to prepare a job (0 if the target exists or is
    /// `null:`), or `None` if not known yet; jobs on the same target share the preparation.
    pub fn estimate(&self, prepared: impl Fn(&Job) -> Option<u64>) -> Estimate {
        let least = self.steady.as_ref().map_or(self.rounds, |steady| {
            if steady.capacities.is_some() {
                1
            } else {
                steady.window
            }
            .min(self.rounds)
        });
        let once = self.steps.iter().filter(|step| step.once).count() as u64;
        let rest = self.steps.len() as u64 - once;
        let mut estimate = Estimate {
            executions: u64::from(self.rounds)
                .saturating_mul(rest)
                .saturating_add(once),
            duration_s: Some(0.0),
            least_duration_s: Some(0.0),
            prepared_bytes: Some(0),
            written_bytes_max: Some(0),
            unbounded_write_s: 0.0,
            write_s_max: Some(0.0),
        };
        let mut by_target: BTreeMap<String, Option<u64>> = BTreeMap::new();
        // Files written by an earlier step need no preparation for later ones.
        let mut made_by_a_step: BTreeSet<String> = BTreeSet::new();
        for step in &self.steps {
            let length_s = length_s(step);
            let (rounds, least) = if step.once {
                (1, 1)
            } else {
                (u64::from(self.rounds), least)
            };
            let least_s = least_length_s(step)
                .zip(length_s)
                .map(|(least, length)| least.min(length))
                .or(length_s);
            estimate.least_duration_s = estimate
                .least_duration_s
                .zip(least_s)
                .map(|(sum, length)| sum + length * f64::from(least));
            estimate.duration_s = estimate
                .duration_s
                .zip(length_s)
                .map(|(sum, length)| sum + length * rounds as f64);
            for job in step.jobs.iter().filter(|job| job.target != Target::Null) {
                let (target, size) = (job.target.to_string(), prepared(job));
                let workload = &job.workload;
                let is_filled = !workload.fresh && !workload.unfilled && !workload.until_full;
                if !is_filled && self.order != Order::Shuffled {
                    made_by_a_step.insert(target.clone());
                }
                if is_filled && !made_by_a_step.contains(&target) {
                    let here = by_target.entry(target).or_insert(Some(0));
                    *here = here.zip(size).map(|(a, b)| a.max(b));
                }
                if job.workload.writes_data() {
                    estimate.add_writes(
                        written_bytes(&job.workload, length_s, size),
                        length_s,
                        rounds,
                    );
                }
            }
        }
        estimate.prepared_bytes = by_target.values().try_fold(0u64, |sum, bytes| {
            bytes.map(|bytes| sum.saturating_add(bytes))
        });
        estimate
    }
}

impl Estimate {
    fn add_writes(&mut self, bytes: Option<u64>, length_s: Option<f64>, rounds: u64) {
        if bytes.is_none() {
            self.unbounded_write_s += length_s.unwrap_or(0.0) * rounds as f64;
        }
        self.write_s_max = self
            .write_s_max
            .zip(length_s)
            .map(|(sum, length)| sum + length * rounds as f64);
        self.written_bytes_max = self
            .written_bytes_max
            .zip(bytes)
            .map(|(sum, bytes)| sum.saturating_add(bytes.saturating_mul(rounds)));
    }
}

/// Longest duration of one execution in seconds: that of the main job and of jobs with `to-its-end`. `None`: one of them stops by bytes or
/// operations alone.
pub(super) fn length_s(step: &Step) -> Option<f64> {
    let main = job_length_s(&step.jobs.first()?.workload)?;
    let beside = step.jobs.iter().skip(1).map(|job| &job.workload);
    beside
        .filter(|workload| workload.to_its_end)
        .try_fold(main, |longest, workload| {
            Some(longest.max(job_length_s(workload)?))
        })
}

fn job_length_s(workload: &Workload) -> Option<f64> {
    let by_rate = workload
        .rate
        .zip(workload.operations)
        .map(|(rate, operations)| operations as f64 / rate)
        .or(by_log_s(workload));
    let measured = match (workload.time.map(|time| time.seconds()), by_rate) {
        (Some(time), Some(by_rate)) => time.min(by_rate),
        (time, by_rate) => time.or(by_rate)?,
    };
    Some(measured + before_s(workload))
}

/// Seconds of a step before its main job starts to measure.
fn before_s(workload: &Workload) -> f64 {
    workload.warm_up.seconds() + workload.start_delay.map_or(0.0, |delay| delay.seconds())
}

/// Earliest end of a step that stops when steady, in seconds; missing without such a stop.
fn least_length_s(step: &Step) -> Option<f64> {
    let workload = &step.jobs.first()?.workload;
    Some(workload.until_steady?.least().seconds() + before_s(workload))
}

/// Seconds that the log of a replay takes at its pace, if the target keeps up.
fn by_log_s(workload: &Workload) -> Option<f64> {
    let holds = workload
        .replay_holds
        .filter(|_| workload.is_replayed_in_time())?;
    let logs = workload.operations? as f64
        / (holds.requests.max(1) as f64 * f64::from(workload.workers.max(1)));
    Some(holds.length.seconds() * 100.0 / workload.replay_speed_percent * logs)
}

/// Most bytes that one execution of a writing job writes; `None` if only time limits it, even if only in the warm-up. `made_bytes` is the size of the file
/// that plumb creates for it if no size is given.
fn written_bytes(
    workload: &Workload,
    length_s: Option<f64>,
    made_bytes: Option<u64>,
) -> Option<u64> {
    if workload.warm_up.0 > 0 && workload.rate.is_none() {
        return None;
    }
    let creates = workload
        .mix
        .0
        .iter()
        .any(|(kind, _)| *kind == OperationKind::Create);
    let block = if creates {
        workload.mean_file_bytes()
    } else {
        workload.largest_block_bytes()
    };
    let by_operations = workload
        .operations
        .map(|operations| operations.saturating_mul(block));
    let by_rate = workload
        .rate
        .zip(length_s)
        .map(|(rate, length)| ((rate * length).ceil() as u64).saturating_mul(block));
    let part = workload
        .size
        .map(|size| size.0)
        .or(made_bytes.filter(|bytes| *bytes > 0));
    let by_passes = workload
        .passes
        .zip(part)
        .map(|(passes, part)| passes.saturating_mul(part));
    // One operation is a complete log; a partial one writes less.
    let by_log = workload
        .replay_holds
        .zip(workload.operations)
        .map(|(holds, operations)| {
            operations
                .div_ceil(holds.requests.max(1))
                .saturating_mul(holds.written.0)
        });
    [
        workload.bytes.map(|bytes| bytes.0),
        by_passes.filter(|_| by_log.is_none()),
        by_operations,
        by_rate,
        by_log,
    ]
    .into_iter()
    .flatten()
    .min()
}
