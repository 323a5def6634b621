//! How many calls were outstanding over time? The time with each number of them is summed, and intervals of equal length are kept.

use std::collections::VecDeque;

use plumb_model::trace::summary::{DepthFigures, Interval, Outstanding};

/// Intervals that are kept at most; then each two become one.
const INTERVALS_MAX: usize = 240;
/// Length of an interval at first, in nanoseconds.
const INTERVAL_NS: u64 = 1_000_000;
/// Above this number the time is added to that of this number.
const DEPTH_MAX: usize = 65_536;
/// Numbers of outstanding calls with separate figures.
const DEPTHS_SHOWN: usize = 256;
/// Moments that are kept open, so that events may come a little out of order.
const MOMENTS_MIN: usize = 1024;
/// Moments kept while a call of one of them has no answer yet. One that is outstanding for longer counts as unanswered here: answers are lost more often than
/// that many others come before one.
const MOMENTS_MAX: usize = 1 << 19;

/// What happened at one time.
#[derive(Debug, Clone, Copy, Default)]
struct Moment {
    at_ns: u64,
    bytes: u64,
    /// Calls made, without those that turned out to be unanswered.
    made: u32,
    /// Those of them whose end is not known yet.
    open: u32,
    /// Ends of calls that were made before.
    ended: u32,
    /// Ends of calls that were made at this time.
    ended_at_once: u32,
    /// Ends of calls whose begin is not counted.
    ended_only: u32,
}

impl Moment {
    fn at(at_ns: u64) -> Moment {
        Moment {
            at_ns,
            ..Moment::default()
        }
    }
}

/// One interval as it is counted.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    /// Sum over the outstanding calls of the time that each was, in nanoseconds.
    area_ns: f64,
    most: u64,
    answered: u64,
    bytes: u64,
}

/// Outstanding calls over the time of a trace. A call counts from its begin to its end; one without an answer is not outstanding, as nobody knows for how long.
/// Therefore a moment is counted when the ends of all calls made until then are known.
#[derive(Default)]
pub(super) struct OutstandingTally {
    /// Missing before the first call.
    first_ns: Option<u64>,
    /// Of the last call that was made or answered.
    last_ns: u64,
    /// In the order of their time, from the first one that is not counted yet.
    moments: VecDeque<Moment>,
    /// Until when all is counted, and how many were outstanding then; missing before anything is.
    counted_ns: Option<u64>,
    now: u64,
    max: u64,
    /// Time by number outstanding.
    time_ns: Vec<u64>,
    /// Calls completed by number outstanding, including themselves.
    answered: Vec<u64>,
    area_ns: u128,
    interval_ns: u64,
    intervals: Vec<Counted>,
}

impl OutstandingTally {
    /// A call was made.
    pub fn begin(&mut self, at_ns: u64) {
        let first_ns = self.first_ns.get_or_insert(at_ns);
        if self.counted_ns.is_none() {
            *first_ns = at_ns.min(*first_ns);
        }
        self.last_ns = self.last_ns.max(at_ns);
        if let Some(moment) = self.moment(at_ns) {
            moment.made = moment.made.saturating_add(1);
            moment.open = moment.open.saturating_add(1);
        }
        self.count(MOMENTS_MIN);
    }

    /// A call from `from_ns` completed and transferred this many bytes.
    pub fn end(&mut self, from_ns: u64, at_ns: u64, bytes: u64) {
        // Packets of several interfaces may be stored in another order than they came.
        let at_ns = at_ns.max(from_ns);
        self.last_ns = self.last_ns.max(at_ns);
        let is_known = match self.open_at(from_ns) {
            Some(moment) => {
                moment.open -= 1;
                true
            }
            None => false,
        };
        let counted_ns = self.counted_ns.unwrap_or(0);
        if let Some(moment) = self.moment(at_ns.max(counted_ns)) {
            let ended = match is_known {
                true if at_ns == from_ns => &mut moment.ended_at_once,
                true => &mut moment.ended,
                false => &mut moment.ended_only,
            };
            *ended = ended.saturating_add(1);
            moment.bytes = moment.bytes.saturating_add(bytes);
        }
        self.count(MOMENTS_MIN);
    }

