//! Is it the same I/O? The I/O of two programs on the same files, compared by figures that do not depend on chance.

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::{Event, Kind, Trace};

/// What was done to one file.
#[derive(Debug, Default, Clone)]
pub struct FileWork {
    /// Sizes of reads and of writes, with how often.
    sizes: BTreeMap<Kind, BTreeMap<u64, u64>>,
    /// How often each sector of 512 bytes was read or written.
    hits: BTreeMap<u64, u64>,
    /// Reads and writes that begin where the one before, of the same thread, ended.
    followed: u64,
    /// `fsync after 3` means: three writes since the sync before. How often.
    syncs: BTreeMap<String, u64>,
    flags: BTreeSet<String>,
}

/// By the file's name.
pub type Work = BTreeMap<String, FileWork>;

pub fn work(trace: &Trace, is_target: impl Fn(&str) -> bool) -> Work {
    let mut work = Work::new();
    for thread in &trace.threads {
        let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
        let mut unsynced: BTreeMap<&str, u64> = BTreeMap::new();
        // Who syncs what it does not read or write prepares a file.
        let moves = |file: &str| {
            let moved =
                |event: &Event| matches!(event, Event::Io { file: moved, .. } if moved == file);
            thread.iter().any(moved)
        };
        for event in thread {
            match event {
                Event::Io {
                    file,
                    kind,
                    offset,
                    bytes,
                } if is_target(file) => {
                    let done = work.entry(file.clone()).or_default();
                    let sizes = done.sizes.entry(*kind).or_default();
                    *sizes.entry(*bytes).or_default() += 1;
                    for sector in offset / 512..(offset + bytes).div_ceil(512) {
                        *done.hits.entry(sector).or_default() += 1;
                    }
                    done.followed += u64::from(ends.get(file.as_str()) == Some(offset));
                    ends.insert(file, offset + bytes);
                    *unsynced.entry(file).or_default() += u64::from(*kind == Kind::Write);
                }
                Event::Sync { file, call } if is_target(file) && moves(file) => {
                    let writes = unsynced.insert(file, 0).unwrap_or(0);
                    let done = work.entry(file.clone()).or_default();
                    *done
                        .syncs
                        .entry(format!("{call} after {writes}"))
                        .or_default() += 1;
                }
                _ => {}
            }
        }
    }
    // A sync without any read or write belongs to a file that was only laid out.
    work.retain(|_, done| !done.sizes.is_empty());
    for (file, done) in &mut work {
        done.flags = trace.flags.get(file).cloned().unwrap_or_default();
    }
    work
}

/// An aspect, and what it is on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub aspect: &'static str,
    pub said: String,
}

pub fn difference(aspect: &'static str, said: String) -> Difference {
    Difference { aspect, said }
}

/// How far apart two shares may be that were drawn `draws` times each: four standard deviations of their difference, and one in a hundred.
pub fn tolerance(share: f64, draws: f64) -> f64 {
    0.01 + 4.0 * (2.0 * share * (1.0 - share) / draws.max(1.0)).sqrt()
}

/// What the second did otherwise than the first.
pub fn compared(first: &Work, second: &Work) -> Vec<Difference> {
    let names = |work: &Work| work.keys().cloned().collect::<Vec<_>>().join(" ");
    if first.keys().eq(second.keys()) {
        let pairs = first.iter().zip(second.values());
        return pairs
            .flat_map(|((name, a), b)| of_file(name, a, b))
            .collect();
    }
    let mut differences = vec![difference(
        "files",
        format!("{} | {}", names(first), names(second)),
    )];
    differences.extend(of_file("all files", &merged(first), &merged(second)));
    differences
}

/// All files as if they were one, each at a place of its own.
fn merged(work: &Work) -> FileWork {
    let mut all = FileWork::default();
    for (number, done) in work.values().enumerate() {
        let place = (number as u64) << 40;
        for (kind, sizes) in &done.sizes {
            let counts = all.sizes.entry(*kind).or_default();
            for (size, count) in sizes {
                *counts.entry(*size).or_default() += count;
            }
        }
        all.hits.extend(
            done.hits
                .iter()
                .map(|(sector, hits)| (place + sector, *hits)),
        );
        all.followed += done.followed;
        for (sync, count) in &done.syncs {
            *all.syncs.entry(sync.clone()).or_default() += count;
        }
        all.flags.extend(done.flags.iter().cloned());
    }
    all
}

