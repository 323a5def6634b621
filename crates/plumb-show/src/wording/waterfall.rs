//! How are layers written as tables and text, for the page and the terminal?

use plumb_model::results::comparison::{Effect, Verdict};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use plumb_model::results::waterfall::{Layer, LayerFigures, LayeredStep, Measure, Waterfall};

use super::comparison::verdict_mark;
use super::{MISSING, sentence};
use crate::figure::{Column, Quantity, Table, latency_text};

/// Block size from which bytes per second are shown first.
const LARGE_BLOCK_BYTES: u64 = 65_536;

fn value(quantity: Quantity, measure: Option<&Measure>) -> String {
    measure.map_or_else(|| MISSING.into(), |measure| quantity.text(measure.value))
}

/// `sequential-read: 1 MiB, 8 requests in flight`.
pub(crate) fn step_title(step: &LayeredStep, words: Words) -> String {
    let statement = Statement::new(match step.block_bytes {
        Some(_) => "layered-step-of-blocks",
        None => "layered-step",
    })
    .bytes("block", step.block_bytes.unwrap_or_default() as f64)
    .name("step", &step.step)
    .count("requests", u64::from(step.in_flight));
    words.sentence(&statement)
}

/// True if the step is shown in bytes per second.
pub(crate) fn is_stream(step: &LayeredStep) -> bool {
    step.block_bytes
        .is_none_or(|bytes| bytes >= LARGE_BLOCK_BYTES)
}

/// Number of layers, and the machine if there is only one.
pub(crate) fn layers_title(waterfall: &Waterfall, words: Words) -> String {
    let host = one_host(waterfall);
    let statement = Statement::new(match host {
        Some(_) => "layers-measured-on",
        None => "layers-from-the-storage-up",
    })
    .name("host", host.unwrap_or_default())
    .count("layers", waterfall.layers.len() as u64);
    words.sentence(&statement)
}

/// The machine that ran the load of all layers; missing if there are several, or one is not recorded.
fn one_host(waterfall: &Waterfall) -> Option<&str> {
    let first = waterfall.layers.first()?.host.as_deref()?;
    waterfall
        .layers
        .iter()
        .all(|layer| layer.host.as_deref() == Some(first))
        .then_some(first)
}

