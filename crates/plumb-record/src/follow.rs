//! What was added to a record since the last look? Complete lines only: a line is read once its end is written.

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
/// Intervals that may wait for the start of their execution.
const EARLY_MAX: usize = 10_000;
/// Longest valid line.
const LONGEST_LINE_BYTES: usize = 64 << 20;

/// Next item of a record.
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
    /// Intervals of executions whose start has not been read yet.
    early: VecDeque<Tick>,
    /// The last execution whose start was read.
    execution: Option<u32>,
}

impl Follower {
    /// Starts at the beginning. Errors: as for [`crate::read_run`], of the header.
    pub fn open(folder: &Path) -> Result<(RunHeader, Follower), RecordError> {
        let follower = Follower {
            notes: Tail::new(folder.join(NOTES)),
            ticks: Tail::new(folder.join(TICKS)),
            early: VecDeque::new(),
            execution: None,
        };
        Ok((read_header(folder)?, follower))
    }

    /// Passes on what was added, in order: an interval comes between the start and the end of its execution. Unreadable lines are skipped;
    /// [`crate::read_run`] names them. Memory use stays small whatever the length of the record.
    ///
    /// Errors: a file cannot be read.
    pub fn read(&mut self, mut take: impl FnMut(Added)) -> Result<(), RecordError> {
        // Read notes first: every interval of an execution that has ended by then is already in the other file.
        let mut notes: VecDeque<Note> = VecDeque::new();
        while self
            .notes
            .lines(|line| notes.extend(serde_json::from_slice::<Note>(line).ok()))?
        {}
        loop {
            let early = &mut self.early;
            let more = self
                .ticks
                .lines(|line| early.extend(tick_line::parse(line).ok()))?;
            self.hand_over(&mut notes, &mut take);
            // Only a damaged record has so many without a start.
            if self.early.len() > EARLY_MAX {
                self.early.clear();
            }
            if !more {
                break;
            }
        }
        while let Some(note) = notes.pop_front() {
            self.note(note, &mut take);
            self.hand_over(&mut notes, &mut take);
        }
        Ok(())
    }

    /// The intervals of executions that have started, each after the notes that precede it.
    fn hand_over(&mut self, notes: &mut VecDeque<Note>, take: &mut impl FnMut(Added)) {
        while let Some(tick) = self.early.pop_front() {
            while Some(tick.execution) > self.execution
                && let Some(note) = notes.pop_front()
            {
                self.note(note, take);
            }
            if Some(tick.execution) > self.execution {
                self.early.push_front(tick);
                return;
            }
            take(Added::Tick(tick));
        }
    }

    fn note(&mut self, note: Note, take: &mut impl FnMut(Added)) {
        if let Event::ExecutionStarted { execution, .. } = note.event {
            self.execution = Some(execution);
        }
        take(Added::Note(note));
    }
}

/// The end of a growing file.
#[derive(Debug)]
struct Tail {
    path: PathBuf,
    /// Bytes read so far.
    at: u64,
    /// The start of a line that is still incomplete.
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

    /// Passes on complete lines. Returns whether there is more. A missing file counts as empty; a file that is not a regular file is not opened, because it
    /// may block forever.
    fn lines(&mut self, mut take: impl FnMut(&[u8])) -> Result<bool, RecordError> {
        let failed = |error| RecordError::Read {
            path: self.path.clone(),
            error,
        };
        match fs::symlink_metadata(&self.path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(failed(io::Error::other("not a regular file"))),
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
        let complete_bytes = self
            .rest
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        self.rest[..complete_bytes]
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .for_each(&mut take);
        self.rest.drain(..complete_bytes);
        if self.rest.len() > LONGEST_LINE_BYTES {
            self.rest.clear();
        }
        Ok(read == READ_MAX_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunWriter;
    use crate::tests::synthetic::{Builder, Interval, ladder};
    use std::io::Write;

    /// Items read: `+0` for the start of an execution, `-0` for its end, `0` for an interval of it.
    fn read(follower: &mut Follower) -> String {
        let mut seen = Vec::new();
        let take = |added| match added {
            Added::Tick(tick) => seen.push(tick.execution.to_string()),
            Added::Note(note) => seen.extend(match note.event {
                Event::ExecutionStarted { execution, .. } => Some(format!("+{execution}")),
                Event::ExecutionEnded { execution, .. } => Some(format!("-{execution}")),
                _ => None,
            }),
        };
        follower.read(take).expect("read");
        seen.join(" ")
    }

    #[test]
    fn items_come_in_order_and_once() {
        let mut builder = Builder::new(ladder("read", &[1, 2]));
        let intervals = vec![Interval::default(); 3];
        builder.execute(0, 0, &intervals);
        builder.execute(1, 0, &intervals);
        let run = builder.run;
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("run");
        let mut writer = RunWriter::create(&folder, &run.header).expect("new");
        let (header, mut follower) = Follower::open(&folder).expect("a header");
        assert_eq!(
            (header.id, read(&mut follower)),
            (run.header.id, String::new())
        );
        // Intervals wait until the start of their execution is read.
        run.ticks[..2]
            .iter()
            .for_each(|tick| writer.tick(tick).expect("space"));
        assert_eq!(read(&mut follower), "");
        let notes = run.notes.iter().filter(|note| {
            matches!(
                note.event,
                Event::ExecutionStarted { .. } | Event::ExecutionEnded { .. }
            )
        });
        let notes: Vec<&Note> = notes.collect();
        writer.note(notes[0]).expect("space");
        assert_eq!(read(&mut follower), "+0 0 0");
        // An incomplete line is read once it is complete.
        let ticks = folder.join(TICKS);
        let append = |text: &[u8]| {
            let file = std::fs::OpenOptions::new().append(true).open(&ticks);
            file.and_then(|mut file| file.write_all(text))
                .expect("written");
        };
        let line = serde_json::to_vec(&tick_line::line(&run.ticks[2])).expect("JSON");
        append(&line[..20]);
        assert_eq!(read(&mut follower), "");
        append(&line[20..]);
        append(b"\nnonsense\n");
        run.ticks[3..]
            .iter()
            .for_each(|tick| writer.tick(tick).expect("space"));
        notes[1..]
            .iter()
            .for_each(|note| writer.note(note).expect("space"));
        assert_eq!(read(&mut follower), "0 -0 +1 1 1 1 -1");
        assert_eq!(read(&mut follower), "");
        // A finished record gives the same order.
        let (_, mut late) = Follower::open(&folder).expect("a header");
        assert_eq!(read(&mut late), "+0 0 0 0 -0 +1 1 1 1 -1");
    }
}
