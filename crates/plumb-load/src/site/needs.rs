//! What do the steps of a run need of a target, all together, and which part of it does each step use?

use plumb_model::workload::{Layout, Workload};

use crate::site::refusal::{SiteError, unsuitable};

/// Half of a block of most file systems, which the end of a file leaves unused on average.
const HALF_BLOCK_BYTES: u64 = 2048;

/// What the steps of a run need of a target, all together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// Bytes in use from `start` on, the maximum of all steps; `None`: no size is set.
    pub size_bytes: Option<u64>,
    /// Some steps set no size, others do: the former use an entire existing target. Irrelevant while `size_bytes` is `None`.
    pub is_entire: bool,
    /// First byte in use of the shared file or device.
    pub start: u64,
    /// Largest block, in bytes; sizes chosen here are whole blocks.
    pub block_bytes: u64,
    /// Some step reads blocks that nothing in the run may have written.
    pub reads: bool,
    /// Some step reads back what was written in the run.
    pub reads_back: bool,
    /// Some step writes or trims blocks.
    pub modifies: bool,
    /// Some step's workers go over one file together (`Layout::Shared`, `Layout::Stream`).
    pub shared: bool,
    /// Several files or devices, relative to the target, instead of one; empty: one.
    pub paths: Vec<String>,
    /// Most workers of a step that wants a file of its own for each (`Layout::Own`) in a directory; 0: no such step.
    pub own_files: u32,
    /// Small files that file operations work on, at most.
    pub file_set: Option<FileSetNeeds>,
    /// What the content callback writes, as one line: two runs with the same line may share a kept file. With verification it holds the seed.
    pub content: String,
    /// What the jobs write, one line each ([`crate::site::Written::text`]): noted in the mark of a file that is being made.
    pub written: Vec<String>,
    /// Blocks read are checked: everything must have been written by the content callback.
    pub verify: bool,
    /// Fill new files also when they are only written: overwriting written blocks differs from allocating them.
    pub fill_before_writes: bool,
    /// Leave made files for later runs.
    pub keep: bool,
    /// Some step empties its file first: only files that plumb makes allow that. Nothing is filled beforehand, but before the steps that need it
    /// ([`crate::site::Site::complete`]).
    pub fresh: bool,
    /// A step that comes to a file that is not there yet writes it without filling it: as with `fresh`, steps that read it fill what is missing.
    pub unfilled: bool,
    /// Files that are not filled get their blocks all the same.
    pub preallocate: bool,
    /// A step writes until there is no more room: nothing is kept free, and a new file is as long as what was written.
    pub until_full: bool,
    /// A file of fio's names and of exactly this size may be written over without the user's word.
    pub reuse: bool,
    /// A file that is only read and too short is lengthened.
    pub extend: bool,
    /// What is there is to be verified, so nothing is written over before the steps.
    pub verify_existing: bool,
}

/// Small files wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSetNeeds {
    pub files: u64,
    /// Bytes that one takes: where sizes are drawn, the expected ones.
    pub bytes_each: u64,
}

impl Default for Needs {
    fn default() -> Self {
        Needs {
            size_bytes: None,
            is_entire: false,
            start: 0,
            block_bytes: 4096,
            reads: true,
            reads_back: false,
            modifies: false,
            shared: true,
            paths: Vec::new(),
            own_files: 0,
            file_set: None,
            content: String::new(),
            written: Vec::new(),
            verify: false,
            fill_before_writes: true,
            keep: false,
            fresh: false,
            unfilled: false,
            preallocate: false,
            until_full: false,
            reuse: false,
            extend: false,
            verify_existing: false,
        }
    }
}

impl Needs {
    /// `len`, when it holds at least a block.
    ///
    /// # Errors
    /// It does not; `name` is what has no more room.
    pub(super) fn at_least_a_block(&self, len: u64, name: &str) -> Result<u64, SiteError> {
        if len >= self.block_bytes && len > 0 {
            return Ok(len);
        }
        Err(unsuitable(format!(
            "{name} has {len} bytes at offset {}, less than one block of {}: use a larger --size, a smaller --block, or another target",
            self.start, self.block_bytes
        )))
    }

    /// Bytes wanted of an existing target that has `rest` bytes from the start on.
    pub(super) fn needed_bytes(&self, rest: u64) -> u64 {
        match self.size_bytes {
            Some(requested) if self.is_entire => requested.max(rest),
            Some(requested) => requested,
            None => rest,
        }
    }

