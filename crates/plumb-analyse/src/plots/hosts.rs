//! What was the throughput of each host over time? From the records of the ranks, on the clock of the common run.

use std::collections::BTreeMap;

use plumb_model::results::series::HeatMap;
use plumb_model::run::Run;
use plumb_model::run::ranks::Placement;

/// Most columns of a map; a shorter run has one for each interval.
const COLUMNS_MAX: u64 = 150;

/// Two maps that grow by the records of the ranks: operations per second, and the longest operation.
pub struct HostMaps {
    hosts: Vec<String>,
    /// Place of the host of each rank.
    of_rank: BTreeMap<u32, usize>,
    start_ns: u64,
    column_ns: u64,
    columns: usize,
    /// By host and column.
    iops: Vec<Vec<Option<f64>>>,
    longest_ns: Vec<Vec<Option<f64>>>,
}

/// What one job of a rank did in a column: operations, and the time that its intervals cover.
#[derive(Clone, Copy, Default)]
struct Cell {
    operations: f64,
    covered_ns: f64,
}

impl HostMaps {
    /// Of the record of all; `None` for a run of one process, and for one without an interval.
    pub fn new(all: &Run) -> Option<HostMaps> {
        let placement = Placement::of(all.header.ranks.as_ref()?);
        let start_ns = all.ticks.iter().map(|tick| tick.start_ns).min()?;
        let end_ns = all.ticks.iter().map(|tick| tick.end_ns).max()?;
        let mut lengths: Vec<u64> = all
            .ticks
            .iter()
            .map(|tick| tick.end_ns.saturating_sub(tick.start_ns))
            .collect();
        lengths.sort_unstable();
        let interval_ns = lengths[lengths.len() / 2];
        let span_ns = end_ns.saturating_sub(start_ns);
        let column_ns = interval_ns.max(span_ns.div_ceil(COLUMNS_MAX)).max(1);
        let columns = span_ns.div_ceil(column_ns).max(1) as usize;
        let empty = vec![vec![None; columns]; placement.hosts.len()];
        Some(HostMaps {
            of_rank: placement
                .ranks()
                .map(|(rank, host)| (rank, host as usize))
                .collect(),
            hosts: placement.hosts,
            start_ns,
            column_ns,
            columns,
            iops: empty.clone(),
            longest_ns: empty,
        })
    }

    /// Adds what a rank did, from its record.
    pub fn add(&mut self, rank: &Run) {
        let Some(of) = &rank.header.rank_of else {
            return;
        };
        let Some(host) = self.of_rank.get(&of.rank).copied() else {
            return;
        };
        let mut jobs: BTreeMap<u32, Vec<Cell>> = BTreeMap::new();
        for tick in &rank.ticks {
            let since = |time_ns: u64| {
                let common_ns = time_ns.saturating_add_signed(of.offset_ns);
                common_ns.saturating_sub(self.start_ns)
            };
            let (from_ns, to_ns) = (since(tick.start_ns), since(tick.end_ns));
            let length_ns = to_ns.saturating_sub(from_ns);
            if length_ns == 0 {
                continue;
            }
            let operations = tick.kinds.iter().map(|kind| kind.count).sum::<u64>() as f64;
            let cells = jobs
                .entry(tick.job)
                .or_insert_with(|| vec![Cell::default(); self.columns]);
            let first = (from_ns / self.column_ns) as usize;
            let last = ((to_ns - 1) / self.column_ns) as usize;
            let within = cells.iter_mut().enumerate().take(last.saturating_add(1));
            for (column, cell) in within.skip(first) {
                let begin = column as u64 * self.column_ns;
                let end = begin + self.column_ns;
                let part = to_ns.min(end).saturating_sub(from_ns.max(begin)) as f64;
                cell.operations += operations * part / length_ns as f64;
                cell.covered_ns += part;
            }
            let longest = tick.kinds.iter().filter_map(|kind| kind.service.max_ns());
            let middle = ((from_ns + length_ns / 2) / self.column_ns) as usize;
            if let (Some(longest), Some(cell)) =
                (longest.max(), self.longest_ns[host].get_mut(middle))
            {
                let longest = longest as f64;
                *cell = Some(cell.map_or(longest, |held: f64| held.max(longest)));
            }
        }
        for cells in jobs.into_values() {
            let held = self.iops[host].iter_mut().zip(cells);
            for (held, cell) in held.filter(|(_, cell)| cell.covered_ns > 0.0) {
                let rate = cell.operations / cell.covered_ns * 1e9;
                *held = Some(held.unwrap_or(0.0) + rate);
            }
        }
    }

    /// Operations per second, and the longest operation in nanoseconds; `None` where nothing was added.
    pub fn finish(self) -> (Option<HeatMap>, Option<HeatMap>) {
        let seconds = |columns: u64| (self.start_ns + columns * self.column_ns) as f64 / 1e9;
        let map = |unit: &str, cells: Vec<Vec<Option<f64>>>| {
            let any = cells.iter().flatten().any(Option::is_some);
            any.then(|| HeatMap {
                unit: unit.into(),
                rows: self.hosts.clone(),
                columns_s: (1..=self.columns as u64).map(seconds).collect(),
                start_s: seconds(0),
                cells,
            })
        };
        (map("operations/s", self.iops), map("ns", self.longest_ns))
    }
}

#[cfg(test)]
mod tests {
    use plumb_model::run::ranks::RankOf;

    use super::*;
    use crate::synthetic::{Builder, Interval, ladder};
    use crate::two_hosts::on_two_hosts;

    fn record(intervals: u32, iops: f64) -> Run {
        let mut builder = Builder::new(ladder("read", &[1]));
        let interval = Interval {
            iops,
            ..Interval::default()
        };
        builder.execute(0, 0, &vec![interval; intervals as usize]);
        builder.finish()
    }

    #[test]
    fn each_host_has_a_row_with_its_own_rates_on_the_common_clock() {
        let all = on_two_hosts(record(6, 3000.0), [1000, 2000], 0);
        let mut maps = HostMaps::new(&all).expect("maps");
        let later_ns = 5_000_000_000;
        for (rank, iops) in [(0, 1000.0), (1, 2000.0)] {
            let mut of_rank = record(6, iops);
            // Its clock began later than that of the run.
            for tick in &mut of_rank.ticks {
                tick.start_ns += later_ns;
                tick.end_ns += later_ns;
            }
            of_rank.header.rank_of = Some(RankOf {
                run: String::new(),
                rank,
                ranks: 2,
                offset_ns: -(later_ns as i64),
            });
            maps.add(&of_rank);
        }
        let (iops, longest) = maps.finish();
        let (iops, longest) = (iops.expect("rates"), longest.expect("times"));
        assert_eq!(iops.rows, ["hosta", "hostb"]);
        for (row, rate) in iops.cells.iter().zip([1000.0, 2000.0]) {
            let seen: Vec<f64> = row.iter().flatten().copied().collect();
            assert!(seen.len() >= 6, "{row:?}");
            let is_it = |seen: &f64| (seen / rate - 1.0).abs() < 0.01;
            assert!(seen.iter().all(is_it), "{rate}: {seen:?}");
        }
        assert!(
            longest
                .cells
                .iter()
                .all(|row| row.iter().flatten().count() >= 6)
        );
        let one_process = HostMaps::new(&record(2, 1.0));
        assert!(one_process.is_none());
    }
}
