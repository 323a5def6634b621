//! What did the block devices behind a program's files do, and how much of it was for other programs?

use plumb_model::explain::account::{
    DeviceUse, Gain, Question, ReadOrigin, RequestFigures, TimeAccount, WhatIf,
};
use plumb_model::statement::{Statement, Unit};
use plumb_model::trace::events::Activity;
use plumb_model::trace::facts::DeviceLoad;

use super::gains::{SHARE_MIN, range, storage_share};

/// Share of a device's bytes from which on other programs are a finding, if the device is busy for so much of the time.
const OTHERS_MIN: f64 = 0.3;
const BUSY_MIN: f64 = 0.5;
/// What other devices may move, as a part of what the program moved in all.
const ELSEWHERE_MAX: f64 = 0.05;

/// The devices behind the storages of an account.
pub(super) fn devices(account: &TimeAccount, loads: &[DeviceLoad]) -> Vec<DeviceUse> {
    let mut used: Vec<DeviceUse> = loads
        .iter()
        .map(|load| DeviceUse {
            storages: storages_of(account, load),
            load: load.clone(),
            others_share: None,
            reads: None,
        })
        .filter(|of| !of.storages.is_empty())
        .collect();
    let all: Vec<DeviceLoad> = used.iter().map(|of| of.load.clone()).collect();
    for (at, of) in used.iter_mut().enumerate() {
        let load = with_own_part(&all, at);
        of.others_share = others_share(&load);
        of.reads = reads(account, &of.storages, &load);
    }
    used
}

/// What the program moved is known for all devices together: it is that of one of them where the others moved hardly anything, for whomever.
fn with_own_part(all: &[DeviceLoad], at: usize) -> DeviceLoad {
    let others = || {
        let others = all.iter().enumerate();
        others
            .filter(move |(other, _)| *other != at)
            .map(|(_, of)| of)
    };
    let own = |own: Option<u64>, others: u64| {
        own.filter(|own| *own == 0 || others as f64 <= ELSEWHERE_MAX * *own as f64)
    };
    let (read, written) = (
        others().map(|of| of.read_bytes).sum(),
        others().map(|of| of.write_bytes).sum(),
    );
    let load = all[at].clone();
    DeviceLoad {
        own_read_bytes: own(load.own_read_bytes, read),
        own_write_bytes: own(load.own_write_bytes, written),
        ..load
    }
}

fn storages_of(account: &TimeAccount, load: &DeviceLoad) -> Vec<String> {
    let device = format!("/dev/{}", load.device);
    let names = account.storages.iter().map(|storage| &storage.name);
    names
        .filter(|name| load.mounts.contains(name) || **name == device)
        .cloned()
        .collect()
}

/// The program's reads of files on a device, where each call and whether it waited is known.
fn reads(account: &TimeAccount, storages: &[String], load: &DeviceLoad) -> Option<ReadOrigin> {
    let is_on_it = |request: &&RequestFigures| {
        let storage = request.storage.as_ref();
        request.activity == Activity::Read && storage.is_some_and(|name| storages.contains(name))
    };
    let requests = || account.requests.iter().filter(is_on_it);
    let count = requests().map(|request| request.count).sum();
    (account.has_switches && count > 0).then_some(ReadOrigin {
        count,
        waited: requests().map(|request| request.waited).sum(),
        bytes: requests().map(|request| request.bytes).sum(),
        device_bytes: load.own_read_bytes?,
    })
}

/// Of the bytes that a device moved, those that were not charged to the program. What is written later is charged before.
fn others_share(load: &DeviceLoad) -> Option<f64> {
    let read = load.read_bytes.saturating_sub(load.own_read_bytes?);
    let written = load.write_bytes.saturating_sub(load.own_write_bytes?);
    let all = load.read_bytes + load.write_bytes;
    (all > 0).then(|| (read + written) as f64 / all as f64)
}

/// Other programs that keep a device busy on which the program waits.
pub(super) fn interference(account: &TimeAccount) -> Option<WhatIf> {
    let found = account.devices.iter().find_map(|of| {
        let others = of.others_share.filter(|share| *share >= OTHERS_MIN)?;
        let share: f64 = of
            .storages
            .iter()
            .map(|name| storage_share(account, name))
            .sum();
        let is_one = share >= SHARE_MIN && of.load.busy_share >= BUSY_MIN;
        is_one.then_some((of, others, share))
    });
    let (of, others, share) = found?;
    // A request waits for those before it: without the others, as long as its own part of them.
    let left = (share / of.load.outstanding.max(share)).min(1.0 - others);
    let (_, high) = range(share, left);
    Some(WhatIf {
        question: Question::Interference,
        storage: of.storages.first().cloned(),
        share,
        claim: Statement::new("why-interference")
            .percent("share", (share * 100.0).min(100.0))
            .name("device", &of.load.device)
            .percent("others", others * 100.0)
            .percent("busy", of.load.busy_share * 100.0)
            .number("outstanding", of.load.outstanding)
            .quantity("each", of.load.request_ns, Unit::Nanoseconds),
        gains: vec![Gain {
            change: Statement::new("why-gain-without-others"),
            low: 1.0,
            high,
        }],
        advice: Statement::new("why-interference-advice"),
        test: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load() -> DeviceLoad {
        DeviceLoad {
            device: "sda".into(),
            mounts: vec!["/data".into()],
            reads: 100,
            read_bytes: 8_000,
            writes: 20,
            write_bytes: 2_000,
            request_ns: 1e6,
            flushes: 0,
            flush_ns: 0.0,
            busy_share: 0.9,
            outstanding: 4.0,
            own_read_bytes: Some(2_000),
            own_write_bytes: Some(5_000),
        }
    }

    #[test]
    fn what_is_not_charged_to_the_program_was_for_others() {
        // 6,000 of 10,000 bytes; more was to be written than has been.
        assert_eq!(others_share(&load()), Some(0.6));
        let unknown = DeviceLoad {
            own_read_bytes: None,
            ..load()
        };
        assert_eq!(others_share(&unknown), None);
    }

    #[test]
    fn what_the_program_moved_is_of_the_device_beside_which_others_hardly_moved_anything() {
        let own = |root_read: u64| {
            let root = DeviceLoad {
                read_bytes: root_read,
                write_bytes: 0,
                ..load()
            };
            let all = [load(), root];
            [0, 1].map(|at| with_own_part(&all, at).own_read_bytes)
        };
        // The root disk read at most 100 of the program's 2,000 bytes, for whomever.
        assert_eq!(own(100), [Some(2_000), None]);
        assert_eq!(own(101), [None, None]);
        assert_eq!(with_own_part(&[load()], 0), load());
        // Nothing in all is nothing of each.
        let none = DeviceLoad {
            own_read_bytes: Some(0),
            ..load()
        };
        assert_eq!(with_own_part(&[none, load()], 0).own_read_bytes, Some(0));
    }
}
