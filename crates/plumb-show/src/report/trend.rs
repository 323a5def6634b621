//! What page does a trend make? The runs at which figures changed, a chart for each changed line, and all others behind one line each.

use std::fmt::Write;

use plumb_model::results::trend::{ChangePoint, Trend, TrendLine};
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::{PageFrame, figures_section, tables};
use crate::escape::escape;
use crate::figure::{
    Axis, Column, Figure, Mark, Naming, Point, Quantity, Scale, Stroke, Table, Whisker,
};
use crate::svg;
use crate::tables::trend_changes::{
    AtRun, axis_names, by_run, change_text, difference_text, drifting, from_to, line_name, moment,
    steady, subject, unjudged,
};
use crate::wording::comparison::{quantity_of, value_text, verdict_mark};
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
        title: format!("plumb trend: {}", subject(trend, words)),
        plumb_version: &trend.plumb_version,
        header: header(trend, words),
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
                    &counted("trend-all-runs", trend.runs.len(), words),
                    &run_table(trend, words),
                    false,
                ),
            ),
        ],
        footer: escape(
            &words.sentence(
                &Statement::new("trend-derived-with").name("version", &trend.plumb_version),
            ),
        ),
    }
    .html()
}

/// A sentence with one count, which is named after what is counted.
fn counted(id: &'static str, count: usize, words: Words) -> String {
    words.sentence(&Statement::new(id).count("count", count as u64))
}

fn header(trend: &Trend, words: Words) -> String {
    let plan = trend
        .runs
        .first()
        .map_or("nothing", |run| run.plan.as_str());
    let what = words.sentence(&Statement::new("trend-of-plan").name("plan", plan));
    format!(
        "<p class=\"what\">{}</p>\n<h1>{}</h1>\n",
        escape(&what),
        escape(&subject(trend, words))
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
            "<h3>{}</h3>\n<p>{}</p>\n",
            escape(&moment(run)),
            escape(
                &words.sentence(
                    &Statement::new("trend-run-of")
                        .count("number", at.run as u64 + 1)
                        .count("runs", trend.runs.len() as u64)
                        .name("folder", &run.folder)
                )
            )
        );
        let environment: Vec<String> = at
            .environment
            .iter()
            .map(|difference| difference_text(difference, words))
            .collect();
        out += &match environment.is_empty() {
            true => paragraph("label-trend-nothing-changed-with-it", words),
            false => paragraph("label-trend-changed-with-it", words) + &list(&environment),
        };
        let row = |(line, change): &(&TrendLine, &ChangePoint)| {
            let word = verdict_mark(change.verdict, words);
            vec![
                line_name(line),
                word,
                change_text(change.ratio, words),
                from_to(line, change.before, change.after),
            ]
        };
        out += &tables::html(&change_table(at.lines.iter().map(row).collect(), words));
    }
    let drifts = drifting(trend);
    if !drifts.is_empty() {
        out += &format!(
            "<h3>{}</h3>\n{}",
            escape(&words.label("label-trend-slow-drift")),
            paragraph("label-trend-slow-drift-means", words)
        );
        let row = |(line, drift): &(&TrendLine, &plumb_model::results::trend::TrendDrift)| {
            let word = verdict_mark(drift.verdict, words);
            vec![
                line_name(line),
                word,
                change_text(drift.ratio, words),
                from_to(line, drift.first, drift.last),
            ]
        };
        out += &tables::html(&change_table(drifts.iter().map(row).collect(), words));
    }
    match out.is_empty() {
        true if steady(trend).is_empty() => paragraph("label-trend-not-looked", words),
        true => format!(
            "<p>{}</p>\n",
            escape(&counted(
                "trend-no-change-in-any",
                steady(trend).len(),
                words
            ))
        ),
        false => out,
    }
}

fn paragraph(label: &'static str, words: Words) -> String {
    format!("<p>{}</p>\n", escape(&words.label(label)))
}

fn change_table(rows: Vec<Vec<String>>, words: Words) -> Table {
    let columns = vec![
        Column::text(words.label("label-figure")),
        Column::text(words.label("label-compared-verdict")),
        Column::number(words.label("label-change")),
        Column::text(words.label("label-trend-from-to")),
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
        .map(|line| figure(trend, line, words))
        .collect();
    let rest = lines.len().saturating_sub(DRAWN_MAX);
    let rest = if rest > 0 {
        format!(
            "<p class=\"note\">{}</p>\n",
            escape(&counted("trend-more-above", rest, words))
        )
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
            svg::inline_as(&figure(trend, line, words), &format!("steady-{place}"))
        );
    }
    if lines.len() > FOLDED_MAX {
        let _ = writeln!(
            out,
            "<p class=\"note\">{}</p>",
            escape(&counted(
                "trend-more-in-json",
                lines.len() - FOLDED_MAX,
                words
            ))
        );
    }
    out
}

/// One line: the runs with the range of their rounds, the means of the stretches, and the changes with their dates.
fn figure(trend: &Trend, line: &TrendLine, words: Words) -> Figure {
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
            scale: Scale::Categories(axis_names(trend)),
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
                        .count("runs", line.points.len() as u64),
                ),
            ),
            Some(caption(line, words)),
        ]),
        table: point_table(trend, line, words),
    }
}

/// What is counted on an axis.
fn unit_name(unit: &str, words: Words) -> String {
    match unit {
        "ns" => words.label("label-trend-response-time"),
        "operations/s" => words.label("label-operations-per-second"),
        other => other.replace("/s", " per second"),
    }
}

fn caption(line: &TrendLine, words: Words) -> String {
    let part = |id, ratio, (before, after), verdict| {
        words.sentence(
            &Statement::new(id)
                .name("change", change_text(ratio, words))
                .name("values", from_to(line, before, after))
                .name("verdict", verdict_mark(verdict, words)),
        )
    };
    let changes = line.changes.iter().map(|change| {
        let values = (change.before, change.after);
        part("trend-caption-change", change.ratio, values, change.verdict)
    });
    let drifts = line.drift.iter().map(|drift| {
        let values = (drift.first, drift.last);
        part("trend-caption-drift", drift.ratio, values, drift.verdict)
    });
    let parts: Vec<String> = changes.chain(drifts).collect();
    let nothing = parts
        .is_empty()
        .then(|| words.label("label-trend-no-change"));
    let dots = words.label("label-trend-dots");
    words.sentences(nothing.into_iter().chain(parts).chain([dots]).map(Some))
}

/// Dots that no line joins: what lies between two runs was not measured.
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

/// The means of the stretches as level lines, or the line of a drift.
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

fn run_table(trend: &Trend, words: Words) -> Table {
    let columns = [
        "label-trend-started",
        "label-target",
        "label-trend-host",
        "label-trend-tags",
        "label-trend-folder",
    ]
    .map(|label| Column::text(words.label(label)))
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
