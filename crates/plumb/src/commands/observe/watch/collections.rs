//! `plumb watch start`, `stop` and `status`: how are counters recorded in the background?

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use jiff::Zoned;
use plumb_model::run::watch::Collection;
use plumb_model::text::shell::quoted_path;
use plumb_run::watch::collection::{CollectionHandle, FoundCollection, collections};
use plumb_run::watch::in_loop::watch_in_loop;
use plumb_run::watch::watch as watch_counters;
use plumb_show::terminal::collections_text;

use super::arguments::{CollectionArguments, CollectionVerb, StartArguments};
use super::sets::request_of;
use crate::commands::Outcome;
use crate::outcome::stop as stop_on_signals;
use crate::settings::run_folders;
use crate::streams::{page, print, say};
use crate::system::{in_background, state_folder};

/// The flag that is added to the command line of the background process.
const COLLECTS: &str = "--collects";
/// A recording has started when its record has a header.
const HEADER: &str = "run.json";
/// Maximum wait for the start: facts of the host are read first.
const BEGIN_DUE: Duration = Duration::from_secs(30);

/// `plumb watch start`, `stop` and `status`.
pub fn collection(verb: &CollectionVerb) -> anyhow::Result<Outcome> {
    let states = state_folder()
        .context("no directory for background recordings: HOME and XDG_STATE_HOME are not set")?
        .join("plumb")
        .join("watch");
    match verb {
        CollectionVerb::Start(arguments) if arguments.collects => collect(arguments, &states),
        CollectionVerb::Start(arguments) => start(arguments, &states),
        CollectionVerb::Stop(arguments) => stop(arguments, &states),
        CollectionVerb::Status => status(&states),
    }
}

/// The run folder; of a loop, the directory for its run folders.
fn folder_of(arguments: &StartArguments) -> anyhow::Result<PathBuf> {
    let folder = arguments.options.output.clone();
    let folder = folder.unwrap_or_else(|| {
        let name = match arguments.options.in_loop {
            true => arguments.name.clone(),
            false => format!("{}.plumb", arguments.name),
        };
        run_folders(None).join(name)
    });
    Ok(std::path::absolute(folder)?)
}

/// The run folders in a directory, complete or just started; none if it does not exist.
fn recordings_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path());
    folders
        .filter(|folder| folder.join(HEADER).exists())
        .collect()
}

/// Starts the background process, and waits until its record has started.
fn start(arguments: &StartArguments, states: &Path) -> anyhow::Result<Outcome> {
    let place = CollectionHandle::of(states, &arguments.name)?;
    request_of(&arguments.options)?;
    place.prepare()?;
    let folder = folder_of(arguments)?;
    let in_loop = arguments.options.in_loop;
    if folder.exists() && !in_loop {
        bail!(
            "{}: already exists, nothing was started; choose another folder with --output",
            folder.display()
        );
    }
    let there = recordings_in(&folder);
    let has_begun = || match in_loop {
        true => recordings_in(&folder)
            .iter()
            .any(|one| !there.contains(one)),
        false => folder.join(HEADER).exists(),
    };
    let log = place.log();
    let shown = || log.display().to_string();
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(std::env::args_os().skip(1))
        .arg(COLLECTS)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log).with_context(shown)?);
    let mut child = in_background(&mut command)
        .spawn()
        .context("cannot start the background process")?;
    let due = Instant::now() + BEGIN_DUE;
    while !has_begun() {
        if let Some(status) = child.try_wait()? {
            let messages = std::fs::read_to_string(&log).with_context(shown)?;
            bail!(
                "{}: not started ({status})\n{}",
                arguments.name,
                messages.trim()
            );
        }
        if Instant::now() >= due {
            bail!(
                "{}: started, but nothing is recorded yet; see 'plumb watch status' and {}",
                arguments.name,
                log.display()
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    say(&format!(
        "{} is recording to {} (plumb watch stop {})",
        arguments.name,
        folder.display(),
        arguments.name
    ));
    Ok(Outcome::Done)
}

/// Runs in the background process.
fn collect(arguments: &StartArguments, states: &Path) -> anyhow::Result<Outcome> {
    let stop = stop_on_signals()?;
    let collection = Collection {
        name: arguments.name.clone(),
        folder: folder_of(arguments)?,
        started: Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
    };
    let mut request = request_of(&arguments.options)?;
    request.output = Some(collection.folder.clone());
    let held = CollectionHandle::of(states, &arguments.name)?.hold(&collection, &stop)?;
    let options = &arguments.options;
    let watched = match options.in_loop {
        true => {
            let keep = options.keep.map(NonZeroUsize::get);
            let watched = watch_in_loop(&request, keep, &stop, &mut |_, _| {});
            watched.map(|watched| watched.notes.iter().for_each(|note| say(note)))
        }
        false => watch_counters(&request, &stop, &mut |_, _| {}).map(drop),
    };
    // Released last: a waiting `watch stop` finds the complete record.
    drop(held);
    watched.map(|()| Outcome::Done)
}

fn stop(arguments: &CollectionArguments, states: &Path) -> anyhow::Result<Outcome> {
    let name = &arguments.name;
    let Some(ended) = CollectionHandle::of(states, name)?.end()? else {
        let known = collections(states)?;
        let known: Vec<&str> = known
            .iter()
            .map(|found| found.collection.name.as_str())
            .collect();
        match known.as_slice() {
            [] => bail!("there is no background recording '{name}', and no other one"),
            known => bail!(
                "there is no background recording '{name}'; there are {}",
                known.join(", ")
            ),
        }
    };
    let FoundCollection {
        collection,
        is_running,
    } = ended;
    let was = match is_running {
        true => "stopped",
        false => "had already stopped",
    };
    let (folder, quoted) = (collection.folder.display(), quoted_path(&collection.folder));
    say(&match collection.folder.join(HEADER).exists() {
        true => format!("{name} {was}; record: {folder} (plumb show {quoted})"),
        false => format!("{name} {was}; recordings: {folder} (plumb list {quoted})"),
    });
    Ok(Outcome::Done)
}

fn status(states: &Path) -> anyhow::Result<Outcome> {
    let found = collections(states)?;
    let rows = found
        .iter()
        .map(|found| (&found.collection, found.is_running));
    print(&collections_text(&rows.collect::<Vec<_>>(), page()))?;
    Ok(Outcome::Done)
}
