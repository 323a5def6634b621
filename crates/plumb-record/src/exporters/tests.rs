//! The contract of exporters: each writes runs with and without figures, and invents nothing.

use plumb_model::environment::Environment;
use plumb_model::results::summary::{Cpu, Latency, OperationSummary, StepSummary, Summary};

use super::*;
use crate::exporter::ExportedFile;
use crate::exporter::{Subject, TakeSample};
use crate::tests::synthetic::{Builder, Interval, ladder};
use plumb_model::results::watch::{WatchColumn, WatchInterval, WatchRow, WatchTable};
use plumb_model::run::Run;
use plumb_model::run::metric::Reading;
use plumb_model::statement::Unit;
use std::io;

fn summary(run: &Run, steps: Vec<StepSummary>) -> Summary {
    Summary {
        ranks: None,
        schema: plumb_model::results::summary::SUMMARY_SCHEMA.into(),
        id: run.header.id.clone(),
        plumb_version: run.header.plumb_version.clone(),
        started: run.header.started.clone(),
        state: "finished".into(),
        plan: run.header.plan.clone(),
        environment: Environment::default(),
        findings: Vec::new(),
        verdict: Vec::new(),
        steps,
        steady: None,
        scaling: Vec::new(),
        grid: Vec::new(),
        doubts: Vec::new(),
        imported: None,
    }
}

/// Three samples of a disk with two intervals; the second interval has no operations, so its times are unknown.
fn counted(take: TakeSample<'_>) -> io::Result<()> {
    let reading = |second: u64| Reading {
        metric: "disk.reads".into(),
        instance: "vda".into(),
        time_ns: second * 1_000_000_000,
        value: Some(1.0),
    };
    let interval = |second: u64, values| WatchInterval {
        begin_ns: (second - 1) * 1_000_000_000,
        end_ns: second * 1_000_000_000,
        tables: vec![table(values)],
    };
    let first = interval(1, vec![Some(176.0), Some(2.5e6)]);
    let second = interval(2, vec![Some(0.0), None]);
    take(&[reading(0)], None)?;
    take(&[reading(1)], Some(&first))?;
    take(&[reading(2)], Some(&second))
}

fn table(values: Vec<Option<f64>>) -> WatchTable {
    let column = |id, unit| WatchColumn {
        id,
        label: "",
        unit,
    };
    WatchTable {
        group: "disk",
        label: "",
        columns: vec![
            column("per_second", Some(Unit::PerSecond)),
            column("time_ns", Some(Unit::Nanoseconds)),
        ],
        rows: vec![WatchRow {
            instance: "vda".into(),
            kind: "read",
            label: "",
            is_active: true,
            values,
            largest: Vec::new(),
        }],
    }
}

fn bytes_of(file: &ExportedFile<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write_to(&mut bytes).expect("memory");
    bytes
}

/// A step whose latency is known in part, as for a short step.
fn step(name: &str, at: u32) -> StepSummary {
    let latency = Latency {
        count: 100,
        min: Some(1000.0),
        mean: Some(2000.0),
        p50: Some(1900.0),
        max: Some(9000.0),
        ..Latency::default()
    };
    let read = OperationSummary {
        count: 100,
        bytes: 409_600,
        iops: Some(50.0),
        bandwidth_bytes_per_s: Some(204_800.0),
        response_ns: latency.clone(),
        service_ns: latency.clone(),
        ..OperationSummary::default()
    };
    StepSummary {
        unstated: Vec::new(),
        ranks: None,
        name: name.into(),
        step: at,
        swept: std::collections::BTreeMap::new(),
        duration_s: 2.0,
        engine: "io_uring".into(),
        engine_record: None,
        requested_depth: Some(1.0),
        achieved_depth: Some(1.0),
        requested_rate: None,
        operations: [("read".to_string(), read.clone())].into(),
        total: read,
        response_ns: latency.clone(),
        service_ns: latency,
        lateness_ns: None,
        unsubmitted: None,
        cpu: Cpu::default(),
        rounds: Vec::new(),
        jobs: Vec::new(),
        workers: Vec::new(),
        depth_levels: Vec::new(),
        operations_per_submission: None,
        device: None,
        connections: None,
        warm_up_errors: std::collections::BTreeMap::new(),
        write_back_failures: Vec::new(),
        until_steady: Vec::new(),
        latency_limits: Vec::new(),
        reported: Vec::new(),
        ended_by: vec![plumb_model::run::step_end::StepEnd::default()],
    }
}

