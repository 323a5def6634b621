//! How is a run recorded while it goes on? Append-only, one write(2) per interval, so that a killed run keeps all but its last interval.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plumb_model::run::metric::Reading;
use plumb_model::run::tick::Tick;
use plumb_model::run::{Note, RunHeader};
use serde::Serialize;

use crate::folder::{HEADER, NOTES, READINGS, REPLAYED, ReadingsLine, RecordError, TICKS, Value};
use crate::result_file::sync_folder;
use crate::tick_line;

/// Every header begins so; a part of one begins with a part of it.
const HEADER_BEGINNING: &[u8] = b"{\n  \"format\": ";

/// Records one run into its folder.
#[derive(Debug)]
pub struct RunWriter {
    folder: PathBuf,
    ticks: TickWriter,
    readings: Lines,
    notes: Lines,
    /// Metric and instance of each column of the samples being written, and the number of this list.
    columns: Vec<(Cow<'static, str>, String)>,
    columns_number: u32,
}

impl RunWriter {
    /// Makes the folder (with its parents) and writes the header durably. Errors: the folder exists and is not empty, or cannot be made.
    pub fn create(folder: &Path, header: &RunHeader) -> Result<RunWriter, RecordError> {
        claim(folder)?;
        write_header(folder, header)?;
        let mut made = vec![folder.join(HEADER)];
        let lines = [TICKS, READINGS, NOTES].map(|name| Lines::create(folder.join(name)));
        made.extend(lines.iter().flatten().map(|lines| lines.path.clone()));
        let (ticks, readings, notes) = match lines {
            [Ok(ticks), Ok(readings), Ok(notes)] => (ticks, readings, notes),
            lines => {
                // Nothing was measured: what is here of the record would only be in the way of the next try.
                made.iter().for_each(|path| drop(fs::remove_file(path)));
                return Err(lines.into_iter().find_map(Result::err).unwrap_or(
                    RecordError::NotEmpty {
                        folder: folder.to_path_buf(),
                    },
                ));
            }
        };
        let ticks = TickWriter(Arc::new(Mutex::new(ticks)));
        sync_folder(folder);
        Ok(RunWriter {
            folder: folder.to_path_buf(),
            ticks,
            readings,
            notes,
            columns: Vec::new(),
            columns_number: 0,
        })
    }

    /// The folder that is written to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Appends one interval of one job.
    pub fn tick(&mut self, tick: &Tick) -> Result<(), RecordError> {
        self.ticks.tick(tick)
    }

    /// What appends intervals, for a thread of its own.
    pub fn tick_writer(&self) -> TickWriter {
        self.ticks.clone()
    }

    /// Appends one sample or several: readings in a row that have the same time are one sample.
    pub fn readings(&mut self, readings: &[Reading]) -> Result<(), RecordError> {
        for sample in readings.chunk_by(|a, b| a.time_ns == b.time_ns) {
            let same = self
                .columns
                .iter()
                .map(|(metric, instance)| (metric.as_ref(), instance.as_str()));
            if !same.eq(sample
                .iter()
                .map(|reading| (reading.metric.as_ref(), reading.instance.as_str())))
            {
                self.columns = sample
                    .iter()
                    .map(|reading| (reading.metric.clone(), reading.instance.clone()))
                    .collect();
                self.columns_number += 1;
                let of = sample
                    .iter()
                    .map(|r| {
                        (
                            Cow::Borrowed(r.metric.as_ref()),
                            Cow::Borrowed(r.instance.as_str()),
                        )
                    })
                    .collect();
                self.readings.add(&ReadingsLine::Columns {
                    columns: self.columns_number,
                    of,
                })?;
            }
            let values = sample
                .iter()
                .map(|reading| {
                    reading
                        .value
                        .filter(|value| value.is_finite())
                        .map(Value::from)
                })
                .collect();
            self.readings.add(&ReadingsLine::Sample {
                time_ns: sample[0].time_ns,
                columns: self.columns_number,
                values,
            })?;
        }
        self.readings.flush()
    }

    /// Appends one event.
    pub fn note(&mut self, note: &Note) -> Result<(), RecordError> {
        self.notes.add(note)?;
        self.notes.flush()
    }

    /// Brings everything to stable storage. Dropping the writer instead loses nothing that the kernel has, only its durability.
    pub fn finish(self) -> Result<(), RecordError> {
        for lines in [&*self.ticks.lines(), &self.readings, &self.notes] {
            lines.file.sync_all().map_err(|error| RecordError::Write {
                path: lines.path.clone(),
                error,
            })?;
        }
        sync_folder(&self.folder);
        Ok(())
    }
}

/// Appends the intervals of a run. Nothing is held back: once [`TickWriter::tick`] has returned, the kernel has the interval, whatever becomes of
/// the process.
#[derive(Debug, Clone)]
pub struct TickWriter(Arc<Mutex<Lines>>);

impl TickWriter {
    /// Appends one interval of one job by one write(2).
    pub fn tick(&self, tick: &Tick) -> Result<(), RecordError> {
        let mut lines = self.lines();
        lines.add(&tick_line::line(tick))?;
        lines.flush()
    }

