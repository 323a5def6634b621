//! At which time was an interval? As text.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use plumb_show::live::watch::Clock;
use plumb_words::numbers::show_time_ns;

/// The text of a time given in nanoseconds since the start: local time of the watched host if known, else the time since the start.
pub fn time_text(started: &str, time_ns: i64) -> String {
    // Without the UTC offset: the local time there.
    let local = started
        .get(..19)
        .and_then(|text| text.parse::<DateTime>().ok())
        .and_then(|start| start.checked_add(SignedDuration::from_nanos(time_ns)).ok());
    match local {
        Some(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        None => show_time_ns(time_ns as f64),
    }
}

/// The same for a view.
pub fn clock_since(started: &str) -> Clock {
    let started = started.to_string();
    Box::new(move |time_ns| time_text(&started, time_ns))
}

/// Converts a time; one that is out of range becomes the maximum.
pub fn signed(time_ns: u64) -> i64 {
    i64::try_from(time_ns).unwrap_or(i64::MAX)
}
