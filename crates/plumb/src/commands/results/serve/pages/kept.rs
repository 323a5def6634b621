//! What was made already? Pages and figures, for as long as the records that they are made of stay as they are.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use plumb_model::results::headline::Headline;

use super::super::answer::Trouble;
use super::super::shelf::{Shelved, Stamp};

/// Pages that are kept, and bytes of them.
const PAGES_MAX: usize = 32;
const PAGES_BYTES: usize = 64 << 20;
/// Runs whose figures are kept.
const HEADLINES_MAX: usize = 100_000;

/// The figures of a record, or why there are none.
type Figures = Result<Headline, Trouble>;

/// What was made.
#[derive(Default)]
pub struct Kept {
    headlines: Mutex<HashMap<PathBuf, (Stamp, Figures)>>,
    /// The one that was asked for last stands last.
    pages: Mutex<Vec<KeptPage>>,
}

struct KeptPage {
    name: String,
    stamps: Vec<Stamp>,
    html: Arc<str>,
}

impl Kept {
    pub fn headline(&self, run: &Shelved) -> Option<Figures> {
        let headlines = self
            .headlines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        headlines
            .get(&run.folder)
            .filter(|(stamp, _)| *stamp == run.stamp)
            .map(|(_, figures)| figures.clone())
    }

    pub fn keep_headline(&self, run: &Shelved, figures: Figures) -> Figures {
        let mut headlines = self
            .headlines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if headlines.len() >= HEADLINES_MAX {
            headlines.clear();
        }
        headlines.insert(run.folder.clone(), (run.stamp, figures.clone()));
        figures
    }

    pub fn page(&self, name: &str, stamps: &[Stamp]) -> Option<Arc<str>> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let place = pages
            .iter()
            .position(|page| page.name == name && page.stamps == stamps)?;
        let page = pages.remove(place);
        let html = page.html.clone();
        pages.push(page);
        Some(html)
    }

    pub fn keep_page(&self, name: &str, stamps: Vec<Stamp>, html: &str) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| page.name != name);
        pages.push(KeptPage {
            name: name.into(),
            stamps,
            html: html.into(),
        });
        let bytes = |pages: &[KeptPage]| pages.iter().map(|page| page.html.len()).sum::<usize>();
        while pages.len() > PAGES_MAX || bytes(&pages) > PAGES_BYTES {
            pages.remove(0);
        }
    }
}
