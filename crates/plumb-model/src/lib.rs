//! Which types pass between the stages of plumbline? All are defined here: no I/O, no clock, no `unsafe`.
//!
//! ```
//! use plumb_model::run::histogram::Histogram;
//!
//! let mut latency = Histogram::default();
//! for microseconds in 1..=100 {
//!     latency.record(microseconds * 1000);
//! }
//! assert_eq!(latency.count(), 100);
//! assert_eq!(latency.max_ns(), Some(100_000));
//! ```
//!
//! # Glossary
//!
//! | word | meaning |
//! |---|---|
//! | operation | one request of any kind: a read, a write, a flush, a file creation, ... |
//! | IOPS | completed operations per second |
//! | depth (queue depth) | operations a worker keeps outstanding at once |
//! | worker | one thread of the load generator |
//! | service time | from when an operation was submitted to its completion |
//! | response time | from when an operation was *due* to its completion; equals service time in a closed loop |
//! | lateness | from when an operation was due to when it was submitted (open loop only) |
//! | closed loop | a new operation starts when one ends: `depth` x `workers` are always outstanding |
//! | open loop | operations start on a schedule (`rate`), regardless of completions |
//! | replay | the requests of a recorded log, issued again |
//! | job | one workload on one target by one engine |
//! | step | one or several jobs that run at the same time; one cell of a plan |
//! | round | one repetition of every step of a plan |
//! | execution | one step in one round, as it ran |
//! | tick | the load of one interval |
//! | reading | one value of one metric at one time |
//! | finding | a conclusion with its evidence |
//! | side | one of the systems that are compared; the first is the baseline |
//! | cell | one figure of one step, on all sides of a comparison |
//! | block | one round of every side, run close together in random order |
//! | reference | published figures with their set-up |
//! | imported run | a run that another program measured and plumb read from its output |
//! | share | a file system that plumb accesses by its own protocol client (SMB, NFS), without a mount |
//! | peer | a host that exchanges messages or exposes memory: `plumb serve-net`, an iperf3 server |

pub mod engines;
pub mod environment;
pub mod explain;
pub mod keys;
pub mod plan;
pub mod results;
pub mod run;
pub mod statement;
pub mod target;
pub mod text;
pub mod trace;
pub mod units;
pub mod windows_counters;
pub mod workload;
