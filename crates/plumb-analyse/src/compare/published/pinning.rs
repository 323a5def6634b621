//! What did pinning the workers give? Steps of one run that differ in nothing else, compared round by round.

use plumb_model::plan::Step;
use plumb_model::results::comparison::{ComparedMetric, Design, compared_metric};
use plumb_model::results::published::Pinning;
use plumb_model::workload::{Job, Pin};

use crate::compare::effects::contrast;
use crate::compare::figures::Measured;
use crate::compare::published::rounds::column;

/// Share of intervals that cover the truth.
const CONFIDENCE: f64 = 0.95;

/// A row for each pair of steps, in the order of the plan.
pub(super) fn pinning(run: u32, measured: &Measured) -> Vec<Pinning> {
    let steps = &measured.run.header.plan.steps;
    let pairs = steps.iter().enumerate().filter_map(|(free, step)| {
        let job = only_job(step).filter(|job| job.workload.pin == Pin::No)?;
        let pinned = steps.iter().position(|other| {
            only_job(other)
                .is_some_and(|other| other.workload.pin != Pin::No && is_same_but_pin(job, other))
        })?;
        Some((free, pinned, step, job))
    });
    pairs
        .filter_map(|(free, pinned, step, job)| {
            let figure = |id: &str| {
                let metric: &'static ComparedMetric = compared_metric(id)?;
                Some([free, pinned].map(|step| column(measured, &[step], metric, 1.0)))
            };
            let values = |id: &str| {
                figure(id).map_or((None, None), |[free, pinned]| {
                    (free.location().0, pinned.location().0)
                })
            };
            let [a, b] = figure("iops")?;
            let (effect, _) = contrast(&a, &b, 0, Design::Blocks, CONFIDENCE);
            effect.ratio?;
            Some(Pinning {
                run,
                not_pinned: step.name.clone(),
                pinned: steps.get(pinned)?.name.clone(),
                test: step.group.split(' ').next().unwrap_or_default().to_string(),
                workers: job.workload.workers,
                depth: job.workload.depth,
                iops: (a.location().0, b.location().0),
                ratio: effect.ratio,
                interval: effect.interval,
                mean_ns: values("mean"),
                cpu_ns: values("cpu"),
                iops_per_core: values("iops-per-core"),
            })
        })
        .collect()
}

fn only_job(step: &Step) -> Option<&Job> {
    match step.jobs.as_slice() {
        [job] => Some(job),
        _ => None,
    }
}

fn is_same_but_pin(job: &Job, other: &Job) -> bool {
    let mut other = other.clone();
    other.workload.pin = job.workload.pin.clone();
    other.workload.seed = job.workload.seed;
    *job == other
}
