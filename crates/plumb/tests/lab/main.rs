//! Is `plumb why` right about real programs? Each scene is a program on storage of a known speed; the truth is found by applying the change.
//!
//! A scene's delays are drawn anew in each run (the seed is printed; `LAB_SEED=N` draws them again; `LAB_BY=samples` sees the threads as without root). The program runs in turn as it is and changed; what `plumb why` predicts
//! stands beside what the change gave. Families marked as kept apart are never looked into while rules are built: only their figures count.
#![cfg(target_os = "linux")]
// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]

#[path = "../../../../testdata/peers/fault_fs/mod.rs"]
mod fault_fs;
#[path = "../../../../testdata/peers/ports.rs"]
mod ports;
#[path = "../../../../testdata/peers/samba.rs"]
mod samba;
mod scenes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fault_fs::{Call, Effect, Fault, FaultFs, Options};
use samba::{PASSWORD, Samba, Section};
use scenes::{Change, Scene, Served};
use serde_json::Value;

/// Bytes on one disk of a stripe before the next one.
const STRIPE_BYTES: u64 = 64 << 10;
/// Rounds of each side.
const ROUNDS: usize = 3;

/// The storage while a scene runs.
struct Stage<'a> {
    scene: &'a Scene,
    files: FaultFs,
    samba: Option<Samba>,
    group: Option<MemoryGroup>,
    delay_ms: f64,
}

