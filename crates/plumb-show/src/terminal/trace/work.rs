//! Which threads and files does a trace contain, for the terminal and the page? Tables of classes of calls, files, threads and slowest calls.

use plumb_model::trace::events::CallClass;
use plumb_model::trace::summary::TraceSummary;
use plumb_model::trace::work::{ClassFigures, FileFigures, FileTotals, SlowCall, ThreadFigures};
use plumb_words::numbers::count;

use super::{NONE, bytes, head, percent, printable, time};
use crate::terminal::Page;

/// Reads, writes and other classes.
pub(crate) fn classes(trace: &TraceSummary, page: Page) -> Vec<Vec<String>> {
    let columns = [
        "label-trace-class",
        "label-trace-calls",
        "label-trace-of-calls",
        "label-trace-bytes",
        "label-trace-time",
        "label-trace-sum",
    ];
    let row = |of: &ClassFigures| {
        let is_moving = matches!(of.class, CallClass::Read | CallClass::Write);
        vec![
            page.words.label(match of.class {
                CallClass::Read => "label-trace-reads",
                CallClass::Write => "label-trace-writes",
                CallClass::Metadata => "label-trace-metadata",
                CallClass::Session => "label-trace-sessions",
                CallClass::Wait => "label-trace-waits",
            }),
            count(of.count),
            of.count_share.map_or(NONE.into(), percent),
            match is_moving {
                true => bytes(of.bytes as f64),
                false => NONE.into(),
            },
            of.time_share.map_or(NONE.into(), percent),
            time((of.sum_ns > 0.0).then_some(of.sum_ns)),
        ]
    };
    let rows = trace.mix.iter().map(row);
    std::iter::once(head(&columns, page)).chain(rows).collect()
}

/// The files with the most time, the sum of the others, and calls without a file; empty if no file has a name.
pub(crate) fn files(trace: &TraceSummary, most: usize, page: Page) -> Vec<Vec<String>> {
    let Some(files) = trace.files.as_ref().filter(|files| files.named > 0) else {
        return Vec::new();
    };
    let columns = [
        "label-trace-file",
        "label-trace-opens",
        "label-trace-calls",
        "label-trace-time",
        "label-trace-sum",
        "label-trace-read",
        "label-trace-written",
        "label-trace-sequential",
    ];
    let row = |name: String, opens: Option<u64>, totals: &FileTotals| {
        vec![
            name,
            opens.map_or(NONE.into(), count),
            count(totals.calls),
            totals.time_share.map_or(NONE.into(), percent),
            time((totals.sum_ns > 0.0).then_some(totals.sum_ns)),
            bytes(totals.read_bytes as f64),
            bytes(totals.written_bytes as f64),
            totals.sequential_share().map_or(NONE.into(), percent),
        ]
    };
    let unnamed = || page.words.label("label-trace-unnamed");
    let name = |file: &FileFigures| file.name.as_deref().map_or_else(unnamed, printable);
    let told = files.most.iter().take(most);
    let mut rows = vec![head(&columns, page)];
    rows.extend(told.map(|file| row(name(file), Some(file.opens), &file.totals)));
    let mut rest = files.rest;
    for file in files.most.iter().skip(most) {
        rest = together(&rest, &file.totals);
    }
    for (label, totals) in [
        ("label-trace-other-files", rest),
        ("label-trace-no-file", files.without_file),
    ] {
        if totals.calls > 0 {
            rows.push(row(page.words.label(label), None, &totals));
        }
    }
    rows
}

/// Totals over the distinct files.
fn together(a: &FileTotals, b: &FileTotals) -> FileTotals {
    FileTotals {
        calls: a.calls + b.calls,
        read_bytes: a.read_bytes.saturating_add(b.read_bytes),
        written_bytes: a.written_bytes.saturating_add(b.written_bytes),
        sum_ns: a.sum_ns + b.sum_ns,
        time_share: a.time_share.zip(b.time_share).map(|(a, b)| a + b),
        following: a.following + b.following,
        sequential: a.sequential + b.sequential,
    }
}

/// The busiest threads; empty if there is only one.
pub(crate) fn threads(trace: &TraceSummary, most: usize, page: Page) -> Vec<Vec<String>> {
    let Some(threads) = trace.threads.as_ref().filter(|of| of.count > 1) else {
        return Vec::new();
    };
    let columns = [
        "label-trace-thread",
        "label-trace-calls",
        "label-trace-busy",
        "label-trace-sum",
        "label-trace-thread-span",
    ];
    let row = |of: &ThreadFigures| {
        vec![
            printable(&of.name),
            count(of.calls),
            of.busy_share.map_or(NONE.into(), percent),
            time(of.busy_ns),
            time(Some(of.span_ns as f64)),
        ]
    };
    let mut rows = vec![head(&columns, page)];
    rows.extend(threads.most.iter().take(most).map(row));
    let further = threads.most.get(most..).unwrap_or_default();
    let calls = threads.rest_calls + further.iter().map(|of| of.calls).sum::<u64>();
    let busy_ns = further.iter().filter_map(|of| of.busy_ns).sum::<f64>() + threads.rest_busy_ns;
    if calls > 0 {
        let others = page.words.label("label-trace-other-threads");
        let sum = time((busy_ns > 0.0).then_some(busy_ns));
        rows.push(vec![others, count(calls), NONE.into(), sum, NONE.into()]);
    }
    rows
}

/// The slowest calls.
pub(crate) fn slowest(trace: &TraceSummary, most: usize, page: Page) -> Vec<Vec<String>> {
    let columns = [
        "label-trace-file",
        "label-trace-command",
        "label-trace-after",
        "label-trace-took",
        "label-trace-thread",
        "label-trace-offset",
        "label-trace-size",
        "label-trace-answer",
    ];
    let row = |of: &SlowCall| {
        let text = |text: Option<&String>| text.map_or(NONE.into(), |text| printable(text));
        let moved = || of.moved_bytes.map(|moved| bytes(moved as f64));
        vec![
            text(of.file.as_ref()),
            printable(&of.call),
            time(Some(of.after_ns as f64)),
            time(Some(of.service_ns as f64)),
            text(of.thread.as_ref()),
            of.offset.map_or(NONE.into(), count),
            of.bytes.map_or(NONE.into(), |size| bytes(size as f64)),
            match &of.status {
                Some(status) => printable(status),
                None => moved().unwrap_or(NONE.into()),
            },
        ]
    };
    let rows = trace.slowest.iter().take(most).map(row);
    std::iter::once(head(&columns, page)).chain(rows).collect()
}
