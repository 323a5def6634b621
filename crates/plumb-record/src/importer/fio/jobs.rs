//! What is kept of fio's jobs? Their work by direction; clones of one job with known buckets become one job of several workers, so that a file of any length
//! fits.

use std::collections::HashMap;

use plumb_model::target::Target;
use plumb_model::workload::Workload;
use plumb_model::workload::operation::OperationKind;

use super::format::{Direction, Entry, Options, Times};
use super::options::JobOptions;
use super::translated::Translator;
use crate::importer::lenient::COUNT_MAX;

/// Entry that sums up the previous ones (client mode): its figures are their sums, or wrong (fio issues 1918 and 752).
const ALL_CLIENTS: &str = "All clients";

/// Most workers whose individual share is kept.
const WORKERS_MAX: usize = 100_000;

/// All jobs of a document, by group: jobs of one group, of all hosts, ran concurrently, unless their options or their times show that they did not.
#[derive(Debug, Default)]
pub struct Jobs {
    pub groups: Vec<Group>,
    indexes: HashMap<(i64, Start), Vec<usize>>,
    /// The last extended job keeps wide histograms, so that adding clones is fast; those of all others are narrow.
    wide: Option<(usize, usize)>,
    /// Operations of all jobs: more than [`COUNT_MAX`] means damage.
    operations: f64,
    /// Bytes of all jobs, for the same reason.
    bytes: f64,
    translator: Translator,
    /// Jobs that were left out because their numbers are impossible.
    pub impossible: u64,
    /// Longest time from the start of fio to the end, in seconds.
    pub elapsed_s: f64,
    /// Earliest start of a job, milliseconds since 1970.
    pub start_ms: Option<f64>,
}

/// When a job starts within its group: after other jobs, or after a time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Start {
    wait_for: String,
    delay: String,
}

#[derive(Debug)]
pub struct Group {
    pub jobs: Vec<Job>,
    names: HashMap<(String, String), usize>,
    /// Earliest end of its jobs, milliseconds since 1970.
    end_ms: Option<f64>,
    /// True if jobs of the same fio group are in another one, because they ran at another time.
    pub is_part: bool,
}

/// One job, or several clones of it.
#[derive(Debug)]
pub struct Job {
    pub name: String,
    /// The client it ran on; empty without `--client`.
    pub host: String,
    /// False of old versions and of formats that list none: order, depth and the like are unknown.
    pub has_options: bool,
    pub engine: String,
    pub target: Target,
    /// Of one worker, from the options that map to a key individually.
    pub workload: Workload,
    /// Of all requested workers, from the options read as a job file, if that was possible.
    pub translated: Option<Box<Workload>>,
    /// Requested `numjobs`.
    pub requested_jobs: u32,
    /// Number of merged entries.
    pub entries: u32,
    /// Operations and bytes of each entry.
    pub workers: Vec<(u64, u64)>,
    /// By direction, `None` for all together; only those with operations.
    pub work: Vec<(Option<OperationKind>, Work)>,
    /// Percent of one CPU and counts, summed over the entries.
    pub usr_cpu: Option<f64>,
    pub sys_cpu: Option<f64>,
    pub context_switches: Option<f64>,
    pub major_faults: Option<f64>,
    pub minor_faults: Option<f64>,
    /// Failed operations, and the errno of the first one.
    pub errors: u64,
    pub error: u32,
    /// Criterion of a requested steady state, and whether it was reached.
    pub steady: Option<(String, bool)>,
}

/// Operations in one direction.
#[derive(Debug, Default)]
pub struct Work {
    pub count: u64,
    pub bytes: u64,
    /// Longest over the entries.
    pub runtime_ms: f64,
    /// As fio reports them; summed over the entries.
    pub iops: f64,
    pub bandwidth_bytes_per_s: f64,
    pub short: u64,
    pub dropped: u64,
    /// Minimum, maximum and deviation of its half-second samples; only for a single entry.
    pub samples: Option<(f64, f64, f64)>,
    pub slat: Times,
    pub clat: Times,
    pub lat: Times,
}

