//! How are counters watched from beginning to end? Samples at a steady interval, recorded raw, and derived for the view.

pub mod collection;
pub(crate) mod command;
pub mod in_loop;
pub mod scraped;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use plumb_analyse::figures::watch::{Derivation, summary_of};
use plumb_load::clock::Clock;
use plumb_model::environment::Environment;
use plumb_model::plan::{Order, Plan};
use plumb_model::results::watch::{WatchInterval, WatchSummary};
use plumb_model::run::metric::Reading;
use plumb_model::run::watch::{Watch, WatchCost};
use plumb_model::run::{Event, Note, Run, RunHeader};
use plumb_model::target::Target;
use plumb_observe::environment::{Options, look};
use plumb_observe::observer::{Observer, own_cpu_ns};
use plumb_observe::source::{Program, Scope, Source};
use plumb_observe::sources::metrics;
use plumb_record::{RecordError, RunWriter};

use crate::Stop;
use crate::measurement::{claim_folder, started};
use command::WatchedCommand;
use scraped::Scraped;

/// The shortest interval: a sample reads a dozen files of the kernel, some of which it counts in jiffies.
pub const INTERVAL_MIN_NS: u64 = 100_000_000;
/// A request to end is seen within this.
const NAP_NS: u64 = 100_000_000;
/// The end of a watched command is seen within this.
const NAP_WITH_COMMAND_NS: u64 = 5_000_000;
/// A last interval that is shorter is not worth a sample.
const LAST_INTERVAL_MIN_NS: u64 = 1_000_000;

/// What is to be watched.
pub struct WatchRequest {
    /// [`INTERVAL_MIN_NS`] or more.
    pub interval_ns: u64,
    /// Missing: until a signal, or the end of the command.
    pub duration_ns: Option<u64>,
    /// The sets as they were named.
    pub sets: Vec<String>,
    pub sources: Vec<&'static Source>,
    pub scope: Scope,
    /// What devices and shares carry at most by measurements, as readings that stand in every sample.
    pub ceilings: Vec<Reading>,
    /// A command and its arguments; empty for none.
    pub command: Vec<OsString>,
    /// The run folder, which must not exist or be empty; missing: a name of plumb's choice in the current directory.
    pub output: Option<PathBuf>,
    /// False: nothing is recorded.
    pub is_recorded: bool,
    pub tags: Vec<String>,
    /// Addresses that serve the last sample over HTTP as OpenMetrics; empty: none.
    pub open_metrics: Vec<SocketAddr>,
}

/// What was watched.
pub struct Watched {
    pub summary: WatchSummary,
    /// The run folder; missing when nothing was recorded.
    pub folder: Option<PathBuf>,
    /// A signal ended it before its time. Without a time, a signal is how it ends.
    pub interrupted: bool,
}

/// Watches, and hands each interval to `show`.
///
/// Errors: the folder or the command cannot be had, and then nothing was recorded; or the record could not be written to its end.
pub fn watch(
    request: &WatchRequest,
    stop: &Stop,
    show: &mut dyn FnMut(&WatchInterval, &RunHeader),
) -> anyhow::Result<Watched> {
    let (mut session, folder) = begin(request, request.output.as_deref(), None)?;
    session.go_on(request, stop, show);
    session.end(folder)
}

