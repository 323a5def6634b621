//! What is on the page of a trace? Where the time goes, figures, and tables of its calls and connections.

use plumb_model::statement::Statement;
use plumb_model::trace::summary::TraceSummary;
use plumb_words::Words;

use crate::escape::escape;
use crate::explain_figures::{of_intervals, size_and_time, time_by_command};
use crate::figure::{Column, Figure, Table};
use crate::report::page::{Drawn, PageFrame};
use crate::report::{tables, verdict};
use crate::terminal::{
    Page, trace_classes, trace_connections, trace_files, trace_sizes, trace_slowest,
    trace_statuses, trace_threads,
};
use crate::wording::sentence;

/// Files, threads and slow calls shown; `--json` has more files and threads.
const MOST: usize = 20;

/// The page: one self-contained file.
pub fn trace_html(trace: &TraceSummary, words: Words) -> String {
    let title = Statement::new("trace-page-title").name("source", &trace.source);
    let footer = Statement::new("trace-page-footer").name("version", &trace.plumb_version);
    let drawn = Drawn::new(&figures(trace, words), words);
    PageFrame {
        words,
        title: words.sentence(&title),
        plumb_version: &trace.plumb_version,
        header: format!(
            "<p class=\"what\">{}</p>\n<h1>{}</h1>\n",
            escape(&words.label("label-trace-page")),
            escape(&trace.source)
        ),
        summary: String::new(),
        sections: vec![
            ("verdict", "label-verdict", verdict_section(trace, words)),
            ("chart", "", drawn.first),
            ("figures", "label-figures", drawn.rest),
            ("tables", "label-all-figures", all_tables(trace, words)),
        ],
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

/// The figures of a trace, on any page.
pub(super) fn figures(trace: &TraceSummary, words: Words) -> Vec<Figure> {
    let sizes = trace.size_times.as_ref();
    [
        trace
            .outstanding
            .as_ref()
            .and_then(|outstanding| of_intervals(outstanding, words)),
        time_by_command(&trace.calls, words),
        sizes.and_then(|sizes| size_and_time(sizes, words)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn verdict_section(trace: &TraceSummary, words: Words) -> String {
    let item = |statement| format!("<li><p>{}</p></li>\n", escape(&sentence(statement, words)));
    let items: Vec<String> = trace.verdict.iter().map(item).collect();
    let mut out = verdict::folded_after(&items, verdict::SHOWN, words);
    for statement in &trace.doubts {
        out += &format!(
            "<p class=\"state\">{}</p>\n",
            escape(&sentence(statement, words))
        );
    }
    out
}

/// The tables of a trace, on any page.
pub(super) fn all_tables(trace: &TraceSummary, words: Words) -> String {
    let page = Page {
        width: usize::MAX,
        colour: false,
        words,
    };
    let calls = time_by_command(&trace.calls, words).map(|figure| figure.table);
    let connections = trace.capture.as_ref();
    let folded =
        |label: &'static str, table: &Table| tables::folded(&words.label(label), table, true);
    [
        calls.map(|calls| folded("label-trace-calls-heading", &calls)),
        Some(folded(
            "label-trace-mix",
            &of_rows(trace_classes(trace, page), 1),
        )),
        Some(folded(
            "label-trace-sizes",
            &of_rows(trace_sizes(trace, page), 1),
        )),
        Some(folded(
            "label-trace-files",
            &of_rows(trace_files(trace, MOST, page), 1),
        )),
        Some(folded(
            "label-trace-threads",
            &of_rows(trace_threads(trace, MOST, page), 1),
        )),
        Some(folded(
            "label-trace-slowest",
            &of_rows(trace_slowest(trace, MOST, page), 2),
        )),
        Some(folded(
            "label-trace-statuses",
            &of_rows(trace_statuses(trace, page), 2),
        )),
        connections.map(|capture| {
            folded(
                "label-trace-connections",
                &of_rows(trace_connections(capture, page), 3),
            )
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A table whose first row has the titles; this many columns from the left are names.
fn of_rows(mut rows: Vec<Vec<String>>, names: usize) -> Table {
    let titles = if rows.is_empty() {
        Vec::new()
    } else {
        rows.remove(0)
    };
    let column = |(place, title): (usize, String)| match place < names {
        true => Column::text(title),
        false => Column::number(title),
    };
    Table {
        columns: titles.into_iter().enumerate().map(column).collect(),
        rows,
        note: String::new(),
    }
}
