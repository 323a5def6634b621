//! How does a monitoring system read the figures of a run? As OpenMetrics 1.0, with base units (seconds, bytes) in the names.

use std::collections::BTreeMap;

use plumb_model::results::summary::{Latency, OperationSummary, StepSummary};

use crate::exporter::openmetrics::{END, Family, Labels};
use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "openmetrics",
    meaning: "figures of each step as OpenMetrics 1.0 text, for Prometheus (textfile collector of node_exporter, promtool, pushgateway) and the like",
    is_text: true,
    export,
};

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let mut families = vec![run(subject)];
    families.extend(of_steps(subject));
    families.extend(of_operations(subject));
    families.extend(latencies(subject));
    let text: String = families.iter().map(Family::text).collect();
    Ok(vec![ExportedFile::from_bytes(
        "run.txt",
        (text + END).into_bytes(),
    )])
}

fn run(subject: &Subject<'_>) -> Family {
    let header = &subject.run.header;
    let mut family = Family::new(
        "plumb_run",
        "info",
        "",
        "The run that these figures describe.",
    );
    let labels = vec![
        ("run", header.id.clone()),
        ("plan", header.plan.name.clone()),
        ("target", header.target()),
        ("started", header.started.clone()),
        ("state", subject.summary.state.clone()),
        ("plumb_version", header.plumb_version.clone()),
    ];
    family.push("_info", &labels, Some(1.0));
    family
}

fn labels(subject: &Subject<'_>, step: &StepSummary) -> Labels {
    vec![
        ("run", subject.run.header.id.clone()),
        ("step", step.name.clone()),
    ]
}

fn of_steps(subject: &Subject<'_>) -> [Family; 3] {
    let mut duration = Family::new(
        "plumb_duration_seconds",
        "gauge",
        "seconds",
        "Measured time of the step, over all rounds.",
    );
    let mut depth = Family::new(
        "plumb_depth",
        "gauge",
        "",
        "Mean number of operations in flight.",
    );
    let mut cpu = Family::new(
        "plumb_cpu_ratio",
        "gauge",
        "ratio",
        "CPU time of the load generator per second; 1 is one fully used CPU.",
    );
    for step in &subject.summary.steps {
        let labels = labels(subject, step);
        duration.push("", &labels, Some(step.duration_s));
        depth.push("", &labels, step.achieved_depth);
        for (mode, percent) in [
            ("user", step.cpu.user_percent),
            ("system", step.cpu.system_percent),
        ] {
            let labels = [labels.clone(), vec![("mode", mode.to_string())]].concat();
            cpu.push("", &labels, percent.map(|percent| percent / 100.0));
        }
    }
    [duration, depth, cpu]
}

/// Each kind of operation of each step, with its labels.
fn operations<'a>(
    subject: &'a Subject<'_>,
) -> impl Iterator<Item = (Labels, &'a OperationSummary)> {
    let with_labels = |step: &'a StepSummary| {
        let labels = labels(subject, step);
        let of = |kind: &String| [labels.clone(), vec![("operation", kind.clone())]].concat();
        step.operations
            .iter()
            .map(|(kind, operation)| (of(kind), operation))
            .collect::<Vec<_>>()
    };
    subject.summary.steps.iter().flat_map(with_labels)
}

fn of_operations(subject: &Subject<'_>) -> [Family; 5] {
    let mut count = Family::new("plumb_operations", "counter", "", "Completed operations.");
    let mut bytes = Family::new(
        "plumb_moved_bytes",
        "counter",
        "bytes",
        "Bytes moved by completed operations.",
    );
    let mut errors = Family::new(
        "plumb_errors",
        "counter",
        "",
        "Failed operations by error name.",
    );
    let mut iops = Family::new(
        "plumb_operations_per_second",
        "gauge",
        "operations_per_second",
        "Completed operations per second of measured time (IOPS).",
    );
    let mut bandwidth = Family::new(
        "plumb_bytes_per_second",
        "gauge",
        "bytes_per_second",
        "Bytes moved per second of measured time.",
    );
    for (labels, operation) in operations(subject) {
        count.push("_total", &labels, Some(operation.count as f64));
        // Bandwidth is missing for operations that move no data, and so are the bytes.
        bytes.push(
            "_total",
            &labels,
            operation
                .bandwidth_bytes_per_s
                .map(|_| operation.bytes as f64),
        );
        for (error, number) in &operation.errors_by_kind {
            errors.push(
                "_total",
                &[labels.clone(), vec![("error", error.clone())]].concat(),
                Some(*number as f64),
            );
        }
        iops.push("", &labels, operation.iops);
        bandwidth.push("", &labels, operation.bandwidth_bytes_per_s);
    }
    [count, bytes, errors, iops, bandwidth]
}

fn latencies(subject: &Subject<'_>) -> [Family; 2] {
    let mut response = Family::new(
        "plumb_response_seconds",
        "summary",
        "seconds",
        "Time from when an operation was due to its completion; quantile 0 is the shortest, 1 the longest.",
    );
    let mut service = Family::new(
        "plumb_service_seconds",
        "summary",
        "seconds",
        "Time from the submission of an operation to its completion; quantile 0 is the shortest, 1 the longest.",
    );
    for (labels, operation) in operations(subject) {
        summary(&mut response, &labels, &operation.response_ns);
        summary(&mut service, &labels, &operation.service_ns);
    }
    [response, service]
}

fn summary(family: &mut Family, labels: &Labels, of: &Latency) {
    let quantiles = BTreeMap::from([
        ("0.0", of.min),
        ("0.5", of.p50),
        ("0.9", of.p90),
        ("0.95", of.p95),
        ("0.99", of.p99),
        ("0.999", of.p99_9),
        ("0.9999", of.p99_99),
        ("0.99999", of.p99_999),
        ("0.999999", of.p99_9999),
        ("1.0", of.max),
    ]);
    for (quantile, ns) in quantiles {
        family.push(
            "",
            &[labels.clone(), vec![("quantile", quantile.to_string())]].concat(),
            ns.map(|ns| ns / 1e9),
        );
    }
    if of.count > 0 {
        family.push("_count", labels, Some(of.count as f64));
        family.push("_sum", labels, of.mean.map(|ns| ns * of.count as f64 / 1e9));
    }
}
