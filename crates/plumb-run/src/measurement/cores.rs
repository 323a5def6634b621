//! How busy is each core during a run? From two samples of the counters that the record has too.

use std::collections::BTreeMap;

use plumb_model::run::metric::Reading;
use plumb_show::live::LiveCore;

/// Parts of the time of a core, and whether the core did something in it.
const PARTS: [(&str, bool); 7] = [
    ("cpu.user_ns", true),
    ("cpu.system_ns", true),
    ("cpu.irq_ns", true),
    ("cpu.softirq_ns", true),
    ("cpu.steal_ns", true),
    ("cpu.iowait_ns", false),
    ("cpu.idle_ns", false),
];

/// Time that a core was busy and in all, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Times {
    busy_ns: f64,
    all_ns: f64,
}

/// The sample before.
#[derive(Debug, Default)]
pub struct Cores(BTreeMap<u32, Times>);

impl Cores {
    /// How busy each core was since the sample before; empty at the first one, and where cores are not counted.
    pub fn take(&mut self, readings: &[Reading]) -> Vec<LiveCore> {
        let mut now: BTreeMap<u32, Times> = BTreeMap::new();
        for reading in readings {
            let part = PARTS.iter().find(|(metric, _)| reading.metric == *metric);
            let digits = reading
                .instance
                .trim_start_matches(|c: char| !c.is_ascii_digit());
            if let (Some((_, is_busy)), Some(value), Ok(core)) =
                (part, reading.value, digits.parse())
            {
                let times = now.entry(core).or_default();
                times.all_ns += value;
                times.busy_ns += if *is_busy { value } else { 0.0 };
            }
        }
        if now.is_empty() {
            return Vec::new();
        }
        let core = |(core, times): (&u32, &Times)| {
            let before = self.0.get(core)?;
            let all_ns = times.all_ns - before.all_ns;
            (all_ns > 0.0).then(|| LiveCore {
                name: core.to_string(),
                busy: ((times.busy_ns - before.busy_ns) / all_ns).clamp(0.0, 1.0),
            })
        };
        let cores = now.iter().filter_map(core).collect();
        self.0 = now;
        cores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_time_between_two_samples() {
        let reading = |metric: &'static str, core: &str, value: f64| Reading {
            metric: metric.into(),
            instance: core.into(),
            time_ns: 0,
            value: Some(value),
        };
        let mut cores = Cores::default();
        let first = [
            reading("cpu.user_ns", "cpu10", 5e9),
            reading("cpu.idle_ns", "cpu10", 1e9),
        ];
        assert!(cores.take(&first).is_empty());
        let second = [
            reading("cpu.user_ns", "cpu10", 5.3e9),
            reading("cpu.idle_ns", "cpu10", 1.1e9),
            reading("disk.reads", "vda", 1.0),
        ];
        let found = cores.take(&second);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "10");
        assert!((found[0].busy - 0.75).abs() < 1e-9, "{found:?}");
        assert!(cores.take(&[]).is_empty());
    }
}
