//! How does a time-series database read a run? In the line protocol of InfluxDB: a point for each interval, each counter, and each step.

use std::fmt::Write;
use std::io;

use crate::exporter::table::{Cell, Table};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "influx",
    meaning: "a point for each interval, each counter sample and each step in InfluxDB line protocol, with nanoseconds since 1970, for InfluxDB, Telegraf, VictoriaMetrics and QuestDB",
    is_text: true,
    export,
};

/// Columns that tell apart points of one time: they are tags, not fields.
const TAGS: [&str; 5] = ["step", "operation", "phase", "round", "job"];
/// Columns of the time of a point, which is the end.
const TIMES: [&str; 2] = ["start_ns", "end_ns"];

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    if subject.run.header.started_unix_ns == 0 {
        return Err(ExportError(
            "points need a time, and this record does not contain when it began; use csv-intervals"
                .into(),
        ));
    }
    Ok(vec![ExportedFile::streamed("run.lp", |out| {
        let version = &subject.run.header.plumb_version;
        writeln!(out, "# plumb {version}: times in nanoseconds since 1970")?;
        figures::each_intervals(subject, &mut |table| {
            out.write_all(points("plumb_interval", subject, &table).as_bytes())
        })?;
        out.write_all(points("plumb_step", subject, &figures::steps(subject)).as_bytes())?;
        let mut outcome: io::Result<()> = Ok(());
        let began_ns = subject.run.header.started_unix_ns;
        let run = tags_of_run(subject);
        subject.each_reading(|reading| {
            let Some(value) = reading.value.filter(|value| value.is_finite()) else {
                return;
            };
            let mut point = format!("plumb_counter{run}");
            tag(&mut point, "metric", &reading.metric);
            tag(&mut point, "instance", &reading.instance);
            let time_ns = began_ns.saturating_add(reading.time_ns);
            let _ = writeln!(point, " value={value} {time_ns}");
            if outcome.is_ok() {
                outcome = out.write_all(point.as_bytes());
            }
        })?;
        outcome
    })])
}

/// Tags that all points of a run have.
fn tags_of_run(subject: &Subject<'_>) -> String {
    let header = &subject.run.header;
    let mut tags = String::new();
    tag(&mut tags, "run", &header.id);
    tag(&mut tags, "plan", &header.plan.name);
    tag(&mut tags, "target", &header.target());
    tags
}

/// A point for each row that has a figure. Its time is the row's end; of a step, which has rounds at several times, that of the last interval of the run.
fn points(measurement: &str, subject: &Subject<'_>, table: &Table) -> String {
    let run = tags_of_run(subject);
    let last_ns = subject.run.ticks.iter().map(|tick| tick.end_ns).max();
    let heads: Vec<String> = table.columns.iter().map(|column| column.head()).collect();
    let mut text = String::new();
    for line in 0..table.lines() {
        let (mut tags, mut fields) = (run.clone(), String::new());
        let mut end_ns = last_ns.unwrap_or(0);
        for (head, column) in heads.iter().zip(&table.columns) {
            let is_tag = TAGS.contains(&head.as_str());
            let comma = if fields.is_empty() { "" } else { "," };
            let _ = match column.cell(line) {
                Cell::Integer(Some(value)) if TIMES.contains(&head.as_str()) => {
                    end_ns = value;
                    Ok(())
                }
                Cell::Integer(Some(value)) if is_tag => {
                    tag(&mut tags, head, &value.to_string());
                    Ok(())
                }
                Cell::Text(value) => {
                    tag(&mut tags, head, value);
                    Ok(())
                }
                Cell::Integer(Some(value)) => write!(fields, "{comma}{head}={value}i"),
                Cell::Real(Some(value)) => write!(fields, "{comma}{head}={value}"),
                Cell::Integer(None) | Cell::Real(None) => Ok(()),
            };
        }
        if !fields.is_empty() {
            let time_ns = subject.run.header.started_unix_ns.saturating_add(end_ns);
            let _ = writeln!(text, "{measurement}{tags} {fields} {time_ns}");
        }
    }
    text
}

/// Adds a tag. An empty value, which the format does not have, is no tag.
fn tag(point: &mut String, name: &str, value: &str) {
    // A line end would end the point, and a backslash at the end would escape what follows.
    let value = value.replace(['\n', '\r'], " ");
    let value = value.trim_end_matches('\\');
    if value.is_empty() {
        return;
    }
    let _ = write!(point, ",{name}=");
    for letter in value.chars() {
        if matches!(letter, ',' | '=' | ' ') {
            point.push('\\');
        }
        point.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use influxdb_line_protocol::{FieldValue, parse_lines};

    use super::*;

    #[test]
    fn tags_are_read_back_by_influxdbs_own_parser() {
        for (value, expected) in [
            ("plain", Some("plain")),
            ("with space, comma=equal", Some("with space, comma=equal")),
            (r"C:\data\", Some(r"C:\data")),
            ("two\nlines", Some("two lines")),
            ("\"quoted\"", Some("\"quoted\"")),
            ("日本語", Some("日本語")),
            ("", None),
        ] {
            let mut point = "m".to_string();
            tag(&mut point, "t", value);
            point += " value=0.5,count=7i 12";
            let lines: Vec<_> = parse_lines(&point).collect();
            let [Ok(line)] = &lines[..] else {
                panic!("{point}: {lines:?}");
            };
            let found = line.tag_value("t").map(ToString::to_string);
            assert_eq!(found.as_deref(), expected, "{point}");
            assert_eq!(line.field_value("count"), Some(&FieldValue::I64(7)));
            assert_eq!(line.timestamp, Some(12));
        }
    }
}
