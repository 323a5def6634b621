//! How does an importer build a run? Steps, executions one after another, and their known figures.

use std::collections::BTreeMap;

use plumb_model::environment::{Environment, Fact};
use plumb_model::plan::{Plan, Step};
use plumb_model::run::histogram::Histogram;
use plumb_model::run::imported::{Imported, Reported};
use plumb_model::run::step_end::StopReason;
use plumb_model::run::tick::{KindTick, Phase, Tick};
use plumb_model::run::{EngineRecord, Event, Note, RUN_FORMAT, Run, RunHeader};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{Direct, EngineChoice, Job, Workload};

/// Longest duration that a source may state for one execution: a thousand years are a mistake.
const SPAN_MAX_S: f64 = 1e9;

/// A run that grows while a file is read.
#[derive(Debug)]
pub struct RunBuilder {
    run: Run,
    /// End of the last execution, where the next begins.
    now_ns: u64,
    /// Number of executions, and rounds of each step: a file may hold a hundred thousand.
    executions: u32,
    rounds: BTreeMap<u32, u32>,
    /// Steps by name.
    steps: BTreeMap<String, u32>,
}

/// One execution: its position in the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub execution: u32,
    pub start_ns: u64,
    pub end_ns: u64,
}

impl RunBuilder {
    /// An empty run of this program. `plumb import` adds what it knows: the file, the importer, the id.
    pub fn new(program: &str, version: Option<String>) -> RunBuilder {
        let plan = Plan::without_steps(program, format!("What {program} measured"));
        let imported = Imported {
            program: program.into(),
            version,
            importer: String::new(),
            file: String::new(),
            names_all_options: false,
            unstated: Vec::new(),
            doubts: Vec::new(),
        };
        let header = RunHeader {
            format: RUN_FORMAT,
            id: String::new(),
            plumb_version: env!("CARGO_PKG_VERSION").into(),
            started: String::new(),
            started_unix_ns: 0,
            command: Vec::new(),
            plan,
            environment: Environment::default(),
            findings: Vec::new(),
            tags: Vec::new(),
            side_of: None,
            imported: Some(imported),
            watch: None,
            ranks: None,
            rank_of: None,
        };
        let run = Run {
            header,
            ticks: Vec::new(),
            readings: Vec::new(),
            notes: Vec::new(),
            doubts: Vec::new(),
        };
        RunBuilder {
            run,
            now_ns: 0,
            executions: 0,
            rounds: BTreeMap::new(),
            steps: BTreeMap::new(),
        }
    }

    /// Direct access to the run, for what no method covers.
    pub fn run(&mut self) -> &mut Run {
        &mut self.run
    }

    /// A fact about the machine or target that the source states, by its id in [`plumb_model::environment::FACTS`].
    pub fn fact(&mut self, id: &str, fact: Fact) {
        self.run.header.environment.set(id, fact);
    }

    /// A doubt that a reader must know before trusting a figure.
    pub fn doubt(&mut self, doubt: Statement) {
        if let Some(imported) = self
            .run
            .header
            .imported
            .as_mut()
            .filter(|imported| !imported.doubts.contains(&doubt))
        {
            imported.doubts.push(doubt);
        }
    }

    /// Every option that was not at its default is in the source.
    pub fn names_all_options(&mut self) {
        if let Some(imported) = &mut self.run.header.imported {
            imported.names_all_options = true;
        }
    }

    /// The source does not state these keys of the plan: what the plan has for them was not the condition of the measurement. Before the first execution.
    pub fn does_not_state(&mut self, keys: &[&str]) {
        if let Some(imported) = &mut self.run.header.imported {
            imported.unstated = keys.iter().map(|key| key.to_string()).collect();
        }
    }

    /// The command line that the program was started with.
    pub fn command(&mut self, words: impl IntoIterator<Item = impl Into<String>>) {
        self.run.header.command = words.into_iter().map(Into::into).collect();
    }

    /// Start time: RFC 3339 text with the UTC offset that the source states.
    pub fn started(&mut self, rfc3339: impl Into<String>, unix_ns: u64) {
        (self.run.header.started, self.run.header.started_unix_ns) = (rfc3339.into(), unix_ns);
    }

    /// A job of a step.
    pub fn job(name: &str, target: Target, engine: &str, workload: Workload) -> Job {
        Job {
            name: name.into(),
            target,
            engine: EngineChoice {
                engine: engine.into(),
                ..EngineChoice::default()
            },
            workload,
        }
    }

    /// The step of this name: the existing one, or a new one with these jobs.
    pub fn step(&mut self, name: &str, jobs: impl FnOnce() -> Vec<Job>) -> u32 {
        if let Some(at) = self.steps.get(name) {
            return *at;
        }
        let jobs = jobs();
        let origins = vec![BTreeMap::new(); jobs.len()];
        let at = self.run.header.plan.steps.len() as u32;
        self.run.header.plan.steps.push(Step {
            name: name.into(),
            group: name.into(),
            jobs,
            origins,
            ..Step::default()
        });
        self.steps.insert(name.into(), at);
        at
    }

    /// The step that does this work under this name: the existing one, or a new one. The same name with other work gets a number: `read (2)`.
    pub fn step_of_work(&mut self, name: &str, job: Job) -> u32 {
        self.step_of_jobs(name, vec![job])
    }

