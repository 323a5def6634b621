//! Are sides compared by rounds, and does the exit code report the result? Live, stored, and against published figures.

use std::path::Path;

use plumb_record::RunWriter;
use serde_json::Value;

use crate::synthetic::{Builder, Interval, ladder};
use crate::{json_of, left_in, measured, output_of, plumb_in, refusal_of};

/// The null engine, for runs whose figures do not matter.
pub const QUICK: &str = "target = 'null:'\nengine = 'null'";

/// A stored run of one step whose rounds are known: verdicts must not hang on how busy the machine is that runs the test.
pub fn store(folder: &Path, name: &str, rounds: usize, iops: f64) {
    let mut builder = Builder::new(ladder("read", &[1]));
    // Scatter of about 1 %, without any order in time.
    for (round, factor) in [1.0, 0.99, 1.01, 1.004, 0.996, 0.988, 1.012, 1.002]
        .into_iter()
        .take(rounds)
        .enumerate()
    {
        builder.execute(
            0,
            round as u32,
            &[Interval {
                iops: iops * factor,
                latency_ns: 1e9 / (iops * factor),
                ..Interval::default()
            }],
        );
    }
    let run = builder.finish();
    let mut writer = RunWriter::create(&folder.join(name), &run.header).expect("folder");
    run.ticks
        .iter()
        .for_each(|tick| writer.tick(tick).expect("written"));
    run.notes
        .iter()
        .for_each(|note| writer.note(note).expect("written"));
    writer.finish().expect("written");
}

/// A plan whose rounds are short.
pub fn plan(folder: &Path, name: &str, rounds: u32, keys: &str) {
    let text = format!(
        "name = '{name}'\nrounds = {rounds}\n[defaults]\nsize = '1m'\ntime = '60ms'\nwarm-up = '10ms'\ninterval = '20ms'\n\n\
         [[step]]\nname = 'reads'\npattern = 'random-read'\n{keys}\n"
    );
    std::fs::write(folder.join(format!("{name}.toml")), text).expect("plan written");
}

/// Records a plan as a run of the same name.
pub fn record(folder: &Path, name: &str, rounds: u32, keys: &str) {
    plan(folder, name, rounds, keys);
    measured(plumb_in(
        folder,
        &format!("run {name}.toml --json --quiet --no-report --output {name}"),
    ));
}

fn cell<'a>(comparison: &'a Value, metric: &str) -> &'a Value {
    let cells = comparison["cells"].as_array().expect("cells");
    cells
        .iter()
        .find(|cell| cell["metric"] == metric)
        .unwrap_or_else(|| panic!("no {metric} in {comparison}"))
}

fn verdict<'a>(comparison: &'a Value, metric: &str) -> &'a str {
    cell(comparison, metric)["effects"][0]["verdict"]
        .as_str()
        .expect("a verdict")
}

#[test]
fn a_slower_side_is_found_worse_and_the_faster_one_better() {
    let folder = tempfile::tempdir().expect("folder");
    store(folder.path(), "quick", 8, 10_000.0);
    store(folder.path(), "slow", 8, 7_000.0);
    let comparison = json_of(
        plumb_in(folder.path(), "compare quick slow --metric p50 --json"),
        1,
    );
    assert_eq!(verdict(&comparison, "p50"), "worse", "{comparison}");
    assert_eq!(
        cell(&comparison, "p50")["sides"][1]["rounds"]
            .as_array()
            .expect("rounds")
            .len(),
        8
    );
    assert_eq!(comparison["method"]["design"], "independent");
    let turned = json_of(
        plumb_in(folder.path(), "compare slow quick --metric p50 --json"),
        0,
    );
    assert_eq!(verdict(&turned, "p50"), "better");
}

#[test]
fn a_condition_replaces_the_rule_of_the_exit_code() {
    let folder = tempfile::tempdir().expect("folder");
    store(folder.path(), "quick", 8, 10_000.0);
    store(folder.path(), "slow", 8, 7_000.0);
    let mut met = plumb_in(folder.path(), "compare quick slow --fail-if");
    met.arg("p50 > +20%");
    let text = output_of(met, 1);
    assert!(text.contains("p50 > +20%"), "{text}");
    let mut not_met = plumb_in(folder.path(), "compare quick slow --fail-if");
    not_met.arg("p50 < -5%");
    output_of(not_met, 0);
    let mut empty = plumb_in(folder.path(), "compare quick slow --fail-if");
    let empty = empty.arg("nosuch* p50 > +5%").output().expect("started");
    assert_eq!(
        empty.status.code(),
        Some(2),
        "a condition that looks at nothing must not pass: {empty:?}"
    );
}

