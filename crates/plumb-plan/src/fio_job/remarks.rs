//! What differs from fio, and in which sections? Each difference is reported once.

/// Differences, in order of discovery.
#[derive(Debug, Default)]
pub struct Remarks {
    entries: Vec<(String, Vec<String>)>,
    /// Options that are accepted without effect.
    pub idle: Vec<&'static str>,
}

/// Most sections named in one remark.
const NAMED_MAX: usize = 3;

impl Remarks {
    /// A difference in this section; a sentence without a period.
    pub fn add(&mut self, section: &str, text: impl Into<String>) {
        let text = text.into();
        match self
            .entries
            .iter_mut()
            .find(|(entries, _)| *entries == text)
        {
            Some((_, sections)) if sections.last().is_none_or(|last| last != section) => {
                sections.push(section.to_string())
            }
            Some(_) => {}
            None => self.entries.push((text, vec![section.to_string()])),
        }
    }

    /// An option without effect here.
    pub fn add_idle(&mut self, option: &'static str) {
        if !self.idle.contains(&option) {
            self.idle.push(option);
        }
    }

    /// All differences: those of every section name none.
    pub fn sentences(self, sections: usize) -> Vec<String> {
        let mut sentences = Vec::new();
        for (text, names) in self.entries {
            sentences.push(if names.len() >= sections {
                text
            } else {
                let more = if names.len() > NAMED_MAX {
                    format!(" and {} more", names.len() - NAMED_MAX)
                } else {
                    String::new()
                };
                format!(
                    "[{}]{more}: {text}",
                    names[..names.len().min(NAMED_MAX)].join("], [")
                )
            });
        }
        sentences
    }
}
