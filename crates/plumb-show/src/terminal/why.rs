//! How is the account of a program's time printed? Where the time went as a bar with its parts, phases, what would help, and threads.

use plumb_model::explain::account::{Part, ThreadAccount, TimeAccount, WhatIf, Why};
use plumb_model::run::watch::CommandEnd;
use plumb_model::statement::Unit;
use plumb_words::numbers::quantity;

use super::layout::{Cells, printable, wrapped};
use super::{Page, Tone};
use crate::wording::why::{calls_text, device_text, ended_text, gain_text, phase_text};
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
    out += &wrapped(&ended_text(why, page.words), "  ", "  ", page.width);
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
    for of in &account.devices {
        out += &wrapped(&device_text(of, page.words), "  ", "    ", page.width);
    }
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
        out += &one(at + 1, finding, why.end.as_ref(), page);
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
            let line = gain_text(of, why.end.as_ref(), page.words);
            out += &wrapped(&line, "  ", "    ", page.width);
        }
        if let Some(of) = &proof.cached {
            let line = sentence(&of.statement, page.words);
            out += &wrapped(&line, "  ", "    ", page.width);
        }
    }
    if let Some(of) = &why.against {
        out += &heading("label-why-against", page);
        out += &wrapped(&printable(&of.command), "  ", "  ", page.width);
        out += &wrapped(
            &sentence(&of.statement, page.words),
            "  ",
            "    ",
            page.width,
        );
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
            calls_text(account, part, page.words),
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

fn phases(account: &TimeAccount, page: Page) -> String {
    if account.phases.len() < 2 {
        return String::new();
    }
    let mut out = heading("label-why-phases", page);
    for phase in account.phases.iter().take(PHASES_MAX) {
        let Some(text) = phase_text(phase, page.words) else {
            continue;
        };
        out += &wrapped(&text, "  ", "    ", page.width);
    }
    out
}

/// One finding: its number and claim, then one line per gain.
fn one(number: usize, finding: &WhatIf, end: Option<&CommandEnd>, page: Page) -> String {
    let words = page.words;
    let lead = format!("{number}. ");
    let claim = wrapped(&sentence(&finding.claim, words), &lead, "   ", page.width);
    let mut out = format!("{}\n", page.tone(Tone::Strong, claim.trim_end()));
    for of in &finding.gains {
        out += &wrapped(&gain_text(of, end, page.words), "   ", "     ", page.width);
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
