//! What is in the tables of the terminal, the page and Markdown? Rows and columns as texts.

pub(crate) mod comparison_rows;
pub(crate) mod copy_rows;
pub mod grid;
pub(crate) mod matrices;
pub(crate) mod published;
pub(crate) mod ranks;
pub mod resolved;
pub(crate) mod trend_changes;
