//! Is every failed I/O reported with its error number, and no other? Every fault with every engine, verified and not, on a file system that breaks on purpose.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use plumb_model::run::Event;
use serde_json::Value;

use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::random::Random;

const BLOCK: u32 = 4096;
/// Blocks of the file, each of them read or written once.
const BLOCKS: u64 = 2048;

/// How an engine does I/O, and which faults it can see.
struct Engine {
    name: &'static str,
    /// Lines of the plan, one of them by chance.
    flags: &'static [&'static str],
    /// Without page cache each operation is one call of the file system; a mapping needs it.
    cached: bool,
    /// How a short write is reported; nothing if the C library continues where one ended. The kernel makes EIO of a short asynchronous direct write
    /// (fuse_get_res_by_io in fs/fuse/file.c).
    short_write: Option<&'static str>,
    /// The same of a short read.
    short_read: Option<&'static str>,
}

const ENGINES: &[Engine] = &[
    Engine {
        name: "io_uring",
        flags: &[
            "depth = 1\ndirect = true\n",
            "depth = 8\ndirect = true\n",
            "depth = 32\nworkers = 2\ndirect = true\n",
        ],
        cached: false,
        short_write: Some("EIO"),
        short_read: Some("short"),
    },
    Engine {
        name: "sync",
        flags: &[
            "workers = 1\ndirect = true\n",
            "workers = 2\ndirect = true\n",
            "workers = 4\ndirect = true\n",
        ],
        cached: false,
        short_write: Some("short"),
        short_read: Some("short"),
    },
    Engine {
        name: "stdio",
        flags: &["", "workers = 2\n"],
        cached: false,
        short_write: None,
        short_read: None,
    },
    Engine {
        name: "mmap",
        flags: &["", "workers = 2\n"],
        cached: true,
        short_write: None,
        short_read: None,
    },
];

/// What goes wrong, and in what.
#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Error(Call, i32, &'static str),
    Short(Call),
    /// Only who verifies can see it.
    Flipped,
    Lost,
    Torn,
}

const WRONGS: &[Wrong] = &[
    Wrong::Error(Call::Read, libc::EIO, "EIO"),
    Wrong::Error(Call::Read, libc::ENODATA, "ENODATA"),
    Wrong::Short(Call::Read),
    Wrong::Flipped,
    Wrong::Error(Call::Write, libc::EIO, "EIO"),
    Wrong::Error(Call::Write, libc::ENOSPC, "ENOSPC"),
    Wrong::Error(Call::Write, libc::EDQUOT, "EDQUOT"),
    Wrong::Short(Call::Write),
    Wrong::Lost,
    Wrong::Torn,
    Wrong::Error(Call::Fsync, libc::EIO, "EIO"),
];

impl Wrong {
    fn call(self) -> Call {
        match self {
            Wrong::Error(call, ..) | Wrong::Short(call) => call,
            Wrong::Flipped => Call::Read,
            Wrong::Lost | Wrong::Torn => Call::Write,
        }
    }

    fn words(self) -> String {
        match self {
            Wrong::Error(call, _, name) => format!("{name} of {call:?}"),
            Wrong::Short(call) => format!("short {call:?}"),
            Wrong::Flipped => "bit of a Read".into(),
            Wrong::Lost => "lost Write".into(),
            Wrong::Torn => "torn Write".into(),
        }
    }

    /// How one of them is reported; nothing if it is not visible.
    fn told_as(self, engine: &Engine, verify: bool) -> Option<&'static str> {
        match self {
            Wrong::Error(_, _, name) => Some(name),
            Wrong::Short(Call::Read) => engine.short_read,
            Wrong::Short(_) => engine.short_write,
            Wrong::Flipped | Wrong::Lost | Wrong::Torn => verify.then_some("mismatch"),
        }
    }

    /// The page cache reads ahead, tries again what failed, and writes back what and when it wants: there only what is read wrong can be counted.
    fn can_be_counted(self, engine: &Engine) -> bool {
        !engine.cached || self == Wrong::Flipped
    }

    fn fault(self, engine: &Engine, random: &mut Random) -> Fault {
        let effect = match self {
            Wrong::Error(_, number, _) => Effect::Error(number),
            Wrong::Short(_) => Effect::Short(512 * (1 + random.below(7)) as u32),
            Wrong::Flipped => Effect::FlipBit(random.below(u64::from(BLOCK)) as usize),
            Wrong::Lost => Effect::Lost,
            Wrong::Torn => Effect::Torn(512 * (1 + random.below(7)) as u32),
        };
        match self.call() {
            Call::Fsync => Fault::every(Call::Fsync, 3 + random.below(20), effect),
            _ if engine.cached => Fault::every(self.call(), 3 + random.below(10), effect),
            call => Fault::every(call, 20 + random.below(200), effect).of_size(BLOCK),
        }
    }
}

