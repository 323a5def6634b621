//! What does the terminal say of an explanation? Each finding with all that is to be known of it, then what was not judged, and the second recording.

use plumb_model::explain::conclusion::{Change, Explained, Explanation};
use plumb_model::explain::observed::Observed;
use plumb_model::results::finding::Evidence;
use plumb_model::statement::{Statement, Unit};
use plumb_words::numbers::quantity;

use super::layout::{printable, wrapped};
use super::{Page, Tone};
use crate::wording::{sentence, with_micro_sign};

/// The whole explanation as text.
pub fn explained_text(explained: &Explained, page: Page) -> String {
    let observed = &explained.observed;
    let place = observed.place.as_deref().unwrap_or(&observed.source);
    let mut out = page.tone(Tone::Strong, &printable(place)) + "\n";
    out += &figures(observed, page);
    if !explained.withheld.is_empty() {
        out += &heading("label-explain-withheld", page);
        for said in &explained.withheld {
            let text = wrapped(&sentence(said, page.words), "  ? ", "    ", page.width);
            out += &page.tone(Tone::Warning, text.trim_end());
            out.push('\n');
        }
    } else if explained.findings.is_empty() {
        let said = sentence(&Statement::new("explain-nothing"), page.words);
        out += &wrapped(&said, "  ", "  ", page.width);
    }
    for (place, finding) in explained.findings.iter().enumerate() {
        out += &one(place + 1, finding, observed, page);
    }
    if let Some(proof) = &explained.proof {
        out += &heading("label-explain-proof", page);
        for said in &proof.said {
            out += &wrapped(&sentence(said, page.words), "  • ", "    ", page.width);
        }
        out += &wrapped(&printable(&proof.folder), "  ", "  ", page.width);
    }
    out += &abstained(explained, page);
    if let Some(second) = &explained.second {
        out += &heading("label-explain-second", page);
        out += &figures(&second.observed, page);
        for said in &second.said {
            out += &wrapped(&sentence(said, page.words), "  • ", "    ", page.width);
        }
    }
    out
}

fn heading(label: &'static str, page: Page) -> String {
    format!("\n{}\n", page.tone(Tone::Strong, &page.words.label(label)))
}

fn shown(value: f64, unit: Unit) -> String {
    with_micro_sign(&quantity(value, unit))
}

/// The figures that are known, in one line.
fn figures(observed: &Observed, page: Page) -> String {
    let words = page.words;
    let named = |value: Option<String>, label: Statement| {
        value.map(|value| format!("{} {value}", sentence(&label, words)))
    };
    let parts = [
        named(
            observed
                .requests_per_s
                .map(|rate| format!("{}/s", shown(rate, Unit::PerSecond))),
            Statement::new("explain-figure-requests"),
        ),
        named(
            observed
                .bytes_per_s
                .map(|bytes| shown(bytes, Unit::BytesPerSecond)),
            Statement::new("explain-figure-bytes"),
        ),
        named(
            observed
                .bytes_per_request
                .map(|bytes| shown(bytes, Unit::Bytes)),
            Statement::new("explain-figure-size"),
        ),
        named(
            observed.request_ns.map(|ns| shown(ns, Unit::Nanoseconds)),
            Statement::new("explain-figure-time"),
        ),
        named(
            observed
                .outstanding
                .map(|mean| page.words.argument(&mean.into())),
            Statement::new("explain-figure-outstanding"),
        ),
    ];
    let known: Vec<String> = parts.into_iter().flatten().collect();
    wrapped(&printable(&known.join(" · ")), "  ", "  ", page.width)
}

