//! Which intervals does the view keep? The newest ones, as many as fit into the memory limit.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::mem::size_of;

use plumb_model::results::watch::{WatchColumn, WatchInterval, WatchRow, WatchTable};

/// Identity of a row, independent of other rows: group, instance, kind.
pub(super) type RowKey = (&'static str, Cow<'static, str>, &'static str);

pub(super) fn key_of(table: &WatchTable, row: &WatchRow) -> RowKey {
    (table.group, row.instance.clone(), row.kind)
}

/// Intervals in the order of their time.
#[derive(Debug)]
pub(super) struct History {
    intervals: VecDeque<WatchInterval>,
    bytes: usize,
    bytes_max: usize,
    /// Number of dropped intervals.
    left_out: u64,
    /// Number of intervals in which a row was active, per row.
    active: HashMap<RowKey, usize>,
}

impl History {
    /// An empty history that keeps up to this many bytes, and at least one interval.
    pub fn new(bytes_max: usize) -> History {
        History {
            intervals: VecDeque::new(),
            bytes: 0,
            bytes_max,
            left_out: 0,
            active: HashMap::new(),
        }
    }

    pub fn push(&mut self, interval: WatchInterval) {
        for key in active_rows(&interval) {
            *self.active.entry(key).or_default() += 1;
        }
        self.bytes += bytes_of(&interval);
        self.intervals.push_back(interval);
        while self.bytes > self.bytes_max && self.intervals.len() > 1 {
            let Some(oldest) = self.intervals.pop_front() else {
                break;
            };
            self.bytes -= bytes_of(&oldest);
            self.left_out += 1;
            for key in active_rows(&oldest) {
                if let Some(count) = self.active.get_mut(&key) {
                    *count -= 1;
                    if *count == 0 {
                        self.active.remove(&key);
                    }
                }
            }
        }
    }

    /// Number of older intervals dropped.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    pub fn len(&self) -> usize {
        self.intervals.len()
    }

    pub fn get(&self, at: usize) -> Option<&WatchInterval> {
        self.intervals.get(at)
    }

    pub fn oldest(&self) -> Option<&WatchInterval> {
        self.intervals.front()
    }

    pub fn newest(&self) -> Option<&WatchInterval> {
        self.intervals.back()
    }

    /// Intervals that overlap a time range.
    pub fn between(&self, begin_ns: i64, end_ns: i64) -> impl Iterator<Item = &WatchInterval> {
        let first = self
            .intervals
            .partition_point(|interval| signed(interval.end_ns) <= begin_ns);
        self.intervals
            .range(first..)
            .take_while(move |interval| signed(interval.begin_ns) < end_ns)
    }

    /// Index of the interval that ended then; the oldest one if that one was dropped.
    pub fn place_of(&self, end_ns: u64) -> usize {
        let place = self
            .intervals
            .partition_point(|interval| interval.end_ns < end_ns);
        place.min(self.intervals.len().saturating_sub(1))
    }

    /// True if the row was active in a kept interval.
    pub fn was_active(&self, key: &RowKey) -> bool {
        self.active.contains_key(key)
    }
}

pub(super) fn signed(time_ns: u64) -> i64 {
    i64::try_from(time_ns).unwrap_or(i64::MAX)
}

fn active_rows(interval: &WatchInterval) -> impl Iterator<Item = RowKey> {
    interval.tables.iter().flat_map(|table| {
        let active = table.rows.iter().filter(|row| row.is_active);
        active.map(|row| key_of(table, row))
    })
}

/// Approximate memory of an interval.
fn bytes_of(interval: &WatchInterval) -> usize {
    let of_row = |row: &WatchRow| {
        let figures = row.values.len() + row.largest.len();
        size_of::<WatchRow>() + row.instance.len() + figures * size_of::<Option<f64>>()
    };
    let of_table = |table: &WatchTable| {
        let columns = table.columns.len() * size_of::<WatchColumn>();
        size_of::<WatchTable>() + columns + table.rows.iter().map(of_row).sum::<usize>()
    };
    size_of::<WatchInterval>() + interval.tables.iter().map(of_table).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::watch::tests::interval;

    #[test]
    fn the_oldest_intervals_go_when_there_is_no_room() {
        let one = bytes_of(&interval(1, &[("vda", "read", Some(1.0))]));
        let mut history = History::new(3 * one);
        history.push(interval(1, &[("sdb", "read", Some(1.0))]));
        for second in 2..=5 {
            history.push(interval(second, &[("vda", "read", Some(1.0))]));
        }
        let times: Vec<u64> = history
            .between(0, i64::MAX)
            .map(|kept| kept.end_ns)
            .collect();
        assert_eq!(history.left_out(), 2);
        assert_eq!(times, [3_000_000_000, 4_000_000_000, 5_000_000_000]);
        let was_active = |name: &'static str| history.was_active(&("disk", name.into(), "read"));
        assert!(was_active("vda") && !was_active("sdb"));
        // A dropped interval maps to the oldest kept one.
        assert_eq!(history.place_of(1_000_000_000), 0);
        assert_eq!(history.place_of(4_000_000_000), 1);
    }
}
