//! How busy was a host while its ranks generated load? By its own counters, over the measured time.

use std::collections::VecDeque;

use plumb_model::run::metric::Reading;
use plumb_model::run::ranks::{MachineUse, Transferred};

use crate::figures::counters::{BUSY, Counters, IDLE};

/// Samples of a host while its ranks make load: only those that enclose the measured time are kept, however long it lasts.
#[derive(Debug, Default)]
pub struct Samples {
    /// Around the start of the measured time.
    first: VecDeque<Vec<Reading>>,
    last: Vec<Reading>,
}

impl Samples {
    /// Takes a sample. `from_ns`: the start of the measured time, on the clock of the readings, once it is known; `late_ns`: it is known so much later at most.
    pub fn take(&mut self, sample: Vec<Reading>, from_ns: Option<u64>, late_ns: u64) {
        let time = |sample: &[Reading]| sample.first().map_or(0, |reading| reading.time_ns);
        let before_ns = from_ns.unwrap_or_else(|| time(&sample).saturating_sub(late_ns));
        while self
            .first
            .get(1)
            .is_some_and(|next| time(next) <= before_ns)
        {
            self.first.pop_front();
        }
        match from_ns {
            // One of the kept ones is before it, or none will be.
            Some(_) if !self.first.is_empty() => self.last = sample,
            _ => self.first.push_back(sample),
        }
    }

    /// How busy the host was over `from_ns..to_ns`; `None` where the samples do not enclose it.
    pub fn machine_use(mut self, from_ns: u64, to_ns: u64) -> Option<MachineUse> {
        let mut readings: Vec<Reading> = self.first.drain(..).flatten().collect();
        readings.append(&mut self.last);
        machine_use(&readings, from_ns, to_ns)
    }
}

/// Counters used by the figures; no others need be kept.
pub fn needs(metric: &str) -> bool {
    let of_cpus = BUSY.iter().chain(&IDLE);
    let others = [
        "network.receive_bytes",
        "network.transmit_bytes",
        "disk.read_bytes",
        "disk.write_bytes",
        "tcp.segments_sent",
        "tcp.segments_retransmitted",
    ];
    of_cpus.chain(&others).any(|needed| *needed == metric)
}

/// Over `from_ns..to_ns`, in nanoseconds on the clock of the readings; `None` where no counter encloses it.
fn machine_use(readings: &[Reading], from_ns: u64, to_ns: u64) -> Option<MachineUse> {
    let counters = Counters::of(readings);
    let rise = |metric: &str, instance: &str| {
        let (rise, _) = counters.rise_around(metric, instance, from_ns, to_ns)?;
        Some(rise)
    };
    let cores = counters.instances(BUSY[0]);
    // Missing counters of a core are 0 in the sum: not all systems account for interrupts separately.
    let of_core = |core: &str, metrics: &[&str]| -> Option<f64> {
        let rises = metrics.iter().filter_map(|metric| rise(metric, core));
        rises.reduce(|a, b| a + b)
    };
    let times: Vec<(f64, f64)> = cores
        .iter()
        .filter_map(|core| {
            let busy = of_core(core, &BUSY)?;
            let total = busy + of_core(core, &IDLE)?;
            (total > 0.0).then_some((busy, total))
        })
        .collect();
    let total: f64 = times.iter().map(|(_, total)| total).sum();
    let busy: f64 = times.iter().map(|(busy, _)| busy).sum();
    let shares = times.iter().map(|(busy, total)| 100.0 * busy / total);
    let transferred = |of_in: &str, of_out: &str| {
        let names = counters.instances(of_in).into_iter();
        let all = names.filter_map(|name| {
            Some(Transferred {
                name: name.to_string(),
                in_bytes: rise(of_in, name)?,
                out_bytes: rise(of_out, name)?,
            })
        });
        let both = |of: &Transferred| of.in_bytes + of.out_bytes;
        all.max_by(|a, b| both(a).total_cmp(&both(b)))
    };
    let lines = ["cpu.user_ns", "network.receive_bytes", "disk.read_bytes"];
    let covered_ns = lines.iter().find_map(|metric| {
        let first = counters.instances(metric).into_iter().next()?;
        let (_, (from, to)) = counters.rise_around(metric, first, from_ns, to_ns)?;
        Some(to - from)
    })?;
    Some(MachineUse {
        covered_s: covered_ns as f64 / 1e9,
        cpus: cores.len() as u32,
        cpu_percent: (total > 0.0).then(|| 100.0 * busy / total),
        busiest_cpu_percent: shares.max_by(f64::total_cmp),
        interface: transferred("network.receive_bytes", "network.transmit_bytes"),
        disk: transferred("disk.read_bytes", "disk.write_bytes"),
        segments_sent: rise("tcp.segments_sent", ""),
        segments_retransmitted: rise("tcp.segments_retransmitted", ""),
    })
}

