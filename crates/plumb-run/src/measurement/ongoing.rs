//! What is a run in progress? Its targets are claimed, its record is open; executions are carried out one by one, then everything is released.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use plumb_load::clock::Clock;
use plumb_load::copy::{Copying, run_copy};
use plumb_load::crew::assignment::Assignment;
use plumb_load::crew::{Keep, LoadEvent, Orders, ceiling, run_recorded};
use plumb_load::feed::content::seed_of_round;
use plumb_load::site::Admission;
use plumb_model::engines;
use plumb_model::environment::Environment;
use plumb_model::plan::{Plan, Step};
use plumb_model::run::step_end::StopReason;
use plumb_model::run::{Event, RunHeader, WriteBackFailure};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_record::RunWriter;
use plumb_show::live::run::Wishes;
use plumb_words::english;

use super::claim::Claim;
use super::ready_targets::ReadyTargets;
use super::record::{Record, SharedView};
use super::seen::{AroundStep, Joints};
use super::turn::Turn;
use crate::measurement::announce::default_size_bytes;
use crate::notices::say;

/// A run in progress.
pub struct Ongoing<'a> {
    plan: &'a Plan,
    ready: ReadyTargets,
    pub record: Record<'a>,
    /// What a program copies in each step, where the steps are copies.
    pub copying: Option<&'a Copying>,
    stop: &'a AtomicBool,
    /// Requests of the view of a run.
    pub wishes: Wishes,
    /// What is done around each execution.
    pub around_step: Option<&'a AroundStep>,
    executions: u32,
    failures: Vec<String>,
}

impl<'a> Ongoing<'a> {
    /// Claims and fills the targets of a plan, and opens the record in `folder`, which is there and empty.
    ///
    /// Errors: a target may not be used or cannot be made ready; the record cannot be written. Nothing stays claimed then.
    pub fn begin(
        plan: &'a Plan,
        admission: &Admission,
        start: (RunHeader, Clock),
        folder: &Path,
        view: SharedView,
        stop: &'a AtomicBool,
    ) -> anyhow::Result<Ongoing<'a>> {
        Ongoing::begin_with(plan, (admission, None), start, folder, view, stop)
    }

    /// The same where other processes share files with this one.
    ///
    /// Errors: the same, and files of others that do not come or are not seen here.
    pub fn begin_with(
        plan: &'a Plan,
        (admission, joints): (&Admission, Option<&dyn Joints>),
        start: (RunHeader, Clock),
        folder: &Path,
        view: SharedView,
        stop: &'a AtomicBool,
    ) -> anyhow::Result<Ongoing<'a>> {
        let (header, clock) = start;
        let mut record = Record::new(plan, clock, view, stop);
        let claim = Claim {
            admission,
            default_bytes: default_size_bytes(&header.environment),
            joints,
            stop,
        };
        let ready = ReadyTargets::claim(plan, &claim, &mut |progress| {
            record.show_preparing(&progress)
        })?;
        record.show_device(device_text(&header.environment));
        record.begin(RunWriter::create(folder, &header)?, &targets(plan));
        for prepared in ready.prepared() {
            let path = prepared.path.display().to_string();
            record.note(Event::Prepared {
                path,
                bytes: prepared.bytes,
                duration_ns: prepared.duration_ns,
            });
        }
        for text in ready.warnings() {
            record.warn(text.clone());
        }
        Ok(Ongoing {
            plan,
            ready,
            record,
            copying: None,
            stop,
            wishes: Wishes::default(),
            around_step: None,
            executions: 0,
            failures: Vec::new(),
        })
    }

    /// Runs one step in one round. A step that cannot start is recorded and kept for the end; the others continue.
    pub fn execute(&mut self, step: usize, round: u32) {
        self.record.pause(&self.wishes);
        if self.stop.load(Ordering::Relaxed) {
            return;
        }
        // It was another step that was to be skipped.
        self.wishes.skip.store(false, Ordering::Relaxed);
        let turn = Turn {
            execution: self.executions,
            step,
            round,
        };
        self.executions += 1;
        if let Err(error) = self.carry_out(turn) {
            self.record.fail(turn, &error);
            self.failures
                .push(format!("step '{}': {error}", self.plan.steps[step].name));
        }
        if let Some(around) = self.around_step {
            around(false, step, round);
        }
    }

    /// The next execution has this number: those before it were left to others.
    pub fn next_is(&mut self, execution: u32) {
        self.executions = execution;
    }

    fn carry_out(&mut self, turn: Turn) -> anyhow::Result<()> {
        let Ongoing {
            plan,
            ready,
            record,
            stop,
            wishes,
            failures,
            around_step,
            ..
        } = self;
        let step = &plan.steps[turn.step];
        record.start(turn, step);
        if let Some(copying) = self.copying {
            return copy(copying, turn, record, stop);
        }
        make_ready(ready, record, turn, step, stop)?;
        if let Some(around) = around_step {
            around(true, turn.step, turn.round);
        }
        if step.jobs.iter().all(|job| job.workload.prepare_only) {
            record.end(StopReason::EndOfFiles);
            return Ok(());
        }
        let assignments = assignments(step, turn, ready);
        let mut failed = 0;
        let mut keeper = record.keeper();
        let mut operations = record.operation_keeper();
        let companion = record.companion.clone();
        let may_start = move || {
            companion
                .as_ref()
                .is_none_or(|all| all.meet(turn.execution))
        };
        let ended = run_recorded(
            turn.execution,
            &assignments,
            record.clock(),
            Orders {
                stop,
                skip: &wishes.skip,
                may_start: &may_start,
            },
            Keep {
                tick: &mut |tick| keeper.keep(tick),
                operations: &mut |batch| operations.keep(batch),
            },
            &mut |event| {
                failed += failed_operations(&event);
                record.take(event);
            },
        );
        record.keep(keeper.end().and(operations.end()));
        let ended = ended?;
        // Operations that fail are a severe finding by themselves. Other errors (data lost at the close of a file) are reported here.
        // A folder that was moved away, or whose file system was unmounted: the figures are not of what was named.
        let ended = match ready.is_in_place(turn.step, step) {
            Err(error) if ended.error().is_none() => {
                StopReason::Error(Statement::verbatim(error.to_string()))
            }
            _ => ended,
        };
        let untold = ended.error().filter(|_| failed == 0);
        failures.extend(untold.map(|error| format!("step '{}': {}", step.name, english(error))));
        record.end(ended);
        let settled = ready.settle(turn.step, step);
        let failed = settled.failed.into_iter();
        failed.for_each(|failure| record.write_back_failed(failure));
        let unasked = settled.unasked.into_iter();
        unasked.for_each(|text| record.warn(text));
        let measures_ceiling =
            turn.round == 0 && !stop.load(Ordering::Relaxed) && has_ceiling(step);
        let main = assignments.first().filter(|_| measures_ceiling);
        if let Some(operations_per_s) = main.and_then(|main| ceiling(main, record.clock(), stop)) {
            record.note(Event::Ceiling {
                execution: turn.execution,
                job: 0,
                operations_per_s,
            });
        }
        Ok(())
    }

    /// Executions that could not run so far, or ended with an error that is not one of their operations.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Gives the targets back and closes the record. Returns what could not run. Errors: the record could not be written.
    pub fn end(self) -> anyhow::Result<Vec<String>> {
        let Ongoing {
            ready,
            mut record,
            stop,
            failures,
            ..
        } = self;
        let lost: Vec<&WriteBackFailure> = record.write_back_failures().collect();
        for text in ready.verified(&lost) {
            record.note(Event::Warning { text });
        }
        let left: Vec<String> = ready.release().iter().map(ToString::to_string).collect();
        for error in &left {
            let text = Statement::new("could-not-be-removed").name("error", error);
            record.note(Event::Warning { text });
        }
        let finished = record.finish(stop.load(Ordering::Relaxed));
        // Remaining files are reported last, even in quiet mode.
        left.iter().for_each(|text| say(&format!("plumb: {text}")));
        finished?;
        Ok(failures)
    }
}

