//! How is a recording shown as a page? A run, watched counters, a trace, a capture, or a stored explanation.

use std::path::{Path, PathBuf};

use anyhow::bail;
use plumb_analyse::explain::from_counters::shares;
use plumb_analyse::figures::watch::over_time;
use plumb_model::run::Run;
use plumb_run::derived::{check_page, derive_in, report_of, write_page};
use plumb_show::report::{watched_html, why_html};

use super::import::stored_run;
use crate::commands::Outcome;
use crate::commands::observe::trace::arguments::{RecordingPart, ReportArguments};
use crate::commands::observe::trace::explain::{
    Answer, first, is_recording, refuse_flags_of_figures, write_explained,
};
use crate::commands::observe::watch::recording_of;
use crate::streams::{say, words};

/// The page in a run folder, and of standard input.
const REPORT: &str = "report.html";
/// Values of a line over time: two per pixel of its width.
const INTERVALS_MAX: usize = 1000;

/// `plumb report`.
pub fn report(arguments: &ReportArguments) -> anyhow::Result<Outcome> {
    let recording = &arguments.recording;
    let page = arguments.output.clone().unwrap_or_else(|| page(recording));
    check_page(Some(&page), None)?;
    if is_recording(recording)? {
        return explained(recording, &arguments.part, &page);
    }
    let run = stored_run(recording)?;
    if !shares(&run).is_empty() {
        return explained(recording, &arguments.part, &page);
    }
    if let Some(flag) = given(&arguments.part) {
        bail!(
            "{}: {flag} requires a recording of an application; the page of this file has all its data",
            recording.display()
        );
    }
    write_page_of(run, recording, &page)?;
    Ok(Outcome::Done)
}

/// Writes the page of a run, or of watched counters. Errors: another file exists there, or it cannot be written.
pub fn write_page_of(run: Run, source: &Path, page: &Path) -> anyhow::Result<()> {
    write_page(page, &html_of(run, source))?;
    say(&format!("report: {}", page.display()));
    Ok(())
}

/// The page of a run, or of watched counters.
pub(super) fn html_of(run: Run, source: &Path) -> String {
    match recording_of(&run, source) {
        Some(recording) => watched_html(
            &recording,
            &over_time(&run.readings, INTERVALS_MAX),
            &run.header.environment,
            &run.header.plumb_version,
            words(),
        ),
        None => report_of(&derive_in(run, source), words()),
    }
}

fn explained(recording: &Path, part: &RecordingPart, page: &Path) -> anyhow::Result<Outcome> {
    match first(recording, part, None)? {
        Answer::Rules(explained, trace) => write_explained(&explained, trace.as_ref(), page)?,
        Answer::Program(why, trace) => {
            refuse_flags_of_figures(recording, part, false)?;
            write_page(page, &why_html(&why, trace.as_ref(), words()))?;
            say(&format!("report: {}", page.display()));
        }
    }
    Ok(Outcome::Done)
}

/// The default path of the page of a recording.
fn page(recording: &Path) -> PathBuf {
    if recording.is_dir() {
        return recording.join(REPORT);
    }
    match recording.file_stem() {
        Some(name) if recording.as_os_str() != "-" => {
            let mut page = name.to_owned();
            page.push(".html");
            PathBuf::from(page)
        }
        _ => PathBuf::from(REPORT),
    }
}

/// The first flag that selects a part of a recording.
fn given(part: &RecordingPart) -> Option<&'static str> {
    [
        ("--from", part.from.is_some()),
        ("--to", part.to.is_some()),
        ("--ceiling", part.ceiling.is_some()),
        ("--share", part.share.is_some()),
    ]
    .into_iter()
    .find_map(|(flag, is_given)| is_given.then_some(flag))
}