    /// True when a file that plumb has made must be filled before the first operation.
    pub(super) fn is_to_be_filled(&self) -> bool {
        !self.leaves_unfilled() && (self.reads || self.verify || self.fill_before_writes)
    }

    /// True when steps fill what they need, not the claim.
    pub(super) fn leaves_unfilled(&self) -> bool {
        self.fresh || self.unfilled || self.until_full
    }

    /// The union of what workloads on one target need. `seed` is the seed that the content of verified blocks is made from.
    pub fn of<'a>(workloads: impl IntoIterator<Item = &'a Workload>, seed: u64) -> Needs {
        let mut needs = Needs {
            reads: false,
            shared: false,
            is_entire: false,
            start: u64::MAX,
            block_bytes: 1,
            ..Needs::default()
        };
        let mut end = None;
        for workload in workloads {
            needs.block_bytes = needs.block_bytes.max(workload.largest_block_bytes());
            needs.verify |= workload.verify;
            needs.keep |= workload.keep;
            if needs.content.is_empty() || workload.modifies() {
                needs.content = content_line(workload, seed);
            }
            needs.add_files(workload);
            if workload
                .mix
                .0
                .iter()
                .all(|(kind, _)| kind.is_file_operation())
            {
                continue;
            }
            needs.add_blocks(workload);
            needs.start = needs.start.min(workload.start.0);
            needs.is_entire |= workload.size.is_none();
            end = end.max(
                workload
                    .size
                    .map(|size| workload.start.0.saturating_add(size.0)),
            );
        }
        needs.start = if needs.start == u64::MAX {
            0
        } else {
            needs.start
        };
        needs.size_bytes = end.map(|end: u64| end - needs.start);
        needs
    }

    fn add_files(&mut self, workload: &Workload) {
        if workload.has_file_operations() {
            let before = self.file_set.unwrap_or(FileSetNeeds {
                files: 0,
                bytes_each: 0,
            });
            self.file_set = Some(FileSetNeeds {
                files: before.files.max(workload.files),
                bytes_each: before.bytes_each.max(expected_bytes(workload)),
            });
        }
    }

    /// How a workload comes to the blocks.
    pub fn take_access(&mut self, workload: &Workload) {
        self.reads |= workload.reads_blocks() && !workload.written_only;
        self.reads_back |= workload.written_only;
        self.modifies |= workload.modifies_blocks();
    }

    /// Which files a workload wants, and whether it empties them.
    pub fn take_files(&mut self, workload: &Workload) {
        self.fresh |= workload.fresh;
        self.unfilled |= workload.unfilled;
        self.preallocate |= workload.preallocate;
        self.until_full |= workload.until_full;
        self.reuse |= workload.reuse;
        self.extend |= workload.extend;
        self.verify_existing |= workload.verify_existing;
        if let Some(paths) = &workload.paths {
            self.paths = paths.0.clone();
        }
    }

    fn add_blocks(&mut self, workload: &Workload) {
        self.take_access(workload);
        self.take_files(workload);
        match workload.layout {
            Layout::Own => self.own_files = self.own_files.max(workload.all_workers()),
            Layout::Shared | Layout::Stream => self.shared = true,
        }
    }
}

/// Longer content is named by its checksum.
const CONTENT_MAX_BYTES: usize = 1100;

/// The content of a workload in one line. Incompressible content of any seed is as good as another, unless it is verified.
fn content_line(workload: &Workload, seed: u64) -> String {
    let content = content_name(workload.content.to_string());
    let mut line = format!(
        "{content} compress={} dedupe={}",
        workload.compress_percent, workload.dedupe_percent
    );
    if workload.verify {
        line += &format!(" verify seed={seed} blocks={}", workload.block);
    }
    if let Some(marks) = &workload.verify_as {
        line += &format!(" as {}", content_name(marks.to_string()));
    }
    line
}

/// What a file holds, as its mark names it: that has no room for a long pattern, of which its length and checksum stand there.
pub fn content_name(text: String) -> String {
    if text.len() <= CONTENT_MAX_BYTES {
        return text;
    }
    format!(
        "pattern of {} bytes, CRC-32 {:08x}",
        text.len(),
        crc32fast::hash(text.as_bytes())
    )
}

/// The part of a site that one step uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub layout: Layout,
    pub workers: u32,
    /// Bytes over all workers; `None`: everything from `start` to the end of the claim.
    pub size_bytes: Option<u64>,
    /// First byte, in the shared file or device.
    pub start: u64,
    /// Largest block of the step, in bytes.
    pub block_bytes: u64,
}

