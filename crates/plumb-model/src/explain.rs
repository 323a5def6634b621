//! What limits an application, and what would help? Observations, and the conclusions from them.

pub mod account;
pub mod conclusion;
pub mod curve;
pub mod experiment;
pub mod observed;
