//! Does any damaged file make plumb panic or hang? Samples of every program's files, job files, plans and run folders, cut, mixed and bent by chance.

use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plumb_model::workload::iolog::IologReader;
use plumb_plan::fio_job::Surroundings;
use plumb_plan::{Overrides, PlanFile, PlanKind, fio_job, iometer, resolve};
use plumb_record::importer::{HEAD_BYTES, Source};
use plumb_record::importers;

use crate::random::Random;

/// An input that takes longer than this hangs.
const HANGS_AFTER: Duration = Duration::from_secs(20);
/// Larger samples are left out: damage to a small one finds as much, sooner.
const SAMPLE_MAX_BYTES: u64 = 1 << 20;

/// Tries so many inputs. Errors: there are no samples.
pub fn mangled(number: u64, random: &mut Random) -> Result<bool, String> {
    let samples = samples();
    if samples.is_empty() {
        return Err("no samples below testdata/ and plans/: run it in the repository".into());
    }
    let mut broken = Vec::new();
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..number {
        let (path, bytes) = random.one_of(&samples);
        let seed = random.0;
        let bent = bend(bytes, &random.one_of(&samples).1, random);
        let begun = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| take(path, &bent))).is_err() {
            broken.push(format!("{} (seed={seed}): panicked", path.display()));
        }
        if begun.elapsed() > HANGS_AFTER {
            broken.push(format!(
                "{} (seed={seed}): took {:?}",
                path.display(),
                begun.elapsed()
            ));
        }
    }
    std::panic::set_hook(quiet);
    broken.iter().for_each(|what| println!("  BROKEN: {what}"));
    println!(
        "mangled inputs: {number} of {} samples, panics and hangs: {}",
        samples.len(),
        broken.len()
    );
    Ok(broken.is_empty())
}

/// Gives the bytes to everything that reads such files; the answer may be anything but a panic.
fn take(path: &Path, bytes: &[u8]) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut reader = BufReader::with_capacity(HEAD_BYTES, bytes);
    drop(importers::import(
        &mut Source {
            name: &name,
            reader: &mut reader,
        },
        None,
    ));
    let text = String::from_utf8_lossy(bytes);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => {
            let file = PlanFile::parse(&text, &name);
            drop(file.map(|file| {
                resolve(&file, &Overrides::default(), PlanKind::File)
                    .map(|plan| plan.estimate(|_| Some(0)))
            }));
        }
        Some("fio") => {
            let mut include = |_: &str| Err("no such file".to_string());
            let mut surroundings = Surroundings {
                include: &mut include,
                variable: &|_| None,
                pattern: &|_| Err("no file".into()),
                keyword: &|_| Some(4096),
            };
            drop(fio_job::read(&text, &name, &mut surroundings));
        }
        Some("icf") => drop(iometer::read(&text, &name)),
        Some("log" | "iolog") => {
            let mut log = IologReader::new(&name);
            for line in bytes.split(|byte| *byte == b'\n') {
                if log.line(line).is_err() {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Every sample with its name.
fn samples() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = [
        "testdata/imported",
        "testdata/fio",
        "testdata/iometer",
        "plans",
        "references",
    ]
    .map(|name| root.join(name))
    .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if entry
                .metadata()
                .is_ok_and(|metadata| metadata.len() <= SAMPLE_MAX_BYTES)
            {
                found.extend(std::fs::read(&path).ok().map(|bytes| (path, bytes)));
            }
        }
    }
    found.sort();
    found
}

/// One to eight damages of a sample: bytes changed, cut, doubled, taken from another sample, numbers made huge.
fn bend(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    const ODD: &[&str] = &[
        "-1",
        "18446744073709551616",
        "1e308",
        "NaN",
        "\u{0}",
        "\u{1b}[2J",
        "{",
        "]",
        "\"",
        "\n\n",
        "é",
        "999999999999999999999",
        "0",
    ];
    let mut bent = bytes.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(bent.len() as u64 + 1) as usize;
        match random.below(6) {
            0 if at < bent.len() => bent[at] = random.next() as u8,
            1 => bent.truncate(at),
            2 => {
                let end = (at + random.below(200) as usize).min(bent.len());
                let piece = bent[at..end].to_vec();
                bent.splice(at..at, piece);
            }
            3 => {
                let from = random.below(other.len() as u64 + 1) as usize;
                let end = (from + random.below(400) as usize).min(other.len());
                bent.splice(at..at, other[from..end].iter().copied());
            }
            4 => {
                let end = (at + random.below(100) as usize).min(bent.len());
                bent.drain(at..end);
            }
            _ => {
                let text = random.one_of(ODD);
                bent.splice(at..at, text.bytes());
            }
        }
    }
    bent
}
