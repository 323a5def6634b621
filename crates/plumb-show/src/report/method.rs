//! How was it measured: command, engine, clock, rounds, warm-up, and what happened on the way?

use std::fmt::Write;

use plumb_model::run::{EngineRecord, Event, Note};
use plumb_model::step_end::StepEnd;
use plumb_model::summary::StepSummary;
use plumb_model::units::show_bytes;

use super::tables;
use crate::chart::Subject;
use crate::escape::escape;
use crate::figure::{Column, Quantity, Table, elapsed_text};
use crate::wording::{MISSING, command_text, date_text, origin_text, steady_text};

pub(super) fn section(subject: &Subject) -> String {
    let (header, plan) = (&subject.run.header, &subject.summary.plan);
    let mut facts = Vec::new();
    // The source of an imported run may tell neither.
    if !header.command.is_empty() {
        facts.push((
            "Command",
            format!("<code>{}</code>", escape(&command_text(&header.command))),
        ));
    }
    if !header.started.is_empty() {
        facts.push(("Started", escape(&date_text(&header.started))));
    }
    let imported = header.imported.as_ref();
    facts.push((
        "Program",
        imported.map_or_else(
            || format!("plumb {}", escape(&header.plumb_version)),
            |from| escape(&origin_text(from)),
        ),
    ));
    let order = if imported.is_some() {
        String::new()
    } else {
        format!(", order {}", plan.order)
    };
    facts.push(("Rounds", format!("{}{order}", plan.rounds)));
    if let Some(text) = steady_text(plan) {
        facts.push(("Until steady", escape(&text)));
    }
    let mut seeds: Vec<u64> = plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .filter_map(|job| job.workload.seed)
        .collect();
    seeds.dedup();
    match seeds.as_slice() {
        [] => {}
        [one] => facts.push(("Seed", one.to_string())),
        several => facts.push((
            "Seed",
            format!("{} different ones, see the plan", several.len()),
        )),
    }
    let mut warm_ups: Vec<String> = plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .map(|job| job.workload.warm_up.to_string())
        .collect();
    warm_ups.dedup();
    if imported.is_none() {
        facts.push((
            "Warm-up of each step",
            format!("{}, left out of all figures", escape(&warm_ups.join(", "))),
        ));
    }
    let mut out = String::from("<dl class=\"method\">\n");
    for (what, value) in facts {
        let _ = writeln!(out, "<div><dt>{what}</dt><dd>{value}</dd></div>");
    }
    out.push_str("</dl>\n");
    out.push_str(&tables::folded(
        "Engines as they really ran",
        &engines(&subject.summary.steps),
        true,
    ));
    out.push_str(&tables::folded("What happened", &events(subject), false));
    out
}

/// Each way of running once, with the steps that ran so.
fn engines(steps: &[StepSummary]) -> Table {
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
        let which = match names.as_slice() {
            names if names.len() == steps.len() => "all steps".to_string(),
            [first, second, ..] if names.len() > 6 => {
                format!("{} steps, such as {first} and {second}", names.len())
            }
            names => names.join("; "),
        };
        vec![
            record.name.clone(),
            which,
            list(&record.active),
            list(&record.refused),
            record
                .direct
                .map_or(MISSING, |direct| if direct { "bypassed" } else { "used" })
                .into(),
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
        "engine",
        "steps",
        "in use",
        "wanted and not to be had",
        "page cache",
        "time stamps",
        "batch",
        "target",
        "size",
    ];
    let columns = titles.map(|title| match title {
        "batch" | "size" => Column::number(title),
        "steps" | "in use" | "wanted and not to be had" => Column::prose(title),
        _ => Column::text(title),
    });
    Table {
        columns: columns.to_vec(),
        rows: records.iter().map(row).collect(),
        note: "Time stamps: “batch” reads the clock once before and once after each batch, “each” twice for every operation.".into(),
    }
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
        columns: vec![Column::number("time"), Column::prose("event")],
        rows: subject.run.notes.iter().filter_map(row).collect(),
        note: String::new(),
    }
}

/// `random-read, round 2`: the step that this execution is of.
fn named(subject: &Subject, execution: u32) -> String {
    let started = subject.run.notes.iter().find_map(|note| match note.event {
        Event::ExecutionStarted {
            execution: this,
            step,
            round,
        } if this == execution => Some((step as usize, round)),
        _ => None,
    });
    let steps = &subject.summary.plan.steps;
    let name = |step: usize| steps.get(step).map_or("a step", |step| step.name.as_str());
    started.map_or_else(
        || format!("execution {execution}"),
        |(step, round)| format!("{}, round {}", name(step), round + 1),
    )
}

/// One event in words; `None` for those that say nothing beyond what the page shows elsewhere.
fn event_text(subject: &Subject, event: &Event) -> Option<String> {
    let of_step = |execution: &u32, text: String| Some(named(subject, *execution) + &text);
    match event {
        Event::EngineOpened { .. }
        | Event::EngineClosed { .. }
        | Event::ExecutionStarted { .. }
        | Event::Stated { .. } => None,
        Event::Connection {
            execution,
            worker,
            text,
            ..
        } => of_step(execution, format!(", worker {}: {text}", worker + 1)),
        Event::Prepared {
            path,
            bytes,
            duration_ns,
        } => Some(format!(
            "prepared {path}: wrote {} in {}",
            show_bytes(*bytes as f64),
            Quantity::Latency.text(*duration_ns as f64)
        )),
        Event::ExecutionEnded {
            execution,
            stopped_by,
        } => {
            let end = StepEnd::Stopped(stopped_by.clone());
            of_step(execution, format!(" ended by {}", end.text()))
        }
        Event::ExecutionFailed { execution, error } => {
            of_step(execution, format!(" failed: {error}"))
        }
        Event::Mismatch { execution, .. }
        | Event::FirstError { execution, .. }
        | Event::WriteBackFailed { execution, .. } => {
            of_step(execution, format!(": {}", failure_text(event)?))
        }
        Event::Warning { text } => Some(text.clone()),
        Event::Ceiling {
            execution,
            operations_per_s,
            ..
        } => {
            let reached = Quantity::OperationsPerSecond.text(*operations_per_s);
            let text = format!(": the generator alone (null engine) reaches {reached} here");
            of_step(execution, text)
        }
        Event::Finished { interrupted: true } => {
            Some("ended early, by a signal or for lack of memory".into())
        }
        Event::Finished { interrupted: false } => Some("finished".into()),
    }
}

/// An operation or a block that failed, in words.
fn failure_text(event: &Event) -> Option<String> {
    match event {
        Event::Mismatch {
            path,
            offset,
            block_bytes,
            explanation,
            hex_window,
            ..
        } => Some(format!(
            "the block of {block_bytes} bytes at offset {offset} of {path} is not what was written: {explanation}\n{hex_window}"
        )),
        Event::FirstError {
            kind,
            error,
            path,
            offset,
            ..
        } => Some(format!(
            "first {error} of a {kind} {}",
            kind.place(*offset, path)
        )),
        Event::WriteBackFailed { failure, .. } => Some(format!(
            "{} of {} failed with {} after the writes were acknowledged: data was lost",
            failure.call, failure.path, failure.error
        )),
        _ => None,
    }
}
