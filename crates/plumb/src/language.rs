//! Which language does plumb use? That of `--language`, else `PLUMB_LANGUAGE`, else the user's default, else the locale.

use plumb_words::Language;

/// The variable that chooses the language for plumb alone.
const OWN: &str = "PLUMB_LANGUAGE";
/// The variables of the locale, in the order in which they count (POSIX.1-2024, Base Definitions, 8.2).
const LOCALE: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// A language of the command line or of `PLUMB_LANGUAGE`. Errors: an unsupported language.
pub fn named(tag: &str) -> Result<Language, String> {
    Language::of_tag(tag).ok_or_else(|| {
        let known =
            Language::ALL.map(|language| format!("{} ({})", language.tag(), language.own_name()));
        format!(
            "unsupported language '{tag}'; choose one of {}",
            known.join(", ")
        )
    })
}

/// The language by `--language`, the user's default, and the environment (`variable`). An unsupported locale gives English.
/// Errors: `PLUMB_LANGUAGE` names an unsupported language.
pub fn chosen(
    requested: Option<Language>,
    preferred: Option<Language>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Language, String> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(language) = requested {
        return Ok(language);
    }
    if let Some(own) = set(OWN) {
        return named(&own).map_err(|reason| format!("{OWN}: {reason}"));
    }
    if let Some(preferred) = preferred {
        return Ok(preferred);
    }
    let locale = LOCALE.into_iter().find_map(set);
    Ok(locale
        .and_then(|locale| Language::of_tag(&locale))
        .unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_counts_before_the_variable_and_that_before_the_locale() {
        let of = |requested: Option<Language>, set: &[(&str, &str)]| {
            chosen(requested, None, |name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        let all = [
            ("PLUMB_LANGUAGE", "zh-CN"),
            ("LC_ALL", "en_US.UTF-8"),
            ("LANG", "ja_JP.UTF-8"),
        ];
        assert_eq!(of(Some(Language::Japanese), &all), Ok(Language::Japanese));
        assert_eq!(of(None, &all), Ok(Language::Chinese));
        assert_eq!(of(None, &all[1..]), Ok(Language::English));
        assert_eq!(of(None, &all[2..]), Ok(Language::Japanese));
        assert_eq!(of(None, &[]), Ok(Language::English));
        assert_eq!(of(None, &[("LC_ALL", ""), all[2]]), Ok(Language::Japanese));
        assert_eq!(of(None, &[("LANG", "de_DE.UTF-8")]), Ok(Language::English));
        let refused = of(None, &[("PLUMB_LANGUAGE", "klingon")]).expect_err("refused");
        assert!(
            refused.starts_with("PLUMB_LANGUAGE: unsupported language 'klingon'"),
            "{refused}"
        );
        assert!(refused.contains("zh-CN (简体中文)"), "{refused}");
    }
}
