//! How do programs for Windows recordings read counters? As CSV of Windows Performance Monitor (PDH-CSV 4.0), which Perfmon, relog, PAL and plumb read.
//!
//! Disks and SMB mounts have the names that Windows gives them: `\\HOST\PhysicalDisk(vda)\Disk Reads/sec`. Anything without a Windows name has that of
//! plumb's JSON: `\\HOST\nfs_mount(/mnt/n)\read time_ns`. Times are UTC, because a file states one UTC offset for all its rows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use csv::{QuoteStyle, Terminator, WriterBuilder};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use plumb_model::results::watch::WatchInterval;
use plumb_model::run::metric::Reading;
use plumb_model::windows_counters::counter_of;

use crate::exporter::{ExportError, ExportedFile, Exporter, Subject};

pub static EXPORTER: Exporter = Exporter {
    name: "pdh-csv",
    meaning: "what plumb watch shows, as counters over time in Windows Performance Monitor CSV (PDH-CSV 4.0), for Perfmon, relog and PAL",
    is_text: true,
    export,
};

/// The first column header, with time zone and UTC offset in minutes.
const FIRST_HEAD: &str = "(PDH-CSV 4.0) (UTC)(0)";
/// An unknown value, as Windows writes it.
const MISSING: &str = " ";
/// Windows counter names contain it, metric names do not.
const FOREIGN_MARK: char = '\\';
/// These tables hold Windows counters, which are written as they were read.
const DERIVED_OF_WINDOWS: [&str; 7] = [
    "smb_client_share",
    "physical_disk",
    "logical_disk",
    "network_interface",
    "rdma_activity",
    "processor_information",
    "other",
];

/// Table, kind of row, column, the Windows metric with the same meaning, and the divisor for the figure.
const SAME: &[(&str, &str, &str, &str, f64)] = &[
    (
        "disk",
        "read",
        "per_second",
        "physical_disk.reads_per_second",
        1.0,
    ),
    (
        "disk",
        "read",
        "bytes_per_second",
        "physical_disk.read_bytes_per_second",
        1.0,
    ),
    (
        "disk",
        "read",
        "request_bytes",
        "physical_disk.read_bytes",
        1.0,
    ),
    ("disk", "read", "time_ns", "physical_disk.read_seconds", 1e9),
    (
        "disk",
        "read",
        "outstanding",
        "physical_disk.read_queue_length",
        1.0,
    ),
    (
        "disk",
        "write",
        "per_second",
        "physical_disk.writes_per_second",
        1.0,
    ),
    (
        "disk",
        "write",
        "bytes_per_second",
        "physical_disk.write_bytes_per_second",
        1.0,
    ),
    (
        "disk",
        "write",
        "request_bytes",
        "physical_disk.write_bytes",
        1.0,
    ),
    (
        "disk",
        "write",
        "time_ns",
        "physical_disk.write_seconds",
        1e9,
    ),
    (
        "disk",
        "write",
        "outstanding",
        "physical_disk.write_queue_length",
        1.0,
    ),
    (
        "disk",
        "all",
        "per_second",
        "physical_disk.transfers_per_second",
        1.0,
    ),
    (
        "disk",
        "all",
        "bytes_per_second",
        "physical_disk.bytes_per_second",
        1.0,
    ),
    (
        "disk",
        "all",
        "request_bytes",
        "physical_disk.transfer_bytes",
        1.0,
    ),
    (
        "disk",
        "all",
        "time_ns",
        "physical_disk.transfer_seconds",
        1e9,
    ),
    (
        "disk",
        "all",
        "outstanding",
        "physical_disk.queue_length",
        1.0,
    ),
    (
        "disk",
        "all",
        "outstanding_at_sample",
        "physical_disk.current_queue_length",
        1.0,
    ),
    (
        "smb_mount",
        "read",
        "per_second",
        "smb_client_share.read_requests_per_second",
        1.0,
    ),
    (
        "smb_mount",
        "read",
        "bytes_per_second",
        "smb_client_share.read_bytes_per_second",
        1.0,
    ),
    (
        "smb_mount",
        "read",
        "request_bytes",
        "smb_client_share.read_bytes",
        1.0,
    ),
    (
        "smb_mount",
        "write",
        "per_second",
        "smb_client_share.write_requests_per_second",
        1.0,
    ),
    (
        "smb_mount",
        "write",
        "bytes_per_second",
        "smb_client_share.write_bytes_per_second",
        1.0,
    ),
    (
        "smb_mount",
        "write",
        "request_bytes",
        "smb_client_share.write_bytes",
        1.0,
    ),
];

/// Source of a column: a Windows counter, or a figure of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Counter(Cow<'static, str>, String),
    Figure(&'static str, String, &'static str, &'static str),
}

/// The columns, in order of first appearance; earlier rows are blank for later columns.
#[derive(Default)]
struct Columns {
    heads: Vec<String>,
    columns_by_key: HashMap<Key, (usize, f64)>,
}

