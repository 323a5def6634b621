//! How is the plan of an fio command line measured and reported, with fio's actions around its jobs?

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use plumb_load::site::{Admission, Overwrite, SiteError};
use plumb_model::plan::Plan;
use plumb_plan::fio_command::{Settings, Understood};
use plumb_run::Stop;
use plumb_run::measurement::{
    Measurement, OnInterval, OpenView, Request, Seen, measure, random_number,
};
use plumb_run::secrets;
use plumb_show::live::View;
use plumb_show::live::run::Wishes;
use plumb_show::terminal::{Page, findings_lines};

use super::commands::Commands;
use super::companions::Companions;
use super::eta::Eta;
use super::jobs::{Jobs, as_under_fio, jobs, layout_lines, make_folders};
use super::mismatches::{error_lines, mismatch_lines};
use super::net::Listening;
use super::output::{self, Sink};
use super::record::Record;
use super::shared::{FAILED, Files, STOPPED, Silence as _};
use super::trigger::Trigger;
use crate::full_screen::view_of_run;
use crate::outcome::stop;
use crate::streams::{page, say, words};

/// Measures, and returns fio's exit code. The notes of plumb follow fio's output.
pub fn run(
    plan: Plan,
    files: &Files,
    understood: &Understood,
    settings: &Settings,
) -> anyhow::Result<u8> {
    let record = Record::of(settings, &plan.name)?;
    let code = measured(plan, files, understood, settings, &record);
    files.notes.iter().for_each(|note| say(note));
    if code.is_ok() && !settings.is_silent() {
        let folder = record.folder.display();
        let kept = record
            .is_kept()
            .then(|| format!("record: {folder} (plumb show {folder})"));
        kept.iter()
            .chain(&record.not_kept)
            .for_each(|line| say(line));
    }
    record.end(code.is_ok());
    code
}

fn measured(
    mut plan: Plan,
    files: &Files,
    understood: &Understood,
    settings: &Settings,
    record: &Record,
) -> anyhow::Result<u8> {
    let folder = record.folder.as_path();
    files.logs.refuse_others()?;
    let commands = Commands::of(understood, &plan, settings.allow_exec)?;
    let admission = admission(settings, &plan)?;
    commands.refuse_others(&admission.overwrite)?;
    let stop = stop()?;
    let trigger = Trigger::set(settings, &stop)?;
    let companions = &understood.job.companions;
    let companions = Companions::of(companions, settings.allow_exec, stop.flag().clone())?;
    let companions = Rc::new(companions);
    let beside = companions.clone();
    let sink = Rc::new(Sink::open(settings)?);
    as_under_fio(understood, &mut plan);
    let jobs = Rc::new(jobs(understood, &plan));
    if settings.shows_seeds {
        plan.settle_seeds(random_number());
        sink.seeds(&plan)?;
    }
    sink.begin(&jobs, &layout_lines(understood, &plan))?;
    make_folders(understood, &plan)?;
    let is_silent = settings.is_silent();
    let listeners = &understood.job.listeners;
    let mut listening = Listening::begin(listeners, Arc::default(), false, is_silent)?;
    let (view, on_interval) = seen(settings, &sink, &jobs, folder, &stop);
    let begin = trigger.begin();
    let request = Request {
        report: !settings.no_report && record.has_page(),
        quiet: is_silent,
        tags: settings.tags.clone(),
        output: Some(folder.to_path_buf()),
        admission,
        words: words(),
        view: Some(view),
        on_interval,
        around_step: Some(Box::new(move |is_before, step, round| {
            commands.run(is_before, step, round, is_silent);
            if is_before {
                beside.begin(step);
            }
            begin();
        })),
        ..Request::quiet(plan.clone())
    };
    let measured = measure(request, &stop).inspect_err(|error| {
        // As in fio, the result shows which jobs failed.
        if matches!(error.downcast_ref(), Some(SiteError::NoRoom(_))) {
            let written = sink.not_begun(&plan, &jobs, "ENOSPC");
            written.unwrap_or_else(|error| say(&format!("fio: {error:#}")));
        }
    })?;
    companions.end();
    let subject = output::subject(&measured.derived);
    let not_written = files.states.write(&subject);
    let is_pulled = trigger.end(is_silent);
    if measured.interrupted && !is_pulled {
        sink.stopped(&stop)?;
    }
    let errors = sink.end(
        &measured.derived,
        &jobs.with_listener_traffic(&listening.end()),
    )?;
    files.logs.write(&subject, folder)?;
    error_lines(&subject, &jobs)
        .iter()
        .for_each(|line| say(line));
    mismatch_lines(&subject).iter().for_each(|line| say(line));
    let failures = not_written.iter().chain(&measured.failures);
    failures.for_each(|why| say(&format!("fio: {why}")));
    if !is_silent {
        // Messages are printed without control characters.
        let plain = Page {
            colour: false,
            ..page()
        };
        say(findings_lines(&measured.derived.summary.findings, plain).trim_end());
    }
    Ok(code(&measured, settings, (errors, is_pulled), &stop))
}

