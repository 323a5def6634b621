//! What did each host, and each rank, contribute? One row for each step and host, or rank; and how the clocks of the ranks stand.

use plumb_model::results::summary::{PartSummary, StepRanks, Summary};
use plumb_words::Words;
use plumb_words::numbers::{show_bandwidth, show_count, show_time_ns};

use crate::chart::or_dash;
use crate::figure::{Column, Quantity, Table};
use crate::wording::MISSING;

/// Headings of the figures of a host or rank.
const FIGURES: [&str; 6] = [
    "label-rank-iops",
    "label-bandwidth",
    "label-rank-p50",
    "label-rank-p99",
    "label-rank-longest",
    "label-rank-cpus",
];

fn figures(part: &PartSummary) -> Vec<String> {
    let times = part.service_ns.as_ref();
    let time = |value: Option<f64>| or_dash(Quantity::Latency, value);
    vec![
        show_count(part.iops),
        show_bandwidth(part.bandwidth_bytes_per_s),
        time(times.and_then(|times| times.p50)),
        time(times.and_then(|times| times.p99)),
        time(times.and_then(|times| times.max)),
        part.cpus
            .map_or_else(|| MISSING.into(), |cpus| format!("{cpus:.2}")),
    ]
}

fn steps(summary: &Summary) -> impl Iterator<Item = (&str, &StepRanks)> {
    let steps = summary.steps.iter();
    steps.filter_map(|step| Some((step.name.as_str(), step.ranks.as_ref()?)))
}

fn table(words: Words, texts: &[&str], rows: Vec<Vec<String>>, note: &str) -> Table {
    let texts = texts.iter().map(|label| Column::text(words.label(label)));
    let numbers = FIGURES
        .iter()
        .map(|label| Column::number(words.label(label)));
    Table {
        columns: texts.chain(numbers).collect(),
        rows,
        note: words.label(note),
    }
}

/// One row for each step and host.
pub fn hosts(summary: &Summary, words: Words) -> Table {
    let rows = steps(summary).flat_map(|(step, of)| {
        of.hosts.iter().map(move |part| {
            let names = vec![step.to_string(), part.host.clone(), part.ranks.to_string()];
            [names, figures(part)].concat()
        })
    });
    let texts = ["label-step", "label-host", "label-ranks"];
    table(words, &texts, rows.collect(), "label-hosts-note")
}

/// One row for each step and rank.
pub fn ranks(summary: &Summary, words: Words) -> Table {
    let rows = steps(summary).flat_map(|(step, of)| {
        of.ranks.iter().map(move |part| {
            let rank = part
                .rank
                .map_or_else(|| MISSING.into(), |rank| rank.to_string());
            [
                vec![step.to_string(), rank, part.host.clone()],
                figures(part),
            ]
            .concat()
        })
    });
    let texts = ["label-step", "label-rank", "label-host"];
    table(words, &texts, rows.collect(), "label-ranks-note")
}

/// When the ranks began and had done their work, by step.
pub fn spans(summary: &Summary, words: Words) -> Table {
    let second = |value: f64| show_time_ns(value * 1e9);
    let rows = steps(summary).map(|(step, of)| {
        vec![
            step.to_string(),
            second(of.start_spread_s),
            second(of.first_done_s),
            second(of.last_done_s),
            show_count(of.iops_until_last_done),
            show_bandwidth(of.bandwidth_until_last_done_bytes_per_s),
        ]
    });
    let numbers = [
        "label-start-spread",
        "label-first-done",
        "label-last-done",
        "label-iops-until-last-done",
        "label-bandwidth-until-last-done",
    ];
    let step = std::iter::once(Column::text(words.label("label-step")));
    let numbers = numbers
        .iter()
        .map(|label| Column::number(words.label(label)));
    Table {
        columns: step.chain(numbers).collect(),
        rows: rows.collect(),
        note: words.label("label-spans-note"),
    }
}

/// Where each rank runs, and how its clock stands.
pub fn places(summary: &Summary, words: Words) -> Table {
    let of = summary.ranks.as_ref();
    let rows = of.into_iter().flat_map(|ranks| &ranks.places).map(|place| {
        let ahead_ns = place.time_of_day_ahead_ns;
        let ahead = show_time_ns(ahead_ns.unsigned_abs() as f64);
        vec![
            place.rank.to_string(),
            place.host.clone(),
            place.process.to_string(),
            if ahead_ns < 0 {
                format!("-{ahead}")
            } else {
                ahead
            },
            show_time_ns(place.clock_uncertainty_ns as f64),
        ]
    });
    let texts = ["label-rank", "label-host"];
    let numbers = ["label-process", "label-clock-ahead", "label-clock-within"];
    let texts = texts.iter().map(|label| Column::text(words.label(label)));
    let numbers = numbers
        .iter()
        .map(|label| Column::number(words.label(label)));
    Table {
        columns: texts.chain(numbers).collect(),
        rows: rows.collect(),
        note: words.label("label-places-note"),
    }
}
