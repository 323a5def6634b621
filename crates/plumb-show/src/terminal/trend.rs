//! How is a trend printed? Each run at which figures changed, with the environment changes; then drifts; the rest is counted.

use plumb_model::results::comparison::Verdict;
use plumb_model::results::trend::{Trend, TrendLine};
use plumb_model::statement::Statement;

use super::layout::{padded, padded_left, printable, shortened, width, wrapped};
use super::{Page, Tone};
use crate::tables::trend_changes::{
    AtRun, by_run, change_text, difference_text, drifting, from_to, line_name, mark, moment,
    steady, subject, unjudged,
};
use crate::wording::sentence;

/// Most lines shown per run; the report and `--json` have all.
const LINES_MAX: usize = 12;
/// Most environment differences shown per run.
const ENVIRONMENT_MAX: usize = 10;
/// Names listed in a sentence before the rest is only counted.
const NAMED: usize = 3;
/// Minimum width of a line name.
const NAME_MIN: usize = 16;

/// The trend as text.
pub fn trend_text(trend: &Trend, page: Page) -> String {
    let mut out = page.tone(
        Tone::Strong,
        wrapped(&subject(trend, page.words), "", "  ", page.width).trim_end(),
    ) + "\n";
    let runs = by_run(trend);
    for at in &runs {
        out += &at_run(trend, at, page);
    }
    let drifts = drifting(trend);
    if !drifts.is_empty() {
        out += &format!(
            "\n{}\n",
            page.tone(
                Tone::Strong,
                &page.words.label("label-trend-drift-of-lines")
            )
        );
        let rows = drifts.iter().map(|(line, drift)| {
            TrendRow::new(
                line,
                drift.verdict,
                change_text(drift.ratio, page.words),
                (drift.first, drift.last),
            )
        });
        out += &rows_text(trend, rows.collect(), page);
    }
    out += &unchanged(trend, !(runs.is_empty() && drifts.is_empty()), page);
    if trend.lines.is_empty() {
        out += &format!("\n{}\n", page.words.label("label-trend-nothing-asked"));
    }
    out.push('\n');
    let columns = sparkline_columns(page);
    if trend.runs.len() > columns && !(runs.is_empty() && drifts.is_empty()) {
        out += &wrapped(
            &page
                .words
                .sentence(&Statement::new("trend-sparklines-last").count("runs", columns as u64)),
            "  • ",
            "    ",
            page.width,
        );
    }
    for remark in &trend.remarks {
        out += &wrapped(&sentence(remark, page.words), "  • ", "    ", page.width);
    }
    let method = page.words.sentence(
        &Statement::new("trend-method")
            .part("name", trend.method.name.clone())
            .name("source", &trend.method.source),
    );
    out + "\n"
        + &page.tone(
            Tone::Quiet,
            wrapped(&method, "", "  ", page.width).trim_end(),
        )
        + "\n"
}

/// Lines without a change, and undecided ones; `others_changed`: there are lines with a change.
fn unchanged(trend: &Trend, others_changed: bool, page: Page) -> String {
    let mut out = String::new();
    let (still, few) = (steady(trend), unjudged(trend));
    if !still.is_empty() {
        let statement = Statement::new(match others_changed {
            true => "trend-no-change-in-others",
            false => "trend-no-change-in",
        })
        .part("lines", counted(&still));
        out += &wrapped(&page.words.sentence(&statement), "\n", "  ", page.width);
    }
    let mut reasons: Vec<&Statement> = few
        .iter()
        .filter_map(|line| line.undecided_because.as_ref())
        .collect();
    reasons.dedup();
    for (place, reason) in reasons
        .iter()
        .enumerate()
        .filter(|(place, reason)| !reasons[..*place].contains(reason))
    {
        let lines: Vec<_> = few
            .iter()
            .copied()
            .filter(|line| line.undecided_because.as_ref() == Some(*reason))
            .collect();
        out += &wrapped(
            &page.words.sentence(
                &Statement::new("trend-cannot-tell-in")
                    .part("lines", counted(&lines))
                    .part("reason", (*reason).clone()),
            ),
            if place == 0 { "\n" } else { "" },
            "  ",
            page.width,
        );
    }
    out
}