/// Acceptable refusals for a run without a step or without an interval: what is missing, and an alternative.
fn exported(exporter: &Exporter, run: &Run, steps: Vec<StepSummary>) -> Vec<Vec<u8>> {
    let is_full = !run.ticks.is_empty() && !steps.is_empty();
    let summary = summary(run, steps);
    match (exporter.export)(&Subject {
        run,
        summary: &summary,
        record: None,
        samples: &counted,
    }) {
        Ok(files) => {
            assert!(!files.is_empty(), "{}", exporter.name);
            files.iter().map(bytes_of).collect()
        }
        Err(error) => {
            assert!(
                !is_full && error.to_string().contains("use "),
                "{}: {error}",
                exporter.name
            );
            Vec::new()
        }
    }
}

#[test]
fn each_writes_runs_with_and_without_figures() {
    let empty = Builder::new(ladder("read", &[1, 2])).run;
    let mut builder = Builder::new(ladder("read", &[1, 2]));
    builder.reading("disk.reads", "vda", None);
    for at in 0..2 {
        builder.execute(at, 0, &[Interval::default(), Interval::default()]);
    }
    let full = builder.finish();
    for run in [&empty, &full] {
        for steps in [
            vec![],
            vec![step("plain", 0)],
            vec![step("with, comma and \"quotes\" = ü", 0), step("=1+1", 1)],
        ] {
            for exporter in EXPORTERS {
                let files = exported(exporter, run, steps.clone());
                assert!(
                    files.iter().all(|file| !file.is_empty()),
                    "{}",
                    exporter.name
                );
                for file in files.iter().filter(|_| exporter.is_text) {
                    let text = std::str::from_utf8(file).expect("text");
                    assert!(
                        !text.contains("NaN") && !text.contains("inf,"),
                        "{}: {text}",
                        exporter.name
                    );
                }
            }
        }
    }
}

/// The text of the only file, for a run with these steps.
fn text(name: &str, run: &Run, steps: Vec<StepSummary>) -> String {
    let files = exported(by_name(name).expect("listed"), run, steps);
    let [file] = files.as_slice() else {
        panic!("{name}: {} files", files.len())
    };
    String::from_utf8(file.clone()).expect("text")
}

#[test]
fn unknown_values_are_left_out_everywhere() {
    let run = Builder::new(ladder("read", &[1])).run;
    let mut bare = step("bare", 0);
    let read = bare.operations.get_mut("read").expect("a read");
    (read.iops, read.response_ns, read.service_ns) = (None, Latency::default(), Latency::default());
    let csv = text("csv", &run, vec![bare.clone()]);
    assert!(
        csv.ends_with(",100,409600,0,,204800,,,,,,,,,,,\r\n"),
        "{csv}"
    );
    let metrics = text("openmetrics", &run, vec![bare.clone()]);
    assert!(
        !metrics.contains("plumb_operations_per_second{")
            && !metrics.contains("plumb_response_seconds"),
        "{metrics}"
    );
    assert!(
        metrics.contains("plumb_operations_total{") && metrics.ends_with("# EOF\n"),
        "{metrics}"
    );
    let fio: serde_json::Value =
        serde_json::from_str(&text("fio-json", &run, vec![bare.clone()])).expect("JSON");
    let read = &fio["jobs"][0]["read"];
    assert_eq!(
        (&read["iops"], &read["total_ios"], &read["lat_ns"]["N"]),
        (&serde_json::Value::Null, &100.into(), &0.into())
    );
    assert_eq!(
        (
            &fio["jobs"][0]["usr_cpu"],
            &fio["jobs"][0]["job options"]["rw"]
        ),
        (&serde_json::Value::Null, &"randread".into())
    );
    assert!(
        text("markdown", &run, vec![bare])
            .contains("| bare | read | 100 | 0 | – | 205 kB/s | – | – | – | – | – |")
    );
}

