//! Do the totals of many ranks, and those of fio's client and server on the same work, agree with what the kernel counts?
//!
//! Random reads of 4 KiB past the page cache from a file each, interleaved: by plumb's ranks under MPI and by as many `fio --server`, for a time and for a number
//! of operations. Beside them the counters of the block device: whatever else reads from it meanwhile is in them.
//! `cargo bench --package plumb --bench ranks_beside_fio`, with words: `rounds=3 seconds=3 folder=/mnt/disk`. Ends with 1 when a median of plumb is more than
//! 5 % off the kernel's.

#[path = "exit_code.rs"]
mod exit_code;
#[path = "../testdata/peers/ports.rs"]
mod ports;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use exit_code::exit_code;
use serde_json::Value;

const BLOCK: u64 = 4096;
const FILE_BYTES: u64 = 32 << 20;
/// How far plumb's rate may be off the kernel's.
const OFF: f64 = 0.05;
/// A round counts when the device read at most so much more than was reported.
const ALONE: f64 = 1.004;
/// Between two looks at the device's counters.
const LOOK: Duration = Duration::from_millis(5);
const SECTOR: u64 = 512;

struct Words {
    rounds: u32,
    seconds: u32,
    folder: PathBuf,
}

/// What each instance does: reads for so long, or so many.
#[derive(Clone, Copy)]
enum Work {
    Seconds(u32),
    Operations(u64),
}

/// What one program reported of all its instances.
struct Reported {
    operations: u64,
    /// Operations per second of all, and by another of its figures: plumb's until the last is done, the sum of fio's instances.
    iops: f64,
    other_iops: f64,
    /// How far the starts lay apart, and how long the last was waited for, if reported.
    starts: Option<(f64, f64)>,
}

/// What the kernel counted meanwhile.
struct Counted {
    /// Sectors that the device read, in blocks.
    operations: f64,
    /// The same per second of the time in which it read.
    iops: f64,
    /// From the start of the program to the first reads, from the first to the last, and to its end.
    before_s: f64,
    span_s: f64,
    after_s: f64,
}

fn main() -> ExitCode {
    exit_code(words().and_then(|words| compare(&words)))
}

fn words() -> Result<Words, String> {
    let mut words = Words {
        rounds: 3,
        seconds: 3,
        folder: std::env::temp_dir(),
    };
    // cargo itself adds --bench.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let wrong = || format!("'{word}' is not understood: rounds=3, seconds=3, folder=/mnt/disk");
        let (name, value) = word.split_once('=').ok_or_else(wrong)?;
        let number = || value.parse().map_err(|_| wrong());
        match name {
            "rounds" => words.rounds = number()?,
            "seconds" => words.seconds = number()?,
            "folder" => words.folder = value.into(),
            _ => return Err(wrong()),
        }
    }
    Ok(words)
}

fn compare(words: &Words) -> Result<bool, String> {
    let folder = tempfile::tempdir_in(&words.folder).map_err(|error| error.to_string())?;
    let device = device_of(folder.path())?;
    let mut is_well = true;
    for instances in [4, 16] {
        for work in [Work::Seconds(words.seconds), Work::Operations(8192)] {
            let text = match work {
                Work::Seconds(seconds) => format!("for {seconds} s"),
                Work::Operations(count) => format!("{count} operations each"),
            };
            println!("\n{instances} instances, {text}; {}", device.display());
            is_well &= rounds(instances, work, words.rounds, folder.path(), &device)?;
        }
    }
    Ok(is_well)
}

/// All rounds of one work. True when plumb's rate is the kernel's.
fn rounds(
    instances: u32,
    work: Work,
    rounds: u32,
    folder: &Path,
    device: &Path,
) -> Result<bool, String> {
    println!(
        "{:>7} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>8}  starts apart, last waited for",
        "program", "reported", "device", "IOPS", "other", "device", "before", "reads", "after"
    );
    let mut ratios = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        // Who is first alternates.
        for turn in 0..2 {
            let at = (round as usize + turn) % 2;
            let program = ["plumb", "fio"][at];
            let (reported, counted) = measured(program, instances, work, folder, device)?;
            show(program, &reported, &counted);
            // With a number of operations each the device's time is that until the last is done.
            let rate = match work {
                Work::Operations(_) if at == 0 => reported.other_iops,
                _ => reported.iops,
            };
            // Reads of others would lengthen the time that is counted.
            if counted.operations <= reported.operations as f64 * ALONE {
                ratios[at].push(rate / counted.iops);
            }
        }
    }
    for (program, ratios) in ["plumb", "fio"].iter().zip(&mut ratios) {
        ratios.sort_by(f64::total_cmp);
        let shown: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
        println!(
            "{program}: reported by the device's rate, where nobody else read: {}",
            shown.join(" ")
        );
    }
    let plumb = ratios[0].get(ratios[0].len() / 2);
    Ok(plumb.is_none_or(|median| (median - 1.0).abs() <= OFF))
}

