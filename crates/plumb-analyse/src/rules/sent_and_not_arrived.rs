//! Did sent data arrive within the measured time?

use plumb_model::plan::Step;
use plumb_model::results::finding::{Finding, Severity};
use plumb_model::results::summary::StepSummary;
use plumb_model::statement::Statement;

use crate::command_line::again;
use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "sent_and_not_arrived",
    needs: &[],
    meaning: "A message counts as sent when the system has accepted it. What is still in the sender's buffer or on the way at the end of a step has not arrived: in a short step, or on a slow link, that is a part of its rate.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// Share of the bytes of a step from which its rate is overstated.
const PART: f64 = 0.02;
/// A step that is measured after so long begins with full buffers, and as much arrives in it as is sent.
const FILLED_S: f64 = 1.0;

fn judge(case: &Case) -> Vec<Finding> {
    let part = |planned: &Step, step: &StepSummary| {
        if planned
            .jobs
            .iter()
            .all(|job| job.workload.warm_up.seconds() >= FILLED_S)
        {
            return None;
        }
        let under_way = *step
            .connections
            .as_ref()?
            .numbers
            .get("bytes_unacknowledged")?;
        let bytes = step.total.bytes as f64;
        (bytes > 0.0 && under_way >= PART * bytes).then_some((under_way, bytes))
    };
    let found: Vec<_> = case
        .steps()
        .filter_map(|(planned, step)| Some((step, part(planned, step)?)))
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let shown = found.iter().map(|(step, (under_way, bytes))| {
        let value = Statement::new("sent-and-not-arrived-bytes")
            .bytes("under-way", *under_way)
            .bytes("sent", *bytes)
            .percent("share", 100.0 * under_way / bytes);
        evidence(
            Statement::new("sent-and-not-arrived-at-end").name("step", &step.name),
            value,
            Statement::new("source-tcp-info"),
        )
    });
    let names: Vec<&str> = found.iter().map(|(step, _)| step.name.as_str()).collect();
    let most = found
        .iter()
        .map(|(_, (under_way, bytes))| under_way / bytes)
        .fold(0.0, f64::max);
    let claim = Statement::new("sent-and-not-arrived")
        .part("steps", name_steps(&names))
        .percent("most", 100.0 * most);
    let advice = Statement::new("sent-and-not-arrived-advice");
    let mut reported = finding(
        &RULE,
        Severity::Warning,
        claim,
        shortened(shown.collect()),
        advice,
    );
    reported.experiment = case
        .run
        .and_then(|run| again(run, &[("warm-up", "2s".to_string())]));
    vec![reported]
}

#[cfg(test)]
mod tests {
    use plumb_model::run::{EngineAccount, Event, Note};

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |part: Option<f64>, warm_up: &str| {
            let mut steps = ladder("send", &[1]);
            steps[0].jobs[0].workload.warm_up = warm_up.parse().unwrap();
            let mut builder = Builder::new(steps);
            builder.execute(0, 0, &[Interval::default()]);
            let mut run = builder.finish();
            let sent: u64 = run
                .ticks
                .iter()
                .flat_map(|tick| &tick.kinds)
                .map(|kind| kind.bytes)
                .sum();
            let numbers = part
                .map(|part| ("bytes_unacknowledged".to_string(), part * sent as f64))
                .into_iter()
                .collect();
            let account = EngineAccount {
                numbers,
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
        };
        Examples {
            fires: vec![run(Some(0.02), "0s"), run(Some(1.5), "20ms")],
            silent: vec![
                run(None, "0s"),
                run(Some(0.0), "0s"),
                run(Some(0.019), "0s"),
                run(Some(0.5), "1s"),
            ],
        }
    }
}
