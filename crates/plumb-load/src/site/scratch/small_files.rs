//! Which of the small files in a scratch folder did plumb make?
//!
//! A name proves nothing: a user's own file may have a name that plumb would use. Plumb makes its small files with a mode that nobody else
//! gives to a file, in the call that makes them, so that the measured creation costs what it cost before. A file that was put there has another mode; one that was
//! overwritten in place keeps the mode, and is known by its content, which plumb can recognise without having noted it. docs/decisions/0012.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use plumb_model::workload::{Content, FileSizes, OperationKind, Workload};

use crate::feed::content::Body;
use crate::site::scratch::folder::Folder;
use crate::site::written::holds_nothing_else;
use crate::system::files::{Flags, PathKind};
use crate::system::folders::SmallTraits;

/// A file that was written within this time after it was made was written by its creator: it is not read at the end of a run, where a million others are.
const MAKING_NS: i128 = 20_000_000;
/// Bytes per read; a multiple of the content's segment.
const PIECE_BYTES: u64 = 1 << 20;
/// Stands for content that nobody can foretell.
const ANY: &str = "any";

/// What small files were made with.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallFiles {
    seed: u64,
    compress_percent: f64,
    sizes: FileSizes,
    /// `None`: cannot be foretold.
    content: Option<Content>,
}

impl SmallFiles {
    /// Files of which nothing but their largest size is known.
    pub(crate) fn up_to(largest_bytes: u64) -> SmallFiles {
        SmallFiles {
            seed: 0,
            compress_percent: 0.0,
            sizes: FileSizes {
                from_bytes: 0,
                to_bytes: largest_bytes,
                directories: false,
            },
            content: None,
        }
    }

    /// The files of a workload with content of this seed, made beforehand.
    pub fn prepared(workload: &Workload, seed: u64) -> SmallFiles {
        let block = workload.largest_block_bytes();
        let sizes = workload.file_size.unwrap_or(FileSizes {
            from_bytes: block,
            to_bytes: block,
            directories: false,
        });
        SmallFiles {
            seed,
            compress_percent: workload.compress_percent,
            sizes,
            content: Some(workload.content.clone()),
        }
    }

    /// Those that its operations make; `None` where they make none.
    pub fn created(workload: &Workload, seed: u64) -> Option<SmallFiles> {
        let does = |kind_wanted: OperationKind| {
            workload.mix.0.iter().any(|(kind, _)| *kind == kind_wanted)
        };
        // What is read into a buffer that is filled once is what it is written with from then on; blocks that are verified are stamped.
        let reads = workload.reads_blocks() || does(OperationKind::ReadFile);
        let foretold = match workload.content {
            Content::Scrambled => false,
            Content::Reused => !reads,
            _ => true,
        } && !workload.verify;
        let prepared = SmallFiles::prepared(workload, seed);
        does(OperationKind::Create).then(|| SmallFiles {
            content: prepared.content.filter(|_| foretold),
            ..prepared
        })
    }

    pub(crate) fn text(&self) -> String {
        let content = self
            .content
            .as_ref()
            .map_or(ANY.to_string(), Content::to_string);
        format!(
            "{} {} {} {} {content}",
            self.seed, self.compress_percent, self.sizes.from_bytes, self.sizes.to_bytes
        )
    }

    pub(crate) fn parse(text: &str) -> Option<SmallFiles> {
        let mut words = text.split(' ');
        let seed = words.next()?.parse().ok()?;
        let compress_percent = words.next()?.parse().ok()?;
        let sizes = FileSizes {
            from_bytes: words.next()?.parse().ok()?,
            to_bytes: words.next()?.parse().ok()?,
            directories: false,
        };
        let content = match words.next()? {
            ANY => None,
            content => Some(content.parse().ok()?),
        };
        Some(SmallFiles {
            seed,
            compress_percent,
            sizes,
            content,
        })
    }

    fn body(&self) -> Option<Body> {
        let content = self.content.clone()?;
        Body::new(
            &Workload {
                content,
                compress_percent: self.compress_percent,
                ..Workload::default()
            },
            self.seed,
        )
        .ok()
    }

