//! What pages do recordings of others' work make? Calls of an application, counters that were watched, and what limits them.

mod explained;
mod traced;
mod watched;

pub use explained::explained_html;
pub use traced::trace_html;
pub use watched::watched_html;