/// A control group with a limit on memory, until it is dropped.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    /// None where none can be made.
    fn with_limit(bytes: u64) -> Option<MemoryGroup> {
        for (top, file) in [
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            ("/sys/fs/cgroup", "memory.max"),
        ] {
            let folder = Path::new(top).join(format!("plumb-lab-{}", std::process::id()));
            if !Path::new(top).join("cgroup.procs").exists()
                || std::fs::create_dir(&folder).is_err()
            {
                continue;
            }
            let group = MemoryGroup(folder);
            if std::fs::write(group.0.join(file), bytes.to_string()).is_ok() {
                return Some(group);
            }
        }
        println!("skipped: no control group with a limit on memory can be made");
        None
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// A program beside the scene's, until it is dropped.
struct Beside(Child);

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Stage<'_> {
    fn delays(&self, factor: f64) {
        self.files.heal();
        for (call, share) in &self.scene.storage.delays {
            let time = Duration::from_secs_f64(self.delay_ms * share * factor / 1e3);
            let fault = |effect| Fault::every(*call, 1, effect);
            match self.scene.storage.served {
                Served::Together => self.files.inject(fault(Effect::Delay(time))),
                Served::OneSlot => self.files.inject(fault(Effect::Serve(time))),
                Served::Tokens(count) => self.files.inject(fault(Effect::Tokens(count, time))),
                Served::SlowDiskOf(disks) => {
                    // The first that fits is taken.
                    let slow = fault(Effect::Delay(8 * time));
                    self.files.inject(slow.of_first_disk(disks, STRIPE_BYTES));
                    self.files.inject(fault(Effect::Delay(time)));
                }
            }
        }
    }

    /// `{}` in a word is the folder of the scene's storage.
    fn words(&self, words: &[String]) -> Vec<String> {
        let folder = self.files.path().display().to_string();
        let (port, user) = match &self.samba {
            Some(samba) => (samba.port.to_string(), format!("{}%{PASSWORD}", samba.user)),
            None => Default::default(),
        };
        let word = |word: &String| {
            let group = self
                .group
                .as_ref()
                .map(|group| group.0.join("cgroup.procs"));
            let group = group.unwrap_or_default().display().to_string();
            let word = word.replace("{}", &folder).replace("{port}", &port);
            let word = word.replace("{group}", &group);
            // A command of smbclient has blanks.
            word.replace("{user}", &user).replace('#', " ")
        };
        words.iter().map(word).collect()
    }

    fn beside(&self) -> Option<Beside> {
        let words = self.scene.beside.as_ref()?;
        // On each CPU: the program has no other one to go to.
        let mut other = Command::new("taskset");
        other.args(["-c", "0"]).args(self.words(words));
        Some(Beside(other.spawn().expect("taskset starts")))
    }

    /// What was left in the caches of the scene's storage would not be waited for; without delays, everything is to come from there.
    fn forget(&self) {
        if self
            .scene
            .storage
            .delays
            .iter()
            .any(|(call, _)| *call == Call::Lookup)
        {
            // Names and attributes hold for a second.
            std::thread::sleep(Duration::from_millis(1100));
        }
        if self
            .scene
            .storage
            .delays
            .iter()
            .any(|(call, _)| *call == Call::Read)
        {
            // Reads nothing, and drops what is cached of the file.
            let dropped = Command::new("dd")
                .args(["iflag=nocache", "count=0"])
                .arg(format!("if={}", self.files.path().join("big").display()))
                .stderr(Stdio::null())
                .status();
            assert!(dropped.expect("dd starts").success());
        }
    }

    /// Seconds that a command takes.
    fn time(&self, words: &[String]) -> f64 {
        self.forget();
        let words = self.words(words);
        let begun = Instant::now();
        let ended = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(ended.expect("the program starts").success(), "{words:?}");
        begun.elapsed().as_secs_f64()
    }

    fn why(&self, more: &[&str]) -> Value {
        self.forget();
        let _beside = self.beside();
        let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
            .args(["why", "--json", "--by"])
            .arg(std::env::var("LAB_BY").unwrap_or_else(|_| "perf".into()))
            .args(more)
            .arg("--")
            .args(self.words(&self.scene.command))
            .stdin(Stdio::null())
            .output()
            .expect("plumb starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let begin = text.find("{\n").unwrap_or(0);
        serde_json::from_str(&text[begin..]).unwrap_or_else(|error| {
            panic!(
                "{error}: {text} {}",
                String::from_utf8_lossy(&output.stderr)
            )
        })
    }

    /// How many times as fast the program is with a change: the median of rounds in turn.
    fn truth(&self, change: &Change) -> f64 {
        let mut factors: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                self.delays(1.0);
                let beside = self.beside();
                let before = self.time(&self.scene.command);
                let beside = beside.filter(|_| !matches!(change, Change::Alone));
                let after = match change {
                    Change::Alone => self.time(&self.scene.command),
                    Change::Delays(factor) => {
                        self.delays(*factor);
                        self.time(&self.scene.command)
                    }
                    Change::Command(words) => self.time(words),
                };
                drop(beside);
                before / after
            })
            .collect();
        factors.sort_by(f64::total_cmp);
        factors[ROUNDS / 2]
    }
}

/// A prediction beside the truth.
struct Compared {
    change: &'static str,
    predicted: Option<(f64, f64)>,
    truth: f64,
}

/// What came of a scene.
struct Outcome {
    family: &'static str,
    kept_apart: bool,
    /// What may stand first.
    limits: String,
    first: String,
    is_right: bool,
    compared: Vec<Compared>,
}

/// Gains of the first finding that names this change.
fn predicted(why: &Value, change: &str) -> Option<(f64, f64)> {
    let findings = why["findings"].as_array()?;
    let gains = findings
        .iter()
        .filter_map(|of| of["gains"].as_array())
        .flatten();
    let mut named = gains.filter(|gain| gain["change"]["id"] == change);
    let gain = named.next()?;
    Some((gain["low"].as_f64()?, gain["high"].as_f64()?))
}