/// One run with all its changes.
fn at_run(trend: &Trend, at: &AtRun, page: Page) -> String {
    let Some(run) = trend.runs.get(at.run) else {
        return String::new();
    };
    let count = at.lines.len();
    let changed = Statement::new("trend-lines-changed").count("lines", count as u64);
    let what = format!("{}  {}", moment(run), page.words.sentence(&changed));
    let mut out = format!("\n{}\n", page.tone(Tone::Strong, &printable(&what)));
    out += &wrapped(
        &page.words.sentence(
            &Statement::new("trend-run-of")
                .count("number", at.run as u64 + 1)
                .count("runs", trend.runs.len() as u64)
                .name("folder", &run.folder),
        ),
        "  ",
        "    ",
        page.width,
    );
    let with_it = format!("  {}  ", page.words.label("label-trend-with-it"));
    let below = " ".repeat(width(&with_it));
    for difference in at.environment.iter().take(ENVIRONMENT_MAX) {
        let text = difference_text(difference, page.words);
        out += &wrapped(&text, &with_it, &below, page.width);
    }
    match at.environment.len() {
        0 => {
            let nothing = page.words.label("label-trend-nothing-with-it");
            out += &wrapped(&nothing, &with_it, &below, page.width);
        }
        many if many > ENVIRONMENT_MAX => {
            let more = (many - ENVIRONMENT_MAX) as u64;
            let more = Statement::new("trend-more-differences").count("more", more);
            out += &wrapped(&page.words.sentence(&more), &below, &below, page.width);
        }
        _ => {}
    }
    let shown = at.lines.iter().take(LINES_MAX);
    let rows = shown.map(|(line, change)| {
        TrendRow::new(
            line,
            change.verdict,
            change_text(change.ratio, page.words),
            (change.before, change.after),
        )
    });
    out += &rows_text(trend, rows.collect(), page);
    if count > LINES_MAX {
        let more = Statement::new("trend-more-lines").count("more", (count - LINES_MAX) as u64);
        out += &wrapped(&page.words.sentence(&more), "  ", "  ", page.width);
    }
    out
}

/// One changed line as texts.
struct TrendRow<'a> {
    line: &'a TrendLine,
    verdict: Verdict,
    change: String,
    name: String,
    values: String,
}

impl<'a> TrendRow<'a> {
    fn new(line: &'a TrendLine, verdict: Verdict, change: String, values: (f64, f64)) -> Self {
        TrendRow {
            line,
            verdict,
            change,
            name: printable(&line_name(line)),
            values: from_to(line, values.0, values.1),
        }
    }
}

/// The aligned rows; each line's sparkline is at the end of its row, or below it without room.
fn rows_text(trend: &Trend, rows: Vec<TrendRow>, page: Page) -> String {
    let widest = |of: fn(&TrendRow) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (change, values) = (
        widest(|row| width(&row.change)),
        widest(|row| width(&row.values)),
    );
    let fixed = 2 + 2 + change + 2 + values + 2;
    let name = widest(|row| width(&row.name)).min(page.width.saturating_sub(fixed).max(NAME_MIN));
    let mut out = String::new();
    for row in &rows {
        let tone = if row.verdict == Verdict::Worse {
            Tone::Severe
        } else {
            Tone::Good
        };
        let head = page.tone(
            tone,
            &format!("{} {}", mark(row.verdict), padded_left(&row.change, change)),
        );
        let text = format!(
            "{}  {}",
            padded(&shortened(&row.name, name), name),
            padded(&row.values, values)
        );
        let beside = page.width.saturating_sub(fixed + name + 2);
        let sparkline = if trend.runs.len() <= beside {
            sparkline(trend, row.line, beside)
        } else {
            String::new()
        };
        out += format!("  {head}  {text}  {sparkline}").trim_end();
        out.push('\n');
        if sparkline.is_empty() {
            out += &format!(
                "    {}\n",
                self::sparkline(trend, row.line, sparkline_columns(page))
            );
        }
    }
    out
}

