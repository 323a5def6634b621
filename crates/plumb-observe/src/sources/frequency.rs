//! How fast does each core run, and was it thermally throttled? From cpufreq and thermal_throttle in /sys.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::{KernelFile, Look, Machine};
use crate::source::{Area, Reader, Scope, Source, System, counter, gauge, push, scaled};
use crate::system::kernel_files::{exists, numbered};

/// Kernel document: Documentation/admin-guide/pm/cpufreq.rst; arch/x86/kernel/cpu/mce/therm_throt.c. Virtual machines mostly have neither.
pub static SOURCE: Source = Source {
    name: "frequency",
    system: System::Linux,
    meaning: "clock frequency and thermal throttling of each core (/sys/devices/system/cpu)",
    areas: &[Area::Cpu],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 2] = [
    gauge(
        "cpu.frequency_hz",
        "hz",
        "current clock frequency (cpufreq.rst, scaling_cur_freq)",
    ),
    counter(
        "cpu.throttle_count",
        "1",
        "times that the core was slowed down because of heat (thermal_throttle/core_throttle_count)",
    ),
];

const FILES: [(&str, f64); 2] = [
    ("cpufreq/scaling_cur_freq", 1e3),
    ("thermal_throttle/core_throttle_count", 1.0),
];

const CPUS: &str = "sys/devices/system/cpu";

struct Frequency {
    machine: Machine,
    look: Look,
    /// For each metric, the cores that report it.
    cores: [Vec<Core>; FILES.len()],
}

struct Core {
    name: String,
    file: KernelFile,
}

fn open(machine: &Machine, _: &Scope) -> Box<dyn Reader> {
    Box::new(Frequency {
        machine: machine.clone(),
        look: Look::default(),
        cores: [const { Vec::new() }; FILES.len()],
    })
}

impl Reader for Frequency {
    fn read(&mut self, out: &mut Vec<Reading>) {
        if self.cores.iter().any(Vec::is_empty) && self.look.is_due() {
            self.find_cores();
        }
        for ((metric, (_, scale)), cores) in METRICS.iter().zip(FILES).zip(&mut self.cores) {
            if cores.is_empty() {
                push(out, metric, "", None);
            }
            for core in cores {
                push(out, metric, &core.name, scaled(core.file.text(), scale));
            }
        }
    }
}

impl Frequency {
    /// Looks for cores that report what none has reported yet.
    fn find_cores(&mut self) {
        let names = numbered(self.machine.root(), CPUS, "cpu");
        for ((file, _), cores) in FILES.iter().zip(&mut self.cores) {
            if !cores.is_empty() {
                continue;
            }
            for name in &names {
                let path = format!("{CPUS}/{name}/{file}");
                if exists(self.machine.root(), &path) {
                    cores.push(Core {
                        name: name.clone(),
                        file: self.machine.file(&path),
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn frequencies_are_in_hertz_and_a_core_without_the_file_is_left_out() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        assert_eq!(value(&out, "cpu.frequency_hz", "cpu0"), Some(3.4e9));
        assert_eq!(value(&out, "cpu.frequency_hz", "cpu1"), Some(2.1e9));
        assert_eq!(value(&out, "cpu.throttle_count", "cpu0"), Some(42.0));
        assert!(!out.iter().any(|reading| reading.metric == "cpu.throttle_count" && reading.instance == "cpu1"));
    }
}