    /// As [`RunBuilder::step_of_work`], of several jobs at the same time.
    pub fn step_of_jobs(&mut self, name: &str, jobs: Vec<Job>) -> u32 {
        let steps = &self.run.header.plan.steps;
        let of_name = steps.iter().filter(|step| step.group == name).count();
        let same = steps
            .iter()
            .position(|step| step.group == name && step.jobs == jobs);
        if let Some(at) = same {
            return at as u32;
        }
        let numbered = match of_name {
            0 => name.to_string(),
            others => format!("{name} ({})", others + 1),
        };
        let at = self.step(&numbered, || jobs);
        if let Some(step) = self.run.header.plan.steps.get_mut(at as usize) {
            step.group = name.into();
        }
        at
    }

    /// Another round of a step with this duration, after all previous ones. An unknown duration is zero: rates are then [`Reported`].
    pub fn execution(&mut self, step: u32, duration_s: f64) -> Span {
        let execution = self.executions;
        self.executions += 1;
        let rounds = self.rounds.entry(step).or_default();
        let round = *rounds;
        *rounds += 1;
        let seconds = if duration_s.is_finite() {
            duration_s.clamp(0.0, SPAN_MAX_S)
        } else {
            0.0
        };
        let span = Span {
            execution,
            start_ns: self.now_ns,
            end_ns: self.now_ns.saturating_add((seconds * 1e9).round() as u64),
        };
        self.now_ns = span.end_ns;
        self.run.header.plan.rounds = self.run.header.plan.rounds.max(round + 1);
        self.note(
            span.start_ns,
            Event::ExecutionStarted {
                execution,
                step,
                round,
            },
        );
        let states_direct =
            (self.run.header.imported.as_ref()).is_none_or(|imported| imported.states("direct"));
        let opened = |(job, of): (usize, &Job)| {
            let engine = EngineRecord {
                name: of.engine.engine.clone(),
                active: Vec::new(),
                refused: Vec::new(),
                stamping: String::new(),
                batch: 0,
                clock: String::new(),
                target: of.target.to_string(),
                size_bytes: of.workload.size.map_or(0, |size| size.0),
                direct: match of.workload.direct {
                    _ if !states_direct => None,
                    Direct::Yes => Some(true),
                    Direct::No => Some(false),
                    _ => None,
                },
                connection: BTreeMap::new(),
            };
            Note {
                time_ns: span.start_ns,
                event: Event::EngineOpened {
                    execution,
                    job: job as u32,
                    engine,
                },
            }
        };
        let jobs = self
            .run
            .header
            .plan
            .steps
            .get(step as usize)
            .map(|step| step.jobs.as_slice())
            .unwrap_or_default();
        self.run.notes.extend(jobs.iter().enumerate().map(opened));
        self.note(
            span.end_ns,
            Event::ExecutionEnded {
                execution,
                stopped_by: StopReason::Program,
            },
        );
        span
    }

    /// The work of a job over an entire execution: operations and bytes of one kind, and their latencies if known.
    pub fn tally(
        &mut self,
        span: Span,
        job: u32,
        kind: OperationKind,
        count: u64,
        bytes: u64,
        service: Option<Histogram>,
    ) {
        let of = KindTick {
            kind,
            count,
            bytes,
            errors: BTreeMap::new(),
            service: service.unwrap_or_default(),
            response: None,
            split: None,
            priorities: Vec::new(),
        };
        let same = |tick: &&mut Tick| {
            (tick.execution, tick.job, tick.start_ns) == (span.execution, job, span.start_ns)
        };
        // The ticks of an execution are adjacent: earlier ones need no check.
        let mut latest = self
            .run
            .ticks
            .iter_mut()
            .rev()
            .take_while(|tick| tick.execution == span.execution);
        match latest.find(same) {
            Some(tick) => tick.kinds.push(of),
            None => self.interval(span, job, (0, span.end_ns - span.start_ns), vec![of]),
        }
    }

    /// What a job completed in an interval of an execution; its start and end in nanoseconds since the execution's start.
    pub fn interval(
        &mut self,
        span: Span,
        job: u32,
        (from_ns, to_ns): (u64, u64),
        kinds: Vec<KindTick>,
    ) {
        self.run.ticks.push(Tick {
            execution: span.execution,
            job,
            phase: Phase::Measure,
            start_ns: span.start_ns.saturating_add(from_ns),
            end_ns: span.start_ns.saturating_add(to_ns),
            kinds,
            lateness: None,
            backlog: None,
            workers: Vec::new(),
            ranks: None,
        });
    }

    /// Figures of a job that the source states and no tick holds.
    pub fn reported(&mut self, span: Span, job: u32, reported: Reported) {
        self.note(
            span.end_ns,
            Event::Reported {
                execution: span.execution,
                job,
                reported,
            },
        );
    }

    /// Adds an event.
    pub fn note(&mut self, time_ns: u64, event: Event) {
        self.run.notes.push(Note { time_ns, event });
    }

    /// The finished run.
    pub fn finish(mut self) -> Run {
        let end = self.now_ns;
        self.note(end, Event::Finished { interrupted: false });
        self.run
    }
}
