//! What are the current values of all counters? One sample of every source, with one timestamp.

use std::path::Path;

use plumb_model::run::metric::Reading;

use crate::machine::Machine;
use crate::source::{Program, Reader, Scope, Source};
use crate::sources::SOURCES;
use crate::sources::programs::{SOURCE as PROGRAMS, before_the_start};
use crate::system;

/// All sources, opened once and read at each call: it has no thread and no clock of its own.
pub struct Observer {
    machine: Machine,
    readers: Vec<Box<dyn Reader>>,
}

impl Observer {
    /// An observer of the machine under `root` (`/`, or a fixture tree) that reports what `scope` wants, such as [`crate::environment::scope_of`] reports for
    /// the targets of a run. Nothing is read yet.
    pub fn new(root: &Path, scope: Scope) -> Self {
        Observer::of(root, &scope, SOURCES)
    }

    /// The same, with only these sources. On the real machine, sources of other systems are left out.
    pub fn of(root: &Path, scope: &Scope, sources: &[&Source]) -> Self {
        let machine = Machine::new(root);
        let is_there = |source: &&&Source| !machine.is_live() || source.is_of_this_system();
        Observer {
            readers: sources
                .iter()
                .filter(is_there)
                .map(|source| (source.open)(&machine, scope))
                .collect(),
            machine,
        }
    }

    /// Reads of a program that has just begun, too, and reports with time 0 what it had done before: nothing.
    pub fn follow(&mut self, program: Program, out: &mut Vec<Reading>) {
        before_the_start(&program.name, out);
        let scope = Scope {
            programs: vec![program],
            ..Scope::default()
        };
        self.readers.push((PROGRAMS.open)(&self.machine, &scope));
    }

    /// Appends one reading for every metric and instance, all stamped `time_ns` (nanoseconds since the start of the run). What cannot be
    /// read is a reading without a value.
    pub fn sample(&mut self, time_ns: u64, out: &mut Vec<Reading>) {
        let first = out.len();
        for reader in &mut self.readers {
            reader.read(out);
        }
        out[first..]
            .iter_mut()
            .for_each(|reading| reading.time_ns = time_ns);
    }
}

/// CPU time of this process so far in nanoseconds, all threads, user and kernel mode. `None` if the system does not report it.
pub fn own_cpu_ns() -> Option<u64> {
    system::process_cpu_ns()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, value};

    #[test]
    fn a_sample_has_one_time_and_keeps_earlier_ones() {
        let tree = fixture::tree("proc-machine");
        let mut observer = Observer::new(
            tree.path(),
            Scope {
                disks: Some(vec!["vda".into()]),
                ..Scope::default()
            },
        );
        let mut out = Vec::new();
        observer.sample(1, &mut out);
        let one = out.len();
        let diskstats = tree.path().join("proc/diskstats");
        let changed = std::fs::read_to_string(&diskstats)
            .unwrap()
            .replace(" 56760 ", " 56765 ");
        std::fs::write(diskstats, changed).unwrap();
        observer.sample(2, &mut out);
        assert_eq!(out.len(), 2 * one);
        assert!(
            out[..one].iter().all(|reading| reading.time_ns == 1)
                && out[one..].iter().all(|reading| reading.time_ns == 2)
        );
        assert_eq!(value(&out[..one], "disk.reads", "vda"), Some(56760.0));
        assert_eq!(value(&out[one..], "disk.reads", "vda"), Some(56765.0));
        assert!(
            !out.iter().any(|reading| reading.instance == "sdb1"),
            "an unwanted disk is not told"
        );
    }

    #[test]
    fn own_writes_show_in_the_machines_own_counters() {
        if !system::IS_LINUX {
            eprintln!("skipped: asks the kernel of Linux");
            return;
        }
        let mut observer = Observer::new(Path::new("/"), Scope::default());
        let (mut before, mut after) = (Vec::new(), Vec::new());
        observer.sample(0, &mut before);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("written"), vec![7u8; 3_000_000]).unwrap();
        observer.sample(1, &mut after);
        let written = |sample: &[Reading]| value(sample, "process.asked_write_bytes", "").unwrap();
        assert!(
            written(&after) >= written(&before) + 3_000_000.0,
            "{} {}",
            written(&before),
            written(&after)
        );
    }
}
