//! What should a reader of a trend keep in mind? Runs that were left out or did not end, failed operations, and how often chance speaks.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::trend::TrendLine;

use super::run_figures::RunFigures;
use super::settings::RUNS_MIN;

/// Names that a sentence lists before it counts the rest.
const NAMED: usize = 3;

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
pub(super) fn remarks(runs: &[RunFigures], lines: &[TrendLine], left_out: &LeftOut) -> Vec<String> {
    let folder = |run: &usize| {
        runs.get(*run)
            .map(|run| run.run.folder.clone())
            .unwrap_or_default()
    };
    let mut out = Vec::new();
    for (key, (found, steps)) in &left_out.other_work {
        out.push(format!(
            "Left out as not the same work as in the newest run, {key} differs: {}, in {}.",
            named(found.iter().map(folder), "run"),
            named(steps.iter().cloned(), "step")
        ));
    }
    for (run, step) in left_out.stalled.iter().take(NAMED) {
        out.push(format!(
            "{} is left out of step {step}: in half of its rounds or more, nothing completed.",
            folder(run)
        ));
    }
    let failing = runs.iter().flat_map(|run| {
        run.steps
            .iter()
            .filter(|step| step.errors > 0)
            .map(move |step| (run, step))
    });
    let failing: Vec<String> = failing
        .map(|(run, step)| format!("{} of {} ({})", step.name, run.run.folder, step.errors))
        .collect();
    if !failing.is_empty() {
        out.push(format!(
            "Operations failed in {}; figures are those of the others.",
            named(failing.into_iter(), "step")
        ));
    }
    let doubtful: Vec<&RunFigures> = runs.iter().filter(|run| !run.doubts.is_empty()).collect();
    for run in doubtful.iter().take(NAMED) {
        out.push(format!("{}: {}.", run.run.folder, run.doubts.join("; ")));
    }
    if doubtful.len() > NAMED {
        out.push(format!(
            "{} more runs did not end, or their records are damaged.",
            doubtful.len() - NAMED
        ));
    }
    out.extend(chance(runs.len(), lines));
    out
}

/// How many of so many lines would show a change by chance alone: the tests of the method state the rates.
fn chance(runs: usize, lines: &[TrendLine]) -> Option<String> {
    let looked = lines
        .iter()
        .filter(|line| line.not_looked.is_none())
        .count();
    if looked == 0 {
        let count = if runs == 1 {
            "1 run is".to_string()
        } else {
            format!("{runs} runs are")
        };
        let text = format!(
            "{count} too few to look for changes: it takes {RUNS_MIN} or more. Two single runs are compared by 'plumb compare'."
        );
        return Some(text).filter(|_| !lines.is_empty());
    }
    Some(format!(
        "{looked} lines were looked at. Where nothing changed, about one line in 1,000 shows a change all the same; up to 6 in 100 where each run \
         resembles the one before, or single runs are often far off to one side."
    ))
}

/// The first few names, and how many there are beyond.
fn named(names: impl Iterator<Item = String>, what: &str) -> String {
    let names: Vec<String> = names.collect();
    let shown = names
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        1 => format!("{shown} and 1 more {what}"),
        more => format!("{shown} and {more} more {what}s"),
    }
}
