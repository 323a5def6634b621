//! How are bars of one quantity, grouped by color, turned into a figure?

use plumb_model::results::series::Bars;
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::chart::or_dash;
use crate::figure::{Axis, Bar, Column, Figure, HUES, Hues, Mark, Naming, Quantity, Scale, Table};

/// The labels of a bar chart.
pub(crate) struct Labels {
    pub name: &'static str,
    pub title: &'static str,
    pub caption: &'static str,
    pub x: &'static str,
    pub y: &'static str,
}

/// Draws bars; `None` if none has a value. `label` returns the name under a bar.
pub(crate) fn bar_figure(
    words: Words,
    labels: Labels,
    quantity: Quantity,
    bars: &Bars,
    label: fn(&str) -> String,
) -> Option<Figure> {
    let present = || {
        bars.bars
            .iter()
            .filter_map(|bar| Some((bar, bar.value.filter(|value| value.is_finite())?)))
    };
    let (mut categories, mut groups): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (bar, _) in present() {
        if !groups.contains(&bar.group.as_str()) {
            groups.push(&bar.group);
        }
    }
    if groups.is_empty() {
        return None;
    }
    // More colors would look alike; the table has all bars.
    let left_out = match groups.len() > HUES {
        true => {
            let out = groups.split_off(HUES);
            let bars = present().filter(|(bar, _)| out.contains(&bar.group.as_str()));
            let told = Statement::new("chart-further-steps").count("count", bars.count() as u64);
            Some(words.sentence(&told))
        }
        false => None,
    };
    let drawn = present().filter(|(bar, _)| groups.contains(&bar.group.as_str()));
    for (bar, _) in drawn {
        if !categories.contains(&bar.label.as_str()) {
            categories.push(&bar.label);
        }
    }
    let mut hues = Hues::default();
    let mark = |group: &&str| Mark::Bars {
        name: (*group).into(),
        hue: hues.of(group),
        bars: present()
            .filter(|(bar, _)| bar.group == *group)
            .map(|(bar, value)| Bar {
                category: categories
                    .iter()
                    .position(|category| *category == bar.label)
                    .unwrap_or(0),
                value,
                range: bar
                    .range
                    .filter(|(low, high)| low.is_finite() && high.is_finite()),
                label: quantity.text(value),
                ..Bar::default()
            })
            .collect(),
    };
    let marks = groups.iter().map(mark).collect();
    let sentence = |(bar, value): (&plumb_model::results::series::Bar, f64)| {
        format!(
            "{} {}: {}.",
            bar.group,
            label(&bar.label),
            quantity.text(value)
        )
    };
    Some(Figure {
        name: labels.name,
        title: words.label(labels.title),
        caption: words.sentences([Some(words.label(labels.caption)), left_out]),
        x: Axis {
            label: words.label(labels.x),
            quantity: Quantity::Category,
            scale: Scale::Categories(categories.iter().map(|category| label(category)).collect()),
        },
        y: Axis {
            label: words.label(labels.y),
            quantity,
            scale: Scale::Linear,
        },
        marks,
        naming: Naming::Legend,
        alternative: present().map(sentence).collect::<Vec<_>>().join(" "),
        table: table(
            words,
            &labels,
            quantity,
            &present().collect::<Vec<_>>(),
            label,
        ),
    })
}

/// One row per bar, with the range of its rounds.
fn table(
    words: Words,
    labels: &Labels,
    quantity: Quantity,
    bars: &[(&plumb_model::results::series::Bar, f64)],
    label: fn(&str) -> String,
) -> Table {
    let row = |(bar, value): &(&plumb_model::results::series::Bar, f64)| {
        vec![
            bar.group.clone(),
            label(&bar.label),
            quantity.text(*value),
            or_dash(quantity, bar.range.map(|range| range.0)),
            or_dash(quantity, bar.range.map(|range| range.1)),
        ]
    };
    Table {
        columns: vec![
            Column::text(words.label("label-steps")),
            Column::text(words.label(labels.x)),
            Column::number(words.label(labels.y)),
            Column::number(words.label("label-lowest-round")),
            Column::number(words.label("label-highest-round")),
        ],
        rows: bars.iter().map(row).collect(),
        note: String::new(),
    }
}
