//! What is made of records? Report pages, comparisons, trends and figures, as the commands of the same names make them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use plumb_analyse::compare::{Entrant, Settings, compare, comparison_plots};
use plumb_analyse::figures::headline::headline as best_figures;
use plumb_analyse::trend;
use plumb_model::results::headline::Headline;
use plumb_model::run::Run;
use plumb_model::run::library::Listing;
use plumb_record::{read_header, read_run};
use plumb_show::live::web::{Choice, Filters};
use plumb_show::report::{comparison_html, trend_html};
use plumb_words::Words;

use super::super::super::compare::short_label;
use super::super::super::known_runs::figures;
use super::super::super::report::html_of;
use super::super::answer::Trouble;
use super::super::query::query_of;
use super::super::shelf::{Found, Shelf, Shelved};

/// What a host is called whose record does not say.
const UNKNOWN: &str = "unknown";
/// A change within this is none, as by default on the command line.
const THRESHOLD: f64 = 0.05;

/// A record may be made to break its reader: the page says so, and the server goes on.
pub fn caught<T>(make: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(make)).unwrap_or(Err(Trouble::Failed))
}

fn read(folder: &Path) -> Result<Run, Trouble> {
    read_run(folder).map_err(|error| Trouble::Said(error.to_string()))
}

/// The figures of a run for the list.
pub fn headline(folder: &Path) -> Result<Headline, Trouble> {
    caught(|| Ok(best_figures(&read(folder)?)))
}

/// The page that `plumb report` writes.
pub fn report(folder: &Path) -> Result<String, Trouble> {
    Ok(html_of(read(folder)?, folder))
}

/// The page that `plumb compare --report` writes.
pub fn comparison(runs: &[Shelved], words: Words) -> Result<String, Trouble> {
    let read: Vec<Run> = runs
        .iter()
        .map(|run| read(&run.folder))
        .collect::<Result<_, _>>()?;
    let entrants: Vec<Entrant> = runs
        .iter()
        .zip(&read)
        .map(|(shelved, run)| Entrant::Run {
            label: short_label(&shelved.folder.display().to_string()),
            run,
        })
        .collect();
    let settings = Settings {
        threshold: THRESHOLD,
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        ..Settings::default()
    };
    let comparison = compare(&entrants, &settings);
    // What was not compared, and why, stands on the page.
    Ok(comparison_html(
        &comparison,
        &comparison_plots(&entrants, &comparison),
        words,
    ))
}

/// The page that `plumb trend --report` writes.
pub fn trend(
    shelf: &Shelf,
    found: &Found,
    runs: &[Shelved],
    words: Words,
) -> Result<String, Trouble> {
    let settings = trend::Settings {
        steps: "*".into(),
        metrics: Vec::new(),
        threshold: THRESHOLD,
        plumb_version: env!("CARGO_PKG_VERSION").into(),
    };
    let runs: Vec<_> = runs
        .iter()
        .map(|run| (run.listing.folder.clone(), run.folder.as_path(), run.stamp))
        .collect();
    let all = found.runs.iter().map(|run| run.folder.as_path());
    let figures = figures(shelf.roots(), &runs, &settings, all);
    // One that cannot be read is left out: the list says why.
    let figures = figures.into_iter().flatten().collect();
    let header_of = |folder: &str| read_header(Path::new(folder)).ok();
    let trend = trend::trend(figures, &settings, &header_of);
    if trend.lines.is_empty() {
        return Err(Trouble::NoTrend);
    }
    Ok(trend_html(&trend, words))
}

/// Of what a trend could be: the plans of these runs; of one plan its hosts; of one host its targets. One or none: there is nothing to choose.
pub fn choices(runs: &[Shelved], filters: &Filters) -> Vec<Choice> {
    type Part = (fn(&Listing) -> String, fn(&mut Filters) -> &mut String);
    let parts: [Part; 3] = [
        (|run| run.plan.clone(), |filters| &mut filters.plan),
        (
            |run| run.host.clone().unwrap_or_else(|| UNKNOWN.into()),
            |filters| &mut filters.host,
        ),
        (|run| run.target.clone(), |filters| &mut filters.target),
    ];
    for (of, field) in parts {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        runs.iter()
            .for_each(|run| *counts.entry(of(&run.listing)).or_default() += 1);
        if counts.len() > 1 {
            let choice = |(name, runs): (String, usize)| {
                let mut chosen = filters.clone();
                *field(&mut chosen) = name.clone();
                Choice {
                    address: format!("/trend?{}", query_of(&chosen)),
                    name,
                    runs,
                }
            };
            let mut choices: Vec<Choice> = counts.into_iter().map(choice).collect();
            choices.sort_by_key(|choice| std::cmp::Reverse(choice.runs));
            return choices;
        }
    }
    Vec::new()
}
