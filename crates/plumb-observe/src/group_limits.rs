//! Which limits of control groups did a program run into? Looked for while it runs, at the groups that it and its children are in.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plumb_model::trace::facts::{IoLimit, IoLimitKind, MemoryLimit};

use crate::system::block_devices::Device;
use crate::system::control_groups::{IO_LIMITS, Version, groups_of, membership, memory_limit};
use crate::system::kernel_files::{full_text, text};
use crate::system::page_bytes;
use crate::system::processes::children_of;

/// Pause between looks.
const LOOK: Duration = Duration::from_millis(100);
/// Processes at which is looked, the program's own first.
const PROCESSES_MAX: usize = 32;
/// Part of a limit on memory from which on it is full: the kernel frees some pages before it gives others.
const FULL: f64 = 0.9;

/// Limits that hold for a program.
#[derive(Debug, Default)]
pub struct GroupLimits {
    pub memory: Vec<MemoryLimit>,
    pub io: Vec<IoLimit>,
}

/// Looks until `is_over` is set: at a process and its children, or at the commands that plumb has started. Unpark the thread for a last look at once.
pub fn watch(process: Option<u32>, is_over: &AtomicBool) -> GroupLimits {
    let root = Path::new("/");
    let process = process.unwrap_or_else(std::process::id);
    let mut watched = Watched::default();
    while !is_over.load(Ordering::Acquire) {
        watched.look(root, process);
        std::thread::park_timeout(LOOK);
    }
    watched.look(root, process);
    watched.limits()
}

/// A group with a limit on memory.
struct MemoryGroup {
    folder: String,
    file: String,
    limit_bytes: u64,
    version: Version,
    /// Pages read again since the kernel had dropped them, at the first look and at the last one.
    refaults: (u64, u64),
    was_full: bool,
}

#[derive(Default)]
struct Watched {
    known: BTreeSet<String>,
    memory: Vec<MemoryGroup>,
    io: Vec<IoLimit>,
}

impl Watched {
    fn look(&mut self, root: &Path, process: u32) {
        let mut processes = vec![process];
        let mut at = 0;
        while let Some(process) = processes.get(at).copied() {
            at += 1;
            if let Some(membership) = membership(root, &process.to_string()) {
                self.meet(root, membership);
            }
            processes.extend(children_of(process, process));
            processes.truncate(PROCESSES_MAX);
        }
        for group in &mut self.memory {
            group.look(root);
        }
    }

    /// Groups that are seen for the first time.
    fn meet(&mut self, root: &Path, membership: String) {
        if self.known.contains(&membership) {
            return;
        }
        let (version, folders) = groups_of(root, &membership, "memory");
        for folder in folders {
            let is_known = self.memory.iter().any(|of| of.folder == folder);
            if let Some((file, limit_bytes)) = memory_limit(root, version, &folder)
                && !is_known
            {
                let now = refaults(root, version, &folder).unwrap_or(0);
                self.memory.push(MemoryGroup {
                    folder,
                    file,
                    limit_bytes,
                    version,
                    refaults: (now, now),
                    was_full: false,
                });
            }
        }
        let (version, folders) = groups_of(root, &membership, "io");
        for folder in folders {
            for limit in io_limits(root, version, &folder) {
                if !self.io.contains(&limit) {
                    self.io.push(limit);
                }
            }
        }
        self.known.insert(membership);
    }

    fn limits(self) -> GroupLimits {
        let page_bytes = page_bytes() as u64;
        let full = self.memory.into_iter().filter(|of| of.was_full);
        let memory = full.filter_map(|of| {
            let pages = of.refaults.1.saturating_sub(of.refaults.0);
            (pages > 0).then(|| MemoryLimit {
                file: format!("/{}", of.file),
                limit_bytes: of.limit_bytes,
                refaulted_bytes: pages.saturating_mul(page_bytes),
            })
        });
        GroupLimits {
            memory: memory.collect(),
            io: self.io,
        }
    }
}

impl MemoryGroup {
    fn look(&mut self, root: &Path) {
        // What a group that is gone did is known by the look before.
        if let Some(now) = refaults(root, self.version, &self.folder) {
            self.refaults.1 = self.refaults.1.max(now);
        }
        let file = match self.version {
            Version::Two => "memory.current",
            Version::One => "memory.usage_in_bytes",
        };
        let used = text(root, &format!("{}/{file}", self.folder));
        let used = used.ok().and_then(|text| text.parse::<f64>().ok());
        self.was_full |= used.is_some_and(|used| used >= FULL * self.limit_bytes as f64);
    }
}

