//! What would help a program, and by how much? Questions to the account of its time: this part faster, more of it at once, or gone.

use plumb_model::environment::is_kernel_view;
use plumb_model::explain::account::{Gain, Part, Question, RequestFigures, TimeAccount, WhatIf};
use plumb_model::statement::{Statement, Unit};
use plumb_model::text::shell::quoted;
use plumb_model::trace::events::Activity;

use super::devices::interference;
use super::gains::{ERROR, SHARE_MIN, factor, range};
use super::limits;

/// Of the time in a call that waits, the part that faster storage does not shorten: the way through the kernel and the network.
const AROUND: f64 = 0.25;
/// Requests of a program that makes one after another: at most so many wait at the same time, on average.
const ONE_AT_A_TIME: f64 = 1.5;
/// Requests at once that are asked for.
const MANY: f64 = 8.0;
/// Flushes of which one is left.
const FLUSHES: f64 = 4.0;
/// Waiting for a CPU, as a part of the time on one, from which on it is the limit.
const NO_CPU_MIN: f64 = 0.5;
/// Share of the lives of working threads that they wait for locks, from which on it is a finding.
const LOCK_MIN: f64 = 0.3;

/// What the account says in one sentence.
pub fn verdict(account: &TimeAccount) -> Statement {
    let mut others = account
        .program
        .iter()
        .filter(|part| !part.activity.is_storage());
    let Some(most) = others.next() else {
        return match account.program.is_empty() {
            true => Statement::new("why-verdict-nothing"),
            false => Statement::new("why-verdict-all-storage"),
        };
    };
    let storage = account.program.iter().filter(|part| {
        part.activity.is_storage() && !is_of_kernel(account, part.storage.as_deref())
    });
    let storage = storage.fold(0.0, |sum, part| sum + part.share);
    let (share, other) = (percent(storage), percent(most.share));
    if !account.has_switches {
        return match storage < most.share {
            true => Statement::new("why-verdict-few-calls")
                .percent("share", share)
                .percent("other", other),
            false => Statement::new("why-verdict-calls").percent("share", share),
        };
    }
    if storage < SHARE_MIN {
        return Statement::new("why-verdict-not-storage")
            .percent("share", share)
            .part("most", most.named())
            .percent("other", other);
    }
    if storage < most.share {
        return Statement::new("why-verdict-less-storage")
            .percent("share", share)
            .part("most", most.named())
            .percent("other", other);
    }
    Statement::new("why-verdict-storage")
        .percent("share", share)
        .part("most", most.named())
        .percent("other", other)
}

fn percent(share: f64) -> f64 {
    (share * 100.0).min(100.0)
}

/// What would help, most time first.
pub fn what_if(account: &TimeAccount) -> Vec<WhatIf> {
    let mut found = Vec::new();
    let mut storages: Vec<Option<&str>> = Vec::new();
    for part in account.program.iter().filter(|part| is_file(part)) {
        let storage = part.storage.as_deref();
        if !storages.contains(&storage) && !is_of_kernel(account, storage) {
            storages.push(storage);
        }
    }
    let limits = limits::rate(account);
    let is_limited =
        |storage: Option<&str>| limits.iter().any(|of| of.storage.as_deref() == storage);
    for storage in storages.into_iter().filter(|storage| !is_limited(*storage)) {
        found.extend(on_storage(account, storage));
    }
    found.extend(limits);
    found.extend(elsewhere(account));
    found.extend(interference(account));
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    cpu_before_computing(&mut found);
    // Reading again is what the storage is waited for.
    if let Some(memory) = limits::memory(account) {
        found.insert(0, memory);
    }
    // Threads that wait for a lock wait for what the one that has it does: that is the cause.
    if let Some(lock) = lock(account) {
        found.insert(0, lock);
    }
    found
}

/// A program that cannot have its CPU lacks it more than a faster one.
fn cpu_before_computing(found: &mut [WhatIf]) {
    let place = |question| found.iter().position(|of| of.question == question);
    let (Some(computing), Some(no_cpu)) = (place(Question::Computing), place(Question::NoCpu))
    else {
        return;
    };
    let matters = found[no_cpu].share >= NO_CPU_MIN * found[computing].share;
    if computing < no_cpu && matters {
        found[computing..=no_cpu].rotate_right(1);
    }
}

