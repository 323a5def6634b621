//! How is the account of a program's time printed? Where the time went as a bar with its parts, phases, what would help, and threads.

use plumb_model::explain::account::{
    Gain, Part, RequestFigures, ThreadAccount, TimeAccount, WhatIf, Why,
};
use plumb_model::statement::{Statement, Unit};
use plumb_words::numbers::quantity;

use super::layout::{Cells, printable, wrapped};
use super::{Page, Tone};
use crate::wording::{sentence, with_micro_sign};

/// Parts that are listed; the rest is one line.
const PARTS_MAX: usize = 7;
/// Threads that are listed; `--json` has more.
const THREADS_MAX: usize = 8;
/// Phases that are listed.
const PHASES_MAX: usize = 12;
/// A part below this share belongs to the rest.
const SHARE_MIN: f64 = 0.01;
/// Columns of the bar, and how each part looks in it.
const BAR: usize = 60;
const FILLS: [char; PARTS_MAX] = ['█', '▒', '░', '▓', '#', '=', '+'];
const REST: char = '·';

/// The account as text.
pub fn why_text(why: &Why, page: Page) -> String {
    let mut out = page.tone(Tone::Strong, &printable(&why.source)) + "\n";
    out += &wrapped(&ended(why, page), "  ", "  ", page.width);
    out += &wrapped(&sentence(&why.verdict, page.words), "  ", "  ", page.width);
    for doubt in &why.doubts {
        let text = wrapped(&sentence(doubt, page.words), "  ? ", "    ", page.width);
        out += &page.tone(Tone::Warning, text.trim_end());
        out.push('\n');
    }
    let Some(account) = &why.account else {
        return out;
    };
    out += &program(account, page);
    out += &phases(account, page);
    out += &heading("label-why-help", page);
    if why.findings.is_empty() {
        out += &wrapped(
            &page.words.label("label-why-nothing"),
            "  ",
            "  ",
            page.width,
        );
    }
    for (at, finding) in why.findings.iter().enumerate() {
        out += &one(at + 1, finding, page);
    }
    if let Some(proof) = &why.proof {
        out += &heading("label-why-proof", page);
        out += &wrapped(
            &sentence(&proof.statement, page.words),
            "  ",
            "  ",
            page.width,
        );
        if let Some(of) = &proof.gain {
            let line = gain(of, page);
            out += &wrapped(&line, "  ", "    ", page.width);
        }
    }
    out + &threads(account, page)
}

fn heading(label: &'static str, page: Page) -> String {
    format!("\n{}\n", page.tone(Tone::Strong, &page.words.label(label)))
}

fn time(ns: u64) -> String {
    with_micro_sign(&quantity(ns as f64, Unit::Nanoseconds))
}

fn percent(share: f64) -> String {
    quantity(share * 100.0, Unit::Percent)
}

/// How long it took, how it ended, and its threads.
fn ended(why: &Why, page: Page) -> String {
    let span_ns = why.account.as_ref().map_or(0, |account| account.span_ns);
    let statement = match &why.end {
        None => Statement::new("why-span").quantity("elapsed", span_ns as f64, Unit::Nanoseconds),
        Some(end) => {
            let elapsed_ns = end.elapsed_ns as f64;
            match end.status {
                Some(status) => Statement::new("why-ended")
                    .quantity("elapsed", elapsed_ns, Unit::Nanoseconds)
                    .name("status", status.to_string()),
                None => Statement::new("why-ended-by-signal")
                    .quantity("elapsed", elapsed_ns, Unit::Nanoseconds)
                    .name("signal", end.signal.unwrap_or(0).to_string()),
            }
        }
    };
    let mut text = sentence(&statement, page.words);
    if let Some(account) = &why.account {
        let threads = Statement::new("why-threads").count("threads", account.threads_count);
        text += " · ";
        text += &sentence(&threads, page.words);
    }
    text
}

/// The parts that are listed, and the share of the rest.
fn listed(parts: &[Part]) -> (Vec<&Part>, f64) {
    let shown: Vec<&Part> = parts
        .iter()
        .filter(|part| part.share >= SHARE_MIN)
        .take(PARTS_MAX)
        .collect();
    let sum: f64 = shown.iter().map(|part| part.share).sum();
    let all: f64 = parts.iter().map(|part| part.share).sum();
    (shown, (all - sum).max(0.0))
}

