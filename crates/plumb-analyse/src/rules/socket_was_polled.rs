//! Did workers poll the socket for replies instead of sleeping until they came, and were there CPUs enough for that?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::active;
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "socket_was_polled",
    needs: &["cpu.allowed"],
    meaning: "A worker that polls its socket (busy-poll) is not woken when a reply comes: the wake-up is not in its response times, and its CPU is in full use whatever it measures. More of them than CPUs take turns, and replies lie there meanwhile.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

fn judge(case: &Case) -> Vec<Finding> {
    let mut polled: Vec<(&str, u64)> = Vec::new();
    for (planned, step) in case.steps() {
        let record = step.engine_record.as_ref();
        if !record.is_some_and(|record| record.has(active::POLLS_SOCKET)) {
            continue;
        }
        let polling = planned.jobs.iter().filter(|job| job.engine.busy_poll);
        let workers = polling.map(|job| u64::from(job.workload.workers)).sum();
        polled.push((step.name.as_str(), workers));
    }
    let Some(most) = polled.iter().map(|(_, workers)| *workers).max() else {
        return Vec::new();
    };
    let cpus = case.environment.number("cpu.allowed");
    let is_crowded = cpus.is_some_and(|cpus| most as f64 > cpus);
    let names: Vec<&str> = polled.iter().map(|(name, _)| *name).collect();
    let claim = Statement::new(match is_crowded {
        true => "socket-was-polled-by-more-than-cpus",
        false => "socket-was-polled",
    })
    .part("steps", name_steps(&names))
    .count("workers", most);
    let (severity, advice) = if is_crowded {
        let advice = Statement::new("socket-was-polled-by-more-than-cpus-advice");
        (Severity::Warning, advice)
    } else {
        (Severity::Info, Statement::new("socket-was-polled-advice"))
    };
    let mut shown = shortened(polled.iter().map(of_step).collect());
    shown.extend(case.facts(RULE.needs));
    vec![finding(&RULE, severity, claim, shown, advice)]
}

fn of_step((name, workers): &(&str, u64)) -> Evidence {
    evidence(
        Statement::new("socket-was-polled-in").name("step", *name),
        Statement::new("socket-was-polled-by").count("workers", *workers),
        Statement::new("source-plan-step").name("step", *name),
    )
}

#[cfg(test)]
mod tests {
    use plumb_model::environment::Fact;
    use plumb_model::results::finding::Severity;
    use plumb_model::run::Event;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    /// Reads by so many workers on a machine with two CPUs.
    fn run(workers: u32, polls: bool) -> Scene {
        let mut steps = ladder("read", &[1]);
        steps[0].jobs[0].workload.workers = workers;
        steps[0].jobs[0].engine.busy_poll = polls;
        let mut builder = Builder::new(steps).fact("cpu.allowed", Fact::Number(2.0));
        builder.execute(0, 0, &[Interval::default()]);
        let mut run = builder.finish();
        for note in &mut run.notes {
            if let Event::EngineOpened { engine, .. } = &mut note.event
                && polls
            {
                engine.active.push(super::active::POLLS_SOCKET.to_string());
            }
        }
        Scene::run(run)
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![run(1, true), run(3, true)],
            silent: vec![run(1, false), run(3, false)],
        }
    }

    #[test]
    fn more_workers_than_cpus_are_warned_of() {
        let severity = |workers| run(workers, true).judge(&super::RULE)[0].severity;
        assert_eq!(severity(2), Severity::Info);
        assert_eq!(severity(3), Severity::Warning);
    }
}
