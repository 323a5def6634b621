//! Does everything that is shown of a comparison hold: text, Markdown, page and charts, from nothing at all to a hundred sides?

mod drawn;
#[path = "synthetic/comparison.rs"]
mod synthetic;

use drawn::{check_svg, check_texts_apart};
use plumb_model::environment::Fact;
use plumb_model::results::comparison::{CellSide, Comparison, ComparisonPlots, Verdict};
use plumb_show::comparison_chart::ComparisonSubject;
use plumb_show::comparison_charts::COMPARISON_CHARTS;
use plumb_show::figure::{Figure, Mark};
use plumb_show::markdown::comparison_markdown;
use plumb_show::report::comparison_html;
use plumb_show::svg;
use plumb_show::terminal::{Page, comparison_text};

fn text(comparison: &Comparison, width: usize) -> String {
    comparison_text(
        comparison,
        Page {
            width,
            colour: false,
            words: plumb_words::Words::english(),
        },
    )
}

fn html(comparison: &Comparison) -> String {
    comparison_html(
        comparison,
        &synthetic::plots(comparison),
        plumb_words::Words::english(),
    )
}

fn figures(comparison: &Comparison, plots: &ComparisonPlots) -> Vec<Figure> {
    let subject = ComparisonSubject {
        comparison,
        plots,
        words: plumb_words::Words::english(),
    };
    COMPARISON_CHARTS
        .iter()
        .flat_map(|chart| (chart.figures)(&subject))
        .collect()
}

fn all() -> Vec<Comparison> {
    vec![
        synthetic::full(),
        synthetic::three(),
        synthetic::reference(),
        synthetic::tiny(),
        synthetic::empty(),
        synthetic::large(12, 30, 6),
    ]
}

/// Asserts that the parts stand in the text in this order.
fn check_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        let at = text[from..].find(part).unwrap_or_else(|| {
            panic!("'{part}' does not come after the parts before it in:\n{text}")
        });
        from += at + part.len();
    }
}

#[test]
fn the_terminal_tells_the_ground_first_then_the_verdict_then_the_figures() {
    let parts = [
        "B (/mnt/xfs) against A (/mnt/ext4)",
        "A  /mnt/ext4 · plan check · 2026-11-22 10:22:33 +01:00",
        "interrupted in round 6",
        "Differences in the environment",
        "file system: A ext4 · B xfs",
        "RAM: A 8 GiB · B not known (no permission)",
        "I/O scheduler: A none · B not stated",
        "Differences in the work",
        "Not compared",
        "stat, delete (A): only A has it",
        "Verdict",
        "B is worse than A in 10 of 45 figures",
        "348 µs instead of",
        "failed  --fail-if 'p99 > +10%'",
        "Figures",
        "random-read depth=1",
        "Notes",
        "The sides were measured separately",
    ];
    check_order(&text(&synthetic::full(), 120), &parts);
}

#[test]
fn every_verdict_has_its_word_and_its_mark_everywhere() {
    let comparison = synthetic::full();
    let verdicts: Vec<Verdict> = comparison
        .cells
        .iter()
        .flat_map(|cell| cell.effects.iter().map(|effect| effect.verdict))
        .collect();
    for (verdict, mark) in [
        (Verdict::Better, "▲ better"),
        (Verdict::Worse, "▼ worse"),
        (Verdict::Same, "= same"),
        (Verdict::Undecided, "? undecided"),
    ] {
        let count = verdicts.iter().filter(|other| **other == verdict).count();
        assert!(count > 0, "{verdict}: the synthetic comparison lacks it");
        let rows = text(&comparison, 120)
            .lines()
            .filter(|line| line.contains(mark))
            .count();
        assert_eq!(rows, count, "{verdict} in the terminal");
        let rows = comparison_markdown(&comparison)
            .lines()
            .filter(|line| line.starts_with('|') && line.contains(mark))
            .count();
        assert_eq!(rows, count, "{verdict} in Markdown");
        let cells = html(&comparison)
            .split(&format!("<td class=\"v-{verdict}\" title=\""))
            .skip(1)
            .filter(|cell| cell.contains(&format!("\">{mark}</td>")))
            .count();
        assert_eq!(cells, count, "{verdict} on the page");
    }
}

