//! How is a run read back? Complete lines are read, damaged ones are left out and named in the run's doubts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use plumb_model::run::metric::Reading;
use plumb_model::run::tick::Tick;
use plumb_model::run::{RUN_FORMAT, Run, RunHeader};
use plumb_model::statement::Statement;
use serde::de::DeserializeOwned;

use crate::condense;
use crate::folder::{HEADER, NOTES, READINGS, ReadingsLine, RecordError, TICKS};
use crate::tick_line;
use crate::writer::draft_of;

/// Longest valid line: a tick of 10,000 workers is below 2 MiB.
const LONGEST_LINE_BYTES: u64 = 64 << 20;
/// Number of operations in a run above which a record is damaged: a billion per second for thirty years. Below it no sum can overflow.
const MOST_OPERATIONS: u64 = 1 << 60;
/// Damaged lines of one file that are named individually; the rest is counted.
const NAMED_DOUBTS: usize = 3;

/// Reads a run, finished, killed or still in progress. Errors: no such folder, no header, a damaged header, or a newer format. Other damage is named in
/// [`Run::doubts`], and the undamaged rest is returned. In a long run adjacent intervals are merged, so that it takes no more memory than a short one; every
/// sum is as recorded (see condense.rs).
pub fn read_run(folder: &Path) -> Result<Run, RecordError> {
    let header = read_header(folder)?;
    let (mut notes, mut of_notes) = (Vec::new(), Vec::new());
    read_lines(folder, NOTES, &mut of_notes, |line| {
        notes.push(parse(line)?);
        Ok(())
    })?;
    let mut ticks = condense::Ticks::new(&header.plan, &notes);
    let mut doubts = read_ticks(folder, |tick| ticks.add(tick))?;
    let mut columns = HashMap::new();
    let mut readings = condense::Readings::new(&notes);
    read_lines(folder, READINGS, &mut doubts, |line| {
        add_readings(line, &mut columns, |time_ns, columns, sample| {
            readings.add(time_ns, columns, sample)
        })
    })?;
    doubts.append(&mut of_notes);
    Ok(Run {
        header,
        ticks: ticks.finish(),
        readings: readings.finish(),
        notes,
        doubts,
    })
}

/// Passes on every interval of a run as recorded, in order. Errors: the folder cannot be read. Damaged intervals are left out, and named by [`read_run`].
pub fn each_tick(folder: &Path, mut take: impl FnMut(&Tick)) -> Result<(), RecordError> {
    read_ticks(folder, |tick| take(&tick)).map(drop)
}

/// Passes on every reading of a run as recorded, in order. Errors: as for [`each_tick`].
pub fn each_reading(folder: &Path, mut take: impl FnMut(&Reading)) -> Result<(), RecordError> {
    let mut columns = HashMap::new();
    read_lines(folder, READINGS, &mut Vec::new(), |line| {
        add_readings(line, &mut columns, |_, _, sample| {
            sample.iter().for_each(&mut take)
        })
    })
}

/// Returns their doubts.
fn read_ticks(folder: &Path, mut take: impl FnMut(Tick)) -> Result<Vec<Statement>, RecordError> {
    let mut doubts = Vec::new();
    let mut budget = MOST_OPERATIONS;
    read_lines(folder, TICKS, &mut doubts, |line| {
        let tick = tick_line::parse(line)?;
        budget = budget
            .checked_sub(plausible_operations(&tick)?)
            .ok_or("counts more operations than any machine can do")?;
        take(tick);
        Ok(())
    })?;
    Ok(doubts)
}

/// Reads only the header. Errors: as for [`read_run`].
pub fn read_header(folder: &Path) -> Result<RunHeader, RecordError> {
    let path = folder.join(HEADER);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.exists() => {
            return Err(RecordError::Missing {
                folder: folder.to_path_buf(),
            });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && draft_of(folder).exists() => {
            return Err(RecordError::NeverBegan {
                folder: folder.to_path_buf(),
            });
        }
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Err(RecordError::NoHeader {
                folder: folder.to_path_buf(),
            });
        }
        Err(error) => return Err(RecordError::Read { path, error }),
    };
    // The format is checked first: a newer header may hold what this program does not understand.
    let bad = |error: serde_json::Error| RecordError::BadHeader {
        path: path.clone(),
        error: error.to_string(),
    };
    let Writer {
        format,
        plumb_version,
    } = serde_json::from_slice(&bytes).map_err(bad)?;
    let format = format.as_u64().unwrap_or(0);
    if format > u64::from(RUN_FORMAT) {
        let version = plumb_version
            .as_str()
            .unwrap_or("of an unknown version")
            .to_string();
        return Err(RecordError::Newer {
            folder: folder.to_path_buf(),
            format,
            version,
            known: RUN_FORMAT,
        });
    }
    serde_json::from_slice(&bytes).map_err(bad)
}

/// Which program wrote a header, whatever else it holds.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Writer {
    format: serde_json::Value,
    plumb_version: serde_json::Value,
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

