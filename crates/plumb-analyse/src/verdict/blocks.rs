//! Beyond which block size does bandwidth no longer rise?

use plumb_model::results::summary::{SentenceEvidence, StepSummary, Summary};
use plumb_model::statement::Statement;
use plumb_model::units::Bytes;
use plumb_model::workload::Job;

use super::part::{Part, sentence};
use super::wording;
use crate::figures::planned::step_of;
use crate::phrases::rests_on;
use crate::plots::curves::round_range;

/// Share of the greatest bandwidth that counts as reached.
const REACHED: f64 = 0.95;

/// Group of the plan, and what else was swept.
type GroupName<'a> = (&'a str, Statement);

/// One part per group of steps in which the block size is swept and nothing of the load is.
pub(super) fn sentences(summary: &Summary) -> Vec<Part> {
    let mut groups: Vec<(GroupName<'_>, Vec<(u64, &StepSummary)>)> = Vec::new();
    for step in summary.steps.iter().filter(|step| {
        step.total
            .bandwidth_bytes_per_s
            .is_some_and(|bandwidth| bandwidth > 0.0)
    }) {
        let loads = ["on-ranks", "depth", "workers", "rate"]
            .iter()
            .any(|key| step.swept.contains_key(*key));
        let block = step
            .swept
            .get("block")
            .and_then(|block| block.parse::<Bytes>().ok());
        let (Some(planned), Some(block), false) = (step_of(summary, step), block, loads) else {
            continue;
        };
        let name = (planned.group.as_str(), wording::settings(step, &["block"]));
        match groups.iter_mut().find(|(held, _)| *held == name) {
            Some((_, steps)) => steps.push((block.0, step)),
            None => groups.push((name, vec![(block.0, step)])),
        }
    }
    groups
        .into_iter()
        .filter(|(_, steps)| steps.len() > 1)
        .filter_map(|(_, steps)| part(summary, steps))
        .collect()
}

/// ` at depth 8`, ` with 4 workers at depth 8 each`; nothing in an open loop.
fn load_of(step: &StepSummary, job: &Job) -> Statement {
    let depth = u64::from(job.workload.depth);
    match (step.requested_rate, job.workload.workers) {
        (Some(_), _) => wording::none(),
        (None, 1) => Statement::new("load-depth").count("depth", depth).part(
            "shortfall",
            wording::shortfall(step.requested_depth, step.achieved_depth),
        ),
        (None, workers) => Statement::new("load-workers-with-depth")
            .count("workers", u64::from(workers))
            .count("depth", depth),
    }
}

fn part(summary: &Summary, mut steps: Vec<(u64, &StepSummary)>) -> Option<Part> {
    steps.sort_by_key(|(block, _)| *block);
    let bandwidth = |step: &StepSummary| step.total.bandwidth_bytes_per_s.unwrap_or(0.0);
    let range = |step: &StepSummary| round_range(step, |round| round.bandwidth_bytes_per_s);
    let (best_block, best) = steps
        .iter()
        .max_by(|a, b| bandwidth(a.1).total_cmp(&bandwidth(b.1)))?;
    let (block, first) = steps
        .iter()
        .find(|(_, step)| bandwidth(step) >= REACHED * bandwidth(best))?;
    let job = step_of(summary, first)?.jobs.first()?;
    let settings = wording::settings(first, &["block", "mix", "pattern", "read-percent"]);
    let subject = Statement::new("block-workload")
        .part("workload", wording::workload(job, first, false))
        .part("settings", settings)
        .part("load", load_of(first, job));
    let value = wording::rate(bandwidth(best), range(best), wording::bandwidth);
    let last_block = steps.last()?.0;
    // Beyond the spread of the rounds only: the slowest round of the largest blocks against the fastest of the next smaller ones.
    let before = steps
        .iter()
        .rfind(|(size, _)| *size < last_block)
        .and_then(|(_, step)| range(step));
    let rises = matches!((range(best), before), (Some((low, _)), Some((_, high))) if low > high);
    let index = Statement::new(match (*block == last_block, *block == steps.first()?.0) {
        (true, _) if rises => "blocks-still-rising",
        (true, _) => "blocks-undecided",
        (_, true) => "blocks-from-smallest",
        _ => "blocks-from",
    })
    .bytes("block", *block as f64);
    // Larger blocks that are clearly slower again are a finding of their own.
    let slow = steps
        .iter()
        .rfind(|(size, step)| *size > *best_block && bandwidth(step) < 0.8 * bandwidth(best));
    let falls = slow.map(|(size, step)| {
        Statement::new("blocks-fall")
            .with("bandwidth", wording::bandwidth(bandwidth(step)))
            .bytes("block", *size as f64)
    });
    let statement = Statement::new("block-sizes")
        .part("subject", subject)
        .part("bandwidth", value)
        .part("place", index)
        .part("fall", wording::optional(falls));
    let mut evidence: Vec<SentenceEvidence> = steps
        .iter()
        .map(|(size, step)| {
            rests_on(
                Statement::new("evidence-bandwidth-at-size").bytes("block", *size as f64),
                wording::bandwidth(bandwidth(step)),
            )
        })
        .collect();
    evidence.extend(wording::range_evidence(range(best), wording::bandwidth));
    Some(Part {
        steps: steps.iter().map(|(_, step)| step.step).collect(),
        sentences: vec![sentence(statement, evidence)],
    })
}
