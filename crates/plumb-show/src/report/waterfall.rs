//! What is on the page of layers? The layers, one table of all, the waterfall of each step, and the method.

use std::fmt::Write;

use plumb_model::results::waterfall::{CpuOverTime, Waterfall};
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::page::{Drawn, PageFrame};
use super::{tables, verdict};
use crate::escape::escape;
use crate::waterfall_figures::figures;
use crate::wording::waterfall::{
    layer_facts, layers_title, method_text, overview, step_table, step_title,
};
use crate::wording::{date_text, sentence};

/// The page of a waterfall: one self-contained file.
pub fn waterfall_html(waterfall: &Waterfall, cpu: &CpuOverTime, words: Words) -> String {
    let names = match (waterfall.layers.first(), waterfall.layers.last()) {
        (Some(bottom), Some(top)) if waterfall.layers.len() > 1 => {
            let ends = Statement::new("layers-from-to")
                .name("bottom", &bottom.name)
                .name("top", &top.name);
            words.sentence(&ends)
        }
        _ => words.label("label-layers"),
    };
    let drawn = Drawn::new(&figures(waterfall, cpu, words), words);
    let overview_table = tables::html(&overview(waterfall, words));
    PageFrame {
        words,
        title: format!("plumb layers: {names}"),
        plumb_version: &waterfall.plumb_version,
        header: header(waterfall, &names, words),
        summary: String::new(),
        sections: vec![
            (
                "verdict",
                "label-verdict",
                verdict_section(waterfall, words),
            ),
            ("chart", "", drawn.first),
            ("overview", "label-layers", overview_table),
            ("figures", "label-figures", drawn.rest),
            ("steps", "label-all-figures", steps(waterfall, words)),
            (
                "remarks",
                "label-to-keep-in-mind",
                list(&waterfall.remarks, words),
            ),
            (
                "method",
                "label-how-it-was-measured",
                method(waterfall, words),
            ),
        ],
        footer: escape(&words.sentence(
            &Statement::new("layers-derived-with").name("version", &waterfall.plumb_version),
        )),
    }
    .html()
}

fn header(waterfall: &Waterfall, names: &str, words: Words) -> String {
    let when = waterfall
        .layers
        .first()
        .map(|layer| {
            format!(
                "{} · {}",
                layers_title(waterfall, words),
                date_text(&layer.started)
            )
        })
        .unwrap_or_default();
    let mut out = format!(
        "<p class=\"what\">{}</p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n<dl class=\"sides\">\n",
        escape(&words.sentence(
            &Statement::new("layers-question").count("layers", waterfall.layers.len() as u64)
        )),
        escape(names),
        escape(&when)
    );
    for layer in &waterfall.layers {
        let _ = write!(
            out,
            "<div><dt>{}</dt><dd>{}",
            escape(&layer.name),
            escape(&layer_facts(waterfall, layer, words))
        );
        for doubt in &layer.doubts {
            let _ =
                write!(
                    out,
                    "<br><span class=\"doubt\">{}</span>",
                    escape(&words.sentence(
                        &Statement::new("layer-is-doubtful").part("doubt", doubt.clone())
                    ))
                );
        }
        out.push_str("</dd></div>\n");
    }
    out + "</dl>\n"
}

fn verdict_section(waterfall: &Waterfall, words: Words) -> String {
    match waterfall.verdict.is_empty() {
        true => format!("<p>{}</p>\n", escape(&words.label("label-layers-nothing"))),
        false => verdict::sentences(&waterfall.verdict, verdict::SHOWN, words),
    }
}

fn steps(waterfall: &Waterfall, words: Words) -> String {
    let mut out = String::new();
    for step in &waterfall.steps {
        let _ = write!(
            out,
            "<h3>{}</h3>\n{}",
            escape(&step_title(step, words)),
            tables::html(&step_table(waterfall, step, words))
        );
    }
    out
}

fn list(statements: &[Statement], words: Words) -> String {
    if statements.is_empty() {
        return String::new();
    }
    let items: String = statements
        .iter()
        .map(|statement| format!("<li>{}</li>\n", escape(&sentence(statement, words))))
        .collect();
    format!("<ul class=\"remarks\">\n{items}</ul>\n")
}

fn method(waterfall: &Waterfall, words: Words) -> String {
    method_text(waterfall, words)
        .iter()
        .map(|sentence| format!("<p>{}</p>\n", escape(sentence)))
        .collect()
}
