//! What is lost when plumb is killed? Every engine and verb, over the network too, at moments drawn by chance: the record, what is left behind, and who
//! knows of it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use plumb_model::run::Run;
use plumb_model::run::tick::Phase;

use crate::random::Random;
use crate::servers::{OWN, Servers};

/// Length of the intervals of the runs that are killed.
const INTERVAL_MS: f64 = 10.0;
/// Finished intervals older than this at the moment of the kill must be in the record: the bound of docs/decisions/0004, and the interval itself, which is
/// not finished.
const BOUND_MS: f64 = 100.0;

/// What is killed: its name, its words, and the latest moment in milliseconds after its start.
struct Victim {
    name: &'static str,
    words: &'static str,
    latest_ms: u64,
}

const VICTIMS: &[Victim] = &[
    Victim {
        name: "io_uring",
        words: "run --target d --engine io_uring --depth 8 --pattern random-write --size 8m",
        latest_ms: 900,
    },
    Victim {
        name: "sync",
        words: "run --target d --engine sync --pattern random-write --size 8m --workers 2",
        latest_ms: 900,
    },
    Victim {
        name: "mmap",
        words: "run --target d --engine mmap --pattern random-write --size 8m --direct=false",
        latest_ms: 900,
    },
    Victim {
        name: "stdio",
        words: "run --target d --engine stdio --pattern sequential-write --size 8m --direct=false",
        latest_ms: 900,
    },
    Victim {
        name: "null",
        words: "run --target null: --engine null --depth 8",
        latest_ms: 700,
    },
    Victim {
        name: "verify",
        words: "run --target d --pattern random-write --size 8m --verify",
        latest_ms: 900,
    },
    Victim {
        name: "open loop",
        words: "run --target d --pattern random-read --size 8m --rate 500",
        latest_ms: 900,
    },
    Victim {
        name: "files",
        words: "run --target d --mix create:60,delete:40 --files 200 --operations 100000000000",
        latest_ms: 900,
    },
    Victim {
        name: "new file",
        words: "run --target ./x --pattern random-read --size 64m",
        latest_ms: 900,
    },
    Victim {
        name: "kept files",
        words: "run --target d --pattern random-write --size 8m --keep",
        latest_ms: 900,
    },
    Victim {
        name: "check",
        words: "check d --size 16m --time 30s",
        latest_ms: 3000,
    },
    Victim {
        name: "live comparison",
        words: "compare --live plan.toml d e --rounds 500",
        latest_ms: 3000,
    },
    Victim {
        name: "copy test",
        words: "copy-test cp --rounds 50",
        latest_ms: 3000,
    },
    Victim {
        name: "tcp ping-pong",
        words: "run --target {tcp} --set mix=ping-pong --block 4k",
        latest_ms: 900,
    },
    Victim {
        name: "tcp send",
        words: "run --target {tcp} --set mix=send --block 64k --workers 2",
        latest_ms: 900,
    },
    Victim {
        name: "smb",
        words: "run --target {smb} --pattern random-write --size 8m --depth 4",
        latest_ms: 1500,
    },
    Victim {
        name: "smb files",
        words: "run --target {smb} --mix create:60,delete:40 --files 100 --operations 100000000000",
        latest_ms: 1500,
    },
    Victim {
        name: "nfs",
        words: "run --target {nfs} --pattern random-write --size 8m --depth 4",
        latest_ms: 1500,
    },
    Victim {
        name: "nfs files",
        words: "run --target {nfs} --mix create:60,delete:40 --files 100 --operations 100000000000",
        latest_ms: 1500,
    },
    Victim {
        name: "layers, agent",
        words: "layers --agent {agent} --token-file {token} --device none --files {files} --share {smb} --size 8m --time 300ms --rounds 50 --set interval=10ms",
        latest_ms: 4000,
    },
    Victim {
        name: "import",
        words: "import fio.json iozone.txt perfmon.csv",
        latest_ms: 40,
    },
];

/// Results of other programs that are imported.
const RESULTS: &[(&str, &str)] = &[
    ("fio.json", "fio-3.33-json-plus.json"),
    ("iozone.txt", "iozone/a-R.txt"),
    ("perfmon.csv", "perfmon-pdh-csv-4.0.csv"),
];
/// How long a server may take to notice that its client is dead, and to remove what it made for it.
const NOTICED: Duration = Duration::from_secs(20);

const PLAN: &str = "name = 'p'\n[defaults]\nsize = '1m'\ntime = '200ms'\ninterval = '10ms'\n[[step]]\nname = 'w'\npattern = 'random-write'\n";

/// What came out for one kind of victim.
#[derive(Default)]
struct Count {
    kills: u64,
    /// Killed while a step was measured, so that its last intervals can be judged.
    judged: u64,
    beyond: u64,
    worst_ms: f64,
    leftovers: u64,
    /// What was left and `plumb clean` does not name.
    unnamed: u64,
    /// Not tried, as its server is not installed.
    skipped: u64,
}

