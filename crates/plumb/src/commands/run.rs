//! How is a plan run? Resolved from a built-in plan, a file or flags; announced; measured; shown.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plumb_load::engines::candidates;
use plumb_load::site::{Admission, Overwrite};
use plumb_model::environment::Environment;
use plumb_model::plan::{Estimate, Overrides, Plan, PlanFile, PlanKind, plans, resolve};
use plumb_model::shell::quoted;
use plumb_model::target::Target;
use plumb_model::workload::EngineChoice;
use plumb_observe::ground::{Options, look};
use plumb_show::terminal::{Page, plan_text};
use schemars::JsonSchema;
use serde::Serialize;

use super::Outcome;
use super::import_job;
use super::plans::unknown;
use crate::announce::{announcement, estimate};
use crate::cli::RunArguments;
use crate::measurement::{Request, measure};
use crate::outcome::Detail;
use crate::replays;
use crate::secrets;
use crate::streams::{print, print_json, say};

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
        let ground = look(
            &main_target(&plan),
            &Options {
                watch: std::time::Duration::ZERO,
                trial: false,
                ..Options::default()
            },
        );
        return dry_run(plan, &ground, arguments.out.json);
    }
    let overwrite = match &arguments.overwrite {
        None => Overwrite::No,
        Some(None) => Overwrite::Yes,
        Some(Some(path)) => Overwrite::Named(path.clone()),
    };
    let admission = Admission {
        overwrite,
        secrets: secrets::of_plan(&plan, &arguments.login)?,
        ..Admission::default()
    };
    measure(Request {
        plan,
        admission,
        out: arguments.out.clone(),
        detail: Detail::Table,
        remarks: Vec::new(),
    })
}

/// The plan that the command line asks for.
fn resolved(arguments: &RunArguments) -> anyhow::Result<Plan> {
    let NamedPlan {
        file,
        kind,
        remarks,
    } = written(arguments)?;
    if !arguments.out.quiet {
        tell(&remarks);
    }
    let mut flags = arguments.settings.0.clone();
    if let Some(place) = &arguments.place {
        if let Some((_, target)) = flags.iter().find(|(key, _)| key == "target") {
            bail!("two targets are given, {place} and --target {target}: name one");
        }
        flags.push(("target".into(), place.clone()));
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
        tell(&held);
    }
    refuse_impossible_engines(&plan)?;
    Ok(plan)
}

/// The plan as written: a built-in one, a file, or one step without keys for a workload from flags.
fn written(arguments: &RunArguments) -> anyhow::Result<NamedPlan> {
    let Some(name) = &arguments.plan else {
        if arguments.settings.0.is_empty() && arguments.set.is_empty() {
            bail!(
                "nothing to run: name a plan (`plumb plans` lists them), a plan file, or a workload such as --pattern random-read --depth 32"
            );
        }
        return Ok(NamedPlan::of(PlanFile::ad_hoc(), PlanKind::AdHoc));
    };
    plan_named(name)
}

/// A plan as written, and what the user should know about it.
pub struct NamedPlan {
    pub file: PlanFile,
    pub kind: PlanKind,
    /// What a file of another program asks for and gets otherwise, one sentence each without its full stop, the program before it.
    pub remarks: Vec<String>,
}

impl NamedPlan {
    fn of(file: PlanFile, kind: PlanKind) -> NamedPlan {
        NamedPlan {
            file,
            kind,
            remarks: Vec::new(),
        }
    }
}

/// Says what the user should know about a plan.
pub fn tell(remarks: &[String]) {
    remarks.iter().for_each(|remark| say(&format!("{remark}.")));
}

/// The plan of this name as written: a built-in one, a plan file, a job file of fio, or a configuration file of Iometer.
pub fn plan_named(name: &str) -> anyhow::Result<NamedPlan> {
    if let Some(built_in) = plans::find(name) {
        return Ok(NamedPlan::of(built_in.file()?, PlanKind::Preset));
    }
    let path = Path::new(name);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("{name}: the plan file cannot be read"))?;
            let mut file = PlanFile::parse(&text, name)?;
            replays::find_beside(&mut file, path);
            Ok(NamedPlan::of(file, PlanKind::File))
        }
        Some("fio") => {
            let job = import_job::job_of(path)?;
            let remarks = job
                .remarks
                .iter()
                .map(|remark| format!("fio:   {remark}"))
                .collect();
            Ok(NamedPlan {
                file: job.plan,
                kind: PlanKind::File,
                remarks,
            })
        }
        _ if import_job::is_of_iometer(path) => {
            let configuration = import_job::configuration_of(path)?;
            let remarks = configuration
                .remarks
                .iter()
                .map(|remark| format!("iometer: {remark}"))
                .collect();
            Ok(NamedPlan {
                file: configuration.plan,
                kind: PlanKind::File,
                remarks,
            })
        }
        _ if path.exists() => {
            bail!(
                "{name} is no plan: plan files end in .toml, job files of fio in .fio, configuration files of Iometer in .icf; if it is what you want to measure, write --target {}",
                quoted(name)
            )
        }
        _ if name.contains("://") => {
            bail!(
                "{name} is an address and no plan: write what is to be done there first, as in: plumb run depth {0}; or --target {0} for a load of your own",
                quoted(name)
            )
        }
        _ => Err(unknown(name)),
    }
}

/// Names of engines are known to the load generator only.
pub fn refuse_impossible_engines(plan: &Plan) -> anyhow::Result<()> {
    for step in &plan.steps {
        for job in &step.jobs {
            if let Err(message) = candidates(&job.target, &job.engine, &job.workload) {
                bail!("step '{}': {message}", step.name);
            }
        }
    }
    Ok(())
}

/// Prints the plan with what it will take on this target, and runs nothing.
pub fn dry_run(plan: Plan, ground: &Environment, json: bool) -> anyhow::Result<Outcome> {
    let estimate = estimate(&plan, ground);
    if json {
        print_json(&DryRun {
            schema: SCHEMA,
            plan,
            estimate,
        })?;
    } else {
        let page = Page::of_stdout();
        print(&format!(
            "{}\n{}\nNothing was run.",
            plan_text(&plan, true, page).trim_end(),
            announcement(&plan, &estimate)
        ))?;
    }
    Ok(Outcome::Done)
}

/// The target of the first step's main job: the one whose ground is looked at.
pub fn main_target(plan: &Plan) -> Target {
    plan.steps
        .first()
        .and_then(|step| step.jobs.first())
        .map_or(Target::Path(PathBuf::from(".")), |job| job.target.clone())
}

/// How the engine of the first step's main job is to speak to its target.
pub fn main_choice(plan: &Plan) -> EngineChoice {
    plan.steps
        .first()
        .and_then(|step| step.jobs.first())
        .map(|job| job.engine.clone())
        .unwrap_or_default()
}
