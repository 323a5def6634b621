//! When has a step measured enough? When the figures of its last intervals keep close to their mean, or change little from one to the next. And when too
//! little? When a rate stays below its minimum.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use crate::plan::steady_figure::SteadyFigure;
use crate::run::tick::{KindTick, Phase, Tick};
use crate::text::word::{serde_as_text, words};
use crate::units::{Bytes, Nanos, UnitError};
use crate::workload::operation::OperationKind;

/// Fewer intervals than these are no window: two always lie on a line.
pub const INTERVALS_MIN: u64 = 3;

words! {
    /// What of a window must stay below the limit.
    SteadyCriterion, "criterion" {
        /// The greatest departure of an interval's figure from the mean of the window.
        Deviation = "deviation",
        /// The slope of the least-squares line through the figures of the window, either way, for each interval.
        Slope = "slope",
    }
}

/// How much of it is allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SteadyLimit {
    /// In percent of the mean of the window.
    Percent(f64),
    /// In the unit of the figure: operations/s, bytes/s, or nanoseconds.
    Absolute(f64),
}

/// The least that is to be done in a second: `iops 100` or `bandwidth 4m`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MinRate {
    Iops(f64),
    Bandwidth(Bytes),
}

impl FromStr for MinRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let rate = match words.as_slice() {
            ["iops", count] => count.parse().ok().map(MinRate::Iops),
            ["bandwidth", bytes] => bytes.parse().ok().map(MinRate::Bandwidth),
            _ => None,
        };
        let is_above_0 = |rate: &MinRate| match rate {
            MinRate::Iops(count) => *count > 0.0 && count.is_finite(),
            MinRate::Bandwidth(bytes) => bytes.0 > 0,
        };
        rate.filter(is_above_0).ok_or_else(|| {
            UnitError(format!(
                "'{text}' is no least rate: write for example iops 100, or bandwidth 4m"
            ))
        })
    }
}

impl fmt::Display for MinRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MinRate::Iops(count) => write!(f, "iops {count}"),
            MinRate::Bandwidth(bytes) => write!(f, "bandwidth {bytes}"),
        }
    }
}

serde_as_text!(
    MinRate,
    "MinRate",
    "what is to be done in a second at least: iops 100, or bandwidth 4m"
);

/// The end of a step that is steady: `iops deviation 2% over 30s after 10s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UntilSteady {
    pub figure: SteadyFigure,
    pub criterion: SteadyCriterion,
    pub limit: SteadyLimit,
    /// The last so much time is judged.
    pub window: Nanos,
    /// Measured time that is in no window.
    pub after: Nanos,
}

impl FromStr for UntilSteady {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let bad = |why: &str| {
            UnitError(format!(
                "'{text}' {why}: write figure (iops, bandwidth, latency), criterion (deviation, slope), limit and window, such as iops deviation 2% over 30s, or bandwidth slope 0.5% over 1m after 10s"
            ))
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let (figure, criterion, limit, window, after) = match words.as_slice() {
            [figure, criterion, limit, "over", window] => (figure, criterion, limit, window, &"0s"),
            [figure, criterion, limit, "over", window, "after", after] => {
                (figure, criterion, limit, window, after)
            }
            _ => return Err(bad("does not say when a step is steady")),
        };
        let figure = figure.parse::<SteadyFigure>()?;
        let limit = limit_of(figure, limit)
            .ok_or_else(|| bad(&format!("has no limit above 0 in {limit}")))?;
        Ok(UntilSteady {
            figure,
            criterion: criterion.parse()?,
            limit,
            window: window.parse()?,
            after: after.parse()?,
        })
    }
}

/// A limit above 0; without a percent sign in the unit of the figure.
fn limit_of(figure: SteadyFigure, text: &str) -> Option<SteadyLimit> {
    let limit = match text.strip_suffix('%') {
        Some(percent) => SteadyLimit::Percent(percent.parse().ok()?),
        None => SteadyLimit::Absolute(match figure {
            SteadyFigure::Iops => text.parse().ok()?,
            SteadyFigure::Bandwidth => text.parse::<Bytes>().ok()?.0 as f64,
            SteadyFigure::Latency => text.parse::<Nanos>().ok()?.0 as f64,
        }),
    };
    let (SteadyLimit::Percent(value) | SteadyLimit::Absolute(value)) = limit;
    (value > 0.0 && value.is_finite()).then_some(limit)
}

impl fmt::Display for UntilSteady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} over {}",
            self.figure,
            self.criterion,
            self.limit_text(),
            self.window
        )?;
        if self.after.0 > 0 {
            write!(f, " after {}", self.after)
        } else {
            Ok(())
        }
    }
}

