//! Where does text go? Results to standard output, everything else to standard error.

use std::io::{self, Write};

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
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// Names of files may hold anything, orders to the terminal too: those are shown as replacement characters.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// True when the reader of our output has gone.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_name_gives_orders_to_the_terminal() {
        assert_eq!(super::printable("a\u{1b}[31mb\nc\u{9b}d"), "a\u{fffd}[31mb\nc\u{fffd}d");
    }
}
