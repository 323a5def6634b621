//! What is the value and the origin of each key of the plan?

use plumb_model::plan::{Origin, Plan};
use plumb_words::Words;

use super::tables;
use crate::figure::{Column, Table};
use crate::tables::resolved::{Setting, resolve};

pub(super) fn section(plan: &Plan, words: Words) -> String {
    let resolved = resolve(plan);
    let columns = || {
        vec![
            Column::text(words.label("label-key")),
            Column::prose(words.label("label-value")),
            Column::text(words.label("label-origin")),
        ]
    };
    let row = |setting: &Setting| {
        vec![
            setting.key.clone(),
            setting.value.clone(),
            setting.origin.to_string(),
        ]
    };
    let (chosen, defaults): (Vec<&Setting>, Vec<&Setting>) = resolved
        .shared
        .iter()
        .partition(|setting| setting.origin != Origin::Default);
    let table = |settings: &[&Setting]| Table {
        columns: columns(),
        rows: settings.iter().map(|setting| row(setting)).collect(),
        note: String::new(),
    };
    let mut out = tables::folded(&words.label("label-shared-and-set"), &table(&chosen), true);
    out.push_str(&tables::folded(
        &words.label("label-shared-defaults"),
        &table(&defaults),
        false,
    ));
    out.push_str(&tables::folded(
        &words.label("label-differing-keys"),
        &differing(&resolved.differing, words),
        plan.steps.len() <= 40,
    ));
    out
}

/// One row per job, one column per key that differs anywhere.
fn differing(jobs: &[(String, String, Vec<Setting>)], words: Words) -> Table {
    let mut keys: Vec<&str> = Vec::new();
    for setting in jobs.iter().flat_map(|(_, _, settings)| settings) {
        if !keys.contains(&setting.key.as_str()) {
            keys.push(&setting.key);
        }
    }
    // Seeds are long and least important: last.
    keys.sort_by_key(|key| *key == "seed");
    if keys.is_empty() {
        return Table::default();
    }
    let row = |(step, job, settings): &(String, String, Vec<Setting>)| {
        let cell = |key: &&str| {
            let setting = settings.iter().find(|setting| setting.key == **key);
            setting.map_or_else(String::new, |setting| {
                format!("{} ({})", setting.value, setting.origin)
            })
        };
        let name = if job.is_empty() {
            step.clone()
        } else {
            format!("{step}, {job}")
        };
        std::iter::once(name).chain(keys.iter().map(cell)).collect()
    };
    let columns = std::iter::once(words.label("label-step"))
        .map(Column::text)
        .chain(keys.iter().map(|key| match *key {
            "seed" => Column::prose("seed"),
            key => Column::text(key),
        }))
        .collect();
    Table {
        columns,
        rows: jobs.iter().map(row).collect(),
        note: words.label("label-origin-note"),
    }
}