serde_as_text!(
    UntilSteady,
    "UntilSteady",
    "figure, criterion, limit and window: iops deviation 2% over 30s, or bandwidth slope 0.5% over 1m after 10s"
);

impl UntilSteady {
    /// Every window that may have been judged last lies in so much time before the end, in nanoseconds: two windows, and the intervals that end late.
    pub fn judged_ns(&self, interval: Nanos) -> u64 {
        self.window
            .0
            .saturating_mul(2)
            .saturating_add(interval.0.saturating_mul(2))
    }

    /// The limit as it is written: `2%`, `500`, `1m`, `20us`.
    pub fn limit_text(&self) -> String {
        match (self.limit, self.figure) {
            (SteadyLimit::Percent(percent), _) => format!("{percent}%"),
            (SteadyLimit::Absolute(rate), SteadyFigure::Iops) => rate.to_string(),
            (SteadyLimit::Absolute(rate), SteadyFigure::Bandwidth) => {
                Bytes(rate as u64).to_string()
            }
            (SteadyLimit::Absolute(ns), SteadyFigure::Latency) => Nanos(ns as u64).to_string(),
        }
    }

    /// The least measured time after which a step can be steady.
    pub fn least(&self) -> Nanos {
        Nanos(self.after.0.saturating_add(self.window.0))
    }

    /// The figure of one interval; missing where nothing completed and so nothing has a latency.
    fn value(&self, tick: &Tick) -> Option<f64> {
        let seconds = tick.end_ns.saturating_sub(tick.start_ns) as f64 / 1e9;
        // Flushes beside other operations are a figure of their own.
        let is_flush = |kind: &KindTick| kind.kind == OperationKind::Flush;
        let others = tick.kinds.iter().any(|kind| !is_flush(kind));
        let kinds = || {
            let kinds = tick.kinds.iter();
            kinds.filter(|kind| !(others && is_flush(kind)))
        };
        let sum = |of: fn(&KindTick) -> u64| kinds().map(of).sum::<u64>() as f64;
        let value = match self.figure {
            SteadyFigure::Iops => sum(|kind| kind.count) / seconds,
            SteadyFigure::Bandwidth => sum(|kind| kind.bytes) / seconds,
            SteadyFigure::Latency => {
                let of = kinds().map(|kind| kind.response.as_ref().unwrap_or(&kind.service));
                let (sum_ns, count) = of.fold((0.0, 0), |(sum, count), held| {
                    (sum + held.sum_ns() as f64, count + held.count())
                });
                sum_ns / count as f64
            }
        };
        value.is_finite().then_some(value)
    }
}

/// What a window of intervals was like; figures in operations/s, bytes/s or nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyWindow {
    /// Begin and end in nanoseconds since the start of the run.
    pub start_ns: u64,
    pub end_ns: u64,
    /// The figure of each interval.
    pub values: Vec<f64>,
    pub mean: f64,
    /// Greatest departure of a value from the mean.
    pub deviation: f64,
    /// Change of the least-squares line from one interval to the next.
    pub slope: f64,
    /// The criterion holds.
    pub steady: bool,
}

impl SteadyWindow {
    /// The deviation in percent of the mean; missing where the mean is 0.
    pub fn deviation_percent(&self) -> Option<f64> {
        (self.mean > 0.0).then(|| 100.0 * self.deviation / self.mean)
    }

    /// The slope for each interval in percent of the mean; missing where the mean is 0.
    pub fn slope_percent(&self) -> Option<f64> {
        (self.mean > 0.0).then(|| 100.0 * self.slope / self.mean)
    }
}

/// One interval of the window.
struct Interval {
    start_ns: u64,
    end_ns: u64,
    value: Option<f64>,
}

/// Follows the intervals of one execution, as they come or as they were recorded: both tell the same.
pub struct SteadyWatch {
    asked: UntilSteady,
    interval_ns: u64,
    /// When the measuring began.
    begun_ns: Option<u64>,
    intervals: VecDeque<Interval>,
    window: Option<SteadyWindow>,
}

impl SteadyWatch {
    /// Nothing seen yet; the step is recorded in intervals of this length.
    pub fn new(asked: UntilSteady, interval: Nanos) -> SteadyWatch {
        SteadyWatch {
            asked,
            interval_ns: interval.0.max(1),
            begun_ns: None,
            intervals: VecDeque::new(),
            window: None,
        }
    }

    /// Says when the measuring began, where not all ticks since then are taken.
    pub fn begin(&mut self, begun_ns: u64) {
        self.begun_ns = Some(begun_ns);
    }

