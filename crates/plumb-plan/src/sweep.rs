//! Which combinations of swept values exist, and which of them are possible? Those of the plan, and those of one step.

use std::collections::BTreeSet;

use crate::file::{PlanFile, SWEEP_MAX, Sweep};
use plumb_model::keys::sugar::expands_to;
use plumb_model::plan::{PlanError, Step};
use plumb_model::workload::Layout;

/// Keys for the axis of a curve, in order of preference: steps of one sweep that differ only in one of them form a group.
const LADDERS: &[&str] = &[
    "on-ranks",
    "depth",
    "rate",
    "block",
    "workers",
    "size",
    "read-percent",
    "compress-percent",
    "dedupe-percent",
    "files",
    "batch",
];

/// Swept keys that determine whether a block fits.
const SIZES: &[&str] = &["block", "size", "workers", "layout"];

/// One value for each swept key, in file order.
pub(crate) type SweptValues<'a> = Vec<(&'a str, &'a str)>;

/// One combination of the plan's sweeps.
pub(crate) struct Combination<'a> {
    /// From 1; missing in a plan without a sweep.
    pub number: Option<u32>,
    pub row: SweptValues<'a>,
}

/// Every combination of a sweep; one without values if nothing is swept.
pub(crate) fn rows<'a>(sweep: &[&'a (String, Vec<String>)]) -> Vec<SweptValues<'a>> {
    let cells: usize = sweep.iter().map(|(_, values)| values.len()).product();
    let row = |cell: usize| {
        let mut rest = cell;
        let mut row: SweptValues<'a> = Vec::new();
        for (key, values) in sweep.iter().rev() {
            row.push((key, &values[rest % values.len()]));
            rest /= values.len();
        }
        row.reverse();
        row
    };
    (0..cells).map(row).collect()
}

/// The combinations of the plan's sweeps, each once. `replaced` lists the keys that the command line sets for all steps, which replace their sweep.
pub(crate) fn combinations<'a>(
    file: &'a PlanFile,
    replaced: impl Fn(&str) -> bool,
) -> Result<Vec<Combination<'a>>, PlanError> {
    refuse_too_many(file, &replaced)?;
    if file.sweeps.is_empty() {
        return Ok(vec![Combination {
            number: None,
            row: SweptValues::new(),
        }]);
    }
    refuse_swept_twice(file)?;
    let (mut all, mut known): (Vec<SweptValues<'a>>, BTreeSet<SweptValues<'a>>) =
        (Vec::new(), BTreeSet::new());
    for sweep in &file.sweeps {
        let kept: Vec<&(String, Vec<String>)> =
            sweep.iter().filter(|(key, _)| !replaced(key)).collect();
        all.extend(
            rows(&kept)
                .into_iter()
                .filter(|row| known.insert(row.clone())),
        );
    }
    Ok(all
        .into_iter()
        .zip(1..)
        .map(|(row, number)| Combination {
            number: Some(number),
            row,
        })
        .collect())
}

/// Counts the steps before anything is built: refusing a million values would otherwise take minutes. There are as many explicit steps as in the file.
fn refuse_too_many(file: &PlanFile, replaced: &impl Fn(&str) -> bool) -> Result<(), PlanError> {
    let cells = |sweep: &Sweep| {
        sweep
            .iter()
            .filter(|(key, _)| !replaced(key))
            .fold(1usize, |cells, (_, values)| {
                cells.saturating_mul(values.len())
            })
    };
    let of_steps = file
        .steps
        .iter()
        .fold(0usize, |sum, step| sum.saturating_add(cells(&step.sweep)));
    let of_plan = file
        .sweeps
        .iter()
        .fold(0usize, |sum, sweep| sum.saturating_add(cells(sweep)));
    let steps = of_plan.max(1).saturating_mul(of_steps);
    if steps > SWEEP_MAX.max(file.steps.len()) {
        let message = format!(
            "the sweep makes {steps} steps, but the limit is {SWEEP_MAX}; sweep fewer values"
        );
        return Err(PlanError::at(&file.source, message));
    }
    Ok(())
}

/// A key that the plan sweeps cannot have another value in a step.
fn refuse_swept_twice(file: &PlanFile) -> Result<(), PlanError> {
    let swept: Vec<&str> = file
        .sweeps
        .iter()
        .flatten()
        .flat_map(|(key, _)| expands_to(key))
        .collect();
    for step in &file.steps {
        let keys = step
            .main
            .entries
            .iter()
            .map(|entry| &entry.key)
            .chain(step.sweep.iter().map(|(key, _)| key));
        if let Some(key) = keys
            .into_iter()
            .find(|key| expands_to(key).iter().any(|key| swept.contains(key)))
        {
            let position = format!("{}, line {}", file.source, step.main.line);
            let message = format!(
                "'{key}' of step '{}' is already swept by the plan; remove one of them",
                step.main.name
            );
            return Err(PlanError::at(position, message));
        }
    }
    Ok(())
}

/// The key of the curves of a step: the first candidate with several values.
pub(crate) fn ladder(
    plan: &[Combination<'_>],
    step: &[&(String, Vec<String>)],
) -> Option<&'static str> {
    let several = |ladder: &str| {
        let mut values = plan
            .iter()
            .flat_map(|combination| &combination.row)
            .filter(|(key, _)| *key == ladder)
            .map(|(_, value)| value);
        let first = values.next();
        values.any(|value| Some(value) != first)
            || step
                .iter()
                .any(|(key, values)| key == ladder && values.len() > 1)
    };
    LADDERS.iter().copied().find(|ladder| several(ladder))
}

/// True if the sweep made a block larger than the available size.
pub(crate) fn is_too_large(step: &Step, row: &SweptValues<'_>) -> bool {
    let Some(workload) = step.jobs.first().map(|job| &job.workload) else {
        return false;
    };
    let parts = if workload.layout == Layout::Own {
        u64::from(workload.workers.max(1))
    } else {
        1
    };
    let on_blocks = !workload
        .mix
        .0
        .iter()
        .all(|(kind, _)| kind.is_file_operation());
    let short = workload
        .size
        .is_some_and(|size| size.0 / parts < workload.largest_block_bytes());
    on_blocks && short && row.iter().any(|(key, _)| SIZES.contains(key))
}
