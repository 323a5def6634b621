//! What are the figures of every step: throughput, latencies, kinds of operations, rounds and jobs?

pub(in crate::report) mod cells;
pub(super) mod connections;
mod measured;
pub(super) mod scaling;

use plumb_model::plan::Plan;
use plumb_model::results::summary::{Latency, OperationSummary, StepSummary, Summary, in_order};
use plumb_model::run::imported::ReportedFigure;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use super::tables;
use crate::chart::or_dash;
use crate::escape::escape;
use crate::figure::{Column, Quantity, Table};
use crate::wording::{MISSING, ends_text, stated_text, with_micro_sign};
use cells::{columns, latency_cells, latency_columns, number, percent, seconds, whole, without};

/// Rows up to which the tables of rounds are open.
const OPEN_ROWS: usize = 12;

pub(super) fn section(summary: &Summary, words: Words) -> String {
    if summary.steps.is_empty() {
        return format!("<p>{}</p>\n", escape(&words.label("label-no-step-ran")));
    }
    let mut out = notes(&summary.plan, words);
    let response = latencies(&summary.steps, words, |step| Some(&step.response_ns));
    for (heading, table) in [
        (
            "label-throughput-heading",
            throughput(&summary.steps, words),
        ),
        ("label-response-time-heading", response),
    ] {
        let heading = escape(&words.label(heading));
        out.push_str(&format!("<h3>{heading}</h3>\n{}", tables::html(&table)));
    }
    let kinds = kinds(&summary.steps, words);
    out.push_str(&tables::folded(
        &words.label("label-by-kind-of-operation"),
        &kinds,
        kinds.rows.len() <= OPEN_ROWS,
    ));
    let jobs = jobs(&summary.steps, words);
    out.push_str(&tables::folded(
        &words.label("label-jobs-heading"),
        &jobs,
        jobs.rows.len() <= OPEN_ROWS,
    ));
    out.push_str(&measured::section(&summary.steps, words));
    // In a closed loop both are the same.
    if summary
        .steps
        .iter()
        .any(|step| step.service_ns != step.response_ns)
    {
        out.push_str(&tables::folded(
            &words.label("label-service-time-heading"),
            &latencies(&summary.steps, words, |step| Some(&step.service_ns)),
            false,
        ));
    }
    let lateness = latencies(&summary.steps, words, |step| step.lateness_ns.as_ref());
    out.push_str(&tables::folded(
        &words.label("label-lateness-heading"),
        &lateness,
        false,
    ));
    out.push_str(&tables::folded(
        &words.label("label-cpu-of-the-generator"),
        &cost(&summary.steps, words),
        false,
    ));
    out.push_str(&tables::folded(
        &words.label("label-errors-heading"),
        &errors(&summary.steps, words),
        true,
    ));
    out.push_str(&tables::folded(
        &words.label("label-as-the-program-states-it"),
        &reported(&summary.steps, words),
        true,
    ));
    let rounds = rounds(&summary.steps, words);
    out.push_str(&tables::folded(
        &words.label("label-each-round-by-itself"),
        &rounds,
        rounds.rows.len() <= OPEN_ROWS,
    ));
    out
}

/// What the figures include and exclude.
fn notes(plan: &Plan, words: Words) -> String {
    let items: Vec<String> = plan
        .notes()
        .iter()
        .map(|(name, note)| {
            format!(
                "<li><strong>{}</strong> {}</li>\n",
                escape(name),
                escape(note)
            )
        })
        .collect();
    if items.is_empty() {
        String::new()
    } else {
        format!(
            "<h3>{}</h3>\n<ul class=\"notes\">\n{}</ul>\n",
            escape(&words.label("label-what-the-figures-include")),
            items.concat()
        )
    }
}

/// A count, or a dash if the source of an imported run does not report it.
fn known(count: u64, others: bool) -> String {
    if count == 0 && others {
        MISSING.into()
    } else {
        whole(count)
    }
}

