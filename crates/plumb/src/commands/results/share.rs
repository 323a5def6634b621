//! How is a run sent to someone? As one file, which plumb reads directly.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use plumb_model::run::Run;
use plumb_model::text::shell::quoted_path;
use plumb_record::hidden_names::HiddenNames;
use plumb_record::read_run;
use plumb_record::shared::{is_shared, pack, unpack};
use plumb_run::measurement::random_number;
use plumb_words::numbers::show_bytes;

use crate::commands::Outcome;
use crate::streams::{print, say};
use crate::system::make_private_folder;

/// Extension of a shared run.
const EXTENSION: &str = "tar.gz";

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plumb share plumb-check-20261121-214100.plumb\n  plumb share plumb-check-20261121-214100.plumb --hide-names   (to attach it to a public issue)\n  plumb show plumb-check-20261121-214100.plumb.tar.gz\n  \
plumb compare mine.plumb theirs.plumb.tar.gz\n\n\
The file is a gzip-compressed tar archive with the record and the report page only. The record contains the facts of `plumb doctor`, the version, the name of this host, its devices, the target and \
the command line, and no passwords. With --hide-names each name is replaced by the same word everywhere (host-1, user-1, folder-1), and the replacements are listed. plumb show, report, compare, export and import read the file directly. Nothing is overwritten."
)]
pub struct ShareArguments {
    /// Run folder to pack
    #[arg(value_name = "RUN")]
    pub folder: PathBuf,
    /// File to write; must not exist [default: the name of the folder with .tar.gz, in the current directory]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace names of machines, users, folders and addresses, for a public issue; leaves out the report page
    #[arg(long)]
    pub hide_names: bool,
}

/// `plumb share`.
pub fn share(arguments: &ShareArguments) -> anyhow::Result<Outcome> {
    let folder = &arguments.folder;
    let shown = folder.display();
    if !folder.is_dir() {
        bail!("{shown}: no such run folder: plumb list shows the existing ones");
    }
    let file = match &arguments.output {
        Some(file) => file.clone(),
        None => name_for(folder)?,
    };
    if std::fs::symlink_metadata(&file).is_ok() {
        bail!(
            "{}: already exists; give another file with --output",
            file.display()
        );
    }
    let (all, packed) = if arguments.hide_names {
        pack_without_names(folder, &file)
    } else {
        pack(folder, &file).map_err(anyhow::Error::from)
    }
    .with_context(|| shown.to_string())?;
    print(&file.display().to_string())?;
    say(&format!(
        "shared: {} instead of {}; plumb show {}",
        show_bytes(packed as f64),
        show_bytes(all as f64),
        quoted_path(&file)
    ));
    Ok(Outcome::Done)
}

/// Packs a copy of the record in which no name stands, and lists what was replaced.
fn pack_without_names(folder: &Path, file: &Path) -> anyhow::Result<(u64, u64)> {
    let copy = std::env::temp_dir().join(format!("plumb-shared-{:016x}", random_number()));
    make_private_folder(&copy).with_context(|| copy.display().to_string())?;
    let packed = HiddenNames::copy(folder, &copy)
        .map_err(anyhow::Error::from)
        .and_then(|names| {
            read_run(&copy).context("without its names the record cannot be read")?;
            Ok((names, pack(&copy, file)?))
        });
    let _ = std::fs::remove_dir_all(&copy);
    let (names, sizes) = packed?;
    for (name, word) in names.each() {
        say(&format!("replaced: {name} by {word}"));
    }
    say(
        "names in titles, notes, tags and names of steps are not replaced: look through `plumb show --json` of the file before you publish it",
    );
    Ok(sizes)
}

fn name_for(folder: &Path) -> anyhow::Result<PathBuf> {
    let full = folder
        .canonicalize()
        .with_context(|| folder.display().to_string())?;
    let name = full.file_name().context("a run folder has a name")?;
    let mut name = name.to_os_string();
    name.push(".");
    name.push(EXTENSION);
    Ok(name.into())
}

/// The run in a shared file; `None`: not a shared file. Errors: it must not be unpacked, or cannot be read.
pub fn shared_run(file: &Path) -> anyhow::Result<Option<Run>> {
    if !is_shared(file) {
        return Ok(None);
    }
    let folder = std::env::temp_dir().join(format!("plumb-shared-{:016x}", random_number()));
    make_private_folder(&folder).with_context(|| folder.display().to_string())?;
    let run = unpack(file, &folder)
        .map_err(anyhow::Error::from)
        .and_then(|()| Ok(read_run(&folder)?));
    let _ = std::fs::remove_dir_all(&folder);
    run.map(Some).with_context(|| file.display().to_string())
}

/// Creates a run folder from a shared file, with an unchanged record; `None`: not a shared file. Nothing is overwritten: an existing name gets a number.
///
/// Errors: it must not be unpacked, or the folder cannot be created.
pub fn kept_shared(
    file: &Path,
    place: &Path,
    tags: &[String],
    stem: &str,
) -> anyhow::Result<Option<(PathBuf, Run)>> {
    if !is_shared(file) {
        return Ok(None);
    }
    if !tags.is_empty() {
        bail!("a shared run keeps its tags: omit --tag");
    }
    if !place.as_os_str().is_empty() {
        std::fs::create_dir_all(place).with_context(|| place.display().to_string())?;
    }
    let stem = stem.trim_end_matches("-tar").trim_end_matches("-plumb");
    let names = std::iter::once(format!("{stem}.plumb"))
        .chain((2..1000).map(|number| format!("{stem}-{number}.plumb")));
    for folder in names.map(|name| place.join(name)) {
        match std::fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error).context(folder.display().to_string()),
        }
        let run = unpack(file, &folder)
            .map_err(anyhow::Error::from)
            .and_then(|()| Ok(read_run(&folder)?));
        if run.is_err() {
            let _ = std::fs::remove_dir_all(&folder);
        }
        return Ok(Some((folder, run?)));
    }
    bail!("{stem}.plumb and all numbered names exist: give another folder with --output")
}
