//! What was negotiated with a share or peer, how long did its commands take, and when was the connection lost?

use std::collections::BTreeMap;

use plumb_model::results::summary::{
    ConnectionSummary, Latency, StageSummary, StepSummary, Summary,
};
use plumb_model::run::PathAccount;
use plumb_model::target::remote::WhileLost;
use plumb_words::Words;
use plumb_words::numbers::{show_bytes, show_count};

use super::cells::{columns, latency_cells, latency_columns, whole, without};
use crate::chart::or_dash;
use crate::escape::escape;
use crate::figure::{Column, Quantity, Table, clock_text, elapsed_text, percent_text};
use crate::report::tables;

/// Empty for runs on local targets.
pub(in crate::report) fn section(summary: &Summary, words: Words) -> String {
    let mut out = String::new();
    let outages = outages(summary, words);
    if !outages.rows.is_empty() {
        out.push_str(&format!(
            "<h3>{}</h3>\n{}",
            escape(&words.label("label-without-a-connection")),
            tables::html(&outages)
        ));
    }
    let agreed = agreed(&summary.steps, words);
    if !agreed.rows.is_empty() {
        out.push_str(&format!(
            "<h3>{}</h3>\n{}",
            escape(&words.label("label-what-was-agreed")),
            tables::html(&agreed)
        ));
    }
    let paths = paths(&summary.steps, words);
    if !paths.rows.is_empty() {
        out.push_str(&format!(
            "<h3>{}</h3>\n{}",
            escape(&words.label("label-bytes-by-path")),
            tables::html(&paths)
        ));
    }
    out.push_str(&tables::folded(
        &words.label("label-time-by-command"),
        &commands(&summary.steps, words),
        true,
    ));
    out.push_str(&tables::folded(
        &words.label("label-what-the-engines-counted"),
        &numbers(&summary.steps, words),
        true,
    ));
    out
}

fn counted(steps: &[StepSummary]) -> impl Iterator<Item = (&StepSummary, &ConnectionSummary)> {
    steps
        .iter()
        .filter_map(|step| Some((step, step.connections.as_ref()?)))
}

/// One column per distinct set of negotiated values, one row per name.
fn agreed(steps: &[StepSummary], words: Words) -> Table {
    let mut variants: Vec<(&BTreeMap<String, String>, Vec<&str>)> = Vec::new();
    for step in steps {
        let Some(connection) = step
            .engine_record
            .as_ref()
            .map(|record| &record.connection)
            .filter(|agreed| !agreed.is_empty())
        else {
            continue;
        };
        match variants.iter_mut().find(|(known, _)| *known == connection) {
            Some((_, names)) => names.push(&step.name),
            None => variants.push((connection, vec![&step.name])),
        }
    }
    let mut names: Vec<&String> = variants
        .iter()
        .flat_map(|(agreed, _)| agreed.keys())
        .collect();
    names.sort();
    names.dedup();
    let row = |name: &&String| {
        let values = variants
            .iter()
            .map(|(agreed, _)| agreed.get(*name).cloned().unwrap_or_default());
        std::iter::once(name.replace('_', " "))
            .chain(values)
            .collect()
    };
    let title = |(_, steps): &(&BTreeMap<String, String>, Vec<&str>)| {
        if variants.len() == 1 {
            words.label("label-all-steps")
        } else {
            steps.join(", ")
        }
    };
    let titles = std::iter::once(String::new()).chain(variants.iter().map(title));
    Table {
        columns: titles.map(Column::text).collect(),
        rows: names.iter().map(row).collect(),
        note: words.label("label-agreed-note"),
    }
}

/// The bytes of each pair of addresses, and its share of the total.
fn paths(steps: &[StepSummary], words: Words) -> Table {
    let bytes = |path: &PathAccount| path.sent_bytes.saturating_add(path.received_bytes) as f64;
    let rows = counted(steps).flat_map(|(step, of)| {
        let all: f64 = of.paths.iter().map(bytes).sum();
        of.paths.iter().map(move |path| {
            vec![
                step.name.clone(),
                path.client.clone(),
                path.server.clone(),
                whole(u64::from(path.connections)),
                show_bytes(path.received_bytes as f64),
                show_bytes(path.sent_bytes as f64),
                percent_text(100.0 * bytes(path) / all.max(1.0)),
            ]
        })
    });
    let texts = ["label-step", "label-client-address", "label-server-address"];
    let numbers = [
        "label-connections",
        "label-received",
        "label-sent",
        "label-part-of-bytes",
    ];
    Table {
        columns: columns(words, &texts, &numbers),
        rows: rows.collect(),
        note: words.label("label-paths-note"),
    }
}

