//! How often is a target reported to differ from itself, when it is measured twice, some minutes apart, while others use the machine more or less? At most 5 in
//! 100 pairs of stored runs may be reported to: a comparison of yesterday's run with today's has nothing else.
//!
//! One run follows the other on a file in the page cache, which takes nothing but CPU, the thing that others take away. Beside each run a number of busy
//! loops drawn by chance go on and off. Every run is compared with a later one, several runs and so minutes apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plumb_model::results::comparison::{Comparison, Verdict};

use crate::random::Random;

/// Share of pairs that may be reported to differ.
const MOST_WRONG: f64 = 0.05;
/// Runs between the two of a pair.
const APART: usize = 12;
const FILE_BYTES: usize = 32 << 20;
/// Six rounds of three steps, about ten seconds.
const PLAN: &str = "name = 'same'\ntitle = 'Does a target differ from itself?'\nrounds = 6\n[defaults]\ntime = '500ms'\ninterval = '50ms'\ndirect = false\n\
[[step]]\nname = 'random-read'\npattern = 'random-read'\nblock = '4k'\n[step.sweep]\ndepth = [1, 16]\n\
[[step]]\nname = 'sequential-read'\npattern = 'sequential-read'\nblock = '64k'\n";

/// Other processes that take CPU for a while, ended by their numbers.
struct Others(Vec<Child>);

impl Others {
    fn start(count: u64) -> Result<Others, String> {
        let mut others = Others(Vec::new());
        for _ in 0..count {
            let other = Command::new("sh")
                .args(["-c", "while :; do :; done"])
                .stdin(Stdio::null())
                .spawn();
            others
                .0
                .push(other.map_err(|error| format!("sh: {error}"))?);
        }
        Ok(others)
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        for other in &mut self.0 {
            let _ = other.kill();
            let _ = other.wait();
        }
    }
}

/// What came out.
#[derive(Default)]
struct Count {
    pairs: u64,
    /// Pairs of which any figure was better or worse.
    wrong: u64,
    figures: u64,
    wrong_figures: u64,
    same: u64,
}

/// Measures and compares. Errors: a run cannot be made or read.
pub fn aa(pairs: u64, random: &mut Random) -> Result<bool, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = folder.path();
    let content: Vec<u8> = std::iter::repeat_with(|| random.next().to_le_bytes())
        .take(FILE_BYTES / 8)
        .flatten()
        .collect();
    fs::write(place.join("file"), content)
        .and_then(|()| fs::write(place.join("same.toml"), PLAN))
        .map_err(|error| error.to_string())?;
    let most = 2 * std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut runs: Vec<(PathBuf, String, Instant)> = Vec::new();
    let mut count = Count::default();
    while count.pairs < pairs {
        let output = place.join(format!("run-{}", runs.len()));
        let begun = Instant::now();
        let load = measure(place, &output, most, random)?;
        if let Some((before, load_before, begun_before)) =
            runs.len().checked_sub(APART).map(|at| &runs[at])
        {
            let apart = begun.duration_since(*begun_before).as_secs();
            let told = count.add(&compare(before, &output)?);
            if !told.is_empty() {
                println!(
                    "  WRONG: pair {}, {apart} s apart, busy loops {load_before} and {load}: {}",
                    count.pairs,
                    told.join("; ")
                );
            }
        }
        runs.push((output, load, begun));
    }
    let share = count.wrong as f64 / count.pairs.max(1) as f64;
    println!(
        "aa: {} pairs of stored runs of one target, {} said to differ ({:.1} %, at most {} %); {} of {} figures; {} said to be the same",
        count.pairs,
        count.wrong,
        100.0 * share,
        100.0 * MOST_WRONG,
        count.wrong_figures,
        count.figures,
        count.same
    );
    Ok(share <= MOST_WRONG)
}

/// One run beside others that come and go. Returns how many they were, in the order in which they came.
fn measure(place: &Path, output: &Path, most: u64, random: &mut Random) -> Result<String, String> {
    let mut plumb = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args([
            "run",
            "same.toml",
            "file",
            "--quiet",
            "--no-report",
            "--output",
        ])
        .arg(output)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("plumb cannot be started: {error}"))?;
    let mut load = Vec::new();
    loop {
        // Half of the time nobody is there.
        let number = random.below(2) * random.below(most + 1);
        load.push(number.to_string());
        let others = Others::start(number)?;
        let until = Instant::now() + Duration::from_millis(1_000 + random.below(6_000));
        let ended = loop {
            match plumb.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break Some(status),
                None if Instant::now() >= until => break None,
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        drop(others);
        match ended {
            Some(status) if matches!(status.code(), Some(0 | 1)) => return Ok(load.join(",")),
            Some(status) => return Err(format!("plumb run ended with {status}")),
            None => {}
        }
    }
}

fn compare(a: &Path, b: &Path) -> Result<Comparison, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .arg("compare")
        .args([a, b])
        .arg("--json")
        .output();
    let output = output.map_err(|error| format!("plumb compare: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "plumb compare --json printed no comparison: {error}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )
    })
}

impl Count {
    /// Returns what is reported to differ.
    fn add(&mut self, comparison: &Comparison) -> Vec<String> {
        let mut told = Vec::new();
        for (cell, effect) in comparison
            .cells
            .iter()
            .flat_map(|cell| cell.effects.iter().map(move |effect| (cell, effect)))
        {
            self.figures += 1;
            match effect.verdict {
                Verdict::Better | Verdict::Worse => {
                    let ratio = effect.ratio.unwrap_or(0.0);
                    told.push(format!(
                        "{} {} {} ({ratio:.2} times)",
                        cell.step, cell.metric, effect.verdict
                    ));
                }
                Verdict::Same => self.same += 1,
                Verdict::Undecided => {}
            }
        }
        self.pairs += 1;
        self.wrong += u64::from(!told.is_empty());
        self.wrong_figures += told.len() as u64;
        told
    }
}
