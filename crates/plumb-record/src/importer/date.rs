//! When did a run start? Conversions between seconds since 1970 and calendar dates in UTC.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Nanoseconds since 1970 as RFC 3339 in UTC, to the millisecond: `2026-11-22T07:50:48.940Z`.
pub(crate) fn rfc3339(unix_ns: u64) -> String {
    let whole_ms = i64::try_from(unix_ns / 1_000_000).unwrap_or(i64::MAX);
    let time = Timestamp::from_millisecond(whole_ms).unwrap_or(Timestamp::MAX);
    format!("{time:.3}")
}

/// The same as C's ctime(3) writes it, in UTC: `Sun Nov 22 07:50:48 2026`.
pub(crate) fn calendar(unix_ns: u64) -> String {
    let whole_s = i64::try_from(unix_ns / 1_000_000_000).unwrap_or(i64::MAX);
    let time = Timestamp::from_second(whole_s).unwrap_or(Timestamp::MAX);
    let zoned = time.to_zoned(TimeZone::UTC);
    zoned.strftime("%a %b %e %H:%M:%S %Y").to_string()
}

/// Seconds since 1970 of a date and a time of day in UTC; `None` for an invalid date.
pub(crate) fn unix_s(year: i64, month: i64, day: i64, second_of_day: i64) -> Option<i64> {
    let (year, month, day) = (
        year.try_into().ok()?,
        month.try_into().ok()?,
        day.try_into().ok()?,
    );
    let midnight = Date::new(year, month, day)
        .ok()?
        .to_zoned(TimeZone::UTC)
        .ok()?;
    let of_day = SignedDuration::from_secs(second_of_day);
    let time = midnight.timestamp().checked_add(of_day).ok()?;
    (0..=86_400)
        .contains(&second_of_day)
        .then_some(time.as_second())
        .filter(|second| *second >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_round_trip() {
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
        assert_eq!(unix_s(2026, 2, 29, 0), None, "no leap year");
        assert_eq!(unix_s(2024, 2, 29, 0), Some(1_709_164_800));
        assert_eq!(unix_s(1969, 12, 31, 0), None);
        assert_eq!(unix_s(i64::MAX, 1, 1, 0), None);
        // Leap seconds count as the first second of the next minute.
        assert_eq!(unix_s(2016, 12, 31, 86_400), unix_s(2017, 1, 1, 0));
        assert_eq!(rfc3339(999_999_999), "1970-01-01T00:00:00.999Z");
        assert_eq!(
            calendar(1_795_333_848_940_000_000),
            "Sun Nov 22 07:50:48 2026"
        );
        assert!(rfc3339(u64::MAX).starts_with("2554-07-21"));
    }
}
