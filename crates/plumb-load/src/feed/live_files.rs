//! Which small files exist at this moment? Moving ranges of numbers, one for each worker, that operations create, look at, rename and delete.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use plumb_model::workload::{OperationKind, Workload};

use crate::site::{FileSet, FileShape, Preparing, SiteError, SmallFiles};

/// Files of all workers, those of other ranks that share them among them, kept over the steps of a run. Each worker has a lane of its own: two workers never work on one file, so that none is
/// deleted or renamed under another's hands. File `index` of lane `lane` has the number `index * lanes + lane`.
#[derive(Debug)]
pub struct LiveFiles {
    set: FileSet,
    lanes: Vec<Lane>,
}

/// The files of one worker: indices `oldest..next` exist. Creating takes the next index, deleting the oldest one, renaming turns the oldest into
/// the next. Written by its worker alone, so on a cache line of its own; processors fetch two lines at once.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Lane {
    oldest: AtomicU64,
    next: AtomicU64,
}

impl Lane {
    fn range(&self) -> (u64, u64) {
        (
            self.oldest.load(Ordering::Relaxed),
            self.next.load(Ordering::Relaxed),
        )
    }
}

impl LiveFiles {
    /// A set in which no file exists yet.
    pub fn new(set: FileSet) -> LiveFiles {
        LiveFiles {
            set,
            lanes: Vec::new(),
        }
    }

    /// Brings the set into the state that a workload begins with, outside of any measurement: empty when it only creates,
    /// else with `files` files. Returns the number of files made.
    ///
    /// # Errors
    /// As [`FileSet::reset`]: a full disk, a folder that cannot be written.
    pub fn prepare(
        &mut self,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<u64, SiteError> {
        let only_creates = workload
            .mix
            .0
            .iter()
            .all(|(kind, _)| *kind == OperationKind::Create);
        let files_needed = if only_creates { 0 } else { workload.files };
        let shape = FileShape::of(workload);
        let is_there = files_needed > 0 && self.set.shape().fits(&shape);
        let there = match is_there {
            true if workload.rank_position.together.is_some() => {
                self.holds(files_needed, workload).then_some(files_needed)
            }
            true => self.contiguous().filter(|files| *files >= files_needed),
            false => None,
        };
        if let Some(files) = there {
            self.deal(files, workload.all_workers());
            return Ok(0);
        }
        if !workload.makes_files() {
            self.set.adopt(shape);
            self.deal(files_needed, workload.all_workers());
            return Ok(0);
        }
        self.set.expect(SmallFiles::prepared(
            workload,
            workload.seed.unwrap_or_default(),
        ));
        self.set.reset(files_needed, shape, preparing)?;
        self.deal(files_needed, workload.all_workers());
        Ok(files_needed)
    }

    /// Number of files, when they are exactly those from 0 on: then they can be redistributed to any number of workers.
    fn contiguous(&self) -> Option<u64> {
        let lanes = self.lanes.len() as u64;
        let files: u64 = self.lanes.iter().map(|lane| lane.range().1).sum();
        let even = self.lanes.iter().enumerate().all(|(lane, range)| {
            let share = files / lanes + u64::from((lane as u64) < files % lanes);
            range.range() == (0, share)
        });
        (lanes > 0 && even).then_some(files)
    }

    /// True when the workers of this process, some of those of many ranks, have what falls to them of files 0 to `files_needed`. Of the files of other ranks
    /// nothing is known here: they have theirs when they ended the same steps.
    fn holds(&self, files_needed: u64, workload: &Workload) -> bool {
        let lanes = u64::from(workload.all_workers());
        let share = |lane: u64| files_needed / lanes + u64::from(lane < files_needed % lanes);
        self.lanes.len() as u64 == lanes
            && (0..workload.workers).all(|worker| {
                let number = workload.number_of(worker);
                let (oldest, next) = self.lane(number).range();
                oldest == 0 && next >= share(u64::from(number))
            })
    }

    /// Deals files 0 to `files` to `workers` lanes.
    fn deal(&mut self, files: u64, workers: u32) {
        let workers = u64::from(workers.max(1));
        let share = |lane: u64| files / workers + u64::from(lane < files % workers);
        self.lanes = (0..workers)
            .map(|lane| Lane {
                oldest: AtomicU64::new(0),
                next: AtomicU64::new(share(lane)),
            })
            .collect();
    }

    /// Path of file `number`.
    pub fn path(&self, number: u64) -> PathBuf {
        self.set.path(number)
    }

    /// The set of the files.
    pub fn set(&self) -> &FileSet {
        &self.set
    }

    /// Size of file `number` when it is made, in bytes.
    pub fn bytes(&self, number: u64) -> u64 {
        self.set.shape().bytes(number)
    }

    /// Folders in which files may lie: those below this number.
    pub fn folders(&self) -> u64 {
        let indices = self
            .lanes
            .iter()
            .map(|lane| lane.range().1)
            .max()
            .unwrap_or(0);
        self.set.shape().folders(indices * self.lanes.len() as u64)
    }

    /// True when the file belongs to the worker.
    pub fn is_of(&self, worker: u32, number: u64) -> bool {
        number % self.lanes.len() as u64 == u64::from(worker) % self.lanes.len() as u64
    }

    /// Numbers of all of the worker's files, from the oldest on.
    pub fn all(&self, worker: u32) -> Vec<u64> {
        (0..self.count(worker))
            .map(|index| self.number(worker, index))
            .collect()
    }

    /// The worker deletes its files in an order of its own: which of them are left is no longer known, and the set is recreated before the next step.
    pub fn give_up(&self, worker: u32) {
        let lane = self.lane(worker);
        lane.oldest
            .store(lane.next.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Files of one worker that exist.
    pub fn count(&self, worker: u32) -> u64 {
        let (oldest, next) = self.lane(worker).range();
        next - oldest
    }

    /// Number of the worker's file at `index` after its oldest.
    pub fn number(&self, worker: u32, index: u64) -> u64 {
        (self.lane(worker).range().0 + index) * self.lanes.len() as u64 + u64::from(worker)
    }

    /// A new number, for a file to be created by this worker.
    pub fn take_next(&self, worker: u32) -> u64 {
        self.lane(worker).next.fetch_add(1, Ordering::Relaxed) * self.lanes.len() as u64
            + u64::from(worker)
    }

    /// The worker's oldest file, to be deleted or renamed; `None` when it has none.
    pub fn take_oldest(&self, worker: u32) -> Option<u64> {
        let lane = self.lane(worker);
        let (oldest, next) = lane.range();
        let number = self.number(worker, 0);
        (oldest < next).then(|| {
            lane.oldest.store(oldest + 1, Ordering::Relaxed);
            number
        })
    }

    fn lane(&self, worker: u32) -> &Lane {
        &self.lanes[worker as usize % self.lanes.len()]
    }
}
