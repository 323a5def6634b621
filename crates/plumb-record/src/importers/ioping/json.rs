//! What is in the JSON of ioping (-J)? A list of requests and statistics; the last statistics are those of the end.

use serde_json::Value;

use super::report::{Printed, Report, Request, Summary};
use crate::importer::ImportError;

/// True if a file with this beginning is such a list.
pub fn is_json(head: &str) -> bool {
    let head = head.trim_start();
    head.starts_with('[')
        && head.contains("\"fstype\"")
        && head.contains("\"device_size\"")
        && (head.contains("\"io\"") || head.contains("\"stat\""))
}

/// The results of a file, which may hold several lists.
///
/// # Errors
/// It is not JSON to its end, and nothing before is complete.
pub fn reports(bytes: &[u8]) -> Result<Vec<Report>, ImportError> {
    let mut reports = Vec::new();
    for list in serde_json::Deserializer::from_slice(bytes).into_iter::<Vec<Value>>() {
        match list {
            Ok(entries) => reports.push(report(&entries)),
            Err(error) if reports.is_empty() => {
                return Err(ImportError::at(
                    error.line() as u64,
                    format!("JSON of 'ioping -J', which ends with ']': {error}"),
                ));
            }
            Err(_) => break,
        }
    }
    Ok(reports)
}

fn number(of: &Value, name: &str) -> Option<f64> {
    of.get(name)?
        .as_f64()
        .filter(|number| number.is_finite() && *number >= 0.0)
}

fn report(entries: &[Value]) -> Report {
    let mut report = Report::default();
    for entry in entries {
        let target = entry
            .get("target")
            .and_then(|target| target.get("path")?.as_str());
        if let Some(target) = target.filter(|_| report.target.is_none()) {
            report.target = Some(target.into());
        }
        if let Some(io) = entry.get("io") {
            request(io)
                .iter()
                .for_each(|request| report.requests.add(request));
        }
        if let Some(summary) = entry
            .get("stat")
            .and_then(|stat| summary(stat, entry.get("load")))
        {
            report.summary = Some(summary);
        }
    }
    report
}

fn request(io: &Value) -> Option<Request<'static>> {
    Some(Request {
        writes: match io.get("operation")?.as_str()? {
            "read" => false,
            "write" => true,
            _ => return None,
        },
        bytes: number(io, "size")?,
        time_ns: Printed::exact(number(io, "time")?),
        target: "",
        is_left_out: io.get("ignored")?.as_bool()?,
    })
}

fn summary(stat: &Value, load: Option<&Value>) -> Option<Summary> {
    let all = |names: [&str; 4]| {
        let numbers: Option<Vec<f64>> = names.iter().map(|name| number(stat, name)).collect();
        numbers?.try_into().ok()
    };
    let load = load.and_then(|load| number(load, "count").zip(number(load, "time")));
    Some(Summary::of_numbers(
        all(["count", "time", "iops", "bps"])?,
        all(["min", "avg", "max", "mdev"])?,
        load,
    ))
}