fn run(scene: &Scene, draw: &mut dyn FnMut() -> f64) -> Option<Outcome> {
    let files = FaultFs::mount(Options {
        always_direct: scene.storage.direct,
        ..Options::default()
    })?;
    scenes::lay_out(files.path());
    let (from, to) = scene.delay_ms;
    let section = Section {
        name: "slow",
        path: files.path(),
        lines: &[],
    };
    let samba = match scene.storage.shared {
        true if !samba::is_installed() => return None,
        true => Some(Samba::with_shares(&[], &[section])),
        false => None,
    };
    let group = match scene.memory_bytes {
        Some(bytes) => Some(MemoryGroup::with_limit(bytes)?),
        None => None,
    };
    let stage = Stage {
        scene,
        samba,
        files,
        group,
        delay_ms: from + (to - from) * draw(),
    };
    if let Some(script) = &scene.prepare {
        let prepared = Command::new("sh")
            .args(stage.words(&["-c".into(), script.clone()]))
            .status();
        if !prepared.expect("sh starts").success() {
            println!("skipped: {}: {script}", scene.family);
            return None;
        }
    }
    stage.delays(1.0);
    // What it reads for the first time beside the scene's storage is not what the scene is about.
    stage.time(&scene.command);
    let why = stage.why(&[]);
    if std::env::var_os("LAB_SHOW").is_some() {
        println!("{why:#}");
    }
    let first = match why["findings"][0]["question"].as_str() {
        Some(question) => question.to_string(),
        None => "nothing".to_string(),
    };
    let is_storage = [
        "one-at-a-time",
        "storage-is-slow",
        "durability",
        "metadata",
        "page-faults",
    ];
    let is_right = match scene.first {
        [] => !is_storage.contains(&first.as_str()),
        first_ones => first_ones.contains(&first.as_str()),
    };
    let compared = scene.changes.iter().map(|(change, how)| Compared {
        change,
        predicted: predicted(&why, change),
        truth: stage.truth(how),
    });
    let compared = compared.collect();
    Some(Outcome {
        family: scene.family,
        kept_apart: scene.kept_apart,
        limits: match scene.first {
            [] => "not the storage".into(),
            first => first.join(" or "),
        },
        first,
        is_right,
        compared,
    })
}

/// Numbers from 0 to 1 that anyone can draw again (Marsaglia, xorshift).
fn drawn(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn seed() -> u64 {
    let given = std::env::var("LAB_SEED").ok();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    given
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| now.map_or(1, |since| since.as_secs()))
}

/// The figures of several outcomes, as they are printed.
fn told(outcomes: &[&Outcome]) -> String {
    let mut text = String::new();
    for of in outcomes {
        let mark = if of.is_right { "right" } else { "WRONG" };
        let family = of.family;
        text += &format!("{mark} {family:28} first: {}\n", of.first);
        for one in &of.compared {
            let predicted = match one.predicted {
                Some((low, high)) => format!("{low:.2} to {high:.2}"),
                None => "not predicted".into(),
            };
            text += &format!(
                "      {:26} {predicted:16} truth {:.2}\n",
                one.change, one.truth
            );
        }
    }
    text += "what limits (row) and what stood first:\n";
    let mut matrix: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for of in outcomes {
        let row = matrix.entry(of.limits.clone()).or_default();
        *row.entry(&of.first).or_default() += 1;
    }
    for (limit, row) in matrix {
        let row: Vec<String> = row
            .iter()
            .map(|(of, count)| format!("{of} {count}"))
            .collect();
        text += &format!("      {limit:40} {}\n", row.join(", "));
    }
    let right = outcomes.iter().filter(|of| of.is_right).count();
    let with = outcomes.iter().flat_map(|of| &of.compared);
    let predictions: Vec<((f64, f64), f64)> = with
        .filter_map(|one| Some((one.predicted?, one.truth)))
        .collect();
    let holds = predictions
        .iter()
        .filter(|((low, high), truth)| (*low..=*high).contains(truth))
        .count();
    let mut widths: Vec<f64> = predictions
        .iter()
        .map(|((low, high), _)| high / low)
        .collect();
    widths.sort_by(f64::total_cmp);
    let median = widths.get(widths.len() / 2).copied().unwrap_or(f64::NAN);
    text + &format!(
        "first finding right: {right} of {}; intervals that hold: {holds} of {}; median width {median:.2}\n",
        outcomes.len(),
        predictions.len()
    )
}

