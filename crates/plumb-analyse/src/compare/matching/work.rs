//! Did two steps do the same work? Keys that define the work, and keys that only define how it is done.

use std::collections::{BTreeMap, BTreeSet};

use plumb_model::environment::Fact;
use plumb_model::keys::traits::Compared;
use plumb_model::keys::{Key, Keys};
use plumb_model::results::comparison::Difference;
use plumb_model::run::{EngineRecord, active};
use plumb_model::statement::Statement;
use plumb_model::units::Nanos;
use plumb_model::workload::{FileOrder, Job, Offsets, OperationKind, Workload};
use plumb_words::numbers::{show_bytes, show_count};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::compare::figures::Measured;

/// Sizes in use that differ by less than this part are the same: devices of one nominal size rarely have the same number of blocks.
const SAME_SIZE: f64 = 0.01;

/// Batches whose means differ by less than this part of the larger are the same: what was in flight when the time was up makes a difference.
const SAME_BATCH: f64 = 0.2;

type Keyed = BTreeMap<String, String>;
/// A key with its value on two sides; missing where a side does not have it.
pub(crate) type Differing = (String, Option<String>, Option<String>);

/// What a step did, as text by key. Keys of the second and further jobs have the job's name before them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Work {
    /// What was done.
    what: Keyed,
    /// Another program measured it.
    is_imported: bool,
    /// Keys that every result records: a result without "depth" has a depth of 1.
    always_known: BTreeSet<String>,
    /// The default workload, if the source records only some keys: a key at its default is then unknown. Empty if all keys are known.
    usual: Keyed,
    /// How it was carried out.
    how: Keyed,
    /// Engine and its options as requested, and as effective; the latter is empty if the step never ran.
    requested: Keyed,
    really: Keyed,
    /// Requested size, and the bytes in use by key, if recorded.
    requested_size: Keyed,
    size_bytes: BTreeMap<String, u64>,
    /// Mean number of operations that were submitted at once, by the key that limits them, if counted.
    batches: Batches,
}

/// Mean numbers of operations, by key.
pub(crate) type Batches = BTreeMap<String, f64>;

impl Work {
    /// The work without what is counted in each run, and that.
    pub fn without_batches(mut self) -> (Work, Batches) {
        let batches = std::mem::take(&mut self.batches);
        (self, batches)
    }

    /// The opposite.
    pub fn with_batches(&self, batches: &Batches) -> Work {
        Work {
            batches: batches.clone(),
            ..self.clone()
        }
    }

    /// The work of a step of a run.
    pub fn of(measured: &Measured, index: usize) -> Work {
        let keys = Keys::get();
        let mut work = Work {
            always_known: always_known(keys),
            ..Work::default()
        };
        let Some(step) = measured.step(index) else {
            return work;
        };
        let engines = measured.engines(index);
        work.is_imported = measured.run.header.imported.is_some();
        if measured
            .run
            .header
            .imported
            .as_ref()
            .is_some_and(|imported| !imported.names_all_options)
        {
            work.usual = entries(serde_json::to_value(Workload::default())).collect();
        }
        for (number, job) in step.jobs.iter().enumerate() {
            let record = engines.and_then(|engines| engines.get(&(number as u32)).copied());
            let unreached = measured.ended_by_time(index, number as u32);
            work.add_job(keys, number, job, record, unreached);
            let batch = measured.operations_per_submission(index, number as u32);
            work.batches
                .extend(batch.map(|batch| (key_of(number, job, "batch"), batch)));
        }
        work.what.insert("jobs".into(), step.jobs.len().to_string());
        work.how
            .insert("rounds".into(), measured.run.header.plan.rounds.to_string());
        work
    }