impl Columns {
    fn add(&mut self, key: Key, host: &str) {
        if self.columns_by_key.contains_key(&key) {
            return;
        }
        let (set, instance, counter, divisor) = named(&key);
        let instance = match instance {
            "" => String::new(),
            instance => format!("({instance})"),
        };
        self.columns_by_key
            .insert(key.clone(), (self.heads.len(), divisor));
        let head = format!(r"\\{host}\{set}{instance}\{counter}");
        self.heads.push(head);
    }
}

/// Counter set, instance and counter, and the divisor for the value.
fn named(key: &Key) -> (&str, &str, Cow<'_, str>, f64) {
    match key {
        Key::Counter(metric, instance) => {
            let (set, counter) = counter_of(metric)
                .or_else(|| metric.split_once(FOREIGN_MARK))
                .unwrap_or(("", metric));
            (set, instance, counter.into(), 1.0)
        }
        Key::Figure(table, instance, kind, column) => {
            let same = SAME
                .iter()
                .find(|row| (row.0, row.1, row.2) == (*table, *kind, *column));
            match same.and_then(|row| counter_of(row.3).zip(Some(row.4))) {
                // Windows writes `\server\share`.
                Some(((set, counter), divisor)) => {
                    let instance = match instance.strip_prefix(r"\\") {
                        Some(_) => &instance[1..],
                        None => instance,
                    };
                    (set, instance, counter.into(), divisor)
                }
                None => {
                    let counter = match *kind {
                        "" => Cow::Borrowed(*column),
                        kind => format!("{kind} {column}").into(),
                    };
                    (table, instance, counter, 1.0)
                }
            }
        }
    }
}

/// Every value of a sample that has a column.
fn each_value(
    readings: &[Reading],
    interval: Option<&WatchInterval>,
    mut take: impl FnMut(Key, Option<f64>),
) {
    for reading in readings {
        if reading.metric.contains(FOREIGN_MARK) || counter_of(&reading.metric).is_some() {
            let key = Key::Counter(reading.metric.clone(), reading.instance.clone());
            take(key, reading.value);
        }
    }
    let tables = interval.into_iter().flat_map(|interval| &interval.tables);
    for table in tables.filter(|table| !DERIVED_OF_WINDOWS.contains(&table.group)) {
        for row in &table.rows {
            for (column, value) in table.columns.iter().zip(&row.values) {
                let instance = row.instance.to_string();
                take(
                    Key::Figure(table.group, instance, row.kind, column.id),
                    *value,
                );
            }
        }
    }
}

fn export<'a>(subject: &'a Subject<'a>) -> Result<Vec<ExportedFile<'a>>, ExportError> {
    let header = &subject.run.header;
    if header.started_unix_ns == 0 {
        return Err(ExportError(
            "the run has no start time, and PDH-CSV needs a date in each row; use csv-counters"
                .into(),
        ));
    }
    let host = header.environment.text("host.name").unwrap_or("localhost");
    let mut columns = Columns::default();
    // A figure that is never known, such as a request time that no counter provides, has no column.
    let seen = (subject.samples)(&mut |readings, interval| {
        each_value(readings, interval, |key, value| {
            if value.is_some() || matches!(key, Key::Counter(..)) {
                columns.add(key, host);
            }
        });
        Ok(())
    });
    seen.map_err(|error| ExportError(error.to_string()))?;
    if columns.heads.is_empty() {
        return Err(ExportError(
            "the run has fewer than two counter samples; use csv for the figures of a load".into(),
        ));
    }
    Ok(vec![ExportedFile::streamed("counters.csv", move |out| {
        write(subject, &columns, out)
    })])
}

fn write(subject: &Subject<'_>, columns: &Columns, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = WriterBuilder::new()
        .quote_style(QuoteStyle::Always)
        .terminator(Terminator::CRLF)
        .from_writer(out);
    let heads = columns.heads.iter().map(String::as_str);
    lines.write_record(std::iter::once(FIRST_HEAD).chain(heads))?;
    let mut fields = vec![String::new(); columns.heads.len() + 1];
    (subject.samples)(&mut |readings, interval| {
        let Some(first) = readings.first() else {
            return Ok(());
        };
        fields.fill(MISSING.into());
        fields[0] = date_and_time(subject.run.header.started_unix_ns, first.time_ns)?;
        each_value(readings, interval, |key, value| {
            if let (Some((column, divisor)), Some(value)) =
                (columns.columns_by_key.get(&key), value)
            {
                fields[column + 1] = (value / divisor).to_string();
            }
        });
        Ok(lines.write_record(&fields)?)
    })?;
    lines.flush()
}

/// `11/22/2026 07:50:48.123`, in UTC.
fn date_and_time(started_unix_ns: u64, time_ns: u64) -> io::Result<String> {
    let unix_ns = i128::from(started_unix_ns) + i128::from(time_ns);
    let time = Timestamp::from_nanosecond(unix_ns).map_err(io::Error::other)?;
    let time = time.to_zoned(TimeZone::UTC);
    Ok(time.strftime("%m/%d/%Y %H:%M:%S%.3f").to_string())
}
