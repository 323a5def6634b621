//! How is a parsed file of another program written as a plan file, for keeping and editing?

use std::fmt::Write as _;

use crate::file::Entry;
use crate::{JobFile, PlanFile, Sweep};
use plumb_model::keys::Keys;

/// The plan as TOML, with its source (`fio's job file`) and the remarks as comments above it. It contains only what the file sets; defaults stay defaults.
pub fn as_toml(plan: &PlanFile, made_from: &str, remarks: &[String]) -> String {
    let mut out = format!("# Made from {made_from} {}.\n", one_line(&plan.source));
    for remark in remarks {
        let _ = writeln!(out, "# {}.", one_line(remark));
    }
    let mut head = |key: &str, value: toml::Value| {
        // Writing into a String does not fail.
        let _ = writeln!(out, "{key} = {value}");
    };
    head("name", plan.name.as_str().into());
    head("title", plan.title.as_str().into());
    if !plan.note.is_empty() {
        head("note", plan.note.as_str().into());
    }
    head("rounds", i64::from(plan.rounds).into());
    head("order", plan.order.word().into());
    let keys = Keys::get();
    for sweep in &plan.sweeps {
        write_sweep(&mut out, "\n[[sweep]]", sweep, keys);
    }
    if !plan.defaults.is_empty() {
        let _ = writeln!(out, "\n[defaults]");
        write_entries(&mut out, &plan.defaults, keys);
    }
    for step in &plan.steps {
        write_job(&mut out, "step", &step.main, &step.note, keys);
        write_sweep(&mut out, "[step.sweep]", &step.sweep, keys);
        for job in &step.beside {
            write_job(&mut out, "step.beside", job, "", keys);
        }
    }
    out
}

fn write_sweep(out: &mut String, head: &str, sweep: &Sweep, keys: &Keys) {
    if !sweep.is_empty() {
        let _ = writeln!(out, "{head}");
    }
    for (key, values) in sweep {
        let list: Vec<toml::Value> = values
            .iter()
            .filter_map(|text| keys.find(key).and_then(|key| key.value(text)).ok())
            .collect();
        let _ = writeln!(out, "{key} = {}", toml::Value::Array(list));
    }
}

fn write_job(out: &mut String, head: &str, job: &JobFile, note: &str, keys: &Keys) {
    let _ = writeln!(
        out,
        "\n[[{head}]]\nname = {}",
        toml::Value::from(job.name.as_str())
    );
    if !note.is_empty() {
        let _ = writeln!(out, "note = {}", toml::Value::from(note));
    }
    write_entries(out, &job.entries, keys);
}

fn write_entries(out: &mut String, entries: &[Entry], keys: &Keys) {
    for entry in entries {
        // Every entry was checked when the file was read.
        let Ok(value) = keys.find(&entry.key).and_then(|key| key.value(&entry.text)) else {
            continue;
        };
        let _ = match entry.text.split("; ").collect::<Vec<_>>().as_slice() {
            // One line of an access specification on each line.
            lines if entry.key == "access" && lines.len() > 1 => {
                let lines = lines
                    .iter()
                    .map(|line| format!("  {},\n", toml::Value::from(*line)))
                    .collect::<String>();
                writeln!(out, "access = [\n{lines}]")
            }
            _ => writeln!(out, "{} = {value}", entry.key),
        };
    }
}

/// Control characters would end a comment.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_and_sweeps_are_written_too() {
        let text = "name = 'n'\ntitle = 't'\nnote = 'Of the plan.'\nrounds = 2\norder = 'interleaved'\n[defaults]\ndirect = false\n[[sweep]]\nblock = ['4k', '8k']\n[[sweep]]\nblock = ['64k']\nworkers = [1, 2]\n[[step]]\nname = 'a'\nnote = 'Of \"a\".'\nmix = 'write'\n[step.sweep]\ndepth = [1, 8]\n[[step.beside]]\nname = 'b'\nmix = 'read'\n[[step]]\nname = 'c'\n";
        let plan = PlanFile::parse(text, "my.toml").unwrap_or_else(|error| panic!("{error}"));
        let again = PlanFile::parse(&as_toml(&plan, "a plan", &[]), "again")
            .unwrap_or_else(|error| panic!("{error}"));
        let plain = |plan: &PlanFile| {
            (
                plan.note.clone(),
                plan.sweeps.clone(),
                plan.defaults
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.text.clone()))
                    .collect::<Vec<_>>(),
                plan.steps
                    .iter()
                    .map(|step| (step.note.clone(), step.sweep.clone(), step.beside.len()))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(plain(&again), plain(&plan));
        assert_eq!(
            (plan.sweeps.len(), plan.steps[0].note.as_str()),
            (2, "Of \"a\".")
        );
    }
}
