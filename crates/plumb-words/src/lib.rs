//! How does a statement become a sentence? With the catalog of a language, with numbers, units and times as that language writes them.
//!
//! ```
//! use plumb_model::statement::Statement;
//!
//! let statement = Statement::new("list-runs").count("runs", 3);
//! assert_eq!(plumb_words::english(&statement), "3 runs");
//! ```
//!
//! The catalogs are `languages/<language>/*.ftl`, in the syntax of Project Fluent (<https://projectfluent.org>). A sentence names the arguments of its
//! statement as `{ $depth }`; for a list, `{ $steps-count }` is its length.

mod catalog;
mod json;
mod language;
pub mod numbers;
mod words;

pub use catalog::{ENGLISH, Sentence, sentences};
pub use language::Language;
pub use words::{Words, english, fact_id, is_label, plan_title_id};
