//! Is every failed I/O reported with its error number, and none invented? Each engine on a file system that injects faults.

use std::path::Path;

use serde_json::Value;

use crate::fault_fs::{Call, Effect, Fault, FaultFs, Options};
use crate::{fixtures, plumb_in};

const BLOCK: u32 = 4096;
/// Blocks of the file.
const BLOCKS: u64 = 2048;

/// How an engine is asked to do I/O, and what it can see of faults.
struct Asked {
    engine: &'static str,
    flags: &'static str,
    /// Without page cache each operation is one call of the file system; a mapping needs it.
    cached: bool,
    /// What a short write is told as; missing where the C library goes on where one ended. The kernel makes EIO of a short asynchronous direct write
    /// (fuse_get_res_by_io in fs/fuse/file.c).
    short_write: Option<&'static str>,
}

const ENGINES: &[Asked] = &[
    Asked {
        engine: "io_uring",
        flags: "depth = 8\ndirect = true\n",
        cached: false,
        short_write: Some("EIO"),
    },
    Asked {
        engine: "sync",
        flags: "workers = 2\ndirect = true\n",
        cached: false,
        short_write: Some("short"),
    },
    Asked {
        engine: "stdio",
        flags: "",
        cached: false,
        short_write: None,
    },
    Asked {
        engine: "mmap",
        flags: "",
        cached: true,
        short_write: None,
    },
];

/// Every block once, in two steps as they are asked for, by one engine on the broken file system, verified.
fn run(folder: &Path, broken: &FaultFs, asked: &Asked, steps: &[&str]) -> Value {
    let steps = steps
        .iter()
        .map(|mix| format!("[[step]]\nname = \"{mix}\"\nmix = \"{mix}\"\n"));
    let plan = format!(
        "name = \"faults\"\ntitle = \"Is every fault found?\"\n[defaults]\ntarget = \"{}\"\nengine = \"{}\"\nverify = true\nblock = \"4k\"\nsize = \"8m\"\nseed = 7\noffsets = \"sequential\"\nlayout = \"stream\"\n\
         operations = {BLOCKS}\n{}{}",
        broken.path().display(),
        asked.engine,
        asked.flags,
        steps.collect::<String>()
    );
    std::fs::write(folder.join("faults.toml"), plan).expect("written");
    let output = plumb_in(
        folder,
        &format!(
            "run faults.toml --json --quiet --no-report --output {}-{}",
            asked.engine,
            Path::new(broken.path())
                .file_name()
                .expect("a name")
                .display()
        ),
    )
    .output()
    .expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|wrong| {
        panic!(
            "{}: JSON alone on standard output: {wrong}\n{error}",
            asked.engine
        )
    })
}

/// Mounts one that does what the engine needs.
fn mounted(asked: &Asked) -> Option<FaultFs> {
    FaultFs::mount(Options {
        always_direct: !asked.cached,
        ..Options::default()
    })
}

