//! Which kinds of calls take the time?

use plumb_model::statement::Statement;
use plumb_model::trace::summary::CallFigures;
use plumb_words::Words;
use plumb_words::numbers::count;

use crate::figure::{
    Axis, Bar, Column, Figure, Mark, Naming, Quantity, Scale, Table, latency_text, percent_text,
};
use crate::wording::MISSING;

/// Commands drawn; the table has all.
const DRAWN: usize = 6;

/// The figure; `None` if no call completed. Calls that wait for an event are only in the table.
pub(crate) fn time_by_command(calls: &[CallFigures], words: Words) -> Option<Figure> {
    let drawn: Vec<&CallFigures> = calls
        .iter()
        .filter(|call| call.time_share.is_some() && call.count > 0)
        .take(DRAWN)
        .collect();
    let first = drawn.first()?;
    let bar = |(category, call): (usize, &&CallFigures)| Bar {
        category,
        value: call.sum_ns,
        label: latency_text(call.sum_ns),
        ..Bar::default()
    };
    Some(Figure {
        name: "time_by_command",
        title: words.label("label-explain-time-by-command"),
        caption: words.label("label-explain-time-by-command-caption"),
        x: Axis {
            label: words.label("label-trace-command"),
            quantity: Quantity::Category,
            scale: Scale::Categories(drawn.iter().map(|call| call.name.clone()).collect()),
        },
        y: Axis {
            label: words.label("label-explain-sum-of-times"),
            quantity: Quantity::Latency,
            scale: Scale::Linear,
        },
        marks: vec![Mark::Bars {
            name: String::new(),
            hue: 0,
            bars: drawn.iter().enumerate().map(bar).collect(),
        }],
        naming: Naming::Direct,
        alternative: words.sentence(
            &Statement::new("explain-command-alternative")
                .name("command", &first.name)
                .name("time", latency_text(first.sum_ns)),
        ),
        table: table(calls, words),
    })
}

fn table(calls: &[CallFigures], words: Words) -> Table {
    let numbers = [
        "label-trace-calls",
        "label-trace-time",
        "label-trace-sum",
        "label-mean",
        "label-trace-median",
    ];
    let mut columns = vec![Column::text(words.label("label-trace-command"))];
    columns.extend(numbers.map(|label| Column::number(words.label(label))));
    columns.extend(["p90", "p99"].map(Column::number));
    columns.extend(["label-max", "label-errors"].map(|label| Column::number(words.label(label))));
    let time = |value: Option<f64>| value.map_or_else(|| MISSING.into(), latency_text);
    let row = |call: &CallFigures| {
        let latency = &call.service_time;
        let share = call.time_share;
        vec![
            call.name.clone(),
            count(call.count),
            share.map_or_else(|| MISSING.into(), |share| percent_text(share * 100.0)),
            latency_text(call.sum_ns),
            time(latency.mean),
            time(latency.p50),
            time(latency.p90),
            time(latency.p99),
            time(latency.max),
            count(call.errors),
        ]
    };
    Table {
        columns,
        rows: calls.iter().map(row).collect(),
        note: words.label("label-explain-commands-note"),
    }
}
