//! How does fio write a job? Its JSON as values, parsed leniently: unexpected values are missing, and unneeded ones are skipped.
//!
//! Names and units are those of `show_thread_status_json` and `add_ddir_status_json` in fio's stat.c (2.0.10 to 3.42): times of `*_ns` in nanoseconds,
//! `runtime` in milliseconds, `bw` in KiB/s, `bw_bytes` in bytes per second. Before 3.0, times were in microseconds under names without `_ns`; before 2.21,
//! `io_bytes` was in KiB and there was no `io_kbytes`; before 2.2, there were no counts.

use plumb_model::run::histogram::Histogram;
use serde::de::{Deserialize, Deserializer};

use crate::importer::lenient::{Any, COUNT_MAX, Named, Number, Text, entries, lenient};

/// Middle of the last bucket of fio's histograms, which also counts all longer times (FIO_IO_U_PLAT_GROUP_NR of stat.h).
pub const LAST_BUCKET_NS: f64 = 17_112_760_320.0;

lenient! {
    /// One entry of `jobs` or `client_stats`.
    Entry {
        name: Text = "jobname",
        group: Number = "groupid",
        host: Text = "hostname",
        /// The errno that ended it; 0 for none.
        error: Number = "error",
        /// Seconds from the start of fio to this report.
        elapsed_s: Number = "elapsed",
        /// Milliseconds since 1970 (3.36 and newer).
        job_start_ms: Number = "job_start",
        options: Options = "job options",
        read: Direction = "read",
        write: Direction = "write",
        trim: Direction = "trim",
        /// All three together (`unified_rw_reporting`).
        mixed: Direction = "mixed",
        sync: Sync = "sync",
        usr_cpu: Number = "usr_cpu",
        sys_cpu: Number = "sys_cpu",
        context_switches: Number = "ctx",
        major_faults: Number = "majf",
        minor_faults: Number = "minf",
        total_errors: Number = "total_err",
        first_error: Number = "first_error",
        steady: Steady = "steadystate",
    }
}

lenient! {
    /// Operations in one direction.
    Direction {
        io_bytes: Number = "io_bytes",
        io_kib: Number = "io_kbytes",
        bandwidth: Number = "bw_bytes",
        bandwidth_kib: Number = "bw",
        iops: Number = "iops",
        runtime_ms: Number = "runtime",
        total_ios: Number = "total_ios",
        short_ios: Number = "short_ios",
        drop_ios: Number = "drop_ios",
        slat: Times = "slat_ns",
        clat: Times = "clat_ns",
        lat: Times = "lat_ns",
        slat_us: Times = "slat",
        clat_us: Times = "clat",
        lat_us: Times = "lat",
        iops_min: Number = "iops_min",
        iops_max: Number = "iops_max",
        iops_deviation: Number = "iops_stddev",
        iops_samples: Number = "iops_samples",
    }
}

lenient! {
    /// fsync, fdatasync and sync_file_range of a job.
    Sync {
        total_ios: Number = "total_ios",
        lat: Times = "lat_ns",
    }
}

lenient! {
    /// Whether the job waited for a steady state, and reached it.
    Steady {
        wanted: Text = "ss",
        attained: Number = "attained",
        criterion: Text = "criterion",
    }
}

lenient! {
    /// A distribution of times in nanoseconds.
    Times {
        min: Number = "min",
        max: Number = "max",
        mean: Number = "mean",
        deviation: Number = "stddev",
        count: Number = "N",
        percentiles: Percentiles = "percentile",
        bins: Bins = "bins",
    }
}

lenient! {
    /// One disk of `disk_util`: kernel counters over the full run.
    Disk {
        name: Text = "name",
        read_ios: Number = "read_ios",
        write_ios: Number = "write_ios",
        in_queue_ms: Number = "in_queue",
        util_percent: Number = "util",
    }
}

/// (share from 0 to 1, nanoseconds), ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Percentiles(pub Vec<(f64, f64)>);

/// The buckets of JSON+: a histogram.
#[derive(Debug, Clone, Default)]
pub struct Bins(pub Option<Box<Histogram>>);

/// Options as the user gave them, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options(pub Vec<(String, String)>);

impl Options {
    /// The value of an option; the last one wins.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

impl<'de> Deserialize<'de> for Percentiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let add = |all: &mut Vec<(f64, f64)>, Named(percent): Named<f64>, value| {
            let (Some(share), Any::Number(ns)) = (percent.map(|percent| percent / 100.0), value)
            else {
                return;
            };
            if (0.0..=1.0).contains(&share) && ns.is_finite() && ns >= 0.0 {
                all.push((share, ns));
            }
        };
        let mut all = deserializer.deserialize_any(entries(Vec::new(), add))?;
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Percentiles(all))
    }
}

