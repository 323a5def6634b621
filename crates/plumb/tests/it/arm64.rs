//! Does the program for arm64 do what this one does: the same bytes for a seed, verified data, records that both read alike, an encrypted share?
//!
//! `./dev test` builds the program (PLUMB_ARM64) and says by what it runs (PLUMB_QEMU): one processor is emulated, so that nothing here is a figure. qemu passes
//! no rings on: io_uring and libaio need an emulated machine.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

use crate::samba::{PASSWORD, Samba, is_installed};
use crate::{json_of, measured, output_of, plumb_in};

/// The program for arm64 with these words; `None`, with the reason printed, where it was not built.
fn on_arm64(folder: &Path, line: &str) -> Option<Command> {
    let named = |name: &str| std::env::var_os(name);
    let (Some(qemu), Some(program)) = (named("PLUMB_QEMU"), named("PLUMB_ARM64")) else {
        println!(
            "skipped: PLUMB_QEMU and PLUMB_ARM64 do not say where qemu-aarch64 and plumb for arm64 are: ./dev test sets them"
        );
        return None;
    };
    let mut command = Command::new(qemu);
    command
        .arg(program)
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("PLUMB_LANGUAGE", "en");
    Some(command)
}

#[test]
fn a_seed_writes_the_same_bytes_on_arm64() {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    for content in [
        "random",
        "random --set compress-percent=40 --set dedupe-percent=25",
    ] {
        let line = |name: &str| {
            format!(
                "run --target {name} --pattern random-write --block 4k --size 1m --operations 180 --seed 7 --engine sync --overwrite --quiet --no-report --output {name}.run --set content={content}"
            )
        };
        let Some(theirs) = on_arm64(place, &line("theirs")) else {
            return;
        };
        for name in ["ours", "theirs"] {
            fs::write(place.join(name), vec![0; 1 << 20]).expect("file");
        }
        output_of(plumb_in(place, &line("ours")), 0);
        output_of(theirs, 0);
        let [ours, theirs] = ["ours", "theirs"].map(|name| {
            let _ = fs::remove_dir_all(place.join(format!("{name}.run")));
            fs::read(place.join(name)).expect("read")
        });
        let blocks = ours
            .chunks(4096)
            .filter(|block| block.iter().any(|byte| *byte != 0));
        assert_eq!(blocks.count(), 180, "{content}");
        assert!(ours == theirs, "{content}: the files differ");
    }
}

#[test]
fn engines_verify_on_arm64_and_their_records_are_read_alike() {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path();
    for engine in ["sync", "mmap", "stdio"] {
        let line = format!(
            "run --target . --engine {engine} --mix read:50,write:50 --block 4k --size 4m --operations 2000 --workers 2 --set layout=own --verify --seed 9 --quiet --no-report --output {engine}"
        );
        let Some(run) = on_arm64(place, &line) else {
            return;
        };
        measured_there(run);
        let show = format!("show {engine} --json");
        let here = json_of(plumb_in(place, &show), 0);
        let there = json_of(on_arm64(place, &show).expect("it is there"), 0);
        assert!(here == there, "{engine}: the record is not read alike");
        let step = &here["steps"][0];
        assert_eq!(step["total"]["count"], 2000, "{step:#}");
        assert_eq!(step["total"]["errors"], 0, "{step:#}");
        assert_eq!(here["environment"]["host.architecture"]["text"], "aarch64");
    }
    measured(plumb_in(
        place,
        "run --target . --engine sync --mix read:50,write:50 --block 4k --size 4m --operations 2000 --seed 9 --json --quiet --no-report --output ours",
    ));
    for line in ["show ours --json", "compare ours sync --any-work --json"] {
        let there = json_of(on_arm64(place, line).expect("it is there"), 0);
        assert!(json_of(plumb_in(place, line), 0) == there, "{line}");
    }
}

/// A run of the program for arm64 that ends well: emulation is a finding of its own.
fn measured_there(mut run: Command) {
    let output = run.output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{error}");
}

#[test]
fn an_encrypted_share_is_verified_from_arm64() {
    if !is_installed() {
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let server = Samba::start(&[]);
    let line = format!(
        "run --target {} --mix read:50,write:50 --block 16k --size 2m --operations 200 --depth 4 --verify --set encryption=true --seed 5 --quiet --no-report --output run",
        server.address("share")
    );
    let Some(mut run) = on_arm64(folder.path(), &line) else {
        return;
    };
    run.env("PLUMB_PASSWORD", PASSWORD);
    measured_there(run);
    let step = &json_of(plumb_in(folder.path(), "show run --json"), 0)["steps"][0];
    assert_eq!(step["total"]["count"], 200, "{step:#}");
    assert_eq!(step["total"]["errors"], 0, "{step:#}");
}