/// One finding: its number and claim, then a line for each thing that is to be known of it.
fn one(number: usize, finding: &Explanation, observed: &Observed, page: Page) -> String {
    let words = page.words;
    let claim = wrapped(
        &sentence(&finding.claim, words),
        &format!("{number}. "),
        "   ",
        page.width,
    );
    let mut out = format!("\n{}\n", page.tone(Tone::Strong, claim.trim_end()));
    let mut line = |label: &'static str, text: String| {
        let label = page.words.label(label);
        out += &wrapped(&format!("{label}: {text}"), "   ", "     ", page.width);
    };
    let time = Statement::new("explain-time")
        .time_ns("seconds", finding.seconds * 1e9)
        .time_ns("span", observed.span_ns as f64)
        .percent("share", finding.time_share * 100.0);
    line("label-explain-time", sentence(&time, words));
    line("label-explain-evidence", evidence(&finding.evidence, page));
    for said in &finding.ruled_out {
        line("label-explain-ruled-out", sentence(said, words));
    }
    line("label-explain-advice", sentence(&finding.advice, words));
    line(
        "label-explain-predicted",
        predicted(finding, observed, page),
    );
    line("label-explain-next", sentence(&finding.next_limit, words));
    line("label-explain-experiment", printable(&finding.experiment));
    line(
        "label-explain-refuted",
        sentence(&finding.refuted_by, words),
    );
    out
}

/// All figures, then where they come from: it is the same for all of one finding.
fn evidence(all: &[Evidence], page: Page) -> String {
    let words = page.words;
    let one = |of: &Evidence| format!("{} {}", words.argument(&of.value), words.argument(&of.what));
    let mut text = all.iter().map(one).collect::<Vec<_>>().join("; ");
    if let Some(first) = all.first() {
        text += &format!(" ({})", words.sentence(&first.source));
    }
    with_micro_sign(&printable(&text))
}

fn change(of: &Change) -> Statement {
    match *of {
        Change::Outstanding { to, .. } => {
            Statement::new("explain-change-outstanding").number("to", to)
        }
        Change::NoPauses => Statement::new("explain-change-no-pauses"),
        Change::NoMetadata => Statement::new("explain-change-no-metadata"),
        Change::NoRoundTrip => Statement::new("explain-change-no-round-trip"),
        Change::Credits { times } => {
            Statement::new("explain-change-credits").quantity("times", times, Unit::Times)
        }
        Change::FlushesTogether { flushes } => {
            Statement::new("explain-change-flushes").number("flushes", flushes)
        }
    }
}

fn predicted(finding: &Explanation, observed: &Observed, page: Page) -> String {
    let prediction = &finding.prediction;
    let rate = |factor: f64| prediction.requests_per_s * factor;
    let mut text = sentence(
        &Statement::new("explain-predicted")
            .part("change", change(&prediction.change))
            .quantity("low", rate(prediction.low), Unit::PerSecond)
            .quantity("high", rate(prediction.high), Unit::PerSecond)
            .quantity("today", rate(1.0), Unit::PerSecond)
            .quantity("least", prediction.low, Unit::Times)
            .quantity("greatest", prediction.high, Unit::Times),
        page.words,
    );
    if let Some(bytes) = observed.bytes_per_s {
        let said = Statement::new("explain-predicted-bytes")
            .quantity("low", bytes * prediction.low, Unit::BytesPerSecond)
            .quantity("high", bytes * prediction.high, Unit::BytesPerSecond);
        text += &format!(" {}", sentence(&said, page.words));
    }
    text
}

/// Rules that lacked something. What several lack is said once.
fn abstained(explained: &Explained, page: Page) -> String {
    if explained.abstained.is_empty() {
        return String::new();
    }
    let mut by_lack: Vec<(String, Vec<&str>)> = Vec::new();
    for of in &explained.abstained {
        for missing in &of.missing {
            let text = sentence(missing, page.words);
            match by_lack.iter_mut().find(|(said, _)| *said == text) {
                Some((_, rules)) => rules.push(&of.rule),
                None => by_lack.push((text, vec![&of.rule])),
            }
        }
    }
    let mut out = heading("label-explain-abstained", page);
    for (text, rules) in by_lack {
        let line = format!("{}: {text}", rules.join(", "));
        out += &wrapped(&line, "  ? ", "    ", page.width);
    }
    out
}
