//! Is a change across stored runs found, shown with its run and environment, and reported by the exit code?

use std::path::Path;

use plumb_model::environment::Fact;
use plumb_model::run::{Event, Note};
use plumb_record::RunWriter;

use crate::synthetic::{Builder, Interval, Random, ladder};
use crate::{json_of, measured, output_of, plumb_in, refusal_of};

/// Writes so many runs, a day apart; from run `at` on they do 80 %, on another kernel.
fn write_runs(place: &Path, count: u64, at: u64, change: impl Fn(&mut Builder)) {
    let mut random = Random(17);
    for number in 0..count {
        let (iops, kernel) = if number < at {
            (10_000.0, "6.1")
        } else {
            (8_000.0, "6.2")
        };
        let mut builder =
            Builder::new(ladder("read", &[1, 8])).fact("host.kernel", Fact::Text(kernel.into()));
        for execution in 0..6 {
            let noise = 1.0 + 0.02 * (random.next_share() - 0.5);
            builder.execute(
                execution % 2,
                execution / 2,
                &[Interval {
                    iops: iops * noise,
                    ..Interval::default()
                }],
            );
        }
        change(&mut builder);
        builder.note(Event::Finished { interrupted: false });
        let mut run = builder.run;
        run.header.id = format!("run-{number}");
        run.header.started = format!("2026-11-{:02}T03:00:00+00:00", number + 1);
        run.header.started_unix_ns = 1_793_500_000_000_000_000 + number * 86_400_000_000_000;
        let name = format!("{}-{number:02}", run.header.plan.name);
        let mut writer =
            RunWriter::create(&place.join(name), &run.header).expect("the folder is new");
        run.ticks
            .iter()
            .for_each(|tick| writer.tick(tick).expect("space"));
        run.notes
            .iter()
            .for_each(|note: &Note| writer.note(note).expect("space"));
    }
}

#[test]
fn a_planted_change_is_found_and_makes_the_exit_code_one() {
    let place = tempfile::tempdir().expect("folder");
    write_runs(place.path(), 14, 9, |_| ());
    let trend = json_of(plumb_in(place.path(), "trend --json --report page.html"), 1);
    assert_eq!(
        (
            &trend["schema"],
            trend["runs"].as_array().expect("runs").len()
        ),
        (&"plumb-trend-2".into(), 14)
    );
    let line = &trend["lines"][0];
    assert_eq!(
        (&line["step"], &line["metric"]),
        (&"random-read depth=1".into(), &"iops".into())
    );
    let change = &line["changes"][0];
    assert_eq!(
        (
            &change["run"],
            &change["verdict"],
            &change["ground"][0]["what"]
        ),
        (&9.into(), &"worse".into(), &"host.kernel".into())
    );
    assert!(
        (change["ratio"].as_f64().expect("ratio") - 0.8).abs() < 0.01,
        "{change}"
    );
    let page = std::fs::read_to_string(place.path().join("page.html")).expect("a page");
    assert!(
        page.starts_with("<!doctype html>")
            && page.contains("synthetic-09")
            && page.contains("6.1 → 6.2")
    );
    let text = output_of(plumb_in(place.path(), "trend"), 1);
    assert!(
        text.contains("run 10 of 14: synthetic-09")
            && text.contains("6.1 → 6.2")
            && text.contains("−20 %"),
        "{text}"
    );
    // Before the change, and in another figure, nothing is worse.
    assert!(
        output_of(plumb_in(place.path(), "trend --until 2026-11-09"), 0).contains("No change in")
    );
    assert!(
        output_of(plumb_in(place.path(), "trend --metric p50 --step *=8"), 0)
            .contains("No change in 1 series")
    );
    assert!(output_of(plumb_in(place.path(), "trend --threshold 50%"), 0).contains("No change in"));
}

#[test]
fn plans_machines_and_targets_are_not_mixed_unasked() {
    let place = tempfile::tempdir().expect("folder");
    let refused = |line: &str| refusal_of(plumb_in(place.path(), line));
    write_runs(place.path(), 5, 9, |builder| {
        builder
            .run
            .header
            .environment
            .set("host.name", Fact::Text("a".into()))
    });
    write_runs(&place.path().join("b"), 4, 9, |builder| {
        builder
            .run
            .header
            .environment
            .set("host.name", Fact::Text("b".into()))
    });
    let text = refused("trend");
    assert!(
        text.contains("2 hosts: a (5 runs), b (4 runs)") && text.contains("--host '*'"),
        "{text}"
    );
    assert!(output_of(plumb_in(place.path(), "trend --host *"), 0).contains("9 runs"));
    assert!(output_of(plumb_in(place.path(), "trend --host b"), 0).contains("4 runs are too few"));
    write_runs(&place.path().join("c"), 3, 9, |builder| {
        builder
            .run
            .header
            .environment
            .set("host.name", Fact::Text("b".into()));
        builder
            .run
            .header
            .environment
            .set("target.path", Fact::Text("/other".into()));
    });
    let text = refused("trend --host b");
    assert!(
        text.contains("2 targets: /data (4 runs), /other (3 runs)") && text.contains("--target"),
        "{text}"
    );
    assert!(
        output_of(plumb_in(place.path(), "trend --host b --target other"), 0)
            .contains("3 runs of plan")
    );
    write_runs(&place.path().join("d"), 2, 9, |builder| {
        builder.run.header.plan.name = "nightly".into()
    });
    let text = refused("trend");
    assert!(
        text.contains("2 plans: synthetic (12 runs), nightly (2 runs)") && text.contains("--plan"),
        "{text}"
    );
}

#[test]
fn nonsense_is_refused_with_what_to_do() {
    let place = tempfile::tempdir().expect("folder");
    let refused = |line: &str, words: &[&str]| {
        let text = refusal_of(plumb_in(place.path(), line));
        assert!(
            words.iter().all(|word| text.contains(word)),
            "{line}: {text}"
        );
    };
    refused("trend", &["no runs found in .", "plumb check"]);
    refused("trend nowhere", &["no such folder"]);
    write_runs(place.path(), 2, 9, |_| ());
    refused(
        "trend --step nothing",
        &["'nothing'", "plumb show synthetic-01"],
    );
    refused("trend --metric p98", &["p99"]);
    refused(
        "trend --report nowhere/page.html",
        &["nowhere/page.html", "another location"],
    );
    // A damaged run is named and left out.
    std::fs::write(place.path().join("synthetic-00/run.json"), "{").expect("damaged");
    let output = plumb_in(place.path(), "trend").output().expect("started");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("synthetic-00"),
        "{output:?}"
    );
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("1 run is too few"),
        "{output:?}"
    );
}

#[test]
fn real_runs_make_a_trend() {
    let place = tempfile::tempdir().expect("folder");
    for number in 0..8 {
        let line = format!(
            "run --target null: --time 30ms --interval 10ms --set rounds=2 --json --quiet --no-report --output run-{number}"
        );
        measured(plumb_in(place.path(), &line));
    }
    // Whether a machine changes under its test is not for the test to say.
    let trend = measured(plumb_in(place.path(), "trend --json"));
    let points = trend["lines"][0]["points"].as_array().expect("points");
    assert_eq!((points.len(), &points[0]["rounds"]), (8, &2.into()));
    assert!(
        points[0]["value"].as_f64().expect("value") > 1000.0
            && trend["lines"][0]["not_looked"].is_null()
    );
}
