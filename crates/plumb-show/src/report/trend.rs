//! What page does a trend make? The runs at which figures changed, a chart for each changed line, and all others behind one line each.

use std::fmt::Write;

use plumb_model::results::trend::{ChangePoint, Trend, TrendLine};
use plumb_words::Words;

use super::{PageFrame, figures_section, tables};
use crate::escape::escape;
use crate::figure::{
    Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table, Whisker,
};
use crate::svg;
use crate::tables::trend_changes::{
    AtRun, axis_names, by_run, change_text, difference_text, drifting, from_to, line_name, mark,
    moment, steady, subject, unjudged,
};
use crate::wording::comparison::{quantity_of, value_text};
use crate::wording::{sentence, with_micro_sign};

/// Changed lines that are drawn; the largest changes come first, and all are in the table.
const DRAWN_MAX: usize = 40;
/// Steady lines that are drawn behind a line each.
const FOLDED_MAX: usize = 120;
/// Ratio of the highest to the lowest value from which on a linear axis would flatten the low ones.
const WIDE_RANGE: f64 = 50.0;
/// Colours: the runs, and the means of their stretches.
const RUNS_HUE: usize = 0;
const MEANS_HUE: usize = 1;

/// The whole page of a trend: one file that needs nothing else.
pub fn trend_html(trend: &Trend, words: Words) -> String {
    let runs = by_run(trend);
    PageFrame {
        words,
        title: format!("plumb trend: {}", subject(trend)),
        plumb_version: &trend.plumb_version,
        header: header(trend),
        sections: vec![
            (
                "changes",
                "label-what-changed",
                changes(trend, &runs, words),
            ),
            (
                "figures",
                "label-figures-that-changed",
                changed_figures(trend, words),
            ),
            (
                "steady",
                "label-figures-that-did-not",
                steady_figures(trend, words),
            ),
            (
                "remarks",
                "label-to-keep-in-mind",
                list(&remarks(trend, words)),
            ),
            (
                "method",
                "label-how-it-was-looked-for",
                method(trend, words),
            ),
            (
                "runs",
                "label-the-runs",
                tables::folded(
                    &format!("All {} runs", trend.runs.len()),
                    &run_table(trend),
                    false,
                ),
            ),
        ],
        footer: format!(
            "Derived with plumb {} · every figure on this page comes from the records of the runs.",
            escape(&trend.plumb_version)
        ),
    }
    .html()
}

fn header(trend: &Trend) -> String {
    let plan = trend
        .runs
        .first()
        .map_or("nothing", |run| run.plan.as_str());
    format!(
        "<p class=\"what\">Trend of plan “{}”</p>\n<h1>{}</h1>\n",
        escape(plan),
        escape(&subject(trend))
    )
}

/// Each run at which something changed, then the drifts.
fn changes(trend: &Trend, runs: &[AtRun], words: Words) -> String {
    let mut out = String::new();
    for at in runs {
        let Some(run) = trend.runs.get(at.run) else {
            continue;
        };
        let _ = write!(
            out,
            "<h3>{}</h3>\n<p>Run {} of {}: <code>{}</code></p>\n",
            escape(&moment(run)),
            at.run + 1,
            trend.runs.len(),
            escape(&run.folder)
        );
        let environment: Vec<String> = at
            .environment
            .iter()
            .map(|difference| difference_text(difference, words))
            .collect();
        out += &match environment.is_empty() {
            true => {
                "<p>Nothing that was recorded of the environment changed with it.</p>\n".to_string()
            }
            false => format!("<p>Changed with it:</p>\n{}", list(&environment)),
        };
        let row = |(line, change): &(&TrendLine, &ChangePoint)| {
            let word = format!("{} {}", mark(change.verdict), change.verdict);
            vec![
                line_name(line),
                word,
                change_text(change.ratio),
                from_to(line, change.before, change.after),
            ]
        };
        out += &tables::html(&change_table(at.lines.iter().map(row).collect()));
    }
    let drifts = drifting(trend);
    if !drifts.is_empty() {
        out += "<h3>Slow drift</h3>\n<p>A straight line fits these better than steps: there is no run at which they changed.</p>\n";
        let row = |(line, drift): &(&TrendLine, &plumb_model::results::trend::TrendDrift)| {
            let word = format!("{} {}", mark(drift.verdict), drift.verdict);
            vec![
                line_name(line),
                word,
                change_text(drift.ratio),
                from_to(line, drift.first, drift.last),
            ]
        };
        out += &tables::html(&change_table(drifts.iter().map(row).collect()));
    }
    match out.is_empty() {
        true if steady(trend).is_empty() => "<p>No change was looked for: see below.</p>\n".into(),
        true => format!(
            "<p>No change in any of {} lines.</p>\n",
            steady(trend).len()
        ),
        false => out,
    }
}

