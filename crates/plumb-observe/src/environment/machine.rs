//! Which machine is it: system, processor, memory, hypervisor? From /proc, /sys and the DMI tables.

use std::collections::BTreeSet;
use std::path::Path;

use plumb_model::environment::{Environment, Fact};

use super::cpu_model::cpu_model;
use super::fact::{flag_fact, number_fact, text_fact};
use crate::system::kernel_files::{Known, exists, number, number_list, numbered, text};
use crate::system::{self, paths};

/// Sets the facts of host, CPU, memory, clock and limits of the process.
pub(crate) fn look(root: &Path, environment: &mut Environment) {
    look_at_host(root, environment);
    look_at_cpus(root, environment);
    let nodes = numbered(root, paths::NUMA_NODES, "node").len();
    let nodes = if nodes > 0 {
        Ok(nodes as f64)
    } else {
        Err("/sys/devices/system/node lists none; the kernel has no NUMA support".to_owned())
    };
    environment.set("numa.nodes", number_fact(nodes));
    environment.set("memory.total_bytes", number_fact(memory(root, "MemTotal")));
    environment.set(
        "memory.available_bytes",
        number_fact(memory(root, "MemAvailable")),
    );
    environment.set("clock.source", text_fact(text(root, paths::CLOCK_SOURCE)));
    let disabled = number(root, paths::IO_URING_DISABLED);
    let disabled =
        disabled.map_err(|error| format!("{error} (a kernel before 6.6, or one without io_uring)"));
    environment.set("io_uring.disabled", number_fact(disabled));
    environment.set(
        "limit.locked_memory_bytes",
        limit(root, "Max locked memory"),
    );
    environment.set("limit.open_files", limit(root, "Max open files"));
}

fn look_at_host(root: &Path, environment: &mut Environment) {
    environment.set("host.name", text_fact(text(root, paths::HOST_NAME)));
    environment.set("host.system", Fact::Text(system(root)));
    let kernel = text(root, paths::KERNEL_RELEASE);
    let kernel = kernel.map(|release| {
        format!(
            "{release} {}",
            text(root, paths::KERNEL_VERSION).unwrap_or_default()
        )
        .trim()
        .to_owned()
    });
    environment.set("host.kernel", text_fact(kernel));
    environment.set(
        "host.architecture",
        Fact::Text(std::env::consts::ARCH.into()),
    );
    environment.set("host.virtualisation", text_fact(virtualisation(root)));
    environment.set("host.cloud", text_fact(cloud(root)));
    let load = text(root, paths::LOAD).and_then(|line| {
        let first = line.split(' ').next().and_then(|first| first.parse().ok());
        first.ok_or_else(|| format!("/proc/loadavg has '{line}'"))
    });
    environment.set("host.load_1min", number_fact(load));
}

/// `Linux, Debian GNU/Linux 13 (trixie)`.
fn system(root: &Path) -> String {
    let release = text(root, "etc/os-release")
        .or_else(|_| text(root, "usr/lib/os-release"))
        .unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map(|name| name.trim_matches(['"', '\'']));
    let system = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        "freebsd" => "FreeBSD",
        other => other,
    };
    name.map_or_else(|| system.to_owned(), |name| format!("{system}, {name}"))
}

fn look_at_cpus(root: &Path, environment: &mut Environment) {
    let information = text(root, paths::CPU_MODELS);
    let model = information
        .and_then(|text| cpu_model(&text).ok_or_else(|| "/proc/cpuinfo shows no name".to_owned()));
    environment.set("cpu.model", text_fact(model));
    let online = text(root, &paths::cpus("online")).map(|list| number_list(&list));
    let distinct = |file: &str| -> Known<f64> {
        let cpus = online.clone()?;
        let reported: Known<BTreeSet<String>> = cpus
            .iter()
            .map(|cpu| text(root, &paths::cpus(&format!("cpu{cpu}/topology/{file}"))))
            .collect();
        Ok(reported?.len() as f64)
    };
    environment.set("cpu.sockets", number_fact(distinct("physical_package_id")));
    // Threads of a core share one list of siblings; its name before Linux 5.3 was thread_siblings_list.
    environment.set(
        "cpu.cores",
        number_fact(distinct("core_cpus_list").or_else(|_| distinct("thread_siblings_list"))),
    );
    environment.set(
        "cpu.threads",
        number_fact(online.clone().map(|cpus| cpus.len() as f64)),
    );
    let allowed = match allowed_cpus(root).len() {
        0 => Err("/proc/self/status has no Cpus_allowed_list".to_owned()),
        count => Ok(count as f64),
    };
    environment.set("cpu.allowed", number_fact(allowed));
    look_at_frequency(root, &online.unwrap_or_default(), environment);
}

/// Logical CPUs that this process may run on (affinity and cpuset), in ascending order; empty if the system does not report them.
pub(super) fn allowed_cpus(root: &Path) -> Vec<u32> {
    let status = text(root, paths::STATUS).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .map(number_list)
        .unwrap_or_default()
}