fn code(
    measured: &Measurement,
    settings: &Settings,
    (errors, is_pulled): (bool, bool),
    stop: &Stop,
) -> u8 {
    if measured.interrupted && !is_pulled {
        if !settings.is_silent() {
            say(&stop.reason("the results so far are reported and recorded"));
        }
        return STOPPED;
    }
    if errors || !measured.failures.is_empty() {
        FAILED
    } else {
        0
    }
}

/// The outputs during the jobs.
fn seen(
    settings: &Settings,
    sink: &Rc<Sink>,
    jobs: &Rc<Jobs>,
    folder: &Path,
    stop: &Stop,
) -> (OpenView, Option<OnInterval>) {
    let eta = Eta::wanted(settings, jobs);
    let view = match (&eta, settings.eta.as_deref()) {
        (Some(eta), _) => eta.view(),
        (None, Some("never")) => Box::new(|| View::Quiet) as OpenView,
        (None, _) if settings.is_silent() => Box::new(|| View::Quiet),
        _ => view_of_run(Some(Wishes::default()), stop),
    };
    let of_eta = eta.as_ref().map(Eta::on_interval);
    (
        view,
        both(of_eta, now_and_then(settings, sink, jobs, folder)),
    )
}

/// The permissions of the user.
fn admission(settings: &Settings, plan: &Plan) -> anyhow::Result<Admission> {
    Ok(Admission {
        overwrite: match &settings.overwrite {
            None => Overwrite::No,
            Some(None) => Overwrite::Yes,
            Some(Some(path)) => Overwrite::Named(path.clone()),
        },
        login: secrets::of_plan(plan, &secrets::Login::default())?.into(),
    })
}

/// One after the other.
fn both(first: Option<OnInterval>, second: Option<OnInterval>) -> Option<OnInterval> {
    match (first, second) {
        (Some(first), Some(second)) => Some(Rc::new(move |seen: &Seen<'_>| {
            first(seen);
            second(seen);
        })),
        (first, second) => first.or(second),
    }
}

/// The complete result so far, every `--status-interval`.
fn now_and_then(
    settings: &Settings,
    sink: &Rc<Sink>,
    jobs: &Rc<Jobs>,
    folder: &Path,
) -> Option<OnInterval> {
    let every_ns = settings.status_interval_ns?;
    let (sink, jobs, folder) = (sink.clone(), jobs.clone(), folder.to_path_buf());
    let next_ns = std::cell::Cell::new(None);
    Some(Rc::new(move |seen: &Seen<'_>| {
        let now_ns = seen.tick.end_ns;
        let due_ns = next_ns.get().unwrap_or(seen.tick.start_ns + every_ns);
        if now_ns < due_ns {
            next_ns.set(Some(due_ns));
            return;
        }
        next_ns.set(Some(due_ns + every_ns));
        if let Err(error) = sink.so_far(&folder, &jobs) {
            say(&format!("fio: --status-interval: {error:#}"));
        }
    }))
}
