//! Does the view of `plumb watch` use the full terminal, react to keys, and restore the terminal after any kind of end?

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Begin and end of the alternate screen.
pub const ENTERED: &str = "\x1b[?1049h";
pub const LEFT: &str = "\x1b[?1049l";
/// A test that waits longer for something has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// A shell in a terminal of 100 columns and 30 lines of its own (script(1) of util-linux makes it).
pub struct Terminal {
    shell: Child,
    typed: ChildStdin,
    shown: Receiver<Vec<u8>>,
    /// What was shown after that.
    seen: Vec<u8>,
}

impl Terminal {
    /// `None`: there is no script(1) here.
    pub fn running(folder: &Path, line: &str) -> Option<Terminal> {
        let program = env!("CARGO_BIN_EXE_plumb");
        let shell = format!(
            "trap : INT TERM; stty rows 30 cols 100; stty -g >before; {line}; echo status $?; stty -g >after"
        );
        let started = Command::new("script")
            .args(["--quiet", "--command", &shell, "/dev/null"])
            .current_dir(folder)
            .env("plumb", program)
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .env("PLUMB_LANGUAGE", "en")
            .env("LC_ALL", "C")
            .env("HISTFILE", "/dev/null")
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut shell = match started {
            Ok(shell) => shell,
            Err(error) => {
                println!("skipped: script (Debian package bsdutils): {error}");
                return None;
            }
        };
        let typed = shell.stdin.take().expect("piped");
        let mut output = shell.stdout.take().expect("piped");
        let (send, shown) = channel();
        std::thread::spawn(move || {
            let mut read = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut read) {
                if send.send(read[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Terminal {
            shell,
            typed,
            shown,
            seen: Vec::new(),
        })
    }

    pub fn types(&mut self, text: &str) {
        self.typed.write_all(text.as_bytes()).expect("typed");
        self.typed.flush().expect("typed");
    }

    /// Waits until this is shown, after what was waited for before, and returns what was shown between.
    #[track_caller]
    pub fn shows(&mut self, expected: &str) -> String {
        loop {
            let mut places = self.seen.windows(expected.len());
            if let Some(at) = places.position(|place| place == expected.as_bytes()) {
                let rest = self.seen.split_off(at + expected.len());
                let seen = std::mem::replace(&mut self.seen, rest);
                return String::from_utf8_lossy(&seen).into_owned();
            }
            match self.shown.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.extend(more),
                Err(_) => {
                    let seen = String::from_utf8_lossy(&self.seen);
                    panic!("{expected:?} is not shown after {seen:?}");
                }
            }
        }
    }

    /// Waits for the end, and checks that the terminal is as it was.
    #[track_caller]
    pub fn ends(mut self, folder: &Path) {
        drop(self.typed);
        self.shell.wait().expect("ended");
        let modes = |name: &str| std::fs::read_to_string(folder.join(name)).expect("modes");
        assert_eq!(modes("before"), modes("after"));
    }
}

#[test]
fn the_view_obeys_keys_and_gives_the_terminal_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let line = "\"$plumb\" watch --interval 100ms --duration 1h --output seen.plumb";
    let Some(mut terminal) = Terminal::running(folder, line) else {
        return;
    };
    terminal.shows(ENTERED);
    terminal.shows("recorded · back to ");
    terminal.types(" ");
    terminal.shows("paused, 0:00 behind; recording continues");
    terminal.types("q");
    terminal.shows(LEFT);
    // It ended before its time.
    terminal.shows("seen.plumb");
    terminal.shows("status 130");
    terminal.ends(folder);

    let line = "\"$plumb\" watch seen.plumb";
    let Some(mut terminal) = Terminal::running(folder, line) else {
        return;
    };
    terminal.shows(ENTERED);
    terminal.types("\x1b[H");
    terminal.shows("interval 1 of ");
    terminal.types("q");
    terminal.shows(LEFT);
    terminal.shows("status 0");
    terminal.ends(folder);
}

#[test]
fn signals_end_the_view_and_give_the_terminal_back() {
    for end in ["\x03", "kill"] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let line = "sh -c 'echo $$ >number; exec \"$plumb\" watch --no-record --interval 100ms'";
        let Some(mut terminal) = Terminal::running(folder, line) else {
            return;
        };
        terminal.shows("not recorded");
        match end {
            "kill" => {
                let number = std::fs::read_to_string(folder.join("number")).expect("a number");
                crate::fixtures::run("kill", &["-TERM", number.trim()]).expect("sent");
            }
            typed => terminal.types(typed),
        }
        terminal.shows(LEFT);
        terminal.shows("status 0");
        terminal.ends(folder);
    }
}

#[test]
fn a_view_that_is_stopped_gives_the_terminal_back_and_takes_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let Some(mut terminal) = Terminal::running(folder, "bash --norc --noprofile -i") else {
        return;
    };
    let watched = "sh -c 'echo $$ >number; exec \"$plumb\" watch --no-record --interval 100ms'";
    terminal.types(&format!("stty -g >at-first; {watched}\n"));
    terminal.shows(ENTERED);
    terminal.shows("not recorded");
    // Ctrl-Z: the shell has the terminal as it was.
    terminal.types("\x1a");
    terminal.shows(LEFT);
    terminal.shows("Stopped");
    terminal.types("stty -g >stopped; fg\n");
    terminal.shows(ENTERED);
    terminal.shows("not recorded");
    // A stop that no program is asked about: the shell puts the terminal right, and the view takes it anew.
    let number = std::fs::read_to_string(folder.join("number")).expect("a number");
    crate::fixtures::run("kill", &["-STOP", number.trim()]).expect("sent");
    terminal.shows("Stopped");
    terminal.types("fg\n");
    terminal.shows(ENTERED);
    terminal.shows("not recorded");
    terminal.types("q");
    terminal.shows(LEFT);
    terminal.types("stty -g >at-last; exit\n");
    terminal.shows("status 0");
    terminal.ends(folder);
    let modes = |name: &str| std::fs::read_to_string(folder.join(name)).expect("modes");
    assert_eq!(modes("at-first"), modes("stopped"));
    assert_eq!(modes("at-first"), modes("at-last"));
}

#[test]
fn asked_for_plain_tables_there_is_no_view() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "\"$plumb\" watch --no-record --plain --interval 100ms --duration 300ms";
    let Some(mut terminal) = Terminal::running(folder.path(), line) else {
        return;
    };
    let seen = terminal.shows("status 0");
    assert!(
        seen.contains("intervals; means are over requests"),
        "{seen:?}"
    );
    assert!(!seen.contains(ENTERED), "{seen:?}");
    terminal.ends(folder.path());
}
