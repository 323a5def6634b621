//! What is on the page of a comparison? Differences, verdict, figures, every cell, and the method.

mod cells;
mod differences;

use std::fmt::Write;

use plumb_model::results::comparison::{Comparison, ComparisonPlots, Tally};
use plumb_model::results::copies::CopyTable;
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::page::{Drawn, PageFrame};
use super::verdict;
use crate::comparison_chart::{ComparisonSubject, SIDES_DRAWN, hue_of};
use crate::comparison_charts::COMPARISON_CHARTS;
use crate::escape::escape;
use crate::figure::Figure;
use crate::wording::comparison::{
    letter, method_text, overall, side_facts, tally_text, verdict_mark,
};
use crate::wording::sentence;

/// Number of sides up to which their list is open.
const SIDES_OPEN: usize = 12;
/// Sides whose tallies are at the top.
const TALLIES: usize = 8;

/// The page of a comparison: one self-contained file.
pub fn comparison_html(comparison: &Comparison, plots: &ComparisonPlots, words: Words) -> String {
    page(comparison, plots, None, words)
}

/// The page of a test of copy programs: the table of programs first, then the comparison of their rounds.
pub fn copy_test_html(
    copies: &CopyTable,
    comparison: &Comparison,
    plots: &ComparisonPlots,
    words: Words,
) -> String {
    page(comparison, plots, Some(copies), words)
}

fn page(
    comparison: &Comparison,
    plots: &ComparisonPlots,
    copies: Option<&CopyTable>,
    words: Words,
) -> String {
    let names = names(comparison, words);
    let title = match copies {
        Some(_) => Statement::new("compared-title-of-copies").name("names", &names),
        None => Statement::new("compared-title").name("names", &names),
    };
    let footer = Statement::new("compared-footer").name("version", &comparison.plumb_version);
    let subject = ComparisonSubject {
        comparison,
        plots,
        words,
    };
    let figures: Vec<Figure> = COMPARISON_CHARTS
        .iter()
        .flat_map(|chart| (chart.figures)(&subject))
        .collect();
    let drawn = Drawn::new(&figures, words);
    let copied = copies.map_or_else(String::new, |copies| super::copies::section(copies, words));
    PageFrame {
        words,
        title: words.sentence(&title),
        plumb_version: &comparison.plumb_version,
        header: header(comparison, &names, words),
        summary: String::new(),
        sections: vec![
            ("copies", "label-copy-programs", copied),
            (
                "verdict",
                "label-verdict",
                verdict_section(comparison, words),
            ),
            (
                "published",
                "label-published-experiment",
                super::published::section(&comparison.published, words),
            ),
            ("chart", "", drawn.first),
            (
                "differences",
                "label-what-differs",
                differences::section(comparison, words),
            ),
            ("figures", "label-figures", drawn.rest),
            (
                "cells",
                "label-all-figures",
                cells::section(comparison, words),
            ),
            (
                "remarks",
                "label-to-keep-in-mind",
                remarks(comparison, words),
            ),
            (
                "method",
                "label-how-it-was-compared",
                method(comparison, words),
            ),
        ],
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

/// The sides by their names: `B against A`.
fn names(comparison: &Comparison, words: Words) -> String {
    match comparison.sides.as_slice() {
        [] => words.label("label-nothing-to-compare"),
        [only] => only.label.clone(),
        [a, b] => words.sentence(
            &Statement::new("compared-against")
                .name("side", &b.label)
                .name("baseline", &a.label),
        ),
        [a, others @ ..] => words.sentence(
            &Statement::new("compared-sides-against")
                .count("count", others.len() as u64)
                .name("baseline", &a.label),
        ),
    }
}

fn header(comparison: &Comparison, names: &str, words: Words) -> String {
    let out = format!(
        "<p class=\"what\">{}</p>\n<h1>{}</h1>\n",
        escape(&words.sentence(
            &Statement::new("compared-sides").count("count", comparison.sides.len() as u64)
        )),
        escape(names)
    );
    let mut sides = String::from("<dl class=\"sides palette\">\n");
    for (place, side) in comparison.sides.iter().enumerate() {
        let facts = std::iter::once(side.label.clone())
            .chain(side_facts(side, words))
            .collect::<Vec<_>>()
            .join(" · ");
        // The color of a drawn side; further ones have none.
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
                "<br><span class=\"doubt\">{}</span>",
                escape(&words.sentence(
                    &Statement::new("page-doubtful").name("doubt", sentence(doubt, words))
                ))
            );
        }
        sides.push_str("</dd></div>\n");
    }
    sides.push_str("</dl>\n");
    if comparison.sides.len() > SIDES_OPEN {
        sides = format!(
            "<details><summary>{}</summary>\n{sides}</details>\n",
            escape(&words.label("label-the-sides"))
        );
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
            tally_text(tally, words)
        ),
        false => tally_text(tally, words),
    };
    let tallies: Vec<String> = comparison.tallies.iter().take(TALLIES).map(tally).collect();
    let rest = if comparison.tallies.len() > TALLIES {
        format!("; {}", words.label("label-further-sides"))
    } else {
        String::new()
    };
    let _ = writeln!(
        out,
        "<p class=\"overall\"><span class=\"v-{}\">{}</span> <span class=\"tally\">{}{}</span></p>",
        word.word(),
        verdict_mark(word, words),
        escape(&tallies.join("; ")),
        escape(&rest)
    );
    out.push_str(&verdict::sentences(
        &comparison.verdict,
        verdict::SHOWN,
        words,
    ));
    for outcome in &comparison.conditions {
        let (class, word) = if outcome.failed {
            (
                "worse",
                format!("✗ {}", words.label("label-condition-failed")),
            )
        } else {
            (
                "better",
                format!("✓ {}", words.label("label-condition-held")),
            )
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
    for sentence in method_text(comparison, words) {
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