#[test]
fn one_round_a_side_is_undecided_with_its_numbers() {
    let folder = tempfile::tempdir().expect("folder");
    store(folder.path(), "quick", 1, 10_000.0);
    store(folder.path(), "slow", 1, 7_000.0);
    let comparison = json_of(plumb_in(folder.path(), "compare quick slow --json"), 0);
    let iops = cell(&comparison, "iops");
    assert_eq!(verdict(&comparison, "iops"), "undecided");
    assert!(
        iops["effects"][0]["reason"]["text"]
            .as_str()
            .expect("reason")
            .contains("one round says nothing about the spread"),
        "{iops}"
    );
    assert!(
        iops["effects"][0]["ratio"].as_f64().expect("ratio") < 0.8,
        "{iops}"
    );
    assert!(
        iops["effects"][0]["interval"].is_null()
            && iops["sides"][0]["value"].as_f64().expect("value") > 0.0,
        "{iops}"
    );
}

#[test]
fn other_work_is_refused_unless_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("folder");
    record(folder.path(), "small", 2, &format!("{QUICK}\nblock = '4k'"));
    record(
        folder.path(),
        "large",
        2,
        &format!("{QUICK}\nblock = '64k'"),
    );
    let text = refusal_of(plumb_in(folder.path(), "compare small large"));
    assert!(
        text.contains("block") && text.contains("4k") && text.contains("64k"),
        "{text}"
    );
    assert!(text.contains("--any-work"), "{text}");
    let asked = json_of(
        plumb_in(folder.path(), "compare small large --any-work --json"),
        0,
    );
    assert!(!asked["cells"].as_array().expect("cells").is_empty());
    assert!(
        asked["work"]
            .as_array()
            .expect("work")
            .iter()
            .any(|difference| difference["what"] == "block"),
        "{}",
        asked["work"]
    );
}

#[test]
fn live_sides_run_in_blocks_and_leave_runs_that_compare_again() {
    let folder = tempfile::tempdir().expect("folder");
    plan(folder.path(), "p", 1, QUICK);
    let line = "compare --live p.toml null: null: --rounds 6 --budget 1ms --metric iops --json --quiet --output out --tag again";
    let output = plumb_in(folder.path(), line).output().expect("started");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let comparison: Value =
        serde_json::from_slice(&output.stdout).expect("JSON alone on standard output");
    assert_eq!(comparison["method"]["design"], "blocks");
    assert_eq!(
        left_in(&folder.path().join("out")),
        ["a", "b", "report.html"]
    );
    for side in [0, 1] {
        assert_eq!(
            cell(&comparison, "iops")["sides"][side]["rounds"]
                .as_array()
                .expect("rounds")
                .len(),
            6
        );
    }
    let header = |side: &str| -> Value {
        let text = std::fs::read_to_string(folder.path().join("out").join(side).join("run.json"))
            .expect("header");
        serde_json::from_str(&text).expect("JSON")
    };
    let (a, b) = (header("a"), header("b"));
    assert_eq!(a["side_of"]["comparison"], b["side_of"]["comparison"]);
    assert_eq!(
        (&a["side_of"]["side"], &b["side_of"]["side"], &a["tags"][0]),
        (&Value::from(0), &Value::from(1), &Value::from("again"))
    );
    let seed = |run: &Value| run["plan"]["steps"][0]["jobs"][0]["workload"]["seed"].clone();
    assert_eq!(
        seed(&a),
        seed(&b),
        "both sides do the same work in the same order"
    );
    // The folder alone stands for its sides, and says the same again.
    let again = plumb_in(folder.path(), "compare out --metric iops --json")
        .output()
        .expect("started");
    let again: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!(
        cell(&again, "iops")["effects"],
        cell(&comparison, "iops")["effects"]
    );
}

#[test]
fn two_plans_run_live_on_one_directory_and_leave_it_clean() {
    let folder = tempfile::tempdir().expect("folder");
    for (name, sync) in [("plain", "none"), ("careful", "dsync")] {
        let text = format!(
            "name = '{name}'\n[defaults]\nsize = '1m'\nsync = '{sync}'\ntime = '50ms'\ninterval = '20ms'\nengine = 'sync'\n[[step]]\nname = 'w'\npattern = 'random-write'\n"
        );
        std::fs::write(folder.path().join(format!("{name}.toml")), text).expect("plan written");
    }
    std::fs::create_dir(folder.path().join("data")).expect("folder");
    let line = "compare --live plain.toml careful.toml data --rounds 2 --budget 1ms --any-work --markdown --quiet --output out";
    let output = plumb_in(folder.path(), line).output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    assert!(text.contains("| ") && text.contains("undecided"), "{text}");
    assert!(left_in(&folder.path().join("data")).is_empty());
}

