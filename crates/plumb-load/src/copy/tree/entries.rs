//! Which files and folders does a tree have, and what is in them?

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::shape::TreeShape;
use crate::feed::offsets::{Generator, Purpose};

/// Content is drawn anew for each stretch of this many bytes, so that any of them can be made by itself.
pub(super) const STRETCH: usize = 65_536;

/// A tree of files, known from its seed alone: the copy is compared with this, never with the source, which a program might damage too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// As requested by the user: `mix:1g`.
    pub shape: TreeShape,
    pub seed: u64,
    /// Folders before what lies in them.
    pub entries: Vec<TreeEntry>,
}

/// A file or folder of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Below the root of the tree.
    pub path: PathBuf,
    pub kind: TreeKind,
    /// Last change in nanoseconds since 1970.
    pub modified_ns: u64,
    /// Permission bits.
    pub mode: u32,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeKind {
    Folder,
    /// `number` draws its content; `zeros`: it is all zeros, though not sparse.
    File {
        number: u64,
        bytes: u64,
        zeros: bool,
    },
}

impl Tree {
    /// Number of files, without folders.
    pub fn files(&self) -> u64 {
        self.entries
            .iter()
            .filter(|entry| matches!(entry.kind, TreeKind::File { .. }))
            .count() as u64
    }

    /// Bytes of all files together.
    pub fn bytes(&self) -> u64 {
        let bytes = |entry: &TreeEntry| match entry.kind {
            TreeKind::File { bytes, .. } => bytes,
            TreeKind::Folder => 0,
        };
        self.entries.iter().map(bytes).sum()
    }

    /// Without folders in which no file lies: an object store has none.
    pub fn without_empty_folders(mut self) -> Tree {
        let files: Vec<PathBuf> = self
            .entries
            .iter()
            .filter(|entry| entry.kind != TreeKind::Folder)
            .map(|entry| entry.path.clone())
            .collect();
        let holders: HashSet<&Path> = files.iter().flat_map(|file| file.ancestors()).collect();
        self.entries.retain(|entry| {
            entry.kind != TreeKind::Folder || holders.contains(entry.path.as_path())
        });
        self
    }

    /// The content of file `number` from `offset` on, a multiple of [`STRETCH`]; incompressible, and different in every stretch of every file.
    pub(super) fn fill(&self, number: u64, zeros: bool, offset: u64, buffer: &mut [u8]) {
        if zeros {
            return buffer.fill(0);
        }
        for (index, stretch) in buffer.chunks_mut(STRETCH).enumerate() {
            let stretch_number = offset / STRETCH as u64 + index as u64;
            let mut generator = Generator::from_parts(&[
                self.seed,
                Purpose::Content as u64,
                number,
                stretch_number,
            ]);
            for piece in stretch.chunks_mut(8) {
                piece.copy_from_slice(&generator.draw().to_le_bytes()[..piece.len()]);
            }
        }
    }
}
