//! What did other programs measure, and what do their job files ask for? Each run becomes a run folder like one of plumb's own, each job file a plan file.

mod kinds;

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Zoned;
use plumb_load::site::{IMPORT, Scratch, holds_folders, warn_of_stale};
use plumb_model::run::Run;
use plumb_model::text::shell::quoted_path;
use plumb_record::importer::{HEAD_BYTES, Importer, Source, as_rounds};
use plumb_record::importers::{by_name, import as read_runs};
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
use kinds::kinds_text;
use plumb_run::measurement::{plain_name, run_id};
use plumb_run::named_plan::job_files::{configuration_as_plan, is_of_iometer, job_as_plan};
use plumb_run::traces::is_trace;

/// Name and version of what `--json` prints.
const IMPORT_SCHEMA: &str = "plumb-import-1";
/// Folders of one name that are tried.
const NAMES_MAX: u32 = 100_000;

/// What was taken in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportResult {
    /// `plumb-import-1`.
    schema: String,
    runs: Vec<ImportedRun>,
    /// Job files and configuration files that are plans now.
    plans: Vec<ImportedPlan>,
    /// Files that were not taken in.
    failures: Vec<Failure>,
}

/// A run that is now a run folder.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportedRun {
    /// The file, as the user named it; several with `--rounds`.
    file: String,
    folder: PathBuf,
    id: String,
    /// Kind of the file: one of `plumb import --list`.
    importer: String,
    /// The program that measured, and its version when the file says it.
    program: String,
    version: Option<String>,
    /// RFC 3339; missing when the file does not say it.
    started: Option<String>,
    steps: usize,
    /// Rounds of each step: several where the file holds repetitions, or with `--rounds`.
    rounds: u32,
    /// What a reader of the figures must know.
    doubts: Vec<String>,
}

/// A file that is now a plan file.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportedPlan {
    /// The file, as the user named it.
    file: String,
    plan: PathBuf,
    /// What differs from the program that the file was written for.
    remarks: Vec<String>,
}

/// A file that was not taken in.
#[derive(Debug, Serialize, JsonSchema)]
struct Failure {
    file: String,
    /// What was expected and where.
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
            print(&run_text(&run))?
        }
        return Ok(Outcome::Done);
    }
    for file in &arguments.files {
        let (runs, plans) = (result.runs.len(), result.plans.len());
        let taken = match kind {
            None if is_of_iometer(file) || is_job_file(file) => {
                take_in_job(file, arguments).map(|plan| result.plans.push(plan))
            }
            None if is_trace(file) => Err(anyhow::anyhow!(
                "it is a trace: single calls or packets, not a result; 'plumb trace {file}' shows them, 'plumb explain {file}' says what limits the application",
                file = quoted_path(file)
            )),
            _ => take_in(file, kind, arguments, &mut result.runs),
        };
        if !arguments.json {
            result.runs[runs..]
                .iter()
                .try_for_each(|run| print(&run_text(run)))?;
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

/// The run in a run folder, or the one in a file of another program, which is left as it is: for whoever wants to see or compare it once.
pub fn stored_run(place: &Path) -> anyhow::Result<Run> {
    if !place.is_file() {
        return Ok(read_run(place)?);
    }
    if let Some(run) = shared_run(place)? {
        return Ok(run);
    }
    if is_of_iometer(place) || is_job_file(place) {
        let command = format!("plumb run {}", quoted_path(place));
        anyhow::bail!(
            "{}: asks for a measurement and is none: `{command}` makes it, into a folder to be named here",
            place.display()
        );
    }
    let mut runs = runs_of(place, None).with_context(|| place.display().to_string())?;
    match (runs.pop(), runs.len()) {
        (Some(mut run), 0) => {
            run.header.id = run_id(&Zoned::now());
            Ok(run)
        }
        (_, others) => {
            let command = format!("plumb import {}", quoted_path(place));
            anyhow::bail!(
                "{}: holds {} runs; `{command}` makes a run folder of each, to be named one by one",
                place.display(),
                others + 1
            )
        }
    }
}

/// Makes run folders of all runs in a file.
fn take_in(
    file: &Path,
    kind: Option<&'static Importer>,
    arguments: &ImportArguments,
    taken: &mut Vec<ImportedRun>,
) -> anyhow::Result<()> {
    let stem = plain_name(&file.file_stem().unwrap_or_default().to_string_lossy());
    if let Some((folder, run)) = kept_shared(
        file,
        &run_folders(arguments.output.as_ref()),
        &arguments.tags,
        &stem,
    )? {
        let of_plumb = ImportedRun {
            file: file.display().to_string(),
            importer: "plumb-share".into(),
            program: "plumb".into(),
            version: Some(run.header.plumb_version.clone()),
            ..described(folder, run)
        };
        taken.push(of_plumb);
        return Ok(());
    }
    for run in runs_of(file, kind)? {
        taken.push(keep(run, arguments, &stem)?);
    }
    Ok(())
}

/// Makes one run folder of all results in all files, all or nothing: rounds that are missing would make an interval of fewer.
fn take_in_rounds(
    kind: Option<&'static Importer>,
    arguments: &ImportArguments,
) -> anyhow::Result<ImportedRun> {
    let mut runs = Vec::new();
    for file in &arguments.files {
        let name = file.display().to_string();
        if kind.is_none() && (is_of_iometer(file) || is_job_file(file)) {
            anyhow::bail!("{name}: asks for a measurement and is no result: leave it out");
        }
        runs.extend(runs_of(file, kind).context(name)?);
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
    )
}

/// Writes a run into a folder of its own, with what is known here.
fn keep(mut run: Run, arguments: &ImportArguments, stem: &str) -> anyhow::Result<ImportedRun> {
    run.header.id = run_id(&Zoned::now());
    run.header.tags = arguments.tags.clone();
    let folder = write(&run, &run_folders(arguments.output.as_ref()), stem)?;
    Ok(described(folder, run))
}

/// True for a job file of fio: named so, or a text that begins with a section.
fn is_job_file(file: &Path) -> bool {
    const BEGINNING_BYTES: u64 = 64 << 10;
    let mut text = Vec::new();
    let read = File::open(file).and_then(|file| file.take(BEGINNING_BYTES).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let section = |line: &str| {
        line.strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|name| !name.contains(['{', '"', '[']))
    };
    read.is_ok()
        && (file.extension().is_some_and(|of| of == "fio") || lines.next().is_some_and(section))
}

/// Writes the job file as a plan file that there was not: `STEM.toml`, or with a number.
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
            .with_context(|| format!("{}: cannot be made", place.display()))?;
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
        "there are {NAMES_MAX} files with the name {stem}.toml; name another place with --output"
    )
}