    /// `by_time`: the job ended by time, so that other stop rules do not describe the work.
    fn add_job(
        &mut self,
        keys: &Keys,
        number: usize,
        job: &Job,
        record: Option<&EngineRecord>,
        by_time: bool,
    ) {
        let key = |key: &str| key_of(number, job, key);
        let workload = &job.workload;
        for (name, value) in entries(serde_json::to_value(workload)) {
            let of_key = keys.find(&name).ok().map(|key| &key.traits);
            let compared = of_key.map_or(Compared::What, |of| of.compared);
            let is_idle = of_key
                .and_then(|of| of.needs)
                .is_some_and(|needs| !workload.has(needs));
            let part = match name.as_str() {
                _ if compared == Compared::Never || is_idle => continue,
                _ if by_time && of_key.is_some_and(|of| of.is_stop) && name != "time" => continue,
                // What operations on files alone do not have.
                "block" if !workload.moves_blocks() && workload.file_size.is_some() => continue,
                "offsets"
                    if !workload.moves_blocks() && workload.file_order != FileOrder::Offsets =>
                {
                    continue;
                }
                "offsets"
                    if workload
                        .mix
                        .0
                        .iter()
                        .all(|(kind, _)| *kind == OperationKind::Create) =>
                {
                    continue;
                }
                name if compared != Compared::WhatOrDefault
                    && self.usual.get(name) == Some(&value) =>
                {
                    continue;
                }
                "size" => &mut self.requested_size,
                "direct" => &mut self.requested,
                _ if compared == Compared::How => &mut self.how,
                _ => &mut self.what,
            };
            part.insert(key(&name), value);
        }
        self.requested.extend(
            entries(serde_json::to_value(&job.engine)).map(|(name, value)| (key(&name), value)),
        );
        if let Some(record) = record {
            self.really.extend(
                really(record)
                    .filter(|(_, value)| !value.is_empty())
                    .map(|(name, value)| (key(name), value)),
            );
            // None, if the source of an imported run does not record it.
            if record.size_bytes > 0 {
                self.size_bytes.insert(key("size"), record.size_bytes);
            }
        }
    }

    /// True if the value of a key is unknown here.
    fn is_untold(&self, key: &str) -> bool {
        !self.usual.is_empty()
            && self.requested(key).is_none()
            && !self.always_known.contains(plain_name(key))
    }

    /// Another program may leave out that its random places repeat: fio's JSON has no options without a value, as `norandommap`.
    fn may_be_alike(&self, other: &Work, (key, a, b): &Differing) -> bool {
        let is_random = |value: &Option<String>| {
            value.as_deref().is_some_and(|order| {
                [
                    Offsets::Random,
                    Offsets::RandomMap,
                    Offsets::RandomWithReplacement,
                ]
                .iter()
                .any(|random| order == random.to_string())
            })
        };
        let is_imported = self.is_imported || other.is_imported;
        is_imported && plain_name(key) == "offsets" && is_random(a) && is_random(b)
    }

    /// Keys of the work in which two steps differ, with both values. Different numbers of jobs are reported separately.
    pub fn differing(&self, other: &Work) -> Vec<Differing> {
        let mut found = differing(&self.what, &other.what);
        if let Some(jobs) = found.iter().find(|(key, ..)| key == "jobs") {
            return vec![jobs.clone()];
        }
        found.retain(|(key, ..)| !self.is_untold(key) && !other.is_untold(key));
        found.retain(|differing| !self.may_be_alike(other, differing));
        if self.size_bytes.is_empty() || other.size_bytes.is_empty() {
            let sizes = differing(&self.requested_size, &other.requested_size).into_iter();
            found.extend(sizes.filter(|(key, ..)| !self.is_untold(key) && !other.is_untold(key)));
        }
        for (key, ours) in &self.size_bytes {
            let Some(theirs) = other.size_bytes.get(key) else {
                continue;
            };
            if ours.abs_diff(*theirs) as f64 > SAME_SIZE * *ours.max(theirs) as f64 {
                found.push((
                    key.clone(),
                    Some(show_bytes(*ours as f64)),
                    Some(show_bytes(*theirs as f64)),
                ));
            }
        }
        found
    }

    /// Like [`Work::differing`], for how it ran: effective values if both records have them, else requested ones. And unusual settings on one
    /// side and is not known of the other.
    pub fn differing_how(&self, other: &Work) -> Vec<Differing> {
        let mut found = differing(&self.how, &other.how);
        let unknown = differing(&self.what, &other.what).into_iter();
        found.extend(unknown.filter(|differing| {
            let (key, ..) = differing;
            self.is_untold(key) || other.is_untold(key) || self.may_be_alike(other, differing)
        }));
        let matters = |of: &Work, key: &str, value: &Option<String>| {
            !of.is_untold(key) || value.is_some() && of.usual.get(plain_name(key)) != value.as_ref()
        };
        found.retain(|(key, a, b)| matters(self, key, b) && matters(other, key, a));
        match self.really.is_empty() || other.really.is_empty() {
            true => found.extend(differing(&self.requested, &other.requested)),
            false => found.extend(self.differing_really(other)),
        }
        found
    }

