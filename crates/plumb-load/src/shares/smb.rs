//! How does plumb access a file server by SMB 2.0.2 to 3.1.1? With its own connections, sessions and requests, without a mount.

mod advice;
pub mod answer;
pub mod command;
pub mod connection;
pub mod fault;
pub mod frame_builder;
mod listing;
mod login;
pub mod negotiate;
pub mod protect;
mod referral;
pub mod session;
pub mod share;
mod smb1;
pub mod status;
pub mod survey;
mod upload;
mod validate;

pub use survey::survey;
