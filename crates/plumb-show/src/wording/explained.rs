//! How is an explanation written as text, for the page and the terminal?

use plumb_model::explain::conclusion::{Abstention, Change, Explanation};
use plumb_model::explain::observed::Observed;
use plumb_model::statement::{Statement, Unit};
use plumb_words::Words;
use plumb_words::numbers::quantity;

use super::{sentence, with_micro_sign};

fn shown(value: f64, unit: Unit) -> String {
    with_micro_sign(&quantity(value, unit))
}

/// The known figures, each with its name.
pub fn known_figures(observed: &Observed, words: Words) -> Vec<String> {
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
                .map(|mean| words.argument(&mean.into())),
            Statement::new("explain-figure-outstanding"),
        ),
    ];
    parts.into_iter().flatten().collect()
}

/// The file of the figures, and the window in it.
pub fn window_text(observed: &Observed, words: Words) -> String {
    let window = Statement::new("explain-page-window")
        .name("file", &observed.source)
        .time_ns("begin", observed.begin_ns as f64)
        .time_ns("end", (observed.begin_ns + observed.span_ns) as f64);
    sentence(&window, words)
}

/// How much of the window a finding explains.
pub fn time_text(finding: &Explanation, observed: &Observed, words: Words) -> String {
    let time = Statement::new("explain-time")
        .time_ns("seconds", finding.seconds * 1e9)
        .time_ns("span", observed.span_ns as f64)
        .percent("share", finding.time_share * 100.0);
    sentence(&time, words)
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
        Change::RequestBytes { to, .. } => {
            Statement::new("explain-change-size").quantity("bytes", to, Unit::Bytes)
        }
        Change::Connections { times } => {
            Statement::new("explain-change-connections").quantity("times", times, Unit::Times)
        }
    }
}

/// The prediction of a finding, in requests and in bytes.
pub fn predicted_text(finding: &Explanation, observed: &Observed, words: Words) -> String {
    let prediction = &finding.prediction;
    if matches!(prediction.change, Change::RequestBytes { .. }) {
        return predicted_bytes(finding, observed, words);
    }
    let rate = |factor: f64| prediction.requests_per_s * factor;
    let requests = sentence(
        &Statement::new("explain-predicted")
            .part("change", change(&prediction.change))
            .quantity("low", rate(prediction.low), Unit::PerSecond)
            .quantity("high", rate(prediction.high), Unit::PerSecond)
            .quantity("today", rate(1.0), Unit::PerSecond)
            .quantity("least", prediction.low, Unit::Times)
            .quantity("greatest", prediction.high, Unit::Times),
        words,
    );
    let bytes = observed.bytes_per_s.map(|bytes| {
        let statement = Statement::new("explain-predicted-bytes")
            .quantity("low", bytes * prediction.low, Unit::BytesPerSecond)
            .quantity("high", bytes * prediction.high, Unit::BytesPerSecond);
        sentence(&statement, words)
    });
    words.sentences([Some(requests), bytes])
}

/// The prediction for larger requests: in bytes only.
fn predicted_bytes(finding: &Explanation, observed: &Observed, words: Words) -> String {
    let prediction = &finding.prediction;
    let today = observed.bytes_per_s.unwrap_or(0.0);
    let rate = |factor: f64| today * factor;
    let statement = Statement::new("explain-predicted-size")
        .part("change", change(&prediction.change))
        .quantity("low", rate(prediction.low), Unit::BytesPerSecond)
        .quantity("high", rate(prediction.high), Unit::BytesPerSecond)
        .quantity("today", today, Unit::BytesPerSecond)
        .quantity("least", prediction.low, Unit::Times)
        .quantity("greatest", prediction.high, Unit::Times);
    sentence(&statement, words)
}

/// Missing data, each with the rules that lack it.
pub fn lacks(abstained: &[Abstention], words: Words) -> Vec<(String, Vec<&str>)> {
    let mut by_lack: Vec<(String, Vec<&str>)> = Vec::new();
    for of in abstained {
        for missing in &of.missing {
            let text = sentence(missing, words);
            match by_lack.iter_mut().find(|(known, _)| *known == text) {
                Some((_, rules)) => rules.push(&of.rule),
                None => by_lack.push((text, vec![&of.rule])),
            }
        }
    }
    by_lack
}
