//! When did it begin? Between seconds since 1970 and the dates of a calendar, in UTC.

/// Seconds of a day.
const DAY_S: i64 = 86_400;

/// Nanoseconds since 1970 as RFC 3339 in UTC, to the millisecond: `2026-11-22T07:50:48.940Z`.
pub(crate) fn rfc3339(unix_ns: u64) -> String {
    let milliseconds = unix_ns / 1_000_000;
    let (seconds, rest) = ((milliseconds / 1000) as i64, milliseconds % 1000);
    let (year, month, day) = date_of(seconds.div_euclid(DAY_S));
    let of_day = seconds.rem_euclid(DAY_S);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{rest:03}Z",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    )
}

/// Seconds since 1970 of a date and a time of day in UTC; `None` for what is no date.
pub(crate) fn unix_s(year: i64, month: i64, day: i64, second_of_day: i64) -> Option<i64> {
    let fits = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..=DAY_S).contains(&second_of_day);
    fits.then(|| days_of(year, month, day) * DAY_S + second_of_day)
}

/// Days since 1970 of a date of the Gregorian calendar. Years begin in March, so that the leap day comes last (Howard Hinnant, "chrono-Compatible Low-Level
/// Date Algorithms").
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The way back.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_go_there_and_back() {
        assert_eq!(
            rfc3339(1_795_333_848_940_000_000),
            "2026-11-22T07:50:48.940Z"
        );
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            unix_s(2026, 11, 22, 7 * 3600 + 50 * 60 + 48),
            Some(1_795_333_848)
        );
        assert_eq!(unix_s(2026, 13, 1, 0), None);
        for days in (0..40_000).step_by(13) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_of(year, month, day), days);
        }
        assert!(rfc3339(u64::MAX).starts_with("2554-07-21"));
    }
}
