//! How is a resolved plan printed so that it can be stored, read, and run again?

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Origin, Plan, Step};
use crate::workload::Job;

impl Plan {
    /// The plan as a plan file in TOML: every key of every step written out, with the origin of each value that is not the program's
    /// default. Reading and resolving it again gives the same plan.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let mut head = |key: &str, value: toml::Value| {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{key} = {value}");
        };
        head("name", self.name.clone().into());
        if !self.title.is_empty() {
            head("title", self.title.clone().into());
        }
        if !self.note.is_empty() {
            head("note", self.note.clone().into());
        }
        if let Some(experiment) = &self.experiment {
            head("experiment", experiment.clone().into());
        }
        head("rounds", i64::from(self.rounds).into());
        head("order", self.order.word().into());
        head("seed", whole(self.seed));
        if self.left_out > 0 {
            head("left-out", i64::from(self.left_out).into());
        }
        if let Some(steady) = &self.steady {
            // A plain struct of strings and small numbers: converting it to a table cannot fail.
            let table = toml::Table::try_from(steady).unwrap_or_default();
            let _ = write!(out, "\n[steady]\n{table}");
        }
        for step in &self.steps {
            write_step(&mut out, step);
        }
        out
    }
}

/// TOML integers end at 2^63-1; the parser refuses larger ones.
fn whole(number: u64) -> toml::Value {
    toml::Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn write_step(out: &mut String, step: &Step) {
    for (place, (job, origins)) in step.jobs.iter().zip(&step.origins).enumerate() {
        let (head, path, name) = if place == 0 {
            ("step", "step", &step.name)
        } else {
            ("step.beside", "step.beside", &job.name)
        };
        let _ = writeln!(
            out,
            "\n[[{head}]]\nname = {}",
            toml::Value::from(name.as_str())
        );
        if place == 0 {
            let _ = writeln!(out, "group = {}", toml::Value::from(step.group.as_str()));
            if let Some(combination) = step.combination {
                let _ = writeln!(out, "combination = {combination}");
            }
            if !step.note.is_empty() {
                let _ = writeln!(out, "note = {}", toml::Value::from(step.note.as_str()));
            }
            if !step.stands_for.is_empty() {
                let _ = writeln!(out, "stands-for = {}", texts(&step.stands_for));
            }
            if step.once {
                let _ = writeln!(out, "once = true");
            }
        }
        for (key, value) in job.values() {
            let _ = writeln!(out, "{key} = {value}");
        }
        let words: BTreeMap<String, String> = origins
            .iter()
            .map(|(key, origin)| (key.clone(), origin.word().to_string()))
            .collect();
        write_table(out, &format!("{path}.origins"), &words);
        if place == 0 && !step.swept.is_empty() {
            write_table(out, "step.swept", &step.swept);
        }
    }
}

fn texts(list: &[String]) -> toml::Value {
    list.iter()
        .cloned()
        .map(toml::Value::String)
        .collect::<Vec<_>>()
        .into()
}

fn write_table(out: &mut String, name: &str, entries: &BTreeMap<String, String>) {
    let _ = writeln!(out, "[{name}]");
    for (key, text) in entries {
        let _ = writeln!(out, "{key} = {}", toml::Value::from(text.as_str()));
    }
}

impl Job {
    /// Every key of the job that has a value, as TOML: target, engine, workload.
    pub fn values(&self) -> Vec<(String, toml::Value)> {
        let mut values = vec![(
            "target".to_string(),
            toml::Value::String(self.target.to_string()),
        )];
        for table in [
            toml::Table::try_from(&self.engine),
            toml::Table::try_from(&self.workload),
        ] {
            // Both are plain structs of strings and numbers below 2^63: converting them to a table cannot fail.
            values.extend(table.unwrap_or_default());
        }
        values
    }
}

impl Plan {
    /// Every value of the main job of a step that is not the default, with its origin.
    pub fn chosen(step: &Step) -> Vec<(String, String, Origin)> {
        let (Some(job), Some(origins)) = (step.jobs.first(), step.origins.first()) else {
            return Vec::new();
        };
        let values = job.values().into_iter();
        let text = |value: toml::Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_string)
        };
        values
            .filter_map(|(key, value)| {
                origins
                    .get(&key)
                    .map(|origin| (key.clone(), text(value), *origin))
            })
            .collect()
    }
}
