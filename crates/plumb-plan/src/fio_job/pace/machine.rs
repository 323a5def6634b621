//! Which CPUs and memory does a job use, and which I/O scheduler? `cpus_allowed`, `numa_cpu_nodes`, `numa_mem_policy`, `ioscheduler`.

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;

/// Remarks that the I/O scheduler is not changed.
pub fn scheduler(section: &Section, remarks: &mut Remarks) {
    if let Some(name) = section.text("ioscheduler") {
        let text = format!(
            "ioscheduler={name}: plumb does not change system settings; as root: echo {name} > /sys/block/DEVICE/queue/scheduler"
        );
        remarks.add(&section.name, text);
    }
}

/// Sets where workers run.
pub fn processors(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    // fio's default; it is written also as a name.
    let nodes = section.text("numa_cpu_nodes");
    if let Some(nodes) = nodes.filter(|nodes| *nodes != "all") {
        settings.set(section, "numa_cpu_nodes", "pin", format!("numa:{nodes}"));
        return Ok(());
    }
    let cpus = match section.text("cpus_allowed") {
        Some(text) => Some(("cpus_allowed", text.to_string())),
        None => section.integer("cpumask")?.map(|mask| {
            let cpus: Vec<String> = (0..64)
                .filter(|cpu| mask >> cpu & 1 == 1)
                .map(|cpu: u32| cpu.to_string())
                .collect();
            ("cpumask", cpus.join(","))
        }),
    };
    let Some((option, text)) = cpus else {
        return Ok(());
    };
    // fio accepts colons as separators between the clones' sets (HOWTO, cpus_allowed).
    let text = text.replace(':', ",");
    let is_split = section.word("cpus_allowed_policy", &["shared", "split"])? == Some("split");
    if !is_split && text.contains([',', '-']) {
        remarks.add(
            &section.name,
            format!("{option}={text}: workers are pinned to these CPUs in turn, one each, as with cpus_allowed_policy=split"),
        );
    }
    settings.set(section, option, "pin", text);
    Ok(())
}

/// Sets the NUMA nodes of the buffers: `numa_mem_policy`.
pub fn memory(section: &Section, settings: &mut JobSettings) {
    let policy = section
        .text("numa_mem_policy")
        .filter(|policy| *policy != "default");
    if let Some(policy) = policy {
        settings.set(section, "numa_mem_policy", "memory-policy", policy);
    }
}
