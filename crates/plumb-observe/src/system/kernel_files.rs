//! What do files and directories of the kernel hold: texts, numbers, names, lists of numbers?

use std::io;
use std::path::{Path, PathBuf};

/// Something found, or why it was not.
pub(crate) type Known<T> = Result<T, String>;

/// Where the file at `path` under `root` lies. Off Linux the machine itself has no such files: a /proc of another system has other contents, and Wine shows that of
/// its host. What was recorded of a Linux machine is read everywhere.
///
/// Errors: this system has none.
pub(crate) fn below_root(root: &Path, path: &str) -> io::Result<PathBuf> {
    if cfg!(not(target_os = "linux")) && root == Path::new("/") {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "a Linux kernel file, and this system is not Linux",
        ));
    }
    Ok(root.join(path))
}

/// Whether there is something at `path` under `root`.
pub(crate) fn exists(root: &Path, path: &str) -> bool {
    below_root(root, path).is_ok_and(|path| path.exists())
}

/// Where the link at `path` under `root` leads.
pub(crate) fn link(root: &Path, path: &str) -> io::Result<PathBuf> {
    std::fs::read_link(below_root(root, path)?)
}

/// What the file at `path` under `root` holds, as it is there.
pub(crate) fn full_text(root: &Path, path: &str) -> io::Result<String> {
    std::fs::read_to_string(below_root(root, path)?)
}

/// What the file at `path` under `root` holds, without blanks around it.
pub(crate) fn text(root: &Path, path: &str) -> Known<String> {
    match full_text(root, path) {
        Ok(text) => Ok(text.trim().to_owned()),
        Err(error) => Err(format!("cannot read /{path}: {error}")),
    }
}

/// Reads from a place of an open file, without moving its position; returns the bytes read.
///
/// Errors: it cannot be read there, or this system has no such files.
pub(crate) fn read_at(file: &std::fs::File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, bytes, offset);
    #[cfg(not(unix))]
    {
        let _ = (file, bytes, offset);
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

/// The number that the file at `path` under `root` holds.
pub(crate) fn number(root: &Path, path: &str) -> Known<f64> {
    let text = text(root, path)?;
    text.parse::<i64>()
        .map(|number| number as f64)
        .map_err(|_| format!("/{path} has '{text}', not a number"))
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
    let entries = below_root(root, path).and_then(std::fs::read_dir);
    let entries = entries.into_iter().flatten().flatten();
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
    fn another_system_has_no_files_of_linux_whatever_lies_there() {
        let live = Path::new("/");
        let is_reported = [
            exists(live, "proc/self"),
            text(live, "proc/meminfo").is_ok(),
            !names(live, "proc").is_empty(),
            link(live, "proc/self").is_ok(),
        ];
        assert_eq!(is_reported, [cfg!(target_os = "linux"); 4]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("recorded"), "1\n").unwrap();
        assert_eq!(text(folder.path(), "recorded").as_deref(), Ok("1"));
    }

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