/// How many operations of a step were wrong, by the name of the error; what is not named there did not happen.
fn wrong(summary: &Value, step: usize, kind: &str) -> Vec<(String, u64)> {
    let operation = &summary["steps"][step]["operations"][kind];
    let by_kind = operation["errors_by_kind"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let mut wrong: Vec<_> = by_kind
        .into_iter()
        .map(|(name, count)| (name, count.as_u64().expect("a count")))
        .collect();
    wrong.sort();
    let sum: u64 = wrong.iter().map(|(_, count)| count).sum();
    assert_eq!(operation["errors"], sum, "{operation}");
    assert_eq!(
        operation["count"].as_u64().expect("count") + sum,
        BLOCKS,
        "{operation}"
    );
    wrong
}

/// What was injected, by the name of the error that it must be told as.
fn injected(broken: &FaultFs, call: Call) -> Vec<(String, u64)> {
    let mut by_name = std::collections::BTreeMap::new();
    for injection in broken
        .injections()
        .iter()
        .filter(|injection| injection.call == call)
    {
        let name = match injection.effect {
            Effect::Error(libc::EIO) => "EIO",
            Effect::Error(libc::ENOSPC) => "ENOSPC",
            // What Linux makes of a sector that a disk cannot read any more.
            Effect::Error(libc::ENODATA) => "ENODATA",
            Effect::Short(_) => "short",
            Effect::FlipBit(_) | Effect::Lost | Effect::Torn(_) => "mismatch",
            _ => panic!("{injection:?}"),
        };
        *by_name.entry(name.to_string()).or_default() += 1;
    }
    by_name.into_iter().collect()
}

#[test]
fn every_fault_of_reads_is_told_and_none_is_invented() {
    let folder = tempfile::tempdir().expect("folder");
    for asked in ENGINES {
        let Some(broken) = mounted(asked) else { return };
        // What the page cache reads ahead is no single block, and an error of it is tried again.
        if asked.cached {
            broken.inject(Fault::every(Call::Read, 5, Effect::FlipBit(1000)));
        } else {
            broken.inject(Fault::every(Call::Read, 97, Effect::FlipBit(1000)).of_size(BLOCK));
            broken.inject(Fault::every(Call::Read, 101, Effect::Error(libc::EIO)).of_size(BLOCK));
            broken
                .inject(Fault::every(Call::Read, 89, Effect::Error(libc::ENODATA)).of_size(BLOCK));
        }
        if asked.short_write.is_some() {
            broken.inject(Fault::every(Call::Read, 103, Effect::Short(512)).of_size(BLOCK));
        }
        let summary = run(folder.path(), &broken, asked, &["read"]);
        assert!(broken.injected(Call::Read) > 0, "{}", asked.engine);
        assert_eq!(
            wrong(&summary, 0, "read"),
            injected(&broken, Call::Read),
            "{}",
            asked.engine
        );
    }
}

#[test]
fn every_fault_of_writes_is_told_and_none_is_invented() {
    let folder = tempfile::tempdir().expect("folder");
    for asked in ENGINES.iter().filter(|asked| !asked.cached) {
        let Some(broken) = mounted(asked) else { return };
        broken.inject(Fault::every(Call::Write, 97, Effect::Error(libc::EIO)).of_size(BLOCK));
        broken.inject(Fault::every(Call::Write, 101, Effect::Error(libc::ENOSPC)).of_size(BLOCK));
        if asked.short_write.is_some() {
            broken.inject(Fault::every(Call::Write, 103, Effect::Short(512)).of_size(BLOCK));
        }
        let summary = run(folder.path(), &broken, asked, &["write"]);
        assert!(broken.injected(Call::Write) > 0, "{}", asked.engine);
        let mut expected = std::collections::BTreeMap::new();
        for (name, count) in injected(&broken, Call::Write) {
            let name = if name == "short" {
                asked.short_write.expect("injected").into()
            } else {
                name
            };
            *expected.entry(name).or_insert(0) += count;
        }
        assert_eq!(
            wrong(&summary, 0, "write"),
            Vec::from_iter(expected),
            "{}",
            asked.engine
        );
    }
}

#[test]
fn writes_that_were_acknowledged_and_lost_are_found_when_they_are_read() {
    let folder = tempfile::tempdir().expect("folder");
    for asked in ENGINES.iter().filter(|asked| !asked.cached) {
        let Some(broken) = mounted(asked) else { return };
        broken.inject(Fault::every(Call::Write, 97, Effect::Lost).of_size(BLOCK));
        broken.inject(Fault::every(Call::Write, 101, Effect::Torn(2048)).of_size(BLOCK));
        let summary = run(folder.path(), &broken, asked, &["write", "read"]);
        assert!(broken.injected(Call::Write) > 0, "{}", asked.engine);
        assert_eq!(wrong(&summary, 0, "write"), [], "{}", asked.engine);
        assert_eq!(
            wrong(&summary, 1, "read"),
            injected(&broken, Call::Write),
            "{}",
            asked.engine
        );
    }
}

/// Random writes through the page cache into a file that is there already, so that nothing is written before the step.
fn write_through_the_cache(
    folder: &Path,
    broken: &FaultFs,
    engine: &str,
    output: &str,
) -> (Option<i32>, Value) {
    let target = broken.path().join("data");
    let line = format!(
        "run --target {} --overwrite --engine {engine} --pattern random-write --block 4k --size 1m --operations 400 --direct=false --json --quiet --output {output}",
        target.display()
    );
    let output = plumb_in(folder, &line).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    let summary = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|wrong| panic!("{engine}: {wrong}\n{error}"));
    (output.status.code(), summary)
}

