//! Did a lower-level cache serve reads that were meant for the storage?

use plumb_model::environment::Fact;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Run;
use plumb_model::statement::Statement;

use crate::figures::counters::Counters;
use crate::figures::executions::{Execution, executions};
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "reads_from_cache_below",
    needs: &[
        "device.name",
        "device.disk",
        "device.loop_direct",
        "device.backing_memory",
        "device.backing",
        "disk.read_bytes",
    ],
    meaning: "O_DIRECT bypasses the page cache of one file. A loop device reads its file through the page cache, some file systems answer O_DIRECT from it (btrfs with compression), and blocks that were never written need no device: the bytes that the lowest device moved show whose speed was measured.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the read bytes that the lowest device must have transferred. Reads of others, and read-ahead, only add to it.
const MOVED: f64 = 0.75;
/// Less than this is not significant: readings and step do not start at the same time.
const LEAST_BYTES: f64 = 8e6;

fn judge(case: &Case) -> Vec<Finding> {
    let flag = |id: &str| match case.environment.facts.get(id) {
        Some(Fact::Flag(flag)) => Some(*flag),
        _ => None,
    };
    let (names, mut shown): (Vec<&str>, Vec<Evidence>) = case
        .run
        .map(|run| fallen_short(case, run))
        .unwrap_or_default()
        .into_iter()
        .unzip();
    let in_memory = flag("device.backing_memory") == Some(true);
    shown.extend(case.facts(&[
        "device.backing_memory",
        "device.loop_direct",
        "device.backing",
    ]));
    let by_loop_device = flag("device.loop_direct") == Some(false);
    let claim = match names.as_slice() {
        _ if in_memory => Statement::new("reads-from-cache-below-file-in-memory"),
        [] => return Vec::new(),
        names => Statement::new(if by_loop_device {
            "reads-from-cache-below-loop-device"
        } else {
            "reads-from-cache-below"
        })
        .part("steps", name_steps(names)),
    };
    let advice = match by_loop_device {
        _ if in_memory => Statement::new("reads-from-cache-below-file-in-memory-advice"),
        true => Statement::new("reads-from-cache-below-loop-device-advice"),
        false => Statement::new("reads-from-cache-below-advice"),
    };
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown),
        advice,
    )]
}

/// Steps whose reads the lowest devices did not see, each with the figures.
fn fallen_short<'a>(case: &Case, run: &'a Run) -> Vec<(&'a str, Evidence)> {
    // The disks at the end of the chain; a single device is its own end.
    let Some(lowest) = case
        .environment
        .text("device.disk")
        .or_else(|| case.environment.text("device.name"))
    else {
        return Vec::new();
    };
    let counters = Counters::of(&run.readings);
    let (executions, _) = executions(run);
    let mut found: Vec<(&str, Evidence)> = Vec::new();
    for execution in &executions {
        let (Some((start_ns, end_ns)), Some(step)) = (
            execution.extent_ns(),
            run.header.plan.steps.get(execution.step as usize),
        ) else {
            continue;
        };
        let direct = is_direct(execution);
        let cold = step.jobs.iter().all(|job| job.workload.cold);
        let by_name = step
            .jobs
            .iter()
            .any(|job| job.workload.has_file_operations());
        // Several targets share one environment, which is that of the first.
        let one_target = run
            .header
            .plan
            .steps
            .iter()
            .flat_map(|step| &step.jobs)
            .all(|job| job.target == step.jobs[0].target);
        if !(direct || cold)
            || by_name
            || !one_target
            || found.iter().any(|(name, _)| *name == step.name)
        {
            continue;
        }
        let read = bytes_read(execution, cold && !direct);
        let of_device = |name: &str| {
            counters
                .rise_around("disk.read_bytes", name, start_ns, end_ns)
                .map(|(rise, _)| rise)
        };
        let Some(moved) = lowest.split(", ").map(of_device).sum::<Option<f64>>() else {
            continue;
        };
        if moved < MOVED * read && read - moved >= LEAST_BYTES {
            let value = Statement::new("reads-from-cache-below-bytes")
                .bytes("moved", moved)
                .name("device", lowest)
                .bytes("read", read);
            found.push((
                step.name.as_str(),
                evidence(
                    Statement::new("reads-from-cache-below-during").name("step", &step.name),
                    value,
                    Statement::new("source-device-counters-and-own-bytes"),
                ),
            ));
        }
    }
    found
}

