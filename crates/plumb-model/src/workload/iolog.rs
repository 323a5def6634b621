//! What does a log of requests say that fio wrote, or that was written for it? Its iolog of version 2 and 3, line by line.
//!
//! The form is that of fio's HOWTO ("Trace file format v2", "Trace file format v3"). Nothing is read here: who has the file hands on its lines.

use std::collections::HashMap;

use crate::plan::error::PlanError;
use crate::workload::operation::OperationKind;

/// Longest line in bytes, its end included; fio reads as many at once (read_iolog in iolog.c).
pub const LINE_MAX_BYTES: usize = 4096;
/// Most files that one log names.
const FILES_MAX: usize = 1 << 16;
/// Linux moves at most this many bytes in one call (MAX_RW_COUNT, include/linux/fs.h).
const LEN_MAX: u64 = 0x7fff_f000;
/// No request ends beyond this byte.
const END_MAX: u64 = 1 << 62;
/// First bytes of a binary block trace, in either byte order; the version stands in the fourth (BLK_IO_TRACE_MAGIC, blktrace_api.h).
const BLOCK_TRACE_MAGIC: u32 = 0x6561_7400;
/// Letters of a line or name that a message repeats.
const SHOWN_MAX: usize = 80;

/// One request of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub kind: OperationKind,
    /// Number of the file, in the order in which the log names them.
    pub file: u16,
    /// First byte.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub len: u32,
    /// When it was recorded, in nanoseconds since the log's first line; never falls.
    pub time_ns: u64,
}

/// What a log says beside its requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IologCounts {
    /// Files that are added, opened, closed or removed.
    pub file_actions: u64,
    /// Syncs of data and metadata, where the others are of data.
    pub full_syncs: u64,
    /// Requests of 0 bytes.
    pub empty: u64,
    /// Time stamps before the one above them.
    pub backward: u64,
    /// Waits of version 2.
    pub waits: u64,
}

/// A log on its way in.
#[derive(Debug)]
pub struct IologReader {
    name: String,
    line: u64,
    /// Missing before the first line.
    version: Option<u8>,
    numbers: HashMap<Vec<u8>, u16>,
    names: Vec<String>,
    /// Time stamp of the first line, in microseconds.
    first_us: Option<u64>,
    time_ns: u64,
    counts: IologCounts,
}

impl IologReader {
    /// A log of which nothing is known yet; `name` stands in messages.
    pub fn new(name: &str) -> IologReader {
        IologReader {
            name: name.to_string(),
            line: 0,
            version: None,
            numbers: HashMap::new(),
            names: Vec::new(),
            first_us: None,
            time_ns: 0,
            counts: IologCounts::default(),
        }
    }

