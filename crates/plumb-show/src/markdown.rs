//! How is a comparison written for a pull request? GitHub Markdown: verdict first, differences, then the figures as a table.

mod copies;

use std::fmt::Write;

use plumb_model::results::comparison::{Comparison, Difference};
use plumb_model::results::published::PublishedTable;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use crate::figure::{Column, ColumnKind};
use crate::tables::comparison_rows::{CellRow, in_order};
use crate::tables::published::{missing_text, shown};
use crate::wording::comparison::{
    change_text, difference_name, difference_values, figure_name, interval_text, letter,
    method_text, overall, refusals, side_facts, some_names, tally_text, undecided_text, value_text,
    verdict_mark, whole,
};
use crate::wording::{sentence, sentence_texts};
pub use copies::copies_markdown;

/// Most bytes of the rows of the figures: GitHub accepts 65,536 characters in one comment.
const ROWS_BYTES: usize = 40_000;
/// Pull requests are in English.
const ENGLISH: Words = Words::english();
/// Most lines of any other part.
const LINES_MAX: usize = 40;
/// The table is folded from this many rows.
const FOLDED_FROM: usize = 40;

/// The comparison as GitHub Markdown.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    let mut out = title(comparison);
    if comparison.sides.is_empty() {
        return out;
    }
    for sentence in sentence_texts(&comparison.verdict, ENGLISH) {
        let _ = writeln!(out, "- {}", escaped(&sentence));
    }
    if comparison.verdict.is_empty() {
        for tally in &comparison.tallies {
            let _ = writeln!(
                out,
                "- {}: {}",
                escaped(letter(comparison, tally.side as usize)),
                tally_text(tally, ENGLISH)
            );
        }
    }
    out += &conditions(comparison);
    out += &published(&comparison.published);
    out += &sides(comparison);
    out += &differences(
        "Differences in the environment",
        comparison,
        &comparison.environment,
    );
    out += &differences(
        "Differences in the workload (still compared)",
        comparison,
        &comparison.work,
    );
    out += &refused(comparison);
    out += &figures(comparison);
    if !comparison.remarks.is_empty() {
        out += "\n#### Notes\n\n";
        for remark in &comparison.remarks {
            let _ = writeln!(out, "- {}", escaped(&sentence(remark, ENGLISH)));
        }
    }
    let _ = write!(
        out,
        "\n<sub>{} Compared with plumb {}.</sub>\n",
        escaped(&method_text(comparison, ENGLISH).join(" ")),
        escaped(&comparison.plumb_version)
    );
    out
}

/// The article's tables with the measured figures beside them.
fn published(tables: &[PublishedTable]) -> String {
    let mut out = String::new();
    for of in tables {
        let experiment = shown(of, ENGLISH);
        let _ = write!(out, "\n#### {}\n", escaped(&experiment.heading));
        for held in &experiment.tables {
            let mut columns = held.table.columns.clone();
            columns.push(Column::text(ENGLISH.label("label-published-steps")));
            let titles: Vec<String> = columns.iter().map(|column| column.title.clone()).collect();
            let numbers: Vec<bool> = columns
                .iter()
                .map(|column| column.kind == ColumnKind::Number)
                .collect();
            let rows = held.table.rows.iter().zip(&held.notes).map(|(row, note)| {
                let mut row = row.clone();
                row.push(note.clone());
                row
            });
            let (text, _) = table(&titles, rows, &numbers, ROWS_BYTES);
            let _ = write!(out, "\n{}\n\n{text}", escaped(&held.name));
        }
        out.push('\n');
        for (reason, rows) in &experiment.missing {
            let _ = writeln!(out, "- {}", escaped(&missing_text(reason, rows, ENGLISH)));
        }
    }
    out
}

/// Escapes a text for GitHub: no markup, no cell ends, no line breaks, no mentions and no issue links.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            // Mentions and issue links are made from the rendered text: an empty comment breaks them.
            '@' | '#' => {
                out.push(c);
                out += "<!-- -->";
            }
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A table with as many rows as fit into this many bytes, and the number of the others.
fn table(
    titles: &[String],
    rows: impl Iterator<Item = Vec<String>>,
    numbers: &[bool],
    bytes_max: usize,
) -> (String, usize) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let titles: Vec<String> = titles.iter().map(|title| escaped(title)).collect();
    let rules: Vec<String> = numbers
        .iter()
        .map(|number| if *number { "---:" } else { "---" }.to_string())
        .collect();
    let mut out = line(&titles) + &line(&rules);
    let (mut used, mut left_out) = (0, 0);
    for row in rows {
        let row = line(&row.iter().map(|cell| escaped(cell)).collect::<Vec<_>>());
        used += row.len();
        if used > bytes_max {
            left_out += 1;
        } else {
            out += &row;
        }
    }
    (out, left_out)
}

fn title(comparison: &Comparison) -> String {
    let names = match comparison.sides.as_slice() {
        [] => "nothing to compare".into(),
        [a, b] => format!(
            "{} ({}) against {} ({})",
            b.letter, b.label, a.letter, a.label
        ),
        [a, others @ ..] => format!("{} sides against {} ({})", others.len(), a.letter, a.label),
    };
    format!(
        "### {} · {}\n\n",
        verdict_mark(overall(comparison), ENGLISH),
        escaped(&names)
    )
}