/// The operations of a tick, if all its counts and times are consistent.
fn plausible_operations(tick: &Tick) -> Result<u64, String> {
    if tick.end_ns < tick.start_ns {
        return Err("the interval ends before it begins".into());
    }
    let mut operations = 0u64;
    let mut add = |count: u64| {
        operations = operations
            .checked_add(count)
            .filter(|sum| *sum <= MOST_OPERATIONS)
            .ok_or("counts overflow")?;
        Ok::<(), String>(())
    };
    for kind in &tick.kinds {
        add(kind.count)?;
        add(kind.service.count())?;
        add(kind
            .response
            .as_ref()
            .map_or(0, |response| response.count()))?;
        kind.errors.values().try_for_each(|count| add(*count))?;
        // Bytes and times are also summed over the run.
        if kind.bytes > MOST_OPERATIONS {
            return Err("counts more bytes than any machine can move".into());
        }
    }
    add(tick
        .lateness
        .as_ref()
        .map_or(0, |lateness| lateness.count()))?;
    add(tick.backlog.unwrap_or(0))?;
    for worker in &tick.workers {
        add(worker.operations)?;
        add(worker.voluntary_switches.unwrap_or(0))?;
        add(worker.involuntary_switches.unwrap_or(0))?;
        add(worker
            .cpu_user_ns
            .unwrap_or(0)
            .max(worker.cpu_system_ns.unwrap_or(0))
            / 1_000)?;
        add(worker.waited_for_cpu_ns.unwrap_or(0) / 1_000)?;
    }
    Ok(operations)
}

/// Reads one line of `readings.jsonl`: passes on the time, the number of the column list and the readings of a sample.
fn add_readings(
    line: &[u8],
    columns: &mut HashMap<u32, Vec<(String, String)>>,
    mut take: impl FnMut(u64, u32, Vec<Reading>),
) -> Result<(), String> {
    match serde_json::from_slice::<ReadingsLine>(line).map_err(|error| error.to_string())? {
        ReadingsLine::Columns {
            columns: number,
            of,
        } => {
            columns.insert(
                number,
                of.into_iter()
                    .map(|(metric, instance)| (metric.into_owned(), instance.into_owned()))
                    .collect(),
            );
        }
        ReadingsLine::Sample {
            time_ns,
            columns: number,
            values,
        } => {
            let names = columns
                .get(&number)
                .ok_or("its list of columns is missing")?;
            if names.len() != values.len() {
                return Err(format!(
                    "{} values for {} columns",
                    values.len(),
                    names.len()
                ));
            }
            let readings = names
                .iter()
                .zip(values)
                .map(|((metric, instance), value)| Reading {
                    metric: Cow::Owned(metric.clone()),
                    instance: instance.clone(),
                    time_ns,
                    value: value.map(f64::from),
                });
            take(time_ns, number, readings.collect());
        }
    }
    Ok(())
}

/// Passes each complete line of a file to `take`; lines that it rejects, and an incomplete last line, become doubts.
fn read_lines(
    folder: &Path,
    name: &str,
    doubts: &mut Vec<Statement>,
    mut take: impl FnMut(&[u8]) -> Result<(), String>,
) -> Result<(), RecordError> {
    let path = folder.join(name);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            doubts.push(Statement::new("doubt-file-is-missing").name("file", name));
            return Ok(());
        }
        Err(error) => return Err(RecordError::Read { path, error }),
    };
    let mut file = BufReader::with_capacity(1 << 18, file);
    let (mut line, mut number, mut damaged) = (Vec::new(), 0u64, 0usize);
    loop {
        line.clear();
        number += 1;
        let read = (&mut file)
            .take(LONGEST_LINE_BYTES)
            .read_until(b'\n', &mut line);
        let read = read.map_err(|error| RecordError::Read {
            path: path.clone(),
            error,
        })?;
        if read == 0 {
            break;
        }
        let problem = match line.last() {
            Some(b'\n') => take(&line).err(),
            _ if (read as u64) < LONGEST_LINE_BYTES => {
                doubts.push(Statement::new("doubt-last-line-is-cut-off").name("file", name));
                break;
            }
            _ => {
                file.skip_until(b'\n').map_err(|error| RecordError::Read {
                    path: path.clone(),
                    error,
                })?;
                Some(format!("it is longer than {LONGEST_LINE_BYTES} bytes"))
            }
        };
        if let Some(problem) = problem {
            damaged += 1;
            if damaged <= NAMED_DOUBTS {
                doubts.push(
                    Statement::new("doubt-line-is-left-out")
                        .name("file", name)
                        .count("line", number)
                        .name("problem", problem),
                );
            }
        }
    }
    if damaged > NAMED_DOUBTS {
        let more = damaged - NAMED_DOUBTS;
        doubts.push(
            Statement::new("doubt-more-lines-are-left-out")
                .name("file", name)
                .count("count", more as u64),
        );
    }
    Ok(())
}
