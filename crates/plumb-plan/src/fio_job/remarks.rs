//! What differs from fio, and in which sections? Each difference is told once.

/// Differences, in the order in which they were found.
#[derive(Debug, Default)]
pub struct Remarks {
    entries: Vec<(String, Vec<String>)>,
    /// Options that are taken and have no effect here.
    pub idle: Vec<&'static str>,
}

/// Sections that one remark names at most.
const NAMED_MAX: usize = 3;

impl Remarks {
    /// A difference in this section; a sentence without its full stop.
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

    /// An option that has no effect here.
    pub fn add_idle(&mut self, option: &'static str) {
        if !self.idle.contains(&option) {
            self.idle.push(option);
        }
    }

    /// All differences: what concerns every section names none.
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
