//! How does plumb access an NFS server without a mount? NFS 4.2, 4.1, 4.0 and 3 over TCP with `AUTH_SYS` or Kerberos (RFC 7862, 8881, 7530, 1813, 2203), in
//! this folder.

pub mod buffers;
pub mod call;
pub mod client;
pub mod connection;
mod exchange;
pub mod export;
pub mod gss;
mod head;
pub mod message;
pub mod open_owner;
mod reach;
mod refusal;
pub mod results;
pub mod status;
pub mod version3;
pub mod xdr;

pub use client::survey::survey;