/// Kills so many runs. Errors: a run cannot be started at all.
pub fn kills(number: u64, random: &mut Random) -> Result<bool, String> {
    let servers = Servers::start()?;
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut broken = Vec::new();
    for turn in 0..number {
        let victim = &VICTIMS[(turn % VICTIMS.len() as u64) as usize];
        let after = Duration::from_millis(5 + random.below(victim.latest_ms));
        let count = counts.entry(victim.name).or_default();
        let Some(words) = servers.filled(victim.words) else {
            count.skipped += 1;
            continue;
        };
        let told = kill_one(&words, after, &servers, count)
            .map_err(|error| format!("{}: {error}", victim.name))?;
        for what in told {
            broken.push(format!(
                "{} killed after {after:?} (kill {turn}): {what}",
                victim.name
            ));
            println!("  BROKEN: {}", broken[broken.len() - 1]);
        }
    }
    println!(
        "kills: how many, how many in a measured interval, intervals lost beyond {BOUND_MS} ms, worst gap, leftovers, not named, not tried"
    );
    let mut all = Count::default();
    for (name, count) in &counts {
        println!("  {name:<16} {count}");
        all.add(count);
    }
    println!("  {:<16} {all}", "all");
    println!(
        "kills: {}, promises broken: {}, worst gap: {:.1} intervals of {INTERVAL_MS} ms",
        all.kills,
        broken.len(),
        all.worst_ms / INTERVAL_MS
    );
    Ok(broken.is_empty())
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.kills += other.kills;
        self.judged += other.judged;
        self.beyond += other.beyond;
        self.worst_ms = self.worst_ms.max(other.worst_ms);
        self.leftovers += other.leftovers;
        self.unnamed += other.unnamed;
        self.skipped += other.skipped;
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count {
            kills,
            judged,
            beyond,
            worst_ms,
            leftovers,
            unnamed,
            skipped,
        } = self;
        write!(
            f,
            "{kills:>5} {judged:>5} {beyond:>5} {worst_ms:>8.1} ms {leftovers:>5} {unnamed:>5} {skipped:>5}"
        )
    }
}

/// Starts the victim in a folder of its own, kills it with its children, and returns the promises that it broke.
fn kill_one(
    words: &str,
    after: Duration,
    servers: &Servers,
    count: &mut Count,
) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let place = folder.path();
    laid_out(place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_plumb"));
    let (name, password) = servers.environment();
    command
        .args(words.split(' '))
        .args(["--output", "out"])
        .env(name, password)
        .current_dir(place)
        .process_group(0);
    if !words.starts_with("import") {
        command.arg("--quiet");
    }
    if words.starts_with("run") {
        command.args(["--time", "10m", "--interval", "10ms", "--no-report"]);
    }
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    sleep(after);
    let killed_ns = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos() as f64;
    // The entire process group, as `systemctl kill` and the out-of-memory killer of a container do.
    let sent = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", child.id())])
        .status();
    sent.map_err(|error| format!("kill: {error}"))?;
    let ended = child.wait().map_err(|error| format!("wait: {error}"))?;
    count.kills += 1;
    let mut broken = Vec::new();
    if ended.code() == Some(2) {
        broken.push(format!(
            "it ended by itself with {ended} before it was killed"
        ));
    }
    for run_folder in run_folders(&place.join("out")) {
        broken.extend(judge_record(&run_folder, killed_ns, count));
    }
    let places: Vec<PathBuf> = [place.to_path_buf(), place.join("d"), place.join("e")]
        .into_iter()
        .chain(servers.folders())
        .collect();
    if words.starts_with("layers") {
        // The agent removes what it created, once it knows that the client is gone.
        let begun = Instant::now();
        while begun.elapsed() < NOTICED && !leftovers(&servers.folders()[..1]).is_empty() {
            sleep(Duration::from_millis(50));
        }
        broken.extend(
            leftovers(&servers.folders()[..1])
                .iter()
                .map(|path| format!("the agent left {}", path.display())),
        );
    }
    broken.extend(judge_shares(words, servers, place, count));
    broken.extend(judge_leftovers(&places, count));
    Ok(broken)
}

