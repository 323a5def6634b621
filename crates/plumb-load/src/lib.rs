//! How is load generated? Engines carry out operations; workers feed them; the crew runs the workers of a step.

pub mod content;
pub mod engine;
pub mod offsets;
pub mod site;
pub mod verify;
