//! Can the page cache serve reads instead of the storage?

use plumb_model::engines;
use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::statement::{Statement, Unit};
use plumb_model::target::Target;
use plumb_model::workload::{Direct, Job, OperationKind, Workload};

use crate::command_line::again;
use crate::figures::counters::Counters;
use crate::figures::executions::executions;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "working_set_fits_in_ram",
    needs: &[
        "memory.total_bytes",
        "cgroup.memory_limit_bytes",
        "target.size_bytes",
        "target.cached_bytes",
        "target.direct",
        "device.name",
        "disk.read_bytes",
        "disk.write_bytes",
    ],
    meaning: "Buffered reads and writes of a set that fits into RAM are answered by the page cache: the figures are those of memory.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// A step that goes through the page cache: its name, the bytes in use, and the share of our bytes that the device moved (when known).
struct Cached<'a> {
    step: &'a str,
    size_bytes: f64,
    device_share: Option<f64>,
}

fn judge(case: &Case) -> Vec<Finding> {
    let limit = case
        .environment
        .number("cgroup.memory_limit_bytes")
        .unwrap_or(f64::INFINITY);
    let Some(memory) = case
        .environment
        .number("memory.total_bytes")
        .map(|total| total.min(limit))
        .filter(|memory| *memory > 0.0)
    else {
        return Vec::new();
    };
    let cached: Vec<Cached> = match case.run {
        Some(_) => ran(case),
        None => case
            .jobs()
            .filter(|(_, job)| !job.workload.prepare_only)
            .filter_map(|(step, job)| planned(case, step, job))
            .collect(),
    };
    // Storage was reached if the device transferred most of the requested bytes.
    let fits = |step: &Cached| {
        step.size_bytes < memory && step.device_share.is_none_or(|share| share < 0.8)
    };
    let mut cached: Vec<Cached> = cached.into_iter().filter(fits).collect();
    cached.dedup_by(|a, b| a.step == b.step);
    if cached.is_empty() {
        return Vec::new();
    }
    let mut shown: Vec<Evidence> = case.facts(&[
        "memory.total_bytes",
        "cgroup.memory_limit_bytes",
        "target.cached_bytes",
    ]);
    shown.extend(shortened(
        cached
            .iter()
            .map(|step| {
                evidence(
                    Statement::new("working-set-fits-in-ram-size").name("step", step.step),
                    (step.size_bytes, Unit::Bytes),
                    Statement::new("source-engine-or-plan"),
                )
            })
            .collect(),
    ));
    if let Some((share, name)) = cached
        .iter()
        .filter_map(|step| Some((step.device_share?, step.step)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
    {
        shown.push(evidence(
            Statement::new("working-set-fits-in-ram-moved").name("step", name),
            Statement::new("working-set-fits-in-ram-share").percent("share", 100.0 * share),
            Statement::new("source-device-counters"),
        ));
    }
    let names: Vec<&str> = cached.iter().map(|step| step.step).collect();
    let claim = Statement::new("working-set-fits-in-ram")
        .part("steps", name_steps(&names))
        .count("number", names.len() as u64);
    let advice = Statement::new("working-set-fits-in-ram-advice");
    let mut found = finding(&RULE, Severity::Warning, claim, shown, advice);
    found.experiment = case
        .run
        .filter(|_| takes_direct(case))
        .and_then(|run| again(run, &[("direct", "true".to_string())]));
    vec![found]
}

/// True when all jobs could bypass the page cache.
fn takes_direct(case: &Case) -> bool {
    let sector = 512;
    let is_aligned = |workload: &Workload| workload.smallest_block_bytes().is_multiple_of(sector);
    case.environment.flag("target.direct") != Some(false)
        && case.jobs().all(|(_, job)| {
            is_aligned(&job.workload)
                && !engines::is(&job.engine.engine, |engine| engine.never_direct.is_some())
                && !job.workload.has_file_operations()
        })
}

/// Blocks that go through the cache: reads, or writes that nothing forces out.
fn is_cacheable(job: &Job) -> bool {
    let workload = &job.workload;
    let forced = workload.sync != plumb_model::workload::Sync::None
        || workload.fsync_every > 0
        || workload.flush_at_end;
    let cacheable =
        |kind: OperationKind| kind.reads_blocks() || (kind == OperationKind::Write && !forced);
    job.target != Target::Null && workload.mix.0.iter().any(|(kind, _)| cacheable(*kind))
}

fn planned<'a>(case: &Case, step: &'a Step, job: &Job) -> Option<Cached<'a>> {
    let buffered = match job.workload.direct {
        Direct::Yes => false,
        Direct::No => true,
        Direct::Try => case.environment.flag("target.direct") == Some(false),
    };
    let buffered = buffered || job.engine.maps_files();
    let size = job
        .workload
        .size
        .map(|size| size.0 as f64)
        .or(case.environment.number("target.size_bytes"));
    (buffered && is_cacheable(job)).then_some(Cached {
        step: &step.name,
        size_bytes: size?,
        device_share: None,
    })
}

fn ran<'a>(case: &Case<'a>) -> Vec<Cached<'a>> {
    let (Some(run), Some(plan)) = (case.run, case.plan) else {
        return Vec::new();
    };
    let counters = Counters::of(&run.readings);
    let device = case.environment.text("device.name");
    let mut found = Vec::new();
    for execution in executions(run).0 {
        let Some(step) = plan.steps.get(execution.step as usize) else {
            continue;
        };
        for (job, engine) in &execution.engines {
            let cacheable = step.jobs.get(*job as usize).is_some_and(is_cacheable);
            if !cacheable
                || (engine.direct != Some(false) && !engines::is(&engine.name, |of| of.maps_files))
                || engines::is_null(&engine.name)
            {
                continue;
            }
            let moved =
                device
                    .zip(execution.extent_ns())
                    .and_then(|(device, (start_ns, end_ns))| {
                        let rise = |metric: &str| {
                            counters
                                .rise_around(metric, device, start_ns, end_ns)
                                .map(|(rise, _)| rise)
                        };
                        Some(rise("disk.read_bytes")? + rise("disk.write_bytes")?)
                    });
            let ours: f64 = execution
                .ticks
                .iter()
                .flat_map(|tick| &tick.kinds)
                .map(|kind| kind.bytes as f64)
                .sum();
            let device_share = moved.filter(|_| ours > 0.0).map(|moved| moved / ours);
            found.push(Cached {
                step: &step.name,
                size_bytes: engine.size_bytes as f64,
                device_share,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder, step};
    use plumb_model::environment::Fact::Number;
    use plumb_model::units::Bytes;
    use plumb_model::workload::{Direct, Workload};

    pub fn examples() -> Examples {
        let steps = |size: u64, direct: Direct| {
            vec![step(
                "read",
                "read",
                &[],
                Workload {
                    size: Some(Bytes(size)),
                    direct,
                    ..Workload::default()
                },
            )]
        };
        let environment = || Scene::environment(&[("memory.total_bytes", Number(8e9))]);
        let run = |size: u64, direct: Direct| {
            let mut builder =
                Builder::new(steps(size, direct)).fact("memory.total_bytes", Number(8e9));
            builder.execute(0, 0, &[Interval::default()]);
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![
                environment().planned(steps(1 << 30, Direct::No)),
                run(1 << 30, Direct::No),
            ],
            silent: vec![
                environment().planned(steps(1 << 34, Direct::No)),
                environment().planned(ladder("read", &[1])),
                run(1 << 34, Direct::No),
                run(1 << 30, Direct::Yes),
            ],
        }
    }
}