/// Whether this is no storage, but the kernel's own state: `/proc`, `/sys`, control groups.
fn is_of_kernel(account: &TimeAccount, storage: Option<&str>) -> bool {
    account.storages.iter().any(|of| {
        Some(of.name.as_str()) == storage && of.file_system.as_deref().is_some_and(is_kernel_view)
    })
}

/// Waits for calls on a file system or device.
fn is_file(part: &Part) -> bool {
    part.activity.is_storage() && part.activity != Activity::Fault
}

fn gain(change: Statement, share: f64, left: f64) -> Gain {
    let (low, high) = range(share, left);
    Gain { change, low, high }
}

/// Storage twice as fast, where its share lies between these: what is around it takes as long as before.
pub(super) fn twice_between(low: f64, high: f64) -> (f64, f64) {
    (factor(low, 0.5 * (1.0 + AROUND)), factor(high, 0.5))
}

fn twice(share: f64) -> Gain {
    let (low, high) = twice_between((share - ERROR).max(0.0), (share + ERROR).min(1.0));
    Gain {
        change: Statement::new("why-gain-storage-twice"),
        low,
        high,
    }
}

/// More requests at once: whether the storage serves them together shows only where the recording has several at once.
fn at_once(share: f64, seen: f64) -> Gain {
    let seen = seen.clamp(1.0, MANY);
    Gain {
        change: Statement::new("why-gain-at-once").number("count", MANY),
        low: 1.0,
        high: factor((share + ERROR).min(1.0), seen / MANY),
    }
}

/// What the account says of one storage.
fn on_storage(account: &TimeAccount, storage: Option<&str>) -> Vec<WhatIf> {
    let of = |activities: &[Activity]| -> f64 {
        let parts = account.program.iter().filter(|part| {
            part.storage.as_deref() == storage && activities.contains(&part.activity)
        });
        parts.map(|part| part.share).sum()
    };
    let durable = of(&[Activity::Flush, Activity::SyncWrite]);
    let metadata = of(&[Activity::Metadata]);
    let data = of(&[Activity::Read, Activity::Write, Activity::Requests]);
    let share = durable + metadata + data;
    if share < SHARE_MIN {
        return Vec::new();
    }
    let figures = |activities: &[Activity]| -> Vec<&RequestFigures> {
        let of_storage = account
            .requests
            .iter()
            .filter(|of| of.storage.as_deref() == storage && activities.contains(&of.activity));
        of_storage.collect()
    };
    let named = match storage {
        Some(storage) => Statement::new("why-storage").name("storage", storage),
        None => Statement::new("why-files"),
    };
    let test = storage.map(|storage| format!("plumb run depth {}", quoted(storage)));
    let what_if = |question, claim, gains, advice| WhatIf {
        question,
        storage: storage.map(str::to_string),
        share,
        claim,
        gains,
        advice,
        test: None,
    };
    if durable >= 0.4 * share {
        let of = CallsThatWaited::of(&figures(&[Activity::Flush, Activity::SyncWrite]));
        let claim = match of.count {
            0 => Statement::new("why-durability-sampled")
                .percent("share", percent(durable))
                .part("storage", named),
            _ => Statement::new("why-durability")
                .percent("share", percent(durable))
                .part("storage", named)
                .count("count", of.count)
                .name("call", of.call)
                .quantity("each", of.each_ns, Unit::Nanoseconds),
        };
        return vec![what_if(
            Question::Durability,
            claim,
            vec![fewer_flushes(durable), twice(share)],
            Statement::new("why-durability-advice"),
        )];
    }
    if metadata >= 0.5 * share {
        let calls = figures(&[Activity::Metadata]);
        let of = CallsThatWaited::of(&calls);
        let claim = match of.count {
            0 => Statement::new("why-metadata-sampled")
                .percent("share", percent(metadata))
                .part("storage", named),
            _ => Statement::new("why-metadata")
                .percent("share", percent(metadata))
                .part("storage", named)
                .count("count", of.count)
                .name("call", of.call)
                .quantity("each", of.each_ns, Unit::Nanoseconds),
        };
        return vec![what_if(
            Question::Metadata,
            claim,
            vec![twice(share), at_once(share, of.at_once)],
            Statement::new("why-metadata-advice"),
        )];
    }
    let calls = figures(&[Activity::Read, Activity::Write, Activity::Requests]);
    let found = CallsThatWaited::of(&calls);
    // How many requests of libaio are outstanding is not known; nobody uses it for one.
    let is_unknown = calls.is_empty() && of(&[Activity::Requests]) > 0.0;
    let slow = |claim| {
        what_if(
            Question::StorageIsSlow,
            claim,
            vec![twice(share)],
            Statement::new("why-storage-slow-advice"),
        )
    };
    let finding = if is_unknown {
        slow(Statement::new("why-requests-unknown").percent("share", percent(share)))
    } else if found.at_once >= ONE_AT_A_TIME {
        slow(match found.count {
            0 => Statement::new("why-storage-slow-sampled")
                .percent("share", percent(share))
                .part("storage", named)
                .number("at-once", found.at_once),
            _ => Statement::new("why-storage-slow")
                .percent("share", percent(share))
                .part("storage", named)
                .number("at-once", found.at_once)
                .count("count", found.count)
                .name("call", found.call)
                .quantity("each", found.each_ns, Unit::Nanoseconds),
        })
    } else {
        what_if(
            Question::OneAtATime,
            match found.count {
                0 => Statement::new("why-one-at-a-time-sampled")
                    .percent("share", percent(share))
                    .part("storage", named),
                _ => Statement::new("why-one-at-a-time")
                    .percent("share", percent(share))
                    .part("storage", named)
                    .count("count", found.count)
                    .name("call", found.call)
                    .quantity("each", found.each_ns, Unit::Nanoseconds),
            },
            vec![twice(share), at_once(share, found.at_once)],
            Statement::new("why-one-at-a-time-advice"),
        )
    };
    vec![WhatIf { test, ..finding }]
}

