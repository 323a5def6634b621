//! Did other programs use the device at the same time?

use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Run;
use plumb_model::run::tick::Tick;
use plumb_model::statement::{Statement, Unit};
use plumb_model::workload::OperationKind;

use crate::figures::counters::Counters;
use crate::figures::executions::{Execution, executions};
use crate::rule::{Case, Rule, evidence, finding};

/// The rule.
pub const RULE: Rule = Rule {
    name: "other_io_on_device",
    needs: &[
        "activity.device_bytes_per_s",
        "activity.device_operations_per_s",
        "device.name",
        "disk.read_bytes",
        "disk.write_bytes",
    ],
    meaning: "Requests of other processes share the device with the measurement. Seen before the start by watching the device, and during it where the device moved clearly more bytes than plumb asked for.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Before the start: bytes and operations per second from which on others matter.
const BYTES_PER_S: f64 = 4e6;
const OPERATIONS_PER_S: f64 = 100.0;
/// During a step: the device's bytes over ours; file-system metadata, journals and read-ahead explain less.
const TIMES_OURS: f64 = 1.25;
/// And at least this much, so that small steps with metadata do not count.
const LEAST_BYTES: f64 = 64e6;

fn judge(case: &Case) -> Vec<Finding> {
    let mut shown = before(case);
    shown.extend(case.run.map(|run| during(case, run)).unwrap_or_default());
    if shown.is_empty() {
        return Vec::new();
    }
    let claim = Statement::new("other-io-on-device");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shown,
        Statement::new("other-io-on-device-advice"),
    )]
}

fn before(case: &Case) -> Vec<Evidence> {
    let busy = |id: &str, limit: f64| {
        case.environment
            .number(id)
            .is_some_and(|value| value >= limit)
    };
    if busy("activity.device_bytes_per_s", BYTES_PER_S)
        || busy("activity.device_operations_per_s", OPERATIONS_PER_S)
    {
        return case.facts(&[
            "activity.device_bytes_per_s",
            "activity.device_operations_per_s",
            "activity.window_s",
        ]);
    }
    Vec::new()
}

/// The execution with the most device traffic beyond plumb's own.
fn during(case: &Case, run: &Run) -> Option<Evidence> {
    let device = case.environment.text("device.name")?;
    let counters = Counters::of(&run.readings);
    let (executions, _) = executions(run);
    let extents: Vec<(u64, u64)> = executions.iter().filter_map(Execution::extent_ns).collect();
    let mut worst: Option<(f64, f64, f64, &str)> = None;
    for execution in &executions {
        let (Some((start_ns, end_ns)), Some(step)) = (
            execution.extent_ns(),
            run.header.plan.steps.get(execution.step as usize),
        ) else {
            continue;
        };
        if !is_comparable(execution, step) {
            continue;
        }
        let rise = |metric: &str| counters.rise_around(metric, device, start_ns, end_ns);
        let (Some((read, span)), Some((written, _))) =
            (rise("disk.read_bytes"), rise("disk.write_bytes"))
        else {
            continue;
        };
        // The readings around the step must not reach into another one, whose bytes would look like those of others.
        if extents
            .iter()
            .filter(|(from, to)| *from < span.1 && *to > span.0)
            .count()
            > 1
        {
            continue;
        }
        let ours: f64 = execution.ticks.iter().map(|tick| moved(tick)).sum();
        let device_bytes = read + written;
        if device_bytes > TIMES_OURS * ours
            && device_bytes - ours > LEAST_BYTES
            && worst.is_none_or(|held| device_bytes - ours > held.0)
        {
            worst = Some((
                device_bytes - ours,
                device_bytes,
                (span.1 - span.0) as f64 / 1e9,
                &step.name,
            ));
        }
    }
    worst.map(|(others, all, seconds, name)| {
        let rate = others / seconds.max(1e-9);
        let value = Statement::new("other-io-on-device-share")
            .bytes("others", others)
            .bytes("all", all)
            .quantity("rate", rate, Unit::BytesPerSecond);
        evidence(
            Statement::new("other-io-on-device-during")
                .name("device", device)
                .name("step", name),
            value,
            Statement::new("source-device-counters-less-own-bytes"),
        )
    })
}

/// True if each byte of plumb's I/O is transferred by the device within the step.
fn is_comparable(execution: &Execution, step: &Step) -> bool {
    // Buffered writes reach the device when the kernel likes, buffered reads never or with read-ahead; file operations move metadata.
    let direct = !execution.engines.is_empty()
        && execution
            .engines
            .values()
            .all(|engine| engine.direct == Some(true));
    // Of an operation that failed, the device may have moved bytes that are not counted as ours.
    let failed = execution
        .ticks
        .iter()
        .flat_map(|tick| &tick.kinds)
        .any(|kind| !kind.errors.is_empty());
    let by_name = step
        .jobs
        .iter()
        .any(|job| job.workload.has_file_operations());
    direct && !failed && !by_name
}

fn moved(tick: &Tick) -> f64 {
    // A rewrite moves its bytes to and fro.
    let times =
        |kind: OperationKind| u8::from(kind.reads_blocks()) + u8::from(kind.writes_blocks());
    tick.kinds
        .iter()
        .map(|kind| f64::from(times(kind.kind)) * kind.bytes as f64)
        .sum()
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::environment::Fact::{Number, Text};

    pub fn examples() -> Examples {
        let environment = |rate: f64| {
            Scene::environment(&[
                ("activity.device_bytes_per_s", Number(rate)),
                ("activity.window_s", Number(0.3)),
            ])
        };
        // 10 s at 10,000 x 4 KiB/s are 410 MB of our own.
        let run = |device_bytes: f64| {
            let mut builder =
                Builder::new(ladder("read", &[1])).fact("device.name", Text("vda".into()));
            builder.reading("disk.read_bytes", "vda", Some(1e9));
            builder.reading("disk.write_bytes", "vda", Some(0.0));
            builder.execute(0, 0, &vec![Interval::default(); 10]);
            builder.reading("disk.read_bytes", "vda", Some(1e9 + device_bytes));
            builder.reading("disk.write_bytes", "vda", Some(0.0));
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![environment(50e6), run(800e6)],
            silent: vec![environment(1e5), run(415e6)],
        }
    }
}
