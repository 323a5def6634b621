//! How much memory does it take to show, compare and export a long record, and does it depend on its length? Peak resident memory of whole processes, as the
//! kernel counted it (VmHWM, proc_pid_status(5)).
//!
//! `./dev bench memory`, or with words: `./dev bench memory intervals=192000 run=1` (`run=1` measures a real run of as many intervals to its end too). Ends
//! with exit code 1 when a limit is passed, and 2 when it could not be measured.

#[path = "exit_code.rs"]
mod exit_code;
#[path = "../testdata/runs/long.rs"]
mod long;
#[path = "../testdata/runs/synthetic.rs"]
#[allow(
    dead_code,
    clippy::expect_used,
    reason = "shared with the tests of the analysis, which use more of it"
)]
mod synthetic;

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use exit_code::exit_code;

/// What no command may take.
const MOST_MIB: f64 = 64.0;
/// What a record four times as long may take more.
const MORE_MIB: f64 = 8.0;
const EXPORTS: &[&str] = &[
    "csv",
    "csv-intervals",
    "fio-json",
    "fio-logs",
    "markdown",
    "openmetrics",
    "parquet",
    "xlsx",
];
/// Jobs of the real run, so that its intervals become many in little time.
const JOBS: u64 = 20;

fn main() -> ExitCode {
    exit_code(measure())
}

fn measure() -> Result<bool, String> {
    let (mut intervals, mut with_run) = (192_000, false);
    // cargo itself adds --bench.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        match word
            .split_once('=')
            .and_then(|(name, number)| Some((name, number.parse::<u64>().ok()?)))
        {
            Some(("intervals", number)) if number >= 4 => intervals = number,
            Some(("run", number)) => with_run = number > 0,
            _ => {
                return Err(format!(
                    "'{word}' is not understood: intervals=192000, run=1"
                ));
            }
        }
    }
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let place = folder.path();
    let lengths = [intervals / 4, intervals];
    for (name, length) in ["short", "long"].iter().zip(lengths) {
        for side in ["a", "b"] {
            long::write_long(&place.join(format!("{name}-{side}")), length, 500_000.0, 4)
                .map_err(|error| error.to_string())?;
        }
    }
    println!(
        "MiB at {} and {} intervals, at most {MOST_MIB}, and {MORE_MIB} more for the longer one\n",
        lengths[0], lengths[1]
    );
    let mut lines: Vec<String> = ["show", "show --json", "show --report"]
        .map(String::from)
        .to_vec();
    lines.extend(["compare", "compare --json", "compare --report"].map(String::from));
    lines.extend(
        EXPORTS
            .iter()
            .map(|format| format!("export --format {format}")),
    );
    lines.extend(with_run.then(|| "run".to_string()));
    let mut all_met = true;
    for line in &lines {
        let [short, long] = [
            peak_mib(place, line, ("short", lengths[0]))?,
            peak_mib(place, line, ("long", lengths[1]))?,
        ];
        let met = short.max(long) <= MOST_MIB && long - short <= MORE_MIB;
        all_met &= met;
        println!(
            "{line:<28} {short:>6.1} {long:>6.1}{}",
            if met { "" } else { "   MISSED" }
        );
    }
    Ok(all_met)
}

/// Peak of one command on the record of this name.
fn peak_mib(place: &Path, line: &str, (name, intervals): (&str, u64)) -> Result<f64, String> {
    let mut words: Vec<String> = line.split(' ').map(String::from).collect();
    let out = place.join("out");
    match words[0].as_str() {
        "run" => {
            std::fs::write(place.join("many.toml"), plan(intervals))
                .map_err(|error| error.to_string())?;
            words.extend(["many.toml", "--quiet", "--output"].map(String::from));
            words.push(place.join(format!("run-{name}")).display().to_string());
        }
        "compare" => drop(words.splice(1..1, [format!("{name}-a"), format!("{name}-b")])),
        _ => words.insert(1, format!("{name}-a")),
    }
    if line.ends_with("--report") {
        words.push("page.html".into());
    } else if words[0] == "export" {
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir(&out).map_err(|error| error.to_string())?;
        words.extend(["--output".into(), out.display().to_string()]);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_plumb"));
    command
        .args(&words)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let child = command
        .spawn()
        .map_err(|error| format!("plumb cannot be started: {error}"))?;
    peak_of(child).map_err(|error| format!("plumb {}: {error}", words.join(" ")))
}

/// Waits for a child, and returns the most memory that it had resident, in MiB: its last value that could be read.
fn peak_of(mut child: Child) -> Result<f64, String> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0u64;
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
        peak_kib = peak_kib.max(held.unwrap_or(0));
        match child.try_wait().map_err(|error| error.to_string())? {
            // 1: something is worse, or severe.
            Some(ended) if matches!(ended.code(), Some(0 | 1)) => {
                return Ok(peak_kib as f64 / 1024.0);
            }
            Some(ended) => return Err(format!("ended with {ended}")),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// A plan whose jobs have so many intervals together.
fn plan(intervals: u64) -> String {
    let seconds = (intervals / JOBS / 100).max(1);
    format!(
        "name = 'many'\n[defaults]\ntarget = 'null:'\nengine = 'null'\ntime = '{seconds}s'\ninterval = '10ms'\nblock = '4k'\nrate = 500\npattern = 'random-read'\n[[step]]\nname = 's'\n{}",
        (1..JOBS)
            .map(|job| format!("[[step.beside]]\nname = 'j{job}'\n"))
            .collect::<String>()
    )
}
