//! What is in the JSON of iostat (-o JSON)? Hosts with statistics, each of which is a report.

use serde_json::Value;

use super::recording::Recording;
use super::report::{Report, Values};
use crate::importer::sysstat::Clock;
use crate::importer::{ImportError, Source};

/// Longest file: a report of ten devices takes some 4 KiB.
const BYTES_MAX: u64 = 256 << 20;

/// True if a file with this beginning is the JSON of iostat -x.
pub fn is_json(head: &str) -> bool {
    head.trim_start().starts_with('{')
        && head.contains("\"sysstat\"")
        && head.contains("\"disk_device\"")
}

/// Reads all reports.
pub fn read(source: &mut Source<'_>, recording: &mut Recording) -> Result<(), ImportError> {
    let bytes = source.read_all(BYTES_MAX)?;
    let root: Value = serde_json::from_slice(&bytes).map_err(|error| {
        ImportError::at(
            error.line() as u64,
            format!("JSON of 'iostat -x -o JSON', which ends with '}}}}': {error}"),
        )
    })?;
    let hosts = root
        .get("sysstat")
        .and_then(|sysstat| sysstat.get("hosts")?.as_array());
    let [host] = hosts.map(Vec::as_slice).unwrap_or_default() else {
        return Err(ImportError::of_file(
            "one host under \"sysstat\", \"hosts\"",
        ));
    };
    let word = |name: &str| host.get(name).and_then(Value::as_str).map(str::to_string);
    (recording.host, recording.kernel) = (word("nodename"), word("release"));
    let reports = host.get("statistics").and_then(Value::as_array);
    for report in reports.into_iter().flatten() {
        let time = report
            .get("timestamp")
            .and_then(Value::as_str)
            .and_then(Clock::of);
        let Some(devices) = report.get("disk").and_then(Value::as_array) else {
            continue;
        };
        recording.add(Report {
            time,
            line: 1,
            devices: devices.iter().filter_map(device).collect(),
        })?;
    }
    Ok(())
}

fn device(entry: &Value) -> Option<(String, Values)> {
    let mut values = Values::default();
    for (name, value) in entry.as_object()? {
        if let Some(value) = value.as_f64() {
            values.set(name, value);
        }
    }
    Some((entry.get("disk_device")?.as_str()?.to_string(), values))
}