/// Pages of files that were read again soon after the kernel had dropped them (memory.stat; version 1 has those of groups below in `total_`).
fn refaults(root: &Path, version: Version, folder: &str) -> Option<u64> {
    let text = full_text(root, &format!("{folder}/memory.stat")).ok()?;
    let names = match version {
        Version::Two => ["workingset_refault_file", "workingset_refault"],
        Version::One => ["total_workingset_refault_file", "total_workingset_refault"],
    };
    let value = |name: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        line.trim().parse().ok()
    };
    names.into_iter().find_map(value)
}

fn io_limits(root: &Path, version: Version, folder: &str) -> Vec<IoLimit> {
    let mut found = Vec::new();
    let mut add = |number: &str, key: &str, limit: &str, file: &str| {
        let device = number.split_once(':').and_then(|(major, minor)| {
            let number = (major.parse().ok()?, minor.parse().ok()?);
            Device::of_number(root, number).ok()
        });
        let kind = match key {
            "riops" => IoLimitKind::Reads,
            "wiops" => IoLimitKind::Writes,
            "rbps" => IoLimitKind::ReadBytes,
            _ => IoLimitKind::WriteBytes,
        };
        if let (Some(device), Ok(per_second)) = (device, limit.parse::<u64>()) {
            found.push(IoLimit {
                file: format!("/{folder}/{file}"),
                device: device.name,
                number: number.to_string(),
                kind,
                per_second,
            });
        }
    };
    match version {
        Version::Two => {
            let lines = text(root, &format!("{folder}/io.max")).unwrap_or_default();
            for line in lines.lines() {
                let mut words = line.split_ascii_whitespace();
                let number = words.next().unwrap_or_default();
                for (key, limit) in words.filter_map(|word| word.split_once('=')) {
                    add(number, key, limit, "io.max");
                }
            }
        }
        Version::One => {
            for (file, key) in IO_LIMITS {
                let lines = text(root, &format!("{folder}/{file}")).unwrap_or_default();
                for (number, limit) in lines.lines().filter_map(|line| line.split_once(' ')) {
                    add(number, key, limit.trim(), file);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![cfg(target_os = "linux")]

    use super::*;
    use crate::fixture;

    fn looked(root: &Path) -> Watched {
        let mut watched = Watched::default();
        watched.meet(root, membership(root, "self").unwrap());
        watched
    }

    #[test]
    fn limits_of_version_2_are_found_in_all_groups_above() {
        let tree = fixture::tree("proc-machine");
        let root = tree.path().canonicalize().unwrap();
        let watched = looked(&root);
        let io: Vec<_> = watched.io.iter().collect();
        assert_eq!(io.len(), 1, "{io:?}");
        assert_eq!(
            (io[0].device.as_str(), io[0].kind),
            ("vda", IoLimitKind::ReadBytes)
        );
        assert_eq!(io[0].per_second, 1_048_576);
        assert!(io[0].file.ends_with("/io.max"), "{}", io[0].file);
        let limits: Vec<u64> = watched.memory.iter().map(|of| of.limit_bytes).collect();
        assert!(limits.contains(&1_073_741_824), "{limits:?}");
    }

    #[test]
    fn limits_of_version_1_have_a_file_each() {
        let tree = fixture::tree("proc-raid");
        let root = tree.path().canonicalize().unwrap();
        let watched = looked(&root);
        assert_eq!(watched.io.len(), 1, "{:?}", watched.io);
        let io = &watched.io[0];
        assert_eq!(
            (io.device.as_str(), io.kind, io.per_second),
            ("md0", IoLimitKind::Writes, 500)
        );
        assert!(
            io.file.ends_with("/blkio.throttle.write_iops_device"),
            "{}",
            io.file
        );
    }

    #[test]
    fn a_full_group_that_reads_pages_again_is_told_and_one_with_room_is_not() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path();
        std::fs::create_dir(root.join("g")).unwrap();
        let write =
            |file: &str, text: &str| std::fs::write(root.join("g").join(file), text).unwrap();
        for (used, expected) in [("950", true), ("500", false)] {
            write("memory.stat", "anon 1\nworkingset_refault_file 10\n");
            write("memory.current", used);
            let mut group = MemoryGroup {
                folder: "g".into(),
                file: "g/memory.max".into(),
                limit_bytes: 1000,
                version: Version::Two,
                refaults: (10, 10),
                was_full: false,
            };
            write("memory.stat", "anon 1\nworkingset_refault_file 30\n");
            group.look(root);
            let watched = Watched {
                memory: vec![group],
                ..Watched::default()
            };
            let page = page_bytes() as u64;
            let told: Vec<u64> = watched
                .limits()
                .memory
                .iter()
                .map(|of| of.refaulted_bytes)
                .collect();
            assert_eq!(told, if expected { vec![20 * page] } else { vec![] });
        }
    }
}
