//! Do common programs read plumb's exports? fio-plot, DuckDB, pandas, a spreadsheet reader, Prometheus' parser, bon_csv2html.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plumb_model::run::Run;
use plumb_model::workload::{Offsets, Workload};
use plumb_record::RunWriter;
use serde_json::Value;

use crate::synthetic::{Builder, Interval, ladder, step};
use crate::{json_of, left_in, output_of, plumb_in, refusal_of};

fn write(run: &Run, folder: &Path) {
    let mut writer = RunWriter::create(folder, &run.header).expect("the folder is new");
    run.ticks
        .iter()
        .for_each(|tick| writer.tick(tick).expect("space"));
    writer.readings(&run.readings).expect("space");
    run.notes
        .iter()
        .for_each(|note| writer.note(note).expect("space"));
    writer.finish().expect("a sync");
}

/// A folder with `run`: random reads at three depths in two rounds, a counter of which one value is missing, and a step with a dangerous name.
fn place() -> tempfile::TempDir {
    let mut steps = ladder("read", &[1, 4, 32]);
    steps.push(step(
        "=1+1, \"quoted\"",
        "odd",
        &[],
        Workload {
            mix: "write".parse().expect("a mix"),
            ..Workload::default()
        },
    ));
    let mut builder = Builder::new(steps);
    for round in 0..2 {
        for at in 0..4 {
            builder.reading("disk.reads", "vda", (at > 0).then_some(f64::from(at)));
            let interval = |iops: f64| Interval {
                iops: iops * f64::from(at + 1),
                ..Interval::default()
            };
            builder.execute(
                at,
                round,
                &[interval(9_000.0), interval(10_000.0), interval(11_000.0)],
            );
        }
    }
    let place = tempfile::tempdir().expect("folder");
    write(&builder.finish(), &place.path().join("run"));
    place
}

/// Where `./dev test` installs the programs of testdata/consumers/requirements.txt; says that the test is skipped when they are not there.
pub fn consumer(name: &str) -> Option<PathBuf> {
    let program = assert_cmd::cargo::cargo_bin("plumb")
        .parent()?
        .parent()?
        .join("consumers/bin")
        .join(name);
    if !program.exists() {
        eprintln!(
            "skipped: {} is not there; ./dev test installs it",
            program.display()
        );
        return None;
    }
    Some(program)
}

fn succeeded(output: Output) -> String {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}\n{err}");
    out
}

/// What a script prints as JSON; missing when there is no Python with the programs.
pub fn python(place: &Path, script: &str) -> Option<Value> {
    let python = consumer("python")?;
    let out = succeeded(
        Command::new(python)
            .current_dir(place)
            .args(["-c", script])
            .output()
            .expect("started"),
    );
    Some(serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}:\n{out}")))
}

fn export(place: &Path, line: &str) -> String {
    output_of(plumb_in(place, &format!("export run {line}")), 0)
}