    /// A thread that panicked in between left whole lines and, at most, some bytes to be written.
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes sure that the folder exists and is empty. A header that was never finished is removed when the process that began it has ended: nothing was
/// measured there. `true`: there was one.
pub fn claim(folder: &Path) -> Result<bool, RecordError> {
    let create = |error| RecordError::Create {
        path: folder.to_path_buf(),
        error,
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return fs::create_dir_all(folder).map(|()| false).map_err(create);
        }
        // Windows calls that an invalid name.
        Err(_) if folder.is_file() => {
            return Err(RecordError::NotAFolder {
                folder: folder.to_path_buf(),
            });
        }
        Err(error) => return Err(create(error)),
    };
    let builder = draft_of(folder);
    // What a replay is made of is there before it.
    let is_replayed = |entry: &io::Result<fs::DirEntry>| {
        entry
            .as_ref()
            .is_ok_and(|entry| entry.file_name() == REPLAYED)
    };
    let names: Vec<_> = entries
        .filter(|entry| !is_replayed(entry))
        .take(2)
        .collect::<io::Result<Vec<_>>>()
        .map_err(create)?;
    match names.as_slice() {
        [] => Ok(false),
        [only] if only.path() == builder && is_abandoned(&builder) => {
            fs::remove_file(&builder).map(|()| true).map_err(create)
        }
        _ => Err(RecordError::NotEmpty {
            folder: folder.to_path_buf(),
        }),
    }
}

/// The header's name until it is whole.
pub(crate) fn draft_of(folder: &Path) -> PathBuf {
    folder.join(format!("{HEADER}.part"))
}

/// True for the beginning of a header that no process is writing: whoever writes one holds its lock, which ends with the process.
fn is_abandoned(builder: &Path) -> bool {
    if !fs::symlink_metadata(builder).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let Ok(mut file) = OpenOptions::new().read(true).write(true).open(builder) else {
        return false;
    };
    let mut head = [0; HEADER_BEGINNING.len()];
    let Ok(len) = file.read(&mut head) else {
        return false;
    };
    file.try_lock().is_ok() && HEADER_BEGINNING.starts_with(&head[..len])
}

/// Writes the header under another name and renames it, so that a header that can be seen is whole. When it fails, nothing of it is left.
fn write_header(folder: &Path, header: &RunHeader) -> Result<(), RecordError> {
    let path = folder.join(HEADER);
    let text = serde_json::to_vec_pretty(header).map_err(|error| RecordError::Encode {
        path: path.clone(),
        error,
    })?;
    let builder = draft_of(folder);
    let mut is_ours = false;
    let written = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&builder)?;
        is_ours = true;
        // Without locks (some network file systems) an unfinished header looks like one that nobody writes, for the moment that this takes.
        let _ = file.try_lock();
        file.write_all(&text)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(&builder, &path)
    })();
    if written.is_err() && is_ours {
        let _ = fs::remove_file(&builder);
    }
    written.map_err(|error| RecordError::Header { path, error })
}

/// A file that grows by whole lines.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: File,
    /// Lines not yet handed to the kernel; kept for its memory.
    pending: Vec<u8>,
    /// Length of what the kernel has whole.
    kept_bytes: u64,
}

impl Lines {
    fn create(path: PathBuf) -> Result<Lines, RecordError> {
        match OpenOptions::new().append(true).create_new(true).open(&path) {
            Ok(file) => Ok(Lines {
                path,
                file,
                pending: Vec::new(),
                kept_bytes: 0,
            }),
            Err(error) => Err(RecordError::Create { path, error }),
        }
    }

    fn add(&mut self, value: &impl Serialize) -> Result<(), RecordError> {
        let start = self.pending.len();
        match serde_json::to_writer(&mut self.pending, value) {
            Ok(()) => {
                self.pending.push(b'\n');
                Ok(())
            }
            Err(error) => {
                self.pending.truncate(start);
                Err(RecordError::Encode {
                    path: self.path.clone(),
                    error,
                })
            }
        }
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        let result = self.file.write_all(&self.pending);
        match result {
            Ok(()) => self.kept_bytes += self.pending.len() as u64,
            // A full disk may have taken half a line. Cutting it off frees its space and leaves whole lines; if even that fails, the
            // reader drops the half line.
            Err(_) => drop(self.file.set_len(self.kept_bytes)),
        }
        self.pending.clear();
        result.map_err(|error| RecordError::Write {
            path: self.path.clone(),
            error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_names_the_folder_and_what_is_kept() {
        let full = Path::new("/dev/full");
        let Ok(file) = OpenOptions::new().append(true).open(full) else {
            eprintln!("SKIPPED: this system has no /dev/full");
            return;
        };
        let path = PathBuf::from("some.plumb/ticks.jsonl");
        let mut lines = Lines {
            path,
            file,
            pending: Vec::new(),
            kept_bytes: 0,
        };
        lines.add(&17).expect("a number has a JSON form");
        let message = lines.flush().expect_err("the disk is full").to_string();
        assert!(
            message.contains("some.plumb/ticks.jsonl") && message.contains("is kept in some.plumb"),
            "{message}"
        );
        assert!(lines.pending.is_empty());
    }
}