fn show(program: &str, reported: &Reported, counted: &Counted) {
    let starts = reported.starts.map_or_else(
        || "not told".into(),
        |(apart, waited)| format!("{:.2} ms, {:.1} ms", apart * 1e3, waited * 1e3),
    );
    println!(
        "{program:>7} {:>10} {:>10.0} {:>10.0} {:>10.0} {:>10.0} {:>7.2}s {:>7.2}s {:>7.2}s  {starts}",
        reported.operations,
        counted.operations,
        reported.iops,
        reported.other_iops,
        counted.iops,
        counted.before_s,
        counted.span_s,
        counted.after_s
    );
}

/// The counters of the block device below a folder.
fn device_of(folder: &Path) -> Result<PathBuf, String> {
    let number = fs::metadata(folder)
        .map_err(|error| error.to_string())?
        .dev();
    // Linux's own layout of the number (makedev(3)).
    let (major, minor) = (
        (number >> 8) & 0xfff,
        (number & 0xff) | ((number >> 12) & 0xf_ff00),
    );
    let counters = PathBuf::from(format!("/sys/dev/block/{major}:{minor}/stat"));
    if !counters.exists() {
        return Err(format!(
            "{} lies on no block device: name another folder with folder=",
            folder.display()
        ));
    }
    Ok(counters)
}

/// Sectors read so far: the third number (Documentation/block/stat.rst).
fn sectors(device: &Path) -> u64 {
    let text = fs::read_to_string(device).unwrap_or_default();
    let third = text.split_ascii_whitespace().nth(2);
    third
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

fn measured(
    program: &str,
    instances: u32,
    work: Work,
    folder: &Path,
    device: &Path,
) -> Result<(Reported, Counted), String> {
    let place = tempfile::tempdir_in(folder).map_err(|error| error.to_string())?;
    let fio = (program == "fio").then(|| Fio::prepare(instances, work, place.path()));
    let fio = fio.transpose()?;
    let is_over = AtomicBool::new(false);
    let begun = Instant::now();
    let (ran, samples) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut samples = vec![(0.0, sectors(device))];
            while !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK);
                samples.push((begun.elapsed().as_secs_f64(), sectors(device)));
            }
            samples
        });
        let ran = match fio {
            Some(fio) => fio.run(),
            None => plumb(instances, work, place.path()),
        };
        is_over.store(true, Ordering::Relaxed);
        (ran, watching.join())
    });
    let samples = samples.map_err(|_| "the counters cannot be watched")?;
    Ok((ran?, counted(&samples)))
}

/// Rates from the device's counters: the time of the reads begins and ends where a two-hundredth of them is missing, so that single reads of others do not count.
fn counted(samples: &[(f64, u64)]) -> Counted {
    let (first, last) = (samples[0].1, samples[samples.len() - 1].1);
    let at = |share: f64| {
        let wanted = first as f64 + (last - first) as f64 * share;
        let found = samples
            .iter()
            .find(|(_, sectors)| *sectors as f64 >= wanted);
        found.map_or(0.0, |(time, _)| *time)
    };
    let (begin, end) = (at(0.005), at(0.995));
    let blocks = |sectors: u64| (sectors * SECTOR) as f64 / BLOCK as f64;
    Counted {
        operations: blocks(last - first),
        iops: blocks(last - first) * 0.99 / (end - begin),
        before_s: begin,
        span_s: end - begin,
        after_s: samples[samples.len() - 1].0 - end,
    }
}

fn number(value: &Value, what: &str) -> Result<f64, String> {
    value
        .as_f64()
        .ok_or_else(|| format!("no {what} is reported"))
}

fn sum(values: &Value, name: &str) -> f64 {
    let values = values.as_array().into_iter().flatten();
    values.filter_map(|value| value[name].as_f64()).sum()
}

