//! Does everything that is shown hold for an empty, a tiny and a full run: every chart, the page, the texts?

mod drawn;
mod synthetic;

use drawn::{check_svg, check_texts_apart};
use plumb_model::results::series::Plots;
use plumb_show::chart::Subject;
use plumb_show::charts::CHARTS;
use plumb_show::figure::Mark;
use plumb_show::terminal::{self, Page};
use plumb_show::{report, svg};
use synthetic::Synthetic;

fn subject(synthetic: &Synthetic) -> Subject<'_> {
    Subject {
        run: &synthetic.run,
        summary: &synthetic.summary,
        plots: &synthetic.plots,
        words: plumb_words::Words::english(),
    }
}

/// Every mark of a figure lies inside of it.
fn check_inside(name: &str, text: &str) {
    let document =
        roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let numbers = |list: &str| {
        list.split([' ', ','])
            .filter_map(|number| number.parse::<f64>().ok())
            .collect::<Vec<_>>()
    };
    let view = document
        .root_element()
        .attribute("viewBox")
        .map(numbers)
        .unwrap_or_default();
    let [_, _, width, height] = view[..] else {
        panic!("{name}: {view:?}")
    };
    let inside = |value: f64, most: f64| {
        assert!(
            (-1.0..=most + 1.0).contains(&value),
            "{name}: {value} of {most}"
        )
    };
    for node in document.descendants().filter(|node| node.is_element()) {
        for (attributes, most) in [
            (["x", "x1", "x2", "cx"], width),
            (["y", "y1", "y2", "cy"], height),
        ] {
            attributes
                .iter()
                .filter_map(|attribute| node.attribute(*attribute)?.parse().ok())
                .for_each(|value| inside(value, most));
        }
        for point in numbers(node.attribute("points").unwrap_or_default()).chunks_exact(2) {
            inside(point[0], width);
            inside(point[1], height);
        }
    }
}

#[test]
fn every_chart_draws_empty_tiny_and_full() {
    for chart in CHARTS {
        assert!(
            (chart.figure)(&subject(&synthetic::empty())).is_none(),
            "{}: nothing was measured",
            chart.name
        );
        for synthetic in [synthetic::tiny(), synthetic::full("/srv/data")] {
            let Some(figure) = (chart.figure)(&subject(&synthetic)) else {
                // One block size, or none: no chart over block sizes. One step: none over hosts.
                let of_several = ["bandwidth_over_time", "host_scaling"];
                assert!(of_several.contains(&chart.name), "{}", chart.name);
                assert_eq!(synthetic.summary.steps.len(), 1);
                continue;
            };
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
            for text in [svg::inline(&figure), svg::standalone(&figure)] {
                check_svg(chart.name, &text);
                check_texts_apart(chart.name, &text);
                let drawn = [
                    "class=\"dot",
                    "class=\"stroke",
                    "class=\"bar",
                    "class=\"cell",
                ]
                .iter()
                .any(|mark| text.contains(mark));
                assert!(drawn, "{}: draws a mark", chart.name);
            }
        }
    }
}

/// Puts the next odd value everywhere.
fn make_odd(plots: &mut Plots, mut next: impl FnMut() -> Option<f64>) {
    let over_time = &mut plots.over_time;
    let lines = over_time
        .iops
        .iter_mut()
        .chain(&mut over_time.bandwidth)
        .chain(&mut plots.device_iops)
        .chain(&mut plots.percentiles);
    for line in lines.chain([&mut over_time.p50_ns, &mut over_time.max_ns]) {
        line.points
            .iter_mut()
            .for_each(|(_, value)| *value = next());
    }
    for point in plots
        .throughput_latency
        .iter_mut()
        .flat_map(|curve| &mut curve.points)
    {
        (point.iops, point.p50_ns, point.p99_ns) = (next(), next(), next());
    }
    for bar in plots
        .block_bars
        .iter_mut()
        .chain(&mut plots.file_operation_bars)
        .flat_map(|bars| &mut bars.bars)
    {
        (bar.value, bar.range) = (next(), Some((f64::NAN, 1.0)));
    }
    let maps = [
        &mut plots.cpu_heat_map,
        &mut plots.host_iops,
        &mut plots.host_longest,
    ];
    for cell in maps
        .into_iter()
        .flatten()
        .flat_map(|map| map.cells.iter_mut().flatten())
    {
        *cell = next();
    }
}

