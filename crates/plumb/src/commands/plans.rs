//! Which plans are built in, what do they contain, and which keys can a plan have?

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use plumb_model::keys::{Key, Keys};
use plumb_plan::fio_job::{Class, options};
use plumb_plan::plans::{BuiltIn, PLANS, find};
use plumb_plan::{Overrides, PLAN_KEYS, PlanKind, resolve};
use plumb_run::named_plan::job_files::{configuration_as_plan, is_of_iometer, job_as_plan};
use plumb_run::named_plan::unknown;
use plumb_words::numbers::show_time_ns;

use super::Outcome;
use crate::streams::{print, words};

#[derive(Debug, Args)]
pub struct PlansArguments {
    /// Print this plan as a plan file; also converts an fio job file (*.fio) or an Iometer configuration file (*.icf)
    pub name: Option<String>,
    /// List all keys of a plan with their meaning and default
    #[arg(long, conflicts_with = "name")]
    pub keys: bool,
    /// List the options of fio job files: supported, without effect, or refused, with the alternative
    #[arg(long, conflicts_with_all = ["name", "keys"])]
    pub fio_options: bool,
}

/// `plumb plans`.
pub fn plans(arguments: &PlansArguments) -> anyhow::Result<Outcome> {
    match &arguments.name {
        // An fio job file, converted to a plan.
        Some(name) if name.ends_with(".fio") => print(&job_as_plan(Path::new(name))?.0)?,
        Some(name) if is_of_iometer(Path::new(name)) => {
            print(&configuration_as_plan(Path::new(name))?.0)?
        }
        Some(name) => print(find(name).ok_or_else(|| unknown(name))?.text)?,
        None if arguments.fio_options => print(&fio_options_text())?,
        None if arguments.keys => print(&keys_text(Keys::get()))?,
        None => print(&list()?)?,
    }
    Ok(Outcome::Done)
}

fn list() -> anyhow::Result<String> {
    let mut out = String::new();
    let widest = PLANS.iter().map(|plan| plan.name.len()).max().unwrap_or(0);
    for plan in PLANS {
        let (title, length) = describe(plan)?;
        writeln!(out, "{:<widest$} {length:>14}  {title}", plan.name)?;
    }
    out.push_str("\nRun a plan: plumb run NAME [TARGET]. Print it: plumb plans NAME. List all keys: plumb plans --keys.\n");
    Ok(out)
}

fn describe(built_in: &BuiltIn) -> anyhow::Result<(String, String)> {
    let plan = resolve(&built_in.file()?, &Overrides::default(), PlanKind::Preset)?;
    // Without a time, each step goes so often through its part of the target, or does so many operations.
    let length = plan.estimate(|_| Some(0)).duration_s.map_or_else(
        || "by size".into(),
        |duration_s| show_time_ns(duration_s * 1e9),
    );
    Ok((words().plan_title(&plan.name, &plan.title), length))
}

fn keys_text(keys: &Keys) -> String {
    let mut out = String::from("At the top of a plan file:\n");
    for (name, meaning) in PLAN_KEYS {
        let _ = writeln!(out, "  {name:<20} {meaning}");
    }
    out.push_str("\nIn [defaults], a [[step]], a [step.sweep] (with a list of values), a [[step.beside]], or with --set:\n");
    for key in keys.all() {
        let _ = writeln!(
            out,
            "  {:<20} {}{}",
            key.name,
            key.meaning,
            default_text(key)
        );
    }
    out
}

/// Columns of a list of names.
const LIST_WIDTH: usize = 100;

/// The support of each option of fio's job files.
fn fio_options_text() -> String {
    let known = options(Keys::get());
    let named = |class: Class| {
        let names = known
            .iter()
            .filter(|option| option.class == class)
            .map(|option| option.name);
        names.fold(String::from(" "), |mut lines, name| {
            if lines.len() - lines.rfind('\n').unwrap_or(0) + name.len() > LIST_WIDTH {
                lines.push_str("\n ");
            }
            lines + " " + name
        })
    };
    let mut out = format!(
        "Options of fio's job files that are honoured; a value that cannot be carried out is refused with the nearest that can:\n\n{}\n\n\
         Accepted, without effect here:\n\n{}\n\nRefused, with what to do instead:\n\n",
        named(Class::Honoured),
        named(Class::WithoutEffect)
    );
    for option in &known {
        if let Class::Refused { instead, .. } = option.class {
            let _ = writeln!(out, "  {:<22} {instead}", option.name);
        }
    }
    out
}

fn default_text(key: &Key) -> String {
    let (least, greatest) = (
        key.traits.least.map(|of| key.shown(of)),
        key.traits.greatest.map(|of| key.shown(of)),
    );
    let range = match (least, greatest) {
        (Some(least), Some(greatest)) => Some(format!("{least} to {greatest}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(greatest)) => Some(format!("at most {greatest}")),
        (None, None) => None,
    };
    let default = key.default.as_ref().map(|text| format!("default: {text}"));
    let details: Vec<String> = default.into_iter().chain(range).collect();
    if details.is_empty() {
        String::new()
    } else {
        format!(" [{}]", details.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_and_plan_is_told() {
        let (keys, list) = (Keys::get(), list().expect("list"));
        let text = keys_text(keys);
        assert!(
            keys.all()
                .iter()
                .all(|key| text.contains(&format!("  {}", key.name)))
        );
        assert!(PLANS.iter().all(|plan| list.contains(plan.name)));
        assert!(
            options(keys)
                .iter()
                .all(|option| fio_options_text().contains(option.name))
        );
        assert!(
            unknown("dept")
                .to_string()
                .contains("did you mean 'depth'?")
        );
    }
}
