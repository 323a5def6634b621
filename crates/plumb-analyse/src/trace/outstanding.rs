//! How many calls were outstanding over time? The time with each number of them is summed, and intervals of equal length are kept.

use plumb_model::trace::summary::{DepthFigures, Interval, Outstanding};

/// Intervals that are kept at most; then each two become one.
const INTERVALS_MAX: usize = 240;
/// Length of an interval at first, in nanoseconds.
const INTERVAL_NS: u64 = 1_000_000;
/// Above this number the time is added to that of this number.
const DEPTH_MAX: usize = 65_536;
/// Numbers of outstanding calls with separate figures.
const DEPTHS_SHOWN: usize = 256;

/// One interval as it is counted.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    /// Sum over the outstanding calls of the time that each was, in nanoseconds.
    area_ns: f64,
    most: u64,
    answered: u64,
    bytes: u64,
}

/// Outstanding calls over the time of a trace.
#[derive(Default)]
pub(super) struct OutstandingTally {
    /// Missing before the first call.
    first_ns: Option<u64>,
    last_ns: u64,
    now: u64,
    max: u64,
    /// Time by number outstanding.
    time_ns: Vec<u64>,
    /// Calls completed by number outstanding, including themselves.
    answered: Vec<u64>,
    area_ns: f64,
    interval_ns: u64,
    intervals: Vec<Counted>,
}

impl OutstandingTally {
    /// A call was made.
    pub fn begin(&mut self, at_ns: u64) {
        if self.first_ns.is_none() {
            self.first_ns = Some(at_ns);
            self.last_ns = at_ns;
            self.interval_ns = INTERVAL_NS;
        }
        self.go_to(at_ns);
        self.now += 1;
        self.max = self.max.max(self.now);
        let now = self.now;
        if let Some(interval) = self.interval(at_ns) {
            interval.most = interval.most.max(now);
        }
    }

    /// A call completed and transferred this many bytes.
    pub fn end(&mut self, at_ns: u64, bytes: u64) {
        self.go_to(at_ns);
        if let Ok(depth) = usize::try_from(self.now)
            && depth <= DEPTHS_SHOWN
        {
            if self.answered.len() <= depth {
                self.answered.resize(depth + 1, 0);
            }
            self.answered[depth] += 1;
        }
        self.now = self.now.saturating_sub(1);
        if let Some(interval) = self.interval(at_ns) {
            interval.answered += 1;
            interval.bytes = interval.bytes.saturating_add(bytes);
        }
    }

    /// A call from `from_ns` has no response: its time outstanding is unknown, so that it does not count in the means.
    pub fn forget(&mut self, from_ns: u64, at_ns: u64) {
        self.go_to(at_ns);
        self.now = self.now.saturating_sub(1);
        self.spread(from_ns, at_ns.min(self.last_ns), -1.0);
    }

    /// From the first call to the last event.
    pub fn span_ns(&self) -> u64 {
        self.last_ns - self.first_ns.unwrap_or(self.last_ns)
    }

    fn go_to(&mut self, at_ns: u64) {
        // Packets of several interfaces may be stored in another order than they came.
        if at_ns <= self.last_ns {
            return;
        }
        let passed_ns = at_ns - self.last_ns;
        let depth = usize::try_from(self.now)
            .unwrap_or(DEPTH_MAX)
            .min(DEPTH_MAX);
        if self.time_ns.len() <= depth {
            self.time_ns.resize(depth + 1, 0);
        }
        if let Some(time_ns) = self.time_ns.get_mut(depth) {
            *time_ns += passed_ns;
        }
        if self.now > 0 {
            self.spread(self.last_ns, at_ns, self.now as f64);
        }
        self.last_ns = at_ns;
    }

