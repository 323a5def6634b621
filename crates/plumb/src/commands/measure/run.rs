//! How is a plan run? It is resolved from a built-in plan, a file or flags, announced, measured, and shown.

pub mod arguments;

use anyhow::bail;
use plumb_load::site::Admission;
use plumb_model::environment::Environment;
use plumb_model::plan::{Estimate, Plan};
use plumb_model::text::shell::quoted;
use plumb_observe::environment::{Options, look};
use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
use plumb_run::measurement::announce::{announcement, estimate};
use plumb_run::named_plan::replays;
use plumb_run::named_plan::{
    NamedPlan, main_target, plan_named, print_remarks, refuse_impossible_engines,
};
use plumb_run::ranks::RanksRequest;
use plumb_run::secrets;
use plumb_show::terminal::plan_text;
use schemars::JsonSchema;
use serde::Serialize;

use crate::arguments::overwrite;
use crate::commands::Outcome;
use crate::commands::measure::ranks;
use crate::commands::measure::run::arguments::RunArguments;
use crate::outcome::{Detail, measure_and_show, measure_ranks_and_show, stop};
use crate::streams::{page, print, print_json};

/// Name and version of the schema of `plumb run --dry-run --json`.
const SCHEMA: &str = "plumb-plan-1";

/// What `--dry-run` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DryRun {
    /// `plumb-plan-1`.
    pub schema: &'static str,
    pub plan: Plan,
    pub estimate: Estimate,
}

/// `plumb run`.
pub fn run(arguments: &RunArguments) -> anyhow::Result<Outcome> {
    let plan = resolved(arguments)?;
    if arguments.dry_run {
        let environment = look(
            &main_target(&plan),
            &Options {
                watch: std::time::Duration::ZERO,
                trial: false,
                ..Options::default()
            },
        );
        return dry_run(plan, &environment, arguments.out.json);
    }
    let admission = Admission {
        overwrite: overwrite(arguments.overwrite.as_ref()),
        login: secrets::of_plan(&plan, &arguments.login.login())?.into(),
    };
    let request = arguments.out.request(plan, admission, Vec::new());
    if let Some(join) = ranks::join(&stop()?)? {
        let request = RanksRequest {
            request,
            join,
            on_lost_rank: arguments.on_lost_rank,
            side: None,
        };
        return measure_ranks_and_show(request, &arguments.out, Detail::Table);
    }
    measure_and_show(request, &arguments.out, Detail::Table)
}

/// The plan of the command line.
pub fn resolved(arguments: &RunArguments) -> anyhow::Result<Plan> {
    let NamedPlan {
        file,
        kind,
        remarks,
    } = written(arguments)?;
    if !arguments.out.quiet {
        print_remarks(&remarks);
    }
    let mut flags = arguments.settings.0.clone();
    if let Some(positional) = &arguments.positional_target {
        if let Some((_, target)) = flags.iter().find(|(key, _)| key == "target") {
            bail!("two targets are given, {positional} and --target {target}: give one");
        }
        flags.push(("target".into(), positional.clone()));
    }
    let mut plan = resolve(
        &file,
        &Overrides {
            set: arguments.set.clone(),
            flags,
        },
        kind,
    )?;
    let held = replays::settle(&mut plan)?;
    if !arguments.out.quiet {
        print_remarks(&held);
    }
    refuse_impossible_engines(&plan)?;
    Ok(plan)
}

/// The plan as written: a built-in one, a file, or one step without keys for a workload from flags.
fn written(arguments: &RunArguments) -> anyhow::Result<NamedPlan> {
    let Some(name) = &arguments.plan else {
        let targets_only = arguments.settings.0.iter().all(|(key, _)| key == "target");
        if targets_only && arguments.set.is_empty() {
            let target = arguments.settings.0.first().map(|(_, target)| target);
            let target_or_here = target.map_or_else(|| ".".into(), |target| quoted(target));
            let on = target.map_or_else(String::new, |target| format!(" on {target}"));
            bail!(
                "nothing to run{on}: name a plan (plumb run depth {target_or_here}; plumb plans lists them), a plan file, or a workload \
                 (plumb run --target {target_or_here} --pattern random-read --depth 32 --time 10s); plumb check {target_or_here} needs no further arguments"
            );
        }
        return Ok(NamedPlan::of(PlanFile::ad_hoc(), PlanKind::AdHoc));
    };
    plan_named(name)
}

/// Prints the plan with an estimate for this target, and runs nothing.
pub fn dry_run(plan: Plan, environment: &Environment, json: bool) -> anyhow::Result<Outcome> {
    let estimate = estimate(&plan, environment);
    if json {
        print_json(&DryRun {
            schema: SCHEMA,
            plan,
            estimate,
        })?;
    } else {
        let page = page();
        print(&format!(
            "{}\n{}\nNothing was run.",
            plan_text(&plan, true, page).trim_end(),
            announcement(&plan, &estimate)
        ))?;
    }
    Ok(Outcome::Done)
}
