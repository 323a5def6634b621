//! What is the kind of each layer, and which one is below it? Determined by its target, and by whether the page cache was bypassed.

use plumb_model::environment::Environment;
use plumb_model::results::waterfall::{Layer, LayerKind};
use plumb_model::run::{EngineRecord, Run};
use plumb_model::statement::Statement;
use plumb_model::target::Target;
use plumb_model::workload::Direct;

use super::laid::{Laid, LayerRun};
use crate::compare::figures::Measured;

/// All layers from the storage up, those of one kind in the order given, each with a unique name.
pub(super) fn in_order<'a>(runs: &[LayerRun<'a>], server: Option<&Run>) -> Vec<Laid<'a>> {
    let mut sorted: Vec<(LayerKind, &LayerRun<'a>)> =
        runs.iter().map(|layer| (kind(layer.run), layer)).collect();
    sorted.sort_by_key(|(kind, _)| *kind);
    let mut laid: Vec<Laid<'a>> = Vec::new();
    for (kind, layer) in sorted {
        let measured = Measured::of(layer.run);
        let chosen = layer
            .name
            .clone()
            .unwrap_or_else(|| plain_name(kind, layer.run));
        let taken = |name: &String| laid.iter().any(|other| other.layer.name == *name);
        let numbered =
            std::iter::once(chosen.clone()).chain((2..).map(|number| format!("{chosen} {number}")));
        let name = numbered
            .into_iter()
            .find(|name| !taken(name))
            .unwrap_or(chosen);
        let below = laid
            .iter()
            .rposition(|other| other.layer.kind.holds_storage())
            .filter(|_| kind.holds_storage());
        let record = engine(layer.run);
        let header = &layer.run.header;
        let layer = Layer {
            name,
            kind,
            target: main_target(layer.run)
                .map(Target::to_string)
                .unwrap_or_default(),
            host: header.environment.text("host.name").map(str::to_string),
            run: header.id.clone(),
            started: header.started.clone(),
            engine: record.map(engine_text),
            caching: caching(kind, layer.run, record, server_memory(kind, runs, server)),
            below: below.map(|below| below as u32),
            doubts: measured.doubts(),
        };
        laid.push(Laid { layer, measured });
    }
    laid
}

/// The target of the first step.
pub(super) fn main_target(run: &Run) -> Option<&Target> {
    run.header
        .plan
        .steps
        .first()
        .and_then(|step| step.jobs.first())
        .map(|job| &job.target)
}

/// Effective engine settings, from the first record of the main job.
fn engine(run: &Run) -> Option<&EngineRecord> {
    run.notes.iter().find_map(|note| match &note.event {
        plumb_model::run::Event::EngineOpened { job: 0, engine, .. } => Some(engine),
        _ => None,
    })
}

fn kind(run: &Run) -> LayerKind {
    match main_target(run) {
        None | Some(Target::Null) => LayerKind::Nothing,
        Some(Target::Remote(remote)) if remote.scheme.is_share() => LayerKind::Share,
        Some(Target::Remote(_)) => LayerKind::Network,
        Some(Target::Path(_)) => match run.header.environment.text("target.kind") {
            Some("block-device" | "character-device") => LayerKind::Device,
            _ if bypasses_the_page_cache(run) => LayerKind::FileSystem,
            _ => LayerKind::PageCache,
        },
    }
}

/// The effective value, or the requested one if nothing ran.
fn bypasses_the_page_cache(run: &Run) -> bool {
    let requested = || {
        run.header
            .plan
            .steps
            .iter()
            .flat_map(|step| &step.jobs)
            .next()
            .is_some_and(|job| job.workload.direct != Direct::No)
    };
    engine(run)
        .and_then(|record| record.direct)
        .unwrap_or_else(requested)
}

/// Type of the file system of a layer of files, if it is in memory (tmpfs): no storage is below it.
pub(super) fn memory_of(kind: LayerKind, run: &Run) -> Option<&str> {
    let environment = &run.header.environment;
    let on_disk = matches!(kind, LayerKind::FileSystem | LayerKind::PageCache)
        && environment.flag("mount.memory") == Some(true);
    on_disk.then(|| environment.text("mount.file_system").unwrap_or("?"))
}

