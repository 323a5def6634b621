//! Which workload do the options of a fio job request? As plumb's own values; what has no equivalent stays at the default.

use plumb_model::target::Target;
use plumb_model::units::{Bytes, Nanos};
use plumb_model::workload::operation::OperationKind;
use plumb_model::workload::{
    BlockSizes, BlockSpan, Direct, FioCheck, FioMarks, Mix, Offsets, Pin, Sync, Weighted, Workload,
};

use super::format::Options;

/// Options of a job, with the global ones as fallback.
pub struct JobOptions<'a> {
    pub own: &'a Options,
    pub global: &'a Options,
}

impl JobOptions<'_> {
    fn get(&self, names: &[&str]) -> Option<&str> {
        let of = |options: &Options| names.iter().any(|name| options.get(name).is_some());
        let options = if of(self.own) { self.own } else { self.global };
        names
            .iter()
            .find_map(|name| options.get(name))
            .map(str::trim)
    }

    /// An option without a value is set by its presence.
    fn flag(&self, names: &[&str]) -> bool {
        self.get(names).is_some_and(|value| value != "0")
    }

    fn number(&self, names: &[&str]) -> Option<f64> {
        self.get(names)?
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite() && *number >= 0.0)
    }

    /// How blocks are marked, as far as the check alone says it.
    fn marks(&self) -> Option<FioMarks> {
        let check = self.get(&["verify"])?.parse::<FioCheck>().ok()?;
        let needs_pattern = [FioCheck::Pattern, FioCheck::PatternHeader].contains(&check);
        (!needs_pattern).then(|| FioMarks::of(check))
    }

    fn bytes(&self, names: &[&str]) -> Option<Bytes> {
        self.get(names)?
            .parse()
            .ok()
            .filter(|bytes| *bytes > Bytes(0))
    }

    /// A time; a bare number counts in units of `unit`.
    fn time(&self, name: &str, unit: Nanos) -> Option<Nanos> {
        let text = self.get(&[name])?;
        match text.parse::<f64>() {
            Ok(number) => (number.is_finite() && number >= 0.0)
                .then_some(Nanos((number * unit.0 as f64) as u64)),
            Err(_) => text.parse().ok(),
        }
    }

    /// Jobs made from one section.
    pub fn jobs(&self) -> u32 {
        self.number(&["numjobs"])
            .map_or(1, |number| number.clamp(1.0, 1e6) as u32)
    }

    /// Name of the engine as plumb shows it. Without the option it is the system's default, which the file does not show.
    pub fn engine(&self) -> String {
        self.get(&["ioengine"])
            .map_or_else(|| "fio".into(), |engine| format!("fio {engine}"))
    }

    /// Its target: the file, else the directory.
    pub fn target(&self) -> Target {
        let path = self
            .get(&["filename"])
            .or_else(|| self.get(&["directory"]))
            .filter(|path| !path.is_empty());
        match (self.get(&["ioengine"]), path) {
            (Some("null"), _) => Target::Null,
            (_, path) => Target::Path(path.unwrap_or("unknown").into()),
        }
    }

    /// The workload of `workers` identical jobs; `done` are the kinds of operations that occurred, for files without the options.
    pub fn workload(&self, workers: u32, done: &[OperationKind]) -> Workload {
        let (mix, offsets) = self.mix(done);
        let fsync = self.number(&["fsync", "fdatasync"]).unwrap_or(0.0);
        let default = Workload::default();
        Workload {
            mix,
            offsets,
            block: self.blocks().unwrap_or(default.block),
            depth: self
                .number(&["iodepth"])
                .map_or(1, |depth| depth.clamp(1.0, 1e6) as u32),
            workers,
            rate: self.rate().map(|rate| rate * f64::from(workers)),
            think_time: self.time("thinktime", Nanos(1000)).unwrap_or_default(),
            time: self
                .time("runtime", Nanos::SECOND)
                .or_else(|| self.time("timeout", Nanos::SECOND))
                .filter(|time| *time > Nanos(0)),
            warm_up: self.time("ramp_time", Nanos::SECOND).unwrap_or_default(),
            size: self.bytes(&["size"]),
            start: self.bytes(&["offset"]).unwrap_or_default(),
            direct: if self.flag(&["direct"]) {
                Direct::Yes
            } else {
                Direct::No
            },
            sync: match self.get(&["sync"]) {
                Some("1" | "sync") => Sync::Sync,
                Some("dsync") => Sync::Dsync,
                _ => Sync::None,
            },
            fsync_every: fsync as u64,
            flush_metadata: self.number(&["fsync"]).is_some_and(|every| every > 0.0)
                && self.number(&["fdatasync"]).is_none_or(|every| every == 0.0),
            verify: self
                .get(&["verify"])
                .is_some_and(|how| how != "0" && how != "none"),
            verify_as: self.marks(),
            pin: self
                .get(&["cpus_allowed"])
                .and_then(|cpus| cpus.parse().ok())
                .unwrap_or(Pin::No),
            ..default
        }
    }

    /// `rw=randrw:8`: which operations in which shares and order. The number after the colon is ignored: plumb has no such order.
    fn mix(&self, done: &[OperationKind]) -> (Mix, Offsets) {
        use OperationKind::{Read, Trim, Write};
        let words = self.get(&["rw", "readwrite"]).unwrap_or_default();
        let word = words.split(':').next().unwrap_or_default();
        let random = word.starts_with("rand");
        let reads = self
            .number(&["rwmixread"])
            .or_else(|| self.number(&["rwmixwrite"]).map(|writes| 100.0 - writes));
        let reads = reads.map_or(50.0, |reads| reads.clamp(0.0, 100.0));
        let share = |kind: OperationKind, weight: f64| (weight > 0.0).then_some((kind, weight));
        let mix = match word.trim_start_matches("rand") {
            "read" => Weighted::only(Read),
            "write" => Weighted::only(Write),
            "trim" => Weighted::only(Trim),
            "trimwrite" => Weighted(vec![(Trim, 50.0), (Write, 50.0)]),
            "rw" | "readwrite" => Weighted(
                [share(Read, reads), share(Write, 100.0 - reads)]
                    .into_iter()
                    .flatten()
                    .collect(),
            ),
            _ if done.is_empty() => Weighted::only(Read),
            _ => Weighted(done.iter().map(|kind| (*kind, 100.0)).collect()),
        };
        (
            mix,
            if random {
                self.random()
            } else {
                Offsets::Sequential
            },
        )
    }

    fn random(&self) -> Offsets {
        let distribution = self.get(&["random_distribution"]).unwrap_or_default();
        if distribution.starts_with("normal:") || distribution.starts_with("zoned:") {
            return distribution.parse().unwrap_or(Offsets::Random);
        }
        let of = |name: &str| {
            distribution
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix(':'))
                .and_then(|value| value.parse().ok())
        };
        match (of("zipf"), of("pareto")) {
            (Some(exponent), _) => Offsets::Zipf(exponent),
            (None, Some(power)) => Offsets::Pareto(power),
            (None, None) if self.flag(&["norandommap"]) => Offsets::RandomWithReplacement,
            (None, None)
                if self
                    .blocks()
                    .is_some_and(|sizes| sizes.only_size().is_none()) =>
            {
                Offsets::RandomMap
            }
            (None, None) => Offsets::Random,
        }
    }

    /// `bssplit=4k/60:16k/40`, `bsrange=1k-4k`, or `bs=4k` or `bs=4k,128k` for reads and writes.
    fn blocks(&self) -> Option<BlockSizes> {
        let split = |text: &str| {
            let parts = text.split(',').next()?.split(':').map(|part| {
                let (size, share) = part.split_once('/')?;
                Some((
                    BlockSpan::one(size_of(size).filter(|size| size.0 > 0)?),
                    share.parse::<f64>().ok().filter(|share| *share > 0.0)?,
                ))
            });
            parts.collect::<Option<Vec<_>>>()
        };
        if let Some(sizes) = self
            .get(&["bssplit"])
            .and_then(split)
            .filter(|sizes| !sizes.is_empty())
        {
            return Some(Weighted(sizes));
        }
        let range = |text: &str| {
            let (from, to) = text.split(',').next()?.split_once(['-', ':'])?;
            let (a, b) = (size_of(from)?, size_of(to)?);
            let (from, to) = (a.min(b), a.max(b));
            let rest = to.0.checked_rem(from.0)?;
            let to = Bytes(to.0 - rest);
            Some(BlockSpan { from, to })
        };
        if let Some(range) = self.get(&["bsrange"]).and_then(range) {
            return Some(Weighted::only(range));
        }
        let mut sizes: Vec<(BlockSpan, f64)> = Vec::new();
        for size in self
            .get(&["bs", "blocksize", "block_size"])?
            .split(',')
            .filter_map(size_of)
        {
            let block = BlockSpan::one(size);
            if size.0 > 0 && !sizes.iter().any(|(known, _)| *known == block) {
                sizes.push((block, 100.0));
            }
        }
        (!sizes.is_empty()).then_some(Weighted(sizes))
    }

    /// The size of all operations, if they have one.
    pub fn block_bytes(&self) -> Option<u64> {
        Some(self.blocks()?.only_size()?.0)
    }

    /// `rate_iops=1000` or `500,500` for reads and writes: operations per second of one job.
    fn rate(&self) -> Option<f64> {
        let rates = self
            .get(&["rate_iops"])?
            .split(',')
            .filter_map(|rate| rate.parse::<f64>().ok());
        Some(rates.filter(|rate| rate.is_finite() && *rate > 0.0).sum()).filter(|rate| *rate > 0.0)
    }
}

