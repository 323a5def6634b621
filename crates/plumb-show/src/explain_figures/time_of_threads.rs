//! Where did the time of a program and of its threads go?

use plumb_model::explain::account::{Part, TimeAccount};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::figure::{
    Axis, Bar, Column, Figure, Mark, Naming, Quantity, Scale, Table, latency_text, percent_text,
};
use crate::wording::sentence;

/// Threads drawn; the table has all that the account lists.
const THREADS_MAX: usize = 11;
/// Kinds of time with a color of their own.
const KINDS_MAX: usize = 9;
/// Color of all other time.
const REST: usize = KINDS_MAX;

/// A bar: its name, and its parts.
struct Row<'a> {
    name: String,
    span_ns: u64,
    parts: &'a [Part],
}

/// The figure: a bar for the program and one for each thread, divided by what was done; `None` without an account of any time.
pub(crate) fn time_of_threads(account: &TimeAccount, words: Words) -> Option<Figure> {
    let program = Row {
        name: words.label("label-why-program"),
        span_ns: account.span_ns,
        parts: &account.program,
    };
    let first = account.program.first()?;
    let threads = account.threads.iter().map(|thread| Row {
        name: thread.name.clone(),
        span_ns: thread.span_ns,
        parts: &thread.parts,
    });
    let rows: Vec<Row> = std::iter::once(program).chain(threads).collect();
    let drawn = &rows[..rows.len().min(1 + THREADS_MAX)];
    let kinds = kinds(drawn);
    let mut marks: Vec<Mark> = kinds
        .iter()
        .enumerate()
        .map(|(hue, kind)| Mark::Bars {
            name: sentence(&kind.named(), words),
            hue,
            bars: Vec::new(),
        })
        .collect();
    marks.push(Mark::Bars {
        name: words.label("label-why-rest"),
        hue: REST,
        bars: Vec::new(),
    });
    for (category, row) in drawn.iter().enumerate() {
        let mut base = 0.0;
        let mut rest = 0.0;
        for (place, kind) in kinds.iter().enumerate() {
            let of: f64 = row
                .parts
                .iter()
                .filter(|part| is_like(part, kind))
                .map(|part| part.share)
                .sum();
            push(&mut marks[place], category, &mut base, of, row);
        }
        for part in row
            .parts
            .iter()
            .filter(|part| !kinds.iter().any(|kind| is_like(part, kind)))
        {
            rest += part.share;
        }
        push(&mut marks[kinds.len()], category, &mut base, rest, row);
    }
    marks.retain(|mark| matches!(mark, Mark::Bars { bars, .. } if !bars.is_empty()));
    Some(Figure {
        name: "time_of_threads",
        title: words.label("label-why-time"),
        caption: words.label("label-why-time-caption"),
        x: Axis {
            label: words.label("label-why-threads"),
            quantity: Quantity::Category,
            scale: Scale::Categories(drawn.iter().map(|row| row.name.clone()).collect()),
        },
        y: Axis {
            label: words.label("label-why-share"),
            quantity: Quantity::Percent,
            scale: Scale::Linear,
        },
        marks,
        naming: Naming::Legend,
        alternative: words.sentence(
            &Statement::new("why-time-alternative")
                .part("most", first.named())
                .percent("share", first.share * 100.0),
        ),
        table: table(&rows, words),
    })
}

fn is_like(part: &Part, kind: &Part) -> bool {
    part.activity == kind.activity && part.storage == kind.storage
}

/// Kinds of time with most of it in the bars.
fn kinds<'a>(rows: &[Row<'a>]) -> Vec<&'a Part> {
    let mut kinds: Vec<(&Part, f64)> = Vec::new();
    for row in rows {
        for part in row.parts {
            match kinds.iter_mut().find(|(kind, _)| is_like(part, kind)) {
                Some((_, sum)) => *sum += part.share,
                None => kinds.push((part, part.share)),
            }
        }
    }
    kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
    kinds
        .into_iter()
        .take(KINDS_MAX)
        .map(|(kind, _)| kind)
        .collect()
}

/// Adds a part on top of the bar that has been reached.
fn push(mark: &mut Mark, category: usize, base: &mut f64, share: f64, row: &Row) {
    let Mark::Bars { bars, .. } = mark else {
        return;
    };
    if share <= 0.0 {
        return;
    }
    let value = *base + share * 100.0;
    let time = latency_text(share * row.span_ns as f64);
    bars.push(Bar {
        category,
        value,
        base: *base,
        label: format!("{}: {time}, {}", row.name, percent_text(share * 100.0)),
        ..Bar::default()
    });
    *base = value;
}

/// A row for each part of each bar.
fn table(rows: &[Row], words: Words) -> Table {
    let of = |row: &Row| -> Vec<Vec<String>> {
        let line = |part: &Part| {
            vec![
                row.name.clone(),
                sentence(&part.named(), words),
                latency_text(part.ns as f64),
                percent_text(part.share * 100.0),
            ]
        };
        row.parts.iter().map(line).collect()
    };
    Table {
        columns: vec![
            Column::text(words.label("label-why-thread")),
            Column::text(words.label("label-why-activity")),
            Column::number(words.label("label-why-spent")),
            Column::number(words.label("label-why-share")),
        ],
        rows: rows.iter().flat_map(of).collect(),
        note: String::new(),
    }
}
