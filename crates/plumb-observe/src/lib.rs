//! What does the machine do while load runs, and what ground does the load stand on? Counters live and facts before the start.

mod cgroup;
mod files;
#[cfg(test)]
mod fixture;
pub mod ground;
mod host;
pub mod machine;
mod mountstats;
pub mod observer;
pub mod source;
pub mod sources;
