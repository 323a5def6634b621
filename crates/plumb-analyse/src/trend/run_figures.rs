//! Which data of one run does a trend need? Its rounds' figures, a few hundred bytes: runs need not all be in memory.

use std::sync::Arc;

use plumb_model::plan::Step;
use plumb_model::results::comparison::{ComparedMetric, compared_metric};
use plumb_model::results::trend::TrendRun;
use plumb_model::run::Run;
use plumb_model::run::histogram::Histogram;
use plumb_model::statement::Statement;
use plumb_model::text::wildcard::fits;
use plumb_model::workload::OperationKind;
use serde::{Deserialize, Serialize};

use crate::compare::figures::{Measured, Round, cpu_metric, kinds, throughput};
use crate::compare::matching::work::{Batches, Work};

use super::settings::Settings;

/// The figures of one run.
#[derive(Debug, Clone)]
pub struct RunFigures {
    pub(super) run: TrendRun,
    /// What its steps did, by name; runs of one plan on one target share it.
    work: Arc<WorkOfSteps>,
    /// In plan order; those not requested are left out.
    pub(super) steps: Vec<StepFigures>,
    /// What is to be kept in mind of the run: it was interrupted, the record is damaged.
    pub(super) doubts: Vec<Statement>,
}

/// What the steps of a run did, in plan order, without what is counted in each run.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkOfSteps(Vec<(String, Arc<Work>)>);

/// What only one run has, to be stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OwnFigures {
    run: TrendRun,
    steps: Vec<OwnStep>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    doubts: Vec<Statement>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct OwnStep {
    #[serde(default, skip_serializing_if = "is_zero")]
    errors: u64,
    #[serde(default, skip_serializing_if = "Batches::is_empty")]
    batches: Batches,
    figures: Vec<OwnFigure>,
}

/// Kind, id of the metric, rounds, missing rounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OwnFigure(Option<String>, String, Vec<f64>, usize);

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The figures of one step.
#[derive(Debug, Clone)]
pub(super) struct StepFigures {
    pub name: String,
    pub work: Arc<Work>,
    /// What belongs to the work and is counted in each run.
    pub batches: Batches,
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
        let steps: Vec<StepFigures> = (0..)
            .zip(&header.plan.steps)
            .map(|(index, step)| step_figures(&measured, index, step, settings, &mut scratch))
            .collect();
        let work = steps
            .iter()
            .map(|step| (step.name.clone(), step.work.clone()));
        let mut figures = RunFigures {
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
            work: Arc::new(WorkOfSteps(work.collect())),
            steps,
            doubts: measured.doubts(),
        };
        figures.only(settings);
        figures
    }

    /// Leaves out steps that are not requested.
    pub fn only(&mut self, settings: &Settings) {
        self.steps.retain(|step| fits(&settings.steps, &step.name));
    }

    /// Takes the work of its steps from one of these, if one is equal: runs of one plan then hold it once. Returns its own if none is.
    pub fn share_work(&mut self, known: &[Arc<WorkOfSteps>]) -> Option<Arc<WorkOfSteps>> {
        let Some(same) = known.iter().find(|known| **known == self.work) else {
            return Some(self.work.clone());
        };
        for (step, (_, work)) in self.steps.iter_mut().zip(&same.0) {
            step.work = work.clone();
        }
        self.work = same.clone();
        None
    }

    /// The same run in another folder.
    pub fn in_folder(mut self, folder: &str) -> RunFigures {
        self.run.folder = folder.to_string();
        self
    }

    /// What the run has in common with others, and its own part. Of figures from which no step was left out.
    pub fn parts(&self) -> (Arc<WorkOfSteps>, OwnFigures) {
        let steps = self.steps.iter().map(|step| OwnStep {
            errors: step.errors,
            batches: step.batches.clone(),
            figures: step.figures.iter().map(OwnFigure::of).collect(),
        });
        let own = OwnFigures {
            run: self.run.clone(),
            steps: steps.collect(),
            doubts: self.doubts.clone(),
        };
        (self.work.clone(), own)
    }

    /// The opposite of [`RunFigures::parts`]; `None` if the parts do not fit together.
    pub fn joined(work: Arc<WorkOfSteps>, own: OwnFigures) -> Option<RunFigures> {
        if work.0.len() != own.steps.len() {
            return None;
        }
        let steps = work.0.iter().zip(own.steps).map(|((name, work), own)| {
            let figures: Option<Vec<Figure>> =
                own.figures.into_iter().map(OwnFigure::figure).collect();
            Some(StepFigures {
                name: name.clone(),
                work: work.clone(),
                batches: own.batches,
                errors: own.errors,
                figures: figures?,
            })
        });
        Some(RunFigures {
            run: own.run,
            steps: steps.collect::<Option<_>>()?,
            doubts: own.doubts,
            work,
        })
    }
}

impl OwnFigure {
    fn of(figure: &Figure) -> OwnFigure {
        OwnFigure(
            figure.kind.clone(),
            figure.metric.id.into(),
            figure.rounds.clone(),
            figure.missing,
        )
    }

    /// `None` if there is no such metric.
    fn figure(self) -> Option<Figure> {
        let OwnFigure(kind, metric, rounds, missing) = self;
        Some(Figure {
            kind,
            metric: compared_metric(&metric)?,
            rounds,
            missing,
        })
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
    let (work, batches) = Work::of(measured, index).without_batches();
    StepFigures {
        name: step.name.clone(),
        work: Arc::new(work),
        batches,
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
