//! How are results and job files of other programs imported? Each run becomes a run folder, each job file a plan file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Zoned;
use plumb_load::site::{IMPORT, Scratch, holds_folders, warn_of_stale};
use plumb_model::run::Run;
use plumb_model::text::shell::quoted_path;
use plumb_record::importer::{HEAD_BYTES, Importer, Source, as_rounds};
use plumb_record::importers::{IMPORTERS, by_name, import as read_runs};
use plumb_record::result_file::ResultFileError;
use plumb_record::{RecordError, Replace, RunWriter, read_run, write_result};
use plumb_words::english;
use schemars::JsonSchema;
use serde::Serialize;

use super::share::{kept_shared, shared_run};
use crate::cli::ImportArguments;
use crate::commands::Outcome;
use crate::settings::run_folders;
use crate::streams::{print, print_json, say};
use plumb_run::file_kind::{FileKind, kind_of};
use plumb_run::measurement::{plain_name, run_id};
use plumb_run::named_plan::job_files::{configuration_as_plan, is_of_iometer, job_as_plan};

/// Name and version of what `--json` prints.
const IMPORT_SCHEMA: &str = "plumb-import-1";
/// Folders of one name that are tried.
const NAMES_MAX: u32 = 100_000;

/// The imported files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportResult {
    /// `plumb-import-1`.
    schema: String,
    runs: Vec<ImportedRun>,
    /// Job files and configuration files, converted to plans.
    plans: Vec<ImportedPlan>,
    /// Files that could not be imported.
    failures: Vec<Failure>,
}

/// An imported run.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportedRun {
    /// The file, as given on the command line; several with `--rounds`.
    file: String,
    folder: PathBuf,
    id: String,
    /// Kind of the file: one of `plumb import --list`.
    importer: String,
    /// The program that measured, and its version if the file contains it.
    program: String,
    version: Option<String>,
    /// RFC 3339; missing if the file does not contain it.
    started: Option<String>,
    steps: usize,
    /// Rounds of each step: several if the file has repetitions, or with `--rounds`.
    rounds: u32,
    /// Doubts about the results.
    doubts: Vec<String>,
}

/// A file converted to a plan file.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportedPlan {
    /// The file, as given on the command line.
    file: String,
    plan: PathBuf,
    /// Differences from the program of the file.
    remarks: Vec<String>,
}

/// A file that could not be imported.
#[derive(Debug, Serialize, JsonSchema)]
struct Failure {
    file: String,
    /// The error and its location.
    error: String,
}

/// `plumb import`.
pub fn import(arguments: &ImportArguments) -> anyhow::Result<Outcome> {
    if arguments.list {
        print(&kinds_text())?;
        return Ok(Outcome::Done);
    }
    let kind = arguments
        .kind
        .as_deref()
        .map(by_name)
        .transpose()
        .map_err(anyhow::Error::msg)?;
    let mut result = ImportResult {
        schema: IMPORT_SCHEMA.into(),
        runs: Vec::new(),
        plans: Vec::new(),
        failures: Vec::new(),
    };
    if arguments.rounds {
        let run = take_in_rounds(kind, arguments)?;
        if arguments.json {
            print_json(&ImportResult {
                runs: vec![run],
                ..result
            })?
        } else {
            print(&run_text(&run, &mut BTreeSet::new()))?
        }
        return Ok(Outcome::Done);
    }
    // A doubt that several runs share is printed once.
    let mut printed = BTreeSet::new();
    for file in &arguments.files {
        let (runs, plans) = (result.runs.len(), result.plans.len());
        let taken = match kind.map_or_else(|| kind_of(file), |kind| Ok(FileKind::Result(kind))) {
            Ok(FileKind::JobFile | FileKind::IometerConfiguration) => {
                take_in_job(file, arguments).map(|plan| result.plans.push(plan))
            }
            Ok(FileKind::Trace) => Err(anyhow::anyhow!(
                "it is a trace of calls or packets, not a result; use 'plumb trace {file}' to show it, 'plumb explain {file}' to find what limits the application",
                file = quoted_path(file)
            )),
            Ok(FileKind::Result(kind)) => take_in(file, Some(kind), arguments, &mut result.runs),
            Ok(FileKind::SharedRun) => {
                take_in_shared(file, arguments).map(|run| result.runs.extend(run))
            }
            Err(error) => Err(error),
        };
        if !arguments.json {
            result.runs[runs..]
                .iter()
                .try_for_each(|run| print(&run_text(run, &mut printed)))?;
            result.plans[plans..]
                .iter()
                .try_for_each(|plan| print(&plan_text(plan)))?;
        }
        if let Err(error) = taken {
            let (file, error) = (file.display().to_string(), format!("{error:#}"));
            say(&format!("plumb: {file}: {error}"));
            result.failures.push(Failure { file, error });
        }
    }
    if arguments.json {
        print_json(&result)?;
    }
    Ok(if result.failures.is_empty() {
        Outcome::Done
    } else {
        Outcome::NotDone
    })
}

