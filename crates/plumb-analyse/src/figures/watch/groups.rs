//! Which figures are computed from which counters? One group per kind of object: disks, mounts, interfaces, cores.

mod machine;
mod network;
mod programs;
mod storage;
mod windows;

use super::group::Group;

/// All groups, in the order in which they are shown.
pub static GROUPS: &[&Group] = &[
    &programs::PROGRAM,
    &storage::DISK,
    &storage::NFS,
    &storage::SMB,
    &storage::SMB_SERVER,
    &windows::SMB_CLIENT_SHARE,
    &windows::PHYSICAL_DISK,
    &windows::LOGICAL_DISK,
    &windows::NETWORK_INTERFACE,
    &windows::RDMA_ACTIVITY,
    &windows::PROCESSOR_INFORMATION,
    &network::INTERFACE,
    &network::RDMA,
    &network::TCP,
    &network::CONNECTION,
    &machine::CPU,
    &machine::PRESSURE,
    &machine::MEMORY,
    &machine::CGROUP,
    &storage::FILE_SYSTEM,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_kind_has_a_formula_for_each_column() {
        let mut ids = BTreeSet::new();
        for group in GROUPS {
            assert!(ids.insert(group.id), "{}", group.id);
            let columns: BTreeSet<_> = group.columns.iter().map(|column| column.id).collect();
            assert_eq!(columns.len(), group.columns.len(), "{}", group.id);
            for kind in group.kinds {
                assert_eq!(
                    kind.formulas.len(),
                    group.columns.len(),
                    "{} {}",
                    group.id,
                    kind.id
                );
            }
        }
    }
}