    /// Length that a file of `bytes` was to have, as far as it shows: a killed run may have written a part of it.
    fn intended(&self, bytes: u64) -> u64 {
        if self.sizes.from_bytes == self.sizes.to_bytes {
            self.sizes.to_bytes
        } else {
            bytes.max(self.sizes.from_bytes)
        }
    }
}

/// Tells plumb's small files from others.
pub struct Recogniser {
    made: Vec<(SmallFiles, Option<Body>)>,
    /// The file system keeps the mode that plumb makes them with.
    keeps_modes: bool,
    /// Every file is read, however it looks.
    thorough: bool,
}

impl Recogniser {
    /// `keeps_modes`: the owner file in the folder has the mode, which was made with it too.
    pub fn new(made: &[SmallFiles], keeps_modes: bool, thorough: bool) -> Recogniser {
        Recogniser {
            made: made
                .iter()
                .map(|small| (small.clone(), small.body()))
                .collect(),
            keeps_modes,
            thorough,
        }
    }

    /// True of a file of blocks into which something was written that no job writes; not looked at while the run that made it cleans up.
    pub fn is_changed(&self, folder: &Folder, name: &Path, written: &[String]) -> bool {
        let holds = |file: File| holds_nothing_else(&file, written);
        self.thorough
            && matches!(
                folder
                    .open(
                        name,
                        Flags {
                            read: true,
                            ..Flags::default()
                        }
                    )
                    .and_then(holds),
                Ok(Some(false)) | Err(_)
            )
    }

    /// True of a file that plumb made and that nobody has changed since. One that cannot be read is not known, and stays.
    pub fn is_plumbs(&self, folder: &Folder, name: &Path) -> bool {
        let Ok(traits) = folder.small_traits(name) else {
            return false;
        };
        if traits.kind != PathKind::File || (self.keeps_modes && !traits.is_marked) {
            return false;
        }
        let of_size: Vec<_> = self
            .made
            .iter()
            .filter(|(small, _)| traits.size_bytes <= small.sizes.to_bytes)
            .collect();
        if of_size.is_empty() {
            return false;
        }
        let is_whole = of_size
            .iter()
            .any(|(small, _)| traits.size_bytes >= small.sizes.from_bytes);
        let written_at_once =
            self.keeps_modes && !self.thorough && is_whole && was_written_at_once(&traits);
        traits.size_bytes == 0
            || written_at_once
            || of_size.iter().any(|(small, body)| {
                body.as_ref()
                    .is_none_or(|body| holds(folder, name, small, body).unwrap_or(false))
            })
    }
}

fn was_written_at_once(traits: &SmallTraits) -> bool {
    traits
        .born_ns
        .zip(traits.modified_ns)
        .is_some_and(|(born, modified)| (0..=MAKING_NS).contains(&(modified - born)))
}

/// True of a file that holds nothing but what plumb writes.
fn holds(folder: &Folder, name: &Path, small: &SmallFiles, body: &Body) -> io::Result<bool> {
    let mut file = folder.open(
        name,
        Flags {
            read: true,
            ..Flags::default()
        },
    )?;
    let mut rest = small.intended(file.metadata()?.len());
    loop {
        let mut piece = Vec::new();
        file.by_ref().take(PIECE_BYTES).read_to_end(&mut piece)?;
        if piece.is_empty() {
            return Ok(true);
        }
        if !body.may_have_made(&piece, rest as usize) {
            return Ok(false);
        }
        rest = rest.saturating_sub(PIECE_BYTES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_reads_back() {
        for content in [
            None,
            Some("random"),
            Some("zeros"),
            Some("reused"),
            Some("pattern:deadbeef"),
        ] {
            let content = content.map(|content| content.parse().expect("content"));
            let small = SmallFiles {
                seed: u64::MAX,
                compress_percent: 33.3,
                sizes: FileSizes {
                    from_bytes: 1,
                    to_bytes: 4096,
                    directories: false,
                },
                content,
            };
            assert_eq!(SmallFiles::parse(&small.text()), Some(small));
        }
        for text in ["", "1 0 1 2", "x 0 1 2 random", "1 0 1 2 nonsense"] {
            assert_eq!(SmallFiles::parse(text), None, "{text}");
        }
    }
}
