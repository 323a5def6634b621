//! How is a run shown? Figures as values, drawn as SVG; the report page; the terminal; the live view. No statistics here: every number
//! comes in as a value of plumb-model.
//!
//! ```
//! use plumb_show::{chart::Subject, report::report_html};
//!
//! fn write_page(subject: &Subject) -> std::io::Result<()> {
//!     std::fs::write("report.html", report_html(subject))
//! }
//! ```

pub mod chart;
pub mod charts;
mod checks;
pub mod comparison_chart;
pub mod comparison_charts;
pub mod escape;
mod explain_figures;
pub mod figure;
pub mod github;
pub mod junit;
pub mod live;
pub mod markdown;
pub mod report;
pub mod svg;
pub mod tables;
pub mod terminal;
mod waterfall_figures;
pub mod wording;