fn with_a_file(options: Options) -> Option<FaultFs> {
    let broken = FaultFs::mount(options)?;
    std::fs::write(broken.path().join("data"), vec![1; 1 << 20]).expect("written");
    std::fs::File::open(broken.path().join("data"))
        .and_then(|file| file.sync_all())
        .expect("synced");
    Some(broken)
}

fn write_back_failures(summary: &Value) -> Vec<(String, String)> {
    let told = summary["steps"][0]["write_back_failures"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    told.iter()
        .map(|failure| (text(&failure["call"]), text(&failure["error"])))
        .collect()
}

#[test]
fn write_back_that_fails_after_the_step_is_severe() {
    let folder = tempfile::tempdir().expect("folder");
    for (engine, call) in [
        ("io_uring", "close"),
        ("sync", "close"),
        ("stdio", "close"),
        ("mmap", "msync"),
    ] {
        let Some(broken) = with_a_file(Options {
            write_back_cache: true,
            ..Options::default()
        }) else {
            return;
        };
        let (code, summary) =
            write_through_the_cache(folder.path(), &broken, engine, &format!("{engine}-sound"));
        assert_eq!(
            (write_back_failures(&summary), code),
            (vec![], Some(0)),
            "{engine}"
        );
        broken.inject(Fault::always(Call::Write, Effect::Error(libc::EIO)));
        let (code, summary) = write_through_the_cache(folder.path(), &broken, engine, engine);
        assert!(broken.injected(Call::Write) > 0, "{engine}");
        assert_eq!(
            summary["steps"][0]["total"]["errors"], 0,
            "{engine}: the writes were acknowledged"
        );
        let told = write_back_failures(&summary);
        assert!(
            told.contains(&(call.into(), "EIO".into())),
            "{engine}: {told:?}"
        );
        assert_eq!(
            (&summary["findings"][0]["rule"], code),
            (&Value::from("write_back_failed"), Some(1)),
            "{engine}"
        );
        let first = summary["verdict"][0]["text"].as_str().expect("a sentence");
        assert!(first.starts_with("Data was lost: "), "{engine}: {first}");
        let page = std::fs::read_to_string(folder.path().join(engine).join("report.html"))
            .expect("the page");
        assert!(
            page.find("Data was lost: ").expect("told")
                < page.find("id=\"findings\"").expect("findings"),
            "{engine}"
        );
    }
}

#[test]
fn what_only_fsync_or_close_tells_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    let faults = [
        (
            "fsync",
            "ENOSPC",
            Fault::nth(Call::Write, 100, Effect::FailAtFsync(libc::ENOSPC)),
        ),
        (
            "close",
            "EDQUOT",
            Fault::always(Call::Close, Effect::Error(libc::EDQUOT)).of_name("data"),
        ),
    ];
    for engine in ["io_uring", "sync", "stdio"] {
        for (call, error, fault) in &faults {
            let Some(broken) = with_a_file(Options::default()) else {
                return;
            };
            broken.inject(fault.clone());
            let (code, summary) = write_through_the_cache(
                folder.path(),
                &broken,
                engine,
                &format!("{engine}-{call}"),
            );
            assert_eq!(
                write_back_failures(&summary),
                [(call.to_string(), error.to_string())],
                "{engine}"
            );
            assert_eq!(code, Some(1), "{engine} {call}");
        }
    }
}

