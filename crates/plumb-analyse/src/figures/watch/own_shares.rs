//! What is the activity of plumb's own clients on a share, in the form of Windows' client counters? "SMB Client Shares", for SMB and NFS.

use std::borrow::Cow;
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
    /// The time of the latest sample that was completed.
    before_ns: Option<u64>,
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
        OwnShares {
            ticks,
            before_ns: None,
        }
    }

    /// A sample of the run's counters, with those of the shares for the interval that ends with it. For samples in the order of their times.
    pub fn beside<'s>(&mut self, sample: &'s [Reading]) -> Cow<'s, [Reading]> {
        let Some(end_ns) = sample.first().map(|reading| reading.time_ns) else {
            return sample.into();
        };
        match self.before_ns.replace(end_ns) {
            Some(begin_ns) if !self.ticks.is_empty() => {
                [sample, &self.readings(begin_ns, end_ns)].concat().into()
            }
            _ => sample.into(),
        }
    }

    /// The counters of an interval between two samples, of each share that was used in it.
    fn readings(&self, begin_ns: u64, end_ns: u64) -> Vec<Reading> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Builder, Interval, ladder};

    fn run(target: &str) -> Run {
        let mut builder = Builder::new(ladder("read", &[1]));
        builder.execute(0, 0, &vec![Interval::default(); 4]);
        let mut run = builder.finish();
        run.header.plan.steps[0].jobs[0].target = target.parse().unwrap();
        run
    }

    #[test]
    fn requests_are_those_of_the_load_and_fit_littles_law() {
        let run = run("smb://me@nas/backup/file");
        let shares = OwnShares::of(&run);
        let (first, last) = (&run.ticks[0], &run.ticks[3]);
        let readings = shares.readings(first.start_ns, last.end_ns);
        assert!(readings.iter().all(|of| of.instance == "\\nas\\backup"));
        let value = |metric: &str| {
            let metric = format!("smb_client_share.{metric}");
            let reading = readings.iter().find(|of| of.metric == metric);
            reading.unwrap_or_else(|| panic!("no {metric}")).value
        };
        let kinds = || run.ticks.iter().flat_map(|tick| &tick.kinds);
        let seconds = (last.end_ns - first.start_ns) as f64 / 1e9;
        let count: u64 = kinds().map(|kind| kind.count).sum();
        assert!(count > 0);
        let rate = count as f64 / seconds;
        assert_eq!(value("read_requests_per_second"), Some(rate));
        assert_eq!(value("data_requests_per_second"), Some(rate));
        assert_eq!(value("write_requests_per_second"), Some(0.0));
        // The mean over no request is not known.
        assert_eq!(value("write_seconds"), None);
        let product = rate * value("read_seconds").unwrap();
        let outstanding = value("read_queue_length").unwrap();
        assert!((product - outstanding).abs() < 1e-9 * outstanding);
        // Each interval is told once.
        let middle = run.ticks[1].end_ns;
        let halves = [(first.start_ns, middle), (middle, last.end_ns)];
        let of_halves: f64 = halves
            .iter()
            .map(|(begin_ns, end_ns)| {
                let rate = shares.readings(*begin_ns, *end_ns)[0].value.unwrap();
                rate * (end_ns - begin_ns) as f64 / 1e9
            })
            .sum();
        assert!(
            (of_halves - count as f64).abs() < 1e-3,
            "{of_halves} {count}"
        );
    }

    #[test]
    fn what_is_no_share_of_plumbs_own_has_none() {
        for target in ["/mnt/share/file", "tcp://peer"] {
            assert_eq!(OwnShares::of(&run(target)).readings(0, u64::MAX), []);
        }
    }
}
