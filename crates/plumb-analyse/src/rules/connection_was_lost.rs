//! Was the connection to the server lost during the run?

use plumb_model::results::finding::{Finding, Severity};
use plumb_model::run::{ConnectionState, Event, Run};
use plumb_model::statement::Statement;
use plumb_model::target::remote::WhileLost;

use crate::rule::{Case, Rule, evidence, finding, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "connection_was_lost",
    needs: &[],
    meaning: "While a share or peer could not be reached nothing was measured but the wait: requests in flight failed, later ones waited for the connection or, of TCP and iperf3 peers, failed too. The gap is part of the rate, and where operations wait of the response times.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// One loss: when, of which worker, and how long it lasted; `None` when it was not there again.
struct Gap<'a> {
    /// Execution, job and worker.
    worker: (u32, u32, u32),
    start_ns: u64,
    length_ns: Option<u64>,
    text: &'a Statement,
}

fn judge(case: &Case) -> Vec<Finding> {
    let Some(run) = case.run else {
        return Vec::new();
    };
    let gaps = gaps(run);
    if gaps.is_empty() {
        return Vec::new();
    }
    let shown = gaps.iter().map(|gap| {
        let what = Statement::new("connection-was-lost-worker")
            .count("worker", u64::from(gap.worker.2) + 1)
            .count("job", u64::from(gap.worker.1) + 1);
        let value = match gap.length_ns {
            Some(length) => {
                Statement::new("connection-was-lost-for").time_ns("length", length as f64)
            }
            None => Statement::new("connection-was-lost-for-good"),
        }
        .time_ns("start", gap.start_ns as f64)
        .part("text", gap.text.clone());
        evidence(what, value, Statement::new("source-notes-of-run"))
    });
    let forever = gaps.iter().any(|gap| gap.length_ns.is_none());
    let longest = gaps.iter().filter_map(|gap| gap.length_ns).max();
    let first = gaps.iter().map(|gap| gap.start_ns).min();
    let claim = match longest.filter(|_| !forever) {
        Some(longest) => Statement::new("connection-was-lost").time_ns("longest", longest as f64),
        None => Statement::new("connection-was-lost-and-not-restored"),
    }
    .count("gaps", gaps.len() as u64)
    .time_ns("first", first.unwrap_or_default() as f64)
    .part("figures", held(run, &gaps));
    let advice = Statement::new("connection-was-lost-advice");
    let severity = if forever {
        Severity::Severe
    } else {
        Severity::Warning
    };
    vec![finding(
        &RULE,
        severity,
        claim,
        shortened(shown.collect()),
        advice,
    )]
}

/// What the figures hold of the gaps.
fn held(run: &Run, gaps: &[Gap]) -> Statement {
    let ways: Vec<WhileLost> = gaps
        .iter()
        .map(|gap| while_lost(run, gap.worker.0, gap.worker.1))
        .collect();
    let held = match (
        ways.contains(&WhileLost::Wait),
        ways.contains(&WhileLost::Fail),
    ) {
        (true, false) => Some(Statement::new("connection-was-lost-operations-waited")),
        (false, true) => Some(Statement::new("connection-was-lost-operations-failed")),
        (true, true) => Some(Statement::new(
            "connection-was-lost-operations-waited-or-failed",
        )),
        (false, false) => None,
    };
    let ended = ways
        .contains(&WhileLost::End)
        .then(|| Statement::new("connection-was-lost-step-ended"));
    match (held, ended) {
        (Some(held), Some(ended)) => Statement::new("connection-was-lost-both")
            .part("held", held)
            .part("ended", ended),
        (held, ended) => held.or(ended).unwrap_or_else(|| Statement::new("none")),
    }
}

/// What becomes of operations of this job that come while there is no connection.
fn while_lost(run: &Run, execution: u32, job: u32) -> WhileLost {
    let of = run.notes.iter().find_map(|note| match note.event {
        Event::ExecutionStarted {
            execution: started,
            step,
            ..
        } if started == execution => Some(step),
        _ => None,
    });
    let step = of.and_then(|step| run.header.plan.steps.get(step as usize));
    let target = step
        .and_then(|step| step.jobs.get(job as usize))
        .and_then(|job| job.target.remote());
    target.map_or(WhileLost::Wait, |remote| remote.scheme.while_lost())
}

