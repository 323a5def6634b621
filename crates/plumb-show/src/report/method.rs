//! How was it measured: command, engine, clock, rounds, warm-up, and what happened on the way?

use std::fmt::Write;

use plumb_model::results::summary::StepSummary;
use plumb_model::run::step_end::StepEnd;
use plumb_model::run::{EngineRecord, Event, Note};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_bytes;

use super::tables;
use crate::chart::Subject;
use crate::escape::escape;
use crate::figure::{Column, ColumnKind, Quantity, Table, elapsed_text};
use crate::wording::{MISSING, command_text, date_text, origin_text, steady_text, with_micro_sign};

pub(super) fn section(subject: &Subject) -> String {
    let words = subject.words;
    let mut out = String::from("<dl class=\"method\">\n");
    for (what, value) in provenance(subject).into_iter().chain(repetition(subject)) {
        let _ = writeln!(
            out,
            "<div><dt>{}</dt><dd>{value}</dd></div>",
            escape(&words.label(what))
        );
    }
    out.push_str("</dl>\n");
    out.push_str(&tables::folded(
        &words.label("label-engines-heading"),
        &engines(&subject.summary.steps, words),
        true,
    ));
    out.push_str(&tables::folded(
        &words.label("label-what-happened"),
        &events(subject),
        false,
    ));
    out
}

/// A fact of the method: the label of its name, and its value as HTML.
type MethodFact = (&'static str, String);

/// Program, time and command. The source of an imported run may have neither command nor time.
fn provenance(subject: &Subject) -> Vec<MethodFact> {
    let header = &subject.run.header;
    let mut facts = Vec::new();
    if !header.command.is_empty() {
        let command = escape(&command_text(&header.command));
        facts.push(("label-command", format!("<code>{command}</code>")));
    }
    if !header.started.is_empty() {
        facts.push(("label-started", escape(&date_text(&header.started))));
    }
    let program = header.imported.as_ref().map_or_else(
        || format!("plumb {}", header.plumb_version),
        |from| origin_text(from, subject.words),
    );
    facts.push(("label-program", escape(&program)));
    facts
}

/// Rounds, order, seeds, and what was left out.
fn repetition(subject: &Subject) -> Vec<MethodFact> {
    let (plan, words) = (&subject.summary.plan, subject.words);
    let imported = subject.run.header.imported.is_some();
    let mut facts = Vec::new();
    let order = if imported {
        plan.rounds.to_string()
    } else {
        let told = Statement::new("page-rounds-in-order")
            .count("rounds", plan.rounds.into())
            .name("order", plan.order.to_string());
        words.sentence(&told)
    };
    facts.push(("label-rounds-heading", escape(&order)));
    if let Some(text) = steady_text(plan, words) {
        facts.push(("label-until-steady", escape(&text)));
    }
    let jobs = || plan.steps.iter().flat_map(|step| &step.jobs);
    let mut seeds: Vec<u64> = jobs().filter_map(|job| job.workload.seed).collect();
    seeds.dedup();
    let seed = match seeds.as_slice() {
        [] => None,
        [one] => Some(one.to_string()),
        several => {
            let told = Statement::new("page-several-seeds").count("count", several.len() as u64);
            Some(words.sentence(&told))
        }
    };
    facts.extend(seed.map(|seed| ("label-seed", escape(&seed))));
    let mut warm_ups: Vec<String> = jobs().map(|job| job.workload.warm_up.to_string()).collect();
    warm_ups.dedup();
    if !imported {
        let told = Statement::new("page-warm-up").name("times", warm_ups.join(", "));
        facts.push(("label-warm-up-of-each-step", escape(&words.sentence(&told))));
    }
    facts
}

/// Each distinct engine configuration once, with its steps.
fn engines(steps: &[StepSummary], words: Words) -> Table {
    let mut records: Vec<(&EngineRecord, Vec<&str>)> = Vec::new();
    for step in steps {
        let Some(record) = &step.engine_record else {
            continue;
        };
        match records.iter_mut().find(|(known, _)| *known == record) {
            Some((_, names)) => names.push(&step.name),
            None => records.push((record, vec![&step.name])),
        }
    }
    let row = |(record, names): &(&EngineRecord, Vec<&str>)| {
        vec![
            record.name.clone(),
            which_steps(names, steps.len(), words),
            list(&record.active),
            list(&sentences(&record.refused, words)),
            record.direct.map_or_else(
                || MISSING.into(),
                |direct| {
                    words.label(if direct {
                        "label-bypassed"
                    } else {
                        "label-used"
                    })
                },
            ),
            if record.stamping.is_empty() {
                MISSING.into()
            } else {
                format!("{}, {}", record.stamping, record.clock)
            },
            if record.batch == 0 {
                MISSING.into()
            } else {
                record.batch.to_string()
            },
            record.target.clone(),
            if record.size_bytes == 0 {
                MISSING.into()
            } else {
                show_bytes(record.size_bytes as f64)
            },
        ]
    };
    let titles = [
        ("label-engine", ColumnKind::Text),
        ("label-steps", ColumnKind::Prose),
        ("label-in-use", ColumnKind::Prose),
        ("label-wanted-and-not-to-be-had", ColumnKind::Prose),
        ("label-page-cache", ColumnKind::Text),
        ("label-time-stamps", ColumnKind::Text),
        ("label-batch", ColumnKind::Number),
        ("label-target", ColumnKind::Text),
        ("label-size", ColumnKind::Number),
    ];
    let columns = titles.map(|(label, kind)| Column {
        title: words.label(label),
        kind,
    });
    Table {
        columns: columns.to_vec(),
        rows: records.iter().map(row).collect(),
        note: words.label("label-time-stamps-note"),
    }
}

/// The names of these steps out of `all`; if many, the first.
fn which_steps(names: &[&str], all: usize, words: Words) -> String {
    match names {
        names if names.len() == all => words.label("label-all-steps"),
        [first, second, ..] if names.len() > 6 => {
            let told = Statement::new("page-steps-such-as")
                .count("count", names.len() as u64)
                .name("first", *first)
                .name("second", *second);
            words.sentence(&told)
        }
        names => names.join("; "),
    }
}

fn sentences(statements: &[Statement], words: Words) -> Vec<String> {
    let told = statements.iter();
    told.map(|statement| with_micro_sign(&words.sentence(statement)))
        .collect()
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        MISSING.into()
    } else {
        items.join(", ")
    }
}

