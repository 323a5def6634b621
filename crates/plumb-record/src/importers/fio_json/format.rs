//! How does fio write a job? Its JSON as values, taken leniently: what is not as expected is missing, and what is not needed is skipped.
//!
//! Names and units are those of `show_thread_status_json` and `add_ddir_status_json` in fio's stat.c (3.0 to 3.42): times of `*_ns` in nanoseconds, `runtime`
//! in milliseconds, `bw` in KiB/s, `bw_bytes` in bytes per second.

use std::fmt;

use plumb_model::histogram::Histogram;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Most operations that one bucket or job is believed to have done: more in all could not be added up.
pub const OPERATIONS_MAX: f64 = (1u64 << 52) as f64;

/// Middle of the last bucket of fio's histograms: what takes longer is counted there (FIO_IO_U_PLAT_GROUP_NR of stat.h).
pub const LAST_BUCKET_NS: f64 = 17_112_760_320.0;

/// A number, missing when something else stands there.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Number(pub Option<f64>);

impl Number {
    /// A number of things: not negative, and small enough to be added up.
    pub fn count(self) -> u64 {
        self.0.filter(|number| (0.0..=OPERATIONS_MAX).contains(number)).map_or(0, |number| number as u64)
    }

    /// The number when it is above zero.
    pub fn positive(self) -> Option<f64> {
        self.0.filter(|number| *number > 0.0)
    }
}

/// A text; the empty one when something else stands there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub String);

/// Takes whatever stands at a place, keeping numbers and texts.
struct Scalar;

enum Any {
    Number(f64),
    Text(String),
    Other,
}

impl<'de> Visitor<'de> for Scalar {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Number(f64::from(u8::from(value))))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Any, E> {
        Ok(Any::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Any, E> {
        Ok(Any::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Any, E> {
        Ok(Any::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Any, E> {
        Ok(Any::Text(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Any, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Any::Other)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Number(match deserializer.deserialize_any(Scalar)? {
            Any::Number(number) => Some(number).filter(|number| number.is_finite()),
            Any::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Any::Other => None,
        }))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Text(match deserializer.deserialize_any(Scalar)? {
            Any::Number(number) => number.to_string(),
            Any::Text(text) => text,
            Any::Other => String::new(),
        }))
    }
}

/// The rest of a visitor that takes objects: of anything else it takes nothing, and skips it.
macro_rules! nothing_else {
    ($type:ty, $nothing:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<$type, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($nothing(self))
        }

        fn visit_bool<E>(self, _: bool) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_u64<E>(self, _: u64) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_i64<E>(self, _: i64) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_f64<E>(self, _: f64) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_str<E>(self, _: &str) -> Result<$type, E> {
            Ok($nothing(self))
        }

        fn visit_unit<E>(self) -> Result<$type, E> {
            Ok($nothing(self))
        }
    };
}

/// Defines a struct of which each field is an entry of a JSON object: others are skipped, and anything but an object gives the default. Derived code would refuse
/// the whole file for one field that is not as expected.
macro_rules! lenient {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $($key:literal)|+),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                enum Key { $(#[allow(non_camel_case_types)] $field,)* Other_ }
                impl<'de> Deserialize<'de> for Key {
                    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                        struct Name;
                        impl Visitor<'_> for Name {
                            type Value = Key;
                            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                                f.write_str("a name")
                            }
                            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                                Ok(match name { $($($key)|+ => Key::$field,)* _ => Key::Other_ })
                            }
                        }
                        deserializer.deserialize_str(Name)
                    }
                }
                struct Fields;
                impl<'de> Visitor<'de> for Fields {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut all = $name::default();
                        while let Some(key) = map.next_key()? {
                            match key {
                                $(Key::$field => all.$field = map.next_value()?,)*
                                Key::Other_ => drop(map.next_value::<IgnoredAny>()?),
                            }
                        }
                        Ok(all)
                    }
                    nothing_else!($name, |_: Self| $name::default());
                }
                deserializer.deserialize_any(Fields)
            }
        }
    };
}

