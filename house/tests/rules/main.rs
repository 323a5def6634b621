//! Does the code keep the house rules? Sources are read as text and dependencies through `cargo metadata`; each rule also proves on planted text that it can
//! fail. Nothing of plumb is built for them.

// The whole binary is a test; clippy knows only functions with #[test] as such.
#![allow(clippy::expect_used)]

mod arrows;
mod circles;
mod exceptions;
mod licences;
mod places;
mod prose;
mod purity;
mod seams;
mod sizes;
mod vocabulary;
mod words;
