//! What is in the text of ioping? Lines of requests, and the statistics at the end, as each version prints them (ioping.c, 0.6 to 1.3).

use plumb_model::run::histogram::Histogram;
use plumb_model::run::imported::{ReportedFigure, ReportedLatency};
use plumb_model::workload::operation::OperationKind;

use crate::importer::number::finite;

/// A printed number with half of its last digit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Printed {
    pub value: f64,
    half_digit: f64,
}

impl Printed {
    /// A number that is not rounded.
    pub fn exact(value: f64) -> Printed {
        Printed {
            value,
            half_digit: 0.0,
        }
    }

    fn of(number: &str, unit: f64) -> Option<Printed> {
        let decimals = number
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        // Without decimals it is exact: ioping prints them only where something is rounded.
        let half_digit = if decimals == 0 {
            0.0
        } else {
            0.5 * 0.1f64.powi(decimals.min(9) as i32)
        };
        Some(Printed {
            value: finite(number)? * unit,
            half_digit: half_digit * unit,
        })
    }

    /// A rate, of which ioping prints whole numbers only, cut off: `3.19 k`, `20`.
    fn rate(text: &str) -> Option<Printed> {
        let number = Printed::number(text)?;
        Some(Printed {
            half_digit: number.half_digit.max(0.5),
            ..number
        })
    }

    /// Half of the last digit, as a share of the value.
    fn share(self) -> f64 {
        self.half_digit / self.value
    }

    /// `3.19 k`, `5`.
    fn number(text: &str) -> Option<Printed> {
        let (number, unit) = two(text);
        let unit = match unit {
            "" => 1.0,
            "k" => 1e3,
            "M" | "m" => 1e6,
            "G" | "g" => 1e9,
            "T" | "t" => 1e12,
            _ => return None,
        };
        Printed::of(number, unit)
    }

    /// `4 KiB`, `4096 bytes`, `4.0 kb`: all of them binary.
    fn size(text: &str) -> Option<Printed> {
        let (number, unit) = two(text);
        let shift = match unit {
            "" | "B" | "b" | "bytes" => 0,
            "KiB" | "kb" | "k" => 10,
            "MiB" | "mb" | "m" => 20,
            "GiB" | "gb" | "g" => 30,
            "TiB" | "tb" | "t" => 40,
            "PiB" | "pb" => 50,
            _ => return None,
        };
        Printed::of(number, (1u64 << shift) as f64)
    }

    /// The same of a mean, which is cut off where it has no decimals.
    fn mean_ns(text: &str) -> Option<Printed> {
        let mean = Printed::time_ns(text)?;
        let (_, unit) = two(text);
        let whole = Printed::time_ns(&format!("1 {unit}"))?.value / 2.0;
        Some(Printed {
            half_digit: if mean.half_digit > 0.0 {
                mean.half_digit
            } else {
                whole
            },
            ..mean
        })
    }

    /// `214.3 us` in nanoseconds.
    fn time_ns(text: &str) -> Option<Printed> {
        let (number, unit) = two(text);
        let unit = match unit {
            "ns" => 1.0,
            "us" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" => 60e9,
            "hour" => 3600e9,
            _ => return None,
        };
        Printed::of(number, unit)
    }
}

/// Number and unit.
fn two(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(' ').unwrap_or((text, ""))
}

/// Requests of one kind.
#[derive(Debug, Default, Clone)]
pub struct KindRequests {
    pub times: Histogram,
    pub bytes: u64,
}

/// The lines of requests.
#[derive(Debug, Default)]
pub struct Requests {
    read: KindRequests,
    write: KindRequests,
    /// Warm-up, too fast, too slow, or failed.
    pub left_out: u64,
    /// Half of the last digit of all times together.
    half_digits_ns: f64,
}

/// Largest request and longest time that are not a mistake: 1 TiB, and a day.
const REQUEST_BYTES_MAX: f64 = (1u64 << 40) as f64;
const REQUEST_NS_MAX: f64 = 86_400e9;
/// Largest share of the times that may be lost by their rounding: 0.6 prints tenths of a millisecond.
const ROUNDING_MAX: f64 = 0.01;

impl Requests {
    /// The kinds that there are.
    pub fn kinds(&self) -> Vec<(OperationKind, KindRequests)> {
        let all = [
            (OperationKind::Read, &self.read),
            (OperationKind::Write, &self.write),
        ];
        all.into_iter()
            .filter(|(_, of)| of.times.count() > 0)
            .map(|(kind, of)| (kind, of.clone()))
            .collect()
    }

