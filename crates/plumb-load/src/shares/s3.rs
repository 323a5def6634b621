//! How does plumb access an S3 bucket? HTTP/1.1 over sockets of its own, signed with AWS Signature Version 4, in this folder (docs/decisions/0025-object-store.md).

pub mod bucket;
pub mod checksum;
pub mod chunks;
pub mod client;
pub mod connection;
pub mod credentials;
pub mod endpoint;
pub mod fault;
pub mod metadata;
pub mod profiles;
pub mod request;
pub mod service;
pub mod settings;
pub mod signature;
pub mod sources;
mod survey;
pub mod tls;
pub mod wire;
pub mod xml;

pub use settings::variables_for_programs;
pub use survey::survey;
