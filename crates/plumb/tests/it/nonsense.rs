//! Does invalid input give one clear message with the error, its location and a remedy, and exit code 2?

use crate::{left_in, plumb_in, refusal_of};

/// A command line and what its message must hold.
const NONSENSE: &[(&str, &str)] = &[
    ("run", "nothing to run"),
    ("run depht", "did you mean 'depth'?"),
    ("run missing.toml", "cannot read the plan file"),
    ("run jobs.fio", "jobs.fio: cannot read the job file"),
    (
        "run bad.toml",
        "bad.toml, line 3: unknown key 'dept' (did you mean 'depth'?)",
    ),
    ("run --pattern random-reed", "did you mean 'random-read'?"),
    ("run --pattern random-read --read-percent 50", "contradicts"),
    (
        "run --target . --pattern read",
        "did you mean 'sequential-read' or 'random-read'?",
    ),
    (
        "run --pattern random-read --time -5s",
        "--time -5s: '-5s' is not a time: write a number, not negative",
    ),
    ("check . --time -5s", "'-5s' is not a time"),
    (
        "run --pattern random-read --direct maybe",
        "'maybe' is not a value of direct: choose one of false, true, try",
    ),
    (
        "run rounds.toml",
        "rounds.toml, line 3: 'rounds' is a top-level key; put it at the top of the file",
    ),
    (
        "run --pattern random-read --size 16m --pin 1023",
        "workers cannot run on CPU 1023: this process is limited to CPU",
    ),
    (
        "serve-net --listen foo",
        "write an IP address of this host, such as 10.0.0.5",
    ),
    (
        "layers --files ./missing",
        "./missing: no such directory; create it, or give one",
    ),
    (
        "run missing.toml",
        "start from a built-in plan: plumb plans depth > missing.toml",
    ),
    ("import ./missing", "plumb import --list shows the kinds"),
    (
        "run --target .",
        "nothing to run on .: name a plan (plumb run depth .",
    ),
    ("list --units metric", "choose decimal"),
    ("check . --quick --time 5s", "cannot be used with"),
    ("run --depth 0", "depth = 1"),
    ("run --block 0", "block size of 0"),
    ("run --block 4x", "not a size"),
    ("run --time soon", "not a time"),
    ("run --time 0", "before anything is measured"),
    ("run --workers many", "whole number"),
    ("run --rate 100 --set think-time=1ms", "exclude each other"),
    ("run --rate -5", "closed loop"),
    ("run --arrivals poisson", "needs a rate"),
    ("run --direct --block 1000", "multiples of 512"),
    ("run --engine mmap --direct", "page cache"),
    ("run --engine warp --target null:", "only the engine null"),
    ("run --engine warp", "'warp' is not an engine"),
    ("run --set depth", "key=value"),
    ("run --set dept=3", "did you mean 'depth'?"),
    (
        "run --depth 4 --set nosuch.depth=3",
        "no step or job 'nosuch'",
    ),
    ("run depth here --target there", "two targets"),
    ("run --target ftp://x --depth 4", "choose one of smb"),
    ("run --target null: --pattern create", "give a directory"),
    ("run ./bad.file", "--target ./bad.file"),
    ("run smb://server/share --time 1s", "an address, not a plan"),
    ("check null:", "nothing to check"),
    ("check ./missing", "No such file"),
    ("check . --size tiny", "not a size"),
    ("check . --size 1m", "too small"),
    ("check . --time never", "not a time"),
    ("doctor ./missing", "No such file"),
    ("show ./missing", "no such folder"),
    ("show .", "not a run folder"),
    ("plans dept", "did you mean 'depth'?"),
    ("frobnicate", "unrecognized subcommand"),
    (
        "run randread",
        "'randread' is a pattern, not a plan or a command: set it with --pattern. Run:\n  plumb run --pattern random-read",
    ),
    (
        "run randrw . --size 16m",
        "plumb run --target . --pattern random-mixed --read-percent 50 --size 16m",
    ),
    ("randwrite", "plumb run --pattern random-write"),
    (
        "depth .",
        "'depth' is a plan, not a command: use plumb run. Run:\n  plumb run depth .",
    ),
    (
        "run --rw=randread --bs=4k --iodepth=32 --numjobs=2 --runtime=10 --ioengine=libaio",
        "--rw is --pattern, --bs is --block, --iodepth is --depth, --numjobs is --workers, --runtime is --time, --ioengine is --engine",
    ),
    (
        "run --rw=randread --bs=4k --iodepth=32 --numjobs=2 --runtime=10 --ioengine=libaio",
        "plumb run --pattern random-read --block 4k --depth 32 --workers 2 --time 10s --engine libaio",
    ),
    (
        "run --rw=randread --size=16m --zonemode=zbd",
        "plumb run has no flag for fio's --zonemode",
    ),
    ("run --no-such-flag", "unexpected argument"),
];

#[test]
fn nonsense_is_refused_and_leaves_nothing_behind() {
    for (line, expected) in NONSENSE {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(
            folder.path().join("bad.toml"),
            "[[step]]\nname = 'a'\ndept = 3\n",
        )
        .expect("written");
        std::fs::write(folder.path().join("bad.file"), "precious").expect("written");
        std::fs::write(
            folder.path().join("rounds.toml"),
            "[[step]]\nname = 'a'\nrounds = 3\n",
        )
        .expect("written");
        let error = refusal_of(plumb_in(folder.path(), line));
        assert!(
            error.contains(expected),
            "plumb {line}\nexpected: {expected}\n{error}"
        );
        assert!(!error.contains("panicked"), "plumb {line}\n{error}");
        assert_eq!(
            left_in(folder.path()),
            ["bad.file", "bad.toml", "rounds.toml"],
            "plumb {line}"
        );
    }
}

#[test]
fn sides_with_nothing_in_common_are_refused_in_a_few_lines_that_say_what_to_do() {
    let folder = tempfile::tempdir().expect("folder");
    crate::output_of(
        plumb_in(
            folder.path(),
            "run --target null: --time 50ms --quiet --no-report --output run",
        ),
        0,
    );
    let error = refusal_of(plumb_in(folder.path(), "compare run ref:p3700"));
    assert!(
        error.contains("run and ref:p3700: nothing can be compared")
            && error.contains("plumb list --references p3700 shows which steps were published")
            && error.lines().count() <= 6,
        "{error}"
    );
}

#[test]
fn an_output_folder_that_holds_something_is_left_alone() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("out")).expect("made");
    std::fs::write(folder.path().join("out/precious"), "x").expect("written");
    let error = refusal_of(plumb_in(
        folder.path(),
        "run --target null: --time 100ms --output out",
    ));
    assert!(error.contains("not empty"), "{error}");
    assert_eq!(left_in(&folder.path().join("out")), ["precious"]);
}

#[test]
fn a_run_that_cannot_start_leaves_the_folders_as_they_were() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("mine")).expect("made");
    for output in ["mine", "new/inner"] {
        let line = format!("run --target missing/x --time 100ms --output {output}");
        let error = refusal_of(plumb_in(folder.path(), &line));
        assert!(error.contains("no such directory"), "{error}");
        assert_eq!(left_in(folder.path()), ["mine"], "{output}");
    }
}