#[test]
fn fio_plot_draws_what_was_measured() {
    let place = place();
    export(place.path(), "--format fio-json-steps --output charts");
    export(place.path(), "--format fio-json-steps --output again");
    export(place.path(), "--format fio-logs --output logs");
    let summary = json_of(plumb_in(place.path(), "show run --json"), 0);
    let text = std::fs::read_to_string(place.path().join("charts/random-read-depth=4.json"))
        .expect("a file for each step");
    let fio: Value = serde_json::from_str(&text).expect("JSON");
    let (job, read) = (&fio["jobs"][0], &summary["steps"][1]["operations"]["read"]);
    assert_eq!(
        (&job["read"]["iops"], &job["read"]["total_ios"]),
        (&read["iops"], &read["count"])
    );
    assert_eq!(
        (&job["read"]["lat_ns"]["mean"], &job["read"]["lat_ns"]["N"]),
        (&read["response_ns"]["mean"], &read["count"])
    );
    assert_eq!(
        job["read"]["clat_ns"]["percentile"]["99.900000"],
        Value::from(read["service_ns"]["p99_9"].as_f64().map(|ns| ns as u64))
    );
    assert_eq!(
        (&job["job options"]["iodepth"], &job["job options"]["rw"]),
        (&"4".into(), &"randread".into())
    );
    assert_eq!(
        (&job["write"]["total_ios"], &job["write"]["lat_ns"]["N"]),
        (&0.into(), &0.into())
    );
    let Some(fio_plot) = consumer("fio-plot") else {
        return;
    };
    for (number, line) in [
        "charts -l -n 1",
        "charts -N -d 4 -n 1",
        "charts -H -d 4 -n 1",
        "charts -L -t iops",
        "logs -g -t iops lat -d 4 -n 1",
        "charts again -C -d 4 -n 1 --show-cpu",
    ]
    .into_iter()
    .enumerate()
    {
        let picture = format!("{number}.png");
        let mut command = Command::new(&fio_plot);
        command
            .current_dir(place.path())
            .env("MPLBACKEND", "Agg")
            .env("MPLCONFIGDIR", place.path());
        let words = format!("-T title -r randread -o {picture} -i {line}");
        succeeded(command.args(words.split(' ')).output().expect("started"));
        let bytes = std::fs::read(place.path().join(&picture))
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(
            bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000,
            "{line}: {} bytes",
            bytes.len()
        );
    }
}

#[test]
fn duckdb_and_pandas_read_every_value() {
    let place = place();
    export(place.path(), "--format parquet --output tables");
    assert_eq!(
        left_in(&place.path().join("tables")),
        ["histograms.parquet", "readings.parquet", "ticks.parquet"]
    );
    let summary = json_of(plumb_in(place.path(), "show run --json"), 0);
    let script = "
import duckdb, json, pandas
rows = lambda sql: [list(row) for row in duckdb.sql(sql).fetchall()]
ticks = pandas.read_parquet('tables/ticks.parquet')
readings = pandas.read_parquet('tables/readings.parquet')
print(json.dumps({
    'counts': rows('select step, cast(sum(operations) as bigint) from \"tables/ticks.parquet\" group by step order by min(start_ns)'),
    'histograms': rows('select step, cast(sum(count) as bigint) from \"tables/histograms.parquet\" group by step order by min(start_ns)'),
    'rounds': rows('select distinct round from \"tables/ticks.parquet\" order by round'),
    'missing': rows('select count(*), count(value), sum(value) from \"tables/readings.parquet\"'),
    'about': rows('select decode(value) from parquet_kv_metadata(\"tables/ticks.parquet\") where decode(key) = \\'run\\''.replace('\"', chr(39))),
    'pandas': [len(ticks), int(ticks.operations.sum()), str(ticks.dtypes['iops']), int(readings.value.isna().sum())],
}))";
    let Some(read) = python(place.path(), script) else {
        return;
    };
    let steps = summary["steps"].as_array().expect("steps");
    let expected: Vec<Value> = steps
        .iter()
        .map(|step| serde_json::json!([step["name"], step["total"]["count"]]))
        .collect();
    assert_eq!(
        (&read["counts"], &read["histograms"]),
        (&Value::from(expected.clone()), &Value::from(expected))
    );
    assert_eq!(
        (&read["rounds"], &read["missing"]),
        (
            &serde_json::json!([[1], [2]]),
            &serde_json::json!([[8, 6, 12.0]])
        )
    );
    assert_eq!(read["about"][0][0], summary["id"]);
    let all: u64 = steps
        .iter()
        .filter_map(|step| step["total"]["count"].as_u64())
        .sum();
    assert_eq!(read["pandas"], serde_json::json!([24, all, "float64", 2]));
}

