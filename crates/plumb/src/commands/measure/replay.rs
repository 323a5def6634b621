//! How does a target serve the requests of a recorded application? The requests of a trace are replayed, at their recorded times or at another pace.

pub mod arguments;

use anyhow::bail;
use plumb_load::site::Admission;
use plumb_observe::environment::{Options, look};
use plumb_run::named_plan::{main_target, print_remarks};
use plumb_run::replay::{Pace, ReplayRequest, replay as replay_of};
use plumb_run::secrets;

use super::run::dry_run;
use crate::arguments::overwrite;
use crate::commands::Outcome;
use crate::outcome::{Detail, measure_and_show};
use crate::settings::run_folder;
use arguments::ReplayArguments;

/// `plumb replay`.
pub fn replay(arguments: &ReplayArguments) -> anyhow::Result<Outcome> {
    let out = &arguments.out;
    let request = ReplayRequest {
        trace: arguments.trace.clone(),
        target: arguments.target.clone(),
        pace: pace(arguments)?,
        rounds: arguments.repeat,
        set: arguments.set.clone(),
    };
    let folder = run_folder(out.output.as_ref(), "replay");
    let replay = replay_of(&request, folder.as_deref())?;
    if !out.quiet {
        print_remarks(&replay.remarks);
    }
    let plan = replay.plan;
    if arguments.dry_run {
        let options = Options {
            watch: std::time::Duration::ZERO,
            trial: false,
            ..Options::default()
        };
        let environment = look(&main_target(&plan), &options);
        return dry_run(plan, &environment, out.json);
    }
    let admission = Admission {
        overwrite: overwrite(arguments.overwrite.as_ref()),
        login: secrets::of_plan(&plan, &arguments.login.login())?.into(),
    };
    let mut request = out.request(plan, admission, Vec::new());
    // The folder is removed unless a run is recorded in it.
    let folder = replay.folder;
    if let Some(folder) = &folder {
        request.output = Some(folder.path.clone());
    }
    measure_and_show(request, out, Detail::Table)
}

fn pace(arguments: &ReplayArguments) -> anyhow::Result<Pace> {
    if arguments.as_fast_as_possible || arguments.depth.is_some() {
        return Ok(Pace::AsFastAsPossible(arguments.depth));
    }
    let speed = arguments.speed;
    if !(speed.is_finite() && speed > 0.0) {
        bail!("--speed {speed} is invalid: 1 is the speed of the trace, 2 is twice as fast");
    }
    Ok(Pace::Recorded(speed))
}
