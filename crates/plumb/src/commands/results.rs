//! Which verbs work on what was recorded?

pub mod compare;
pub mod export;
pub mod import;
pub mod list;
pub mod report;
pub mod serve;
pub mod share;
pub mod show;
pub mod trend;
