//! How does plumb speak to a file server by SMB 2.1 to 3.1.1? Connections, sessions and requests of its own, nothing being mounted.

pub mod answer;
pub mod command;
pub mod connection;
pub mod draft;
pub mod exchange;
pub mod fault;
mod inbox;
mod key;
mod login;
pub mod negotiate;
mod nonces;
mod ntlm;
mod outbox;
pub mod protect;
mod receive;
pub mod session;
pub mod share;
pub mod status;
mod survey;
mod validate;

pub use survey::survey;