/// Most runs shown in a separate row.
fn sparkline_columns(page: Page) -> usize {
    page.width.saturating_sub(4)
}

/// The last runs of a line as blocks from its lowest to its highest value, one for each run; a run without the figure is a gap.
fn sparkline(trend: &Trend, line: &TrendLine, columns: usize) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let first = trend.runs.len().saturating_sub(columns);
    let points: Vec<_> = line
        .points
        .iter()
        .filter(|point| point.run as usize >= first && point.value.is_finite())
        .collect();
    let low = points
        .iter()
        .map(|point| point.value)
        .fold(f64::INFINITY, f64::min);
    let high = points
        .iter()
        .map(|point| point.value)
        .fold(f64::NEG_INFINITY, f64::max);
    let mut blocks = vec![' '; trend.runs.len() - first];
    for point in points {
        let share = if high > low {
            (point.value - low) / (high - low)
        } else {
            0.5
        };
        if let Some(block) = blocks.get_mut(point.run as usize - first) {
            *block = BLOCKS[((share * 7.0).round() as usize).min(7)];
        }
    }
    blocks
        .into_iter()
        .collect::<String>()
        .trim_end()
        .to_string()
}

/// `6 lines (a; b; c; and 3 more)`.
fn counted(lines: &[&TrendLine]) -> Statement {
    let names = lines.iter().take(NAMED).map(|line| line_name(line));
    let names: Vec<String> = names.collect();
    let more = lines.len().saturating_sub(NAMED);
    Statement::new(match more {
        0 => "trend-lines",
        _ => "trend-lines-and-more",
    })
    .count("lines", lines.len() as u64)
    .name("names", names.join("; "))
    .count("more", more as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::trend_changes::example;

    fn text(trend: &Trend, width: usize) -> String {
        trend_text(
            trend,
            Page {
                width,
                colour: false,
                words: plumb_words::Words::english(),
            },
        )
    }

    #[test]
    fn a_change_stands_with_its_run_its_environment_and_its_sparkline() {
        let text = text(&example(20), 80);
        for part in [
            "20 runs of plan nightly on /srv, host box, 2026-11-01 to 2026-11-20",
            "2026-11-13 03:00  2 series changed",
            "run 13 of 20: lib/run-12",
            "kernel release and version: 6.1 → 6.2",
            "▼ −20 %  random-read, IOPS  10,000/s → 8,000/s",
            "▲",
            "Slow drift",
            "No change in the other 1 series (random-read, mean latency).",
            "Undecided in 1 series (young, IOPS): 3 runs have this figure.",
            "  • Something to keep in mind.",
            "Method: ",
        ] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        assert!(text.contains("████████████▁▁▁▁▁▁▁▁"), "{text}");
        assert!(text.lines().all(|line| width(line) <= 80), "{text}");
    }

    #[test]
    fn many_runs_are_cut_to_the_terminal_and_none_is_no_failure() {
        let text = super::tests::text(&example(300), 80);
        assert!(
            text.lines().all(|line| width(line) <= 80) && text.contains("the last 76 runs"),
            "{text}"
        );
        let mut trend = example(20);
        trend
            .lines
            .iter_mut()
            .for_each(|line| (line.changes.clear(), line.drift = None).0);
        assert!(
            super::tests::text(&trend, 80).contains("No change in 4 series"),
            "{text}"
        );
        trend.lines.clear();
        trend.runs.clear();
        assert!(super::tests::text(&trend, 40).starts_with("No runs\n"));
    }
}
