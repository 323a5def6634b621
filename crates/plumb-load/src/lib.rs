//! How is load generated? Engines carry out operations; workers feed them; the crew runs the workers of a step.

pub mod arrivals;
pub mod assignment;
pub mod buffers;
pub mod clock;
pub mod content;
pub mod copy;
pub mod crew;
pub mod engine;
pub mod engines;
pub mod fabric;
pub mod failure;
pub mod feed;
pub mod journal;
pub mod live_files;
pub mod meeting;
pub mod merge;
pub mod offsets;
pub mod operation;
pub mod peer;
pub mod reconnect;
pub mod replay;
pub mod secret;
pub mod share;
pub mod shares;
#[cfg(any(test, feature = "simulated"))]
pub mod simulated;
pub mod site;
pub mod system;
pub mod tick_buffer;
pub mod tree;
pub mod verify;
pub mod worker;
pub mod worker_setup;
