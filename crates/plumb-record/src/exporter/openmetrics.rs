//! How is OpenMetrics 1.0 text written? Families of samples, with base units in their names.

use std::collections::HashMap;
use std::fmt::Write;

use plumb_model::run::metric::{Metric, MetricKind, Reading};

/// Media type of the text.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The end marker of the text.
pub const END: &str = "# EOF\n";

/// Label names and values.
pub type Labels = Vec<(&'static str, String)>;

/// One family of samples that differ in their labels.
pub struct Family {
    name: String,
    kind: &'static str,
    /// The unit, which is the suffix of the name; empty for none.
    unit: &'static str,
    help: String,
    samples: Vec<Sample>,
}

struct Sample {
    suffix: &'static str,
    labels: Labels,
    value: f64,
    /// Milliseconds since 1970; missing: now.
    time_unix_ms: Option<u64>,
}

impl Family {
    pub fn new(
        name: impl Into<String>,
        kind: &'static str,
        unit: &'static str,
        help: impl Into<String>,
    ) -> Family {
        Family {
            name: name.into(),
            kind,
            unit,
            help: help.into(),
            samples: Vec::new(),
        }
    }

    /// An unknown value has no sample.
    pub fn push(&mut self, suffix: &'static str, labels: &Labels, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.samples.push(Sample {
                suffix,
                labels: labels.clone(),
                value,
                time_unix_ms: None,
            });
        }
    }

    pub fn text(&self) -> String {
        if self.samples.is_empty() {
            return String::new();
        }
        let mut out = format!("# TYPE {} {}\n", self.name, self.kind);
        if !self.unit.is_empty() {
            let _ = writeln!(out, "# UNIT {} {}", self.name, self.unit);
        }
        let _ = writeln!(out, "# HELP {} {}", self.name, escaped(&self.help));
        for sample in &self.samples {
            let labels: Vec<String> = sample
                .labels
                .iter()
                .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
                .collect();
            let (name, suffix, value) = (&self.name, sample.suffix, sample.value);
            let _ = write!(out, "{name}{suffix}{{{}}} {value}", labels.join(","));
            if let Some(ms) = sample.time_unix_ms {
                let _ = write!(out, " {}.{:03}", ms / 1000, ms % 1000);
            }
            out.push('\n');
        }
        out
    }
}

/// Readings of one sample as the kernel counts them, with the time of the sample. `plumb_disk_read_bytes_total{name="vda"}`: the instance is a label. Times
/// are in seconds. Readings that are not in `metrics` are left out.
pub fn readings_text(
    metrics: impl Iterator<Item = &'static Metric>,
    readings: &[Reading],
    started_unix_ns: u64,
) -> String {
    let mut of_metric: HashMap<&str, Vec<&Reading>> = HashMap::new();
    for reading in readings {
        of_metric.entry(&reading.metric).or_default().push(reading);
    }
    let mut out = String::new();
    for metric in metrics {
        let (unit, written, factor) = base_unit(metric.unit);
        let stem = match written {
            "" => metric.id,
            _ => metric.id.strip_suffix(metric.unit).unwrap_or(metric.id),
        };
        let name = format!("plumb_{}{written}", name_of(stem));
        let (kind, suffix) = match metric.kind {
            MetricKind::Counter => ("counter", "_total"),
            MetricKind::Gauge => ("gauge", ""),
        };
        let mut family = Family::new(name, kind, unit, metric.meaning);
        for reading in of_metric.remove(metric.id).unwrap_or_default() {
            let Some(value) = reading.value.filter(|value| value.is_finite()) else {
                continue;
            };
            let labels = match reading.instance.as_str() {
                "" => Vec::new(),
                instance => vec![("name", instance.to_string())],
            };
            family.samples.push(Sample {
                suffix,
                labels,
                value: value * factor,
                time_unix_ms: Some((started_unix_ns + reading.time_ns) / 1_000_000),
            });
        }
        out += &family.text();
    }
    out + END
}