/// The run in a run folder, or the one in a result file of another program, which stays unchanged.
pub fn stored_run(place: &Path) -> anyhow::Result<Run> {
    if !place.is_file() {
        return Ok(read_run(place)?);
    }
    let shown = place.display().to_string();
    let kind = match kind_of(place).with_context(|| shown.clone())? {
        FileKind::Result(kind) => kind,
        FileKind::SharedRun => {
            return shared_run(place)?.with_context(|| format!("{shown}: is no shared run"));
        }
        FileKind::JobFile | FileKind::IometerConfiguration => {
            let command = format!("plumb run {}", quoted_path(place));
            anyhow::bail!(
                "{shown}: describes a measurement, it is not a result: run it with `{command}`, and use its run folder here"
            )
        }
        FileKind::Trace => anyhow::bail!(
            "{shown}: is a trace of calls or packets, not a result: `plumb trace {file}` shows it, `plumb explain {file}` finds what limits the application",
            file = quoted_path(place)
        ),
    };
    let mut runs = runs_of(place, Some(kind)).with_context(|| shown.clone())?;
    match (runs.pop(), runs.len()) {
        (Some(mut run), 0) => {
            run.header.id = run_id(&Zoned::now());
            Ok(run)
        }
        (_, others) => {
            let command = format!("plumb import {}", quoted_path(place));
            anyhow::bail!(
                "{shown}: contains {} runs; `{command}` creates a run folder of each: use one of them here",
                others + 1
            )
        }
    }
}

/// Creates run folders for all runs in a file.
fn take_in(
    file: &Path,
    kind: Option<&'static Importer>,
    arguments: &ImportArguments,
    taken: &mut Vec<ImportedRun>,
) -> anyhow::Result<()> {
    let stem = plain_name(&file.file_stem().unwrap_or_default().to_string_lossy());
    // A file may hold a thousand runs: each takes the number after the last one.
    let mut number = 1;
    for run in runs_of(file, kind)? {
        taken.push(keep(run, arguments, &stem, &mut number)?);
    }
    Ok(())
}

/// Creates the run folder of a shared run.
fn take_in_shared(file: &Path, arguments: &ImportArguments) -> anyhow::Result<Option<ImportedRun>> {
    let stem = plain_name(&file.file_stem().unwrap_or_default().to_string_lossy());
    let place = run_folders(arguments.output.as_ref());
    let kept = kept_shared(file, &place, &arguments.tags, &stem)?;
    Ok(kept.map(|(folder, run)| ImportedRun {
        file: file.display().to_string(),
        importer: "plumb-share".into(),
        program: "plumb".into(),
        version: Some(run.header.plumb_version.clone()),
        ..described(folder, run)
    }))
}

/// Creates one run folder from all results in all files, or none: missing rounds would change the confidence interval.
fn take_in_rounds(
    kind: Option<&'static Importer>,
    arguments: &ImportArguments,
) -> anyhow::Result<ImportedRun> {
    let mut runs = Vec::new();
    for file in &arguments.files {
        let name = file.display().to_string();
        let kind = match kind {
            Some(kind) => kind,
            None => match kind_of(file).with_context(|| name.clone())? {
                FileKind::Result(kind) => kind,
                FileKind::JobFile | FileKind::IometerConfiguration => {
                    anyhow::bail!("{name}: describes a measurement, it is not a result: omit it")
                }
                FileKind::Trace => anyhow::bail!("{name}: is a trace, not a result: omit it"),
                FileKind::SharedRun => {
                    anyhow::bail!(
                        "{name}: is a run of plumb, not a result of another program: omit it"
                    )
                }
            },
        };
        runs.extend(runs_of(file, Some(kind)).context(name)?);
    }
    let stem = arguments
        .files
        .first()
        .and_then(|file| file.file_stem())
        .unwrap_or_default()
        .to_string_lossy();
    keep(
        as_rounds(runs).map_err(anyhow::Error::msg)?,
        arguments,
        &plain_name(&stem),
        &mut 1,
    )
}