/// What the file says, by the kind that it is of.
fn runs_of(file: &Path, kind: Option<&'static Importer>) -> anyhow::Result<Vec<Run>> {
    let opened = File::open(file).map_err(|error| {
        anyhow::anyhow!(
            "cannot be opened: {error}; name result files of other programs (plumb import --list shows the kinds)"
        )
    })?;
    if opened.metadata().is_ok_and(|of| of.is_dir()) {
        anyhow::bail!("is a folder; name the files in it");
    }
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

/// Writes the run into a folder that there was not: `plumb-import-STEM.plumb`, or with a number. It gets its name when it is whole; until then it lies in a scratch
/// folder, by which `plumb clean` knows what a killed import left.
fn write(run: &Run, place: &Path, stem: &str) -> anyhow::Result<PathBuf> {
    if !holds_folders() {
        return write_under_its_name(run, place, stem);
    }
    let whole_place = if place.as_os_str().is_empty() {
        Path::new(".")
    } else {
        place
    };
    std::fs::create_dir_all(whole_place)
        .with_context(|| format!("{}: cannot be made", whole_place.display()))?;
    let whole_place = whole_place
        .canonicalize()
        .with_context(|| format!("{}: cannot be found", whole_place.display()))?;
    warn_of_stale(&whole_place)
        .iter()
        .for_each(|warning| say(&format!("plumb: {}", english(warning))));
    let mut scratch = Scratch::make(&whole_place, false)?;
    let named = (|| {
        scratch.own_tree(IMPORT)?;
        write_into(run, &scratch.path().join(IMPORT)).map_err(reason).with_context(|| {
            format!("nothing of it was imported into {}: free space there, or name another place with --output", whole_place.display())
        })?;
        for name in names_of(stem) {
            if scratch.publish(IMPORT, &whole_place, &name)? {
                return Ok(name);
            }
        }
        Err(too_many(stem))
    })();
    // The first error is the one that is told.
    let removed = scratch.remove();
    let name = named?;
    removed?;
    Ok(place.join(name))
}

/// The same where folders cannot be held by descriptors: under its name from the beginning.
fn write_under_its_name(run: &Run, place: &Path, stem: &str) -> anyhow::Result<PathBuf> {
    for folder in names_of(stem).map(|name| place.join(name)) {
        if std::fs::symlink_metadata(&folder).is_ok() {
            continue;
        }
        match write_into(run, &folder) {
            // Another import was quicker.
            Err(RecordError::NotEmpty { .. }) => {}
            written => return Ok(written.map(|()| folder)?),
        }
    }
    Err(too_many(stem))
}

/// Why writing failed. Nothing of it stays, whatever the error of a record says.
fn reason(error: RecordError) -> anyhow::Error {
    match error {
        RecordError::Create { error, .. }
        | RecordError::Header { error, .. }
        | RecordError::Write { error, .. } => error.into(),
        other => other.into(),
    }
}

fn names_of(stem: &str) -> impl Iterator<Item = String> {
    std::iter::once(format!("plumb-import-{stem}.plumb"))
        .chain((2..NAMES_MAX).map(move |n| format!("plumb-import-{stem}-{n}.plumb")))
}

fn too_many(stem: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "there are {NAMES_MAX} folders with the name plumb-import-{stem}; name another place with --output"
    )
}

fn write_into(run: &Run, folder: &Path) -> Result<(), RecordError> {
    let mut writer = RunWriter::create(folder, &run.header)?;
    run.ticks.iter().try_for_each(|tick| writer.tick(tick))?;
    writer.readings(&run.readings)?;
    run.notes.iter().try_for_each(|note| writer.note(note))?;
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

/// One line for the run, its doubts beneath it.
fn run_text(run: &ImportedRun) -> String {
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
    for doubt in &run.doubts {
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

/// One line for the plan, its remarks beneath it.
fn plan_text(plan: &ImportedPlan) -> String {
    let mut out = {
        let of = if is_of_iometer(Path::new(&plan.file)) {
            "a configuration file of Iometer"
        } else {
            "a job file of fio"
        };
        format!(
            "{}: {of}, as a plan: plumb run {}\n",
            plan.file,
            quoted_path(&plan.plan)
        )
    };
    plan.remarks
        .iter()
        .for_each(|remark| out += &format!("  ? {remark}\n"));
    out
}
