//! What do plumb's own clients do on a share, in the counters that Windows has of its client? "SMB Client Shares", for SMB and NFS alike.

use std::collections::BTreeMap;

use plumb_model::run::Run;
use plumb_model::run::metric::Reading;
use plumb_model::run::tick::Tick;
use plumb_model::target::Target;
use plumb_model::workload::operation::OperationKind;

use crate::figures::executions::executions;

/// What each share did in each interval of the load.
pub struct OwnShares<'a> {
    /// In the order of their middles.
    ticks: Vec<(u64, String, &'a Tick)>,
}

/// Requests of one direction.
#[derive(Debug, Default, Clone, Copy)]
struct Requests {
    count: u64,
    bytes: u64,
    sum_ns: u128,
}

impl Requests {
    fn and(self, other: Requests) -> Requests {
        Requests {
            count: self.count + other.count,
            bytes: self.bytes + other.bytes,
            sum_ns: self.sum_ns + other.sum_ns,
        }
    }
}

/// Metrics of one direction: requests and bytes per second, mean size, mean time in seconds, and mean number outstanding.
type Metrics = [&'static str; 5];

const READS: Metrics = [
    "smb_client_share.read_requests_per_second",
    "smb_client_share.read_bytes_per_second",
    "smb_client_share.read_bytes",
    "smb_client_share.read_seconds",
    "smb_client_share.read_queue_length",
];
const WRITES: Metrics = [
    "smb_client_share.write_requests_per_second",
    "smb_client_share.write_bytes_per_second",
    "smb_client_share.write_bytes",
    "smb_client_share.write_seconds",
    "smb_client_share.write_queue_length",
];
const ALL: Metrics = [
    "smb_client_share.data_requests_per_second",
    "smb_client_share.data_bytes_per_second",
    "smb_client_share.data_request_bytes",
    "smb_client_share.data_request_seconds",
    "smb_client_share.data_queue_length",
];

impl OwnShares<'_> {
    /// Nothing for a run without a share that plumb itself speaks to.
    pub fn of(run: &Run) -> OwnShares<'_> {
        let mut ticks = Vec::new();
        for execution in executions(run).0 {
            let Some(step) = run.header.plan.steps.get(execution.step as usize) else {
                continue;
            };
            for tick in execution.ticks {
                let job = step.jobs.get(tick.job as usize);
                if let Some(share) = job.and_then(|job| share_of(&job.target)) {
                    let middle_ns = tick.start_ns + tick.end_ns.saturating_sub(tick.start_ns) / 2;
                    ticks.push((middle_ns, share, tick));
                }
            }
        }
        ticks.sort_by_key(|(middle_ns, ..)| *middle_ns);
        OwnShares { ticks }
    }

    /// The counters of an interval between two samples, of each share that was used in it.
    pub fn readings(&self, begin_ns: u64, end_ns: u64) -> Vec<Reading> {
        let begin = self.ticks.partition_point(|(at, ..)| *at <= begin_ns);
        let end = self.ticks.partition_point(|(at, ..)| *at <= end_ns);
        let mut shares: BTreeMap<&str, [Requests; 2]> = BTreeMap::new();
        for (_, share, tick) in self.ticks.get(begin..end).unwrap_or_default() {
            let [reads, writes] = shares.entry(share).or_default();
            *reads = reads.and(requests(tick, OperationKind::Read));
            *writes = writes
                .and(requests(tick, OperationKind::Write))
                .and(requests(tick, OperationKind::Rewrite));
        }
        let seconds = end_ns.saturating_sub(begin_ns) as f64 / 1e9;
        let mut out = Vec::new();
        for (share, [reads, writes]) in shares {
            let all = reads.and(writes);
            for (metrics, requests) in [(READS, reads), (WRITES, writes), (ALL, all)] {
                for (metric, value) in metrics.into_iter().zip(values(requests, seconds)) {
                    out.push(Reading {
                        metric: metric.into(),
                        instance: share.to_owned(),
                        time_ns: end_ns,
                        value,
                    });
                }
            }
        }
        out
    }
}

/// In the order of the metrics. A mean over no request is missing.
fn values(requests: Requests, seconds: f64) -> [Option<f64>; 5] {
    let per_second = |sum: f64| (seconds > 0.0).then(|| sum / seconds);
    let mean = |sum: f64| (requests.count > 0).then(|| sum / requests.count as f64);
    let time_s = requests.sum_ns as f64 / 1e9;
    [
        per_second(requests.count as f64),
        per_second(requests.bytes as f64),
        mean(requests.bytes as f64),
        mean(time_s),
        per_second(time_s),
    ]
}

fn requests(tick: &Tick, kind: OperationKind) -> Requests {
    let of_kind = tick.kinds.iter().filter(|of| of.kind == kind);
    of_kind.fold(Requests::default(), |sum, of| {
        sum.and(Requests {
            count: of.count,
            bytes: of.bytes,
            sum_ns: of.service.sum_ns(),
        })
    })
}

/// As Windows writes it: `\server\share`.
fn share_of(target: &Target) -> Option<String> {
    let Target::Remote(remote) = target else {
        return None;
    };
    remote
        .scheme
        .is_share()
        .then(|| format!("\\{}\\{}", remote.host, remote.share()))
}
