//! Did something other than the storage throttle the run?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Run;
use plumb_model::statement::{Statement, Unit};

use crate::figures::counters::Counters;
use crate::figures::executions::{executions, span_ns};
use crate::plots::over_time::intervals;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};
use crate::statistics::cliff::cliff;

/// The rule.
pub const RULE: Rule = Rule {
    name: "throttled",
    needs: &[
        "cgroup.cpu_quota_percent",
        "cgroup.io_limit",
        "host.cloud",
        "cgroup.cpu_throttled_ns",
        "cpu.steal_ns",
        "cpu.throttle_count",
    ],
    meaning: "A CPU quota, an I/O limit of the control group, a hypervisor that takes CPU time, heat, or a cloud volume whose burst credits end: the figure is that of the limit, and holds only as long as the limit does.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the run's time from which on a loss of CPU time matters.
const MATTERS: f64 = 0.02;

fn judge(case: &Case) -> Vec<Finding> {
    let limit = case.environment.text("cgroup.io_limit");
    let mut shown: Vec<Evidence> = limit
        .filter(|limit| limits(limit))
        .and_then(|_| case.fact("cgroup.io_limit"))
        .into_iter()
        .collect();
    if let Some(run) = case.run {
        shown.extend(lost_time(run));
        if let Some(burst) = burst(run) {
            shown.push(burst);
        }
    }
    if shown.is_empty() {
        return Vec::new();
    }
    shown.extend(case.facts(&["cgroup.cpu_quota_percent", "host.cloud"]));
    let claim = match case.run {
        Some(_) => Statement::new("throttled"),
        None => Statement::new("throttled-before"),
    };
    let advice = Statement::new("throttled-advice");
    vec![finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown),
        advice,
    )]
}

/// True when one of `rbps=1048576 wbps=max ...` is a number (Documentation/admin-guide/cgroup-v2.rst, io.max).
fn limits(text: &str) -> bool {
    text.split_whitespace()
        .filter_map(|word| word.split_once('='))
        .any(|(_, value)| value.parse::<u64>().is_ok())
}

/// Counters of lost CPU time, over the time of the executions.
fn lost_time(run: &Run) -> Vec<Evidence> {
    let counters = Counters::of(&run.readings);
    let Some((start, end)) = span_ns(run) else {
        return Vec::new();
    };
    let span_ns = (end - start) as f64;
    let sum = |metric: &str| counters.rise_of_all(metric, start, end);
    let mut shown = Vec::new();
    if let Some(throttled) =
        sum("cgroup.cpu_throttled_ns").filter(|ns| span_ns > 0.0 && *ns > MATTERS * span_ns)
    {
        shown.push(evidence(
            "cgroup.cpu_throttled_ns",
            (throttled, Unit::Nanoseconds),
            Statement::new("throttled-by-quota"),
        ));
    }
    let cores = counters.instances("cpu.steal_ns").len() as f64;
    if let Some(stolen) =
        sum("cpu.steal_ns").filter(|ns| span_ns > 0.0 && *ns > MATTERS * span_ns * cores)
    {
        let share = 100.0 * stolen / (span_ns * cores);
        shown.push(evidence(
            "cpu.steal_ns",
            Statement::new("throttled-share-of-cpus").percent("share", share),
            Statement::new("throttled-by-hypervisor"),
        ));
    }
    if let Some(count) = sum("cpu.throttle_count").filter(|count| *count > 0.0) {
        shown.push(evidence(
            "cpu.throttle_count",
            count,
            Statement::new("throttled-by-heat"),
        ));
    }
    shown
}

/// A read-only step that drops from one level to another, flat one. A drop in writes may be the end of a cache and is part of the verdict.
fn burst(run: &Run) -> Option<Evidence> {
    for execution in executions(run).0 {
        let step = run.header.plan.steps.get(execution.step as usize)?;
        if step.jobs.iter().any(|job| job.workload.modifies()) {
            continue;
        }
        let rates: Vec<(f64, f64)> = intervals(&execution)
            .iter()
            .filter_map(|i| Some((i.end_s - i.start_s, i.iops?)))
            .collect();
        let Some(fall) = cliff(&rates).filter(|fall| fall.scatter_after < 0.02) else {
            continue;
        };
        let value = Statement::new("throttled-burst")
            .quantity("before", fall.before, Unit::PerSecond)
            .time_ns("time", 1e9 * fall.amount)
            .quantity("after", fall.after, Unit::PerSecond);
        return Some(evidence(
            name_steps(&[&step.name]),
            value,
            Statement::new("source-step-intervals"),
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};
    use plumb_model::environment::Fact::Text;

    fn burst_run(after: f64, scatter: f64) -> Builder {
        let mut builder = Builder::new(ladder("read", &[32]));
        let level = |i: u32| {
            if i < 10 {
                16_000.0 + f64::from(i)
            } else {
                after + scatter * f64::from(i % 3)
            }
        };
        let each: Vec<Interval> = (0..30)
            .map(|i| Interval {
                iops: level(i),
                ..Interval::default()
            })
            .collect();
        builder.execute(0, 0, &each);
        builder
    }

    fn counted(metric: &'static str, rise: f64) -> Scene {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.reading(metric, "", Some(5.0));
        builder.execute(0, 0, &vec![Interval::default(); 10]);
        builder.reading(metric, "", Some(5.0 + rise));
        Scene::run(builder.finish())
    }

    pub fn examples() -> Examples {
        let limit = |text: &str| Scene::environment(&[("cgroup.io_limit", Text(text.into()))]);
        Examples {
            fires: vec![
                limit("254:0 rbps=1048576 wbps=max riops=max wiops=max"),
                Scene::run(burst_run(3_000.0, 1.0).finish()),
                counted("cgroup.cpu_throttled_ns", 2e9),
                counted("cpu.steal_ns", 2e9),
                counted("cpu.throttle_count", 3.0),
            ],
            silent: vec![
                limit("none"),
                limit("254:0 rbps=max wbps=max riops=max wiops=max"),
                Scene::run(burst_run(16_000.0, 1.0).finish()),
                // A device that is slower and uneven after a while is no allowance that ends.
                Scene::run(burst_run(3_000.0, 300.0).finish()),
                counted("cgroup.cpu_throttled_ns", 1e6),
                counted("cpu.steal_ns", 1e6),
            ],
        }
    }
}
