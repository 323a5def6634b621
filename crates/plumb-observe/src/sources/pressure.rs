//! For how long did tasks wait for I/O, CPU or memory? From /proc/pressure.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::{KernelFile, Machine};
use crate::source::{Area, Reader, Scope, Source, System, counter, push, scaled};

/// Kernel document: Documentation/accounting/psi.rst; `total=` is in microseconds since boot. Missing when the kernel is built without PSI
/// or started with `psi=0`.
pub static SOURCE: Source = Source {
    name: "pressure",
    system: System::Linux,
    meaning: "time in which tasks of the machine waited for I/O, CPU or memory (pressure stall information, /proc/pressure)",
    areas: &[Area::Disk, Area::Share, Area::Cpu],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 5] = [
    counter(
        "pressure.io_some_ns",
        "ns",
        "time in which at least one task waited for I/O (psi.rst, io some)",
    ),
    counter(
        "pressure.io_full_ns",
        "ns",
        "time in which all tasks that were not idle waited for I/O (psi.rst, io full)",
    ),
    counter(
        "pressure.cpu_some_ns",
        "ns",
        "time in which at least one runnable task waited for a CPU (psi.rst, cpu some)",
    ),
    counter(
        "pressure.memory_some_ns",
        "ns",
        "time in which at least one task waited for memory (psi.rst, memory some)",
    ),
    counter(
        "pressure.memory_full_ns",
        "ns",
        "time in which all tasks that were not idle waited for memory (psi.rst, memory full)",
    ),
];

/// Each file, and the lines that give its metrics, in the order of the metrics.
const FILES: [(&str, &[&str]); 3] = [
    ("proc/pressure/io", &["some", "full"]),
    ("proc/pressure/cpu", &["some"]),
    ("proc/pressure/memory", &["some", "full"]),
];

struct Pressure {
    files: [KernelFile; FILES.len()],
}

fn open(machine: &Machine, _: &Scope) -> Box<dyn Reader> {
    Box::new(Pressure {
        files: FILES.map(|(path, _)| machine.file(path)),
    })
}

impl Reader for Pressure {
    fn read(&mut self, out: &mut Vec<Reading>) {
        let mut metrics = METRICS.iter();
        for (file, (_, kinds)) in self.files.iter_mut().zip(FILES) {
            let text = file.text().unwrap_or_default();
            for (kind, metric) in kinds.iter().zip(&mut metrics) {
                push(out, metric, "", total(text, kind));
            }
        }
    }
}

/// The total of one kind in nanoseconds. A line that does not end was cut short, and its last number with it.
fn total(text: &str, kind: &str) -> Option<f64> {
    let line = text
        .split_inclusive('\n')
        .find(|line| line.starts_with(kind) && line.ends_with('\n'))?;
    let total = line
        .split_ascii_whitespace()
        .find_map(|token| token.strip_prefix("total="));
    scaled(total, 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn totals_are_told_in_nanoseconds() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        assert_eq!(value(&out, "pressure.io_some_ns", ""), Some(3978852e3));
        assert_eq!(value(&out, "pressure.io_full_ns", ""), Some(3756667e3));
        assert_eq!(value(&out, "pressure.cpu_some_ns", ""), Some(11661436e3));
        assert_eq!(value(&out, "pressure.memory_some_ns", ""), Some(17e3));
        assert_eq!(value(&out, "pressure.memory_full_ns", ""), Some(5e3));
    }
}
