//! What did an application do at its storage in a window of time? The figures that an explanation rests on, whatever they were taken from; what is not known is missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statement::Statement;
use crate::trace::summary::{DepthFigures, TransferTime};

/// What the figures were taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObservedFrom {
    /// Calls of an application one by one: a capture of packets.
    Trace,
    /// Counters that were read at intervals, such as those of an SMB client.
    Counters,
    /// A load that plumb made itself.
    Load,
}

/// What an application did at a target in a window of time. Requests are reads and writes; all else is metadata, flushes by themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    pub from: ObservedFrom,
    /// The file or folder, as it was named.
    pub source: String,
    /// The share or target: `\server\share`. Missing where the source does not name it.
    #[serde(rename = "place")]
    pub target: Option<String>,
    /// The requests went to a device of this machine: there is no server, no way to it, and no credit.
    #[serde(default)]
    pub is_local: bool,
    /// Begin of the window in nanoseconds from the begin of the source, and its length.
    pub begin_ns: u64,
    pub span_ns: u64,
    /// Requests that were answered; missing where only rates are known.
    pub requests: Option<u64>,
    pub requests_per_s: Option<f64>,
    pub bytes_per_s: Option<f64>,
    pub bytes_per_request: Option<f64>,
    /// Share of reads among the requests, 0 to 1.
    pub read_share: Option<f64>,
    /// Mean time from request to answer in nanoseconds.
    pub request_ns: Option<f64>,
    /// Mean number of outstanding calls over the whole window, metadata with them where the source counts it.
    pub outstanding: Option<f64>,
    /// Most calls that were outstanding together for at least a hundredth of the window.
    pub outstanding_most: Option<u64>,
    /// Share of the window in which nothing was outstanding, 0 to 1.
    pub idle_share: Option<f64>,
    /// How fast calls were answered while so many were outstanding.
    pub by_outstanding: Vec<DepthFigures>,
    /// What a request costs by its size and by the bytes before it.
    pub transfer_time: Option<TransferTime>,
    /// Round trip to the server in nanoseconds, and its share of the time of all calls, 0 to 1.
    pub round_trip_ns: Option<f64>,
    pub round_trip_share: Option<f64>,
    pub metadata: CallShare,
    pub flushes: CallShare,
    pub flow: FlowControl,
    /// Share of the reads and writes that begin where the one before on the same file ended, 0 to 1.
    #[serde(default)]
    pub sequential_share: Option<f64>,
    #[serde(default)]
    pub processors: Processors,
    /// Most bytes per second that the path carried in a measurement; only where the user names it.
    pub ceiling_bytes_per_s: Option<f64>,
    /// Requests per second in equal parts of the window.
    pub requests_over_time: Vec<f64>,
    /// Mean number of outstanding calls in equal parts of the window; empty where it is not known over time.
    #[serde(default)]
    pub outstanding_over_time: Vec<f64>,
    /// Why the figures may be wrong. With any of these nothing is concluded.
    pub invalid: Vec<Statement>,
}

/// Calls of one kind beside reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallShare {
    pub per_s: Option<f64>,
    /// Mean time from request to answer in nanoseconds.
    pub mean_ns: Option<f64>,
    /// Share of the time of all calls, 0 to 1.
    pub time_share: Option<f64>,
    /// The call of this kind that takes the most time: `CREATE`.
    pub most: Option<String>,
}

/// What the processors of the client had to do meanwhile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Processors {
    /// Share of the window in which the busiest core, or the core of the busiest thread, was busy, 0 to 1.
    pub busiest_core: Option<f64>,
    /// The same on average of all cores.
    pub all_cores: Option<f64>,
    /// Cores that there are.
    pub cores: Option<u64>,
}

/// What a client may have outstanding at most, and whether it had to wait for that.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowControl {
    /// Requests per second that had to wait for a credit.
    pub stalls_per_s: Option<f64>,
    /// Share of the requests that took the last credit, 0 to 1.
    #[serde(rename = "took_last_share")]
    pub last_credit_share: Option<f64>,
    /// Most credits that were in use at once.
    pub credits_in_use: Option<u64>,
}

/// Mean over maximum of the outstanding calls, from which on all callers were waiting nearly always; unless the mean is above this, where chance comes as near.
const ALL_OF_THEM: f64 = 0.8;
const VERY_MANY: f64 = 64.0;

impl Observed {
    /// Nothing is known yet.
    pub fn unknown(from: ObservedFrom, source: impl Into<String>) -> Observed {
        Observed {
            from,
            source: source.into(),
            target: None,
            is_local: false,
            begin_ns: 0,
            span_ns: 0,
            requests: None,
            requests_per_s: None,
            bytes_per_s: None,
            bytes_per_request: None,
            read_share: None,
            request_ns: None,
            outstanding: None,
            outstanding_most: None,
            idle_share: None,
            by_outstanding: Vec::new(),
            transfer_time: None,
            round_trip_ns: None,
            round_trip_share: None,
            metadata: CallShare::default(),
            flushes: CallShare::default(),
            flow: FlowControl::default(),
            sequential_share: None,
            processors: Processors::default(),
            ceiling_bytes_per_s: None,
            requests_over_time: Vec::new(),
            outstanding_over_time: Vec::new(),
            invalid: Vec::new(),
        }
    }

    /// Length of the window in seconds.
    pub fn span_s(&self) -> f64 {
        self.span_ns as f64 / 1e9
    }

    /// How much of the time each caller waited for the storage, 0 to 1.
    ///
    /// Of N callers that each wait the part p of the time by themselves, N p are outstanding on average, with the variance N p (1 - p): so p is 1 less the variance
    /// over the mean, without knowing N. Where only a mean and a maximum are known, or callers begin and end together, it is the one over the other.
    pub fn waiting_share(&self) -> Option<f64> {
        let most = self.outstanding_most.filter(|most| *most > 0)? as f64;
        let by_most = (self.outstanding? / most).min(1.0);
        let span_ns = self.span_ns as f64;
        if self.by_outstanding.is_empty() || self.idle_share.is_none() {
            return Some(by_most);
        }
        let (mut mean, mut square) = (0.0, 0.0);
        for of in &self.by_outstanding {
            let (count, share) = (of.outstanding as f64, of.time_ns as f64 / span_ns);
            mean += count * share;
            square += count * count * share;
        }
        // Callers that do as they like are seldom all there at once, unless there are very many: those that nearly always are wait nearly always, and what
        // varies is a beginning or an end.
        if by_most >= ALL_OF_THEM && mean < VERY_MANY {
            return Some(by_most);
        }
        let alone = 1.0 - (square - mean * mean) / mean;
        Some(if alone > 0.02 {
            alone.min(1.0)
        } else {
            by_most
        })
    }
}
