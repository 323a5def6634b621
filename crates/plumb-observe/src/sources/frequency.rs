//! How fast does each core run, and was it throttled by heat? From cpufreq and thermal_throttle in /sys.

use plumb_model::metric::{Metric, Reading};

use crate::files::{KernelFiles, numbered};
use crate::source::{Scope, Source, counter, gauge, push, scaled};

/// Kernel document: Documentation/admin-guide/pm/cpufreq.rst; arch/x86/kernel/cpu/mce/therm_throt.c. Virtual machines mostly have neither.
pub static SOURCE: Source = Source {
    name: "frequency",
    meaning: "clock frequency and thermal throttling of each core (/sys/devices/system/cpu)",
    metrics: &METRICS,
    read,
};

static METRICS: [Metric; 2] = [
    gauge(
        "cpu.frequency_hz",
        "hz",
        "clock frequency now (cpufreq.rst, scaling_cur_freq)",
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

fn read(files: &mut KernelFiles, _: &Scope, out: &mut Vec<Reading>) {
    for (metric, (file, scale)) in METRICS.iter().zip(FILES) {
        let cpus = files.remembered(metric.id, |root| {
            let mut cpus = numbered(root, CPUS, "cpu");
            cpus.retain(|cpu| root.join(format!("{CPUS}/{cpu}/{file}")).exists());
            cpus
        });
        for cpu in cpus.iter() {
            let text = files.text(&format!("{CPUS}/{cpu}/{file}"));
            push(out, metric, cpu, scaled(text, scale));
        }
        if cpus.is_empty() {
            push(out, metric, "", None);
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
