//! How often does a live comparison of a target with itself report a difference? At most 5 in 100 may: counted on the real machine, again and again.
//!
//! `./dev bench same`, or with words: `./dev bench same comparisons=40 rounds=6 budget=5s only=null`. Ends with exit code 1 when the share is shown to be
//! above 5 %, and 2 when it could not be counted.

#[path = "exit_code.rs"]
mod exit_code;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use exit_code::exit_code;

use plumb_model::results::comparison::{Comparison, Verdict};

/// Share of comparisons of a target with itself that may find a difference.
const FALSE_ALARMS_MAX: f64 = 0.05;
/// 97.5th percentile of the normal distribution.
const NORMAL_QUANTILE: f64 = 1.959_963_985;
/// Large enough for many blocks, small enough to be made at once.
const FILE_BYTES: usize = 32 << 20;

/// Short steps, so that many comparisons can be made: what differs between blocks is the machine, not the storage.
const PLAN: &str = "name = 'same'
title = 'Does a target differ from itself?'

[defaults]
time = '60ms'
interval = '20ms'
direct = 'try'

[[step]]
name = 'random-read'
pattern = 'random-read'
block = '4k'
[step.sweep]
depth = [1, 16]

[[step]]
name = 'sequential-read'
pattern = 'sequential-read'
block = '64k'
";

struct Words {
    comparisons: u32,
    rounds: u32,
    budget: String,
    only: String,
}

/// What came out of the comparisons of one target.
#[derive(Default)]
struct Count {
    comparisons: u32,
    /// Comparisons in which any figure was better or worse.
    alarmed: u32,
    figures: u32,
    better: u32,
    worse: u32,
    same: u32,
}

fn main() -> ExitCode {
    exit_code(words().and_then(|words| measure(&words)))
}

fn words() -> Result<Words, String> {
    let mut words = Words {
        comparisons: 40,
        rounds: 6,
        budget: "5s".into(),
        only: String::new(),
    };
    // cargo itself adds --bench.
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let wrong = || {
            format!(
                "'{word}' is not understood: comparisons=40, rounds=6, budget=5s, only=null or only=file"
            )
        };
        let (name, value) = word.split_once('=').ok_or_else(wrong)?;
        let number = || {
            value
                .parse::<u32>()
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(wrong)
        };
        match name {
            "comparisons" => words.comparisons = number()?,
            "rounds" => words.rounds = number()?,
            "budget" => words.budget = value.into(),
            "only" => words.only = value.into(),
            _ => return Err(wrong()),
        }
    }
    Ok(words)
}

/// Compares each target with itself; false when a share of false alarms is shown to be too large.
fn measure(words: &Words) -> Result<bool, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let (plan, file) = (folder.path().join("same.toml"), folder.path().join("file"));
    let written = fs::write(&plan, PLAN).and_then(|()| fs::write(&file, content()));
    written.map_err(|error| format!("{}: {error}", folder.path().display()))?;
    let targets = [
        ("null", "null:".to_string()),
        ("file", file.display().to_string()),
    ];
    println!(
        "each target against itself, {} times, {} rounds a side, budget {}\n",
        words.comparisons, words.rounds, words.budget
    );
    println!(
        "{:<8} {:>7} {:>6} {:>6} {:>6} {:>9}   figures said to differ",
        "", "figures", "better", "worse", "same", "undecided"
    );
    let mut all_met = true;
    let mut any = false;
    for (name, target) in targets
        .iter()
        .filter(|(name, _)| name.contains(&words.only))
    {
        let mut count = Count::default();
        for number in 0..words.comparisons {
            count.add(&compare(
                words,
                &plan,
                target,
                &folder.path().join(format!("{name}-{number}")),
            )?);
        }
        any = true;
        all_met &= count.print(name);
    }
    if any {
        Ok(all_met)
    } else {
        Err(format!("no target is named '{}': null or file", words.only))
    }
}

/// Bytes that do not compress.
fn content() -> Vec<u8> {
    let mut state = 1u64;
    let mut content = Vec::with_capacity(FILE_BYTES);
    while content.len() < FILE_BYTES {
        // xorshift64 (Marsaglia 2003, Journal of Statistical Software 8).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        content.extend_from_slice(&state.to_le_bytes());
    }
    content
}

fn compare(words: &Words, plan: &Path, target: &str, folder: &Path) -> Result<Comparison, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(["compare", "--live"])
        .arg(plan)
        .args([
            target,
            target,
            "--rounds",
            &words.rounds.to_string(),
            "--budget",
            &words.budget,
            "--json",
            "--quiet",
            "--output",
        ])
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("plumb cannot be started: {error}"))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!(
            "plumb compare --live: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    // The records of many comparisons are large.
    fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("plumb compare --live --json printed no comparison: {error}"))
}

impl Count {
    fn add(&mut self, comparison: &Comparison) {
        let effects = || comparison.cells.iter().flat_map(|cell| &cell.effects);
        let number =
            |verdict: Verdict| effects().filter(|effect| effect.verdict == verdict).count() as u32;
        let (better, worse) = (number(Verdict::Better), number(Verdict::Worse));
        self.comparisons += 1;
        self.alarmed += u32::from(better + worse > 0);
        self.figures += effects().count() as u32;
        self.better += better;
        self.worse += worse;
        self.same += number(Verdict::Same);
    }

    /// Whether the share of false alarms may be within the limit.
    fn print(&self, name: &str) -> bool {
        let wrong = self.better + self.worse;
        let undecided = self.figures - wrong - self.same;
        let (low, high) = share_interval(wrong, self.figures);
        let (any_low, any_high) = share_interval(self.alarmed, self.comparisons);
        let met = self.figures > 0 && low <= FALSE_ALARMS_MAX && any_low <= FALSE_ALARMS_MAX;
        println!(
            "{name:<8} {:>7} {:>6} {:>6} {:>6} {undecided:>9}   {} (95 % interval {} to {}){}",
            self.figures,
            self.better,
            self.worse,
            self.same,
            percent(f64::from(wrong) / f64::from(self.figures.max(1))),
            percent(low),
            percent(high),
            if met { "" } else { "   MORE THAN 5 %" }
        );
        println!(
            "{:<8} {} of {} comparisons had any such figure: {} ({} to {})",
            "",
            self.alarmed,
            self.comparisons,
            percent(f64::from(self.alarmed) / f64::from(self.comparisons.max(1))),
            percent(any_low),
            percent(any_high)
        );
        met
    }
}

/// Wilson's score interval of a share (Wilson 1927, JASA 22).
fn share_interval(hits: u32, of: u32) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    let (n, share, z) = (
        f64::from(of),
        f64::from(hits) / f64::from(of),
        NORMAL_QUANTILE,
    );
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
