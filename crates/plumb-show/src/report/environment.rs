//! What was the environment of the run? Every fact with its value, or with the reason why it is unknown.

use std::fmt::Write;

use plumb_model::environment::Environment;
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::escape::escape;
use crate::wording::{fact_meaning, fact_text, grouped};

pub(super) fn section(environment: &Environment, words: Words) -> String {
    if environment.facts.is_empty() {
        return format!("<p>{}</p>\n", escape(&words.label("label-no-facts")));
    }
    let mut out = String::from("<div class=\"facts-by-group\">\n");
    for (heading, facts) in grouped(environment, words) {
        let _ = write!(
            out,
            "<div class=\"group\"><h3>{}</h3>\n<dl>\n",
            escape(&heading)
        );
        for (id, fact) in facts {
            let (class, value) = match fact_text(id, fact, words) {
                Ok(value) => ("", escape(&value)),
                Err(reason) => (
                    " class=\"unknown\"",
                    escape(
                        &words.sentence(&Statement::new("page-not-known").name("reason", reason)),
                    ),
                ),
            };
            let _ = writeln!(
                out,
                "<div><dt title=\"{}\">{}</dt><dd{class}>{value}</dd></div>",
                escape(id),
                escape(&fact_meaning(id, words))
            );
        }
        out.push_str("</dl></div>\n");
    }
    out.push_str("</div>\n");
    out
}