    fn count(&self) -> u64 {
        self.read.times.count() + self.write.times.count()
    }

    fn is_precise(&self) -> bool {
        let sum_ns = self.read.times.sum_ns() + self.write.times.sum_ns();
        self.half_digits_ns <= ROUNDING_MAX * sum_ns as f64
    }

    pub fn add(&mut self, request: &Request<'_>) {
        let is_possible =
            request.bytes <= REQUEST_BYTES_MAX && request.time_ns.value <= REQUEST_NS_MAX;
        if request.is_left_out || !is_possible {
            self.left_out += 1;
            return;
        }
        let of = if request.writes {
            &mut self.write
        } else {
            &mut self.read
        };
        of.times.record(request.time_ns.value as u64);
        self.half_digits_ns += request.time_ns.half_digit;
        of.bytes = of.bytes.saturating_add(request.bytes as u64);
    }
}

/// One line of a request.
#[derive(Debug)]
pub struct Request<'a> {
    pub writes: bool,
    pub bytes: f64,
    pub time_ns: Printed,
    pub target: &'a str,
    pub is_left_out: bool,
}

/// `4 KiB <<< /tmp (ext4 /dev/vda 252.0 GiB): request=2 time=334.6 us (warmup)`, before 1.0 `4096 bytes from . (ext4 /dev/sda3): request=1 time=0.2 ms`.
pub fn request_of(line: &str) -> Option<Request<'_>> {
    let (before, after) = line.split_once("): request=")?;
    let (_, time) = after.split_once(" time=")?;
    let (writes, (size, rest)) = [
        (" <<< ", false),
        (" >>> ", true),
        (" from ", false),
        (" to ", true),
    ]
    .into_iter()
    .find_map(|(arrow, writes)| Some((writes, before.split_once(arrow)?)))?;
    // With -I, the time of day precedes the size.
    let words: Vec<&str> = size.split(' ').collect();
    let bytes = match words.as_slice() {
        [.., number, unit] => Printed::size(&format!("{number} {unit}"))?.value,
        _ => return None,
    };
    let (time, notice) = time.split_once(" (").unwrap_or((time, ""));
    Some(Request {
        writes,
        bytes,
        time_ns: Printed::time_ns(time)?,
        target: rest.split_once(" (").map_or(rest, |(target, _)| target),
        is_left_out: !matches!(notice.trim_end_matches(')'), "" | "fast" | "slow"),
    })
}

/// `--- /tmp (ext4 /dev/vda 252.0 GiB) ioping statistics ---`
pub fn target_of(line: &str) -> Option<&str> {
    let inner = line
        .strip_prefix("--- ")?
        .strip_suffix(") ioping statistics ---")?;
    Some(inner.split_once(" (").map_or(inner, |(target, _)| target))
}

/// Statistics at the end.
#[derive(Debug, Default, Clone)]
pub struct Summary {
    pub kind: Option<OperationKind>,
    count: Option<Printed>,
    /// Time of all requests together.
    busy_ns: Option<f64>,
    iops: Option<Printed>,
    bytes_per_s: Option<Printed>,
    min_ns: Option<f64>,
    pub mean_ns: Option<Printed>,
    max_ns: Option<f64>,
    deviation_ns: Option<f64>,
    /// Requests with those that are left out, and the time with pauses.
    generated: Option<(Printed, f64)>,
}

impl Summary {
    /// Raw statistics: ten numbers in nanoseconds, before 1.0 eight in microseconds. `None` unless they agree with each other.
    pub fn of_raw(line: &str) -> Option<Summary> {
        let numbers: Vec<f64> = line.split(' ').map(finite).collect::<Option<_>>()?;
        let (of_ns, first, generated) = match numbers.as_slice() {
            [first @ .., all, time] if first.len() == 8 => {
                (1.0, first, Some((Printed::exact(*all), *time)))
            }
            first if first.len() == 8 => (1e3, first, None),
            _ => return None,
        };
        let [count, time, iops, speed, min, mean, max, deviation] = first.try_into().ok()?;
        let seconds = time * of_ns / 1e9;
        let agrees = |one: f64, other: f64| (one - other).abs() <= 1.0 + 1e-6 * other;
        let is_right = count >= 1.0
            && time > 0.0
            && agrees(iops, count / seconds)
            && agrees(mean, time / count)
            && min <= mean + 1.0
            && mean <= max + 1.0
            && generated.is_none_or(|(all, passed)| all.value >= count && passed >= time);
        let exact = |value: f64| Some(Printed::exact(value));
        is_right.then(|| Summary {
            kind: None,
            count: exact(count),
            busy_ns: Some(time * of_ns),
            // More precisely than the printed whole number.
            iops: exact(count / seconds),
            bytes_per_s: exact(speed),
            min_ns: Some(min * of_ns),
            mean_ns: exact(time / count * of_ns),
            max_ns: Some(max * of_ns),
            deviation_ns: Some(deviation * of_ns),
            generated,
        })
    }