/// InfluxDB keeps one of two points with the same tags and time.
#[test]
fn no_point_replaces_another_and_none_of_the_operations_is_missing() {
    use influxdb_line_protocol::{FieldValue, parse_lines};
    use std::collections::HashSet;

    let mut builder = Builder::new(ladder("read", &[1, 2]));
    for (step, round) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        builder.execute(step, round, &[Interval::default(), Interval::default()]);
    }
    let run = builder.finish();
    let text = text("influx", &run, vec![step("two, words", 0), step("b", 1)]);
    let mut points = HashSet::new();
    let (mut of_intervals, mut last_ns) = (0, 0);
    for line in parse_lines(&text) {
        let line = line.unwrap_or_else(|error| panic!("{error}: {text}"));
        let time_ns = line.timestamp.expect("a time");
        let series = format!("{} {time_ns}", line.series);
        assert!(points.insert(series), "twice: {line}");
        if line.series.measurement == "plumb_interval"
            && let Some(FieldValue::I64(count)) = line.field_value("operations")
        {
            of_intervals += count;
            last_ns = last_ns.max(time_ns);
        }
    }
    let ticks = run.ticks.iter();
    let counted: u64 = ticks
        .clone()
        .flat_map(|tick| &tick.kinds)
        .map(|kind| kind.count)
        .sum();
    assert_eq!(of_intervals as u64, counted);
    let last_tick_ns = ticks.map(|tick| tick.end_ns).max().expect("a tick");
    assert_eq!(last_ns as u64, run.header.started_unix_ns + last_tick_ns);
    for measurement in ["plumb_interval,", "plumb_step,", "plumb_counter,"] {
        assert_eq!(
            text.contains(measurement),
            measurement != "plumb_counter," || !run.readings.is_empty(),
            "{measurement}: {text}"
        );
    }
}

/// Lines stay below 1 MiB, and none begins before the end of another. The counts are those of the record, by what OpenTelemetry's own types read.
#[test]
fn messages_of_open_telemetry_are_short_and_none_of_the_operations_is_missing() {
    use opentelemetry_proto::tonic::metrics::v1::{MetricsData, metric, number_data_point};

    let mut builder = Builder::new(ladder("read", &[1, 2]));
    let intervals: Vec<Interval> = (0..100).map(|_| Interval::default()).collect();
    for (step, round) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        builder.execute(step, round, &intervals);
    }
    let run = builder.finish();
    let text = text("otlp-json", &run, vec![step("a", 0), step("b", 1)]);
    let (mut counted, mut last_ns, mut before_ns) = (0, 0, 0);
    for line in text.lines() {
        assert!(line.len() < 1 << 20, "{}", line.len());
        let message: MetricsData = serde_json::from_str(line).expect("a message");
        let mut times_ns = Vec::new();
        let scopes = message
            .resource_metrics
            .iter()
            .flat_map(|of| &of.scope_metrics);
        for of in scopes.flat_map(|scope| &scope.metrics) {
            let Some(metric::Data::Gauge(gauge)) = &of.data else {
                panic!("{of:?}");
            };
            for point in &gauge.data_points {
                assert!(point.start_time_unix_nano < point.time_unix_nano);
                // Prometheus would put its own label in place of this one.
                assert!(point.attributes.iter().all(|tag| tag.key != "job"));
                times_ns.push(point.time_unix_nano);
                if of.name == "plumb.interval.operations" {
                    let Some(number_data_point::Value::AsInt(count)) = point.value else {
                        panic!("{point:?}");
                    };
                    assert_eq!(of.unit, "{operation}");
                    counted += count as u64;
                    last_ns = last_ns.max(point.time_unix_nano);
                }
            }
        }
        // Prometheus refuses a message with points that are older than those of the message before.
        assert!(times_ns.iter().all(|time| *time >= before_ns));
        before_ns = times_ns.into_iter().max().unwrap_or(before_ns);
    }
    let ticks = run.ticks.iter();
    let kinds = ticks.clone().flat_map(|tick| &tick.kinds);
    assert_eq!(counted, kinds.map(|kind| kind.count).sum::<u64>());
    let last_tick_ns = ticks.map(|tick| tick.end_ns).max().expect("a tick");
    assert_eq!(last_ns, run.header.started_unix_ns + last_tick_ns);
}

