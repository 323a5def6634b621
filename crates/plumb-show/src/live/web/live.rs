//! What is the state of a running run? The last interval, recent history, and finished steps; read from the growing record.

use std::fmt::Write;

use plumb_model::run::INCOMPLETE;
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_bytes;

use super::frame::{Site, page};
use crate::chart::time_axis;
use crate::escape::escape;
use crate::figure::{Axis, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table};
use crate::live::{FinishedStep, LivePoint, LiveState};
use crate::svg;
use crate::wording::{ends_text, sentence};

/// Finished steps shown: a run may have thousands.
const FINISHED_MAX: usize = 100;

/// A run that is followed.
#[derive(Debug, Clone, Copy)]
pub struct LivePage<'a> {
    pub key: &'a str,
    pub live: &'a LiveState,
    /// `finished`, `interrupted` or `incomplete`.
    pub state: &'a str,
    /// The run is still running.
    pub is_recorded_now: bool,
    /// It was started by this server, and the browser may stop it.
    pub may_stop: bool,
}

/// The page.
pub fn live_html(site: Site, of: LivePage) -> String {
    let words = site.words;
    let title = words.sentence(
        &Statement::new("web-live-title")
            .name("plan", &of.live.plan)
            .name("target", &of.live.target),
    );
    let stop = if of.may_stop && of.state == INCOMPLETE {
        stop_button(site)
    } else {
        String::new()
    };
    let body = format!(
        "{stop}<div data-again=\"/run/{0}/part\">\n{1}</div>\n<p class=\"note\">{2}</p>\n<noscript><p class=\"note\">{3}</p></noscript>\n",
        escape(of.key),
        live_part(of, words),
        escape(&words.label("label-web-live-note")),
        escape(&words.label("label-web-live-needs-script")),
    );
    page(site, &title, &body)
}

/// A page that the script refreshes every second until it redirects.
pub fn waiting_html(site: Site, message: &str, address: &str) -> String {
    let title = site.words.label("label-web-being-prepared");
    let stop = stop_button(site);
    let part = format!("<p class=\"state\">{}</p>\n", escape(message));
    page(
        site,
        &title,
        &format!(
            "<div data-again=\"{0}\" data-whole>{part}</div>\n{stop}",
            escape(address)
        ),
    )
}

/// A button that stops the run of this server.
fn stop_button(site: Site) -> String {
    match site.key {
        Some(_) => format!(
            "<p class=\"actions\"><button data-post=\"/stop\">{}</button></p>\n<p class=\"state doubt\" data-answer hidden></p>\n",
            escape(&site.words.label("label-web-stop"))
        ),
        None => String::new(),
    }
}

/// The part of it that is refreshed.
pub fn live_part(of: LivePage, words: Words) -> String {
    let LivePage {
        key,
        live,
        state,
        is_recorded_now,
        ..
    } = of;
    let mut out = String::new();
    if state != INCOMPLETE {
        let label = if state == "finished" {
            "label-web-ended"
        } else {
            "label-web-ended-early"
        };
        let _ = writeln!(
            out,
            "<p class=\"state\" data-end>{} <a href=\"/run/{}\">{}</a></p>",
            escape(&words.label(label)),
            escape(key),
            escape(&words.label("label-web-report"))
        );
    }
    if state == INCOMPLETE && !is_recorded_now {
        let _ = writeln!(
            out,
            "<p class=\"state\">{}</p>",
            escape(&words.label("label-web-stands-still"))
        );
    }
    if state == INCOMPLETE {
        out += &standing(live, words);
        out += &now(live, words);
    }
    out.push_str("<div class=\"courses\">\n");
    for figure in figures(live, words) {
        let _ = writeln!(
            out,
            "<figure>\n<h3>{}</h3>\n<div class=\"drawing\">{}</div>\n</figure>",
            escape(&figure.title),
            svg::inline(&figure)
        );
    }
    out.push_str("</div>\n");
    out += &finished(live, words);
    for warning in live.warnings.iter().rev().take(5) {
        let statement = Statement::new("live-warning").part("text", warning.clone());
        let _ = writeln!(
            out,
            "<p class=\"doubt\">{}</p>",
            escape(&words.sentence(&statement))
        );
    }
    out
}

/// Step, progress, and load.
fn standing(live: &LiveState, words: Words) -> String {
    let mut parts = Vec::new();
    if live.step_number > 0 {
        parts.push(live.step.clone());
        if live.steps > 1 {
            parts.push(
                words.sentence(
                    &Statement::new("live-step-of")
                        .count("step", u64::from(live.step_number))
                        .count("steps", u64::from(live.steps)),
                ),
            );
        }
        if live.rounds > 1 {
            parts.push(
                words.sentence(
                    &Statement::new("live-round-of")
                        .count("round", u64::from(live.round))
                        .count("rounds", u64::from(live.rounds)),
                ),
            );
        }
    }
    parts.extend(live.phase.as_ref().map(|phase| sentence(phase, words)));
    parts.push(words.sentence(&live.time()));
    let text: Vec<String> = parts.iter().map(|part| escape(part)).collect();
    let mut out = format!("<p class=\"standing\">{}</p>\n", text.join(" · "));
    if let Some(done) = live.done {
        let _ = writeln!(
            out,
            "<progress max=\"1\" value=\"{:.4}\"></progress>",
            done.clamp(0.0, 1.0)
        );
    }
    if let Some(load) = &live.load {
        let _ = writeln!(
            out,
            "<p class=\"note\">{}</p>",
            escape(&sentence(load, words))
        );
    }
    out
}

