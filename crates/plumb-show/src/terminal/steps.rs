//! How are steps printed? One line with the figures of each, failures, and figures stated by an imported run.

mod details;
mod lines;
mod refusals;
mod requests;

use plumb_model::results::series::Matrix;
use plumb_model::results::summary::{StepSummary, Summary};
use plumb_model::run::step_end::StepEnd;
use plumb_model::statement::Statement;
use plumb_words::numbers::show_count;
use plumb_words::{Words, is_label};

use super::layout::{Cells, wrapped};
use super::{Page, Tone, pairs_text};
use crate::chart::or_dash;
use crate::figure::{Quantity, percent_text};
use crate::wording::{MISSING, ends_text, stated_text, with_micro_sign};
use lines::{StepLine, lines_of};

/// A column of the table of steps: title or its label, and the text of a line's figure.
type StepColumn = (&'static str, fn(&StepLine<'_>) -> String);

/// In table order; the least important (by `importance`) are left out first on a narrow terminal.
const STEP_COLUMNS: [StepColumn; 11] = [
    ("label-ops-per-s", |line| {
        line.figures.iops.map_or(MISSING.into(), show_count)
    }),
    ("label-bandwidth", |line| {
        or_dash(Quantity::Bandwidth, line.figures.bandwidth_bytes_per_s)
    }),
    ("label-depth", |line| {
        line.whole.map_or_else(String::new, |step| {
            step.achieved_depth.map_or(MISSING.into(), show_count)
        })
    }),
    ("label-mean", |line| {
        or_dash(Quantity::Latency, line.response.mean)
    }),
    ("p50", |line| or_dash(Quantity::Latency, line.response.p50)),
    ("p99", |line| or_dash(Quantity::Latency, line.response.p99)),
    ("p99.9", |line| {
        or_dash(Quantity::Latency, line.response.p99_9)
    }),
    ("p99.99", |line| {
        or_dash(Quantity::Latency, line.response.p99_99)
    }),
    ("label-max", |line| {
        or_dash(Quantity::Latency, line.response.max)
    }),
    ("label-cpu", |line| {
        line.whole.map_or_else(String::new, |step| {
            match (step.cpu.user_percent, step.cpu.system_percent) {
                (Some(user), Some(system)) => percent_text(user + system),
                _ => MISSING.into(),
            }
        })
    }),
    ("label-errors", |line| {
        show_count(line.figures.errors as f64)
    }),
];

/// The heading of a column: percentiles are written the same everywhere.
fn headed(title: &str, words: Words) -> String {
    if is_label(title) {
        words.label(title)
    } else {
        title.to_string()
    }
}

/// Most stated figures of an imported run shown.
const STATED_MAX: usize = 24;

/// Titles of the columns, from the one left out first.
const LEAST_IMPORTANT: [&str; 8] = [
    "p99.99",
    "label-mean",
    "p99.9",
    "label-cpu",
    "label-max",
    "label-depth",
    "p99",
    "label-bandwidth",
];

/// Number of steps from which those in a matrix are left out of the table.
const LINES_MAX: usize = 40;

/// The steps that the table shows besides these matrices.
fn tabled<'a>(summary: &'a Summary, matrices: &[Matrix]) -> Vec<&'a StepSummary> {
    let in_matrix = |step: &StepSummary| {
        matrices
            .iter()
            .flat_map(|matrix| matrix.cells.iter().flatten().flatten())
            .any(|cell| cell.step == step.step)
    };
    // Failures are listed line by line.
    let shown = |step: &&StepSummary| {
        summary.steps.len() <= LINES_MAX || step.total.errors > 0 || !in_matrix(step)
    };
    summary.steps.iter().filter(shown).collect()
}

