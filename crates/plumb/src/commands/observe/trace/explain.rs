//! What limits an application, and what would help? A recording is analyzed, and a second one is compared with the prediction.

use std::path::Path;

use anyhow::{Context, bail};
use plumb_analyse::account::conclude::conclude as account_conclusion;
use plumb_analyse::explain::conclude::{explain as conclude, explain_by_parts};
use plumb_analyse::explain::curve::operating_curve;
use plumb_analyse::explain::from_counters::{observed_in_counters, shares};
use plumb_analyse::explain::from_load::observed_in_load;
use plumb_analyse::explain::from_trace::observed_in_trace;
use plumb_analyse::explain::from_watched::{observed_in_watched, watched_targets};
use plumb_analyse::explain::second::second_recording;
use plumb_analyse::figures::watch::is_recording as is_watched;
use plumb_model::explain::account::{TimeAccount, WHY_SCHEMA, Why};
use plumb_model::explain::conclusion::{EXPLAIN_SCHEMA, Explained};
use plumb_model::explain::observed::Observed;
use plumb_model::text::nearest::nearest;
use plumb_model::trace::summary::TraceSummary;
use plumb_model::units::Nanos;
use plumb_record::{Replace, write_result};
use plumb_run::derived::{check_page, derive, write_page};
use plumb_run::file_kind::is_trace;
use plumb_run::traces::{Window, of_file_with_account};
use plumb_show::report::{explained_html, why_html};
use plumb_show::terminal::{explained_text, why_text};
use plumb_words::Words;
use plumb_words::english;

use super::arguments::{ExplainArguments, RecordingPart};
use super::prove::prove;
use crate::commands::Outcome;
use crate::commands::results::import::stored_run;
use crate::streams::{page, print, print_json, say, words};

/// `plumb explain`.
pub fn explain(arguments: &ExplainArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), None)?;
    let step = arguments.step.as_deref();
    let (mut explained, trace) = match first(&arguments.recording, &arguments.part, step)? {
        Answer::Program(why, trace) => return show_program(&why, trace.as_ref(), arguments),
        Answer::Rules(explained, trace) => (explained, trace),
    };
    if let Some(file) = &arguments.second {
        // The window is that of the first recording.
        let no_window = Window::default();
        let Recorded::Figures(second, _) = recorded(file, &arguments.part, step, &no_window)?
        else {
            bail!(
                "{} is a recording of a program, {} is not: they cannot be compared",
                file.display(),
                arguments.recording.display()
            );
        };
        explained.second = Some(second_recording(&explained, *second));
    }
    if arguments.prove {
        explained.proof = Some(prove(&explained, arguments)?);
    }
    if let Some(file) = &arguments.output {
        store(file, &Words::english().with_sentences(&explained)?)?;
    }
    if let Some(file) = &arguments.report {
        write_explained(&explained, trace.as_ref(), file)?;
    }
    if arguments.json {
        print_json(&explained)?;
    } else {
        print(&explained_text(&explained, arguments.all, page()))?;
    }
    Ok(match explained.withheld.is_empty() {
        true => Outcome::Done,
        false => Outcome::NotDone,
    })
}

/// What explains a recording.
pub(in crate::commands) enum Answer {
    /// Calls of the threads of a program: the account of their time, as `plumb why` has it.
    Program(Box<Why>, Option<TraceSummary>),
    /// Anything else: rules on its figures; and the calls of a capture.
    Rules(Box<Explained>, Option<TraceSummary>),
}

/// A recording of a program: shown as `plumb why` shows it.
fn show_program(
    why: &Why,
    trace: Option<&TraceSummary>,
    arguments: &ExplainArguments,
) -> anyhow::Result<Outcome> {
    let shown = arguments.recording.display();
    refuse_flags_of_figures(
        &arguments.recording,
        &arguments.part,
        arguments.step.is_some(),
    )?;
    if arguments.prove {
        bail!(
            "{shown} is a recording of a program: prove its finding on the program itself with 'plumb why --prove -- COMMAND', or name the changed command with --against"
        );
    }
    if arguments.second.is_some() {
        bail!(
            "{shown} is a recording of a program: compare it with a changed one by 'plumb why --against 'CHANGED COMMAND' -- COMMAND', which runs both in turn"
        );
    }
    if let Some(file) = &arguments.output {
        store(file, &Words::english().with_sentences(why)?)?;
    }
    if let Some(file) = &arguments.report {
        write_page(file, &why_html(why, trace, words()))?;
        say(&format!("report: {}", file.display()));
    }
    match arguments.json {
        true => print_json(why)?,
        false => print(&why_text(why, page()))?,
    }
    Ok(Outcome::Done)
}

