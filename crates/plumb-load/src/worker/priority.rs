//! Which priority have the requests of a worker at the disk scheduler, and where does its memory lie?

use plumb_model::statement::Statement;
use plumb_model::workload::{IoPriority, MemoryPolicy};

use crate::system;

/// Gives the requests of the calling thread this priority.
///
/// # Errors
/// The system does not grant it, or has none.
pub(super) fn take_priority(priority: IoPriority) -> Result<(), Statement> {
    let (class, level) = priority.class_and_level();
    system::set_io_priority(class, level).map_err(|error| {
        Statement::new("priority-cannot-be-had")
            .name("priority", priority.to_string())
            .name("error", error.to_string())
    })
}

/// Takes memory of the calling thread from these nodes from now on.
///
/// # Errors
/// There is no such node, or the system has none.
pub(super) fn take_memory_policy(policy: &MemoryPolicy) -> Result<(), Statement> {
    system::set_memory_policy(policy).map_err(|error| {
        Statement::new("memory-policy-cannot-be-had")
            .name("policy", policy.to_string())
            .name("error", error.to_string())
    })
}
