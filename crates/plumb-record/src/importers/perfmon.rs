//! What did Windows Performance Monitor record? Its CSV (PDH-CSV 4.0) from typeperf, relog and data collector sets: readings over time.
//!
//! The first header names the time zone and its UTC offset in minutes: `(PDH-CSV 4.0) (W. Europe Standard Time)(-60)`, UTC = local time + offset. Other
//! headers are `\\HOST\Object(Instance)\Counter`. An empty or blank field has no value; rates have none in the first row.

#[cfg(test)]
mod fixtures;
mod lines;
mod local_clock;

use std::borrow::Cow;
use std::collections::BTreeSet;

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::run::metric::Reading;
use plumb_model::statement::Statement;
use plumb_model::windows_counters::{metric_of, needs_two_samples};

use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, date};
use lines::{Lines, fields};
use local_clock::{LocalClock, local_ms};

pub static IMPORTER: Importer = Importer {
    name: "perfmon",
    program: "Windows Performance Monitor",
    meaning: "Windows counters over time as CSV (PDH-CSV 4.0): typeperf -o FILE, relog -f CSV, or a data collector set; also esxtop -b",
    recognizes,
    import,
    #[cfg(test)]
    fixtures: fixtures::fixtures,
};

/// Beginning of the first header, and the field separator that goes with it.
const MARKS: [(&str, u8); 2] = [("(PDH-CSV 4.0)", b','), ("(PDH-TSV 4.0)", b'\t')];
/// Most empty lines before the header: typeperf writes one.
const EMPTY_LINES_MAX: u64 = 16;
/// Most readings: of longer files every second row is dropped, repeatedly.
const READINGS_MAX: usize = 400_000;
/// Most counters whose mean is shown.
const SHOWN_MAX: usize = 64;

/// One column.
struct Counter {
    /// Index of the field in a row.
    index: usize,
    /// Windows name: `PhysicalDisk\Disk Reads/sec`.
    name: String,
    /// plumb's name if it knows the counter, else `name`.
    metric: Cow<'static, str>,
    /// `0 C:`; empty if there is only one.
    instance: String,
    /// Its value in the first row is meaningless.
    needs_two_samples: bool,
    sum: f64,
    count: u64,
    max: f64,
}

fn recognizes(head: &Head<'_>) -> bool {
    mark_of(&head.text()).is_some()
}

/// The field separator of a file with this beginning; `None` for another format.
fn mark_of(text: &str) -> Option<u8> {
    let text = text.trim_start_matches(['\u{feff}', '"', '\r', '\n', ' ']);
    let (_, delimiter) = MARKS.iter().find(|(mark, _)| text.starts_with(mark))?;
    Some(*delimiter)
}

/// `\\HOST\PhysicalDisk(0 C:)\Disk Reads/sec`: host and counter. An instance may contain `\`, and the counter name parentheses.
fn counter(index: usize, head: &str) -> Option<(&str, Counter)> {
    let (host, rest) = match head.strip_prefix("\\\\") {
        Some(rest) => rest.split_once('\\')?,
        None => ("", head.strip_prefix('\\')?),
    };
    let (object, name) = match rest.rsplit_once(")\\") {
        // `SMB Direct Connection(...)\Stalls (Send Queue)/sec`
        Some((object, name)) if object.contains('(') => (object, name),
        _ => rest.split_once('\\')?,
    };
    let (object, instance) = object.split_once('(').unwrap_or((object, ""));
    let own = || format!("{object}\\{name}");
    let counter = Counter {
        index,
        name: own(),
        metric: metric_of(object, instance, name).unwrap_or_else(|| own().into()),
        instance: instance.into(),
        needs_two_samples: needs_two_samples(name),
        sum: 0.0,
        count: 0,
        max: f64::NEG_INFINITY,
    };
    Some((host, counter))
}

