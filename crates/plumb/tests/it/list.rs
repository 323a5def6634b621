//! Are stored runs found by host, target, plan, date and tag?

use std::path::Path;

use crate::{json_of, measured, output_of, plumb_in, refusal_of};

/// Folders of the runs that a list names, newest first.
fn folders(place: &Path, line: &str) -> Vec<String> {
    let library = json_of(plumb_in(place, &format!("list {line} --json")), 0);
    let runs = library["runs"].as_array().expect("runs");
    runs.iter()
        .map(|run| run["folder"].as_str().expect("folder").to_string())
        .collect()
}

#[test]
fn runs_are_found_by_what_they_are() {
    let place = tempfile::tempdir().expect("folder");
    let run = |line: &str| {
        measured(plumb_in(
            place.path(),
            &format!("run --target null: --time 20ms --json --quiet --no-report {line}"),
        ))
    };
    let first = run("--output lib/first --tag nightly --tag release");
    run("--output lib/deep/second --tag nightly");
    std::fs::write(
        place.path().join("p.toml"),
        "name = 'mine'\n[[step]]\nname = 'a'\npattern = 'random-read'\n",
    )
    .expect("written");
    measured(plumb_in(
        place.path(),
        "run p.toml null: --time 20ms --json --quiet --no-report --output third",
    ));
    assert_eq!(
        folders(place.path(), ""),
        ["third", "lib/deep/second", "lib/first"]
    );
    assert_eq!(
        folders(place.path(), "lib"),
        ["lib/deep/second", "lib/first"]
    );
    assert_eq!(folders(place.path(), "--plan mine"), ["third"]);
    assert_eq!(
        folders(place.path(), "--plan m*e --target null --since 1h"),
        ["third"]
    );
    assert_eq!(
        folders(place.path(), "--tag nightly"),
        ["lib/deep/second", "lib/first"]
    );
    assert_eq!(
        folders(place.path(), "--tag nightly --tag release"),
        ["lib/first"]
    );
    let host = first["environment"]["host.name"]["text"]
        .as_str()
        .expect("every machine has a name");
    assert_eq!(folders(place.path(), &format!("--host {host}")).len(), 3);
    assert_eq!(
        folders(place.path(), "--host elsewhere").len()
            + folders(place.path(), "--until 2020-01-01").len(),
        0
    );
    let library = json_of(plumb_in(place.path(), "list --tag release --json"), 0);
    assert_eq!(
        (&library["schema"], &library["found"]),
        (&"plumb-list-1".into(), &3.into())
    );
    let run = &library["runs"][0];
    assert_eq!(
        (&run["id"], &run["state"], &run["steps"]),
        (&first["id"], &"finished".into(), &1.into())
    );
    let text = output_of(plumb_in(place.path(), "list"), 0);
    assert!(
        text.starts_with("3 runs")
            && text.contains("lib/deep/second")
            && text.contains("nightly release"),
        "{text}"
    );
}

#[test]
fn a_list_without_runs_says_where_it_looked() {
    let place = tempfile::tempdir().expect("folder");
    let told = |line: &str, code: i32| {
        let output = plumb_in(place.path(), line).output().expect("started");
        assert_eq!(output.status.code(), Some(code), "{line}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let text = told("list", 0);
    assert!(
        text.contains("no runs found in .") && text.contains("plumb check"),
        "{text}"
    );
    assert!(told("list nowhere", 2).contains("no such folder"));
    measured(plumb_in(
        place.path(),
        "run --target null: --time 20ms --json --quiet --no-report --output run",
    ));
    let text = told("list --host x --tag y", 0);
    assert!(
        text.contains("none of the 1 runs") && text.contains("--host x and --tag y"),
        "{text}"
    );
    let text = refusal_of(plumb_in(place.path(), "list --since lately"));
    assert!(text.contains("2026-11-01") && text.contains("7d"), "{text}");
}

#[test]
fn the_index_of_a_library_leads_to_the_pages_of_its_runs() {
    let place = tempfile::tempdir().expect("folder");
    for (name, page) in [("first", ""), ("second", "--no-report")] {
        measured(plumb_in(
            place.path(),
            &format!("run --target null: --time 20ms --json --quiet --output lib/{name} {page}"),
        ));
    }
    output_of(
        plumb_in(place.path(), "list lib --report lib/index.html"),
        0,
    );
    let page = std::fs::read_to_string(place.path().join("lib/index.html")).expect("the index");
    assert!(page.contains("<a href=\"first/report.html\">"), "{page}");
    assert!(!page.contains("second/report.html"), "it has no page");
    assert!(page.contains("lib/second") && page.contains("2 runs of one plan on one target"));
    assert!(page.contains("IOPS"), "what a run found is told");
    // What is no page of plumb stays.
    std::fs::write(place.path().join("mine.html"), "mine").expect("written");
    let refused = refusal_of(plumb_in(place.path(), "list lib --report mine.html"));
    assert!(refused.contains("mine.html"), "{refused}");
}
