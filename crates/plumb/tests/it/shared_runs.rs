//! Can a run packed into one file be read directly, and is nothing overwritten?

use std::path::Path;

use crate::plumb;

fn ended(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = plumb()
        .current_dir(folder)
        .args(words)
        .output()
        .expect("started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_shared_run_is_shown_compared_and_imported_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let line =
        "run --target null: --time 300ms --interval 50ms --json-lines --quiet --output mine.plumb";
    let (code, lines, error) = ended(folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!(code, Some(0), "{error}");
    // Each interval was told as a line of JSON meanwhile.
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(lines.len() > 2, "{lines:?}");
    let told = |line: &serde_json::Value| line["operations"].as_u64().expect("a count");
    let told: u64 = lines.iter().map(told).sum();
    let (_, shown, _) = ended(folder, &["show", "mine.plumb", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert!(Some(told) >= summary["steps"][0]["total"]["count"].as_u64());

    let (code, file, error) = ended(folder, &["share", "mine.plumb"]);
    assert_eq!(
        (code, file.trim()),
        (Some(0), "mine.plumb.tar.gz"),
        "{error}"
    );
    let (code, _, error) = ended(folder, &["share", "mine.plumb"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("already exists"), "{error}");
    let (code, of_file, error) = ended(folder, &["show", "mine.plumb.tar.gz", "--json"]);
    assert_eq!((code, of_file), (Some(0), shown.clone()), "{error}");
    let (code, _, error) = ended(folder, &["compare", "mine.plumb", "mine.plumb.tar.gz"]);
    assert_eq!(code, Some(0), "{error}");
    for expected in ["library/mine.plumb", "library/mine-2.plumb"] {
        let (code, _, error) = ended(
            folder,
            &["import", "mine.plumb.tar.gz", "--output", "library"],
        );
        assert_eq!(code, Some(0), "{error}");
        let record = |folder: &Path| std::fs::read(folder.join("ticks.jsonl")).expect("a record");
        assert_eq!(
            record(&folder.join(expected)),
            record(&folder.join("mine.plumb"))
        );
    }
    let (_, listed, _) = ended(folder, &["list", "library"]);
    assert!(listed.contains("most IOPS"), "{listed}");
}

#[test]
fn the_file_of_a_user_is_read_and_a_slip_in_it_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.toml");
    let asked = |text: &str| {
        std::fs::write(&file, text).expect("written");
        let output = plumb()
            .env("PLUMB_CONFIG", &file)
            .env_remove("PLUMB_LANGUAGE")
            .arg("config")
            .output()
            .expect("started");
        let told = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), told)
    };
    let (code, told) = asked("output = \"/srv/runs\"\n");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("/srv/runs  (file)"), "{told}");
    let (code, told) = asked("outputs = \"/srv/runs\"\n");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("did you mean 'output'?"), "{told}");
}

#[test]
fn run_folders_of_every_verb_are_made_where_the_user_wants_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path().join("runs");
    let dd =
        "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.8 s\n";
    std::fs::write(folder.path().join("dd.txt"), dd).expect("written");
    std::fs::create_dir(folder.path().join("target")).expect("a folder");
    let mut expected = Vec::new();
    for (line, name) in [
        (
            "run --target target --pattern random-read --size 1m --operations 50 --no-report --quiet",
            "plumb-ad-hoc-",
        ),
        (
            "watch --duration 200ms --interval 100ms --plain --set disk",
            "plumb-watch-",
        ),
        (
            "compare --live latency null: null: --rounds 2 --budget 1ms --set time=20ms --set warm-up=0 --quiet",
            "plumb-compare-",
        ),
        ("import dd.txt", "plumb-import-dd"),
    ] {
        let output = plumb()
            .env("PLUMB_OUTPUT", &runs)
            .current_dir(folder.path())
            .args(line.split(' '))
            .output()
            .expect("started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() < Some(2), "{line}: {said}");
        expected.push(name);
        let made: Vec<String> = std::fs::read_dir(&runs)
            .expect("made")
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        assert_eq!(made.len(), expected.len(), "{line}: {made:?}");
        assert!(
            made.iter().any(|made| made.starts_with(name)),
            "{line}: {made:?}"
        );
    }
    let mut here: Vec<_> = std::fs::read_dir(folder.path())
        .expect("there")
        .map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    here.sort_unstable();
    assert_eq!(here, ["dd.txt", "runs", "target"]);
}

/// Unpacked with tar(1): no name of a machine, a user or a folder of theirs is left, and every figure is.
#[cfg(unix)]
#[test]
fn a_run_without_names_has_its_figures_and_none_of_the_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("home/wilhelmina/treasury");
    std::fs::create_dir_all(&home).expect("folders");
    let line = format!(
        "run --target {} --pattern random-read --block 4k --size 1m --operations 500 --quiet --no-report --output {}",
        home.display(),
        home.join("run").display()
    );
    let (code, _, error) = ended(folder.path(), &line.split(' ').collect::<Vec<_>>());
    assert!(matches!(code, Some(0 | 1)), "{error}");
    let run = home.join("run").display().to_string();
    let words = ["share", &run, "--hide-names", "--output", "public.tar.gz"];
    let (code, _, told) = ended(folder.path(), &words);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("replaced: wilhelmina by user-1"), "{told}");
    let unpacked = std::process::Command::new("tar")
        .args([
            "--extract",
            "--gzip",
            "--to-stdout",
            "--file",
            "public.tar.gz",
        ])
        .current_dir(folder.path())
        .output()
        .expect("tar");
    let text = String::from_utf8(unpacked.stdout).expect("text");
    let summary = |run: &str| -> serde_json::Value {
        let (_, shown, error) = ended(folder.path(), &["show", run, "--json"]);
        serde_json::from_str(&shown).unwrap_or_else(|wrong| panic!("{wrong}: {error}"))
    };
    let (named, public) = (summary(&run), summary("public.tar.gz"));
    let host = &named["environment"]["host.name"]["text"];
    let host = host.as_str().expect("the name of this machine");
    let temporary = folder.path().file_name().expect("a name").to_string_lossy();
    for name in ["wilhelmina", "treasury", &temporary, &format!("\"{host}\"")] {
        assert!(!text.contains(name), "{name} is left");
    }
    assert!(text.contains("home/user-1/folder-"), "{text}");
    assert_eq!(
        public["environment"]["host.name"]["text"], "host-1",
        "{public:#}"
    );
    let figures = |summary: &serde_json::Value| summary["steps"][0]["total"].clone();
    assert!(figures(&named)["count"] == 500);
    assert_eq!(figures(&named), figures(&public));
    let (code, _, error) = ended(folder.path(), &["compare", &run, "public.tar.gz"]);
    assert_eq!(code, Some(0), "{error}");
}