lenient! {
    /// One entry of `jobs` or `client_stats`.
    Entry {
        name: Text = "jobname",
        group: Number = "groupid",
        host: Text = "hostname",
        /// The kernel's number of the error that ended it; 0 for none.
        error: Number = "error",
        /// Seconds from the start of fio to now.
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
    /// What was done in one direction.
    Direction {
        io_bytes: Number = "io_bytes",
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
    /// Whether the job waited for a steady state, and found it.
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
    /// One disk of `disk_util`: what the kernel counted over the whole run.
    Disk {
        name: Text = "name",
        read_ios: Number = "read_ios",
        write_ios: Number = "write_ios",
        in_queue_ms: Number = "in_queue",
        util_percent: Number = "util",
    }
}

/// (share from 0 to 1, nanoseconds), rising.
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
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A name that is a number, missing when it is none.
struct Named<T>(Option<T>);

impl<'de, T: std::str::FromStr> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name<T>(std::marker::PhantomData<T>);
        impl<T: std::str::FromStr> Visitor<'_> for Name<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Named<T>, E> {
                Ok(Named(name.parse().ok()))
            }
        }
        deserializer.deserialize_str(Name(std::marker::PhantomData))
    }
}

/// Takes the entries of an object, one after the other, and nothing of anything else.
struct Entries<T, F, K> {
    all: T,
    add: F,
    key: std::marker::PhantomData<K>,
}

fn entries<T, K, F: FnMut(&mut T, K, Any)>(all: T, add: F) -> Entries<T, F, K> {
    Entries { all, add, key: std::marker::PhantomData }
}

impl<'de, T, K: Deserialize<'de>, F: FnMut(&mut T, K, Any)> Visitor<'de> for Entries<T, F, K> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<T, A::Error> {
        while let Some(key) = map.next_key()? {
            let value = map.next_value::<Anything>()?.0;
            (self.add)(&mut self.all, key, value);
        }
        Ok(self.all)
    }

    nothing_else!(T, |entries: Self| entries.all);
}

struct Anything(Any);

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Scalar).map(Anything)
    }
}

impl<'de> Deserialize<'de> for Percentiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let add = |all: &mut Vec<(f64, f64)>, Named(percent): Named<f64>, value| {
            let (Some(share), Any::Number(ns)) = (percent.map(|percent| percent / 100.0), value) else { return };
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
    /// The name of a bucket is the middle of the values in it (`plat_idx_to_val` of stat.c), its value their number. The whole object becomes a histogram at
    /// once: JSON+ is mostly this.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let add = |all: &mut (Option<Box<Histogram>>, f64), Named(middle_ns): Named<u64>, value| {
            let (Some(middle_ns), Any::Number(count)) = (middle_ns, value) else { return };
            if count >= 1.0 && all.1 + count <= OPERATIONS_MAX {
                all.1 += count;
                all.0.get_or_insert_default().record_n(middle_ns, count as u64);
            }
        };
        deserializer.deserialize_any(entries((None, 0.0), add)).map(|(bins, _)| Bins(bins))
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let add = |all: &mut Vec<(String, String)>, Text(name): Text, value| match value {
            Any::Number(number) => all.push((name, number.to_string())),
            Any::Text(text) => all.push((name, text)),
            Any::Other => {}
        };
        deserializer.deserialize_any(entries(Vec::new(), add)).map(Options)
    }
}

impl Times {
    /// The same with its buckets in little memory; nothing of what holds no sample.
    pub fn shrunken(mut self) -> Times {
        if self.count.positive().is_none() && self.bins.0.is_none() {
            return Times::default();
        }
        if let Some(bins) = &mut self.bins.0 {
            bins.shrink();
        }
        self
    }

    /// Adds the samples of another: the buckets, the ends, and mean and deviation as those of all samples together. Percentiles are gone.
    pub fn absorb(&mut self, other: Times) {
        let (mine, theirs) = (self.count.positive().unwrap_or(0.0), other.count.positive().unwrap_or(0.0));
        if theirs == 0.0 {
            return;
        }
        if mine == 0.0 {
            *self = other;
            return;
        }
        let all = mine + theirs;
        let both = |a: Number, b: Number, of: fn(f64, f64) -> f64| Number(a.0.zip(b.0).map(|(a, b)| of(a, b)));
        let mean = self.mean.0.zip(other.mean.0).map(|(a, b)| (a * mine + b * theirs) / all);
        let square = |times: &Times, n: f64| Some(n * (times.deviation.0?.powi(2) + times.mean.0?.powi(2)));
        let squares = square(self, mine).zip(square(&other, theirs)).map(|(a, b)| (a + b) / all);
        self.deviation = Number(squares.zip(mean).map(|(squares, mean)| (squares - mean * mean).max(0.0).sqrt()));
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
