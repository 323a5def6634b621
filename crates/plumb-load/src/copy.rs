//! How is a tree copied by somebody else's program, timed, and checked? One copy is one operation; its record is that of any other load.

mod ending;
mod host;
mod process;
mod words;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plumb_model::copies::copy_numbers;
use plumb_model::histogram::Histogram;
use plumb_model::run::{EngineAccount, EngineRecord};
use plumb_model::tick::{KindTick, Phase, Tick, WorkerTick};
use plumb_model::workload::OperationKind;

use crate::clock::Clock;
use crate::crew::{LoadError, LoadEvent};
use crate::tree::{
    Checked, Problem, Tolerance, Tree, TreeKind, empty_folder, forget_cached, sync_file_system,
    time_granularity_ns,
};

pub use ending::HowEnded;
pub use host::write_private;
pub use process::{Ended, Supervisor};
pub use words::{find_program, split_words};

/// Name in records.
const ENGINE: &str = "copy";

/// All that one program is to copy, for each step of its plan.
#[derive(Debug, Clone)]
pub struct Copying {
    /// One for each step of the plan, in its order.
    pub steps: Vec<CopyStep>,
    /// A program that takes longer is ended; missing: it may take for ever.
    pub timeout: Option<Duration>,
    /// The source is dropped from the page cache before each copy, and the copy before it is checked.
    pub cold: bool,
    /// Lost time stamps are counted, but are no error.
    pub ignore_times: bool,
}

/// One copy of one tree.
#[derive(Debug, Clone)]
pub struct CopyStep {
    pub tree: Arc<Tree>,
    /// The command line; nothing is left to be put in.
    pub words: Vec<String>,
    /// Highest exit status that means success: 0 for nearly all programs, 7 for robocopy.
    pub exit_max: i32,
    /// Where the program reads, when it lies on this machine.
    pub from: Option<PathBuf>,
    pub landing: Landing,
}

/// Where a copy arrives.
#[derive(Debug, Clone)]
pub enum Landing {
    /// A folder on this machine: emptied before, checked after.
    Here(PathBuf),
    /// Somewhere else: `empty` makes it empty before, `fetch` brings it to the folder `fetched`, where it is checked.
    Elsewhere {
        empty: Vec<String>,
        fetch: Vec<String>,
        fetched: PathBuf,
    },
}

impl Landing {
    fn here(&self) -> Option<&PathBuf> {
        match self {
            Landing::Here(folder) => Some(folder),
            Landing::Elsewhere { .. } => None,
        }
    }
}

/// What the user should know, and what goes to the record.
type Sink<'a> = &'a mut dyn FnMut(LoadEvent);

/// Carries out one copy: landing emptied, program run and timed, its copy brought to stable storage and checked. Everything but the program itself is outside of
/// the measured time. Returns what ended it: `operations`, or `signal`. A program that fails, hangs or damages is a counted error, with its name: `exit-23`,
/// `killed-9`, `timeout`, `mismatch`.
///
/// # Errors
/// The landing cannot be emptied, or the program cannot be started: nothing was measured.
pub fn run_copy(
    execution: u32,
    copying: &Copying,
    step: usize,
    clock: Clock,
    stop: &AtomicBool,
    sink: Sink<'_>,
) -> Result<String, LoadError> {
    let copy = &copying.steps[step];
    let course = Course {
        execution,
        copying,
        copy,
        clock,
        stop,
    };
    course.clear()?;
    sink(LoadEvent::EngineOpened {
        job: 0,
        record: course.record(),
    });
    sink(LoadEvent::Started {
        time_ns: clock.now_ns(),
    });
    let ended = Supervisor {
        clock,
        stop,
        timeout: copying.timeout,
    }
    .run(&copy.words, &mut |time_ns| {
        sink(LoadEvent::Interval { time_ns })
    });
    let mut ended = ended.map_err(|error| LoadError(not_started(&copy.words, &error)))?;
    if matches!(ended.how, HowEnded::Exit(status) if (0..=copy.exit_max).contains(&status)) {
        ended.how = HowEnded::Exit(0);
    }
    if ended.how == HowEnded::Stopped {
        return Ok("signal".into());
    }
    let stable_ns = course.settle()?;
    let checked = course.check();
    if checked.as_ref().is_some_and(|checked| checked.stopped) || stop.load(Ordering::Relaxed) {
        return Ok("signal".into());
    }
    course.report(&ended, stable_ns, checked.as_ref(), sink);
    if let Landing::Here(folder) = &copy.landing {
        // Room for the next copy, of whichever program; what cannot be removed now is told then.
        let _ = empty_folder(folder);
    }
    Ok("operations".into())
}