/// Minutes to add to local time for UTC: the last parentheses of the first header, which must end there.
fn zone_minutes(head: &str) -> Option<i64> {
    head.trim_end()
        .strip_suffix(')')?
        .rsplit_once('(')?
        .1
        .parse()
        .ok()
        .filter(|minutes: &i64| minutes.abs() <= 24 * 60)
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut lines = Lines::of(source);
    let (head, delimiter) = loop {
        let line = lines.next()?;
        match line.as_deref().map(|line| (line, mark_of(line))) {
            Some((line, Some(delimiter))) => break (fields(line, delimiter), delimiter),
            Some((line, None)) if line.trim().is_empty() && lines.number < EMPTY_LINES_MAX => {}
            _ => {
                let mark = MARKS[0].0;
                return Err(ImportError::at(
                    lines.number,
                    format!("a header that begins with '{mark}'"),
                ));
            }
        }
    };
    let first = head.get(0).unwrap_or_default();
    let zone = zone_minutes(first);
    let mut builder = RunBuilder::new("Windows Performance Monitor", None);
    let mut counters = counters_of(head.iter(), &mut builder);
    if counters.is_empty() {
        return Err(ImportError::at(
            lines.number,
            r"names of counters such as '\\HOST\PhysicalDisk(_Total)\Disk Reads/sec'",
        ));
    }
    if are_localized(&counters) {
        builder.doubt(Statement::new("perfmon-names-not-english"));
    }
    let mut rows = Rows {
        clock: LocalClock::new(!first.contains("(UTC)")),
        every: 1,
        ..Rows::default()
    };
    while let Some(line) = lines.next()? {
        if mark_of(&line).is_some() {
            let at = lines.number.to_string();
            builder.doubt(Statement::new("perfmon-second-head").name("line", at));
            break;
        }
        rows.take(&line, delimiter, lines.number, &mut counters);
    }
    if lines.has_code_page {
        builder.doubt(Statement::new("perfmon-code-page"));
    }
    let end_ns = rows.finish(&mut builder, zone)?;
    builder.doubt(Statement::new("perfmon-load-not-known"));
    let step = builder.step("counters", Vec::new);
    let span = builder.execution(step, end_ns as f64 / 1e9);
    if counters.len() > SHOWN_MAX {
        builder.doubt(
            Statement::new("perfmon-means-of-some")
                .count("shown", SHOWN_MAX as u64)
                .count("all", counters.len() as u64),
        );
    }
    let figures = counters.iter().take(SHOWN_MAX).flat_map(figures).collect();
    builder.reported(
        span,
        0,
        Reported {
            figures,
            ..Reported::default()
        },
    );
    Ok(vec![builder.finish()])
}

/// Counter sets that nearly every recording has one of.
const ENGLISH_SETS: [&str; 14] = [
    "Cache",
    "LogicalDisk",
    "Memory",
    "Network Adapter",
    "Network Interface",
    "Objects",
    "Paging File",
    "PhysicalDisk",
    "Process",
    "Processor",
    "Processor Information",
    "Server",
    "System",
    "TCPv4",
];

/// Whether the names are in the language of that Windows, and not one that plumb knows.
fn are_localized(counters: &[Counter]) -> bool {
    let is_known = |counter: &Counter| {
        let (set, _) = counter.name.split_once('\\').unwrap_or((&counter.name, ""));
        counter.metric != counter.name.as_str() || ENGLISH_SETS.contains(&set)
    };
    !counters.iter().any(is_known)
}

/// The counters named in the headers. The first host is the machine; instances of other hosts include the host name.
fn counters_of<'a>(heads: impl Iterator<Item = &'a str>, builder: &mut RunBuilder) -> Vec<Counter> {
    let (mut counters, mut first_host) = (Vec::<Counter>::new(), String::new());
    let mut known = BTreeSet::new();
    for (index, head) in heads.enumerate().skip(1) {
        let Some((host, mut counter)) = counter(index, head) else {
            if !head.trim().is_empty() {
                let column = (index + 1).to_string();
                builder.doubt(Statement::new("perfmon-column-without-name").name("column", column));
            }
            continue;
        };
        if first_host.is_empty() && !host.is_empty() {
            host.clone_into(&mut first_host);
            builder.fact("host.name", Fact::Text(first_host.clone()));
        } else if !host.eq_ignore_ascii_case(&first_host) {
            counter.instance = format!("{host}: {}", counter.instance);
        }
        // In some languages two counters have the same name.
        if !known.insert((counter.metric.clone(), counter.instance.clone())) {
            counter.metric = format!("{} (column {})", counter.name, index + 1).into();
        }
        counters.push(counter);
    }
    counters
}

/// Data from the rows of a file.
#[derive(Default)]
struct Rows {
    clock: LocalClock,
    readings: Vec<Reading>,
    taken: u64,
    /// One of this many rows is kept.
    every: u64,
    bad: u64,
    first_bad: u64,
    /// Values of the first row that need a preceding one.
    first_values: u64,
}

