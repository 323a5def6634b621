//! What is there on Windows alone: which counter sets can be read?

use std::path::Path;

use plumb_model::environment::{Environment, Fact};
use plumb_model::windows_counters::{
    CounterSet, LOGICAL_DISK, NETWORK_INTERFACE, PHYSICAL_DISK, PROCESSOR_INFORMATION,
    RDMA_ACTIVITY, SMB_CLIENT_SHARES, SMB_DIRECT_CONNECTION,
};

use crate::counter_sets::missing;
use crate::system::IS_WINDOWS;

/// The counter sets and their facts.
const SETS: [(&str, &CounterSet); 7] = [
    ("counters.physical_disk", &PHYSICAL_DISK),
    ("counters.logical_disk", &LOGICAL_DISK),
    ("counters.smb_client_shares", &SMB_CLIENT_SHARES),
    ("counters.smb_direct_connection", &SMB_DIRECT_CONNECTION),
    ("counters.rdma_activity", &RDMA_ACTIVITY),
    ("counters.network_interface", &NETWORK_INTERFACE),
    ("counters.processor_information", &PROCESSOR_INFORMATION),
];

/// Sets the facts that Windows alone has, of the machine itself; none elsewhere.
pub(crate) fn look(root: &Path, environment: &mut Environment) {
    if !IS_WINDOWS || root != Path::new("/") {
        return;
    }
    look_at_counters(environment);
}

pub(super) fn look_at_counters(environment: &mut Environment) {
    for (id, set) in SETS {
        let fact = match missing(set) {
            None => Fact::Flag(true),
            Some(status) => Fact::Unknown(format!("{}: {status}", set.name)),
        };
        environment.set(id, fact);
    }
}
