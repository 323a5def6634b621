//! How is a plan run from start to end? Environment, announcement, targets, load and record, then the derived result.

pub mod announce;
mod claim;
mod cores;
pub mod find;
pub mod followed;
mod load_state;
mod needs;
mod ongoing;
pub mod rate_search;
mod ready_targets;
mod record;
mod searching;
mod seen;
mod steadiness;
mod turn;
mod verification;

use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Zoned;
use plumb_analyse::judge_environment;
use plumb_load::clock::Clock;
use plumb_load::site::Admission;
use plumb_model::environment::Environment;
use plumb_model::plan::{Plan, Step};
use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::{Event, RUN_FORMAT, RunHeader};
use plumb_model::statement::Statement;
use plumb_model::workload::{OperationKind, RankChoice};
use plumb_record::RecordError;
use plumb_record::read_run;
use plumb_record::writer::claim;
use plumb_show::live::View;
use plumb_show::live::run::Wishes;
use plumb_words::Words;
use plumb_words::numbers::show_bytes;

use crate::derived::{Derived, derive, write_report};
use crate::named_plan::{main_choice, main_target};
use crate::notices::say;
use crate::{Stop, environment};
use announce::{announcement, estimate, plan_remarks, search_announcement};
pub use load_state::Outlook;
pub use ongoing::Ongoing;
use rate_search::RateSearch;
pub use record::{Record, SharedView, shared};
pub use seen::{AroundStep, Companion, Joints, OnInterval, Seen};
pub use turn::Turn;

/// Name of the report in the run folder.
pub const REPORT: &str = "report.html";

/// A plan that is to be measured.
pub struct Request {
    pub plan: Plan,
    /// Which steps are carried out, one after the other; missing: all, in the order of the plan.
    pub search: Option<RateSearch>,
    pub admission: Admission,
    /// The run folder, which must not exist or be empty; missing: a name of plumb's choice in the current directory.
    pub output: Option<PathBuf>,
    /// A page is written into the run folder.
    pub report: bool,
    /// No live view, and no word but of what goes wrong.
    pub quiet: bool,
    /// Words by which the run is found again.
    pub tags: Vec<String>,
    /// What the user should know before it starts.
    pub remarks: Vec<String>,
    /// The language of the live view and the page.
    pub words: Words,
    /// Requests of the view of a run.
    pub wishes: Wishes,
    /// Opens the view, also if `quiet`; missing: the one that fits standard error, or none if `quiet`.
    pub view: Option<OpenView>,
    /// Who else sees each interval.
    pub on_interval: Option<OnInterval>,
    /// What is done around each execution of a step, outside of what is measured.
    pub around_step: Option<AroundStep>,
}

/// Opens a view when the load is about to begin.
pub type OpenView = Box<dyn Fn() -> View>;

impl Request {
    /// Measures this plan where it may, into a folder of plumb's choice, without a word and without a page.
    pub fn quiet(plan: Plan) -> Request {
        Request {
            plan,
            search: None,
            admission: Admission::default(),
            output: None,
            report: false,
            quiet: true,
            tags: Vec::new(),
            remarks: Vec::new(),
            words: Words::english(),
            wishes: Wishes::default(),
            view: None,
            on_interval: None,
            around_step: None,
        }
    }
}

/// What was measured.
pub struct Measurement {
    /// The record, and all that is derived from it.
    pub derived: Derived,
    /// The run folder.
    pub folder: PathBuf,
    /// The page in it.
    pub report: Option<PathBuf>,
    /// Executions that could not run, one sentence each.
    pub failures: Vec<String>,
    /// It ended before its time.
    pub interrupted: bool,
}

