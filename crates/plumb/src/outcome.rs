//! How does a measurement end for the user? Shown on the terminal or as JSON, with where everything lies, and an exit code.

use plumb_model::text::shell::quoted_path;
use plumb_run::Stop;
use plumb_run::derived::Derived;
use plumb_run::measurement::{Measurement, Request, measure, written_text};
use plumb_show::terminal::{findings_text, matrices_text, notes_text, summary_table, verdict_text};

use crate::arguments::OutputArguments;
use crate::commands::{Outcome, outcome_of};
use crate::streams::{page, print, print_json, say};
use crate::system::ALLOCATOR;

/// How much the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Verdict and findings: one screen.
    Verdict,
    /// The table of steps too.
    Table,
}

/// The request to end that signals make, and a lack of memory. Errors: signals cannot be caught, or there is too little memory to begin anything.
pub fn stop() -> anyhow::Result<Stop> {
    let stop = Stop::on_signals(|| ALLOCATOR.ran_out())?;
    ALLOCATOR.reserve(stop.flag())?;
    Ok(stop)
}

/// Measures, and shows what came out. Errors: it could not start, or something could not be written.
pub fn measure_and_show(
    request: Request,
    arguments: &OutputArguments,
    detail: Detail,
) -> anyhow::Result<Outcome> {
    let stop = stop()?;
    let Measurement {
        derived,
        folder,
        report,
        failures,
        interrupted,
    } = measure(request, &stop)?;
    if arguments.json {
        print_json(&derived.summary)?;
    } else {
        present(&derived, detail)?;
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
    let kept = "what was measured until then is recorded";
    Ok(unfinished(
        &failures,
        " executions",
        interrupted.then(|| stop.reason(kept)),
    )
    .unwrap_or_else(|| outcome_of(&derived.summary.findings)))
}

/// Tells why a measurement is not what was asked for; `None`: it is. `more` names what else failed, such as ` executions`.
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

/// Prints the verdict, the findings and, when asked for, the table of steps.
pub fn present(derived: &Derived, detail: Detail) -> anyhow::Result<()> {
    let page = page();
    let mut parts = vec![verdict_text(&derived.summary, page)];
    if detail == Detail::Table {
        let matrices = &derived.plots.matrices;
        parts.push(summary_table(&derived.summary, matrices, page));
        parts.push(matrices_text(matrices, page));
        parts.push(notes_text(&derived.summary.plan, page));
    }
    parts.push(findings_text(&derived.summary.findings, page));
    parts.retain(|part| !part.trim().is_empty());
    print(&parts.join("\n"))
}
