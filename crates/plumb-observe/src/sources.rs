//! Which counter sources are there? One line each; the contract test covers all of them.

use plumb_model::run::metric::Metric;

use crate::source::Source;

mod cgroup;
mod connections;
mod cpu;
mod diskstats;
mod filesystems;
mod frequency;
mod infiniband;
mod memory;
mod network;
mod pressure;
mod process;
pub mod programs;
mod shares;
mod swap;
mod tcp;
mod windows;

/// All sources.
pub static SOURCES: &[&Source] = &[
    &cgroup::SOURCE,
    &shares::cifs::SOURCE,
    &connections::SOURCE,
    &cpu::SOURCE,
    &diskstats::SOURCE,
    &filesystems::SOURCE,
    &frequency::SOURCE,
    &infiniband::SOURCE,
    &memory::SOURCE,
    &network::SOURCE,
    &shares::nfs::SOURCE,
    &pressure::SOURCE,
    &process::SOURCE,
    &programs::SOURCE,
    &shares::smb_servers::SOURCE,
    &swap::SOURCE,
    &tcp::SOURCE,
    &windows::logical_disk::SOURCE,
    &windows::network_interface::SOURCE,
    &windows::physical_disk::SOURCE,
    &windows::processor_information::SOURCE,
    &windows::rdma_activity::SOURCE,
    &windows::smb_client_shares::SOURCE,
    &windows::smb_direct_connection::SOURCE,
];