    /// Statistics of JSON.
    pub fn of_numbers(
        [count, busy_ns, iops, bytes_per_s]: [f64; 4],
        [min, mean, max, deviation]: [f64; 4],
        generated: Option<(f64, f64)>,
    ) -> Summary {
        Summary {
            kind: None,
            count: Some(Printed::exact(count)),
            busy_ns: Some(busy_ns),
            iops: Some(Printed::exact(iops)),
            bytes_per_s: Some(Printed::exact(bytes_per_s)),
            min_ns: Some(min),
            mean_ns: (count > 0.0).then(|| Printed::exact(mean)),
            max_ns: Some(max),
            deviation_ns: Some(deviation),
            generated: generated.map(|(count, ns)| (Printed::exact(count), ns)),
        }
    }

    /// A line below the target.
    fn line(&mut self, line: &str) {
        if let Some((count, rest)) = line.split_once(" requests completed in ") {
            self.count = Printed::number(count);
            for part in rest.split(", ") {
                if let Some(iops) = part.strip_suffix(" iops") {
                    self.iops = Printed::rate(iops);
                } else if let Some(speed) = part.strip_suffix("/s") {
                    self.bytes_per_s = Printed::size(speed);
                } else if part.ends_with(" read") {
                    self.kind = Some(OperationKind::Read);
                } else if part.ends_with(" written") {
                    self.kind = Some(OperationKind::Write);
                }
            }
        } else if let Some((count, rest)) = line
            .split_once("generated ")
            .and_then(|(_, rest)| rest.split_once(" requests in "))
        {
            let time = rest.split(", ").next().and_then(Printed::time_ns);
            self.generated = Printed::number(count).zip(time.map(|time| time.value));
        } else if let Some(times) = line.strip_prefix("min/avg/max/mdev = ") {
            let parts: Vec<Option<Printed>> = match times.split(" / ").count() {
                4 => times.split(" / ").map(Printed::mean_ns).collect(),
                // 0.6: `0.2/2.8/12.7/5.0 ms`
                _ => {
                    let (numbers, unit) = two(times);
                    let each = |number: &str| Printed::mean_ns(&format!("{number} {unit}"));
                    numbers.split('/').map(each).collect()
                }
            };
            if let [Some(min), mean @ Some(_), Some(max), Some(deviation)] = parts.as_slice() {
                // 0.0 ms is too short to be printed, not 0.
                let above_0 = |time: &Printed| Some(time.value).filter(|ns| *ns > 0.0);
                self.min_ns = above_0(min);
                self.mean_ns = *mean;
                self.max_ns = above_0(max);
                self.deviation_ns = above_0(deviation);
            }
        }
    }

    /// Mean time of a request in nanoseconds: the printed one, or the inverse of the printed rate if that has more digits; it agrees with both.
    fn mean(&self) -> Option<f64> {
        let printed = self.mean_ns.filter(|mean| mean.value > 0.0);
        let of_rate = self.iops.filter(|iops| iops.value > iops.half_digit);
        match (printed, of_rate) {
            (Some(mean), Some(iops)) if iops.share() < mean.share() => Some(1e9 / iops.value),
            (Some(mean), Some(iops)) if iops.half_digit > 0.0 => {
                // The rate was cut off to a whole number before it was rounded.
                let least = 1e9 / (iops.value + iops.half_digit + 1.0);
                Some(
                    mean.value
                        .clamp(least, 1e9 / (iops.value - iops.half_digit)),
                )
            }
            (Some(mean), _) => Some(mean.value),
            (None, iops) => iops.map(|iops| 1e9 / iops.value),
        }
    }

    /// Requests per second of their own time.
    pub fn rate(&self) -> Option<f64> {
        self.mean().map(|ns| 1e9 / ns)
    }

