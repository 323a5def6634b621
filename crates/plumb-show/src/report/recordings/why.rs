//! What is on the page of a program's time? Where it went, what would help, and each thread.

use std::fmt::Write;

use plumb_model::explain::account::{Part, RequestFigures, TimeAccount, WhatIf, Why};
use plumb_model::explain::conclusion::ProofState;
use plumb_model::run::watch::CommandEnd;
use plumb_model::statement::Statement;
use plumb_model::trace::summary::TraceSummary;
use plumb_words::Words;
use plumb_words::numbers::count;

use super::traced;
use crate::escape::escape;
use crate::explain_figures::time_of_threads;
use crate::figure::{Column, Table, latency_text, percent_text};
use crate::report::page::{Drawn, PageFrame};
use crate::report::tables;
use crate::wording::why::{calls_text, device_text, ended_text, gain_text, phase_text};
use crate::wording::{MISSING, sentence};

/// The page: one self-contained file. `trace` has the calls of the same recording; a stored explanation has none.
pub fn why_html(why: &Why, trace: Option<&TraceSummary>, words: Words) -> String {
    let title = Statement::new("why-page-title").name("source", &why.source);
    let footer = Statement::new("explain-page-footer").name("version", &why.plumb_version);
    let account = why.account.as_ref();
    let mut figures: Vec<_> = account
        .and_then(|account| time_of_threads(account, words))
        .into_iter()
        .collect();
    figures.extend(
        trace
            .map(|trace| traced::figures(trace, words))
            .unwrap_or_default(),
    );
    let drawn = Drawn::new(&figures, words);
    PageFrame {
        words,
        title: words.sentence(&title),
        plumb_version: &why.plumb_version,
        header: format!(
            "<p class=\"what\">{}</p>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n",
            escape(&words.label("label-why-page")),
            escape(&why.source),
            escape(&ended_text(why, words))
        ),
        summary: String::new(),
        sections: vec![
            ("verdict", "label-verdict", verdict(why, words)),
            ("chart", "", drawn.first),
            ("findings", "label-why-help", findings(why, words)),
            ("proof", "label-why-proof", proof(why, words)),
            ("against", "label-why-against", against(why, words)),
            (
                "time",
                "label-why-time",
                account.map_or_else(String::new, |account| parts(account, words)),
            ),
            (
                "phases",
                "label-why-phases",
                account.map_or_else(String::new, |account| phases(account, words)),
            ),
            ("figures", "label-figures", drawn.rest),
            (
                "tables",
                "label-all-figures",
                account.map_or_else(String::new, |account| requests(account, words))
                    + &trace.map_or_else(String::new, |trace| traced::all_tables(trace, words)),
            ),
        ],
        footer: escape(&words.sentence(&footer)),
    }
    .html()
}

fn verdict(why: &Why, words: Words) -> String {
    let mut out = format!("<p>{}</p>\n", escape(&sentence(&why.verdict, words)));
    for doubt in &why.doubts {
        let text = escape(&sentence(doubt, words));
        let _ = writeln!(out, "<p class=\"state\">{text}</p>");
    }
    out
}

fn findings(why: &Why, words: Words) -> String {
    if why.account.is_none() {
        return String::new();
    }
    if why.findings.is_empty() {
        return format!("<p>{}</p>\n", escape(&words.label("label-why-nothing")));
    }
    let all = why.findings.iter().enumerate();
    all.map(|(place, finding)| article(place + 1, finding, why.end.as_ref(), words))
        .collect()
}

fn article(number: usize, finding: &WhatIf, end: Option<&CommandEnd>, words: Words) -> String {
    let mut out = format!(
        "<article class=\"finding is-{}\">\n<h3><span class=\"badge\">{number}</span> {}</h3>\n<dl class=\"method\">",
        if number == 1 { "warning" } else { "note" },
        escape(&sentence(&finding.claim, words))
    );
    let mut row = |label: &'static str, html: String| {
        let label = escape(&words.label(label));
        let _ = write!(out, "<div><dt>{label}</dt><dd>{html}</dd></div>");
    };
    for gain in &finding.gains {
        row("label-why-gain", escape(&gain_text(gain, end, words)));
    }
    let advice = escape(&sentence(&finding.advice, words));
    row("label-why-advice", format!("<b>{advice}</b>"));
    if let Some(test) = &finding.test {
        row("label-why-test", format!("<code>{}</code>", escape(test)));
    }
    out + "</dl>\n</article>\n"
}

