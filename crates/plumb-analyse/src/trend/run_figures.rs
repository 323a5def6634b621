//! Which data of one run does a trend need? Its rounds' figures and its environment, a few kilobytes: runs need not all be in memory.

use plumb_model::environment::Environment;
use plumb_model::plan::Step;
use plumb_model::results::comparison::{ComparedMetric, compared_metric};
use plumb_model::results::trend::TrendRun;
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::statement::Statement;
use plumb_model::text::wildcard::fits;
use plumb_model::workload::OperationKind;

use crate::compare::figures::{Measured, Round, cpu_metric, kinds, throughput};
use crate::compare::matching::work::Work;

use super::settings::Settings;

/// The figures of one run.
#[derive(Debug, Clone)]
pub struct RunFigures {
    pub(super) run: TrendRun,
    pub(super) environment: Environment,
    pub(super) plumb_version: String,
    /// In plan order; those not requested are left out.
    pub(super) steps: Vec<StepFigures>,
    /// What is to be kept in mind of the run: it was interrupted, the record is damaged.
    pub(super) doubts: Vec<Statement>,
}

/// The figures of one step.
#[derive(Debug, Clone)]
pub(super) struct StepFigures {
    pub name: String,
    pub work: Work,
    /// Operations that failed.
    pub errors: u64,
    pub figures: Vec<Figure>,
}

/// One figure of one step.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    /// Kind of operation, when the step has several.
    pub kind: Option<String>,
    pub metric: &'static ComparedMetric,
    /// Of each round that has the figure, in the order in which they ran.
    pub rounds: Vec<f64>,
    /// Rounds that ran as they should and do not state it: too few operations.
    pub missing: usize,
}

impl RunFigures {
    /// Extracts from a run what a trend needs; `folder` is its folder.
    pub fn of(folder: &str, run: &Run, settings: &Settings) -> RunFigures {
        let measured = Measured::of(run);
        let header = &run.header;
        let mut scratch = Histogram::default();
        let steps = header
            .plan
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| fits(&settings.steps, &step.name));
        let steps = steps
            .map(|(index, step)| step_figures(&measured, index, step, settings, &mut scratch))
            .collect();
        RunFigures {
            run: TrendRun {
                id: header.id.clone(),
                folder: folder.to_string(),
                started: header.started.clone(),
                started_unix_ns: header.started_unix_ns,
                plan: header.plan.name.clone(),
                target: header.target(),
                host: header.environment.text("host.name").map(str::to_string),
                tags: header.tags.clone(),
            },
            environment: header.environment.clone(),
            plumb_version: header.plumb_version.clone(),
            steps,
            doubts: measured.doubts(),
        }
    }
}

fn step_figures(
    measured: &Measured,
    index: usize,
    step: &Step,
    settings: &Settings,
    scratch: &mut Histogram,
) -> StepFigures {
    let kinds = kinds(step);
    let kinds = if kinds.len() > 1 {
        kinds.into_iter().map(Some).collect()
    } else {
        vec![None]
    };
    let mut figures = Vec::new();
    for kind in kinds {
        let metrics = metrics(step, kind, settings);
        let rounds = measured.rounds(index, kind, &metrics, scratch);
        for (position, metric) in metrics.iter().enumerate() {
            let value = |round: &Round| round.values.get(position).copied().flatten();
            let missing = rounds
                .iter()
                .filter(|round| round.counts && value(round).is_none())
                .count();
            let rounds: Vec<f64> = rounds.iter().filter_map(value).collect();
            figures.push(Figure {
                kind: kind.map(|kind| kind.word().to_string()),
                metric,
                rounds,
                missing,
            });
        }
    }
    let ticks = measured
        .executions(index)
        .iter()
        .flat_map(|execution| &execution.ticks);
    let errors = ticks
        .flat_map(|tick| &tick.kinds)
        .flat_map(|kind| kind.errors.values())
        .fold(0u64, |sum, count| sum.saturating_add(*count));
    StepFigures {
        name: step.name.clone(),
        work: Work::of(measured, index),
        errors,
        figures,
    }
}

/// The requested figures, or one of throughput, the median and the 99th percentile. CPU time is not known by kind.
fn metrics(
    step: &Step,
    kind: Option<OperationKind>,
    settings: &Settings,
) -> Vec<&'static ComparedMetric> {
    let requested = || {
        settings
            .metrics
            .iter()
            .copied()
            .filter(|metric| kind.is_none() || !cpu_metric(metric.id))
            .collect()
    };
    let usual = || {
        [throughput(step, kind), "p50", "p99"]
            .into_iter()
            .filter_map(compared_metric)
            .collect()
    };
    if settings.metrics.is_empty() {
        usual()
    } else {
        requested()
    }
}