    /// A call from `from_ns` has no response.
    pub fn forget(&mut self, from_ns: u64) {
        if let Some(moment) = self.open_at(from_ns) {
            moment.open -= 1;
            moment.made -= 1;
        }
        self.count(MOMENTS_MIN);
    }

    /// From the first call to the last one that was made or answered.
    pub fn span_ns(&self) -> u64 {
        let first_ns = self.first_ns.unwrap_or(self.last_ns);
        self.last_ns.saturating_sub(first_ns)
    }

    /// The moment of this time; `None` where the time is counted already.
    fn moment(&mut self, at_ns: u64) -> Option<&mut Moment> {
        if self.counted_ns.is_some_and(|counted_ns| at_ns < counted_ns) {
            return None;
        }
        let index = match self.moments.back() {
            Some(last) if last.at_ns == at_ns => self.moments.len() - 1,
            Some(last) if last.at_ns > at_ns => {
                let index = self.moments.partition_point(|of| of.at_ns < at_ns);
                if self.moments.get(index).is_none_or(|of| of.at_ns != at_ns) {
                    self.moments.insert(index, Moment::at(at_ns));
                }
                index
            }
            _ => {
                self.moments.push_back(Moment::at(at_ns));
                self.moments.len() - 1
            }
        };
        self.moments.get_mut(index)
    }

    /// The moment of this time, if a call was made then whose end is not known.
    fn open_at(&mut self, from_ns: u64) -> Option<&mut Moment> {
        let index = self.moments.partition_point(|of| of.at_ns < from_ns);
        let moment = self.moments.get_mut(index)?;
        (moment.at_ns == from_ns && moment.open > 0).then_some(moment)
    }

    /// Counts the first moments until so many are left, or one of them waits for the end of a call.
    fn count(&mut self, left: usize) {
        while self.moments.len() > left {
            let waits = self.moments.front().is_some_and(|first| first.open > 0);
            if waits && self.moments.len() <= MOMENTS_MAX {
                return;
            }
            if let Some(mut moment) = self.moments.pop_front() {
                moment.made = moment.made.saturating_sub(moment.open);
                self.count_moment(&moment);
            }
        }
    }

    fn count_moment(&mut self, moment: &Moment) {
        self.pass_until(moment.at_ns);
        self.end_calls(moment.ended);
        self.now += u64::from(moment.made);
        self.max = self.max.max(self.now);
        let most = self.now;
        self.end_calls(moment.ended_at_once);
        let ended = u64::from(moment.ended) + u64::from(moment.ended_at_once);
        if let Some(interval) = self.interval(moment.at_ns) {
            interval.most = interval.most.max(most);
            interval.answered += ended + u64::from(moment.ended_only);
            interval.bytes = interval.bytes.saturating_add(moment.bytes);
        }
    }

    fn end_calls(&mut self, count: u32) {
        for _ in 0..count {
            if let Ok(depth) = usize::try_from(self.now)
                && depth <= DEPTHS_SHOWN
            {
                if self.answered.len() <= depth {
                    self.answered.resize(depth + 1, 0);
                }
                self.answered[depth] += 1;
            }
            self.now = self.now.saturating_sub(1);
        }
    }

    /// As many as now were outstanding from the last moment to this one.
    fn pass_until(&mut self, at_ns: u64) {
        let first_ns = self.first_ns.unwrap_or(at_ns);
        let from_ns = self.counted_ns.replace(at_ns).unwrap_or(first_ns);
        let passed_ns = at_ns.saturating_sub(from_ns);
        if passed_ns == 0 {
            return;
        }
        let depth = usize::try_from(self.now)
            .unwrap_or(DEPTH_MAX)
            .min(DEPTH_MAX);
        if self.time_ns.len() <= depth {
            self.time_ns.resize(depth + 1, 0);
        }
        if let Some(time_ns) = self.time_ns.get_mut(depth) {
            *time_ns += passed_ns;
        }
        self.area_ns += u128::from(passed_ns) * u128::from(self.now);
        let _ = self.interval(at_ns);
        if self.now > 0 {
            self.spread(from_ns, at_ns);
        }
    }

