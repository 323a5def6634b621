//! How is a word of a command line quoted so that a POSIX shell reads it back unchanged?

use std::path::Path;

/// The word, quoted if needed (POSIX.1-2017, XCU 2.2.2): for command lines that a user may copy.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else if is_of_windows(word) && !word.contains(['"', '$', '`', '%', '\n']) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A Windows path with a drive or a server; Windows shells have no single quotes.
fn is_of_windows(word: &str) -> bool {
    let mut begin = word.chars();
    let (first, second, third) = (begin.next(), begin.next(), begin.next());
    let has_drive = first.is_some_and(|letter| letter.is_ascii_alphabetic())
        && second == Some(':')
        && third == Some('\\');
    has_drive || first.zip(second) == Some(('\\', '\\'))
}

/// The same for a path, which must not be taken for an option if its name starts with a dash.
pub fn quoted_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.starts_with('-') {
        quoted(&format!("./{text}"))
    } else {
        quoted(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, quoted, quoted_path};

    #[test]
    fn a_path_is_no_option() {
        assert_eq!(
            ["-x", "--a b", "a-b", "."].map(|path| quoted_path(Path::new(path))),
            ["./-x", "'./--a b'", "a-b", "."]
        );
    }

    #[test]
    fn paths_of_windows_have_its_quotes() {
        assert_eq!(
            [r"D:\a b", r"\\server\share", r"d\e", "D:a"].map(quoted),
            [r#""D:\a b""#, r#""\\server\share""#, r"'d\e'", "D:a"]
        );
    }

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for word in [
            "plain",
            "",
            "it's",
            "$(touch x)",
            "a b",
            "`id`",
            "a\nb",
            "*",
            "~",
            "#",
            "!x",
            "é",
            "--flag=a;b",
            "\\",
            "\"",
            "&",
        ] {
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", quoted(word))])
                .output();
            let Ok(output) = output else {
                return println!("skipped: there is no POSIX shell here");
            };
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                word,
                "{}",
                quoted(word)
            );
        }
    }
}
