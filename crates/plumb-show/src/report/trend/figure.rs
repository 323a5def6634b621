//! How is one line of a trend drawn? Runs as dots with the range of their rounds, the means between changes, and the changes with their dates.

use plumb_model::results::trend::{Trend, TrendLine};
use plumb_model::statement::Statement;
use plumb_words::Words;

use crate::figure::{
    Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table, Whisker,
};
use crate::tables::trend_changes::{change_text, from_to, line_name, moment};
use crate::wording::comparison::{quantity_of, value_text, verdict_mark};
use crate::wording::sentence;

/// Ratio of the highest to the lowest value above which a linear axis would flatten the low ones.
const WIDE_RANGE: f64 = 50.0;
/// Colors: the runs, and the means of their segments.
const RUNS_HUE: usize = 0;
const MEANS_HUE: usize = 1;

/// What is the same for all lines of a page.
pub(super) struct DrawnAs {
    /// About the most runs in one chart.
    pub most: usize,
    /// The runs on the axis.
    pub names: Vec<String>,
}

/// One line: the runs with the range of their rounds, the means of the segments, and the changes with their dates. Of many runs some are drawn.
pub(super) fn figure(trend: &Trend, line: &TrendLine, drawn_as: &DrawnAs, words: Words) -> Figure {
    let complete = line;
    let line = &thinned(line, drawn_as.most);
    let quantity = quantity_of(&line.unit).unwrap_or(Quantity::Category);
    let name = line_name(line);
    let mut marks = vec![
        Mark::Whiskers {
            hue: RUNS_HUE,
            whiskers: whiskers(line),
        },
        runs(trend, line, words),
        means(trend, line, words),
    ];
    for change in &line.changes {
        let label = trend
            .runs
            .get(change.run as usize)
            .map(|run| format!("{}: {}", moment(run), change_text(change.ratio, words)))
            .unwrap_or_default();
        marks.push(Mark::Rule {
            at: f64::from(change.run) - 0.5,
            upright: true,
            strong: true,
            label,
        });
    }
    let values = || line.points.iter().map(|point| point.value);
    let wide = values().fold(0.0, f64::max) > WIDE_RANGE * values().fold(f64::INFINITY, f64::min);
    Figure {
        name: "trend",
        title: name.clone(),
        caption: caption(line, words),
        x: Axis {
            label: words.label("label-trend-runs-in-order"),
            quantity: Quantity::Category,
            scale: Scale::Categories(drawn_as.names.clone()),
        },
        y: Axis {
            label: unit_name(&line.unit, words),
            quantity,
            scale: if wide {
                Scale::Logarithmic
            } else {
                Scale::Linear
            },
        },
        marks,
        naming: Naming::Legend,
        alternative: words.sentences([
            Some(
                words.sentence(
                    &Statement::new("trend-over-runs")
                        .name("name", &name)
                        .count("runs", complete.points.len() as u64),
                ),
            ),
            Some(caption(line, words)),
        ]),
        table: Table {
            note: left_out(complete, line, words),
            ..point_table(trend, line, words)
        },
    }
}

/// The line with at most `most` runs and a few more: of each group of neighbors the one with the lowest and the one with the highest figure, and the runs at
/// changes. What is far off is always among them.
fn thinned(line: &TrendLine, most: usize) -> TrendLine {
    let count = line.points.len();
    if count <= most {
        return line.clone();
    }
    let group = (2 * count).div_ceil(most.max(2));
    let mut kept: Vec<usize> = Vec::with_capacity(most + 2);
    for start in (0..count).step_by(group) {
        let places = start..(start + group).min(count);
        let by_value =
            |a: &usize, b: &usize| line.points[*a].value.total_cmp(&line.points[*b].value);
        kept.extend(places.clone().min_by(by_value));
        kept.extend(places.max_by(by_value));
    }
    for change in &line.changes {
        let at = line.points.partition_point(|point| point.run < change.run);
        kept.extend([at.saturating_sub(1), at.min(count - 1)]);
    }
    kept.extend([0, count - 1]);
    kept.sort_unstable();
    kept.dedup();
    TrendLine {
        points: kept.into_iter().map(|at| line.points[at].clone()).collect(),
        ..line.clone()
    }
}

/// That some runs are not drawn; empty if all are.
fn left_out(complete: &TrendLine, drawn: &TrendLine, words: Words) -> String {
    if drawn.points.len() == complete.points.len() {
        return String::new();
    }
    let statement = Statement::new("trend-runs-not-drawn")
        .count("drawn", drawn.points.len() as u64)
        .count("runs", complete.points.len() as u64);
    words.sentence(&statement)
}

/// Quantity of an axis.
fn unit_name(unit: &str, words: Words) -> String {
    match unit {
        "ns" => words.label("label-trend-response-time"),
        "operations/s" => words.label("label-operations-per-second"),
        other => other.replace("/s", " per second"),
    }
}

