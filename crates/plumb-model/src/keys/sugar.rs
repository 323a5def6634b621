//! What do `pattern` and `read-percent` expand to? To `mix` and `offsets`; the record holds only those.

use crate::text::nearest::nearest;

/// A name for a mix and an order of offsets.
pub struct Pattern {
    /// As written: `random-read`.
    pub word: &'static str,
    /// Value of `mix`.
    pub mix: &'static str,
    /// Value of `offsets`; `None` does not set the key (operations on files have no offsets).
    pub offsets: Option<&'static str>,
}

const fn pattern(word: &'static str, mix: &'static str, offsets: Option<&'static str>) -> Pattern {
    Pattern { word, mix, offsets }
}

/// All patterns. The mixed ones are 70 % reads unless `read-percent` is set.
pub const PATTERNS: &[Pattern] = &[
    pattern("sequential-read", "read", Some("sequential")),
    pattern("sequential-write", "write", Some("sequential")),
    pattern("sequential-mixed", "read:70,write:30", Some("sequential")),
    pattern("random-read", "read", Some("random")),
    pattern("random-write", "write", Some("random")),
    pattern("random-mixed", "read:70,write:30", Some("random")),
    pattern("mixed", "read:70,write:30", Some("random")),
    pattern("reverse-read", "read", Some("reverse")),
    pattern("reverse-write", "write", Some("reverse")),
    pattern("strided-read", "read", Some("strided:64k")),
    pattern("strided-write", "write", Some("strided:64k")),
    pattern("zipf-read", "read", Some("zipf:1.1")),
    pattern("hot-spot-read", "read", Some("hot-spot:80/20")),
    pattern("random-trim", "trim", Some("random")),
    pattern("sequential-trim", "trim", Some("sequential")),
    pattern("create", "create", None),
    pattern("stat", "stat", None),
    pattern("read-file", "read-file", None),
    pattern("delete", "delete", None),
];

/// The keys and values that a shorthand key expands to. The error lists the valid values.
pub fn expand(key: &str, text: &str) -> Result<Vec<(&'static str, String)>, String> {
    match key {
        "read-percent" => Ok(vec![("mix", read_percent_mix(text)?)]),
        _ => {
            let word = crate::text::nearest::plain_name(text);
            let found = PATTERNS
                .iter()
                .find(|pattern| pattern.word == word)
                .ok_or_else(|| {
                    let words: Vec<&str> = PATTERNS.iter().map(|pattern| pattern.word).collect();
                    // `read` alone does not name the order of the blocks, which is easily forgotten.
                    let meant = match word.as_str() {
                        "read" | "write" | "trim" => {
                            format!(" (did you mean 'sequential-{word}' or 'random-{word}'?)")
                        }
                        "randread" => " (did you mean 'random-read'?)".into(),
                        "randwrite" => " (did you mean 'random-write'?)".into(),
                        "randrw" => " (did you mean 'random-mixed'?)".into(),
                        "rw" | "readwrite" => " (did you mean 'sequential-mixed'?)".into(),
                        _ => nearest(&word, &words),
                    };
                    format!(
                        "'{text}' is not a pattern{meant}; the patterns are {}",
                        words.join(", ")
                    )
                })?;
            let mut keys = vec![("mix", found.mix.to_string())];
            keys.extend(
                found
                    .offsets
                    .map(|offsets| ("offsets", offsets.to_string())),
            );
            Ok(keys)
        }
    }
}

/// `70` as `read:70,write:30`.
fn read_percent_mix(text: &str) -> Result<String, String> {
    let share = text
        .trim()
        .trim_end_matches('%')
        .parse::<f64>()
        .ok()
        .filter(|share| (0.0..=100.0).contains(share));
    let share = share
        .ok_or_else(|| format!("'{text}' is no share of reads: write a number from 0 to 100"))?;
    Ok(match share {
        100.0 => "read".into(),
        0.0 => "write".into(),
        _ => format!("read:{share},write:{}", 100.0 - share),
    })
}

/// The keys that a key expands to.
pub fn expands_to(key: &str) -> Vec<&str> {
    match key {
        "pattern" => vec!["mix", "offsets"],
        "read-percent" => vec!["mix"],
        other => vec![other],
    }
}

/// Expands the shorthands of one layer (in any order): `read-percent` refines a mixed pattern and contradicts a pure one.
pub fn expand_layer(
    pattern: Option<&str>,
    read_percent: Option<&str>,
) -> Result<Vec<(&'static str, String)>, String> {
    let mut keys = pattern.map_or(Ok(Vec::new()), |word| expand("pattern", word))?;
    if let Some(share) = read_percent {
        let mixed = expand("read-percent", share)?;
        let asked = keys
            .iter()
            .find(|(key, _)| *key == "mix")
            .map(|(_, mix)| mix.clone());
        if let Some(asked) = asked.filter(|asked| !asked.contains(',') && *asked != mixed[0].1) {
            let pattern = pattern.unwrap_or_default();
            return Err(format!(
                "pattern {pattern} is {asked} only, which contradicts read-percent {share}: use pattern mixed or sequential-mixed"
            ));
        }
        keys.retain(|(key, _)| *key != "mix");
        keys.extend(mixed);
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Mix, Offsets};

    #[test]
    fn every_pattern_is_understood_by_the_model() {
        for pattern in PATTERNS {
            pattern.mix.parse::<Mix>().expect(pattern.word);
            if let Some(offsets) = pattern.offsets {
                offsets.parse::<Offsets>().expect(pattern.word);
            }
        }
    }

    #[test]
    fn read_percent_refines_or_contradicts() {
        assert_eq!(
            expand_layer(Some("mixed"), Some("90")).expect("mixed")[1],
            ("mix", "read:90,write:10".into())
        );
        assert_eq!(expand_layer(None, Some("100")).expect("reads")[0].1, "read");
        assert!(expand_layer(Some("random-read"), Some("100")).is_ok());
        assert!(
            expand_layer(Some("random-read"), Some("70"))
                .expect_err("contradiction")
                .contains("mixed")
        );
        assert!(expand_layer(None, Some("101")).is_err());
    }
}
