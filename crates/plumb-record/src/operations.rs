//! Where is every operation of a run with `log-each`? In one file of frames, each complete in itself: what was written before a kill is read.
//!
//! `operations.bin` begins with a line `plumb operations 1 read,write,...` that lists the kinds of operations by number. Frames follow, each of up to a few
//! thousand consecutive completions of one worker: seven little-endian `u32` (execution, job, worker, operations, bytes of the payload, its CRC-32, CRC-32 of
//! the six before), then the payload, deflated. It holds one column after the other, each with one LEB128 integer per operation:
//!
//! | column | holds |
//! |---|---|
//! | completed | nanoseconds since the start of the run, as zigzag difference from the operation before |
//! | service | nanoseconds from submission to completion |
//! | late | nanoseconds from when it was due to its submission |
//! | accepted | nanoseconds from submission to acceptance by the system; 0 if not measured |
//! | offset | in bytes, as zigzag difference from the end of the operation before |
//! | bytes | as zigzag difference from the operation before |
//! | file | number of the worker's open file |
//! | kind | number of the kind, times 8, plus phase (warm-up 0, measured 1, drain 2) times 2, plus 1 if it failed |

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use plumb_model::run::operation::{LoggedBatch, LoggedOperation};
use plumb_model::run::tick::Phase;
use plumb_model::workload::OperationKind;

use crate::folder::{OPERATIONS, RecordError};

const MAGIC: &str = "plumb operations 1 ";
/// The first line is no longer than this.
const MAGIC_LINE_BYTES: u64 = 4096;
const FIELDS: usize = 7;
const HEAD_BYTES: usize = FIELDS * 4;
/// A frame with more operations is damaged.
const OPERATIONS_MAX: u32 = 1 << 20;
/// Longest LEB128 integer of 64 bits.
const INTEGER_BYTES: usize = 10;
const COLUMNS: usize = 8;
const PHASES: [Phase; 3] = [Phase::WarmUp, Phase::Measure, Phase::Drain];

/// Appends operations to the record of a run. The file is created with the first batch.
#[derive(Debug)]
pub struct OperationWriter {
    path: PathBuf,
    file: Option<File>,
    /// Bytes of complete frames.
    kept_bytes: u64,
    columns: Vec<u8>,
    frame: Vec<u8>,
}

impl OperationWriter {
    /// Writes into this run folder.
    pub fn new(folder: &Path) -> OperationWriter {
        OperationWriter {
            path: folder.join(OPERATIONS),
            file: None,
            kept_bytes: 0,
            columns: Vec::new(),
            frame: Vec::new(),
        }
    }

    /// Appends a batch by one write(2).
    ///
    /// # Errors
    /// The file cannot be created or written; complete frames stay.
    pub fn append(&mut self, batch: LoggedBatch<'_>) -> Result<(), RecordError> {
        let written = self.write(batch);
        written.map_err(|error| RecordError::Write {
            path: self.path.clone(),
            error,
        })
    }

    fn write(&mut self, batch: LoggedBatch<'_>) -> io::Result<()> {
        self.frame.clear();
        if self.file.is_none() {
            let mut options = OpenOptions::new();
            self.file = Some(options.append(true).create(true).open(&self.path)?);
            self.kept_bytes = std::fs::metadata(&self.path)?.len();
        }
        if self.kept_bytes == 0 {
            let words: Vec<&str> = OperationKind::ALL.iter().map(|kind| kind.word()).collect();
            writeln!(self.frame, "{MAGIC}{}", words.join(","))?;
        }
        self.columns.clear();
        put_columns(&mut self.columns, batch.operations);
        let start = self.frame.len();
        self.frame.resize(start + HEAD_BYTES, 0);
        let mut encoder = DeflateEncoder::new(&mut self.frame, Compression::fast());
        encoder.write_all(&self.columns)?;
        encoder.finish()?;
        let payload = &self.frame[start + HEAD_BYTES..];
        let head = head_of(&batch, payload.len() as u32, crc32fast::hash(payload));
        self.frame[start..start + HEAD_BYTES].copy_from_slice(&head);
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let written = file.write_all(&self.frame);
        match written {
            Ok(()) => self.kept_bytes += self.frame.len() as u64,
            // A full disk may have stored half a frame.
            Err(_) => drop(file.set_len(self.kept_bytes)),
        }
        written
    }
}

