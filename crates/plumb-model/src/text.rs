//! How are names matched and quoted? Patterns, the nearest of several names, keywords, and words of a command line.

pub mod nearest;
pub mod shell;
pub(crate) mod text_like;
pub mod wildcard;
pub(crate) mod word;