/// Errors: a flag is given that has no meaning for a recording of a program.
pub(in crate::commands) fn refuse_flags_of_figures(
    recording: &Path,
    part: &RecordingPart,
    has_step: bool,
) -> anyhow::Result<()> {
    let given = [
        ("--ceiling", part.ceiling.is_some()),
        ("--share", part.share.is_some()),
        ("--step", has_step),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((flag, _)) => bail!(
            "{}: {flag} is for captures, counters and runs; this is a recording of a program: omit it",
            recording.display()
        ),
    }
}

/// Stores an explanation. Errors: the file exists, or cannot be written.
fn store(file: &Path, explanation: &impl serde::Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(explanation)? + "\n";
    write_result(file, text.as_bytes(), Replace::Nothing)
        .context("cannot store the explanation")?;
    say(&format!("stored: {}", file.display()));
    Ok(())
}

/// Writes the page of an explanation, and prints its path.
pub(in crate::commands) fn write_explained(
    explained: &Explained,
    trace: Option<&TraceSummary>,
    file: &Path,
) -> anyhow::Result<()> {
    let curve = operating_curve(explained);
    write_page(
        file,
        &explained_html(explained, curve.as_ref(), trace, words()),
    )?;
    say(&format!("report: {}", file.display()));
    Ok(())
}

/// Whether a file is a recording of an application or an explanation of one: calls, or what `--output` stored. A run folder is none, nor are counters.
pub(in crate::commands) fn is_recording(file: &Path) -> anyhow::Result<bool> {
    Ok(file.as_os_str() == "-" || is_trace(file) || stored(file)?.is_some())
}

/// The explanation of a recording: made now, or stored earlier; and its calls, where it shows them one by one.
pub(in crate::commands) fn first(
    file: &Path,
    part: &RecordingPart,
    step: Option<&str>,
) -> anyhow::Result<Answer> {
    if let Some(stored) = stored(file)? {
        if part.from.is_some() || part.to.is_some() {
            bail!(
                "{}: is a stored explanation of one window; --from and --to require a recording",
                file.display()
            );
        }
        return Ok(stored);
    }
    let window = Window {
        from: part.from,
        to: part.to,
    };
    if let (Some(from), Some(to)) = (window.from, window.to)
        && from >= to
    {
        bail!("--from {from} is not before --to {to}: the window between them is empty");
    }
    Ok(match recorded(file, part, step, &window)? {
        Recorded::Program(account, trace) => {
            let why = account_conclusion(&trace, Some(*account), None);
            Answer::Program(Box::new(why), Some(trace))
        }
        Recorded::Figures(observed, trace) => {
            let version = env!("CARGO_PKG_VERSION");
            let explained = match file.is_file() || file.is_dir() {
                true => explain_by_parts(*observed, version, |begin_ns, end_ns| {
                    let within = Window {
                        from: Some(Nanos(begin_ns)),
                        to: Some(Nanos(end_ns)),
                    };
                    figures_within(file, part, step, &within)
                })?,
                // What comes through a pipe cannot be read again.
                false => conclude(*observed, version),
            };
            Answer::Rules(Box::new(explained), trace)
        }
    })
}

/// The explanation stored by `--output`; `None` for other files.
///
/// Errors: there is no such file or folder.
fn stored(file: &Path) -> anyhow::Result<Option<Answer>> {
    if file.as_os_str() != "-" && !file.exists() {
        bail!("{}: there is no such file or folder", file.display());
    }
    if !file.is_file() || file.extension().is_none_or(|extension| extension != "json") {
        return Ok(None);
    }
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    // What PowerShell wrote of another program is UTF-16, and none of plumb's.
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(None);
    };
    let read = |error| {
        let shown = file.display();
        anyhow::Error::new(error).context(format!("{shown}: not an explanation stored by plumb"))
    };
    // Results of other programs may also be JSON.
    if text.contains(WHY_SCHEMA) {
        let why = serde_json::from_str(&text).map_err(read)?;
        return Ok(Some(Answer::Program(why, None)));
    }
    if !text.contains(EXPLAIN_SCHEMA) {
        return Ok(None);
    }
    let stored = serde_json::from_str(&text).map_err(read)?;
    Ok(Some(Answer::Rules(stored, None)))
}