fn change_table(rows: Vec<Vec<String>>) -> Table {
    let columns = vec![
        Column::text("figure"),
        Column::text("verdict"),
        Column::number("change"),
        Column::text("from → to"),
    ];
    Table {
        columns,
        rows,
        note: String::new(),
    }
}

fn remarks(trend: &Trend, words: Words) -> Vec<String> {
    let remarks = trend.remarks.iter();
    remarks.map(|remark| sentence(remark, words)).collect()
}

fn list(texts: &[String]) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let items: String = texts
        .iter()
        .map(|text| format!("<li>{}</li>\n", escape(&with_micro_sign(text))))
        .collect();
    format!("<ul class=\"remarks\">\n{items}</ul>\n")
}

/// The largest changes first.
fn changed_figures(trend: &Trend, words: Words) -> String {
    let size = |line: &TrendLine| {
        let steps = line
            .changes
            .iter()
            .map(|change| change.ratio)
            .chain(line.drift.as_ref().map(|drift| drift.ratio));
        steps.map(|ratio| ratio.ln().abs()).fold(0.0, f64::max)
    };
    let mut lines: Vec<&TrendLine> = trend.lines.iter().filter(|line| size(line) > 0.0).collect();
    lines.sort_by(|a, b| size(b).total_cmp(&size(a)));
    if lines.is_empty() {
        return String::new();
    }
    let figures: Vec<Figure> = lines
        .iter()
        .take(DRAWN_MAX)
        .map(|line| figure(trend, line))
        .collect();
    let rest = lines.len().saturating_sub(DRAWN_MAX);
    let rest = if rest > 0 {
        format!("<p class=\"note\">{rest} more are in the tables above.</p>\n")
    } else {
        String::new()
    };
    figures_section(&figures, words) + &rest
}

/// A line that unfolds a drawing, for each line without a change.
fn steady_figures(trend: &Trend, words: Words) -> String {
    let mut out = String::new();
    let lines: Vec<&TrendLine> = steady(trend).into_iter().chain(unjudged(trend)).collect();
    for (place, line) in lines.iter().take(FOLDED_MAX).enumerate() {
        let newest = value_text(&line.unit, line.points.last().map(|point| point.value));
        let why = line
            .not_looked
            .as_ref()
            .map(|why| format!(" ({})", sentence(why, words)))
            .unwrap_or_default();
        let _ = write!(
            out,
            "<details><summary>{}: {}{}</summary>\n<figure><div class=\"drawing\">{}</div></figure>\n</details>\n",
            escape(&line_name(line)),
            escape(&newest),
            escape(&why),
            svg::inline_as(&figure(trend, line), &format!("steady-{place}"))
        );
    }
    if lines.len() > FOLDED_MAX {
        let _ = writeln!(
            out,
            "<p class=\"note\">{} more are in <code>plumb trend --json</code>.</p>",
            lines.len() - FOLDED_MAX
        );
    }
    out
}

/// One line: the runs with the range of their rounds, the means of the stretches, and the changes with their dates.
fn figure(trend: &Trend, line: &TrendLine) -> Figure {
    let quantity = quantity_of(&line.unit).unwrap_or(Quantity::Category);
    let name = line_name(line);
    let mut marks = vec![
        Mark::Whiskers {
            hue: RUNS_HUE,
            whiskers: whiskers(line),
        },
        runs(trend, line),
        means(trend, line),
    ];
    for change in &line.changes {
        let label = trend
            .runs
            .get(change.run as usize)
            .map(|run| format!("{}: {}", moment(run), change_text(change.ratio)))
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
        caption: caption(line),
        x: Axis {
            label: "runs in the order of time".into(),
            quantity: Quantity::Category,
            scale: Scale::Categories(axis_names(trend)),
        },
        y: Axis {
            label: if line.unit == "ns" {
                "response time".into()
            } else {
                line.unit.replace("/s", " per second")
            },
            quantity,
            scale: if wide {
                Scale::Logarithmic
            } else {
                Scale::Linear
            },
        },
        marks,
        naming: Naming::Legend,
        alternative: format!("{name} over {} runs. {}", line.points.len(), caption(line)),
        table: point_table(trend, line),
    }
}

