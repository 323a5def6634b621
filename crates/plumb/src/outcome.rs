//! How does a command report its result? On the terminal or as JSON, with the paths of report and record, and an exit code.

use std::io::{IsTerminal, stdout};
use std::sync::OnceLock;

use plumb_model::text::shell::quoted_path;
use plumb_run::Stop;
use plumb_run::derived::Derived;
use plumb_run::measurement::{Measurement, Request, measure, written_text};
use plumb_run::ranks::launch::{LaunchRequest, launch};
use plumb_run::ranks::{self, RanksRequest};
use plumb_show::live::View;
use plumb_show::tables::grid::one_line;
use plumb_show::terminal::{
    findings_lines, findings_text, grid_text, matrices_text, notes_lines, notes_text,
    published_text, ranks_text, summary_table, verdict_lines, verdict_text,
};

use crate::arguments::OutputArguments;
use crate::commands::measure::stream::on_interval;
use crate::commands::{Outcome, outcome_of};
use crate::full_screen::view_of_run;
use crate::streams::{page, print, print_json, release_notices, say, words};
use crate::system::ALLOCATOR;
use crate::system::terminal::give_back_now;

/// How much the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Findings and verdict: one screen.
    Verdict,
    /// The table of steps too.
    Table,
    /// Everything, in full.
    Full,
}

/// The stop request, set by signals and on low memory. Errors: signals cannot be caught, or there is too little memory to start.
pub fn stop() -> anyhow::Result<Stop> {
    // A verb may also need it before it measures.
    if let Some(stop) = STOP.get() {
        return Ok(stop.clone());
    }
    let stop = Stop::on_signals(|| ALLOCATOR.ran_out(), end_view)?;
    ALLOCATOR.reserve(stop.flag())?;
    let _ = STOP.set(stop.clone());
    Ok(stop)
}

/// Before an immediate exit: restores the terminal, and prints pending messages.
fn end_view() {
    give_back_now();
    release_notices();
}

/// The stop request of this process, if its verb has one.
static STOP: OnceLock<Stop> = OnceLock::new();

/// The user requested the stop, which determines the exit code in any case.
pub fn was_stopped_by_user() -> bool {
    STOP.get().is_some_and(Stop::is_requested_by_user)
}

/// Measures, and shows the results. Errors: it could not start, or something could not be written.
pub fn measure_and_show(
    request: Request,
    arguments: &OutputArguments,
    detail: Detail,
) -> anyhow::Result<Outcome> {
    let stop = stop()?;
    let request = viewed(request, arguments, &stop)?;
    let measured = measure(request, &stop)?;
    shown(measured, arguments, detail, &stop)
}

/// Measures as one of several ranks, and shows the results on rank 0. Errors: as for [`measure_and_show`].
pub fn measure_ranks_and_show(
    request: RanksRequest,
    arguments: &OutputArguments,
    detail: Detail,
) -> anyhow::Result<Outcome> {
    let stop = stop()?;
    let request = RanksRequest {
        request: viewed(request.request, arguments, &stop)?,
        ..request
    };
    match ranks::measure(request, &stop)? {
        Some(measured) => shown(measured, arguments, detail, &stop),
        // Rank 0 reports.
        None => Ok(Outcome::Done),
    }
}

/// Measures on several hosts, and shows the results. Errors: as for [`measure_and_show`].
pub fn launch_and_show(
    launched: LaunchRequest,
    arguments: &OutputArguments,
    detail: Detail,
) -> anyhow::Result<Outcome> {
    let stop = stop()?;
    let launched = LaunchRequest {
        request: viewed(launched.request, arguments, &stop)?,
        ..launched
    };
    let measured = launch(launched, &stop)?;
    shown(measured, arguments, detail, &stop)
}

/// The request with its view, and with the other receivers of each interval.
fn viewed(
    mut request: Request,
    arguments: &OutputArguments,
    stop: &Stop,
) -> anyhow::Result<Request> {
    // A search determines its own steps.
    let wishes = request.search.is_none().then(|| request.wishes.clone());
    request.view = (!request.quiet).then(|| view_of_run(wishes, stop));
    // Lines and a view would overwrite each other.
    if arguments.json_lines && stdout().is_terminal() {
        request.view = Some(Box::new(|| View::Quiet));
    }
    request.on_interval = on_interval(arguments, stop)?;
    Ok(request)
}

/// Shows the results. Errors: something could not be written.
fn shown(
    measured: Measurement,
    arguments: &OutputArguments,
    detail: Detail,
    stop: &Stop,
) -> anyhow::Result<Outcome> {
    let Measurement {
        derived,
        folder,
        report,
        failures,
        interrupted,
    } = measured;
    if arguments.json_lines {
        // Everything is in the record.
    } else if arguments.one_line {
        print(&one_line(&derived.summary, words()))?;
    } else if arguments.json {
        print_json(&derived.summary)?;
    } else {
        present(
            &derived,
            if arguments.verbose {
                Detail::Full
            } else {
                detail
            },
        )?;
    }
    if !arguments.quiet {
        say(&written_text(&derived));
        if let Some(report) = report {
            say(&format!("report: {}", report.display()));
        }
        say(&format!(
            "record: {} (plumb show {})",
            folder.display(),
            quoted_path(&folder)
        ));
    }
    let kept = "the results so far are recorded";
    Ok(unfinished(
        &failures,
        " executions",
        interrupted.then(|| stop.reason(kept)),
    )
    .unwrap_or_else(|| outcome_of(&derived.summary.findings)))
}

/// Reports why a measurement is incomplete; `None`: it is complete. `more` names the other failures, such as ` executions`.
pub fn unfinished(failures: &[String], more: &str, stopped: Option<String>) -> Option<Outcome> {
    if let Some(first) = failures.first() {
        let others = match failures.len() - 1 {
            0 => String::new(),
            others => format!(" (and {others} more{more})"),
        };
        say(&format!("plumb: {first}{others}"));
        return Some(Outcome::NotDone);
    }
    stopped.map(|reason| {
        say(&reason);
        Outcome::NotDone
    })
}

/// Prints the table of steps if requested, the findings, and last, where it stays on the screen, the verdict.
pub fn present(derived: &Derived, detail: Detail) -> anyhow::Result<()> {
    let page = page();
    let summary = &derived.summary;
    let mut parts = Vec::new();
    if detail != Detail::Verdict {
        let matrices = &derived.plots.matrices;
        parts.push(summary_table(summary, matrices, page));
        parts.push(matrices_text(matrices, page));
        parts.push(ranks_text(summary, page));
    }
    // The plan of a published experiment ends with its table.
    let published = published_text(&derived.plots.published, page);
    match detail {
        Detail::Full => parts.extend([
            notes_text(&summary.plan, page),
            findings_text(&summary.findings, page),
            grid_text(&summary.grid, page),
            verdict_text(summary, page),
            published,
        ]),
        Detail::Table => parts.extend([
            notes_lines(&summary.plan, page),
            findings_lines(&summary.findings, page),
            grid_text(&summary.grid, page),
            verdict_lines(summary, page),
            published,
        ]),
        Detail::Verdict => parts.extend([
            findings_lines(&summary.findings, page),
            grid_text(&summary.grid, page),
            verdict_lines(summary, page),
        ]),
    }
    parts.retain(|part| !part.trim().is_empty());
    print(&parts.join("\n"))
}