#[test]
fn every_chart_survives_values_that_are_none() {
    let mut synthetic = synthetic::full("/srv/data");
    let odd = [
        Some(f64::NAN),
        None,
        Some(f64::INFINITY),
        Some(-1.0),
        Some(0.0),
        Some(1e300),
    ];
    let mut at = 0;
    let next = || {
        at += 1;
        odd[at % odd.len()]
    };
    make_odd(&mut synthetic.plots, next);
    let mut drawn = Vec::new();
    for figure in CHARTS
        .iter()
        .filter_map(|chart| (chart.figure)(&subject(&synthetic)))
    {
        let text = svg::inline(&figure);
        check_svg(figure.name, &text);
        check_inside(figure.name, &text);
        drawn.push(figure.name);
    }
    // A chart that gives up as soon as one value is odd would pass all that is checked above.
    let whole: Vec<&str> = CHARTS
        .iter()
        .filter(|chart| (chart.figure)(&subject(&synthetic::full("/srv/data"))).is_some())
        .map(|chart| chart.name)
        .collect();
    assert_eq!(drawn, whole);
}

#[test]
fn every_chart_is_listed_under_the_name_of_its_file() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/charts");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("folder")
        .map(|entry| {
            entry
                .expect("entry")
                .path()
                .file_stem()
                .expect("stem")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let mut listed: Vec<String> = CHARTS.iter().map(|chart| chart.name.to_string()).collect();
    files.sort();
    listed.sort();
    assert_eq!(files, listed);
}

#[test]
fn percentile_lines_stay_few_and_keep_the_ends_of_each_sweep() {
    let synthetic = synthetic::full("/srv/data");
    let chart = CHARTS
        .iter()
        .find(|chart| chart.name == "percentiles")
        .expect("listed");
    let figure = (chart.figure)(&subject(&synthetic)).expect("drawn");
    let names: Vec<&str> = figure
        .marks
        .iter()
        .filter_map(|mark| {
            if let Mark::Line { name, .. } = mark {
                Some(name.as_str())
            } else {
                None
            }
        })
        .collect();
    assert_eq!(names.len(), 8);
    for name in [
        "random-read depth=1",
        "random-read depth=16",
        "random-read depth=128",
        "random-write depth=1",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

#[test]
fn the_page_is_one_file_that_asks_nobody() {
    for synthetic in [
        synthetic::empty(),
        synthetic::tiny(),
        synthetic::full("/srv/data"),
    ] {
        let page = report::report_html(&subject(&synthetic));
        let lower = page.to_lowercase();
        for forbidden in ["src=", "@import", "url(", "<link", "fetch(", "nan", ">inf<"] {
            let found = lower
                .find(forbidden)
                .map(|at| &page[at.saturating_sub(40)..(at + 40).min(page.len())]);
            assert_eq!(
                found.filter(|text| !text.contains("dominant")),
                None,
                "{forbidden}"
            );
        }
        // The only address is the name of the SVG dialect.
        assert_eq!(
            page.matches("http").count(),
            page.matches("http://www.w3.org/2000/svg").count()
        );
        for tag in [
            "section", "figure", "table", "details", "div", "svg", "dl", "article", "ol",
        ] {
            let (opened, closed) = (
                page.matches(&format!("<{tag}>")).count()
                    + page.matches(&format!("<{tag} ")).count(),
                page.matches(&format!("</{tag}>")).count(),
            );
            assert_eq!(opened, closed, "{tag}");
        }
    }
}

#[test]
fn the_verdict_and_a_figure_come_first_and_the_environment_late() {
    let page = report::report_html(&subject(&synthetic::full("/srv/data")));
    let mut from = 0;
    for part in [
        "<h1>",
        "id=\"verdict\"",
        "id=\"chart\"",
        "<svg xmlns",
        "id=\"findings\"",
        "id=\"figures\"",
        "id=\"steps\"",
        "id=\"environment\"",
        "id=\"plan\"",
        "id=\"method\"",
    ] {
        let found = page[from..].find(part);
        from += found.unwrap_or_else(|| panic!("{part} stands elsewhere"));
    }
    let verdict = page.split("id=\"verdict\"").nth(1).unwrap_or_default();
    let shown = verdict.split("</ol>").next().unwrap_or_default();
    assert!(shown.matches("<li>").count() <= 5, "{shown}");
}

#[test]
fn the_full_page_holds_every_part() {
    let page = report::report_html(&subject(&synthetic::full("/srv/data")));
    for part in [
        "more depth only adds latency",
        "Random writes at depth 64 grew slower",
        "id=\"throughput_latency\"",
        "id=\"cpu_heat_map\"",
        "p99.99",
        "ENOENT",
        "SINGLE_ISSUER",
        "plumb check /srv/data",
        "AMD EPYC",
        "not known: the driver does not tell",
        "prepared /srv/data/.plumb-5f3a/0",
        "128 (sweep)",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // No step has the millions of samples that this takes.
    assert!(!page.contains("p99.9999"));
}

#[test]
fn names_with_markup_and_escape_sequences_are_harmless_everywhere() {
    let evil = "/srv/</script><b><script>alert(1)</script>\"'\x1b[2J&";
    let mut synthetic = synthetic::full(evil);
    synthetic.summary.environment.set(
        "target.path",
        plumb_model::environment::Fact::Text(evil.into()),
    );
    synthetic.summary.environment.set(
        "<b>id",
        plumb_model::environment::Fact::Unknown(evil.into()),
    );
    synthetic.summary.steps[0].name = evil.into();
    synthetic.summary.steps[1].ended_by = vec![plumb_model::run::step_end::StepEnd::Failed(
        plumb_model::statement::Statement::verbatim(evil),
    )];
    synthetic.summary.findings[0].claim = plumb_model::statement::Statement::verbatim(evil);
    synthetic.summary.verdict[0].statement = plumb_model::statement::Statement::verbatim(evil);
    synthetic.summary.plan.title = evil.into();
    synthetic.summary.plan.note = evil.into();
    synthetic.summary.plan.steps[0].note = format!("{evil} too");
    synthetic.plots.matrices[0].name = evil.into();
    synthetic.plots.matrices[0].rows[0] = evil.into();
    synthetic.run.header.command.push(evil.into());
    synthetic.plots.percentiles[0].name = evil.into();
    synthetic.plots.over_time.spans[0].name = evil.into();
    let page = report::report_html(&subject(&synthetic));
    assert!(!page.contains("<script>alert") && !page.contains("<b>id") && !page.contains('\x1b'));
    // The names stand in the data for the script too, and nothing of them ends its element.
    let scripts = page.matches("<script>").count() + page.matches("<script ").count();
    assert_eq!(page.matches("</script").count(), scripts);
    let data = page
        .split("class=\"data\">")
        .nth(1)
        .expect("data of a figure");
    assert!(data.starts_with("{\"plot\":"));
    assert!(
        page.contains("\\u003c/script\\u003e\\u003cb\\u003e"),
        "the name is told"
    );
    let text_page = Page {
        width: 80,
        colour: false,
        words: plumb_words::Words::english(),
    };
    let summary = &synthetic.summary;
    for text in [
        terminal::verdict_text(summary, text_page),
        terminal::summary_table(summary, &[], text_page),
        terminal::findings_text(&summary.findings, text_page),
        terminal::environment_text(&summary.environment, text_page),
        terminal::plan_text(&summary.plan, true, text_page),
        terminal::notes_text(&summary.plan, text_page),
        terminal::matrices_text(&synthetic.plots.matrices, text_page),
    ] {
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text}");
    }
}

#[test]
fn the_table_of_steps_fits_the_terminal_and_keeps_what_matters() {
    let synthetic = synthetic::full("/srv/data");
    for width in [60, 80, 100, 200] {
        let table = terminal::summary_table(
            &synthetic.summary,
            &[],
            Page {
                width,
                colour: false,
                words: plumb_words::Words::english(),
            },
        );
        assert!(
            table.lines().all(|line| line.chars().count() <= width),
            "{width}:\n{table}"
        );
        assert!(
            table.contains("ops/s") && table.contains("p50"),
            "{width}:\n{table}"
        );
        assert_eq!(table.lines().count(), 1 + synthetic.summary.steps.len());
    }
}

#[test]
fn a_matrix_has_all_its_cells_in_narrow_terminals_too() {
    let synthetic = synthetic::full("/srv/data");
    for (width, heads) in [(120, 1), (18, 3)] {
        let text = terminal::matrices_text(
            &synthetic.plots.matrices,
            Page {
                width,
                colour: false,
                words: plumb_words::Words::english(),
            },
        );
        assert!(
            text.starts_with("rewrite <all>, MB/s: size in rows, block in columns\n"),
            "{text}"
        );
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("128 KiB"))
                .count(),
            heads,
            "{width}:\n{text}"
        );
        for cell in ["200", "400", "1,400"] {
            assert!(
                text.split_whitespace().any(|word| word == cell),
                "{width}: {cell} is missing:\n{text}"
            );
        }
    }
    let page = report::report_html(&subject(&synthetic));
    assert!(
        page.contains("<h3>rewrite &lt;all&gt;, MB/s: size in rows, block in columns</h3>")
            && page.contains("color-mix")
    );
}

#[test]
fn of_many_steps_those_of_a_matrix_have_no_line() {
    let mut synthetic = synthetic::full("/srv/data");
    let lines = |synthetic: &Synthetic| {
        let table = terminal::summary_table(
            &synthetic.summary,
            &synthetic.plots.matrices,
            Page {
                width: 120,
                colour: false,
                words: plumb_words::Words::english(),
            },
        );
        table.lines().count()
    };
    let few = synthetic.summary.steps.len();
    assert_eq!(lines(&synthetic), few + 1);
    let last = synthetic.summary.steps[few - 1].clone();
    synthetic.summary.steps.extend((few..45).map(|step| {
        plumb_model::results::summary::StepSummary {
            step: step as u32,
            ..last.clone()
        }
    }));
    let in_matrix = synthetic.plots.matrices[0]
        .cells
        .iter()
        .flatten()
        .flatten()
        .count();
    let failed = synthetic
        .summary
        .steps
        .iter()
        .filter(|step| step.total.errors > 0 && step.step < 9)
        .count();
    assert_eq!(
        lines(&synthetic),
        45 + 1 - in_matrix + failed,
        "what failed has its line all the same"
    );
}

#[test]
fn colour_is_there_only_when_asked_for() {
    let summary = synthetic::full("/srv/data").summary;
    for colour in [false, true] {
        let page = Page {
            width: 80,
            colour,
            words: plumb_words::Words::english(),
        };
        for text in [
            terminal::verdict_text(&summary, page),
            terminal::findings_text(&summary.findings, page),
            terminal::plan_text(&summary.plan, false, page),
        ] {
            assert_eq!(text.contains('\x1b'), colour);
        }
    }
}

#[test]
fn what_is_missing_is_no_zero() {
    let mut synthetic = synthetic::tiny();
    synthetic.summary.steps[0].total.iops = None;
    synthetic.summary.steps[0].total.bandwidth_bytes_per_s = None;
    synthetic.summary.steps[0].response_ns = plumb_model::results::summary::Latency::default();
    let table = terminal::summary_table(
        &synthetic.summary,
        &[],
        Page {
            width: 120,
            colour: false,
            words: plumb_words::Words::english(),
        },
    );
    let row = table.lines().nth(1).expect("row");
    assert!(
        row.matches('–').count() >= 6 && !row.contains(" 0 "),
        "{row}"
    );
}

#[test]
fn what_held_an_outage_follows_from_the_target() {
    let page = |target: &str| {
        let mut synthetic = synthetic::full("/srv/data");
        let outage = plumb_model::results::summary::Outage {
            worker: 0,
            lost_s: 1.0,
            restored_s: Some(3.0),
            text: plumb_model::statement::Statement::verbatim("reset"),
        };
        let connections = plumb_model::results::summary::ConnectionSummary {
            outages: vec![outage],
            ..Default::default()
        };
        synthetic.summary.steps[0].connections = Some(connections);
        let step = synthetic.summary.steps[0].step as usize;
        synthetic.summary.plan.steps[step].jobs[0].target = target.parse().expect("a target");
        report::report_html(&subject(&synthetic))
    };
    let (waits, fails) = (
        "their response times include the wait",
        "the rate includes that time, the response times do not",
    );
    let share = page("smb://server/share");
    assert!(share.contains(waits) && !share.contains(fails));
    let peer = page("tcp://server");
    assert!(peer.contains(fails) && !peer.contains(waits));
}

/// What the shades of a map mean is told in the unit of its cells.
#[test]
fn maps_tell_their_own_units() {
    let synthetic = synthetic::full("/srv/data");
    for (name, unit) in [
        ("cpu_heat_map", " %</text>"),
        ("host_iops", "/s</text>"),
        ("host_longest", " ns</text>"),
    ] {
        let chart = CHARTS.iter().find(|chart| chart.name == name);
        let figure = chart.and_then(|chart| (chart.figure)(&subject(&synthetic)));
        let text = svg::inline(&figure.expect("drawn"));
        assert!(text.contains(unit), "{name}: {unit}");
    }
}
