//! How is a run recorded while it is in progress? Append-only, one write(2) per interval, so that a killed run keeps all but its last interval.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plumb_model::run::metric::Reading;
use plumb_model::run::tick::Tick;
use plumb_model::run::{Note, Run, RunHeader};
use serde::Serialize;

use crate::folder::{HEADER, NOTES, READINGS, REPLAYED, ReadingsLine, RecordError, TICKS, Value};
use crate::operations::OperationWriter;
use crate::result_file::sync_folder;
use crate::tick_line;

/// Ticks or notes of a complete run that are written at once.
const AT_ONCE: usize = 256;
/// Every header begins like this; a partial one begins with a prefix of it.
const HEADER_BEGINNING: &[u8] = b"{\n  \"format\": ";

/// Records one run in its folder.
#[derive(Debug)]
pub struct RunWriter {
    folder: PathBuf,
    ticks: TickWriter,
    readings: Lines,
    notes: Lines,
    /// Metric and instance of each column of the current samples, and the number of this list.
    columns: Vec<(Cow<'static, str>, String)>,
    columns_number: u32,
}

impl RunWriter {
    /// Creates the folder (with its parents) and writes the header durably. Errors: the folder exists and is not empty, or cannot be created.
    pub fn create(folder: &Path, header: &RunHeader) -> Result<RunWriter, RecordError> {
        claim(folder)?;
        write_header(folder, header)?;
        let mut made = vec![folder.join(HEADER)];
        let lines = [TICKS, READINGS, NOTES].map(|name| Lines::create(folder.join(name)));
        made.extend(lines.iter().flatten().map(|lines| lines.path.clone()));
        let (ticks, readings, notes) = match lines {
            [Ok(ticks), Ok(readings), Ok(notes)] => (ticks, readings, notes),
            lines => {
                // Nothing was measured: remnants of the record would only block the next attempt.
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

    /// The folder that is written.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Appends one interval of one job.
    pub fn tick(&mut self, tick: &Tick) -> Result<(), RecordError> {
        self.ticks.tick(tick)
    }

    /// Appends intervals, for use in a separate thread.
    pub fn tick_writer(&self) -> TickWriter {
        self.ticks.clone()
    }

    /// Appends operations, for use in a separate thread.
    pub fn operation_writer(&self) -> OperationWriter {
        OperationWriter::new(&self.folder)
    }

    /// Appends one or several samples: consecutive readings with the same time are one sample.
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

    /// Appends a run that is complete: what an import of a hundred thousand executions has, with one write(2) for many of them.
    pub fn all_of(&mut self, run: &Run) -> Result<(), RecordError> {
        let mut ticks = self.ticks.lines();
        for part in run.ticks.chunks(AT_ONCE) {
            part.iter()
                .try_for_each(|tick| ticks.add(&tick_line::line(tick)))?;
            ticks.flush()?;
        }
        drop(ticks);
        self.readings(&run.readings)?;
        for part in run.notes.chunks(AT_ONCE) {
            part.iter().try_for_each(|note| self.notes.add(note))?;
            self.notes.flush()?;
        }
        Ok(())
    }

    /// Syncs everything to stable storage. Dropping the writer instead loses nothing that the kernel has, only its durability.
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

/// Appends the intervals of a run. Nothing is buffered: once [`TickWriter::tick`] has returned, the kernel has the interval, whatever happens to the process.
#[derive(Debug, Clone)]
pub struct TickWriter(Arc<Mutex<Lines>>);

impl TickWriter {
    /// Appends one interval of one job by one write(2).
    pub fn tick(&self, tick: &Tick) -> Result<(), RecordError> {
        let mut lines = self.lines();
        lines.add(&tick_line::line(tick))?;
        lines.flush()
    }

    /// A thread that panicked in between left complete lines and, at most, some unwritten bytes.
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes sure that the folder exists and is empty. An incomplete header is removed if the process that began it has ended: nothing was measured there.
/// `true`: there was one.
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
    // The input of a replay exists before the record.
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

/// The name of the header until it is complete.
pub(crate) fn draft_of(folder: &Path) -> PathBuf {
    folder.join(format!("{HEADER}.part"))
}

/// True for an incomplete header that no process is writing: the writing process holds a lock on it, which ends with the process.
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

/// Writes the header under another name and renames it, so that a visible header is complete. On failure nothing of it is left.
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
        // Without locks (some network file systems) an incomplete header looks abandoned during this short time.
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

/// A file that grows by complete lines.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: File,
    /// Lines not yet passed to the kernel; kept for its allocation.
    pending: Vec<u8>,
    /// Length of the complete lines that the kernel has.
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
            // A full disk may have stored half a line. Truncating it frees its space and leaves complete lines; if even that fails, the reader drops the half
            // line.
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