/// The program's own time: one bar, and a line for each part.
fn program(account: &TimeAccount, page: Page) -> String {
    let (shown, rest) = listed(&account.program);
    let mut bar = String::new();
    let mut sum = 0.0;
    for (part, fill) in shown.iter().zip(FILLS) {
        sum += part.share;
        let end = (sum * BAR as f64).round() as usize;
        bar.extend(std::iter::repeat_n(
            fill,
            end.saturating_sub(bar.chars().count()),
        ));
    }
    bar.extend(std::iter::repeat_n(
        REST,
        BAR.saturating_sub(bar.chars().count()),
    ));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (part, fill) in shown.iter().zip(FILLS) {
        rows.push(vec![
            fill.to_string(),
            printable(&sentence(&part.named(), page.words)),
            time(part.ns),
            percent(part.share),
            calls(account, part, page),
        ]);
    }
    if rest >= SHARE_MIN / 2.0 {
        rows.push(vec![
            REST.to_string(),
            page.words.label("label-why-rest"),
            time((rest * account.span_ns as f64) as u64),
            percent(rest),
            String::new(),
        ]);
    }
    let mut out = heading("label-why-time", page);
    out += &format!("  {bar}\n");
    for line in Cells(rows).lines(page.width.saturating_sub(2)) {
        out += &format!("  {}\n", line.trim_end());
    }
    out
}

/// The calls behind a part.
fn calls(account: &TimeAccount, part: &Part, page: Page) -> String {
    let is_it = |of: &&RequestFigures| of.activity == part.activity && of.storage == part.storage;
    let Some(of) = account.requests.iter().find(is_it) else {
        return String::new();
    };
    let statement = match (of.p50_ns, of.p99_ns) {
        (Some(p50), Some(p99)) => Statement::new("why-waited")
            .count("waited", of.waited)
            .count("count", of.count)
            .quantity("p50", p50 as f64, Unit::Nanoseconds)
            .quantity("p99", p99 as f64, Unit::Nanoseconds),
        (Some(p50), None) => Statement::new("why-waited-median")
            .count("waited", of.waited)
            .count("count", of.count)
            .quantity("p50", p50 as f64, Unit::Nanoseconds),
        (None, _) => Statement::new("why-not-waited").count("count", of.count),
    };
    sentence(&statement, page.words)
}

fn phases(account: &TimeAccount, page: Page) -> String {
    if account.phases.len() < 2 {
        return String::new();
    }
    let mut out = heading("label-why-phases", page);
    for phase in account.phases.iter().take(PHASES_MAX) {
        let Some(most) = phase.program.first() else {
            continue;
        };
        let statement = Statement::new("why-phase")
            .quantity("begin", phase.begin_ns as f64, Unit::Nanoseconds)
            .quantity("end", phase.end_ns as f64, Unit::Nanoseconds)
            .part("most", most.named())
            .percent("share", most.share * 100.0);
        out += &wrapped(&sentence(&statement, page.words), "  ", "    ", page.width);
    }
    out
}

/// One finding: its number and claim, then one line per gain.
fn one(number: usize, finding: &WhatIf, page: Page) -> String {
    let words = page.words;
    let lead = format!("{number}. ");
    let claim = wrapped(&sentence(&finding.claim, words), &lead, "   ", page.width);
    let mut out = format!("{}\n", page.tone(Tone::Strong, claim.trim_end()));
    for of in &finding.gains {
        out += &wrapped(&gain(of, page), "   ", "     ", page.width);
    }
    let mut line = |label: &str, text: &str| {
        out += &wrapped(&format!("{label}: {text}"), "   ", "     ", page.width);
    };
    line(
        &words.label("label-why-advice"),
        &sentence(&finding.advice, words),
    );
    if let Some(test) = &finding.test {
        line(&words.label("label-why-test"), &printable(test));
    }
    out
}

/// A change and its factor.
fn gain(of: &Gain, page: Page) -> String {
    let factor = Statement::new("why-gain")
        .number("low", of.low)
        .number("high", of.high);
    let change = sentence(&of.change, page.words);
    format!("{change}: {}", sentence(&factor, page.words))
}

fn threads(account: &TimeAccount, page: Page) -> String {
    if account.threads.len() < 2 {
        return String::new();
    }
    let row = |thread: &ThreadAccount| {
        let (shown, _) = listed(&thread.parts);
        let parts = shown.iter().take(3).map(|part| {
            let what = sentence(&part.named(), page.words);
            format!("{what} {}", percent(part.share))
        });
        vec![
            printable(&thread.name),
            time(thread.span_ns),
            printable(&parts.collect::<Vec<_>>().join(", ")),
        ]
    };
    let rows = account.threads.iter().take(THREADS_MAX).map(row).collect();
    let mut out = heading("label-why-threads", page);
    for line in Cells(rows).lines(page.width.saturating_sub(2)) {
        out += &format!("  {}\n", line.trim_end());
    }
    out
}
