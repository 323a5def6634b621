//! Which engines are there?

mod aio;
#[cfg(target_os = "linux")]
mod allocate;
#[cfg(target_os = "linux")]
mod defragment;
#[cfg(target_os = "linux")]
mod io_uring;
#[cfg(target_os = "linux")]
mod io_uring_cmd;
mod ioring;
mod iperf3;
#[cfg(target_os = "linux")]
mod libaio;
mod memory;
mod mmap;
mod nfs;
mod null;
mod overlapped;
pub(crate) mod rdma;
#[cfg(target_os = "linux")]
mod resize;
mod s3;
mod smb;
mod stdio;
mod sync;
mod tcp;
mod udp;

#[cfg(test)]
mod tests;

use plumb_model::engines::EngineProperties;
use plumb_model::target::Target;
use plumb_model::target::remote::Scheme;
use plumb_model::workload::{EngineChoice, Layout, OperationKind, Workload};

use crate::engine::EngineKind;

/// All engines, best first: `auto` takes the first that works.
pub static ENGINES: &[&EngineKind] = &[
    #[cfg(target_os = "linux")]
    &io_uring::ENGINE,
    #[cfg(target_os = "linux")]
    &libaio::ENGINE,
    #[cfg(target_os = "linux")]
    &io_uring_cmd::ENGINE,
    #[cfg(windows)]
    &overlapped::ENGINE,
    #[cfg(windows)]
    &ioring::ENGINE,
    #[cfg(target_os = "freebsd")]
    &aio::ENGINE,
    &sync::ENGINE,
    &mmap::ENGINE,
    &stdio::ENGINE,
    #[cfg(target_os = "linux")]
    &allocate::ENGINE,
    #[cfg(target_os = "linux")]
    &resize::ENGINE,
    #[cfg(target_os = "linux")]
    &defragment::ENGINE,
    &null::ENGINE,
    &memory::ENGINE,
    &smb::ENGINE,
    &nfs::ENGINE,
    &s3::ENGINE,
    &tcp::ENGINE,
    &udp::ENGINE,
    &iperf3::ENGINE,
    &rdma::ENGINE,
];

/// Engines of other systems: not available here, but known by name in their records.
pub static OF_OTHER_SYSTEMS: &[&EngineProperties] = &[
    #[cfg(not(windows))]
    &overlapped::PROPERTIES,
    #[cfg(not(windows))]
    &ioring::PROPERTIES,
    #[cfg(not(target_os = "freebsd"))]
    &aio::PROPERTIES,
];

/// The engine of this name.
///
/// # Errors
/// When there is none on this system; the message lists those there are.
pub fn by_name(name: &str) -> Result<&'static EngineKind, String> {
    ENGINES
        .iter()
        .copied()
        .find(|engine| engine.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = ENGINES.iter().map(|engine| engine.name).collect();
            format!(
                "'{name}' is not an engine on this system: use auto or one of {}",
                names.join(", ")
            )
        })
}

/// Engines to try for this job, in order: the requested one, or all that can do it.
///
/// # Errors
/// If the requested engine cannot carry out the operations of the workload.
pub fn candidates(
    target: &Target,
    choice: &EngineChoice,
    workload: &Workload,
) -> Result<Vec<&'static EngineKind>, String> {
    let able = |engine: &EngineKind| beyond(engine, workload);
    if workload
        .mix
        .0
        .iter()
        .any(|(kind, _)| *kind == OperationKind::Copy)
    {
        return Err("copy runs a program on a directory tree: use `plumb copy-test`".into());
    }
    if choice.engine != "auto" && target.remote().is_none() {
        let engine = by_name(&choice.engine)?;
        if let Some(scheme) = engine.schemes.first() {
            return Err(format!(
                "engine {} works on {}:// targets only: omit engine",
                engine.name, scheme.word
            ));
        }
        return match able(engine) {
            None => Ok(vec![engine]),
            Some(kind) => Err(format!(
                "engine {} cannot {kind}: use {}",
                engine.name,
                instead(kind)
            )),
        };
    }
    if *target == Target::Null {
        return Ok(local().filter(|engine| !engine.does_work).collect());
    }
    if let Some(remote) = target.remote() {
        return speakers(remote.scheme, choice, workload);
    }
    // An option of one engine selects that engine: another would silently ignore it.
    let set = choice.options_set();
    let is_requested = |engine: &EngineKind| {
        let mut options = engine.own_options.iter();
        options.any(|option| set.iter().any(|set| set == option))
    };
    let by_auto = local().find(|engine| engine.by_auto && is_requested(engine));
    let only = by_auto.or_else(|| local().find(|engine| is_requested(engine)));
    let fits = |engine: &EngineKind| only.map_or(engine.by_auto, |only| engine.name == only.name);
    Ok(local()
        .filter(|engine| fits(engine) && able(engine).is_none())
        .collect())
}

