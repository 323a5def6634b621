//! What are the figures of every cell: all sides, change with interval, verdict and why?

use std::fmt::Write;

use plumb_model::comparison::{Cell, Comparison, Effect};
use plumb_words::Words;

use crate::comparison_rows::{Row, in_order};
use crate::escape::escape;
use crate::wording::MISSING;
use crate::wording::comparison::{
    change_text, figure_name, interval_text, letter, more_rounds_text, undecided_reason,
    value_text, verdict_mark, whole,
};
use crate::wording::sentence;

/// Most rows that are better or worse, and most of all others: a page must stay below a few megabytes.
const DECIDED_MAX: usize = 3_000;
const OTHERS_MAX: usize = 1_500;

pub(super) fn section(comparison: &Comparison, words: Words) -> String {
    let rows = in_order(comparison, DECIDED_MAX, OTHERS_MAX);
    if rows.shown.is_empty() {
        return "<p>Nothing was compared.</p>\n".into();
    }
    let several = comparison.sides.len() > 2;
    let mut out = String::from(
        "<div class=\"scroll\"><table class=\"cells\">\n<thead><tr><th scope=\"col\">step</th><th scope=\"col\">figure</th>",
    );
    let _ = write!(
        out,
        "<th scope=\"col\" class=\"n\">{}</th>",
        escape(letter(comparison, 0))
    );
    match several {
        true => out.push_str("<th scope=\"col\">side</th><th scope=\"col\" class=\"n\">value</th>"),
        false => {
            let _ = write!(
                out,
                "<th scope=\"col\" class=\"n\">{}</th>",
                escape(letter(comparison, 1))
            );
        }
    }
    out.push_str(
        "<th scope=\"col\" class=\"n\">change</th><th scope=\"col\" class=\"n\">interval</th><th scope=\"col\">verdict</th>\
         <th scope=\"col\" class=\"n\">p</th><th scope=\"col\" class=\"p\">why, and what is peculiar</th></tr></thead>\n",
    );
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
    out.push_str(&note(rows.decided_left_out, rows.others_left_out));
    out
}

fn cells(comparison: &Comparison, row: &Row, several: bool, words: Words) -> String {
    let Row { cell, effect } = row;
    let side = effect.side as usize;
    let reason = effect.reason.as_ref();
    let reason = reason.map_or_else(String::new, |reason| sentence(reason, words));
    let value = |side: usize| {
        let text = value_text(&cell.unit, cell.sides.get(side).and_then(|side| side.value));
        format!(
            "<td class=\"n\" title=\"{}\">{}</td>",
            escape(&rounds_text(cell, side)),
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
        change_text(effect),
        interval_text(effect),
        effect.verdict.word(),
        escape(&reason),
        verdict_mark(effect.verdict),
        p_text(effect),
        escape(&why(comparison, cell, effect, words))
    );
    out
}

/// The adjusted p-value with two digits; a little is never written as nothing.
fn p_text(effect: &Effect) -> String {
    match effect.adjusted_p_value.filter(|p| p.is_finite()) {
        None => MISSING.into(),
        Some(p) if p < 0.001 => "&lt; 0.001".into(),
        Some(p) if p < 0.01 => format!("{p:.3}"),
        Some(p) => format!("{p:.2}"),
    }
}

/// How many rounds a value rests on, and its interval: `6 rounds, 11,900/s to 12,300/s`.
fn rounds_text(cell: &Cell, side: usize) -> String {
    let Some(side) = cell.sides.get(side) else {
        return String::new();
    };
    let rounds = side.rounds.iter().flatten().count();
    let interval = side
        .interval
        .filter(|(low, high)| low.is_finite() && high.is_finite());
    let ends = interval.map(|(low, high)| {
        format!(
            "{} to {}",
            value_text(&cell.unit, Some(low)),
            value_text(&cell.unit, Some(high))
        )
    });
    std::iter::once(format!(
        "{} round{}",
        whole(rounds),
        if rounds == 1 { "" } else { "s" }
    ))
    .chain(ends)
    .collect::<Vec<_>>()
    .join(", ")
}

/// Why it is undecided, and what is peculiar about either side, one line each.
fn why(comparison: &Comparison, cell: &Cell, effect: &Effect, words: Words) -> String {
    let mut lines: Vec<String> = more_rounds_text(effect)
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

fn note(decided_left_out: usize, others_left_out: usize) -> String {
    let mut out = String::from(
        "<p class=\"note\">Values are trimmed geometric means of the rounds; p is adjusted for the number of figures that were compared (Holm).</p>\n",
    );
    if decided_left_out + others_left_out > 0 {
        let _ = writeln!(
            out,
            "<p class=\"note\">{} further figures do not stand here, {} of them better or worse: plumb compare --json has all.</p>",
            whole(decided_left_out + others_left_out),
            whole(decided_left_out)
        );
    }
    out
}
