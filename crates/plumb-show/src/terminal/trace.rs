//! How is a trace printed? Where the time goes, then tables of the calls, sizes, outstanding calls, and connections.

mod work;

use plumb_model::statement::Unit;
use plumb_model::trace::capture::{CaptureFacts, Connection, Protocol};
use plumb_model::trace::summary::{CallFigures, Outstanding, TraceSummary};
use plumb_words::numbers::{count, number, quantity};

use super::layout::{Cells, printable, wrapped};
use super::{Page, Tone};
use crate::wording::{sentence, with_micro_sign};
pub(crate) use work::{classes, files, slowest, threads};

/// Most connections shown; `--json` has more.
const CONNECTIONS_MAX: usize = 8;
/// Most statuses shown.
const STATUSES_MAX: usize = 8;
/// Most files, threads and slow calls shown; the page and `--json` have more.
const MOST: usize = 5;
/// Placeholder for a missing figure.
const NONE: &str = "-";
/// Levels of the line over time.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The trace as text.
pub fn trace_text(trace: &TraceSummary, page: Page) -> String {
    let mut out = page.tone(Tone::Strong, &printable(&trace.source)) + "\n";
    for statement in &trace.verdict {
        out += &wrapped(&sentence(statement, page.words), "  • ", "    ", page.width);
    }
    for statement in &trace.doubts {
        let text = wrapped(&sentence(statement, page.words), "  ? ", "    ", page.width);
        out += &page.tone(Tone::Warning, text.trim_end());
        out.push('\n');
    }
    out += &table(calls(trace, page), None, page);
    out += &table(statuses(trace, page), Some("label-trace-statuses"), page);
    out += &table(sizes(trace, page), Some("label-trace-sizes"), page);
    for (rows, heading) in [
        (files(trace, MOST, page), "label-trace-files"),
        (threads(trace, MOST, page), "label-trace-threads"),
        (slowest(trace, MOST, page), "label-trace-slowest"),
    ] {
        out += &table(rows, Some(heading), page);
    }
    if let Some(figures) = &trace.outstanding {
        out += &outstanding(figures, page);
    }
    if let Some(capture) = &trace.capture {
        let rows = connections(capture, page);
        out += &table(rows, Some("label-trace-connections"), page);
    }
    out
}

fn time(value: Option<f64>) -> String {
    value.map_or(NONE.into(), |ns| {
        with_micro_sign(&quantity(ns, Unit::Nanoseconds))
    })
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        little if little > 0.0 && little < 0.01 => "<0.01 %".into(),
        percent => quantity(percent, Unit::Percent),
    }
}

fn bytes(value: f64) -> String {
    quantity(value, Unit::Bytes)
}

