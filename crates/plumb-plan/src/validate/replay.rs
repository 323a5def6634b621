//! What contradicts a replay, and which keys say nothing without one?

use std::collections::BTreeMap;

use super::rule::{Misfit, misfit};
use plumb_model::plan::Origin;
use plumb_model::target::remote::Scheme;
use plumb_model::workload::replay::KINDS;
use plumb_model::workload::{Job, Layout, ReplayPace};

/// Slowest and fastest pace of a replay, in percent.
const SPEEDS_PERCENT: std::ops::RangeInclusive<f64> = 0.001..=1_000_000.0;

/// Keys that say how a log is replayed.
const OF_REPLAY: [&str; 7] = [
    "replay-pace",
    "replay-speed-percent",
    "replay-divisor",
    "replay-align",
    "replay-skip",
    "replay-files",
    "replay-holds",
];

/// Keys whose values come out of the log.
const OF_LOG: [&str; 4] = ["mix", "block", "offsets", "access"];

/// Keys by which other requests than those of the log would come, or at other moments.
const BESIDE_LOG: [(&str, &str); 3] = [
    ("warm-up", "every request of the log counts"),
    ("fsync-every", "the log says itself when to flush"),
    (
        "verify",
        "requests of a log overlap in part, and verify needs blocks that do not",
    ),
];

/// Keys that say when operations start.
const OF_PACE: [&str; 5] = [
    "rate",
    "arrivals",
    "think-time",
    "burst-operations",
    "burst-pause",
];

/// Judges what concerns replays. Values that were found out from the log are none that anybody chose.
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
            .map(|key| (key, format!("{key} says how a log is replayed, and there is none: write replay = FILE, or leave it out")));
    }
    misfit(chosen("replay-holds"), "replay-holds", || "replay-holds is found out from the log: leave it out".into())
        .or_else(|| {
            first(&OF_LOG)
                .map(|key| (key, format!("replay takes kinds, blocks and places from the log, so {key} has no say: leave one of them out")))
        })
        .or_else(|| beside(job, &chosen))
        .or_else(|| {
            let paced = first(&OF_PACE).filter(|_| workload.replay_pace == ReplayPace::Recorded);
            paced.map(|key| {
                (key, format!("the log says when its requests come, and so does {key}: write replay-pace = none, or leave it out"))
            })
        })
        .or_else(|| values(job))
        .or_else(|| place(job))
}

fn beside(job: &Job, chosen: &dyn Fn(&str) -> bool) -> Option<Misfit> {
    // A job beside the main one has its warm-up.
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
            format!("{key} does not go with a replay, {why}: leave it out"),
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
    misfit(workload.replay.as_deref().is_some_and(str::is_empty), "replay", || "replay names no file: write replay = FILE".into())
        .or_else(|| {
            misfit(!SPEEDS_PERCENT.contains(&workload.replay_speed_percent), "replay-speed-percent", || {
                format!("a speed of {} percent is not between 0.001 and 1000000: 100 is that of the log", workload.replay_speed_percent)
            })
        })
        .or_else(|| {
            let slowed = workload.replay_speed_percent != 100.0 && workload.replay_pace == ReplayPace::None;
            misfit(slowed, "replay-speed-percent", || {
                "a speed is one of the recorded pace, and replay-pace = none: leave one of them out".into()
            })
        })
        .or_else(|| misfit(workload.replay_divisor == 0, "replay-divisor", || "offsets cannot be divided by 0: write 1 or more".into()))
        .or_else(|| {
            misfit(!workload.replay_align.0.is_power_of_two(), "replay-align", || {
                format!("replay-align {} is no power of two: write for example 4k", workload.replay_align)
            })
        })
        .or_else(|| {
            let all = KINDS.iter().all(|kind| workload.replay_skip.0.contains(kind));
            misfit(all, "replay-skip", || "without reads, writes, trims and flushes nothing is left to replay: skip fewer kinds".into())
        })
}

fn place(job: &Job) -> Option<Misfit> {
    misfit(job.workload.layout == Layout::Stream, "layout", || {
        "layout = stream deals one order of blocks to all workers, and each worker replays the whole log: write layout = shared or own"
            .into()
    })
    .or_else(|| {
        let peer = job.target.remote().filter(|remote| !remote.scheme.is_share() || remote.scheme == Scheme::Rdma)?;
        Some(("target", format!("a log is replayed on blocks, which {peer} does not have: name a file, a directory, a device or a share")))
    })
}
