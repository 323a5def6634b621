//! How is a tree copied by another program, timed, and checked? One copy is one operation; its record is that of any other load.

pub(crate) mod ending;
mod far;
mod process;
mod reporting;
pub mod tree;
mod words;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plumb_model::run::EngineRecord;
use plumb_model::run::step_end::StopReason;
use plumb_model::statement::Statement;

use crate::clock::Clock;
use crate::copy::tree::{
    Checked, Timestamps, Tolerance, Tree, TreeKind, empty_folder, forget_cached, sync_file_system,
    time_granularity_ns,
};
use crate::crew::{LoadError, LoadEvent};
use crate::secret::Secret;

pub use crate::system::programs::write_private;
pub use ending::HowEnded;
pub use far::FarFolder;
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
    pub timestamps: Timestamps,
}

/// One copy of one tree.
#[derive(Debug, Clone)]
pub struct CopyStep {
    pub tree: Arc<Tree>,
    /// The command line; nothing is left to be put in.
    pub words: Vec<String>,
    /// Variables that the program gets beside those of plumb: how an object store is reached.
    pub environment: Vec<(&'static str, Secret)>,
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
    /// Somewhere else: emptied before, and brought to the folder `fetched`, where it is checked.
    Elsewhere { folder: FarFolder, fetched: PathBuf },
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
) -> Result<StopReason, LoadError> {
    let copy = &copying.steps[step];
    let run = CopyRun {
        execution,
        copying,
        copy,
        clock,
        stop,
    };
    run.clear()?;
    sink(LoadEvent::EngineOpened {
        job: 0,
        record: run.record(),
    });
    sink(LoadEvent::Started {
        time_ns: clock.now_ns(),
    });
    let ended = Supervisor {
        clock,
        stop,
        timeout: copying.timeout,
        environment: &copy.environment,
    }
    .run(&copy.words, &mut |time_ns| {
        sink(LoadEvent::Interval { time_ns })
    });
    let mut ended = ended.map_err(|error| LoadError(not_started(&copy.words, &error)))?;
    if matches!(ended.how, HowEnded::Exit(status) if (0..=copy.exit_max).contains(&status)) {
        ended.how = HowEnded::Exit(0);
    }
    if ended.how == HowEnded::Stopped {
        return Ok(StopReason::Signal);
    }
    let stable_ns = run.settle()?;
    let checked = run.check();
    if checked.as_ref().is_some_and(|checked| checked.stopped) || stop.load(Ordering::Relaxed) {
        return Ok(StopReason::Signal);
    }
    run.report(&ended, stable_ns, checked.as_ref(), sink);
    if let Landing::Here(folder) = &copy.landing {
        // Space for the next copy, of any program; what cannot be removed now is reported then.
        let _ = empty_folder(folder);
    }
    Ok(StopReason::Operations)
}

/// Runs a command outside of the measurement: creates, empties or removes a folder.
///
/// # Errors
/// It could not be started, or failed: why.
pub fn serve(
    words: &[String],
    timeout: Option<Duration>,
    stop: &AtomicBool,
) -> Result<(), Statement> {
    let supervisor = Supervisor {
        clock: Clock::start(),
        stop,
        timeout,
        environment: &[],
    };
    match supervisor.run(words, &mut |_| {}) {
        Err(error) => Err(not_started(words, &error)),
        Ok(Ended {
            how: HowEnded::Stopped,
            ..
        }) => Ok(()),
        Ok(Ended {
            how: HowEnded::Exit(0),
            ..
        }) => Ok(()),
        Ok(ended) => Err(ended.statement(&words[0])),
    }
}

/// Why a program could not be started.
fn not_started(words: &[String], error: &io::Error) -> Statement {
    let program = words.first().map(String::as_str).unwrap_or_default();
    match error.kind() {
        io::ErrorKind::NotFound => Statement::new("copy-program-is-missing"),
        io::ErrorKind::PermissionDenied => Statement::new("copy-program-may-not-run"),
        _ => Statement::new("copy-program-cannot-start").name("error", error.to_string()),
    }
    .name("program", program)
}

/// One copy on its way.
struct CopyRun<'a> {
    execution: u32,
    copying: &'a Copying,
    copy: &'a CopyStep,
    clock: Clock,
    stop: &'a AtomicBool,
}

impl CopyRun<'_> {
    /// Empties the landing, and brings the source into the requested state. What earlier copies left unwritten is written out now: this one
    /// must not pay for it.
    fn clear(&self) -> Result<(), LoadError> {
        match &self.copy.landing {
            Landing::Here(folder) => {
                empty_folder(folder).map_err(|error| {
                    LoadError(
                        Statement::new("copy-place-is-not-clear").name("error", error.to_string()),
                    )
                })?;
                let _ = sync_file_system(folder);
            }
            Landing::Elsewhere { folder, .. } => {
                let refused = |why| Statement::new("copy-destination-not-emptied").part("why", why);
                folder
                    .empty(self.copying.timeout, self.stop)
                    .map_err(|why| LoadError(refused(why)))?
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
                    LoadError(
                        Statement::new("copy-source-cannot-be-read")
                            .name("path", path.display().to_string())
                            .name("error", error.to_string()),
                    )
                })?;
            }
        }
        Ok(())
    }

    fn record(&self) -> EngineRecord {
        EngineRecord {
            name: ENGINE.into(),
            active: vec![
                if self.copying.cold {
                    "cold source"
                } else {
                    "source as written (cached)"
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
            Err(error) => Err(LoadError(
                Statement::new("copy-not-brought-to-storage")
                    .name("path", folder.display().to_string())
                    .name("error", error.to_string()),
            )),
        }
    }

    /// Compares the copy with its tree; missing when it could not be fetched.
    fn check(&self) -> Option<Checked> {
        let folder = match &self.copy.landing {
            Landing::Here(folder) => folder,
            Landing::Elsewhere { folder, fetched } => {
                empty_folder(fetched).ok()?;
                folder
                    .fetch(fetched, self.copying.timeout, self.stop)
                    .ok()?;
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
            timestamps: self.copying.timestamps,
            cold: self.copying.cold,
        };
        let checked = self.copy.tree.check(folder, source, &tolerance, self.stop);
        if !matches!(self.copy.landing, Landing::Here(_)) {
            // The next copy is fetched to the same folder: what cannot be removed is reported then.
            let _ = empty_folder(folder);
        }
        Some(checked)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
