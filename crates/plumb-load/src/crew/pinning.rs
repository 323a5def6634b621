//! Which CPUs is a worker confined to?

use plumb_model::statement::Statement;
use plumb_model::workload::Pin;

use super::event::LoadError;
use crate::system;

/// Why no worker could be confined so on this machine; `None`: nothing is known to be in the way.
pub fn refusal(pin: &Pin) -> Option<String> {
    let allowed = system::allowed_cpus();
    let list = |cpus: &[u32]| {
        cpus.iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(",")
    };
    match pin {
        Pin::Cpus(cpus) if !allowed.is_empty() => {
            let missing: Vec<u32> = cpus
                .iter()
                .filter(|cpu| !allowed.contains(cpu))
                .copied()
                .collect();
            (!missing.is_empty()).then(|| {
                format!(
                    "pin: workers cannot run on CPU {}: this process is limited to CPU {}; choose from these, or set pin = each",
                    list(&missing),
                    list(&allowed)
                )
            })
        }
        Pin::No | Pin::Cpus(_) => None,
        other => cpus_for(other, 0)
            .err()
            .map(|error| format!("pin: {error}")),
    }
}

/// The CPUs that worker number `index` (over all jobs) is confined to; empty: anywhere.
pub(super) fn cpus_for(pin: &Pin, index: usize) -> Result<Vec<u32>, LoadError> {
    let one_of = |cpus: &[u32]| cpus.get(index % cpus.len().max(1)).map(|cpu| vec![*cpu]);
    let found = match pin {
        Pin::No => Ok(Vec::new()),
        Pin::Each => one_of(&system::allowed_cpus())
            .ok_or_else(|| Statement::new("pinning-is-not-available")),
        Pin::Cpus(cpus) => one_of(cpus).ok_or_else(|| Statement::new("no-cpus-to-pin-to")),
        Pin::Numa(nodes) => {
            let of_node = |node: &u32| {
                let cpus = Some(system::cpus_of_node(*node)).filter(|cpus| !cpus.is_empty());
                cpus.ok_or_else(|| {
                    Statement::new("no-such-memory-node").name("node", node.to_string())
                })
            };
            let each: Result<Vec<_>, _> = nodes.iter().map(of_node).collect();
            each.map(|cpus| cpus.concat())
        }
    };
    found.map_err(LoadError)
}
