//! What did Windows' Performance Monitor count? Its CSV (PDH-CSV 4.0) of typeperf, relog and data collector sets: readings over time.
//!
//! The first head names the time zone and its distance to UTC in minutes: `(PDH-CSV 4.0) (W. Europe Standard Time)(-60)`, UTC = local time + distance. Other heads are
//! `\\HOST\Object(Instance)\Counter`. A field that is empty or blank has no value; rates have none in the first row.

use std::borrow::Cow;

use csv::{ReaderBuilder, StringRecord};
use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::imported::{Reported, ReportedFigure};
use plumb_model::run::metric::Reading;
use plumb_model::statement::Statement;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source, date};

pub static IMPORTER: Importer = Importer {
    name: "perfmon",
    program: "Windows Performance Monitor",
    meaning: "counters of Windows over time as CSV (PDH-CSV 4.0): typeperf -o FILE, relog -f CSV, or a data collector set",
    recognises,
    import,
    #[cfg(test)]
    fixtures,
};

const MARK: &str = "(PDH-CSV 4.0)";
/// Most readings: of longer files every second row is left out, and again.
const READINGS_MAX: usize = 400_000;
/// Most counters whose mean is shown.
const SHOWN_MAX: usize = 64;

/// One column.
struct Counter {
    /// `PhysicalDisk\Disk Reads/sec`.
    metric: String,
    /// `0 C:`; empty when there is only one.
    instance: String,
    sum: f64,
    count: u64,
    max: f64,
}

fn recognises(head: &Head<'_>) -> bool {
    let text = head.text();
    text.trim_start_matches(['\u{feff}', '"']).starts_with(MARK)
}

/// The fields of a line, quoted or not (RFC 4180).
fn fields(line: &str) -> StringRecord {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(line.len().max(1))
        .from_reader(line.trim_start_matches('\u{feff}').as_bytes());
    let mut fields = StringRecord::new();
    // Bytes in memory that are text can always be read: no field at all is an empty line.
    if reader.read_record(&mut fields).is_err() {
        fields.clear();
    }
    fields
}

/// `\\HOST\PhysicalDisk(0 C:)\Disk Reads/sec`: host and counter.
fn counter(head: &str) -> Option<(String, Counter)> {
    let (host, rest) = match head.strip_prefix("\\\\") {
        Some(rest) => rest.split_once('\\')?,
        None => ("", head.strip_prefix('\\')?),
    };
    let (object, name) = rest.rsplit_once('\\')?;
    let (object, instance) = match object
        .strip_suffix(')')
        .and_then(|object| object.split_once('('))
    {
        Some((object, instance)) => (object, instance),
        None => (object, ""),
    };
    let counter = Counter {
        metric: format!("{object}\\{name}"),
        instance: instance.into(),
        sum: 0.0,
        count: 0,
        max: f64::NEG_INFINITY,
    };
    Some((host.into(), counter))
}