impl<'de> Deserialize<'de> for Bins {
    /// The name of a bucket is the middle of its range (`plat_idx_to_val` of stat.c), its value the count. The object is converted to a histogram while it is
    /// parsed, because JSON+ consists mostly of buckets.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let add = |all: &mut (Option<Box<Histogram>>, f64), Named(middle_ns): Named<u64>, value| {
            let (Some(middle_ns), Any::Number(count)) = (middle_ns, value) else {
                return;
            };
            if count >= 1.0 && all.1 + count <= COUNT_MAX {
                all.1 += count;
                all.0
                    .get_or_insert_default()
                    .record_n(middle_ns, count as u64);
            }
        };
        deserializer
            .deserialize_any(entries((None, 0.0), add))
            .map(|(bins, _)| Bins(bins))
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let add = |all: &mut Vec<(String, String)>, Text(name): Text, value| match value {
            Any::Number(number) => all.push((name, number.to_string())),
            Any::Text(text) => all.push((name, text)),
            Any::Other => {}
        };
        deserializer
            .deserialize_any(entries(Vec::new(), add))
            .map(Options)
    }
}

impl Direction {
    /// The same in the units of fio 3; `block_bytes`: the size of all operations, if they have one.
    pub fn in_units_of_fio_3(mut self, block_bytes: Option<u64>) -> Direction {
        let is_of_fio_2 = [&self.slat_us, &self.clat_us, &self.lat_us]
            .iter()
            .any(|times| times.mean.0.is_some());
        if !is_of_fio_2 {
            return self;
        }
        if self.io_kib.0.is_none() {
            self.io_bytes = Number(self.io_bytes.0.map(|kib| kib * 1024.0));
        }
        if self.total_ios.0.is_none() {
            let by_size = self
                .io_bytes
                .0
                .zip(block_bytes)
                .map(|(bytes, block)| bytes / block as f64);
            let by_rate = self
                .iops
                .0
                .zip(self.runtime_ms.0)
                .map(|(iops, ms)| iops * ms / 1e3);
            self.total_ios = Number(by_size.or(by_rate).map(f64::round));
        }
        let count = self.total_ios;
        let times = |times: Times| times.of_microseconds(count);
        self.slat = times(std::mem::take(&mut self.slat_us));
        self.clat = times(std::mem::take(&mut self.clat_us));
        self.lat = times(std::mem::take(&mut self.lat_us));
        self
    }
}

impl Times {
    /// True without samples. Where fio does not state their number, their mean shows that there are some.
    pub fn is_empty(&self) -> bool {
        match self.count.0 {
            Some(count) => count <= 0.0,
            None => self.mean.0.is_none(),
        }
    }

    /// Times of fio 2, which has no count of their samples: `count` if there are any.
    fn of_microseconds(self, count: Number) -> Times {
        if self.max.positive().is_none() && self.mean.positive().is_none() {
            return Times::default();
        }
        let ns = |us: Number| Number(us.0.map(|us| us * 1e3));
        // Percentiles that were not asked for are listed as 0 %.
        let percentiles = self
            .percentiles
            .0
            .into_iter()
            .filter(|(share, _)| *share > 0.0);
        let bins = self.bins.0.map(|bins| {
            let mut scaled = Histogram::default();
            bins.buckets().for_each(|(low, width, count)| {
                scaled.record_n((low + width / 2).saturating_mul(1000), count)
            });
            Box::new(scaled)
        });
        Times {
            min: ns(self.min),
            max: ns(self.max),
            mean: ns(self.mean),
            deviation: ns(self.deviation),
            count,
            percentiles: Percentiles(percentiles.map(|(share, us)| (share, us * 1e3)).collect()),
            bins: Bins(bins),
        }
    }

    /// The same with less memory for its buckets, and none without samples.
    pub fn shrunken(mut self) -> Times {
        if self.is_empty() && self.bins.0.is_none() {
            return Times::default();
        }
        if let Some(bins) = &mut self.bins.0 {
            bins.shrink();
        }
        self
    }

    /// Adds the samples of another distribution: the buckets, the extremes, and mean and deviation over all samples. Percentiles are dropped.
    pub fn absorb(&mut self, other: Times) {
        let (mine, theirs) = (
            self.count.positive().unwrap_or(0.0),
            other.count.positive().unwrap_or(0.0),
        );
        if theirs == 0.0 {
            return;
        }
        if mine == 0.0 {
            *self = other;
            return;
        }
        let all = mine + theirs;
        let both = |a: Number, b: Number, of: fn(f64, f64) -> f64| {
            Number(a.0.zip(b.0).map(|(a, b)| of(a, b)))
        };
        let mean = self
            .mean
            .0
            .zip(other.mean.0)
            .map(|(a, b)| (a * mine + b * theirs) / all);
        let square =
            |times: &Times, n: f64| Some(n * (times.deviation.0?.powi(2) + times.mean.0?.powi(2)));
        let squares = square(self, mine)
            .zip(square(&other, theirs))
            .map(|(a, b)| (a + b) / all);
        self.deviation = Number(
            squares
                .zip(mean)
                .map(|(squares, mean)| (squares - mean * mean).max(0.0).sqrt()),
        );
        self.mean = Number(mean);
        self.min = both(self.min, other.min, f64::min);
        self.max = both(self.max, other.max, f64::max);
        self.count = Number(Some(all));
        self.percentiles = Percentiles::default();
        match (&mut self.bins.0, other.bins.0) {
            (Some(mine), Some(theirs)) => mine.merge(&theirs),
            (mine, _) => *mine = None,
        }
    }
}
