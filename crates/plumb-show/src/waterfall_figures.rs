//! How are layers drawn as figures? Throughput side by side, the waterfall of the time per request, and the CPUs while each layer ran.

use plumb_model::results::series::{Bar as Value, Bars};
use plumb_model::results::waterfall::{CpuOverTime, LayerKind, LayeredStep, Waterfall};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::chart::bars::{Labels, bar_figure};
use crate::chart::{any_value, time_axis, timed_lines, timed_table};
use crate::figure::{
    Axis, Bar, Column, Figure, Hues, Mark, Naming, Quantity, Scale, Stroke, Table, latency_text,
};
use crate::wording::waterfall::{is_stream, part_text, signed_time, step_title};

/// Colors of a waterfall: the lowest layer, added time, saved time, and messages.
const BACKGROUND: usize = 0;
const ADDED: usize = 1;
const GAINED: usize = 2;
const MESSAGES: usize = 3;

/// All figures, in the order of the page.
pub(crate) fn figures(waterfall: &Waterfall, cpu: &CpuOverTime, words: Words) -> Vec<Figure> {
    let streams = throughput(waterfall, true, words);
    let operations = throughput(waterfall, false, words);
    let falls = waterfall
        .steps
        .iter()
        .filter_map(|step| fall(waterfall, step, words));
    streams
        .into_iter()
        .chain(operations)
        .chain(falls)
        .chain(cpu_figure(cpu, words))
        .collect()
}

/// Throughput of every layer: bytes per second for streams, operations per second for small requests.
fn throughput(waterfall: &Waterfall, streams: bool, words: Words) -> Option<Figure> {
    let mut bars = Vec::new();
    // Layer by layer, to keep their order even if the first step lacks one.
    for (index, layer) in waterfall.layers.iter().enumerate() {
        for step in waterfall
            .steps
            .iter()
            .filter(|step| is_stream(step) == streams)
        {
            let figures = step.layers.get(index);
            let measure = figures.and_then(|figures| {
                if streams {
                    figures.bandwidth_bytes_per_s.as_ref()
                } else {
                    figures.iops.as_ref()
                }
            });
            let (value, range) = (
                measure.map(|measure| measure.value),
                measure.and_then(|measure| measure.interval),
            );
            bars.push(Value {
                label: layer.name.clone(),
                group: step.step.clone(),
                value,
                range,
            });
        }
    }
    let (title, unit, y, quantity) = match streams {
        true => (
            "label-layers-throughput",
            "bytes/s",
            "label-bandwidth",
            Quantity::Bandwidth,
        ),
        false => (
            "label-layers-operations",
            "operations/s",
            "label-operations-per-second",
            Quantity::OperationsPerSecond,
        ),
    };
    let labels = Labels {
        name: if streams {
            "layers_bandwidth"
        } else {
            "layers_iops"
        },
        title,
        caption: "label-layers-caption",
        x: "label-layer",
        y,
    };
    bar_figure(
        words,
        labels,
        quantity,
        &Bars {
            unit: unit.into(),
            bars,
        },
        str::to_string,
    )
}

/// One bar of the waterfall.
struct Piece {
    category: usize,
    from: f64,
    to: f64,
    interval: Option<(f64, f64)>,
    label: String,
    hue: usize,
}

/// The bars of a waterfall, and the names of their layers.
fn pieces(waterfall: &Waterfall, step: &LayeredStep) -> (Vec<Piece>, Vec<String>) {
    let time = |index: usize| {
        step.layers
            .get(index)
            .and_then(|figures| figures.time_ns.as_ref())
            .map(|time| time.value)
    };
    let mut pieces = Vec::new();
    let mut names = Vec::new();
    for (index, layer) in waterfall.layers.iter().enumerate() {
        let Some(to) = time(index) else { continue };
        let below = step.layers[index]
            .effects
            .first()
            .filter(|effect| time(effect.other as usize).is_some());
        let from = below
            .and_then(|effect| time(effect.other as usize))
            .unwrap_or(0.0);
        let (label, interval, hue) = match below {
            Some(effect) => {
                let ends = effect
                    .cost_interval_ns
                    .map(|(low, high)| ((from + low).max(0.0), from + high));
                (
                    signed_time(to - from),
                    ends,
                    if to < from { GAINED } else { ADDED },
                )
            }
            None if layer.kind == LayerKind::Network => (latency_text(to), None, MESSAGES),
            None => (latency_text(to), None, BACKGROUND),
        };
        pieces.push(Piece {
            category: names.len(),
            from,
            to,
            interval,
            label,
            hue,
        });
        names.push(layer.name.clone());
    }
    (pieces, names)
}

