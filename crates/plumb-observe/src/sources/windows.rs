//! Which counter sets of Windows are read? One source for each.

pub(super) mod logical_disk;
pub(super) mod network_interface;
pub(super) mod physical_disk;
pub(super) mod processor_information;
pub(super) mod rdma_activity;
pub(super) mod smb_client_shares;
pub(super) mod smb_direct_connection;
