//! How does plumb run an fio command line? It is parsed, measured like any plan, and reported on standard output in fio's formats.

pub mod arguments;
mod commands;
mod companions;
mod eta;
mod jobs;
mod logs;
mod mismatches;
mod net;
mod output;
mod record;
mod running;
mod shared;
mod states;
mod trigger;

use std::ffi::OsString;
use std::iter::once;
use std::path::Path;

use anyhow::{anyhow, bail};
use plumb_model::plan::Plan;
use plumb_model::target::Target;
use plumb_model::units::Nanos;
use plumb_model::workload::{FioMarks, FioVersion};
use plumb_plan::fio_command::{
    self, Answer, FioCommand, Help, Settings, Understood, WrittenJob, engine_help, option_help,
};
use plumb_plan::{Entry, Overrides, PlanKind, resolve};
use plumb_run::named_plan::job_files::{job_text, standard_input, with_surroundings};
use plumb_run::named_plan::{refuse_impossible_engines, replays};

use crate::commands::Outcome;
use crate::outcome::stop;
use crate::streams::{page, print_exactly, say};
use arguments::FioArguments;
use companions::Companions;
use jobs::jobs;
use logs::{Logs, keep_each, milliseconds};
use net::Listening;
use output::Sink;
use running::run;
use shared::{FAILED, Files, STOPPED, Silence as _, fio_version};
use states::States;

/// fio's default sampling period of rates (`bwavgtime`).
const SAMPLES_EVERY_MS: u64 = 500;
/// Minimum interval of plumb.
const SHORTEST_MS: u64 = 10;

/// `plumb fio`.
pub fn fio(arguments: &FioArguments) -> anyhow::Result<Outcome> {
    let code = carried_out(&arguments.words).unwrap_or_else(|error| {
        say(&format!("fio: {error:#}"));
        FAILED
    });
    Ok(match code {
        0 => Outcome::Done,
        code => Outcome::Code(code),
    })
}

/// The command line as text.
fn texts(words: &[OsString]) -> anyhow::Result<Vec<String>> {
    let text = |word: &OsString| {
        let shown = word.to_string_lossy();
        word.to_str()
            .map(str::to_string)
            .ok_or_else(|| anyhow!("'{shown}' is not UTF-8 text"))
    };
    words.iter().map(text).collect()
}

fn carried_out(words: &[OsString]) -> anyhow::Result<u8> {
    let command = fio_command::parse(&texts(words)?).map_err(anyhow::Error::msg)?;
    if let Some(code) = answered(&command)? {
        return Ok(code);
    }
    if command.settings.shows_limits {
        show_limits(&command)?;
    }
    if command.settings.parse_only && !command.has_jobs() {
        return Ok(0);
    }
    if !command.has_jobs() {
        say("No job(s) defined: name a job file, or begin a job with --name=NAME");
        print_exactly(help(&command.settings).as_bytes())?;
        return Ok(FAILED);
    }
    let understood = understood(&command)?;
    let settings = &command.settings;
    if understood.job.plan.steps.is_empty() {
        return without_jobs(&understood, settings);
    }
    let (plan, files) = planned(&understood, settings)?;
    if settings.parse_only || settings.dry_run {
        files.notes.iter().for_each(|note| say(note));
    }
    if settings.parse_only {
        return Ok(0);
    }
    if settings.dry_run {
        let text = plumb_show::terminal::plan_text(&plan, true, page());
        crate::streams::print(&text)?;
        return Ok(0);
    }
    run(plan, &files, &understood, settings)
}

/// Lines of fio's `--debug=parse`.
fn show_limits(command: &FioCommand) -> anyhow::Result<()> {
    let limits = with_surroundings(first_file(command), |surroundings| {
        fio_command::steady_limits(command, &mut text_of, surroundings)
    })?;
    let process = std::process::id();
    let lines = limits
        .iter()
        .map(|line| format!("parse    {process} {line}\n"));
    print_exactly(lines.collect::<String>().as_bytes())
}

fn help(settings: &Settings) -> String {
    let version = fio_version(settings).word();
    arguments::HELP.replacen("VERSION", version, 1)
}