/// One aligned line per step, with one per kind of operation below it if there are several; columns that do not fit are left out, least important first. Of many steps, those in a matrix
/// are left out.
pub fn summary_table(summary: &Summary, matrices: &[Matrix], page: Page) -> String {
    let steps = tabled(summary, matrices);
    let any_errors = steps.iter().any(|step| step.total.errors > 0);
    let mut columns: Vec<StepColumn> = STEP_COLUMNS
        .iter()
        .copied()
        .filter(|(title, _)| *title != "label-errors" || any_errors)
        .collect();
    let lines: Vec<StepLine<'_>> = steps.iter().copied().flat_map(lines_of).collect();
    let cells = |columns: &[StepColumn]| {
        let head = std::iter::once(page.words.label("label-step"))
            .chain(columns.iter().map(|(title, _)| headed(title, page.words)))
            .collect();
        let row = |line: &StepLine<'_>| {
            std::iter::once(line.name.clone())
                .chain(columns.iter().map(|(_, text)| text(line)))
                .collect()
        };
        Cells(std::iter::once(head).chain(lines.iter().map(row)).collect())
    };
    let mut table = cells(&columns);
    for title in LEAST_IMPORTANT {
        if table.width() <= page.width {
            break;
        }
        columns.retain(|(other, _)| *other != title);
        table = cells(&columns);
    }
    let texts = if steps.is_empty() {
        Vec::new()
    } else {
        table.lines(page.width)
    };
    toned(texts, &lines, page)
        + &details::details(&steps, page)
        + &requests::requests(&steps, page)
        + &refusals::refusals(&steps, page)
        + &failed_steps(summary, page)
        + &stated_figures(summary, page)
}

/// The lines of the table: the head in quiet style, failed operations in severe style.
fn toned(texts: Vec<String>, lines: &[StepLine<'_>], page: Page) -> String {
    let mut out = String::new();
    for (row, line) in texts.into_iter().enumerate() {
        let failed = row > 0
            && lines
                .get(row - 1)
                .is_some_and(|line| line.figures.errors > 0);
        let line = match row {
            0 => page.tone(Tone::Quiet, &line),
            _ if failed => page.tone(Tone::Severe, &line),
            _ => line,
        };
        out += &line;
        out.push('\n');
    }
    out
}

/// Steps that could not run, with reasons; of steps with the same end, only the first.
fn failed_steps(summary: &Summary, page: Page) -> String {
    let mut out = String::new();
    let mut told: Vec<&[StepEnd]> = Vec::new();
    for step in summary
        .steps
        .iter()
        .filter(|step| step.failures().next().is_some())
    {
        if told.contains(&step.ended_by.as_slice()) {
            continue;
        }
        told.push(&step.ended_by);
        let more = summary
            .steps
            .iter()
            .filter(|other| other.ended_by == step.ended_by)
            .count()
            - 1;
        let name = if more > 0 {
            Statement::new("terminal-and-more")
                .name("step", &step.name)
                .count("count", more as u64)
        } else {
            Statement::verbatim(&step.name)
        };
        let statement = Statement::new("terminal-step-ended")
            .part("step", name)
            .name("reason", ends_text(&step.ended_by, page.words));
        out += &page.tone(
            Tone::Severe,
            &wrapped(&page.words.sentence(&statement), "", "  ", page.width),
        );
    }
    out
}

/// The figures stated by the source of an imported run that the table does not have; of many, the first.
fn stated_figures(summary: &Summary, page: Page) -> String {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let all: usize = summary.steps.iter().map(|step| step.reported.len()).sum();
    for step in &summary.steps {
        let name = if summary.steps.len() > 1 {
            format!("{}: ", step.name)
        } else {
            String::new()
        };
        let shown = STATED_MAX - pairs.len();
        pairs.extend(step.reported.iter().take(shown).map(|figure| {
            (
                format!("{name}{}", figure.name),
                with_micro_sign(&stated_text(figure)),
            )
        }));
    }
    if all > pairs.len() {
        pairs.push((
            "...".into(),
            page.words.sentence(
                &Statement::new("terminal-more-in-the-report")
                    .count("count", (all - pairs.len()) as u64),
            ),
        ));
    }
    if pairs.is_empty() {
        String::new()
    } else {
        format!(
            "\n{}",
            pairs_text(
                &page.words.label("label-as-the-program-states-it"),
                &pairs,
                page
            )
        )
    }
}
