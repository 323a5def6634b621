//! How is a run shown? Figures as values, drawn as SVG; the report page; the terminal; the live view. No statistics here: every number
//! comes in as a value of plumb-model.

pub mod chart;
pub mod charts;
pub mod comparison_chart;
pub mod comparison_charts;
pub mod escape;
mod explain_figures;
pub mod figure;
pub mod live;
pub mod markdown;
pub mod report;
pub mod svg;
pub mod tables;
pub mod terminal;
mod waterfall_figures;
pub mod wording;