/// A size as fio parses it: 4kb also means 4096.
fn size_of(text: &str) -> Option<Bytes> {
    let lower = text.trim().to_ascii_lowercase();
    let plain = match lower.strip_suffix('b') {
        Some(plain) if !plain.ends_with('i') => plain,
        _ => &lower,
    };
    plain.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload_of(options: &[(&str, &str)]) -> Workload {
        let own = Options(
            options
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
        );
        let global = Options(vec![
            ("iodepth".into(), "7".into()),
            ("bs".into(), "64k".into()),
        ]);
        JobOptions {
            own: &own,
            global: &global,
        }
        .workload(2, &[])
    }

    #[test]
    fn options_become_a_workload() {
        let workload = workload_of(&[
            ("rw", "randrw:8"),
            ("rwmixwrite", "30"),
            ("bs", "4k"),
            ("runtime", "1500ms"),
            ("direct", "1"),
            ("fsync", "64"),
        ]);
        assert_eq!(
            (workload.mix.to_string(), workload.block.to_string()),
            ("read:70,write:30".into(), "4k".into())
        );
        assert_eq!(
            (
                workload.offsets,
                workload.depth,
                workload.workers,
                workload.direct
            ),
            (Offsets::Random, 7, 2, Direct::Yes)
        );
        assert_eq!(
            (workload.time, workload.fsync_every),
            (Some(Nanos(1_500_000_000)), 64)
        );
        let workload = workload_of(&[
            ("readwrite", "write"),
            ("rate_iops", "100,200"),
            ("thinktime", "20"),
            ("bssplit", "4k/60:16k/40"),
        ]);
        assert_eq!(
            (workload.mix.to_string(), workload.offsets, workload.rate),
            ("write".into(), Offsets::Sequential, Some(600.0))
        );
        assert_eq!(
            (workload.think_time, workload.block.to_string()),
            (Nanos(20_000), "4k:60,16k:40".into())
        );
        let workload = workload_of(&[
            ("rw", "randread"),
            ("random_distribution", "zipf:1.2"),
            ("sync", "dsync"),
            ("bs", "4k,8k"),
        ]);
        assert_eq!(
            (workload.offsets, workload.sync, workload.block.0.len()),
            (Offsets::Zipf(1.2), Sync::Dsync, 2)
        );
        let workload = workload_of(&[("bs", "4k"), ("bsrange", "1m-512")]);
        assert_eq!(workload.block.to_string(), "512-1m");
    }
}
