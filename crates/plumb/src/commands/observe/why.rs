//! Why is a program slow? Its threads are traced, their time is accounted for, and what would help is predicted from it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::{ArgGroup, Args};
use plumb_analyse::account::conclude::conclude;
use plumb_model::explain::account::{HeldProof, Why};
use plumb_model::statement::{Statement, Unit};
use plumb_model::trace::summary::TraceSummary;
use plumb_model::trace::work::Files;
use plumb_model::units::Nanos;
use plumb_run::derived::{check_page, write_page};
use plumb_run::traces::live::{LiveSettings, Traced, live};
use plumb_run::traces::{Window, of_file_with_account};
use plumb_run::why_proof::{prove_on_program, run_against};
use plumb_show::report::why_html;
use plumb_show::terminal::{Page, why_text};

use super::trace::By;
use crate::commands::Outcome;
use crate::outcome::stop;
use crate::streams::{page, print, print_json, say, words};

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("tested").args(["prove", "against"]).multiple(true),
    after_help = "Examples:\n  plumb why -- rsync -a /data/ /mnt/share/     (with its children; as root)\n  plumb why --pid 4711 --duration 30s\n  plumb why --prove -- tar cf /dev/null /mnt/share/dir     (runs it 16 more times; no root is needed for that part)\n  plumb why --against 'tar -b 256 -cf /dev/null /mnt/dir' -- tar cf /dev/null /mnt/dir\n  \
plumb trace --save app.calls -- COMMAND; plumb why app.calls\n\n\
Each thread's time is divided: on a CPU, waiting for a CPU, blocked in a read, write, flush or metadata call of a file system or device, in a lock, a socket, a pipe, a sleep or a page fault.\n\
The program's own time is that of the threads that do not wait for another thread; each moment is divided evenly among them.\n\
A gain is the expected range of the program's speed after the change; it allows for errors of the account, and has no stated confidence. Without root, the threads are sampled; --by strace shows the calls on files only.\n\
--prove repeats all that the command does; programs that gain rights as they start (set-user-ID) do not gain them in it.\n\
Exit codes with COMMAND: 0 explained; 1 explained, but the command exited with a status other than 0; 2 not explained, with a message."
)]
pub struct WhyArguments {
    /// File of plumb trace --save, or output of strace
    #[arg(value_name = "RECORDING", required_unless_present_any = ["pid", "command"], conflicts_with_all = ["pid", "command"])]
    pub recording: Option<PathBuf>,
    /// Explain this process with its threads and the children that it starts, until it exits
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    pub pid: Option<u32>,
    /// Stop after this time; a command is then terminated
    #[arg(long, value_name = "TIME", conflicts_with = "recording")]
    pub duration: Option<Nanos>,
    /// Tracing method [default: kernel tracepoints if permitted, else samples]
    #[arg(long, value_name = "MEANS", conflicts_with = "recording")]
    pub by: Option<By>,
    /// Start of the window, from the start of the recording: 30s
    #[arg(long, value_name = "TIME", conflicts_with_all = ["pid", "command"])]
    pub from: Option<Nanos>,
    /// End of the window, from the start of the recording
    #[arg(long, value_name = "TIME", conflicts_with_all = ["pid", "command"])]
    pub to: Option<Nanos>,
    /// Save each call and each wait to this file as a line of CSV; must not exist; read by plumb why, trace, explain and replay
    #[arg(long, value_name = "FILE", conflicts_with = "recording")]
    pub save: Option<PathBuf>,
    /// Run the command again, in rounds, with its calls on the storage of the first finding held for known times: does its run time grow as it must
    #[arg(long, requires = "command", conflicts_with_all = ["recording", "pid", "duration"])]
    pub prove: bool,
    /// Run the command and this changed one (read by sh) in turn: how many times as fast is it
    #[arg(long, value_name = "COMMAND", requires = "command", conflicts_with_all = ["recording", "pid", "duration"])]
    pub against: Option<String>,
    /// Rounds of --prove (four runs each) and of --against (two runs each)
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=100), requires = "tested")]
    pub rounds: u32,
    /// Write a page with the account, its figures and the findings to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print the explanation as JSON (`plumb schema why`)
    #[arg(long)]
    pub json: bool,
    /// Start and explain this command with its children; the explanation goes to standard error
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `plumb why`.
pub fn why(arguments: &WhyArguments) -> anyhow::Result<Outcome> {
    check_page(arguments.report.as_deref(), None)?;
    let traced = match (arguments.pid, arguments.command.as_slice()) {
        (Some(process), _) => Some(Traced::Process(process)),
        (None, []) => None,
        (None, command) => Some(Traced::Command(command)),
    };
    let Some(traced) = traced else {
        let file = arguments.recording.clone().unwrap_or_default();
        let window = Window {
            from: arguments.from,
            to: arguments.to,
        };
        let (summary, account) = of_file_with_account(&file, &window)?;
        show(
            &conclude(&summary, account, None),
            &summary,
            arguments,
            false,
        )?;
        return Ok(Outcome::Done);
    };
    let duration = arguments.duration;
    let settings = LiveSettings {
        means: arguments.by.map(By::means),
        duration: duration.map(|duration| Duration::from_nanos(duration.0)),
        keep: arguments.save.as_deref(),
        with_account: true,
    };
    let traced = live(traced, &settings, &stop()?)?;
    let end = traced.end;
    let mut why = conclude(&traced.summary, traced.account, end.clone());
    let mut failed = None;
    if arguments.prove {
        match proven(&why, traced.summary.files.as_ref(), arguments) {
            Ok(proof) => why.proof = Some(proof),
            // What was found is shown all the same.
            Err(error) => failed = Some(error),
        }
    }
    if let (Some(changed), None) = (&arguments.against, &failed) {
        match run_against(&arguments.command, changed, arguments.rounds, &stop()?) {
            Ok(against) => why.against = Some(against),
            Err(error) => failed = Some(error),
        }
    }
    why.doubts.extend(cost_of_tracing(&why));
    show(&why, &traced.summary, arguments, end.is_some())?;
    if let Some(kept) = traced.kept {
        kept?;
    }
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(match end {
        _ if traced.interrupted => Outcome::NotDone,
        Some(end) if !end.is_success() => Outcome::Severe,
        _ => Outcome::Done,
    })
}

