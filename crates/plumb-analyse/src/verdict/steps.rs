//! What are the sentences on a step that is not part of a ladder?

use plumb_model::plan::Step;
use plumb_model::results::summary::{
    JobSummary, OperationSummary, Sentence, SentenceEvidence, StepSummary, Summary,
};
use plumb_model::statement::Statement;
use plumb_model::workload::{Job, OperationKind};

use super::part::{Part, sentence};
use super::wording;
use crate::figures::planned::step_of;
use crate::phrases::rests_on;
use crate::plots::curves::round_range;
use crate::plots::messages::exchanges_messages;

/// Steps of one group up to which each has a sentence; of more, the first, the best and the last.
const FEW: usize = 4;
/// Blocks from which on bandwidth is the figure.
const LARGE_BLOCK_BYTES: u64 = 64 << 10;

/// Sentences on the steps not covered yet, and on the background jobs of those covered.
pub(super) fn sentences(summary: &Summary, stated: &[u32]) -> Vec<Part> {
    let mut groups: Vec<(&str, Vec<&StepSummary>)> = Vec::new();
    for step in summary
        .steps
        .iter()
        .filter(|step| !stated.contains(&step.step) && step.total.is_measured())
    {
        let Some(planned) = step_of(summary, step) else {
            continue;
        };
        match groups.iter_mut().find(|(held, _)| *held == planned.group) {
            Some((_, steps)) => steps.push(step),
            None => groups.push((&planned.group, vec![step])),
        }
    }
    let mut parts = Vec::new();
    for (_, steps) in groups {
        let found: Vec<&StepSummary> = if steps.len() <= FEW {
            steps
        } else {
            outstanding(&steps)
        };
        parts.extend(
            found
                .into_iter()
                .filter_map(|step| part(summary, step, true)),
        );
    }
    // For a ladder, the background job is reported at its last step, where the load was highest.
    // For messages in both directions both are already covered.
    let is_complete = |step: &StepSummary| step_of(summary, step).is_some_and(exchanges_messages);
    let mut beside = summary
        .steps
        .iter()
        .filter(|step| stated.contains(&step.step) && step.jobs.len() > 1 && !is_complete(step));
    parts.extend(
        beside
            .next_back()
            .and_then(|step| part(summary, step, false)),
    );
    parts
}

/// First, best and last.
fn outstanding<'a>(steps: &[&'a StepSummary]) -> Vec<&'a StepSummary> {
    let iops = |step: &&&StepSummary| step.total.iops.unwrap_or(0.0);
    let best = steps.iter().max_by(|a, b| iops(a).total_cmp(&iops(b)));
    let mut found: Vec<&StepSummary> = [steps.first(), best, steps.last()]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    found.sort_by_key(|step| step.step);
    found.dedup_by_key(|step| step.step);
    found
}

fn part(summary: &Summary, step: &StepSummary, with_main: bool) -> Option<Part> {
    let planned = step_of(summary, step)?;
    let mut sentences = Vec::new();
    if step.jobs.len() > 1 {
        let skipped = usize::from(!with_main);
        sentences.extend(
            step.jobs
                .iter()
                .enumerate()
                .skip(skipped)
                .filter_map(|(number, job)| of_job(planned, step, number, job)),
        );
    } else {
        sentences.extend(of_step(planned, step));
        sentences.extend(of_kinds(planned, step));
    }
    Some(Part {
        steps: vec![step.step],
        sentences,
    })
}

fn of_step(planned: &Step, step: &StepSummary) -> Option<Sentence> {
    let job = planned.jobs.first()?;
    let large = job.workload.smallest_block_bytes() >= LARGE_BLOCK_BYTES;
    let workload = wording::workload(job, step, true);
    let subject = if step.swept.is_empty() {
        workload
    } else {
        wording::of_named_step(workload, &step.name)
    };
    let statement = Statement::new("step-figures")
        .part("subject", subject)
        .part("throughput", wording::throughput(step, large)?)
        .part("load", load(job, step))
        .part("latency", wording::in_brackets(latency(job, step)));
    Some(sentence(statement, evidence(job, step)))
}

/// The latency of a step's operations. For writes that are flushed it is the flushes' time that counts, which the sentence on each kind states; that of the
/// writes alone, which end in the cache, would be taken for it.
fn latency(job: &Job, step: &StepSummary) -> Option<Statement> {
    match (flushes_writes(job), step.flushes()) {
        (false, _) => wording::of(&step.response_ns),
        (true, Some(_)) => None,
        (true, None) => Some(Statement::new("flush-times-not-known")),
    }
}

fn flushes_writes(job: &Job) -> bool {
    job.workload.fsync_every > 0
}

/// Most kinds of operation listed in a sentence.
const KINDS_MAX: usize = 4;