/// Figures stated by the source of an imported run that no other table has.
fn reported(steps: &[StepSummary], words: Words) -> Table {
    let row = |step: &StepSummary, figure: &ReportedFigure| {
        vec![
            step.name.clone(),
            figure.name.clone(),
            with_micro_sign(&stated_text(figure)),
        ]
    };
    Table {
        columns: columns(words, &["label-step", "label-figure"], &["label-value"]),
        rows: steps
            .iter()
            .flat_map(|step| step.reported.iter().map(move |figure| row(step, figure)))
            .collect(),
        note: String::new(),
    }
}

fn throughput(steps: &[StepSummary], words: Words) -> Table {
    let row = |step: &StepSummary| {
        let asked = match (step.requested_rate, step.requested_depth) {
            (Some(rate), _) => format!("{}/s", show_count(rate)),
            (None, depth) => number(depth),
        };
        vec![
            step.name.clone(),
            or_dash(Quantity::OperationsPerSecond, step.total.iops),
            or_dash(Quantity::Bandwidth, step.total.bandwidth_bytes_per_s),
            asked,
            number(step.achieved_depth),
            known(step.total.count, step.total.uncounted),
            whole(step.total.errors),
            seconds(step.duration_s),
            ends_text(&step.ended_by, words),
        ]
    };
    let numbers = [
        "label-operations-per-s",
        "label-bandwidth",
        "label-asked-depth",
        "label-achieved-depth",
        "label-operations",
        "label-errors",
        "label-measured",
    ];
    let mut columns = columns(words, &["label-step"], &numbers);
    columns.push(Column::text(words.label("label-ended-by")));
    let mut rows: Vec<Vec<String>> = steps.iter().map(row).collect();
    let mut notes = vec![Some("label-depth-note")];
    if steps.iter().any(|step| step.flushes().is_some()) {
        columns.insert(2, Column::number(words.label("label-flushes-per-s")));
        for (row, step) in rows.iter_mut().zip(steps) {
            row.insert(
                2,
                or_dash(
                    Quantity::OperationsPerSecond,
                    step.flushes().and_then(|flushes| flushes.iops),
                ),
            );
        }
        notes.push(Some("label-flushes-note"));
    }
    Table {
        columns,
        rows,
        note: words.captions(notes),
    }
}

fn count(value: Option<u64>) -> String {
    number(value.map(|count| count as f64))
}

fn all_switches(step: &StepSummary) -> Option<u64> {
    let (waited, preempted) = (step.cpu.voluntary_switches?, step.cpu.involuntary_switches?);
    Some(waited.saturating_add(preempted))
}

fn cost(steps: &[StepSummary], words: Words) -> Table {
    let row = |step: &StepSummary| {
        vec![
            step.name.clone(),
            percent(step.cpu.user_percent),
            percent(step.cpu.system_percent),
            percent(step.cpu.busiest_worker_percent),
            or_dash(Quantity::Latency, step.cpu.ns_per_operation),
            number(step.cpu.switches_per_operation),
            count(all_switches(step)),
            count(step.cpu.involuntary_switches),
            count(step.cpu.minor_faults),
            count(step.cpu.major_faults),
        ]
    };
    let numbers = [
        "label-user",
        "label-system",
        "label-busiest-worker",
        "label-cpu-time-per-operation",
        "label-switches-per-operation",
        "label-context-switches",
        "label-preemptions",
        "label-minor-faults",
        "label-major-faults",
    ];
    Table {
        columns: columns(words, &["label-step"], &numbers),
        rows: steps.iter().map(row).collect(),
        note: words.label("label-cpu-note"),
    }
}

fn latencies(
    steps: &[StepSummary],
    words: Words,
    which: fn(&StepSummary) -> Option<&Latency>,
) -> Table {
    let row = |step: &StepSummary| {
        let latency = which(step)?;
        Some(
            [
                vec![
                    step.name.clone(),
                    known(latency.count, latency.mean.or(latency.max).is_some()),
                ],
                latency_cells(latency),
            ]
            .concat(),
        )
    };
    let mut columns = columns(words, &["label-step"], &["label-samples"]);
    columns.extend(latency_columns(words));
    let note = words.label("label-percentiles-note");
    Table {
        columns,
        rows: steps.iter().filter_map(row).collect(),
        note,
    }
}