/// No section moves data of its own: all listen for connections, load the CPU or run programs.
fn without_jobs(understood: &Understood, settings: &Settings) -> anyhow::Result<u8> {
    if settings.parse_only || settings.dry_run {
        return Ok(0);
    }
    let stop = stop()?;
    let listeners = &understood.job.listeners;
    let sink = Sink::open(settings)?;
    let plan = Plan::without_steps(&understood.job.plan.name, String::new());
    let jobs = jobs(understood, &plan);
    sink.begin(&jobs, "")?;
    let companions = &understood.job.companions;
    let companions = Companions::of(companions, settings.allow_exec, stop.flag().clone())?;
    let mut listening =
        Listening::begin(listeners, stop.flag().clone(), true, settings.is_silent())?;
    companions.end();
    sink.only_heard(&plan, &jobs.with_listener_traffic(&listening.wait()))?;
    Ok(if stop.is_requested() { STOPPED } else { 0 })
}

/// Options that print something and run nothing; `None`: there are jobs to run.
fn answered(command: &FioCommand) -> anyhow::Result<Option<u8>> {
    let Some(answer) = &command.settings.answer else {
        return Ok(None);
    };
    let text = match answer {
        Answer::InflatedLog(path) => {
            logs::inflate(path)?;
            return Ok(Some(0));
        }
        Answer::Help => help(&command.settings),
        Answer::Version => {
            let version = fio_version(&command.settings);
            if !command.settings.is_silent() {
                say(&format!(
                    "plumb {} runs this command line as fio {version} does",
                    env!("CARGO_PKG_VERSION")
                ));
            }
            format!("fio-{version}\n")
        }
        Answer::OptionHelp(name) => {
            return helped(option_help(name, &carried_out_beside())).map(Some);
        }
        Answer::EngineHelp(name) => return helped(engine_help(name.as_deref())).map(Some),
        Answer::ShowCommand => with_surroundings(first_file(command), |surroundings| {
            fio_command::shown(command, &mut text_of, surroundings)
        })?,
    };
    print_exactly(text.as_bytes())?;
    Ok(Some(0))
}

/// Options without effect on a plan that `plumb fio` supports itself.
fn carried_out_beside() -> Vec<&'static str> {
    [logs::CARRIED_OUT, &states::CARRIED_OUT].concat()
}

fn helped(help: Help) -> anyhow::Result<u8> {
    print_exactly(help.text.as_bytes())?;
    help.message.iter().for_each(|message| say(message));
    Ok(if help.is_failed { FAILED } else { 0 })
}

fn first_file(command: &FioCommand) -> &Path {
    Path::new(command.files.first().map_or("", String::as_str))
}

/// A job file, or standard input.
fn text_of(name: &str) -> Result<String, String> {
    if name != "-" {
        return job_text(Path::new(name)).map_err(|error| {
            let why = format!("{error:#}");
            let why = why.strip_prefix(&format!("{name}: ")).unwrap_or(&why);
            why.to_string()
        });
    }
    standard_input().map_err(|error| format!("{error:#}"))
}

fn understood(command: &FioCommand) -> anyhow::Result<Understood> {
    let mut understood = with_surroundings(first_file(command), |surroundings| {
        command.understood(&mut text_of, surroundings)
    })?;
    for file in &command.files {
        replays::resolve_beside_plan(&mut understood.job.plan, Path::new(file));
    }
    mark_blocks(&mut understood, fio_version(&command.settings));
    sample_as_fio(&mut understood);
    keep_each(&mut understood);
    Ok(understood)
}

/// Sets the layout of the headers of verified blocks.
fn mark_blocks(understood: &mut Understood, version: FioVersion) {
    for step in understood.job.plan.steps.iter_mut() {
        let jobs = once(&mut step.main).chain(&mut step.beside);
        for entry in jobs.flat_map(|job| &mut job.entries) {
            let marks = entry.text.parse::<FioMarks>();
            if entry.key == "verify-as"
                && let Ok(mut marks) = marks
            {
                marks.header = version.header();
                entry.text = marks.to_string();
            }
        }
    }
}

/// Sets the interval to fio's sampling period, unless the job sets `log_avg_msec`, and to a divisor of the period of its histograms.
fn sample_as_fio(understood: &mut Understood) {
    let Understood { job, written, .. } = understood;
    for step in job.plan.steps.iter_mut() {
        let lines: Vec<usize> = once(&step.main)
            .chain(&step.beside)
            .map(|job| job.line)
            .collect();
        let of_step = || written.iter().filter(|job| lines.contains(&job.line));
        let periods = of_step().filter(|job| job.given("write_hist_log").is_some());
        let period = periods
            .map(|job| milliseconds(job, "log_hist_msec"))
            .filter(|ms| *ms > 0)
            .reduce(gcd);
        let main = &mut step.main;
        let of_main = written.iter().find(|job| job.line == main.line);
        let period_of = |option: &str| {
            of_main
                .map(|job| milliseconds(job, option))
                .filter(|ms| *ms > 0)
        };
        let samples = period_of("log_avg_msec").or_else(|| period_of("bwavgtime"));
        let samples = samples.unwrap_or(SAMPLES_EVERY_MS);
        let both = period.map_or(samples, |period| gcd(samples, period));
        let text = spelled(both.max(SHORTEST_MS));
        match main
            .entries
            .iter_mut()
            .find(|entry| entry.key == "interval")
        {
            Some(entry) if entry.text == spelled(samples) => entry.text = text,
            // Other options determine the length (steadystate, rate_cycle): a histogram covers complete intervals.
            Some(_) => {}
            None => main.entries.push(Entry {
                key: "interval".into(),
                text,
                line: main.line,
            }),
        }
    }
}