/// Runs a command that serves the measurement and is no part of it: makes a place, empties it, removes it.
///
/// # Errors
/// It could not be started, or failed; `what` begins the sentence.
pub fn serve(
    words: &[String],
    what: &str,
    timeout: Option<Duration>,
    stop: &AtomicBool,
) -> Result<(), LoadError> {
    match (Supervisor {
        clock: Clock::start(),
        stop,
        timeout,
    })
    .run(words, &mut |_| {})
    {
        Err(error) => Err(LoadError(format!("{what}: {}", not_started(words, &error)))),
        Ok(Ended {
            how: HowEnded::Stopped,
            ..
        }) => Ok(()),
        Ok(Ended {
            how: HowEnded::Exit(0),
            output,
            ..
        }) => match refused_status(words, &output) {
            Some(line) => Err(LoadError(format!("{what}: smbclient says {line}"))),
            None => Ok(()),
        },
        Ok(ended) => Err(LoadError(format!(
            "{what}: {} {}{}",
            words[0],
            ended.how.in_words(),
            last_words(&ended.output)
        ))),
    }
}

/// The first line in which smbclient tells of an order that failed: most of them leave its exit status at 0. That a folder has nothing in it is no
/// failure: what is missing is found when the copy is compared.
fn refused_status<'a>(words: &[String], output: &'a str) -> Option<&'a str> {
    let is_smbclient = words
        .first()
        .is_some_and(|program| program.rsplit('/').next() == Some("smbclient"));
    let failed =
        |line: &&str| line.contains("NT_STATUS_") && !line.contains("NT_STATUS_NO_SUCH_FILE");
    output
        .lines()
        .map(str::trim)
        .filter(|_| is_smbclient)
        .find(failed)
}

/// Why a program could not be started.
fn not_started(words: &[String], error: &io::Error) -> String {
    let program = words.first().map(String::as_str).unwrap_or_default();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("{program} is not there: install it, or write its whole path")
        }
        io::ErrorKind::PermissionDenied => format!("{program} may not be run: make it executable"),
        _ => format!("{program} cannot be started: {error}"),
    }
}

/// One copy on its way.
struct Course<'a> {
    execution: u32,
    copying: &'a Copying,
    copy: &'a CopyStep,
    clock: Clock,
    stop: &'a AtomicBool,
}