    /// Another program does not tell the options of its engine, and whether it read the clock each time; that the page cache was bypassed on the other side is
    /// worth knowing all the same.
    fn differing_really(&self, other: &Work) -> impl Iterator<Item = Differing> {
        let is_imported = self.is_imported || other.is_imported;
        let matters = move |(key, a, b): &Differing| {
            !is_imported
                || a.is_some() && b.is_some()
                || plain_name(key) == "direct" && [a, b].contains(&&Some("true".into()))
        };
        let with_means =
            |(key, a, b): Differing| match (self.batches.get(&key), other.batches.get(&key)) {
                (Some(_), Some(_)) => None,
                _ => Some((key, a, b)),
            };
        let found = differing(&self.really, &other.really).into_iter();
        found
            .filter_map(with_means)
            .filter(matters)
            .chain(self.differing_batches(other))
    }

    /// The batches that there were, where both records have them: their limits decide nothing then.
    fn differing_batches(&self, other: &Work) -> Vec<Differing> {
        let differs = |(key, ours): (&String, &f64)| {
            let theirs = other.batches.get(key)?;
            ((ours - theirs).abs() > SAME_BATCH * ours.max(*theirs)).then(|| {
                let text = |mean: f64| Some(show_count(mean));
                (key.clone(), text(*ours), text(*theirs))
            })
        };
        self.batches.iter().filter_map(differs).collect()
    }

    /// The value of a key, of any part; the effective value before the requested one.
    pub fn value(&self, key: &str) -> Option<String> {
        let size = || {
            self.size_bytes
                .get(key)
                .map(|bytes| show_bytes(*bytes as f64))
        };
        let batch = self.batches.get(key).map(|mean| show_count(*mean));
        let plain = [&self.what, &self.how, &self.really, &self.requested]
            .into_iter()
            .find_map(|part| part.get(key).cloned());
        batch
            .or(plain)
            .or_else(size)
            .or_else(|| self.requested_size.get(key).cloned())
    }

    /// The requested value of a key, of any part.
    pub fn requested(&self, key: &str) -> Option<&String> {
        [&self.what, &self.how, &self.requested, &self.requested_size]
            .into_iter()
            .find_map(|part| part.get(key))
    }

    /// Equal for steps that did the same work, as far as can be determined without a tolerance; only by always recorded keys if one side is partly recorded.
    pub fn signature(&self, is_partial: bool) -> String {
        let found = self.what.iter().filter(|(key, _)| {
            !is_partial || *key == "jobs" || self.always_known.contains(plain_name(key))
        });
        found
            .map(|(key, value)| format!("{key}={value};"))
            .collect()
    }
}

/// The name of a key of a job; those of further jobs have the job's name before them.
fn key_of(number: usize, job: &Job, key: &str) -> String {
    match (number, job.name.is_empty()) {
        (0, _) => key.to_string(),
        (_, true) => format!("job {}: {key}", number + 1),
        _ => format!("{}: {key}", job.name),
    }
}

/// True when two steps did the same in the same way, as can be seen without laying out their keys: what most steps of most comparisons are.
pub(crate) fn plainly_equal(ours: (&Measured, usize), theirs: (&Measured, usize)) -> bool {
    let ((a, our_index), (b, their_index)) = (ours, theirs);
    let (Some(our_step), Some(their_step)) = (a.step(our_index), b.step(their_index)) else {
        return false;
    };
    let plain = |workload: &Workload| Workload {
        seed: None,
        interval: Nanos::SECOND,
        keep: false,
        ..workload.clone()
    };
    let equal = |(a, b): (&Job, &Job)| {
        a.name == b.name && a.engine == b.engine && plain(&a.workload) == plain(&b.workload)
    };
    let (ours, theirs) = (a.engines(our_index), b.engines(their_index));
    let records = || {
        ours.into_iter()
            .flat_map(|engines| engines.values())
            .zip(theirs.into_iter().flat_map(|engines| engines.values()))
    };
    let elsewhere = |record: &EngineRecord| EngineRecord {
        target: String::new(),
        refused: Vec::new(),
        connection: Default::default(),
        ..record.clone()
    };
    let same_batches = || {
        (0..our_step.jobs.len() as u32).all(|job| {
            let of = |measured: &Measured, step| measured.operations_per_submission(step, job);
            match (of(a, our_index), of(b, their_index)) {
                (Some(ours), Some(theirs)) => {
                    (ours - theirs).abs() <= SAME_BATCH * ours.max(theirs)
                }
                _ => true,
            }
        })
    };
    a.run.header.plan.rounds == b.run.header.plan.rounds
        && our_step.jobs.len() == their_step.jobs.len()
        && our_step.jobs.iter().zip(&their_step.jobs).all(equal)
        && ours.map(|engines| engines.len()) == theirs.map(|engines| engines.len())
        && records().all(|(a, b)| elsewhere(a) == elsewhere(b))
        && same_batches()
}