/// Measures a plan. Errors: it could not start, or the record or the page could not be written.
pub fn measure(mut request: Request, stop: &Stop) -> anyhow::Result<Measurement> {
    refuse_what_is_for_many(&request.plan)?;
    request.admission.login.stop = stop.request();
    let environment = environment::examine(
        &main_target(&request.plan),
        &request.admission.login.secrets,
        &main_choice(&request.plan),
        &request.admission.login.stop,
    )?;
    let findings = judge_environment(&environment, Some(&request.plan));
    request.plan.settle_seeds(random_number());
    if !request.quiet {
        announce(&request, &environment, &findings);
    }
    let (folder, made) = claim_folder(request.output.as_deref(), &request.plan.name)?;
    let start = started(&request.plan, environment, findings, &request.tags);
    let ended = carry_out(&request, start, &folder, stop.flag());
    if ended.is_err() {
        // Nothing was recorded when the folder is still empty; anything else stays, and so does what the user made.
        made.iter()
            .for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    let failures = ended?;
    let derived = derive(read_run(&folder)?);
    let report = request.report.then(|| folder.join(REPORT));
    if let Some(report) = &report {
        write_report(&derived, report, request.words)?;
    }
    Ok(Measurement {
        derived,
        folder,
        report,
        failures,
        interrupted: stop.is_requested(),
    })
}

/// What it will take, and what stands against it already.
pub fn announce(request: &Request, environment: &Environment, findings: &[Finding]) {
    let estimate = estimate(&request.plan, environment);
    say(&match &request.search {
        Some(search) => search_announcement(&request.plan, search, &estimate),
        None => announcement(&request.plan, &estimate),
    });
    plan_remarks(&request.plan)
        .iter()
        .for_each(|line| say(line));
    request
        .remarks
        .iter()
        .for_each(|remark| say(&format!("       {remark}.")));
    print_severe(findings, request.words);
    print_warnings(findings, request.words);
}

/// A number that nobody can foretell: the hasher's keys come from the system.
pub fn random_number() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

pub fn print_severe(findings: &[Finding], words: Words) {
    for finding in findings
        .iter()
        .filter(|finding| finding.severity == Severity::Severe)
    {
        let claim = Statement::new("finding-severe").part("claim", finding.claim.clone());
        say(&format!(
            "{}\n        {}",
            words.sentence(&claim),
            words.sentence(&finding.advice)
        ));
    }
}

/// Findings of the environment before any load that the figures will not reflect the storage: the user may want another target.
fn print_warnings(findings: &[Finding], words: Words) {
    for finding in findings
        .iter()
        .filter(|finding| finding.severity == Severity::Warning)
    {
        let claim = Statement::new("finding-warning").part("claim", finding.claim.clone());
        say(&words.sentence(&claim));
    }
}

/// Makes the run folder, still empty, before anything is written to the target. Returns what had to be made for it too, the innermost folder first.
pub fn claim_folder(
    requested: Option<&Path>,
    plan: &str,
) -> anyhow::Result<(PathBuf, Vec<PathBuf>)> {
    let Some(folder) = requested else {
        let folder = reserve(Path::new(""), plan)?;
        return Ok((folder.clone(), vec![folder]));
    };
    let folder = folder.to_path_buf();
    let is_missing =
        |path: &&Path| !path.as_os_str().is_empty() && std::fs::symlink_metadata(path).is_err();
    let made = folder
        .ancestors()
        .take_while(is_missing)
        .map(Path::to_path_buf)
        .collect();
    if claim(&folder)? {
        say(&format!(
            "note: {} contained a run that ended before it measured anything; it was removed",
            folder.display()
        ));
    }
    Ok((folder, made))
}

/// A part of a name of a file that every system takes.
pub fn plain_name(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '-'
            }
        })
        .take(60)
        .collect()
}

/// `plumb-check-20261121-214100.plumb` in this directory (an empty path: the current one), or with a number when that exists.
pub fn free_name(directory: &Path, plan: &str) -> PathBuf {
    let mut names = names_of_now(directory, plan);
    names
        .find(|name| !name.exists())
        .unwrap_or_else(|| directory.join(plain_name(plan)))
}

/// Makes a folder with such a name, which nobody else gets: runs of one plan may start in the same second.
///
/// # Errors
/// The folder cannot be created.
pub fn reserve(directory: &Path, plan: &str) -> Result<PathBuf, RecordError> {
    let create = |path: &Path, error| RecordError::Create {
        path: path.to_path_buf(),
        error,
    };
    if !directory.as_os_str().is_empty() {
        std::fs::create_dir_all(directory).map_err(|error| create(directory, error))?;
    }
    let mut taken = None;
    for folder in names_of_now(directory, plan) {
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => taken = Some(folder),
            Err(error) => return Err(create(&folder, error)),
        }
    }
    let folder = taken.unwrap_or_default();
    Err(RecordError::NotEmpty { folder })
}

