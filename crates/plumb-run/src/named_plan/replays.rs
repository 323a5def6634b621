//! Which logs does a plan replay, where are they, and what do they contain? Found next to the plan, read once, reported before the run.

use std::path::Path;

use plumb_load::feed::replay::read_log;
use plumb_model::plan::Plan;
use plumb_plan::{Entry, Overrides, PlanFile, PlanKind, resolve};
use plumb_plan::{settle_replays, told_of_replays};

/// Resolves logs that are not found from here relative to the plan file, like included files.
pub fn resolve_beside_plan(file: &mut PlanFile, written: &Path) {
    let Some(folder) = written
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return;
    };
    let found = |text: &str| {
        let beside = folder.join(text);
        (!Path::new(text).exists() && beside.exists()).then(|| beside.display().to_string())
    };
    let of_job = |entry: &mut Entry| {
        entry.text = found(&entry.text).unwrap_or_else(|| std::mem::take(&mut entry.text))
    };
    let of_sweep = |(_, texts): &mut (String, Vec<String>)| {
        for text in texts {
            *text = found(text).unwrap_or_else(|| std::mem::take(text));
        }
    };
    let jobs = file
        .steps
        .iter_mut()
        .flat_map(|step| step.beside.iter_mut().chain([&mut step.main]));
    jobs.flat_map(|job| &mut job.entries)
        .chain(&mut file.defaults)
        .filter(|entry| entry.key == "replay")
        .for_each(of_job);
    let sweeps = file
        .steps
        .iter_mut()
        .map(|step| &mut step.sweep)
        .chain(&mut file.sweeps);
    sweeps
        .flatten()
        .filter(|(key, _)| key == "replay")
        .for_each(of_sweep);
}

/// What the logs of a plan as written hold, for the reader of the plan; nothing for a plan without.
///
/// Errors: as for [`settle`]; or the plan cannot be carried out.
pub fn remarks_of(file: &PlanFile) -> anyhow::Result<Vec<String>> {
    let jobs = || {
        file.steps
            .iter()
            .flat_map(|step| step.beside.iter().chain([&step.main]))
    };
    if !jobs().any(|job| job.entries.iter().any(|entry| entry.key == "replay")) {
        return Ok(Vec::new());
    }
    settle(&mut resolve(file, &Overrides::default(), PlanKind::File)?)
}

/// Reads the logs of a plan and fills in what comes out of them. Returns what the user should know: what they hold, and what of it is not carried out.
///
/// Errors: a log cannot be read, is not a log, or requires what the step cannot do.
pub fn settle(plan: &mut Plan) -> anyhow::Result<Vec<String>> {
    let remarks = settle_replays(plan, &mut read_log)?;
    let told = told_of_replays(plan).into_iter().chain(remarks);
    Ok(told.map(|text| format!("replay: {text}")).collect())
}
