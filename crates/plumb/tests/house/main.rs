//! Does the program keep what its texts, facts and pages promise? The rules that need nothing of plumb but its sources stand in house/.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]

mod needs;
mod statements;
mod texts;