/// Writes a run into its own folder, with the tags of the command line. `number` is the first one that its name may have, and then the one after it.
fn keep(
    mut run: Run,
    arguments: &ImportArguments,
    stem: &str,
    number: &mut u32,
) -> anyhow::Result<ImportedRun> {
    run.header.id = run_id(&Zoned::now());
    run.header.tags = arguments.tags.clone();
    let folder = write(&run, &run_folders(arguments.output.as_ref()), stem, number)?;
    Ok(described(folder, run))
}

/// Writes the job file as a new plan file: `STEM.toml`, or with a number.
fn take_in_job(file: &Path, arguments: &ImportArguments) -> anyhow::Result<ImportedPlan> {
    let (text, remarks) = if is_of_iometer(file) {
        configuration_as_plan(file)?
    } else {
        job_as_plan(file)?
    };
    let place = arguments.output.as_deref().unwrap_or(Path::new(""));
    let stem = plain_name(&file.file_stem().unwrap_or_default().to_string_lossy());
    let names = std::iter::once(format!("{stem}.toml"))
        .chain((2..NAMES_MAX).map(|number| format!("{stem}-{number}.toml")));
    if !place.as_os_str().is_empty() {
        std::fs::create_dir_all(place)
            .with_context(|| format!("{}: cannot be created", place.display()))?;
    }
    for plan in names.map(|name| place.join(name)) {
        match write_result(&plan, text.as_bytes(), Replace::Nothing) {
            Ok(()) => {
                return Ok(ImportedPlan {
                    file: file.display().to_string(),
                    plan,
                    remarks,
                });
            }
            Err(ResultFileError::Taken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    anyhow::bail!(
        "there are {NAMES_MAX} files named {stem}.toml; give another folder with --output"
    )
}

/// Reads the file by its kind.
fn runs_of(file: &Path, kind: Option<&'static Importer>) -> anyhow::Result<Vec<Run>> {
    let opened = File::open(file).context("cannot be opened")?;
    let mut reader = BufReader::with_capacity(HEAD_BYTES, opened);
    let name = file.display().to_string();
    Ok(read_runs(
        &mut Source {
            name: &name,
            reader: &mut reader,
        },
        kind,
    )?)
}

/// Writes the run into a new folder: `plumb-import-STEM.plumb`, or with a number. It gets its name when it is complete; until then it is a scratch
/// folder, which `plumb clean` recognizes after a killed import.
fn write(run: &Run, place: &Path, stem: &str, number: &mut u32) -> anyhow::Result<PathBuf> {
    if !holds_folders() {
        return write_under_its_name(run, place, stem, number);
    }
    let full_folder = if place.as_os_str().is_empty() {
        Path::new(".")
    } else {
        place
    };
    std::fs::create_dir_all(full_folder)
        .with_context(|| format!("{}: cannot be created", full_folder.display()))?;
    let full_folder = full_folder
        .canonicalize()
        .with_context(|| format!("{}: cannot be resolved", full_folder.display()))?;
    if *number == 1 {
        warn_of_stale(&full_folder)
            .iter()
            .for_each(|warning| say(&format!("plumb: {}", english(warning))));
    }
    let mut scratch = Scratch::make(&full_folder, false)?;
    let named = (|| {
        scratch.own_tree(IMPORT)?;
        write_into(run, &scratch.path().join(IMPORT)).map_err(reason).with_context(|| {
            format!("nothing was imported into {}: free space there, or give another folder with --output", full_folder.display())
        })?;
        for (at, name) in names_of(stem, *number) {
            if scratch.publish(IMPORT, &full_folder, &name)? {
                *number = at + 1;
                return Ok(name);
            }
        }
        Err(too_many(stem))
    })();
    // The first error is reported.
    let removed = scratch.remove();
    let name = named?;
    removed?;
    Ok(place.join(name))
}

/// The same on systems without directory descriptors: under its name from the start.
fn write_under_its_name(
    run: &Run,
    place: &Path,
    stem: &str,
    number: &mut u32,
) -> anyhow::Result<PathBuf> {
    for (at, name) in names_of(stem, *number) {
        let folder = place.join(name);
        if std::fs::symlink_metadata(&folder).is_ok() {
            continue;
        }
        *number = at + 1;
        match write_into(run, &folder) {
            // Another import took the name.
            Err(RecordError::NotEmpty { .. }) => {}
            written => return Ok(written.map(|()| folder)?),
        }
    }
    Err(too_many(stem))
}

/// The error of a failed write. Nothing of the run folder remains, independent of the error.
fn reason(error: RecordError) -> anyhow::Error {
    match error {
        RecordError::Create { error, .. }
        | RecordError::Header { error, .. }
        | RecordError::Write { error, .. } => error.into(),
        other => other.into(),
    }
}

/// Names from this number on, each with its number; the first one has none in its name.
fn names_of(stem: &str, first: u32) -> impl Iterator<Item = (u32, String)> {
    (first..NAMES_MAX).map(move |number| {
        let name = match number {
            1 => format!("plumb-import-{stem}.plumb"),
            _ => format!("plumb-import-{stem}-{number}.plumb"),
        };
        (number, name)
    })
}

fn too_many(stem: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "there are {NAMES_MAX} folders named plumb-import-{stem}; give another folder with --output"
    )
}

fn write_into(run: &Run, folder: &Path) -> Result<(), RecordError> {
    let mut writer = RunWriter::create(folder, &run.header)?;
    writer.all_of(run)?;
    writer.finish()
}

fn described(folder: PathBuf, run: Run) -> ImportedRun {
    let imported = run.header.imported;
    let (file, importer, program) = imported
        .as_ref()
        .map(|of| (of.file.clone(), of.importer.clone(), of.program.clone()))
        .unwrap_or_default();
    ImportedRun {
        file,
        folder,
        id: run.header.id,
        importer,
        program,
        version: imported.as_ref().and_then(|of| of.version.clone()),
        started: Some(run.header.started).filter(|started| !started.is_empty()),
        steps: run.header.plan.steps.len(),
        rounds: run.header.plan.rounds,
        doubts: imported
            .map(|of| of.doubts)
            .unwrap_or_default()
            .iter()
            .map(english)
            .chain(run.doubts.iter().map(english))
            .collect(),
    }
}

/// One line for the run, followed by its doubts that were not printed before.
fn run_text(run: &ImportedRun, printed: &mut BTreeSet<String>) -> String {
    let version = run
        .version
        .as_ref()
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    let steps = if run.steps == 1 {
        "1 step".to_string()
    } else {
        format!("{} steps", run.steps)
    };
    let rounds = if run.rounds > 1 {
        format!(" in {} rounds", run.rounds)
    } else {
        String::new()
    };
    let mut out = format!(
        "{}: {}{version} ({}), {steps}{rounds}: plumb show {}\n",
        run.file,
        run.program,
        run.importer,
        quoted_path(&run.folder)
    );
    for doubt in run
        .doubts
        .iter()
        .filter(|doubt| printed.insert((*doubt).clone()))
    {
        out += &format!("  ? {doubt}\n");
    }
    out.chars()
        .map(|c| {
            if c.is_control() && c != '\n' {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

/// One line for the plan, followed by its remarks.
fn plan_text(plan: &ImportedPlan) -> String {
    let mut out = {
        let of = if is_of_iometer(Path::new(&plan.file)) {
            "Iometer configuration file"
        } else {
            "fio job file"
        };
        format!(
            "{}: {of}, converted to a plan: plumb run {}\n",
            plan.file,
            quoted_path(&plan.plan)
        )
    };
    plan.remarks
        .iter()
        .for_each(|remark| out += &format!("  ? {remark}\n"));
    out
}

/// One line for each kind of file.
fn kinds_text() -> String {
    let line =
        |name: &str, program: &str, meaning: &str| format!("{name:<14} {program:<12} {meaning}\n");
    let mut out: String = IMPORTERS
        .iter()
        .map(|importer| line(importer.name, importer.program, importer.meaning))
        .collect();
    for (name, program, meaning) in [
        (
            "(job file)",
            "fio",
            "job file (INI), converted to a plan file (TOML); 'plumb run JOB.fio' runs it directly",
        ),
        (
            "(*.icf)",
            "Iometer",
            "configuration file, converted to a plan file (TOML); 'plumb run FILE.icf' runs it directly",
        ),
    ] {
        out += &line(name, program, meaning);
    }
    out
}
