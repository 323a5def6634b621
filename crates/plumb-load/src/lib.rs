//! How is load generated? Engines carry out operations; workers feed them; the crew runs the workers of a step.

pub mod arrivals;
pub mod buffers;
pub mod clock;
pub mod content;
pub mod crew;
pub mod engine;
pub mod engines;
pub mod feed;
pub mod host;
pub mod journal;
pub mod live_files;
pub mod meeting;
pub mod merge;
pub mod offsets;
pub mod secret;
pub mod share;
#[cfg(any(test, feature = "simulated"))]
pub mod simulated;
pub mod site;
pub mod station;
pub mod tick_buffer;
pub mod verify;
pub mod worker;
