//! Does the command `plumb` do what its contract says? One binary for all tests of the command line.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]

#[cfg(unix)]
mod accessibility;
mod advice;
mod agent;
#[cfg(target_os = "linux")]
mod arm64;
mod attacked;
mod caches_below;
mod check;
mod claimed;
mod classics;
#[cfg(target_os = "linux")]
mod cleaned;
#[cfg(target_os = "linux")]
mod cleaned_drafts;
#[cfg(target_os = "linux")]
mod cleaned_ends;
mod compare;
mod contract;
mod copy_test;
#[cfg(target_os = "linux")]
mod cpu;
mod doctor;
mod explain;
#[cfg(target_os = "linux")]
mod explain_disk;
#[cfg(target_os = "linux")]
mod explain_prove;
mod explain_scenes;
mod explain_share;
mod export;
#[cfg(target_os = "linux")]
mod faults;
mod find;
#[cfg(target_os = "linux")]
mod fio_around;
#[cfg(target_os = "linux")]
mod fio_beside;
#[cfg(target_os = "linux")]
mod fio_blocks;
#[cfg(target_os = "linux")]
mod fio_call_flags;
#[cfg(target_os = "linux")]
mod fio_checks;
mod fio_command;
#[cfg(target_os = "linux")]
mod fio_depths;
#[cfg(target_os = "linux")]
mod fio_each;
#[cfg(target_os = "linux")]
mod fio_files;
#[cfg(target_os = "linux")]
mod fio_flushes;
mod fio_help;
mod fio_job;
mod fio_logs;
#[cfg(target_os = "linux")]
mod fio_options;
mod fio_pair;
#[cfg(target_os = "linux")]
mod fio_priorities;
mod fio_quiet;
mod fio_semantics;
#[cfg(target_os = "linux")]
mod fio_states;
#[cfg(target_os = "linux")]
mod fio_text;
mod fio_trigger;
mod forge;
mod frozen_server;
mod goals;
// Ranks on hosts are tried on Linux only.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod hosts;
mod import;
mod iometer;
mod languages;
mod layers;
#[cfg(target_os = "linux")]
mod layers_of_clients;
mod list;
#[cfg(target_os = "linux")]
mod live_view;
mod long_records;
#[cfg(target_os = "linux")]
mod many_clients;
#[cfg(target_os = "linux")]
mod many_hosts;
#[cfg(target_os = "linux")]
mod many_hosts_faults;
#[cfg(target_os = "linux")]
mod many_hosts_ssh;
mod mixes;
mod multichannel;
mod network;
#[cfg(target_os = "linux")]
mod newer_mpi;
mod nfs_later;
mod nonsense;
#[cfg(unix)]
mod object_store;
#[cfg(target_os = "linux")]
mod open_loop;
mod other_servers;
mod pages;
mod passwords;
mod paused;
mod performance_gate;
mod plans;
mod pressure;
mod printed;
mod python_package;
#[cfg(target_os = "linux")]
mod rank_files;
mod rdma;
mod releases;
mod replay;
mod replay_trace;
#[cfg(target_os = "linux")]
mod request_stages;
mod result_files;
mod run;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod serve_browser;
#[cfg(unix)]
mod serve_live;
mod serve_net;
mod share;
mod shared_runs;
mod shells;
mod show;
mod signals;
mod steady;
mod trace;
mod trace_live;
#[cfg(unix)]
mod trace_nfs;
mod trend;
#[cfg(target_os = "linux")]
mod trims;
mod two_hosts;
#[cfg(target_os = "linux")]
mod udp;
mod watch;
#[cfg(unix)]
mod watch_loop;
#[cfg(unix)]
mod watch_view;
#[cfg(target_os = "linux")]
mod why;

#[cfg(target_os = "linux")]
#[path = "../../../../testdata/peers/fault_fs/mod.rs"]
mod fault_fs;
#[path = "../../../../testdata/peers/ganesha.rs"]
mod ganesha;
#[path = "../../../../testdata/peers/kdc.rs"]
mod kdc;
#[path = "../../../../testdata/peers/nfs_proxy.rs"]
mod nfs_proxy;
#[cfg(unix)]
#[path = "../../../../testdata/peers/object_stores.rs"]
mod object_stores;
#[path = "../../../../testdata/peers/ports.rs"]
mod ports;
#[path = "../../../../testdata/peers/rsync_daemon.rs"]
mod rsync_daemon;
#[path = "../../../../testdata/peers/samba.rs"]
mod samba;
#[path = "../../../../testdata/peers/slow_network.rs"]
mod slow_network;

#[path = "../../../plumb-load/tests/site/fixtures.rs"]
#[allow(dead_code)]
mod fixtures;
#[path = "../../../../testdata/runs/long.rs"]
mod long;
#[path = "../../../../testdata/runs/synthetic.rs"]
#[allow(dead_code)]
mod synthetic;

use assert_cmd::Command;
use serde_json::Value;

/// The command, in an environment without terminal and colours.
fn plumb() -> Command {
    let mut command = Command::cargo_bin("plumb").expect("the command was built");
    command
        .env("NO_COLOR", "1")
        .env("COLUMNS", "120")
        // Without them `plumb fio` prints what fio prints and leaves nothing in the folder (fio_quiet.rs).
        .env("PLUMB_FIO_NOTES", "always")
        .env("PLUMB_FIO_RECORD", ".")
        .env("PLUMB_LANGUAGE", "en");
    command
}

/// A line of words for the command, run in `folder`.
fn plumb_in(folder: &std::path::Path, line: &str) -> Command {
    let mut command = plumb();
    command.current_dir(folder).args(line.split_whitespace());
    command
}

/// Copies a program, by another one: what another test forks meanwhile would have the copy open for writing, and then it cannot be run ("Text file busy").
fn copy_program(program: &std::path::Path, copy: &std::path::Path) {
    let copied = std::process::Command::new("cp")
        .args([program, copy])
        .status();
    assert!(copied.expect("cp").success(), "{}", copy.display());
}

/// Standard output of a command that must end with this exit code.
fn output_of(mut command: Command, code: i32) -> String {
    let output = command.output().expect("started");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(
        output.status.code(),
        Some(code),
        "stdout:\n{out}\nstderr:\n{err}"
    );
    out
}

/// The JSON document of a command that must end with this exit code, and nothing beside it on standard output.
fn json_of(command: Command, code: i32) -> Value {
    let out = output_of(command, code);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}:\n{out}"))
}

/// The JSON document of a measurement. Exit code 1 is a severe finding, which may be true of the machine that runs the test.
fn measured(mut command: Command) -> Value {
    let output = command.output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{error}");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|wrong| panic!("JSON alone on standard output: {wrong}\n{error}"))
}

/// Standard error of a command that must be refused with exit code 2, and print no result.
fn refusal_of(mut command: Command) -> String {
    let output = command.output().expect("started");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(
        output.status.code(),
        Some(2),
        "stdout:\n{out}\nstderr:\n{err}"
    );
    assert!(out.is_empty(), "{out}");
    err
}

/// Everything that is left in a folder, hidden files included, sorted.
fn left_in(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}
