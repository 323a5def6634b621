//! Did the credits of an SMB server limit the queue depth?

use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::StepSummary;
use plumb_model::statement::Statement;

use crate::figures::connections::part_waiting;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "credits_limit_the_depth",
    needs: &["smb.credits"],
    meaning: "An SMB server grants credits, and each request of up to 64 KiB takes one: operations beyond that wait in the client, however deep the queue was asked to be. Their wait is part of the latency, and the depth in flight is that of the credits.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// A step whose operations waited, and the part of their time in which they did.
struct Limited<'a> {
    step: &'a StepSummary,
    part: f64,
}

fn judge(case: &Case) -> Vec<Finding> {
    let limited = |(_, step): (&Step, _)| {
        let step: &StepSummary = step;
        Some((part_waiting(step)?, step))
    };
    let found: Vec<Limited> = case
        .steps()
        .filter_map(limited)
        .map(|(part, step)| Limited { step, part })
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let mut shown: Vec<Evidence> = shortened(found.iter().flat_map(of_step).collect());
    shown.extend(case.facts(&["smb.credits"]));
    let names: Vec<&str> = found
        .iter()
        .map(|limited| limited.step.name.as_str())
        .collect();
    let most = found.iter().map(|limited| limited.part).fold(0.0, f64::max);
    let claim = Statement::new("credits-limit-the-depth")
        .part("steps", name_steps(&names))
        .percent("most", 100.0 * most);
    let advice = Statement::new("credits-limit-the-depth-advice");
    vec![finding(&RULE, Severity::Warning, claim, shown, advice)]
}

fn of_step(limited: &Limited) -> Vec<Evidence> {
    let step = limited.step;
    let number = |name: &str| {
        let connections = step.connections.as_ref();
        connections.and_then(|connections| connections.numbers.get(name).copied())
    };
    let mut shown = Vec::new();
    if let (Some(requested), Some(achieved)) = (step.requested_depth, step.achieved_depth) {
        shown.push(evidence(
            Statement::new("depth-not-achieved-in").name("step", &step.name),
            Statement::new("part-of-whole")
                .number("part", achieved)
                .number("whole", requested),
            Statement::new("source-service-times"),
        ));
    }
    if let Some(waits) = number("credit_waits") {
        shown.push(evidence(
            Statement::new("credits-limit-the-depth-waits").name("step", &step.name),
            Statement::new("credits-limit-the-depth-operations")
                .number("waits", waits)
                .percent("part", 100.0 * limited.part),
            Statement::new("source-notes-of-run"),
        ));
    }
    shown
}

#[cfg(test)]
mod tests {
    use plumb_model::run::{EngineAccount, Event, Note};

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    /// Depth 32, with operations that wait for credits in this part of their time.
    fn run(waiting: Option<f64>) -> Scene {
        let mut builder = Builder::new(ladder("read", &[32]));
        let interval = Interval {
            iops: 320_000.0,
            latency_ns: 100_000.0,
            ..Interval::default()
        };
        builder.execute(0, 0, &vec![interval; 3]);
        let mut run = builder.finish();
        let numbers = waiting.map(|part| {
            [
                ("credit_waits".to_string(), 13_136.0),
                ("credit_wait_s".to_string(), 10.0 * part),
                ("on_wire_s".to_string(), 10.0 * (1.0 - part)),
            ]
        });
        let account = EngineAccount {
            numbers: numbers.into_iter().flatten().collect(),
            ..EngineAccount::default()
        };
        run.notes.push(Note {
            time_ns: 0,
            event: Event::EngineClosed {
                execution: 0,
                job: 0,
                worker: 0,
                account,
            },
        });
        Scene::run(run)
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![run(Some(0.75)), run(Some(0.21))],
            silent: vec![run(None), run(Some(0.0)), run(Some(0.19))],
        }
    }

    #[test]
    fn what_is_in_flight_is_what_is_on_the_wire() {
        let all = run(Some(0.0));
        let quarter = run(Some(0.75));
        let depth = |scene: &Scene| {
            let run = scene.run.as_ref().expect("a run");
            let summary = crate::figures::summarise::figures(run);
            summary.steps[0].achieved_depth.expect("a depth")
        };
        let part = depth(&quarter) / depth(&all);
        assert!((part - 0.25).abs() < 1e-9, "{part}");
        // The reason is told once: the other rule would look for another one.
        let other = crate::rules::depth_not_achieved::RULE;
        assert!(quarter.judge(&other).is_empty());
    }
}