impl Course<'_> {
    /// Empties the landing, and brings the source into the state that was asked for. What earlier copies left unwritten is written out now: this one
    /// must not pay for it.
    fn clear(&self) -> Result<(), LoadError> {
        match &self.copy.landing {
            Landing::Here(folder) => {
                empty_folder(folder).map_err(|error| {
                    LoadError(format!(
                        "what the last copy left cannot be removed: {error}"
                    ))
                })?;
                let _ = sync_file_system(folder);
            }
            Landing::Elsewhere { empty, .. } => {
                self.serve(empty, "the destination cannot be emptied")?
            }
        }
        let Some(from) = &self.copy.from else {
            return Ok(());
        };
        let _ = sync_file_system(from);
        if self.copying.cold {
            for entry in self
                .copy
                .tree
                .entries
                .iter()
                .filter(|entry| entry.kind != TreeKind::Folder)
            {
                let path = from.join(&entry.path);
                forget_cached(&path).map_err(|error| {
                    LoadError(format!("{}: cannot be read: {error}", path.display()))
                })?;
            }
        }
        Ok(())
    }

    fn serve(&self, words: &[String], what: &str) -> Result<(), LoadError> {
        serve(words, what, self.copying.timeout, self.stop)
    }

    fn record(&self) -> EngineRecord {
        EngineRecord {
            name: ENGINE.into(),
            active: vec![
                if self.copying.cold {
                    "cold source"
                } else {
                    "source as it was written (cached)"
                }
                .into(),
            ],
            refused: Vec::new(),
            stamping: "each".into(),
            batch: 1,
            clock: self.clock.source().into(),
            target: self
                .copy
                .landing
                .here()
                .map_or_else(|| "elsewhere".into(), |folder| folder.display().to_string()),
            size_bytes: self.copy.tree.bytes(),
            direct: None,
            connection: Default::default(),
        }
    }

    /// Brings the copy to stable storage; nanoseconds that it took, missing where the system cannot tell.
    fn settle(&self) -> Result<Option<u64>, LoadError> {
        let Some(folder) = self.copy.landing.here() else {
            return Ok(None);
        };
        let begun = Instant::now();
        match sync_file_system(folder) {
            Ok(synced) => Ok(synced.map(|()| begun.elapsed().as_nanos() as u64)),
            Err(error) => Err(LoadError(format!(
                "{}: the copy cannot be brought to stable storage: {error}",
                folder.display()
            ))),
        }
    }

    /// Compares the copy with its tree; missing when it could not be fetched.
    fn check(&self) -> Option<Checked> {
        let folder = match &self.copy.landing {
            Landing::Here(folder) => folder,
            Landing::Elsewhere { fetch, fetched, .. } => {
                empty_folder(fetched).ok()?;
                self.serve(fetch, "the copy cannot be fetched").ok()?;
                fetched
            }
        };
        // What was fetched back was copied once more: only what the program itself laid down can be the source.
        let source = self
            .copy
            .from
            .as_deref()
            .filter(|_| self.copy.landing.here().is_some());
        let tolerance = Tolerance {
            granularity_ns: time_granularity_ns(folder).unwrap_or(1),
            ignore_times: self.copying.ignore_times,
            cold: self.copying.cold,
        };
        let checked = self.copy.tree.check(folder, source, &tolerance, self.stop);
        if !matches!(self.copy.landing, Landing::Here(_)) {
            // The next copy is fetched to the same place: what cannot be removed is told then.
            let _ = empty_folder(folder);
        }
        Some(checked)
    }

    fn report(
        &self,
        ended: &Ended,
        stable_ns: Option<u64>,
        checked: Option<&Checked>,
        sink: Sink<'_>,
    ) {
        let problems = checked.map_or(0, |checked| checked.count);
        let error = match ended.how.error() {
            Some(error) => Some(error),
            None => (problems > 0).then(|| "mismatch".to_string()),
        };
        sink(LoadEvent::Tick(self.tick(ended, error.as_deref())));
        for problem in checked
            .map(|checked| checked.problems.as_slice())
            .unwrap_or_default()
        {
            sink(self.mismatch(problem));
        }
        if let Some(error) = error {
            let path = self.copy.words.first().cloned().unwrap_or_default();
            if ended.how.error().is_some() {
                sink(LoadEvent::Remark {
                    job: 0,
                    text: format!(
                        "{path} {}{}",
                        ended.how.in_words(),
                        last_words(&ended.output)
                    ),
                });
            }
            sink(LoadEvent::FirstError {
                job: 0,
                kind: OperationKind::Copy,
                error,
                path,
                offset: 0,
            });
        }
        if ended.left_running {
            let text = format!(
                "{} left programs running when it ended; they were ended too",
                self.copy.words[0]
            );
            sink(LoadEvent::Remark { job: 0, text });
        }
        sink(LoadEvent::EngineClosed {
            job: 0,
            worker: 0,
            account: self.account(ended, stable_ns, checked),
        });
    }

    fn mismatch(&self, problem: &Problem) -> LoadEvent {
        let block_bytes = self
            .copy
            .tree
            .entries
            .iter()
            .find(|entry| entry.path == problem.path)
            .map_or(0, |entry| match entry.kind {
                TreeKind::File { bytes, .. } => bytes,
                TreeKind::Folder => 0,
            });
        LoadEvent::Mismatch {
            job: 0,
            path: problem.path.display().to_string(),
            offset: problem.offset,
            block_bytes,
            explanation: problem.text.clone(),
            hex_window: problem.hex_window.clone(),
        }
    }

    /// The copy as one interval of load: it begins when the program is started and ends when it has ended.
    fn tick(&self, ended: &Ended, error: Option<&str>) -> Tick {
        let mut service = Histogram::default();
        let whole = error.is_none();
        if whole {
            service.record_n(ended.elapsed_ns(), 1);
        }
        let bytes = if whole { self.copy.tree.bytes() } else { 0 };
        let errors = error
            .map(|error| (error.to_string(), 1))
            .into_iter()
            .collect();
        let kind = KindTick {
            kind: OperationKind::Copy,
            count: u64::from(whole),
            bytes,
            errors,
            service,
            response: None,
        };
        Tick {
            execution: self.execution,
            job: 0,
            phase: Phase::Measure,
            start_ns: ended.start_ns,
            end_ns: ended.end_ns,
            kinds: vec![kind],
            lateness: None,
            backlog: None,
            workers: vec![WorkerTick {
                worker: 0,
                operations: u64::from(whole),
                bytes,
                cpu_user_ns: ended.usage.map(|usage| usage.user_ns),
                cpu_system_ns: ended.usage.map(|usage| usage.system_ns),
                voluntary_switches: ended.usage.map(|usage| usage.voluntary_switches),
                involuntary_switches: ended.usage.map(|usage| usage.involuntary_switches),
                waited_for_cpu_ns: None,
            }],
        }
    }

    fn account(
        &self,
        ended: &Ended,
        stable_ns: Option<u64>,
        checked: Option<&Checked>,
    ) -> EngineAccount {
        let tree = &self.copy.tree;
        let (usage, io) = (ended.usage, ended.io);
        let numbers = [
            (copy_numbers::FILES, Some(tree.files() as f64)),
            (copy_numbers::BYTES, Some(tree.bytes() as f64)),
            (
                copy_numbers::ELAPSED_S,
                Some(ended.elapsed_ns() as f64 / 1e9),
            ),
            (copy_numbers::STABLE_S, stable_ns.map(|ns| ns as f64 / 1e9)),
            (
                copy_numbers::CPU_USER_S,
                usage.map(|usage| usage.user_ns as f64 / 1e9),
            ),
            (
                copy_numbers::CPU_SYSTEM_S,
                usage.map(|usage| usage.system_ns as f64 / 1e9),
            ),
            (
                copy_numbers::MEMORY_BYTES,
                usage.map(|usage| usage.memory_bytes as f64),
            ),
            (
                copy_numbers::READ_CALLS_BYTES,
                io.map(|io| io.read_calls_bytes as f64),
            ),
            (
                copy_numbers::WRITE_CALLS_BYTES,
                io.map(|io| io.write_calls_bytes as f64),
            ),
            (
                copy_numbers::DEVICE_READ_BYTES,
                io.map(|io| io.device_read_bytes as f64),
            ),
            (
                copy_numbers::DEVICE_WRITE_BYTES,
                io.map(|io| io.device_write_bytes as f64),
            ),
            (
                copy_numbers::CHECKED_FILES,
                checked.map(|checked| checked.files as f64),
            ),
            (
                copy_numbers::CHECKED_BYTES,
                checked.map(|checked| checked.bytes as f64),
            ),
            (
                copy_numbers::PROBLEMS,
                checked.map(|checked| checked.count as f64),
            ),
            (
                copy_numbers::SHARED_BYTES,
                checked
                    .and_then(|checked| checked.shared_bytes)
                    .map(|bytes| bytes as f64),
            ),
            (
                copy_numbers::LOST_TIMES,
                checked.map(|checked| checked.times as f64),
            ),
            (
                copy_numbers::COARSE_TIMES,
                checked.map(|checked| checked.coarse_times as f64),
            ),
            (
                copy_numbers::LOST_FOLDER_TIMES,
                checked.map(|checked| checked.folder_times as f64),
            ),
            (
                copy_numbers::LOST_MODES,
                checked.map(|checked| checked.modes as f64),
            ),
        ];
        let numbers = numbers
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_string(), value?)))
            .collect();
        EngineAccount {
            numbers,
            ..EngineAccount::default()
        }
    }
}

/// What a program said of its failure, as the rest of a sentence: the first line that sounds like a reason, and the last one.
fn last_words(output: &str) -> String {
    let lines: Vec<&str> = output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let reasons = [
        "error",
        "fail",
        "denied",
        "refused",
        "cannot",
        "no such",
        "not ",
        "nt_status",
    ];
    let sounds = |line: &&&str| {
        reasons
            .iter()
            .any(|reason| line.to_ascii_lowercase().contains(reason))
    };
    match (lines.iter().find(sounds), lines.last()) {
        (_, None) => " and wrote nothing".into(),
        (Some(reason), Some(last)) if reason != last => format!(": {reason} / {last}"),
        (_, Some(last)) => format!(": {last}"),
    }
}

#[cfg(test)]
mod tests;
