//! Does the house keep its own rules? Sources are read as text and dependencies through `cargo metadata`; each rule also proves on planted text that it can fail.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]

mod arrows;
mod circles;
mod code;
mod exceptions;
mod licences;
mod literals;
mod needs;
mod places;
mod prose;
mod purity;
mod seams;
mod sizes;
mod statements;
mod texts;
mod words;
mod workspace;
