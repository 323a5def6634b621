//! Does a long record need more memory than a short one? Peak resident memory of the real command, as the kernel counted it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use plumb_model::run::{Event, Run};
use plumb_model::tick::Tick;
use plumb_record::RunWriter;

use crate::synthetic::{Builder, Interval, ladder};
use crate::{json_of, output_of, plumb_in};

/// Resident memory that no command may exceed, however long the record.
const MOST_BYTES: u64 = 64 << 20;
/// Eight minutes of a run with an interval of 10 ms. Held whole it takes twice what is allowed.
const INTERVALS: u64 = 48_000;
/// Intervals that are made; the others repeat them.
const TEMPLATES: usize = 500;
const INTERVAL_NS: u64 = 10_000_000;

/// Writes a run of so many intervals and a sample of 40 counters every tenth. Returns the operations in it.
fn write_long(folder: &Path, intervals: u64) -> u64 {
    let mut builder = Builder::new(ladder("read", &[8]));
    builder.run.header.plan.steps[0].jobs[0].workload.interval.0 = INTERVAL_NS;
    builder.execute(0, 0, &vec![Interval { seconds: 0.01, iops: 200_000.0, ..Interval::default() }; TEMPLATES]);
    (0..40).for_each(|column| builder.reading("disk.reads", &format!("disk{column}"), Some(0.0)));
    let Run { header, ticks, readings, mut notes, .. } = builder.finish();
    let mut writer = RunWriter::create(folder, &header).expect("the folder is new");
    let (start_ns, mut operations) = (ticks[0].start_ns, 0);
    for number in 0..intervals {
        let tick = &ticks[number as usize % TEMPLATES];
        let tick = Tick { start_ns: start_ns + number * INTERVAL_NS, end_ns: start_ns + (number + 1) * INTERVAL_NS, ..tick.clone() };
        operations += tick.kinds.iter().map(|kind| kind.count).sum::<u64>();
        writer.tick(&tick).expect("space");
        if number % 10 == 0 {
            let mut sample = readings.clone();
            for reading in &mut sample {
                (reading.time_ns, reading.value) = (tick.end_ns, Some((number * 37) as f64));
            }
            writer.readings(&sample).expect("space");
        }
    }
    for note in &mut notes {
        if !matches!(note.event, Event::ExecutionStarted { .. } | Event::EngineOpened { .. }) {
            note.time_ns = start_ns + intervals * INTERVAL_NS;
        }
        writer.note(note).expect("space");
    }
    writer.finish().expect("a sync");
    operations
}

/// Runs `plumb` with these words. Returns the most memory that it had resident.
fn peak_bytes(folder: &Path, line: &str) -> Option<u64> {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    command.current_dir(folder).env("NO_COLOR", "1").args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("started");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let held = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        peak = peak.max(held.map(|kib| kib << 10));
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(matches!(status.code(), Some(0 | 1)), "plumb {line}: {status}");
            return peak;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_long_record_takes_no_more_memory_than_a_short_one() {
    if !Path::new("/proc/self/status").exists() {
        return println!("skipped: this system does not tell how much memory a process had");
    }
    let place = tempfile::tempdir().expect("folder");
    let operations = write_long(&place.path().join("run"), INTERVALS);
    let summary = json_of(plumb_in(place.path(), "show run --json"), 0);
    assert_eq!(summary["steps"][0]["total"]["count"], operations, "what is merged is counted whole");
    assert_eq!(summary["steps"][0]["duration_s"], (INTERVALS * INTERVAL_NS) as f64 / 1e9);
    let lines = output_of(plumb_in(place.path(), "export run --format csv-intervals"), 0).lines().count() as u64;
    assert_eq!(lines, INTERVALS + 1, "an export has every interval of the record");
    let lines = [
        "show run --report page.html",
        "compare run run",
        "export run --format csv-intervals",
        "export run --format fio-json",
        "export run --format fio-logs",
        "export run --format parquet",
        "export run --format xlsx",
    ];
    for line in lines {
        let peak = peak_bytes(place.path(), line).unwrap_or_default();
        println!("plumb {line}: {} MiB", peak >> 20);
        assert!(peak > 0 && peak <= MOST_BYTES, "plumb {line}: {} MiB resident, {} MiB allowed", peak >> 20, MOST_BYTES >> 20);
    }
}