impl Rows {
    /// Adds one line.
    fn take(&mut self, line: &str, delimiter: u8, number: u64, counters: &mut [Counter]) {
        let fields = fields(line, delimiter);
        let local = fields.get(0).and_then(local_ms);
        let Some(time_ns) = local.and_then(|local| self.clock.time_ns(local)) else {
            // Command line tools append lines that are not rows: "Exiting, please wait...".
            let is_row = line.starts_with(|first: char| first == '"' || first.is_ascii_digit());
            if is_row && fields.len() > 1 {
                self.bad += 1;
                self.first_bad = if self.bad == 1 {
                    number
                } else {
                    self.first_bad
                };
            }
            return;
        };
        let is_kept = self.taken.is_multiple_of(self.every);
        for counter in counters.iter_mut() {
            let mut value = fields.get(counter.index).and_then(value_of);
            if self.taken == 0 && counter.needs_two_samples && value.take().is_some() {
                self.first_values += 1;
            }
            if let Some(value) = value {
                counter.sum += value;
                counter.count += 1;
                counter.max = counter.max.max(value);
            }
            if is_kept {
                self.readings.push(Reading {
                    metric: counter.metric.clone(),
                    instance: counter.instance.clone(),
                    time_ns,
                    value,
                });
            }
        }
        self.taken += 1;
        if self.readings.len() > READINGS_MAX && self.readings.len() > 2 * counters.len() {
            let mut row = 0usize;
            self.readings.retain(|_| {
                row += 1;
                ((row - 1) / counters.len()).is_multiple_of(2)
            });
            self.every = self.every.saturating_mul(2);
        }
    }

    /// Passes on the readings; returns the time of the last row in nanoseconds since the first.
    fn finish(self, builder: &mut RunBuilder, zone: Option<i64>) -> Result<u64, ImportError> {
        let Some(first_ms) = self.clock.first_ms else {
            return Err(ImportError::at(
                2,
                "rows that begin with a time such as \"11/22/2026 07:50:48.123\"",
            ));
        };
        if self.bad > 0 {
            builder.doubt(
                Statement::new("perfmon-rows-left-out")
                    .count("count", self.bad)
                    .name("line", self.first_bad.to_string()),
            );
        }
        if self.first_values > 0 {
            let count = self.first_values;
            builder.doubt(Statement::new("perfmon-first-values-left-out").count("count", count));
        }
        if self.every > 1 {
            let every = self.every.to_string();
            builder.doubt(Statement::new("perfmon-readings-thinned").name("every", every));
        }
        if self.clock.doubled_hours > 0 {
            builder.doubt(Statement::new("perfmon-hour-twice"));
        }
        if self.clock.missing_hours > 0 {
            builder.doubt(Statement::new("perfmon-hour-missing"));
        }
        if self.clock.put_back > 0 {
            let count = self.clock.put_back;
            builder.doubt(Statement::new("perfmon-clock-put-back").count("count", count));
        }
        match zone {
            Some(minutes) => {
                let unix_ns = u64::try_from(first_ms + minutes * 60_000)
                    .unwrap_or(0)
                    .saturating_mul(1_000_000);
                builder.started(date::rfc3339(unix_ns), unix_ns);
            }
            None => builder.doubt(Statement::new("perfmon-no-time-zone")),
        }
        builder.run().readings = self.readings;
        u64::try_from(self.clock.elapsed_ms)
            .unwrap_or(0)
            .checked_mul(1_000_000)
            .ok_or_else(|| ImportError::of_file("rows that span less than 500 years"))
    }
}

/// A value; a blank field has none, and -1 stands for a counter that Windows could not compute. A comma within a field is a decimal comma: the field was
/// quoted.
fn value_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = match text.split_once(',') {
        Some((whole_part, fraction)) if !whole_part.contains('.') => {
            format!("{whole_part}.{fraction}").parse()
        }
        _ => text.parse::<f64>(),
    };
    value
        .ok()
        .filter(|value| value.is_finite() && *value >= 0.0)
}

fn figures(counter: &Counter) -> Vec<ReportedFigure> {
    let name = if counter.instance.is_empty() {
        counter.name.clone()
    } else {
        format!("{} ({})", counter.name, counter.instance)
    };
    let unit = unit(counter.name.rsplit('\\').next().unwrap_or_default());
    let figure = |what: &str, value: f64| ReportedFigure {
        name: format!("{name}, {what}"),
        value,
        unit: unit.into(),
    };
    if counter.count == 0 {
        Vec::new()
    } else {
        vec![
            figure("mean", counter.sum / counter.count as f64),
            figure("max", counter.max),
        ]
    }
}

/// By the English name of the counter; a localized name has none.
fn unit(name: &str) -> &'static str {
    match name {
        name if name.starts_with('%') => "%",
        name if name.contains("Bytes/sec") => "B/s",
        name if name.ends_with("/sec") => "/s",
        name if name.contains("sec/") => "s",
        name if name.ends_with("Bytes") => "B",
        _ => "",
    }
}
