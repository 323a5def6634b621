//! Do the command lines that plumb suggests work? Each runs unchanged in a shell, in the folder of the run.

use std::path::Path;
use std::process::Command;

use plumb_analyse::command_line::{Change, again, step_again};
use plumb_model::run::Run;

use crate::{measured, plumb_in};

const PLAN: &str = "name = 'one'\nrounds = 2\n[defaults]\nsize = '16m'\ntime = '50ms'\n[[step]]\nname = 'write'\npattern = 'random-write'\n\
bytes = '4m'\n[step.sweep]\ndepth = [1, 4]\n[[step]]\nname = 'read'\npattern = 'random-read'\n";

fn change(key: &'static str, value: &str) -> Change {
    (key, value.to_string())
}

/// What the rules and the comparison propose to change.
fn proposals() -> Vec<Vec<Change>> {
    vec![
        vec![change("rounds", "6")],
        vec![change("workers", "2"), change("pin", "each")],
        vec![change("sync", "dsync")],
        vec![change("warm-up", "2s")],
        vec![
            change("content", "random"),
            change("compress-percent", "0"),
            change("dedupe-percent", "0"),
        ],
    ]
}

/// The same for one step alone.
fn proposals_for_a_step() -> Vec<Vec<Change>> {
    vec![
        vec![change("rate", "700"), change("arrivals", "poisson")],
        vec![
            change("time", "30s"),
            change("warm-up", "10s"),
            change("bytes", ""),
        ],
    ]
}

fn run_of(folder: &Path, line: &str) -> (Run, Vec<String>) {
    let summary = measured(plumb_in(
        folder,
        &format!("{line} --json --no-report --output out"),
    ));
    let run = plumb_record::read_run(&folder.join("out")).expect("readable");
    std::fs::remove_dir_all(folder.join("out")).expect("removed");
    let findings = summary["findings"].as_array().expect("findings");
    (
        run,
        findings
            .iter()
            .filter_map(|finding| finding["experiment"].as_str().map(String::from))
            .collect(),
    )
}

#[test]
fn every_proposed_command_line_is_taken() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("own plan.toml"), PLAN).expect("written");
    std::fs::create_dir(folder.path().join("it's $(here)")).expect("made");
    let plan = || {
        vec![
            "run".to_string(),
            "own plan.toml".into(),
            "it's $(here)".into(),
        ]
    };
    let words = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
    for arguments in [
        words("check . --size 16m --time 2s"),
        words(
            "run --target . --pattern random-write --size 16m --time 50ms --workers 2 --set sync=sync",
        ),
        words("run bonnie . --set size=16m --set time=50ms --set files=100"),
        plan(),
    ] {
        let mut command = plumb_in(folder.path(), "");
        let output = command
            .args(&arguments)
            .args(["--no-report", "--quiet", "--output", "out"])
            .output()
            .expect("started");
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let run = plumb_record::read_run(&folder.path().join("out")).expect("readable");
        std::fs::remove_dir_all(folder.path().join("out")).expect("removed");
        let mut proposed: Vec<String> = proposals()
            .iter()
            .map(|changes| again(&run, changes).expect("a command line"))
            .collect();
        for step in 0..run.header.plan.steps.len() as u32 {
            let blocks = !run.header.plan.steps[step as usize].jobs[0]
                .workload
                .has_file_operations();
            proposed.extend(
                proposals_for_a_step()
                    .iter()
                    .filter(|_| blocks)
                    .filter_map(|changes| step_again(&run, step, changes)),
            );
        }
        for line in proposed {
            taken(folder.path(), &line);
        }
    }
}

/// What the findings of real runs propose.
#[test]
fn every_experiment_of_a_finding_is_taken() {
    let folder = tempfile::tempdir().expect("folder");
    for line in [
        "check --size 16m --time 1s --rounds 2",
        "run --target . --pattern random-write --size 16m --time 100ms",
    ] {
        let (_, proposed) = run_of(folder.path(), line);
        assert!(
            !proposed.is_empty(),
            "{line}: a closed loop has a finding with an experiment at least"
        );
        proposed.iter().for_each(|line| taken(folder.path(), line));
    }
}

/// The line as a user would paste it, but for `--dry-run`.
fn taken(folder: &Path, line: &str) {
    let output = Command::new("sh")
        .args(["-c", &format!("{line} --dry-run")])
        .current_dir(folder)
        .output()
        .expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {error}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("Nothing was run"),
        "{line}"
    );
}

/// Command lines between backticks in the verdict of a comparison that has too few rounds.
fn proposed_by_comparison(folder: &Path, line: &str) -> Vec<String> {
    let comparison = crate::json_of(plumb_in(folder, line), 0);
    let verdict = comparison["verdict"][0]["text"]
        .as_str()
        .expect("a sentence")
        .to_string();
    assert!(
        verdict.starts_with("No verdict on B: A has 2 rounds, B has 2 rounds"),
        "{verdict}"
    );
    verdict
        .split('`')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect()
}

#[test]
fn too_few_rounds_are_answered_with_the_whole_command_line_of_each_side() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::write(folder.path().join("own plan.toml"), PLAN).expect("written");
    let mut own = plumb_in(folder.path(), "");
    measured({
        own.args([
            "run",
            "own plan.toml",
            ".",
            "--json",
            "--no-report",
            "--quiet",
            "--output",
            "b",
        ]);
        own
    });
    measured(plumb_in(
        folder.path(),
        "run --target . --pattern random-read --size 16m --time 50ms --set rounds=2 --json --output a",
    ));
    measured(plumb_in(
        folder.path(),
        "run --target . --pattern random-read --block 8k --size 16m --time 50ms --rounds 2 --json --output c",
    ));
    let proposed = proposed_by_comparison(folder.path(), "compare a c --any-work --json");
    assert_eq!(proposed.len(), 2, "{proposed:?}");
    assert!(
        proposed[0].ends_with("--pattern random-read --size 16m --time 50ms --set rounds=6"),
        "{proposed:?}"
    );
    proposed.iter().for_each(|line| taken(folder.path(), line));
    let again = plumb_analyse::command_line::again(
        &plumb_record::read_run(&folder.path().join("b")).expect("b"),
        &[change("rounds", "6")],
    );
    taken(folder.path(), &again.expect("a command line"));
    let live = "compare --live latency null: null: --rounds 2 --budget 1ms --set time=20ms --set warm-up=0 --quiet --json --output live";
    let proposed = proposed_by_comparison(folder.path(), live);
    assert_eq!(
        proposed.len(),
        1,
        "one command line measures both: {proposed:?}"
    );
    let output = Command::new("sh")
        .args(["-c", &format!("{} --output more", proposed[0])])
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}: {}",
        proposed[0],
        String::from_utf8_lossy(&output.stderr)
    );
    let rounds = plumb_record::read_run(&folder.path().join("more/a"))
        .expect("a side")
        .notes;
    let rounds = rounds.iter().filter_map(|note| match note.event {
        plumb_model::run::Event::ExecutionStarted { round, .. } => Some(round),
        _ => None,
    });
    assert_eq!(rounds.max(), Some(5), "{}", proposed[0]);
}
