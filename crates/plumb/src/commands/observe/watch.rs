//! `plumb watch`: which values have the counters of this host, now or in a recording?

pub mod arguments;
mod collections;
mod full_screen;
mod sets;
mod times;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use plumb_analyse::figures::watch::{is_recording, summarise_recording};
use plumb_model::results::watch::{WatchInterval, WatchSummary};
use plumb_model::run::{Run, RunHeader};
use plumb_model::text::shell::quoted_path;
use plumb_run::Stop;
use plumb_run::watch::in_loop::{LoopWatched, watch_in_loop};
use plumb_run::watch::{WatchRequest, Watched, watch as watch_counters};
use plumb_show::live::watch::{Subject, WatchView};
use plumb_show::terminal::{Page, interval_text, recording_text};

use crate::commands::Outcome;
use crate::commands::results::import::stored_run;
use crate::full_screen::show;
use crate::outcome::stop;
use crate::streams::{page, print, print_json, say, words};
use crate::system::terminal::{Output, Screen};
use arguments::WatchArguments;
use collections::collection;
use full_screen::FullScreen;
use sets::request_of;
use times::{clock_since, signed, time_text};

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
    let to = match arguments.command.as_slice() {
        [] => Stream::Results,
        _ => Stream::Notices,
    };
    let mut shown = Intervals::shown(arguments, &request, to, &stop)?;
    let mut show = |interval: &WatchInterval, header: &RunHeader| {
        shown.take(interval, header, &stop);
    };
    let options = &arguments.options;
    let watched = match options.in_loop {
        true => {
            let keep = options.keep.map(NonZeroUsize::get);
            watch_in_loop(&request, keep, &stop, &mut show)
        }
        false => watch_counters(&request, &stop, &mut show).map(|last| LoopWatched {
            last,
            recordings: 1,
            notes: Vec::new(),
        }),
    };
    let ended = shown.end();
    let LoopWatched {
        last,
        recordings,
        notes,
    } = watched?;
    ended?;
    let outcome = conclude(&last, to, arguments.json)?;
    if !options.in_loop {
        return Ok(outcome);
    }
    notes.iter().for_each(|note| say(&format!("note: {note}")));
    say(&recordings_text(&request, options.keep, recordings));
    // Only a signal ends it.
    Ok(Outcome::Done)
}

/// Prints the number of recordings of a loop, and their directory.
fn recordings_text(request: &WatchRequest, keep: Option<NonZeroUsize>, made: u64) -> String {
    let parent = match &request.output {
        Some(parent) => parent.clone(),
        None => PathBuf::from("."),
    };
    let kept = match keep.map(|keep| keep.get() as u64) {
        Some(keep) if keep < made => format!(", of which the newest {keep} are kept,"),
        _ => String::new(),
    };
    format!(
        "recordings: {made}{kept} in {} (plumb list {})",
        parent.display(),
        quoted_path(&parent)
    )
}

/// The output for each interval.
enum Intervals {
    Nowhere,
    /// As tables, one below the other, until the reader closes the pipe.
    Printed(Stream, anyhow::Result<()>),
    OnScreen(FullScreen),
}

impl Intervals {
    fn shown(
        arguments: &WatchArguments,
        request: &WatchRequest,
        to: Stream,
        stop: &Stop,
    ) -> anyhow::Result<Intervals> {
        if arguments.quiet || arguments.json {
            return Ok(Intervals::Nowhere);
        }
        // The command uses the terminal.
        if !arguments.plain && arguments.command.is_empty() && Screen::can_be_had(Output::Results) {
            let subject = Subject::Live {
                interval_ns: request.interval_ns,
                is_recorded: request.is_recorded,
            };
            let view = WatchView::new(subject, clock_since(""), words());
            return Ok(Intervals::OnScreen(FullScreen::begin(view, stop)?));
        }
        Ok(Intervals::Printed(to, Ok(())))
    }

    fn take(&mut self, interval: &WatchInterval, header: &RunHeader, stop: &Stop) {
        match self {
            Intervals::Nowhere => {}
            Intervals::OnScreen(screen) => screen.push(interval, header),
            Intervals::Printed(to, shown) => {
                if shown.is_ok() {
                    let time = time_text(&header.started, signed(interval.end_ns));
                    *shown = to.show(|page| interval_text(interval, &time, page) + "\n");
                    // The reader has closed the pipe: `plumb watch | head`.
                    if shown.is_err() {
                        stop.request_end();
                    }
                }
            }
        }
    }

    fn end(self) -> anyhow::Result<()> {
        match self {
            Intervals::Nowhere => Ok(()),
            Intervals::Printed(_, shown) => shown,
            Intervals::OnScreen(screen) => screen.end(),
        }
    }
}

/// Prints the summary, the exit status of the command, and the path of the record.
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

/// The output for tables: standard output belongs to a watched command.
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
    let source = recording.display().to_string();
    let is_shown = !arguments.quiet && !arguments.json;
    if is_shown && !arguments.plain && Screen::can_be_had(Output::Results) {
        let clock = clock_since(&run.header.started);
        let mut view = WatchView::new(Subject::Stored, clock, words());
        let summary = summarise_recording(&run, &source, |interval| view.push(interval));
        let stop = stop()?;
        show(&Mutex::new(view), Output::Results, || stop.is_requested())?;
        show_summary(&summary, false)?;
        return Ok(Outcome::Done);
    }
    let mut failure = Ok(());
    let summary = summarise_recording(&run, &source, |interval| {
        if is_shown && failure.is_ok() {
            let time = time_text(&run.header.started, signed(interval.end_ns));
            failure = print(&(interval_text(&interval, &time, page()) + "\n"));
        }
    });
    failure?;
    show_summary(&summary, arguments.json)?;
    Ok(Outcome::Done)
}

/// The recorded counters of a run; `None` for a run with its own load.
pub fn recording_of(run: &Run, source: &Path) -> Option<WatchSummary> {
    is_recording(run)
        .then(|| summarise_recording(run, &source.display().to_string(), |_: WatchInterval| {}))
}

/// Prints the summary of a recording.
pub fn show_summary(summary: &WatchSummary, json: bool) -> anyhow::Result<()> {
    match json {
        true => print_json(summary),
        false => print(&recording_text(summary, page())),
    }
}
