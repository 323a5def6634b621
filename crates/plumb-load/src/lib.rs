//! How is load generated? Engines carry out operations; workers feed them; the crew runs the workers of a step.
//!
//! ```
//! use plumb_load::engines::ENGINES;
//!
//! // All engines of this system, best first.
//! assert!(ENGINES.iter().any(|engine| engine.name == "null"));
//! ```

pub mod clock;
pub mod copy;
pub mod crew;
pub mod engine;
pub mod engines;
pub mod fabric;
pub mod feed;
pub mod peer;
pub mod secret;
pub mod share;
pub mod shares;
pub mod site;
pub mod system;
pub mod verify;
pub mod worker;
