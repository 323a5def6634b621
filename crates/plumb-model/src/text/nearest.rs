//! Which known name is nearest to a mistyped one?

/// `Warm_Up` as `warm-up`.
pub fn plain_name(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

/// ` (did you mean 'depth'?)` if one of the names is near, else empty.
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
