//! Does a long record need more memory than a short one? Peak resident memory of the real command, as the kernel counted it.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::long::{INTERVAL_NS, write_long};
use crate::{json_of, output_of, plumb_in};

/// Resident memory that no command may exceed, however long the record.
const MOST_BYTES: u64 = 64 << 20;
/// Eight minutes of a run with an interval of 10 ms. Held whole it takes twice what is allowed.
const INTERVALS: u64 = 48_000;
/// A run of 8,000 intervals: twenty jobs at a time.
fn many() -> String {
    let all = "target = 'null:'\nengine = 'null'\ntime = '4s'\ninterval = '10ms'\nrate = 500\npattern = 'random-read'\n";
    let beside: String = (1..20)
        .map(|job| format!("[[step.beside]]\nname = 'j{job}'\n"))
        .collect();
    format!("name = 'many'\n[defaults]\n{all}[[step]]\nname = 's'\n{beside}")
}

/// How often a command that took more is run again.
const ATTEMPTS: usize = 3;

/// Removes what an attempt before wrote.
fn remove_outputs(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("read").flatten() {
        let path = entry.path();
        if ["run", "other", "many.toml"]
            .iter()
            .any(|kept| entry.file_name() == *kept)
        {
            continue;
        }
        if path.is_dir() {
            std::fs::remove_dir_all(path).expect("removed");
        } else {
            std::fs::remove_file(path).expect("removed");
        }
    }
}

/// Runs `plumb` with these words. Returns the most memory that it had resident; `None` when it ended before it could be asked.
fn peak_bytes(folder: &Path, line: &str) -> Option<u64> {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    let messages = folder.join("messages");
    command
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(line.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::from(File::create(&messages).expect("created")));
    let mut child = command.spawn().expect("started");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let held = text.lines().find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .trim()
                .strip_suffix(" kB")?
                .trim()
                .parse::<u64>()
                .ok()
        });
        peak = peak.max(held.map(|kib| kib << 10));
        if let Some(status) = child.try_wait().expect("a child") {
            let said = std::fs::read_to_string(&messages).unwrap_or_default();
            assert!(
                matches!(status.code(), Some(0 | 1)),
                "plumb {line}: {status}: {said}"
            );
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
    let operations =
        write_long(&place.path().join("run"), INTERVALS, 200_000.0, 1).expect("written");
    write_long(&place.path().join("other"), INTERVALS, 220_000.0, 1).expect("written");
    let summary = json_of(plumb_in(place.path(), "show run --json"), 0);
    assert_eq!(
        summary["steps"][0]["total"]["count"], operations,
        "what is merged is counted whole"
    );
    assert_eq!(
        summary["steps"][0]["duration_s"],
        (INTERVALS * INTERVAL_NS) as f64 / 1e9
    );
    let lines = output_of(
        plumb_in(place.path(), "export run --format csv-intervals"),
        0,
    )
    .lines()
    .count() as u64;
    assert_eq!(
        lines,
        INTERVALS + 1,
        "an export has every interval of the record"
    );
    let lines = [
        "show run --report page.html",
        "compare run other",
        "compare run other --json --report compared.html",
        "export run --format csv",
        "export run --format csv-intervals",
        "export run --format fio-json",
        "export run --format fio-logs --output logs",
        "export run --format markdown",
        "export run --format openmetrics",
        "export run --format parquet --output tables",
        "export run --format xlsx",
        "run many.toml --quiet --output end",
    ];
    std::fs::write(place.path().join("many.toml"), many()).expect("written");
    for line in lines {
        // Intervals wait in memory while another thread of the run, or the disk, is held up by the machine: what the program needs is the least of a few times.
        let mut peaks = Vec::new();
        for _ in 0..ATTEMPTS {
            remove_outputs(place.path());
            peaks.extend(peak_bytes(place.path(), line).map(|bytes| bytes >> 20));
            if peaks.iter().any(|peak| *peak < MOST_BYTES >> 20) {
                break;
            }
        }
        println!("plumb {line}: {peaks:?} MiB");
        assert!(
            peaks.iter().any(|peak| *peak < MOST_BYTES >> 20),
            "plumb {line}: {peaks:?} MiB resident, {} MiB allowed",
            MOST_BYTES >> 20
        );
    }
}