fn commands(steps: &[StepSummary], words: Words) -> Table {
    let stage =
        |latency: Option<&Latency>| or_dash(Quantity::Latency, latency.and_then(|of| of.p50));
    let row = |step: &StepSummary, of: &ConnectionSummary, command: &str, latency: &Latency| {
        let stages = of.stages.get(command);
        [
            vec![step.name.clone(), command.into()],
            vec![
                stage(stages.and_then(|of| of.send_queue_ns.as_ref())),
                stage(stages.and_then(|of| of.wake_up_ns.as_ref())),
            ],
            latency_cells(latency),
        ]
        .concat()
    };
    let rows = counted(steps).flat_map(|(step, of)| {
        of.commands
            .iter()
            .map(move |(command, latency)| row(step, of, command, latency))
    });
    let texts = ["label-step", "label-protocol-command"];
    let mut columns = columns(words, &texts, &["label-send-queue", "label-wake-up"]);
    columns.extend(latency_columns(words));
    let any = |of: fn(&StageSummary) -> bool| {
        counted(steps).any(|(_, connections)| connections.stages.values().any(of))
    };
    let (queued, woken) = (
        any(|of| of.send_queue_ns.is_some()),
        any(|of| of.wake_up_ns.is_some()),
    );
    let notes = [
        Some("label-commands-note"),
        queued.then_some("label-send-queue-note"),
        woken.then_some("label-wake-up-note"),
    ];
    let table = Table {
        columns,
        rows: rows.collect(),
        note: words.captions(notes),
    };
    without(table, &[(!queued, 2), (!woken, 3)])
}

fn numbers(steps: &[StepSummary], words: Words) -> Table {
    let row = |step: &StepSummary, name: &str, number: f64| {
        let text = if number.fract() == 0.0 && number.abs() < 1e15 {
            whole(number as u64)
        } else {
            show_count(number)
        };
        vec![step.name.clone(), name.replace('_', " "), text]
    };
    let rows = counted(steps).flat_map(|(step, of)| {
        of.numbers
            .iter()
            .map(move |(name, number)| row(step, name, *number))
    });
    Table {
        columns: columns(words, &["label-step", "label-what"], &["label-value"]),
        rows: rows.collect(),
        note: words.label("label-counted-note"),
    }
}

fn outages(summary: &Summary, words: Words) -> Table {
    let mut rows = Vec::new();
    let mut ways = Vec::new();
    for (step, of) in counted(&summary.steps).filter(|(_, of)| !of.outages.is_empty()) {
        let jobs = summary
            .plan
            .steps
            .get(step.step as usize)
            .map_or(&[][..], |planned| &planned.jobs);
        ways.extend(
            jobs.iter()
                .filter_map(|job| job.target.remote())
                .map(|remote| remote.scheme.while_lost()),
        );
        for outage in &of.outages {
            let length = outage.restored_s.map_or_else(
                || words.label("label-not-again"),
                |restored_s| elapsed_text(restored_s - outage.lost_s),
            );
            let cells = [
                step.name.clone(),
                (outage.worker + 1).to_string(),
                clock_text(outage.lost_s),
                length,
                words.sentence(&outage.text),
            ];
            rows.push(cells.to_vec());
        }
    }
    let labels = [
        (WhileLost::Wait, "label-lost-waits"),
        (WhileLost::Fail, "label-lost-fails"),
        (WhileLost::End, "label-lost-ends"),
    ];
    let labels = labels
        .iter()
        .filter(|(way, _)| ways.contains(way))
        .map(|(_, label)| Some(*label));
    let note = words.captions(std::iter::once(Some("label-lost-note")).chain(labels));
    Table {
        columns: columns(
            words,
            &[
                "label-step",
                "label-worker",
                "label-lost-at",
                "label-lost-for",
                "label-lost-how",
            ],
            &[],
        ),
        rows,
        note,
    }
}