/// What else to choose for this operation.
fn instead(kind: OperationKind) -> String {
    // The last that `auto` tries can do most.
    local()
        .filter(|engine| engine.by_auto && engine.supports(kind))
        .last()
        .map_or("auto".into(), |engine| {
            format!("engine {}, or auto", engine.name)
        })
}

/// Engines of local targets.
fn local() -> impl Iterator<Item = &'static EngineKind> {
    ENGINES.iter().copied().filter(|engine| engine.is_local())
}

/// The first operation of the workload that the engine cannot carry out.
fn beyond(engine: &EngineKind, workload: &Workload) -> Option<OperationKind> {
    workload
        .mix
        .0
        .iter()
        .map(|(kind, _)| *kind)
        .find(|kind| !engine.supports(*kind))
}

/// Blocks are written in files that can only be written entirely.
fn writes_parts(scheme: Scheme, workload: &Workload) -> bool {
    let mut kinds = workload.mix.0.iter().map(|(kind, _)| *kind);
    let block = workload.largest_block_bytes();
    let workers = match workload.layout {
        Layout::Own => u64::from(workload.all_workers().max(1)),
        Layout::Shared | Layout::Stream => 1,
    };
    let is_one_block = workload.smallest_block_bytes() == block
        && workload.start.0 == 0
        && workload
            .size
            .is_some_and(|size| size.0 == block.saturating_mul(workers));
    scheme.is(|of| of.writes_entire_files)
        && kinds.any(|kind| kind == OperationKind::Write)
        && !is_one_block
}

/// The engines for this protocol.
fn speakers(
    scheme: Scheme,
    choice: &EngineChoice,
    workload: &Workload,
) -> Result<Vec<&'static EngineKind>, String> {
    let speak: Vec<_> = ENGINES
        .iter()
        .copied()
        .filter(|engine| engine.supports_scheme(scheme.word()))
        .collect();
    let Some(first) = speak.first() else {
        return Err(format!(
            "{scheme}:// targets are not supported by this build of plumb: use another target"
        ));
    };
    if choice.engine != "auto" && !speak.iter().any(|engine| engine.name == choice.engine) {
        return Err(format!(
            "engine {} does not support {scheme}: omit engine",
            choice.engine
        ));
    }
    match beyond(first, workload) {
        None if writes_parts(scheme, workload) => Err(format!(
            "a {scheme}:// target writes an object entirely or not at all, and this workload writes blocks of {} in {}: make the object one block (size equal to block, no start), or write many objects with the operation create (mix = create, files = N, file-size = SIZE)",
            workload.block,
            workload
                .size
                .map_or("an object of no given size".into(), |size| format!(
                    "an object of {size}"
                )),
        )),
        None => Ok(speak),
        Some(kind) => {
            let other = if scheme.is_share() {
                "mount the share and use its mount point"
            } else {
                "use a directory or a device"
            };
            Err(format!(
                "a {scheme}:// target cannot {kind}: remove {kind} from the mix, or {other}"
            ))
        }
    }
}
