//! What is on the page of a trend? The runs at which figures changed, a chart for each changed line, and all others folded.

mod figure;

use std::fmt::Write;

use plumb_model::results::trend::{ChangePoint, Trend, TrendLine};
use plumb_model::statement::Statement;
use plumb_words::Words;

use super::page::{Drawn, PageFrame, block};
use super::{tables, verdict};
use crate::escape::escape;
use crate::figure::{Column, Figure, Table};
use crate::tables::trend_changes::{
    AtRun, axis_names, by_run, change_text, difference_text, drifting, from_to, line_name, moment,
    steady, subject, unjudged,
};
use crate::wording::comparison::{value_text, verdict_mark};
use crate::wording::{sentence, with_micro_sign};
use figure::DrawnAs;

/// Changed lines drawn; the largest changes come first, and all are in the table.
const DRAWN_MAX: usize = 40;
/// Steady lines drawn if no line changed.
const STEADY_DRAWN: usize = 6;
/// Steady lines drawn folded.
const FOLDED_MAX: usize = 120;
/// Runs drawn in all charts together, and at least in each: more would make the page larger than a browser loads at once.
const POINTS_MAX: usize = 4_000;
const POINTS_MIN: usize = 60;
/// Newest runs in the table of runs.
const RUNS_MAX: usize = 500;

