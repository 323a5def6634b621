//! What was agreed with a share or peer, what did its commands take, and when was the connection lost?

use std::collections::BTreeMap;

use plumb_model::remote::WhileLost;
use plumb_model::summary::{ConnectionSummary, StepSummary, Summary};
use plumb_model::units::show_count;

use super::steps::{LATENCY_TITLES, columns, latency_cells, whole};
use super::tables;
use crate::figure::{Table, clock_text, elapsed_text};

/// Empty for runs on local targets.
pub(super) fn section(summary: &Summary) -> String {
    let mut out = String::new();
    let outages = outages(summary);
    if !outages.rows.is_empty() {
        out.push_str(&format!(
            "<h3>Without a connection</h3>\n{}",
            tables::html(&outages)
        ));
    }
    let agreed = agreed(&summary.steps);
    if !agreed.rows.is_empty() {
        out.push_str(&format!(
            "<h3>What was agreed</h3>\n{}",
            tables::html(&agreed)
        ));
    }
    out.push_str(&tables::folded(
        "Response time by command of the protocol",
        &commands(&summary.steps),
        true,
    ));
    out.push_str(&tables::folded(
        "What the engines counted",
        &numbers(&summary.steps),
        true,
    ));
    out
}

fn counted(steps: &[StepSummary]) -> impl Iterator<Item = (&StepSummary, &ConnectionSummary)> {
    steps
        .iter()
        .filter_map(|step| Some((step, step.connections.as_ref()?)))
}

/// One column for the steps that agreed on the same, a row for each name.
fn agreed(steps: &[StepSummary]) -> Table {
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
            "all steps".into()
        } else {
            steps.join(", ")
        }
    };
    let titles: Vec<String> = variants.iter().map(title).collect();
    let titles: Vec<&str> = std::iter::once("")
        .chain(titles.iter().map(String::as_str))
        .collect();
    let note = "As the first worker of the first round saw it.";
    Table {
        columns: columns(&titles, &[]),
        rows: names.iter().map(row).collect(),
        note: note.into(),
    }
}

fn commands(steps: &[StepSummary]) -> Table {
    let row = |step: &StepSummary, command: &str, latency| {
        [
            vec![step.name.clone(), command.into()],
            latency_cells(latency),
        ]
        .concat()
    };
    let rows = counted(steps).flat_map(|(step, of)| {
        of.commands
            .iter()
            .map(move |(command, latency)| row(step, command, latency))
    });
    let note = "From the sending of the request to the whole answer, as the engine saw each request of the protocol by itself; an operation may need several.";
    Table {
        columns: [
            columns(&["step", "command"], &[]),
            columns(&[], &LATENCY_TITLES),
        ]
        .concat(),
        rows: rows.collect(),
        note: note.into(),
    }
}

fn numbers(steps: &[StepSummary]) -> Table {
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
    let note = "Sums over all workers and rounds; what ends in us or bytes is a mean, what ends in per s the sum over the workers and the mean over the rounds.";
    Table {
        columns: columns(&["step", "what"], &["value"]),
        rows: rows.collect(),
        note: note.into(),
    }
}

fn outages(summary: &Summary) -> Table {
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
                || "not again".into(),
                |restored_s| elapsed_text(restored_s - outage.lost_s),
            );
            let cells = [
                step.name.clone(),
                (outage.worker + 1).to_string(),
                clock_text(outage.lost_s),
                length,
                outage.text.clone(),
            ];
            rows.push(cells.to_vec());
        }
    }
    let said = [
        (
            WhileLost::Wait,
            "Of shares and RDMA peers those that came after waited for the next one, and their response times hold the wait.",
        ),
        (
            WhileLost::Fail,
            "Of TCP peers those that came before the next one failed too: the rate holds the time, the response times do not.",
        ),
        (
            WhileLost::End,
            "A test of iperf3 cannot be resumed: its step ended there.",
        ),
    ];
    let said = said
        .iter()
        .filter(|(way, _)| ways.contains(way))
        .map(|(_, text)| *text);
    let note = std::iter::once("Operations in flight failed with the connection.")
        .chain(said)
        .collect::<Vec<_>>()
        .join(" ");
    Table {
        columns: columns(&["step", "worker", "lost at", "for", "how"], &[]),
        rows,
        note,
    }
}