/// The result of `--prove`, in the color of its state.
fn proof(why: &Why, words: Words) -> String {
    let end = why.end.as_ref();
    let Some(proof) = &why.proof else {
        return String::new();
    };
    let class = match proof.state {
        ProofState::Proven => "better",
        ProofState::Refuted => "worse",
        ProofState::Undecided => "undecided",
    };
    let mut out = format!(
        "<p class=\"v-{class}\">{}</p>\n",
        escape(&sentence(&proof.statement, words))
    );
    if let Some(gain) = &proof.gain {
        let _ = writeln!(out, "<p>{}</p>", escape(&gain_text(gain, end, words)));
    }
    if let Some(cached) = &proof.cached {
        let text = sentence(&cached.statement, words);
        let _ = writeln!(out, "<p>{}</p>", escape(&text));
    }
    out
}

/// The changed command beside the program, and run times of both.
fn against(why: &Why, words: Words) -> String {
    let Some(of) = &why.against else {
        return String::new();
    };
    let rounds = of.before_ns.iter().zip(&of.after_ns).enumerate();
    let row = |(round, (before, after)): (usize, (&u64, &u64))| {
        let times = [before, after].map(|ns| latency_text(*ns as f64));
        std::iter::once((round + 1).to_string())
            .chain(times)
            .collect()
    };
    let table = Table {
        columns: vec![
            Column::text(words.label("label-round")),
            Column::number(words.label("label-why-program")),
            Column::number(words.label("label-why-against")),
        ],
        rows: rounds.map(row).collect(),
        note: String::new(),
    };
    format!(
        "<p><code>{}</code></p>\n<p>{}</p>\n{}",
        escape(&of.command),
        escape(&sentence(&of.statement, words)),
        tables::html(&table)
    )
}

/// The program's own time, a row for each part.
fn parts(account: &TimeAccount, words: Words) -> String {
    let row = |part: &Part| {
        vec![
            sentence(&part.named(), words),
            latency_text(part.ns as f64),
            percent_text(part.share * 100.0),
            calls_text(account, part, words),
        ]
    };
    let table = Table {
        columns: vec![
            Column::text(words.label("label-why-activity")),
            Column::number(words.label("label-why-spent")),
            Column::number(words.label("label-why-share")),
            Column::prose(words.label("label-trace-calls")),
        ],
        rows: account.program.iter().map(row).collect(),
        note: words.label("label-why-time-note"),
    };
    let devices = account.devices.iter();
    let devices: String = devices
        .map(|of| format!("<p>{}</p>\n", escape(&device_text(of, words))))
        .collect();
    tables::html(&table) + &devices
}

fn phases(account: &TimeAccount, words: Words) -> String {
    if account.phases.len() < 2 {
        return String::new();
    }
    let texts = account
        .phases
        .iter()
        .filter_map(|phase| phase_text(phase, words));
    let items: String = texts
        .map(|text| format!("<li>{}</li>\n", escape(&text)))
        .collect();
    format!("<ul class=\"notes\">\n{items}</ul>\n")
}

/// The calls on storage by kind and file system, folded.
fn requests(account: &TimeAccount, words: Words) -> String {
    let time = |ns: Option<u64>| ns.map_or_else(|| MISSING.into(), |ns| latency_text(ns as f64));
    let row = |of: &RequestFigures| {
        vec![
            of.storage.clone().unwrap_or_else(|| MISSING.into()),
            of.call.clone(),
            count(of.count),
            count(of.waited),
            latency_text(of.waited_ns as f64),
            time(of.p50_ns),
            time(of.p99_ns),
            latency_text(of.cpu_ns as f64),
        ]
    };
    let table = Table {
        columns: vec![
            Column::text(words.label("label-why-storage")),
            Column::text(words.label("label-trace-command")),
            Column::number(words.label("label-trace-calls")),
            Column::number(words.label("label-why-waited")),
            Column::number(words.label("label-why-waited-time")),
            Column::number(words.label("label-trace-median")),
            Column::number("p99"),
            Column::number(words.label("label-why-cpu-time")),
        ],
        rows: account.requests.iter().map(row).collect(),
        note: String::new(),
    };
    tables::folded(&words.label("label-why-requests"), &table, true)
}