/// Time per request from the lowest layer up: each bar starts where the one below ended.
fn fall(waterfall: &Waterfall, step: &LayeredStep, words: Words) -> Option<Figure> {
    let (pieces, names) = pieces(waterfall, step);
    if pieces.len() < 2 {
        return None;
    }
    let groups = [
        (BACKGROUND, "label-layer-below-all"),
        (ADDED, "label-layer-added"),
        (GAINED, "label-layer-gained"),
        (MESSAGES, "label-layer-messages"),
    ];
    let mark = |(hue, name): &(usize, &str)| {
        let bar = |piece: &Piece| Bar {
            category: piece.category,
            value: piece.to,
            base: piece.from,
            range: piece.interval,
            label: piece.label.clone(),
        };
        let bars: Vec<Bar> = pieces
            .iter()
            .filter(|piece| piece.hue == *hue)
            .map(bar)
            .collect();
        (!bars.is_empty()).then(|| Mark::Bars {
            name: words.label(name),
            hue: *hue,
            bars,
        })
    };
    Some(Figure {
        name: "layers_time",
        title: words.sentence(
            &Statement::new("layers-time-per-request-of").name("step", step_title(step, words)),
        ),
        caption: words.label("label-layers-time-caption"),
        x: Axis {
            label: String::new(),
            quantity: Quantity::Category,
            scale: Scale::Categories(names),
        },
        y: Axis {
            label: words.label("label-time-per-request"),
            quantity: Quantity::Latency,
            scale: Scale::Linear,
        },
        marks: groups.iter().filter_map(mark).collect(),
        naming: Naming::Legend,
        alternative: alternative(waterfall, step),
        table: time_table(waterfall, step, words),
    })
}

fn alternative(waterfall: &Waterfall, step: &LayeredStep) -> String {
    let one = |(layer, figures): (
        &plumb_model::results::waterfall::Layer,
        &plumb_model::results::waterfall::LayerFigures,
    )| {
        let time = latency_text(figures.time_ns.as_ref()?.value);
        let cost = figures
            .effects
            .first()
            .and_then(|effect| effect.cost_ns)
            .map(|cost| format!(", {}", signed_time(cost)));
        Some(format!(
            "{}: {time}{}.",
            layer.name,
            cost.unwrap_or_default()
        ))
    };
    waterfall
        .layers
        .iter()
        .zip(&step.layers)
        .filter_map(one)
        .collect::<Vec<_>>()
        .join(" ")
}

fn time_table(waterfall: &Waterfall, step: &LayeredStep, words: Words) -> Table {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| crate::wording::MISSING.into());
    let row = |(layer, figures): (
        &plumb_model::results::waterfall::Layer,
        &plumb_model::results::waterfall::LayerFigures,
    )| {
        let below = figures.effects.first();
        let ends = below
            .and_then(|effect| effect.cost_interval_ns)
            .map(|(low, high)| {
                words.sentence(
                    &Statement::new("compared-interval")
                        .name("low", signed_time(low))
                        .name("high", signed_time(high)),
                )
            });
        vec![
            layer.name.clone(),
            figures.operation.clone(),
            or_dash(
                figures
                    .time_ns
                    .as_ref()
                    .map(|time| latency_text(time.value)),
            ),
            or_dash(
                figures
                    .latency_ns
                    .as_ref()
                    .map(|time| latency_text(time.value)),
            ),
            or_dash(below.and_then(|effect| effect.cost_ns).map(signed_time)),
            or_dash(ends),
            or_dash(below.map(|effect| part_text(&effect.throughput, words))),
            or_dash(figures.cpu_ns.as_ref().map(|cpu| latency_text(cpu.value))),
        ]
    };
    let columns = [
        "label-layer-per-request",
        "label-layer-measured-latency",
        "label-layer-cost",
        "label-interval",
        "label-layer-of-the-one-below",
        "label-layer-cpu-of-threads",
    ];
    let columns = ["label-layer", "label-operation"]
        .map(|label| Column::text(words.label(label)))
        .into_iter()
        .chain(columns.map(|label| Column::number(words.label(label))))
        .collect();
    Table {
        columns,
        rows: waterfall.layers.iter().zip(&step.layers).map(row).collect(),
        note: String::new(),
    }
}

fn cpu_figure(cpu: &CpuOverTime, words: Words) -> Option<Figure> {
    let lines: Vec<_> = cpu.lines.iter().collect();
    if !any_value(&lines) {
        return None;
    }
    Some(Figure {
        name: "layers_cpu",
        title: words.label("label-cpu-over-time"),
        caption: words.label("label-cpu-over-time-caption"),
        x: time_axis(words),
        y: Axis {
            label: words.label("label-cpu-use"),
            quantity: Quantity::Percent,
            scale: Scale::Linear,
        },
        marks: timed_lines(&cpu.lines, &[], Stroke::Solid, &mut Hues::default(), words),
        naming: Naming::Legend,
        alternative: {
            let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
            words.sentence(
                &Statement::new("layers-cpu-over-time-of").name("lines", names.join(", ")),
            )
        },
        table: timed_table(words, &lines, Quantity::Percent),
    })
}
