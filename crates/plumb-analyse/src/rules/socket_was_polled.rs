//! Did workers poll the socket for replies instead of sleeping, and were there enough CPUs for that?

use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::run::active;
use plumb_model::statement::Statement;
use plumb_model::workload::BusyPoll;

use crate::figures::connections::part_polling;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "socket_was_polled",
    needs: &["cpu.allowed"],
    meaning: "A worker that polls its socket (busy-poll) is not woken when a reply comes: the wake-up is not in its response times, and its CPU is in use whatever it measures. More of them than CPUs take turns, and replies lie there meanwhile.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Part of the workers' time from which on polling before sleeping is worth telling.
const PART: f64 = 0.1;

fn judge(case: &Case) -> Vec<Finding> {
    let found = [polled(case), polled_before_sleeping(case)];
    found.into_iter().flatten().collect()
}

/// Workers that never slept.
fn polled(case: &Case) -> Option<Finding> {
    let mut polled: Vec<(&str, u64)> = Vec::new();
    for (planned, step) in case.steps() {
        let record = step.engine_record.as_ref();
        if !record.is_some_and(|record| record.has(active::POLLS_SOCKET)) {
            continue;
        }
        let polling = planned
            .jobs
            .iter()
            .filter(|job| job.engine.busy_poll == BusyPoll::Yes);
        let workers = polling.map(|job| u64::from(job.workload.workers)).sum();
        polled.push((step.name.as_str(), workers));
    }
    let most = polled.iter().map(|(_, workers)| *workers).max()?;
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
    Some(finding(&RULE, severity, claim, shown, advice))
}

/// Workers that polled for a moment before they slept, which is the default.
fn polled_before_sleeping(case: &Case) -> Option<Finding> {
    let mut names = Vec::new();
    let mut shown = Vec::new();
    for (planned, step) in case.steps() {
        let Some(part) = part_polling(planned, step).filter(|part| *part >= PART) else {
            continue;
        };
        names.push(step.name.as_str());
        shown.push(evidence(
            Statement::new("socket-was-polled-in").name("step", &step.name),
            Statement::new("socket-was-polled-part").percent("part", 100.0 * part),
            Statement::new("source-measured-in-run"),
        ));
    }
    if names.is_empty() {
        return None;
    }
    let claim =
        Statement::new("socket-was-polled-before-sleeping").part("steps", name_steps(&names));
    let advice = Statement::new("socket-was-polled-before-sleeping-advice");
    Some(finding(
        &RULE,
        Severity::Info,
        claim,
        shortened(shown),
        advice,
    ))
}

fn of_step((name, workers): &(&str, u64)) -> Evidence {
    evidence(
        Statement::new("socket-was-polled-in").name("step", *name),
        Statement::new("socket-was-polled-by").count("workers", *workers),
        Statement::new("source-plan-step").name("step", *name),
    )
}

#[cfg(test)]
pub mod tests {
    use plumb_model::environment::Fact;
    use plumb_model::results::finding::Severity;
    use plumb_model::run::{EngineAccount, Event};
    use plumb_model::workload::BusyPoll;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    /// Three seconds of reads by so many workers on a machine with two CPUs. With `polled_s` they polled for so long before they slept.
    fn run(workers: u32, polls: bool, polled_s: Option<f64>) -> Scene {
        let mut steps = ladder("read", &[1]);
        steps[0].jobs[0].workload.workers = workers;
        steps[0].jobs[0].engine.busy_poll = if polls { BusyPoll::Yes } else { BusyPoll::Auto };
        let mut builder = Builder::new(steps).fact("cpu.allowed", Fact::Number(2.0));
        let execution = builder.execute(0, 0, &vec![Interval::default(); 3]);
        if let Some(seconds) = polled_s {
            builder.note(Event::EngineClosed {
                execution,
                job: 0,
                worker: 0,
                account: polled_for(seconds),
            });
        }
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

    /// What an engine counts that polled its socket for so many seconds before it slept.
    pub fn polled_for(seconds: f64) -> EngineAccount {
        EngineAccount {
            numbers: [("socket_poll_s".to_string(), seconds)].into(),
            ..EngineAccount::default()
        }
    }

    pub fn examples() -> Examples {
        Examples {
            fires: vec![
                run(1, true, None),
                run(3, true, None),
                run(1, false, Some(0.4)),
                run(2, false, Some(5.0)),
            ],
            silent: vec![
                run(1, false, None),
                run(3, false, None),
                run(1, false, Some(0.2)),
                run(2, false, Some(0.5)),
            ],
        }
    }

    #[test]
    fn more_workers_than_cpus_are_warned_of() {
        let severity = |workers| run(workers, true, None).judge(&super::RULE)[0].severity;
        assert_eq!(severity(2), Severity::Info);
        assert_eq!(severity(3), Severity::Warning);
    }
}
