//! Do rounds end when the tracked results are steady, and are sets of small files created and accessed as in bonnie++?

use serde_json::Value;

use crate::{left_in, measured, output_of, plumb_in, refusal_of};

/// Rounds of a step of writes and one of reads on a small file, after it was written once from end to end.
fn plan(most: u32, percent: &str) -> String {
    format!(
        "name = 'short'\ntitle = 'Does it end?'\nrounds = {most}\norder = 'interleaved'\n\
         [steady]\nsteps = ['write']\nwindow = 3\ndata-excursion-percent = {percent}\nslope-excursion-percent = {percent}\n\
         [defaults]\nsize = '4m'\ntime = '50ms'\ninterval = '10ms'\ntarget = './x'\n\
         [[step]]\nname = 'fill'\nonce = true\npattern = 'sequential-write'\nblock = '64k'\nbytes = '8m'\ntime = '60s'\n\
         [[step]]\nname = 'write'\npattern = 'random-write'\n[[step]]\nname = 'read'\npattern = 'random-read'\n"
    )
}

fn run(folder: &std::path::Path, most: u32, percent: &str) -> Value {
    std::fs::write(folder.join("p.toml"), plan(most, percent)).expect("written");
    measured(plumb_in(folder, "run p.toml --json --quiet --output out"))
}

#[test]
fn rounds_end_when_the_tracked_figure_is_steady() {
    let folder = tempfile::tempdir().expect("folder");
    // Three rounds of positive values never differ by more than three times their average.
    let summary = run(folder.path(), 50, "300");
    let steady = &summary["steady"];
    assert_eq!(
        (&steady["reached"], &steady["rounds"], &steady["window"]),
        (&true.into(), &3.into(), &serde_json::json!([0, 2]))
    );
    let [fill, write, read] = summary["steps"].as_array().expect("steps").as_slice() else {
        panic!("three steps")
    };
    assert_eq!(
        (
            fill["rounds"].as_array().map(Vec::len),
            fill["total"]["bytes"].as_u64()
        ),
        (Some(1), Some(8 << 20))
    );
    for step in [write, read] {
        assert_eq!(step["rounds"].as_array().map(Vec::len), Some(3));
    }
    assert_eq!(steady["steps"][0]["name"], "write");
    assert_eq!(steady["steps"][0]["values"][1], write["rounds"][1]["iops"]);
    let shown = output_of(plumb_in(folder.path(), "show out"), 0);
    assert!(
        shown.contains("Steady after round 3 of at most 50: 'write' averaged "),
        "{shown}"
    );
    let report = std::fs::read_to_string(folder.path().join("out/report.html")).expect("report");
    assert!(report.contains("Rounds in order"));
}

