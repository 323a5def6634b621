//! How is a stored run exported for another program? Written in its format, to standard output or to new files.

use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use plumb_record::Replace;
use plumb_record::exporter::{ExportedFile, Exporter, Subject, TakeSample, fuller_record};
use plumb_record::exporters::{EXPORTERS, by_name};
use plumb_record::result_file::write_result_with;

use super::import::stored_run;
use crate::cli::ExportArguments;
use crate::commands::Outcome;
use crate::streams::{output, print, say};
use plumb_run::derived::{derive, each_sample};

/// `plumb export`.
pub fn export(arguments: &ExportArguments) -> anyhow::Result<Outcome> {
    let (Some(folder), Some(format)) = (&arguments.run, &arguments.format) else {
        print(&formats_text())?;
        return Ok(Outcome::Done);
    };
    let exporter = by_name(format).map_err(anyhow::Error::msg)?;
    let derived = derive(stored_run(folder)?);
    let record = fuller_record(&derived.run, folder)
        .with_context(|| format!("{}: cannot be read", folder.display()))?;
    let samples = |take: TakeSample<'_>| each_sample(&derived.run, record, take);
    let subject = Subject {
        run: &derived.run,
        summary: &derived.summary,
        record,
        samples: &samples,
    };
    let files = (exporter.export)(&subject).with_context(|| {
        format!(
            "{} cannot be written as {}",
            folder.display(),
            exporter.name
        )
    })?;
    match (files.as_slice(), &arguments.output) {
        ([file], None) if exporter.is_text => print_file(file)?,
        ([file], output) => {
            let path = output
                .clone()
                .unwrap_or_else(|| default_path(folder, &format!(".{}", ending(&file.name))));
            // In an existing folder the file gets its default name.
            let path = if path.is_dir() {
                path.join(&file.name)
            } else {
                path
            };
            if let Some(parent) = path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
            {
                std::fs::create_dir_all(parent)
                    .with_context(|| format!("{}: cannot be created", parent.display()))?;
            }
            write(&path, file)?;
            say(&format!("{}: {}", exporter.name, path.display()));
        }
        (files, output) => {
            let into = output
                .clone()
                .unwrap_or_else(|| default_path(folder, &format!("-{}", exporter.name)));
            write_all(&into, files)?;
            say(&format!(
                "{}: {} files in {}",
                exporter.name,
                files.len(),
                into.display()
            ));
        }
    }
    Ok(Outcome::Done)
}

/// To a terminal like other text; to a file or pipe unchanged, while the record is read.
fn print_file(file: &ExportedFile<'_>) -> anyhow::Result<()> {
    if std::io::stdout().is_terminal() {
        let mut bytes = Vec::new();
        file.write_to(&mut bytes)?;
        return print(&String::from_utf8_lossy(&bytes));
    }
    let mut out = Ended {
        out: BufWriter::new(output()),
        last: b'\n',
    };
    file.write_to(&mut out)?;
    if out.last != b'\n' {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Remembers the last byte written.
struct Ended<W> {
    out: W,
    last: u8,
}

impl<W: Write> Write for Ended<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.last = bytes[..written].last().copied().unwrap_or(self.last);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// The part after the last dot.
fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// In the current directory, named after the run folder.
fn default_path(folder: &Path, ending: &str) -> PathBuf {
    let full = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    let stem = full
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    PathBuf::from(format!("{stem}{ending}"))
}

/// Writes a new file.
fn write(path: &Path, content: &ExportedFile<'_>) -> anyhow::Result<()> {
    let written = write_result_with(path, Replace::Nothing, &mut |out| {
        let mut out = BufWriter::new(out);
        content.write_to(&mut out).and_then(|()| out.flush())
    });
    written.map_err(|error| anyhow!("{error} with --output"))
}

/// Writes several files into a new or empty folder.
fn write_all(folder: &Path, files: &[ExportedFile<'_>]) -> anyhow::Result<()> {
    if folder.is_file() {
        bail!(
            "{}: is a file, and the format has {} files; give a folder with --output",
            folder.display(),
            files.len()
        );
    }
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!(
            "{}: the folder is not empty and is left as it is; give another one with --output",
            folder.display()
        );
    }
    std::fs::create_dir_all(folder).with_context(|| {
        format!(
            "{}: cannot be created; give another path with --output",
            folder.display()
        )
    })?;
    files
        .iter()
        .try_for_each(|file| write(&folder.join(&file.name), file))
}

fn formats_text() -> String {
    EXPORTERS
        .iter()
        .map(|exporter: &&Exporter| format!("{:<14} {}\n", exporter.name, exporter.meaning))
        .collect()
}
