//! How does what somebody wrote become a plan? Plan files, built-in plans, and job files of other programs, resolved to the last value with its origin.

mod file;
pub mod fio_job;
pub mod iometer;
pub mod plans;
pub mod references;
mod replays;
mod resolve;
mod sweep;
#[cfg(test)]
mod tests;
mod validate;
mod written;

pub use file::{Entry, JobFile, PLAN_KEYS, PlanFile, StepFile, Sweep};
pub use replays::{settle_replays, told as told_of_replays};
pub use resolve::{Overrides, PlanKind, resolve};
