//! How is a plan carried out from beginning to end? Ground, announcement, places, load and record, then the derived outcome.

mod load_state;
mod places;
mod record;
mod verification;

use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use jiff::Zoned;
use plumb_analyse::judge_ground;
use plumb_load::clock::Clock;
use plumb_load::crew::{Assignment, ceiling, run_execution};
use plumb_load::site::Overwrite;
use plumb_model::finding::{Finding, Severity};
use plumb_model::plan::{Plan, Step};
use plumb_model::run::{Event, RUN_FORMAT, RunHeader};
use plumb_model::target::Target;
use plumb_observe::ground::{Options, look};
use plumb_record::{RecordError, RunWriter, read_run};

use crate::announce::{announcement, default_size_bytes, estimate};
use crate::cli::OutputArguments;
use crate::commands::run::main_target;
use crate::commands::{Outcome, outcome_of};
use crate::host;
use crate::outcome::{Derived, Detail, derive, present, write_report};
use crate::streams::{print_json, say};
use places::Places;
use record::Record;

/// Name of the report in the run folder.
const REPORT: &str = "report.html";

/// A plan that is to be measured.
pub struct Request {
    pub plan: Plan,
    pub overwrite: Overwrite,
    pub out: OutputArguments,
    /// What the terminal shows at the end.
    pub detail: Detail,
    /// What the user should know before it starts.
    pub remarks: Vec<String>,
}

/// Measures a plan and shows what came out. Errors: it could not start, or the record could not be written.
pub fn measure(mut request: Request) -> anyhow::Result<Outcome> {
    let stop = stop_on_signals()?;
    let ground = look(&main_target(&request.plan), &Options::default());
    let findings = judge_ground(&ground, Some(&request.plan));
    request.plan.settle_seeds(random_number());
    if !request.out.quiet {
        say(&announcement(&request.plan, &estimate(&request.plan, &ground)));
        request.remarks.iter().for_each(|remark| say(&format!("       {remark}.")));
        tell_severe(&findings);
    }
    let (folder, made) = claim_folder(&request)?;
    let (header, clock) = started(&request.plan, ground, findings);
    let ended = carry_out(&request, header, clock, &folder, &stop);
    if ended.is_err() {
        // Nothing was recorded when the folder is still empty; anything else stays, and so does what the user made.
        made.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    let failures = ended?;
    conclude(&request, &folder, &failures, stop.load(Ordering::Relaxed))
}

/// A flag that is set by a signal that asks for the end.
fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    host::stop_on_signals(stop.clone()).context("signals cannot be caught, so that nothing could be cleaned up")?;
    Ok(stop)
}

/// A number that nobody can foretell: the hasher's keys come from the system.
fn random_number() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

fn tell_severe(findings: &[Finding]) {
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Severe) {
        say(&format!("severe: {}\n        {}", finding.claim, finding.advice));
    }
}

/// Makes the run folder, still empty, before anything is written to the target. Returns what had to be made for it too, the innermost folder first.
fn claim_folder(request: &Request) -> anyhow::Result<(PathBuf, Vec<PathBuf>)> {
    let folder = match &request.out.output {
        Some(folder) => folder.clone(),
        None => free_name(&request.plan.name),
    };
    if std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(RecordError::NotEmpty { folder }.into());
    }
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && std::fs::symlink_metadata(path).is_err();
    let made = folder.ancestors().take_while(is_missing).map(Path::to_path_buf).collect();
    std::fs::create_dir_all(&folder).map_err(|error| RecordError::Create { path: folder.clone(), error })?;
    Ok((folder, made))
}

/// `plumb-check-20261121-214100.plumb` in the current directory, or with a number when that exists.
fn free_name(plan: &str) -> PathBuf {
    let plain: String = plan.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).take(60).collect();
    let stem = format!("plumb-{plain}-{}", Zoned::now().strftime("%Y%m%d-%H%M%S"));
    let names = std::iter::once(format!("{stem}.plumb")).chain((2..1000).map(|number| format!("{stem}-{number}.plumb")));
    names.map(PathBuf::from).find(|name| !name.exists()).unwrap_or_else(|| PathBuf::from(stem))
}

/// The header of the run, and its clock: both begin now.
fn started(plan: &Plan, environment: plumb_model::environment::Environment, findings: Vec<Finding>) -> (RunHeader, Clock) {
    let clock = Clock::start();
    let now = Zoned::now();
    let header = RunHeader {
        format: RUN_FORMAT,
        id: format!("{}-{:08x}", now.strftime("%Y%m%d-%H%M%S"), random_number() as u32),
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        started: now.strftime("%Y-%m-%dT%H:%M:%S%.6f%:z").to_string(),
        started_unix_ns: u64::try_from(now.timestamp().as_nanosecond()).unwrap_or_default(),
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        plan: plan.clone(),
        environment,
        findings,
        tags: Vec::new(),
        side_of: None,
    };
    (header, clock)
}