/// True when every job bypassed the page cache.
fn is_direct(execution: &Execution) -> bool {
    let mut engines = execution.engines.values();
    !execution.engines.is_empty() && engines.all(|engine| engine.direct == Some(true))
}

/// Bytes transferred by reads. `once`: through the page cache data comes from the device only the first time, so that at most the size counts.
fn bytes_read(execution: &Execution, once: bool) -> f64 {
    let kinds = execution
        .ticks
        .iter()
        .flat_map(|tick| &tick.kinds)
        .filter(|kind| kind.kind.reads_blocks());
    let read = kinds.map(|kind| kind.bytes as f64).sum::<f64>();
    // Random places miss a part of the file and meet others twice: 63 % are seen after as many reads as there are blocks.
    let size = execution
        .engines
        .values()
        .map(|engine| engine.size_bytes as f64)
        .sum::<f64>();
    if once { read.min(0.5 * size) } else { read }
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::environment::Fact::{Flag, Text};

    /// 10 s at 10,000 x 4 KiB/s are 410 MB of our own.
    fn run(
        facts: &[(&'static str, plumb_model::environment::Fact)],
        devices: &[(&'static str, f64)],
    ) -> Scene {
        let mut builder = Builder::new(ladder("read", &[1]));
        for (id, fact) in facts {
            builder = builder.fact(id, fact.clone());
        }
        for (device, _) in devices {
            builder.reading("disk.read_bytes", device, Some(1e9));
        }
        builder.execute(0, 0, &vec![Interval::default(); 10]);
        for (device, bytes) in devices {
            builder.reading("disk.read_bytes", device, Some(1e9 + bytes));
        }
        Scene::run(builder.finish())
    }

    fn on(device: &str) -> (&'static str, plumb_model::environment::Fact) {
        ("device.name", Text(device.into()))
    }

    pub fn examples() -> Examples {
        let disks = |names: &str| ("device.disk", Text(names.into()));
        Examples {
            fires: vec![
                run(&[on("vda")], &[("vda", 22e6)]),
                run(
                    &[
                        on("loop0"),
                        disks("vda"),
                        ("device.loop_direct", Flag(false)),
                    ],
                    &[("loop0", 410e6), ("vda", 0.0)],
                ),
                Scene::environment(&[on("loop0"), ("device.backing_memory", Flag(true))]),
            ],
            silent: vec![
                run(&[on("vda")], &[("vda", 409e6)]),
                run(
                    &[on("md0"), disks("vda, vdb")],
                    &[("md0", 410e6), ("vda", 205e6), ("vdb", 205e6)],
                ),
                // What lies under the loop device is not known.
                run(
                    &[on("loop0"), ("device.loop_direct", Flag(false))],
                    &[("loop0", 410e6)],
                ),
                run(&[on("vda"), disks("vda, vdb")], &[("vda", 10e6)]),
            ],
        }
    }

    #[test]
    fn the_verdict_says_whose_speed_it_was() {
        let scene = run(
            &[
                on("loop0"),
                ("device.disk", Text("vda".into())),
                ("device.loop_direct", Flag(false)),
            ],
            &[("loop0", 410e6), ("vda", 0.0)],
        );
        let summary = crate::summarise(&scene.run.expect("a run"));
        assert!(
            summary
                .verdict
                .iter()
                .any(|sentence| crate::english::text(sentence)
                    .contains("page cache under the loop device")),
            "{:?}",
            summary.verdict
        );
    }
}