impl Part {
    /// The part that a workload uses.
    pub fn of(workload: &Workload) -> Part {
        Part {
            layout: workload.layout,
            workers: workload.all_workers(),
            size_bytes: workload.size.map(|size| size.0),
            start: workload.start.0,
            block_bytes: workload.largest_block_bytes(),
        }
    }
}

/// Bytes that a file of the set takes: of sizes that are drawn uniformly the mean, half a block of the file system, and three standard deviations of that mean,
/// which for many files is little.
fn expected_bytes(workload: &Workload) -> u64 {
    let (from, to) = (
        workload.smallest_file_bytes(),
        workload.largest_file_bytes(),
    );
    if from >= to {
        return to;
    }
    // A uniform distribution has a standard deviation of its width divided by the root of 12.
    let deviation = (to - from) as f64 / 12f64.sqrt() / (workload.files.max(1) as f64).sqrt();
    let expected = workload.mean_file_bytes() as f64 + 3.0 * deviation;
    (expected.ceil() as u64 + HALF_BLOCK_BYTES).min(to)
}

#[cfg(test)]
mod tests {
    use plumb_model::units::Bytes;
    use plumb_model::workload::{OperationKind, Weighted};

    use super::*;

    fn workload(kind: OperationKind, size: Option<u64>, start: u64) -> Workload {
        Workload {
            mix: Weighted::only(kind),
            size: size.map(Bytes),
            start: Bytes(start),
            ..Workload::default()
        }
    }

    #[test]
    fn needs_are_the_union() {
        let read = workload(OperationKind::Read, Some(1 << 20), 1 << 20);
        let write = Workload {
            layout: Layout::Own,
            workers: 4,
            block: Weighted::only(Bytes(65_536)),
            ..workload(OperationKind::Write, Some(1 << 20), 4 << 20)
        };
        let needs = Needs::of([&read, &write], 7);
        assert_eq!(
            (needs.start, needs.size_bytes, needs.is_entire),
            (1 << 20, Some(4 << 20), false)
        );
        assert!(
            needs.reads
                && needs.modifies
                && needs.shared
                && needs.own_files == 4
                && needs.block_bytes == 65_536
        );
        assert!(Needs::of([&read, &workload(OperationKind::Read, None, 0)], 7).is_entire);
    }

    #[test]
    fn flushes_modify_nothing_and_file_operations_use_no_blocks() {
        let needs = Needs::of([&workload(OperationKind::Flush, None, 0)], 7);
        assert!(!needs.modifies && !needs.reads && needs.shared && needs.file_set.is_none());
        let needs = Needs::of(
            [&Workload {
                files: 50,
                ..workload(OperationKind::Create, None, 0)
            }],
            7,
        );
        assert!(!needs.shared && needs.own_files == 0 && !needs.modifies);
        assert_eq!(
            needs.file_set,
            Some(FileSetNeeds {
                files: 50,
                bytes_each: 4096
            })
        );
    }

    /// `bonnie++ -n 100:16384:0:20`: 102,400 files of 8 KiB on average, not of 16.
    #[test]
    fn files_of_drawn_sizes_take_what_is_to_be_expected() {
        let bytes = |files: u64, sizes: &str| {
            let workload = Workload {
                files,
                file_size: Some(sizes.parse().expect("sizes")),
                ..workload(OperationKind::Create, None, 0)
            };
            Needs::of([&workload], 7)
                .file_set
                .expect("files")
                .bytes_each
        };
        let expected = bytes(102_400, "0-16384");
        assert!(
            (8192 + 2048..8192 + 2048 + 64).contains(&expected),
            "{expected}"
        );
        assert_eq!(bytes(1, "0-16384"), 16_384, "one file may be the largest");
        assert_eq!(bytes(1000, "16k"), 16_384);
        assert_eq!(bytes(1000, "0"), 0);
    }

    #[test]
    fn only_verified_content_depends_on_the_seed() {
        let plain = workload(OperationKind::Write, None, 0);
        assert_eq!(
            Needs::of([&plain], 1).content,
            Needs::of([&plain], 2).content
        );
        let verified = Workload {
            verify: true,
            ..plain
        };
        assert_ne!(
            Needs::of([&verified], 1).content,
            Needs::of([&verified], 2).content
        );
    }
}
