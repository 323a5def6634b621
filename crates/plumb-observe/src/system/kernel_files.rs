//! What do files and directories of the kernel hold: texts, numbers, names, lists of numbers?

use std::path::Path;

/// Something found, or why it was not.
pub(crate) type Known<T> = Result<T, String>;

/// What the file at `path` under `root` holds, without blanks around it.
pub(crate) fn text(root: &Path, path: &str) -> Known<String> {
    match std::fs::read_to_string(root.join(path)) {
        Ok(text) => Ok(text.trim().to_owned()),
        Err(error) => Err(format!("cannot read /{path}: {error}")),
    }
}

/// The number that the file at `path` under `root` holds.
pub(crate) fn number(root: &Path, path: &str) -> Known<f64> {
    let text = text(root, path)?;
    text.parse::<i64>()
        .map(|number| number as f64)
        .map_err(|_| format!("/{path} holds '{text}', no number"))
}

/// Names in the directory at `path` under `root` that are `prefix` and a number, in rising order: `cpu0`, `cpu1`, `cpu10`.
pub(crate) fn numbered(root: &Path, path: &str, prefix: &str) -> Vec<String> {
    let mut numbers: Vec<u32> = names(root, path)
        .iter()
        .filter_map(|name| name.strip_prefix(prefix)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers
        .iter()
        .map(|number| format!("{prefix}{number}"))
        .collect()
}

/// Names in the directory at `path` under `root`, sorted; none when it is missing.
pub(crate) fn names(root: &Path, path: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root.join(path))
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// A list of numbers as the kernel writes it (`0-3,8`), spelled out. Anything else in it is left out.
pub(crate) fn number_list(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(low), Ok(high)) = (low.trim().parse::<u32>(), high.trim().parse::<u32>())
            && high < 1 << 16
        {
            numbers.extend(low..=high);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_lists_are_spelled_out() {
        for (text, expected) in [
            ("0-3,8\n", vec![0, 1, 2, 3, 8]),
            ("0", vec![0]),
            ("", vec![]),
            ("x,2", vec![2]),
            ("5-4", vec![]),
            ("0-4294967295", vec![]),
        ] {
            assert_eq!(number_list(text), expected, "{text}");
        }
    }
}
