//! Where does an application operate between throughput and latency? Its current point, other recorded points, and predictions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Points of a throughput-latency chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingCurve {
    /// Mean over the window.
    #[serde(rename = "here")]
    pub current: OperatingPoint,
    /// Parts of the window by number of outstanding calls, or the steps of a depth ladder; fewest outstanding first.
    #[serde(rename = "seen")]
    pub recorded: Vec<OperatingPoint>,
    /// Prediction of the first finding, if it is about the number of outstanding requests; fewest first.
    pub predicted: Vec<PredictedPoint>,
    /// Prediction of any other first finding: lowest and highest rate in requests per second.
    pub predicted_rate: Option<(f64, f64)>,
    /// Points measured by an experiment.
    pub measured: Vec<OperatingPoint>,
    /// Requests per second that the measured ceiling of the path allows at the current request size.
    pub ceiling_requests_per_s: Option<f64>,
}

/// One point: outstanding requests, requests per second, time per request. They satisfy Little's law if callers always wait.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperatingPoint {
    pub outstanding: f64,
    pub requests_per_s: f64,
    /// Time of a request in nanoseconds.
    pub request_ns: f64,
}

/// Prediction for one number of outstanding requests, 90 % confidence: lowest and highest rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictedPoint {
    pub low: OperatingPoint,
    pub high: OperatingPoint,
}