fn head(columns: &[&'static str], page: Page) -> Vec<String> {
    let words = page.words;
    columns.iter().map(|label| words.label(label)).collect()
}

/// A table with its heading; empty without rows.
fn table(rows: Vec<Vec<String>>, heading: Option<&'static str>, page: Page) -> String {
    if rows.len() < 2 {
        return String::new();
    }
    let mut out = String::from("\n");
    if let Some(heading) = heading {
        out += &page.tone(Tone::Strong, &page.words.label(heading));
        out.push('\n');
    }
    let lines = Cells(rows).lines(page.width.saturating_sub(2));
    for (place, line) in lines.into_iter().enumerate() {
        let line = format!("  {line}");
        out += &match place {
            0 => page.tone(Tone::Quiet, &line),
            _ => line,
        };
        out.push('\n');
    }
    out
}

fn calls(trace: &TraceSummary, page: Page) -> Vec<Vec<String>> {
    let columns = [
        "label-trace-command",
        "label-trace-calls",
        "label-trace-time",
        "label-trace-sum",
        "label-mean",
        "label-trace-median",
    ];
    let mut first = head(&columns, page);
    first.extend(["p90".into(), "p99".into()]);
    first.extend(head(&["label-max", "label-errors"], page));
    let row = |call: &CallFigures| {
        let latency = &call.service_time;
        vec![
            printable(&call.name),
            count(call.count + call.without_time),
            call.time_share.map_or(NONE.into(), percent),
            time((call.count > 0).then_some(call.sum_ns)),
            time(latency.mean),
            time(latency.p50),
            time(latency.p90),
            time(latency.p99),
            time(latency.max),
            match call.without_time {
                0 => count(call.errors),
                _ => NONE.into(),
            },
        ]
    };
    std::iter::once(first)
        .chain(trace.calls.iter().map(row))
        .collect()
}

pub(crate) fn statuses(trace: &TraceSummary, page: Page) -> Vec<Vec<String>> {
    let columns = ["label-trace-status", "label-trace-command", "label-count"];
    let mut found: Vec<_> = trace
        .calls
        .iter()
        .flat_map(|call| call.statuses.iter().map(move |status| (call, status)))
        .collect();
    found.sort_by_key(|(_, status)| std::cmp::Reverse(status.count));
    let rows = found.into_iter().take(STATUSES_MAX).map(|(call, status)| {
        vec![
            printable(&status.status),
            printable(&call.name),
            count(status.count),
        ]
    });
    std::iter::once(head(&columns, page)).chain(rows).collect()
}

pub(crate) fn sizes(trace: &TraceSummary, page: Page) -> Vec<Vec<String>> {
    let columns = [
        "label-trace-command",
        "label-trace-bytes",
        "label-bandwidth",
        "label-mean",
        "label-trace-median",
        "label-trace-largest",
        "label-trace-sequential",
        "label-trace-aligned",
    ];
    let rows = trace.calls.iter().filter_map(|call| {
        let transfer = call.transfer.as_ref()?;
        let of = |part: u64, whole: u64| match whole {
            0 => NONE.to_string(),
            whole => percent(part as f64 / whole as f64),
        };
        let following = transfer.located.saturating_sub(transfer.files);
        Some(vec![
            printable(&call.name),
            bytes(transfer.bytes as f64),
            quantity(transfer.bytes_per_s, Unit::BytesPerSecond),
            bytes(transfer.size.mean),
            bytes(transfer.size.p50 as f64),
            bytes(transfer.size.max as f64),
            of(transfer.sequential, following),
            of(transfer.aligned, transfer.located),
        ])
    });
    std::iter::once(head(&columns, page)).chain(rows).collect()
}

/// Time by number of outstanding calls, and a sparkline over time.
fn outstanding(figures: &Outstanding, page: Page) -> String {
    let mut rows = vec![head(
        &["label-trace-outstanding", "label-trace-share-of-time"],
        page,
    )];
    for (place, (from, share)) in figures.shares.iter().enumerate() {
        let to = match figures.shares.get(place + 1) {
            Some((next, _)) => next - 1,
            None => figures.max.max(*from),
        };
        let name = match to == *from {
            true => count(*from),
            false => format!("{}–{}", count(*from), count(to)),
        };
        // Shares below 0.1 % of the time have no row.
        if *share >= 0.001 {
            rows.push(vec![name, percent(*share)]);
        }
    }
    let mut out = table(rows, None, page);
    if figures.over_time.len() > 1 {
        let label = page.words.label("label-trace-over-time");
        let length = time(Some(figures.interval_ns as f64));
        out += &format!("  {}\n", line_over_time(figures, page.width));
        let note = format!("{label} ({length})");
        out += &page.tone(
            Tone::Quiet,
            wrapped(&note, "  ", "  ", page.width).trim_end(),
        );
        out.push('\n');
    }
    out
}

/// Outstanding calls over time; the highest level is the largest mean.
fn line_over_time(figures: &Outstanding, width: usize) -> String {
    let columns = width.saturating_sub(2).max(1);
    let together = figures.over_time.len().div_ceil(columns).max(1);
    let largest_of = |part: &[plumb_model::trace::summary::Interval]| {
        part.iter().map(|of| of.outstanding).fold(0.0, f64::max)
    };
    let values: Vec<f64> = figures.over_time.chunks(together).map(largest_of).collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    let level = |value: &f64| {
        if *value <= 0.0 || most <= 0.0 {
            return ' ';
        }
        let place = (value / most * LEVELS.len() as f64).ceil() as usize;
        LEVELS[place.clamp(1, LEVELS.len()) - 1]
    };
    let line: String = values.iter().map(level).collect();
    format!("{} ({})", line.trim_end(), number(most))
}

pub(crate) fn connections(capture: &CaptureFacts, page: Page) -> Vec<Vec<String>> {
    let columns = [
        "label-trace-client",
        "label-trace-server",
        "label-trace-dialect",
        "label-trace-round-trip",
        "label-trace-requests",
        "label-trace-to-server",
        "label-trace-to-client",
        "label-trace-credits",
    ];
    let row = |connection: &Connection| {
        let dialect = connection.dialect.as_deref();
        vec![
            printable(&connection.client),
            printable(&connection.server),
            dialect.map_or(NONE.into(), printable),
            time(connection.to_server_ns.map(|ns| ns as f64)),
            count(connection.requests),
            bytes(connection.bytes_to_server as f64),
            bytes(connection.bytes_to_client as f64),
            match connection.protocol {
                Protocol::Smb => count(connection.credits.outstanding_max),
                Protocol::Nfs => NONE.into(),
            },
        ]
    };
    std::iter::once(head(&columns, page))
        .chain(capture.connections.iter().take(CONNECTIONS_MAX).map(row))
        .collect()
}
