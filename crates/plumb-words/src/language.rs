//! Which languages does plumb have, and which one does a locale select?

use unic_langid::LanguageIdentifier;

/// A language that plumb supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    #[default]
    English,
    /// In simplified characters, as written on the mainland and in Singapore.
    Chinese,
    Japanese,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::English, Language::Chinese, Language::Japanese];

    /// Its tag (BCP 47): `en`, `zh-CN`, `ja`.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-CN",
            Language::Japanese => "ja",
        }
    }

    /// Its name in the language itself.
    pub fn own_name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Chinese => "简体中文",
            Language::Japanese => "日本語",
        }
    }

    /// The language of a tag (`ja`, `zh-Hans-SG`) or of a locale (`ja_JP.UTF-8`, `zh_CN.GB18030`, `C`). `None`: not supported, such as Chinese
    /// in traditional characters.
    pub fn of_tag(tag: &str) -> Option<Language> {
        let tag = tag.split(['.', '@']).next().unwrap_or(tag);
        if tag.eq_ignore_ascii_case("C") || tag.eq_ignore_ascii_case("POSIX") {
            return Some(Language::English);
        }
        let identifier: LanguageIdentifier = tag.parse().ok()?;
        let script = identifier.script.as_ref().map(|script| script.as_str());
        let region = identifier.region.as_ref().map(|region| region.as_str());
        match (identifier.language.as_str(), script, region) {
            ("en", ..) => Some(Language::English),
            ("ja", ..) => Some(Language::Japanese),
            ("zh", Some("Hans"), _) | ("zh", None, None | Some("CN" | "SG" | "MY")) => {
                Some(Language::Chinese)
            }
            _ => None,
        }
    }

    pub(crate) fn identifier(self) -> LanguageIdentifier {
        self.tag().parse().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_one_and_leads_back() {
        for language in Language::ALL {
            assert_eq!(language.identifier().to_string(), language.tag());
            assert_eq!(Language::of_tag(language.tag()), Some(language));
        }
    }

    #[test]
    fn locales_and_tags_name_a_language() {
        for (tag, expected) in [
            ("C", Some(Language::English)),
            ("C.UTF-8", Some(Language::English)),
            ("POSIX", Some(Language::English)),
            ("en_GB.UTF-8", Some(Language::English)),
            ("ja_JP.eucJP", Some(Language::Japanese)),
            ("zh_CN.UTF-8", Some(Language::Chinese)),
            ("zh", Some(Language::Chinese)),
            ("zh-Hans-HK", Some(Language::Chinese)),
            ("zh_TW.UTF-8", None),
            ("zh-Hant", None),
            ("de_DE.UTF-8@euro", None),
            ("", None),
            ("nonsense nonsense", None),
        ] {
            assert_eq!(Language::of_tag(tag), expected, "{tag}");
        }
    }
}
