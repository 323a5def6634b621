//! How is a file of another program that was understood written as a plan file, to be kept and edited instead of it?

use std::fmt::Write as _;

use super::keys::Keys;
use super::{JobFile, PlanFile};

/// The plan as TOML, with what it was made from (`fio's job file`) and the remarks as comments above it. Only what the file says stands in it; defaults
/// stay defaults.
pub fn as_toml(plan: &PlanFile, made_from: &str, remarks: &[String]) -> String {
    let mut out = format!("# Made from {made_from} {}.\n", one_line(&plan.source));
    for remark in remarks {
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
        if !step.sweep.is_empty() {
            out.push_str("[step.sweep]\n");
        }
        for (key, values) in &step.sweep {
            let list: Vec<toml::Value> = values.iter().filter_map(|text| keys.find(key).and_then(|key| key.value(text)).ok()).collect();
            let _ = writeln!(out, "{key} = {}", toml::Value::Array(list));
        }
        for job in &step.beside {
            write_job(&mut out, "step.beside", job, &keys);
        }
    }
    out
}

fn write_job(out: &mut String, head: &str, job: &JobFile, keys: &Keys) {
    let _ = writeln!(out, "\n[[{head}]]\nname = {}", toml::Value::from(job.name.as_str()));
    for entry in &job.entries {
        // Every entry was checked when the file was read.
        let Ok(value) = keys.find(&entry.key).and_then(|key| key.value(&entry.text)) else { continue };
        let _ = match entry.text.split("; ").collect::<Vec<_>>().as_slice() {
            // One line of an access specification on each line.
            lines if entry.key == "access" && lines.len() > 1 => {
                let lines = lines.iter().map(|line| format!("  {},\n", toml::Value::from(*line))).collect::<String>();
                writeln!(out, "access = [\n{lines}]")
            }
            _ => writeln!(out, "{} = {value}", entry.key),
        };
    }
}

/// Control characters would end a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
