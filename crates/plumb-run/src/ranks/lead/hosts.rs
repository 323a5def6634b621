//! How do the hosts compare while a step runs? Each rank reports every second what it has done so far.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plumb_model::run::ranks::Ranks;
use plumb_show::live::{LiveHost, LiveHosts};

use super::super::message::SoFar;
use super::known::Known;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(1);
/// A rank sends a message every second; one without a message for this long is reported.
const SILENT_AFTER: Duration = Duration::from_secs(3);
/// A host that does less than this share of what the others do in the middle is behind.
const BEHIND: f64 = 0.5;

/// What a rank did last.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    last: Option<SoFar>,
    /// Operations and bytes per second between its last two words.
    rate: Option<(f64, f64)>,
}

/// Reports of the ranks of each host.
#[derive(Debug)]
pub struct Hosts {
    ranks: Vec<Seen>,
    /// All hosts do the same in the step that runs.
    are_alike: bool,
    looked: Instant,
}

impl Hosts {
    /// No report yet.
    pub fn new(ranks: usize) -> Hosts {
        Hosts {
            ranks: vec![Seen::default(); ranks],
            are_alike: false,
            looked: Instant::now(),
        }
    }

    /// A step begins, with so many jobs: hosts may have different ones of several.
    pub fn begin(&mut self, jobs: usize) {
        self.ranks.fill(Seen::default());
        self.are_alike = jobs == 1;
    }

    /// A rank reports what it has done so far.
    pub fn update(&mut self, rank: u32, so_far: SoFar) {
        let Some(seen) = self.ranks.get_mut(rank as usize) else {
            return;
        };
        let before = seen
            .last
            .filter(|before| before.execution == so_far.execution);
        if let Some(before) = before {
            let Some(took_ns) = so_far.until_ns.checked_sub(before.until_ns) else {
                return;
            };
            if took_ns == 0 {
                return;
            }
            let per_second =
                |now: u64, then: u64| now.saturating_sub(then) as f64 * 1e9 / took_ns as f64;
            seen.rate = Some((
                per_second(so_far.operations, before.operations),
                per_second(so_far.bytes, before.bytes),
            ));
        } else {
            seen.rate = None;
        }
        seen.last = Some(so_far);
    }

    /// How they stand, once a second.
    pub fn due(&mut self, ranks: &Ranks, known: &[Known]) -> Option<LiveHosts> {
        if self.looked.elapsed() < EVERY {
            return None;
        }
        self.looked = Instant::now();
        Some(self.stand(ranks, known))
    }

    fn stand(&self, ranks: &Ranks, known: &[Known]) -> LiveHosts {
        let mut hosts: BTreeMap<&str, LiveHost> = BTreeMap::new();
        let mut count = 0;
        let here = ranks.places.iter().filter_map(|entry| {
            let known = known.get(entry.rank as usize)?;
            (!known.is_gone()).then_some((entry, known))
        });
        for (entry, known) in here {
            count += 1;
            let host = hosts.entry(&entry.host).or_default();
            host.name.clone_from(&entry.host);
            let silent = known.last_message.elapsed();
            if silent >= SILENT_AFTER {
                host.silent_s = host.silent_s.max(Some(silent.as_secs()));
                continue;
            }
            let seen = self.ranks.get(entry.rank as usize);
            let rate = seen.and_then(|seen| seen.rate);
            if let Some((iops, bandwidth)) = rate.filter(|_| !known.ended) {
                *host.iops.get_or_insert(0.0) += iops;
                *host.bandwidth_bytes_per_s.get_or_insert(0.0) += bandwidth;
            }
        }
        let mut hosts: Vec<LiveHost> = hosts.into_values().collect();
        // The rate of a silent rank, and so of its host, is unknown.
        for host in hosts.iter_mut().filter(|host| host.silent_s.is_some()) {
            (host.iops, host.bandwidth_bytes_per_s) = (None, None);
        }
        hosts.sort_by(|a, b| {
            let rate = |host: &LiveHost| host.iops.unwrap_or(f64::INFINITY);
            b.silent_s
                .cmp(&a.silent_s)
                .then(rate(a).total_cmp(&rate(b)))
        });
        if self.are_alike {
            mark_those_behind(&mut hosts);
        }
        LiveHosts {
            ranks: count,
            hosts,
        }
    }
}

