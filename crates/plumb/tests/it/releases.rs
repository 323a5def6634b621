//! Can records of earlier releases be read unchanged? Folders of released versions, one for each verb, in testdata/releases/VERSION/.

use std::path::{Path, PathBuf};

use crate::{json_of, output_of, plumb_in};

fn releases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/releases")
}

/// All run folders below a folder, sorted.
fn runs_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .expect("listed")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.is_dir())
    {
        if entry.join("run.json").is_file() {
            found.push(entry);
        } else {
            found.extend(runs_below(&entry));
        }
    }
    found.sort();
    found
}

#[test]
fn every_run_of_a_release_is_read_with_the_figures_that_it_had() {
    let folder = tempfile::tempdir().expect("folder");
    // Operations of all steps, and those of the first, as the release itself showed them.
    let expected = [
        ("0.1/check", (64533, 630)),
        ("0.1/compare/a", (123030, 123030)),
        ("0.1/compare/b", (178754, 178754)),
        ("0.1/copy-test/a", (4, 2)),
        ("0.1/copy-test/b", (4, 2)),
        ("0.1/import", (8500, 8500)),
        ("0.1/layers/a", (2048, 10)),
        ("0.1/layers/b", (2324, 10)),
        ("0.1/open-loop", (150, 150)),
        ("0.1/run", (30263, 30263)),
    ];
    let found = runs_below(&releases());
    let names: Vec<String> = found
        .iter()
        .map(|run| {
            run.strip_prefix(releases())
                .expect("below")
                .display()
                .to_string()
        })
        .collect();
    assert_eq!(
        names,
        expected
            .iter()
            .map(|(name, _)| (*name).to_string())
            .collect::<Vec<_>>()
    );
    for (run, (name, (all, first))) in found.iter().zip(expected) {
        let output = plumb_in(folder.path(), &format!("show {} --json", run.display()))
            .output()
            .expect("started");
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(summary["state"], "finished", "{name}");
        let steps = summary["steps"].as_array().expect("steps");
        let counts: Vec<u64> = steps
            .iter()
            .map(|step| step["total"]["count"].as_u64().expect("a count"))
            .collect();
        assert_eq!(
            (counts.iter().sum::<u64>(), counts[0]),
            (all, first),
            "{name}"
        );
        for format in ["csv", "fio-json"] {
            let line = format!(
                "export {} --format {format} --output {format}-{}",
                run.display(),
                name.replace('/', "-")
            );
            let exported = plumb_in(folder.path(), &line).output().expect("started");
            let error = String::from_utf8_lossy(&exported.stderr).to_string();
            assert!(
                exported.status.success() || error.contains("fio"),
                "{name}: {error}"
            );
        }
    }
}

#[test]
fn sides_of_a_release_are_compared_as_they_were_measured() {
    let (folder, compare) = (
        tempfile::tempdir().expect("folder"),
        releases().join("0.1/compare"),
    );
    let comparison = json_of(
        plumb_in(
            folder.path(),
            &format!("compare {0}/a {0}/b --json", compare.display()),
        ),
        0,
    );
    assert_eq!(
        comparison["method"]["design"], "blocks",
        "{}",
        comparison["method"]
    );
    let shown = output_of(
        plumb_in(
            folder.path(),
            &format!("compare {0}/a {0}/b", compare.display()),
        ),
        0,
    );
    assert!(shown.contains("all 3 figures are undecided"), "{shown}");
}
