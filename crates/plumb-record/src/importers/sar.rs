//! What did sar -d see? Activity of each block device over time, as text or in sadf's format for databases.
//!
//! sar does not tell reads from writes except in their bytes: requests, times and the queue are those of both, as the counters of Windows' disks have them.

use std::borrow::Cow;

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_model::run::metric::Reading;
use plumb_model::statement::Statement;

#[cfg(test)]
use crate::importer::Fixture;
use crate::importer::sysstat::{Clock, head_of, number};
use crate::importer::{Head, ImportError, Importer, RunBuilder, Source};

pub static IMPORTER: Importer = Importer {
    name: "sar",
    program: "sar",
    meaning: "activity of block devices of `sar -d` (sysstat 10 to 12), as text or from `sadf -d FILE -- -d`: readings of each device over time",
    recognizes,
    import,
    #[cfg(test)]
    fixtures,
};

/// Most readings: of longer files every second report is dropped, repeatedly.
const READINGS_MAX: usize = 400_000;
/// Interval where the file does not show it.
const NOMINAL_NS: u64 = 1_000_000_000;

/// Metrics that sar's columns give, in the order of [`Row::values`].
const METRICS: [&str; 8] = [
    "physical_disk.transfers_per_second",
    "physical_disk.bytes_per_second",
    "physical_disk.read_bytes_per_second",
    "physical_disk.write_bytes_per_second",
    "physical_disk.transfer_bytes",
    "physical_disk.transfer_seconds",
    "physical_disk.queue_length",
    "physical_disk.idle_percent",
];

fn recognizes(head: &Head<'_>) -> bool {
    head.text().lines().any(|line| Layout::of(line).is_some())
}

/// Where the fields of a row are.
#[derive(Debug, Clone, PartialEq)]
struct Layout {
    columns: Vec<String>,
    /// `sadf -d`: host, interval, time and fields, with semicolons between.
    is_database: bool,
    /// Fields of the time before the columns.
    time: usize,
}

impl Layout {
    /// Of the line with the names of columns.
    fn of(line: &str) -> Option<Layout> {
        let is_database = line.starts_with("# hostname;");
        let names = fields(line, is_database);
        let place = |name: &str| names.iter().position(|of| *of == name);
        // With --pretty, the device is the last column.
        let first = place("DEV")?.min(place("tps")?);
        let has_bytes = place("rkB/s").or(place("rd_sec/s")).is_some();
        // Host, interval and time; or a time of one word, or two.
        let has_time = if is_database {
            first == 3
        } else {
            (1..=2).contains(&first)
        };
        (has_bytes && place("%util").is_some() && has_time).then(|| Layout {
            columns: names[first..].iter().map(|name| (*name).into()).collect(),
            is_database,
            time: first,
        })
    }
}

fn fields(line: &str, is_database: bool) -> Vec<&str> {
    match is_database {
        true => line.split(';').map(str::trim).take(64).collect(),
        false => line.split_whitespace().take(64).collect(),
    }
}

/// A device in one interval.
#[derive(Debug, Default)]
struct Row<'a> {
    device: &'a str,
    transfers: Option<f64>,
    read_bytes: Option<f64>,
    write_bytes: Option<f64>,
    transfer_bytes: Option<f64>,
    transfer_ms: Option<f64>,
    queue: Option<f64>,
    busy_percent: Option<f64>,
}