/// Kernel documents: Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst.
fn look_at_frequency(root: &Path, online: &[u32], environment: &mut Environment) {
    const NONE: &str =
        "no cpufreq driver in /sys; the hypervisor or the firmware sets the frequency";
    let each = |file: &str| -> Vec<String> {
        online
            .iter()
            .filter_map(|cpu| text(root, &paths::cpus(&format!("cpu{cpu}/cpufreq/{file}"))).ok())
            .collect()
    };
    let governors: BTreeSet<String> = each("scaling_governor").into_iter().collect();
    let governors: Vec<String> = governors.into_iter().collect();
    environment.set(
        "cpu.governor",
        text_fact(if governors.is_empty() {
            Err(NONE.to_owned())
        } else {
            Ok(governors.join(", "))
        }),
    );
    let highest_khz = each("cpuinfo_max_freq")
        .iter()
        .filter_map(|text| text.parse::<u64>().ok())
        .max();
    environment.set(
        "cpu.frequency_max_hz",
        number_fact(
            highest_khz
                .map(|khz| khz as f64 * 1e3)
                .ok_or_else(|| NONE.to_owned()),
        ),
    );
    let turbo = number(root, &paths::cpus("intel_pstate/no_turbo")).map(|no| no == 0.0);
    let turbo =
        turbo.or_else(|_| number(root, &paths::cpus("cpufreq/boost")).map(|boost| boost != 0.0));
    environment.set("cpu.turbo", flag_fact(turbo.map_err(|_| NONE.to_owned())));
}

/// One line of /proc/meminfo, in bytes ("kB" there means 1024 bytes).
fn memory(root: &Path, name: &str) -> Known<f64> {
    let all = text(root, paths::MEMORY)?;
    let line = all
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map(|kib| kib as f64 * 1024.0)
        .ok_or_else(|| format!("/proc/meminfo has no {name}"))
}

/// The soft limit: the first of the two numbers.
fn limit(root: &Path, name: &str) -> Fact {
    let all = match text(root, paths::LIMITS) {
        Ok(all) => all,
        Err(reason) => return Fact::Unknown(reason),
    };
    match all
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.split_ascii_whitespace().next())
    {
        Some("unlimited") => Fact::Text("none".into()),
        Some(soft) => number_fact(
            soft.parse()
                .map_err(|_| format!("/proc/self/limits has '{soft}' as {name}")),
        ),
        None => Fact::Unknown(format!("/proc/self/limits has no '{name}'")),
    }
}

/// One entry of the DMI tables, empty when there is none.
fn dmi(root: &Path, name: &str) -> String {
    text(root, &format!("{}/{name}", paths::DMI_TABLES)).unwrap_or_default()
}

/// Hypervisor and container, or `none`.
fn virtualisation(root: &Path) -> Known<String> {
    let flagged = text(root, paths::CPU_MODELS)?.lines().any(|line| {
        line.starts_with("flags") && line.ends_with(" hypervisor") || line.contains(" hypervisor ")
    });
    // Machines of other processors than x86-64 may have a device tree in place of DMI tables.
    let tables = [
        dmi(root, "sys_vendor"),
        dmi(root, "product_name"),
        dmi(root, "bios_vendor"),
        text(root, paths::DEVICE_TREE).unwrap_or_default(),
        text(root, paths::DEVICE_TREE_HYPERVISOR).unwrap_or_default(),
    ]
    .join(" ");
    let by_tables = [
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("innotek", "VirtualBox"),
        ("Virtual Machine", "Hyper-V"),
        ("KVM", "KVM"),
        ("QEMU", "QEMU"),
        ("Google Compute Engine", "KVM"),
        ("Xen", "Xen"),
        ("Parallels", "Parallels"),
        ("bhyve", "bhyve"),
        ("xen,xen", "Xen"),
        ("linux,kvm", "KVM"),
        ("linux,dummy-virt", "QEMU"),
    ];
    let is_live = root == Path::new("/");
    let mut layers = Vec::new();
    // The processor reports the hypervisor's own name; tables are the hypervisor's choice, and the only word where there is no such flag.
    if let Some(name) = system::hypervisor().filter(|_| is_live) {
        layers.push(name);
    } else if let Some((_, name)) = by_tables.iter().find(|(mark, _)| tables.contains(mark)) {
        layers.push((*name).to_owned());
    } else if flagged {
        layers.push("unknown hypervisor".to_owned());
    }
    if let Some(name) = container(root) {
        layers.push(format!("{name} container"));
    }
    Ok(if layers.is_empty() {
        "none".into()
    } else {
        layers.join(", ")
    })
}

