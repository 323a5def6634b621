//! How long does it take to compare two large runs, and to report over a hundred? Whole processes, from start to exit, on synthetic runs. The
//! time that the processors spent stands beside it: a busy machine stretches the one and not the other. And does it grow with the number of steps, and not
//! faster? That is counted, not timed.
//!
//! `./dev bench compare`, or with words: `./dev bench compare steps=1000 rounds=10 runs=100 times=5`. Ends with exit code 1 when a target is
//! missed, and 2 when it could not be measured.

#[path = "exit_code.rs"]
mod exit_code;
#[path = "compare_growth.rs"]
mod growth;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use exit_code::exit_code;
use std::time::Instant;

use plumb_model::environment::Fact;
use plumb_model::run::Run;
use plumb_record::RunWriter;
use plumb_words::numbers::show_bytes;
use synthetic::{Builder, Interval, Random, ladder};

#[path = "../testdata/runs/synthetic.rs"]
#[allow(
    dead_code,
    clippy::expect_used,
    reason = "shared with the tests of the analysis, which use more of it"
)]
mod synthetic;

/// Seconds that comparing two runs of 1,000 steps in 10 rounds may take.
const COMPARE_TARGET_S: f64 = 1.0;
/// Seconds that a report over 100 runs may take.
const TREND_TARGET_S: f64 = 3.0;
/// Steps, rounds and intervals of `plumb check`.
const CHECK: Shape = Shape {
    steps: 24,
    rounds: 3,
    intervals: 6,
};
/// 2026-01-01, in nanoseconds since 1970.
const FIRST_DAY_NS: u64 = 1_767_225_600_000_000_000;
const DAY_NS: u64 = 86_400_000_000_000;

struct Words {
    steps: u32,
    rounds: u32,
    runs: u32,
    times: u32,
}

/// Size of a run.
#[derive(Clone, Copy)]
struct Shape {
    steps: u32,
    rounds: u32,
    /// Of each execution.
    intervals: u32,
}

fn main() -> ExitCode {
    exit_code(words().and_then(|words| measure(&words)))
}

fn words() -> Result<Words, String> {
    let mut words = Words {
        steps: 1000,
        rounds: 10,
        runs: 100,
        times: 5,
    };
    // cargo itself adds --bench.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let wrong =
            || format!("'{word}' is not understood: steps=1000, rounds=10, runs=100, times=5");
        let (name, number) = word.split_once('=').ok_or_else(wrong)?;
        let number: u32 = number
            .parse()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(wrong)?;
        match name {
            "steps" => words.steps = number,
            "rounds" => words.rounds = number,
            "runs" => words.runs = number,
            "times" => words.times = number,
            _ => return Err(wrong()),
        }
    }
    Ok(words)
}

/// Makes the runs and takes the times; whether all targets were met.
fn measure(words: &Words) -> Result<bool, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let large = Shape {
        steps: words.steps,
        rounds: words.rounds,
        intervals: 2,
    };
    for (name, slower, day) in [("a", 1.0, 0), ("b", 1.1, 1)] {
        write(&folder.path().join(name), &run(large, slower, day))?;
    }
    for day in 0..words.runs {
        let slower = if day < words.runs / 2 { 1.0 } else { 1.1 };
        write(
            &folder.path().join("library").join(format!("{day:04}")),
            &run(CHECK, slower, u64::from(day)),
        )?;
    }
    println!(
        "two runs of {} steps in {} rounds ({} each), {} runs of {} steps in {} rounds ({} in all); medians of {}\n",
        large.steps,
        large.rounds,
        show_bytes(size(&folder.path().join("a"))),
        words.runs,
        CHECK.steps,
        CHECK.rounds,
        show_bytes(size(&folder.path().join("library"))),
        words.times
    );
    let (a, b, library, page) = (path("a"), path("b"), path("library"), path("report.html"));
    let contests: [(&str, &[&str], f64); 4] = [
        ("compare, table", &["compare", &a, &b], COMPARE_TARGET_S),
        (
            "compare, JSON",
            &["compare", &a, &b, "--json"],
            COMPARE_TARGET_S,
        ),
        (
            "compare, report page",
            &["compare", &a, &b, "--report", &page],
            COMPARE_TARGET_S,
        ),
        (
            "report over the library",
            &["trend", &library, "--report", &page],
            TREND_TARGET_S,
        ),
    ];
    let mut all_met = true;
    for (name, arguments, target_s) in contests {
        let (seconds, processor_s) = median_seconds(arguments, words.times)?;
        let met = seconds < target_s;
        all_met &= met;
        let processor = processor_s.map_or("not known".into(), |seconds| format!("{seconds:.2} s"));
        println!(
            "{name:<26} {seconds:>7.3} s   processors {processor:<9}   target {target_s} s{}",
            if met { "" } else { "   MISSED" }
        );
    }
    Ok(growth::is_linear(folder.path())? && all_met)
}

