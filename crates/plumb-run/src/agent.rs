//! How does `plumb layers` measure on another machine? An agent there carries out plans on the paths that it was allowed, and sends the records back.
//!
//! Client and agent exchange frames over one TCP connection: four bytes of length, the most significant first, then that many bytes of JSON. The agent speaks
//! first (`Hello`); then each end sends one message of the Noise protocol, with the token as the pre-shared key, and all that follows is encrypted: who
//! listens on the network learns nothing, and nobody can change or repeat what is sent. The client identifies itself (`Login`, `Welcome`); then each
//! `Request` is followed by any number of `Answer::Alive` and `Answer::Piece`, and by one other answer. Messages that are measured (`tcp://`) go over
//! connections of their own, as they are.

pub mod client;
mod exclusive_use;
pub(crate) mod frame;
pub(crate) mod handshake;
pub(crate) mod noise;
mod permit;
mod ranking;
mod service;
pub mod serving;
mod session;
mod slots;
#[cfg(test)]
mod tests;
mod token;

pub use permit::Permit;
pub use service::Agent;
pub use token::token;

use plumb_model::environment::Environment;
use plumb_model::run::SideOf;
use serde::{Deserialize, Serialize};

/// Version of the protocol; both ends must have the same.
const VERSION: u32 = 4;
/// The port when none is named: the next after those of `plumb serve-net`.
pub const DEFAULT_PORT: u16 = 7475;
/// Files of a run folder, the only ones that are sent.
pub(crate) const RUN_FILES: [&str; 4] =
    ["run.json", "ticks.jsonl", "readings.jsonl", "notes.jsonl"];

/// The first word of the agent, in the clear.
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    /// `plumb-agent`.
    protocol: String,
    version: u32,
}

/// The client's message of the handshake, in hexadecimal digits.
#[derive(Debug, Serialize, Deserialize)]
struct Opening {
    message: String,
}

/// The agent's reply to it, unencrypted: its own message, or why it refuses.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "handshake", rename_all = "kebab-case")]
enum Handshaken {
    Message { message: String },
    Refused { reason: String },
}

/// The first sealed word of the client. It proves that the client is live and not a replay: only then the agent is taken.
#[derive(Debug, Serialize, Deserialize)]
struct Login {
    plumb_version: String,
    /// Name of the measurement that it leads, in which the agent is a rank; missing: the agent measures sides.
    rank_of: Option<String>,
}

/// What becomes of a login.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "login", rename_all = "kebab-case")]
enum Welcome {
    Granted { host: String, plumb_version: String },
    Refused { reason: String },
}

/// One side of a measurement.
#[derive(Debug, Serialize, Deserialize)]
struct SideRequest {
    /// The resolved plan as a plan file: it is read and checked like any other.
    plan: String,
    side_of: SideOf,
    tags: Vec<String>,
    /// The user of the client allows that what is there is destroyed. The agent must have been started with that word too.
    overwrite: bool,
}

/// Requests of a client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
enum Request {
    /// Facts of the environment of a target.
    Look { target: String },
    /// Claims the target of one more side; it stays claimed until `end`.
    Begin { side: Box<SideRequest> },
    /// Carries out one step of a side that has begun.
    Execute { side: u32, step: u32, round: u32 },
    /// Gives back the target of a side.
    End { side: u32 },
    /// Records the counters of this machine from now on. `unix_ns` is the client's clock: it becomes the start of the record, so that records of two machines
    /// lie on one axis of time, as exactly as one message takes.
    Watch { unix_ns: u64 },
    /// Ends that, and sends the record.
    Unwatch,
    /// Answers messages (`tcp://`) on a port that the agent chooses, until the client leaves.
    Peer,
    /// Ends what is being carried out. It has no answer of its own.
    Stop,
}

/// Messages of the agent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
enum Answer {
    /// It still works on the request.
    Alive,
    Looked {
        environment: Environment,
    },
    Begun {
        side: u32,
    },
    /// A part of a file of the record of a side, to be appended; of the counters when no side is named.
    Piece {
        side: Option<u32>,
        file: String,
        text: String,
    },
    Executed {
        failure: Option<String>,
    },
    /// The record is kept on the agent's machine too.
    Ended {
        failures: Vec<String>,
        kept: String,
    },
    Watching,
    Unwatched {
        kept: String,
    },
    Peer {
        port: u16,
    },
    /// The request was not carried out.
    Failed {
        reason: String,
    },
}