/// Claims the places, runs every execution, and records it. Returns what could not run.
fn carry_out(request: &Request, header: RunHeader, clock: Clock, folder: &Path, stop: &AtomicBool) -> anyhow::Result<Vec<String>> {
    let plan = &request.plan;
    let mut record = Record::new(plan, clock, request.out.quiet, stop);
    let mut places = Places::claim(plan, &request.overwrite, default_size_bytes(&header.environment), stop, &mut |progress| {
        record.show_preparing(&progress)
    })?;
    record.begin(RunWriter::create(folder, &header)?, &targets(plan));
    for prepared in places.prepared() {
        let path = prepared.path.display().to_string();
        record.note(Event::Prepared { path, bytes: prepared.bytes, duration_ns: prepared.duration_ns });
    }
    for text in places.warnings() {
        record.warn(text.clone());
    }
    let mut failures = Vec::new();
    for (execution, (step, round)) in plan.schedule().into_iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let turn = Turn { execution: execution as u32, step, round };
        if let Err(error) = execute(plan, turn, &mut places, &mut record, stop) {
            record.fail(turn, &error);
            failures.push(format!("step '{}': {error}", plan.steps[step].name));
        }
    }
    for text in places.verified() {
        record.note(Event::Warning { text });
    }
    for error in places.release() {
        record.warn(error.to_string());
    }
    record.finish(stop.load(Ordering::Relaxed))?;
    Ok(failures)
}

fn targets(plan: &Plan) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for job in plan.steps.iter().flat_map(|step| &step.jobs) {
        if !targets.contains(&job.target) {
            targets.push(job.target.clone());
        }
    }
    targets
}

/// One step in one round.
#[derive(Debug, Clone, Copy)]
struct Turn {
    execution: u32,
    step: usize,
    round: u32,
}

/// Runs one execution. Errors: it could not start.
fn execute(plan: &Plan, turn: Turn, places: &mut Places, record: &mut Record, stop: &AtomicBool) -> anyhow::Result<()> {
    let step = &plan.steps[turn.step];
    record.start(turn, step);
    for (path, bytes, duration_ns) in places.make_files(turn.step, step, stop, &mut |progress| record.show_preparing(&progress))? {
        record.note(Event::Prepared { path, bytes, duration_ns });
    }
    let assignments = assignments(step, turn, places);
    let ended = run_execution(turn.execution, &assignments, record.clock(), stop, &mut |event| record.take(event))?;
    record.end(ended);
    places.settle(turn.step, step).into_iter().for_each(|text| record.warn(text));
    let wanted = turn.round == 0 && !stop.load(Ordering::Relaxed) && has_ceiling(step);
    let main = assignments.first().filter(|_| wanted);
    if let Some(operations_per_s) = main.and_then(|main| ceiling(main, record.clock(), stop)) {
        record.note(Event::Ceiling { execution: turn.execution, job: 0, operations_per_s });
    }
    Ok(())
}

fn assignments<'a>(step: &'a Step, turn: Turn, places: &'a Places) -> Vec<Assignment<'a>> {
    let jobs = step.jobs.iter().enumerate();
    jobs.map(|(number, job)| {
        let place = places.of(turn.step, number);
        Assignment {
            job,
            site: place.and_then(|place| place.site.as_ref()),
            live_files: place.and_then(|place| place.live_files.as_ref()),
            verifier: place.and_then(|place| place.verifier.as_ref()).filter(|_| job.workload.verify),
            // Each round goes its own way through the target: the same blocks in the same order would come from caches.
            seed: job.workload.seed.unwrap_or_default().wrapping_add(u64::from(turn.round).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    })
    .collect()
}

/// The null engine tells what the generator could do with this workload; on operations on files it has no say, on itself neither. A run that ends
/// by operations does those and no others, so that instructions per operation can be counted from outside.
fn has_ceiling(step: &Step) -> bool {
    step.jobs.first().is_some_and(|job| {
        let is_null = job.target == Target::Null || job.engine.engine == "null";
        job.workload.time.is_some() && !is_null && !job.workload.has_file_operations()
    })
}

/// Reads the record back, derives, shows, and says where everything lies.
fn conclude(request: &Request, folder: &Path, failures: &[String], interrupted: bool) -> anyhow::Result<Outcome> {
    let derived = derive(read_run(folder)?);
    let report = folder.join(REPORT);
    if !request.out.no_report {
        write_report(&derived, &report)?;
    }
    if request.out.json {
        print_json(&derived.summary)?;
    } else {
        present(&derived, request.detail)?;
    }
    if !request.out.quiet {
        if !request.out.no_report {
            say(&format!("report: {}", report.display()));
        }
        say(&format!("record: {} (plumb show {})", folder.display(), folder.display()));
    }
    Ok(judge(&derived, failures, interrupted))
}

fn judge(derived: &Derived, failures: &[String], interrupted: bool) -> Outcome {
    if let Some(first) = failures.first() {
        let more = if failures.len() > 1 { format!(" (and {} more executions)", failures.len() - 1) } else { String::new() };
        say(&format!("plumb: {first}{more}"));
        return Outcome::NotDone;
    }
    if interrupted {
        say("plumb: interrupted by a signal; what was measured until then is recorded, and the files that plumb made are removed");
        return Outcome::NotDone;
    }
    outcome_of(&derived.summary.findings)
}
