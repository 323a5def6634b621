//! How is a file that plumb made or may write taken, marked, given its length, and filled?

use std::fs::File;
use std::path::{Path, PathBuf};

use plumb_model::statement::Statement;
use plumb_words::numbers::show_bytes;

use crate::site::Site;
use crate::site::cleanup::KeptFile;
use crate::site::file::{SiteFile, SiteKind};
use crate::site::fill::{self, Preparing};
use crate::site::mark::{Mark, State};
use crate::site::needs::Needs;
use crate::site::refusal::{SiteError, unsuitable};
use crate::system;
use crate::system::files::{self, PathKind};

/// Refuses sizes beyond RLIMIT_FSIZE before the kernel ends the process for it.
pub fn check_file_size(end: u64, path: &Path) -> Result<(), SiteError> {
    match files::file_size_limit_bytes().filter(|limit| end > *limit) {
        Some(limit) => Err(unsuitable(format!(
            "{} would grow to {}, and this shell limits files to {} (ulimit -f): raise the limit, or use a smaller --size",
            path.display(),
            show_bytes(end as f64),
            show_bytes(limit as f64)
        ))),
        None => Ok(()),
    }
}

/// Gives a file that will not be filled its length, so that it can be mapped. One that steps empty is looked at before each step.
pub fn make_ready(
    opened: &File,
    file: &SiteFile,
    needs: &Needs,
    is_filled: bool,
) -> Result<(), SiteError> {
    if is_filled || needs.is_to_be_filled() || needs.fresh || needs.until_full {
        return Ok(());
    }
    let present = opened.metadata().map_or(0, |metadata| metadata.len());
    let end = file.start + file.len;
    let lengthened = if needs.preallocate && present < end {
        system::allocate(opened, end)
    } else {
        opened.set_len(present.max(end))
    };
    lengthened.map_err(SiteError::kernel("lengthen", &file.path))
}

pub fn take(
    opened: &File,
    index: u32,
    path: PathBuf,
    start: u64,
    len: u64,
) -> Result<SiteFile, SiteError> {
    let traits = files::traits(opened).map_err(SiteError::kernel("examine", &path))?;
    let kind = match traits.kind {
        PathKind::BlockDevice => SiteKind::BlockDevice,
        PathKind::CharacterDevice => SiteKind::CharacterDevice,
        _ => SiteKind::File,
    };
    Ok(SiteFile {
        index,
        path,
        start,
        len,
        kind,
        identity: traits.identity,
        folder: None,
    })
}

/// Marks a file that stays: as work in progress now, as finished at the end.
pub fn keep(
    site: &mut Site,
    opened: &File,
    file: &SiteFile,
    needs: &Needs,
    is_filled: bool,
) -> Result<(), SiteError> {
    if is_filled && !needs.modifies {
        return Ok(());
    }
    match Mark::begin(opened, &needs.content, &needs.written) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => site.warnings.push(
            Statement::new("kept-file-cannot-be-marked")
                .name("path", file.path.display().to_string()),
        ),
        Err(error) => return Err(SiteError::kernel("mark", &file.path)(error)),
    }
    let state = if needs.modifies {
        State::Modified
    } else {
        State::Filled
    };
    site.cleanup.kept.push(KeptFile {
        file: file.clone(),
        content: needs.content.clone(),
        state,
        filled: is_filled,
    });
    Ok(())
}

/// Fills files one after the other and remembers what was written.
pub fn fill_all(
    site: &mut Site,
    files: &[SiteFile],
    needs: &Needs,
    preparing: &mut Preparing<'_>,
) -> Result<(), SiteError> {
    let total_bytes = files.iter().map(|file| file.len).sum();
    let mut done_bytes = 0;
    for file in files {
        site.prepared.push(fill::fill(
            file,
            needs.block_bytes,
            preparing,
            &mut done_bytes,
            total_bytes,
        )?);
    }
    for kept in &mut site.cleanup.kept {
        kept.filled |= files.iter().any(|file| file.path == kept.file.path);
    }
    Ok(())
}