    /// Takes the next line, with or without its end. `None`: it is no request.
    ///
    /// # Errors
    /// What is no line of a log: file, line, and what was expected there.
    pub fn line(&mut self, bytes: &[u8]) -> Result<Option<Request>, PlanError> {
        self.line += 1;
        let Some(version) = self.version else {
            self.version = Some(self.head(bytes)?);
            return Ok(None);
        };
        if bytes.len() > LINE_MAX_BYTES {
            return Err(self.error(format!(
                "the line is longer than {LINE_MAX_BYTES} bytes, which fio does not read either"
            )));
        }
        let (mut words, mut count) = ([&b""[..]; 6], 0);
        for (place, word) in words.iter_mut().zip(
            bytes
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty()),
        ) {
            *place = word;
            count += 1;
        }
        if count == 0 {
            return Ok(None);
        }
        let first = usize::from(version == 3);
        if version == 3 {
            self.stamp(words[0])?;
        }
        match count - first.min(count) {
            2 => self
                .file_action(words[first], words[first + 1])
                .map(|()| None),
            4 => self.request(
                words[first],
                words[first + 1],
                words[first + 2],
                words[first + 3],
            ),
            _ => Err(self.misshapen(version, bytes)),
        }
    }

    /// The log has ended.
    ///
    /// # Errors
    /// It was empty.
    pub fn end(&self) -> Result<(), PlanError> {
        match self.version {
            Some(_) => Ok(()),
            None => Err(PlanError::at(
                &self.name,
                "the file is empty: the first line of a log is 'fio version 3 iolog'",
            )),
        }
    }

    /// Names of its files, in the order of their numbers.
    pub fn files(&self) -> &[String] {
        &self.names
    }

    /// From the first line to the last, in nanoseconds.
    pub fn length_ns(&self) -> u64 {
        self.time_ns
    }

    pub fn counts(&self) -> IologCounts {
        self.counts
    }

    fn error(&self, message: impl Into<String>) -> PlanError {
        PlanError::at(format!("{}, line {}", self.name, self.line), message)
    }

    fn head(&self, bytes: &[u8]) -> Result<u8, PlanError> {
        let magic = bytes
            .first_chunk()
            .map(|first: &[u8; 4]| [u32::from_le_bytes(*first), u32::from_be_bytes(*first)]);
        if magic.is_some_and(|readings| {
            readings
                .iter()
                .any(|reading| reading & !0xff == BLOCK_TRACE_MAGIC)
        }) {
            return Err(self.error(
                "this is a binary block trace of blktrace, which plumb does not read: print it with blkparse, and write its requests as lines \
                 'MICROSECONDS FILE read|write OFFSET LENGTH' below the line 'fio version 3 iolog'",
            ));
        }
        match bytes.trim_ascii_end() {
            b"fio version 2 iolog" => Ok(2),
            b"fio version 3 iolog" => Ok(3),
            other => {
                Err(self
                    .error(format!("the first line of a log is 'fio version 2 iolog' or 'fio version 3 iolog', not '{}'", shown(other))))
            }
        }
    }

    /// Goes on to the time stamp of a line of version 3: microseconds (log_io_u in iolog.c).
    fn stamp(&mut self, word: &[u8]) -> Result<(), PlanError> {
        let us = self.number(word, "a time stamp in microseconds")?;
        let since_first = us
            .saturating_sub(*self.first_us.get_or_insert(us))
            .saturating_mul(1000);
        self.counts.backward += u64::from(since_first < self.time_ns);
        self.time_ns = self.time_ns.max(since_first);
        Ok(())
    }

    fn file_action(&mut self, name: &[u8], action: &[u8]) -> Result<(), PlanError> {
        if !matches!(action, b"add" | b"open" | b"close" | b"unlink") {
            return Err(self.unknown(action));
        }
        self.counts.file_actions += 1;
        self.number_of(name).map(drop)
    }

    fn request(
        &mut self,
        name: &[u8],
        action: &[u8],
        offset: &[u8],
        len: &[u8],
    ) -> Result<Option<Request>, PlanError> {
        let kind = match action {
            b"read" => OperationKind::Read,
            b"write" => OperationKind::Write,
            b"trim" => OperationKind::Trim,
            b"sync" | b"datasync" => OperationKind::Flush,
            b"wait" => return self.wait(offset).map(|()| None),
            _ => return Err(self.unknown(action)),
        };
        let offset = self.number(offset, "an offset in bytes")?;
        let len = self.number(len, "a length in bytes")?;
        let file = self.number_of(name)?;
        if kind == OperationKind::Flush {
            self.counts.full_syncs += u64::from(action == b"sync");
            return Ok(Some(Request {
                kind,
                file,
                offset: 0,
                len: 0,
                time_ns: self.time_ns,
            }));
        }
        if len == 0 {
            self.counts.empty += 1;
            return Ok(None);
        }
        // A trim moves no data.
        let most = match kind {
            OperationKind::Trim => u64::from(u32::MAX),
            _ => LEN_MAX,
        };
        let len = u32::try_from(len)
            .ok()
            .filter(|len| u64::from(*len) <= most);
        let len = len.ok_or_else(|| self.error(format!("one {kind} has at most {most} bytes")))?;
        if offset
            .checked_add(u64::from(len))
            .is_none_or(|end| end > END_MAX)
        {
            return Err(self.error("the request ends beyond 2^62 bytes"));
        }
        Ok(Some(Request {
            kind,
            file,
            offset,
            len,
            time_ns: self.time_ns,
        }))
    }

    /// `FILE wait MICROSECONDS 0` of version 2: what follows comes that much after the wait before it. So says the HOWTO; fio 3.33 waits until so many
    /// milliseconds after its start.
    fn wait(&mut self, delay: &[u8]) -> Result<(), PlanError> {
        if self.version == Some(3) {
            return Err(
                self.error("version 3 has no wait: its time stamps say when a request comes")
            );
        }
        let us = self.number(delay, "a time in microseconds")?;
        self.time_ns = self.time_ns.saturating_add(us.saturating_mul(1000));
        self.counts.waits += 1;
        Ok(())
    }

    fn number(&self, word: &[u8], what: &str) -> Result<u64, PlanError> {
        let digits = std::str::from_utf8(word)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        digits
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| self.error(format!("expected {what}, found '{}'", shown(word))))
    }

    fn number_of(&mut self, name: &[u8]) -> Result<u16, PlanError> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        if self.names.len() >= FILES_MAX {
            return Err(self.error(format!("the log names more than {FILES_MAX} files")));
        }
        let number = self.names.len() as u16;
        self.numbers.insert(name.to_vec(), number);
        self.names.push(shown(name));
        Ok(number)
    }

    fn unknown(&self, action: &[u8]) -> PlanError {
        self.error(format!(
            "'{}' is no action: there are read, write, trim, sync and datasync with offset and length, and add, open, close and unlink without",
            shown(action)
        ))
    }

    fn misshapen(&self, version: u8, bytes: &[u8]) -> PlanError {
        let time = if version == 3 { "TIME " } else { "" };
        self.error(format!(
            "expected '{time}FILE ACTION' or '{time}FILE ACTION OFFSET LENGTH', and names of files without spaces, found '{}'",
            shown(bytes)
        ))
    }
}

/// A word as a message may hold it: messages reach the terminal.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN_MAX)]);
    text.trim()
        .chars()
        .take(SHOWN_MAX)
        .map(|letter| if letter.is_control() { '?' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests;
