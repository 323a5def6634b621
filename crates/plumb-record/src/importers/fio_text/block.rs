//! What is in one job block of fio's normal output? Lines with a name and values, each in its own units.

use serde_json::{Map, Value, json};

/// The line of a job above all blocks: its options.
pub type Head = (String, Map<String, Value>);

/// `mix: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, ..., ioengine=libaio, iodepth=4`; before 3.0 `bs=4K-4K/4K-4K/4K-4K`.
pub fn head(line: &str) -> Option<Head> {
    let (name, rest) = line.split_once(": (g=")?;
    let options = rest.split_once("): ")?.1;
    let mut found = Map::new();
    let mut sizes = Vec::new();
    for option in options.split(", ") {
        match option.split_once('=') {
            Some(("bs", all)) => sizes.extend(all.split('/').filter_map(range)),
            Some((key @ ("rw" | "ioengine" | "iodepth"), value)) => {
                found.insert(key.into(), value.trim_end().into());
            }
            _ if option.starts_with(['(']) => sizes.extend(range(option)),
            _ => {}
        }
    }
    // The sizes of reads, writes and trims, of which those count that the job does.
    let word = found.get("rw").and_then(Value::as_str).unwrap_or_default();
    let of = match word.trim_start_matches("rand") {
        "write" => sizes.get(1),
        "trim" => sizes.get(2),
        _ => sizes.first(),
    };
    let both = sizes.first().zip(sizes.get(1));
    match (both, of) {
        (Some((reads, writes)), _)
            if word.ends_with("rw")
                && reads != writes
                && [reads, writes].iter().all(|of| of.0 == of.1) =>
        {
            found.insert("bs".into(), format!("{},{}", reads.0, writes.0).into());
        }
        (_, Some((least, most))) if least == most => {
            drop(found.insert("bs".into(), least.clone().into()))
        }
        (_, Some((least, most))) => {
            drop(found.insert("bsrange".into(), format!("{least}-{most}").into()))
        }
        _ => {}
    }
    Some((name.to_string(), found))
}

/// `(R) 4096B-4096B` or `4K-64K`: smallest and largest size, in bytes or with a prefix.
fn range(text: &str) -> Option<(String, String)> {
    let (least, most) = text.trim_end().rsplit(' ').next()?.split_once('-')?;
    let size = |text: &str| text.trim_end_matches('B').to_string();
    Some((size(least), size(most)))
}

/// What identifies a process of fio within a run.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Process {
    name: String,
    group: u64,
    process: u64,
    host: Option<String>,
}