/// Description of a layer: target, engine, machine.
pub(crate) fn layer_facts(waterfall: &Waterfall, layer: &Layer, words: Words) -> String {
    let host = layer
        .host
        .as_ref()
        .filter(|_| one_host(waterfall).is_none())
        .map(|host| words.sentence(&Statement::new("layer-measured-on").name("host", host)));
    let parts = [
        Some(layer.target.clone()),
        layer.engine.clone(),
        host,
        Some(sentence(&layer.caching, words)),
    ];
    parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

/// A time that may be below 0, with its sign.
pub(crate) fn signed_time(ns: f64) -> String {
    let sign = if ns < 0.0 { "−" } else { "+" };
    format!("{sign}{}", latency_text(ns.abs()))
}

/// A ratio as a share of the other: `65 % (61 to 70)`, from a factor of two on `3.1 times (2.8 to 3.4)`.
pub(crate) fn part_text(effect: &Effect, words: Words) -> String {
    let Some(ratio) = effect.ratio else {
        return MISSING.into();
    };
    let times = ratio >= 2.0;
    let number = |ratio: f64| {
        if times {
            show_count(ratio)
        } else {
            digits(ratio * 100.0)
        }
    };
    let value = match times {
        true => words.sentence(&Statement::new("compared-times").name("factor", number(ratio))),
        false => format!("{} %", number(ratio)),
    };
    let interval = effect.interval.map(|(low, high)| {
        let ends = Statement::new("compared-interval")
            .name("low", number(low))
            .name("high", number(high));
        format!(" ({})", words.sentence(&ends))
    });
    value + &interval.unwrap_or_default()
}

fn digits(percent: f64) -> String {
    if percent.abs() < 9.95 {
        format!("{percent:.1}")
    } else {
        format!("{percent:.0}")
    }
}

/// E1's table: one row per layer, one column per step.
pub(crate) fn overview(waterfall: &Waterfall, words: Words) -> Table {
    let mut columns = vec![Column::text(words.label("label-layer"))];
    columns.extend(
        waterfall
            .steps
            .iter()
            .map(|step| Column::number(step.step.as_str())),
    );
    let cell = |step: &LayeredStep, layer: usize| {
        let Some(figures) = step.layers.get(layer) else {
            return MISSING.to_string();
        };
        match is_stream(step) {
            true => value(Quantity::Bandwidth, figures.bandwidth_bytes_per_s.as_ref()),
            false => value(Quantity::OperationsPerSecond, figures.iops.as_ref()),
        }
    };
    let row = |(index, layer): (usize, &Layer)| {
        std::iter::once(layer.name.clone())
            .chain(waterfall.steps.iter().map(|step| cell(step, index)))
            .collect()
    };
    Table {
        columns,
        rows: waterfall.layers.iter().enumerate().map(row).collect(),
        note: String::new(),
    }
}

/// Columns left out first without room: CPUs, then the verdict (the ratio shows it too), then operations per second.
pub(crate) const DROPPED: [&str; 3] = [CPUS_BUSY, VERDICT, IOPS];
const CPUS_BUSY: &str = "label-layer-cpus-busy";
const VERDICT: &str = "label-compared-verdict";
const IOPS: &str = "label-layer-iops";

/// All figures of one step: throughput of a layer, its additional time over the one below, and the certainty of that.
pub(crate) fn step_table(waterfall: &Waterfall, step: &LayeredStep, words: Words) -> Table {
    let columns = vec![
        Column::text(words.label("label-layer")),
        Column::number(words.label("label-layer-bandwidth")),
        Column::number(words.label(IOPS)),
        Column::number(words.label("label-layer-per-request")),
        Column::number(words.label("label-layer-cost")),
        Column::number(words.label("label-layer-of-the-one-below")),
        Column::text(words.label(VERDICT)),
        Column::number(words.label(CPUS_BUSY)),
    ];
    let mut rows = Vec::new();
    for (layer, figures) in waterfall.layers.iter().zip(&step.layers) {
        rows.push(layer_row(layer, figures, words));
        for effect in figures.effects.iter().skip(1) {
            let other = waterfall
                .layers
                .get(effect.other as usize)
                .map_or("?", |layer| layer.name.as_str());
            let mut row = vec![
                format!(
                    "  {}",
                    words.sentence(&Statement::new("layer-against").name("other", other))
                ),
                String::new(),
                String::new(),
                String::new(),
            ];
            row.push(effect.cost_ns.map_or_else(|| MISSING.into(), signed_time));
            row.extend([
                part_text(&effect.throughput, words),
                verdict_word(effect.throughput.verdict, words),
                String::new(),
            ]);
            rows.push(row);
        }
    }
    Table {
        columns,
        rows,
        note: missing_note(waterfall, step, words),
    }
}

/// A layer is expected to be at most as fast as the one below: faster is surprising, not better.
fn verdict_word(verdict: Verdict, words: Words) -> String {
    match verdict {
        Verdict::Better => words.label("label-layer-faster"),
        Verdict::Worse => words.label("label-layer-slower"),
        other => verdict_mark(other, words),
    }
}

fn layer_row(layer: &Layer, figures: &LayerFigures, words: Words) -> Vec<String> {
    let below = figures.effects.first();
    let busy = match (figures.busy_cpus, figures.server_busy_cpus) {
        (Some(client), Some(server)) => format!("{client:.1} + {server:.1}"),
        (Some(client), None) => format!("{client:.1}"),
        (None, _) => MISSING.into(),
    };
    vec![
        layer.name.clone(),
        value(Quantity::Bandwidth, figures.bandwidth_bytes_per_s.as_ref()),
        value(Quantity::OperationsPerSecond, figures.iops.as_ref()),
        value(Quantity::Latency, figures.time_ns.as_ref()),
        below
            .and_then(|effect| effect.cost_ns)
            .map_or_else(|| MISSING.into(), signed_time),
        below.map_or_else(
            || MISSING.into(),
            |effect| part_text(&effect.throughput, words),
        ),
        below.map_or_else(
            || MISSING.into(),
            |effect| verdict_word(effect.throughput.verdict, words),
        ),
        busy,
    ]
}

/// Why layers have no figures in a step; empty if all have.
fn missing_note(waterfall: &Waterfall, step: &LayeredStep, words: Words) -> String {
    let told = waterfall
        .layers
        .iter()
        .zip(&step.layers)
        .filter_map(|(layer, figures)| {
            let why = sentence(figures.missing.as_ref()?, words);
            Some(format!("{}: {why}.", layer.name))
        });
    told.collect::<Vec<_>>().join(" ")
}

/// Notes on how to read the figures, the same on the page and in the terminal.
pub(crate) fn method_text(waterfall: &Waterfall, words: Words) -> Vec<String> {
    let blocks = match waterfall.design {
        plumb_model::results::comparison::Design::Blocks => "label-layers-in-blocks",
        plumb_model::results::comparison::Design::Independent => "label-layers-by-themselves",
    };
    let intervals = Statement::new("layers-intervals")
        .name("cases", show_count(waterfall.confidence * 100.0))
        .name("threshold", show_count(waterfall.threshold * 100.0));
    let mut figures = waterfall.steps.iter().flat_map(|step| &step.layers);
    let has_cpus = figures.any(|figures| figures.busy_cpus.is_some());
    let cpus = has_cpus.then(|| words.label("label-layers-cpus-busy-means"));
    let mut text = vec![
        words.sentences([Some(words.label(blocks)), Some(words.sentence(&intervals))]),
        words.label("label-layers-time-per-request"),
    ];
    text.extend(cpus);
    text
}
