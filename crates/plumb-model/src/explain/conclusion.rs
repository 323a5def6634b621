//! What is concluded? Findings with predictions, rules that lacked data, and how a second recording compares with a prediction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observed::Observed;
use crate::results::finding::Evidence;
use crate::statement::Statement;

/// Name and version of the schema of `plumb explain --json`. Names may be added under one version, never changed.
pub const EXPLAIN_SCHEMA: &str = "plumb-explain-1";

/// What limits an application, as concluded from a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// `plumb-explain-1`.
    pub schema: String,
    pub plumb_version: String,
    pub observed: Observed,
    /// Why nothing is concluded; empty if there is no such reason.
    pub withheld: Vec<Statement>,
    /// Where behavior changed during the recording: which part this is, and what was found in the others that matter. Empty where all of it is explained.
    #[serde(default)]
    pub parts: Vec<Statement>,
    /// Sorted by explained time, most first.
    pub findings: Vec<Explanation>,
    /// Rules that lacked data, with what would settle them.
    pub abstained: Vec<Abstention>,
    /// Rules that had all data they need and found nothing.
    pub silent: Vec<String>,
    /// Comparison with a second recording. Missing without one.
    pub second: Option<SecondRecording>,
    /// Result of the experiment on the first finding. Missing without one.
    pub proof: Option<Proof>,
}

/// One limit, with everything needed to confirm or refute it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The rule that found it, by its file's name: `too_few_outstanding_requests`.
    pub rule: String,
    pub claim: Statement,
    pub evidence: Vec<Evidence>,
    /// What else could have explained the evidence, and why it does not.
    pub ruled_out: Vec<Statement>,
    pub advice: Statement,
    pub prediction: Prediction,
    /// The next limit, or that it is unknown.
    pub next_limit: Statement,
    /// The command line that would prove or refute it.
    pub experiment: String,
    pub refuted_by: Statement,
    /// Share of the window that it explains, 0 to 1, and the same in seconds.
    pub time_share: f64,
    pub seconds: f64,
}

/// Expected effect of a change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    pub change: Change,
    /// Requests per second before the change.
    pub requests_per_s: f64,
    /// Expected factor, as an interval of 90 % confidence; for larger requests, the factor of bytes per second.
    pub low: f64,
    pub high: f64,
}

/// The change; everything else stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Change {
    /// This many outstanding requests.
    Outstanding { from: f64, to: f64 },
    /// The application issues the next request immediately after each response.
    NoPauses,
    /// No metadata calls.
    NoMetadata,
    /// The server is next to the client (no network distance).
    NoRoundTrip,
    /// This many times the credits.
    Credits { times: f64 },
    /// One flush in place of this many.
    FlushesTogether { flushes: f64 },
    /// Requests of this many bytes, total bytes unchanged.
    RequestBytes { from: f64, to: f64 },
    /// This many times the connections, with as many cores to serve them.
    Connections { times: f64 },
}

/// A rule that lacked data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Abstention {
    pub rule: String,
    /// What is missing, and how to get it.
    pub missing: Vec<Statement>,
}

/// A second recording, made after the change, compared with the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondRecording {
    pub observed: Observed,
    /// Second divided by first; missing if either is unknown.
    pub requests_factor: Option<f64>,
    pub size_factor: Option<f64>,
    pub bytes_factor: Option<f64>,
    /// Shares of the gain in bytes per second from more requests and from larger requests, by logarithms; missing without a gain.
    pub requests_part: Option<f64>,
    pub size_part: Option<f64>,
    /// Factor of outstanding requests, and how much of it became requests per second: 1 is perfect scaling.
    pub outstanding_factor: Option<f64>,
    pub scaling_efficiency: Option<f64>,
    /// Serial share of each request, from these two points by Amdahl's law; missing if they give none.
    pub serial_share: Option<f64>,
    /// Requests per second that it allows with unlimited outstanding requests.
    pub requests_per_s_limit: Option<f64>,
    /// Whether the prediction of the first finding held; missing without one, or if something else changed.
    pub prediction: Option<PredictionOutcome>,
    #[serde(rename = "said")]
    pub statements: Vec<Statement>,
}

/// Outcome of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictionOutcome {
    /// The prediction for the actual number of outstanding requests.
    pub low: f64,
    pub high: f64,
    pub measured: f64,
    pub held: bool,
}

/// Verdict of an experiment on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofState {
    Proven,
    Refuted,
    Undecided,
}

/// An experiment with its results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The rule whose finding was tested; empty in records of earlier versions, which tested the first finding.
    #[serde(default)]
    pub rule: String,
    pub state: ProofState,
    pub target: String,
    /// Rounds of each setting.
    pub rounds: u32,
    /// Measured points, the current setting first.
    pub points: Vec<ProofPoint>,
    /// Folder of the records.
    pub folder: String,
    #[serde(rename = "said")]
    pub statements: Vec<Statement>,
}

/// One setting of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProofPoint {
    /// What sets this point apart; missing in records of earlier versions: the number of outstanding requests.
    #[serde(default)]
    pub setting: Option<Statement>,
    pub outstanding: u64,
    /// Mean of the rounds.
    pub requests_per_s: f64,
    /// The same in bytes; missing in records of earlier versions.
    #[serde(default)]
    pub bytes_per_s: Option<f64>,
    /// Requests per second (bytes per second if the request size changes) divided by those of the first point, with 95 % confidence; missing for the first point, and with too few rounds.
    pub factor: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Predicted interval.
    pub predicted_low: f64,
    pub predicted_high: f64,
}
