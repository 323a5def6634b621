//! What would fio print of a run? Its jobs as fio counts them, with what was measured of each; JSON, normal and terse text are written from that.
//!
//! Forms and units are those that fio 3.33 was seen to print, with the keys that later versions added to its JSON. What was not measured is left out, or has
//! what fio itself writes where it has no samples; it is never made up.

mod depths;
mod entry;
mod groups;
mod json;
mod latency;
mod logs;
mod measured;
mod node;
mod normal;
mod report;
mod samples;
mod scaled;
mod steadystate;
mod terse;
mod verdicts;
mod workers;

pub use entry::{
    Entry, Heard, Place, Wanted, between as blocks_between, blocks as block_sizes, of_step,
    of_steps,
};
pub use json::document;
pub use logs::{Form, Log, is_log, log};
pub use normal::{blocks, header};
pub use report::{Report, version};
pub use scaled::{binary, count};
pub use terse::lines;
