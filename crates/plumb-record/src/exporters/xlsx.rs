//! How does a spreadsheet show a run with charts that can be edited? As a workbook with sheets of figures and native charts.
//!
//! The crate `rust_xlsxwriter` would do the same for 70 seconds of build time; only a small part of ECMA-376 (Office Open XML) is needed here.

mod chart;
mod sheet;
mod xml;

use plumb_model::environment::Fact;

use crate::exporter::table::{Cell, Column, Table, Unit, Values};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures, zip};
use chart::{Chart, Series};
use sheet::LINES_MAX;

pub static EXPORTER: Exporter = Exporter {
    name: "xlsx",
    meaning: "a workbook for Excel, LibreOffice and the like: sheets of figures, rounds and intervals, with native charts",
    is_text: false,
    export,
};

const FIGURES: &str = "Figures";
const OVER_TIME: &str = "Over time";
/// A chart with more series than this is unreadable.
const SERIES_MAX: usize = 24;
/// A chart with more bars than this is unreadable.
const BARS_MAX: usize = 200;

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let steps = labelled(figures::steps(subject));
    let intervals = figures::intervals(subject);
    if intervals.lines() > LINES_MAX {
        let text = format!(
            "a sheet holds {LINES_MAX} rows and the run has {}; use parquet or csv-intervals",
            intervals.lines()
        );
        return Err(ExportError(text));
    }
    let charts = [bar_charts(&steps), line_charts(&intervals)].concat();
    let sheets = [
        ("Charts", sheet::empty()),
        (FIGURES, sheet::of(&steps)),
        ("Rounds", sheet::of(&figures::rounds(subject))),
        (OVER_TIME, sheet::of(&intervals)),
        ("Run", sheet::of(&about(subject))),
    ];
    let plan = &subject.run.header.plan;
    let title = if plan.title.is_empty() {
        &plan.name
    } else {
        &plan.title
    };
    let files = parts(&sheets, &charts, title);
    Ok(vec![ExportedFile::from_bytes(
        "run.xlsx",
        zip::archive(&files)?,
    )])
}

/// The figures with an additional column for the bar names: step and operation.
fn labelled(mut table: Table) -> Table {
    let mut label = Table::new(vec![Column::text("label")]);
    for line in 0..table.lines() {
        let text = |index: usize| match table.columns[index].cell(line) {
            Cell::Text(text) => text.to_string(),
            Cell::Integer(_) | Cell::Real(_) => String::new(),
        };
        let job = table.index_of("job").map_or_else(String::new, text);
        let (step, operation) = match job.is_empty() {
            true => (text(0), text(1)),
            false => (format!("{}, {job}", text(0)), text(1)),
        };
        let label_text = if step.contains(&operation) {
            step
        } else {
            format!("{step}: {operation}")
        };
        label.push([Cell::Text(&label_text)]);
    }
    table.columns.append(&mut label.columns);
    table
}

/// IOPS, bandwidth and latency as bars, one for each row.
fn bar_charts(table: &Table) -> Vec<Chart> {
    let lines = table.lines().min(BARS_MAX);
    let last = table.columns.len() - 1;
    let series = |heads: &[&str]| -> Vec<Series> {
        let of = |head: &&str| {
            let index = table.index_of(head)?;
            has_values(&table.columns[index].values, 0..lines).then(|| Series {
                name: sheet::head(&table.columns[index]),
                x: sheet::range(FIGURES, last, 0..lines),
                y: sheet::range(FIGURES, index, 0..lines),
            })
        };
        heads.iter().filter_map(of).collect()
    };
    let charts = [
        ("IOPS", "IOPS", series(&["iops"])),
        (
            "Bandwidth",
            "bandwidth (MB/s)",
            series(&["bandwidth_bytes_per_s"]),
        ),
        (
            "Response time",
            "response time (µs)",
            series(&["response_mean_ns", "response_p50_ns", "response_p99_ns"]),
        ),
    ];
    let drawn = charts
        .into_iter()
        .filter(|(_, _, series)| !series.is_empty());
    drawn
        .map(|(title, axis, series)| Chart::bars(title, axis, series, lines))
        .collect()
}

/// The same over time, one series for each step, operation, job and round with more than one interval.
fn line_charts(table: &Table) -> Vec<Chart> {
    let spans = spans(table);
    let shown = &spans[..spans.len().min(SERIES_MAX)];
    let rest = if shown.len() < spans.len() {
        format!(" (the first {} of {})", shown.len(), spans.len())
    } else {
        String::new()
    };
    let Some(start) = table.index_of("start_ns") else {
        return Vec::new();
    };
    let charts = [
        ("IOPS over time", "IOPS", "iops"),
        (
            "Bandwidth over time",
            "bandwidth (MB/s)",
            "bandwidth_bytes_per_s",
        ),
        (
            "Median response time over time",
            "response time p50 (µs)",
            "response_p50_ns",
        ),
        (
            "99th percentile of response time over time",
            "response time p99 (µs)",
            "response_p99_ns",
        ),
    ];
    let mut drawn = Vec::new();
    for (title, axis, head) in charts {
        let Some(index) = table.index_of(head) else {
            continue;
        };
        let with_values = shown
            .iter()
            .filter(|(_, lines)| has_values(&table.columns[index].values, lines.clone()));
        let series: Vec<Series> = with_values
            .map(|(name, lines)| Series {
                name: name.clone(),
                x: sheet::range(OVER_TIME, start, lines.clone()),
                y: sheet::range(OVER_TIME, index, lines.clone()),
            })
            .collect();
        if !series.is_empty() {
            drawn.push(Chart::lines(&format!("{title}{rest}"), axis, series));
        }
    }
    drawn
}

