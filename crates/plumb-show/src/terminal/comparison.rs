//! How is a comparison printed? Differences in the environment first, then the verdict, then the figures.

mod table;

use plumb_model::results::comparison::{Comparison, Difference, SideKind};
use plumb_model::statement::Statement;

use super::layout::{padded, printable, width, wrapped};
use super::published::published_text;
use super::{Page, Tone};
use crate::wording::comparison::{
    difference_name, difference_values, method_text, refusals, side_facts, some_names, tally_text,
};
use crate::wording::{sentence, sentence_texts};
use table::heading;

/// Most lines of one part; the report and `--json` have all.
const LINES_MAX: usize = 40;

/// The comparison as text.
pub fn comparison_text(comparison: &Comparison, page: Page) -> String {
    let mut out = sides(comparison, page);
    if comparison.sides.is_empty() {
        return out;
    }
    // Beside published figures the verdict and the article's table are what the reader came for.
    if !comparison.published.is_empty() {
        out += &verdict(comparison, page);
        out += &published_text(&comparison.published, page);
    }
    out += &differences(
        "label-environment-differs",
        comparison,
        &comparison.environment,
        page,
    );
    out += &differences("label-work-differs", comparison, &comparison.work, page);
    out += &refused(comparison, page);
    if comparison.published.is_empty() {
        out += &verdict(comparison, page);
    }
    out += &conditions(comparison, page);
    if comparison.published.is_empty() || runs(comparison) > 1 {
        out += &table::table(comparison, page);
    }
    if !comparison.remarks.is_empty() {
        out += &heading("label-to-keep-in-mind", page);
        for remark in &comparison.remarks {
            out += &wrapped(&sentence(remark, page.words), "  • ", "    ", page.width);
        }
    }
    out.push('\n');
    for text in method_text(comparison, page.words) {
        out += &page.tone(Tone::Quiet, wrapped(&text, "", "  ", page.width).trim_end());
        out.push('\n');
    }
    out
}

/// Sides that are runs.
fn runs(comparison: &Comparison) -> usize {
    comparison
        .sides
        .iter()
        .filter(|side| side.kind == SideKind::Run)
        .count()
}

/// The sides: one line each, with doubts.
fn sides(comparison: &Comparison, page: Page) -> String {
    let title = match comparison.sides.as_slice() {
        [] => Statement::new("label-nothing-to-compare"),
        [a, b] => Statement::new("compared-side-against")
            .name("letter", &b.letter)
            .name("side", &b.label)
            .name("baseline-letter", &a.letter)
            .name("baseline", &a.label),
        [a, others @ ..] => Statement::new("compared-sides-against-letter")
            .count("count", others.len() as u64)
            .name("baseline-letter", &a.letter)
            .name("baseline", &a.label),
    };
    let title = page.words.sentence(&title);
    let mut out = page.tone(Tone::Strong, &printable(&title)) + "\n";
    let letters = comparison
        .sides
        .iter()
        .map(|side| width(&side.letter))
        .max()
        .unwrap_or(0);
    let rest = " ".repeat(letters + 4);
    for side in &comparison.sides {
        let facts = std::iter::once(side.label.clone())
            .chain(side_facts(side, page.words))
            .collect::<Vec<_>>()
            .join(" · ");
        out += &wrapped(
            &facts,
            &format!("  {}  ", padded(&printable(&side.letter), letters)),
            &rest,
            page.width,
        );
        for doubt in &side.doubts {
            out += &page.tone(
                Tone::Warning,
                wrapped(
                    &sentence(doubt, page.words),
                    &format!("{rest}? "),
                    &format!("{rest}  "),
                    page.width,
                )
                .trim_end(),
            );
            out.push('\n');
        }
    }
    out
}

fn differences(
    title: &str,
    comparison: &Comparison,
    differences: &[Difference],
    page: Page,
) -> String {
    if differences.is_empty() {
        return String::new();
    }
    let mut out = heading(title, page);
    for difference in differences.iter().take(LINES_MAX) {
        let values = difference_values(comparison, difference, page.words);
        let values = values
            .iter()
            .map(|(letters, value)| format!("{letters} {value}"))
            .collect::<Vec<_>>()
            .join(" · ");
        let values = if difference.steps.is_empty() {
            values
        } else {
            let statement = Statement::new("compared-in-steps")
                .name("values", values)
                .name("steps", some_names(&difference.steps, page.words));
            page.words.sentence(&statement)
        };
        out += &wrapped(
            &format!("{}: {values}", difference_name(difference, page.words)),
            "  ≠ ",
            "    ",
            page.width,
        );
    }
    out + &rest_line(differences.len(), page)
}

/// States how many lines were left out.
fn rest_line(lines: usize, page: Page) -> String {
    match lines.saturating_sub(LINES_MAX) {
        0 => String::new(),
        rest => {
            page.tone(
                Tone::Quiet,
                &format!(
                    "    {}",
                    page.words.sentence(
                        &Statement::new("compared-more-lines").count("count", rest as u64)
                    )
                ),
            ) + "\n"
        }
    }
}

fn refused(comparison: &Comparison, page: Page) -> String {
    let refusals = refusals(comparison);
    if refusals.is_empty() {
        return String::new();
    }
    let mut out = heading("label-not-compared", page);
    for (steps, side, reason) in refusals.iter().take(LINES_MAX) {
        let side = side.map_or_else(String::new, |letter| format!(" ({letter})"));
        out += &wrapped(
            &format!(
                "{}{side}: {}",
                some_names(steps, page.words),
                sentence(reason, page.words)
            ),
            "  ✗ ",
            "    ",
            page.width,
        );
    }
    out + &rest_line(refusals.len(), page)
}

fn verdict(comparison: &Comparison, page: Page) -> String {
    let mut out = heading("label-verdict", page);
    for text in sentence_texts(&comparison.verdict, page.words) {
        out += &wrapped(&text, "  • ", "    ", page.width);
    }
    if comparison.verdict.is_empty() {
        for tally in &comparison.tallies {
            let letter = crate::wording::comparison::letter(comparison, tally.side as usize);
            out += &wrapped(
                &format!("{letter}: {}", tally_text(tally, page.words)),
                "  • ",
                "    ",
                page.width,
            );
        }
        if comparison.cells.is_empty() {
            out += &format!(
                "  {}\n",
                page.words.label("label-nothing-was-compared-sentence")
            );
        }
    }
    out
}

fn conditions(comparison: &Comparison, page: Page) -> String {
    let mut out = String::new();
    for outcome in &comparison.conditions {
        let (word, tone) = if outcome.failed {
            ("label-condition-failed", Tone::Severe)
        } else {
            ("label-condition-held", Tone::Good)
        };
        let text = format!(
            "--fail-if '{}': {}",
            outcome.condition,
            sentence(&outcome.explanation, page.words)
        );
        let word = page.words.label(word);
        let first = format!("  {}  ", padded(&word, 6));
        let rest = " ".repeat(width(&first));
        out +=
            &wrapped(&text, &first, &rest, page.width).replacen(&word, &page.tone(tone, &word), 1);
    }
    if out.is_empty() {
        out
    } else {
        heading("label-conditions", page) + &out
    }
}
