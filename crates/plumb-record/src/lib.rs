//! How does a run get into its folder and out again? Raw facts only, readable up to the last interval even after `kill -9`.

mod condense;
pub mod exporter;
pub mod exporters;
pub mod folder;
pub mod importer;
pub mod importers;
pub mod library;
pub mod reader;
#[cfg(test)]
mod tests;
pub mod writer;

pub use folder::RecordError;
pub use library::library;
pub use reader::{each_reading, each_tick, read_run};
pub use writer::RunWriter;