fn spelled(ms: u64) -> String {
    Nanos(ms.saturating_mul(1_000_000)).to_string()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The plan and the files to write. Errors: the command line forbids a part of it.
fn planned(understood: &Understood, settings: &Settings) -> anyhow::Result<(Plan, Files)> {
    let mut plan = resolve(&understood.job.plan, &Overrides::default(), PlanKind::File)?;
    let remarks_of_replay = replays::settle(&mut plan)?;
    refuse_impossible_engines(&plan)?;
    refuse(&plan, &understood.written, settings)?;
    if !settings.parse_only {
        refuse_unknown_sizes(&plan)?;
    }
    let aux_path = settings.aux_path.as_deref();
    dump_into(&mut plan, aux_path);
    states::load(understood, &mut plan, aux_path)?;
    let states = States::of(understood, &plan, aux_path)?;
    let logs = Logs::of(understood, &plan);
    let mut remarks = understood.job.remark_lines(&carried_out_beside());
    remarks.extend(logs.remark.iter().chain(&states.remarks).cloned());
    if settings.warnings_fatal && !remarks.is_empty() {
        bail!(
            "--warnings-fatal: this differs from fio: {}",
            remarks.join("; ")
        );
    }
    let mut notes = Vec::new();
    if !settings.is_silent() {
        notes.extend(remarks.iter().map(|remark| format!("fio:   {remark}.")));
        notes.extend(remarks_of_replay.iter().map(|remark| format!("{remark}.")));
        if !settings.idle.is_empty() {
            let names = settings.idle.join(", --");
            notes.push(format!("fio:   accepted, without effect here: --{names}."));
        }
    }
    Ok((
        plan,
        Files {
            logs,
            states,
            notes,
        },
    ))
}

/// A file that is not there, and that no job before this one makes, needs a size.
fn refuse_unknown_sizes(plan: &Plan) -> anyhow::Result<()> {
    let is_empty = |path: &Path| match std::fs::metadata(path) {
        Ok(found) => found.is_file() && found.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    let mut made = Vec::new();
    for step in &plan.steps {
        for job in &step.jobs {
            let (workload, Target::Path(path)) = (&job.workload, &job.target) else {
                continue;
            };
            if workload.size.is_some() || workload.until_full {
                made.push(path);
                continue;
            }
            let is_one = workload.workers == 1 && workload.paths.is_none();
            let moves = workload.moves_blocks() && workload.replay.is_none();
            let is_known = made.contains(&path) || !is_empty(path);
            if is_one && moves && !is_known {
                let name = match job.name.as_str() {
                    "" => &step.name,
                    name => name,
                };
                bail!("{name}: you need to specify size=");
            }
        }
    }
    Ok(())
}

/// Blocks that differ are written to `--aux-path`, if there is one.
fn dump_into(plan: &mut Plan, aux_path: Option<&Path>) {
    let Some(folder) = aux_path else {
        return;
    };
    let jobs = plan.steps.iter_mut().flat_map(|step| &mut step.jobs);
    for dumps in jobs.filter_map(|job| job.workload.dump_mismatches.as_mut()) {
        *dumps = folder.display().to_string();
    }
}

fn refuse(plan: &Plan, written: &[WrittenJob], settings: &Settings) -> anyhow::Result<()> {
    let jobs = || plan.steps.iter().flat_map(|step| &step.jobs);
    if settings.readonly && jobs().any(|job| job.workload.modifies()) {
        let name = written.first().map_or("", |job| job.name.as_str());
        bail!(
            "a job (<{name}> or another) writes or trims, but fio is in read-only mode (--readonly)"
        );
    }
    let members: u64 = jobs().map(|job| u64::from(job.workload.workers)).sum();
    match settings.max_jobs {
        Some(most) if members > most => {
            bail!("maximum number of jobs ({most}) reached: there are {members}; raise --max-jobs")
        }
        _ => Ok(()),
    }
}
