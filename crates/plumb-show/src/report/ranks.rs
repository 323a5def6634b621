//! What did each host and each rank contribute?

use plumb_model::results::summary::Summary;
use plumb_words::Words;

use super::tables;
use crate::escape::escape;
use crate::tables::ranks::{hosts, machines, processes, ranks, spans};

/// Empty for a run of one process.
pub(super) fn section(summary: &Summary, words: Words) -> String {
    if summary.ranks.is_none() {
        return String::new();
    }
    let mut out = tables::html(&hosts(summary, words));
    if let Some(machines) = machines(summary, words) {
        out.push_str(&format!(
            "<h3>{}</h3>\n{}",
            escape(&words.label("label-machines")),
            tables::html(&machines)
        ));
    }
    out.push_str(&format!(
        "<h3>{}</h3>\n{}",
        escape(&words.label("label-begin-and-end-of-ranks")),
        tables::html(&spans(summary, words))
    ));
    out.push_str(&tables::folded(
        &words.label("label-each-rank"),
        &ranks(summary, words),
        false,
    ));
    out.push_str(&tables::folded(
        &words.label("label-places-of-ranks"),
        &processes(summary, words),
        false,
    ));
    out
}
