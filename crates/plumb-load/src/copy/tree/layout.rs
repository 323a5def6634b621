//! How is a tree laid out? One large file, many small ones, or a mix with everything that copy programs stumble over.

use std::path::{Path, PathBuf};

use super::entries::{Tree, TreeEntry, TreeKind};
use super::shape::TreeShape;
use crate::feed::offsets::{Generator, Purpose};

/// Small files in one folder.
const FILES_IN_FOLDER: u64 = 1000;
/// Smallest size that is drawn for a file of a mix.
const MIX_SMALLEST_BYTES: u64 = 64;
/// A mix has files up to this part of its bytes, so that no single one is most of it.
const MIX_LARGEST_PART: u64 = 64;
/// Changes are drawn between 2001-09-09 and 2021: in the past, so that a stamp of today is a lost one.
const MODIFIED_FROM_S: u64 = 1_000_000_000;
const MODIFIED_SPAN_S: u64 = 610_000_000;

impl TreeShape {
    /// Bytes of all files together.
    pub fn bytes(self) -> u64 {
        match self {
            TreeShape::Large { files, bytes_each } | TreeShape::Small { files, bytes_each } => {
                files * bytes_each
            }
            TreeShape::Mix { bytes } => bytes,
        }
    }
}

impl Tree {
    /// The tree of this shape and seed: the same on every machine.
    pub fn lay_out(shape: TreeShape, seed: u64) -> Tree {
        let mut builder = TreeBuilder {
            entries: Vec::new(),
            files: 0,
            draws: Generator::from_parts(&[seed, Purpose::Sizes as u64]),
        };
        match shape {
            TreeShape::Large { files, bytes_each } => {
                for file in 0..files {
                    builder.file(
                        PathBuf::from(format!("large-{file:03}.bin")),
                        bytes_each,
                        false,
                    );
                }
            }
            TreeShape::Small { files, bytes_each } => builder.small(files, bytes_each),
            TreeShape::Mix { bytes } => builder.mix(bytes),
        }
        Tree {
            shape,
            seed,
            entries: builder.entries,
        }
    }
}

/// A tree that is being laid out.
struct TreeBuilder {
    entries: Vec<TreeEntry>,
    files: u64,
    draws: Generator,
}

impl TreeBuilder {
    fn add(&mut self, path: PathBuf, kind: TreeKind, mode: u32) {
        let seconds = MODIFIED_FROM_S + self.draws.below(MODIFIED_SPAN_S);
        // No part of a second is left out, so that a program that cuts them off is seen where the file system keeps them.
        let modified_ns = seconds * 1_000_000_000 + 1 + self.draws.below(999_999_999);
        self.entries.push(TreeEntry {
            path,
            kind,
            modified_ns,
            mode,
        });
    }

    fn folder(&mut self, path: PathBuf) {
        self.add(path, TreeKind::Folder, 0o755);
    }

    fn file(&mut self, path: PathBuf, bytes: u64, zeros: bool) {
        let mode = [0o644, 0o644, 0o600, 0o755, 0o444][self.draws.below(5) as usize];
        self.add(
            path,
            TreeKind::File {
                number: self.files,
                bytes,
                zeros,
            },
            mode,
        );
        self.files += 1;
    }

    fn small(&mut self, files: u64, bytes_each: u64) {
        for first in (0..files).step_by(FILES_IN_FOLDER as usize) {
            let folder = PathBuf::from(format!("d{:04}", first / FILES_IN_FOLDER));
            self.folder(folder.clone());
            for file in first..files.min(first + FILES_IN_FOLDER) {
                self.file(folder.join(format!("f{file:07}")), bytes_each, false);
            }
        }
    }

    fn mix(&mut self, bytes: u64) {
        let mut folders = vec![PathBuf::new()];
        self.folder("empty folder".into());
        self.file("empty.file".into(), 0, false);
        let zeros = (bytes / 16).clamp(1, 1 << 20);
        self.file("zeros.img".into(), zeros, true);
        let mut left = bytes - zeros;
        let span =
            ((bytes / MIX_LARGEST_PART).max(1 << 16) as f64 / MIX_SMALLEST_BYTES as f64).ln();
        while left > 0 {
            if self.files.is_multiple_of(12) {
                let parent = folders[self.draws.below(folders.len() as u64) as usize].clone();
                let folder = parent.join(folder_name(folders.len()));
                self.folder(folder.clone());
                folders.push(folder);
            }
            let drawn = self.draws.below(1 << 32) as f64 / (1u64 << 32) as f64;
            let size = ((MIX_SMALLEST_BYTES as f64 * (drawn * span).exp()) as u64).clamp(1, left);
            let folder = folders[self.draws.below(folders.len() as u64) as usize].clone();
            self.file(file_path(&folder, self.files), size, false);
            left -= size;
        }
    }
}

fn folder_name(number: usize) -> String {
    match number % 4 {
        1 => format!("folder with spaces {number}"),
        2 => format!("Ordner-größe-{number}"),
        _ => format!("dir{number}"),
    }
}

/// Names that scripts and protocols stumble over, beside plain ones.
fn file_path(folder: &Path, number: u64) -> PathBuf {
    let name = match number % 12 {
        3 => format!("name with spaces {number}.txt"),
        5 => format!("größe-naïve-文件-{number}.dat"),
        7 => format!(".hidden-{number}"),
        // Most file systems take 255 bytes in a name.
        9 => format!("long-{}-{number}.bin", "x".repeat(180)),
        11 => format!("it's (a) & [b] {number}.log"),
        _ => format!("file-{number:06}.dat"),
    };
    folder.join(name)
}