/// Begins to watch, recorded in this folder, or where plumb chooses when that is missing. The last sample is served by `scraped`, or else by
/// the request.
fn begin(
    request: &WatchRequest,
    folder: Option<&Path>,
    scraped: Option<Scraped>,
) -> anyhow::Result<(Session, Option<PathBuf>)> {
    let claimed = match request.is_recorded {
        true => Some(claim_folder(folder, NAME)?),
        false => None,
    };
    let folder = claimed.as_ref().map(|(folder, _)| folder.as_path());
    let begun = Session::begin(request, folder, scraped);
    if begun.is_err() {
        // Folders that are still empty go.
        let made = claimed.iter().flat_map(|(_, made)| made);
        made.for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    Ok((begun?, claimed.map(|(folder, _)| folder)))
}

/// Name of the plan, and in the name of the folder.
const NAME: &str = "watch";

/// Watching under way.
struct Session {
    clock: Clock,
    observer: Observer,
    writer: Option<RunWriter>,
    derivation: Derivation,
    header: RunHeader,
    notes: Vec<Note>,
    command: Option<WatchedCommand>,
    scraped: Option<Scraped>,
    ceilings: Vec<Reading>,
    readings: Vec<Reading>,
    /// Time of the last sample.
    sampled_ns: u64,
    samples: u64,
    left_out: u64,
    cpu_ns_before: Option<u64>,
    /// A signal came before its time was over.
    interrupted: bool,
    failure: Option<RecordError>,
}

impl Session {
    /// Takes the first sample, starts the command, and begins the record.
    fn begin(
        request: &WatchRequest,
        folder: Option<&Path>,
        scraped: Option<Scraped>,
    ) -> anyhow::Result<Session> {
        let (mut header, clock) = started(&plan(), environment(), Vec::new(), &request.tags);
        header.watch = Some(Watch {
            interval_ns: request.interval_ns,
            duration_ns: request.duration_ns,
            sets: request.sets.clone(),
            sources: request
                .sources
                .iter()
                .map(|source| source.name.to_string())
                .collect(),
            watched_command: request
                .command
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        });
        let cpu_ns_before = own_cpu_ns();
        let mut session = Session {
            clock,
            observer: Observer::of(Path::new("/"), &request.scope, &request.sources),
            writer: None,
            derivation: Derivation::new(),
            header,
            notes: Vec::new(),
            command: None,
            ceilings: request.ceilings.clone(),
            scraped: match scraped {
                Some(scraped) => Some(scraped),
                None => Scraped::listen(&request.open_metrics, metrics().collect())?,
            },
            readings: Vec::new(),
            sampled_ns: 0,
            samples: 0,
            left_out: 0,
            cpu_ns_before,
            interrupted: false,
            failure: None,
        };
        session.read(clock.now_ns());
        session.start_command(request)?;
        session.derivation.take(&session.readings);
        if let Some(folder) = folder {
            match RunWriter::create(folder, &session.header) {
                Ok(writer) => session.writer = Some(writer),
                Err(error) => {
                    session.command.iter_mut().for_each(WatchedCommand::kill);
                    return Err(error).context("nothing was recorded");
                }
            }
        }
        session.record();
        Ok(session)
    }

    /// Starts the command, if there is one. What it did by the time of the first sample is nothing.
    fn start_command(&mut self, request: &WatchRequest) -> anyhow::Result<()> {
        let command = WatchedCommand::start(&request.command)?;
        if let Some(command) = &command {
            let program = Program {
                pid: command.process(),
                name: program_name(&request.command),
            };
            self.observer.follow(program, &mut self.readings);
            let time_ns = self.sampled_ns;
            let readings = self.readings.iter_mut();
            readings.for_each(|reading| reading.time_ns = time_ns);
        }
        self.command = command;
        Ok(())
    }

    /// Samples until the end.
    fn go_on(
        &mut self,
        request: &WatchRequest,
        stop: &Stop,
        show: &mut dyn FnMut(&WatchInterval, &RunHeader),
    ) {
        let first_ns = self.sampled_ns;
        let nap_ns = match self.command {
            Some(_) => NAP_WITH_COMMAND_NS,
            None => NAP_NS,
        };
        let ends_ns = request.duration_ns.map(|duration| first_ns + duration);
        // Due times are counted from the first sample: a late one does not delay those after it.
        let mut due = 1u64;
        loop {
            let now_ns = self.clock.now_ns();
            let due_ns = first_ns.saturating_add(due.saturating_mul(request.interval_ns));
            let is_last = self.is_last(now_ns, ends_ns, stop);
            if now_ns >= due_ns || (is_last && now_ns >= self.sampled_ns + LAST_INTERVAL_MIN_NS) {
                self.sample(show);
                let passed = (now_ns - first_ns) / request.interval_ns;
                self.left_out += passed.saturating_sub(due);
                due = passed + 1;
            }
            if is_last || (self.failure.is_some() && self.command.is_none()) {
                break;
            }
            let next_ns = due_ns.min(ends_ns.unwrap_or(u64::MAX));
            let left_ns = next_ns.saturating_sub(self.clock.now_ns());
            std::thread::sleep(Duration::from_nanos(left_ns.min(nap_ns)));
        }
    }

    /// Whether nothing comes after the sample of this moment. A command that was requested to end is waited for.
    fn is_last(&mut self, now_ns: u64, ends_ns: Option<u64>, stop: &Stop) -> bool {
        if let Some(command) = &mut self.command {
            if stop.is_requested() {
                command.request_end(now_ns);
            }
            return command.has_ended();
        }
        let is_over = ends_ns.is_some_and(|ends_ns| now_ns >= ends_ns);
        self.interrupted = !is_over && ends_ns.is_some() && stop.is_requested();
        is_over || stop.is_requested()
    }

    fn sample(&mut self, show: &mut dyn FnMut(&WatchInterval, &RunHeader)) {
        self.read(self.clock.now_ns());
        self.record();
        if let Some(interval) = self.derivation.take(&self.readings) {
            show(&interval, &self.header);
        }
    }

    fn read(&mut self, time_ns: u64) {
        self.readings.clear();
        self.observer.sample(time_ns, &mut self.readings);
        let ceilings = self.ceilings.iter().cloned();
        self.readings
            .extend(ceilings.map(|ceiling| Reading { time_ns, ..ceiling }));
        self.sampled_ns = time_ns;
        self.samples += 1;
        if let Some(scraped) = &self.scraped {
            scraped.take(&self.readings, self.header.started_unix_ns);
        }
    }

    /// After the first failure nothing more is recorded: a record has no holes.
    fn record(&mut self) {
        if let (Some(writer), None) = (&mut self.writer, &self.failure) {
            self.failure = writer.readings(&self.readings).err();
        }
    }

    fn note(&mut self, event: Event) {
        let time_ns = self.clock.now_ns();
        let note = Note { time_ns, event };
        if let (Some(writer), None) = (&mut self.writer, &self.failure) {
            self.failure = writer.note(&note).err();
        }
        self.notes.push(note);
    }

    fn end(mut self, folder: Option<PathBuf>) -> anyhow::Result<Watched> {
        let interrupted = self.interrupted;
        if let Some(end) = self.command.as_mut().and_then(WatchedCommand::end) {
            self.note(Event::CommandEnded { end });
        }
        let cpu_ns = own_cpu_ns().zip(self.cpu_ns_before);
        let cost = WatchCost {
            cpu_ns: cpu_ns.map(|(after, before)| after.saturating_sub(before)),
            elapsed_ns: self.clock.now_ns(),
            samples: self.samples,
            left_out: self.left_out,
        };
        self.note(Event::Watched { cost });
        self.note(Event::Finished { interrupted });
        if let Some(error) = self.failure {
            return Err(error.into());
        }
        if let Some(writer) = self.writer {
            writer.finish()?;
        }
        let source = match &folder {
            Some(folder) => folder.display().to_string(),
            None => String::new(),
        };
        let run = Run {
            header: self.header,
            ticks: Vec::new(),
            readings: Vec::new(),
            notes: self.notes,
            doubts: Vec::new(),
        };
        Ok(Watched {
            summary: summary_of(&run, &self.derivation, &source),
            folder,
            interrupted,
        })
    }
}

/// The name of a command's program, without its folder.
fn program_name(command: &[OsString]) -> String {
    let program = command.first().map(Path::new);
    let name = program.and_then(Path::file_name);
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Nothing is loaded.
fn plan() -> Plan {
    Plan {
        name: NAME.into(),
        title: "Counters of this host".into(),
        note: String::new(),
        experiment: None,
        rounds: 1,
        order: Order::Sequential,
        seed: 0,
        steady: None,
        steps: Vec::new(),
        left_out: 0,
    }
}

/// The machine, without a target.
fn environment() -> Environment {
    let options = Options {
        watch: Duration::ZERO,
        trial: false,
        ..Options::default()
    };
    let mut environment = look(&Target::Null, &options);
    environment.facts.retain(|id, _| !id.starts_with("target."));
    environment
}