/// Runs scenes and prints what came of them.
fn lab(all: &[Scene]) -> Vec<Outcome> {
    let seed = seed();
    println!("LAB_SEED={seed}");
    let mut draw = drawn(seed);
    let only = std::env::var("LAB_SCENE").ok();
    let wanted = all.iter().filter(|scene| {
        only.as_ref()
            .is_none_or(|only| scene.family.contains(only.as_str()))
    });
    let outcomes: Vec<Outcome> = wanted
        .filter(|scene| is_here(&scene.command[0]))
        .filter_map(|scene| run(scene, &mut draw))
        .collect();
    for (kept_apart, name) in [(false, "built with"), (true, "kept apart")] {
        let of: Vec<&Outcome> = outcomes
            .iter()
            .filter(|of| of.kept_apart == kept_apart)
            .collect();
        if !of.is_empty() {
            println!("-- {name}\n{}", told(&of));
        }
    }
    outcomes
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = program.starts_with('/') && Path::new(program).exists()
        || std::env::split_paths(&path).any(|folder| folder.join(program).exists());
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

/// Whether kernel tracepoints may be used here.
fn can_trace() -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(["why", "--json", "--by", "perf", "--", "true"])
        .output()
        .expect("plumb starts");
    let can = output.status.success();
    if !can {
        println!(
            "skipped: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    can
}

/// One of each kind of cause, so that CI sees when an answer changes; with PLUMB_LAB=all (`./dev lab`) all scenes, with their changes applied.
#[test]
fn causes_of_real_programs_are_named() {
    if !can_trace() {
        return;
    }
    if std::env::var_os("PLUMB_LAB").is_some_and(|all| all == "all") {
        lab(&scenes::all());
        return;
    }
    let few = [
        "reads one after another",
        "sqlite, WAL",
        "tar of small files",
        "lock convoy",
        "checksum of a cached file",
    ];
    let scenes: Vec<Scene> = scenes::all()
        .into_iter()
        .filter(|scene| few.contains(&scene.family))
        .map(|scene| Scene {
            changes: Vec::new(),
            ..scene
        })
        .collect();
    assert_eq!(scenes.len(), few.len());
    let outcomes = lab(&scenes);
    let wrong = outcomes.iter().filter(|of| !of.is_right);
    let wrong: Vec<&str> = wrong.map(|of| of.family).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// How many requests a program waits for one after another is known by construction, and looks alike to counts and means.
#[test]
fn requests_in_turn_are_counted_on_the_program_itself() {
    if !can_trace() {
        return;
    }
    let known = [
        ("reads one after another", 120.0),
        ("eight threads", 80.0),
        ("lock convoy", 120.0),
    ];
    for scene in scenes::all() {
        let Some((_, in_turn)) = known.iter().find(|(family, _)| *family == scene.family) else {
            continue;
        };
        let Some(files) = FaultFs::mount(Options {
            always_direct: true,
            ..Options::default()
        }) else {
            return;
        };
        scenes::lay_out(files.path());
        let stage = Stage {
            scene: &scene,
            samba: None,
            group: None,
            files,
            delay_ms: 5.0,
        };
        stage.delays(1.0);
        let why = stage.why(&["--prove", "--rounds", "3"]);
        let proof = &why["proof"];
        let found = proof["in_turn"][0].as_f64().expect("a slope");
        println!(
            "{}: {found:.0} one after another, {in_turn} known: {}",
            scene.family, proof["state"]
        );
        assert!(
            (found / in_turn - 1.0).abs() < 0.25,
            "{}: {found} for {in_turn}: {proof:#}",
            scene.family
        );
        assert_ne!(proof["state"], "refuted", "{proof:#}");
    }
}
