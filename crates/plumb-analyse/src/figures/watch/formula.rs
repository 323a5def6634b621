//! How is a figure computed from two samples of counters? As a sum and the weight that it is divided by, so that intervals add up.

/// How one column of one row is derived. Metrics are named by their ids; where several are named they are added up.
#[derive(Debug, Clone, Copy)]
pub enum Formula {
    /// Not counted for this kind.
    Unknown,
    /// How much they rose, per second.
    Rate(&'static [&'static str]),
    /// Rise of the first by rise of the second: bytes of a request, time of a request (iostat's await: ticks by requests).
    Mean {
        of: &'static [&'static str],
        per: &'static [&'static str],
    },
    /// Times of all requests that ended, by the time that passed: the mean number outstanding by Little's law, rate times mean time.
    Outstanding(&'static [&'static str]),
    /// The part of the time that passed, in percent.
    TimeShare(&'static str),
    /// The part that some rose by of what all rose by, in percent.
    Share {
        of: &'static [&'static str],
        all: &'static [&'static str],
    },
    /// A state at one moment: the mean over time.
    Level(&'static str),
    /// Share of the measured maximum, in percent: of requests or of bytes, whichever is higher. Each is a counter with the metric of its
    /// largest rate.
    ShareOfCeiling(&'static [(&'static str, &'static str); 2]),
    /// A value that another program derived of the interval before its reading: a rate, a mean number outstanding.
    OfInterval(&'static str),
    /// A mean over the requests of an interval that another program derived, weighted by the rate of these requests, times a factor.
    WeightedMean {
        of: &'static str,
        by: &'static str,
        factor: f64,
    },
}

impl Formula {
    /// Every metric that it names.
    pub fn metrics(self) -> Vec<&'static str> {
        match self {
            Formula::Unknown => Vec::new(),
            Formula::Rate(of) | Formula::Outstanding(of) => of.to_vec(),
            Formula::Mean { of, per: more } | Formula::Share { of, all: more } => {
                [of, more].concat()
            }
            Formula::ShareOfCeiling(of) => of.iter().flat_map(|(of, most)| [*of, *most]).collect(),
            Formula::TimeShare(of) | Formula::Level(of) | Formula::OfInterval(of) => vec![of],
            Formula::WeightedMean { of, by, .. } => vec![of, by],
        }
    }

    /// The figure over `interval_ns`: `rise` returns the increase of a metric in it, `value` its value at the end. `None` if one of them is missing.
    pub fn over(
        self,
        interval_ns: f64,
        rise: impl Fn(&str) -> Option<f64>,
        value: impl Fn(&str) -> Option<f64>,
    ) -> Option<Weighted> {
        let rise_of = |metrics: &[&'static str]| -> Option<f64> {
            metrics.iter().map(|metric| rise(metric)).sum()
        };
        let seconds = interval_ns / 1e9;
        let (sum, weight) = match self {
            Formula::Unknown => return None,
            Formula::Rate(of) => (rise_of(of)?, seconds),
            Formula::Mean { of, per } => (rise_of(of)?, rise_of(per)?),
            Formula::Outstanding(of) => (rise_of(of)?, interval_ns),
            Formula::TimeShare(of) => (100.0 * rise(of)?, interval_ns),
            Formula::Share { of, all } => (100.0 * rise_of(of)?, rise_of(all)?),
            Formula::ShareOfCeiling(of) => {
                let share = |(of, most): &(&str, &str)| {
                    Some(100.0 * rise(of)? / value(most).filter(|most| *most > 0.0)?)
                };
                let shares = of.iter().filter_map(share);
                (shares.reduce(f64::max)?, seconds)
            }
            Formula::Level(of) | Formula::OfInterval(of) => (value(of)? * seconds, seconds),
            Formula::WeightedMean { of, by, factor } => {
                let requests = value(by)? * seconds;
                (value(of)? * factor * requests, requests)
            }
        };
        Some(Weighted { sum, weight })
    }
}

/// A mean that others can be added to: never a mean of means.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Weighted {
    pub sum: f64,
    pub weight: f64,
}

impl Weighted {
    /// `None` where nothing weighs: the mean time of no request.
    pub fn mean(self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }

    pub fn add(&mut self, other: Weighted) {
        self.sum += other.sum;
        self.weight += other.weight;
    }
}
