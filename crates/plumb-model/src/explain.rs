//! What limits an application, and what would help? What was observed of it, and what is concluded from that.

pub mod conclusion;
pub mod curve;
pub mod experiment;
pub mod observed;
