//! What does each layer on the path to the storage cost? Layers are measured or read, compared with the layer below, and shown as a waterfall.

pub mod arguments;

use std::path::{Path, PathBuf};

use anyhow::bail;
use plumb_analyse::compare::Settings;
use plumb_analyse::waterfall::{LayerRun, cpu_over_time, waterfall};
use plumb_model::results::comparison::side_letter;
use plumb_model::results::published::PublishedTable;
use plumb_model::results::waterfall::Waterfall;
use plumb_model::run::Run;
use plumb_model::text::shell::quoted_path;
use plumb_record::read_run;
use plumb_run::derived::{check_page, published_of, write_page};
use plumb_run::layers::{SERVER, measure};
use plumb_run::live_comparison::Measured;
use plumb_show::report::waterfall_html;
use plumb_show::terminal::{published_text, waterfall_text};

use crate::commands::Outcome;
use arguments::LayersArguments;

use crate::outcome::{stop, unfinished};
use crate::streams::{page, print, print_json, say, words};

/// Name of the report in the folder of a live measurement.
const REPORT: &str = "report.html";

/// `plumb layers`.
pub fn layers(arguments: &LayersArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), arguments.output.as_deref())?;
    let nothing_to_measure = arguments.device.is_none()
        && arguments.files.is_empty()
        && arguments.share.is_empty()
        && arguments.network.is_none();
    if let Some(folder) = &arguments.from {
        return stored(arguments, sides_in(folder)?, &folder.join(SERVER));
    }
    if nothing_to_measure && !arguments.layers.is_empty() {
        return stored(arguments, Vec::new(), Path::new(SERVER));
    }
    let stop = stop()?;
    let Measured {
        folder,
        runs,
        interrupted,
        failures,
    } = measure(&arguments.request(), &stop)?;
    let report = arguments
        .report
        .clone()
        .unwrap_or_else(|| folder.join(REPORT));
    present(arguments, &runs, &folder.join(SERVER), Some(&report))?;
    if !arguments.quiet {
        say(&format!(
            "report: {}\nrecord: {} (plumb layers --from {})",
            report.display(),
            folder.display(),
            quoted_path(&folder)
        ));
    }
    let kept = "the blocks so far are recorded and shown";
    let stopped = interrupted.then(|| stop.reason(kept));
    Ok(unfinished(&failures, "", stopped).unwrap_or(Outcome::Done))
}

/// The run folders of a live measurement of layers.
fn sides_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let runs = (0..)
        .map(|side| folder.join(side_letter(side).to_lowercase()))
        .take_while(|run| run.join("run.json").is_file());
    let runs: Vec<PathBuf> = runs.collect();
    match runs.len() {
        0 => {
            bail!(
                "{}: contains no layers; name an output folder of `plumb layers`, or single runs with --layer NAME=FOLDER",
                folder.display()
            )
        }
        _ => Ok(runs),
    }
}

fn stored(
    arguments: &LayersArguments,
    runs: Vec<PathBuf>,
    server: &Path,
) -> anyhow::Result<Outcome> {
    if runs.len() + arguments.layers.len() < 2 {
        bail!(
            "one layer cannot be compared: add a run with --layer NAME=FOLDER, or a layer to measure"
        );
    }
    present(arguments, &runs, server, arguments.report.as_deref())?;
    if let Some(report) = &arguments.report {
        say(&format!("report: {}", report.display()));
    }
    Ok(Outcome::Done)
}

fn present(
    arguments: &LayersArguments,
    runs: &[PathBuf],
    server: &Path,
    report: Option<&Path>,
) -> anyhow::Result<()> {
    let mut read: Vec<(Option<String>, Run)> = Vec::new();
    for (name, folder) in &arguments.layers {
        read.push((Some(name.clone()), read_run(Path::new(folder))?));
    }
    for folder in runs {
        read.push((None, read_run(folder)?));
    }
    let server = if server.join("run.json").is_file() {
        Some(read_run(server)?)
    } else {
        None
    };
    let layers: Vec<LayerRun> = read
        .iter()
        .map(|(name, run)| LayerRun {
            name: name.clone(),
            run,
        })
        .collect();
    let settings = Settings {
        threshold: arguments.threshold,
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        ..Settings::default()
    };
    let found = waterfall(&layers, server.as_ref(), &settings);
    let published = published(&found, &read);
    let html = || waterfall_html(&found, &cpu_over_time(&layers, server.as_ref()), words());
    let written = report.map_or(Ok(()), |file| write_page(file, &html()));
    // The results are shown even if the report cannot be written.
    if arguments.json {
        print_json(&found)?
    } else {
        print(&(waterfall_text(&found, page()) + &published_text(&published, page())))?
    }
    written
}

/// The published figures of the experiment that the plan repeats, with each layer next to its own.
fn published(found: &Waterfall, read: &[(Option<String>, Run)]) -> Vec<PublishedTable> {
    let Some(experiment) = read
        .iter()
        .find_map(|(_, run)| run.header.plan.experiment.as_ref())
    else {
        return Vec::new();
    };
    let runs: Vec<(&str, &Run)> = found
        .layers
        .iter()
        .filter_map(|layer| {
            let held = read.iter().find(|(_, run)| run.header.id == layer.run)?;
            Some((layer.name.as_str(), &held.1))
        })
        .collect();
    published_of(experiment, &runs)
}