fn names_of_now(directory: &Path, plan: &str) -> impl Iterator<Item = PathBuf> {
    let now = Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let stem = format!("plumb-{}-{now}", plain_name(plan));
    (1..1000).map(move |number| match number {
        1 => directory.join(format!("{stem}.plumb")),
        _ => directory.join(format!("{stem}-{number}.plumb")),
    })
}

/// A unique name of a run: its time and a random part.
pub fn run_id(now: &Zoned) -> String {
    format!(
        "{}-{:08x}",
        now.strftime("%Y%m%d-%H%M%S"),
        random_number() as u32
    )
}

/// The header of the run, and its clock: both begin now.
pub fn started(
    plan: &Plan,
    environment: Environment,
    findings: Vec<Finding>,
    tags: &[String],
) -> (RunHeader, Clock) {
    let clock = Clock::start();
    let now = Zoned::now();
    let header = RunHeader {
        format: RUN_FORMAT,
        id: run_id(&now),
        plumb_version: env!("CARGO_PKG_VERSION").into(),
        started: now.strftime("%Y-%m-%dT%H:%M:%S%.6f%:z").to_string(),
        started_unix_ns: u64::try_from(now.timestamp().as_nanosecond()).unwrap_or_default(),
        command: crate::system::own_command_line(),
        plan: plan.clone(),
        environment,
        findings,
        tags: tags.to_vec(),
        side_of: None,
        imported: None,
        watch: None,
        ranks: None,
        rank_of: None,
    };
    (header, clock)
}

/// A plan with work for each of many ranks does not fit a single process.
fn refuse_what_is_for_many(plan: &Plan) -> anyhow::Result<()> {
    let of_some = |step: &&Step| {
        let mut jobs = step.jobs.iter();
        jobs.any(|job| job.workload.on_ranks != RankChoice::All)
    };
    let Some(step) = plan.steps.iter().find(of_some) else {
        return Ok(());
    };
    anyhow::bail!(
        "step '{}' is for a subset of ranks (on-ranks), and this process is the only rank: start it with `mpirun -n 4 plumb run ...`, srun, or `plumb launch --hosts ...`",
        step.name
    )
}

/// Runs every execution of the plan. Returns what could not run.
fn carry_out(
    request: &Request,
    start: (RunHeader, Clock),
    folder: &Path,
    stop: &AtomicBool,
) -> anyhow::Result<Vec<String>> {
    let plan = &request.plan;
    let view = match &request.view {
        Some(open) => open(),
        _ => View::choose(request.quiet, request.words),
    };
    let view = shared(view);
    let mut ongoing = Ongoing::begin(plan, &request.admission, start, folder, view, stop)?;
    ongoing.wishes = request.wishes.clone();
    ongoing.around_step = request.around_step.as_ref();
    ongoing.record.on_interval = request.on_interval.clone();
    if let Some(search) = &request.search {
        searching::carry_out(&mut ongoing, plan, search.clone(), folder, stop)?;
        return ongoing.end();
    }
    let schedule = plan.schedule();
    for (index, (step, round)) in schedule.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        ongoing.execute(*step, *round);
        if steadiness::ends_round(plan, &schedule, index) {
            let (enough, standing) = steadiness::judge(plan, folder)?;
            ongoing.record.stand(standing);
            if enough {
                break;
            }
        }
    }
    ongoing.end()
}

/// `written: 3.9 GiB by the steps, and 1 GiB before them`: what the run cost the target, by what was recorded.
pub fn written_text(derived: &Derived) -> String {
    let steps = derived
        .summary
        .steps
        .iter()
        .flat_map(|step| &step.operations);
    let puts = |word: &str| {
        word.parse::<OperationKind>()
            .is_ok_and(|kind| kind.writes_blocks() || kind == OperationKind::Create)
    };
    let by_steps: u64 = steps
        .filter(|(kind, _)| puts(kind))
        .map(|(_, operations)| operations.bytes)
        .sum();
    let before: u64 = derived
        .run
        .notes
        .iter()
        .filter_map(|note| match &note.event {
            Event::Prepared { bytes, .. } => Some(*bytes),
            _ => None,
        })
        .sum();
    let shown = |bytes: u64| show_bytes(bytes as f64);
    match (by_steps, before) {
        (0, 0) => "written: nothing".to_string(),
        (_, 0) => format!("written: {} by the steps", shown(by_steps)),
        _ => format!(
            "written: {} by the steps (warm-up not counted), and {} to prepare the files",
            shown(by_steps),
            shown(before)
        ),
    }
}