fn head_of(batch: &LoggedBatch<'_>, payload_bytes: u32, crc: u32) -> [u8; HEAD_BYTES] {
    let count = batch.operations.len() as u32;
    let fields = [
        batch.execution,
        batch.job,
        batch.worker,
        count,
        payload_bytes,
        crc,
    ];
    let mut head = [0; HEAD_BYTES];
    for (place, field) in head.chunks_exact_mut(4).zip(fields) {
        place.copy_from_slice(&field.to_le_bytes());
    }
    let own = crc32fast::hash(&head[..HEAD_BYTES - 4]);
    head[HEAD_BYTES - 4..].copy_from_slice(&own.to_le_bytes());
    head
}

fn put_columns(out: &mut Vec<u8>, operations: &[LoggedOperation]) {
    let mut before = 0;
    for operation in operations {
        put(out, zigzag(operation.completed_ns.wrapping_sub(before)));
        before = operation.completed_ns;
    }
    for operation in operations {
        put(
            out,
            operation.completed_ns.wrapping_sub(operation.submitted_ns),
        );
    }
    for operation in operations {
        put(out, operation.submitted_ns.wrapping_sub(operation.due_ns));
    }
    for operation in operations {
        put(
            out,
            operation.accepted_ns.wrapping_sub(operation.submitted_ns),
        );
    }
    let mut end = 0;
    for operation in operations {
        put(out, zigzag(operation.offset.wrapping_sub(end)));
        end = operation.offset.wrapping_add(u64::from(operation.bytes));
    }
    let mut before = 0;
    for operation in operations {
        let bytes = u64::from(operation.bytes);
        put(out, zigzag(bytes.wrapping_sub(before)));
        before = bytes;
    }
    for operation in operations {
        put(out, u64::from(operation.file));
    }
    for operation in operations {
        let phase = PHASES.iter().position(|phase| *phase == operation.phase);
        let phase = phase.unwrap_or_default() as u64;
        put(
            out,
            (operation.kind as u64) << 3 | phase << 1 | u64::from(operation.is_failed),
        );
    }
}

fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    (signed << 1 ^ signed >> 63) as u64
}

fn difference(zigzag: u64) -> u64 {
    zigzag >> 1 ^ (zigzag & 1).wrapping_neg()
}

#[inline]
fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The next integer; `None`: there is no complete one.
#[inline]
fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for index in 0..INTEGER_BYTES {
        let byte = *rest.get(index)?;
        value |= u64::from(byte & 0x7F) << (7 * index);
        if byte < 0x80 {
            *rest = &rest[index + 1..];
            return Some(value);
        }
    }
    None
}

/// Where one frame is.
#[derive(Debug, Clone, Copy)]
struct Frame {
    execution: u32,
    job: u32,
    worker: u32,
    count: u32,
    payload_bytes: u32,
    crc: u32,
    /// Of its payload in the file.
    position: u64,
}

/// The operations of a run, read frame by frame: memory for the list of frames and one frame.
#[derive(Debug)]
pub struct OperationReader {
    path: PathBuf,
    file: BufReader<File>,
    kinds: Vec<OperationKind>,
    frames: Vec<Frame>,
    /// The file ends within a frame, as after a kill or on a full disk, or is damaged from there on.
    pub is_cut: bool,
}