/// Rows that belong to one series, with its name.
fn spans(table: &Table) -> Vec<(String, std::ops::Range<usize>)> {
    let several_jobs =
        (0..table.lines()).any(|line| table.columns[2].cell(line) != Cell::Integer(Some(0)));
    let several_rounds =
        (0..table.lines()).any(|line| table.columns[1].cell(line) != Cell::Integer(Some(1)));
    let key = |line: usize| [0, 1, 2, 3].map(|index| table.columns[index].cell(line));
    let mut spans = Vec::new();
    let mut first = 0;
    for line in 1..=table.lines() {
        if line < table.lines() && key(line) == key(first) {
            continue;
        }
        if let (
            [
                Cell::Text(step),
                Cell::Integer(round),
                Cell::Integer(job),
                Cell::Text(operation),
            ],
            true,
        ) = (key(first), line - first > 1)
        {
            let mut name = if step.contains(operation) {
                step.to_string()
            } else {
                format!("{step}: {operation}")
            };
            if several_jobs {
                name += &format!(", job {}", job.unwrap_or_default());
            }
            if several_rounds {
                name += &format!(", round {}", round.unwrap_or_default());
            }
            spans.push((name, first..line));
        }
        first = line;
    }
    spans
}

fn has_values(values: &Values, lines: std::ops::Range<usize>) -> bool {
    match values {
        Values::Text { .. } => false,
        Values::Integer(values) => values[lines].iter().any(Option::is_some),
        Values::Real(values) => values[lines].iter().any(Option::is_some),
    }
}

/// The setup, as two columns.
fn about(subject: &Subject<'_>) -> Table {
    let mut table = Table::new(vec![
        Column::text("what"),
        Column::text("value"),
        Column::real("number", Unit::None),
    ]);
    let header = &subject.run.header;
    let mut text = |what: &str, value: &str| {
        table.push([Cell::Text(what), Cell::Text(value), Cell::Real(None)])
    };
    text("run", &header.id);
    text("started", &header.started);
    text("state", &subject.summary.state);
    text("plan", &header.plan.name);
    text("target", &header.target());
    text("command", &header.command.join(" "));
    text("plumb", &header.plumb_version);
    if let Some(imported) = &header.imported {
        text(
            "measured by",
            &[
                imported.program.as_str(),
                imported.version.as_deref().unwrap_or_default(),
            ]
            .join(" "),
        );
        text("file", &imported.file);
        imported
            .doubts
            .iter()
            .for_each(|doubt| text("doubt", &plumb_words::english(doubt)));
    }
    let words = plumb_words::Words::english();
    subject
        .summary
        .doubts
        .iter()
        .for_each(|doubt| text("doubt", &words.sentence(doubt)));
    for (id, fact) in &header.environment.facts {
        match fact {
            Fact::Text(value) => table.push([Cell::Text(id), Cell::Text(value), Cell::Real(None)]),
            Fact::Number(value) => {
                table.push([Cell::Text(id), Cell::Text(""), Cell::Real(Some(*value))])
            }
            Fact::Flag(value) => table.push([
                Cell::Text(id),
                Cell::Text(if *value { "yes" } else { "no" }),
                Cell::Real(None),
            ]),
            Fact::Unknown(why) => table.push([
                Cell::Text(id),
                Cell::Text(&format!("unknown: {why}")),
                Cell::Real(None),
            ]),
        }
    }
    table
}

/// The files of the workbook. The charts are on the first sheet.
fn parts(sheets: &[(&str, String)], charts: &[Chart], title: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        (
            "[Content_Types].xml".to_string(),
            xml::content_types(sheets.len(), charts.len()),
        ),
        ("_rels/.rels".to_string(), xml::root_relations()),
        ("docProps/core.xml".to_string(), xml::properties(title)),
        (
            "xl/workbook.xml".to_string(),
            xml::workbook(sheets.iter().map(|(name, _)| *name)),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_string(),
            xml::workbook_relations(sheets.len()),
        ),
        ("xl/styles.xml".to_string(), xml::styles()),
        (
            "xl/worksheets/_rels/sheet1.xml.rels".to_string(),
            xml::relations(&[("drawing", "../drawings/drawing1.xml".into())]),
        ),
        (
            "xl/drawings/drawing1.xml".to_string(),
            chart::drawing(charts),
        ),
    ];
    let targets: Vec<(&str, String)> = (1..=charts.len())
        .map(|number| ("chart", format!("../charts/chart{number}.xml")))
        .collect();
    files.push((
        "xl/drawings/_rels/drawing1.xml.rels".to_string(),
        xml::relations(&targets),
    ));
    for (index, (_, text)) in sheets.iter().enumerate() {
        files.push((
            format!("xl/worksheets/sheet{}.xml", index + 1),
            text.clone(),
        ));
    }
    for (index, chart) in charts.iter().enumerate() {
        files.push((format!("xl/charts/chart{}.xml", index + 1), chart.xml()));
    }
    files
        .into_iter()
        .map(|(name, text)| (name, text.into_bytes()))
        .collect()
}
