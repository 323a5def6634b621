//! How does throughput scale over a ladder of depths or workers? Little's law, bounds, a fitted law, and the smallest load that saturates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// Scaling of one closed-loop ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scaling {
    /// Name of the ladder, as in the throughput-latency curve.
    pub group: String,
    /// The swept key: `hosts`, `depth`, `workers` or `workers x depth`.
    pub key: String,
    /// Sorted by requested operations in flight.
    pub points: Vec<ScalingPoint>,
    /// The smallest load that reaches 95 % of the maximum. Missing if nothing completed.
    pub enough: Option<EnoughLoad>,
    /// Asymptotic bounds; missing without a step at depth 1.
    pub bounds: Option<ScalingBounds>,
    /// The Universal Scalability Law; missing if not fitted, or if it does not describe the ladder.
    pub law: Option<ScalabilityLaw>,
    /// Why there is no law, or no interval for its peak.
    pub law_withheld: Option<Statement>,
}

/// One step of a ladder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalingPoint {
    /// The value of the key: `32`.
    pub label: String,
    /// Index of the step in the plan.
    pub step: u32,
    /// Requested operations in flight.
    #[serde(rename = "asked")]
    pub requested: f64,
    /// Operations per second over all rounds.
    pub iops: f64,
    /// On a ladder of hosts: operations per second relative to linear scaling of the first step, in percent: 100 is linear.
    /// Missing on other ladders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_percent: Option<f64>,
    /// Minimum and maximum over the rounds; missing with one round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_in_rounds: Option<(f64, f64)>,
    /// Concurrency by Little's law: operations per second times mean service time, over all kinds of operation. Missing if latencies are unknown.
    pub concurrency: Option<f64>,
    /// Whether the concurrency is 0.8 to 1.1 times the requested. Missing like `concurrency`, and if pauses are part of the workload.
    pub fits: Option<bool>,
}

/// The smallest load that reaches 95 % of the maximum throughput of the ladder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnoughLoad {
    pub label: String,
    pub step: u32,
    #[serde(rename = "asked")]
    pub requested: f64,
    /// Its throughput, in percent of the maximum.
    pub of_maximum_percent: f64,
    /// It is the last of the ladder: a higher load may give more.
    pub is_last: bool,
    /// The same per round: labels of the smallest and largest. Missing with one round, or if all rounds agree.
    pub in_rounds: Option<(String, String)>,
}

/// Throughput is at most requested / unloaded time, and at most the measured maximum (Denning and Buzen 1978).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalingBounds {
    /// Mean service time with one operation in flight, in nanoseconds.
    pub unloaded_ns: f64,
    /// Maximum throughput of the ladder, operations per second.
    pub most_per_s: f64,
    /// Where the two bounds meet: operations in flight needed for it without any queueing.
    pub knee: f64,
    /// Labels of the steps more than 10 % above the first bound: operations became faster with more in flight.
    pub exceeded_at: Vec<String>,
}

/// X(N) = g N / (1 + a (N - 1) + b N (N - 1)) (N. Gunther, Guerrilla Capacity Planning, 2007), by least squares of the relative deviations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalabilityLaw {
    /// Number of fitted steps.
    pub points: u64,
    /// g: operations per second of one operation in flight.
    pub one_per_s: f64,
    /// a: serial share of the time (contention).
    pub contention: f64,
    /// b: cost of each pair (coherency); at 0 throughput never falls.
    pub coherency: f64,
    /// Largest deviation of a step from the law, in percent of the law.
    pub deviation_percent: f64,
    /// Operations in flight at the peak of the law; missing if throughput never falls.
    pub peak: Option<f64>,
    /// 95 % interval of the peak, by a bootstrap over the rounds. Missing with one round, and if the peak may lie outside the measured range.
    pub peak_interval: Option<(f64, f64)>,
    /// The lower end of that interval if the peak may lie outside the measured range.
    pub peak_above: Option<f64>,
}
