//! Which words does a command line have, and where is its program?

use std::path::{Path, PathBuf};

/// The words of a command line as a shell splits them: at spaces, with '...', "..." and \ to keep them together. Nothing is expanded.
///
/// # Errors
/// A quotation mark that does not end, or no words at all.
pub fn split_words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(format!("unmatched {open} in {line}: add the closing one"));
    }
    words.extend(word);
    if words.is_empty() {
        Err("the command is empty: name a program and its arguments".into())
    } else {
        Ok(words)
    }
}

/// Location of a program: the path itself if the name contains one, else the first directory of `search_path` that has it.
pub fn find_program(name: &str, search_path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    let is_file = |path: &Path| path.is_file() || path.with_extension("exe").is_file();
    if Path::new(name).components().count() > 1 {
        return Some(PathBuf::from(name)).filter(|path| is_file(path));
    }
    std::env::split_paths(search_path?)
        .map(|folder| folder.join(name))
        .find(|path| is_file(path))
}

/// A program's error message: the first line that looks like a reason, and the last one. `None`: no output.
pub(super) fn last_words(output: &str) -> Option<String> {
    let lines: Vec<&str> = output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let reasons = [
        "error",
        "fail",
        "denied",
        "refused",
        "cannot",
        "no such",
        "not ",
        "nt_status",
    ];
    let sounds = |line: &&&str| {
        reasons
            .iter()
            .any(|reason| line.to_ascii_lowercase().contains(reason))
    };
    match (lines.iter().find(sounds), lines.last()) {
        (_, None) => None,
        (Some(reason), Some(last)) if reason != last => Some(format!("{reason} / {last}")),
        (_, Some(last)) => Some((*last).to_string()),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_by_a_shell() {
        let check = |line: &str, expected: &[&str]| {
            assert_eq!(split_words(line).expect(line), expected, "{line}")
        };
        check("cp -a {from}/. {to}", &["cp", "-a", "{from}/.", "{to}"]);
        check(
            "sh -c 'cd {from} && tar c . | tar x -C {to}'",
            &["sh", "-c", "cd {from} && tar c . | tar x -C {to}"],
        );
        check(r#"a "b c" d\ e '' "\"""#, &["a", "b c", "d e", "", "\""]);
        assert!(split_words("a 'b").is_err());
        assert!(split_words("  ").is_err());
    }

    #[test]
    fn programs_are_found_on_the_search_path() {
        assert_eq!(
            find_program("sh", Some("/nowhere:/bin".as_ref())),
            Some("/bin/sh".into())
        );
        assert_eq!(find_program("/bin/sh", None), Some("/bin/sh".into()));
        assert_eq!(find_program("no-such-program", Some("/bin".as_ref())), None);
    }
}
