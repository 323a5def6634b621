//! Which plan does a name stand for? A built-in one, a plan file, a job file of fio or a configuration file of Iometer.

pub mod job_files;
pub mod replays;

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use plumb_load::crew::pinning::refusal;
use plumb_load::engines::candidates;
use plumb_model::plan::Plan;
use plumb_model::target::Target;
use plumb_model::text::nearest::nearest;
use plumb_model::text::shell::quoted;
use plumb_model::workload::EngineChoice;
use plumb_plan::fio_job::FioJob;
use plumb_plan::plans::PLANS;
use plumb_plan::{PlanFile, PlanKind, plans};

use crate::file_kind::{FileKind, kind_of};
use crate::notices::say;

/// A plan as written, and what the user should know about it.
pub struct NamedPlan {
    pub file: PlanFile,
    pub kind: PlanKind,
    /// What a job file of another program requests and gets differently, one sentence each without a period, prefixed by the program.
    pub remarks: Vec<String>,
}

impl NamedPlan {
    /// A plan without remarks.
    pub fn of(file: PlanFile, kind: PlanKind) -> NamedPlan {
        NamedPlan {
            file,
            kind,
            remarks: Vec::new(),
        }
    }
}

/// Says what the user should know about a plan.
pub fn print_remarks(remarks: &[String]) {
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
                .map_err(|error| {
                    anyhow!(
                        "{name}: cannot read the plan file: {error}; check the path, or start from a built-in plan: plumb plans depth > {name}"
                    )
                })?;
            plan_file(&text, name)
        }
        Some("fio") => job_plan(job_files::job_of(path)?),
        _ if name == "-" => {
            let text = job_files::standard_input()?;
            if job_files::is_job_file(&text) {
                return job_plan(job_files::job_in(&text, Path::new("standard input"))?);
            }
            plan_file(&text, "standard input")
        }
        _ if job_files::is_of_iometer(path) => {
            let configuration = job_files::configuration_of(path)?;
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
        _ if path.is_file()
            && job_files::job_text(path).is_ok_and(|text| job_files::is_job_file(&text)) =>
        {
            job_plan(job_files::job_of(path)?)
        }
        _ if path.exists() => {
            let command = match kind_of(path) {
                Ok(FileKind::Result(_) | FileKind::SharedRun) => Some("a result: plumb show"),
                Ok(FileKind::Trace) => Some("a trace: plumb trace"),
                Ok(FileKind::JobFile | FileKind::IometerConfiguration) | Err(_) => None,
            };
            if let Some(command) = command {
                bail!("{name} is not a plan, it is {command} {}", quoted(name));
            }
            bail!(
                "{name} is not a plan: plan files end in .toml, Iometer configuration files in .icf, and a fio job file starts with a section such as [global]; to measure it, use --target {}",
                quoted(name)
            )
        }
        _ if name.contains("://") => {
            bail!(
                "{name} is an address, not a plan: put the plan first, as in: plumb run depth {0}; or use --target {0} for your own workload",
                quoted(name)
            )
        }
        _ => Err(unknown(name)),
    }
}

/// A plan file in TOML.
fn plan_file(text: &str, name: &str) -> anyhow::Result<NamedPlan> {
    let mut file = PlanFile::parse(text, name)?;
    replays::resolve_beside_plan(&mut file, Path::new(name));
    Ok(NamedPlan::of(file, PlanKind::File))
}

/// A job file of fio, with what differs from fio.
fn job_plan(job: FioJob) -> anyhow::Result<NamedPlan> {
    let remarks = job
        .remark_lines(&[])
        .iter()
        .map(|remark| format!("fio:   {remark}"))
        .collect();
    Ok(NamedPlan {
        file: job.plan,
        kind: PlanKind::File,
        remarks,
    })
}

/// The error for a name that is no built-in plan.
pub fn unknown(name: &str) -> anyhow::Error {
    let names: Vec<&str> = PLANS.iter().map(|plan| plan.name).collect();
    anyhow!(
        "no built-in plan '{name}'{}; available: {} (plan files end in .toml, .fio or .icf; set a directory or device to measure with --target)",
        nearest(name, &names),
        names.join(", ")
    )
}

/// Names of engines, and the CPUs of this machine, are known to the load generator only: both are refused before anything is prepared.
pub fn refuse_impossible_engines(plan: &Plan) -> anyhow::Result<()> {
    for step in &plan.steps {
        for job in &step.jobs {
            if let Err(message) = candidates(&job.target, &job.engine, &job.workload) {
                bail!("step '{}': {message}", step.name);
            }
            if let Some(message) = refusal(&job.workload.pin) {
                bail!("step '{}': {message}", step.name);
            }
        }
    }
    Ok(())
}

/// The target of the first step's main job: the one whose environment is looked at.
pub fn main_target(plan: &Plan) -> Target {
    plan.steps
        .first()
        .and_then(|step| step.jobs.first())
        .map_or(Target::Path(PathBuf::from(".")), |job| job.target.clone())
}

/// How the engine of the first step's main job accesses its target.
pub fn main_choice(plan: &Plan) -> EngineChoice {
    plan.steps
        .first()
        .and_then(|step| step.jobs.first())
        .map(|job| job.engine.clone())
        .unwrap_or_default()
}