#[test]
fn a_spreadsheet_has_the_figures_the_charts_and_no_formula() {
    let place = place();
    export(place.path(), "--format xlsx --output run.xlsx");
    let script = "
import json, openpyxl
book = openpyxl.load_workbook('run.xlsx')
figures = [[cell.value for cell in row] for row in book['Figures'].rows]
title = lambda of: of.tx.rich.p[0].r[0].t
print(json.dumps({
    'sheets': book.sheetnames,
    'heads': figures[0],
    'figures': figures[1:],
    'charts': [[title(chart.title), title(chart.x_axis.title), title(chart.y_axis.title), len(chart.series)] for chart in book['Charts']._charts],
    'formulas': sum(cell.data_type == 'f' for sheet in book for row in sheet.rows for cell in row),
    'lines': book['Over time'].max_row,
}))";
    let Some(read) = python(place.path(), script) else {
        return;
    };
    let summary = json_of(plumb_in(place.path(), "show run --json"), 0);
    assert_eq!(
        read["sheets"],
        serde_json::json!(["Charts", "Figures", "Rounds", "Over time", "Run"])
    );
    let heads: Vec<&str> = read["heads"]
        .as_array()
        .expect("heads")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let cell = |line: usize, head: &str| {
        let place = heads
            .iter()
            .position(|of| *of == head)
            .unwrap_or_else(|| panic!("no {head} in {heads:?}"));
        read["figures"][line][place].clone()
    };
    let read_of = &summary["steps"][0]["operations"]["read"];
    assert_eq!(
        (cell(0, "IOPS"), cell(3, "step")),
        (
            Value::from(read_of["iops"].as_f64().map(|iops| iops as i64)),
            "=1+1, \"quoted\"".into()
        )
    );
    assert_eq!(
        cell(0, "bandwidth (MB/s)"),
        Value::from(
            read_of["bandwidth_bytes_per_s"]
                .as_f64()
                .map(|rate| rate / 1e6)
        )
    );
    assert_eq!(
        cell(0, "response p99.999 (µs)"),
        Value::Null,
        "60,000 operations say nothing of it"
    );
    assert_eq!((&read["formulas"], &read["lines"]), (&0.into(), &25.into()));
    let charts = read["charts"].as_array().expect("charts");
    assert_eq!(charts[0], serde_json::json!(["IOPS", "step", "IOPS", 1]));
    assert_eq!(
        charts[2],
        serde_json::json!(["Response time", "step", "response time (µs)", 3])
    );
    assert_eq!(
        charts[3],
        serde_json::json!([
            "IOPS over time",
            "time since the start of the run (s)",
            "IOPS",
            8
        ])
    );
    assert_eq!(charts.len(), 7, "{charts:?}");
}

#[test]
fn prometheus_takes_every_sample() {
    let place = place();
    let text = export(place.path(), "--format openmetrics");
    assert!(text.ends_with("# EOF\n"), "{text}");
    std::fs::write(place.path().join("run.txt"), &text).expect("written");
    let script = "
import json
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
families = list(parse(open('run.txt').read()))
print(json.dumps({
    'samples': sum(len(family.samples) for family in families),
    'reads': [s.value for f in families for s in f.samples if s.name == 'plumb_operations_total' and s.labels['step'] == 'random-read depth=4'],
    'odd': sorted({s.labels['step'] for f in families for s in f.samples if 'step' in s.labels})[0],
    'units': {family.name: family.unit for family in families},
}))";
    let Some(read) = python(place.path(), script) else {
        return;
    };
    assert_eq!(
        read["samples"],
        text.lines().filter(|line| !line.starts_with('#')).count()
    );
    assert_eq!(
        (&read["reads"], &read["odd"]),
        (&serde_json::json!([120_000]), &"=1+1, \"quoted\"".into())
    );
    assert_eq!(
        (
            &read["units"]["plumb_response_seconds"],
            &read["units"]["plumb_moved_bytes"]
        ),
        (&"seconds".into(), &"bytes".into())
    );
}