/// The ranks of plumb on this machine.
fn plumb(instances: u32, work: Work, place: &Path) -> Result<Reported, String> {
    let end = match work {
        Work::Seconds(seconds) => format!("--time {seconds}s"),
        Work::Operations(count) => format!("--operations {count}"),
    };
    let line = format!(
        "run --target {0} --pattern random-read --block {BLOCK} --size {FILE_BYTES} --direct true --engine sync --warm-up 0s {end} \
         --set interval=100ms --quiet --no-report --json --output {0}/run.plumb",
        place.display()
    );
    let output = Command::new("mpirun.openmpi")
        .args([
            "--allow-run-as-root",
            "--oversubscribe",
            "-n",
            &instances.to_string(),
        ])
        .arg(env!("CARGO_BIN_EXE_plumb"))
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("mpirun.openmpi (Debian package openmpi-bin): {error}"))?;
    let summary: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let step = &summary["steps"][0];
    let ranks = &step["ranks"];
    Ok(Reported {
        operations: sum(&ranks["ranks"], "operations") as u64,
        iops: number(&step["total"]["iops"], "rate")?,
        other_iops: number(&ranks["iops_until_last_done"], "rate until last done")?,
        starts: Some((
            number(&ranks["start_spread_s"], "spread of the starts")?,
            waited(&place.join("run.plumb"))?,
        )),
    })
}

/// From the word of the last rank that it is ready to the first start.
fn waited(run: &Path) -> Result<f64, String> {
    let notes = fs::read_to_string(run.join("notes.jsonl")).map_err(|error| error.to_string())?;
    let notes = notes
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let (mut ready_ns, mut started_ns) = (0.0, f64::MAX);
    for note in notes {
        match note["event"].as_str() {
            Some("engine-opened") => ready_ns = number(&note["time_ns"], "time")?,
            Some("rank-ended") => {
                started_ns = number(&note["started_ns"], "start")?.min(started_ns)
            }
            _ => {}
        }
    }
    Ok((started_ns - ready_ns) / 1e9)
}

/// fio's servers, which wait, and the options of their client.
struct Fio {
    servers: Vec<Child>,
    client: Command,
}

impl Fio {
    fn prepare(instances: u32, work: Work, place: &Path) -> Result<Fio, String> {
        let missing = |error: std::io::Error| format!("fio: {error}");
        let mut fio = Fio {
            servers: Vec::new(),
            client: Command::new("fio"),
        };
        fio.client.arg("--output-format=json");
        for instance in 0..instances {
            let address = format!("127.0.0.1,{}", ports::free_port());
            let (file, job) = (
                place.join(format!("data{instance}")),
                place.join(format!("job{instance}")),
            );
            let mut text = format!(
                "[work]\nrw=randread\nbs={BLOCK}\nsize={FILE_BYTES}\ndirect=1\nioengine=psync\nfilename={}\n",
                file.display()
            );
            let end = match work {
                Work::Seconds(seconds) => writeln!(text, "time_based=1\nruntime={seconds}"),
                Work::Operations(count) => writeln!(text, "io_size={}", count * BLOCK),
            };
            end.and_then(|()| fs::write(&job, text).map_err(|_| std::fmt::Error))
                .map_err(|_| "a job file cannot be written")?;
            let made = Command::new("fio")
                .arg("--create_only=1")
                .arg(&job)
                .output();
            made.map_err(missing)?;
            let server = Command::new("fio")
                .arg(format!("--server={address}"))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            fio.servers.push(server.map_err(missing)?);
            fio.client.arg(format!("--client={address}")).arg(&job);
        }
        // They print nothing when they listen.
        std::thread::sleep(Duration::from_millis(500));
        Ok(fio)
    }

    fn run(mut self) -> Result<Reported, String> {
        let output = self.client.output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // Lines about each job come first.
        let json = text.find("\n{").map_or(text.as_str(), |at| &text[at..]);
        let parsed: Value =
            serde_json::from_str(json).map_err(|error| format!("{error}: {text}"))?;
        let clients = parsed["client_stats"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let all = |client: &&Value| client["jobname"] == "All clients";
        let total = clients.iter().find(all).ok_or("fio tells no total")?;
        let each = clients.iter().filter(|client| !all(client));
        Ok(Reported {
            operations: number(&total["read"]["total_ios"], "operations")? as u64,
            iops: number(&total["read"]["iops"], "rate")?,
            other_iops: each
                .filter_map(|client| client["read"]["iops"].as_f64())
                .sum(),
            starts: None,
        })
    }
}

impl Drop for Fio {
    fn drop(&mut self) {
        for server in &mut self.servers {
            // One that has ended is only to be waited for.
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}
