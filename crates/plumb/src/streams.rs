//! Where is text printed? Results to standard output, everything else to standard error.

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

/// The language of this process, set once by `main`.
static LANGUAGE_WORDS: OnceLock<Words> = OnceLock::new();

/// Sets the language of results. The first call counts.
pub fn speak(language: Language) {
    let _ = LANGUAGE_WORDS.set(Words::of(language));
}

/// The catalog of the selected language.
pub fn words() -> Words {
    LANGUAGE_WORDS.get().copied().unwrap_or_default()
}

/// The standard output as a page.
pub fn page() -> Page {
    let page = Page::of_stdout(words());
    Page {
        colour: page.colour && !preferences().is_plain,
        ..page
    }
}

/// The reader of standard output has closed it.
#[derive(Debug)]
struct ReaderHasGone;

impl fmt::Display for ReaderHasGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reader of the output has closed it")
    }
}

impl std::error::Error for ReaderHasGone {}

/// Standard output, with a separate error for a closed reader.
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

/// Prints a result, without control characters: names come from files, servers and other programs. Errors are those of
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

/// Prints a text for a program, such as a shell, byte for byte. Errors as for [`print()`].
pub fn print_exactly(text: &[u8]) -> anyhow::Result<()> {
    let mut out = output();
    out.write_all(text)?;
    Ok(out.flush()?)
}

/// Prints a result as JSON, each statement with its English sentence, in any language: JSON is for programs.
pub fn print_json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    let with_sentences = Words::english().with_sentences(value)?;
    write(&escaped(&serde_json::to_string_pretty(&with_sentences)?))
}

/// Messages that wait here while a full-screen view has the terminal.
static WAITING: Mutex<Option<Vec<String>>> = Mutex::new(None);

fn waiting() -> MutexGuard<'static, Option<Vec<String>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on messages wait.
pub fn hold_notices() {
    waiting().get_or_insert_default();
}

/// Prints waiting messages; later ones are printed at once.
pub fn release_notices() {
    let messages = waiting().take();
    messages.into_iter().flatten().for_each(|text| say(&text));
}

/// Prints a message that is not a result. A password in an address, in a plan file for example, is masked.
pub fn say(text: &str) {
    if let Some(waiting) = waiting().as_mut() {
        return waiting.push(text.to_string());
    }
    // If standard error fails, there is no way to report it.
    let text = masked(text);
    let shown = match notices_page(words()) {
        Some(page) => lines_text(&text, page),
        None => printable_lines(&text) + "\n",
    };
    let _ = io::stderr().lock().write_all(shown.as_bytes());
}

/// Messages during a measurement go the same way.
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

/// Shows notices from now on. The first call counts.
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

/// True if the reader of our output has closed it. A disconnected peer, with the same error kind, is an ordinary error.
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
