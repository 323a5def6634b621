//! How does throughput scale with hosts?

use plumb_model::results::scaling::{Scaling, ScalingPoint};
use plumb_model::statement::Statement;
use plumb_words::Words;
use plumb_words::numbers::show_count;

use crate::chart::{Chart, Subject, or_dash};
use crate::figure::{
    Axis, Column, Figure, Hues, Mark, Naming, Point, Quantity, Scale, Stroke, Table, Whisker,
    percent_text,
};
use crate::wording::MISSING;

pub const CHART: Chart = Chart {
    name: "host_scaling",
    question: "What do more hosts get together?",
    figure,
};

/// Hosts of a step.
fn hosts(point: &ScalingPoint) -> Option<f64> {
    point.label.parse().ok()
}

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let of_hosts = |ladder: &&Scaling| {
        let mut points = ladder.points.iter();
        points.all(|point| point.efficiency_percent.is_some() && hosts(point).is_some())
    };
    let ladders: Vec<&Scaling> = subject.summary.scaling.iter().filter(of_hosts).collect();
    let mut hues = Hues::default();
    let mut marks = Vec::new();
    for ladder in &ladders {
        let hue = hues.of(&ladder.group);
        marks.extend(in_proportion(ladder, hue));
        marks.push(measured(words, ladder, hue));
        marks.extend(rounds(ladder, hue));
    }
    if marks.is_empty() {
        return None;
    }
    Some(Figure {
        name: CHART.name,
        title: words.label("label-host-scaling"),
        caption: words.label("label-host-scaling-caption"),
        x: Axis {
            label: words.label("label-hosts"),
            quantity: Quantity::Number,
            scale: Scale::Linear,
        },
        y: Axis {
            label: words.label("label-operations-per-second"),
            quantity: Quantity::OperationsPerSecond,
            scale: Scale::Linear,
        },
        marks,
        naming: Naming::Direct,
        alternative: words.sentences(ladders.iter().map(|ladder| {
            let last = ladder.points.last()?;
            Some(
                words.sentence(
                    &Statement::new("host-scaling-alternative")
                        .name("group", &ladder.group)
                        .name("hosts", &last.label)
                        .name(
                            "rate",
                            or_dash(Quantity::OperationsPerSecond, Some(last.iops)),
                        )
                        .percent("efficiency", last.efficiency_percent?),
                ),
            )
        })),
        table: table(words, &ladders),
    })
}

fn measured(words: Words, ladder: &Scaling, hue: usize) -> Mark {
    let point = |point: &ScalingPoint| Point {
        x: hosts(point).unwrap_or(f64::NAN),
        y: Some(point.iops),
        label: Some(
            point
                .efficiency_percent
                .map_or_else(String::new, percent_text),
        ),
        hover: words.sentence(
            &Statement::new("host-scaling-point")
                .name("group", &ladder.group)
                .name("hosts", &point.label)
                .name(
                    "rate",
                    or_dash(Quantity::OperationsPerSecond, Some(point.iops)),
                )
                .percent("efficiency", point.efficiency_percent.unwrap_or_default()),
        ),
    };
    Mark::Line {
        name: ladder.group.clone(),
        hue,
        stroke: Stroke::Solid,
        points: ladder.points.iter().map(point).collect(),
        dots: true,
        ringed: None,
    }
}

/// Linear scaling of the first step.
fn in_proportion(ladder: &Scaling, hue: usize) -> Option<Mark> {
    let first = ladder.points.first()?;
    let each = first.iops / hosts(first)?;
    let point = |point: &ScalingPoint| Point {
        x: hosts(point).unwrap_or(f64::NAN),
        y: hosts(point).map(|hosts| each * hosts),
        ..Point::default()
    };
    Some(Mark::Line {
        name: String::new(),
        hue,
        stroke: Stroke::Dashed,
        points: ladder.points.iter().map(point).collect(),
        dots: false,
        ringed: None,
    })
}

/// Minimum and maximum over the rounds, from their efficiency.
fn rounds(ladder: &Scaling, hue: usize) -> Option<Mark> {
    let whisker = |point: &ScalingPoint| {
        let (low, high) = point.efficiency_in_rounds?;
        let of_one = point.iops / point.efficiency_percent.filter(|percent| *percent > 0.0)?;
        Some(Whisker {
            x: hosts(point)?,
            low: low * of_one,
            high: high * of_one,
        })
    };
    let whiskers: Vec<Whisker> = ladder.points.iter().filter_map(whisker).collect();
    (!whiskers.is_empty()).then_some(Mark::Whiskers { hue, whiskers })
}

fn table(words: Words, ladders: &[&Scaling]) -> Table {
    let numbers = [
        "label-hosts",
        "label-operations-per-s",
        "label-scaling-efficiency",
        "label-lowest-round",
        "label-highest-round",
    ];
    let row = |ladder: &Scaling, point: &ScalingPoint| {
        let percent = |value: Option<f64>| value.map_or_else(|| MISSING.into(), percent_text);
        vec![
            ladder.group.clone(),
            point.label.clone(),
            show_count(point.iops),
            percent(point.efficiency_percent),
            percent(point.efficiency_in_rounds.map(|(low, _)| low)),
            percent(point.efficiency_in_rounds.map(|(_, high)| high)),
        ]
    };
    let rows = ladders.iter();
    let rows = rows.flat_map(|ladder| ladder.points.iter().map(|point| row(ladder, point)));
    Table {
        columns: std::iter::once(Column::text(words.label("label-steps")))
            .chain(numbers.map(|label| Column::number(words.label(label))))
            .collect(),
        rows: rows.collect(),
        note: String::new(),
    }
}
