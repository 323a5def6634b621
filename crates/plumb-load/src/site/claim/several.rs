//! How do several files or devices become one site? Each is claimed as a target of its own, with its share of the size.

use std::path::Path;

use crate::site::Site;
use crate::site::file::SiteKind;
use crate::site::fill::Preparing;
use crate::site::needs::Needs;
use crate::site::refusal::{SiteError, unsuitable};

/// Claims one target.
pub type ClaimOne<'c> =
    dyn FnMut(&Path, &Needs, &mut Preparing<'_>) -> Result<Site, SiteError> + 'c;

/// Claims all paths of the needs, below `directory` where they are relative.
pub fn claim(
    directory: &Path,
    needs: &Needs,
    preparing: &mut Preparing<'_>,
    one: &mut ClaimOne<'_>,
) -> Result<Site, SiteError> {
    if needs.file_set.is_some() {
        return Err(unsuitable(
            "file operations create their own files in a directory: omit paths".into(),
        ));
    }
    let count = needs.paths.len() as u64;
    // Whole blocks, as every file of a worker has them.
    let each = |bytes: u64| bytes / count - bytes / count % needs.block_bytes.max(1);
    let needs_of_one = Needs {
        paths: Vec::new(),
        size_bytes: needs.size_bytes.map(each),
        shared: true,
        own_files: 0,
        ..needs.clone()
    };
    let mut all = Site::new(SiteKind::File, directory);
    (all.is_spread, all.has_shared) = (true, false);
    for (index, path) in (0..).zip(&needs.paths) {
        // Content is made for a file by its number.
        let fill = &mut *preparing.fill;
        let mut fill_this = |_: u32, offset: u64, block: &mut [u8]| fill(index, offset, block);
        let mut preparing = Preparing {
            fill: &mut fill_this,
            stop: preparing.stop,
            progress: &mut *preparing.progress,
        };
        let mut site = one(&directory.join(path), &needs_of_one, &mut preparing)?;
        if site.kind == SiteKind::Directory {
            return Err(unsuitable(format!(
                "{} is a directory, and paths names files or devices",
                site.path.display()
            )));
        }
        if index == 0 {
            all.kind = site.kind;
        }
        all.fresh |= site.fresh;
        for mut file in std::mem::take(&mut site.files) {
            file.index = index;
            all.files.push(file);
        }
        all.prepared.append(&mut site.prepared);
        all.warnings.append(&mut site.warnings);
        all.cleanup.take_over(&mut site.cleanup);
    }
    Ok(all)
}
