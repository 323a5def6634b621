//! Which limits do control groups set on CPU, memory and I/O of this process?

use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use crate::system::block_devices::Device;
use crate::system::control_groups::{IO_LIMITS, Version, groups, memory_limit};
use crate::system::kernel_files::text;

/// Text of a number without a limit.
const NO_LIMIT: &str = "none";

/// Sets the facts of the control groups: the tightest limit of its own group and all above it. `device`: what carries the target; I/O limits
/// apply to whole disks.
pub(crate) fn look(root: &Path, device: Option<&Device>, environment: &mut Environment) {
    environment.set(
        "cgroup.cpu_quota_percent",
        tightest(root, "cpu", cpu_quota_percent),
    );
    environment.set(
        "cgroup.memory_limit_bytes",
        tightest(root, "memory", memory_limit_bytes),
    );
    if let Some(device) = device {
        environment.set("cgroup.io_limit", io_limit(root, device));
    }
}

fn tightest(root: &Path, controller: &str, limit: fn(&Path, Version, &str) -> Option<f64>) -> Fact {
    let (version, folders) = groups(root, controller);
    if folders.is_empty() {
        return Fact::Unknown(format!(
            "no control group hierarchy with the controller {controller} is mounted"
        ));
    }
    let lowest = folders
        .iter()
        .filter_map(|folder| limit(root, version, folder))
        .reduce(f64::min);
    lowest.map_or_else(|| Fact::Text(NO_LIMIT.into()), Fact::Number)
}

/// Kernel documents: cgroup-v2.rst (cpu.max) and scheduler/sched-bwc.rst (version 1).
fn cpu_quota_percent(root: &Path, version: Version, folder: &str) -> Option<f64> {
    let (quota_us, period_us) = match version {
        Version::Two => {
            let line = text(root, &format!("{folder}/cpu.max")).ok()?;
            let (quota_us, period_us) = line.split_once(' ')?;
            (
                quota_us.parse::<f64>().ok()?,
                period_us.parse::<f64>().ok()?,
            )
        }
        Version::One => {
            let read = |file: &str| {
                text(root, &format!("{folder}/{file}"))
                    .ok()?
                    .parse::<f64>()
                    .ok()
            };
            (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?)
        }
    };
    (quota_us > 0.0 && period_us > 0.0).then_some(100.0 * quota_us / period_us)
}

fn memory_limit_bytes(root: &Path, version: Version, folder: &str) -> Option<f64> {
    memory_limit(root, version, folder).map(|(_, bytes)| bytes as f64)
}

/// Kernel documents: cgroup-v2.rst (io.max) and cgroup-v1/blkio-controller.rst.
fn io_limit(root: &Path, device: &Device) -> Fact {
    let (version, folders) = groups(root, "io");
    if folders.is_empty() {
        return Fact::Unknown(
            "no control group hierarchy with the controller io is mounted".into(),
        );
    }
    let mut chain = device.disks();
    chain.extend([device, device.complete()]);
    let mut numbers: Vec<String> = chain
        .iter()
        .filter_map(|device| {
            device
                .number
                .map(|(major, minor)| format!("{major}:{minor}"))
        })
        .collect();
    numbers.sort();
    numbers.dedup();
    let mut found = Vec::new();
    let on_chain = |line: &str| {
        let (number, rest) = line.split_once(' ')?;
        numbers
            .iter()
            .any(|selected| selected == number)
            .then(|| (number.to_owned(), rest.trim().to_owned()))
    };
    for folder in &folders {
        if version == Version::Two {
            let lines = text(root, &format!("{folder}/io.max")).unwrap_or_default();
            found.extend(
                lines
                    .lines()
                    .filter_map(on_chain)
                    .map(|(number, rest)| format!("{number} {rest}")),
            );
            continue;
        }
        for (file, name) in IO_LIMITS {
            let lines = text(root, &format!("{folder}/{file}")).unwrap_or_default();
            found.extend(
                lines
                    .lines()
                    .filter_map(on_chain)
                    .map(|(number, rest)| format!("{number} {name}={rest}")),
            );
        }
    }
    Fact::Text(if found.is_empty() {
        NO_LIMIT.into()
    } else {
        found.join("; ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn facts_of(name: &str, device: &str) -> Environment {
        let tree = fixture::tree(name);
        let root = tree.path().canonicalize().unwrap();
        let device = Device::of_name(&root, device).unwrap();
        let mut environment = Environment::default();
        look(&root, Some(&device), &mut environment);
        environment
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn version_2_takes_the_tightest_of_all_groups_above() {
        let facts = facts_of("proc-machine", "vda");
        assert_eq!(facts.number("cgroup.cpu_quota_percent"), Some(150.0));
        assert_eq!(
            facts.number("cgroup.memory_limit_bytes"),
            Some(1073741824.0)
        );
        assert_eq!(
            facts.text("cgroup.io_limit"),
            Some("254:0 rbps=1048576 wbps=max riops=max wiops=max")
        );
    }

    #[test]
    #[cfg_attr(
        windows,
        ignore = "the files of this machine have symlinks and names with colons"
    )]
    fn version_1_has_other_words_for_no_limit() {
        let facts = facts_of("proc-raid", "md0");
        assert_eq!(facts.text("cgroup.cpu_quota_percent"), Some("none"));
        assert_eq!(facts.text("cgroup.io_limit"), Some("9:0 wiops=500"));
        assert!(matches!(
            facts.facts["cgroup.memory_limit_bytes"],
            Fact::Text(_)
        ));
    }

    #[test]
    fn without_groups_nothing_is_known() {
        let nothing = tempfile::tempdir().unwrap();
        let mut facts = Environment::default();
        look(nothing.path(), None, &mut facts);
        assert!(
            facts
                .facts
                .values()
                .all(|fact| matches!(fact, Fact::Unknown(_)))
                && facts.facts.len() == 2
        );
    }
}
