//! How did results change across runs? Runs of one plan are read, analyzed and shown.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use plumb_analyse::trend::{RunFigures, Settings, trend as trend_of};
use plumb_model::results::trend::Trend;
use plumb_model::run::library::{Library, Listing};
use plumb_model::text::shell::quoted_path;
use plumb_record::read_header;
use plumb_show::report::trend_html;
use plumb_show::terminal::trend_text;

use super::known_runs::KnownRuns;
use crate::cli::TrendArguments;
use crate::commands::Outcome;
use crate::streams::{page, print, print_json, say, words};
use plumb_run::derived::{check_page, write_page};

/// Number of choices that an error lists.
const CHOICES_MAX: usize = 12;

/// `plumb trend`. Exit code 1 if the newest segment of any line is worse than the one before.
pub fn trend(arguments: &TrendArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), None)?;
    let mut known = KnownRuns::find(&arguments.selection);
    known.keep();
    let library = &known.library;
    library
        .unreadable
        .iter()
        .for_each(|text| say(&format!("not read: {text}")));
    if library.runs.is_empty() {
        bail!("{}", arguments.selection.nothing_found(library));
    }
    refuse_mixtures(arguments, library)?;
    let settings = Settings {
        steps: arguments.step.clone(),
        metrics: arguments.metrics.clone(),
        threshold: arguments.threshold,
        plumb_version: env!("CARGO_PKG_VERSION").into(),
    };
    let header_of = |folder: &str| read_header(Path::new(folder)).ok();
    let trend = trend_of(figures(&known, &settings), &settings, &header_of);
    if trend.lines.is_empty() {
        bail!("{}", no_lines(arguments, &trend));
    }
    if let Some(file) = &arguments.report {
        write_page(file, &trend_html(&trend, words()))?;
        say(&format!("report: {}", file.display()));
    }
    if arguments.json {
        print_json(&trend)?;
    } else {
        print(&trend_text(&trend, page()))?;
    }
    Ok(if trend.ends_worse() {
        Outcome::Severe
    } else {
        Outcome::Done
    })
}

/// A trend has one plan; hosts and targets are mixed only on request.
fn refuse_mixtures(arguments: &TrendArguments, library: &Library) -> anyhow::Result<()> {
    let selection = &arguments.selection;
    let plans = counted(library, |run| run.plan.clone());
    if plans.len() > 1 {
        bail!(
            "these are runs of {} plans: {}; choose one with --plan",
            plans.len(),
            choices(&plans)
        );
    }
    let hosts = counted(library, |run| {
        run.host.clone().unwrap_or_else(|| "unknown".into())
    });
    if hosts.len() > 1 && selection.host.is_none() {
        bail!(
            "these are runs of {} hosts: {}; choose one with --host, or mix them with --host '*'",
            hosts.len(),
            choices(&hosts)
        );
    }
    let targets = counted(library, |run| run.target.clone());
    if targets.len() > 1 && selection.target.is_none() {
        bail!(
            "these are runs on {} targets: {}; choose one with --target, or mix them with --target '*'",
            targets.len(),
            choices(&targets)
        );
    }
    Ok(())
}

fn counted(library: &Library, of: fn(&Listing) -> String) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    library
        .runs
        .iter()
        .for_each(|run| *counts.entry(of(run)).or_default() += 1);
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// `check (12 runs), depth (1 run)`.
fn choices(counts: &[(String, usize)]) -> String {
    let texts = counts
        .iter()
        .take(CHOICES_MAX)
        .map(|(name, count)| format!("{name} ({count} run{})", if *count == 1 { "" } else { "s" }));
    let more = if counts.len() > CHOICES_MAX {
        format!(" and {} more", counts.len() - CHOICES_MAX)
    } else {
        String::new()
    };
    texts.collect::<Vec<_>>().join(", ") + &more
}

/// What a trend needs of each run. An unreadable run is reported and skipped.
fn figures(known: &KnownRuns, settings: &Settings) -> Vec<RunFigures> {
    let mut found = Vec::new();
    for outcome in known.figures(settings) {
        match outcome {
            Ok(figures) => found.push(figures),
            Err(error) => say(&format!("not read: {error}")),
        }
    }
    found
}

/// The error if there is nothing to show, with a remedy.
fn no_lines(arguments: &TrendArguments, trend: &Trend) -> String {
    match trend.runs.last() {
        None => "none of the runs could be read".into(),
        Some(run) => format!(
            "no step of these {} runs matches '{}' and has the requested metrics; `plumb show {}` shows the newest run",
            trend.runs.len(),
            arguments.step,
            quoted_path(Path::new(&run.folder))
        ),
    }
}
