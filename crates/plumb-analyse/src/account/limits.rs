//! Does a limit hold a program up: on the memory of its control group, or on its requests or bytes per second?

use plumb_model::explain::account::{Gain, Question, TimeAccount, WhatIf};
use plumb_model::statement::{Argument, Statement, Unit};
use plumb_model::text::shell::quoted;
use plumb_model::trace::events::Activity;
use plumb_model::trace::facts::{IoLimit, IoLimitKind};

use super::gains::{ERROR, SHARE_MIN, factor, range, storage_share};
use crate::phrases::phrase;

/// Part of what was fetched that had been in memory before, from which on a limit on memory is the cause.
const AGAIN_MIN: f64 = 0.25;
/// Part of a limit from which on it is reached: a limit holds in slices of time, and what falls between them is lost.
const REACHED: f64 = 0.6;
/// Share of the time that a program waits for a CPU, from which on its times say nothing of a limit.
const READY_MAX: f64 = 0.05;

/// Share of the program's own time that it waits for reads of a storage.
fn reads_share(account: &TimeAccount, storage: &str) -> f64 {
    let reads = account.program.iter().filter(|part| {
        let activity = matches!(part.activity, Activity::Read | Activity::Fault);
        activity && part.storage.as_deref() == Some(storage)
    });
    reads.map(|part| part.share).sum()
}

/// Bytes that the program fetched.
fn fetched(account: &TimeAccount, storage: &str) -> Option<u64> {
    let own = account.devices.iter().find_map(|of| of.load.own_read_bytes);
    let own = own.filter(|bytes| *bytes > 0);
    // Without a block device, what it asked for: at least what was fetched.
    let asked = || {
        let reads = account
            .requests
            .iter()
            .filter(|of| of.activity == Activity::Read && of.storage.as_deref() == Some(storage));
        let bytes: u64 = reads.map(|of| of.bytes).sum();
        (bytes > 0).then_some(bytes)
    };
    own.or_else(asked)
}

/// Memory of the control group that is full, so that files are read again.
pub(super) fn memory(account: &TimeAccount) -> Option<WhatIf> {
    let limit = account
        .memory_limits
        .iter()
        .max_by_key(|of| of.refaulted_bytes)?;
    let shares = account
        .storages
        .iter()
        .map(|storage| (storage, reads_share(account, &storage.name)));
    let (storage, share) = shares.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let fetched = fetched(account, &storage.name)?;
    let again = (limit.refaulted_bytes as f64 / fetched as f64).min(1.0);
    if again < AGAIN_MIN || share * again < SHARE_MIN {
        return None;
    }
    // What it fetched for the first time has to fit beside what was in use.
    let enough = limit.limit_bytes + fetched.saturating_sub(limit.refaulted_bytes);
    let (low, high) = range(share * again, 0.0);
    Some(WhatIf {
        question: Question::MemoryLimit,
        storage: Some(storage.name.clone()),
        share: share * again,
        claim: Statement::new("why-memory-limit")
            .percent("share", (share * 100.0).min(100.0))
            .name("storage", &storage.name)
            .quantity("again", limit.refaulted_bytes as f64, Unit::Bytes)
            .percent("part", again * 100.0)
            .quantity("limit", limit.limit_bytes as f64, Unit::Bytes),
        gains: vec![Gain {
            change: Statement::new("why-gain-memory"),
            low,
            high,
        }],
        advice: Statement::new("why-memory-limit-advice").name(
            "command",
            set_to(&limit.file, &enough.max(2 * limit.limit_bytes).to_string()),
        ),
        test: None,
    })
}

fn set_to(file: &str, value: &str) -> String {
    format!("echo {} > {}", quoted(value), quoted(file))
}

/// A limit on requests or bytes per second on which the program waits: of its control group, or by the times of its calls.
pub(super) fn rate(account: &TimeAccount) -> Vec<WhatIf> {
    let names = account.storages.iter().map(|storage| &storage.name);
    names
        .filter_map(|name| {
            let share = storage_share(account, name);
            let of_group = || set_by_group(account, name, share);
            (share >= SHARE_MIN)
                .then(|| of_group().or_else(|| by_times(account, name, share)))
                .flatten()
        })
        .collect()
}

/// Whether a device is this disk, or a partition of it: `sda2`, `nvme0n1p2`.
fn is_on(device: &str, disk: &str) -> bool {
    device.strip_prefix(disk).is_some_and(|rest| {
        let digits = rest.strip_prefix('p').unwrap_or(rest);
        digits.chars().all(|digit| digit.is_ascii_digit())
    })
}

