//! Which counters do the options select? Those of named sets, or those that a file lists.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use plumb_analyse::figures::watch::ceilings;
use plumb_model::run::metric::Reading;
use plumb_model::text::nearest::nearest;
use plumb_observe::source::{Area, Program, Scope, Source, process_name};
use plumb_observe::sources::SOURCES;
use plumb_run::watch::WatchRequest;
use serde::Deserialize;

use super::arguments::WatchOptions;
use crate::commands::results::import::stored_run;
use crate::settings::{run_folder, run_folders};

/// A set defined by the user.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFile {
    #[serde(default)]
    sets: Vec<String>,
    #[serde(default)]
    sources: Vec<String>,
    disks: Option<Vec<String>>,
    interfaces: Option<Vec<String>>,
    shares: Option<Vec<String>>,
}

/// The selected sources and instances.
struct Chosen {
    /// As given on the command line; `all` if none was given.
    names: Vec<String>,
    sources: Vec<&'static Source>,
    scope: Scope,
}

/// The request for these options, without a command. Errors: an unknown set.
pub fn request_of(options: &WatchOptions) -> anyhow::Result<WatchRequest> {
    let Chosen {
        names,
        sources,
        scope,
    } = chosen(options)?;
    Ok(WatchRequest {
        interval_ns: options.interval.0,
        duration_ns: options.duration.map(|duration| duration.0),
        sets: names,
        sources,
        scope,
        ceilings: measured_ceilings(&options.ceilings)?,
        command: Vec::new(),
        output: match options.in_loop {
            true => Some(run_folders(options.output.as_ref()))
                .filter(|folder| !folder.as_os_str().is_empty()),
            false => run_folder(options.output.as_ref(), "watch"),
        },
        is_recorded: true,
        tags: options.tags.clone(),
        open_metrics: options.open_metrics(),
    })
}

/// The maximum values of earlier measurements. Errors: one is unreadable, or has no I/O of a device or mounted share.
fn measured_ceilings(runs: &[PathBuf]) -> anyhow::Result<Vec<Reading>> {
    let mut found = Vec::new();
    for folder in runs {
        let run = stored_run(folder).with_context(|| format!("--ceiling {}", folder.display()))?;
        let of_run = ceilings(&run);
        if of_run.is_empty() {
            bail!(
                "--ceiling {}: has no I/O of a device or mounted share; name the run folder of a measurement on a file or device, for example of plumb check",
                folder.display()
            );
        }
        found.extend(of_run);
    }
    Ok(found)
}

/// The selection of the command line. Errors: an unknown set or source, or an unreadable file.
fn chosen(arguments: &WatchOptions) -> anyhow::Result<Chosen> {
    let mut selected: Vec<&'static Source> = Vec::new();
    let mut scope = Scope::default();
    for name in &arguments.sets {
        add(name, &mut selected, &mut scope)?;
    }
    let named = |names: &[String], of: &mut Option<Vec<String>>| {
        if !names.is_empty() {
            of.get_or_insert_default().extend_from_slice(names);
        }
    };
    named(&arguments.disks, &mut scope.disks);
    named(&arguments.interfaces, &mut scope.interfaces);
    named(&arguments.shares, &mut scope.shares);
    for pid in &arguments.processes {
        let name = process_name(*pid).with_context(|| {
            format!("--pid {pid}: there is no such process (ps -e lists them, on Windows tasklist)")
        })?;
        scope.programs.push(Program {
            pid: *pid,
            name: format!("{name} ({pid})"),
        });
    }
    let is_all = arguments.sets.is_empty();
    // In the order of the list, independent of the order of the sets.
    let is_wanted =
        |source: &&'static Source| is_all || selected.iter().any(|one| one.name == source.name);
    let of_this_system = SOURCES
        .iter()
        .copied()
        .filter(|one| one.is_of_this_system());
    let sources: Vec<_> = of_this_system.filter(is_wanted).collect();
    let names = match is_all {
        true => vec!["all".into()],
        false => arguments.sets.clone(),
    };
    Ok(Chosen {
        names,
        sources,
        scope,
    })
}

fn add(name: &str, selected: &mut Vec<&'static Source>, scope: &mut Scope) -> anyhow::Result<()> {
    if add_area(name, selected) {
        return Ok(());
    }
    let file = Path::new(name);
    if !file.exists() {
        let names: Vec<&str> = Area::NAMED.iter().map(|(name, _)| *name).collect();
        bail!(
            "--set {name}: unknown set{}; choose one of {}, or name a file (TOML)",
            nearest(name, &names),
            names.join(", ")
        );
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("--set {name}"))?;
    let set: SetFile = toml::from_str(&text).with_context(|| format!("--set {name}"))?;
    for area in &set.sets {
        if !add_area(area, selected) {
            let names: Vec<&str> = Area::NAMED.iter().map(|(name, _)| *name).collect();
            bail!(
                "{name}: unknown set '{area}'{}; choose one of {}",
                nearest(area, &names),
                names.join(", ")
            );
        }
    }
    for source in &set.sources {
        let names: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
        let found = SOURCES.iter().find(|known| known.name == source);
        selected.push(found.with_context(|| {
            format!(
                "{name}: unknown source '{source}'{}; choose one of {}",
                nearest(source, &names),
                names.join(", ")
            )
        })?);
    }
    if set.sets.is_empty() && set.sources.is_empty() {
        selected.extend(SOURCES);
    }
    let more = |of: &mut Option<Vec<String>>, names: Option<Vec<String>>| {
        if let Some(names) = names {
            of.get_or_insert_default().extend(names);
        }
    };
    more(&mut scope.disks, set.disks);
    more(&mut scope.interfaces, set.interfaces);
    more(&mut scope.shares, set.shares);
    Ok(())
}

/// False if there is no area of this name.
fn add_area(name: &str, selected: &mut Vec<&'static Source>) -> bool {
    let Some((_, area)) = Area::NAMED.iter().find(|(known, _)| *known == name) else {
        return false;
    };
    selected.extend(SOURCES.iter().copied().filter(|source| area.has(source)));
    true
}