#[test]
fn a_figure_that_is_never_steady_is_told_after_the_most_rounds() {
    let folder = tempfile::tempdir().expect("folder");
    let summary = run(folder.path(), 4, "0.000001");
    let steady = &summary["steady"];
    assert_eq!(
        (&steady["reached"], &steady["rounds"], &steady["window"]),
        (&false.into(), &4.into(), &serde_json::json!([1, 3]))
    );
    let write = &summary["steps"][1];
    let left_out: Vec<bool> = write["rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .map(|round| round["left_out"] == true)
        .collect();
    assert_eq!(
        left_out,
        [true, false, false, false],
        "the first round is recorded and not in the figures"
    );
    let counted: u64 = write["rounds"].as_array().expect("rounds")[1..]
        .iter()
        .filter_map(|round| round["operations"].as_u64())
        .sum();
    assert_eq!(write["total"]["count"].as_u64(), Some(counted));
    let shown = output_of(plumb_in(folder.path(), "show out"), 0);
    assert!(
        shown.contains("NOT steady after 4 rounds") && shown.contains("rounds 2 to 4"),
        "{shown}"
    );
}

#[test]
fn rounds_end_when_enough_is_written() {
    let folder = tempfile::tempdir().expect("folder");
    let bounded = plan(500, "0.000001")
        .replace("window = 3", "window = 3\ncapacities = 1.5")
        .replace("'random-write'", "'random-write'\nbytes = '1m'");
    std::fs::write(
        folder.path().join("p.toml"),
        bounded
            .replace("time = '50ms'", "time = '60s'")
            .replace("'random-read'", "'random-read'\nbytes = '1m'"),
    )
    .expect("written");
    let summary = measured(plumb_in(
        folder.path(),
        "run p.toml --json --quiet --output out",
    ));
    // A quarter of the part in use in each round; what runs once before them is not tracked.
    let steady = &summary["steady"];
    assert_eq!(
        (&steady["reached"], &steady["rounds"], &steady["capacities"]),
        (&false.into(), &6.into(), &1.5.into())
    );
    let shown = output_of(plumb_in(folder.path(), "show out"), 0);
    assert!(
        shown
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("after 6 rounds, which wrote the range in use 1.5 times (at most 1.5): "),
        "{shown}"
    );
}

#[test]
fn the_announcement_says_how_long_at_least_and_at_most() {
    let folder = tempfile::tempdir().expect("folder");
    let dry = output_of(
        plumb_in(folder.path(), "run steady-latency --dry-run --target ."),
        0,
    );
    assert!(
        dry.contains("in 5 to 25 rounds (interleaved), until they are steady"),
        "{dry}"
    );
    assert!(
        dry.contains("the rounds run for at least 45 min 0 s and at most 3 h 45 min"),
        "{dry}"
    );
    let refusal = refusal_of(plumb_in(
        folder.path(),
        "run steady-latency --target . --rounds 2",
    ));
    assert!(refusal.contains("rounds = 5 or more"), "{refusal}");
}

#[test]
fn small_files_have_sizes_folders_and_names_and_are_taken_once_in_order() {
    let folder = tempfile::tempdir().expect("folder");
    let mut plan =
        "[defaults]\nfiles = 300\nfile-size = '1k-5k'\nfolders = 3\nworkers = 2\n".to_string();
    for (names, order) in [("numbered", "listed"), ("random", "shuffled")] {
        for kind in ["create", "stat", "read-file", "delete"] {
            let flush = if matches!(kind, "create" | "delete") {
                "flush-at-end = true\n"
            } else {
                ""
            };
            let order = if kind == "create" {
                flush.to_string()
            } else {
                format!("file-order = '{order}'\n{flush}")
            };
            plan += &format!(
                "[[step]]\nname = '{kind} {names}'\nmix = '{kind}'\nnames = '{names}'\n{order}"
            );
        }
    }
    plan += "[[step]]\nname = 'create at last'\nmix = 'create'\nnames = 'random'\n";
    std::fs::write(folder.path().join("p.toml"), plan).expect("written");
    std::fs::create_dir(folder.path().join("here")).expect("folder");
    let summary = measured(plumb_in(
        folder.path(),
        "run p.toml --json --quiet --output out --target here",
    ));
    let steps = summary["steps"].as_array().expect("steps");
    for step in steps {
        let name = step["name"].as_str().expect("a name");
        let kind = ["create", "stat", "read-file", "delete"]
            .into_iter()
            .find(|kind| name.starts_with(kind))
            .expect("a kind");
        assert_eq!(
            (
                step["operations"][kind]["count"].as_u64(),
                step["total"]["errors"].as_u64()
            ),
            (Some(300), Some(0)),
            "{name}"
        );
        let flushed = matches!(kind, "create" | "delete") && name != "create at last";
        assert_eq!(
            step["operations"]["flush"]["count"].as_u64(),
            flushed.then_some(2),
            "{name}: the file system, once by each worker"
        );
    }
    let bytes = |place: usize| steps[place]["total"]["bytes"].as_u64().expect("bytes");
    assert_eq!(bytes(0), bytes(2), "what was created is read");
    assert_eq!(
        (bytes(0), bytes(8)),
        (bytes(4), bytes(8)),
        "sizes belong to the files, not to the step"
    );
    assert!((300 * 1024..=300 * 5 * 1024).contains(&bytes(0)));
    // The same files while a run works on them: what it made goes with it.
    let plan = "[defaults]\nfiles = 300\nfile-size = '1k-5k'\nfolders = 3\nworkers = 2\nnames = 'random'\n\
                [[step]]\nname = 'create'\nmix = 'create'\n[[step]]\nname = 'stat'\nmix = 'stat'\ntime = '10m'\ninterval = '50ms'\n";
    std::fs::write(folder.path().join("look.toml"), plan).expect("written");
    let prepared = plumb_in(
        folder.path(),
        "run look.toml --quiet --no-report --output look --target here",
    );
    let mut command = std::process::Command::new(prepared.get_program());
    let mut child = command
        .args(prepared.get_args())
        .current_dir(folder.path())
        .spawn()
        .expect("started");
    let stats = || {
        std::fs::read_to_string(folder.path().join("look/ticks.jsonl"))
            .is_ok_and(|text| text.lines().count() > 4)
    };
    for _ in 0..3000 {
        if stats() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    look_at(&folder.path().join("here"), bytes(8));
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill is there");
    assert!(sent.success() && child.wait().expect("ended").code() == Some(130));
    assert!(left_in(&folder.path().join("here")).is_empty());
}

/// The files that a step of creations left: 100 to a folder, all named at random, of as many bytes as were counted.
fn look_at(here: &std::path::Path, counted: u64) {
    let [scratch] = left_in(here).try_into().expect("one folder of plumb's own");
    let files = here.join(scratch).join("files");
    assert_eq!(left_in(&files), ["0", "1", "2"]);
    let mut bytes = 0;
    for number in ["0", "1", "2"] {
        let names = left_in(&files.join(number));
        assert_eq!(names.len(), 100);
        assert!(
            names.iter().any(|name| name.len() > 12),
            "random characters before the number: {names:?}"
        );
        bytes += names
            .iter()
            .map(|name| {
                std::fs::metadata(files.join(number).join(name))
                    .expect("a file")
                    .len()
            })
            .sum::<u64>();
    }
    assert_eq!(bytes, counted);
}