/// Tests the first finding on the program itself.
fn proven(why: &Why, files: Option<&Files>, arguments: &WhyArguments) -> anyhow::Result<HeldProof> {
    let (Some(account), Some(finding)) = (&why.account, why.findings.first()) else {
        bail!("there is no finding to prove");
    };
    if why.end.as_ref().is_some_and(|end| !end.is_success()) {
        bail!("the command ended with an error: there is nothing to prove");
    }
    prove_on_program(
        &arguments.command,
        account,
        finding,
        files,
        arguments.rounds,
        &stop()?,
    )
}

/// How much longer the command took while it was traced; known where it ran again without.
fn cost_of_tracing(why: &Why) -> Option<Statement> {
    let alone = match (&why.proof, &why.against) {
        (Some(proof), _) => &proof.alone_ns,
        (None, Some(against)) => &against.before_ns,
        (None, None) => return None,
    };
    let mut alone = alone.clone();
    alone.sort_unstable();
    let middle = *alone.get(alone.len() / 2)? as f64;
    let traced = why.end.as_ref()?.elapsed_ns as f64;
    Some(
        Statement::new("why-tracing-cost")
            .quantity("traced", traced, Unit::Nanoseconds)
            .quantity("alone", middle, Unit::Nanoseconds),
    )
}

/// Standard output belongs to an explained command: the text goes to standard error.
fn show(
    why: &Why,
    trace: &TraceSummary,
    arguments: &WhyArguments,
    beside: bool,
) -> anyhow::Result<()> {
    if let Some(page) = &arguments.report {
        write_page(page, &why_html(why, Some(trace), words()))?;
        say(&format!("report: {}", page.display()));
    }
    if arguments.json {
        return print_json(why);
    }
    if beside {
        let plain = Page {
            colour: false,
            ..page()
        };
        say(why_text(why, plain).trim_end());
        return Ok(());
    }
    print(&why_text(why, page()))
}
