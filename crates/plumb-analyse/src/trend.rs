//! How do results change across runs? One line per figure over the runs, its change points, and the environment changes at them.

#[cfg(test)]
mod laws;
mod remarks;
mod run_figures;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use plumb_model::environment::Fact;
use plumb_model::results::comparison::{Difference, Direction, Verdict};
use plumb_model::results::trend::{
    ChangePoint, TREND_SCHEMA, Trend, TrendDrift, TrendLine, TrendMethod, TrendPoint,
};
use plumb_model::run::RunHeader;
use plumb_model::statement::Statement;

use crate::environment_differences;
use crate::statistics::change_points::{Change, change_points, variance_around};
use crate::statistics::straight_line::straight_line;
use crate::statistics::{median, range};

use remarks::{LeftOut, remarks};
use run_figures::{Figure, StepFigures};
pub use run_figures::{OwnFigures, RunFigures, WorkOfSteps};
use settings::RUNS_MIN;
pub use settings::Settings;

/// The trend over runs of one plan. They may come in any order. `header_of` reads the header of a run again, by its folder: only those of the runs before and
/// after a change are needed.
pub fn trend(
    mut runs: Vec<RunFigures>,
    settings: &Settings,
    header_of: &dyn Fn(&str) -> Option<RunHeader>,
) -> Trend {
    runs.sort_by(|a, b| {
        (a.run.started_unix_ns, &a.run.folder).cmp(&(b.run.started_unix_ns, &b.run.folder))
    });
    let mut left_out = LeftOut::default();
    let lines: Vec<TrendLine> = keys(&runs)
        .iter()
        .filter_map(|key| line(&runs, key, settings, header_of, &mut left_out))
        .collect();
    let remarks = remarks(&runs, &lines, &left_out);
    Trend {
        schema: TREND_SCHEMA.into(),
        plumb_version: settings.plumb_version.clone(),
        method: method(settings),
        runs: runs.into_iter().map(|run| run.run).collect(),
        lines,
        remarks,
    }
}

fn method(settings: &Settings) -> TrendMethod {
    let parameters = settings.parameters();
    let runs = |count: usize| Statement::new("trend-runs").count("runs", count as u64);
    let change = settings.threshold * 100.0;
    let values = [
        ("values", Statement::new("trend-values")),
        ("window", runs(parameters.window)),
        (
            "largest p-value",
            Statement::new("trend-largest-p-value").number("p", parameters.p_value_max),
        ),
        (
            "smallest change",
            Statement::new("trend-smallest-change").percent("change", change),
        ),
        ("shortest segment", runs(parameters.stretch_min)),
        ("fewest runs", runs(RUNS_MIN)),
        ("drift", Statement::new("trend-drift")),
    ];
    TrendMethod {
        name: Statement::new("trend-e-divisive"),
        source: "Matteson and James, JASA 109, 2014; Fleming et al., ICPE 2023".into(),
        parameters: values.map(|(name, value)| (name.to_string(), value)).into(),
    }
}

/// What a line is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    step: String,
    kind: Option<String>,
    metric: &'static str,
}

/// Every figure of every run, those of the newest run first and in the order of its plan.
fn keys(runs: &[RunFigures]) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    let mut seen = BTreeSet::new();
    for step in runs.iter().rev().flat_map(|run| &run.steps) {
        for figure in &step.figures {
            let key = Key {
                step: step.name.clone(),
                kind: figure.kind.clone(),
                metric: figure.metric.id,
            };
            if seen.insert(key.clone()) {
                keys.push(key);
            }
        }
    }
    keys
}

/// A run's share in a line.
struct Sample<'a> {
    run: usize,
    step: &'a StepFigures,
    figure: &'a Figure,
}

fn line(
    runs: &[RunFigures],
    key: &Key,
    settings: &Settings,
    header_of: &dyn Fn(&str) -> Option<RunHeader>,
    left_out: &mut LeftOut,
) -> Option<TrendLine> {
    let held = runs
        .iter()
        .enumerate()
        .filter_map(|(run, figures)| Sample::of(run, figures, key));
    let mut samples: Vec<Sample> = held.collect();
    let newest = samples.last()?.step;
    samples.retain(|sample| {
        if Arc::ptr_eq(&newest.work, &sample.step.work) {
            return true;
        }
        let differing = newest.work.differing(&sample.step.work);
        left_out.other_work(sample.run, &key.step, &differing);
        differing.is_empty()
    });
    let points: Vec<TrendPoint> = samples
        .iter()
        .filter_map(|sample| point(sample, key, left_out))
        .collect();
    if points.is_empty() {
        return None;
    }
    let metric = samples.last()?.figure.metric;
    let values: Vec<f64> = points.iter().map(|point| point.value.ln()).collect();
    let enough = values.len() >= RUNS_MIN;
    let (found, drift) = if enough {
        judge(&values, metric.better, settings)
    } else {
        (Vec::new(), None)
    };
    // What is not there may have been what changed: a latency that rises leaves too few operations to state its percentiles.
    let missing = samples
        .iter()
        .filter(|sample| sample.figure.missing > 0)
        .count();
    let untold = (missing > 0 && found.is_empty() && drift.is_none()).then(|| {
        Statement::new("figure-missing-in-runs")
            .count("missing", missing as u64)
            .count("runs", samples.len() as u64)
    });
    let step_of = |point: &TrendPoint| {
        samples
            .iter()
            .find(|sample| sample.run == point.run as usize)
            .map(|sample| sample.step)
    };
    let change = |change: &Change| {
        let (before, after) = (
            points.get(change.index.checked_sub(1)?)?,
            points.get(change.index)?,
        );
        let ratio = (change.after - change.before).exp();
        Some(ChangePoint {
            run: after.run,
            before: change.before.exp(),
            after: change.after.exp(),
            ratio,
            p_value: change.p_value,
            verdict: verdict(ratio, metric.better),
            environment: differences(
                (&runs[before.run as usize], step_of(before)?),
                (&runs[after.run as usize], step_of(after)?),
                header_of,
            ),
        })
    };
    Some(TrendLine {
        step: key.step.clone(),
        kind: key.kind.clone(),
        metric: metric.id.into(),
        unit: metric.unit.into(),
        better: metric.better,
        changes: found.iter().filter_map(change).collect(),
        drift,
        undecided_because: (!enough)
            .then(|| {
                Statement::new("figure-in-too-few-runs")
                    .count("runs", values.len() as u64)
                    .count("least", RUNS_MIN as u64)
            })
            .or(untold),
        points,
    })
}