impl Jobs {
    /// Adds one entry of the document.
    pub fn add(&mut self, entry: Entry, global: &Options) {
        if entry.name.0 == ALL_CLIENTS {
            return;
        }
        self.elapsed_s = self
            .elapsed_s
            .max(entry.elapsed_s.0.unwrap_or(0.0).clamp(0.0, 1e9));
        self.start_ms = [self.start_ms, entry.job_start_ms.positive()]
            .into_iter()
            .flatten()
            .reduce(f64::min);
        let start = Start {
            wait_for: option(&entry.options, global, &["wait_for"]),
            delay: option(&entry.options, global, &["startdelay", "start_delay"]),
        };
        let (group, start_ms) = (
            entry.group.0.unwrap_or(0.0) as i64,
            entry.job_start_ms.positive(),
        );
        let job = Job::of(entry, global, &mut self.translator);
        let (operations, bytes) = job.work.iter().fold((0.0, 0.0), |sum, (_, work)| {
            (sum.0 + work.count as f64, sum.1 + work.bytes as f64)
        });
        if self.operations + operations > COUNT_MAX || self.bytes + bytes > COUNT_MAX {
            self.impossible += 1;
            return;
        }
        self.operations += operations;
        self.bytes += bytes;
        let end_ms = start_ms.map(|start| start + job.runtime_ms());
        let index = self.group_of(group, start, start_ms, end_ms);
        let Some(group) = self.groups.get_mut(index) else {
            return;
        };
        let now = (index, group.add(job));
        if let Some(last) = self.wide.replace(now).filter(|last| *last != now) {
            let job = self
                .groups
                .get_mut(last.0)
                .and_then(|group| group.jobs.get_mut(last.1));
            job.into_iter().for_each(Job::shrink);
        }
    }

    /// Index of the group of jobs that run at the same time as this one; a new one if there is none.
    fn group_of(
        &mut self,
        group: i64,
        start: Start,
        start_ms: Option<f64>,
        end_ms: Option<f64>,
    ) -> usize {
        let delayed = start != Start::default();
        let indexes = self.indexes.entry((group, start)).or_default();
        let known = indexes.iter().copied().find(|index| {
            let group_end_ms = self.groups.get(*index).and_then(|group| group.end_ms);
            // Without times, only the options count.
            !start_ms
                .zip(group_end_ms)
                .is_some_and(|(start, end)| start >= end)
        });
        if let Some(index) = known {
            if let Some(group) = self.groups.get_mut(index) {
                group.end_ms = [group.end_ms, end_ms]
                    .into_iter()
                    .flatten()
                    .reduce(f64::min);
            }
            return index;
        }
        let is_part = delayed || !indexes.is_empty();
        indexes.push(self.groups.len());
        self.groups.push(Group {
            jobs: Vec::new(),
            names: HashMap::new(),
            end_ms,
            is_part,
        });
        self.groups.len() - 1
    }

    /// Operations of all jobs, which distinguish an interim report from the final one.
    pub fn operations(&self) -> f64 {
        self.operations
    }
}

/// The value of the first of these options that the job or all jobs have; empty without.
fn option(own: &Options, global: &Options, names: &[&str]) -> String {
    let of = |options: &Options| {
        names
            .iter()
            .find_map(|name| options.get(name).map(str::to_string))
    };
    of(own)
        .or_else(|| of(global))
        .filter(|value| value.trim() != "0")
        .unwrap_or_default()
}

impl Group {
    /// Adds a job and returns its index.
    fn add(&mut self, job: Job) -> usize {
        let key = (job.host.clone(), job.name.clone());
        let at = self.names.get(&key).copied().unwrap_or(usize::MAX);
        if let Some(known) = self
            .jobs
            .get_mut(at)
            .filter(|known| known.has_buckets() && job.has_buckets())
        {
            known.absorb(job);
            return at;
        }
        self.names.insert(key, self.jobs.len());
        self.jobs.push(job);
        self.jobs.len() - 1
    }

    /// Longest time of its jobs, in milliseconds.
    pub fn runtime_ms(&self) -> f64 {
        self.jobs.iter().map(Job::runtime_ms).fold(0.0, f64::max)
    }
}

