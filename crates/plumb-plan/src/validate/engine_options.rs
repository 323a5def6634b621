//! Does an option belong to the engine that would have to honor it?

use super::misfit::{Misfit, misfit};
use plumb_model::engines::{self, EngineProperties};
use plumb_model::target::Target;
use plumb_model::workload::{Direct, Job};

/// The first engine that alone has an option which is set.
pub(super) fn owner_of_what_is_set(job: &Job) -> Option<&'static EngineProperties> {
    let is_set = |engine: &&EngineProperties| {
        engine
            .own_options
            .iter()
            .any(|option| job.engine.sets(option))
    };
    engines::ENGINES.iter().find(is_set)
}

/// Options that one engine alone has.
pub(super) fn engine_options(job: &Job) -> Option<Misfit> {
    let engine = job.engine.engine.as_str();
    let set = ["positioned", "per-character", "stdio-buffer"]
        .into_iter()
        .filter(|option| job.engine.sets(option));
    let owned: Vec<(&str, &str)> = set
        .filter_map(|option| Some((option, engines::owner_of(option)?.name)))
        .collect();
    let local = matches!(job.target, Target::Path(_));
    let misplaced = owned
        .iter()
        .find(|(_, owner)| !local || (engine != "auto" && engine != *owner));
    misplaced
        .map(|(key, owner)| {
            let other = if local { format!("the engine {engine}") } else { job.target.to_string() };
            (*key, format!("{key} is an option of the engine {owner} on files and devices, not of {other}: leave it out"))
        })
        .or_else(|| {
            let (first, owner) = owned.first()?;
            let (_, other) = owned.iter().find(|(_, other)| other != owner)?;
            let others: Vec<&str> = owned.iter().filter(|(_, owner)| owner == other).map(|(option, _)| *option).collect();
            misfit(true, first, || {
                format!("{first} is an option of the engine {owner}, {} of the engine {other}: choose one of them", others.join(" and "))
            })
        })
}

pub(super) fn polling(job: &Job) -> Option<Misfit> {
    let engine = job.engine.engine.as_str();
    let ring = engines::owner_of("sqpoll").map_or("", |engine| engine.name);
    let other = engine != "auto" && engine != ring;
    // Completion queues of a peer are polled without a ring.
    if job
        .target
        .remote()
        .is_some_and(|remote| remote.scheme.is(|of| of.lends_memory))
    {
        return misfit(job.engine.sqpoll, "sqpoll", || {
            format!("sqpoll is an option of {ring}: leave it out")
        });
    }
    misfit(job.engine.iopoll && other, "iopoll", || {
        format!("iopoll is an option of {ring}, not of the engine {engine}")
    })
    .or_else(|| {
        misfit(job.engine.sqpoll && other, "sqpoll", || {
            format!("sqpoll is an option of {ring}, not of the engine {engine}")
        })
    })
    .or_else(|| {
        misfit(
            job.engine.iopoll && job.workload.direct == Direct::No,
            "iopoll",
            || "polling for completions needs direct I/O: write direct = true".into(),
        )
    })
}