/// The next run lists what was left on a share: more is known only at the share's storage.
fn judge_shares(words: &str, servers: &Servers, place: &Path, count: &mut Count) -> Vec<String> {
    let address = words
        .split(' ')
        .find(|word| word.starts_with("smb://") || word.starts_with("nfs://"));
    let left = leftovers(&servers.folders()[1..]);
    let Some(address) = address.filter(|_| !left.is_empty()) else {
        return Vec::new();
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_plumb"));
    let (name, password) = servers.environment();
    let words = format!(
        "run --target {address} --mix read --size 1m --operations 1 --no-report --output next"
    );
    let ran = command
        .args(words.split(' '))
        .env(name, password)
        .current_dir(place)
        .output();
    let _ = fs::remove_dir_all(place.join("next"));
    let told = ran
        .map(|output| String::from_utf8_lossy(&output.stderr).into_owned())
        .unwrap_or_default();
    count.leftovers += left.len() as u64;
    let mut broken = Vec::new();
    for path in left {
        if !told.contains(&*path.file_name().unwrap_or_default().to_string_lossy()) {
            count.unnamed += 1;
            broken.push(format!(
                "{} is left on {address} and not named by the next run: {}",
                path.display(),
                told.trim()
            ));
        }
        // As the sentence states.
        let _ = if path.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
    }
    broken
}

/// The user's own files, a plan, and results of other programs.
fn laid_out(place: &Path) -> std::io::Result<()> {
    for name in ["d", "e"] {
        fs::create_dir(place.join(name))?;
        fs::write(place.join(name).join("own"), OWN)?;
    }
    fs::write(place.join("plan.toml"), PLAN)?;
    let imported = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/imported");
    RESULTS
        .iter()
        .try_for_each(|(name, from)| fs::copy(imported.join(from), place.join(name)).map(drop))
}

/// Folders with a record, at most two levels deep.
fn run_folders(out: &Path) -> Vec<PathBuf> {
    let below = fs::read_dir(out)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    std::iter::once(out.to_path_buf())
        .chain(below)
        .filter(|folder| folder.join("run.json").exists())
        .collect()
}

fn judge_record(folder: &Path, killed_ns: f64, count: &mut Count) -> Vec<String> {
    let run = match plumb_record::read_run(folder) {
        Ok(run) => run,
        Err(error) => return vec![format!("the record cannot be read: {error}")],
    };
    let mut broken = Vec::new();
    let shown = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .arg("show")
        .arg(folder)
        .output();
    match shown {
        Ok(output) if matches!(output.status.code(), Some(0 | 1)) => {}
        Ok(output) => broken.push(format!(
            "plumb show ends with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => broken.push(format!("plumb show: {error}")),
    }
    let Some(gap_ms) = gap_ms(&run, killed_ns) else {
        return broken;
    };
    count.judged += 1;
    count.worst_ms = count.worst_ms.max(gap_ms);
    if gap_ms > BOUND_MS + INTERVAL_MS {
        count.beyond += 1;
        broken.push(format!(
            "the last interval in the record ended {gap_ms:.1} ms before the kill"
        ));
    }
    broken
}

/// Milliseconds between the end of the last recorded interval and the kill, when a step was being measured by then.
fn gap_ms(run: &Run, killed_ns: f64) -> Option<f64> {
    use plumb_model::run::Event;
    let last = run
        .ticks
        .iter()
        .filter(|tick| tick.phase == Phase::Measure)
        .max_by_key(|tick| tick.end_ns)?;
    let ended = run.notes.iter().any(|note| matches!(&note.event, Event::ExecutionEnded { execution, .. } if *execution == last.execution));
    let is_long = run
        .header
        .plan
        .steps
        .iter()
        .flat_map(|step| &step.jobs)
        .all(|job| {
            job.workload
                .time
                .is_some_and(|time| time.0 > 60_000_000_000)
        });
    let at_ns = killed_ns - run.header.started_unix_ns as f64;
    (!ended && is_long).then(|| (at_ns - last.end_ns as f64) / 1e6)
}

/// What is left must be named by `plumb clean`, be removed by it, and nothing else.
fn judge_leftovers(places: &[PathBuf], count: &mut Count) -> Vec<String> {
    let mut broken = Vec::new();
    let left = leftovers(places);
    count.leftovers += left.len() as u64;
    let clean = |remove: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plumb"));
        command
            .arg("clean")
            .args(places)
            .args(remove.then_some("--remove"));
        command.output().map(|output| {
            String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr)
        })
    };
    let Ok(told) = clean(false) else {
        return vec!["plumb clean cannot be run".into()];
    };
    let mut named = Vec::new();
    for path in &left {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if told.contains(&name) {
            named.push(path.clone());
        } else {
            count.unnamed += 1;
            let inside = fs::read_dir(path).map_or(0, |entries| entries.count());
            broken.push(format!(
                "{}, with {inside} entries, is left and not named: {}",
                path.display(),
                told.trim()
            ));
        }
    }
    if leftovers(places) != left {
        broken.push("plumb clean removed something without being asked to".into());
    }
    let _ = clean(true);
    for path in leftovers(places) {
        if named.contains(&path) {
            broken.push(format!(
                "{} is still there after plumb clean --remove",
                path.display()
            ));
        }
        // The next victim is not blamed for it.
        let _ = if path.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
    }
    for own in places.iter().skip(1).map(|place| place.join("own")) {
        if fs::read_to_string(&own).ok().as_deref() != Some(OWN) {
            broken.push(format!("{} was touched", own.display()));
        }
    }
    broken
}

/// Everything that was not there before, except the record; kept files stay if they are complete.
fn leftovers(places: &[PathBuf]) -> Vec<PathBuf> {
    let known = |name: &str| {
        ["d", "e", "plan.toml", "out", "own", "plumb-kept"].contains(&name)
            || RESULTS.iter().any(|(result, _)| *result == name)
    };
    let entries = places
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut left: Vec<PathBuf> = entries
        .filter(|entry| !known(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    left.sort();
    left
}
