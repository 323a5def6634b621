//! How is a run shown? Figures as values, drawn as SVG; the report page; the terminal; the live view. No statistics here: every number
//! comes in as a value of plumb-model.

pub mod chart;
pub mod charts;
pub mod comparison_chart;
pub mod comparison_charts;
mod comparison_rows;
mod copy_rows;
pub mod escape;
pub mod figure;
pub mod live;
pub mod markdown;
mod matrices;
pub mod report;
pub mod resolved;
pub mod svg;
pub mod terminal;
mod trend_changes;
mod waterfall_figures;
pub mod wording;
