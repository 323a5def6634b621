//! How long is the latency tail? Latency by percentile, as far as there are enough samples.

use plumb_model::statement::Statement;
use plumb_words::Words;

use plumb_model::results::series::Series;

use crate::chart::{Chart, Subject, any_value, or_dash};
use crate::figure::{
    Axis, Column, Figure, Hues, Mark, Naming, Point, Quantity, Scale, Stroke, Table, nines_text,
};

pub const CHART: Chart = Chart {
    name: "percentiles",
    question: "How long are the longest waits?",
    figure,
};

/// More lines than this cannot be told apart.
const LINES: usize = 8;

fn figure(subject: &Subject) -> Option<Figure> {
    let words = subject.words;
    let (all, drawable) = lines(subject);
    if all.is_empty() {
        return None;
    }
    let chosen = choose(subject, &all);
    let mut hues = Hues::default();
    let mut strokes: Vec<(String, usize)> = Vec::new();
    let marks = chosen.iter().map(|line| {
        let group = group_of(subject, &line.name);
        let seen = strokes.iter().filter(|(other, _)| *other == group).count();
        strokes.push((group.clone(), seen));
        let points = line
            .points
            .iter()
            .map(|(x, y)| Point {
                x: *x,
                y: *y,
                label: None,
                hover: hover(words, &line.name, *x, *y),
            })
            .collect();
        let stroke = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][seen.min(2)];
        // A fourth line of one group gets another color.
        let hue = hues.of(if seen < 3 { &group } else { &line.name });
        Mark::Line {
            name: line.name.clone(),
            hue,
            stroke,
            points,
            dots: false,
            ringed: None,
        }
    });
    let marks = marks.collect();
    let left_out = drawable - chosen.len();
    let rest = (left_out > 0).then(|| {
        words.sentence(&Statement::new("chart-further-steps").count("count", left_out as u64))
    });
    Some(Figure {
        name: CHART.name,
        title: words.label("label-latency-by-percentile"),
        caption: words.sentences([
            Some(words.label("label-latency-by-percentile-caption")),
            rest,
        ]),
        x: Axis {
            label: words.label("label-share-of-operations-this-quick"),
            quantity: Quantity::Nines,
            scale: Scale::Linear,
        },
        y: Axis {
            label: words.label("label-response-time-logarithmic"),
            quantity: Quantity::Latency,
            scale: Scale::Logarithmic,
        },
        marks,
        naming: Naming::Direct,
        alternative: alternative(words, &chosen),
        table: table(words, &chosen),
    })
}

/// The lines that can be drawn, and how many steps have any value. A step with only a median is a dot: it is drawn if
/// no other step has more.
fn lines<'a>(subject: &Subject<'a>) -> (Vec<&'a Series>, usize) {
    let plots = subject.plots;
    let all = plots.percentiles.iter();
    let mut all: Vec<&Series> = all.filter(|line| any_value(&[line])).collect();
    let drawable = all.len();
    let is_line = |line: &&Series| line.points.iter().filter(|point| point.1.is_some()).count() > 1;
    if all.iter().any(is_line) {
        all.retain(is_line);
    }
    (all, drawable)
}

fn hover(words: Words, name: &str, x: f64, y: Option<f64>) -> String {
    words.sentence(
        &Statement::new("chart-within")
            .name("name", name)
            .name("share", nines_text(x))
            .name("time", or_dash(Quantity::Latency, y)),
    )
}

/// The group of a step by its name. Lines of one kind of operation (`mix: read`) belong together.
fn group_of(subject: &Subject, name: &str) -> String {
    let step = subject
        .summary
        .plan
        .steps
        .iter()
        .find(|step| step.name == name);
    let kind = || name.rsplit(": ").next().unwrap_or(name).to_string();
    step.map_or_else(kind, |step| step.group.clone())
}

/// At most [`LINES`] lines, in plan order: all if they fit; else for each group with a throughput-latency curve the lightest and the
/// heaviest load and the knee, then of the other groups the first and last, as long as there is room.
fn choose<'a>(subject: &Subject, all: &[&'a Series]) -> Vec<&'a Series> {
    if all.len() <= LINES {
        return all.to_vec();
    }
    let steps = &subject.summary.plan.steps;
    let name_of = |step: u32| steps.get(step as usize).map(|step| step.name.as_str());
    let mut wanted: Vec<&str> = Vec::new();
    let curves = &subject.plots.throughput_latency;
    let ends = curves
        .iter()
        .flat_map(|curve| [curve.points.first(), curve.points.last()]);
    let knees = curves.iter().map(|curve| curve.points.get(curve.knee?));
    wanted.extend(
        ends.chain(knees)
            .flatten()
            .filter_map(|point| name_of(point.step)),
    );
    for pair in steps.chunk_by(|a, b| a.group == b.group) {
        wanted.extend(
            [pair.first(), pair.last()]
                .into_iter()
                .flatten()
                .map(|step| step.name.as_str()),
        );
    }
    wanted.extend(all.iter().map(|line| line.name.as_str()));
    let mut chosen: Vec<usize> = Vec::new();
    for name in wanted {
        if let Some(place) = all.iter().position(|line| line.name == name)
            && !chosen.contains(&place)
            && chosen.len() < LINES
        {
            chosen.push(place);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|place| all[place]).collect()
}

fn alternative(words: Words, lines: &[&Series]) -> String {
    let one = |line: &&Series| {
        let last = line
            .points
            .iter()
            .rev()
            .find_map(|(x, y)| Some((*x, (*y)?)))?;
        Some(
            words.sentence(
                &Statement::new("chart-operations-within")
                    .name("name", &line.name)
                    .name("share", nines_text(last.0))
                    .name("time", Quantity::Latency.text(last.1)),
            ),
        )
    };
    words.sentences(lines.iter().map(one))
}

fn table(words: Words, lines: &[&Series]) -> Table {
    let wanted: Vec<f64> = std::iter::once(2f64.log10())
        .chain((1..=6).map(f64::from))
        .collect();
    let at = |line: &Series, nines: f64| {
        line.points
            .iter()
            .find(|(x, _)| (x - nines).abs() < 0.001)
            .and_then(|(_, y)| *y)
    };
    let columns = std::iter::once(Column::text(words.label("label-step")))
        .chain(
            wanted
                .iter()
                .map(|nines| Column::number(nines_text(*nines))),
        )
        .collect();
    let row = |line: &&Series| {
        let cells = wanted
            .iter()
            .map(|nines| or_dash(Quantity::Latency, at(line, *nines)));
        std::iter::once(line.name.clone()).chain(cells).collect()
    };
    Table {
        columns,
        rows: lines.iter().map(row).collect(),
        note: String::new(),
    }
}