/// By the message types that OpenTelemetry publishes for Python, which take no field that they do not know.
#[test]
fn open_telemetry_reads_every_message() {
    let place = place();
    export(place.path(), "--format otlp-json --output run.jsonl");
    let script = "
import json
from google.protobuf import json_format
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
points = {}
for line in open('run.jsonl'):
    for of in json_format.Parse(line, MetricsData()).resource_metrics:
        target = {a.key: a.value.string_value for a in of.resource.attributes}
        for metric in of.scope_metrics[0].metrics:
            for point in metric.gauge.data_points:
                tags = {a.key: a.value.string_value for a in point.attributes}
                value = getattr(point, point.WhichOneof('value'))
                points.setdefault((metric.name, metric.unit, tags['step']), []).append(value)
step = 'random-read depth=4'
print(json.dumps({
    'run': target['service.name'],
    'intervals': sum(points['plumb.interval.operations', '{operation}', step]),
    'step': points['plumb.step.operations', '{operation}', step],
    'latency': points['plumb.step.response_p50', 'ns', step],
    'bandwidth': points['plumb.step.bandwidth', 'By/s', step],
}))";
    let Some(read) = python(place.path(), script) else {
        return;
    };
    let summary = json_of(plumb_in(place.path(), "show run --json"), 0);
    let mut steps = summary["steps"].as_array().expect("steps").iter();
    let step = steps.find(|step| step["name"] == "random-read depth=4");
    let operations = &step.expect("the step")["operations"]["read"];
    assert_eq!(
        read,
        serde_json::json!({
            "run": "plumb", "intervals": 120_000, "step": [120_000],
            "latency": [operations["response_ns"]["p50"]],
            "bandwidth": [operations["bandwidth_bytes_per_s"]],
        })
    );
}

#[test]
fn bon_csv2html_puts_the_figures_into_its_columns() {
    let work = |mix: &str, offsets| Workload {
        mix: mix.parse().expect("a mix"),
        offsets,
        ..Workload::default()
    };
    let steps = vec![
        step(
            "output by block",
            "a",
            &[],
            work("write", Offsets::Sequential),
        ),
        step("rewrite", "b", &[], work("read,write", Offsets::Sequential)),
        step(
            "input by block",
            "c",
            &[],
            work("read", Offsets::Sequential),
        ),
        step("seeks", "d", &[], work("read:90,write:10", Offsets::Random)),
        step(
            "seq-create",
            "e",
            &[],
            Workload {
                files: 2048,
                ..work("create", Offsets::Sequential)
            },
        ),
        step("stats", "f", &[], work("stat", Offsets::Random)),
    ];
    let mut builder = Builder::new(steps);
    for at in 0..6 {
        builder.execute(
            at,
            0,
            &[Interval {
                iops: 10_000.0 * f64::from(at + 1),
                ..Interval::default()
            }],
        );
    }
    let place = tempfile::tempdir().expect("folder");
    write(&builder.finish(), &place.path().join("run"));
    let line = export(place.path(), "--format bonnie-csv");
    let fields: Vec<&str> = line.trim_end().split(',').collect();
    assert_eq!(fields.len(), 50);
    // KiB/s of 4 KiB blocks, of which a rewrite counts those written; operations/s of the rest. 100 us at the median, fifty times that at most.
    let at = |columns: &[usize]| {
        columns
            .iter()
            .map(|column| fields[*column])
            .collect::<Vec<_>>()
    };
    assert_eq!(
        at(&[11, 13, 17, 19, 26, 34, 21]),
        ["40000", "40000", "120000", "40000", "50000", "60000", "2"],
        "{line}"
    );
    assert_eq!(
        at(&[39, 12, 9, 15, 30, 38]),
        ["5000us", "10", "", "", "", ""],
        "{line}"
    );
    let Ok(mut child) = Command::new("bon_csv2html")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
    else {
        eprintln!("skipped: bon_csv2html is not there; ./dev test installs bonnie++");
        return;
    };
    std::io::Write::write_all(child.stdin.as_mut().expect("piped"), line.as_bytes())
        .expect("taken");
    let page = succeeded(child.wait_with_output().expect("ended"));
    // It shows MiB/s of the KiB/s that the line has.
    for cell in [
        "<td>117</td>",
        "<td>40000</td>",
        "<td>50000</td>",
        "<td>60000</td>",
        "5000us",
    ] {
        assert!(page.contains(cell), "no {cell} in {page}");
    }
}

