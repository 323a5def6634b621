//! How much memory is free, cached and waiting to be written? From /proc/meminfo.

use plumb_model::run::metric::{Metric, Reading};

use crate::machine::Machine;
use crate::source::{Area, OneFile, Reader, Scope, Source, System, gauge, push, scaled};

/// man 5 proc_meminfo: "kB" there means 1024 bytes.
pub static SOURCE: Source = Source {
    name: "memory",
    system: System::Linux,
    meaning: "page cache and write-back of the machine (/proc/meminfo)",
    areas: &[Area::Disk, Area::Share],
    metrics: &METRICS,
    open,
};

static METRICS: [Metric; 4] = [
    gauge(
        "memory.available_bytes",
        "bytes",
        "memory available without swapping (MemAvailable)",
    ),
    gauge(
        "memory.cached_bytes",
        "bytes",
        "page cache, shared memory and tmpfs included (Cached)",
    ),
    gauge(
        "memory.dirty_bytes",
        "bytes",
        "memory that waits to be written to storage (Dirty)",
    ),
    gauge(
        "memory.writeback_bytes",
        "bytes",
        "memory that is being written to storage (Writeback)",
    ),
];

const NAMES: [&str; 4] = ["MemAvailable", "Cached", "Dirty", "Writeback"];

fn open(machine: &Machine, scope: &Scope) -> Box<dyn Reader> {
    Box::new(OneFile {
        file: machine.file("proc/meminfo"),
        scope: scope.clone(),
        parse,
    })
}

fn parse(text: &str, _: &Scope, out: &mut Vec<Reading>) {
    let mut values = [None; 4];
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(':') else {
            continue;
        };
        if let Some(at) = NAMES.iter().position(|selected| *selected == name) {
            // Without the unit behind it the number may have been cut short.
            values[at] = rest
                .trim()
                .strip_suffix(" kB")
                .and_then(|number| scaled(Some(number), 1024.0));
        }
    }
    METRICS
        .iter()
        .zip(values)
        .for_each(|(metric, value)| push(out, metric, "", value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn sizes_are_in_bytes() {
        let out = fixture::read(&SOURCE, "proc-machine", &Scope::default());
        assert_eq!(
            value(&out, "memory.available_bytes", ""),
            Some(24293912.0 * 1024.0)
        );
        assert_eq!(
            value(&out, "memory.cached_bytes", ""),
            Some(279904.0 * 1024.0)
        );
        assert_eq!(value(&out, "memory.dirty_bytes", ""), Some(204.0 * 1024.0));
        assert_eq!(
            value(&out, "memory.writeback_bytes", ""),
            Some(12.0 * 1024.0)
        );
    }
}
