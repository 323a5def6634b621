//! How do millions of operations become ticks? Intervals of about a second, never more than a few thousand, whatever the length of the log.

use std::collections::BTreeMap;

use plumb_model::run::histogram::Histogram;
use plumb_model::workload::operation::OperationKind;

/// Most intervals: above that, pairs are merged.
const INTERVALS_MAX: usize = 8192;

/// Initial length of an interval, in milliseconds.
const WIDTH_MS: u64 = 1000;

/// Completed operations of one kind in one interval.
#[derive(Debug)]
pub struct Completed {
    pub kind: OperationKind,
    pub count: u64,
    pub bytes: u64,
    pub times: Histogram,
    /// Operations that failed, by name; not in `count`.
    pub errors: BTreeMap<String, u64>,
}

/// Intervals since the start, without gaps.
#[derive(Debug)]
pub struct Intervals {
    width_ms: u64,
    cells: Vec<Vec<Completed>>,
    /// The last extended interval keeps wide histograms; those of all others are narrow.
    wide: usize,
}

impl Default for Intervals {
    fn default() -> Self {
        Intervals {
            width_ms: WIDTH_MS,
            cells: Vec::new(),
            wide: 0,
        }
    }
}

impl Intervals {
    /// Counts `count` operations that completed by `time_ms`, and the latency of each if known.
    pub fn add(
        &mut self,
        time_ms: u64,
        kind: OperationKind,
        (count, bytes): (u64, u64),
        time_ns: Option<u64>,
    ) {
        if let Some(known) = self.at(time_ms, kind) {
            known.count = known.count.saturating_add(count);
            known.bytes = known.bytes.saturating_add(bytes);
            if let Some(time_ns) = time_ns {
                known.times.record_n(time_ns, count);
            }
        }
    }

    /// Counts an operation that failed by `time_ms`; from `names_max` names in an interval on as `other`.
    pub fn fail(&mut self, time_ms: u64, kind: OperationKind, name: String, names_max: usize) {
        if let Some(known) = self.at(time_ms, kind) {
            let is_kept = known.errors.len() < names_max || known.errors.contains_key(&name);
            let name = if is_kept { name } else { "other".into() };
            *known.errors.entry(name).or_default() += 1;
        }
    }

    /// What completed by `time_ms`.
    fn at(&mut self, time_ms: u64, kind: OperationKind) -> Option<&mut Completed> {
        while time_ms / self.width_ms >= INTERVALS_MAX as u64 {
            self.halve();
        }
        let at = (time_ms / self.width_ms) as usize;
        if at != self.wide {
            self.shrink(self.wide);
            self.wide = at;
        }
        if at >= self.cells.len() {
            self.cells.resize_with(at + 1, Vec::new);
        }
        let cell = self.cells.get_mut(at)?;
        let index = cell
            .iter()
            .position(|known| known.kind == kind)
            .unwrap_or_else(|| {
                cell.push(Completed {
                    kind,
                    count: 0,
                    bytes: 0,
                    times: Histogram::default(),
                    errors: BTreeMap::new(),
                });
                cell.len() - 1
            });
        cell.get_mut(index)
    }

    fn shrink(&mut self, at: usize) {
        self.cells
            .get_mut(at)
            .into_iter()
            .flatten()
            .for_each(|completed| completed.times.shrink());
    }

    /// Merges pairs of intervals.
    fn halve(&mut self) {
        self.shrink(self.wide);
        self.width_ms = self.width_ms.saturating_mul(2);
        let mut narrow = std::mem::take(&mut self.cells).into_iter();
        while let Some(mut first) = narrow.next() {
            for other in narrow.next().into_iter().flatten() {
                match first.iter_mut().find(|known| known.kind == other.kind) {
                    Some(known) => {
                        known.count = known.count.saturating_add(other.count);
                        known.bytes = known.bytes.saturating_add(other.bytes);
                        known.times.merge(&other.times);
                        known.times.shrink();
                        for (name, count) in other.errors {
                            *known.errors.entry(name).or_default() += count;
                        }
                    }
                    None => first.push(other),
                }
            }
            self.cells.push(first);
        }
        self.wide = usize::MAX;
    }

    /// (start, end, completed operations) of each, in milliseconds; the last one ends at `end_ms`.
    pub fn finish(mut self, end_ms: u64) -> impl Iterator<Item = (u64, u64, Vec<Completed>)> {
        self.shrink(self.wide);
        let width_ms = self.width_ms;
        self.cells.into_iter().enumerate().map(move |(at, cell)| {
            let start_ms = at as u64 * width_ms;
            (
                start_ms,
                (start_ms + width_ms).min(end_ms.max(start_ms + 1)),
                cell,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_logs_have_longer_intervals_and_lose_nothing() {
        let mut intervals = Intervals::default();
        for second in 0..20_000u64 {
            intervals.add(
                second * 1000 + 3,
                OperationKind::Read,
                (1, 4096),
                Some(second + 1),
            );
        }
        intervals.add(500, OperationKind::Write, (7, 0), None);
        let all: Vec<_> = intervals.finish(19_999_003).collect();
        assert_eq!(
            (all.len(), all[0].0, all[0].1, all.last().map(|last| last.1)),
            (5000, 0, 4000, Some(19_999_003))
        );
        let reads: Vec<&Completed> = all
            .iter()
            .flat_map(|(_, _, cell)| cell)
            .filter(|completed| completed.kind == OperationKind::Read)
            .collect();
        assert_eq!(
            (
                reads.iter().map(|read| read.count).sum::<u64>(),
                reads.iter().map(|read| read.times.count()).sum::<u64>()
            ),
            (20_000, 20_000)
        );
        assert_eq!(reads[4999].times.max_ns(), Some(20_000));
        assert_eq!(all[0].2[1].count, 7);
    }

    #[test]
    fn a_gap_is_time_too() {
        let mut intervals = Intervals::default();
        intervals.add(10, OperationKind::Read, (1, 1), None);
        intervals.add(5500, OperationKind::Read, (1, 1), None);
        let all: Vec<_> = intervals
            .finish(5500)
            .map(|(start, end, cell)| (start, end, cell.len()))
            .collect();
        assert_eq!(all[..3], [(0, 1000, 1), (1000, 2000, 0), (2000, 3000, 0)]);
        assert_eq!(all[5], (5000, 5500, 1));
    }
}
