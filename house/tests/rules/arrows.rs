//! Do the crates name each other only in the direction of the flow? `plumb` -> `plumb-run` -> the stages -> `plumb-words` -> `plumb-model`.

use serde_json::Value;

use plumb_house::workspace::{assert_none, dependencies_of, members, metadata, name_of, text_of};

/// Crates of the workspace that each crate may name.
fn may_name(from: &str, to: &str) -> bool {
    match from {
        "plumb" => to.starts_with("plumb-"),
        "plumb-run" => to.starts_with("plumb-") && to != "plumb",
        "plumb-model" | "plumb-system" => false,
        // Calls of the kernel that both need.
        "plumb-load" | "plumb-observe" if to == "plumb-system" => true,
        "plumb-words" => to == "plumb-model",
        // Results of other programs carry their job files.
        "plumb-record" if to == "plumb-plan" => true,
        _ => matches!(to, "plumb-model" | "plumb-words"),
    }
}

/// Crates that tests may name beside those: plans to test with, and sentences to look for.
const FOR_TESTS: [&str; 2] = ["plumb-plan", "plumb-words"];

fn wrong_arrows(members: &[&Value]) -> Vec<String> {
    let ours: Vec<&str> = members.iter().map(|package| name_of(package)).collect();
    let mut found = Vec::new();
    for package in members {
        let from = name_of(package);
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = name_of(dependency);
            let for_tests = dependency["kind"] == "dev" && FOR_TESTS.contains(&to);
            if ours.contains(&to) && !may_name(from, to) && !(for_tests && from != "plumb-model") {
                found.push(format!("{from} names {to}"));
            }
        }
    }
    found
}

#[test]
fn no_stage_names_another_stage() {
    let metadata = metadata();
    assert_none(
        "the arrows run plumb -> plumb-run -> stages -> plumb-model",
        &wrong_arrows(&members(&metadata)),
    );
}

#[test]
fn an_arrow_between_stages_would_be_seen() {
    let package = |name: &str, to: &str| serde_json::json!({"name": name, "dependencies": [{"name": to, "kind": "dev"}]});
    let (load, show, model) = (
        package("plumb-load", "plumb-model"),
        package("plumb-show", "plumb-load"),
        package("plumb-model", "plumb"),
    );
    let (plumb, run, back) = (
        package("plumb", "plumb-show"),
        package("plumb-run", "plumb-show"),
        package("plumb-load", "plumb-run"),
    );
    assert_eq!(
        wrong_arrows(&[&load, &show, &model, &plumb, &run, &back]),
        [
            "plumb-show names plumb-load",
            "plumb-model names plumb",
            "plumb-load names plumb-run"
        ]
    );
}

#[test]
fn there_are_at_most_eleven_crates_and_the_map_shows_each() {
    let metadata = metadata();
    let names: Vec<&str> = members(&metadata).into_iter().map(name_of).collect();
    // The house rules are no part of the program.
    assert!(names.len() <= 11 + 1, "{names:?}");
    let map = text_of("ARCHITECTURE.md");
    for name in names {
        assert!(
            map.contains(&format!("{name}/")) || name == "plumb-house" && map.contains("\nhouse/"),
            "ARCHITECTURE.md does not show {name}/"
        );
    }
}

#[test]
fn only_the_command_parses_a_command_line() {
    let metadata = metadata();
    let parsers = |package: &&Value| {
        dependencies_of(package)
            .iter()
            .any(|name| name.starts_with("clap"))
    };
    let who: Vec<&str> = members(&metadata)
        .into_iter()
        .filter(parsers)
        .map(name_of)
        .collect();
    assert_eq!(who, ["plumb"]);
}

#[test]
fn every_crate_takes_the_lints_and_the_licence_of_the_workspace() {
    let metadata = metadata();
    for package in members(&metadata) {
        let path = package["manifest_path"].as_str().expect("path");
        let manifest = std::fs::read_to_string(path).expect("Cargo.toml");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{}: takes no lints",
            name_of(package)
        );
        assert_eq!(
            package["license"],
            "MIT OR Apache-2.0",
            "{}",
            name_of(package)
        );
    }
}