    /// Adds `calls` outstanding over this time to the sums.
    fn spread(&mut self, from_ns: u64, to_ns: u64, calls: f64) {
        let mut at_ns = from_ns.max(self.first_ns.unwrap_or(from_ns));
        self.area_ns += to_ns.saturating_sub(at_ns) as f64 * calls;
        let _ = self.interval(to_ns);
        while at_ns < to_ns {
            let first_ns = self.first_ns.unwrap_or(at_ns);
            let index = (at_ns - first_ns) / self.interval_ns.max(1);
            let end_ns = first_ns.saturating_add((index + 1).saturating_mul(self.interval_ns));
            let until_ns = to_ns.min(end_ns.max(at_ns + 1));
            if let Some(interval) = self.interval(at_ns) {
                interval.area_ns += (until_ns - at_ns) as f64 * calls;
                interval.most = interval.most.max(calls.max(0.0) as u64);
            }
            at_ns = until_ns;
        }
    }

    /// The interval of this time. Intervals become longer until there is one.
    fn interval(&mut self, at_ns: u64) -> Option<&mut Counted> {
        let since_ns = at_ns.saturating_sub(self.first_ns?);
        while since_ns / self.interval_ns.max(1) >= INTERVALS_MAX as u64 {
            let merged = |pair: &[Counted]| {
                pair.iter().fold(Counted::default(), |a, b| Counted {
                    area_ns: a.area_ns + b.area_ns,
                    most: a.most.max(b.most),
                    answered: a.answered + b.answered,
                    bytes: a.bytes.saturating_add(b.bytes),
                })
            };
            self.intervals = self.intervals.chunks(2).map(merged).collect();
            self.interval_ns = self.interval_ns.saturating_mul(2);
        }
        let index = usize::try_from(since_ns / self.interval_ns.max(1)).ok()?;
        if self.intervals.len() <= index {
            self.intervals.resize(index + 1, Counted::default());
        }
        self.intervals.get_mut(index)
    }

    pub fn figures(&self) -> Outstanding {
        let span_ns = self.span_ns() as f64;
        let idle_ns = self.time_ns.first().copied().unwrap_or(0) as f64;
        let of_span = |ns: f64| if span_ns > 0.0 { ns / span_ns } else { 0.0 };
        let area_ns = self.area_ns.max(0.0);
        let interval = |counted: &Counted| Interval {
            outstanding: counted.area_ns.max(0.0) / self.interval_ns.max(1) as f64,
            outstanding_max: counted.most,
            answered: counted.answered,
            bytes: counted.bytes,
        };
        Outstanding {
            mean: of_span(area_ns),
            mean_while_busy: (span_ns > idle_ns).then(|| area_ns / (span_ns - idle_ns)),
            max: self.max,
            idle_share: of_span(idle_ns),
            shares: self.shares(span_ns),
            interval_ns: self.interval_ns,
            over_time: self.intervals.iter().map(interval).collect(),
            by_outstanding: self.by_outstanding(),
        }
    }

    fn by_outstanding(&self) -> Vec<DepthFigures> {
        let times = self.time_ns.iter().enumerate().take(DEPTHS_SHOWN + 1);
        let figures = times.map(|(depth, time_ns)| DepthFigures {
            outstanding: depth as u64,
            time_ns: *time_ns,
            answered: self.answered.get(depth).copied().unwrap_or(0),
        });
        figures
            .filter(|of| of.time_ns > 0 && of.outstanding > 0)
            .collect()
    }

    /// One entry for 0 to 4, then one up to each power of two.
    fn shares(&self, span_ns: f64) -> Vec<(u64, f64)> {
        let mut shares: Vec<(u64, f64)> = Vec::new();
        for (depth, time_ns) in self.time_ns.iter().enumerate() {
            let depth = depth as u64;
            let share = if span_ns > 0.0 {
                *time_ns as f64 / span_ns
            } else {
                0.0
            };
            match shares.last_mut() {
                Some((_, sum)) if depth > 4 && !depth.is_power_of_two() => *sum += share,
                _ => shares.push((depth, share)),
            }
        }
        shares
    }
}
