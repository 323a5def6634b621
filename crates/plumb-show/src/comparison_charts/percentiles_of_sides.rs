//! Which side has longer latencies, and from which percentile? Latency by percentile, all sides in one figure, for the steps that differ most.

use plumb_model::results::comparison::{Comparison, StepPercentiles};
use plumb_model::results::series::Series;

use crate::chart::or_dash;
use crate::comparison_chart::{
    ComparisonChart, ComparisonSubject, SIDES_DRAWN, hue_of, side_name, sides_left_out,
};
use crate::figure::{
    Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table, nines_text,
};
use crate::tables::comparison_rows::{all, more_telling, most_telling};
use plumb_model::statement::Statement;
use plumb_words::Words;

pub const CHART: ComparisonChart = ComparisonChart {
    name: "percentiles_of_sides",
    question: "Whose waits are longer, and from which percentile on?",
    figures,
};

/// Steps drawn, one figure each.
const FIGURES: usize = 4;

fn figures(subject: &ComparisonSubject) -> Vec<Figure> {
    let comparison = subject.comparison;
    let drawable: Vec<&StepPercentiles> = subject
        .plots
        .percentiles
        .iter()
        .filter(|step| lines(step).count() > 0)
        .collect();
    let chosen = choose(comparison, &drawable);
    let left_out = match drawable.len() - chosen.len() {
        0 => None,
        _ => Some(
            subject.words.sentence(
                &Statement::new("compared-steps-drawn")
                    .count("drawn", chosen.len() as u64)
                    .count("steps", drawable.len() as u64),
            ),
        ),
    };
    let mut figures: Vec<Figure> = chosen
        .into_iter()
        .map(|step| figure(comparison, step, subject.words))
        .collect();
    if let Some(first) = figures.first_mut() {
        let caption = std::mem::take(&mut first.caption);
        first.caption = subject.words.sentences([Some(caption), left_out]);
    }
    figures
}

/// The lines of a step that can be drawn: a single dot is not a line, and its value is in the table of all figures.
fn lines(step: &StepPercentiles) -> impl Iterator<Item = &(u32, Series)> {
    let points = |line: &Series| {
        line.points
            .iter()
            .filter(|(_, value)| value.is_some_and(f64::is_finite))
            .count()
    };
    step.lines
        .iter()
        .filter(move |(side, line)| (*side as usize) < SIDES_DRAWN && points(line) > 1)
}

/// The steps whose latencies differ most: all if they are few.
fn choose<'a>(
    comparison: &Comparison,
    drawable: &[&'a StepPercentiles],
) -> Vec<&'a StepPercentiles> {
    if drawable.len() <= FIGURES {
        return drawable.to_vec();
    }
    let mut steps: Vec<&str> = Vec::new();
    // The tail first; a step with rounds too short for a p99 may still have a median.
    for metrics in [&["p99", "p99.9"][..], &["p50", "p90", "mean"]] {
        let rows = all(comparison).filter(|row| metrics.contains(&row.cell.metric.as_str()));
        let mut rows = most_telling(rows, FIGURES * 4).shown;
        rows.sort_by(more_telling);
        for row in rows {
            if !steps.contains(&row.cell.step.as_str())
                && drawable.iter().any(|step| step.step == row.cell.step)
            {
                steps.push(&row.cell.step);
            }
        }
    }
    steps.truncate(FIGURES);
    drawable
        .iter()
        .filter(|step| steps.contains(&step.step.as_str()))
        .copied()
        .collect()
}

fn figure(comparison: &Comparison, step: &StepPercentiles, words: Words) -> Figure {
    let mark = |(side, line): &(u32, Series)| {
        let name = side_name(comparison, *side as usize);
        let hover = |x: f64, y: Option<f64>| {
            words.sentence(
                &Statement::new("compared-share-within")
                    .name("side", &name)
                    .name("share", nines_text(x))
                    .name("time", or_dash(Quantity::Latency, y)),
            )
        };
        let points = line
            .points
            .iter()
            .map(|(x, y)| Point {
                x: *x,
                y: *y,
                label: None,
                hover: hover(*x, *y),
            })
            .collect();
        Mark::Line {
            name: name.clone(),
            hue: hue_of(*side as usize),
            stroke: Stroke::Solid,
            points,
            dots: false,
            ringed: None,
        }
    };
    Figure {
        name: CHART.name,
        title: words
            .sentence(&Statement::new("compared-latency-by-percentile").name("step", &step.step)),
        caption: words.sentences([
            Some(words.label("label-compared-percentiles-caption")),
            sides_left_out(comparison, words),
        ]),
        x: Axis {
            label: words.label("label-compared-share-of-operations"),
            quantity: Quantity::Nines,
            scale: Scale::Linear,
        },
        y: Axis {
            label: words.label("label-compared-response-time"),
            quantity: Quantity::Latency,
            scale: Scale::Logarithmic,
        },
        marks: lines(step).map(mark).collect(),
        naming: Naming::Direct,
        alternative: alternative(comparison, step, words),
        table: table(comparison, step, words),
    }
}

fn alternative(comparison: &Comparison, step: &StepPercentiles, words: Words) -> String {
    let one = |(side, line): &(u32, Series)| {
        let (nines, value) = line
            .points
            .iter()
            .rev()
            .find_map(|(x, y)| Some((*x, (*y)?)))?;
        Some(
            words.sentence(
                &Statement::new("compared-operations-within")
                    .name("side", side_name(comparison, *side as usize))
                    .name("share", nines_text(nines))
                    .name("time", Quantity::Latency.text(value)),
            ),
        )
    };
    lines(step).filter_map(one).collect::<Vec<_>>().join(" ")
}

fn table(comparison: &Comparison, step: &StepPercentiles, words: Words) -> Table {
    let mut places: Vec<f64> = lines(step)
        .flat_map(|(_, line)| line.points.iter().map(|(x, _)| *x))
        .filter(|x| x.is_finite())
        .collect();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
    // The table has integer nines and the median; the others are only drawn.
    let asked: Vec<f64> = places
        .iter()
        .copied()
        .filter(|x| (x - x.round()).abs() < 1e-6 || (x - 2f64.log10()).abs() < 1e-3)
        .collect();
    let places = if asked.is_empty() { places } else { asked };
    let at = |line: &Series, place: f64| {
        line.points
            .iter()
            .find(|(x, _)| (x - place).abs() < 1e-6)
            .and_then(|(_, y)| *y)
    };
    let columns = std::iter::once(Column::text(words.label("label-side")))
        .chain(places.iter().map(|x| Column::number(nines_text(*x))))
        .collect();
    let row = |(side, line): &(u32, Series)| {
        let cells = places
            .iter()
            .map(|place| or_dash(Quantity::Latency, at(line, *place)));
        std::iter::once(side_name(comparison, *side as usize))
            .chain(cells)
            .collect()
    };
    Table {
        columns,
        rows: lines(step).map(row).collect(),
        note: String::new(),
    }
}
