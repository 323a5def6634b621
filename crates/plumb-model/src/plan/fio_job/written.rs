//! How is a job file that was understood written as a plan file, to be kept and edited instead of it?

use std::fmt::Write as _;

use super::FioJob;
use crate::plan::JobFile;
use crate::plan::keys::Keys;

/// The plan as TOML, with the remarks as comments above it. Only what the job file says stands in it; defaults stay defaults.
pub fn as_toml(job: &FioJob) -> String {
    let plan = &job.plan;
    let mut out = format!("# Made from fio's job file {}.\n", one_line(&plan.source));
    for remark in &job.remarks {
        let _ = writeln!(out, "# {}.", one_line(remark));
    }
    for (key, value) in [
        ("name", toml::Value::from(plan.name.as_str())),
        ("title", plan.title.as_str().into()),
        ("rounds", i64::from(plan.rounds).into()),
        ("order", plan.order.word().into()),
    ] {
        // Writing into a String does not fail.
        let _ = writeln!(out, "{key} = {value}");
    }
    let keys = Keys::derive();
    for step in &plan.steps {
        write_job(&mut out, "step", &step.main, &keys);
        for job in &step.beside {
            write_job(&mut out, "step.beside", job, &keys);
        }
    }
    out
}

fn write_job(out: &mut String, head: &str, job: &JobFile, keys: &Keys) {
    let _ = writeln!(out, "\n[[{head}]]\nname = {}", toml::Value::from(job.name.as_str()));
    for entry in &job.entries {
        // Every entry was checked when the job file was read.
        if let Ok(value) = keys.find(&entry.key).and_then(|key| key.value(&entry.text)) {
            let _ = writeln!(out, "{} = {value}", entry.key);
        }
    }
}

/// Control characters would end a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
