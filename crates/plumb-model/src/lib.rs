//! What are the nouns of plumbline? Every type that passes between stages lives here: no I/O, no clock, no `unsafe`.
//!
//! # Glossary (one word, one meaning)
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
//! | open loop | operations start on a schedule (`rate`), whether or not earlier ones have ended |
//! | replay | the requests of a recorded log, carried out again |
//! | job | one workload on one target by one engine |
//! | step | one or several jobs that run at the same time; one cell of a plan |
//! | round | one repetition of every step of a plan |
//! | execution | one step in one round: what really ran, in order |
//! | tick | what one interval of load did |
//! | reading | one value of one metric at one time |
//! | finding | a judged statement with its evidence |
//! | side | one of the systems that are compared; the first is the baseline |
//! | cell | one figure of one step, on all sides of a comparison |
//! | block | one round of every side, run close together in an order that was drawn |
//! | reference | published figures with their set-up |
//! | imported run | a run that another program measured and plumb read from its output |
//! | share | a file system that plumb reaches by a protocol of its own (SMB, NFS), nothing being mounted |
//! | peer | a host that answers messages or lends memory: `plumb serve-net`, an iperf3 server |

pub mod access;
pub mod comparison;
mod content;
pub mod copies;
pub mod engine_choice;
pub mod engine_properties;
#[rustfmt::skip]
mod engine_table;
pub mod engines;
pub mod environment;
pub mod fact_unit;
mod file_shape;
pub mod finding;
pub mod histogram;
pub mod imported;
pub mod iolog;
pub mod key_traits;
pub mod keys;
pub mod library;
pub mod metric;
pub mod nearest;
pub mod offsets;
pub mod operation;
pub mod password;
pub mod pin;
pub mod plan;
pub mod reference;
pub mod remote;
pub mod replay;
pub mod run;
pub mod series;
pub mod shell;
pub mod statement;
pub mod step_end;
pub mod sugar;
pub mod summary;
pub mod target;
mod text_like;
pub mod tick;
pub mod trend;
pub mod units;
mod until_steady;
pub mod waterfall;
pub mod wildcard;
mod word;
pub mod workload;
