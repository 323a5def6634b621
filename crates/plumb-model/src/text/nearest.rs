//! Which name was meant? The nearest of those that there are.

/// `Warm_Up` as `warm-up`.
pub fn plain_name(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

/// ` (did you mean 'depth'?)` when one of the names is near, else nothing.
pub fn nearest(name: &str, names: &[&str]) -> String {
    let best = names
        .iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((likeness, candidate)) if likeness > 0.7 => format!(" (did you mean '{candidate}'?)"),
        _ => String::new(),
    }
}
