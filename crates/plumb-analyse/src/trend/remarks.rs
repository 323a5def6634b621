//! What are the caveats of a trend? Runs that were left out or did not end, failed operations, and the rate of false positives.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::results::trend::TrendLine;
use plumb_model::statement::Statement;

use super::run_figures::RunFigures;
use super::settings::RUNS_MIN;
use crate::phrases::{NAMED, clauses, named, some_clauses};

/// Keys of the work in which runs differ, with both values.
type Differing = [(String, Option<String>, Option<String>)];

/// What had no place in a line.
#[derive(Default)]
pub(super) struct LeftOut {
    /// By key of the work: runs and steps.
    other_work: BTreeMap<String, (BTreeSet<usize>, BTreeSet<String>)>,
    stalled: BTreeSet<(usize, String)>,
}

impl LeftOut {
    /// A run did other work in a step than the newest one.
    pub fn other_work(&mut self, run: usize, step: &str, differing: &Differing) {
        for (key, ..) in differing {
            let (runs, steps) = self.other_work.entry(key.clone()).or_default();
            runs.insert(run);
            steps.insert(step.to_string());
        }
    }

    /// Nothing completed in a step of a run.
    pub fn stalled(&mut self, run: usize, step: &str) {
        self.stalled.insert((run, step.to_string()));
    }
}

/// One sentence each.
pub(super) fn remarks(
    runs: &[RunFigures],
    lines: &[TrendLine],
    left_out: &LeftOut,
) -> Vec<Statement> {
    let folder = |run: &usize| {
        runs.get(*run)
            .map(|run| run.run.folder.clone())
            .unwrap_or_default()
    };
    let mut out = Vec::new();
    for (key, (found, steps)) in &left_out.other_work {
        let (runs, steps): (Vec<String>, Vec<&String>) =
            (found.iter().map(folder).collect(), steps.iter().collect());
        out.push(
            Statement::new("runs-with-other-work")
                .name("key", key)
                .part("runs", named(&runs))
                .part("steps", named(&steps)),
        );
    }
    for (run, step) in left_out.stalled.iter().take(NAMED) {
        out.push(
            Statement::new("run-stalled")
                .name("run", folder(run))
                .name("step", step),
        );
    }
    out.extend(failing(runs));
    out.extend(doubtful(runs));
    out.extend(chance(runs.len(), lines));
    out
}

/// Steps with operations that failed.
fn failing(runs: &[RunFigures]) -> Option<Statement> {
    let steps = runs
        .iter()
        .flat_map(|run| run.steps.iter().map(move |step| (run, step)));
    let failing: Vec<Statement> = steps
        .filter(|(_, step)| step.errors > 0)
        .map(|(run, step)| {
            Statement::new("errors-of-step-and-run")
                .name("step", &step.name)
                .name("run", &run.run.folder)
                .count("errors", step.errors)
        })
        .collect();
    (!failing.is_empty())
        .then(|| Statement::new("operations-failed-in-steps").part("steps", some_clauses(failing)))
}

/// Runs that did not end, or whose record is damaged.
fn doubtful(runs: &[RunFigures]) -> Vec<Statement> {
    let doubtful: Vec<&RunFigures> = runs.iter().filter(|run| !run.doubts.is_empty()).collect();
    let mut out: Vec<Statement> = doubtful
        .iter()
        .take(NAMED)
        .map(|run| {
            Statement::new("run-is-doubtful")
                .name("run", &run.run.folder)
                .part("doubts", clauses(run.doubts.iter().cloned()))
        })
        .collect();
    if doubtful.len() > NAMED {
        let more = (doubtful.len() - NAMED) as u64;
        out.push(Statement::new("more-runs-are-doubtful").count("more", more));
    }
    out
}

/// Expected number of lines with a change by chance: the tests of the method give the rates.
fn chance(runs: usize, lines: &[TrendLine]) -> Option<Statement> {
    let looked = lines
        .iter()
        .filter(|line| line.undecided_because.is_none())
        .count();
    if looked > 0 {
        return Some(Statement::new("changes-by-chance").count("lines", looked as u64));
    }
    (!lines.is_empty()).then(|| {
        Statement::new("too-few-runs")
            .count("runs", runs as u64)
            .count("least", RUNS_MIN as u64)
    })
}
