//! Which files show a block that differs from what was written? Its content as it was read, and as it should be.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plumb_model::statement::Statement;

/// Of a block whose header is damaged: only what was read.
const OF_A_HEADER: &[&str] = &["hdr_fail"];
const OF_DATA: &[&str] = &["received", "expected"];

/// A block that differs.
#[derive(Debug)]
pub struct Dump {
    pub received: Vec<u8>,
    /// Missing where it is not known.
    pub expected: Option<Vec<u8>>,
}

/// The files of one block and what each holds, with fio's names (verify.c): FILE.OFFSET.received and .expected, or .hdr_fail.
pub fn files(
    folder: &Path,
    path: &str,
    offset: u64,
    explanation: &Statement,
) -> Vec<(&'static str, PathBuf)> {
    let of_header = ["fio-block-without-header", "fio-block-field"];
    let kinds = match of_header.contains(&explanation.id.as_ref()) {
        true => OF_A_HEADER,
        false => OF_DATA,
    };
    let name = Path::new(path).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    // fio shows files of the current folder by their name alone.
    let folder = if folder == Path::new(".") {
        Path::new("")
    } else {
        folder
    };
    let file = |kind: &&'static str| (*kind, folder.join(format!("{name}.{offset}.{kind}")));
    kinds.iter().map(file).collect()
}

impl Dump {
    /// Writes the files.
    ///
    /// # Errors
    /// The file that could not be written, and why.
    pub fn write(&self, files: &[(&str, PathBuf)]) -> Result<(), (PathBuf, io::Error)> {
        for (kind, file) in files {
            let content = match *kind {
                "expected" => self.expected.as_ref(),
                _ => Some(&self.received),
            };
            if let Some(content) = content {
                fs::write(file, content).map_err(|error| (file.clone(), error))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_of_fio() {
        let names = |id: &'static str| {
            let files = files(Path::new("d"), "/x/y/f.0", 8192, &Statement::new(id));
            let names = files
                .into_iter()
                .map(|(_, file)| file.display().to_string());
            names.collect::<Vec<_>>().join(" ").replace('\\', "/")
        };
        assert_eq!(
            names("fio-block-checksum"),
            "d/f.0.8192.received d/f.0.8192.expected"
        );
        assert_eq!(names("fio-block-field"), "d/f.0.8192.hdr_fail");
    }

    #[test]
    fn what_is_not_known_is_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = files(
            folder.path(),
            "f",
            0,
            &Statement::new("block-of-older-write"),
        );
        let mut dump = Dump {
            received: vec![1, 2],
            expected: None,
        };
        dump.write(&files).expect("written");
        assert_eq!(fs::read(&files[0].1).expect("the file"), [1, 2]);
        assert!(!files[1].1.exists());
        dump.expected = Some(vec![3]);
        dump.write(&files).expect("written");
        assert_eq!(fs::read(&files[1].1).expect("the file"), [3]);
    }
}