/// `11/22/2026 07:50:48.123` in milliseconds since 1970, as if it were UTC.
fn local_ms(text: &str) -> Option<i64> {
    let (day, time) = text.trim().split_once(' ')?;
    let mut day = day.split('/').map(|part| part.parse::<i64>().ok());
    let (month, date, year) = (day.next()??, day.next()??, day.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.split(':').map(|part| {
        part.parse::<i64>()
            .ok()
            .filter(|part| (0..60).contains(part))
    });
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let milliseconds = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok()?;
    Some(date::unix_s(year, month, date, (hour * 60 + minute) * 60 + second)? * 1000 + milliseconds)
}

/// Minutes to add to local time for UTC: the last brackets of the first head.
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
    let head = fields(&source.line()?.unwrap_or_default());
    let zone = head
        .get(0)
        .filter(|first| first.starts_with(MARK))
        .ok_or_else(|| ImportError::at(1, format!("a head that begins with '{MARK}'")))?;
    let zone = zone_minutes(zone);
    let mut builder = RunBuilder::new("Windows Performance Monitor", None);
    let mut counters = Vec::new();
    for (place, head) in head.iter().enumerate().skip(1) {
        match counter(head) {
            Some((host, counter)) => {
                if !host.is_empty() && counters.is_empty() {
                    builder.fact("host.name", Fact::Text(host));
                }
                counters.push((place, counter));
            }
            None if head.trim().is_empty() => {}
            None => builder.doubt(
                Statement::new("perfmon-column-without-name")
                    .name("column", (place + 1).to_string()),
            ),
        }
    }
    if counters.is_empty() {
        return Err(ImportError::at(
            1,
            r"names of counters such as '\\HOST\PhysicalDisk(_Total)\Disk Reads/sec'",
        ));
    }
    let end_ns = rows(source, &mut builder, &mut counters, zone)?;
    builder.doubt(Statement::new("perfmon-load-not-known"));
    let step = builder.step("counters", Vec::new);
    let span = builder.execution(step, end_ns as f64 / 1e9);
    let counters: Vec<Counter> = counters.into_iter().map(|(_, counter)| counter).collect();
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

/// Takes all rows; returns the time of the last one in nanoseconds since the first.
fn rows(
    source: &mut Source<'_>,
    builder: &mut RunBuilder,
    counters: &mut [(usize, Counter)],
    zone: Option<i64>,
) -> Result<u64, ImportError> {
    let (mut number, mut first_ms, mut end_ns) = (1u64, None, 0);
    let (mut taken, mut every, mut bad, mut first_bad) = (0u64, 1u64, 0u64, 0u64);
    let mut kept: Vec<Reading> = Vec::new();
    while let Some(line) = source.line()? {
        number += 1;
        let fields = fields(&line);
        let Some(now_ms) = fields
            .get(0)
            .and_then(local_ms)
            .filter(|now| first_ms.is_none_or(|first| *now >= first))
        else {
            // The command line tools write a last line of their own.
            if !line.trim().is_empty() && fields.len() > 1 {
                bad += 1;
                first_bad = if bad == 1 { number } else { first_bad };
            }
            continue;
        };
        let first = *first_ms.get_or_insert(now_ms);
        let time_ns = ((now_ms - first) as u64).saturating_mul(1_000_000);
        end_ns = time_ns.max(end_ns);
        for (place, counter) in counters.iter_mut() {
            let value = fields
                .get(*place)
                .and_then(|text| text.trim().parse::<f64>().ok())
                .filter(|value| value.is_finite());
            if let Some(value) = value {
                (counter.sum, counter.count, counter.max) = (
                    counter.sum + value,
                    counter.count + 1,
                    counter.max.max(value),
                );
            }
            if taken.is_multiple_of(every) {
                let metric = Cow::Owned(counter.metric.clone());
                kept.push(Reading {
                    metric,
                    instance: counter.instance.clone(),
                    time_ns,
                    value,
                });
            }
        }
        taken += 1;
        if kept.len() > READINGS_MAX && kept.len() > 2 * counters.len() {
            let mut row = 0usize;
            kept.retain(|_| {
                row += 1;
                ((row - 1) / counters.len()).is_multiple_of(2)
            });
            every = every.saturating_mul(2);
        }
    }
    let Some(first_ms) = first_ms else {
        return Err(ImportError::at(
            2,
            "rows that begin with a time such as \"11/22/2026 07:50:48.123\"",
        ));
    };
    doubts_of_rows(builder, (bad, first_bad), every);
    match zone {
        Some(minutes) => {
            let unix_ns = u64::try_from(first_ms + minutes * 60_000)
                .unwrap_or(0)
                .saturating_mul(1_000_000);
            builder.started(date::rfc3339(unix_ns), unix_ns);
        }
        None => builder.doubt(Statement::new("perfmon-no-time-zone")),
    }
    builder.run().readings = kept;
    Ok(end_ns)
}

/// Rows that are left out, with the line of the first, and how many readings one stands for.
fn doubts_of_rows(builder: &mut RunBuilder, (bad, first_bad): (u64, u64), every: u64) {
    if bad > 0 {
        builder.doubt(
            Statement::new("perfmon-rows-left-out")
                .count("count", bad)
                .name("line", first_bad.to_string()),
        );
    }
    if every > 1 {
        builder.doubt(Statement::new("perfmon-readings-thinned").name("every", every.to_string()));
    }
}

fn figures(counter: &Counter) -> Vec<ReportedFigure> {
    let name = if counter.instance.is_empty() {
        counter.metric.clone()
    } else {
        format!("{} ({})", counter.metric, counter.instance)
    };
    let unit = unit(counter.metric.rsplit('\\').next().unwrap_or_default());
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

/// By the counter's English name; a localised one has none.
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

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    let bytes = include_bytes!("../../../../testdata/imported/perfmon-pdh-csv-4.0.csv").to_vec();
    let check = |runs: &[Run]| {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(
            (
                run.header.started.as_str(),
                run.header.environment.text("host.name")
            ),
            ("2026-11-22T06:50:48.123Z", Some("FILESRV"))
        );
        assert_eq!(run.readings.len(), 16);
        let first = &run.readings[0];
        assert_eq!(
            (first.metric.as_ref(), first.instance.as_str(), first.value),
            ("PhysicalDisk\\Disk Reads/sec", "0 C:", None)
        );
        let later = &run.readings[4];
        assert_eq!(
            (later.time_ns, later.value),
            (1_000_000_000, Some(12.987254))
        );
        assert_eq!(run.readings[6].instance, "a \"b\", c");
        let notes = serde_json::to_string(&run.notes).expect("JSON");
        assert!(
            notes.contains(
                r#""name":"Memory\\Available Bytes, max","value":4294967296.0,"unit":"B""#
            ),
            "{notes}"
        );
    };
    vec![Fixture {
        name: "counters.csv",
        bytes,
        check,
    }]
}