/// The kind of container, by the markers of container programs.
fn container(root: &Path) -> Option<String> {
    if let Ok(name) = text(root, "run/systemd/container") {
        return Some(name);
    }
    let marks = [
        (".dockerenv", "docker"),
        ("run/.containerenv", "podman"),
        ("var/run/secrets/kubernetes.io", "kubernetes"),
    ];
    if let Some((_, name)) = marks.iter().find(|(path, _)| exists(root, path)) {
        return Some((*name).to_owned());
    }
    let environment = text(root, paths::FIRST_PROCESS_ENVIRONMENT).unwrap_or_default();
    environment
        .split('\0')
        .find_map(|entry| entry.strip_prefix("container="))
        .map(str::to_owned)
}

/// The provider by the DMI tables, or `none`.
fn cloud(root: &Path) -> Known<String> {
    if !exists(root, paths::DMI_TABLES) {
        return Err("the machine has no DMI tables in /sys/class/dmi/id".into());
    }
    let tables = [
        "sys_vendor",
        "product_name",
        "bios_vendor",
        "bios_version",
        "board_vendor",
        "chassis_vendor",
        "chassis_asset_tag",
    ];
    Ok(provider(&tables.map(|name| dmi(root, name)).join("\n")))
}

/// The provider by what the DMI tables say, or `none`.
pub(super) fn provider(tables: &str) -> String {
    let marks = [
        ("Amazon EC2", "Amazon EC2"),
        ("amazon", "Amazon EC2"),
        ("Google Compute Engine", "Google Compute Engine"),
        // The asset tag that all virtual machines of Azure have; others with Hyper-V do not.
        ("7783-7084-3265-9085-8269-3286-77", "Microsoft Azure"),
        ("OracleCloud.com", "Oracle Cloud"),
        ("DigitalOcean", "DigitalOcean"),
        ("Hetzner", "Hetzner"),
        ("Alibaba Cloud", "Alibaba Cloud"),
        ("Tencent Cloud", "Tencent Cloud"),
        ("Scaleway", "Scaleway"),
        ("Vultr", "Vultr"),
        ("Linode", "Akamai (Linode)"),
        ("Akamai", "Akamai (Linode)"),
        ("UpCloud", "UpCloud"),
        ("OVHcloud", "OVHcloud"),
        ("OpenStack", "OpenStack"),
    ];
    let found = marks.iter().find(|(mark, _)| tables.contains(mark));
    found.map_or("none", |(_, name)| name).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn facts_of(name: &str) -> Environment {
        let mut environment = Environment::default();
        look(fixture::tree(name).path(), &mut environment);
        environment
    }

    #[test]
    fn a_server_with_two_sockets_is_read() {
        let facts = facts_of("proc-nvme");
        for (id, expected) in [
            ("host.name", "host-1"),
            ("host.kernel", "6.12.0-example #1 SMP PREEMPT_DYNAMIC"),
            ("host.virtualisation", "none"),
            ("host.cloud", "none"),
            ("cpu.model", "Example CPU 9000"),
            ("cpu.governor", "performance, powersave"),
            ("clock.source", "tsc"),
            ("limit.open_files", "none"),
        ] {
            assert_eq!(facts.text(id), Some(expected), "{id}");
        }
        assert!(
            facts
                .text("host.system")
                .unwrap()
                .ends_with("Example OS 1.0")
        );
        for (id, expected) in [
            ("host.load_1min", 0.19),
            ("cpu.sockets", 2.0),
            ("cpu.cores", 2.0),
            ("cpu.threads", 4.0),
            ("cpu.allowed", 3.0),
            ("cpu.frequency_max_hz", 3.4e9),
            ("numa.nodes", 2.0),
            ("memory.total_bytes", 24682416.0 * 1024.0),
            ("memory.available_bytes", 20000000.0 * 1024.0),
            ("io_uring.disabled", 2.0),
            ("limit.locked_memory_bytes", 8388608.0),
        ] {
            assert_eq!(facts.number(id), Some(expected), "{id}");
        }
        assert_eq!(facts.flag("cpu.turbo"), Some(false));
    }

    #[test]
    fn a_cloud_machine_names_hypervisor_and_provider() {
        let facts = facts_of("proc-raid");
        assert_eq!(
            facts.text("host.virtualisation"),
            Some("Hyper-V, docker container")
        );
        assert_eq!(facts.text("host.cloud"), Some("Microsoft Azure"));
        assert_eq!(facts.text("cpu.model"), Some("Neoverse N1"));
    }

    #[test]
    fn nothing_is_made_up_where_there_are_no_files() {
        let nothing = tempfile::tempdir().unwrap();
        let mut facts = Environment::default();
        look(nothing.path(), &mut facts);
        let known: Vec<&str> = facts
            .facts
            .iter()
            .filter(|(_, fact)| !matches!(fact, Fact::Unknown(_)))
            .map(|(id, _)| id.as_str())
            .collect();
        assert_eq!(known, ["host.architecture", "host.system"]);
    }
}
