//! What is its share of the total time?

/// From 0 to 1; missing without any.
pub fn share(part_ns: f64, all_ns: u128) -> Option<f64> {
    (all_ns > 0).then(|| part_ns / all_ns as f64)
}
