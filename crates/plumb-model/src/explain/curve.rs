//! Where does an application stand between throughput and latency? Its own point, what its recording shows beside it, and what is predicted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What there is to draw of throughput and latency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingCurve {
    /// The mean of the whole window.
    #[serde(rename = "here")]
    pub current: OperatingPoint,
    /// The parts of the window with each number of outstanding calls, or the steps of a ladder; the fewest outstanding first.
    #[serde(rename = "seen")]
    pub recorded: Vec<OperatingPoint>,
    /// What the first finding predicts, where it is about the number of outstanding requests; the fewest first.
    pub predicted: Vec<PredictedPoint>,
    /// What any other finding that comes first predicts: the lowest and the highest rate in requests per second.
    pub predicted_rate: Option<(f64, f64)>,
    /// What an experiment measured.
    pub measured: Vec<OperatingPoint>,
    /// Requests per second that the measured ceiling of the path allows at today's size of requests.
    pub ceiling_requests_per_s: Option<f64>,
}

/// One point: so many outstanding, so many requests per second, so long for each. The three fit Little's law where callers wait all of the time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingPoint {
    pub outstanding: f64,
    pub requests_per_s: f64,
    /// Time of a request in nanoseconds.
    pub request_ns: f64,
}

/// What is predicted for so many outstanding requests, with a confidence of 90 %: the least and the most per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictedPoint {
    pub low: OperatingPoint,
    pub high: OperatingPoint,
}
