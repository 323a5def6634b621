//! Which languages are there?

use unic_langid::LanguageIdentifier;

/// A language that plumb can speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    #[default]
    English,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 1] = [Language::English];

    /// Its tag (BCP 47): `en`.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
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
    fn every_tag_is_one() {
        for language in Language::ALL {
            assert_eq!(language.identifier().to_string(), language.tag());
        }
    }
}
