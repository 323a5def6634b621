//! What does the machine do during the load, and in which environment does the load run? Live counters, and facts before the start.
//!
//! ```
//! use plumb_observe::sources::metrics;
//!
//! for metric in metrics().filter(|metric| metric.unit == "bytes") {
//!     println!("{}: {}", metric.id, metric.meaning);
//! }
//! ```

mod calls;
pub mod captures;
mod counter_sets;
pub mod device_load;
pub mod environment;
mod event_sink;
#[cfg(test)]
mod fixture;
pub mod group_limits;
pub mod live_calls;
pub mod machine;
mod mountstats;
pub mod observer;
pub mod sampled_threads;
pub mod source;
pub mod sources;
pub mod strace_log;
mod system;
pub mod trace_format;
pub mod trace_formats;