impl<'a> Row<'a> {
    /// `None` if a field is not what its column says.
    fn of(columns: &[String], fields: &[&'a str]) -> Option<Row<'a>> {
        if fields.len() != columns.len() {
            return None;
        }
        let mut row = Row::default();
        for (column, field) in columns.iter().zip(fields) {
            if column == "DEV" {
                row.device = field;
                continue;
            }
            let value = number(field).filter(|value| value.is_finite() && *value >= 0.0)?;
            let of = |unit: f64| Some(value * unit);
            match column.as_str() {
                "tps" => row.transfers = of(1.0),
                "rkB/s" => row.read_bytes = of(1024.0),
                "rd_sec/s" => row.read_bytes = of(512.0),
                "wkB/s" => row.write_bytes = of(1024.0),
                "wr_sec/s" => row.write_bytes = of(512.0),
                "areq-sz" => row.transfer_bytes = of(1024.0),
                "avgrq-sz" => row.transfer_bytes = of(512.0),
                "await" => row.transfer_ms = of(1.0),
                "aqu-sz" | "avgqu-sz" => row.queue = of(1.0),
                "%util" => row.busy_percent = of(1.0),
                _ => {}
            }
        }
        (!row.device.is_empty()).then_some(row)
    }

    fn values(&self) -> [Option<f64>; METRICS.len()] {
        let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
        // A mean of no request is no time.
        let of_requests = |mean: Option<f64>| mean.filter(|_| self.transfers != Some(0.0));
        [
            self.transfers,
            sum(self.read_bytes, self.write_bytes),
            self.read_bytes,
            self.write_bytes,
            of_requests(self.transfer_bytes),
            of_requests(self.transfer_ms).map(|ms| ms / 1e3),
            self.queue,
            self.busy_percent
                .map(|percent| (100.0 - percent).clamp(0.0, 100.0)),
        ]
    }
}

/// What was read so far.
#[derive(Default)]
struct Recording {
    host: Option<String>,
    kernel: Option<String>,
    started: Option<(String, u64)>,
    /// Time of the last report, as the file has it and since the beginning.
    last: Option<(String, Clock)>,
    time_ns: u64,
    reports: u64,
    /// One of so many reports is kept.
    every: u64,
    readings: Vec<Reading>,
    cut: bool,
}

impl Recording {
    /// A report begins; `interval_ns` is what the file says of its length.
    fn begin(&mut self, text: &str, clock: Clock, interval_ns: Option<u64>) {
        let elapsed = self
            .last
            .as_ref()
            .and_then(|(_, before)| clock.since(before));
        let interval_ns = elapsed.or(interval_ns).unwrap_or(NOMINAL_NS);
        self.time_ns = self.time_ns.saturating_add(interval_ns);
        self.last = Some((text.into(), clock));
        self.reports += 1;
        if self.readings.len() > READINGS_MAX {
            self.thin();
        }
    }

    fn thin(&mut self) {
        self.every *= 2;
        let (mut report, mut last) = (0u64, None);
        self.readings.retain(|of| {
            if last.is_some_and(|last| last != of.time_ns) {
                report += 1;
            }
            last = Some(of.time_ns);
            report.is_multiple_of(2)
        });
    }

    fn add(&mut self, row: &Row<'_>) {
        if !self.reports.is_multiple_of(self.every) {
            return;
        }
        let is_first = self.reports == 1;
        let mut push = |time_ns, values: [Option<f64>; METRICS.len()]| {
            for (metric, value) in METRICS.iter().zip(values) {
                self.readings.push(Reading {
                    metric: Cow::Borrowed(metric),
                    instance: row.device.into(),
                    time_ns,
                    value,
                });
            }
        };
        if is_first {
            // The interval before begins without a value.
            push(0, [None; METRICS.len()]);
        }
        push(self.time_ns, row.values());
    }

    fn finish(mut self) -> Result<Run, ImportError> {
        if self.readings.is_empty() {
            return Err(ImportError::of_file(
                "a line with DEV, tps, rkB/s, wkB/s and %util, and devices below it ('sar -d'; of a binary file, 'sar -d -f FILE > FILE.txt')",
            ));
        }
        let mut builder = RunBuilder::new("sar", None);
        if let Some(host) = self.host {
            builder.fact("host.name", Fact::Text(host));
        }
        if let Some(kernel) = self.kernel {
            builder.fact("host.kernel", Fact::Text(kernel));
        }
        if let Some((text, unix_ns)) = self.started {
            builder.started(text, unix_ns);
        }
        builder.doubt(Statement::new("sar-kinds-together"));
        if self.cut {
            builder.doubt(Statement::new("iostat-cut"));
        }
        if self.every > 1 {
            builder.doubt(Statement::new("sar-thinned").name("every", self.every.to_string()));
        }
        self.readings.sort_by_key(|reading| reading.time_ns);
        builder.run().readings = self.readings;
        let step = builder.step("counters", Vec::new);
        builder.execution(step, self.time_ns as f64 / 1e9);
        Ok(builder.finish())
    }
}

fn import(source: &mut Source<'_>) -> Result<Vec<Run>, ImportError> {
    let mut recording = Recording {
        every: 1,
        ..Recording::default()
    };
    let mut layout: Option<Layout> = None;
    let (mut line_number, mut bad) = (0u64, None);
    while let Some(line) = source.line()? {
        // Only the last line may be cut.
        if let Some(error) = bad {
            return Err(error);
        }
        line_number += 1;
        let line = line.trim();
        if let Some((kernel, host, _)) = head_of(line) {
            if recording.reports > 0 && recording.host.as_deref() != Some(host) {
                return Err(ImportError::at(
                    line_number,
                    "reports of one host, found another one: import them one by one",
                ));
            }
            (recording.kernel, recording.host) = (Some(kernel.into()), Some(host.into()));
            layout = None;
        } else if let Some(found) = Layout::of(line) {
            // Before the first report, its line has the time that this one begins at.
            let words = fields(line, found.is_database);
            let begun = words[..found.time].join(" ");
            if let Some(clock) = Clock::of(&begun).filter(|_| recording.last.is_none()) {
                recording.last = Some((begun, clock));
            }
            layout = Some(found);
        } else if line.is_empty() {
            layout = layout.filter(|of| of.is_database);
        } else if let Some(layout) = &layout {
            bad = row(&mut recording, layout, line, line_number).err();
        }
    }
    recording.cut = bad.is_some();
    recording.finish().map(|run| vec![run])
}

/// Takes a line below the names of columns. Means at the end, restarts and comments have no time, and are passed over.
fn row(
    recording: &mut Recording,
    layout: &Layout,
    line: &str,
    line_number: u64,
) -> Result<(), ImportError> {
    let fields = fields(line, layout.is_database);
    if fields.len() <= layout.time {
        return Ok(());
    }
    let (time, values) = fields.split_at(layout.time);
    let (text, interval_ns) = match layout.is_database {
        // `2026-11-28 16:22:07 UTC` or seconds since 1970, after host and interval.
        true => (database_time(time[2]), seconds_ns(time[1])),
        false => (time.join(" "), None),
    };
    let Some(clock) = Clock::of(&text) else {
        return Ok(());
    };
    if line.contains("RESTART") {
        return Ok(());
    }
    let row = Row::of(&layout.columns, values).ok_or_else(|| {
        ImportError::at(
            line_number,
            format!(
                "a device with {} fields as the columns above, found '{}'",
                layout.columns.len(),
                line.chars().take(80).collect::<String>()
            ),
        )
    })?;
    if recording
        .last
        .as_ref()
        .is_none_or(|(last, _)| *last != text)
    {
        if layout.is_database && recording.reports == 0 {
            recording.host = Some(time[0].trim_start_matches("# ").into());
            // The time is that of the end.
            recording.started = clock.before(interval_ns.unwrap_or(0)).started();
        }
        recording.begin(&text, clock, interval_ns);
    }
    recording.add(&row);
    Ok(())
}

/// As [`Clock`] reads it; a time that is not in UTC is one without a date.
fn database_time(text: &str) -> String {
    if let Ok(seconds) = text.parse::<i64>() {
        return jiff::Timestamp::from_second(seconds).map_or_else(
            |_| text.into(),
            |time| time.strftime("%Y-%m-%dT%H:%M:%S+0000").to_string(),
        );
    }
    match text.strip_suffix(" UTC") {
        Some(utc) => format!("{}+0000", utc.replacen(' ', "T", 1)),
        None => text.into(),
    }
}

fn seconds_ns(text: &str) -> Option<u64> {
    let seconds = text.parse::<u64>().ok().filter(|seconds| *seconds > 0)?;
    seconds.checked_mul(1_000_000_000)
}

#[cfg(test)]
fn fixtures() -> Vec<Fixture> {
    let file = Fixture::of;
    fn check(runs: &[Run]) {
        let [run] = runs else {
            panic!("{} runs", runs.len())
        };
        assert_eq!(run.header.environment.text("host.name"), Some("vm"));
        let queue: Vec<_> = run
            .readings
            .iter()
            .filter(|of| of.metric == "physical_disk.queue_length" && of.instance == "vda")
            .map(|of| (of.time_ns / 1_000_000_000, of.value.is_some()))
            .collect();
        let seconds: Vec<_> = (0..=5).map(|at| (at, at > 0)).collect();
        assert_eq!(queue, seconds);
    }
    vec![
        file(
            "sar.txt",
            include_bytes!("../../../../testdata/foreign/sar/12.6.1.txt"),
            check,
        ),
        file(
            "pretty.txt",
            include_bytes!("../../../../testdata/foreign/sar/12.6.1-pretty.txt"),
            check,
        ),
        file(
            "sadf.csv",
            include_bytes!("../../../../testdata/foreign/sar/12.6.1-database.csv"),
            check,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> Result<Run, ImportError> {
        let runs = IMPORTER.of_bytes(text.as_bytes());
        runs.map(|runs| runs.into_iter().next().expect("a run"))
    }

    fn of(run: &Run, metric: &str) -> Vec<(u64, Option<f64>)> {
        let readings = run.readings.iter().filter(|of| of.metric == metric);
        readings
            .map(|of| (of.time_ns / 1_000_000_000, of.value))
            .collect()
    }

    #[test]
    fn sectors_twelve_hours_and_other_blocks() {
        let text = "Linux 3.10.0 (old) \t11/28/2026 \t_x86_64_\t(2 CPU)\n\n\
            11:40:01 PM     CPU     %user     %idle\n11:50:01 PM     all      1.00     99.00\n\n\
            11:40:01 PM       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
            11:50:01 PM    dev8-0     10.00    160.00     80.00     24.00      0.05      5.00      1.00     30.00\n\
            12:00:01 AM    dev8-0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00\n\
            Average:       dev8-0      5.00     80.00     40.00     12.00      0.02      2.00      1.00     15.00\n";
        let run = imported(text).expect("a run");
        assert_eq!(
            of(&run, "physical_disk.read_bytes_per_second"),
            [(0, None), (600, Some(81_920.0)), (1200, Some(0.0))]
        );
        assert_eq!(
            of(&run, "physical_disk.bytes_per_second")[1].1,
            Some(122_880.0)
        );
        assert_eq!(
            of(&run, "physical_disk.transfer_seconds"),
            [(0, None), (600, Some(0.005)), (1200, None)],
            "no request has no time"
        );
        assert_eq!(
            of(&run, "physical_disk.idle_percent"),
            [(0, None), (600, Some(70.0)), (1200, Some(100.0))]
        );
        for (metric, value) in [
            ("transfer_bytes", 12_288.0),
            ("write_bytes_per_second", 40_960.0),
            ("transfers_per_second", 10.0),
            ("queue_length", 0.05),
        ] {
            let found = of(&run, &format!("physical_disk.{metric}"));
            assert_eq!(found[1].1, Some(value), "{metric}");
        }
    }

    #[test]
    fn what_is_no_report_is_refused_in_one_line() {
        for (text, expected) in [
            ("nothing\n", "sar -d -f FILE"),
            (
                "10:00:01 DEV tps rkB/s wkB/s %util\n10:00:02 sda 1 2\n10:00:03 sda 1 2 3 4\n",
                "line 2",
            ),
            (
                "Linux 6 (a) 1 (2 CPU)\n10:00:01 DEV tps rkB/s wkB/s %util\n10:00:02 sda 1 2 3 4\n\nLinux 6 (b) 1 (2 CPU)\n",
                "another one",
            ),
        ] {
            let error = imported(text).expect_err(text).to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
        // The last line may be cut.
        let run =
            imported("10:00:01 DEV tps rkB/s wkB/s %util\n10:00:02 sda 1 2 3 4\n10:00:03 sda 1 2");
        let run = run.expect("a run");
        let doubts = &run.header.imported.as_ref().expect("imported").doubts;
        assert!(doubts.iter().any(|doubt| doubt.id == "iostat-cut"));
    }

    #[test]
    fn of_a_long_file_reports_are_thinned() {
        let head = "23:59:59 DEV tps rkB/s wkB/s %util\n";
        let rows: String = (0..60_000u32)
            .map(|at| {
                let at = at % 86_400;
                format!(
                    "{:02}:{:02}:{:02} sda 1 2 3 4\n",
                    at / 3600,
                    at / 60 % 60,
                    at % 60
                )
            })
            .collect();
        let run = imported(&format!("{head}{rows}")).expect("a run");
        assert!(run.readings.len() <= 400_016, "{}", run.readings.len());
        let rates = of(&run, "physical_disk.transfers_per_second");
        assert!(rates.windows(2).all(|pair| pair[1].0 - pair[0].0 == 2));
        assert_eq!(rates.last(), Some(&(60_000, Some(1.0))));
    }
}
