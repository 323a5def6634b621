//! How is a document of any length read? Job by job: each becomes what is kept of it before the next is read.

use std::fmt;
use std::io::{self, BufRead, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::format::{Disk, Entry, Number, Options, Text};
use super::jobs::Jobs;

/// Most disks that are kept of a document.
const DISKS_MAX: usize = 64;

/// One JSON object of fio: what a whole invocation did, or had done up to a time (`--status-interval`).
#[derive(Debug, Default)]
pub struct Document {
    /// `fio-3.33`.
    pub version: String,
    /// When it was written, milliseconds since 1970.
    pub written_ms: Option<f64>,
    pub global: Options,
    pub jobs: Jobs,
    pub disks: Vec<Disk>,
}

impl Document {
    /// Reads on from the `{` that the reader stands at. What was read before an error stays.
    ///
    /// # Errors
    /// What stands there is no JSON, or it breaks off.
    pub fn read(&mut self, bytes: Bytewise<'_, '_>) -> Result<(), serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_reader(bytes);
        Root(self).deserialize(&mut deserializer)
    }
}

/// Gives single bytes quickly: serde_json asks a reader for one byte after the other, and must take none behind the end of its object.
pub struct Bytewise<'a, 'b>(pub &'a mut Buffered<'b>);

/// The reader with a piece of the file before it.
pub struct Buffered<'b> {
    reader: &'b mut dyn BufRead,
    piece: Vec<u8>,
    at: usize,
    /// Lines before the piece.
    lines: u64,
}

impl<'b> Buffered<'b> {
    pub fn new(reader: &'b mut dyn BufRead) -> Buffered<'b> {
        Buffered { reader, piece: Vec::new(), at: 0, lines: 0 }
    }

    /// The next byte, which stays; `None` at the end of the file.
    pub fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.piece.len() {
            self.lines += newlines(&self.piece);
            let fresh = self.reader.fill_buf()?;
            self.piece.clear();
            self.piece.extend_from_slice(fresh);
            let length = fresh.len();
            self.reader.consume(length);
            self.at = 0;
        }
        Ok(self.piece.get(self.at).copied())
    }

    /// The line that the reader stands in, from 1.
    pub fn line(&self) -> u64 {
        1 + self.lines + newlines(self.piece.get(..self.at).unwrap_or_default())
    }

    /// Goes past the byte that was looked at.
    pub fn skip(&mut self) {
        self.at = (self.at + 1).min(self.piece.len());
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

impl Read for Bytewise<'_, '_> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(first) = out.first_mut() else { return Ok(0) };
        let byte = match self.0.piece.get(self.0.at) {
            Some(byte) => *byte,
            None => match self.0.peek()? {
                Some(byte) => byte,
                None => return Ok(0),
            },
        };
        *first = byte;
        self.0.at += 1;
        Ok(1)
    }
}

struct Root<'a>(&'a mut Document);

impl<'de> DeserializeSeed<'de> for Root<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Root<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the object that fio writes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let document = self.0;
        while let Some(Text(key)) = map.next_key()? {
            match key.as_str() {
                "fio version" => document.version = map.next_value::<Text>()?.0,
                // Seconds in all versions, milliseconds beside them except from a server.
                "timestamp" => {
                    let seconds = map.next_value::<Number>()?.0;
                    document.written_ms = document.written_ms.or(seconds.map(|seconds| seconds * 1e3));
                }
                "timestamp_ms" => document.written_ms = map.next_value::<Number>()?.0.or(document.written_ms),
                "global options" => document.global = map.next_value()?,
                "jobs" | "client_stats" => map.next_value_seed(EntriesOf(document))?,
                "disk_util" => map.next_value_seed(DisksOf(document))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct EntriesOf<'a>(&'a mut Document);

impl<'de> DeserializeSeed<'de> for EntriesOf<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EntriesOf<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of jobs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(entry) = seq.next_element::<Entry>()? {
            self.0.jobs.add(entry, &self.0.global);
        }
        Ok(())
    }
}

struct DisksOf<'a>(&'a mut Document);

impl<'de> DeserializeSeed<'de> for DisksOf<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for DisksOf<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of disks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(disk) = seq.next_element::<Disk>()? {
            if self.0.disks.len() < DISKS_MAX {
                self.0.disks.push(disk);
            }
        }
        Ok(())
    }
}
