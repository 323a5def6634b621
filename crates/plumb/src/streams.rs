//! Where does text go? Results to standard output, everything else to standard error.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// Prints a result. Errors are those of standard output: a full disk, a closed pipe.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a result as JSON.
pub fn print_json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(value)?)
}

/// Tells the user something that is no result.
pub fn say(text: &str) {
    // When nobody can be told that nobody can be told, going on is all that is left.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// True when the reader of our output has gone.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// True when standard output shows colours: a terminal, and the user did not refuse them (no-color.org).
pub fn stdout_in_colour() -> bool {
    io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Columns of the terminal for plain text: what COLUMNS says, else 110.
pub fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|columns| (40..=400).contains(columns)).unwrap_or(110)
}
