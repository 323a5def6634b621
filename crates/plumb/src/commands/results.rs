//! Which verbs work on what was recorded?

pub mod compare;
pub mod export;
pub mod import;
pub mod list;
pub mod show;
pub mod trend;
