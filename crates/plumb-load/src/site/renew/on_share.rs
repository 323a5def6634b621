//! How are the files of a site on a share truncated before a step, and filled again? By their length: servers do not report holes.

use plumb_model::target::remote::Remote;

use super::ranges;
use crate::share::SharedShare;
use crate::site::Site;
use crate::site::file::{SiteFile, path_text};
use crate::site::fill::on_share::ShareFill;
use crate::site::fill::{Prepared, Preparing};
use crate::site::needs::Part;
use crate::site::refusal::{SiteError, unsuitable};

impl Site {
    /// Sets the length of the files that a step uses to 0.
    pub(super) fn empty_on_share(&self, part: &Part) -> Result<(), SiteError> {
        let (_, share) = self.its_share()?;
        for range in ranges(&self.part(part)?) {
            share.lock().set_length(&path_text(&range.path), 0)?;
        }
        Ok(())
    }

    /// Fills the files that are shorter than a step uses, from their start.
    pub(super) fn complete_on_share(
        &self,
        part: &Part,
        preparing: &mut Preparing<'_>,
    ) -> Result<Vec<Prepared>, SiteError> {
        let (remote, share) = self.its_share()?;
        let mut wanting: Vec<&SiteFile> = Vec::new();
        for range in ranges(&self.part(part)?) {
            let found = share.lock().look_up(&path_text(&range.path))?;
            if found.is_none_or(|entry| entry.size_bytes < range.end) {
                wanting.extend(self.files.iter().find(|file| file.path == range.path));
            }
        }
        let total_bytes = wanting.iter().map(|file| file.len).sum();
        let on_share = ShareFill {
            remote,
            share,
            block_bytes: part.block_bytes,
        };
        let mut done_bytes = 0;
        wanting
            .into_iter()
            .map(|file| on_share.fill(file, false, preparing, &mut done_bytes, total_bytes))
            .collect()
    }

    fn its_share(&self) -> Result<(&Remote, &SharedShare), SiteError> {
        let on_share = self.cleanup.on_share.as_ref();
        let on_share = on_share.map(|on_share| (&on_share.remote, &on_share.share));
        on_share.ok_or_else(|| unsuitable(format!("{} is not on a share", self.path.display())))
    }
}