/// Lets a program copy, instead of carrying out operations.
fn copy(
    copying: &Copying,
    turn: Turn,
    record: &mut Record<'_>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let clock = record.clock();
    let ended = run_copy(
        turn.execution,
        copying,
        turn.step,
        clock,
        stop,
        &mut |event| record.keep_and_take(event),
    )?;
    record.end(ended);
    Ok(())
}

/// Data of an earlier step that is lost.
fn earlier_loss(WriteBackFailure { path, call, error }: WriteBackFailure) -> Statement {
    Statement::new("earlier-data-was-lost")
        .name("call", call)
        .name("path", path)
        .name("error", error)
}

/// Prepares the targets of a step, cold or cached if requested; earlier losses are reported.
fn make_ready(
    ready: &mut ReadyTargets,
    record: &mut Record<'_>,
    turn: Turn,
    step: &Step,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    for (path, bytes, duration_ns) in ready.make_ready(turn.step, step, stop, &mut |progress| {
        record.show_preparing(&progress)
    })? {
        record.note(Event::Prepared {
            path,
            bytes,
            duration_ns,
        });
    }
    for failure in ready.settle(turn.step, step).failed {
        record.warn(earlier_loss(failure));
    }
    let shares = step
        .jobs
        .iter()
        .any(|job| job.workload.rank_position.together.is_some());
    if let Some(all) = record.companion.clone().filter(|_| shares) {
        // Without the others the load is not to start, which whoever starts it finds out.
        let _ = all.ready(turn.execution);
    }
    ready
        .make_cold(turn.step, step)?
        .into_iter()
        .for_each(|text| record.warn(text));
    ready.pre_read(turn.step, step, stop)
}

/// What lies under the target, as far as it is known: `nvme0n1, Samsung SSD 980, ext4`.
fn device_text(environment: &Environment) -> String {
    let facts = ["device.name", "device.model", "mount.file_system"];
    let known = facts.iter().filter_map(|fact| environment.text(fact));
    let known: Vec<&str> = known
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    known.join(", ")
}

fn failed_operations(event: &LoadEvent) -> u64 {
    match event {
        LoadEvent::Tick(tick) => tick
            .kinds
            .iter()
            .flat_map(|kind| kind.errors.values())
            .sum(),
        _ => 0,
    }
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

fn assignments<'a>(step: &'a Step, turn: Turn, ready: &'a ReadyTargets) -> Vec<Assignment<'a>> {
    let jobs = step.jobs.iter().enumerate();
    jobs.map(|(number, job)| {
        let target = ready.of(turn.step, number);
        Assignment {
            job,
            site: target.and_then(|target| target.site.as_ref()),
            live_files: target.and_then(|target| target.live_files.as_ref()),
            verifier: target
                .and_then(|target| target.verifier.as_ref())
                .filter(|_| job.workload.verify),
            seed: seed_of_round(job.workload.seed.unwrap_or_default(), turn.round),
        }
    })
    .collect()
}

/// The null engine measures the load generator's limit with this workload; not for file operations or for itself. A run that ends
/// by operations does those and no others, so that instructions per operation can be counted from outside.
fn has_ceiling(step: &Step) -> bool {
    step.jobs.first().is_some_and(|job| {
        let is_null = job.target == Target::Null || engines::is_null(&job.engine.engine);
        job.workload.time.is_some() && !is_null && !job.workload.has_file_operations()
    })
}