impl Job {
    fn of(entry: Entry, global: &Options, translator: &mut Translator) -> Job {
        let job_options = JobOptions {
            own: &entry.options,
            global,
        };
        let block_bytes = job_options.block_bytes();
        let directions = [
            (Some(OperationKind::Read), entry.read),
            (Some(OperationKind::Write), entry.write),
            (Some(OperationKind::Trim), entry.trim),
            (None, entry.mixed),
        ];
        let mut work: Vec<(Option<OperationKind>, Work)> = directions
            .into_iter()
            .map(|(kind, direction)| (kind, Work::of(direction.in_units_of_fio_3(block_bytes))))
            .filter(|(_, work)| work.count > 0)
            .collect();
        let done: Vec<OperationKind> = work.iter().filter_map(|(kind, _)| *kind).collect();
        // fio times fsync, fdatasync and sync_file_range together, but counts fsync alone (`account_io_completion` in io_u.c). They ran as long as the job,
        // and have no time of their own.
        let flushes = entry
            .sync
            .total_ios
            .count()
            .max(entry.sync.lat.count.count());
        if flushes > 0 || !entry.sync.lat.is_empty() {
            let runtime_ms = work
                .iter()
                .map(|(_, work)| work.runtime_ms)
                .fold(0.0, f64::max);
            let flushes = Work {
                count: flushes,
                runtime_ms,
                clat: entry.sync.lat.shrunken(),
                ..Work::default()
            };
            work.push((Some(OperationKind::Flush), flushes));
        }
        let own = work.iter().fold((0, 0), |sum, (_, work)| {
            (sum.0 + work.count, sum.1 + work.bytes)
        });
        let error = entry.first_error.count().max(entry.error.count());
        Job {
            has_options: !entry.options.0.is_empty() || !global.0.is_empty(),
            engine: job_options.engine(),
            target: job_options.target(),
            workload: job_options.workload(1, &done),
            translated: translator.workload(&entry.options, global).map(Box::new),
            requested_jobs: job_options.jobs(),
            name: entry.name.0,
            host: entry.host.0,
            entries: 1,
            workers: vec![own],
            work,
            usr_cpu: entry.usr_cpu.0,
            sys_cpu: entry.sys_cpu.0,
            context_switches: entry.context_switches.0,
            major_faults: entry.major_faults.0,
            minor_faults: entry.minor_faults.0,
            errors: entry.total_errors.count().max(u64::from(error > 0)),
            error: error as u32,
            steady: (!entry.steady.wanted.0.is_empty() || !entry.steady.criterion.0.is_empty())
                .then(|| {
                    (
                        entry.steady.criterion.0,
                        entry.steady.attained.positive().is_some(),
                    )
                }),
        }
    }

    /// True if all its times have buckets, which can be added; percentiles cannot.
    fn has_buckets(&self) -> bool {
        let has = |work: &Work| work.clat.bins.0.is_some() || work.lat.bins.0.is_some();
        !self.work.is_empty() && self.work.iter().all(|(_, work)| has(work))
    }

    /// Frees the memory of empty buckets.
    pub fn shrink(&mut self) {
        for (_, work) in &mut self.work {
            [&mut work.slat, &mut work.clat, &mut work.lat]
                .into_iter()
                .filter_map(|times| times.bins.0.as_mut())
                .for_each(|bins| bins.shrink());
        }
    }

    /// Adds a clone.
    fn absorb(&mut self, other: Job) {
        self.entries = self.entries.saturating_add(other.entries);
        if self.workers.len() < WORKERS_MAX {
            self.workers.extend(other.workers);
        }
        let add = |mine: &mut Option<f64>, theirs: Option<f64>| {
            *mine = mine.zip(theirs).map(|(mine, theirs)| mine + theirs)
        };
        add(&mut self.usr_cpu, other.usr_cpu);
        add(&mut self.sys_cpu, other.sys_cpu);
        add(&mut self.context_switches, other.context_switches);
        add(&mut self.major_faults, other.major_faults);
        add(&mut self.minor_faults, other.minor_faults);
        self.errors = self.errors.saturating_add(other.errors);
        self.error = if self.error == 0 {
            other.error
        } else {
            self.error
        };
        for (kind, work) in other.work {
            match self.work.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, known)) => known.absorb(work),
                None => self.work.push((kind, work)),
            }
        }
    }

    /// Longest time of its directions, in milliseconds.
    pub fn runtime_ms(&self) -> f64 {
        self.work
            .iter()
            .map(|(_, work)| work.runtime_ms)
            .fold(0.0, f64::max)
    }
}

impl Work {
    fn of(direction: Direction) -> Work {
        let bandwidth = direction
            .bandwidth
            .0
            .or(direction.bandwidth_kib.0.map(|kib| kib * 1024.0))
            .unwrap_or(0.0);
        let samples = direction
            .iops_samples
            .positive()
            .and(direction.iops_min.0)
            .zip(direction.iops_max.0)
            .zip(direction.iops_deviation.0);
        Work {
            count: direction.total_ios.count(),
            bytes: direction.io_bytes.count(),
            runtime_ms: direction.runtime_ms.0.unwrap_or(0.0).clamp(0.0, 1e12),
            iops: direction.iops.0.unwrap_or(0.0).max(0.0),
            bandwidth_bytes_per_s: bandwidth.max(0.0),
            short: direction.short_ios.count(),
            dropped: direction.drop_ios.count(),
            samples: samples.map(|((min, max), deviation)| (min, max, deviation)),
            slat: direction.slat.shrunken(),
            clat: direction.clat.shrunken(),
            lat: direction.lat.shrunken(),
        }
    }

    fn absorb(&mut self, other: Work) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
        self.iops += other.iops;
        self.bandwidth_bytes_per_s += other.bandwidth_bytes_per_s;
        self.short = self.short.saturating_add(other.short);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.samples = None;
        self.slat.absorb(other.slat);
        self.clat.absorb(other.clat);
        self.lat.absorb(other.lat);
    }
}
