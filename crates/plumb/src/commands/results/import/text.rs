//! What does `plumb import` tell of what it took in, and of what it can take in?

use std::path::Path;

use plumb_model::text::shell::quoted_path;
use plumb_record::importers::IMPORTERS;
use plumb_run::named_plan::job_files::is_of_iometer;

use super::{ImportedPlan, ImportedRun};

/// One line for the run, its doubts beneath it.
pub(super) fn run_text(run: &ImportedRun) -> String {
    let version = run
        .version
        .as_ref()
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    let steps = if run.steps == 1 {
        "1 step".to_string()
    } else {
        format!("{} steps", run.steps)
    };
    let rounds = if run.rounds > 1 {
        format!(" in {} rounds", run.rounds)
    } else {
        String::new()
    };
    let mut out = format!(
        "{}: {}{version} ({}), {steps}{rounds}: plumb show {}\n",
        run.file,
        run.program,
        run.importer,
        quoted_path(&run.folder)
    );
    for doubt in &run.doubts {
        out += &format!("  ? {doubt}\n");
    }
    out.chars()
        .map(|c| {
            if c.is_control() && c != '\n' {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

/// One line for the plan, its remarks beneath it.
pub(super) fn plan_text(plan: &ImportedPlan) -> String {
    let mut out = {
        let of = if is_of_iometer(Path::new(&plan.file)) {
            "a configuration file of Iometer"
        } else {
            "a job file of fio"
        };
        format!(
            "{}: {of}, as a plan: plumb run {}\n",
            plan.file,
            quoted_path(&plan.plan)
        )
    };
    plan.remarks
        .iter()
        .for_each(|remark| out += &format!("  ? {remark}\n"));
    out
}

pub(super) fn kinds_text() -> String {
    let line =
        |name: &str, program: &str, meaning: &str| format!("{name:<14} {program:<12} {meaning}\n");
    let mut out: String = IMPORTERS
        .iter()
        .map(|importer| line(importer.name, importer.program, importer.meaning))
        .collect();
    for (name, program, meaning) in [
        (
            "(job file)",
            "fio",
            "a job file (INI) becomes a plan file in TOML; 'plumb run JOB.fio' runs it as it is",
        ),
        (
            "(*.icf)",
            "Iometer",
            "a configuration file becomes a plan file in TOML; 'plumb run FILE.icf' runs it as it is",
        ),
    ] {
        out += &line(name, program, meaning);
    }
    out
}