/// One flush in place of several: at least the flushes become fewer, at most all that comes with each.
fn fewer_flushes(durable: f64) -> Gain {
    let left = 1.0 / FLUSHES;
    Gain {
        change: Statement::new("why-gain-flushes").number("count", FLUSHES),
        low: factor((durable - ERROR).max(0.0), left),
        high: factor(durable + (1.0 - durable) * durable, left) * (1.0 + ERROR),
    }
}

/// Calls that waited: their number, and of the kind with most time its name, the mean of those that waited, and how many waited at the same time.
struct CallsThatWaited<'a> {
    count: u64,
    call: &'a str,
    each_ns: f64,
    at_once: f64,
}

impl<'a> CallsThatWaited<'a> {
    fn of(calls: &[&'a RequestFigures]) -> CallsThatWaited<'a> {
        let most = calls.iter().max_by(|a, b| {
            let at_once = |of: &RequestFigures| of.at_once.unwrap_or(0.0);
            let by_time = a.waited_ns.cmp(&b.waited_ns);
            by_time.then(at_once(a).total_cmp(&at_once(b)))
        });
        CallsThatWaited {
            count: calls.iter().map(|of| of.waited).sum(),
            call: most.map_or("", |of| of.call.as_str()),
            each_ns: most.map_or(0.0, |of| of.waited_ns as f64 / (of.waited as f64).max(1.0)),
            at_once: most.and_then(|of| of.at_once).unwrap_or(1.0),
        }
    }
}

/// Waiting that is not for calls on files.
fn elsewhere(account: &TimeAccount) -> Vec<WhatIf> {
    let share = |activities: &[Activity]| -> f64 {
        let parts = account
            .program
            .iter()
            .filter(|part| activities.contains(&part.activity));
        parts.map(|part| part.share).sum()
    };
    let kinds: [(Question, &[Activity], f64); 7] = [
        (Question::Computing, &[Activity::Cpu], 0.4),
        (Question::Pauses, &[Activity::Sleep], SHARE_MIN),
        (Question::NoCpu, &[Activity::Ready], SHARE_MIN),
        (Question::PageFaults, &[Activity::Fault], SHARE_MIN),
        (Question::Peer, &[Activity::Socket], SHARE_MIN),
        (
            Question::OtherProcess,
            &[Activity::Pipe, Activity::Child, Activity::Event],
            0.2,
        ),
        (Question::BetweenCalls, &[Activity::Other], 0.4),
    ];
    let found = kinds
        .into_iter()
        .filter_map(|(question, activities, least)| {
            let share = share(activities);
            let is_known = match question {
                Question::Computing => account.has_switches,
                Question::BetweenCalls => !account.has_switches,
                _ => true,
            };
            if share < least || !is_known {
                return None;
            }
            let left = match question {
                Question::Pauses
                | Question::NoCpu
                | Question::PageFaults
                | Question::BetweenCalls => 0.0,
                _ => 0.5,
            };
            let (claim, change, advice) = words(question, percent(share), account);
            Some(WhatIf {
                question,
                storage: None,
                share,
                claim,
                gains: vec![gain(change, share, left)],
                advice,
                test: None,
            })
        });
    found.collect()
}

/// Claim, change and advice of a question that is not about calls on files.
fn words(
    question: Question,
    share: f64,
    account: &TimeAccount,
) -> (Statement, Statement, Statement) {
    match question {
        Question::Computing => (
            match account.requests.iter().any(|of| of.count > 0) {
                true => Statement::new("why-computing")
                    .percent("share", share)
                    .percent("copying", percent(copying(account))),
                false => Statement::new("why-computing-only").percent("share", share),
            },
            Statement::new("why-gain-cpu-twice"),
            Statement::new("why-computing-advice"),
        ),
        Question::Pauses => (
            Statement::new("why-pauses").percent("share", share),
            Statement::new("why-gain-no-pauses"),
            Statement::new("why-pauses-advice"),
        ),
        Question::NoCpu => (
            Statement::new("why-no-cpu").percent("share", share),
            Statement::new("why-gain-cpu-free"),
            Statement::new("why-no-cpu-advice"),
        ),
        Question::PageFaults => (
            Statement::new("why-faults").percent("share", share),
            Statement::new("why-gain-no-faults"),
            Statement::new("why-faults-advice"),
        ),
        Question::BetweenCalls => (
            Statement::new("why-between-calls").percent("share", share),
            Statement::new("why-gain-between-calls"),
            Statement::new("why-between-calls-advice"),
        ),
        Question::Peer => (
            Statement::new("why-peer").percent("share", share),
            Statement::new("why-gain-peer-twice"),
            Statement::new("why-peer-advice"),
        ),
        _ => (
            Statement::new("why-other-process").percent("share", share),
            Statement::new("why-gain-other-twice"),
            Statement::new("why-other-process-advice"),
        ),
    }
}

/// Share of the threads' time on CPUs that is in calls on files.
fn copying(account: &TimeAccount) -> f64 {
    let calls: u64 = account.requests.iter().map(|of| of.cpu_ns).sum();
    let parts = account.threads.iter().flat_map(|thread| &thread.parts);
    let cpu = parts.filter(|part| part.activity == Activity::Cpu);
    calls as f64 / (cpu.map(|part| part.ns).sum::<u64>() as f64).max(1.0)
}

/// Threads that wait for a lock while another one works.
fn lock(account: &TimeAccount) -> Option<WhatIf> {
    let locks = account.locks.as_ref().filter(|of| of.share >= LOCK_MIN)?;
    let meanwhile = locks.meanwhile.first()?;
    let share = locks.share.min(0.99);
    Some(WhatIf {
        question: Question::Lock,
        storage: meanwhile.storage.clone(),
        share,
        claim: Statement::new("why-lock")
            .percent("share", share * 100.0)
            .count("threads", locks.threads)
            .part("meanwhile", meanwhile.named()),
        gains: vec![Gain {
            change: Statement::new("why-gain-no-lock"),
            low: 1.0,
            high: factor((share + ERROR).min(1.0), 0.0).min(locks.threads as f64),
        }],
        advice: Statement::new("why-lock-advice"),
        test: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(question: Question, share: f64) -> WhatIf {
        WhatIf {
            question,
            storage: None,
            share,
            claim: Statement::new("why-faults"),
            gains: Vec::new(),
            advice: Statement::new("why-faults-advice"),
            test: None,
        }
    }

    #[test]
    fn a_cpu_that_is_not_free_stands_before_a_faster_one() {
        let order = |waiting: f64| {
            let mut found = [
                finding(Question::Computing, 0.5),
                finding(Question::Pauses, 0.4),
                finding(Question::NoCpu, waiting),
            ];
            cpu_before_computing(&mut found);
            found.map(|of| of.question)
        };
        use Question::{Computing, NoCpu, Pauses};
        assert_eq!(order(0.26), [NoCpu, Computing, Pauses]);
        assert_eq!(order(0.2), [Computing, Pauses, NoCpu]);
    }
}
