//! What does a ladder of depths or workers say of how throughput grows? Little's law, bounds, a law that was fitted, and the smallest load that is enough.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;

/// One ladder of a closed loop, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scaling {
    /// The steps of the ladder as the throughput-latency curve names them.
    pub group: String,
    /// What rises along it: `hosts`, `depth`, `workers` or `workers x depth`.
    pub key: String,
    /// In rising order of operations asked to be in flight.
    pub points: Vec<ScalingPoint>,
    /// The smallest that reaches 95 % of the maximum. Missing when nothing was completed.
    pub enough: Option<EnoughLoad>,
    /// Asymptotic bounds; missing without a step that has one operation in flight.
    pub bounds: Option<ScalingBounds>,
    /// The Universal Scalability Law; missing when it was not fitted, or does not describe the ladder.
    pub law: Option<ScalabilityLaw>,
    /// Why there is no law, or no interval of its peak.
    pub law_withheld: Option<Statement>,
}

/// One step of a ladder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalingPoint {
    /// The value of the key: `32`.
    pub label: String,
    /// Index of the step in the plan.
    pub step: u32,
    /// Operations asked to be in flight.
    #[serde(rename = "asked")]
    pub requested: f64,
    /// Operations per second over all rounds.
    pub iops: f64,
    /// On a ladder of hosts: operations per second by so many times what the first step got as there are more hosts, in percent: 100 is growth in proportion.
    /// Missing on other ladders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_percent: Option<f64>,
    /// Least and greatest of the same in single rounds; missing with one round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency_in_rounds: Option<(f64, f64)>,
    /// Concurrency by Little's law: operations per second times mean service time, over all kinds of operation. Missing where times are not known.
    pub concurrency: Option<f64>,
    /// Whether the concurrency is what was asked for: from 0.8 to 1.1 times of it. Missing as `concurrency`, and where pauses are part of the workload.
    pub fits: Option<bool>,
}

/// The smallest load that reaches 95 % of the greatest throughput of the ladder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnoughLoad {
    pub label: String,
    pub step: u32,
    #[serde(rename = "asked")]
    pub requested: f64,
    /// Its throughput, in percent of the greatest.
    pub of_maximum_percent: f64,
    /// It is the last of the ladder: more may give more.
    pub is_last: bool,
    /// The same for each round by itself: labels of the least and the greatest. Missing with one round, or where all rounds say the same.
    pub in_rounds: Option<(String, String)>,
}

/// Throughput is at most asked / unloaded time, and at most the greatest that was measured (Denning and Buzen 1978).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalingBounds {
    /// Mean service time with one operation in flight, in nanoseconds.
    pub unloaded_ns: f64,
    /// Greatest throughput of the ladder, operations per second.
    pub most_per_s: f64,
    /// Where the two bounds meet: operations in flight that a storage without any queueing would need for it.
    pub knee: f64,
    /// Labels of the steps that lie more than a tenth above the first bound: operations became faster when more were in flight.
    pub exceeded_at: Vec<String>,
}

/// X(N) = g N / (1 + a (N - 1) + b N (N - 1)) (N. Gunther, Guerrilla Capacity Planning, 2007), by least squares of the relative deviations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalabilityLaw {
    /// Steps that it was fitted to.
    pub points: u64,
    /// g: operations per second of one operation in flight.
    pub one_per_s: f64,
    /// a: the part of the time that is serial (contention).
    pub contention: f64,
    /// b: what each pair costs (coherency); with 0 throughput never falls.
    pub coherency: f64,
    /// Greatest deviation of a step from the law, in percent of the law.
    pub deviation_percent: f64,
    /// Operations in flight at which throughput is greatest, by the law; missing when it never falls.
    pub peak: Option<f64>,
    /// Interval of 95 % of the peak, by a bootstrap over the rounds. Missing with one round, and when the peak is not surely within what was tried.
    pub peak_interval: Option<(f64, f64)>,
    /// The lower end of that interval when the peak is not surely within what was tried.
    pub peak_above: Option<f64>,
}