    /// Adds the calls that are outstanding over this time to its intervals.
    fn spread(&mut self, from_ns: u64, to_ns: u64) {
        let (calls, most) = (self.now as f64, self.now);
        let mut at_ns = from_ns;
        while at_ns < to_ns {
            let first_ns = self.first_ns.unwrap_or(at_ns);
            let index = (at_ns - first_ns) / self.interval_ns();
            let end_ns = first_ns.saturating_add((index + 1).saturating_mul(self.interval_ns()));
            let until_ns = to_ns.min(end_ns.max(at_ns + 1));
            if let Some(interval) = self.interval(at_ns) {
                interval.area_ns += (until_ns - at_ns) as f64 * calls;
                interval.most = interval.most.max(most);
            }
            at_ns = until_ns;
        }
    }

    /// The interval of this time. Intervals become longer until there is one.
    fn interval(&mut self, at_ns: u64) -> Option<&mut Counted> {
        let since_ns = at_ns.saturating_sub(self.first_ns?);
        while since_ns / self.interval_ns() >= INTERVALS_MAX as u64 {
            let merged = |pair: &[Counted]| {
                pair.iter().fold(Counted::default(), |a, b| Counted {
                    area_ns: a.area_ns + b.area_ns,
                    most: a.most.max(b.most),
                    answered: a.answered + b.answered,
                    bytes: a.bytes.saturating_add(b.bytes),
                })
            };
            self.intervals = self.intervals.chunks(2).map(merged).collect();
            self.interval_ns = self.interval_ns().saturating_mul(2);
        }
        let index = usize::try_from(since_ns / self.interval_ns()).ok()?;
        if self.intervals.len() <= index {
            self.intervals.resize(index + 1, Counted::default());
        }
        self.intervals.get_mut(index)
    }

    fn interval_ns(&self) -> u64 {
        self.interval_ns.max(INTERVAL_NS)
    }

