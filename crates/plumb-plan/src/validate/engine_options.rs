//! Does an option belong to the engine that would have to support it?

use plumb_model::engines::{self, EngineProperties};
use plumb_model::target::Target;
use plumb_model::workload::{Direct, Job};

use super::nowhere::is_nowhere_by;
use super::rule::{Group, Rule, rule};

/// The engine that has one of the set options; of several, the one that `auto` takes.
pub(super) fn owner_of_what_is_set(job: &Job) -> Option<&'static EngineProperties> {
    let set = job.engine.options_set();
    let owns = |engine: &&EngineProperties| {
        let mut options = engine.own_options.iter();
        options.any(|option| set.iter().any(|set| set == option))
    };
    let mut owners = engines::ENGINES.iter().filter(owns);
    owners
        .clone()
        .find(|engine| engine.by_auto)
        .or_else(|| owners.next())
}

/// Options that rules of their own refuse, [`OF_POLLING`] and [`OF_POLLING_PEERS`].
const OF_RINGS: [&str; 2] = ["iopoll", "sqpoll"];

/// The first option that is set and that neither the engine nor the target has, and why.
pub(super) fn of_another(job: &Job) -> Option<(String, String)> {
    let set = job.engine.options_set();
    set.into_iter()
        .filter(|option| !OF_RINGS.contains(&option.as_str()))
        .find_map(|option| {
            let owner = engines::owner_of(&option)?;
            let message = match owner.schemes.is_empty() {
                true => misplaced(job, &option, owner),
                false => of_another_protocol(job, &option, owner),
            };
            Some((option, message?))
        })
}

pub(super) const RULES: &[Rule] = &[
    rule("engine", |job| {
        let engine = job.engine.engine.as_str();
        (job.target == Target::Null && engine != "auto" && !is_nowhere_by(engine)).then(|| {
            format!(
                "the target null: has only the engine null, not {engine}; remove engine, or give a real target (/dev/null works with any engine)"
            )
        })
    }),
    rule("positioned", |job| with_another_owner(job, "positioned")),
    rule("per-character", |job| {
        with_another_owner(job, "per-character")
    }),
    rule("positioned", |job| {
        let engine = &job.engine;
        let has_flags = engine.hipri || engine.nowait || engine.uncached || engine.atomic;
        (has_flags && !engine.positioned).then(|| {
            "hipri, nowait, uncached and atomic are flags of calls with an offset (preadv2, pwritev2); remove positioned".into()
        })
    }),
    rule("call-size", |job| {
        let engine = &job.engine;
        let has_flags = engine.hipri || engine.nowait || engine.uncached || engine.atomic;
        (has_flags && engine.call_size.0 > 0).then(|| {
            "hipri, nowait, uncached and atomic are flags of calls with an offset (preadv2, pwritev2), call-size is of calls at the file position; choose one of them".into()
        })
    }),
    rule("call-size", |job| {
        (job.engine.call_size.0 > 0 && job.workload.direct == Direct::Yes).then(|| {
            "direct I/O moves whole blocks; remove call-size, or use direct = false".into()
        })
    }),
    rule("hipri", |job| {
        (job.engine.hipri && job.workload.direct == Direct::No)
            .then(|| "polling for completions needs direct I/O; use direct = true".into())
    }),
    rule("uncached", |job| {
        (job.engine.uncached && job.workload.direct == Direct::Yes).then(|| {
            "direct I/O bypasses the page cache; remove uncached, or use direct = false".into()
        })
    }),
    rule("atomic", |job| {
        (job.engine.atomic && job.workload.direct == Direct::No)
            .then(|| "untorn writes need direct I/O; use direct = true".into())
    }),
];

/// An option set for a share of another kind, or for no share.
fn of_another_protocol(job: &Job, option: &str, owner: &EngineProperties) -> Option<String> {
    let has_it = job.target.remote().is_some_and(|remote| {
        owner
            .schemes
            .iter()
            .any(|own| own.word == remote.scheme.to_string())
    });
    (!has_it).then(|| {
        let word = owner.schemes.first().map_or("", |own| own.word);
        format!(
            "{option} is an option of {word}:// targets, not of {}; remove it",
            job.target
        )
    })
}

/// An option set for another engine than the requested one.
fn misplaced(job: &Job, option: &str, owner: &EngineProperties) -> Option<String> {
    let engine = job.engine.engine.as_str();
    let local = matches!(job.target, Target::Path(_));
    let has_own = |engine: &EngineProperties| engine.own_options.contains(&option);
    let has_it = local && (engine == "auto" || engines::is(engine, has_own));
    (!has_it).then(|| {
        let other = if local {
            format!("the engine {engine}")
        } else {
            job.target.to_string()
        };
        format!("{option} is an option of the engine {} on files and devices, not of {other}; remove it", owner.name)
    })
}

/// An option set together with those of another engine.
fn with_another_owner(job: &Job, option: &str) -> Option<String> {
    let set = job.engine.options_set();
    let is_set = |option: &str| set.iter().any(|set| set == option);
    let owner = engines::owner_of(option).filter(|_| is_set(option))?;
    let owned = set.iter().filter_map(|option| {
        let owner = engines::owner_of(option).filter(|owner| owner.schemes.is_empty())?;
        let is_of_ring = OF_RINGS.contains(&option.as_str());
        (!is_of_ring).then_some((option.as_str(), owner.name))
    });
    let foreign: Vec<(&str, &str)> = owned.filter(|(_, other)| *other != owner.name).collect();
    let (_, other) = foreign.first()?;
    let options: Vec<&str> = foreign.iter().map(|(option, _)| *option).collect();
    Some(format!(
        "{option} is an option of the engine {}, but {} of the engine {other}; choose one of them",
        owner.name,
        options.join(" and ")
    ))
}

/// The engine that has a ring.
fn ring() -> &'static str {
    engines::owner_of("sqpoll").map_or("", |engine| engine.name)
}

/// The peer exposes its memory: completion queues are polled without a ring.
fn polls_a_peer(job: &Job) -> bool {
    let remote = job.target.remote();
    remote.is_some_and(|remote| remote.scheme.is(|of| of.lends_memory))
}

pub(super) const OF_POLLING_PEERS: Group = Group {
    concerns: polls_a_peer,
    rules: &[rule("sqpoll", |job| {
        (job.engine.sqpoll).then(|| format!("sqpoll is an option of {}; remove it", ring()))
    })],
};

pub(super) const OF_POLLING: Group = Group {
    concerns: |job| !polls_a_peer(job),
    rules: &[
        rule("iopoll", |job| of_another_engine(job, "iopoll")),
        rule("sqpoll", |job| of_another_engine(job, "sqpoll")),
        rule("iopoll", |job| {
            (job.engine.iopoll && job.workload.direct == Direct::No)
                .then(|| "polling for completions needs direct I/O; use direct = true".into())
        }),
    ],
};

fn of_another_engine(job: &Job, option: &str) -> Option<String> {
    let engine = job.engine.engine.as_str();
    let has_it = |engine: &EngineProperties| engine.own_options.contains(&option);
    let other = engine != "auto" && !engines::is(engine, has_it);
    (other && job.engine.sets(option)).then(|| {
        format!(
            "{option} is an option of {}, not of the engine {engine}",
            ring()
        )
    })
}