impl FileWork {
    fn count(&self, kind: Kind) -> u64 {
        self.sizes
            .get(&kind)
            .map_or(0, |sizes| sizes.values().sum())
    }

    fn all(&self) -> u64 {
        self.count(Kind::Read) + self.count(Kind::Write)
    }

    fn bytes(&self) -> u64 {
        let sizes = self.sizes.values().flatten();
        sizes.map(|(size, count)| size * count).sum()
    }

    /// How many draws of one size would scatter the bytes as much as these of many sizes (Kish's effective sample size): a few large blocks make most of them.
    fn draws(&self) -> f64 {
        let sizes = || self.sizes.values().flatten();
        let squares: f64 = sizes()
            .map(|(size, count)| (*size as f64).powi(2) * *count as f64)
            .sum();
        (self.bytes() as f64).powi(2) / squares.max(1.0)
    }

    /// Sizes are drawn, or reads and writes that chance mixes have sizes of their own, so that the number of both together is chance.
    fn is_drawn(&self) -> bool {
        let sizes: BTreeSet<Vec<u64>> = self
            .sizes
            .values()
            .map(|sizes| sizes.keys().copied().collect())
            .collect();
        sizes.len() > 1 || sizes.iter().any(|sizes| sizes.len() > 2)
    }

    /// Writes of the file.
    pub fn writes(&self) -> u64 {
        self.count(Kind::Write)
    }

    /// Every sector equally often: what a job does that covers its file.
    fn covers_evenly(&self) -> bool {
        let hits: BTreeSet<u64> = self.hits.values().copied().collect();
        hits.len() == 1
    }
}

fn of_file(name: &str, a: &FileWork, b: &FileWork) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut say = |aspect, said: String| found.push(difference(aspect, format!("{name}: {said}")));
    let apart = |a: u64, b: u64, share: f64| (a as f64 - b as f64).abs() > share * a as f64;
    let (reads, writes) = (a.count(Kind::Read), a.count(Kind::Write));
    // Of a mix, or of drawn sizes, chance decides how many there are.
    let slack = if a.is_drawn() {
        0.01 + 4.0 / a.draws().sqrt()
    } else {
        0.0
    };
    if apart(a.all(), b.all(), slack) {
        say(
            "counts",
            format!("{} | {} reads and writes", a.all(), b.all()),
        );
    }
    if apart(
        a.bytes(),
        b.bytes(),
        if reads > 0 && writes > 0 {
            slack
        } else {
            slack.min(0.05)
        },
    ) {
        say("counts", format!("{} | {} bytes", a.bytes(), b.bytes()));
    }
    let share = |work: &FileWork| work.count(Kind::Read) as f64 / work.all() as f64;
    let (share_a, share_b) = (share(a), share(b));
    if (share_a - share_b).abs() > tolerance(share_a, a.all() as f64) {
        say(
            "mix",
            format!("{share_a:.3} | {share_b:.3} of them are reads"),
        );
    }
    sizes(a, b, &mut say);
    coverage(a, b, &mut say);
    let followed = |work: &FileWork| work.followed as f64 / work.all() as f64;
    let (followed_a, followed_b) = (followed(a), followed(b));
    let draws = a.all() as f64;
    // That one random place follows another happens seldom, and so by chance.
    let often = followed_a.midpoint(followed_b).max(2.0 / draws).min(1.0);
    if (followed_a - followed_b).abs() > tolerance(often, draws) {
        say(
            "order",
            format!("{followed_a:.3} | {followed_b:.3} follow the one before"),
        );
    }
    if a.flags != b.flags {
        say("flags", format!("{:?} | {:?}", a.flags, b.flags));
    }
    syncs(a, b, &mut say);
    found
}

