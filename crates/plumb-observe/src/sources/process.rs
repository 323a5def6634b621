//! What did plumb itself cost? CPU, faults, context switches, memory and I/O of its own process, from /proc/self and getrusage.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::{KernelFile, Machine};
use crate::source::{Area, Reader, Scope, Source, System, counter, gauge, push, scaled};
use crate::system;
use crate::system::processes::{io_counts, stat_field};
use crate::system::program_counts::{ProgramCounts, own_counts};

/// man 5 proc_pid_io, proc_pid_stat, proc_pid_statm; man 2 getrusage. All threads of the process, ended ones included.
pub static SOURCE: Source = Source {
    name: "process",
    system: System::Every,
    meaning: "CPU, faults, context switches, memory and I/O of plumb's own process (/proc/self, getrusage; Windows: GetProcessIoCounters, GetProcessTimes)",
    areas: &[Area::Disk, Area::Share, Area::Network, Area::Cpu],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 15] = [
    counter(
        "process.read_calls",
        "operations",
        "system calls of the read kind; io_uring is not counted (proc_pid_io(5) syscr)",
    ),
    counter(
        "process.write_calls",
        "operations",
        "system calls of the write kind; io_uring is not counted (proc_pid_io(5) syscw)",
    ),
    counter(
        "process.asked_read_bytes",
        "bytes",
        "bytes that read calls returned, cached or not (proc_pid_io(5) rchar)",
    ),
    counter(
        "process.asked_write_bytes",
        "bytes",
        "bytes passed to write calls, cached or not (proc_pid_io(5) wchar)",
    ),
    counter(
        "process.storage_read_bytes",
        "bytes",
        "bytes fetched from the storage layer for this process (proc_pid_io(5) read_bytes)",
    ),
    counter(
        "process.storage_write_bytes",
        "bytes",
        "bytes that this process caused to be written to storage (proc_pid_io(5) write_bytes)",
    ),
    counter(
        "process.minor_faults",
        "operations",
        "page faults without I/O (proc_pid_stat(5) minflt)",
    ),
    counter(
        "process.major_faults",
        "operations",
        "page faults that read from storage (proc_pid_stat(5) majflt)",
    ),
    counter(
        "process.user_ns",
        "ns",
        "CPU time in user mode, in steps of 10 ms (proc_pid_stat(5) utime)",
    ),
    counter(
        "process.system_ns",
        "ns",
        "CPU time in kernel mode, in steps of 10 ms (proc_pid_stat(5) stime)",
    ),
    gauge(
        "process.resident_bytes",
        "bytes",
        "memory in use (proc_pid_statm(5) resident)",
    ),
    counter(
        "process.voluntary_switches",
        "operations",
        "context switches because a thread waited (getrusage(2) ru_nvcsw)",
    ),
    counter(
        "process.involuntary_switches",
        "operations",
        "context switches because a thread was preempted (getrusage(2) ru_nivcsw)",
    ),
    counter(
        "process.load_user_ns",
        "ns",
        "CPU time in user mode of all threads except the recording one (getrusage(2) ru_utime)",
    ),
    counter(
        "process.load_system_ns",
        "ns",
        "the same in kernel mode, including kernel threads for io_uring (getrusage(2) ru_stime)",
    ),
];

struct Process {
    /// System calls apply to this process, not to a fixture.
    is_live: bool,
    io: KernelFile,
    stat: KernelFile,
    statm: KernelFile,
}

/// What Windows counts of plumb's process.
struct OnWindows;

impl Reader for OnWindows {
    fn read(&mut self, out: &mut Vec<Reading>) {
        let own = own_counts();
        let io = |of: fn(&ProgramCounts) -> u64| own.io.as_ref().map(of);
        let mut values = [None; METRICS.len()];
        for (position, value) in [
            (0, io(|io| io.read_calls)),
            (1, io(|io| io.write_calls)),
            (2, io(|io| io.read_bytes)),
            (3, io(|io| io.write_bytes)),
            (8, own.user_ns),
            (9, own.system_ns),
            (10, own.resident_bytes),
        ] {
            values[position] = value;
        }
        let others = system::cpu_of_other_threads();
        (values[13], values[14]) = (others.map(|of| of.0), others.map(|of| of.1));
        for (metric, value) in METRICS.iter().zip(values) {
            push(out, metric, "", value.map(|value| value as f64));
        }
    }
}

fn open(machine: &Machine, _: &Scope) -> Box<dyn Reader> {
    if machine.is_live() && system::IS_WINDOWS {
        return Box::new(OnWindows);
    }
    Box::new(Process {
        is_live: machine.is_live(),
        io: machine.file("proc/self/io"),
        stat: machine.file("proc/self/stat"),
        statm: machine.file("proc/self/statm"),
    })
}

impl Reader for Process {
    fn read(&mut self, out: &mut Vec<Reading>) {
        let mut values = [None; METRICS.len()];
        values[..6].copy_from_slice(&io_counts(self.io.text().unwrap_or_default()));
        let stat = self.stat.text().unwrap_or_default();
        let tick_ns = 1e9 / system::clock_ticks_per_second();
        // minflt, majflt, utime, stime.
        for (at, number, scale) in [
            (6, 10, 1.0),
            (7, 12, 1.0),
            (8, 14, tick_ns),
            (9, 15, tick_ns),
        ] {
            values[at] = stat_field(stat, number).map(|value| value * scale);
        }
        let statm = self.statm.text().unwrap_or_default();
        values[10] = scaled(statm.split_ascii_whitespace().nth(1), system::page_bytes());
        // /proc/self/status counts the switches of the first thread only, so they come from a call.
        if self.is_live
            && let Some((voluntary, involuntary)) = system::context_switches()
        {
            (values[11], values[12]) = (Some(voluntary as f64), Some(involuntary as f64));
        }
        if self.is_live
            && let Some((user, system)) = system::cpu_of_other_threads()
        {
            (values[13], values[14]) = (Some(user as f64), Some(system as f64));
        }
        METRICS
            .iter()
            .zip(values)
            .for_each(|(metric, value)| push(out, metric, "", value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};
    use std::path::Path;

    #[test]
    fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        for (metric, expected) in [
            ("process.read_calls", 10.0),
            ("process.write_calls", 20.0),
            ("process.asked_read_bytes", 6976.0),
            ("process.asked_write_bytes", 81920.0),
            ("process.storage_read_bytes", 4096.0),
            ("process.storage_write_bytes", 8192.0),
            ("process.minor_faults", 150.0),
            ("process.major_faults", 7.0),
            ("process.user_ns", 30e7),
            ("process.system_ns", 40e7),
            ("process.resident_bytes", 460.0 * system::page_bytes()),
        ] {
            assert_eq!(value(&out, metric, ""), Some(expected), "{metric}");
        }
    }

    #[test]
    fn faults_of_this_very_process_are_counted() {
        if !system::IS_LINUX {
            eprintln!("skipped: asks the kernel of Linux");
            return;
        }
        let mut reader = open(&Machine::new(Path::new("/")), &Scope::default());
        let mut faults = || {
            let mut out = Vec::new();
            reader.read(&mut out);
            value(&out, "process.minor_faults", "").unwrap()
        };
        let before = faults();
        let touched = vec![1u8; 64 << 20];
        assert!(
            faults() >= before + 20.0,
            "{} bytes touched without faults",
            std::hint::black_box(&touched).len()
        );
    }
}