/// Adds another time span; shares are weighted by length.
pub(crate) fn add(all: &mut MachineUse, other: &MachineUse) {
    let (before_s, added_s) = (all.covered_s, other.covered_s);
    let mean = |held: Option<f64>, new: Option<f64>| match (held, new) {
        (Some(held), Some(new)) => {
            Some((held * before_s + new * added_s) / (before_s + added_s).max(f64::MIN_POSITIVE))
        }
        (held, new) => held.or(new).filter(|_| before_s == 0.0),
    };
    let sum = |held: Option<f64>, new: Option<f64>| match (held, new) {
        (Some(held), Some(new)) => Some(held + new),
        (held, new) => held.or(new).filter(|_| before_s == 0.0),
    };
    let transferred = |held: &Option<Transferred>, new: &Option<Transferred>| {
        let same = held.as_ref().zip(new.as_ref());
        match same.filter(|(held, new)| held.name == new.name) {
            Some((held, new)) => Some(Transferred {
                name: held.name.clone(),
                in_bytes: held.in_bytes + new.in_bytes,
                out_bytes: held.out_bytes + new.out_bytes,
            }),
            // Another one was the busiest: a sum would be of neither.
            None => new.clone().filter(|_| before_s == 0.0),
        }
    };
    *all = MachineUse {
        covered_s: before_s + added_s,
        cpus: all.cpus.max(other.cpus),
        cpu_percent: mean(all.cpu_percent, other.cpu_percent),
        busiest_cpu_percent: mean(all.busiest_cpu_percent, other.busiest_cpu_percent),
        interface: transferred(&all.interface, &other.interface),
        disk: transferred(&all.disk, &other.disk),
        segments_sent: sum(all.segments_sent, other.segments_sent),
        segments_retransmitted: sum(all.segments_retransmitted, other.segments_retransmitted),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(metric: &'static str, instance: &str, second: u64, value: f64) -> Reading {
        Reading {
            metric: metric.into(),
            instance: instance.into(),
            time_ns: second * 1_000_000_000,
            value: Some(value),
        }
    }

    /// Two CPUs of which one is busy for a quarter of the time, and eth0 beside lo.
    fn readings() -> Vec<Reading> {
        let mut all = Vec::new();
        for second in 0..=4 {
            let at = second as f64;
            for (core, busy) in [("cpu0", 0.25), ("cpu1", 0.0)] {
                all.push(reading("cpu.user_ns", core, second, busy * at * 1e9));
                all.push(reading(
                    "cpu.idle_ns",
                    core,
                    second,
                    (1.0 - busy) * at * 1e9,
                ));
            }
            for (name, bytes) in [("eth0", 1000.0), ("lo", 10.0)] {
                all.push(reading("network.receive_bytes", name, second, bytes * at));
                all.push(reading("network.transmit_bytes", name, second, at));
            }
            all.push(reading("tcp.segments_sent", "", second, 100.0 * at));
            all.push(reading("tcp.segments_retransmitted", "", second, at));
        }
        all
    }

    #[test]
    fn a_host_is_as_busy_as_its_counters_say() {
        let found = machine_use(&readings(), 1_000_000_000, 3_000_000_000).expect("enclosed");
        let expected = MachineUse {
            covered_s: 2.0,
            cpus: 2,
            cpu_percent: Some(12.5),
            busiest_cpu_percent: Some(25.0),
            interface: Some(Transferred {
                name: "eth0".into(),
                in_bytes: 2000.0,
                out_bytes: 2.0,
            }),
            disk: None,
            segments_sent: Some(200.0),
            segments_retransmitted: Some(2.0),
        };
        assert_eq!(found, expected);
        assert_eq!(machine_use(&readings(), 1_000_000_000, 9_000_000_000), None);
        assert!(readings().iter().all(|reading| needs(&reading.metric)));
    }

    #[test]
    fn samples_around_the_measured_time_are_kept_and_no_others() {
        let mut samples = Samples::default();
        let by_second = |second: u64| {
            let of = readings().into_iter();
            of.filter(|reading| reading.time_ns == second * 1_000_000_000)
                .collect::<Vec<_>>()
        };
        for second in 0..=4 {
            // That it began at 1 s is known when 2 s have passed.
            let from_ns = (second > 2).then_some(1_000_000_000);
            samples.take(by_second(second), from_ns, 1_500_000_000);
        }
        assert_eq!(samples.first.len(), 2, "of 1 s and of 2 s");
        let found = samples.machine_use(1_000_000_000, 4_000_000_000);
        let found = found.expect("enclosed");
        assert_eq!((found.covered_s, found.cpu_percent), (3.0, Some(12.5)));
    }

    #[test]
    fn rounds_are_weighed_by_their_lengths() {
        let of = |covered_s: f64, percent: f64, name: &str| MachineUse {
            covered_s,
            cpu_percent: Some(percent),
            interface: Some(Transferred {
                name: name.into(),
                in_bytes: 10.0,
                out_bytes: 1.0,
            }),
            segments_sent: Some(5.0),
            ..MachineUse::default()
        };
        let mut all = MachineUse::default();
        add(&mut all, &of(1.0, 10.0, "eth0"));
        add(&mut all, &of(3.0, 50.0, "eth0"));
        assert_eq!((all.covered_s, all.cpu_percent), (4.0, Some(40.0)));
        assert_eq!(all.interface.as_ref().map(|of| of.in_bytes), Some(20.0));
        assert_eq!(all.segments_sent, Some(10.0));
        add(&mut all, &of(1.0, 10.0, "eth1"));
        assert_eq!(all.interface, None, "of two interfaces there is no sum");
    }
}
