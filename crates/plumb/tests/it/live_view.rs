//! Does the view of a run use the full terminal, do keys stop, skip and pause, and does the record contain their effect?

use std::path::Path;
use std::process::Command;

use crate::many_hosts::{free_port, token};
use crate::watch_view::{ENTERED, LEFT, Terminal};

/// Steps against nothing, of such a time each.
fn plan(folder: &Path, time: &str) {
    let steps: String = ["one", "two", "three"]
        .map(|name| format!("[[step]]\nname = '{name}'\n"))
        .concat();
    let text = format!(
        "name = 'p'\n[defaults]\ntarget = 'null:'\ntime = '{time}'\ninterval = '50ms'\n{steps}"
    );
    std::fs::write(folder.join("p.toml"), text).expect("plan written");
}

const LINE: &str = "\"$plumb\" run p.toml --output out --no-report";

#[test]
fn a_step_is_skipped_and_the_run_stopped_by_keys_that_no_shell_gets() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plan(folder, "1h");
    let line = format!(
        "{LINE}; echo left with $?; bash -c 'if read -t 1 key; then echo typed; else echo nothing typed; fi'"
    );
    let Some(mut terminal) = Terminal::running(folder, &line) else {
        return;
    };
    terminal.shows(ENTERED);
    terminal.shows("measuring");
    terminal.types("s");
    terminal.shows("skipped");
    terminal.types("?");
    terminal.shows("continues with the next");
    terminal.types("?");
    terminal.shows("measuring");
    terminal.types("zz\nq");
    terminal.shows(LEFT);
    terminal.shows("the results so far are recorded");
    terminal.shows("left with 130");
    terminal.shows("nothing typed");
    terminal.ends(folder);
    let run = plumb_record::read_run(&folder.join("out")).expect("a record");
    let ends: Vec<String> = run
        .notes
        .iter()
        .filter_map(|note| match &note.event {
            plumb_model::run::Event::ExecutionEnded { stopped_by, .. } => {
                Some(stopped_by.word().to_string())
            }
            _ => None,
        })
        .collect();
    assert_eq!(ends, ["skipped", "signal"]);
    let shown = crate::plumb()
        .current_dir(folder)
        .args(["show", "out", "--json"])
        .output()
        .expect("started");
    let summary: serde_json::Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(summary["steps"][0]["ended_by"], "skipped");
}

#[test]
fn a_pause_begins_between_two_steps_and_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plan(folder, "700ms");
    let Some(mut terminal) = Terminal::running(folder, LINE) else {
        return;
    };
    terminal.shows(ENTERED);
    terminal.shows("measuring");
    terminal.types("p");
    terminal.shows("paused: no load runs");
    terminal.types("p");
    terminal.shows(LEFT);
    terminal.shows("status 0");
    terminal.ends(folder);
    let run = plumb_record::read_run(&folder.join("out")).expect("a record");
    let paused = run.notes.iter().find(|note| {
        matches!(&note.event, plumb_model::run::Event::Warning { text } if text.id == "run-was-paused")
    });
    let paused = paused.expect("the pause is recorded");
    // No interval of the load reaches into it.
    let begun = run
        .notes
        .iter()
        .filter(|note| note.time_ns >= paused.time_ns)
        .count();
    assert!(begun > 0, "steps follow");
    let ends: Vec<u64> = run
        .ticks
        .iter()
        .map(|tick| tick.end_ns - tick.start_ns)
        .collect();
    assert!(ends.iter().all(|length| *length < 700_000_000), "{ends:?}");
}

#[test]
fn a_signal_gives_the_terminal_back_from_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plan(folder, "1h");
    let Some(mut terminal) = Terminal::running(folder, LINE) else {
        return;
    };
    terminal.shows(ENTERED);
    terminal.shows("measuring");
    terminal.types("\x03");
    terminal.shows(LEFT);
    terminal.shows("status 130");
    terminal.ends(folder);
}

/// Three ranks that call their hosts differently, rank 0 in the terminal.
#[test]
fn hosts_of_many_ranks_stand_beside_each_other() {
    if !Command::new("unshare")
        .args(["--uts", "true"])
        .status()
        .is_ok_and(|done| done.success())
    {
        println!("skipped: a host name of one's own (unshare --uts) takes root");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plan(folder, "1h");
    token(folder, "token", "a token of some length\n");
    let line = format!(
        "export PLUMB_RANKS=3 PLUMB_JOIN=127.0.0.1:{} PLUMB_TOKEN_FILE=token; \
         for rank in 1 2; do PLUMB_RANK=$rank unshare --uts sh -c \"hostname node$rank; exec {LINE} --quiet\" >/dev/null 2>&1 & done; \
         PLUMB_RANK=0 {LINE}; echo left with $?; wait",
        free_port()
    );
    let Some(mut terminal) = Terminal::running(folder, &line) else {
        return;
    };
    terminal.shows(ENTERED);
    terminal.shows("3 hosts, 3 ranks");
    terminal.shows("node2");
    terminal.types("q");
    terminal.shows(LEFT);
    terminal.shows("left with 130");
    terminal.ends(folder);
}