#[test]
fn unsupported_workloads_are_refused_with_other_formats() {
    let mut builder = Builder::new(ladder("stat", &[1]));
    builder.execute(0, 0, &[Interval::default()]);
    let run = builder.finish();
    let summary = summary(&run, vec![step("stat", 0)]);
    for (name, refused) in [
        ("fio-json", true),
        ("fio-logs", true),
        ("csv", false),
        ("bonnie-csv", false),
    ] {
        let exporter = by_name(name).expect("listed");
        let subject = Subject {
            run: &run,
            summary: &summary,
            record: None,
            samples: &counted,
        };
        let result = (exporter.export)(&subject);
        assert_eq!(
            result
                .as_ref()
                .is_err_and(|error| error.to_string().contains("csv")),
            refused,
            "{name}: {result:?}"
        );
    }
}

#[test]
fn a_refusal_names_formats_that_accept_the_run() {
    let mut builder = Builder::new(ladder("send", &[1]));
    builder.execute(0, 0, &[Interval::default()]);
    let run = builder.finish();
    let mut sent = step("send", 0);
    sent.operations = [(
        "send".to_string(),
        sent.operations.remove("read").expect("a read"),
    )]
    .into();
    let summary = summary(&run, vec![sent]);
    for refusing in EXPORTERS {
        let Err(error) = (refusing.export)(&Subject {
            run: &run,
            summary: &summary,
            record: None,
            samples: &counted,
        }) else {
            continue;
        };
        let named = EXPORTERS
            .iter()
            .filter(|other| other.name != refusing.name && error.to_string().contains(other.name));
        for other in named {
            assert!(
                (other.export)(&Subject {
                    run: &run,
                    summary: &summary,
                    record: None,
                    samples: &counted,
                })
                .is_ok(),
                "{}: {error}: {}",
                refusing.name,
                other.name
            );
        }
    }
    let bonnie = by_name("bonnie-csv").expect("listed");
    let error = (bonnie.export)(&Subject {
        run: &run,
        summary: &summary,
        record: None,
        samples: &counted,
    })
    .expect_err("no test of bonnie++")
    .to_string();
    assert!(error.contains("use csv or xlsx"), "{error}");
}

#[test]
fn an_unknown_format_is_refused_with_the_known_ones() {
    assert!(by_name("xml").expect_err("no such format").contains("csv"));
    assert_eq!(by_name("csv").expect("listed").name, "csv");
}

#[test]
fn counters_are_written_one_figure_in_a_line_and_one_column_for_each_in_pdh_csv() {
    let mut run = Builder::new(ladder("read", &[1])).run;
    // 2026-11-22T07:50:48.123Z
    run.header.started_unix_ns = 1_795_333_848_123_000_000;
    let summary = summary(&run, vec![]);
    let subject = Subject {
        run: &run,
        summary: &summary,
        record: None,
        samples: &counted,
    };
    let text = |name: &str| {
        let exporter = by_name(name).expect("listed");
        let files = (exporter.export)(&subject).expect("counters");
        String::from_utf8(bytes_of(&files[0])).expect("text")
    };
    assert_eq!(
        text("csv-counters"),
        "begin_ns,end_ns,table,instance,kind,figure,value\n\
         0,1000000000,disk,vda,read,per_second,176\n0,1000000000,disk,vda,read,time_ns,2500000\n\
         1000000000,2000000000,disk,vda,read,per_second,0\n1000000000,2000000000,disk,vda,read,time_ns,\n"
    );
    let pdh = text("pdh-csv");
    let lines: Vec<&str> = pdh.split("\r\n").collect();
    let host = "localhost";
    assert_eq!(
        lines,
        [
            format!(
                r#""(PDH-CSV 4.0) (UTC)(0)","\\{host}\PhysicalDisk(vda)\Disk Reads/sec","\\{host}\PhysicalDisk(vda)\Avg. Disk sec/Read""#
            )
            .as_str(),
            r#""11/22/2026 07:50:48.123"," "," ""#,
            r#""11/22/2026 07:50:49.123","176","0.0025""#,
            r#""11/22/2026 07:50:50.123","0"," ""#,
            ""
        ]
    );
    let mut undated = run.clone();
    undated.header.started_unix_ns = 0;
    let subject = Subject {
        run: &undated,
        ..subject
    };
    let exporter = by_name("pdh-csv").expect("listed");
    let refusal = (exporter.export)(&subject).expect_err("no date");
    assert!(refusal.to_string().contains("csv-counters"), "{refusal}");
}
