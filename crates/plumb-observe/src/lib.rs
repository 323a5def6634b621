//! What does the machine do while load runs, and what ground does the load stand on? Counters live and facts before the start.

#[cfg(test)]
mod fixture;
pub mod ground;
pub mod machine;
mod mountstats;
pub mod observer;
pub mod source;
pub mod sources;
mod system;
