//! What is made of a recorded run? Summary, verdict and plots derived from it, and a page of them.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use anyhow::Context;
use plumb_analyse::figures::watch::{Derivation, OwnShares};
use plumb_analyse::plots::hosts::HostMaps;
use plumb_analyse::{plots, published_tables, summarise};
use plumb_model::results::published::PublishedTable;
use plumb_model::results::reference::Reference;
use plumb_model::results::series::Plots;
use plumb_model::results::summary::Summary;
use plumb_model::run::Run;
use plumb_model::run::metric::Reading;
use plumb_plan::references;
use plumb_record::exporter::TakeSample;
use plumb_record::folder::rank_folder;
use plumb_record::{Replace, check_result_path, each_reading, read_run, write_result};
use plumb_show::chart::Subject;
use plumb_show::report::report_html;
use plumb_words::Words;

/// A run with all that is derived from it.
pub struct Derived {
    pub run: Run,
    pub summary: Summary,
    pub plots: Plots,
}

/// Derives everything from the record.
pub fn derive(run: Run) -> Derived {
    let summary = summarise(&run);
    let mut plots = plots(&run, &summary);
    plots.published = published(&run);
    Derived {
        run,
        summary,
        plots,
    }
}

/// The published figures of the experiment that the plan repeats, with those of the run beside them; none if no step did any of its work.
fn published(run: &Run) -> Vec<PublishedTable> {
    let Some(experiment) = &run.header.plan.experiment else {
        return Vec::new();
    };
    published_of(experiment, &[("", run)])
}

/// The published figures of an experiment with those of runs, each by its label, beside them; none if no run did any of its work.
pub fn published_of(experiment: &str, runs: &[(&str, &Run)]) -> Vec<PublishedTable> {
    // The files are built in, and a test reads them all.
    let references = references::all().unwrap_or_default();
    let of: Vec<&Reference> = references
        .iter()
        .filter(|reference| reference.experiment == experiment)
        .collect();
    let mut tables = published_tables(runs, &of);
    for table in &mut tables {
        // Of an article's tables those that the plan is of: the others are no result of this run.
        let of_plan: BTreeSet<String> = table.measured().map(|row| row.table.clone()).collect();
        table.rows.retain(|row| of_plan.contains(&row.table));
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// Ranks up to which each record is read again for the page.
const RANKS_READ_MAX: usize = 256;

/// The same, with the records of the ranks beside the main record: `folder` is where the record was read from. A rank whose record is not there has
/// nothing to add.
pub fn derive_in(run: Run, folder: &Path) -> Derived {
    let mut derived = derive(run);
    let Some(mut maps) = HostMaps::new(&derived.run) else {
        return derived;
    };
    let ranks = derived.run.header.ranks.iter();
    let places = ranks.flat_map(|ranks| &ranks.processes);
    if places.clone().count() <= RANKS_READ_MAX {
        for rank in places {
            if let Ok(rank) = read_run(&rank_folder(folder, rank.rank)) {
                maps.add(&rank);
            }
        }
    }
    (derived.plots.host_iops, derived.plots.host_longest) = maps.finish();
    derived
}

/// Writes a page: a new file, or replaces a page that plumb wrote before. Errors: anything else exists there, which is kept.
pub fn write_page(file: &Path, html: &str) -> anyhow::Result<()> {
    write_result(file, html.as_bytes(), Replace::OwnReport).context("the report was not written")
}

/// Whether a page could be written to `file`, before anything is measured for it. In the folder of a measurement that is yet to be made, it can.
///
/// Errors: what is there, or why nothing can be written.
pub fn check_page(file: Option<&Path>, output: Option<&Path>) -> anyhow::Result<()> {
    let absolute = |path: &Path| std::path::absolute(path).ok();
    match file {
        Some(file)
            if output.is_some_and(|output| {
                !output.exists() && file.parent().and_then(absolute) == absolute(output)
            }) =>
        {
            Ok(())
        }
        Some(file) => check_result_path(file, Replace::OwnReport)
            .context("cannot write the report; nothing was run"),
        None => Ok(()),
    }
}

/// The report page in this language.
pub fn report_of(derived: &Derived, words: Words) -> String {
    report_html(&Subject {
        run: &derived.run,
        summary: &derived.summary,
        plots: &derived.plots,
        words,
    })
}

/// Writes the report page in this language.
pub fn write_report(derived: &Derived, file: &Path, words: Words) -> anyhow::Result<()> {
    write_page(file, &report_of(derived, words))
}

/// Hands over every sample of the counters, with the interval that ended with it: of `record` where that is named, else of the run. What plumb's own clients
/// did on a share stands among them, under the names of Windows' client.
///
/// Errors: the record cannot be read, or that of `take`.
pub fn each_sample(run: &Run, record: Option<&Path>, take: TakeSample<'_>) -> io::Result<()> {
    let mut derivation = Derivation::new();
    let mut sample: Vec<Reading> = Vec::new();
    let mut failure = Ok(());
    let mut own_shares = OwnShares::of(run);
    let mut end = |sample: &mut Vec<Reading>| {
        if failure.is_ok() && !sample.is_empty() {
            let with_shares = own_shares.beside(sample);
            failure = take(&with_shares, derivation.take(&with_shares).as_ref());
        }
        sample.clear();
    };
    let mut next = |reading: &Reading| {
        if sample
            .first()
            .is_some_and(|first| first.time_ns != reading.time_ns)
        {
            end(&mut sample);
        }
        sample.push(reading.clone());
    };
    match record {
        Some(folder) => each_reading(folder, next).map_err(io::Error::other)?,
        None => run.readings.iter().for_each(&mut next),
    }
    end(&mut sample);
    failure
}
