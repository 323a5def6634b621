//! What is in a text of iostat? A head line with the host, then reports: a time (-t), CPUs, and one row for each device under a line of columns.

use super::recording::Recording;
use super::report::{Report, Values};
use crate::importer::sysstat::{Clock, head_of, number};
use crate::importer::{ImportError, Source};

/// Devices of one report.
const DEVICES_MAX: usize = 10_000;

/// The columns of a line that begins with `Device` and has those of -x.
pub fn columns_of(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split_whitespace().take(64).collect();
    let first = words.first()?.trim_end_matches(':');
    (first == "Device"
        && ["r/s", "w/s", "%util"]
            .iter()
            .all(|name| words.contains(name)))
    .then_some(words)
}

/// Reads all reports.
pub fn read(source: &mut Source<'_>, recording: &mut Recording) -> Result<(), ImportError> {
    let mut columns: Option<Vec<String>> = None;
    let (mut report, mut time, mut line_number) = (None::<Report>, None, 0u64);
    let mut bad = None;
    while let Some(line) = source.line()? {
        // Only the last line may be cut.
        if let Some(error) = bad {
            return Err(error);
        }
        line_number += 1;
        let line = line.trim();
        if let Some((kernel, host, _)) = head_of(line) {
            if recording.host.as_deref().is_some_and(|known| known != host) {
                return Err(ImportError::at(
                    line_number,
                    "reports of one host, found another one: import them one by one",
                ));
            }
            (recording.kernel, recording.host) = (Some(kernel.into()), Some(host.into()));
            end(recording, report.take())?;
            if recording.reports > 0 {
                // Another recording begins, whose first report is again since boot.
                recording.ended_early = true;
                return Ok(());
            }
        } else if let Some(found) = columns_of(line) {
            end(recording, report.take())?;
            columns = Some(
                found
                    .iter()
                    .skip(1)
                    .map(|name| (*name).to_string())
                    .collect(),
            );
            report = Some(Report {
                time: time.take(),
                line: line_number,
                ..Report::default()
            });
        } else if line.is_empty() || line.starts_with("avg-cpu:") {
            end(recording, report.take())?;
        } else if let Some(clock) = Clock::of(line) {
            time = Some(clock);
        } else if let (Some(report), Some(columns)) = (&mut report, &columns) {
            bad = row(report, columns, line, line_number).err();
        }
    }
    if bad.is_some() {
        recording.ended_early = true;
        return Ok(());
    }
    // A line of columns at the end is one whose devices are cut off.
    end(
        recording,
        report.take().filter(|report| !report.devices.is_empty()),
    )
}

fn row(
    report: &mut Report,
    columns: &[String],
    line: &str,
    line_number: u64,
) -> Result<(), ImportError> {
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or_default();
    let fields: Vec<&str> = words.take(64).collect();
    let mut values = Values::default();
    let is_row = fields.len() == columns.len()
        && columns.iter().zip(&fields).all(|(column, field)| {
            number(field).is_some_and(|value| {
                values.set(column, value);
                true
            })
        });
    if !is_row || report.devices.len() >= DEVICES_MAX {
        return Err(ImportError::at(
            line_number,
            format!(
                "a device with {} numbers, as many as columns, found '{}'",
                columns.len(),
                line.chars().take(80).collect::<String>()
            ),
        ));
    }
    report.devices.push((name.into(), values));
    Ok(())
}

fn end(recording: &mut Recording, report: Option<Report>) -> Result<(), ImportError> {
    report.map_or(Ok(()), |report| recording.add(report))
}