fn plain_name(kind: LayerKind, run: &Run) -> String {
    match (kind, main_target(run)) {
        (LayerKind::Share, Some(Target::Remote(remote))) => {
            format!("share ({})", remote.scheme.word().to_uppercase())
        }
        (LayerKind::Network, Some(Target::Remote(remote))) => {
            format!("network ({})", remote.scheme.word())
        }
        (LayerKind::Nothing, _) => "nothing".into(),
        (kind, _) if memory_of(kind, run).is_some() => {
            format!(
                "{} (memory)",
                LayerKind::FileSystem.word().replace('-', " ")
            )
        }
        _ => kind.word().replace('-', " "),
    }
}

/// `smb, SMB 3.1.1, signing AES-128-GMAC`, or the engine alone.
fn engine_text(record: &EngineRecord) -> String {
    let agreed = [
        "dialect",
        "signing",
        "encryption",
        "congestion_control",
        "provider",
    ]
    .iter();
    let agreed = agreed.filter_map(|key| {
        Some(format!("{key} {}", record.connection.get(*key)?)).map(|text| text.replace('_', " "))
    });
    std::iter::once(record.name.clone())
        .chain(agreed)
        .collect::<Vec<_>>()
        .join(", ")
}

/// True if a share or peer is on the machine that runs the load; missing if unknown.
pub(super) fn is_this_machine(target: &Target, environment: &Environment) -> Option<bool> {
    let host = &target.remote()?.host;
    let loopback = host == "localhost" || host == "::1" || host.starts_with("127.");
    let named = environment
        .text("host.name")
        .map(|name| name.eq_ignore_ascii_case(host));
    if loopback || named == Some(true) {
        return Some(true);
    }
    // Another name, or an address, may lead to this machine too.
    None
}

/// RAM of the machine that has a share's files; missing if not recorded.
fn server_memory(kind: LayerKind, runs: &[LayerRun], server: Option<&Run>) -> Option<f64> {
    let memory = |run: &Run| run.header.environment.number("memory.total_bytes");
    if kind != LayerKind::Share {
        return None;
    }
    let share = runs
        .iter()
        .find(|layer| self::kind(layer.run) == LayerKind::Share)?;
    let here = main_target(share.run)
        .and_then(|target| is_this_machine(target, &share.run.header.environment));
    server
        .and_then(memory)
        .or_else(|| memory(share.run).filter(|_| here == Some(true)))
}

fn caching(
    kind: LayerKind,
    run: &Run,
    record: Option<&EngineRecord>,
    server_memory: Option<f64>,
) -> Statement {
    let refused = record
        .into_iter()
        .flat_map(|record| &record.refused)
        .find(|refused| refused.id == "refused-o-direct");
    let direct = bypasses_the_page_cache(run);
    match kind {
        _ if memory_of(kind, run).is_some() => Statement::new("files-lie-in-memory"),
        LayerKind::Device | LayerKind::FileSystem if direct => {
            Statement::new("page-cache-bypassed")
        }
        LayerKind::Device | LayerKind::FileSystem | LayerKind::PageCache => match refused {
            Some(why) => Statement::new("page-cache-because").part("why", why.clone()),
            None => Statement::new("page-cache-used"),
        },
        LayerKind::Network => Statement::new("network-has-no-storage"),
        LayerKind::Nothing => Statement::new("nothing-is-carried-out"),
        LayerKind::Share => {
            let size = record
                .map(|record| record.size_bytes as f64)
                .filter(|size| *size > 0.0);
            let Some((size, memory)) = size.zip(server_memory) else {
                return Statement::new("server-cache-is-not-known");
            };
            Statement::new(match size < memory {
                true => "server-cache-holds-the-file",
                false => "server-cache-is-too-small",
            })
            .bytes("size", size)
            .bytes("memory", memory)
        }
    }
}
