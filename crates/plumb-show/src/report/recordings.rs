//! Which pages are made of recordings of other programs' work? Calls of an application, recorded counters, and explanations.

mod explained;
mod traced;
mod watched;
mod why;

pub use explained::explained_html;
pub use traced::trace_html;
pub use watched::watched_html;
pub use why::why_html;