/// Each is held against the middle of the others.
fn mark_those_behind(hosts: &mut [LiveHost]) {
    let mut rates: Vec<f64> = hosts.iter().filter_map(|host| host.iops).collect();
    rates.sort_by(f64::total_cmp);
    // What lies in the middle of a row once one was taken from it: one further on where that lay before it.
    let middle = rates.len().saturating_sub(1) / 2;
    for host in hosts {
        let Some(own) = host.iops else { continue };
        let at = rates.partition_point(|rate| *rate < own);
        let of_others = rates.get(middle + usize::from(at <= middle));
        host.is_behind = of_others.is_some_and(|others| own < others * BEHIND);
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::run::ranks::RankPlace;

    use super::*;

    fn ranks(hosts: &[&str]) -> Ranks {
        let entry = |(rank, host): (usize, &&str)| RankPlace {
            rank: rank as u32,
            host: host.to_string(),
            process: 1,
            time_of_day_ahead_ns: 0,
            clock_uncertainty_ns: 0,
        };
        Ranks {
            carrier: "TCP".into(),
            places: hosts.iter().enumerate().map(entry).collect(),
        }
    }

    fn so_far(execution: u32, seconds: u64, operations: u64) -> SoFar {
        SoFar {
            execution,
            until_ns: seconds * 1_000_000_000,
            operations,
            bytes: operations * 4096,
        }
    }

    fn long_ago() -> Instant {
        let now = Instant::now();
        now.checked_sub(2 * SILENT_AFTER).unwrap_or(now)
    }

    #[test]
    fn each_is_held_against_the_middle_of_the_others() {
        let behind = |rates: &[f64]| {
            let host = |rate: &f64| LiveHost {
                iops: Some(*rate),
                ..LiveHost::default()
            };
            let mut hosts: Vec<LiveHost> = rates.iter().map(host).collect();
            mark_those_behind(&mut hosts);
            hosts.iter().map(|host| host.is_behind).collect::<Vec<_>>()
        };
        assert_eq!(behind(&[]), Vec::<bool>::new());
        assert_eq!(behind(&[5.0]), [false]);
        assert_eq!(behind(&[4.0, 10.0]), [true, false]);
        assert_eq!(behind(&[6.0, 10.0]), [false, false]);
        assert_eq!(
            behind(&[10.0, 4.0, 10.0, 4.9, 6.0]),
            [false, true, false, true, false]
        );
        assert_eq!(behind(&[3.0, 3.0, 3.0]), [false; 3]);
    }

    #[test]
    fn rates_of_a_host_are_those_of_its_ranks_and_one_that_does_half_is_behind() {
        let ranks = ranks(&["a", "a", "b", "c"]);
        let mut known: Vec<Known> = (0..4).map(|_| Known::new(false)).collect();
        let mut hosts = Hosts::new(4);
        hosts.begin(1);
        for (rank, each) in [1000, 1100, 2000, 900].into_iter().enumerate() {
            hosts.update(rank as u32, so_far(3, 1, each));
            hosts.update(rank as u32, so_far(3, 3, 3 * each));
        }
        let all = hosts.stand(&ranks, &known);
        let reported: Vec<(&str, Option<f64>, bool)> = all
            .hosts
            .iter()
            .map(|host| (host.name.as_str(), host.iops, host.is_behind))
            .collect();
        assert_eq!(all.ranks, 4);
        let expected = [
            ("c", Some(900.0), true),
            ("b", Some(2000.0), false),
            ("a", Some(2100.0), false),
        ];
        assert_eq!(reported, expected);
        assert_eq!(all.hosts[1].bandwidth_bytes_per_s, Some(2000.0 * 4096.0));
        // One rank of two is silent: the other's rate is not the host's. One that has ended does nothing more.
        known[0].last_message = long_ago();
        known[3].ended = true;
        let all = hosts.stand(&ranks, &known);
        let reported = all.hosts.iter().map(|host| (host.name.as_str(), host.iops));
        let expected = [("a", None), ("b", Some(2000.0)), ("c", None)];
        assert_eq!(reported.collect::<Vec<_>>(), expected);
        known[0].last_message = Instant::now();
        known[3].ended = false;
        // Hosts that do different work are not held against each other.
        hosts.are_alike = false;
        let all = hosts.stand(&ranks, &known);
        assert!(all.hosts.iter().all(|host| !host.is_behind));
    }

    #[test]
    fn a_rate_takes_two_words_of_one_execution_and_a_lost_rank_has_none() {
        let ranks = ranks(&["a", "b"]);
        let mut known: Vec<Known> = (0..2).map(|_| Known::new(false)).collect();
        let mut hosts = Hosts::new(2);
        hosts.begin(1);
        hosts.update(0, so_far(0, 1, 10));
        hosts.update(0, so_far(1, 2, 20));
        hosts.update(9, so_far(1, 2, 20));
        assert_eq!(hosts.stand(&ranks, &known).hosts[0].iops, None);
        // No interval more: the rate before stands.
        hosts.update(0, so_far(1, 3, 50));
        hosts.update(0, so_far(1, 3, 50));
        known[0].last_message = long_ago();
        let silent = &hosts.stand(&ranks, &known).hosts[0];
        assert_eq!((silent.silent_s, silent.iops), (Some(6), None));
        known[0].last_message = Instant::now();
        known[1].lost = true;
        let all = hosts.stand(&ranks, &known);
        assert_eq!((all.ranks, all.hosts.len()), (1, 1));
        assert_eq!(all.hosts[0].iops, Some(30.0));
        assert!(!all.hosts[0].is_behind);
    }
}
