//! What runs beside the jobs of fio without moving data? CPU load (`ioengine=cpuio`) and programs (`ioengine=exec`), each on threads of its own.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_load::site::{loses_nothing, mark_as_written};
use plumb_plan::fio_job::{Companion, CompanionWork};
use plumb_run::terminate_process;

use crate::streams::say;

/// Polling period of a program, and the longest pause between two busy stretches without a look at the time.
const LOOK: Duration = Duration::from_millis(10);
/// Numbers that are sorted at once.
const SORTED: usize = 1 << 12;

/// All of a command line; ended when dropped.
pub struct Companions {
    all: Vec<(Companion, Cell<bool>)>,
    ends: Ends,
    threads: RefCell<Vec<JoinHandle<()>>>,
}

/// What ends a companion before its runtime.
#[derive(Clone)]
struct Ends {
    /// The jobs have ended.
    jobs: Arc<AtomicBool>,
    /// The run is to stop.
    stop: Arc<AtomicBool>,
}

impl Companions {
    /// Errors: there is a program, and the user has not allowed commands, or its output would overwrite a file.
    pub fn of(
        companions: &[Companion],
        is_allowed: bool,
        stop: Arc<AtomicBool>,
    ) -> anyhow::Result<Companions> {
        for companion in companions {
            let CompanionWork::Program { is_redirected, .. } = companion.work else {
                continue;
            };
            if !is_allowed {
                bail!("{}", companion.refusal);
            }
            for name in output_names(companion).iter().filter(|_| is_redirected) {
                if !loses_nothing(Path::new(name)) {
                    bail!(
                        "{name}: exists and was not written by plumb, so the output of the program does not overwrite it: remove the file, or set std_redirect=0"
                    );
                }
            }
        }
        let all = companions.iter().cloned();
        Ok(Companions {
            all: all.map(|companion| (companion, Cell::new(false))).collect(),
            ends: Ends {
                jobs: Arc::default(),
                stop,
            },
            threads: RefCell::default(),
        })
    }

    /// Begins those that begin with this step of the plan.
    pub fn begin(&self, step: usize) {
        self.start(|companion| companion.step == step);
    }

    fn start(&self, is_due: impl Fn(&Companion) -> bool) {
        let due = self.all.iter();
        let due =
            due.filter(|(companion, has_begun)| is_due(companion) && !has_begun.replace(true));
        for (companion, _) in due {
            for _ in 0..companion.clones {
                let (one, ends) = (companion.clone(), self.ends.clone());
                let name = companion.name.clone();
                let work = move || {
                    if let Err(error) = run(&one, &ends) {
                        say(&format!("fio: [{}] {error:#}", one.name));
                    }
                };
                let thread = std::thread::Builder::new().name("plumb-beside".into());
                match thread.spawn(work) {
                    Ok(thread) => self.threads.borrow_mut().push(thread),
                    Err(error) => say(&format!("fio: [{name}] no thread: {error} (ulimit -u)")),
                }
            }
        }
    }

    /// The jobs have ended: waits for the companions, and runs those that come after all jobs, group by group.
    pub fn end(&self) {
        self.ends.jobs.store(true, Ordering::Relaxed);
        self.wait();
        let mut groups: Vec<usize> = self.all.iter().map(|(one, _)| one.group).collect();
        groups.sort_unstable();
        groups.dedup();
        for group in groups {
            self.start(|companion| companion.group == group);
            self.wait();
        }
    }

    fn wait(&self) {
        let threads = self.threads.take();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

impl Drop for Companions {
    fn drop(&mut self) {
        self.ends.jobs.store(true, Ordering::Relaxed);
        self.wait();
    }
}

fn run(companion: &Companion, ends: &Ends) -> anyhow::Result<()> {
    let began = Instant::now();
    let runtime = companion.runtime_ns.map(Duration::from_nanos);
    let is_late = || runtime.is_some_and(|runtime| began.elapsed() >= runtime);
    let is_stopped = || ends.stop.load(Ordering::Relaxed);
    match &companion.work {
        CompanionWork::Cpu {
            percent,
            chunk_ns,
            sorts,
            ends_with_jobs,
        } => {
            let ends_with_jobs = *ends_with_jobs || runtime.is_none();
            let is_over = || {
                let jobs_ended = ends_with_jobs && ends.jobs.load(Ordering::Relaxed);
                is_late() || is_stopped() || jobs_ended
            };
            keep_busy(
                (*percent, Duration::from_nanos(*chunk_ns)),
                *sorts,
                &is_over,
            );
            Ok(())
        }
        CompanionWork::Program {
            program,
            arguments,
            grace_ns,
            is_redirected,
        } => {
            let mut command = Command::new(program);
            command.args(arguments).stdin(Stdio::null());
            let names = output_names(companion);
            if *is_redirected {
                let [output, errors] = &names;
                command
                    .stdout(File::create(output)?)
                    .stderr(File::create(errors)?);
            }
            let started = command.spawn();
            let mut child = started.with_context(|| format!("{program} cannot be started"))?;
            end_program(&mut child, &|| is_late() || is_stopped(), *grace_ns)?;
            for name in names.iter().filter(|_| *is_redirected) {
                mark_as_written(File::options().write(true).open(name)?)?;
            }
            Ok(())
        }
    }
}

/// Waits until a program has ended; asks it to end, and at last ends it, when its time is over.
fn end_program(child: &mut Child, is_over: &dyn Fn() -> bool, grace_ns: u64) -> anyhow::Result<()> {
    let mut forced = None;
    while child.try_wait()?.is_none() {
        match forced {
            Some(at) if Instant::now() >= at => child.kill()?,
            None if is_over() => {
                terminate_process(child);
                forced = Some(Instant::now() + Duration::from_nanos(grace_ns));
            }
            _ => {}
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// fio's names of the files with the output of a program; a slash becomes a dot.
fn output_names(companion: &Companion) -> [String; 2] {
    let name = companion.name.replace('/', ".");
    [format!("{name}.stdout"), format!("{name}.stderr")]
}

/// Busy for this share of the time, in stretches of this length.
fn keep_busy((percent, chunk): (u64, Duration), sorts: bool, is_over: &dyn Fn() -> bool) {
    let pause = chunk.mul_f64((100 - percent) as f64 / percent as f64);
    let mut numbers: Vec<u64> = Vec::new();
    while !is_over() {
        let began = Instant::now();
        while began.elapsed() < chunk && !is_over() {
            if sorts {
                numbers.clear();
                let mixed = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                numbers.extend((0..SORTED as u64).map(mixed));
                numbers.sort_unstable();
                black_box(&numbers);
            }
        }
        let end = Instant::now() + pause;
        while !is_over() && Instant::now() < end {
            std::thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_busy_until_the_end() {
        let looks = Cell::new(0);
        let is_over = || looks.replace(looks.get() + 1) > 100;
        keep_busy((50, Duration::from_micros(100)), true, &is_over);
        assert!(looks.get() > 100);
    }
}
