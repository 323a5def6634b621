//! `plumb watch`: what do the counters of this machine say, now or in a recording?

pub mod arguments;
mod collections;
mod sets;

use std::path::Path;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use plumb_analyse::figures::watch::{is_recording, summarise_recording};
use plumb_model::results::watch::{WatchInterval, WatchSummary};
use plumb_model::run::Run;
use plumb_model::text::shell::quoted_path;
use plumb_run::watch::{WatchRequest, Watched, watch as watch_counters};
use plumb_show::terminal::{Page, interval_text, recording_text};
use plumb_words::numbers::show_time_ns;

use crate::commands::Outcome;
use crate::commands::results::import::stored_run;
use crate::outcome::stop;
use crate::streams::{page, print, print_json, say};
use arguments::WatchArguments;
use collections::collection;
use sets::request_of;

/// `plumb watch`.
pub fn watch(arguments: &WatchArguments) -> anyhow::Result<Outcome> {
    if let Some(verb) = &arguments.collection {
        return collection(verb);
    }
    if let Some(recording) = &arguments.recording {
        return replay(recording, arguments);
    }
    let request = WatchRequest {
        command: arguments.command.clone(),
        is_recorded: !arguments.no_record,
        ..request_of(&arguments.options)?
    };
    let stop = stop()?;
    let mut failure = None;
    let to = match arguments.command.as_slice() {
        [] => Stream::Results,
        _ => Stream::Notices,
    };
    let is_shown = !arguments.quiet && !arguments.json;
    let watched = watch_counters(&request, &stop, &mut |interval, header| {
        if is_shown && failure.is_none() {
            let time = time_text(&header.started, interval);
            failure = to
                .show(|page| interval_text(interval, &time, page) + "\n")
                .err();
            // Nobody reads any more: `plumb watch | head`.
            if failure.is_some() {
                stop.ask();
            }
        }
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    conclude(&watched, to, arguments.json)
}

/// What was watched as a whole, how the command ended, and where the record is.
fn conclude(watched: &Watched, to: Stream, json: bool) -> anyhow::Result<Outcome> {
    if json {
        print_json(&watched.summary)?;
    } else {
        to.show(|page| recording_text(&watched.summary, page))?;
    }
    if let Some(folder) = &watched.folder {
        let shown = quoted_path(folder);
        say(&format!(
            "record: {} (plumb show {shown})",
            folder.display()
        ));
    }
    Ok(match &watched.summary.command_end {
        _ if watched.interrupted => Outcome::NotDone,
        Some(end) if !end.is_success() => Outcome::Severe,
        _ => Outcome::Done,
    })
}

/// Where tables go: what a watched command prints is the result, and stays its own.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Results,
    Notices,
}

impl Stream {
    fn show(self, text: impl Fn(Page) -> String) -> anyhow::Result<()> {
        match self {
            Stream::Results => print(&text(page())),
            Stream::Notices => {
                let page = Page {
                    colour: false,
                    ..page()
                };
                say(text(page).trim_end());
                Ok(())
            }
        }
    }
}

/// Shows a recording interval by interval.
fn replay(recording: &Path, arguments: &WatchArguments) -> anyhow::Result<Outcome> {
    let run = stored_run(recording)?;
    let mut failure = Ok(());
    let is_shown = !arguments.quiet && !arguments.json;
    let summary = summarise_recording(&run, &recording.display().to_string(), |interval| {
        if is_shown && failure.is_ok() {
            let time = time_text(&run.header.started, &interval);
            failure = print(&(interval_text(&interval, &time, page()) + "\n"));
        }
    });
    failure?;
    show_summary(&summary, arguments.json)?;
    Ok(Outcome::Done)
}

/// The recording of counters in a run; `None` for a run that has a load of its own.
pub fn recording_of(run: &Run, source: &Path) -> Option<WatchSummary> {
    is_recording(run)
        .then(|| summarise_recording(run, &source.display().to_string(), |_: WatchInterval| {}))
}

/// Prints a recording as a whole.
pub fn show_summary(summary: &WatchSummary, json: bool) -> anyhow::Result<()> {
    match json {
        true => print_json(summary),
        false => print(&recording_text(summary, page())),
    }
}

/// When an interval ended: by the clock of the machine that was watched, where that is known, else since the start.
fn time_text(started: &str, interval: &WatchInterval) -> String {
    let since_start =
        SignedDuration::from_nanos(i64::try_from(interval.end_ns).unwrap_or(i64::MAX));
    // The offset is left out: what is shown is the local time there.
    let local = started
        .get(..19)
        .and_then(|text| text.parse::<DateTime>().ok())
        .and_then(|start| start.checked_add(since_start).ok());
    match local {
        Some(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        None => show_time_ns(interval.end_ns as f64),
    }
}
