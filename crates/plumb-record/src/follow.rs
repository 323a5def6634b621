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
/// Intervals that may wait for the beginning of their execution.
const EARLY_MAX: usize = 10_000;
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
    /// cannot be read are left out; [`crate::read_run`] names them. However long the record is, little of it is in memory at a time.
    ///
    /// Errors: a file cannot be read.
    pub fn read(&mut self, mut take: impl FnMut(Added)) -> Result<(), RecordError> {
        // Notes first: of what had ended by then, every interval is in the other file already.
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
            // Of a damaged record alone so many have no beginning.
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

    /// The intervals of executions that have begun, each after the notes that come before it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunWriter;
    use crate::tests::synthetic::{Builder, Interval, ladder};
    use std::io::Write;

    /// What is read now: `+0` for the beginning of an execution, `-0` for its end, `0` for an interval of it.
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
    fn what_is_added_comes_in_its_order_and_once() {
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
        // Intervals whose beginning is not there yet wait for it.
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
        // Half a line is read when it is whole.
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
        // A record that is read when it is whole comes in the same order.
        let (_, mut late) = Follower::open(&folder).expect("a header");
        assert_eq!(read(&mut late), "+0 0 0 0 -0 +1 1 1 1 -1");
    }
}
