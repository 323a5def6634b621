//! How large and how certain is each difference? The ratio of every figure with its interval, and the band that counts as the same.

use plumb_model::results::comparison::{Comparison, Verdict};
use plumb_words::Words;

use crate::comparison_chart::{
    ComparisonChart, ComparisonSubject, cell_name, ratio_axis, row_names, rows_axis,
};
use crate::figure::{Column, Figure, Mark, Naming, RowValue, Shape, Table};
use crate::tables::comparison_rows::{CellRow, Rows, all, most_telling};
use crate::wording::comparison::{
    change_text, figure_name, interval_text, letter, value_text, verdict_mark,
};
use plumb_model::statement::Statement;

pub const CHART: ComparisonChart = ComparisonChart {
    name: "effects",
    question: "How large is each difference, and how sure is it?",
    figures,
};

/// Rows per figure.
const ROWS: usize = 72;
/// An interval is cut at this factor beyond the outermost ratios: a very wide one must not flatten all others.
const BEYOND: f64 = 1.5;

fn figures(subject: &ComparisonSubject) -> Vec<Figure> {
    let comparison = subject.comparison;
    let rows = most_telling(all(comparison).filter(|row| ratio(row).is_some()), ROWS);
    if rows.shown.is_empty() {
        return Vec::new();
    }
    let several = comparison.sides.len() > 2;
    let name = |row: &CellRow| match several {
        true => format!(
            "{} {}",
            figure_name(row.cell),
            letter(comparison, row.effect.side as usize)
        ),
        false => figure_name(row.cell),
    };
    let named: Vec<(&str, String)> = rows
        .shown
        .iter()
        .map(|row| (row.cell.step.as_str(), name(row)))
        .collect();
    let (names, rules) = row_names(&named);
    let (x, [band, line]) = ratio_axis(comparison, axis_label(comparison, subject.words));
    let mut marks = vec![band];
    marks.extend(rules);
    marks.push(line);
    marks.extend(
        [
            Verdict::Worse,
            Verdict::Better,
            Verdict::Same,
            Verdict::Undecided,
        ]
        .into_iter()
        .filter_map(|verdict| of_verdict(&rows.shown, verdict, subject.words)),
    );
    vec![Figure {
        name: CHART.name,
        title: subject.words.label("label-compared-every-difference"),
        caption: caption(comparison, &rows, subject.words),
        x,
        y: rows_axis(names),
        marks,
        naming: Naming::Legend,
        alternative: alternative(&rows.shown, subject.words),
        table: table(comparison, &rows.shown, subject.words),
    }]
}

/// The ratio of a row, if a logarithmic axis can show it.
fn ratio(row: &CellRow) -> Option<f64> {
    row.effect
        .ratio
        .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

fn axis_label(comparison: &Comparison, words: Words) -> String {
    let side = match comparison.sides.as_slice() {
        [_, b] => Some(b.letter.as_str()),
        _ => None,
    };
    let statement = Statement::new(match side {
        Some(_) => "compared-side-divided-by",
        None => "compared-divided-by",
    })
    .name("side", side.unwrap_or_default())
    .name("baseline", letter(comparison, 0));
    words.sentence(&statement)
}

/// The color of a verdict, unrelated to the colors of sides: a figure of effects draws no sides.
fn hue(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Better => 2,
        Verdict::Worse => 1,
        Verdict::Same => 5,
        Verdict::Undecided => 4,
    }
}

/// All rows of one verdict as one mark; `None` if there are none.
fn of_verdict(rows: &[CellRow], verdict: Verdict, words: Words) -> Option<Mark> {
    let ratios = || rows.iter().filter_map(ratio);
    let (lowest, highest) = (
        ratios().fold(1.0, f64::min) / BEYOND,
        ratios().fold(1.0, f64::max) * BEYOND,
    );
    let value = |(place, row): (usize, &CellRow)| {
        if row.effect.verdict != verdict {
            return None;
        }
        let (change, interval) = (
            change_text(row.effect, words),
            interval_text(row.effect, words),
        );
        Some(RowValue {
            row: place,
            value: ratio(row)?,
            shift: 0.5,
            range: row
                .effect
                .interval
                .filter(|(low, high)| low.is_finite() && high.is_finite())
                .map(|(low, high)| (low.max(lowest), high.min(highest))),
            text: format!(
                "{} {}",
                verdict_mark(verdict, words)
                    .split(' ')
                    .next()
                    .unwrap_or_default(),
                change
            ),
            hover: format!(
                "{}: {change} ({interval}), {}",
                cell_name(row.cell),
                verdict_mark(verdict, words)
            ),
        })
    };
    let values: Vec<RowValue> = rows.iter().enumerate().filter_map(value).collect();
    let shape = if verdict == Verdict::Undecided {
        Shape::Ring
    } else {
        Shape::Dot
    };
    (!values.is_empty()).then(|| Mark::Rows {
        name: verdict_mark(verdict, words),
        hue: hue(verdict),
        shape,
        lane: 0,
        lanes: 1,
        values,
    })
}

fn caption(comparison: &Comparison, rows: &Rows, words: Words) -> String {
    let baseline = letter(comparison, 0);
    let left_out = rows.decided_left_out + rows.others_left_out;
    let largest = Statement::new("compared-largest-decided-first")
        .count("shown", rows.shown.len() as u64)
        .count("all", (rows.shown.len() + left_out) as u64);
    let dots = Statement::new("compared-effects-caption").name("baseline", baseline);
    words.sentences([
        Some(words.sentence(&dots)),
        (left_out > 0).then(|| words.sentence(&largest)),
    ])
}

fn alternative(rows: &[CellRow], words: Words) -> String {
    let one = |row: &CellRow| {
        format!(
            "{}: {} ({}), {}.",
            cell_name(row.cell),
            change_text(row.effect, words),
            interval_text(row.effect, words),
            verdict_mark(row.effect.verdict, words)
        )
    };
    rows.iter()
        .filter(|row| row.is_decided())
        .take(12)
        .map(one)
        .chain([words.sentence(
            &Statement::new("compared-figures-in-all").count("figures", rows.len() as u64),
        )])
        .collect::<Vec<_>>()
        .join(" ")
}

fn table(comparison: &Comparison, rows: &[CellRow], words: Words) -> Table {
    let row = |row: &CellRow| {
        let side = row.effect.side as usize;
        let value = |side: usize| {
            value_text(
                &row.cell.unit,
                row.cell.sides.get(side).and_then(|side| side.value),
            )
        };
        vec![
            row.cell.step.clone(),
            figure_name(row.cell),
            letter(comparison, side).to_string(),
            value(0),
            value(side),
            change_text(row.effect, words),
            interval_text(row.effect, words),
            verdict_mark(row.effect.verdict, words),
        ]
    };
    let baseline = letter(comparison, 0);
    let columns = vec![
        Column::text(words.label("label-step")),
        Column::text(words.label("label-figure")),
        Column::text(words.label("label-side")),
        Column::number(baseline),
        Column::number(words.label("label-value")),
        Column::number(words.label("label-change")),
        Column::number(words.label("label-interval")),
        Column::text(words.label("label-compared-verdict")),
    ];
    Table {
        columns,
        rows: rows.iter().map(row).collect(),
        note: String::new(),
    }
}
