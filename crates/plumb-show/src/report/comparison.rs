//! What page does a comparison make? What differs, the verdict, figures, every cell, and how it was compared.

mod cells;
mod differences;

use std::fmt::Write;

use plumb_model::comparison::{Comparison, ComparisonDrawings, Tally};
use plumb_model::copies::CopyTable;
use plumb_words::Words;

use super::{PageFrame, figures_section, verdict};
use crate::comparison_chart::{ComparisonSubject, SIDES_DRAWN, hue_of};
use crate::comparison_charts::COMPARISON_CHARTS;
use crate::escape::escape;
use crate::figure::Figure;
use crate::wording::comparison::{
    letter, method_text, overall, side_facts, tally_text, verdict_mark,
};
use crate::wording::sentence;

/// Sides up to which the list of them stands open.
const SIDES_OPEN: usize = 12;
/// Sides whose tallies stand at the top.
const TALLIES: usize = 8;

/// The whole page of a comparison: one file that needs nothing else.
pub fn comparison_html(
    comparison: &Comparison,
    drawings: &ComparisonDrawings,
    words: Words,
) -> String {
    page(comparison, drawings, None, words)
}

/// The whole page of a test of copy programs: the table of programs comes first, the comparison of their rounds after it.
pub fn copy_test_html(
    copies: &CopyTable,
    comparison: &Comparison,
    drawings: &ComparisonDrawings,
    words: Words,
) -> String {
    page(comparison, drawings, Some(copies), words)
}

fn page(
    comparison: &Comparison,
    drawings: &ComparisonDrawings,
    copies: Option<&CopyTable>,
    words: Words,
) -> String {
    let names = match comparison.sides.as_slice() {
        [] => "Nothing to compare".to_string(),
        [only] => only.label.clone(),
        [a, b] => format!("{} against {}", b.label, a.label),
        [a, others @ ..] => format!("{} sides against {}", others.len(), a.label),
    };
    let subject = ComparisonSubject {
        comparison,
        drawings,
        words,
    };
    let figures: Vec<Figure> = COMPARISON_CHARTS
        .iter()
        .flat_map(|chart| (chart.figures)(&subject))
        .collect();
    PageFrame {
        words,
        title: format!("plumb {}: {names}", if copies.is_some() { "copy-test" } else { "compare" }),
        plumb_version: &comparison.plumb_version,
        header: header(comparison, &names, words),
        sections: vec![
            ("copies", "label-copy-programs", copies.map(|copies| super::copies::section(copies, words)).unwrap_or_default()),
            ("differences", "label-what-differs", differences::section(comparison, words)),
            ("verdict", "label-verdict", verdict_section(comparison, words)),
            ("figures", "label-figures", figures_section(&figures, words)),
            ("cells", "label-all-figures", cells::section(comparison, words)),
            ("remarks", "label-to-keep-in-mind", remarks(comparison, words)),
            ("method", "label-how-it-was-compared", method(comparison, words)),
        ],
        footer: format!(
            "Compared with plumb {} · every figure on this page is derived from the records of the sides.",
            escape(&comparison.plumb_version)
        ),
    }
    .html()
}

fn header(comparison: &Comparison, names: &str, words: Words) -> String {
    let out = format!(
        "<p class=\"what\">Comparison of {} sides</p>\n<h1>{}</h1>\n",
        comparison.sides.len(),
        escape(names)
    );
    let mut sides = String::from("<dl class=\"sides palette\">\n");
    for (place, side) in comparison.sides.iter().enumerate() {
        let facts = std::iter::once(side.label.clone())
            .chain(side_facts(side))
            .collect::<Vec<_>>()
            .join(" · ");
        // The colour of a side that is drawn; further ones have none.
        let class = if place < SIDES_DRAWN {
            format!(" class=\"h{}\"", hue_of(place))
        } else {
            String::new()
        };
        let _ = write!(
            sides,
            "<div><dt{class}>{}</dt><dd>{}",
            escape(&side.letter),
            escape(&facts)
        );
        for doubt in &side.doubts {
            let _ = write!(
                sides,
                "<br><span class=\"doubt\">Doubtful: {}</span>",
                escape(&sentence(doubt, words))
            );
        }
        sides.push_str("</dd></div>\n");
    }
    sides.push_str("</dl>\n");
    if comparison.sides.len() > SIDES_OPEN {
        sides = format!("<details><summary>The sides</summary>\n{sides}</details>\n");
    }
    out + &sides
}

fn verdict_section(comparison: &Comparison, words: Words) -> String {
    let mut out = String::new();
    let word = overall(comparison);
    let several = comparison.tallies.len() > 1;
    let tally = |tally: &Tally| match several {
        true => format!(
            "{}: {}",
            letter(comparison, tally.side as usize),
            tally_text(tally)
        ),
        false => tally_text(tally),
    };
    let tallies: Vec<String> = comparison.tallies.iter().take(TALLIES).map(tally).collect();
    let rest = if comparison.tallies.len() > TALLIES {
        "; further sides in the table of all figures"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<p class=\"overall\"><span class=\"v-{}\">{}</span> <span class=\"tally\">{}{rest}</span></p>",
        word.word(),
        verdict_mark(word),
        escape(&tallies.join("; "))
    );
    out.push_str(&verdict::sentences(&comparison.verdict, words));
    for outcome in &comparison.conditions {
        let (class, word) = if outcome.failed {
            ("worse", "✗ failed")
        } else {
            ("better", "✓ held")
        };
        let _ = writeln!(
            out,
            "<p class=\"condition\"><span class=\"v-{class}\">{word}</span> <code>--fail-if '{}'</code>: {}</p>",
            escape(&outcome.condition.to_string()),
            escape(&sentence(&outcome.explanation, words))
        );
    }
    out
}

fn remarks(comparison: &Comparison, words: Words) -> String {
    if comparison.remarks.is_empty() {
        return String::new();
    }
    let items: String = comparison
        .remarks
        .iter()
        .map(|remark| format!("<li>{}</li>\n", escape(&sentence(remark, words))))
        .collect();
    format!("<ul class=\"remarks\">\n{items}</ul>\n")
}

fn method(comparison: &Comparison, words: Words) -> String {
    let mut out = String::new();
    for sentence in method_text(comparison) {
        let _ = writeln!(out, "<p>{}</p>", escape(&sentence));
    }
    if !comparison.method.steps.is_empty() {
        let items: String = comparison
            .method
            .steps
            .iter()
            .map(|step| format!("<li>{}</li>\n", escape(&sentence(step, words))))
            .collect();
        let _ = write!(out, "<ol class=\"steps\">\n{items}</ol>\n");
    }
    out
}