fn sizes(a: &FileWork, b: &FileWork, say: &mut impl FnMut(&'static str, String)) {
    for kind in [Kind::Read, Kind::Write] {
        let none = BTreeMap::new();
        let of = |work: &FileWork| work.sizes.get(&kind).unwrap_or(&none).clone();
        let (of_a, of_b) = (of(a), of(b));
        if of_a.is_empty() || of_b.is_empty() {
            continue;
        }
        let listed = |sizes: &BTreeMap<u64, u64>| {
            let listed = sizes
                .iter()
                .map(|(size, count)| format!("{count} of {size}"));
            listed.take(12).collect::<Vec<_>>().join(", ")
        };
        let count = |sizes: &BTreeMap<u64, u64>| sizes.values().sum::<u64>() as f64;
        let mean = |sizes: &BTreeMap<u64, u64>| {
            sizes.iter().map(|(size, count)| size * count).sum::<u64>() as f64 / count(sizes)
        };
        let same = if of_a.len() <= 16 {
            let shares = |size: &u64| {
                let share = |sizes| *of(sizes).get(size).unwrap_or(&0) as f64 / count(&of(sizes));
                (share(a), share(b))
            };
            let sizes: BTreeSet<u64> = of_a.keys().chain(of_b.keys()).copied().collect();
            sizes.iter().all(|size| {
                let (one, other) = shares(size);
                (one - other).abs() <= tolerance(one, count(&of_a).min(count(&of_b)))
            })
        } else {
            // A range: its ends and its mean.
            let span = *of_a.last_key_value().expect("sizes").0 as f64;
            (mean(&of_a) - mean(&of_b)).abs() <= 0.01 * span + 2.0 * span / count(&of_a).sqrt()
        };
        if !same {
            say(
                "sizes",
                format!("{kind:?} {} | {}", listed(&of_a), listed(&of_b)),
            );
        }
    }
}

fn coverage(a: &FileWork, b: &FileWork, say: &mut impl FnMut(&'static str, String)) {
    let span = |work: &FileWork| {
        let first = work.hits.first_key_value().map_or(0, |(sector, _)| *sector);
        let last = work.hits.last_key_value().map_or(0, |(sector, _)| *sector);
        format!("{} sectors from {first} to {last}", work.hits.len())
    };
    let same = if a.covers_evenly() {
        a.hits == b.hits
    } else {
        // Of a mix in order, reads and writes go ahead at the pace that chance gives them.
        let mixed = a.count(Kind::Read) > 0 && a.count(Kind::Write) > 0;
        let chance = if mixed { 4.0 } else { 2.0 } / a.draws().sqrt();
        let apart = (a.hits.len() as f64 - b.hits.len() as f64).abs();
        apart <= a.hits.len() as f64 * (0.01 + chance)
    };
    if !same {
        let often = |work: &FileWork| work.hits.values().max().copied().unwrap_or(0);
        say(
            "coverage",
            format!(
                "{}, at most {} times | {}, at most {} times",
                span(a),
                often(a),
                span(b),
                often(b)
            ),
        );
    }
}

fn syncs(a: &FileWork, b: &FileWork, say: &mut impl FnMut(&'static str, String)) {
    let exact = a.count(Kind::Read) == 0 && a.count(Kind::Write) == b.count(Kind::Write);
    let same = if exact {
        a.syncs == b.syncs
    } else {
        sync_as_often(a, b)
    };
    if !same {
        say("syncs", format!("{:?} | {:?}", a.syncs, b.syncs));
    }
}

/// Between reads and writes that chance mixes: as many syncs for each write, and as many that follow a read. fio syncs after a read too when the number of
/// writes so far is due for one, so those are chance, unless every write is followed by a sync.
fn sync_as_often(a: &FileWork, b: &FileWork) -> bool {
    let counted = |work: &FileWork, of_reads: bool| {
        let syncs = work.syncs.iter();
        let counts = syncs.filter(|(sync, _)| sync.ends_with(" after 0") == of_reads);
        counts.map(|(_, count)| *count).sum::<u64>() as f64
    };
    let calls = |work: &FileWork| {
        let call = |sync: &String| sync.split(' ').next().unwrap_or_default().to_owned();
        work.syncs.keys().map(call).collect::<BTreeSet<_>>()
    };
    let each = |work: &FileWork| counted(work, false) / work.count(Kind::Write).max(1) as f64;
    let few = 2.0 / a.count(Kind::Write).max(1) as f64;
    let due = counted(a, false).max(1.0);
    let (of_a, of_b) = (counted(a, true), counted(b, true));
    let odds = of_a.max(1.0) / due;
    let chance = 2.0 + 4.0 * (2.0 * odds * (1.0 + odds) * due).sqrt();
    calls(a) == calls(b)
        && (each(a) - each(b)).abs() <= 0.05 * each(a) + few
        && (of_a - of_b).abs() <= chance
}

/// 128 writes of 4 KiB over a file, each flushed, in an order that a stride makes look random.
#[cfg(test)]
fn planted(change: impl Fn(u64, &mut Vec<Event>), flags: &[&str]) -> Work {
    let mut events = Vec::new();
    for number in 0..128 {
        change(number, &mut events);
    }
    let mut trace = Trace::default();
    let file = events.iter().find_map(|event| match event {
        Event::Io { file, .. } => Some(file.clone()),
        Event::Sync { .. } => None,
    });
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    trace.flags.insert(file.expect("a file"), flags);
    trace.threads.push(events);
    work(&trace, |_| true)
}

#[cfg(test)]
fn io(file: &str, kind: Kind, place: u64, bytes: u64) -> Event {
    Event::Io {
        file: file.to_owned(),
        kind,
        offset: place * bytes,
        bytes,
    }
}

#[cfg(test)]
fn sync(call: &str) -> Event {
    Event::Sync {
        file: "f".to_owned(),
        call: call.to_owned(),
    }
}

#[test]
fn other_work_would_be_seen() {
    let write = |place| io("f", Kind::Write, place, 4096);
    let plain = |number: u64, events: &mut Vec<Event>| {
        events.extend([write(number * 37 % 128), sync("fdatasync")]);
    };
    let first = planted(plain, &["O_DIRECT"]);
    let aspects = |second: &Work| {
        let found = compared(&first, second);
        found.iter().map(|one| one.aspect).collect::<BTreeSet<_>>()
    };
    assert!(aspects(&planted(plain, &["O_DIRECT"])).is_empty());
    let of = |change: &dyn Fn(u64, &mut Vec<Event>)| aspects(&planted(change, &["O_DIRECT"]));
    assert_eq!(aspects(&planted(plain, &[])), ["flags"].into());
    let shifted = of(&|n, events| events.extend([write(n * 37 % 128 + 1), sync("fdatasync")]));
    assert_eq!(shifted, ["coverage"].into());
    let ordered = of(&|n, events| events.extend([write(n), sync("fdatasync")]));
    assert_eq!(ordered, ["order"].into());
    let seldom = of(&|n, events| {
        events.push(write(n * 37 % 128));
        if n % 2 == 1 {
            events.push(sync("fdatasync"));
        }
    });
    assert_eq!(seldom, ["syncs"].into());
    let other_call = of(&|n, events| events.extend([write(n * 37 % 128), sync("fsync")]));
    assert_eq!(other_call, ["syncs"].into());
    let small = of(&|n, events| {
        events.extend([io("f", Kind::Write, n * 37 % 128, 2048), sync("fdatasync")]);
    });
    assert_eq!(small, ["counts", "coverage", "sizes"].into());
    let renamed = of(&|n, events| {
        events.extend([io("g", Kind::Write, n * 37 % 128, 4096), sync("fdatasync")]);
    });
    assert!(renamed.contains("files"), "{renamed:?}");
    let read = of(&|n, events| {
        let kind = if n % 4 == 0 { Kind::Read } else { Kind::Write };
        events.extend([io("f", kind, n * 37 % 128, 4096), sync("fdatasync")]);
    });
    assert!(read.contains("mix"), "{read:?}");
}
