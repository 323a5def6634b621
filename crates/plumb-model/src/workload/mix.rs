//! What do the operations of a workload do to its target?

use super::{AccessLines, OperationKind, Workload};
use crate::keys::traits::Needs;

impl Workload {
    /// True when the job has what a key needs to mean anything.
    pub fn has(&self, needs: Needs) -> bool {
        use OperationKind::{Create, Delete, Rename};
        let any = |of: fn(&OperationKind) -> bool| self.mix.0.iter().any(|(kind, _)| of(kind));
        match needs {
            Needs::Rate => self.rate.is_some(),
            Needs::Writes => any(|kind| kind.writes_blocks()),
            Needs::Changes => {
                self.modifies_blocks() || any(|kind| matches!(kind, Create | Delete | Rename))
            }
            Needs::FileOperations => self.has_file_operations(),
        }
    }

    /// True when any operation of the mix changes the target.
    pub fn modifies(&self) -> bool {
        self.fsync_every > 0 || self.mix.0.iter().any(|(kind, _)| kind.modifies())
    }

    /// True when the mix holds operations that read blocks.
    pub fn reads_blocks(&self) -> bool {
        self.mix.0.iter().any(|(kind, _)| kind.reads_blocks())
    }

    /// True when the mix holds operations that write or trim blocks.
    pub fn modifies_blocks(&self) -> bool {
        let mut kinds = self.mix.0.iter().map(|(kind, _)| kind);
        kinds.any(|kind| kind.writes_blocks() || *kind == OperationKind::Trim)
    }

    /// True when the mix holds operations on files by name.
    pub fn has_file_operations(&self) -> bool {
        self.mix.0.iter().any(|(kind, _)| kind.is_file_operation())
    }

    /// True when some operation puts data on the target.
    pub fn writes_data(&self) -> bool {
        let mut kinds = self.mix.0.iter().map(|(kind, _)| kind);
        kinds.any(|kind| kind.writes_blocks() || *kind == OperationKind::Create)
    }

    /// True when the mix holds operations at an offset of a file or device, beside those on files by name or without any.
    pub fn moves_blocks(&self) -> bool {
        self.mix.0.iter().any(|(kind, _)| !kind.is_file_operation())
    }

    /// True when some operations go to random places and others follow the one before.
    pub fn is_partly_random(&self) -> bool {
        self.access
            .as_ref()
            .map(AccessLines::random_percent)
            .is_some_and(|share| share > 0.0 && share < 100.0)
    }
}