fn conditions(comparison: &Comparison) -> String {
    if comparison.conditions.is_empty() {
        return String::new();
    }
    let row = |outcome: &plumb_model::results::comparison::ConditionOutcome| {
        let word = if outcome.failed {
            "✗ failed"
        } else {
            "✓ held"
        };
        vec![
            outcome.condition.to_string(),
            word.to_string(),
            sentence(&outcome.explanation, ENGLISH),
        ]
    };
    let titles = ["fails if", "", "why"].map(str::to_string);
    format!(
        "\n{}",
        table(
            &titles,
            comparison.conditions.iter().map(row),
            &[false; 3],
            usize::MAX
        )
        .0
    )
}

fn sides(comparison: &Comparison) -> String {
    let mut out = "\n".to_string();
    for side in &comparison.sides {
        let facts = std::iter::once(side.label.clone())
            .chain(side_facts(side, ENGLISH))
            .collect::<Vec<_>>()
            .join(" · ");
        let _ = writeln!(out, "- **{}** {}", escaped(&side.letter), escaped(&facts));
        for doubt in &side.doubts {
            let _ = writeln!(out, "  - doubtful: {}", escaped(&sentence(doubt, ENGLISH)));
        }
    }
    out
}

fn differences(heading: &str, comparison: &Comparison, differences: &[Difference]) -> String {
    if differences.is_empty() {
        return String::new();
    }
    let row = |difference: &Difference| {
        let values = difference_values(comparison, difference, ENGLISH);
        let values = values
            .iter()
            .map(|(letters, value)| format!("{letters}: {value}"))
            .collect::<Vec<_>>()
            .join(" · ");
        vec![
            difference_name(difference, ENGLISH),
            values,
            some_names(&difference.steps, ENGLISH),
        ]
    };
    let titles = ["what", "values", "only in"].map(str::to_string);
    let (text, _) = table(
        &titles,
        differences.iter().take(LINES_MAX).map(row),
        &[false; 3],
        usize::MAX,
    );
    format!("\n#### {heading}\n\n{text}{}", rest_line(differences.len()))
}

/// States how many lines were left out.
fn rest_line(lines: usize) -> String {
    match lines.saturating_sub(LINES_MAX) {
        0 => String::new(),
        rest => format!("\nand {rest} more, in the report page and `--json`.\n"),
    }
}

fn refused(comparison: &Comparison) -> String {
    let refusals = refusals(comparison);
    if refusals.is_empty() {
        return String::new();
    }
    let mut out = "\n#### Not compared\n\n".to_string();
    for (steps, side, reason) in refusals.iter().take(LINES_MAX) {
        let side = side.map_or_else(String::new, |letter| format!(" ({letter})"));
        let _ = writeln!(
            out,
            "- {}",
            escaped(&format!(
                "{}{side}: {}",
                some_names(steps, ENGLISH),
                sentence(reason, ENGLISH)
            ))
        );
    }
    out + &rest_line(refusals.len())
}

fn figures(comparison: &Comparison) -> String {
    // Better and worse first: the rows that do not fit are the same or undecided.
    let rows = in_order(comparison, usize::MAX, usize::MAX).shown;
    if rows.is_empty() {
        return String::new();
    }
    let several = comparison.sides.len() > 2;
    let a = letter(comparison, 0).to_string();
    let second = if several {
        "value".to_string()
    } else {
        letter(comparison, 1).to_string()
    };
    let mut titles: Vec<String> = ["step", "figure"].map(str::to_string).to_vec();
    titles.push(a);
    if several {
        titles.push("side".into());
    }
    titles.extend([
        second,
        "change".into(),
        format!(
            "{} % interval",
            show_count(comparison.method.confidence * 100.0)
        ),
        "verdict".into(),
        "why".into(),
    ]);
    let numbers: Vec<bool> = titles
        .iter()
        .enumerate()
        .map(|(place, _)| place >= 2 && place < titles.len() - 2)
        .collect();
    let row = |row: &CellRow| {
        let value = |side: usize| {
            value_text(
                &row.cell.unit,
                row.cell.sides.get(side).and_then(|side| side.value),
            )
        };
        let side = row.effect.side as usize;
        let mut cells = vec![row.cell.step.clone(), figure_name(row.cell), value(0)];
        if several {
            cells.push(letter(comparison, side).to_string());
        }
        let mark = verdict_mark(row.effect.verdict, ENGLISH);
        cells.extend([
            value(side),
            change_text(row.effect, ENGLISH),
            interval_text(row.effect, ENGLISH),
            mark,
            undecided_text(row.effect, ENGLISH),
        ]);
        cells
    };
    let (decided, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_decided());
    let fits = rows.len() <= FOLDED_FROM;
    let ordered: Vec<CellRow> = if fits {
        rows
    } else {
        decided.into_iter().chain(others).collect()
    };
    let (text, left_out) = table(&titles, ordered.iter().map(row), &numbers, ROWS_BYTES);
    let rest = match left_out {
        0 => String::new(),
        count => format!(
            "\nand {} more, in the report page and `--json`.\n",
            whole(count)
        ),
    };
    if fits {
        format!("\n#### Figures\n\n{text}{rest}")
    } else {
        format!(
            "\n<details><summary>All {} figures, better and worse first</summary>\n\n{text}{rest}\n</details>\n",
            whole(ordered.len())
        )
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_name_cannot_leave_its_cell() {
        assert_eq!(escaped("a|b\n<b>*c*"), "a\\|b &lt;b&gt;\\*c\\*");
        assert_eq!(escaped("@team #12"), "@<!-- -->team #<!-- -->12");
    }
}
