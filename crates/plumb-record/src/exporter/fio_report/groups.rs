//! What did each group of jobs do together? Sums, and the minimum and maximum over its jobs.

use super::entry::Entry;
use super::measured::{Direction, Measured};
use super::verdicts::mixed;

/// One direction of one group. Rates in bytes per second, times in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    pub bytes: u64,
    pub least_rate: f64,
    pub most_rate: f64,
    pub least_ms: u64,
    pub most_ms: u64,
    pub most_s: f64,
}

impl Sum {
    fn take(&mut self, of: &Direction) {
        let Some(rate) = of
            .bytes_per_s
            .filter(|_| of.is_used() && of.runtime_s > 0.0)
        else {
            return;
        };
        let is_first = self.most_ms == 0;
        self.bytes += of.bytes;
        self.least_rate = if is_first {
            rate
        } else {
            self.least_rate.min(rate)
        };
        self.most_rate = self.most_rate.max(rate);
        self.least_ms = if is_first {
            of.runtime_ms()
        } else {
            self.least_ms.min(of.runtime_ms())
        };
        self.most_ms = self.most_ms.max(of.runtime_ms());
        self.most_s = self.most_s.max(of.runtime_s);
    }

    /// Bytes per second of all jobs together.
    pub fn rate(&self) -> f64 {
        if self.bytes == 0 {
            // An imported run may state only a rate.
            return self.most_rate;
        }
        self.bytes as f64 / self.most_s
    }

    /// Mean of the samples of one job, in percent of its group.
    pub fn share(&self, of: &Direction) -> f64 {
        let kib_per_s = self.rate() / 1024.0;
        if kib_per_s > 1.0 {
            (of.kib_samples.mean * 100.0 / kib_per_s).min(100.0)
        } else {
            100.0
        }
    }
}

/// One group: reads, writes and trims, or their combination in the first slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    pub number: u32,
    pub is_mixed: bool,
    /// Rates in bits, if all its jobs report them so.
    pub in_bits: bool,
    pub sums: [Sum; 3],
}

/// All groups, in numerical order.
pub fn groups(measured: &[(&Entry, Measured)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (entry, of) in measured {
        let part = match groups.iter().position(|group| group.number == entry.group) {
            Some(part) => part,
            None => {
                groups.push(Group {
                    number: entry.group,
                    is_mixed: entry.report_options.is_mixed,
                    in_bits: true,
                    ..Group::default()
                });
                groups.len() - 1
            }
        };
        groups[part].in_bits &= entry.report_options.in_bits;
        let sums = &mut groups[part].sums;
        if entry.report_options.is_mixed {
            sums[0].take(&mixed(of));
        } else {
            sums.iter_mut()
                .zip(&of.directions)
                .for_each(|(sum, of)| sum.take(of));
        }
    }
    groups.sort_by_key(|group| group.number);
    groups
}

/// The group of an entry.
pub fn group_of<'g>(groups: &'g [Group], entry: &Entry) -> Option<&'g Group> {
    groups.iter().find(|group| group.number == entry.group)
}
