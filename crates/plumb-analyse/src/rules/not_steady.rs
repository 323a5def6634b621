//! Did the throughput of a step settle?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::Run;
use plumb_model::statement::{Statement, Unit};

use crate::command_line::step_again;
use crate::figures::executions::{Execution, executions};
use crate::figures::steady_rounds;
use crate::phrases::change;
use crate::plots::over_time::intervals;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};
use crate::statistics::steady_state::{Steadiness, steadiness};

/// The rule.
pub const RULE: Rule = Rule {
    name: "not_steady",
    needs: &[],
    meaning: "Throughput that rises or falls all through a step has no single value: the figure depends on when it was taken. Judged by the steady-state criteria of the SNIA performance test specification and a test of the trend.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// The steadiness of an execution's IOPS; the last interval is left out, it may be cut short. `None` with too few intervals.
fn of(execution: &Execution) -> Option<Steadiness> {
    let rates: Vec<f64> = intervals(execution)
        .iter()
        .filter_map(|interval| interval.iops)
        .collect();
    steadiness(rates.split_last()?.1)
}

fn judge(case: &Case) -> Vec<Finding> {
    let Some(run) = case.run else {
        return Vec::new();
    };
    let worst = worst(run);
    if worst.is_empty() {
        return Vec::new();
    }
    let shown = worst
        .iter()
        .map(|(name, round, steady)| described(run, name, *round, steady))
        .collect();
    let names: Vec<&str> = worst.iter().map(|(name, ..)| *name).collect();
    let slopes = || worst.iter().map(|(.., steady)| steady.slope_excursion);
    let claim = if slopes().all(|slope| slope < 0.0) {
        Statement::new("not-steady-fell")
    } else if slopes().all(|slope| slope > 0.0) {
        Statement::new("not-steady-rose")
    } else {
        Statement::new("not-steady")
    }
    .part("steps", name_steps(&names));
    let advice = Statement::new("not-steady-advice");
    let mut found = finding(&RULE, Severity::Warning, claim, shortened(shown), advice);
    let first = run
        .header
        .plan
        .steps
        .iter()
        .position(|step| names.contains(&step.name.as_str()));
    // A step that also stops by bytes would stop as early as before.
    let longer = [
        ("time", "30s".to_string()),
        ("warm-up", "10s".to_string()),
        ("bytes", String::new()),
    ];
    found.experiment = first.and_then(|step| step_again(run, step as u32, &longer));
    vec![found]
}

/// Steps that drift, each with the round in which it drifts most.
fn worst(run: &Run) -> Vec<(&str, u32, Steadiness)> {
    let mut worst: Vec<(&str, u32, Steadiness)> = Vec::new();
    let executions = executions(run).0;
    // Before a plan with [steady] has reached its window, drift is expected, and preconditioning is not part of its figures. A step with until-steady
    // waits too, and is judged separately.
    let window = steady_rounds::of_executions(&run.header.plan, &executions);
    let is_judged = |execution: &Execution| {
        let step = run.header.plan.steps.get(execution.step as usize);
        let otherwise = step.is_some_and(|step| {
            step.once
                || step
                    .jobs
                    .first()
                    .is_some_and(|job| job.workload.until_steady.is_some())
        });
        !otherwise && steady_rounds::counts(window.as_ref(), &run.header.plan, execution)
    };
    for execution in executions.iter().filter(|execution| is_judged(execution)) {
        let Some(step) = run.header.plan.steps.get(execution.step as usize) else {
            continue;
        };
        let Some(steady) = of(execution).filter(Steadiness::drifts) else {
            continue;
        };
        match worst.iter_mut().find(|(name, ..)| *name == step.name) {
            Some(held) if held.2.slope_excursion.abs() < steady.slope_excursion.abs() => {
                *held = (&step.name, execution.round, steady)
            }
            Some(_) => {}
            None => worst.push((&step.name, execution.round, steady)),
        }
    }
    worst
}

fn described(run: &Run, name: &str, round: u32, steady: &Steadiness) -> Evidence {
    let index = if run.header.plan.rounds > 1 {
        Statement::new("iops-of-step-in-round").count("round", u64::from(round) + 1)
    } else {
        Statement::new("iops-of-step")
    }
    .name("step", name);
    let slope = 100.0 * steady.slope_excursion;
    let value = Statement::new("not-steady-figures")
        .quantity("slope", slope, Unit::PercentChange)
        .with("change", change(steady.last_to_first))
        .name("p", format!("{:.1e}", steady.p_value));
    evidence(index, value, Statement::new("source-step-intervals"))
}

#[cfg(test)]
mod tests {
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, Random, ladder};

    pub fn examples() -> Examples {
        let run = |slope: f64, count: u32| {
            let mut random = Random(3);
            let mut iops = |i: u32| {
                10_000.0
                    * (1.0 - slope * f64::from(i) / f64::from(count)
                        + 0.1 * (random.next_share() - 0.5))
            };
            let each: Vec<Interval> = (0..count)
                .map(|i| Interval {
                    iops: iops(i),
                    ..Interval::default()
                })
                .collect();
            let mut builder = Builder::new(ladder("read", &[1]));
            builder.execute(0, 0, &each);
            Scene::run(builder.finish())
        };
        Examples {
            fires: vec![run(0.5, 30), run(-0.4, 30)],
            silent: vec![run(0.0, 30), run(0.5, 5)],
        }
    }
}
