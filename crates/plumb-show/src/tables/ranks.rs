//! What did each host and each rank contribute? One row per step and host, or rank; and the clocks of the ranks.

use plumb_model::results::summary::{PartSummary, StepRanks, Summary};
use plumb_model::run::ranks::{MachineUse, Transferred};
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

/// One row per step and host.
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

/// Counters of the hosts: one row per step and reporting host; `None` if there are none.
pub fn machines(summary: &Summary, words: Words) -> Option<Table> {
    let told = steps(summary).flat_map(|(step, of)| {
        let hosts = of.hosts.iter();
        hosts.filter_map(move |part| Some((step, &part.host, part.machine.as_ref()?)))
    });
    let rows: Vec<Vec<String>> = told
        .map(|(step, host, machine)| {
            let names = vec![step.to_string(), host.clone(), machine.cpus.to_string()];
            [names, machine_figures(machine)].concat()
        })
        .collect();
    let text = |label: &str| Column::text(words.label(label));
    let number = |label: &str| Column::number(words.label(label));
    let columns = vec![
        text("label-step"),
        text("label-host"),
        number("label-machine-cpus"),
        number("label-machine-cpu"),
        number("label-machine-busiest"),
        text("label-machine-interface"),
        number("label-machine-received"),
        number("label-machine-sent"),
        number("label-machine-again"),
        text("label-machine-device"),
        number("label-machine-read"),
        number("label-machine-written"),
    ];
    (!rows.is_empty()).then(|| Table {
        columns,
        rows,
        note: words.label("label-machines-note"),
    })
}

fn machine_figures(machine: &MachineUse) -> Vec<String> {
    let percent = |value: Option<f64>| or_dash(Quantity::Percent, value);
    let rates = |of: &Option<Transferred>| match of {
        Some(of) if machine.covered_s > 0.0 => vec![
            of.name.clone(),
            show_bandwidth(of.in_bytes / machine.covered_s),
            show_bandwidth(of.out_bytes / machine.covered_s),
        ],
        _ => vec![MISSING.into(); 3],
    };
    let again = machine.segments_retransmitted;
    let again = again.map_or_else(|| MISSING.into(), show_count);
    let cpus = [machine.cpu_percent, machine.busiest_cpu_percent].map(percent);
    [
        cpus.to_vec(),
        rates(&machine.interface),
        vec![again],
        rates(&machine.disk),
    ]
    .concat()
}

/// One row per step and rank.
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

/// Start and end of the ranks' work, by step.
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

/// Host, process and clock of each rank.
pub fn processes(summary: &Summary, words: Words) -> Table {
    let of = summary.ranks.as_ref();
    let rows = of
        .into_iter()
        .flat_map(|ranks| &ranks.processes)
        .map(|place| {
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
