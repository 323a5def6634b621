//! How is the table of a comparison laid out in the width of a terminal?

use std::collections::HashMap;

use plumb_model::results::comparison::{Comparison, Verdict};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use super::super::layout::{padded, padded_left, printable, shortened, width, wrapped};
use super::super::{Page, Tone};
use crate::tables::comparison_rows::{CellRow, in_order};
use crate::wording::comparison::{
    change_text, figure_name, interval_text, letter, more_rounds_text, undecided_reason,
    value_text, verdict_mark,
};

/// A heading of a part, by its label.
pub fn heading(label: &str, page: Page) -> String {
    format!("\n{}\n", page.tone(Tone::Strong, &page.words.label(label)))
}

/// The color of a verdict.
pub fn tone_of(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Better => Tone::Good,
        Verdict::Worse => Tone::Severe,
        Verdict::Same => Tone::Quiet,
        Verdict::Undecided => Tone::Warning,
    }
}

/// Most same or undecided rows; better and worse ones are all shown.
const ROWS_MAX: usize = 60;
/// A reason shared by this many cells is stated once below the table.
const SHARED_FROM: usize = 3;
/// Columns between two columns.
const GAP: usize = 2;
/// Minimum width of a step name.
const STEP_MIN: usize = 16;

/// One line: name of the step (empty in further rows of it), then the columns, the verdict, and a note.
struct TableLine {
    step: String,
    cells: Vec<String>,
    verdict: Option<Verdict>,
    note: String,
    /// Short form of the note; empty if there is none.
    short_note: String,
}

/// Titles of the columns and the lines.
struct Lines {
    titles: Vec<String>,
    lines: Vec<TableLine>,
}

/// The table with its heading; empty if nothing was compared.
pub(super) fn table(comparison: &Comparison, page: Page) -> String {
    let rows = in_order(comparison, usize::MAX, ROWS_MAX);
    if rows.shown.is_empty() {
        return String::new();
    }
    let shared = shared_reasons(&rows.shown, page.words);
    let lines = if comparison.sides.len() == 2 {
        pair(comparison, &rows.shown, (&shared, page.words))
    } else {
        several(comparison, &rows.shown, (&shared, page.words))
    };
    let any_rounds = lines.lines.iter().any(|line| !line.short_note.is_empty());
    let mut out = heading("label-figures", page) + &lines.laid_out(page);
    for (reason, count) in &shared {
        let statement = Statement::new("compared-undecided-figures")
            .count("count", *count as u64)
            .name("reason", reason);
        let text = page.words.sentence(&statement);
        out += &page.tone(
            Tone::Quiet,
            wrapped(&text, "  ? ", "    ", page.width).trim_end(),
        );
        out.push('\n');
    }
    if any_rounds {
        let text = page.words.label("label-more-rounds-note");
        out += &page.tone(
            Tone::Quiet,
            wrapped(&text, "  ? ", "    ", page.width).trim_end(),
        );
        out.push('\n');
    }
    if rows.others_left_out > 0 {
        let statement =
            Statement::new("compared-others-left-out").count("count", rows.others_left_out as u64);
        let text = page.words.sentence(&statement);
        out += &wrapped(&text, "  ", "  ", page.width);
    }
    out
}

/// Reasons stated below the table, and the language.
type Shared<'s> = (&'s [(String, usize)], Words);

/// Reasons shared by several undecided figures, with their number, most frequent first.
fn shared_reasons(rows: &[CellRow], words: Words) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for reason in rows
        .iter()
        .filter_map(|row| undecided_reason(row.effect, words))
    {
        *counts.entry(reason).or_default() += 1;
    }
    let mut shared: Vec<(String, usize)> = counts
        .into_iter()
        .filter(|(_, count)| *count >= SHARED_FROM)
        .collect();
    shared.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    shared
}

/// Note of a row: further rounds, and its reason unless stated below the table; and its short form.
fn notes(row: &CellRow, (shared, words): Shared) -> (String, String) {
    let reason = undecided_reason(row.effect, words)
        .filter(|reason| !shared.iter().any(|(other, _)| other == reason));
    let short = row
        .effect
        .more_rounds
        .filter(|_| reason.is_none() && row.effect.verdict == Verdict::Undecided);
    let note = more_rounds_text(row.effect, words)
        .into_iter()
        .chain(reason)
        .collect::<Vec<_>>()
        .join("; ");
    (
        note,
        short.map_or_else(String::new, |rounds| {
            words.sentence(
                &Statement::new("compared-more-rounds-short").count("rounds", rounds.into()),
            )
        }),
    )
}

/// Confidence of the intervals: `95 % interval`.
fn interval_title(comparison: &Comparison, words: Words) -> String {
    let confidence = show_count(comparison.method.confidence * 100.0);
    words.sentence(&Statement::new("compared-interval-title").name("confidence", confidence))
}

/// An interval in brackets, or a dash.
fn bracketed(interval: String) -> String {
    if interval == crate::wording::MISSING {
        interval
    } else {
        format!("({interval})")
    }
}

/// Two sides: one line per figure.
fn pair(comparison: &Comparison, rows: &[CellRow], shared: Shared) -> Lines {
    let mut last = "";
    let mut lines = Vec::new();
    for row in rows {
        let value = |side: usize| {
            value_text(
                &row.cell.unit,
                row.cell.sides.get(side).and_then(|side| side.value),
            )
        };
        let step = if last == row.cell.step {
            String::new()
        } else {
            printable(&row.cell.step)
        };
        last = &row.cell.step;
        let cells = vec![
            figure_name(row.cell),
            value(0),
            value(1),
            change_text(row.effect, shared.1),
            bracketed(interval_text(row.effect, shared.1)),
        ];
        let (note, short_note) = notes(row, shared);
        lines.push(TableLine {
            step,
            cells,
            verdict: Some(row.effect.verdict),
            note,
            short_note,
        });
    }
    let interval = interval_title(comparison, shared.1);
    let change = shared.1.label("label-change");
    let titles = [
        "",
        letter(comparison, 0),
        letter(comparison, 1),
        &change,
        &interval,
    ]
    .map(str::to_string)
    .to_vec();
    Lines { titles, lines }
}

