//! What did the run stand on? Every fact with its value, or with the reason why it is not known.

use std::fmt::Write;

use plumb_model::environment::Environment;

use crate::escape::escape;
use crate::wording::{fact_meaning, fact_text, grouped};

pub(super) fn section(environment: &Environment) -> String {
    if environment.facts.is_empty() {
        return "<p>The record holds no facts about the machine.</p>\n".into();
    }
    let mut out = String::from("<div class=\"ground\">\n");
    for (heading, facts) in grouped(environment) {
        let _ = write!(
            out,
            "<div class=\"group\"><h3>{}</h3>\n<dl>\n",
            escape(&heading)
        );
        for (id, fact) in facts {
            let (class, value) = match fact_text(id, fact) {
                Ok(value) => ("", escape(&value)),
                Err(reason) => (
                    " class=\"unknown\"",
                    format!("not known: {}", escape(&reason)),
                ),
            };
            let _ = writeln!(
                out,
                "<div><dt title=\"{}\">{}</dt><dd{class}>{value}</dd></div>",
                escape(id),
                escape(fact_meaning(id))
            );
        }
        out.push_str("</dl></div>\n");
    }
    out.push_str("</div>\n");
    out
}
