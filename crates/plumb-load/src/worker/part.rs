//! On which part of the target does a worker work, and in which order does it go over that?

use plumb_model::target::Target;
use plumb_model::workload::{Layout, Offsets};

use crate::crew::assignment::extent;
use crate::feed::offsets::{OffsetSequence, Span};
use crate::feed::spread::Spread;
use crate::site::{Part, SiteFile};
use crate::worker::setup::WorkerSetup;

impl WorkerSetup<'_> {
    /// The part of the target that this worker works on, or its files where it goes over several; empty for the null target and for file operations alone.
    pub(super) fn parts(&self) -> Result<Vec<SiteFile>, String> {
        let workload = &self.assignment.job.workload;
        let Some(site) = self.assignment.site.filter(|_| workload.moves_blocks()) else {
            return Ok(Vec::new());
        };
        // Another step of the plan may use more of the same target than this one.
        let parts = site.part(&Part::of(workload));
        let mut parts = parts.map_err(|error| error.to_string())?;
        if site.is_spread() {
            return Ok(parts);
        }
        let part = workload.part_of(self.worker) as usize % parts.len();
        Ok(vec![parts.swap_remove(part)])
    }

    /// The bytes in use.
    pub(super) fn span(&self, parts: &[SiteFile]) -> Result<Span, String> {
        let workload = &self.assignment.job.workload;
        let full = match parts {
            [] => Span {
                start: 0,
                len: extent(self.assignment).0,
            },
            [part] => Span {
                start: part.start,
                len: part.len,
            },
            _ => Span {
                start: 0,
                len: self.spread(parts).bytes(),
            },
        };
        if workload.segments().is_none() {
            return Ok(full);
        }
        let (start, len) = workload
            .segmented(self.worker, (full.start, full.len))
            .ok_or_else(|| {
                format!(
                    "{} bytes are smaller than one segment of {} blocks of segment-block: increase size, or reduce segment-block",
                    full.len,
                    workload.all_workers()
                )
            })?;
        Ok(Span { start, len })
    }

    /// Bytes after which this worker has gone over its part so many times.
    pub(super) fn pass_bytes(&self, offsets: &OffsetSequence, passes: u64, layout: Layout) -> u64 {
        let workload = &self.assignment.job.workload;
        let (part, workers) = (workload.part_of(self.worker), workload.all_workers());
        offsets.pass_bytes(passes, layout, part, workers)
    }

    /// Several files as one range.
    pub(super) fn spread(&self, parts: &[SiteFile]) -> Spread {
        let workload = &self.assignment.job.workload;
        let draws = workload.offsets == Offsets::RandomWithReplacement;
        let block = workload.largest_block_bytes();
        Spread::new(parts, workload.path_order, block, draws)
    }

    /// Places of blocks; `None` for file operations alone, and where they come together with the kinds.
    pub(super) fn offsets(&self, parts: &[SiteFile]) -> Result<Option<OffsetSequence>, String> {
        let (assignment, workload) = (self.assignment, &self.assignment.job.workload);
        let span = self.span(parts)?;
        let null = assignment.job.target == Target::Null;
        (workload.access.is_none() && self.replay.is_none() && (null || workload.moves_blocks()))
            .then(|| {
                OffsetSequence::new(
                    workload,
                    span,
                    workload.part_of(self.worker),
                    workload.all_workers(),
                    assignment.seed,
                    Some(self.stream.clone()),
                )
            })
            .transpose()
    }
}
