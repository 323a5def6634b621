//! What does the kernel count of mounted shares, and of the connections to their servers?

pub(super) mod cifs;
pub(super) mod nfs;
pub(super) mod smb_servers;
