//! What are the figures of every cell: all sides, change with interval, verdict and reason?

use std::fmt::Write;

use plumb_model::results::comparison::{Cell, Comparison, Effect};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::escape::escape;
use crate::tables::comparison_rows::{CellRow, in_order};
use crate::wording::MISSING;
use crate::wording::comparison::{
    change_text, figure_name, interval_text, letter, more_rounds_text, undecided_reason,
    value_text, verdict_mark,
};
use crate::wording::sentence;

/// Most better or worse rows, and most other rows: a page must stay below a few megabytes.
const DECIDED_MAX: usize = 3_000;
const OTHERS_MAX: usize = 1_500;

pub(super) fn section(comparison: &Comparison, words: Words) -> String {
    let rows = in_order(comparison, DECIDED_MAX, OTHERS_MAX);
    if rows.shown.is_empty() {
        return format!(
            "<p>{}</p>\n",
            escape(&words.label("label-nothing-was-compared-sentence"))
        );
    }
    let several = comparison.sides.len() > 2;
    let head = |class: &str, label: &str| {
        format!(
            "<th scope=\"col\"{class}>{}</th>",
            escape(&words.label(label))
        )
    };
    let (number, prose) = (" class=\"n\"", " class=\"p\"");
    let mut out =
        String::from("<div class=\"scroll\" tabindex=\"0\"><table class=\"cells\">\n<thead><tr>");
    out += &head("", "label-step");
    out += &head("", "label-figure");
    let _ = write!(
        out,
        "<th scope=\"col\" class=\"n\">{}</th>",
        escape(letter(comparison, 0))
    );
    match several {
        true => {
            out += &head("", "label-side");
            out += &head(number, "label-value");
        }
        false => {
            let _ = write!(
                out,
                "<th scope=\"col\" class=\"n\">{}</th>",
                escape(letter(comparison, 1))
            );
        }
    }
    out += &head(number, "label-change");
    out += &head(number, "label-interval");
    out += &head("", "label-compared-verdict");
    out.push_str("<th scope=\"col\" class=\"n\">p</th>");
    out += &head(prose, "label-why-and-peculiar");
    out.push_str("</tr></thead>\n");
    for step in rows.shown.chunk_by(|a, b| a.cell.step == b.cell.step) {
        out.push_str("<tbody>\n");
        for (place, row) in step.iter().enumerate() {
            let head = match place {
                0 => format!(
                    "<th scope=\"rowgroup\" rowspan=\"{}\">{}</th>",
                    step.len(),
                    escape(&row.cell.step)
                ),
                _ => String::new(),
            };
            let _ = writeln!(
                out,
                "<tr>{head}{}</tr>",
                cells(comparison, row, several, words)
            );
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table></div>\n");
    out.push_str(&note(rows.decided_left_out, rows.others_left_out, words));
    out
}

fn cells(comparison: &Comparison, row: &CellRow, several: bool, words: Words) -> String {
    let CellRow { cell, effect } = row;
    let side = effect.side as usize;
    let reason = effect.reason.as_ref();
    let reason = reason.map_or_else(String::new, |reason| sentence(reason, words));
    let value = |side: usize| {
        let text = value_text(&cell.unit, cell.sides.get(side).and_then(|side| side.value));
        format!(
            "<td class=\"n\" title=\"{}\">{}</td>",
            escape(&rounds_text(cell, side, words)),
            escape(&text)
        )
    };
    let mut out = format!("<td>{}</td>{}", escape(&figure_name(cell)), value(0));
    if several {
        let _ = write!(out, "<td>{}</td>", escape(letter(comparison, side)));
    }
    let _ = write!(
        out,
        "{}<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"v-{}\" title=\"{}\">{}</td><td class=\"n\">{}</td><td class=\"p\">{}</td>",
        value(side),
        change_text(effect, words),
        interval_text(effect, words),
        effect.verdict.word(),
        escape(&reason),
        verdict_mark(effect.verdict, words),
        p_text(effect),
        escape(&why(comparison, cell, effect, words))
    );
    out
}

/// The adjusted p-value with two digits; a nonzero value is never rounded to 0.
fn p_text(effect: &Effect) -> String {
    match effect.adjusted_p_value.filter(|p| p.is_finite()) {
        None => MISSING.into(),
        Some(p) if p < 0.001 => "&lt; 0.001".into(),
        Some(p) if p < 0.01 => format!("{p:.3}"),
        Some(p) => format!("{p:.2}"),
    }
}

/// Number of rounds of a value, and its interval: `6 rounds, 11,900/s to 12,300/s`.
fn rounds_text(cell: &Cell, side: usize, words: Words) -> String {
    let Some(side) = cell.sides.get(side) else {
        return String::new();
    };
    let rounds = side.rounds.iter().flatten().count();
    let interval = side
        .interval
        .filter(|(low, high)| low.is_finite() && high.is_finite());
    let ends = interval.map(|(low, high)| {
        words.sentence(
            &Statement::new("compared-interval")
                .name("low", value_text(&cell.unit, Some(low)))
                .name("high", value_text(&cell.unit, Some(high))),
        )
    });
    let told = Statement::new("compared-rounds").count("rounds", rounds as u64);
    std::iter::once(words.sentence(&told))
        .chain(ends)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Why it is undecided, and the remarks on either side, one line each.
fn why(comparison: &Comparison, cell: &Cell, effect: &Effect, words: Words) -> String {
    let mut lines: Vec<String> = more_rounds_text(effect, words)
        .into_iter()
        .chain(undecided_reason(effect, words))
        .collect();
    for side in [0, effect.side as usize] {
        let remarks = cell
            .sides
            .get(side)
            .map_or(&[][..], |side| side.remarks.as_slice());
        lines.extend(
            remarks
                .iter()
                .map(|remark| format!("{}: {}", letter(comparison, side), sentence(remark, words))),
        );
    }
    lines.join("\n")
}

fn note(decided_left_out: usize, others_left_out: usize, words: Words) -> String {
    let mut out = format!(
        "<p class=\"note\">{}</p>\n",
        escape(&words.label("label-compared-note"))
    );
    if decided_left_out + others_left_out > 0 {
        let told = Statement::new("compared-left-out")
            .count("count", (decided_left_out + others_left_out) as u64)
            .count("decided", decided_left_out as u64);
        let _ = writeln!(
            out,
            "<p class=\"note\">{}</p>",
            escape(&words.sentence(&told))
        );
    }
    out
}
