//! What is the verdict of a run? Sentences based on measured numbers, one screen at most.

mod blocks;
mod cache;
mod files;
mod ladders;
mod limits;
mod messages;
mod part;
mod replays;
mod scaling;
mod settled;
mod steady;
mod steps;
mod verified;
mod wording;

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::plan::Origin;
use plumb_model::results::summary::{Sentence, SentenceEvidence, StepSummary, Summary};
use plumb_model::run::Run;
use plumb_model::run::step_end::StepEnd;
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::target::remote::WhileLost;
use plumb_model::workload::OperationKind;
use plumb_model::workload::RankSharing;

use crate::figures::planned;
use crate::phrases::{clauses, rests_on};
use crate::rule::name_steps;
use part::sentence;

/// Most sentences: one screen.
const MOST: usize = 14;

/// The verdict: failures first, then one or two sentences per part of the plan, in order. Works for any plan; undecidable results
/// are stated as undecided, and figures that were not measured are left out.
pub fn verdict(run: &Run, summary: &Summary) -> Vec<Sentence> {
    let mut sentences = failures(summary);
    if !summary.steps.iter().any(|step| step.total.is_measured()) {
        sentences.push(sentence(
            Statement::new("nothing-measured"),
            vec![rests_on(Statement::new("evidence-operations"), 0_u64)],
        ));
        return sentences;
    }
    sentences.extend(together(summary));
    sentences.extend(caches_below(summary));
    sentences.extend(steady::sentences(summary));
    sentences.extend(settled::sentences(summary));
    // A step is covered once: by its ladder, its block sizes, its file operations, or alone.
    let mut stated: Vec<u32> = Vec::new();
    let mut parts: Vec<(u32, Vec<Sentence>)> = Vec::new();
    let by_kind = messages::sentences(summary)
        .into_iter()
        .chain(ladders::sentences(summary))
        .chain(blocks::sentences(summary));
    for part in by_kind.chain(files::sentences(run, summary)) {
        if part.steps.iter().all(|step| stated.contains(step)) {
            continue;
        }
        stated.extend(&part.steps);
        parts.push((
            part.steps.iter().copied().min().unwrap_or(0),
            part.sentences,
        ));
    }
    for part in steps::sentences(summary, &stated) {
        parts.push((
            part.steps.iter().copied().min().unwrap_or(0),
            part.sentences,
        ));
    }
    for part in limits::sentences(summary)
        .into_iter()
        .chain(scaling::sentences(summary))
        .chain(replays::sentences(summary))
        .chain(cache::sentences(run, summary))
    {
        // After the figures of the same steps: the sort below is stable.
        parts.push((
            part.steps.iter().copied().min().unwrap_or(0),
            part.sentences,
        ));
    }
    parts.sort_by_key(|(first, _)| *first);
    distinguish(summary, &mut parts);
    sentences.extend(parts.into_iter().flat_map(|(_, sentences)| sentences));
    sentences.extend(verified::verified(run, summary));
    sentences.extend(extent(summary));
    shortened(sentences)
}

/// Many ranks measured: depths and workers are per rank.
fn together(summary: &Summary) -> Option<Sentence> {
    let ranks = summary.ranks.as_ref()?;
    let mut jobs = summary.plan.steps.iter().flat_map(|step| &step.jobs);
    let one_job = jobs.all(|job| job.workload.ranks == RankSharing::Together);
    let statement = Statement::new(match one_job {
        true => "ranks-measured-one-job",
        false => "ranks-measured-together",
    })
    .count("ranks", u64::from(ranks.ranks))
    .count("hosts", u64::from(ranks.hosts));
    let evidence = rests_on(Statement::new("evidence-ranks"), u64::from(ranks.ranks));
    Some(sentence(statement, vec![evidence]))
}

/// The size of the test file, if it is the same in all steps that have one: the figures are valid for it.
fn extent(summary: &Summary) -> Option<Sentence> {
    let is_sized = |origins: &BTreeMap<String, Origin>| {
        origins
            .get("size")
            .is_some_and(|origin| *origin != Origin::Default)
    };
    let sized = summary.steps.iter().filter(|step| {
        let planned = planned::step_of(summary, step);
        planned
            .and_then(|planned| planned.origins.first())
            .is_some_and(is_sized)
    });
    let sizes: BTreeSet<u64> = sized
        .filter_map(|step| step.engine_record.as_ref())
        .map(|engine| engine.size_bytes)
        .collect();
    let [size] = sizes
        .iter()
        .copied()
        .filter(|size| *size > 0)
        .collect::<Vec<_>>()[..]
    else {
        return None;
    };
    Some(sentence(
        Statement::new("test-file-size").bytes("size", size as f64),
        vec![rests_on(
            Statement::new("evidence-size-in-use"),
            (size as f64, Unit::Bytes),
        )],
    ))
}

