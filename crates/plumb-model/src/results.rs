//! What are the results of runs? Values that the analysis derives for display; nothing here is stored in a run.

pub mod comparison;
pub mod copies;
pub mod finding;
pub mod grid;
pub mod headline;
pub mod published;
pub mod reference;
pub mod scaling;
pub mod series;
pub mod summary;
pub mod trend;
pub mod watch;
pub mod waterfall;
