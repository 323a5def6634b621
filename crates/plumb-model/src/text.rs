//! How are names compared and quoted? Patterns, the nearest of several names, words of a closed set, and words of a command line.

pub mod nearest;
pub mod shell;
pub(crate) mod text_like;
pub mod wildcard;
pub(crate) mod word;
