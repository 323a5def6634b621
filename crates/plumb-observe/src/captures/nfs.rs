//! What is said over NFS? Remote procedure calls of program 100003 over TCP (RFC 5531, 1813, 7530, 8881, 7862), with what is needed of them for figures.

mod call;
mod compound;
mod connection;
mod operations;
mod records;
mod reply;
mod rpc;
mod status;
mod xdr;

pub use connection::Connection;
pub use rpc::{begins, is_call};

#[cfg(test)]
mod tests;