/// OpenMetrics unit, the suffix that replaces `unit`, and the factor for the value.
fn base_unit(unit: &str) -> (&'static str, &'static str, f64) {
    match unit {
        "bytes" => ("bytes", "bytes", 1.0),
        "ns" => ("seconds", "seconds", 1e-9),
        "hz" => ("hertz", "hertz", 1.0),
        "seconds" => ("seconds", "seconds", 1.0),
        _ => ("", "", 1.0),
    }
}

/// OpenMetrics, "MetricFamily Name": letters, digits and underscores. `Network Interface\Bytes Sent/sec` is `network_interface_bytes_sent_sec`.
fn name_of(id: &str) -> String {
    if !id.contains('\\') {
        return id.replace('.', "_");
    }
    let plain = |letter: char| match letter {
        '%' => "percent".into(),
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase().to_string(),
        _ => " ".to_string(),
    };
    let plain: String = id.chars().map(plain).collect();
    plain.split_whitespace().collect::<Vec<_>>().join("_")
}

/// OpenMetrics, "Escaping": backslash, quote and line end.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_their_units_and_labels_are_quoted() {
        let mut family = Family::new("plumb_x_seconds", "gauge", "seconds", "Help.");
        family.push("", &vec![("step", "a \"b\"\n\\".to_string())], Some(0.5));
        family.push("", &vec![], None);
        let text = family.text();
        assert_eq!(
            text,
            "# TYPE plumb_x_seconds gauge\n# UNIT plumb_x_seconds seconds\n# HELP plumb_x_seconds Help.\nplumb_x_seconds{step=\"a \\\"b\\\"\\n\\\\\"} 0.5\n"
        );
        assert_eq!(Family::new("plumb_y", "gauge", "", "").text(), "");
    }

    #[test]
    fn windows_counter_names_can_be_written() {
        for (id, name) in [
            ("physical_disk.read_seconds", "physical_disk_read_seconds"),
            (
                r"Processor Information\% Processor Time",
                "processor_information_percent_processor_time",
            ),
            (
                r"SMB Direct Connection\Stalls (Send Credit)/sec",
                "smb_direct_connection_stalls_send_credit_sec",
            ),
        ] {
            assert_eq!(name_of(id), name);
        }
    }

    #[test]
    fn readings_are_counters_and_levels_in_base_units_with_the_time_of_the_sample() {
        static METRICS: [Metric; 3] = [
            Metric {
                id: "disk.read_time_ns",
                unit: "ns",
                kind: MetricKind::Counter,
                meaning: "time",
            },
            Metric {
                id: "disk.in_flight",
                unit: "operations",
                kind: MetricKind::Gauge,
                meaning: "now",
            },
            Metric {
                id: "disk.reads",
                unit: "operations",
                kind: MetricKind::Counter,
                meaning: "reads",
            },
        ];
        let reading = |metric: &'static str, instance: &str, value| Reading {
            metric: metric.into(),
            instance: instance.into(),
            time_ns: 2_500_000_000,
            value,
        };
        let readings = [
            reading("disk.in_flight", "", Some(3.0)),
            reading("disk.read_time_ns", "vda", Some(1.5e9)),
            reading("disk.read_time_ns", "vdb", None),
            reading("disk.reads", "vda", None),
            reading("other", "", Some(1.0)),
        ];
        let text = readings_text(METRICS.iter(), &readings, 1_000_000_000);
        assert_eq!(
            text,
            "# TYPE plumb_disk_read_time_seconds counter\n# UNIT plumb_disk_read_time_seconds seconds\n# HELP plumb_disk_read_time_seconds time\n\
             plumb_disk_read_time_seconds_total{name=\"vda\"} 1.5 3.500\n\
             # TYPE plumb_disk_in_flight gauge\n# HELP plumb_disk_in_flight now\nplumb_disk_in_flight{} 3 3.500\n# EOF\n"
        );
    }
}