#[test]
fn pandas_reads_the_csv_and_nothing_in_it_is_a_formula() {
    let place = place();
    let text = export(place.path(), "--format csv");
    assert!(text.contains("\"'=1+1, \"\"quoted\"\"\",write,"), "{text}");
    std::fs::write(place.path().join("figures.csv"), &text).expect("written");
    export(
        place.path(),
        "--format csv-intervals --output intervals.csv",
    );
    let script = "
import json, pandas
figures, intervals = pandas.read_csv('figures.csv'), pandas.read_csv('intervals.csv')
print(json.dumps([len(figures), int(figures.operations.sum()), len(intervals), int(intervals.operations.sum()), int(figures.response_p99_999_ns.isna().sum())]))";
    let Some(read) = python(place.path(), script) else {
        return;
    };
    assert_eq!(read, serde_json::json!([4, 600_000, 24, 600_000, 4]));
}

#[test]
fn nothing_is_overwritten_and_every_format_says_where_it_went() {
    let place = place();
    let told = |line: &str| {
        let output = plumb_in(place.path(), &format!("export run {line}"))
            .output()
            .expect("started");
        assert!(output.status.success(), "{line}: {output:?}");
        assert!(output.stdout.is_empty(), "{line}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(told("--format xlsx"), "xlsx: run.xlsx\n");
    assert_eq!(
        told("--format parquet"),
        "parquet: 3 files in run-parquet\n"
    );
    assert_eq!(
        told("--format markdown --output deep/run.md"),
        "markdown: deep/run.md\n"
    );
    assert_eq!(
        told("--format csv --output deep"),
        "csv: deep/summary.csv\n"
    );
    let refused = |line: &str, part: &str| {
        let text = refusal_of(plumb_in(place.path(), line));
        assert!(text.contains(part), "{line}: '{part}' is not in {text}");
    };
    for line in [
        "--format xlsx",
        "--format markdown --output deep/run.md",
        "--format csv --output deep",
    ] {
        refused(&format!("export run {line}"), "it was not changed");
    }
    refused("export run --format parquet", "is left as it is");
    refused("export run --format parquet --output run.xlsx", "is a file");
    refused("export run --format xml", "choose one of csv");
    refused("export nowhere --format csv", "no such folder");
    refused("export run", "--format");
    let list = output_of(plumb_in(place.path(), "export --list"), 0);
    assert_eq!(
        list.lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| name.contains("fio"))
            .count(),
        5,
        "{list}"
    );
    let markdown = export(place.path(), "--format markdown");
    assert!(
        markdown.contains("| random-read depth=1 | read | 60,000 | 0 |"),
        "{markdown}"
    );
}

#[test]
fn an_imported_run_goes_out_again_and_what_it_does_not_say_stays_missing() {
    let place = tempfile::tempdir().expect("folder");
    let dd = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.5 s, 2.1 GB/s\n";
    std::fs::write(place.path().join("dd.txt"), dd).expect("written");
    output_of(plumb_in(place.path(), "import dd.txt"), 0);
    std::fs::rename(
        place.path().join("plumb-import-dd.plumb"),
        place.path().join("run"),
    )
    .expect("renamed");
    let fio: Value =
        serde_json::from_str(&export(place.path(), "--format fio-json")).expect("JSON");
    let job = &fio["jobs"][0];
    assert_eq!(
        (&job["write"]["bw_bytes"], &job["write"]["total_ios"]),
        (&2_147_483_648u64.into(), &1024.into())
    );
    assert_eq!(
        (&job["usr_cpu"], &job["latency_us"], fio.get("timestamp")),
        (&Value::Null, &Value::Null, None)
    );
    let line = export(place.path(), "--format bonnie-csv");
    assert_eq!(line.split(',').nth(11), Some("2097152"), "{line}");
    assert_eq!(
        (line.split(',').nth(12), line.split(',').nth(39)),
        (Some(""), Some("")),
        "{line}"
    );
    assert!(export(place.path(), "--format markdown").contains("measured by: dd"));
    for format in [
        "csv",
        "csv-intervals",
        "openmetrics",
        "xlsx",
        "parquet",
        "fio-logs",
    ] {
        export(
            place.path(),
            &format!("--format {format} --output out-{format}"),
        );
    }
    // dd does not say when it ran, and a point without a time would be one of now.
    for format in ["influx", "otlp-json"] {
        let line = format!("export run --format {format}");
        let refused = refusal_of(plumb_in(place.path(), &line));
        assert!(refused.contains("use csv-intervals"), "{refused}");
    }
}

#[test]
fn a_run_compares_with_its_own_export_to_fio() {
    let place = tempfile::tempdir().expect("folder");
    let flags = "--target null: --pattern random-read --warm-up 200ms --time 400ms --rate 2000 --arrivals poisson --rounds 2 --quiet --no-report";
    output_of(
        plumb_in(place.path(), &format!("run {flags} --output run")),
        0,
    );
    export(place.path(), "--format fio-json --output own.json");
    let own: Value = serde_json::from_str(
        &std::fs::read_to_string(place.path().join("own.json")).expect("an export"),
    )
    .expect("JSON");
    let job = &own["jobs"][0];
    let options = &job["job options"];
    let words = ["rate_process", "time_based", "ramp_time"]
        .map(|name| options[name].as_str().unwrap_or_default());
    assert_eq!(words, ["poisson", "1", "200000us"], "{options}");
    let (start, end) = (
        job["job_start"].as_u64().expect("a start"),
        own["timestamp_ms"].as_u64().expect("an end"),
    );
    assert!(
        end >= start + 1200,
        "two rounds of 600 ms: from {start} to {end}"
    );

    output_of(plumb_in(place.path(), "import own.json"), 0);
    let of = |folder: &str| -> Value {
        serde_json::from_str(&output_of(
            plumb_in(place.path(), &format!("show {folder} --json")),
            0,
        ))
        .expect("JSON")
    };
    let (ran, back) = (of("run"), of("plumb-import-own.plumb"));
    for key in ["time", "warm-up", "rate", "arrivals"] {
        let asked =
            |summary: &Value| summary["plan"]["steps"][0]["jobs"][0]["workload"][key].clone();
        assert_eq!(asked(&ran), asked(&back), "{key}");
    }
    let cpu = |summary: &Value| {
        summary["steps"][0]["cpu"]["user_percent"]
            .as_f64()
            .expect("CPU")
    };
    assert!(
        (cpu(&ran) - cpu(&back)).abs() < 1.0,
        "{} and {}",
        cpu(&ran),
        cpu(&back)
    );
    let is_compared = |line: &str| {
        let compared = output_of(plumb_in(place.path(), line), 0);
        assert!(
            !compared.contains("Not compared") && compared.contains("p50"),
            "{compared}"
        );
    };
    is_compared("compare run own.json");

    // Of writes with flushes on a file both are there, each for itself.
    std::fs::create_dir(place.path().join("data")).expect("a folder");
    let flags = "--target data --engine sync --pattern random-write --size 1m --set fsync-every=4 --time 300ms --quiet --no-report";
    output_of(
        plumb_in(place.path(), &format!("run {flags} --output written")),
        0,
    );
    output_of(
        plumb_in(
            place.path(),
            "export written --format fio-json --output written.json",
        ),
        0,
    );
    is_compared("compare written written.json");
    let compared = output_of(plumb_in(place.path(), "compare written written.json"), 0);
    assert!(
        compared.contains("write IOPS") && compared.contains("flush IOPS"),
        "{compared}"
    );
}