/// One job, as far as it was read.
#[derive(Debug, Default)]
pub struct Block {
    name: String,
    group: f64,
    members: f64,
    error: f64,
    process: Option<u64>,
    /// The client it ran on, with `--client`.
    host: Option<String>,
    directions: Vec<(&'static str, Map<String, Value>)>,
    sync: Option<Map<String, Value>>,
    /// Percentiles that continue on the next line: their kind, and the factor of their unit.
    percentiles: Option<(&'static str, f64)>,
    rest: Map<String, Value>,
}

impl Block {
    /// `mix: (groupid=0, jobs=2): err= 0: pid=...`.
    pub fn begins(line: &str) -> Option<Block> {
        let (name, rest) = line.split_once(": (groupid=")?;
        let (group, rest) = rest.split_once(", jobs=")?;
        let (members, rest) = rest.split_once("): err=")?;
        Some(Block {
            name: name.to_string(),
            group: group.parse().ok()?,
            members: members.parse().ok()?,
            error: leading(rest.trim_start())?,
            process: behind(rest, "pid=").map(|process| process as u64),
            ..Block::default()
        })
    }

    pub fn set_host(&mut self, host: Option<String>) {
        self.host = host;
    }

    /// Its group and name, and how long it ran; missing without a direction.
    pub fn ran(&self) -> Option<((u64, &str), f64)> {
        let times = self.directions.iter();
        let times = times.filter_map(|(_, of)| of.get("runtime")?.as_f64());
        Some(((self.group as u64, &self.name), times.reduce(f64::max)?))
    }

    /// What a later report of the same process has too; missing without a process.
    pub fn process(&self) -> Option<Process> {
        Some(Process {
            name: self.name.clone(),
            group: self.group as u64,
            process: self.process?,
            host: self.host.clone(),
        })
    }

    /// Adds the next line.
    pub fn line(&mut self, line: &str) {
        let text = line.trim();
        if let Some(list) = text.strip_prefix('|') {
            self.take_percentiles(list);
            return;
        }
        let Some((name, values)) = text.split_once(':') else {
            return;
        };
        let name = name.trim();
        match name.split_whitespace().next().unwrap_or_default() {
            "read" | "write" | "trim" | "mixed" if values.contains("IOPS=") => {
                self.direction(name, values)
            }
            "read" | "write" | "trim" | "mixed" if values.contains("runt=") => {
                self.direction_of_fio_2(name, values)
            }
            "fsync/fdatasync/sync_file_range" | "fsync/fdatasync/sync_file_range/syncfs" => {
                self.sync = Some(Map::new())
            }
            _ if name.contains("percentiles") => {
                let of = word(name);
                self.percentiles = of.zip(factor(name));
            }
            "slat" | "clat" | "lat" | "sync" if values.contains("avg=") => self.times(name, values),
            "iops" => self.samples(values),
            "cpu" => {
                for (key, word) in [
                    ("usr_cpu", "usr="),
                    ("sys_cpu", "sys="),
                    ("ctx", "ctx="),
                    ("majf", "majf="),
                    ("minf", "minf="),
                ] {
                    self.rest.insert(key.into(), behind(values, word).into());
                }
            }
            "issued" => self.issued(values),
            _ => {}
        }
    }

    fn last(&mut self) -> Option<&mut Map<String, Value>> {
        match &mut self.sync {
            Some(sync) => Some(sync),
            None => self.directions.last_mut().map(|(_, of)| of),
        }
    }

    /// `io=1024.0MB, bw=5592.5KB/s, iops=1398, runt=187501msec`, before 2.21: K is 1024, unless `kb_base=1000` was given, which the text does not show.
    fn direction_of_fio_2(&mut self, name: &str, values: &str) {
        let amount = |word: &str| {
            let (_, rest) = values.split_once(word)?;
            scaled(rest.trim_start(), 1024.0)
        };
        let mut of = Map::new();
        of.insert("iops".into(), behind(values, "iops=").into());
        of.insert("bw_bytes".into(), amount("bw=").into());
        of.insert("io_bytes".into(), amount("io=").into());
        of.insert("runtime".into(), behind(values, "runt=").into());
        self.directions.push((direction_name(name), of));
    }

    /// `IOPS=6787, BW=26.5MiB/s (27.8MB/s)(53.1MiB/2001msec)`.
    fn direction(&mut self, name: &str, values: &str) {
        let mut of = Map::new();
        of.insert("iops".into(), behind(values, "IOPS=").into());
        of.insert("bw_bytes".into(), behind(values, "BW=").into());
        let amount = values
            .rsplit('(')
            .next()
            .and_then(|text| text.split_once('/'));
        if let Some((bytes, time)) = amount {
            of.insert("io_bytes".into(), leading(bytes).into());
            of.insert("runtime".into(), number_of(time).into());
        }
        self.directions.push((direction_name(name), of));
    }

    fn times(&mut self, name: &str, values: &str) {
        let (Some(key), Some(factor)) = (word(name), factor(name)) else {
            return;
        };
        let ns = |word: &str| behind(values, word).map(|value| value * factor);
        let times = json!({ "min": ns("min="), "max": ns("max="), "mean": ns("avg="), "stddev": ns("stdev=") });
        if let Some(of) = self.last() {
            of.insert(key.into(), times);
        }
    }

    fn take_percentiles(&mut self, list: &str) {
        let Some((key, factor)) = self.percentiles else {
            return;
        };
        let Some(times) = self
            .last()
            .and_then(|of| of.get_mut(key))
            .and_then(Value::as_object_mut)
        else {
            return;
        };
        let all = times.entry("percentile").or_insert_with(|| json!({}));
        for one in list.split(',') {
            let Some((percent, value)) = one.split_once("th=[") else {
                continue;
            };
            let value = value.trim_end_matches(']').trim();
            let known = percent
                .trim()
                .parse::<f64>()
                .ok()
                .zip(value.parse::<f64>().ok());
            if let (Some((percent, value)), Some(all)) = (known, all.as_object_mut()) {
                all.insert(format!("{percent:.6}"), json!(value * factor));
            }
        }
    }

    fn samples(&mut self, values: &str) {
        let Some((_, of)) = self.directions.last_mut() else {
            return;
        };
        for (key, word) in [
            ("iops_min", "min="),
            ("iops_max", "max="),
            ("iops_mean", "avg="),
            ("iops_stddev", "stdev="),
            ("iops_samples", "samples="),
        ] {
            of.insert(key.into(), behind(values, word).into());
        }
    }

    /// `total=13582,13579,0,0 short=1693,0,0,0 dropped=0,0,0,0`: the only line with the counts; before 2.21 `total=r=13582/w=13579/d=0, short=...`.
    fn issued(&mut self, values: &str) {
        let list = |word: &str| -> Vec<f64> {
            let text = values.split_once(word).map_or("", |(_, rest)| rest);
            let text = text.split(' ').next().unwrap_or_default();
            let number = |one: &str| one.rsplit('=').next()?.parse().ok();
            text.trim_end_matches(',')
                .split([',', '/'])
                .filter_map(number)
                .collect()
        };
        let (total, short) = (list("total="), list("short="));
        for (index, name) in ["read", "write", "trim"].into_iter().enumerate() {
            let found = self.directions.iter_mut().find(|(known, _)| *known == name);
            let Some((_, of)) = found else {
                continue;
            };
            let count = total.get(index).copied();
            of.insert("total_ios".into(), count.into());
            of.insert("short_ios".into(), short.get(index).copied().into());
            for key in ["slat_ns", "clat_ns", "lat_ns"] {
                if let Some(times) = of.get_mut(key).and_then(Value::as_object_mut) {
                    times.insert("N".into(), count.into());
                }
            }
        }
        let flushes = total.get(3).copied().filter(|count| *count > 0.0);
        if let (Some(sync), Some(count)) = (&mut self.sync, flushes) {
            sync.insert("total_ios".into(), count.into());
            if let Some(times) = sync.get_mut("lat_ns").and_then(Value::as_object_mut) {
                times.insert("N".into(), count.into());
            }
        }
    }

    /// The job in fio's JSON form, with the options of its line above all blocks.
    pub fn job(&self, heads: &[Head]) -> Value {
        let mut job = self.rest.clone();
        job.insert("jobname".into(), self.name.clone().into());
        job.insert("groupid".into(), self.group.into());
        job.insert("error".into(), self.error.into());
        if let Some(host) = &self.host {
            job.insert("hostname".into(), host.clone().into());
        }
        let mut options = heads
            .iter()
            .find(|(name, _)| *name == self.name)
            .map(|(_, options)| options.clone())
            .unwrap_or_default();
        if self.members > 1.0 {
            options.insert("numjobs".into(), (self.members as u64).to_string().into());
            options.insert("group_reporting".into(), "1".into());
        }
        job.insert("job options".into(), Value::Object(options));
        for (name, of) in &self.directions {
            job.insert((*name).into(), Value::Object(of.clone()));
        }
        if let Some(sync) = &self.sync {
            job.insert("sync".into(), Value::Object(sync.clone()));
        }
        Value::Object(job)
    }
}

fn direction_name(word: &str) -> &'static str {
    match word {
        "read" => "read",
        "write" => "write",
        "trim" => "trim",
        _ => "mixed",
    }
}

/// The JSON key of a latency, from the first word of its line.
fn word(name: &str) -> Option<&'static str> {
    match name.split_whitespace().next()? {
        "slat" => Some("slat_ns"),
        "clat" => Some("clat_ns"),
        "lat" | "sync" => Some("lat_ns"),
        _ => None,
    }
}

