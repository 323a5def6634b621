//! How is a document of any length read? Job by job: each becomes what is kept of it before the next is read.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::format::{Disk, Entry, Options};
use super::jobs::Jobs;
use crate::importer::embedded::Bytewise;
use crate::importer::lenient::{Number, Text};

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
