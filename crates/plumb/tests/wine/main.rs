//! Does the Windows program do what the Linux one does? It runs under Wine, beside it: the same operations, records that both read, and the same servers.
//!
//! `./dev test` builds the program and says where it is (PLUMB_EXE), by what it runs (PLUMB_WINE) and where Wine keeps its settings (WINEPREFIX).

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]
#![cfg(target_os = "linux")]

mod network;
mod records;

#[path = "../../../../testdata/peers/ganesha.rs"]
mod ganesha;
#[path = "../../../../testdata/peers/ports.rs"]
mod ports;
#[path = "../../../../testdata/peers/samba.rs"]
mod samba;
#[path = "../../../../testdata/peers/served.rs"]
mod served;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The Windows program, with these words, in a folder; `None`, with the reason printed, where it was not built.
fn on_windows(folder: &Path, line: &str) -> Option<Command> {
    let named = |name: &str| std::env::var_os(name);
    let (Some(wine), Some(program)) = (named("PLUMB_WINE"), named("PLUMB_EXE")) else {
        println!(
            "skipped: PLUMB_WINE and PLUMB_EXE do not say where Wine and plumb.exe are: ./dev test sets them"
        );
        return None;
    };
    let mut command = Command::new(wine);
    command
        .arg(program)
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("WINEDEBUG", "-all")
        .env("PLUMB_LANGUAGE", "en")
        .stdin(Stdio::null());
    Some(command)
}

/// The program of this system.
fn here(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("plumb"));
    command
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("PLUMB_LANGUAGE", "en")
        .stdin(Stdio::null());
    command
}

/// What a command printed that must have ended well: with 0, or with 1, which says that something was found.
fn printed(mut command: Command) -> String {
    let output = command.output().expect("started");
    assert!(is_well(&output), "{command:?}\n{}", text_of(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn is_well(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 1))
}

fn text_of(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{out}\n{err}")
}

/// The JSON that a command printed.
fn json(command: Command) -> serde_json::Value {
    serde_json::from_str(&printed(command)).expect("JSON")
}