fn caption(line: &TrendLine) -> String {
    let mut parts: Vec<String> = line
        .changes
        .iter()
        .map(|change| {
            format!(
                "{} ({}, {})",
                change_text(change.ratio),
                from_to(line, change.before, change.after),
                change.verdict
            )
        })
        .collect();
    parts.extend(line.drift.iter().map(|drift| {
        format!(
            "slow drift of {} ({}, {})",
            change_text(drift.ratio),
            from_to(line, drift.first, drift.last),
            drift.verdict
        )
    }));
    let what = if parts.is_empty() {
        "No change.".to_string()
    } else {
        format!("{}.", parts.join("; then "))
    };
    format!("{what} Dots are medians of the rounds of a run, with the range of the rounds.")
}

/// Dots that no line joins: what lies between two runs was not measured.
fn runs(trend: &Trend, line: &TrendLine) -> Mark {
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
        name: "median of a run".into(),
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

/// The means of the stretches as level lines, or the line of a drift.
fn means(trend: &Trend, line: &TrendLine) -> Mark {
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
        "drift"
    } else {
        "mean of a stretch"
    };
    let name = if points.is_empty() { "" } else { name };
    Mark::Line {
        name: name.into(),
        hue: MEANS_HUE,
        stroke: Stroke::Solid,
        points,
        dots: false,
        ringed: None,
    }
}

fn point_table(trend: &Trend, line: &TrendLine) -> Table {
    let columns = vec![
        Column::text("run"),
        Column::number("value"),
        Column::number("lowest round"),
        Column::number("highest round"),
        Column::prose("folder"),
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

fn method(trend: &Trend, words: Words) -> String {
    let mut out = format!(
        "<p>{}. {}.</p>\n<dl class=\"method\">\n",
        escape(&trend.method.name),
        escape(&trend.method.source)
    );
    for (name, value) in &trend.method.parameters {
        let _ = writeln!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escape(name),
            escape(&sentence(value, words))
        );
    }
    out + "</dl>\n"
}

fn run_table(trend: &Trend) -> Table {
    let columns = ["started", "target", "host", "tags", "folder"]
        .map(Column::text)
        .into();
    let row = |run: &plumb_model::results::trend::TrendRun| {
        vec![
            moment(run),
            run.target.clone(),
            run.host.clone().unwrap_or_default(),
            run.tags.join(" "),
            run.folder.clone(),
        ]
    };
    Table {
        columns,
        rows: trend.runs.iter().map(row).collect(),
        note: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::trend_changes::example;

    #[test]
    fn the_page_tells_and_draws_what_changed_and_folds_the_rest() {
        let page = trend_html(&example(20), Words::english());
        for part in [
            "lib/run-12",
            "kernel release and version: 6.1 → 6.2",
            "▼ worse",
            "−20 %",
            "Slow drift",
            "2026-11-13 03:00: 0.4 times",
        ] {
            assert!(page.contains(part), "{part}");
        }
        let plots = page.matches("<svg xmlns").count();
        assert_eq!(plots, 5, "three that changed, two folded");
        assert_eq!(
            page.matches("<details><summary>").count(),
            3,
            "two lines and the runs"
        );
        assert!(
            !page.contains("NaN") && !page.contains("inf"),
            "no number that is none"
        );
        for svg in page.split("<svg xmlns").skip(1) {
            let svg = format!(
                "<svg xmlns{}",
                svg.split("</svg>").next().unwrap_or_default()
            );
            roxmltree::Document::parse(&(svg + "</svg>")).expect("well-formed");
        }
    }

    #[test]
    fn nothing_and_nonsense_make_a_page_too() {
        let mut trend = example(1);
        trend
            .lines
            .iter_mut()
            .for_each(|line| line.points.truncate(1));
        assert!(trend_html(&trend, Words::english()).ends_with("</html>\n"));
        trend.runs.clear();
        trend.lines[0].points.clear();
        trend.lines[1].points[0].value = f64::NAN;
        assert!(!trend_html(&trend, Words::english()).contains("NaN"));
        trend.lines.clear();
        assert!(trend_html(&trend, Words::english()).contains("No change was looked for"));
    }
}