/// Tries all of them. Errors: no FUSE file system can be mounted, or plumb not be started.
pub fn faults(random: &mut Random) -> Result<bool, String> {
    let (mut tried, mut broken) = (0, Vec::new());
    println!("faults: engine, verified, what goes wrong, how often, told as");
    for engine in ENGINES {
        for verify in [true, false] {
            for wrong in WRONGS
                .iter()
                .copied()
                .filter(|wrong| wrong.can_be_counted(engine))
            {
                let (seed, flags) = (random.0, *random.one_of(engine.flags));
                let (injected, told, expected) = one(engine, flags, verify, wrong, random)?;
                tried += 1;
                let shown = |of: &BTreeMap<String, u64>| {
                    of.iter()
                        .map(|(name, count)| format!("{count} {name}"))
                        .collect::<Vec<_>>()
                        .join(", ")
                };
                let sign = if told == expected { "" } else { "  BROKEN" };
                println!(
                    "  {:<9} {verify:<6} {:<16} {injected:>4}  {}{sign}",
                    engine.name,
                    wrong.words(),
                    shown(&told)
                );
                if injected == 0 {
                    broken.push(format!(
                        "{} {verify} {} (state {seed}): nothing was injected",
                        engine.name,
                        wrong.words()
                    ));
                }
                if told != expected {
                    let case = format!(
                        "{} verify={verify} {} (state {seed}, {flags:?})",
                        engine.name,
                        wrong.words()
                    );
                    broken.push(format!(
                        "{case}: {} were injected, {} expected, {} told",
                        injected,
                        shown(&expected),
                        shown(&told)
                    ));
                }
            }
        }
    }
    broken.iter().for_each(|what| println!("  BROKEN: {what}"));
    println!("faults: {tried} tried, promises broken: {}", broken.len());
    Ok(broken.is_empty())
}

/// How many were injected; what was reported, by name; what should have been. Operations in neither count, and errors at offsets where nothing was
/// injected, are reported by separate names.
type Outcome = (u64, BTreeMap<String, u64>, BTreeMap<String, u64>);

fn one(
    engine: &Engine,
    flags: &str,
    verify: bool,
    wrong: Wrong,
    random: &mut Random,
) -> Result<Outcome, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let broken = FaultFs::mount(Options {
        always_direct: !engine.cached,
        ..Options::default()
    })
    .ok_or("no FUSE file system")?;
    broken.inject(wrong.fault(engine, random));
    let steps: &[&str] = match wrong {
        Wrong::Lost | Wrong::Torn => &["write", "read"],
        _ if wrong.call() == Call::Read => &["read"],
        _ => &["write"],
    };
    let more = if wrong.call() == Call::Fsync {
        "fsync-every = 8\n"
    } else {
        ""
    };
    let summary = run(
        folder.path(),
        &broken,
        engine.name,
        &format!("{flags}{more}verify = {verify}\n"),
        steps,
    )?;
    let injected = broken.injected(wrong.call());
    let expected = wrong
        .told_as(engine, verify)
        .filter(|_| injected > 0)
        .map(|name| (name.to_string(), injected));
    let mut told = BTreeMap::new();
    let mut tell = |name: &str, count: u64| {
        if count > 0 {
            *told.entry(name.to_string()).or_default() += count;
        }
    };
    for step in summary["steps"].as_array().into_iter().flatten() {
        // Flushes between the writes are operations too.
        let mut all = 0;
        for operation in step["operations"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, operation)| operation)
        {
            all += operation["count"].as_u64().unwrap_or(0);
            for (name, count) in operation["errors_by_kind"]
                .as_object()
                .into_iter()
                .flatten()
            {
                all += count.as_u64().unwrap_or(0);
                tell(name, count.as_u64().unwrap_or(0));
            }
        }
        tell("operations too few or too many", all.abs_diff(BLOCKS));
        for failure in step["write_back_failures"].as_array().into_iter().flatten() {
            tell(failure["error"].as_str().unwrap_or("nameless"), 1);
        }
    }
    let run =
        plumb_record::read_run(&folder.path().join("out")).map_err(|error| error.to_string())?;
    let places: Vec<u64> = broken
        .injections()
        .iter()
        .map(|injection| injection.offset)
        .collect();
    let elsewhere = run.notes.iter().filter(|note| match &note.event {
        Event::Mismatch { offset, .. } => !engine.cached && !places.contains(offset),
        _ => false,
    });
    tell(
        "mismatches where nothing was injected",
        elsewhere.count() as u64,
    );
    Ok((injected, told, expected.into_iter().collect()))
}

/// Every block once, in steps as they are asked for.
fn run(
    folder: &Path,
    broken: &FaultFs,
    engine: &str,
    flags: &str,
    steps: &[&str],
) -> Result<Value, String> {
    let steps = steps
        .iter()
        .map(|mix| format!("[[step]]\nname = \"{mix}\"\nmix = \"{mix}\"\n"));
    let plan = format!(
        "name = \"faults\"\ntitle = \"Is every fault found?\"\n[defaults]\ntarget = \"{}\"\nengine = \"{engine}\"\nblock = \"4k\"\nsize = \"8m\"\nseed = 7\n\
         offsets = \"sequential\"\nlayout = \"stream\"\noperations = {BLOCKS}\n{flags}{}",
        broken.path().display(),
        steps.collect::<String>()
    );
    std::fs::write(folder.join("faults.toml"), plan).map_err(|error| error.to_string())?;
    let output = Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args([
            "run",
            "faults.toml",
            "--json",
            "--quiet",
            "--no-report",
            "--output",
            "out",
        ])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("plumb cannot be started: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "{engine} {flags}: no JSON: {error}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}
