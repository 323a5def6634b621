//! What would fio print for a run? Its jobs as fio counts them, with their results; JSON, normal and terse output are written from that.
//!
//! Formats and units are those of fio 3.33, with the JSON keys that later versions added. What was not measured is left out, or has the value that fio writes
//! when it has no samples; nothing is invented.

mod depths;
mod each;
mod entry;
mod groups;
mod json;
mod latency;
mod logs;
mod measured;
mod node;
mod normal;
mod packed;
mod report;
mod samples;
mod scaled;
mod steadystate;
mod terse;
mod verdicts;
mod workers;

pub use each::log_each;
pub use entry::{
    Entry, ListenerTraffic, ReportOptions, RunPart, between as blocks_between,
    blocks as block_sizes, of_step, of_steps,
};
pub use json::document;
pub use logs::{Form, Log, is_log, log};
pub use normal::{blocks, header};
pub use packed::{pack, unpack};
pub use report::{Report, version};
pub use scaled::{binary, count};
pub use terse::lines;
pub use verdicts::named as job_error;