    /// Takes the next tick of the main job. True from the first window on that is steady; what comes after it changes nothing.
    pub fn take(&mut self, tick: &Tick) -> bool {
        if tick.phase != Phase::Measure || self.is_steady() {
            return self.is_steady();
        }
        let begun_ns = *self.begun_ns.get_or_insert(tick.start_ns);
        // The last interval of a step may be cut short: it tells a rate of its own.
        let whole = tick.end_ns.saturating_sub(tick.start_ns) >= self.interval_ns;
        if !whole || tick.start_ns < begun_ns.saturating_add(self.asked.after.0) {
            return false;
        }
        self.intervals.push_back(Interval {
            start_ns: tick.start_ns,
            end_ns: tick.end_ns,
            value: self.asked.value(tick),
        });
        while self.intervals.get(1).is_some_and(|second| {
            tick.end_ns.saturating_sub(second.start_ns) >= self.asked.window.0
        }) {
            self.intervals.pop_front();
        }
        let covered_ns = self
            .intervals
            .front()
            .map_or(0, |first| tick.end_ns.saturating_sub(first.start_ns));
        if covered_ns >= self.asked.window.0 {
            self.window = self.judged();
        }
        self.is_steady()
    }

    /// True when the last window is steady.
    pub fn is_steady(&self) -> bool {
        self.window.as_ref().is_some_and(|window| window.steady)
    }

    /// The window that was steady, else the last whole one; missing when there was none, or an interval of it has no figure.
    pub fn window(&self) -> Option<&SteadyWindow> {
        self.window.as_ref()
    }

    /// When the measuring began, in nanoseconds since the start of the run.
    pub fn begun_ns(&self) -> Option<u64> {
        self.begun_ns
    }

