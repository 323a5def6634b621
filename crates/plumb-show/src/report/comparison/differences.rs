//! What differs between the sides: the environment, the work, and the steps that were not compared?

use plumb_model::results::comparison::{Comparison, Difference};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::escape::escape;
use crate::figure::{Column, Table};
use crate::report::tables;
use crate::wording::comparison::{Refused, difference_name, refusals, some_names};
use crate::wording::{fact_text, sentence, with_micro_sign};

/// Number of sides with a column each; with more, sides of equal value are grouped.
const SIDE_COLUMNS: usize = 6;
/// Names of steps that a cell lists.
const STEPS_LISTED: usize = 20;

pub(super) fn section(comparison: &Comparison, words: Words) -> String {
    let heading = |label: &str| format!("<h3>{}</h3>\n", escape(&words.label(label)));
    let mut out = String::new();
    if comparison.environment.is_empty() {
        out.push_str(&format!(
            "<p>{}</p>\n",
            escape(&words.label("label-no-environment-differs"))
        ));
    } else {
        out.push_str(&heading("label-in-the-environment"));
        out.push_str(&tables::html(&table(
            comparison,
            &comparison.environment,
            words,
        )));
    }
    if !comparison.work.is_empty() {
        out.push_str(&heading("label-in-the-work"));
        out.push_str(&tables::html(&table(comparison, &comparison.work, words)));
    }
    let refused = refused(comparison, words);
    out.push_str(&tables::folded(
        &words.label("label-steps-not-compared"),
        &refused,
        refused.rows.len() <= 12,
    ));
    out
}

fn table(comparison: &Comparison, differences: &[Difference], words: Words) -> Table {
    let each = comparison.sides.len() <= SIDE_COLUMNS;
    let mut columns = vec![Column::prose(words.label("label-what"))];
    match each {
        true => columns.extend(
            comparison
                .sides
                .iter()
                .map(|side| Column::prose(format!("{} {}", side.letter, side.label))),
        ),
        false => columns.push(Column::prose(words.label("label-values"))),
    }
    columns.push(Column::prose(words.label("label-only-in")));
    let row = |difference: &Difference| {
        let mut cells = vec![difference_name(difference, words)];
        if each {
            let value = |side: usize| match difference
                .values
                .get(side)
                .cloned()
                .flatten()
                .map(|fact| fact_text(&difference.what, &fact, words))
            {
                None => words.label("label-compared-not-stated"),
                Some(Ok(value)) => with_micro_sign(&value),
                Some(Err(reason)) => {
                    words.sentence(&Statement::new("page-not-known").name("reason", reason))
                }
            };
            cells.extend((0..comparison.sides.len()).map(value));
        } else {
            let values =
                crate::wording::comparison::difference_values(comparison, difference, words);
            cells.push(
                values
                    .iter()
                    .map(|(letters, value)| format!("{letters}: {value}"))
                    .collect::<Vec<_>>()
                    .join("\n"),
            );
        }
        cells.push(steps(&difference.steps, words));
        cells
    };
    Table {
        columns,
        rows: differences.iter().map(row).collect(),
        note: String::new(),
    }
}

fn steps(names: &[String], words: Words) -> String {
    if names.len() <= STEPS_LISTED {
        names.join(", ")
    } else {
        some_names(names, words)
    }
}

fn refused(comparison: &Comparison, words: Words) -> Table {
    let row = |(names, side, reason): Refused<'_>| {
        vec![
            steps(&names, words),
            side.unwrap_or_default().to_string(),
            sentence(reason, words),
        ]
    };
    Table {
        columns: vec![
            Column::prose(words.label("label-steps")),
            Column::text(words.label("label-side")),
            Column::prose(words.label("label-why")),
        ],
        rows: refusals(comparison).into_iter().map(row).collect(),
        note: String::new(),
    }
}
