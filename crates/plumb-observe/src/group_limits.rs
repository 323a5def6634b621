//! Which limits of control groups did a program run into? Looked for while it runs, at the groups that it and its children are in.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plumb_model::trace::facts::{IoLimit, IoLimitKind, MemoryLimit};

use crate::system::block_devices::Device;
use crate::system::control_groups::{IO_LIMITS, Version, groups_of, membership, memory_limit};
use crate::system::kernel_files::{full_text, text};
use crate::system::page_bytes;
use crate::system::processes::children_of;

/// Pause between looks: this part of the time so far, within these. What a group did before it was seen is not known, and must be little of the whole.
const LOOKS: u32 = 10;
const PAUSE_MIN: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(100);
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
    let (begun, mut watched) = (Instant::now(), Watched::default());
    while !is_over.load(Ordering::Acquire) {
        watched.look(root, process);
        std::thread::park_timeout((begun.elapsed() / LOOKS).clamp(PAUSE_MIN, PAUSE_MAX));
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
