//! What was added to a record since it was last looked at? Whole lines only: one that is being written is read when it is whole.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use plumb_model::run::tick::Tick;
use plumb_model::run::{Event, Note, RunHeader};

use crate::folder::{NOTES, RecordError, TICKS};
use crate::reader::read_header;
use crate::tick_line;

/// Bytes of one file that are read at once.
const READ_MAX_BYTES: u64 = 4 << 20;
/// Longest line that is taken for one.
const LONGEST_LINE_BYTES: usize = 64 << 20;

/// What a record tells next.
#[derive(Debug, Clone, PartialEq)]
pub enum Added {
    Note(Note),
    Tick(Tick),
}

/// A record that may still be written to.
#[derive(Debug)]
pub struct Follower {
    notes: Tail,
    ticks: Tail,
    /// Intervals of executions whose beginning was not read yet.
    early: VecDeque<Tick>,
    /// The last execution whose beginning was read.
    execution: Option<u32>,
}

impl Follower {
    /// Begins at the beginning. Errors: as for [`crate::read_run`], of the header.
    pub fn open(folder: &Path) -> Result<(RunHeader, Follower), RecordError> {
        let follower = Follower {
            notes: Tail::new(folder.join(NOTES)),
            ticks: Tail::new(folder.join(TICKS)),
            early: VecDeque::new(),
            execution: None,
        };
        Ok((read_header(folder)?, follower))
    }

    /// Hands over what was added, in the order in which it happened: an interval stands between the beginning and the end of its execution. Lines that
    /// cannot be read are left out; [`crate::read_run`] names them. Returns whether there is more to read at once.
    ///
    /// Errors: a file cannot be read.
    pub fn read(&mut self, mut take: impl FnMut(Added)) -> Result<bool, RecordError> {
        // Notes first: of what ended by now, every interval is in the other file already.
        let mut notes: Vec<Note> = Vec::new();
        let more_notes = self
            .notes
            .lines(|line| notes.extend(serde_json::from_slice::<Note>(line).ok()))?;
        let mut more_ticks = true;
        // All of them, so that none of an execution that has ended comes after its end.
        while more_ticks {
            let early = &mut self.early;
            more_ticks = self
                .ticks
                .lines(|line| early.extend(tick_line::parse(line).ok()))?;
        }
        for note in notes {
            match note.event {
                Event::ExecutionStarted { execution, .. } => {
                    self.hand_over(&mut take);
                    self.execution = Some(execution);
                }
                Event::ExecutionEnded { .. } | Event::ExecutionFailed { .. } => {
                    self.hand_over(&mut take)
                }
                _ => {}
            }
            take(Added::Note(note));
        }
        self.hand_over(&mut take);
        Ok(more_notes)
    }

    /// The intervals of executions that have begun.
    fn hand_over(&mut self, take: &mut impl FnMut(Added)) {
        while let Some(tick) = self
            .early
            .pop_front_if(|tick| Some(tick.execution) <= self.execution)
        {
            take(Added::Tick(tick));
        }
    }
}

/// The end of a file that grows.
#[derive(Debug)]
struct Tail {
    path: PathBuf,
    /// Bytes of it that were read.
    at: u64,
    /// The beginning of a line whose end is still to come.
    rest: Vec<u8>,
}

impl Tail {
    fn new(path: PathBuf) -> Tail {
        Tail {
            path,
            at: 0,
            rest: Vec::new(),
        }
    }

    /// Hands over whole lines. Returns whether there is more. A file that is not there yet is empty; what is no regular file is not opened, for it may
    /// never answer.
    fn lines(&mut self, mut take: impl FnMut(&[u8])) -> Result<bool, RecordError> {
        let failed = |error| RecordError::Read {
            path: self.path.clone(),
            error,
        };
        match fs::symlink_metadata(&self.path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(failed(io::Error::other("is no regular file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed(error)),
        }
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.at)).map_err(failed)?;
        let read = file
            .take(READ_MAX_BYTES)
            .read_to_end(&mut self.rest)
            .map_err(failed)? as u64;
        self.at += read;
        let whole = self
            .rest
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        self.rest[..whole]
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .for_each(&mut take);
        self.rest.drain(..whole);
        if self.rest.len() > LONGEST_LINE_BYTES {
            self.rest.clear();
        }
        Ok(read == READ_MAX_BYTES)
    }
}