/// The figures of the last interval, large.
fn now(live: &LiveState, words: Words) -> String {
    let LivePoint {
        iops,
        bandwidth_bytes_per_s,
        p50_ns,
        p99_ns,
        time_s,
        ..
    } = &live.now;
    let tile = |id: &str, quantity: Quantity, value: Option<f64>| {
        let text = value.map_or_else(|| "–".to_string(), |value| quantity.text(value));
        format!(
            "<div><dt>{}</dt><dd>{}</dd></div>\n",
            escape(&words.label(id)),
            escape(&text)
        )
    };
    let moved = Statement::new("live-moved")
        .name("read", show_bytes(live.read_bytes as f64))
        .name("written", show_bytes(live.written_bytes as f64));
    let mut below = words.sentence(&moved);
    if live.errors > 0 {
        below += &format!(
            " · {}",
            words.sentence(&Statement::new("live-errors").count("count", live.errors))
        );
    }
    format!(
        "<dl class=\"now\" data-at=\"{time_s:.3}\">\n{}{}{}{}</dl>\n<p class=\"note\">{}</p>\n",
        tile("label-web-now-iops", Quantity::OperationsPerSecond, *iops),
        tile(
            "label-web-now-bandwidth",
            Quantity::Bandwidth,
            *bandwidth_bytes_per_s
        ),
        tile("label-web-now-p50", Quantity::Latency, *p50_ns),
        tile("label-web-now-p99", Quantity::Latency, *p99_ns),
        escape(&below)
    )
}

/// Charts of the last intervals.
fn figures(live: &LiveState, words: Words) -> Vec<Figure> {
    if live.history.len() < 2 {
        return Vec::new();
    }
    let line = |name: String, hue: usize, value: fn(&LivePoint) -> Option<f64>| Mark::Line {
        name,
        hue,
        stroke: Stroke::Solid,
        points: live
            .history
            .iter()
            .map(|point| Point {
                x: point.time_s,
                y: value(point),
                ..Point::default()
            })
            .collect(),
        dots: false,
        ringed: None,
    };
    let figure = |name: &'static str,
                  title: &str,
                  label: String,
                  quantity: Quantity,
                  scale: Scale,
                  marks: Vec<Mark>| Figure {
        name,
        title: words.label(title),
        caption: String::new(),
        x: time_axis(words),
        y: Axis {
            label,
            quantity,
            scale,
        },
        marks,
        naming: Naming::Direct,
        alternative: words.label(title),
        table: Table::default(),
    };
    vec![
        figure(
            "live_throughput",
            "label-throughput-over-time",
            words.label("label-operations-per-second"),
            Quantity::OperationsPerSecond,
            Scale::Linear,
            vec![line(String::new(), 0, |point| point.iops)],
        ),
        figure(
            "live_latency",
            "label-latency-over-time",
            words.label("label-response-time-logarithmic"),
            Quantity::Latency,
            Scale::Logarithmic,
            vec![
                line("p50".into(), 2, |point| point.p50_ns),
                line("p99".into(), 3, |point| point.p99_ns),
            ],
        ),
    ]
}

/// Finished steps, newest first.
fn finished(live: &LiveState, words: Words) -> String {
    if live.finished.is_empty() {
        return String::new();
    }
    let label = |id: &str| escape(&words.label(id));
    let mut out = format!(
        "<h2>{}</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th>{}</th><th class=\"n\">{}</th><th class=\"n\">{}</th><th class=\"n\">{}</th><th class=\"n\">{}</th><th class=\"n\">{}</th><th></th></tr></thead>\n<tbody>\n",
        label("label-web-steps-ended"),
        label("label-web-step"),
        label("label-web-round"),
        label("label-web-now-iops"),
        label("label-web-now-bandwidth"),
        label("label-web-now-p50"),
        label("label-web-now-p99"),
    );
    for step in live.finished.iter().rev().take(FINISHED_MAX) {
        let FinishedStep {
            step,
            round,
            iops,
            bandwidth_bytes_per_s,
            p50_ns,
            p99_ns,
            errors,
            ended_by,
            ..
        } = step;
        let cell = |quantity: Quantity, value: &Option<f64>| {
            format!(
                "<td class=\"n\">{}</td>",
                escape(&value.map(|value| quantity.text(value)).unwrap_or_default())
            )
        };
        let mut end = String::new();
        if ended_by.failure().is_some() || ended_by.error().is_some() {
            end = ends_text(std::slice::from_ref(ended_by), words);
        }
        if *errors > 0 {
            end += &format!(
                " {}",
                words.sentence(&Statement::new("live-errors").count("count", *errors))
            );
        }
        let _ = writeln!(
            out,
            "<tr><th>{}</th><td class=\"n\">{round}</td>{}{}{}{}<td class=\"p doubt\">{}</td></tr>",
            escape(step),
            cell(Quantity::OperationsPerSecond, iops),
            cell(Quantity::Bandwidth, bandwidth_bytes_per_s),
            cell(Quantity::Latency, p50_ns),
            cell(Quantity::Latency, p99_ns),
            escape(end.trim())
        );
    }
    out + "</tbody></table></div>\n"
}