    fn judged(&self) -> Option<SteadyWindow> {
        let (first, last) = (self.intervals.front()?, self.intervals.back()?);
        let values: Vec<f64> = self
            .intervals
            .iter()
            .map(|interval| interval.value)
            .collect::<Option<_>>()?;
        let count = values.len() as f64;
        if (values.len() as u64) < INTERVALS_MIN {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let deviation = values
            .iter()
            .map(|value| (value - mean).abs())
            .fold(0.0, f64::max);
        // A stalled machine stretches intervals: each stands where its middle is.
        let middle = |interval: &Interval| {
            (interval.start_ns - first.start_ns) as f64 / 2.0
                + (interval.end_ns - first.start_ns) as f64 / 2.0
        };
        let places: Vec<f64> = self
            .intervals
            .iter()
            .map(|interval| middle(interval) / self.interval_ns as f64)
            .collect();
        let mean_index = places.iter().sum::<f64>() / count;
        let spread: f64 = places
            .iter()
            .map(|place| (place - mean_index).powi(2))
            .sum();
        let slope = places
            .iter()
            .zip(&values)
            .map(|(place, value)| (place - mean_index) * (value - mean))
            .sum::<f64>()
            / spread;
        let (start_ns, end_ns) = (first.start_ns, last.end_ns);
        let mut window = SteadyWindow {
            start_ns,
            end_ns,
            values,
            mean,
            deviation,
            slope,
            steady: false,
        };
        let judged = match self.asked.criterion {
            SteadyCriterion::Deviation => (window.deviation, window.deviation_percent()),
            SteadyCriterion::Slope => (window.slope.abs(), window.slope_percent().map(f64::abs)),
        };
        window.steady = match (self.asked.limit, judged) {
            (SteadyLimit::Absolute(limit), (value, _)) => value <= limit,
            (SteadyLimit::Percent(limit), (_, share)) => share.is_some_and(|share| share <= limit),
        };
        Some(window)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::run::histogram::Histogram;
    use crate::run::tick::KindTick;
    use crate::workload::OperationKind;

    fn tick(second: f64, length_s: f64, count: u64) -> Tick {
        let mut service = Histogram::default();
        service.record_n(1000 * count.max(1), count);
        let kind = KindTick {
            kind: OperationKind::Read,
            count,
            bytes: 4096 * count,
            errors: BTreeMap::new(),
            service,
            response: None,
            split: None,
            priorities: Vec::new(),
        };
        let at = |seconds: f64| (1e9 * seconds) as u64 + 77;
        Tick {
            execution: 0,
            job: 0,
            phase: Phase::Measure,
            start_ns: at(second),
            end_ns: at(second + length_s),
            kinds: vec![kind],
            lateness: None,
            backlog: None,
            workers: Vec::new(),
            ranks: None,
        }
    }

    fn watched(asked: &str, counts: &[u64]) -> SteadyWatch {
        let mut watch = SteadyWatch::new(
            asked
                .parse()
                .unwrap_or_else(|error| panic!("{asked}: {error}")),
            Nanos::SECOND,
        );
        for (second, count) in counts.iter().enumerate() {
            watch.take(&tick(second as f64, 1.0, *count));
        }
        watch
    }

    #[test]
    fn every_form_reads_back_and_nonsense_is_refused() {
        for text in [
            "iops deviation 2% over 30s",
            "iops slope 0.1% over 1m after 10s",
            "iops deviation 500 over 30s",
            "bandwidth slope 1m over 5s after 100ms",
            "latency deviation 20us over 5s",
        ] {
            assert_eq!(text.parse::<UntilSteady>().expect(text).to_string(), text);
        }
        for (text, expected) in [
            ("", "iops deviation 2% over 30s"),
            ("iops 2% over 30s", "does not say"),
            ("speed deviation 2% over 30s", "choose one of iops"),
            ("iops wobble 2% over 30s", "choose one of deviation, slope"),
            ("iops deviation 0% over 30s", "no limit above 0"),
            ("iops deviation -2 over 30s", "no limit above 0"),
            ("iops deviation inf over 30s", "no limit above 0"),
            ("latency deviation 20x over 30s", "no limit above 0"),
            ("iops deviation 2% over soon", "not a time"),
        ] {
            let error = text.parse::<UntilSteady>().expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    /// Worked by hand: 1000, 1040, 980 and 1020 are level around 1010; with 900 before them the line rises by (-2 * -88 - 12 - 8 + 2 * 32) / 10 = 22.
    #[test]
    fn deviation_and_slope_are_those_of_the_window() {
        let window = watched("iops deviation 1% over 4s", &[900, 1000, 1040, 980, 1020])
            .window
            .expect("a window");
        assert_eq!(
            (window.values.len(), window.mean, window.deviation),
            (4, 1010.0, 30.0)
        );
        assert!((window.slope - 0.0).abs() < 1e-9, "{}", window.slope);
        let window = watched("iops slope 1% over 5s", &[900, 1000, 1040, 980, 1020])
            .window
            .expect("a window");
        assert!(
            (window.slope - 22.0).abs() < 1e-9
                && (window.slope_percent().expect("a mean") - 100.0 * 22.0 / 988.0).abs() < 1e-9
        );
        assert_eq!(
            watched("iops slope 1% over 5s", &[900, 1000, 1040, 980]).window,
            None,
            "no complete window"
        );
    }

    #[test]
    fn the_first_window_that_holds_ends_the_watch() {
        let counts = [4000, 3000, 2000, 1000, 1010, 1000, 990, 1000, 5000];
        for (asked, end_s) in [
            ("iops deviation 2% over 4s", Some(7)),
            ("iops deviation 50 over 3s", Some(6)),
            ("iops deviation 2% over 3s after 5s", Some(8)),
            ("bandwidth slope 1% over 4s", Some(7)),
            ("iops slope 20 over 4s", Some(7)),
            ("latency deviation 2% over 4s", Some(7)),
            ("iops deviation 2% over 6s", None),
        ] {
            let watch = watched(asked, &counts);
            assert_eq!(
                watch.is_steady(),
                end_s.is_some(),
                "{asked}: {:?}",
                watch.window
            );
            let end_ns = watch.window.expect("a window").end_ns;
            assert_eq!(end_ns, end_s.unwrap_or(9) * 1_000_000_000 + 77, "{asked}");
        }
    }

    #[test]
    fn intervals_that_are_cut_short_or_stretched_tell_no_rate_of_a_second() {
        let mut watch = watched("iops deviation 2% over 4s", &[1000, 1000, 1000]);
        assert!(
            !watch.take(&tick(3.0, 0.4, 400)),
            "the last interval was cut short"
        );
        assert_eq!(watch.window(), None);
        let mut watch = watched("iops slope 2% over 6s", &[1000, 2000]);
        assert!(!watch.take(&tick(2.0, 3.0, 12_000)));
        watch.take(&tick(5.0, 1.0, 6000));
        let window = watch.window.expect("a window");
        assert_eq!(
            (window.values.as_slice(), window.mean),
            (&[1000.0, 2000.0, 4000.0, 6000.0][..], 3250.0)
        );
        assert!(
            (window.slope - 1000.0).abs() < 1e-9,
            "1000 more with each second that passed: {}",
            window.slope
        );
    }

    #[test]
    fn what_does_nothing_is_not_steady() {
        assert!(!watched("iops deviation 2% over 3s", &[0; 9]).is_steady());
        let watch = watched("latency deviation 2% over 3s", &[0; 9]);
        assert!(!watch.is_steady() && watch.window().is_none());
    }
}