fn gaps(run: &Run) -> Vec<Gap<'_>> {
    let mut gaps: Vec<Gap> = Vec::new();
    for note in &run.notes {
        let Event::Connection {
            execution,
            job,
            worker,
            state,
            text,
        } = &note.event
        else {
            continue;
        };
        let worker = (*execution, *job, *worker);
        let open = gaps
            .iter_mut()
            .rev()
            .find(|gap| gap.worker == worker && gap.length_ns.is_none());
        match (state, open) {
            (ConnectionState::Lost, None) => gaps.push(Gap {
                worker,
                start_ns: note.time_ns,
                length_ns: None,
                text,
            }),
            (ConnectionState::Restored, Some(gap)) => {
                gap.length_ns = Some(note.time_ns.saturating_sub(gap.start_ns))
            }
            // Lost again before it was restored, or restored without having been lost: nothing new.
            (ConnectionState::Lost, Some(_)) | (ConnectionState::Restored, None) => {}
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::{in_english, of_evidence};
    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    fn run(states: &[(ConnectionState, u32)]) -> Run {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &[Interval::default()]);
        for (state, worker) in states {
            let text = Statement::verbatim("server:445: connection reset by peer");
            builder.note(Event::Connection {
                execution: 0,
                job: 0,
                worker: *worker,
                state: *state,
                text,
            });
            builder.now_ns += 5_000_000_000;
        }
        builder.finish()
    }

    pub fn examples() -> Examples {
        use ConnectionState::{Lost, Restored};
        Examples {
            fires: vec![
                Scene::run(run(&[(Lost, 0), (Restored, 0)])),
                Scene::run(run(&[(Lost, 0)])),
            ],
            silent: vec![Scene::run(run(&[]))],
        }
    }

    #[test]
    fn length_and_severity_follow_from_what_came_back() {
        use ConnectionState::{Lost, Restored};
        let one = Scene::run(run(&[(Lost, 0), (Restored, 0)]))
            .judge(&RULE)
            .remove(0);
        assert_eq!(one.severity, Severity::Warning);
        assert!(
            in_english(&one.claim).contains("once") && in_english(&one.claim).contains("for 5 s"),
            "{}",
            in_english(&one.claim)
        );
        let two = Scene::run(run(&[(Lost, 0), (Lost, 1), (Restored, 0)]))
            .judge(&RULE)
            .remove(0);
        assert_eq!(two.severity, Severity::Severe);
        assert!(
            in_english(&two.claim).contains("2 times")
                && in_english(&two.claim).contains("not restored"),
            "{}",
            in_english(&two.claim)
        );
        let value = |number: usize| of_evidence(&two.evidence[number])[1].clone();
        assert!(
            value(0).contains("for 10 s") && value(1).contains("not restored"),
            "{:?}",
            two.evidence
        );
    }

    #[test]
    fn what_holds_the_gap_follows_from_the_target() {
        use ConnectionState::{Lost, Restored};
        let claim = |target: &str| {
            let mut run = run(&[(Lost, 0), (Restored, 0)]);
            run.header.plan.steps[0].jobs[0].target = target.parse().expect("a target");
            in_english(&Scene::run(run).judge(&RULE).remove(0).claim)
        };
        for waits in ["smb://server/share", "nfs://server/export", "rdma://server"] {
            assert!(
                claim(waits).ends_with("means and percentiles include that time."),
                "{}",
                claim(waits)
            );
        }
        assert!(
            claim("tcp://server")
                .ends_with("the rate includes that time and the response times do not."),
            "{}",
            claim("tcp://server")
        );
        let iperf3 = claim("iperf3://server");
        assert!(
            iperf3.ends_with("its figures cover the time until then.") && !iperf3.contains("hold"),
            "{iperf3}"
        );
    }
}