/// Several sides: a line for the baseline, and one for each other shown side.
fn several(comparison: &Comparison, rows: &[CellRow], shared: Shared) -> Lines {
    let mut last = "";
    let mut lines = Vec::new();
    for of_cell in rows.chunk_by(|a, b| std::ptr::eq(a.cell, b.cell)) {
        let Some(first) = of_cell.first() else {
            continue;
        };
        let cell = first.cell;
        let value =
            |side: usize| value_text(&cell.unit, cell.sides.get(side).and_then(|side| side.value));
        let step = if last == cell.step {
            String::new()
        } else {
            printable(&cell.step)
        };
        last = &cell.step;
        let cells = vec![
            figure_name(cell),
            letter(comparison, 0).to_string(),
            value(0),
            String::new(),
            String::new(),
        ];
        lines.push(TableLine {
            step,
            cells,
            verdict: None,
            note: String::new(),
            short_note: String::new(),
        });
        for row in of_cell {
            let side = row.effect.side as usize;
            let cells = vec![
                String::new(),
                letter(comparison, side).to_string(),
                value(side),
                change_text(row.effect, shared.1),
                bracketed(interval_text(row.effect, shared.1)),
            ];
            let (note, short_note) = notes(row, shared);
            lines.push(TableLine {
                step: String::new(),
                cells,
                verdict: Some(row.effect.verdict),
                note,
                short_note,
            });
        }
    }
    let interval = interval_title(comparison, shared.1);
    let (value, change) = (
        shared.1.label("label-value"),
        shared.1.label("label-change"),
    );
    let titles = ["", "", &value, &change, &interval]
        .map(str::to_string)
        .to_vec();
    Lines { titles, lines }
}

impl Lines {
    /// Widths of the columns between the step and the verdict.
    fn widths(&self) -> Vec<usize> {
        let widest = |column: usize| {
            let cells = self
                .lines
                .iter()
                .filter_map(|line| line.cells.get(column))
                .chain(self.titles.get(column));
            cells.map(|cell| width(cell)).max().unwrap_or(0)
        };
        (0..self.titles.len()).map(widest).collect()
    }

    fn laid_out(mut self, page: Page) -> String {
        // Kinds of operations and letters of sides come from untrusted records.
        let texts = self
            .lines
            .iter_mut()
            .flat_map(|line| &mut line.cells)
            .chain(&mut self.titles);
        texts.for_each(|text| *text = printable(text));
        let widths = self.widths();
        let verdict = self
            .lines
            .iter()
            .filter_map(|line| line.verdict)
            .map(|verdict| width(&verdict_mark(verdict, page.words)))
            .max()
            .unwrap_or(0);
        let step = self
            .lines
            .iter()
            .map(|line| width(&line.step))
            .max()
            .unwrap_or(0);
        let inner = widths.iter().map(|width| width + GAP).sum::<usize>() + verdict;
        // The step is before its figures if there is room, else on its own line.
        let beside = 2 + step + GAP + inner <= page.width;
        let indent = if beside { 2 + step + GAP } else { 4 };
        let mut out = String::new();
        let title = |(place, title): (usize, &String)| match place {
            0 => padded(title, widths[0]),
            place => padded_left(title, widths[place]),
        };
        let titles = self
            .titles
            .iter()
            .enumerate()
            .map(title)
            .collect::<Vec<_>>()
            .join(&" ".repeat(GAP));
        out += &page.tone(
            Tone::Quiet,
            format!("{}{titles}", " ".repeat(indent)).trim_end(),
        );
        out.push('\n');
        for line in &self.lines {
            let mut start = " ".repeat(indent);
            if !line.step.is_empty() && beside {
                start = format!("  {}{}", padded(&line.step, step), " ".repeat(GAP));
            } else if !line.step.is_empty() {
                out += &format!(
                    "  {}\n",
                    shortened(&line.step, page.width.saturating_sub(2).max(STEP_MIN))
                );
            }
            out += &line.text(&start, &widths, verdict, page);
        }
        out
    }
}

impl TableLine {
    /// The line, and below it the note if it does not fit.
    fn text(&self, start: &str, widths: &[usize], verdict_width: usize, page: Page) -> String {
        let mut text = start.to_string();
        for (place, cell) in self.cells.iter().enumerate() {
            text += &if place == 0 {
                padded(cell, widths[0])
            } else {
                padded_left(cell, widths[place])
            };
            text += &" ".repeat(GAP);
        }
        let Some(verdict) = self.verdict else {
            return text.trim_end().to_string() + "\n";
        };
        let used = width(&text) + verdict_width + GAP;
        text += &page.tone(tone_of(verdict), &verdict_mark(verdict, page.words));
        if self.note.is_empty() {
            return text + "\n";
        }
        let note = printable(&self.note);
        let gap = " ".repeat(verdict_width + GAP - width(&verdict_mark(verdict, page.words)));
        for fitting in [&note, &self.short_note] {
            if !fitting.is_empty() && used + width(fitting) <= page.width {
                return format!("{text}{gap}{}\n", page.tone(Tone::Quiet, fitting));
            }
        }
        let indent = " ".repeat(width(start) + 2);
        format!(
            "{text}\n{}\n",
            page.tone(
                Tone::Quiet,
                wrapped(&note, &indent, &indent, page.width).trim_end()
            )
        )
    }
}
