//! How does plumb speak to an NFS server by itself, nothing being mounted? NFS 4.1 over TCP with `AUTH_SYS` (RFC 8881), in this folder.

pub mod buffers;
pub mod call;
pub mod client;
pub mod connection;
pub mod export;
mod head;
pub mod results;
pub mod status;
mod xdr;
