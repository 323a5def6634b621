//! What are the results of a run? Figures, findings and a verdict derived from the raw record: pure functions, no I/O, no clock.
//!
//! ```
//! use plumb_analyse::statistics::holm::holm;
//!
//! // p-values of two differences, corrected because two were tested.
//! assert_eq!(holm(&[0.5, 0.01]), [0.5, 0.02]);
//! ```

pub mod account;
pub mod command_line;
pub mod compare;
pub mod copies;
#[cfg(test)]
mod english;
pub mod environment_differences;
#[cfg(test)]
mod expected;
pub mod explain;
pub mod figures;
mod phrases;
pub mod plots;
pub mod rule;
pub mod rules;
pub mod statistics;
#[cfg(test)]
#[path = "../../../testdata/runs/synthetic.rs"]
mod synthetic;
#[cfg(test)]
mod thresholds;
pub mod trace;
pub mod trend;
#[cfg(test)]
mod two_hosts;
pub mod verdict;
pub mod waterfall;

pub use compare::{Entrant, Settings, compare, comparison_plots, published_tables};
pub use environment_differences::environment_differences;
pub use figures::latency_limits::limit_kept;
pub use figures::steady_rounds::steady_rounds;
pub use figures::summarise::summarise;
pub use plots::plots;
pub use rules::{judge_all, judge_environment};
pub use verdict::verdict;
pub use waterfall::waterfall;

/// How properties are tested: from the same seed on each machine, so that a failure is seen again.
#[cfg(test)]
fn laws() -> proptest::test_runner::Config {
    use proptest::test_runner::{Config, RngSeed};
    Config {
        cases: 128,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_261_127),
        ..Config::default()
    }
}
