//! Which verbs work on what was recorded?

pub mod compare;
pub mod export;
pub mod import;
mod known_runs;
pub mod list;
mod on_all_cpus;
pub mod report;
pub mod serve;
pub mod share;
pub mod show;
pub mod trend;
