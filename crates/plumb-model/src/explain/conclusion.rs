//! What is concluded? Findings with their predictions, what could not be judged and why, and what a second recording says of a prediction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observed::Observed;
use crate::results::finding::Evidence;
use crate::statement::Statement;

/// Name and version of the schema of `plumb explain --json`. Names may be added under one version, never changed.
pub const EXPLAIN_SCHEMA: &str = "plumb-explain-1";

/// What a recording says about the limits of an application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// `plumb-explain-1`.
    pub schema: String,
    pub plumb_version: String,
    pub observed: Observed,
    /// Why nothing is concluded; empty when there is no such reason.
    pub withheld: Vec<Statement>,
    /// The one that explains the most time first.
    pub findings: Vec<Explanation>,
    /// Rules that lacked something, with what would settle them.
    pub abstained: Vec<Abstention>,
    /// Rules that had all they need and found nothing.
    pub silent: Vec<String>,
    /// What a second recording says of it. Missing without one.
    pub second: Option<SecondRecording>,
    /// What an experiment said of the first finding. Missing without one.
    pub proof: Option<Proof>,
}

/// One limit, with all that is to be known to believe or refute it.
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
    /// What will limit next, or that it is not known.
    pub next_limit: Statement,
    /// The command line that would prove or refute it.
    pub experiment: String,
    pub refuted_by: Statement,
    /// Share of the window that it explains, 0 to 1, and the same in seconds.
    pub time_share: f64,
    pub seconds: f64,
}

/// What a change is expected to bring.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    pub change: Change,
    /// Requests per second today.
    pub requests_per_s: f64,
    /// The factor by which they are expected to change, with a confidence of 90 %; of larger requests, the factor of the bytes per second.
    pub low: f64,
    pub high: f64,
}

/// What is changed; everything else stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Change {
    /// So many requests outstanding at once.
    Outstanding { from: f64, to: f64 },
    /// The application asks again at once after each answer.
    NoPauses,
    /// No calls for metadata.
    NoMetadata,
    /// The server stands next to the client.
    NoRoundTrip,
    /// So many times the credits.
    Credits { times: f64 },
    /// One flush where there are so many now.
    FlushesTogether { flushes: f64 },
    /// Requests of so many bytes, the same bytes in all.
    RequestBytes { from: f64, to: f64 },
    /// So many times the connections, with as many cores of processors to serve them.
    Connections { times: f64 },
}

/// A rule that lacked something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Abstention {
    pub rule: String,
    /// What is missing, and where it could come from.
    pub missing: Vec<Statement>,
}

/// What a second recording, made after the change, says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondRecording {
    pub observed: Observed,
    /// The second over the first; missing where one of them is not known.
    pub requests_factor: Option<f64>,
    pub size_factor: Option<f64>,
    pub bytes_factor: Option<f64>,
    /// Share of the gain in bytes per second that more requests brought, and that larger ones did, by logarithms; missing without a gain.
    pub requests_part: Option<f64>,
    pub size_part: Option<f64>,
    /// Factor of outstanding requests, and the part of it that became requests per second: 1 is perfect.
    pub outstanding_factor: Option<f64>,
    pub scaling_efficiency: Option<f64>,
    /// The share of each request that the others have to wait for, from these two points by Amdahl's law; missing where they do not give one.
    pub serial_share: Option<f64>,
    /// Requests per second without limit of outstanding requests that follow from it.
    pub requests_per_s_limit: Option<f64>,
    /// Whether the first finding's prediction held; missing without one, or when the change was another.
    pub prediction: Option<PredictionOutcome>,
    #[serde(rename = "said")]
    pub statements: Vec<Statement>,
}

/// What became of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictionOutcome {
    /// The prediction for the number of outstanding requests that there were.
    pub low: f64,
    pub high: f64,
    pub measured: f64,
    pub held: bool,
}

/// What an experiment says of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofState {
    Proven,
    Refuted,
    Undecided,
}

/// An experiment with what came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The rule whose finding was put to the test; empty in records of earlier versions: the first finding's.
    #[serde(default)]
    pub rule: String,
    pub state: ProofState,
    pub target: String,
    /// Rounds of each setting.
    pub rounds: u32,
    /// What was measured, today's setting first.
    pub points: Vec<ProofPoint>,
    /// Where the records are.
    pub folder: String,
    #[serde(rename = "said")]
    pub statements: Vec<Statement>,
}

/// One setting of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProofPoint {
    /// What is peculiar to it; missing in records of earlier versions, where it is the number of outstanding requests.
    #[serde(default)]
    pub setting: Option<Statement>,
    pub outstanding: u64,
    /// Mean of the rounds.
    pub requests_per_s: f64,
    /// The same in bytes; missing in records of earlier versions.
    #[serde(default)]
    pub bytes_per_s: Option<f64>,
    /// Requests per second (bytes per second where the size of requests is what changes) over those of the first point, with a confidence of 95 %; missing for the first, and with too few rounds.
    pub factor: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// What was predicted for it.
    pub predicted_low: f64,
    pub predicted_high: f64,
}