#[test]
fn a_thin_volume_that_fills_up_is_lost_data() {
    if !fixtures::may_mount("a thinly provisioned volume") {
        return;
    }
    let store = fixtures::Mounted::tmpfs("size=24m");
    let image = store.path().join("image");
    std::fs::File::create(&image)
        .and_then(|file| file.set_len(256 << 20))
        .expect("an image");
    fixtures::run(
        "mkfs.ext4",
        &["-q", "-O", "^has_journal", image.to_str().expect("a name")],
    )
    .expect("a file system");
    let device = fixtures::run(
        "losetup",
        &["-f", "--show", image.to_str().expect("a name")],
    )
    .expect("a loop device");
    let folder = tempfile::tempdir().expect("folder");
    let mounted = fixtures::Mounted::device(Path::new(&device)).expect("mounted");
    let target = mounted.path().join("data");
    std::fs::File::create(&target)
        .and_then(|file| file.set_len(100 << 20))
        .expect("a file of holes");
    let line = format!(
        "run --target {} --overwrite --engine sync --pattern sequential-write --block 64k --operations 1600 --direct=false --json --quiet --no-report --output out",
        target.display()
    );
    let output = plumb_in(folder.path(), &line).output().expect("started");
    drop(mounted);
    let _ = fixtures::run("losetup", &["-d", &device]);
    let summary: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|wrong| panic!("{wrong}: {output:?}"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        summary["findings"][0]["rule"], "write_back_failed",
        "{}",
        summary["findings"]
    );
    let (call, error) = write_back_failures(&summary).remove(0);
    assert!(
        call == "fsync" && ["EIO", "ENOSPC"].contains(&error.as_str()),
        "{call}: {error}"
    );
}

#[test]
fn errors_of_the_warm_up_are_told_and_are_in_no_figure() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(broken) = FaultFs::mount(Options {
        always_direct: true,
        ..Options::default()
    }) else {
        return;
    };
    broken.inject(Fault::nth(Call::Read, 5, Effect::Error(libc::EIO)).of_size(BLOCK));
    let line = format!(
        "run --target {} --engine sync --direct --pattern random-read --block 4k --size 1m --warm-up 2s --time 300ms --json --quiet --no-report --output out",
        broken.path().display()
    );
    let output = plumb_in(folder.path(), &line).output().expect("started");
    let summary: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|wrong| panic!("{wrong}: {output:?}"));
    assert_eq!(broken.injected(Call::Read), 1);
    assert_eq!(summary["steps"][0]["total"]["errors"], 0);
    assert_eq!(
        summary["steps"][0]["warm_up_errors"],
        serde_json::json!({ "EIO": 1 })
    );
    let findings = summary["findings"].as_array().expect("findings");
    let told = findings
        .iter()
        .find(|finding| finding["rule"] == "errors_occurred")
        .expect("a finding");
    assert!(
        told["claim"]["text"]
            .as_str()
            .is_some_and(|claim| claim.starts_with("1 operation failed in the warm-up of")),
        "{told}"
    );
    assert!(
        summary["verdict"]
            .to_string()
            .contains("1 operation failed in the warm-up."),
        "{}",
        summary["verdict"]
    );
}

#[test]
fn a_run_on_storage_that_hangs_can_be_stopped_and_is_recorded() {
    stopped_while_it_hangs(8);
}

#[test]
fn a_run_that_waits_for_its_only_operation_can_be_stopped_and_is_recorded() {
    stopped_while_it_hangs(1);
}

