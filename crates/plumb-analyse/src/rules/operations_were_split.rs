//! Were blocks split into several requests to the server of a share?

use plumb_model::plan::Step;
use plumb_model::results::finding::{Evidence, Finding, Severity};
use plumb_model::results::summary::StepSummary;
use plumb_model::statement::Statement;

use crate::rule::{Case, Rule, evidence, finding, name_steps, shortened};

/// The rule.
pub const RULE: Rule = Rule {
    name: "operations_were_split",
    needs: &[],
    meaning: "A server of SMB or NFS says how many bytes it takes in one request. Larger blocks go as several requests: the figures of the step are those of smaller requests, more of them in flight than the depth says, and the latency is that of the last one.",
    judge,
    #[cfg(test)]
    examples: tests::examples,
};

/// A step with blocks that are larger than a request.
struct Split<'a> {
    step: &'a StepSummary,
    block_bytes: u64,
    max_bytes: u64,
}

fn judge(case: &Case) -> Vec<Finding> {
    let found: Vec<Split> = case
        .steps()
        .filter_map(|(planned, step)| split(planned, step))
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = found.iter().map(|split| split.step.name.as_str()).collect();
    let shown = found.iter().flat_map(of_step).collect();
    let claim = Statement::new("operations-were-split").part("steps", name_steps(&names));
    let advice = Statement::new("operations-were-split-advice");
    vec![finding(
        &RULE,
        Severity::Info,
        claim,
        shortened(shown),
        advice,
    )]
}

/// By the limits of the server when the engine was opened; `None` if unknown, or if the blocks fit.
fn split<'a>(planned: &Step, step: &'a StepSummary) -> Option<Split<'a>> {
    let connection = &step.engine_record.as_ref()?.connection;
    let job = planned.jobs.first()?;
    let max = |name: &str| connection.get(name)?.parse::<u64>().ok();
    let limits = [
        (job.workload.reads_blocks(), max("read_max_bytes")),
        (job.workload.modifies_blocks(), max("write_max_bytes")),
    ];
    let block_bytes = job.workload.largest_block_bytes();
    let max_bytes = limits
        .into_iter()
        .filter_map(|(does, max)| max.filter(|_| does))
        .min()?;
    (step.total.count > 0 && max_bytes > 0 && block_bytes > max_bytes).then_some(Split {
        step,
        block_bytes,
        max_bytes,
    })
}

fn of_step(split: &Split) -> Vec<Evidence> {
    let Split {
        step,
        block_bytes,
        max_bytes,
    } = split;
    let mut shown = vec![evidence(
        Statement::new("operations-were-split-in").name("step", &step.name),
        Statement::new("operations-were-split-requests")
            .bytes("block", *block_bytes as f64)
            .bytes("most", *max_bytes as f64)
            .count("requests", block_bytes.div_ceil(*max_bytes)),
        Statement::new("source-engine-opened").name("engine", &step.engine),
    )];
    let numbers = step.connections.as_ref().map(|of| &of.numbers);
    let counted = numbers.and_then(|numbers| numbers.get("split_operations").copied());
    if let Some(counted) = counted.filter(|counted| *counted > 0.0) {
        shown.push(evidence(
            Statement::new("operations-were-split-counted").name("step", &step.name),
            counted,
            Statement::new("source-notes-of-run"),
        ));
    }
    shown
}

#[cfg(test)]
mod tests {
    use plumb_model::run::Event;

    use crate::rule::{Examples, Scene};
    use crate::synthetic::{Builder, Interval, ladder};

    pub fn examples() -> Examples {
        let run = |block: &str, max: Option<&str>| {
            let mut steps = ladder("read", &[4]);
            steps[0].jobs[0].workload.block = block.parse().expect("a block size");
            let mut builder = Builder::new(steps);
            builder.execute(0, 0, &[Interval::default()]);
            let mut run = builder.finish();
            for note in &mut run.notes {
                if let Event::EngineOpened { engine, .. } = &mut note.event {
                    let found = max.map(|max| ("read_max_bytes".to_string(), max.to_string()));
                    engine.connection = found.into_iter().collect();
                }
            }
            Scene::run(run)
        };
        Examples {
            fires: vec![run("1m", Some("65536")), run("16m", Some("8388608"))],
            silent: vec![
                run("64k", Some("65536")),
                run("1m", None),
                run("1m", Some("0")),
            ],
        }
    }
}
