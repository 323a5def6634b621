//! Are plans listed, printed, resolved and described?

use crate::{json_of, output_of, plumb_in};
use std::path::Path;

fn here() -> &'static Path {
    Path::new(".")
}

#[test]
fn plans_are_listed_and_printed_as_files_that_run() {
    let list = output_of(plumb_in(here(), "plans"), 0);
    for name in [
        "check",
        "depth",
        "blocks",
        "latency",
        "mixed",
        "database",
        "small-files",
    ] {
        assert!(list.contains(name), "{list}");
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(
            folder.path().join("own.toml"),
            output_of(plumb_in(here(), &format!("plans {name}")), 0),
        )
        .expect("written");
        let dry = output_of(plumb_in(folder.path(), "run own.toml --dry-run"), 0);
        assert!(dry.contains("Nothing was run"), "{dry}");
        assert_eq!(
            crate::left_in(folder.path()),
            ["own.toml"],
            "a dry run leaves nothing behind"
        );
    }
}

#[test]
fn keys_are_described() {
    let keys = output_of(plumb_in(here(), "plans --keys"), 0);
    for key in [
        "depth",
        "warm-up",
        "fsync-every",
        "pattern",
        "rounds",
        "iopoll",
    ] {
        assert!(keys.contains(&format!("  {key} ")), "{key}:\n{keys}");
    }
}

#[test]
fn dry_run_shows_values_with_their_origin_and_an_estimate() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(
        folder.path().join("p.toml"),
        "[[step]]\nname = 'a'\npattern = 'random-write'\ntime = '3s'\n[step.sweep]\ndepth = [1, 8]\n",
    )
    .expect("written");
    let line = "run p.toml --dry-run --json --set think-time=2ms --block 16k --size 64m --target .";
    let dry = json_of(plumb_in(folder.path(), line), 0);
    assert_eq!(dry["schema"], "plumb-plan-1");
    let step = &dry["plan"]["steps"][1];
    assert_eq!(step["name"], "a depth=8");
    assert_eq!(step["jobs"][0]["workload"]["block"], "16k");
    for (key, origin) in [
        ("depth", "sweep"),
        ("block", "flag"),
        ("think-time", "--set"),
        ("time", "plan file"),
        ("mix", "plan file"),
    ] {
        assert_eq!(step["origins"][0][key], origin, "{key}");
    }
    assert_eq!(dry["estimate"]["duration_s"], 6.0);
    assert_eq!(dry["estimate"]["prepared_bytes"], 64 << 20);
    assert_eq!(
        dry["estimate"]["written_bytes_max"],
        serde_json::Value::Null
    );
    assert_eq!(dry["estimate"]["unbounded_write_s"], 6.0);
}

/// Nothing waits for the null engine: what was computed is what was read, to within the two batches that are read ahead.
#[test]
fn a_training_reader_reports_the_utilization_of_its_accelerators() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(
        folder.path().join("t.toml"),
        "[[step]]\nname = 'train'\nmix = 'read'\nblock = '4k'\nworkers = 2\ndepth = 4\nburst-operations = 8\nburst-samples = 2\nburst-pause = '5ms'\n\
         prefetch = 2\ntime = '400ms'\nwarm-up = '50ms'\ninterval = '50ms'\n",
    )
    .expect("written");
    let line = "run t.toml --target null: --set engine=null --json --no-report";
    let summary = json_of(plumb_in(folder.path(), line), 0);
    let findings = summary["findings"].as_array().expect("findings");
    let found = findings
        .iter()
        .find(|finding| finding["rule"] == "accelerator_utilization")
        .expect("the finding");
    let value = &found["evidence"][0]["value"]["statement"]["arguments"];
    let utilization = value["utilization"]["quantity"]["value"]
        .as_f64()
        .expect("percent");
    let samples = value["samples"]["number"].as_f64().expect("samples");
    assert!(utilization > 0.0 && utilization <= 100.0, "{utilization}");
    // Two accelerators, 2 samples in 5 ms each: 800 samples per second are all that they compute.
    assert!(
        (samples - 8.0 * utilization).abs() <= 0.05 * samples,
        "{samples} samples/s at {utilization} %"
    );
}

#[test]
fn schemas_are_printed() {
    for what in ["", "summary", "plan", "doctor"] {
        let schema = json_of(plumb_in(here(), &format!("schema {what}")), 0);
        assert!(schema["properties"]["schema"].is_object(), "{what}");
    }
    let summary = json_of(plumb_in(here(), "schema"), 0);
    for name in ["plan", "environment", "findings", "steps"] {
        assert!(summary["properties"][name].is_object(), "{name}");
    }
}

#[test]
fn version_is_told() {
    assert!(output_of(plumb_in(here(), "--version"), 0).starts_with("plumb "));
}
