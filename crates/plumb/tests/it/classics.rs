//! Do the built-in plans bonnie, iozone and dd transfer exactly the data of the original programs?

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{json_of, left_in, measured, output_of, plumb_in, refusal_of};

/// Completed operations and bytes of one kind in a step.
fn moved(summary: &Value, step: &str, kind: &str) -> (u64, u64) {
    let steps = summary["steps"].as_array().expect("steps");
    let found = steps
        .iter()
        .find(|found| found["name"] == step)
        .unwrap_or_else(|| panic!("no step {step}"));
    assert_eq!(found["total"]["errors"], 0, "{step}: {found}");
    let operations = &found["operations"][kind];
    (
        operations["count"].as_u64().unwrap_or(0),
        operations["bytes"].as_u64().unwrap_or(0),
    )
}

fn names(summary: &Value) -> Vec<&str> {
    summary["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["name"].as_str())
        .collect()
}

const BONNIE: &str = "run bonnie . --set size=4m --set putc.bytes=64k --set getc.bytes=64k --set seeks.operations=400 --set files=200 --output out";

#[test]
fn bonnie_does_what_bonnie_does() {
    let folder = tempfile::tempdir().expect("folder");
    let summary = measured(plumb_in(folder.path(), &format!("{BONNIE} --json --quiet")));
    let (whole, character) = (4 << 20, 64 << 10);
    assert_eq!(
        moved(&summary, "putc", "write"),
        (8, character),
        "blocks of 8 KiB, each byte by a call of its own"
    );
    assert_eq!(moved(&summary, "put_block", "write"), (512, whole));
    assert_eq!(
        moved(&summary, "rewrite", "rewrite"),
        (512, whole),
        "each chunk read and written back, and counted once"
    );
    assert_eq!(moved(&summary, "getc", "read"), (8, character));
    assert_eq!(moved(&summary, "get_block", "read"), (512, whole));
    for step in ["putc", "put_block", "rewrite"] {
        assert_eq!(
            moved(&summary, step, "fsync").0 + moved(&summary, step, "flush").0,
            1,
            "{step}: the flush at the end is in the time"
        );
    }
    let (reads, rewrites) = (
        moved(&summary, "seeks", "read").0,
        moved(&summary, "seeks", "rewrite").0,
    );
    assert_eq!(reads + rewrites, 400);
    // One in ten, drawn: six standard deviations to both sides.
    assert!((4..=76).contains(&rewrites), "{rewrites} of 400");
    for order in ["seq", "ran"] {
        for (test, kind) in [("create", "create"), ("stat", "stat"), ("del", "delete")] {
            assert_eq!(
                moved(&summary, &format!("{order}_{test}"), kind).0,
                200,
                "{order}_{test}"
            );
        }
    }
    assert_eq!(left_in(folder.path()), ["out"]);
    let shown = output_of(plumb_in(folder.path(), "show out"), 0);
    assert!(
        shown.contains("What the figures include") && shown.contains("system calls, not storage"),
        "{shown}"
    );
    let markdown = output_of(plumb_in(folder.path(), "export out --format markdown"), 0);
    assert!(
        markdown.contains("the cache is not dropped between the tests"),
        "{markdown}"
    );
}

#[test]
fn bonnie_and_its_original_have_the_same_tests() {
    let folder = tempfile::tempdir().expect("folder");
    let original = Command::new("bonnie++")
        .args(["-s", "16", "-r", "0", "-n", "1", "-u", "root", "-q", "-d"])
        .arg(folder.path())
        .output();
    let Ok(original) = original else {
        println!("skipped: bonnie++ is not installed");
        return;
    };
    if !original.status.success() {
        println!(
            "skipped: bonnie++ does not run here: {}",
            String::from_utf8_lossy(&original.stderr).trim()
        );
        return;
    }
    std::fs::write(folder.path().join("original.csv"), &original.stdout).expect("written");
    output_of(
        plumb_in(folder.path(), "import original.csv --output original"),
        0,
    );
    let [run] = left_in(&folder.path().join("original"))
        .try_into()
        .expect("one run");
    let original = json_of(
        plumb_in(folder.path(), &format!("show original/{run} --json")),
        0,
    );
    let dry = json_of(
        plumb_in(folder.path(), &format!("{BONNIE} --dry-run --json")),
        0,
    );
    let planned: Vec<&str> = dry["plan"]["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["name"].as_str())
        .collect();
    // Where a test was too quick for it, bonnie++ tells no figure.
    assert!(
        names(&original).iter().all(|name| planned.contains(name)),
        "{:?} are not all in {planned:?}",
        names(&original)
    );
    assert_eq!(planned.len(), 12);
    // As many files of as many bytes: nothing of bonnie++'s line, taken as it is, is other work.
    let own = BONNIE
        .replace("size=4m", "size=16m")
        .replace("putc.bytes=64k", "putc.bytes=3m")
        .replace("getc.bytes=64k", "getc.bytes=3m");
    let own = own
        .replace("operations=400", "operations=8192")
        .replace("files=200", "files=1024");
    measured(plumb_in(
        folder.path(),
        &format!("{own} --json --quiet --no-report"),
    ));
    // Where all was too quick for it, nothing can be compared.
    let compared = plumb_in(folder.path(), "compare original.csv out --json")
        .output()
        .expect("plumb");
    let comparison: Value = serde_json::from_slice(&compared.stdout).expect("JSON");
    let refused = comparison["refused"].as_array().expect("refused").iter();
    let other_work: Vec<&Value> = refused
        .filter(|refusal| {
            !refusal["reason"]["text"]
                .as_str()
                .expect("a reason")
                .contains("no figure can be stated")
        })
        .collect();
    assert!(other_work.is_empty(), "{other_work:?}");
}

#[test]
fn bonnie_of_old_goes_by_putc_over_the_whole_file() {
    let folder = tempfile::tempdir().expect("folder");
    let old = "--set putc.positioned=true --set putc.engine=stdio --set putc.call-size=0 --set putc.per-character=true --set putc.bytes=1m";
    let summary = measured(plumb_in(
        folder.path(),
        &format!("{BONNIE} {old} --json --quiet").replace(" --set putc.bytes=64k", ""),
    ));
    assert_eq!(moved(&summary, "putc", "write").1, 1 << 20);
    assert_eq!(summary["steps"][0]["engine"], "stdio");
}

#[test]
fn dd_goes_once_through_the_file_in_each_of_its_ways() {
    let folder = tempfile::tempdir().expect("folder");
    let summary = measured(plumb_in(
        folder.path(),
        "run dd . --set size=4m --set block=64k --output out --json --quiet",
    ));
    for step in ["write", "write-fsync", "write-direct", "write-dsync"] {
        assert_eq!(moved(&summary, step, "write"), (64, 4 << 20), "{step}");
    }
    for step in ["read", "read-direct", "read-cold"] {
        assert_eq!(moved(&summary, step, "read"), (64, 4 << 20), "{step}");
    }
    assert_eq!(
        moved(&summary, "write-fsync", "fsync").0 + moved(&summary, "write-fsync", "flush").0,
        1
    );
    assert_eq!(names(&summary).len(), 7);
}

#[test]
fn a_read_that_moves_nothing_is_an_error() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("empty"), "").expect("written");
    let error = refusal_of(plumb_in(
        folder.path(),
        "run --target empty --pattern sequential-read --set passes=1 --output out --quiet",
    ));
    assert!(error.contains("empty"), "{error}");
}