/// Changes in a line, or the drift instead: a straight line fits better than the steps, with all that they have more of parameters.
fn judge(
    values: &[f64],
    better: Direction,
    settings: &Settings,
) -> (Vec<Change>, Option<TrendDrift>) {
    let parameters = settings.parameters();
    let changes = change_points(values, &parameters);
    let line = straight_line(values).filter(|line| {
        let fits_better =
            variance_around(values, &changes).is_some_and(|variance| line.variance < variance);
        fits_better
            && line.p_value < parameters.p_value_max
            && (line.last - line.first).abs() > parameters.distance_min
    });
    let Some(line) = line else {
        return (changes, None);
    };
    let ratio = (line.last - line.first).exp();
    let (first, last) = (line.first.exp(), line.last.exp());
    (
        Vec::new(),
        Some(TrendDrift {
            first,
            last,
            ratio,
            p_value: line.p_value,
            verdict: verdict(ratio, better),
        }),
    )
}

fn verdict(ratio: f64, better: Direction) -> Verdict {
    if (ratio > 1.0) == (better == Direction::Higher) {
        Verdict::Better
    } else {
        Verdict::Worse
    }
}

impl<'a> Sample<'a> {
    fn of(run: usize, figures: &'a RunFigures, key: &Key) -> Option<Self> {
        let step = figures.steps.iter().find(|step| step.name == key.step)?;
        let figure = step
            .figures
            .iter()
            .find(|figure| figure.kind == key.kind && figure.metric.id == key.metric)?;
        Some(Sample { run, step, figure })
    }
}

/// The run's figure; `None` when no round has one, or when it has no logarithm: nothing completed.
fn point(sample: &Sample, key: &Key, left_out: &mut LeftOut) -> Option<TrendPoint> {
    let rounds = &sample.figure.rounds;
    let value = median(rounds)?;
    if value <= 0.0 {
        left_out.stalled(sample.run, &key.step);
        return None;
    }
    Some(TrendPoint {
        run: sample.run as u32,
        value,
        range: range(rounds).filter(|_| rounds.len() > 1),
        rounds: rounds.len() as u32,
    })
}

/// What differs between the last run before a change and the first one after: the environment, the program, the target, and how the step was carried out.
fn differences(
    before: (&RunFigures, &StepFigures),
    after: (&RunFigures, &StepFigures),
    header_of: &dyn Fn(&str) -> Option<RunHeader>,
) -> Vec<Difference> {
    let header = |of: (&RunFigures, &StepFigures)| header_of(&of.0.run.folder);
    // A record that has disappeared in the meantime reports nothing.
    let (Some(old), Some(new)) = (header(before), header(after)) else {
        return Vec::new();
    };
    let text = |text: &str| Some(Fact::Text(text.to_string()));
    let named = |what: &str, meaning: Statement, a: &str, b: &str| {
        let difference = Difference {
            what: what.into(),
            meaning,
            values: vec![text(a), text(b)],
            steps: Vec::new(),
        };
        Some(difference).filter(|_| a != b)
    };
    let mut found = environment_differences(&[&old.environment, &new.environment]);
    found.extend(named(
        "plumb_version",
        Statement::new("difference-plumb-version"),
        &old.plumb_version,
        &new.plumb_version,
    ));
    if !found
        .iter()
        .any(|difference| difference.what.starts_with("target."))
    {
        found.extend(named(
            "target",
            Statement::new("difference-target"),
            &before.0.run.target,
            &after.0.run.target,
        ));
    }
    let work = |of: &StepFigures| of.work.with_batches(&of.batches);
    for (key, a, b) in work(before.1).differing_how(&work(after.1)) {
        let values = vec![a.map(Fact::Text), b.map(Fact::Text)];
        found.push(Difference {
            meaning: Statement::verbatim(&key),
            what: key,
            values,
            steps: vec![after.1.name.clone()],
        });
    }
    found
}
