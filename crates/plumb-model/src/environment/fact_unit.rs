//! Which unit does the number of a fact have? The end of its id names it.

use crate::statement::{Argument, Statement, Unit};

/// The number of a fact with the unit that the end of its id names; `None` for a plain number.
pub fn in_unit(id: &str, number: f64) -> Option<Argument> {
    let in_unit = |unit: Unit| Argument::from((number, unit));
    let value = match id {
        // An MTU is given in bytes, and is rarely a round number of KiB.
        _ if id.ends_with("mtu_bytes") => Statement::new("fact-number-of-bytes")
            .name("count", number.to_string())
            .into(),
        _ if id.ends_with("_ns_per_mib") => Statement::new("fact-time-per-mib")
            .time_ns("time", number)
            .into(),
        _ if id.ends_with("_bits_per_s") => in_unit(Unit::BitsPerSecond),
        _ if id.ends_with("bytes_per_s") => Statement::new("fact-each-second")
            .bytes("value", number)
            .into(),
        _ if id.ends_with("_per_s") => Statement::new("fact-each-second")
            .number("value", number)
            .into(),
        _ if id.ends_with("_bytes") => in_unit(Unit::Bytes),
        _ if id.ends_with("_us") => (1e3 * number, Unit::Nanoseconds).into(),
        _ if id.ends_with("_hz") => Statement::new("fact-gigahertz")
            .name("gigahertz", format!("{:.2}", number / 1e9))
            .into(),
        _ if id.ends_with("_percent") => in_unit(Unit::Percent),
        _ if id.ends_with("_s") => Statement::new("fact-seconds")
            .number("seconds", number)
            .into(),
        _ => return None,
    };
    Some(value)
}
