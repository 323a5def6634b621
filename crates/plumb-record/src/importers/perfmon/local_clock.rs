//! How much time passed between rows with a local time of day? It continues when clocks go forward or back.
//!
//! A recording states its UTC offset once, at its beginning: in fall an hour of times occurs twice, in spring one is missing.

use crate::importer::date;

const HOUR_MS: i64 = 3_600_000;

/// Times of rows in file order.
#[derive(Debug, Default)]
pub(super) struct LocalClock {
    /// The zone has daylight saving time, as far as known.
    has_summer_time: bool,
    /// Local time of the first row, in milliseconds since 1970 as if it were UTC.
    pub first_ms: Option<i64>,
    /// The same for the last row.
    last_ms: i64,
    /// Time from the first row to the last.
    pub elapsed_ms: i64,
    /// Shortest time between rows.
    interval_ms: Option<i64>,
    /// How often an hour occurred twice or was missing, or the clock was set back for another reason.
    pub doubled_hours: u64,
    pub missing_hours: u64,
    pub put_back: u64,
}

impl LocalClock {
    pub fn new(has_summer_time: bool) -> LocalClock {
        LocalClock {
            has_summer_time,
            ..LocalClock::default()
        }
    }

    /// Nanoseconds from the first row to this one, which never decrease; `None` for a time that cannot follow.
    pub fn time_ns(&mut self, local_ms: i64) -> Option<u64> {
        let Some(_) = self.first_ms else {
            (self.first_ms, self.last_ms) = (Some(local_ms), local_ms);
            return Some(0);
        };
        let passed = local_ms.checked_sub(self.last_ms)?;
        // A recording at an interval may miss a few samples.
        let near_ms = self
            .interval_ms
            .map_or(600_000, |interval| 3 * interval + 1_000);
        let (again, less) = (passed + HOUR_MS, passed - HOUR_MS);
        let passed = match passed {
            passed if passed < -2 * HOUR_MS => return None,
            passed if passed < 0 && self.has_summer_time && (0..=near_ms).contains(&again) => {
                self.doubled_hours += 1;
                again
            }
            passed if passed < 0 => {
                self.put_back += 1;
                self.interval_ms.unwrap_or(0)
            }
            passed
                if self.has_summer_time
                    && self.interval_ms.is_some()
                    && (0..=near_ms).contains(&less)
                    && local_ms.rem_euclid(HOUR_MS) <= near_ms
                    && passed > 4 * near_ms =>
            {
                self.missing_hours += 1;
                less
            }
            passed => passed,
        };
        if passed > 0 {
            let shortest = self
                .interval_ms
                .map_or(passed, |interval| interval.min(passed));
            self.interval_ms = Some(shortest);
        }
        self.last_ms = local_ms;
        self.elapsed_ms = self.elapsed_ms.saturating_add(passed);
        u64::try_from(self.elapsed_ms).ok()?.checked_mul(1_000_000)
    }
}

/// `11/22/2026 07:50:48.123` in milliseconds since 1970, as if it were UTC.
pub(super) fn local_ms(text: &str) -> Option<i64> {
    let (day, time) = text.trim().split_once(' ')?;
    let mut day = day.split('/').map(|part| part.parse::<i64>().ok());
    let (month, date, year) = (day.next()??, day.next()??, day.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.split(':').map(|part| {
        part.parse::<i64>()
            .ok()
            .filter(|part| (0..60).contains(part))
    });
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let milliseconds = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok()?;
    Some(date::unix_s(year, month, date, (hour * 60 + minute) * 60 + second)? * 1000 + milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(rows: &[&str], has_summer_time: bool) -> (Vec<Option<u64>>, LocalClock) {
        let mut clock = LocalClock::new(has_summer_time);
        let seconds = |row: &&str| {
            let local = local_ms(row).expect("a time");
            clock.time_ns(local).map(|time_ns| time_ns / 1_000_000_000)
        };
        (rows.iter().map(seconds).collect(), clock)
    }

    #[test]
    fn the_hour_that_comes_twice_in_autumn_is_two_hours() {
        let rows = [
            "10/25/2026 02:59:58.000",
            "10/25/2026 02:59:59.000",
            "10/25/2026 02:00:00.000",
            "10/25/2026 02:00:01.000",
        ];
        let (passed, clock) = times(&rows, true);
        assert_eq!(passed, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!((clock.doubled_hours, clock.put_back), (1, 0));
    }

    #[test]
    fn the_hour_that_is_missing_in_spring_is_none() {
        let rows = [
            "03/29/2026 01:59:58.000",
            "03/29/2026 01:59:59.000",
            "03/29/2026 03:00:00.000",
            "03/29/2026 03:00:01.000",
        ];
        let (passed, clock) = times(&rows, true);
        assert_eq!(passed, [Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(clock.missing_hours, 1);
        // UTC has no missing hour: nothing was recorded during that time.
        assert_eq!(
            times(&rows, false).0,
            [Some(0), Some(1), Some(3602), Some(3603)]
        );
    }

    #[test]
    fn a_corrected_clock_continues_and_a_gap_stays_a_gap() {
        let rows = [
            "03/01/2026 12:00:00.000",
            "03/01/2026 12:00:05.000",
            "03/01/2026 12:00:03.500",
            "03/01/2026 12:30:03.500",
        ];
        let (passed, clock) = times(&rows, true);
        assert_eq!(passed, [Some(0), Some(5), Some(10), Some(1810)]);
        assert_eq!(
            (clock.put_back, clock.doubled_hours, clock.missing_hours),
            (1, 0, 0)
        );
        // A time that is days earlier belongs to another recording.
        assert_eq!(
            times(
                &["03/02/2026 12:00:00.000", "03/01/2026 12:00:00.000"],
                true
            )
            .0,
            [Some(0), None]
        );
    }
}
