//! How does a spreadsheet or a script get the figures? One line per step, round and kind of operation, with units in the heads of the columns.

use plumb_model::summary::{OperationSummary, StepSummary};

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "csv",
    meaning: "one line per step and kind of operation: rates, latencies and counts, with units in the heads (RFC 4180)",
    is_text: true,
    export,
};

const HEADS: &[&str] = &[
    "step",
    "operation",
    "engine",
    "duration_s",
    "operations",
    "bytes",
    "errors",
    "iops",
    "bandwidth_bytes_per_s",
    "response_min_ns",
    "response_mean_ns",
    "response_p50_ns",
    "response_p90_ns",
    "response_p95_ns",
    "response_p99_ns",
    "response_p99_9_ns",
    "response_max_ns",
];

fn export(subject: &Subject<'_>) -> Result<Vec<ExportedFile>, ExportError> {
    let mut text = HEADS.join(",") + "\r\n";
    for step in &subject.summary.steps {
        for (kind, operation) in &step.operations {
            text += &(cells(step, kind, operation).iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\r\n");
        }
    }
    Ok(vec![ExportedFile { name: "summary.csv".into(), bytes: text.into_bytes() }])
}

fn cells(step: &StepSummary, kind: &str, operation: &OperationSummary) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let latency = &operation.response_ns;
    let times = [latency.min, latency.mean, latency.p50, latency.p90, latency.p95, latency.p99, latency.p99_9, latency.max];
    [
        vec![step.name.clone(), kind.to_string(), step.engine.clone(), step.duration_s.to_string()],
        vec![operation.count.to_string(), operation.bytes.to_string(), operation.errors.to_string()],
        vec![number(operation.iops), number(operation.bandwidth_bytes_per_s)],
        times.map(number).to_vec(),
    ]
    .concat()
}

/// RFC 4180: quoted where it must be.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
}