/// The figures of each kind, for steps with several kinds.
fn kinds(steps: &[StepSummary], words: Words) -> Table {
    let row = |step: &StepSummary, kind: &str, operation: &OperationSummary| {
        let head = vec![
            step.name.clone(),
            kind.to_string(),
            or_dash(Quantity::OperationsPerSecond, operation.iops),
            or_dash(Quantity::Bandwidth, operation.bandwidth_bytes_per_s),
            whole(operation.errors),
        ];
        [head, latency_cells(&operation.response_ns)].concat()
    };
    let mixed = steps.iter().filter(|step| step.operations.len() > 1);
    let rows = mixed
        .flat_map(|step| {
            let kinds = step.kinds().into_iter();
            kinds.map(move |(kind, operation)| row(step, kind, operation))
        })
        .collect();
    let mut columns = columns(
        words,
        &["label-step", "label-operation"],
        &["label-operations-per-s", "label-bandwidth", "label-errors"],
    );
    columns.extend(latency_columns(words));
    let table = Table {
        columns,
        rows,
        note: String::new(),
    };
    let some_failed = steps.iter().any(|step| step.total.errors > 0);
    let needless = [(steps.len() == 1, 0), (!some_failed, 4)];
    without(table, &needless)
}

fn errors(steps: &[StepSummary], words: Words) -> Table {
    let mut rows = Vec::new();
    for step in steps {
        for (operation, summary) in &step.operations {
            for (kind, count) in &summary.errors_by_kind {
                rows.push(vec![
                    step.name.clone(),
                    operation.clone(),
                    kind.clone(),
                    whole(*count),
                ]);
            }
        }
    }
    Table {
        columns: columns(
            words,
            &["label-step", "label-operation", "label-error"],
            &["label-count"],
        ),
        rows,
        note: words.label("label-failed-operations-note"),
    }
}

fn jobs(steps: &[StepSummary], words: Words) -> Table {
    let mut rows = Vec::new();
    for step in steps {
        for job in &step.jobs {
            for (kind, operation) in in_order(&job.operations) {
                let head = vec![
                    step.name.clone(),
                    step.job_name(&job.name).to_string(),
                    kind.to_string(),
                    or_dash(Quantity::OperationsPerSecond, operation.iops),
                    or_dash(Quantity::Bandwidth, operation.bandwidth_bytes_per_s),
                    number(job.achieved_depth),
                ];
                rows.push([head, latency_cells(&operation.response_ns)].concat());
            }
        }
    }
    let mut columns = columns(
        words,
        &["label-step", "label-job", "label-operation"],
        &[
            "label-operations-per-s",
            "label-bandwidth",
            "label-achieved-depth",
        ],
    );
    columns.extend(latency_columns(words));
    let table = Table {
        columns,
        rows,
        note: String::new(),
    };
    without(table, &[(steps.len() == 1, 0)])
}

fn rounds(steps: &[StepSummary], words: Words) -> Table {
    let mut rows = Vec::new();
    for step in steps.iter().filter(|step| step.rounds.len() > 1) {
        for round in &step.rounds {
            rows.push(vec![
                step.name.clone(),
                (round.round + 1).to_string(),
                or_dash(Quantity::OperationsPerSecond, round.iops),
                or_dash(Quantity::Bandwidth, round.bandwidth_bytes_per_s),
                known(round.operations, step.total.uncounted),
                whole(round.errors),
                or_dash(Quantity::Latency, round.response_p50_ns),
                or_dash(Quantity::Latency, round.response_p99_ns),
                seconds(round.duration_s),
            ]);
        }
    }
    let numbers = [
        "label-round",
        "label-operations-per-s",
        "label-bandwidth",
        "label-operations",
        "label-errors",
    ];
    let mut columns = columns(words, &["label-step"], &numbers);
    columns.extend(["p50", "p99"].map(Column::number));
    columns.push(Column::number(words.label("label-measured")));
    Table {
        columns,
        rows,
        note: String::new(),
    }
}