/// Every metric of every source, for reference pages.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    SOURCES.iter().flat_map(|source| source.metrics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::machine::Machine;
    use crate::source::{Program, Reader, Scope, System};
    use plumb_model::run::metric::Reading;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The fixture that has every file of every source.
    const MACHINE: &str = "proc-machine";

    fn read(source: &Source, root: &Path) -> Vec<Reading> {
        let mut out = Vec::new();
        open(source, root).read(&mut out);
        out
    }

    fn open(source: &Source, root: &Path) -> Box<dyn Reader> {
        let scope = Scope {
            programs: vec![Program {
                pid: 4321,
                name: "app".into(),
            }],
            ..Scope::default()
        };
        (source.open)(&Machine::new(root), &scope)
    }

    /// What readers that were opened before say now.
    fn read_again(readers: &mut [Box<dyn Reader>]) -> Vec<Vec<Reading>> {
        let again = readers.iter_mut().map(|reader| {
            let mut out = Vec::new();
            reader.read(&mut out);
            out
        });
        again.collect()
    }

    /// Holds for whatever the files hold: every metric is reported, no other is, no value is absurd, and no instance is reported twice.
    fn check_form(source: &Source, readings: &[Reading]) {
        let reported: BTreeSet<&str> = readings
            .iter()
            .map(|reading| reading.metric.as_ref())
            .collect();
        let listed: BTreeSet<&str> = source.metrics.iter().map(|metric| metric.id).collect();
        assert_eq!(reported, listed, "{}: metrics told and listed", source.name);
        for reading in readings {
            assert!(
                reading
                    .value
                    .is_none_or(|value| value.is_finite() && value >= 0.0),
                "{}: {reading:?}",
                source.name
            );
            assert_eq!(reading.time_ns, 0, "{}: the observer stamps", source.name);
        }
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        // A file with a folder of its own only lists what is in it.
        fn files_in(folder: &Path, found: &mut BTreeSet<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    files_in(&path, found);
                } else if !path.with_extension("").is_dir() {
                    let name = path.file_stem().unwrap().to_str().unwrap();
                    found.insert(name.to_owned());
                }
            }
        }
        let mut files = BTreeSet::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sources");
        files_in(&folder, &mut files);
        let listed: BTreeSet<String> = SOURCES
            .iter()
            .map(|source| source.name.to_owned())
            .collect();
        assert_eq!(files, listed);
    }

    #[test]
    fn metric_ids_are_unique_and_end_in_their_unit() {
        let mut seen = BTreeSet::new();
        for metric in metrics() {
            assert!(seen.insert(metric.id), "{} is listed twice", metric.id);
            let suffix = match metric.unit {
                // A counter of Windows without a figure of its own is called as Windows calls it.
                _ if metric.id.contains('\\') => continue,
                "bytes" | "ns" | "hz" => metric.unit,
                "seconds" | "percent" | "per_second" | "bytes_per_second" => metric.unit,
                "operations" | "1" => continue,
                other => panic!("{}: unknown unit {other}", metric.id),
            };
            assert!(
                metric.id.ends_with(&format!("_{suffix}")),
                "{} is in {}",
                metric.id,
                metric.unit
            );
        }
    }

    #[test]
    fn every_source_reads_its_fixture() {
        let tree = fixture::tree(MACHINE);
        for source in SOURCES {
            let readings = read(source, tree.path());
            check_form(source, &readings);
            if source.system == System::Windows {
                continue;
            }
            for metric in source.metrics {
                // Only calls report these, and system calls do not work on a fixture.
                let by_call = metric.id.ends_with("_switches")
                    || [
                        "process.load_",
                        "connection.",
                        "program.core_",
                        "program.block_",
                        "filesystem.",
                    ]
                    .iter()
                    .any(|beginning| metric.id.starts_with(beginning));
                let known = readings
                    .iter()
                    .any(|reading| reading.metric == metric.id && reading.value.is_some());
                assert_eq!(known, !by_call, "{} {}", source.name, metric.id);
            }
        }
    }

    #[test]
    fn a_missing_file_gives_missing_readings() {
        let nothing = tempfile::tempdir().unwrap();
        for source in SOURCES {
            let readings = read(source, nothing.path());
            check_form(source, &readings);
            assert!(
                readings.iter().all(|reading| reading.value.is_none()),
                "{}: {readings:?}",
                source.name
            );
        }
    }

    #[test]
    fn what_appears_after_the_opening_is_found() {
        let (late, complete) = (tempfile::tempdir().unwrap(), fixture::tree(MACHINE));
        let mut readers: Vec<_> = SOURCES
            .iter()
            .map(|source| open(source, late.path()))
            .collect();
        read_again(&mut readers);
        fixture::write(MACHINE, late.path());
        // What is not there is looked for at every eighth reading: folders first, then the files in them.
        for _ in 0..16 {
            read_again(&mut readers);
        }
        for ((source, again), now) in SOURCES
            .iter()
            .zip(read_again(&mut readers))
            .zip(SOURCES.iter().map(|source| read(source, complete.path())))
        {
            assert_eq!(again, now, "{}", source.name);
        }
    }

    #[test]
    fn a_file_that_goes_gives_missing_readings_and_is_found_when_it_comes_back() {
        let tree = fixture::tree(MACHINE);
        let mut readers: Vec<_> = SOURCES
            .iter()
            .map(|source| open(source, tree.path()))
            .collect();
        let complete = read_again(&mut readers);
        // An open file of a real folder stays readable when its name goes; one of the kernel's does not, so it is emptied.
        for (path, _) in fixture::files(MACHINE) {
            std::fs::write(tree.path().join(path), "").unwrap();
        }
        for (source, readings) in SOURCES.iter().zip(read_again(&mut readers)) {
            check_form(source, &readings);
            assert!(
                readings.iter().all(|reading| reading.value.is_none()),
                "{}: {readings:?}",
                source.name
            );
        }
        fixture::write(MACHINE, tree.path());
        assert_eq!(read_again(&mut readers), complete);
    }

    #[test]
    fn mangled_files_do_no_harm() {
        // A linear congruential generator (Knuth, MMIX): the same damage on every run.
        let mut state = 1u64;
        let mut draw = |below: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % below.max(1)
        };
        let tree = fixture::tree(MACHINE);
        let all = || {
            SOURCES
                .iter()
                .map(|source| read(source, tree.path()))
                .collect::<Vec<_>>()
        };
        let complete = all();
        let mut kept: Vec<_> = SOURCES
            .iter()
            .map(|source| open(source, tree.path()))
            .collect();
        assert_eq!(read_again(&mut kept), complete);
        let mut without_effect = Vec::new();
        for (path, content) in fixture::files(MACHINE) {
            let mut has_effect = false;
            for round in 0..24 {
                let mut bytes = content.clone().into_bytes();
                match round % 4 {
                    0 => bytes.truncate(draw(bytes.len())),
                    1 => (0..1 + bytes.len() / 8).for_each(|_| {
                        let at = draw(bytes.len());
                        bytes[at..]
                            .iter_mut()
                            .take(1)
                            .for_each(|byte| *byte = draw(256) as u8);
                    }),
                    2 => bytes
                        .iter_mut()
                        .filter(|byte| byte.is_ascii_digit())
                        .for_each(|byte| *byte = b"-9e.x"[draw(5)]),
                    _ => {
                        bytes = bytes
                            .split(|byte| *byte == b'\n')
                            .rev()
                            .collect::<Vec<_>>()
                            .join(&b"\n\n"[..1 + draw(2)])
                    }
                }
                std::fs::write(tree.path().join(&path), bytes).unwrap();
                for (source, complete) in SOURCES.iter().zip(&complete) {
                    let readings = read(source, tree.path());
                    check_form(source, &readings);
                    has_effect |= readings != *complete;
                }
                for (source, readings) in SOURCES.iter().zip(read_again(&mut kept)) {
                    check_form(source, &readings);
                }
            }
            std::fs::write(tree.path().join(&path), content).unwrap();
            let again = read_again(&mut kept);
            assert_eq!(
                again, complete,
                "{path}: nothing of the damage is remembered"
            );
            if !has_effect {
                without_effect.push(path);
            }
        }
        // Damage that no source sees would test nothing: these files belong to the facts of the environment alone.
        let facts = [
            "cpu.max",
            "memory.max",
            "io.max",
            "sys/fs/cgroup/cpu.stat",
            "vda/dev",
            "vda/size",
            "enp1s0f0/mtu",
        ];
        without_effect.retain(|path: &String| !facts.iter().any(|fact| path.ends_with(fact)));
        assert!(without_effect.is_empty(), "{without_effect:?}");
    }

    #[test]
    fn a_file_cut_short_gives_right_values_or_none() {
        let tree = fixture::tree(MACHINE);
        let complete: Vec<Vec<Reading>> = SOURCES
            .iter()
            .map(|source| read(source, tree.path()))
            .collect();
        // Files that consist of one number, or of lines that end without a mark, cannot show that they were cut.
        let lined = [
            "proc/pressure/io",
            "proc/meminfo",
            "proc/self/io",
            "proc/net/snmp",
            "proc/fs/cifs/Stats",
            "sys/fs/cgroup/system.slice/plumb.scope/cpu.stat",
        ];
        for (path, content) in fixture::files(MACHINE)
            .into_iter()
            .filter(|(path, _)| lined.contains(&path.as_str()))
        {
            for length in 0..content.len() {
                std::fs::write(tree.path().join(&path), &content[..length]).unwrap();
                for (source, complete) in SOURCES.iter().zip(&complete) {
                    // Throttling is a sum over groups, of which one may be missing.
                    for cut in read(source, tree.path())
                        .iter()
                        .filter(|cut| cut.value.is_some() && !cut.metric.contains("throttled"))
                    {
                        assert!(complete.contains(cut), "{path} cut at {length}: {cut:?}");
                    }
                }
            }
            std::fs::write(tree.path().join(&path), content).unwrap();
        }
    }

    #[test]
    fn every_source_reads_this_machine() {
        if !crate::system::IS_LINUX {
            eprintln!("skipped: asks the kernel of Linux");
            return;
        }
        for source in SOURCES {
            let readings = read(source, Path::new("/"));
            check_form(source, &readings);
            if ["cpu", "memory", "process"].contains(&source.name) {
                let missing: Vec<_> = readings
                    .iter()
                    .filter(|reading| reading.value.is_none())
                    .collect();
                assert!(missing.is_empty(), "{}: {missing:?}", source.name);
            }
        }
        let cpus = read(&cpu::SOURCE, Path::new("/"));
        let busy = cpus
            .iter()
            .filter(|reading| reading.metric == "cpu.user_ns")
            .filter_map(|reading| reading.value)
            .sum::<f64>();
        assert!(busy > 0.0, "this machine has never run anything");
    }
}
