//! How is a run written to its folder and read again? Only raw facts, readable up to the last interval even after `kill -9`.
//!
//! ```no_run
//! let run = plumb_record::read_run(std::path::Path::new("run.plumb"))?;
//! println!("{} intervals", run.ticks.len());
//! # Ok::<(), plumb_record::RecordError>(())
//! ```

mod condense;
pub mod exporter;
pub mod exporters;
pub mod folder;
pub mod follow;
pub mod hidden_names;
pub mod importer;
pub mod importers;
pub mod index;
pub mod library;
pub mod operations;
pub mod reader;
mod removal;
pub mod result_file;
pub mod shared;
mod system;
#[cfg(test)]
mod tests;
pub mod text;
mod tick_line;
pub mod writer;

pub use folder::RecordError;
pub use library::library;
pub use operations::{OperationReader, OperationWriter};
pub use reader::{each_reading, each_tick, read_header, read_run};
pub use removal::remove_run;
pub use result_file::{Replace, check_result_path, write_result};
pub use writer::{RunWriter, TickWriter};