/// The page of a trend: one self-contained file.
pub fn trend_html(trend: &Trend, words: Words) -> String {
    let runs = by_run(trend);
    let mut lines = changed(trend);
    let more_above = more_above(lines.len(), words);
    lines.truncate(DRAWN_MAX);
    let mut folded: Vec<&TrendLine> = steady(trend).into_iter().chain(unjudged(trend)).collect();
    // Without a change, the first lines are drawn to show it.
    if lines.is_empty() {
        let rest = folded.split_off(folded.len().min(STEADY_DRAWN));
        lines = std::mem::replace(&mut folded, rest);
    }
    let charts = lines.len() + folded.len().min(FOLDED_MAX);
    let drawn_as = DrawnAs {
        most: (POINTS_MAX / charts.max(1)).max(POINTS_MIN),
        names: axis_names(trend),
    };
    let figures: Vec<Figure> = lines
        .iter()
        .map(|line| figure::figure(trend, line, &drawn_as, words))
        .collect();
    let drawn = Drawn::new(&figures, words);
    PageFrame {
        words,
        title: format!("plumb trend: {}", subject(trend, words)),
        plumb_version: &trend.plumb_version,
        header: header(trend, words),
        summary: String::new(),
        sections: vec![
            ("verdict", "label-verdict", verdict_section(trend, words)),
            ("chart", "", drawn.first),
            (
                "changes",
                "label-what-changed",
                changes(trend, &runs, words),
            ),
            ("figures", "label-figures", drawn.rest + &more_above),
            (
                "steady",
                "label-figures-that-did-not",
                steady_figures(&folded, trend, &drawn_as, words),
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
                    &words.sentence(
                        &Statement::new("trend-all-runs").count("count", (trend.runs.len()) as u64),
                    ),
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
    out + &slow_drifts(trend, words)
}

/// Each change and drift in a sentence, largest first; or that there is none.
fn verdict_section(trend: &Trend, words: Words) -> String {
    let mut dated: Vec<(f64, String)> = Vec::new();
    for line in &trend.lines {
        let item = |ratio: f64, verdict, values, when: Option<String>| {
            let change = change_text(ratio, words);
            let text = match when {
                Some(when) => Statement::new("trend-said-change")
                    .name("verdict", verdict_mark(verdict, words))
                    .name("figure", line_name(line))
                    .name("change", change)
                    .name("values", values)
                    .name("when", when),
                None => Statement::new("trend-said-drift")
                    .name("verdict", verdict_mark(verdict, words))
                    .name("figure", line_name(line))
                    .name("change", change)
                    .name("values", values),
            };
            (ratio.ln().abs(), words.sentence(&text))
        };
        dated.extend(line.changes.iter().map(|change| {
            let values = from_to(line, change.before, change.after);
            let when = trend.runs.get(change.run as usize).map(moment);
            item(change.ratio, change.verdict, values, when)
        }));
        dated.extend(line.drift.iter().map(|drift| {
            let values = from_to(line, drift.first, drift.last);
            item(drift.ratio, drift.verdict, values, None)
        }));
    }
    dated.sort_by(|a, b| b.0.total_cmp(&a.0));
    let items: Vec<String> = dated
        .iter()
        .map(|(_, text)| format!("<li><p>{}</p></li>\n", escape(&with_micro_sign(text))))
        .collect();
    if !items.is_empty() {
        return verdict::folded_after(&items, verdict::SHOWN, words);
    }
    let held = steady(trend).len() as u64;
    match held {
        0 => paragraph("label-trend-not-looked", words),
        _ => {
            let held = Statement::new("trend-no-change-in-any").count("count", held);
            format!("<p>{}</p>\n", escape(&words.sentence(&held)))
        }
    }
}

/// Table of drifting figures; empty if there are none.
fn slow_drifts(trend: &Trend, words: Words) -> String {
    let drifts = drifting(trend);
    if drifts.is_empty() {
        return String::new();
    }
    let mut out = format!(
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
    out
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

/// The lines that changed, the largest changes first.
fn changed(trend: &Trend) -> Vec<&TrendLine> {
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
    lines
}

/// How many changed lines are not drawn; empty if all are.
fn more_above(lines: usize, words: Words) -> String {
    match lines.saturating_sub(DRAWN_MAX) as u64 {
        0 => String::new(),
        rest => {
            let rest = Statement::new("trend-more-above").count("count", rest);
            format!("<p class=\"note\">{}</p>\n", escape(&words.sentence(&rest)))
        }
    }
}

/// A folded drawing for each line without a change.
fn steady_figures(lines: &[&TrendLine], trend: &Trend, drawn_as: &DrawnAs, words: Words) -> String {
    let mut out = String::new();
    for (place, line) in lines.iter().take(FOLDED_MAX).enumerate() {
        let newest = value_text(&line.unit, line.points.last().map(|point| point.value));
        let why = line
            .undecided_because
            .as_ref()
            .map(|why| format!(" ({})", sentence(why, words)))
            .unwrap_or_default();
        let _ = write!(
            out,
            "<details><summary>{}: {}{}</summary>\n{}</details>\n",
            escape(&line_name(line)),
            escape(&newest),
            escape(&why),
            block(
                &figure::figure(trend, line, drawn_as, words),
                &format!("steady-{place}"),
                words
            )
        );
    }
    if lines.len() > FOLDED_MAX {
        let _ = writeln!(
            out,
            "<p class=\"note\">{}</p>",
            escape(
                &words.sentence(
                    &Statement::new("trend-more-in-json")
                        .count("count", (lines.len() - FOLDED_MAX) as u64)
                )
            )
        );
    }
    out
}

/// The name of a parameter of the method; an unknown one unchanged.
fn parameter_name(name: &str, words: Words) -> String {
    let label = match name {
        "values" => "label-trend-values",
        "window" => "label-trend-window",
        "largest p-value" => "label-trend-largest-p-value",
        "smallest change" => "label-trend-smallest-change",
        "shortest segment" => "label-trend-shortest-stretch",
        "fewest runs" => "label-trend-fewest-runs",
        "drift" => "label-trend-parameter-drift",
        _ => return name.to_string(),
    };
    words.label(label)
}

fn method(trend: &Trend, words: Words) -> String {
    let mut out = format!(
        "<p>{}. {}.</p>\n<dl class=\"method\">\n",
        escape(&words.sentence(&trend.method.name)),
        escape(&trend.method.source)
    );
    for (name, value) in &trend.method.parameters {
        let _ = writeln!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escape(&parameter_name(name, words)),
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
    let older = trend.runs.len().saturating_sub(RUNS_MAX);
    let note = match older as u64 {
        0 => String::new(),
        older => words.sentence(&Statement::new("trend-older-runs").count("count", older)),
    };
    Table {
        columns,
        rows: trend.runs.iter().skip(older).map(row).collect(),
        note,
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
            "2026-11-13 03:00: −60 %",
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
        assert!(trend_html(&trend, Words::english()).contains("No change was searched for"));
    }

    #[test]
    fn runs_are_named_as_precisely_as_tells_them_apart() {
        let named = |dates: &[&str]| {
            let mut trend = example(dates.len() as u32);
            for (run, date) in trend.runs.iter_mut().zip(dates) {
                run.started = date.to_string();
            }
            crate::tables::trend_changes::axis_names(&trend)
        };
        assert_eq!(
            named(&["2026-11-01T03:26:01Z", "2026-11-01T03:26:09Z"]),
            ["03:26:01", "03:26:09"]
        );
        assert_eq!(
            named(&["2026-11-01T03:26:01Z", "2026-11-01T03:27:09Z"]),
            ["03:26", "03:27"]
        );
        assert_eq!(
            named(&["2026-11-01T03:26:01Z", "2026-11-02T03:26:01Z"]),
            ["2026-11-01", "2026-11-02"]
        );
        assert_eq!(
            named(&[
                "2026-11-01T03:26:01Z",
                "2026-11-01T09:26:01Z",
                "2026-11-02T03:26:01Z"
            ]),
            ["11-01 03:26", "11-01 09:26", "11-02 03:26"]
        );
    }

    #[test]
    fn a_trend_without_a_change_has_a_chart_all_the_same() {
        let mut trend = example(20);
        for line in &mut trend.lines {
            line.changes.clear();
            line.drift = None;
        }
        let page = trend_html(&trend, Words::english());
        let (before, after) = page.split_once("id=\"chart\"").expect("a first chart");
        assert!(before.contains("<p>No change in "), "said first");
        let first = after.split("</section>").next().unwrap_or_default();
        assert!(first.contains("<svg xmlns") && !first.contains("<details><summary>"));
    }
}
