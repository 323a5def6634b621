//! What conflicts with a replay, and which keys have no effect without one?

use std::collections::BTreeMap;

use super::rule::{Misfit, misfit};
use plumb_model::plan::Origin;
use plumb_model::target::remote::Scheme;
use plumb_model::workload::replay::KINDS;
use plumb_model::workload::{Job, Layout, ReplayPace};

/// Slowest and fastest pace of a replay, in percent.
const SPEEDS_PERCENT: std::ops::RangeInclusive<f64> = 0.001..=1_000_000.0;

/// Keys for how a log is replayed.
const OF_REPLAY: [&str; 7] = [
    "replay-pace",
    "replay-speed-percent",
    "replay-divisor",
    "replay-align",
    "replay-skip",
    "replay-files",
    "replay-holds",
];

/// Keys that are derived from the log.
const OF_LOG: [&str; 4] = ["mix", "block", "offsets", "access"];

/// Keys that would add other requests than those of the log, or change their times.
const BESIDE_LOG: [(&str, &str); 3] = [
    ("warm-up", "every request of the log is replayed"),
    ("fsync-every", "the log contains its own flushes"),
    (
        "verify",
        "requests of a log overlap partially, and verify needs blocks that do not",
    ),
];

/// Keys for the start times of operations.
const OF_PACE: [&str; 5] = [
    "rate",
    "arrivals",
    "think-time",
    "burst-operations",
    "burst-pause",
];

/// Validates replay settings. Values derived from the log do not count as set.
pub(super) fn judge(job: &Job, origins: &BTreeMap<String, Origin>) -> Option<Misfit> {
    let chosen = |key: &str| {
        origins
            .get(key)
            .is_some_and(|origin| !matches!(origin, Origin::Default | Origin::Resolved))
    };
    let first = |keys: &[&'static str]| keys.iter().copied().find(|key| chosen(key));
    let workload = &job.workload;
    if workload.replay.is_none() {
        return first(&OF_REPLAY)
            .map(|key| (key, format!("{key} is an option for a replay, and there is none; set replay = FILE, or remove it")));
    }
    misfit(chosen("replay-holds"), "replay-holds", || "replay-holds is determined from the log; remove it".into())
        .or_else(|| {
            first(&OF_LOG)
                .map(|key| (key, format!("replay takes kinds, blocks and offsets from the log, so {key} has no effect; remove one of them")))
        })
        .or_else(|| beside(job, &chosen))
        .or_else(|| {
            let paced = first(&OF_PACE).filter(|_| workload.replay_pace == ReplayPace::Recorded);
            paced.map(|key| {
                (key, format!("the log sets the times of its requests, and so does {key}; use replay-pace = none, or remove it"))
            })
        })
        .or_else(|| values(job))
        .or_else(|| offsets_misfit(job))
}

fn beside(job: &Job, chosen: &dyn Fn(&str) -> bool) -> Option<Misfit> {
    // The warm-up of a concurrent job is that of the main one.
    let given = |key: &str| {
        if key == "warm-up" {
            job.workload.warm_up.0 > 0
        } else {
            chosen(key) && !is_off(job, key)
        }
    };
    let found = BESIDE_LOG.into_iter().find(|(key, _)| given(key));
    found.map(|(key, why)| {
        (
            key,
            format!("{key} does not work with a replay, {why}; remove it"),
        )
    })
}

fn is_off(job: &Job, key: &str) -> bool {
    match key {
        "fsync-every" => job.workload.fsync_every == 0,
        _ => !job.workload.verify,
    }
}

fn values(job: &Job) -> Option<Misfit> {
    let workload = &job.workload;
    misfit(workload.replay.as_deref().is_some_and(str::is_empty), "replay", || "replay has no file; set replay = FILE".into())
        .or_else(|| {
            misfit(!SPEEDS_PERCENT.contains(&workload.replay_speed_percent), "replay-speed-percent", || {
                format!("a speed of {} percent is not between 0.001 and 1000000; 100 is the recorded speed", workload.replay_speed_percent)
            })
        })
        .or_else(|| {
            let slowed = workload.replay_speed_percent != 100.0 && workload.replay_pace == ReplayPace::None;
            misfit(slowed, "replay-speed-percent", || {
                "a speed scales the recorded pace, but replay-pace = none; remove one of them".into()
            })
        })
        .or_else(|| misfit(workload.replay_divisor == 0, "replay-divisor", || "offsets cannot be divided by 0; use 1 or more".into()))
        .or_else(|| {
            misfit(!workload.replay_align.0.is_power_of_two(), "replay-align", || {
                format!("replay-align {} is not a power of two; use for example 4k", workload.replay_align)
            })
        })
        .or_else(|| {
            let all = KINDS.iter().all(|kind| workload.replay_skip.0.contains(kind));
            misfit(all, "replay-skip", || "without reads, writes, trims and flushes nothing is left to replay; skip fewer kinds".into())
        })
}

fn offsets_misfit(job: &Job) -> Option<Misfit> {
    misfit(job.workload.layout == Layout::Stream, "layout", || {
        "layout = stream feeds one order of blocks to all workers, but each worker replays the entire log; use layout = shared or own"
            .into()
    })
    .or_else(|| {
        let peer = job.target.remote().filter(|remote| !remote.scheme.is_share() || remote.scheme == Scheme::Rdma)?;
        Some(("target", format!("a replay needs blocks, which {peer} does not have; give a file, a directory, a device or a share")))
    })
}