impl OperationReader {
    /// Those of this run folder. `None`: the run has no log of its operations.
    ///
    /// # Errors
    /// The file cannot be read, or is none of operations.
    pub fn open(folder: &Path) -> Result<Option<OperationReader>, RecordError> {
        let path = folder.join(OPERATIONS);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RecordError::Read { path, error }),
        };
        let mut reader = OperationReader {
            path,
            file: BufReader::new(file),
            kinds: Vec::new(),
            frames: Vec::new(),
            is_cut: false,
        };
        match reader.index() {
            Ok(()) => Ok(Some(reader)),
            Err(error) => Err(reader.unreadable(error)),
        }
    }

    fn unreadable(&self, error: io::Error) -> RecordError {
        RecordError::Read {
            path: self.path.clone(),
            error,
        }
    }

    /// Reads the first line and the head of each frame.
    fn index(&mut self) -> io::Result<()> {
        let len = self.file.get_ref().metadata()?.len();
        let mut line = String::new();
        (&mut self.file)
            .take(MAGIC_LINE_BYTES)
            .read_line(&mut line)?;
        let kinds = line.strip_suffix('\n').and_then(|line| {
            let words = line.strip_prefix(MAGIC)?.split(',');
            words.map(|word| word.parse().ok()).collect()
        });
        self.kinds = kinds.ok_or_else(|| {
            let why = "not a log of operations, or one of a newer plumb";
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        let mut position = line.len() as u64;
        while position < len {
            let Some(frame) = self.head(position + HEAD_BYTES as u64)? else {
                self.is_cut = true;
                break;
            };
            let end = frame.position + u64::from(frame.payload_bytes);
            if end > len {
                self.is_cut = true;
                break;
            }
            self.frames.push(frame);
            self.file.seek_relative(i64::from(frame.payload_bytes))?;
            position = end;
        }
        Ok(())
    }

    /// The next head; `None`: cut or damaged.
    fn head(&mut self, position: u64) -> io::Result<Option<Frame>> {
        let mut head = [0; HEAD_BYTES];
        match self.file.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let mut fields = [0; FIELDS];
        for (field, bytes) in fields.iter_mut().zip(head.chunks_exact(4)) {
            *field = u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        let [execution, job, worker, count, payload_bytes, crc, own] = fields;
        let is_whole = own == crc32fast::hash(&head[..HEAD_BYTES - 4]) && count <= OPERATIONS_MAX;
        Ok(is_whole.then_some(Frame {
            execution,
            job,
            worker,
            count,
            payload_bytes,
            crc,
            position,
        }))
    }

    /// Number of operations in complete frames.
    pub fn len(&self) -> u64 {
        self.frames.iter().map(|frame| u64::from(frame.count)).sum()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Calls `take` for each batch that `is_wanted` (execution, job, worker), in the order of the file: each worker's operations in order of completion.
    ///
    /// # Errors
    /// The file cannot be read or is damaged, or `take` fails.
    pub fn each<E: From<RecordError>>(
        &mut self,
        is_wanted: impl Fn(u32, u32, u32) -> bool,
        mut take: impl FnMut(LoggedBatch<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut payload, mut columns, mut operations) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..self.frames.len() {
            let frame = self.frames[index];
            if !is_wanted(frame.execution, frame.job, frame.worker) {
                continue;
            }
            self.inflate(&frame, &mut payload, &mut columns)
                .map_err(|error| self.unreadable(error))?;
            operations.clear();
            if take_columns(&columns, frame.count, &self.kinds, &mut operations).is_none() {
                return Err(self.unreadable(damaged(&frame)).into());
            }
            take(LoggedBatch {
                execution: frame.execution,
                job: frame.job,
                worker: frame.worker,
                operations: &operations,
            })?;
        }
        Ok(())
    }

    fn inflate(
        &mut self,
        frame: &Frame,
        payload: &mut Vec<u8>,
        columns: &mut Vec<u8>,
    ) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(frame.position))?;
        payload.clear();
        let bytes = u64::from(frame.payload_bytes);
        (&mut self.file).take(bytes).read_to_end(payload)?;
        if crc32fast::hash(payload) != frame.crc {
            return Err(damaged(frame));
        }
        columns.clear();
        // No more than so many integers can be of use.
        let most = frame.count as usize * COLUMNS * INTEGER_BYTES;
        DeflateDecoder::new(payload.as_slice())
            .take(most as u64)
            .read_to_end(columns)?;
        Ok(())
    }
}

fn damaged(frame: &Frame) -> io::Error {
    let why = format!("the frame at byte {} is damaged", frame.position);
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Decodes a frame; `None`: it is damaged.
fn take_columns(
    columns: &[u8],
    count: u32,
    kinds: &[OperationKind],
    out: &mut Vec<LoggedOperation>,
) -> Option<()> {
    let mut rest = columns;
    let rest = &mut rest;
    let mut before: u64 = 0;
    for _ in 0..count {
        before = before.wrapping_add(difference(take(rest)?));
        out.push(LoggedOperation {
            completed_ns: before,
            submitted_ns: 0,
            due_ns: 0,
            accepted_ns: 0,
            offset: 0,
            bytes: 0,
            file: 0,
            kind: OperationKind::Read,
            phase: Phase::Measure,
            is_failed: false,
        });
    }
    for operation in out.iter_mut() {
        operation.submitted_ns = operation.completed_ns.wrapping_sub(take(rest)?);
    }
    for operation in out.iter_mut() {
        operation.due_ns = operation.submitted_ns.wrapping_sub(take(rest)?);
    }
    for operation in out.iter_mut() {
        operation.accepted_ns = operation.submitted_ns.wrapping_add(take(rest)?);
    }
    // An offset is from the end of the operation before, whose size comes later.
    for operation in out.iter_mut() {
        operation.offset = difference(take(rest)?);
    }
    let (mut bytes, mut end): (u64, u64) = (0, 0);
    for operation in out.iter_mut() {
        bytes = bytes.wrapping_add(difference(take(rest)?));
        operation.bytes = u32::try_from(bytes).ok()?;
        operation.offset = operation.offset.wrapping_add(end);
        end = operation.offset.wrapping_add(bytes);
    }
    for operation in out.iter_mut() {
        operation.file = u32::try_from(take(rest)?).ok()?;
    }
    for operation in out.iter_mut() {
        let value = take(rest)?;
        operation.kind = *kinds.get(usize::try_from(value >> 3).ok()?)?;
        operation.phase = *PHASES.get((value >> 1 & 3) as usize)?;
        operation.is_failed = value & 1 == 1;
    }
    rest.is_empty().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(number: u64) -> LoggedOperation {
        let completed_ns = 1_000_000 + number * 1700;
        LoggedOperation {
            completed_ns,
            submitted_ns: completed_ns - 900 - number % 7,
            due_ns: completed_ns - 900 - number % 7 - number % 2 * 50_000,
            accepted_ns: completed_ns - 500,
            offset: number * 7919 % 1000 * 4096,
            bytes: 4096 << (number % 3),
            file: (number % 2) as u32,
            kind: OperationKind::ALL[number as usize % OperationKind::COUNT],
            phase: PHASES[number as usize % 3],
            is_failed: number.is_multiple_of(11),
        }
    }

    fn batch(worker: u32, operations: &[LoggedOperation]) -> LoggedBatch<'_> {
        LoggedBatch {
            execution: 2,
            job: 1,
            worker,
            operations,
        }
    }

    fn read(folder: &Path, worker: u32) -> Result<Vec<LoggedOperation>, RecordError> {
        let mut reader = OperationReader::open(folder)?.expect("a log");
        let mut found = Vec::new();
        reader.each(
            |execution, job, of| (execution, job, of) == (2, 1, worker),
            |batch| {
                found.extend_from_slice(batch.operations);
                Ok::<_, RecordError>(())
            },
        )?;
        Ok(found)
    }

    #[test]
    fn operations_come_back_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(
            OperationReader::open(folder.path())
                .expect("read")
                .is_none()
        );
        let mut writer = OperationWriter::new(folder.path());
        let mut first: Vec<LoggedOperation> = (0..500).map(operation).collect();
        let edge = LoggedOperation {
            completed_ns: u64::MAX,
            submitted_ns: 0,
            due_ns: 0,
            accepted_ns: u64::MAX,
            offset: u64::MAX,
            bytes: u32::MAX,
            file: u32::MAX,
            ..first[0]
        };
        first.extend([edge, first[0], edge]);
        let second: Vec<LoggedOperation> = (500..900).map(operation).collect();
        writer.append(batch(0, &first)).expect("written");
        writer.append(batch(1, &second)).expect("written");
        writer.append(batch(0, &second)).expect("written");
        let both = [first.as_slice(), &second].concat();
        assert_eq!(read(folder.path(), 0).expect("read"), both);
        assert_eq!(read(folder.path(), 1).expect("read"), second);
        let reader = OperationReader::open(folder.path()).expect("read");
        let reader = reader.expect("a log");
        assert_eq!((reader.len(), reader.is_cut), (503 + 400 + 400, false));
        let bytes = std::fs::metadata(folder.path().join(OPERATIONS)).expect("a file");
        assert!(bytes.len() < 1303 * 20, "{bytes:?}");
    }

    /// Whatever becomes of the file, complete frames before the place are read, and nothing that was not written.
    #[test]
    fn a_cut_or_damaged_log_gives_what_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = OperationWriter::new(folder.path());
        let operations: Vec<LoggedOperation> = (0..60).map(operation).collect();
        for of in operations.chunks(20) {
            writer.append(batch(0, of)).expect("written");
        }
        let path = folder.path().join(OPERATIONS);
        let whole = std::fs::read(&path).expect("read");
        for len in 0..whole.len() {
            std::fs::write(&path, &whole[..len]).expect("written");
            match read(folder.path(), 0) {
                Ok(found) => assert_eq!(found, operations[..found.len() / 20 * 20]),
                Err(error) => assert!(len < 256 && error.to_string().contains("not a log")),
            }
        }
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x40;
            std::fs::write(&path, &bytes).expect("written");
            // In the first line a kind may have another name that is one too; elsewhere damage shows.
            if let Ok(found) = read(folder.path(), 0)
                && place > MAGIC.len() + 256
            {
                assert!(found.len() < 60, "byte {place}");
                assert_eq!(found, operations[..found.len()]);
            }
        }
    }
}