/// A run whose rounds scatter by some percent; `slower` stretches the latencies of every second step.
fn run(shape: Shape, slower: f64, day: u64) -> Run {
    let depths: Vec<u32> = (1..=shape.steps.div_ceil(2)).collect();
    let steps = ladder("read", &depths)
        .into_iter()
        .chain(ladder("write", &depths))
        .take(shape.steps as usize)
        .collect();
    let mut builder = Builder::new(steps).fact("host.name", Fact::Text("example".into()));
    let mut random = Random(day + 1);
    for round in 0..shape.rounds {
        for step in 0..shape.steps {
            let slower = if step % 2 == 0 { slower } else { 1.0 };
            let latency_ns = 100_000.0 * slower * (0.97 + 0.06 * random.next_share());
            let interval = Interval {
                iops: 1e9 / latency_ns,
                latency_ns,
                ..Interval::default()
            };
            builder.execute(step, round, &vec![interval; shape.intervals as usize]);
        }
    }
    let mut run = builder.finish();
    run.header.started_unix_ns = FIRST_DAY_NS + day * DAY_NS;
    run.header.started = jiff::Timestamp::from_nanosecond(i128::from(run.header.started_unix_ns))
        .unwrap_or_default()
        .to_string();
    run.header.id = format!("synthetic-{day:04}");
    run
}

fn write(folder: &Path, run: &Run) -> Result<(), String> {
    let mut writer = RunWriter::create(folder, &run.header).map_err(|error| error.to_string())?;
    for tick in &run.ticks {
        writer.tick(tick).map_err(|error| error.to_string())?;
    }
    for note in &run.notes {
        writer.note(note).map_err(|error| error.to_string())?;
    }
    writer
        .readings(&run.readings)
        .and_then(|()| writer.finish())
        .map_err(|error| error.to_string())
}

/// Bytes of all files below a folder; what cannot be read counts nothing.
fn size(folder: &Path) -> f64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            entry.metadata().map_or(0.0, |of| {
                if of.is_dir() {
                    size(&entry.path())
                } else {
                    of.len() as f64
                }
            })
        })
        .sum()
}

/// Median time of whole processes, and mean time that the processors spent on one.
fn median_seconds(arguments: &[&str], times: u32) -> Result<(f64, Option<f64>), String> {
    let mut seconds = Vec::new();
    let before_s = processor_seconds_of_children();
    for _ in 0..times {
        let begun = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("plumb cannot be started: {error}"))?;
        seconds.push(begun.elapsed().as_secs_f64());
        // 1: something is worse, as it should be.
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(format!(
                "plumb {}: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        }
    }
    seconds.sort_by(f64::total_cmp);
    let spent_s = before_s
        .zip(processor_seconds_of_children())
        .map(|(before, after)| (after - before) / f64::from(times));
    Ok((seconds[seconds.len() / 2], spent_s))
}

/// Processor time of all processes that this one has waited for: cutime and cstime, the 16th and 17th field of /proc/self/stat (proc_pid_stat(5)),
/// in hundredths of a second (USER_HZ). Nothing on other systems.
fn processor_seconds_of_children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the name in brackets, which may hold spaces.
    let mut rest = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut hundredths = || rest.next()?.parse::<f64>().ok();
    Some((hundredths()? + hundredths()?) / 100.0)
}
