//! What do the house rules judge? The sources of the workspace, read and parsed, and its packages. The rules stand in tests/; only tests use this crate.

// The whole crate serves tests; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]

pub mod code;
pub mod literals;
pub mod workspace;