/// Steps that do the same work under several names, such as a first and a second read, are distinguished by name.
fn distinguish(summary: &Summary, parts: &mut [(u32, Vec<Sentence>)]) {
    let mut found: Vec<(Argument, &str)> = Vec::new();
    for (first, sentences) in parts.iter() {
        let name = name_of(summary, *first);
        found.extend(
            sentences
                .iter()
                .filter_map(|sentence| Some((subject(sentence)?.clone(), name))),
        );
    }
    for (first, sentences) in parts {
        let name = name_of(summary, *first);
        for sentence in sentences {
            let elsewhere = |subject: &Argument| {
                found
                    .iter()
                    .any(|(other, of)| other == subject && *of != name)
            };
            if subject(sentence).is_some_and(elsewhere) {
                named(&mut sentence.statement, name);
            }
        }
    }
}

/// What a sentence speaks of.
fn subject(sentence: &Sentence) -> Option<&Argument> {
    let arguments = &sentence.statement.arguments;
    arguments.get("subject").or_else(|| arguments.get("over"))
}

/// The same statement with the name of its step.
fn named(statement: &mut Statement, step: &str) {
    match statement.arguments.get_mut("subject") {
        Some(Argument::Statement(subject)) => {
            **subject = wording::of_named_step((**subject).clone(), step);
        }
        _ => {
            *statement = Statement::new("of-step")
                .name("step", step)
                .part("said", statement.clone());
        }
    }
}

/// The name of a step in the plan, without swept values.
fn name_of(summary: &Summary, step: u32) -> &str {
    let Some(found) = summary.steps.iter().find(|found| found.step == step) else {
        return "";
    };
    found.swept.keys().fold(found.name.as_str(), |name, key| {
        name.split(&format!(" {key}=")).next().unwrap_or(name)
    })
}

fn shortened(mut sentences: Vec<Sentence>) -> Vec<Sentence> {
    let more = sentences.len().saturating_sub(MOST);
    if more > 0 {
        let left_out = more + 1;
        sentences.truncate(MOST - 1);
        sentences.push(sentence(
            Statement::new("more-in-tables").count("count", left_out as u64),
            vec![rests_on(
                Statement::new("evidence-sentences-left-out"),
                left_out as u64,
            )],
        ));
    }
    sentences
}

/// What went wrong: data that came back other than written, failed steps, failed operations, an unfinished run.
fn failures(summary: &Summary) -> Vec<Sentence> {
    let mut found = Vec::new();
    let sum = |of: &dyn Fn(&StepSummary) -> u64| summary.steps.iter().map(of).sum::<u64>();
    let mismatches = sum(&|step| {
        step.total
            .errors_by_kind
            .get("mismatch")
            .copied()
            .unwrap_or(0)
    });
    if mismatches > 0 {
        let copies = summary
            .steps
            .iter()
            .any(|step| step.operations.contains_key(OperationKind::Copy.word()));
        let statement = Statement::new(match copies {
            true => "copies-not-whole",
            false => "blocks-differ",
        })
        .count("count", mismatches);
        found.push(sentence(statement, vec![rests_on("mismatch", mismatches)]));
    }
    found.extend(lost_writes(summary));
    found.extend(failed_steps(summary));
    found.extend(ended_early(summary));
    let errors = sum(&|step| step.total.errors).saturating_sub(mismatches);
    if errors > 0 {
        let all = sum(&|step| step.all_operations());
        found.push(sentence(
            Statement::new("operations-failed").count("count", errors),
            vec![
                rests_on(Statement::new("evidence-errors"), errors),
                rests_on(Statement::new("evidence-completed-operations"), all),
            ],
        ));
    }
    let warm_up = sum(&|step| step.warm_up_errors.values().sum());
    if warm_up > 0 {
        found.push(sentence(
            Statement::new("operations-failed-in-warm-up").count("count", warm_up),
            vec![rests_on(Statement::new("evidence-warm-up-errors"), warm_up)],
        ));
    }
    found.extend(outages(summary));
    found.extend(unfinished(&summary.state));
    found
}

/// That the run did not come to its end.
fn unfinished(state: &str) -> Option<Sentence> {
    let statement = match state {
        "interrupted" => Statement::new("run-interrupted"),
        "incomplete" => Statement::new("run-incomplete"),
        _ => return None,
    };
    Some(sentence(
        statement,
        vec![rests_on(Statement::new("evidence-state"), state)],
    ))
}