#[test]
fn a_published_figure_stands_beside_a_run_without_a_verdict() {
    let folder = tempfile::tempdir().expect("folder");
    store(folder.path(), "reads", 5, 40_000.0);
    let comparison = json_of(
        plumb_in(folder.path(), "compare reads ref:optane-p4800x --json"),
        0,
    );
    let iops = cell(&comparison, "iops");
    assert_eq!(iops["sides"][1]["value"], 46_067.0, "{iops}");
    assert_eq!(
        (
            verdict(&comparison, "iops"),
            comparison["sides"][1]["kind"].as_str()
        ),
        ("undecided", Some("reference"))
    );
    assert!(
        !comparison["ground"].as_array().expect("ground").is_empty(),
        "the set-up differs"
    );
    let rows = comparison["published"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 13, "every row of the article");
    let text = output_of(
        plumb_in(folder.path(), "compare reads ref:optane-p4800x"),
        0,
    );
    let (table, environment) = (
        text.find("46,067").expect("figure"),
        text.find("Intel Optane SSD DC P4800X").expect("set-up"),
    );
    assert!(
        table < environment,
        "the article's table comes first:\n{text}"
    );
    // All systems of the experiment.
    let all = json_of(plumb_in(folder.path(), "compare reads ref:E4 --json"), 0);
    let systems = all["published"][0]["systems"].as_array().expect("systems");
    assert_eq!(systems.len(), 4);
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().expect("folder");
    record(folder.path(), "run", 1, QUICK);
    plan(folder.path(), "p", 1, QUICK);
    for (line, expected) in [
        ("compare run", "a comparison requires at least two sides"),
        ("compare run missing", "no such folder"),
        ("compare run ref:optane-p4800", "optane-p4800x"),
        ("compare run run --metric p98", "p99"),
        ("compare run run --threshold 0", "percentage"),
        ("compare run run --fail-if p99>10", "--fail-if"),
        ("compare run run --rounds 7", "--live"),
        ("compare --live run run", "needs a plan first"),
        (
            "compare --live p.toml null:",
            "a comparison requires at least two sides",
        ),
        (
            "compare --live p.toml p.toml null: null:",
            "2 plans and 2 targets",
        ),
        ("compare --live p.toml null: ./nowhere/deep", "side B"),
        (
            "compare --live p.toml null: null: --budget soon",
            "not a time",
        ),
        (
            "compare --live p.toml null: null: --overwrite=/dev/nosuch",
            "is not a target",
        ),
        (
            "compare --live p.toml null: null: --set reads.dept=3",
            "did you mean 'depth'",
        ),
    ] {
        let before = left_in(folder.path());
        let message = refusal_of(plumb_in(folder.path(), line));
        assert!(message.contains(expected), "{line}:\n{message}");
        assert_eq!(left_in(folder.path()), before, "{line} left something");
    }
}

#[test]
fn files_of_the_user_are_written_only_on_a_word_for_each() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "name = 'w'\n[defaults]\nsize = '1m'\ntime = '50ms'\ninterval = '20ms'\n[[step]]\nname = 'w'\npattern = 'random-write'\n";
    std::fs::write(folder.path().join("w.toml"), text).expect("plan written");
    let content = |name: &str| std::fs::read(folder.path().join(name)).expect("there");
    for name in ["one", "two"] {
        std::fs::write(folder.path().join(name), vec![7u8; 1 << 20]).expect("file written");
    }
    let line = "compare --live w.toml one two --rounds 2 --budget 1ms --quiet --output out";
    for word in ["", " --overwrite=one"] {
        let message = refusal_of(plumb_in(folder.path(), &format!("{line}{word}")));
        assert!(message.contains("--overwrite"), "{message}");
        assert_eq!(left_in(folder.path()), ["one", "two", "w.toml"]);
        assert!(
            content("two").iter().all(|byte| *byte == 7),
            "{word}: the file without a word is as it was"
        );
    }
    let twice =
        "compare --live w.toml one one --rounds 2 --budget 1ms --quiet --output out --overwrite";
    let message = refusal_of(plumb_in(folder.path(), twice));
    assert!(
        message.contains("the same target as side A") && message.contains("name a directory"),
        "{message}"
    );
    let output = plumb_in(folder.path(), &format!("{line} --overwrite"))
        .output()
        .expect("started");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    assert!(
        content("one") != vec![7u8; 1 << 20] && content("two") != vec![7u8; 1 << 20],
        "both were written"
    );
}