/// Each kind of operation, if there are several: the time of a flush is not in the figures of the writes.
fn of_kinds(planned: &Step, step: &StepSummary) -> Option<Sentence> {
    let workload = &planned.jobs.first()?.workload;
    let large = workload.smallest_block_bytes() >= LARGE_BLOCK_BYTES;
    let measured: Vec<(&str, &OperationSummary)> = step
        .kinds()
        .into_iter()
        .filter(|(_, operations)| operations.is_measured())
        .collect();
    if !(2..=KINDS_MAX).contains(&measured.len()) || workload.has_file_operations() {
        return None;
    }
    // Beside flushes the only other kind is what all together is.
    let is_flush = |kind: &str| kind == OperationKind::Flush.word();
    let others = measured.iter().filter(|(kind, _)| !is_flush(kind)).count();
    let found = measured
        .iter()
        .filter(|(kind, _)| others > 1 || is_flush(kind));
    let mut figures = Vec::new();
    let mut evidence = Vec::new();
    for (kind, operations) in found {
        let latency = wording::in_brackets(wording::of(&operations.response_ns));
        figures.push(of_kind(kind, operations, large, latency)?);
        let alone = of_kind(kind, operations, large, wording::none())?;
        evidence.push(rests_on(wording::kind_of(kind, &step.name), alone));
    }
    let statement = Statement::new("job-figures")
        .name("job", &step.name)
        .part("beside", wording::none())
        .part("load", wording::none())
        .parts("figures", figures.clone());
    (!figures.is_empty()).then(|| sentence(statement, evidence))
}

/// Requested load of a step: a rate, or a depth with the achieved one.
fn load(job: &Job, step: &StepSummary) -> Statement {
    match (step.requested_rate, job.workload.workers) {
        (Some(requested), _) => return Statement::new("load-asked").number("rate", requested),
        (None, _) if job.workload.has_file_operations() => return wording::none(),
        (None, _) if !step.states("depth") => return wording::none(),
        (None, 0 | 1) => Statement::new("load-depth"),
        (None, workers) => {
            Statement::new("load-workers-and-depth").count("workers", u64::from(workers))
        }
    }
    .count("depth", u64::from(job.workload.depth))
    .part(
        "shortfall",
        wording::shortfall(step.requested_depth, step.achieved_depth),
    )
}

fn evidence(job: &Job, step: &StepSummary) -> Vec<SentenceEvidence> {
    let mut evidence: Vec<SentenceEvidence> = step
        .total
        .iops
        .map(|iops| rests_on(Statement::new("figure-iops"), wording::iops(iops)))
        .into_iter()
        .collect();
    evidence.extend(
        step.total
            .bandwidth_bytes_per_s
            .filter(|bandwidth| *bandwidth > 0.0)
            .map(|bandwidth| {
                rests_on(
                    Statement::new("figure-bandwidth"),
                    wording::bandwidth(bandwidth),
                )
            }),
    );
    evidence.extend(wording::range_evidence(
        round_range(step, |round| round.iops),
        wording::iops,
    ));
    if !flushes_writes(job) {
        evidence.extend(wording::latency_evidence(
            step.response_ns.p50,
            step.response_ns.p99,
        ));
    }
    if let Some((flushes, rate)) = step
        .flushes()
        .and_then(|flushes| Some((flushes, flushes.iops?)))
    {
        evidence.push(rests_on(
            wording::several(OperationKind::Flush),
            wording::rate_and_median(rate, flushes.response_ns.p50),
        ));
    }
    evidence
}

/// One of several jobs that ran at the same time.
fn of_job(planned: &Step, step: &StepSummary, number: usize, job: &JobSummary) -> Option<Sentence> {
    let requested = planned.jobs.get(number)?;
    // The main job of a step is known by the step's name.
    let named = if number == 0 {
        step.name.as_str()
    } else {
        job.name.as_str()
    };
    let large = requested.workload.smallest_block_bytes() >= LARGE_BLOCK_BYTES
        && !requested.workload.has_file_operations();
    let mut figures = Vec::new();
    let mut evidence = Vec::new();
    for (kind, operations) in job
        .operations
        .iter()
        .filter(|(_, operations)| operations.is_measured())
    {
        let latency = wording::in_brackets(wording::of(&operations.response_ns));
        figures.push(of_kind(kind, operations, large, latency)?);
        let alone = of_kind(kind, operations, large, wording::none())?;
        evidence.push(rests_on(wording::kind_of(kind, named), alone));
    }
    if figures.is_empty() {
        return None;
    }
    let beside = match requested.workload.start_delay {
        _ if number == 0 => wording::none(),
        Some(delay) => Statement::new("job-beside-later")
            .name("step", &step.name)
            .time_ns("delay", delay.0 as f64),
        None => Statement::new("job-beside").name("step", &step.name),
    };
    let depth = f64::from(requested.workload.depth) * f64::from(requested.workload.workers);
    let load = (!requested.workload.is_open()).then(|| wording::in_flight(depth));
    let statement = Statement::new("job-figures")
        .name("job", named)
        .part("beside", beside)
        .part("load", wording::optional(load))
        .parts("figures", figures);
    Some(sentence(statement, evidence))
}

/// What one kind of operation of a job does: its bandwidth where blocks are large, else its rate.
fn of_kind(
    kind: &str,
    operations: &OperationSummary,
    large: bool,
    latency: Statement,
) -> Option<Statement> {
    let bandwidth = operations
        .bandwidth_bytes_per_s
        .filter(|bandwidth| large && *bandwidth > 0.0);
    let statement = match bandwidth {
        Some(bandwidth) => {
            Statement::new("job-bandwidth").with("bandwidth", wording::bandwidth(bandwidth))
        }
        None => Statement::new("job-rate").number("rate", operations.iops?),
    }
    .name("kind", kind)
    .part("latency", latency);
    Some(statement)
}