fn stopped_while_it_hangs(depth: u32) {
    let folder = tempfile::tempdir().expect("folder");
    let Some(broken) = FaultFs::mount(Options::default()) else {
        return;
    };
    broken.inject(Fault::nth(Call::Read, 200, Effect::Hang).of_size(BLOCK));
    let line = format!(
        "run --target {} --engine io_uring --direct --depth {depth} --pattern random-read --block 4k --size 4m --time 3s --quiet --no-report --output out",
        broken.path().display()
    );
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    command
        .args(line.split(' '))
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("started");
    let until = |what: &dyn Fn() -> bool| {
        (0..3000).any(|_| {
            what() || {
                std::thread::sleep(std::time::Duration::from_millis(20));
                false
            }
        })
    };
    assert!(until(&|| broken.hanging() == 1), "the fault was injected");
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
    let notes =
        || std::fs::read_to_string(folder.path().join("out/notes.jsonl")).unwrap_or_default();
    let recorded = until(&|| notes().contains("\"event\":\"finished\""));
    assert_eq!(broken.hanging(), 1, "the storage still hangs");
    // The kernel lets no thread go that has an operation on it.
    broken.release();
    let output = child.wait_with_output().expect("ended");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(recorded, "{error}\n{}", notes());
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(
        notes().contains("storage-hangs") && notes().contains("operations-never-came-back"),
        "{}",
        notes()
    );
}

#[test]
fn lost_writes_of_a_mapping_are_counted_block_by_block_when_they_are_read_cold() {
    let folder = tempfile::tempdir().expect("folder");
    let asked = ENGINES
        .iter()
        .find(|asked| asked.engine == "mmap")
        .expect("listed");
    let Some(broken) = FaultFs::mount(Options {
        write_back_cache: true,
        ..Options::default()
    }) else {
        return;
    };
    // What lays the file out goes to the file system whole before the step begins.
    let laid_out = 8 << 20;
    broken.inject(Fault::after_bytes(Call::Write, laid_out, 3, Effect::Lost));
    let summary = run(
        folder.path(),
        &broken,
        &Asked {
            flags: "cold = true\n",
            ..*asked
        },
        &["write", "read"],
    );
    let lost: u64 = broken
        .injections()
        .iter()
        .map(|injection| u64::from(injection.size / BLOCK))
        .sum();
    assert!(lost > 0, "nothing was injected");
    assert_eq!(wrong(&summary, 0, "write"), []);
    assert_eq!(wrong(&summary, 1, "read"), [("mismatch".to_string(), lost)]);
}

#[test]
fn what_is_only_written_is_read_back_at_the_end() {
    let folder = tempfile::tempdir().expect("folder");
    let asked = &ENGINES[0];
    let Some(broken) = mounted(asked) else { return };
    broken.inject(Fault::every(Call::Write, 97, Effect::Lost).of_size(BLOCK));
    let summary = run(folder.path(), &broken, asked, &["write"]);
    let lost = injected(&broken, Call::Write);
    assert!(!lost.is_empty(), "nothing was injected");
    assert_eq!(wrong(&summary, 0, "write"), []);
    assert_eq!(summary["steps"][1]["name"], "write verify");
    assert_eq!(wrong(&summary, 1, "read"), lost);
}

#[test]
fn a_verified_mapping_whose_write_back_fails_is_not_said_to_be_right() {
    let folder = tempfile::tempdir().expect("folder");
    let asked = ENGINES
        .iter()
        .find(|asked| asked.engine == "mmap")
        .expect("listed");
    let Some(broken) = FaultFs::mount(Options {
        write_back_cache: true,
        ..Options::default()
    }) else {
        return;
    };
    broken.inject(Fault::after_bytes(
        Call::Write,
        8 << 20,
        1,
        Effect::Error(libc::EIO),
    ));
    let summary = run(folder.path(), &broken, asked, &["write"]);
    assert!(broken.injected(Call::Write) > 0, "nothing was injected");
    assert_eq!(wrong(&summary, 0, "write"), []);
    assert!(
        write_back_failures(&summary).contains(&("msync".into(), "EIO".into())),
        "{:?}",
        write_back_failures(&summary)
    );
    let record = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.is_dir());
    let notes =
        std::fs::read_to_string(record.expect("a record").join("notes.jsonl")).expect("notes");
    assert!(
        notes.contains("\"verified-before-loss\"") && !notes.contains("\"verified-all\""),
        "{notes}"
    );
}
