//! How does plumb speak to an NFS server by itself, nothing being mounted? NFS 4.1 over TCP with `AUTH_SYS` (RFC 8881), in this folder.

pub mod buffers;
pub mod call;
pub mod client;
pub mod connection;
mod exchange;
pub mod export;
mod head;
mod reach;
mod refusal;
pub mod results;
pub mod status;
mod xdr;
