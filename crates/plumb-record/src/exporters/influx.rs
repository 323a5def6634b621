//! How does a time-series database read a run? In the line protocol of InfluxDB: a point for each interval, each counter, and each step.

use std::fmt::Write;
use std::io;

use crate::exporter::points::{Figure, of_run, points};
use crate::exporter::table::Table;
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "influx",
    meaning: "a point for each interval, each counter sample and each step in InfluxDB line protocol, with nanoseconds since 1970, for InfluxDB, Telegraf, VictoriaMetrics and QuestDB",
    is_text: true,
    export,
};

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
            out.write_all(lines("plumb_interval", subject, &table).as_bytes())
        })?;
        out.write_all(lines("plumb_step", subject, &figures::steps(subject)).as_bytes())?;
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
    let mut tags = String::new();
    for (name, value) in of_run(subject) {
        tag(&mut tags, name, &value);
    }
    tags
}

/// The points of a table, a line each.
fn lines(measurement: &str, subject: &Subject<'_>, table: &Table) -> String {
    let run = tags_of_run(subject);
    let mut text = String::new();
    for point in points(subject, table) {
        let mut tags = run.clone();
        for (name, value) in &point.tags {
            tag(&mut tags, name, value);
        }
        let fields = point.figures.iter().map(|(column, figure)| {
            let head = column.head();
            match figure {
                Figure::Integer(value) => format!("{head}={value}i"),
                Figure::Real(value) => format!("{head}={value}"),
            }
        });
        let fields: Vec<String> = fields.collect();
        let _ = writeln!(
            text,
            "{measurement}{tags} {} {}",
            fields.join(","),
            point.time_ns
        );
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