fn events(subject: &Subject) -> Table {
    let row = |note: &Note| {
        Some(vec![
            elapsed_text(note.time_ns as f64 / 1e9),
            event_text(subject, &note.event)?,
        ])
    };
    Table {
        columns: vec![
            Column::number(subject.words.label("label-time")),
            Column::prose(subject.words.label("label-event")),
        ],
        rows: subject.run.notes.iter().filter_map(row).collect(),
        note: String::new(),
    }
}

/// `random-read, round 2`: the step of this execution.
fn named(subject: &Subject, execution: u32) -> Statement {
    let started = subject.run.notes.iter().find_map(|note| match note.event {
        Event::ExecutionStarted {
            execution: this,
            step,
            round,
        } if this == execution => Some((step as usize, round)),
        _ => None,
    });
    let steps = &subject.summary.plan.steps;
    let planned = started.and_then(|(step, round)| Some((steps.get(step)?, round)));
    match planned {
        Some((step, round)) => Statement::new("page-round-of-step")
            .name("step", &step.name)
            .count("round", u64::from(round) + 1),
        None => Statement::new("page-execution").count("number", u64::from(execution)),
    }
}

/// The sentence of an event; `None` if the page shows it elsewhere.
fn event_text(subject: &Subject, event: &Event) -> Option<String> {
    let words = subject.words;
    let statement = match event {
        Event::EngineOpened { .. }
        | Event::EngineClosed { .. }
        | Event::WorkerEnded { .. }
        | Event::ExecutionStarted { .. }
        | Event::CommandEnded { .. }
        | Event::Watched { .. }
        | Event::RankEnded { .. }
        | Event::Reported { .. } => return None,
        Event::Warning { text } => return Some(words.sentence(text)),
        Event::Finished { interrupted: true } => {
            return Some(words.label("label-event-ended-early"));
        }
        Event::Finished { interrupted: false } => return Some(words.label("label-event-finished")),
        Event::RankLost {
            rank, host, why, ..
        } => Statement::new("live-rank-lost")
            .name("rank", rank.to_string())
            .name("host", host)
            .part("why", why.clone()),
        Event::Prepared {
            path,
            bytes,
            duration_ns,
        } => Statement::new("page-event-prepared")
            .name("path", path)
            .bytes("size", *bytes as f64)
            .name("time", Quantity::Latency.text(*duration_ns as f64)),
        Event::Connection {
            execution,
            worker,
            text,
            ..
        } => Statement::new("page-event-worker")
            .part("subject", named(subject, *execution))
            .count("worker", u64::from(*worker) + 1)
            .part("text", text.clone()),
        Event::ExecutionEnded {
            execution,
            stopped_by,
        } => Statement::new("page-event-ended")
            .part("subject", named(subject, *execution))
            .part("reason", StepEnd::Stopped(stopped_by.clone()).statement()),
        Event::ExecutionFailed { execution, error } => Statement::new("page-event-failed")
            .part("subject", named(subject, *execution))
            .part("error", error.clone()),
        Event::Ceiling {
            execution,
            operations_per_s,
            ..
        } => Statement::new("page-event-ceiling")
            .part("subject", named(subject, *execution))
            .name(
                "rate",
                Quantity::OperationsPerSecond.text(*operations_per_s),
            ),
        Event::Mismatch { .. } | Event::FirstError { .. } | Event::WriteBackFailed { .. } => {
            return failure_text(subject, event);
        }
    };
    Some(words.sentence(&statement))
}

/// The sentence of a failed operation or block.
fn failure_text(subject: &Subject, event: &Event) -> Option<String> {
    let words = subject.words;
    let statement = match event {
        Event::Mismatch {
            execution,
            path,
            offset,
            block_bytes,
            explanation,
            hex_window,
            ..
        } => {
            let statement = Statement::new("page-event-mismatch")
                .part("subject", named(subject, *execution))
                .name("bytes", block_bytes.to_string())
                .name("offset", offset.to_string())
                .name("path", path)
                .part("explanation", explanation.clone());
            return Some(format!("{}\n{hex_window}", words.sentence(&statement)));
        }
        Event::FirstError {
            execution,
            kind,
            error,
            path,
            offset,
            ..
        } => Statement::new("page-event-first-error")
            .part("subject", named(subject, *execution))
            .name("error", error.to_string())
            .name("kind", kind.to_string())
            .name("place", kind.place(*offset, path)),
        Event::WriteBackFailed {
            execution, failure, ..
        } => Statement::new("page-event-write-back")
            .part("subject", named(subject, *execution))
            .name("call", failure.call.to_string())
            .name("path", &failure.path)
            .name("error", failure.error.to_string()),
        _ => return None,
    };
    Some(words.sentence(&statement))
}