/// What a program has of what is limited, per second.
fn achieved(account: &TimeAccount, name: &str, limit: &IoLimit) -> Option<f64> {
    let of = account.devices.iter().find(|of| {
        is_on(&of.load.device, &limit.device) && of.storages.iter().any(|storage| storage == name)
    })?;
    let load = &of.load;
    let count = match limit.kind {
        IoLimitKind::Reads => load.reads,
        IoLimitKind::Writes => load.writes,
        IoLimitKind::ReadBytes => load.read_bytes,
        IoLimitKind::WriteBytes => load.write_bytes,
    };
    let own = 1.0 - of.others_share.unwrap_or(0.0);
    Some(count as f64 * own / (account.span_ns as f64 / 1e9))
}

fn set_by_group(account: &TimeAccount, name: &str, share: f64) -> Option<WhatIf> {
    let near = account.io_limits.iter().filter_map(|limit| {
        let rate = achieved(account, name, limit)?;
        // The limit holds while the program waits.
        let part = rate / limit.per_second as f64 / share.min(1.0);
        (part >= REACHED).then_some((limit, rate, part))
    });
    let (limit, rate, _) = near.max_by(|a, b| a.2.total_cmp(&b.2))?;
    let value = |value: f64| -> Argument {
        match limit.kind {
            IoLimitKind::Reads => {
                phrase(Statement::new("why-reads-per-second").number("count", value))
            }
            IoLimitKind::Writes => {
                phrase(Statement::new("why-writes-per-second").number("count", value))
            }
            IoLimitKind::ReadBytes | IoLimitKind::WriteBytes => Argument::Quantity {
                value,
                unit: Unit::BytesPerSecond,
            },
        }
    };
    let key = match limit.kind {
        IoLimitKind::Reads => "riops=",
        IoLimitKind::Writes => "wiops=",
        IoLimitKind::ReadBytes => "rbps=",
        IoLimitKind::WriteBytes => "wbps=",
    };
    // Version 1 has a file for each kind.
    let key = if limit.file.ends_with("/io.max") {
        key
    } else {
        ""
    };
    let command = set_to(
        &limit.file,
        &format!(
            "{} {key}{}",
            limit.number,
            limit.per_second.saturating_mul(2)
        ),
    );
    Some(what_if(
        name,
        share,
        Statement::new("why-group-limit")
            .percent("share", (share * 100.0).min(100.0))
            .name("storage", name)
            .name("device", &limit.device)
            .with("limit", value(limit.per_second as f64))
            .with("rate", value(rate)),
        Statement::new("why-group-limit-advice").name("command", command),
    ))
}

fn by_times(account: &TimeAccount, name: &str, share: f64) -> Option<WhatIf> {
    let calls = account
        .requests
        .iter()
        .filter(|of| of.storage.as_deref() == Some(name))
        .max_by_key(|of| of.waited_ns)?;
    // A scheduler that divides a CPU between programs gives each a steady rate, too.
    let ready = account.program.iter();
    let ready = ready.filter(|part| part.activity == Activity::Ready);
    if ready.map(|part| part.share).sum::<f64>() > READY_MAX {
        return None;
    }
    let (rate, p50_ns, p99_ns) = (calls.steady_rate?, calls.p50_ns?, calls.p99_ns?);
    Some(what_if(
        name,
        share,
        Statement::new("why-steady-rate")
            .percent("share", (share * 100.0).min(100.0))
            .name("storage", name)
            .number("rate", rate)
            .name("call", &calls.call)
            .quantity("p50", p50_ns as f64, Unit::Nanoseconds)
            .quantity("p99", p99_ns as f64, Unit::Nanoseconds),
        Statement::new("why-steady-rate-advice"),
    ))
}

fn what_if(name: &str, share: f64, claim: Statement, advice: Statement) -> WhatIf {
    // Twice as much within a second; single requests take no less.
    let gain = Gain {
        change: Statement::new("why-gain-limit-twice"),
        low: factor((share - 2.0 * ERROR).max(0.0), 0.5 * 1.25),
        high: factor((share + ERROR).min(1.0), 0.5),
    };
    WhatIf {
        question: Question::RateLimit,
        storage: Some(name.to_string()),
        share,
        claim,
        gains: vec![gain],
        advice,
        test: None,
    }
}