#[test]
fn undecided_figures_say_why_and_how_many_rounds_are_missing() {
    let text_of = |width| text(&synthetic::full(), width);
    assert!(
        text_of(80).contains("about 9 more rounds per side"),
        "{}",
        text_of(80)
    );
    assert!(text_of(140).contains("? undecided  "), "{}", text_of(140));
    let undecided = synthetic::full()
        .cells
        .iter()
        .filter(|cell| cell.effects[0].verdict == Verdict::Undecided)
        .count();
    let shared = &format!(
        "Undecided, {undecided} figures: the interval reaches from a real difference to none"
    );
    assert!(text_of(80).contains(shared) && text_of(140).contains(shared));
    assert!(text(&synthetic::reference(), 80).contains("above all 10 rounds of A"));
    let markdown = comparison_markdown(&synthetic::tiny());
    assert!(
        markdown.contains("one round says nothing about the spread"),
        "{markdown}"
    );
}

#[test]
fn the_table_fits_every_terminal() {
    for comparison in all() {
        for width in [80, 100, 120, 160] {
            for line in text(&comparison, width).lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn three_sides_have_a_row_each() {
    let text = text(&synthetic::three(), 80);
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Figures"))
        .skip(2)
        .take(4)
        .collect();
    check_order(
        &rows.join("\n"),
        &[
            "random-read depth=16",
            "IOPS",
            "A  88,500/s",
            "B  79,900/s",
            "▼ worse",
            "C         –",
            "? undecided",
        ],
    );
}

#[test]
fn what_is_missing_is_a_dash_and_never_a_number() {
    for comparison in all() {
        for shown in [
            text(&comparison, 100),
            comparison_markdown(&comparison),
            html(&comparison),
        ] {
            for wrong in ["NaN", " inf", ">inf", "-inf", "None"] {
                assert!(!shown.contains(wrong), "{wrong} in {shown}");
            }
        }
    }
    let mut comparison = synthetic::tiny();
    comparison.cells[0].sides[1] = CellSide::default();
    comparison.cells[0].effects[0].ratio = Some(f64::NAN);
    let text = text(&comparison, 120);
    let row = text
        .lines()
        .find(|line| line.contains("IOPS"))
        .expect("a row");
    assert_eq!(row.matches('–').count(), 3, "{row}");
}

/// Cells of a row of a Markdown table: separated by bars that no backslash stands before.
fn columns(row: &str) -> usize {
    let mut count = 0;
    let mut escaped = false;
    for c in row.chars() {
        count += usize::from(c == '|' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    count
}

#[test]
fn markdown_tables_have_rows_of_one_length() {
    let mut odd = synthetic::full();
    odd.cells[0].step = "a|b \\| c\nd".into();
    odd.environment[0].values[0] = Some(Fact::Text("x | y".into()));
    for comparison in all()
        .into_iter()
        .chain([odd, synthetic::large(2, 1_000, 6)])
    {
        let markdown = comparison_markdown(&comparison);
        assert!(
            markdown.chars().count() < 65_536,
            "GitHub takes no longer comment: {}",
            markdown.len()
        );
        let lines: Vec<&str> = markdown.lines().collect();
        for table in lines
            .split(|line| !line.starts_with('|'))
            .filter(|table| !table.is_empty())
        {
            assert!(
                table.len() >= 2 && table[1].starts_with("| ---"),
                "{table:?}"
            );
            for row in table {
                assert_eq!(columns(row), columns(table[0]), "{row}");
            }
        }
    }
}

#[test]
fn markdown_begins_with_the_verdict_and_the_conditions() {
    let markdown = comparison_markdown(&synthetic::full());
    check_order(
        &markdown,
        &[
            "### ▼ worse · B (/mnt/xfs) against A",
            "- B is worse than A",
            "| p99 &gt; +10% | ✗ failed |",
            "Differences in the environment",
            "<details>",
        ],
    );
}

#[test]
fn many_rows_are_cut_and_the_cut_is_told() {
    let comparison = synthetic::large(2, 1_000, 6);
    let text = text(&comparison, 100);
    let decided = comparison.tallies[0].better + comparison.tallies[0].worse;
    let rows = |mark: &str| text.lines().filter(|line| line.contains(mark)).count() as u32;
    assert_eq!(
        rows("▲ better") + rows("▼ worse"),
        decided,
        "what is decided is always shown"
    );
    let left_out = 3_000 - decided - 60;
    assert!(
        text.contains(&format!(
            "{},{:03} more figures are the same or undecided",
            left_out / 1000,
            left_out % 1000
        )),
        "{left_out}"
    );
    let page = html(&synthetic::large(100, 200, 6));
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    assert!(page.contains("further figures are not shown here"));
    assert!(page.contains("Shown: the first 8 of 100 sides."));
}

#[test]
fn every_chart_draws_empty_tiny_and_full() {
    let empty = synthetic::empty();
    for comparison in [
        synthetic::full(),
        synthetic::three(),
        synthetic::tiny(),
        synthetic::reference(),
        synthetic::large(12, 30, 6),
    ] {
        let plots = synthetic::plots(&comparison);
        let subject = ComparisonSubject {
            comparison: &comparison,
            plots: &plots,
            words: plumb_words::Words::english(),
        };
        for chart in COMPARISON_CHARTS {
            let nothing = ComparisonPlots::default();
            assert!(
                (chart.figures)(&ComparisonSubject {
                    comparison: &empty,
                    plots: &nothing,
                    words: plumb_words::Words::english()
                })
                .is_empty(),
                "{}",
                chart.name
            );
            let figures = (chart.figures)(&subject);
            // One cell of one round has no sweep, no order and no latency.
            assert!(
                !figures.is_empty() || comparison.cells.len() == 1,
                "{}",
                chart.name
            );
            for figure in figures {
                assert_eq!(figure.name, chart.name);
                assert!(
                    !figure.alternative.is_empty() && !figure.caption.is_empty(),
                    "{}: says in words what it shows",
                    chart.name
                );
                assert!(!figure.table.rows.is_empty(), "{}: has a table", chart.name);
                let columns = figure.table.columns.len();
                assert!(
                    figure.table.rows.iter().all(|row| row.len() == columns),
                    "{}: rows fit the columns",
                    chart.name
                );
                for drawn in [svg::inline(&figure), svg::standalone(&figure)] {
                    check_svg(chart.name, &drawn);
                    check_texts_apart(chart.name, &drawn);
                    assert!(
                        ["<circle", "class=\"stroke"]
                            .iter()
                            .any(|mark| drawn.contains(mark)),
                        "{}: draws a mark",
                        chart.name
                    );
                }
            }
        }
    }
}

#[test]
fn every_round_of_every_side_is_a_dot() {
    let comparison = synthetic::full();
    let figure = figures(&comparison, &ComparisonPlots::default())
        .into_iter()
        .find(|figure| figure.name == "rounds")
        .expect("drawn");
    let rounds: usize = comparison
        .cells
        .iter()
        .flat_map(|cell| &cell.sides)
        .map(|side| side.rounds.len())
        .sum();
    assert_eq!(
        svg::inline(&figure).matches("class=\"speck").count(),
        rounds
    );
}

#[test]
fn ladders_stand_on_the_rungs_of_their_sweep_in_rising_order() {
    let figures = figures(&synthetic::full(), &ComparisonPlots::default());
    let ladder = figures
        .iter()
        .find(|figure| figure.title == "sequential-read: bandwidth by block")
        .expect("drawn");
    let rungs: Vec<&str> = ladder
        .table
        .rows
        .iter()
        .map(|row| row[0].as_str())
        .collect();
    assert_eq!(rungs, ["64k", "256k", "1m", "4m"]);
    let whiskers = ladder
        .marks
        .iter()
        .filter(|mark| matches!(mark, Mark::Whiskers { whiskers, .. } if whiskers.len() == 4))
        .count();
    assert_eq!(whiskers, 2, "an interval at every rung of both sides");
}

#[test]
fn charts_survive_values_that_are_none() {
    let odd = [
        Some(f64::NAN),
        None,
        Some(f64::INFINITY),
        Some(-1.0),
        Some(0.0),
        Some(1e300),
        Some(1e-300),
    ];
    let mut at = 0;
    let mut next = || {
        at += 1;
        odd[at % odd.len()]
    };
    let mut comparison = synthetic::three();
    for cell in &mut comparison.cells {
        for side in &mut cell.sides {
            side.rounds.iter_mut().for_each(|round| *round = next());
            (side.value, side.interval) = (next(), next().zip(next()));
        }
        for effect in &mut cell.effects {
            (effect.ratio, effect.interval, effect.adjusted_p_value) =
                (next(), next().zip(next()), next());
        }
    }
    let mut plots = synthetic::plots(&comparison);
    for (_, line) in plots
        .percentiles
        .iter_mut()
        .flat_map(|step| &mut step.lines)
    {
        line.points
            .iter_mut()
            .for_each(|(_, value)| *value = next());
    }
    for figure in figures(&comparison, &plots) {
        check_svg(figure.name, &svg::inline(&figure));
    }
    for shown in [
        text(&comparison, 80),
        comparison_markdown(&comparison),
        comparison_html(&comparison, &plots, plumb_words::Words::english()),
    ] {
        assert!(!shown.contains("NaN") && !shown.contains(" inf"), "{shown}");
    }
}

#[test]
fn every_chart_is_listed_under_the_name_of_its_file() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/comparison_charts");
    let stem = |entry: std::fs::DirEntry| {
        entry
            .path()
            .file_stem()
            .expect("stem")
            .to_string_lossy()
            .into_owned()
    };
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("folder")
        .map(|entry| stem(entry.expect("entry")))
        .collect();
    let mut listed: Vec<String> = COMPARISON_CHARTS
        .iter()
        .map(|chart| chart.name.to_string())
        .collect();
    files.sort();
    listed.sort();
    assert_eq!(files, listed);
}

#[test]
fn the_page_is_one_file_that_asks_nobody_and_every_id_stands_once() {
    for comparison in all() {
        let page = html(&comparison);
        for forbidden in ["src=", "@import", "url(", "<link", "fetch("] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert_eq!(
            page.matches("http").count(),
            page.matches("http://www.w3.org/2000/svg").count()
        );
        for tag in [
            "section", "figure", "table", "tbody", "tr", "td", "details", "div", "svg", "dl", "ol",
            "ul", "p",
        ] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        let mut ids: Vec<&str> = page
            .split(" id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "{ids:?}");
    }
}

#[test]
fn the_page_tells_the_verdict_first_then_draws_it_then_what_differs() {
    let parts = [
        "<h1>",
        "id=\"verdict\"",
        "▼ worse",
        "✗ failed",
        "id=\"chart\"",
        "<svg",
        "id=\"differences\"",
        "6.14.0-cloud-amd64",
        "only A has it",
        "id=\"figures\"",
        "id=\"cells\"",
        "id=\"remarks\"",
        "id=\"method\"",
        "Holm (1979)",
    ];
    check_order(&html(&synthetic::full()), &parts);
}

#[test]
fn names_with_markup_and_escape_sequences_are_harmless_everywhere() {
    let evil = "<script>alert(1)</script>\"'\x1b[2J&|@all";
    let evil_statement = || plumb_model::statement::Statement::verbatim(evil);
    let mut comparison = synthetic::full();
    for side in &mut comparison.sides {
        (side.letter, side.label, side.plan) = (evil.into(), evil.into(), Some(evil.into()));
        (side.started, side.target, side.doubts) =
            (evil.into(), Some(evil.into()), vec![evil_statement()]);
    }
    for difference in comparison
        .environment
        .iter_mut()
        .chain(&mut comparison.work)
    {
        (difference.what, difference.meaning, difference.steps) = (
            evil.into(),
            plumb_model::statement::Statement::verbatim(evil),
            vec![evil.into()],
        );
        difference.values = vec![
            Some(Fact::Text(evil.into())),
            Some(Fact::Unknown(evil.into())),
        ];
    }
    for cell in &mut comparison.cells {
        (cell.step, cell.group, cell.kind) = (evil.into(), evil.into(), Some(evil.into()));
        cell.sides
            .iter_mut()
            .for_each(|side| side.remarks = vec![evil_statement()]);
        cell.effects
            .iter_mut()
            .for_each(|effect| effect.reason = Some(evil_statement()));
    }
    comparison.refused[0].reason = evil_statement();
    comparison.verdict[0].statement = evil_statement();
    comparison.remarks.push(evil_statement());
    comparison.method.steps.push(evil_statement());
    comparison.conditions[0].explanation = evil_statement();
    let page = html(&comparison);
    assert!(!page.contains("<script>alert") && !page.contains('\x1b') && !page.contains("\"'&"));
    let markdown = comparison_markdown(&comparison);
    assert!(
        !markdown.contains("<script>") && !markdown.contains('\x1b') && !markdown.contains("@all")
    );
    assert!(
        !text(&comparison, 80)
            .chars()
            .any(|c| c.is_control() && c != '\n')
    );
}

#[test]
fn colour_is_there_only_when_asked_for() {
    for colour in [false, true] {
        assert_eq!(
            comparison_text(
                &synthetic::full(),
                Page {
                    width: 80,
                    colour,
                    words: plumb_words::Words::english()
                }
            )
            .contains('\x1b'),
            colour
        );
    }
}