    /// Size of a request: bytes over requests per second, which are the same number of requests; ioping's sizes are powers of two unless -s says otherwise.
    pub fn block_bytes(&self) -> Option<u64> {
        let bytes = self.bytes_per_s?.value / self.rate()?;
        let slack = self.bytes_per_s?.share() + self.iops.map_or(0.0, Printed::share).max(1e-6);
        let power = (bytes.log2().round() as u32).min(62);
        let rounded = (1u64 << power) as f64;
        (bytes >= 1.0).then(|| {
            if (bytes / rounded - 1.0).abs() <= slack + 1e-3 {
                1 << power
            } else {
                bytes.round() as u64
            }
        })
    }

    pub fn bandwidth(&self) -> Option<f64> {
        let printed = self.bytes_per_s?;
        let of_blocks = self
            .rate()
            .zip(self.block_bytes())
            .map(|(rate, block)| rate * block as f64);
        of_blocks
            .filter(|rate| {
                (rate - printed.value).abs() <= printed.half_digit + 1e-3 * printed.value
            })
            .or(Some(printed.value))
    }

    /// Time of the requests without pauses, in seconds.
    pub fn busy_s(&self) -> f64 {
        let of_mean = || Some(self.count?.value * self.mean()?);
        self.busy_ns.or_else(of_mean).unwrap_or(0.0) / 1e9
    }

    pub fn latency(&self) -> Option<ReportedLatency> {
        let mean = self.mean()?;
        // A rounded number of requests is no count.
        let count = self.count.filter(|count| count.half_digit == 0.0);
        Some(ReportedLatency {
            count: count
                .map(|count| count.value as u64)
                .filter(|count| *count > 0),
            min_ns: self.min_ns,
            mean_ns: Some(mean),
            standard_deviation_ns: self.deviation_ns,
            max_ns: self.max_ns,
            ..ReportedLatency::default()
        })
    }

    /// What includes the pauses.
    pub fn figures(&self) -> Vec<ReportedFigure> {
        let Some((count, ns)) = self.generated.filter(|(_, ns)| *ns > 0.0) else {
            return Vec::new();
        };
        vec![
            figure("requests with those left out", count.value, ""),
            figure("time with pauses", ns, "ns"),
        ]
    }

    fn is_of(&self, count: u64) -> bool {
        self.count.is_none_or(|printed| {
            (printed.value - count as f64).abs() <= printed.half_digit * 1.001
        })
    }
}

/// What is read of one call of ioping.
#[derive(Debug, Default)]
pub struct Report {
    pub target: Option<String>,
    pub requests: Requests,
    pub summary: Option<Summary>,
    raw: Vec<Summary>,
    /// Lines below the statistics of a target.
    is_below: bool,
}

/// Raw statistics of one file.
const RAW_MAX: usize = 20_000;

impl Report {
    /// Reads a line, without the blanks around it.
    pub fn line(&mut self, line: &str) {
        if let Some(request) = request_of(line) {
            if self.target.is_none() {
                self.target = Some(request.target.into());
            }
            self.requests.add(&request);
        } else if let Some(target) = target_of(line) {
            self.target = Some(target.into());
            self.summary = Some(Summary::default());
            self.is_below = true;
        } else if self.is_below {
            if let Some(summary) = &mut self.summary {
                summary.line(line);
            }
        } else if self.raw.len() < RAW_MAX {
            self.raw.extend(Summary::of_raw(line));
        }
    }

    /// The line with the times is the last one.
    pub fn is_complete(&self) -> bool {
        self.summary
            .as_ref()
            .is_some_and(|summary| summary.mean_ns.is_some())
    }

    /// The requests, if they are all that the statistics are of.
    pub fn requests(&self) -> Option<&Requests> {
        let count = self.requests.count();
        let is_all = self
            .summary
            .as_ref()
            .is_none_or(|summary| summary.is_of(count));
        // Without statistics, rounded times are better than none.
        let is_best = self.requests.is_precise() || self.summary.is_none();
        Some(&self.requests).filter(|_| count > 0 && is_all && is_best)
    }

    /// The kind of the requests, if there is only one.
    pub fn only_kind(&self) -> Option<OperationKind> {
        match self.requests.kinds().as_slice() {
            [(kind, _)] => Some(*kind),
            _ => None,
        }
    }

    /// Raw statistics without other lines that cover the same requests.
    pub fn raw_alone(&self) -> Vec<Summary> {
        if self.summary.is_some() || self.requests.count() > 0 {
            Vec::new()
        } else {
            self.raw.clone()
        }
    }
}

/// A figure by name.
fn figure(name: &str, value: f64, unit: &str) -> ReportedFigure {
    ReportedFigure {
        name: name.into(),
        value,
        unit: unit.into(),
    }
}