fn caption(line: &TrendLine, words: Words) -> String {
    let part = |drifts: bool, ratio, (before, after), verdict| {
        let statement = Statement::new(match drifts {
            true => "trend-caption-drift",
            false => "trend-caption-change",
        })
        .name("change", change_text(ratio, words))
        .name("values", from_to(line, before, after))
        .name("verdict", verdict_mark(verdict, words));
        words.sentence(&statement)
    };
    let changes = line.changes.iter().map(|change| {
        let values = (change.before, change.after);
        part(false, change.ratio, values, change.verdict)
    });
    let drifts = line.drift.iter().map(|drift| {
        let values = (drift.first, drift.last);
        part(true, drift.ratio, values, drift.verdict)
    });
    let parts: Vec<String> = changes.chain(drifts).collect();
    let nothing = parts.is_empty().then(|| match &line.undecided_because {
        None => words.label("label-trend-no-change"),
        Some(why) => {
            let told = Statement::new("trend-cannot-tell-in")
                .name("lines", line_name(line))
                .part("reason", why.clone());
            sentence(&told, words)
        }
    });
    let dots = words.label("label-trend-dots");
    words.sentences(nothing.into_iter().chain(parts).chain([dots]).map(Some))
}

/// Dots without a line: nothing was measured between two runs.
fn runs(trend: &Trend, line: &TrendLine, words: Words) -> Mark {
    let mut points = Vec::with_capacity(2 * line.points.len());
    for point in &line.points {
        let run = trend.runs.get(point.run as usize);
        let hover = run
            .map(|run| {
                format!(
                    "{}: {}, {}",
                    moment(run),
                    value_text(&line.unit, Some(point.value)),
                    run.folder
                )
            })
            .unwrap_or_default();
        points.push(Point {
            x: f64::from(point.run),
            y: Some(point.value),
            label: None,
            hover,
        });
        points.push(Point {
            x: f64::from(point.run),
            ..Point::default()
        });
    }
    Mark::Line {
        name: words.label("label-trend-median-of-a-run"),
        hue: RUNS_HUE,
        stroke: Stroke::Solid,
        points,
        dots: true,
        ringed: None,
    }
}

fn whiskers(line: &TrendLine) -> Vec<Whisker> {
    let whisker = |point: &plumb_model::results::trend::TrendPoint| {
        let (low, high) = point.range?;
        Some(Whisker {
            x: f64::from(point.run),
            low,
            high,
        })
    };
    line.points.iter().filter_map(whisker).collect()
}

/// The means of the segments as level lines, or the line of a drift.
fn means(trend: &Trend, line: &TrendLine, words: Words) -> Mark {
    let last = trend.runs.len().saturating_sub(1) as f64;
    let mut points = Vec::new();
    let mut level = |from: f64, to: f64, value: f64| {
        points.extend([from, to].map(|x| Point {
            x,
            y: Some(value),
            ..Point::default()
        }));
        points.push(Point {
            x: to,
            ..Point::default()
        });
    };
    let mut from = 0.0;
    for change in &line.changes {
        level(from, f64::from(change.run) - 0.5, change.before);
        from = f64::from(change.run) - 0.5;
    }
    if let Some(change) = line.changes.last() {
        level(from, last, change.after);
    }
    if let (Some(drift), Some(first)) = (&line.drift, line.points.first()) {
        let end = line
            .points
            .last()
            .map_or(last, |point| f64::from(point.run));
        points.extend(
            [(f64::from(first.run), drift.first), (end, drift.last)].map(|(x, y)| Point {
                x,
                y: Some(y),
                ..Point::default()
            }),
        );
    }
    let name = if line.drift.is_some() {
        "label-trend-drift"
    } else {
        "label-trend-mean-of-a-stretch"
    };
    let name = match points.is_empty() {
        true => String::new(),
        false => words.label(name),
    };
    Mark::Line {
        name,
        hue: MEANS_HUE,
        stroke: Stroke::Solid,
        points,
        dots: false,
        ringed: None,
    }
}

fn point_table(trend: &Trend, line: &TrendLine, words: Words) -> Table {
    let columns = vec![
        Column::text(words.label("label-trend-run")),
        Column::number(words.label("label-value")),
        Column::number(words.label("label-trend-lowest-round")),
        Column::number(words.label("label-trend-highest-round")),
        Column::prose(words.label("label-trend-folder")),
    ];
    let row = |point: &plumb_model::results::trend::TrendPoint| {
        let run = trend.runs.get(point.run as usize)?;
        let (low, high) = point.range.unzip();
        let text = |value| value_text(&line.unit, value);
        Some(vec![
            moment(run),
            text(Some(point.value)),
            text(low),
            text(high),
            run.folder.clone(),
        ])
    };
    Table {
        columns,
        rows: line.points.iter().filter_map(row).collect(),
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::results::comparison::Direction;
    use plumb_model::results::trend::TrendPoint;

    use super::*;

    #[test]
    fn of_many_runs_those_far_off_and_the_first_and_last_are_drawn() {
        let value = |run: u32| match run {
            4_321 => 900.0,
            7_654 => 1.0,
            run => 100.0 + f64::from(run % 7),
        };
        let points = (0..10_000).map(|run| TrendPoint {
            run,
            value: value(run),
            range: None,
            rounds: 1,
        });
        let line = TrendLine {
            step: "read".into(),
            kind: None,
            metric: "iops".into(),
            unit: "operations/s".into(),
            better: Direction::Higher,
            points: points.collect(),
            changes: Vec::new(),
            drift: None,
            undecided_because: None,
        };
        let drawn: Vec<u32> = thinned(&line, 300).points.iter().map(|at| at.run).collect();
        assert!((200..=310).contains(&drawn.len()), "{}", drawn.len());
        assert!(drawn.is_sorted());
        for run in [0, 4_321, 7_654, 9_999] {
            assert!(drawn.contains(&run), "{run}");
        }
        assert_eq!(thinned(&line, 10_000), line);
    }
}