/// Nanoseconds of the unit in parentheses.
fn factor(name: &str) -> Option<f64> {
    let (_, unit) = name.split_once('(')?;
    match unit.trim_end_matches(')') {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        _ => None,
    }
}

/// The number after a word, scaled by its prefix.
fn behind(text: &str, word: &str) -> Option<f64> {
    let (_, rest) = text.split_once(word)?;
    leading(rest.trim_start())
}

/// The number without any suffix.
fn number_of(text: &str) -> Option<f64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// A number with its prefix: 26.5Mi, 27.8M, 85.3k; bits (`unit_base=1`) as bytes.
fn leading(text: &str) -> Option<f64> {
    scaled(text, 1000.0)
}

/// The same, where a prefix without `i` stands for a power of `step`.
fn scaled(text: &str, step: f64) -> Option<f64> {
    let number = number_of(text)?;
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let power = match rest.chars().next() {
        Some('k' | 'K') => 1,
        Some('M') => 2,
        Some('G') => 3,
        Some('T') => 4,
        Some('P') => 5,
        _ => 0,
    };
    let unit = if power > 0 { &rest[1..] } else { rest };
    let (step, unit) = match unit.strip_prefix('i') {
        Some(unit) => (1024.0, unit),
        None => (step, unit),
    };
    let units_per_byte = if unit.starts_with("bit") { 8.0 } else { 1.0 };
    Some(number * f64::powi(step, power) / units_per_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_prefixes() {
        for (text, expected) in [
            ("26.5MiB/s", 26.5 * 1024.0 * 1024.0),
            ("27.8MB/s", 27.8e6),
            ("85.3k,", 85_300.0),
            ("573Mibit/s (601Mbit/s)", 573.0 * 1024.0 * 1024.0 / 8.0),
            ("601Mbit/s", 601e6 / 8.0),
            ("601bit/s", 601.0 / 8.0),
            ("10875k", 10_875_000.0),
            ("6787", 6787.0),
        ] {
            assert_eq!(leading(text), Some(expected), "{text}");
        }
        assert_eq!((leading("x"), number_of("2001msec)")), (None, Some(2001.0)));
    }

    #[test]
    fn a_block_is_read_line_by_line() {
        let mut block =
            Block::begins("a: b: (groupid=1, jobs=2): err= 5 (file): pid=1: Wed").expect("a block");
        for line in [
            "  read: IOPS=10, BW=40.0KiB/s (41.0kB/s)(80.0KiB/2000msec)",
            "    slat (nsec): min=1, max=3, avg= 2.00, stdev= 0.50",
            "    clat (usec): min=1, max=3k, avg= 2.00, stdev= 0.50",
            "    clat percentiles (usec):",
            "     |  1.00th=[    1], 99.00th=[ 2999],",
            "     | 99.99th=[ 3000]",
            "  cpu          : usr=1.50%, sys=2.00%, ctx=7, majf=0, minf=3",
            "     issued rwts: total=20,0,0,0 short=1,0,0,0 dropped=0,0,0,0",
        ] {
            block.line(line);
        }
        let job = block.job(&[]);
        assert_eq!(
            (&job["jobname"], &job["error"], &job["groupid"]),
            (&"a: b".into(), &5.0.into(), &1.0.into())
        );
        let read = &job["read"];
        assert_eq!(
            (&read["io_bytes"], &read["runtime"]),
            (&81_920.0.into(), &2000.0.into())
        );
        assert_eq!(
            (&read["total_ios"], &read["clat_ns"]["N"]),
            (&20.0.into(), &20.0.into())
        );
        assert_eq!(read["clat_ns"]["max"], 3e6);
        assert_eq!(read["clat_ns"]["percentile"]["99.990000"], 3e6);
        assert_eq!(
            (&job["ctx"], &job["job options"]["numjobs"]),
            (&7.0.into(), &"2".into())
        );
    }
}
