//! Where does text go? Results to standard output, everything else to standard error.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use log::{LevelFilter, Log, Metadata, Record};
use plumb_model::target::password::masked;
use plumb_run::notices;
use plumb_show::terminal::{Page, lines_text, notices_page, printable_lines, printable_page};
use plumb_words::{Language, Words};
use serde::Serialize;

use crate::settings::preferences;

/// The language of this process: said once, by `main`.
static SPOKEN: OnceLock<Words> = OnceLock::new();

/// From now on results are shown in this language. The first call decides.
pub fn speak(language: Language) {
    let _ = SPOKEN.set(Words::of(language));
}

/// The words of the language that was chosen.
pub fn words() -> Words {
    SPOKEN.get().copied().unwrap_or_default()
}

/// The standard output as a page.
pub fn page() -> Page {
    let page = Page::of_stdout(words());
    Page {
        colour: page.colour && !preferences().is_plain,
        ..page
    }
}

/// The reader of the standard output has gone.
#[derive(Debug)]
struct ReaderHasGone;

impl fmt::Display for ReaderHasGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("whoever read the output has gone")
    }
}

impl std::error::Error for ReaderHasGone {}

/// The standard output, whose errors tell when its reader has gone.
pub struct Results(io::StdoutLock<'static>);

/// The standard output, for results.
pub fn output() -> Results {
    Results(io::stdout().lock())
}

fn noted<T>(written: io::Result<T>) -> io::Result<T> {
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::BrokenPipe, ReaderHasGone),
        _ => error,
    })
}

impl Write for Results {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        noted(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        noted(self.0.flush())
    }
}

/// Prints a result, without anything that would give orders to the terminal: names come from files, servers and other programs. Errors are those of
/// standard output: a full disk, a closed pipe.
pub fn print(text: &str) -> anyhow::Result<()> {
    write(&printable_page(text, page().colour))
}

fn write(text: &str) -> anyhow::Result<()> {
    let mut out = output();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a text that a program reads, such as a shell, byte for byte. Errors as of [`print`].
pub fn print_exactly(text: &[u8]) -> anyhow::Result<()> {
    let mut out = output();
    out.write_all(text)?;
    Ok(out.flush()?)
}

/// Prints a result as JSON, each statement with its sentence, which is English whatever the language is: JSON is for programs.
pub fn print_json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    let told = Words::english().told(value)?;
    write(&escaped(&serde_json::to_string_pretty(&told)?))
}

/// What is told while a view has the whole terminal waits here until it is given back.
static WAITING: Mutex<Option<Vec<String>>> = Mutex::new(None);

fn waiting() -> MutexGuard<'static, Option<Vec<String>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on what is told waits.
pub fn hold_notices() {
    waiting().get_or_insert_default();
}

/// Tells what waited, and from now on at once.
pub fn release_notices() {
    let told = waiting().take();
    told.into_iter().flatten().for_each(|text| say(&text));
}

/// Tells the user something that is no result. A password that stands in an address, in a plan file for example, is not repeated.
pub fn say(text: &str) {
    if let Some(waiting) = waiting().as_mut() {
        return waiting.push(text.to_string());
    }
    // When nobody can be told that nobody can be told, going on is all that is left.
    let text = masked(text);
    let shown = match notices_page(words()) {
        Some(page) => lines_text(&text, page),
        None => printable_lines(&text) + "\n",
    };
    let _ = io::stderr().lock().write_all(shown.as_bytes());
}

/// What is told while something is measured goes the same way.
struct Notices;

impl Log for Notices {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target() == notices::TARGET
    }

    fn log(&self, record: &Record) {
        if self.enabled(record.metadata()) {
            say(&record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// From now on notices are shown. The first call decides.
pub fn show_notices() {
    if log::set_logger(&Notices).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

/// JSON escapes only some control characters. Others stand in strings and nowhere else, where an escape means the same.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\n' => out.push(c),
            c if printable_lines(c.encode_utf8(&mut [0; 4])).len() > c.len_utf8() => {
                out += &format!("\\u{:04x}", u32::from(c))
            }
            c => out.push(c),
        }
    }
    out
}

/// True when the reader of our output has gone. A peer that has gone, whose connection or pipe tells the same, is an error like others.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| {
        let of_output = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        of_output.is_some_and(|inner| inner.is::<ReaderHasGone>())
    })
}

#[cfg(test)]
mod tests {
    use std::io;

    #[test]
    fn a_peer_that_has_gone_is_no_reader_of_the_output() {
        let of_peer = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(!super::is_closed_pipe(&of_peer.context("hosta")));
        let of_output = super::noted::<()>(Err(io::ErrorKind::BrokenPipe.into()));
        let of_output = anyhow::Error::from(of_output.expect_err("an error"));
        assert!(super::is_closed_pipe(&of_output.context("printing")));
    }

    #[test]
    fn json_keeps_its_values_and_gives_no_orders() {
        let text = serde_json::to_string_pretty(&["a\u{1b}\u{9b}\u{7f}\u{202e}\tb"]).expect("JSON");
        let escaped = super::escaped(&text);
        assert!(
            escaped.contains("\\u009b\\u007f\\u202e") && !escaped.contains('\u{9b}'),
            "{escaped}"
        );
        let back: Vec<String> = serde_json::from_str(&escaped).expect("JSON");
        assert_eq!(back, ["a\u{1b}\u{9b}\u{7f}\u{202e}\tb"]);
    }
}
