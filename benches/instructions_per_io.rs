//! How many instructions does the generator spend in user space for one I/O? Counted by callgrind, which repeats on every machine: a gate, not a timing.
//!
//! The program runs twice, with two numbers of operations; the difference is divided by the difference of the numbers, so that start, end and record
//! do not count. `program=PATH` counts another build than the bench's own. Ends with exit code 1 when a load costs more than its limit, and 2 when it could not be counted.

use std::path::Path;
use std::process::{Command, ExitCode};

/// A load and what it may cost.
struct Load {
    name: &'static str,
    flags: &'static str,
    instructions_max: f64,
}

const LOADS: &[Load] = &[
    Load {
        name: "null, depth 32, a stamp per batch",
        flags: "--target null: --engine null --depth 32 --set stamping=batch",
        instructions_max: 105.0,
    },
    Load {
        name: "io_uring, /dev/zero, depth 32",
        flags: "--target /dev/zero --size 1g --engine io_uring --depth 32",
        instructions_max: 210.0,
    },
    Load {
        name: "the same, two at once as on a disk",
        flags: "--target /dev/zero --size 1g --engine io_uring --depth 32 --set batch=2",
        instructions_max: 410.0,
    },
    Load {
        name: "sync, /dev/zero",
        flags: "--target /dev/zero --size 1g --engine sync --depth 1",
        instructions_max: 240.0,
    },
];

/// Two lengths, far enough apart that what varies between two starts of the program (some 10,000 instructions) is below one per I/O.
const OPERATIONS: [u64; 2] = [100_000, 500_000];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let program = words.iter().find_map(|word| word.strip_prefix("program="));
    let program = program.unwrap_or(env!("CARGO_BIN_EXE_plumb"));
    println!(
        "{:<36} {:>18} {:>8}",
        "load, 4 KiB random reads", "instructions/I/O", "at most"
    );
    let mut code = ExitCode::SUCCESS;
    for load in LOADS {
        match instructions_per_io(program, load) {
            Ok(instructions) => {
                let verdict = if instructions <= load.instructions_max {
                    ""
                } else {
                    "  TOO MANY"
                };
                println!(
                    "{:<36} {instructions:>18.1} {:>8}{verdict}",
                    load.name, load.instructions_max
                );
                if !verdict.is_empty() && code == ExitCode::SUCCESS {
                    code = ExitCode::from(1);
                }
            }
            Err(reason) => {
                println!("{:<36} not counted: {reason}", load.name);
                code = ExitCode::from(2);
            }
        }
    }
    code
}

fn instructions_per_io(program: &str, load: &Load) -> Result<f64, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let mut counts = [0u64; 2];
    for (count, operations) in counts.iter_mut().zip(OPERATIONS) {
        *count = instructions(
            program,
            load,
            operations,
            &folder.path().join(operations.to_string()),
        )?;
    }
    let difference = counts[1]
        .checked_sub(counts[0])
        .ok_or("the longer run took fewer instructions")?;
    Ok(difference as f64 / (OPERATIONS[1] - OPERATIONS[0]) as f64)
}

/// Instructions of one run, all threads together.
fn instructions(program: &str, load: &Load, operations: u64, folder: &Path) -> Result<u64, String> {
    let counted = folder.with_extension("callgrind");
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            &format!("--callgrind-out-file={}", counted.display()),
            program,
            "run",
        ])
        .args(load.flags.split(' '))
        // One interval: what an interval costs goes by time, and under valgrind time runs differently.
        .args([
            "--pattern",
            "random-read",
            "--block",
            "4k",
            "--operations",
            &operations.to_string(),
            "--interval",
            "1h",
        ])
        .args(["--seed", "1", "--no-report", "--quiet", "--output"])
        .arg(folder)
        .output()
        .map_err(|error| {
            format!("valgrind cannot be started ({error}): install the package valgrind")
        })?;
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    // 1 is a severe finding about the machine; the load ran.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(complaint);
    }
    let text = std::fs::read_to_string(&counted)
        .map_err(|error| format!("{}: {error}", counted.display()))?;
    let totals = text.lines().find_map(|line| line.strip_prefix("totals:"));
    totals
        .and_then(|totals| totals.trim().parse().ok())
        .ok_or_else(|| format!("callgrind told no total: {complaint}"))
}