    pub fn figures(mut self) -> Outstanding {
        // What has no answer by now has none.
        for moment in &mut self.moments {
            moment.made = moment.made.saturating_sub(std::mem::take(&mut moment.open));
        }
        self.count(0);
        let (span_ns, idle_ns) = (self.span_ns(), self.time_ns.first().copied().unwrap_or(0));
        let busy_ns = span_ns.saturating_sub(idle_ns);
        let of_span = |ns: f64| {
            if span_ns > 0 {
                ns / span_ns as f64
            } else {
                0.0
            }
        };
        let interval = |counted: &Counted| Interval {
            outstanding: counted.area_ns / self.interval_ns() as f64,
            outstanding_max: counted.most,
            answered: counted.answered,
            bytes: counted.bytes,
        };
        Outstanding {
            mean: of_span(self.area_ns as f64),
            mean_while_busy: (busy_ns > 0).then(|| self.area_ns as f64 / busy_ns as f64),
            max: self.max,
            idle_share: of_span(idle_ns as f64),
            shares: self.shares(span_ns as f64),
            interval_ns: self.interval_ns(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// From, to; and whether it was answered then.
    type Drawn = (u64, u64, bool);

    /// Calls as they are drawn, with the events in the order of their time: ends before begins, and what takes no time in its own order.
    fn tallied(calls: &[Drawn]) -> OutstandingTally {
        let mut events: Vec<(u64, u8, Drawn)> = Vec::new();
        for call in calls {
            let (from, to, _) = *call;
            events.push((from, 1, *call));
            events.push((to, if from == to { 2 } else { 0 }, *call));
        }
        events.sort_unstable();
        let mut tally = OutstandingTally::default();
        for (at, order, (from, _, is_answered)) in events {
            match (order, is_answered) {
                (1, _) => tally.begin(at),
                (_, true) => tally.end(from, at, 7),
                (_, false) => tally.forget(from),
            }
        }
        tally
    }

    /// The same figures by looking at each nanosecond: time by number outstanding.
    fn by_looking(calls: &[Drawn]) -> Vec<u64> {
        let begin = calls.iter().map(|of| of.0).min().unwrap_or(0);
        let last = calls.iter().map(|of| if of.2 { of.1 } else { of.0 });
        let mut time = Vec::new();
        for at in begin..last.max().unwrap_or(begin) {
            let is_outstanding = |of: &&Drawn| of.2 && of.0 <= at && at < of.1;
            let depth = calls.iter().filter(is_outstanding).count();
            time.resize(time.len().max(depth + 1), 0);
            time[depth] += 1;
        }
        time
    }

    fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
        let call = (0u64..3000, 0u64..60, prop::bool::weighted(0.9));
        let call = call.prop_map(|(from, length, is_answered)| match is_answered {
            true => (from, from + length, true),
            // Nobody knows when it is given up.
            false => (from, from + length * 100, false),
        });
        prop::collection::vec(call, 0..120)
    }

    proptest! {
        #[test]
        fn while_any_is_outstanding_at_least_one_is(calls in drawn()) {
            let tally = tallied(&calls);
            let span_ns = tally.span_ns();
            let figures = tally.figures();
            prop_assert!(figures.is_consistent(), "{figures:?}");
            prop_assert!(figures.mean_while_busy.is_none_or(|mean| mean >= 1.0));
            let time = by_looking(&calls);
            prop_assert_eq!(span_ns, time.iter().sum::<u64>());
            let idle = time.first().copied().unwrap_or(0);
            prop_assert!((figures.idle_share * span_ns as f64 - idle as f64).abs() < 1e-6);
            for of in &figures.by_outstanding {
                prop_assert_eq!(of.time_ns, time[of.outstanding as usize]);
            }
            let answered = calls.iter().filter(|of| of.2).count() as u64;
            let over_time = figures.over_time.iter();
            prop_assert_eq!(over_time.map(|of| of.answered).sum::<u64>(), answered);
        }

        /// Packets of several interfaces may be stored in another order than they came.
        #[test]
        fn a_little_disorder_changes_nothing(calls in drawn(), seed in 0usize..1000) {
            let in_order = tallied(&calls).figures();
            let mut made: Vec<Drawn> = calls.clone();
            if !made.is_empty() {
                let middle = seed % made.len();
                made.rotate_left(middle);
            }
            let mut tally = OutstandingTally::default();
            made.iter().for_each(|of| tally.begin(of.0));
            for (from, to, is_answered) in calls {
                match is_answered {
                    true => tally.end(from, to, 7),
                    false => tally.forget(from),
                }
            }
            prop_assert_eq!(tally.figures(), in_order);
        }
    }

    #[test]
    fn a_lost_answer_among_many_calls_is_not_outstanding_and_fills_no_memory() {
        let mut tally = OutstandingTally::default();
        tally.begin(0);
        let calls = MOMENTS_MAX as u64;
        for call in 0..calls {
            let from = 10 + call * 10;
            tally.begin(from);
            tally.end(from, from + 5, 1);
            assert!(tally.moments.len() <= MOMENTS_MAX);
        }
        // It is answered after all, too late to count.
        let end_ns = 20 + calls * 10;
        tally.end(0, end_ns, 1);
        assert_eq!(tally.span_ns(), end_ns);
        let figures = tally.figures();
        assert!(figures.is_consistent());
        assert_eq!((figures.mean_while_busy, figures.max), (Some(1.0), 1));
        assert!((figures.idle_share - 0.5).abs() < 1e-4);
        let over_time = figures.over_time.iter();
        assert_eq!(over_time.map(|of| of.answered).sum::<u64>(), calls + 1);
    }
}
