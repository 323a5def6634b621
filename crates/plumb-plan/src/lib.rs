//! How does what somebody wrote become a plan? Plan files, built-in plans, and job files of other programs, resolved to the last value with its origin.
//!
//! ```
//! use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
//!
//! let file = PlanFile::parse("[[step]]\nname = 'reads'\n[step.sweep]\ndepth = [1, 2]", "reads.toml")?;
//! let plan = resolve(&file, &Overrides::default(), PlanKind::File)?;
//! assert_eq!(plan.steps.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
pub mod fio_command;
pub mod fio_job;
pub mod iometer;
mod plan_keys;
pub mod plans;
mod read_back;
pub mod references;
mod replays;
mod resolve;
mod stop;
mod sweep;
#[cfg(test)]
mod tests;
mod validate;
mod written;

pub use file::{Entry, JobFile, PlanFile, StepFile, Sweep};
pub use plan_keys::PLAN_KEYS;
pub use replays::{remarks as replay_remarks, settle_replays};
pub use resolve::{Overrides, PlanKind, resolve};