/// The plan iozone with other values in its sweep.
fn own_iozone(folder: &Path, sizes: &str, blocks: &str) {
    let text = output_of(plumb_in(folder, "plans iozone"), 0);
    let (head, rest) = text.split_once("\n[[sweep]]").expect("a sweep");
    let (_, steps) = rest.split_once("\n[defaults]").expect("defaults");
    std::fs::write(
        folder.join("own.toml"),
        format!("{head}\n[sweep]\nsize = {sizes}\nblock = {blocks}\n\n[defaults]{steps}"),
    )
    .expect("written");
}

/// What iozone printed on another machine, and the plan of its name with its sizes given instead of swept: one test by one.
#[test]
fn results_of_iozone_compare_with_the_plan_of_its_name() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(
        folder.path().join("iozone.txt"),
        include_bytes!("../../../../testdata/imported/iozone/a-E.txt"),
    )
    .expect("written");
    measured(plumb_in(
        folder.path(),
        "run iozone . --set size=16m --set block=64k --output out --json --quiet --no-report",
    ));
    let comparison = json_of(plumb_in(folder.path(), "compare iozone.txt out --json"), 0);
    let compared: std::collections::BTreeSet<&str> = comparison["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .filter_map(|cell| cell["group"].as_str())
        .collect();
    assert_eq!(compared.len(), 17, "{compared:?} {}", comparison["refused"]);
    // The tests of iozone -B and -k are not in it.
    let refused: Vec<&str> = comparison["refused"]
        .as_array()
        .expect("refused")
        .iter()
        .filter_map(|refusal| refusal["step"].as_str())
        .collect();
    assert!(
        refused
            .iter()
            .all(|step| step.starts_with("mmap-") || step.starts_with("async-")),
        "{refused:?}"
    );
}

#[test]
fn iozone_moves_each_file_once_in_each_test() {
    let folder = tempfile::tempdir().expect("folder");
    own_iozone(folder.path(), "['64k', '1m']", "['16k', '256k']");
    let summary = measured(plumb_in(
        folder.path(),
        "run own.toml . --output out --json --quiet",
    ));
    let tests = [
        ("write", "write"),
        ("rewrite", "write"),
        ("read", "read"),
        ("reread", "read"),
        ("random-read", "read"),
        ("random-write", "write"),
        ("bkwd-read", "read"),
        ("record-rewrite", "write"),
        ("stride-read", "read"),
        ("fwrite", "write"),
        ("frewrite", "write"),
        ("fread", "read"),
        ("freread", "read"),
        ("pwrite", "write"),
        ("repwrite", "write"),
        ("pread", "read"),
        ("repread", "read"),
        ("mmap-write", "write"),
        ("mmap-read", "read"),
        ("async-write", "write"),
        ("async-read", "read"),
    ];
    for (cell, records, bytes) in [
        ("size=64k block=16k", 4, 64 << 10),
        ("size=1m block=16k", 64, 1 << 20),
        ("size=1m block=256k", 4, 1 << 20),
    ] {
        for (test, kind) in tests {
            assert_eq!(
                moved(&summary, &format!("{test} {cell}"), kind),
                (records, bytes),
                "{test} {cell}"
            );
        }
    }
    assert_eq!(
        (names(&summary).len(), summary["plan"]["left-out"].as_u64()),
        (3 * tests.len(), Some(tests.len() as u64))
    );
    let order: Vec<&str> = names(&summary).into_iter().take(tests.len()).collect();
    assert!(
        order
            .iter()
            .all(|name| name.ends_with("size=64k block=16k")),
        "a cell is finished before the next one begins: {order:?}"
    );
    let shown = output_of(plumb_in(folder.path(), "show out"), 0);
    assert!(
        shown.contains("stride-read, MB/s: size in rows, block in columns"),
        "{shown}"
    );
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).expect("page");
    assert!(
        page.contains("<h2>By two keys</h2>")
            && page.contains("One record is read and 17 are skipped")
    );
}
