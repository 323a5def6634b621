//! How is a measurement conducted from beginning to end? Each stage in its turn: plan, load and observation, record, analysis.
//!
//! ```
//! use plumb_plan::{Overrides, PlanFile, PlanKind, resolve};
//! use plumb_run::measurement::Request;
//!
//! let file = PlanFile::parse("[[step]]\nname = 'reads'", "reads.toml")?;
//! let request = Request::quiet(resolve(&file, &Overrides::default(), PlanKind::File)?);
//! assert!(request.quiet && !request.report);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`measurement::measure`] carries out one plan, [`live_comparison::measure_sides`] several in interleaved rounds, [`replay::replay`] makes a plan of a trace, [`layers::measure`] the same work on
//! every layer, and [`copy_test::measure`] copy programs; [`watch::watch`] looks on without a load. What the user should know meanwhile goes through the crate `log` ([`notices`]); nothing is printed.

pub mod agent;
pub mod copy_test;
pub mod derived;
pub mod environment;
pub mod file_kind;
pub mod layers;
pub mod live_comparison;
pub mod measurement;
pub mod named_plan;
pub mod ranks;
pub mod replay;
pub mod secrets;
pub mod stop;
mod system;
pub mod traces;
pub mod watch;
pub mod why_proof;

pub use stop::Stop;
pub use system::{STOPPED_BY_USER, terminate_process};

/// Notices to the user during a measurement: through the crate `log`. The program chooses where they are shown; without a logger nothing is.
pub mod notices {
    /// The target of all log records: notices to the user of plumb, as opposed to those of other crates.
    pub const TARGET: &str = "plumb";

    /// Tells the user something that is no result, in one or several lines.
    pub(crate) fn say(text: &str) {
        log::info!(target: TARGET, "{text}");
    }
}