/// Steps that could not run. Several steps often fail for the same reason: each reason is reported once.
fn failed_steps(summary: &Summary) -> Vec<Sentence> {
    let mut failed: Vec<(&Statement, Vec<&StepSummary>)> = Vec::new();
    for step in &summary.steps {
        for reason in step.failures() {
            match failed.iter_mut().find(|(found, _)| *found == reason) {
                Some((_, steps)) => steps.push(step),
                None => failed.push((reason, vec![step])),
            }
        }
    }
    let of_reason = |(reason, steps): (&Statement, Vec<&StepSummary>)| {
        let first = steps.first()?;
        let more = steps.len() as u64 - 1;
        let complete = steps.iter().all(|step| step.could_not_run());
        let statement = Statement::new(match (more, complete) {
            (0, true) => "step-could-not-run",
            (0, false) => "step-could-not-run-in-some-rounds",
            (_, true) => "steps-could-not-run",
            (_, false) => "steps-could-not-run-in-some-rounds",
        })
        .name("step", &first.name)
        .count("more", more)
        .part("error", reason.clone());
        Some(sentence(statement, vec![ends_of(first)]))
    };
    failed.into_iter().filter_map(of_reason).collect()
}

/// What ended a step, as evidence.
fn ends_of(step: &StepSummary) -> SentenceEvidence {
    rests_on(
        Statement::new("evidence-ended-by").name("step", &step.name),
        clauses(step.ended_by.iter().map(StepEnd::statement)),
    )
}

/// Steps that did run until an error ended them: an engine that failed on the way.
fn ended_early(summary: &Summary) -> Vec<Sentence> {
    let of_step = |step: &StepSummary| {
        step.fatal_errors().next()?;
        let errors = clauses(step.fatal_errors().cloned());
        Some(sentence(
            Statement::new("step-ended-early")
                .name("step", &step.name)
                .part("error", errors),
            vec![ends_of(step)],
        ))
    };
    summary.steps.iter().filter_map(of_step).collect()
}

/// Writes that were acknowledged and did not reach the storage.
fn lost_writes(summary: &Summary) -> Option<Sentence> {
    let steps: Vec<&StepSummary> = summary
        .steps
        .iter()
        .filter(|step| !step.write_back_failures.is_empty())
        .collect();
    let first = steps.first()?.write_back_failures.first()?;
    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    let statement = Statement::new("writes-lost")
        .part("steps", name_steps(&names))
        .name("path", &first.path)
        .name("error", &first.error)
        .name("call", &first.call);
    let evidence = steps
        .iter()
        .flat_map(|step| &step.write_back_failures)
        .take(3);
    Some(sentence(
        statement,
        evidence
            .map(|failure| {
                let what = Statement::new("evidence-call-of-path")
                    .name("call", &failure.call)
                    .name("path", &failure.path);
                rests_on(what, failure.error.as_str())
            })
            .collect(),
    ))
}

/// What was measured, if it was not the storage.
fn caches_below(summary: &Summary) -> Option<Sentence> {
    let found = summary
        .findings
        .iter()
        .find(|finding| finding.rule == "reads_from_cache_below")?;
    // Its numbers are in the finding.
    let evidence = vec![rests_on(
        Statement::new("evidence-finding"),
        found.rule.as_str(),
    )];
    Some(sentence(found.claim.clone(), evidence))
}

/// Times without a server, over all workers.
fn outages(summary: &Summary) -> Option<Sentence> {
    let outages = || {
        summary
            .steps
            .iter()
            .filter_map(|step| step.connections.as_ref())
            .flat_map(|connections| &connections.outages)
    };
    let count = outages().count();
    let lengths = outages().filter_map(|outage| Some(outage.restored_s? - outage.lost_s));
    let longest_ns = lengths
        .fold(None, |most: Option<f64>, length| {
            Some(most.map_or(length, |most| most.max(length)))
        })
        .map(|s| s * 1e9);
    let times = Statement::new("times-lost").count("count", count as u64);
    let statement = match longest_ns {
        _ if count == 0 => return None,
        _ if outages().any(|outage| outage.restored_s.is_none()) => {
            let remotes = summary
                .plan
                .steps
                .iter()
                .flat_map(|step| &step.jobs)
                .filter_map(|job| job.target.remote());
            let ended = remotes
                .map(|remote| remote.scheme.while_lost())
                .all(|way| way == WhileLost::End);
            Statement::new(match ended {
                true => "connection-lost-until-the-end",
                false => "connection-lost-for-good",
            })
            .part("times", times)
        }
        Some(longest) => Statement::new(match count {
            1 => "connection-lost-once",
            _ => "connection-lost-often",
        })
        .part("times", times)
        .time_ns("time", longest),
        None => return None,
    };
    let evidence = outages()
        .map(|outage| {
            let worker = u64::from(outage.worker) + 1;
            let what = Statement::new("evidence-worker").count("worker", worker);
            rests_on(what, outage.text.clone())
        })
        .take(3)
        .collect();
    Some(sentence(statement, evidence))
}

#[cfg(test)]
mod tests;
