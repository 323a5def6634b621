//! How does an OpenTelemetry collector read a run? In OTLP's JSON, a message on each line: some rows of intervals or steps.

use std::io;

use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::{
    Gauge, Metric, MetricsData, NumberDataPoint, ResourceMetrics, ScopeMetrics, metric,
    number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::exporter::points::{Figure, Point, of_run, points};
use crate::exporter::table::{Column, Table};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject, figures};

pub static EXPORTER: Exporter = Exporter {
    name: "otlp-json",
    meaning: "figures of each interval and each step as OpenTelemetry metrics, a message of OTLP in JSON on each line, as the collector's receiver otlpjsonfile reads them",
    is_text: true,
    export,
};

/// Rows of one message, so that lines stay below 1 MiB: what reads files by lines limits their length.
const ROWS: usize = 64;
/// What the names of metrics of steps begin with.
const STEP: &str = "plumb.step";

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    if subject.run.header.started_unix_ns == 0 {
        return Err(ExportError(
            "metrics need a time, and this record does not contain when it began; use csv-intervals"
                .into(),
        ));
    }
    Ok(vec![ExportedFile::streamed("run.otlp.jsonl", |out| {
        figures::each_intervals_by_time(subject, &mut |table| {
            write(out, subject, "plumb.interval", &table)
        })?;
        write(out, subject, STEP, &figures::steps(subject))
    })])
}

fn write(
    out: &mut dyn io::Write,
    subject: &Subject<'_>,
    name: &str,
    table: &Table,
) -> io::Result<()> {
    let mut points = points(subject, table);
    loop {
        let rows: Vec<Point<'_>> = points.by_ref().take(ROWS).collect();
        let is_last = rows.len() < ROWS;
        // A run without figures is one message without metrics.
        if !rows.is_empty() || name == STEP {
            serde_json::to_writer(&mut *out, &message(subject, metrics(name, &rows)))?;
            out.write_all(b"\n")?;
        }
        if is_last {
            return Ok(());
        }
    }
}

/// A metric for each column that has figures.
fn metrics(name: &str, rows: &[Point<'_>]) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for row in rows {
        let tags = row.tags.iter().filter(|(_, value)| !value.is_empty());
        let attributes: Vec<KeyValue> = tags
            .map(|(tag, value)| match tag.as_str() {
                // Prometheus has a label `job` of its own, which takes the place of another.
                "job" => attribute("plumb.job", value),
                _ => attribute(tag, value),
            })
            .collect();
        for (column, figure) in &row.figures {
            let value = match *figure {
                Figure::Integer(value) => i64::try_from(value).map_or(
                    number_data_point::Value::AsDouble(value as f64),
                    number_data_point::Value::AsInt,
                ),
                Figure::Real(value) => number_data_point::Value::AsDouble(value),
            };
            let point = NumberDataPoint {
                attributes: attributes.clone(),
                start_time_unix_nano: row.begin_ns.unwrap_or(0),
                time_unix_nano: row.time_ns,
                value: Some(value),
                ..NumberDataPoint::default()
            };
            add(
                &mut metrics,
                format!("{name}.{}", column.name()),
                column,
                point,
            );
        }
    }
    metrics
}

/// With the run as what was measured.
fn message(subject: &Subject<'_>, metrics: Vec<Metric>) -> MetricsData {
    let version = subject.run.header.plumb_version.clone();
    let program = [
        ("service.name", "plumb"),
        ("service.version", &version),
        // Prometheus has this as the label `instance`, and the other attributes of a run apart from its points.
        ("service.instance.id", &subject.run.header.id),
    ];
    let mut attributes: Vec<KeyValue> = program
        .iter()
        .map(|(name, value)| attribute(name, value))
        .collect();
    attributes.extend(
        of_run(subject)
            .iter()
            .map(|(tag, value)| attribute(&format!("plumb.{tag}"), value)),
    );
    let scope = ScopeMetrics {
        scope: Some(InstrumentationScope {
            name: "plumb".into(),
            version,
            ..InstrumentationScope::default()
        }),
        metrics,
        ..ScopeMetrics::default()
    };
    MetricsData {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(Resource {
                attributes,
                ..Resource::default()
            }),
            scope_metrics: vec![scope],
            ..ResourceMetrics::default()
        }],
    }
}

/// Adds a data point to the metric of this name.
fn add(metrics: &mut Vec<Metric>, name: String, column: &Column, point: NumberDataPoint) {
    let known = metrics.iter_mut().find(|metric| metric.name == name);
    if let Some(Metric {
        data: Some(metric::Data::Gauge(gauge)),
        ..
    }) = known
    {
        return gauge.data_points.push(point);
    }
    metrics.push(Metric {
        name,
        unit: column.ucum().into(),
        data: Some(metric::Data::Gauge(Gauge {
            data_points: vec![point],
        })),
        ..Metric::default()
    });
}

fn attribute(name: &str, value: &str) -> KeyValue {
    KeyValue {
        key: name.into(),
        value: Some(AnyValue {
            value: Some(any_value::Value::StringValue(value.into())),
        }),
        ..KeyValue::default()
    }
}