/// What a recording holds.
enum Recorded {
    Program(Box<TimeAccount>, TraceSummary),
    Figures(Box<Observed>, Option<TraceSummary>),
}

/// The figures of a part of a recording that is none of a program.
fn figures_within(
    file: &Path,
    part: &RecordingPart,
    step: Option<&str>,
    within: &Window,
) -> anyhow::Result<Observed> {
    match recorded(file, part, step, within)? {
        Recorded::Figures(observed, _) => Ok(*observed),
        Recorded::Program(..) => bail!("{}: changed while it was read", file.display()),
    }
}

fn recorded(
    file: &Path,
    part: &RecordingPart,
    step: Option<&str>,
    window: &Window,
) -> anyhow::Result<Recorded> {
    let (mut observed, trace) = if file.as_os_str() == "-" || is_trace(file) {
        let (trace, account) = of_file_with_account(file, window)?;
        if let Some(account) = account {
            return Ok(Recorded::Program(Box::new(account), trace));
        }
        (observed_in_trace(&trace, window.bounds_ns().0), Some(trace))
    } else {
        (of_run(file, part, step, window)?, None)
    };
    observed.ceiling_bytes_per_s = part.ceiling.map(|ceiling| ceiling.0 as f64);
    Ok(Recorded::Figures(Box::new(observed), trace))
}

/// The one of this name, or the first. Errors: none of this name, or none at all.
fn named_or_first<'a, T>(
    all: &'a [T],
    name: fn(&T) -> &String,
    named: Option<&str>,
    shown: &str,
) -> anyhow::Result<&'a T> {
    let Some(named) = named else {
        return all.first().with_context(|| {
            format!("{shown}: no share, mount or disk had a request with a known time")
        });
    };
    all.iter().find(|one| name(one) == named).with_context(|| {
        let names: Vec<&str> = all.iter().map(|one| name(one).as_str()).collect();
        format!(
            "there is no share, mount or disk '{named}' in {shown}{}; there are {}",
            nearest(named, &names),
            names.join(", ")
        )
    })
}

/// A run folder, or what another program recorded: counters of a share where it has them, else of a mount or disk, else a step of the load.
fn of_run(
    file: &Path,
    part: &RecordingPart,
    step: Option<&str>,
    window: &Window,
) -> anyhow::Result<Observed> {
    let run = stored_run(file)?;
    let shown = file.display().to_string();
    let shares = shares(&run);
    if !shares.is_empty() {
        let share = named_or_first(&shares, |share| share, part.share.as_deref(), &shown)?;
        return Ok(observed_in_counters(
            &run,
            &shown,
            share,
            window.bounds_ns(),
        ));
    }
    let imported = run.header.imported.as_ref();
    let unreadable = imported.and_then(|of| {
        of.doubts
            .iter()
            .find(|doubt| doubt.id == "perfmon-names-not-english")
    });
    if let Some(doubt) = unreadable {
        bail!("{shown}: {}", english(doubt));
    }
    if is_watched(&run) {
        let places = watched_targets(&run);
        let place = named_or_first(&places, |place| &place.name, part.share.as_deref(), &shown)?;
        return Ok(observed_in_watched(&run, &shown, place, window.bounds_ns()));
    }
    if window.from.is_some() || window.to.is_some() {
        bail!("{shown} is a run of plumb: select a part with --step, not with --from and --to");
    }
    let derived = derive(run);
    let steps = &derived.summary.steps;
    let step =
        match step {
            None => steps.last(),
            Some(named) => Some(steps.iter().find(|step| step.name == named).with_context(
                || {
                    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
                    format!(
                        "there is no step '{named}' in {shown}{}; there are {}",
                        nearest(named, &names),
                        names.join(", ")
                    )
                },
            )?),
        };
    let step = step.with_context(|| {
        format!("{shown}: contains neither a completed step nor counters of a share, mount or disk")
    })?;
    Ok(observed_in_load(&derived.summary, step, &shown))
}
