//! How is a finding of `plumb why` tested on the program itself? It runs again, in turn as it is and with its calls on the storage held for known times.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_analyse::account::against::against;
use plumb_analyse::account::proof::held_proof;
use plumb_model::explain::account::{Against, HeldPoint, HeldProof, TimeAccount, WhatIf};

use crate::Stop;
use crate::system::HeldRun;
use crate::system::held_calls::run_held;

/// The calls of a run together are held for this part of its time, as far as they come one after another; and twice that.
const HELD_SHARE: f64 = 0.4;
/// What a call is held for at least: much more than the time that the notification itself takes; and at most.
const HELD_MIN: Duration = Duration::from_micros(200);
const HELD_MAX: Duration = Duration::from_millis(50);

/// Runs a command again in `rounds` rounds: alone, notified only, and held for two times.
///
/// # Errors
/// The finding is not about a storage, the kernel has no notification, a run fails, or plumb is requested to stop.
pub fn prove_on_program(
    command: &[OsString],
    account: &TimeAccount,
    finding: &WhatIf,
    rounds: u32,
    stop: &Stop,
) -> anyhow::Result<HeldProof> {
    let Some(storage) = finding.storage.as_deref() else {
        bail!(
            "the first finding is not about a file system or device that is known: there are no calls to hold; --prove tests findings about storage"
        );
    };
    let point = PathBuf::from(storage);
    // Mounts below it are other storages.
    let names = account.storages.iter().map(|of| PathBuf::from(&of.name));
    let others: Vec<PathBuf> = names
        .filter(|other| *other != point && other.starts_with(&point))
        .collect();
    let of_storage = account
        .requests
        .iter()
        .filter(|of| of.storage.as_deref() == Some(storage));
    let (calls, at_once) = of_storage.fold((0, 1.0f64), |(calls, at_once), of| {
        (calls + of.count, at_once.max(of.at_once.unwrap_or(1.0)))
    });
    let in_turn = (calls as f64 / at_once).max(1.0);
    let delay = Duration::from_nanos((HELD_SHARE * account.span_ns as f64 / in_turn) as u64);
    let delay = delay.clamp(HELD_MIN, HELD_MAX);
    let mut alone_ns = Vec::new();
    let mut points = [Duration::ZERO, delay, 2 * delay].map(|delay| (delay, Vec::<HeldRun>::new()));
    for _ in 0..rounds {
        alone_ns.push(alone(command)?);
        for (delay, runs) in &mut points {
            if stop.is_requested() {
                bail!("stopped before the proof was complete");
            }
            let run = run_held(command, &point, &others, *delay)
                .context("the program cannot be run with its calls held")?;
            if !run.is_success {
                bail!(
                    "the command ends with an error when it runs again; --prove needs a command that can be repeated"
                );
            }
            runs.push(run);
        }
    }
    let points = points.into_iter().map(|(_, runs)| {
        let count = (runs.len() as f64).max(1.0);
        HeldPoint {
            held_ns: runs.iter().map(|of| of.held_ns).sum::<f64>() / count,
            calls: runs.iter().map(|of| of.held as f64).sum::<f64>() / count,
            elapsed_ns: runs.iter().map(|of| of.elapsed.as_nanos() as u64).collect(),
        }
    });
    Ok(held_proof(account, finding, points.collect(), &alone_ns))
}

/// Runs a command and a changed one, which `sh` reads, in turn, `rounds` times.
///
/// # Errors
/// One of them cannot be started or ends with an error, or plumb is requested to stop.
pub fn run_against(
    command: &[OsString],
    changed: &str,
    rounds: u32,
    stop: &Stop,
) -> anyhow::Result<Against> {
    let shell = ["sh", "-c", changed].map(OsString::from);
    let (mut before_ns, mut after_ns) = (Vec::new(), Vec::new());
    // What only the first run of a command reads is not the change.
    alone(&shell).context("the command of --against")?;
    for _ in 0..rounds {
        if stop.is_requested() {
            bail!("stopped before both commands had run {rounds} times");
        }
        before_ns.push(alone(command)?);
        after_ns.push(alone(&shell).context("the command of --against")?);
    }
    Ok(against(changed, before_ns, after_ns))
}

/// Nanoseconds that the command takes when nothing is done to it.
fn alone(command: &[OsString]) -> anyhow::Result<u64> {
    let (program, words) = command.split_first().context("no command")?;
    let begun = Instant::now();
    let ended = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("{}: cannot be started", program.to_string_lossy()))?;
    if !ended.success() {
        bail!(
            "ends with an error ({ended}); --prove and --against need commands that can be repeated"
        );
    }
    Ok(begun.elapsed().as_nanos() as u64)
}
