//! When was a report of sysstat printed, and on which host? Times in the formats of several languages, and the head line of each file.

use jiff::Timestamp;

/// Time of a report: with its date if the format is known in every language (ISO), else the time of day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    unix_s: Option<i64>,
    second_of_day: i64,
}

const DAY_S: i64 = 86_400;

/// `Linux 6.18.44 (vm)   11/28/26   _x86_64_   (2 CPU)`: kernel, host, and what follows.
pub fn head_of(line: &str) -> Option<(&str, &str, &str)> {
    let (kernel, rest) = line.strip_prefix("Linux ")?.split_once(" (")?;
    let (host, rest) = rest.split_once(')')?;
    rest.contains("CPU").then_some((kernel, host, rest))
}

/// A number, of languages with a decimal comma too.
pub fn number(text: &str) -> Option<f64> {
    text.replace(',', ".").parse().ok()
}

impl Clock {
    /// `2026-11-28T01:40:07+0000`, `11/28/2026 01:40:07 AM`, `28.11.2026 13:40:07`.
    pub fn of(text: &str) -> Option<Clock> {
        let text = text.trim();
        if text.is_empty() || text.len() > 64 {
            return None;
        }
        if let Ok(time) = Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", text) {
            return Some(Clock {
                unix_s: Some(time.as_second()),
                second_of_day: time.as_second().rem_euclid(DAY_S),
            });
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let at = words
            .iter()
            .position(|word| word.matches(':').count() == 2)?;
        // A date in front, and AM or PM behind, is all that may be there.
        if at > 1 || words.len() > at + 2 {
            return None;
        }
        let parts: Vec<i64> = words[at]
            .split(':')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let [hour, minute, second] = parts.try_into().ok()?;
        let hour = match words
            .get(at + 1)
            .map(|word| word.to_ascii_uppercase())
            .as_deref()
        {
            Some("PM") if hour < 12 => hour + 12,
            Some("AM") if hour == 12 => 0,
            Some("AM" | "PM") | None => hour,
            _ => return None,
        };
        let is_time =
            (0..24).contains(&hour) && (0..60).contains(&minute) && (0..61).contains(&second);
        is_time.then_some(Clock {
            unix_s: None,
            second_of_day: (hour * 60 + minute) * 60 + second,
        })
    }

    /// Nanoseconds since an earlier report; `None` if less than a second, which the times do not show.
    pub fn since(&self, before: &Clock) -> Option<u64> {
        let seconds = match (self.unix_s, before.unix_s) {
            (Some(now), Some(before)) => now - before,
            _ => (self.second_of_day - before.second_of_day).rem_euclid(DAY_S),
        };
        u64::try_from(seconds)
            .ok()
            .filter(|seconds| *seconds > 0)?
            .checked_mul(1_000_000_000)
    }

    /// So much earlier.
    pub fn before(&self, ns: u64) -> Clock {
        let seconds = i64::try_from(ns / 1_000_000_000).unwrap_or(0);
        Clock {
            unix_s: self.unix_s.map(|now| now.saturating_sub(seconds)),
            second_of_day: (self.second_of_day - seconds % DAY_S).rem_euclid(DAY_S),
        }
    }

    /// As RFC 3339 and nanoseconds since 1970.
    pub fn started(&self) -> Option<(String, u64)> {
        let unix_ns = u64::try_from(self.unix_s?)
            .ok()?
            .checked_mul(1_000_000_000)?;
        Some((crate::importer::date::rfc3339(unix_ns), unix_ns))
    }
}
