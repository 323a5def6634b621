//! How did each core spend its time? From /proc/stat, or from FreeBSD's kern.cp_times.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{Area, OneFile, Reader, Scope, Source, System, counter, push, scaled};
use crate::system;
use crate::system::core_times::{CoreTimes, core_times};

/// man 5 proc_stat. Times are in ticks of USER_HZ (100 a second on all common systems): coarse, so that a share over a short interval is too.
pub static SOURCE: Source = Source {
    name: "cpu",
    system: System::LinuxAndFreeBsd,
    meaning: "CPU time of each online core by kind, in steps of 10 ms (/proc/stat; FreeBSD: sysctl kern.cp_times)",
    areas: &[
        Area::Disk,
        Area::Share,
        Area::Network,
        Area::Cpu,
        Area::SmbClient,
    ],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 7] = [
    counter(
        "cpu.user_ns",
        "ns",
        "time in user mode, nice or not, guests included (proc_stat(5) user + nice)",
    ),
    counter(
        "cpu.system_ns",
        "ns",
        "time in kernel mode without interrupts (proc_stat(5) system)",
    ),
    counter(
        "cpu.iowait_ns",
        "ns",
        "idle time while a task that last ran here waited for I/O: unreliable as a measure of I/O, and may decrease (proc_stat(5) iowait)",
    ),
    counter(
        "cpu.irq_ns",
        "ns",
        "time in hardware interrupts (proc_stat(5) irq)",
    ),
    counter(
        "cpu.softirq_ns",
        "ns",
        "time in software interrupts: block and network completions (proc_stat(5) softirq)",
    ),
    counter(
        "cpu.steal_ns",
        "ns",
        "time in which the hypervisor ran something else (proc_stat(5) steal)",
    ),
    counter(
        "cpu.idle_ns",
        "ns",
        "idle time without iowait (proc_stat(5) idle)",
    ),
];

/// For each metric: the columns after the name that are added up.
const COLUMNS: [&[usize]; 7] = [&[1, 2], &[3], &[5], &[6], &[7], &[8], &[4]];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    if system::IS_FREEBSD && machine.is_live() {
        return Box::new(Cores);
    }
    Box::new(OneFile {
        file: machine.file("proc/stat"),
        scope: scope.clone(),
        parse,
    })
}

fn parse(text: &str, _: &Scope, out: &mut Vec<Reading>) {
    let first = out.len();
    let tick_ns = 1e9 / system::clock_ticks_per_second();
    for line in text.lines() {
        // The total of all cores comes first, as "cpu" without a number; the cores follow in one block.
        let is_core = line
            .strip_prefix("cpu")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if !is_core {
            if out.len() > first {
                break;
            }
            continue;
        }
        let mut tokens = [None; 9];
        line.split_ascii_whitespace()
            .zip(&mut tokens)
            .for_each(|(token, slot)| *slot = Some(token));
        for (metric, columns) in METRICS.iter().zip(COLUMNS) {
            let time_ns = columns
                .iter()
                .map(|column| scaled(tokens[*column], tick_ns))
                .sum::<Option<f64>>();
            push(out, metric, tokens[0].unwrap_or_default(), time_ns);
        }
    }
    if out.len() == first {
        METRICS
            .iter()
            .for_each(|metric| push(out, metric, "", None));
    }
}

/// The cores of FreeBSD.
struct Cores;

impl Reader for Cores {
    fn read(&mut self, out: &mut Vec<Reading>) {
        tell(&core_times().unwrap_or_default(), out);
    }
}

/// In the order of the metrics. FreeBSD reports no I/O waits, and combines all kinds of interrupts.
fn tell(cores: &[CoreTimes], out: &mut Vec<Reading>) {
    for (number, core) in cores.iter().enumerate() {
        let values = [
            Some(core.user_ns),
            Some(core.system_ns),
            None,
            Some(core.interrupt_ns),
            None,
            None,
            Some(core.idle_ns),
        ];
        for (metric, value) in METRICS.iter().zip(values) {
            push(out, metric, &format!("cpu{number}"), value);
        }
    }
    if cores.is_empty() {
        METRICS
            .iter()
            .for_each(|metric| push(out, metric, "", None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn cores_of_freebsd_have_the_same_metrics() {
        let core = |user_ns| CoreTimes {
            user_ns,
            system_ns: 2.0,
            interrupt_ns: 3.0,
            idle_ns: 4.0,
        };
        let mut out = Vec::new();
        tell(&[core(1.0), core(7.0)], &mut out);
        assert_eq!(out.len(), 2 * METRICS.len());
        assert_eq!(value(&out, "cpu.user_ns", "cpu1"), Some(7.0));
        for (metric, expected) in [
            ("cpu.user_ns", Some(1.0)),
            ("cpu.system_ns", Some(2.0)),
            ("cpu.irq_ns", Some(3.0)),
            ("cpu.idle_ns", Some(4.0)),
            ("cpu.iowait_ns", None),
            ("cpu.softirq_ns", None),
            ("cpu.steal_ns", None),
        ] {
            assert_eq!(value(&out, metric, "cpu0"), expected, "{metric}");
        }
    }

    #[test]
    fn each_core_is_told_and_the_total_is_not() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        let instances: Vec<_> = out
            .iter()
            .map(|reading| reading.instance.as_str())
            .collect();
        assert!(
            instances.contains(&"cpu0")
                && instances.contains(&"cpu1")
                && !instances.contains(&"cpu"),
            "{instances:?}"
        );
        for (metric, ticks) in [
            ("cpu.user_ns", 11438.0 + 2.0),
            ("cpu.system_ns", 1817.0),
            ("cpu.idle_ns", 102523.0),
            ("cpu.iowait_ns", 373.0),
            ("cpu.irq_ns", 4.0),
            ("cpu.softirq_ns", 29.0),
            ("cpu.steal_ns", 6.0),
        ] {
            assert_eq!(value(&out, metric, "cpu0"), Some(ticks * 1e7), "{metric}");
        }
    }
}