fn differing(a: &Keyed, b: &Keyed) -> Vec<Differing> {
    let mut keys: Vec<&String> = a
        .keys()
        .chain(b.keys().filter(|key| !a.contains_key(*key)))
        .collect();
    keys.retain(|key| a.get(*key) != b.get(*key));
    keys.into_iter()
        .map(|key| (key.clone(), a.get(key).cloned(), b.get(key).cloned()))
        .collect()
}

/// Keys and values of a plain struct, as it is stored. Structs of texts and numbers always have a JSON form.
fn entries(part: serde_json::Result<Value>) -> impl Iterator<Item = (String, String)> {
    let map = match part {
        Ok(Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    map.into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| match value {
            Value::String(text) => (key, text),
            other => (key, other.to_string()),
        })
}

/// Effective settings; empty if unknown. Options in force are a set; O_DIRECT is among them and also reported separately.
fn really(record: &EngineRecord) -> impl Iterator<Item = (&'static str, String)> + use<> {
    let mut options: Vec<&str> = record
        .active
        .iter()
        .map(String::as_str)
        .filter(|option| *option != active::DIRECT)
        .collect();
    options.sort_unstable();
    let direct = record
        .direct
        .map(|direct| if direct { "true" } else { "false" }.to_string());
    // A clock is always recorded, except by other programs.
    let is_known = !record.clock.is_empty();
    let options = if options.is_empty() {
        "none".into()
    } else {
        options.join(", ")
    };
    let always = [
        ("engine", record.name.clone()),
        (
            "engine options",
            if is_known { options } else { String::new() },
        ),
        ("stamping", record.stamping.clone()),
        (
            "batch",
            if is_known {
                record.batch.to_string()
            } else {
                String::new()
            },
        ),
        ("clock", record.clock.clone()),
    ];
    always
        .into_iter()
        .chain(direct.map(|direct| ("direct", direct)))
}

fn always_known(keys: &Keys) -> BTreeSet<String> {
    let known = |key: &&Key| key.traits.compared == Compared::WhatOrDefault;
    let names = keys.all().iter().filter(known).map(|key| key.name.clone());
    names.collect()
}

/// Differences of work over all steps, those that are alike gathered into one.
#[derive(Default)]
pub(crate) struct Gathered {
    found: Vec<(String, Vec<Option<String>>, Vec<String>)>,
    indexes: BTreeMap<(String, Vec<Option<String>>), usize>,
}

impl Gathered {
    /// Adds one key of one step with the value of each side.
    pub fn add(&mut self, key: String, values: Vec<Option<String>>, step: &str) {
        let index = *self
            .indexes
            .entry((key.clone(), values.clone()))
            .or_insert_with(|| {
                self.found.push((key, values, Vec::new()));
                self.found.len() - 1
            });
        if let Some((.., steps)) = self.found.get_mut(index) {
            steps.push(step.into());
        }
    }

    /// The differences; those that concern all `steps` name none.
    pub fn finish(self, steps: usize) -> Vec<Difference> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let keys = Keys::get();
        let difference =
            |(key, values, named): (String, Vec<Option<String>>, Vec<String>)| Difference {
                meaning: meaning(keys, &key),
                what: key,
                values: values
                    .into_iter()
                    .map(|value| value.map(Fact::Text))
                    .collect(),
                steps: if named.len() == steps {
                    Vec::new()
                } else {
                    named
                },
            };
        self.found.into_iter().map(difference).collect()
    }
}

/// A key without the name of its job.
fn plain_name(key: &str) -> &str {
    key.rsplit(": ").next().unwrap_or(key)
}

fn meaning(keys: &Keys, key: &str) -> Statement {
    let name = plain_name(key);
    match name {
        "jobs" => Statement::new("difference-jobs"),
        "rounds" => Statement::new("difference-rounds"),
        "engine" => Statement::new("difference-engine"),
        "engine options" => Statement::new("difference-engine-options"),
        "clock" => Statement::new("difference-clock"),
        "size" => Statement::new("difference-size"),
        "direct" => Statement::new("difference-direct"),
        // The meaning of a key is in the documentation of the keys, which is English.
        _ => Statement::verbatim(keys.find(name).map_or_else(
            |_| name.to_string(),
            |key| key.meaning.trim_end_matches('.').to_string(),
        )),
    }
}
