//! Which part of all time is it?

/// From 0 to 1; missing where there is none.
pub fn share(part_ns: f64, all_ns: u128) -> Option<f64> {
    (all_ns > 0).then(|| part_ns / all_ns as f64)
}
