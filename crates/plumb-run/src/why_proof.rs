//! How is a finding of `plumb why` tested on the program itself? It runs again, in turn as it is and with its calls on the storage held for known times.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use plumb_analyse::account::against::against;
use plumb_analyse::account::proof::{cached_runs, held_proof, reads_were_cold};
use plumb_load::system::files::cached_bytes;
use plumb_load::system::trees::forget_cached;
use plumb_model::explain::account::{Against, HeldPoint, HeldProof, TimeAccount, WhatIf};
use plumb_model::trace::work::Files;

use crate::Stop;
use crate::system::HeldRun;
use crate::system::held_calls::run_held;

/// The calls of a run together are held for this part of its time, as far as they come one after another; and twice that.
const HELD_SHARE: f64 = 0.4;
/// What a call is held for at least: much more than the time that the notification itself takes; and at most.
const HELD_MIN: Duration = Duration::from_micros(200);
const HELD_MAX: Duration = Duration::from_millis(50);

/// Bytes read of files that cannot be dropped from the cache, as a part of those that can.
const UNNAMED: f64 = 0.05;
/// Part of the bytes read that is in memory when the files are called cached; some are read twice.
const CACHED: f64 = 0.8;

/// Runs a command again in `rounds` rounds: alone, notified only, and held for two times. Where it read from the storage, each run begins with its files dropped from the
/// page cache, and another one has them there. `files` are those of the recorded run.
///
/// # Errors
/// The finding is not about a storage, the kernel has no notification, a run fails, or plumb is requested to stop.
pub fn prove_on_program(
    command: &[OsString],
    account: &TimeAccount,
    finding: &WhatIf,
    files: Option<&Files>,
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
    let read = match reads_were_cold(account, storage) {
        true => files_read(files, &point, &others),
        false => Vec::new(),
    };
    let (mut alone_ns, mut cached_ns) = (Vec::new(), Vec::new());
    let mut points = [Duration::ZERO, delay, 2 * delay].map(|delay| (delay, Vec::<HeldRun>::new()));
    for _ in 0..rounds {
        forget(&read);
        alone_ns.push(alone(command)?);
        if are_cached(&read) {
            cached_ns.push(alone(command)?);
        }
        for (delay, runs) in &mut points {
            if stop.is_requested() {
                bail!("stopped before the proof was complete");
            }
            forget(&read);
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
    let mut proof = held_proof(account, finding, points.collect(), &alone_ns);
    // Only where the files stayed in memory in every round.
    if cached_ns.len() == alone_ns.len() {
        proof.cached = Some(cached_runs(&alone_ns, cached_ns));
    }
    Ok(proof)
}

/// The files of a storage that were read; none where more than a little was read from files that are not known by name.
fn files_read(files: Option<&Files>, point: &Path, others: &[PathBuf]) -> Vec<FileRead> {
    let Some(files) = files else {
        return Vec::new();
    };
    let named: u64 = files.most.iter().map(|of| of.totals.read_bytes).sum();
    let unnamed = files.rest.read_bytes + files.without_file.read_bytes;
    if unnamed as f64 > UNNAMED * named as f64 {
        return Vec::new();
    }
    let is_on_it =
        |path: &PathBuf| path.starts_with(point) && !others.iter().any(|of| path.starts_with(of));
    let read = files.most.iter().filter(|of| of.totals.read_bytes > 0);
    let named =
        read.filter_map(|of| Some((PathBuf::from(of.name.as_ref()?), of.totals.read_bytes)));
    let found = named.filter(|(path, _)| is_on_it(path) && path.is_file());
    found
        .map(|(path, bytes)| FileRead { path, bytes })
        .collect()
}

/// A file, and how many bytes of it were read.
struct FileRead {
    path: PathBuf,
    bytes: u64,
}

/// Drops files from the page cache; what cannot be dropped stays there.
fn forget(files: &[FileRead]) {
    for of in files {
        let _ = forget_cached(&of.path);
    }
}

/// Whether as much of these files as is read of them is in the page cache; false for none, and where the kernel does not report it.
fn are_cached(files: &[FileRead]) -> bool {
    let mut sizes = files.iter().map(|of| {
        let file = File::open(&of.path).ok()?;
        let length = file.metadata().ok()?.len();
        let cached = cached_bytes(&file, 0, length)?;
        Some((cached, of.bytes.min(length)))
    });
    let sum = sizes.try_fold((0, 0), |(cached, all), of| {
        let (more, read) = of?;
        Some((cached + more.min(read), all + read))
    });
    sum.is_some_and(|(cached, all)| all > 0 && cached as f64 >= CACHED * all as f64)
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
