//! Is each key within its range, and does the job have what it needs? Defined by the keys themselves; no key is named here.

use plumb_model::keys::traits::Needs;
use plumb_model::keys::{Key, KeyHome, Keys};
use plumb_model::workload::Job;
use serde_json::Value;

/// The first key with a value out of range, or without effect in this job; and what is wrong.
pub(super) fn judge(job: &Job, keys: &Keys) -> Option<(String, String)> {
    let (workload, engine) = (
        serde_json::to_value(&job.workload).ok()?,
        serde_json::to_value(&job.engine).ok()?,
    );
    let judged = |key: &&Key| {
        let traits = &key.traits;
        traits.least.or(traits.greatest).is_some() || traits.refused_because.is_some()
    };
    keys.all().iter().filter(judged).find_map(|key| {
        let value = match key.home {
            KeyHome::Workload => workload.get(&key.name),
            KeyHome::Engine => engine.get(&key.name),
            KeyHome::Target | KeyHome::Sugar => None,
        }?;
        let wrong = out_of_range(key, value).or_else(|| without_what_it_needs(key, value, job))?;
        Some((key.name.clone(), wrong))
    })
}

fn out_of_range(key: &Key, value: &Value) -> Option<String> {
    let number = key.number(value)?;
    let (least, greatest) = (key.traits.least, key.traits.greatest);
    let too_small = least.filter(|least| number < *least);
    let too_large = greatest.filter(|greatest| number > *greatest);
    let name = &key.name;
    let remedy = match (too_small, too_large) {
        (Some(least), _) => format!("use {name} = {} or more", key.shown(least)),
        (None, Some(greatest)) => format!("use {name} = {} or less", key.shown(greatest)),
        (None, None) => return None,
    };
    let ends = [
        least.map(|of| format!("at least {}", key.shown(of))),
        greatest.map(|of| format!("at most {}", key.shown(of))),
    ];
    let range: Vec<String> = ends.into_iter().flatten().collect();
    Some(format!(
        "{name} = {} is out of range ({}): {remedy}",
        key.shown(number),
        range.join(" and ")
    ))
}

fn without_what_it_needs(key: &Key, value: &Value, job: &Job) -> Option<String> {
    let (needs, why) = (key.traits.needs?, key.traits.refused_because.as_ref()?);
    if key.is_default(value) || job.workload.has(needs) {
        return None;
    }
    let (name, mix) = (&key.name, &job.workload.mix);
    Some(match needs {
        Needs::Rate => format!("{name} {why}, but there is no rate; set one, or remove it"),
        Needs::Writes | Needs::Changes => {
            format!("{name} {why}, but the mix {mix} has none; remove it, or add write to the mix")
        }
        Needs::FileOperations => {
            format!("{name} {why}, but the mix {mix} has no file operations; remove it")
        }
    })
}
