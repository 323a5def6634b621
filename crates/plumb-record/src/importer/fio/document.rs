//! How is a document of any length read? Job by job: each is reduced to what is kept of it before the next is read.

use super::format::{Disk, Entry, Options};
use super::jobs::Jobs;
use crate::importer::ImportError;
use crate::importer::embedded::Embedded;
use crate::importer::lenient::{Number, Text};

/// Most disks that are kept of a document.
const DISKS_MAX: usize = 64;

/// One JSON object of fio: the results of an invocation, final or interim (`--status-interval`).
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
    /// Reads the next object. What was read before an error is kept.
    ///
    /// # Errors
    /// The text is not JSON, or it is truncated.
    pub fn read(&mut self, file: &mut Embedded<'_>) -> Result<(), ImportError> {
        file.expect(b'{')?;
        if file.skip_if(b'}')? {
            return Ok(());
        }
        loop {
            let Text(name) = file.value()?;
            file.expect(b':')?;
            self.take(&name, file)?;
            if file.skip_if(b'}')? {
                return Ok(());
            }
            file.expect(b',')?;
        }
    }

    fn take(&mut self, name: &str, file: &mut Embedded<'_>) -> Result<(), ImportError> {
        match name {
            "fio version" => self.version = file.value::<Text>()?.0,
            // Seconds in all versions, also milliseconds except from a server.
            "timestamp" => {
                let seconds = file.value::<Number>()?.0;
                self.written_ms = self.written_ms.or(seconds.map(|seconds| seconds * 1e3));
            }
            "timestamp_ms" => self.written_ms = file.value::<Number>()?.0.or(self.written_ms),
            "global options" => self.global = file.value()?,
            "jobs" | "client_stats" => {
                let (jobs, global) = (&mut self.jobs, &self.global);
                file.list(|entry: Entry| jobs.add(entry, global))?;
            }
            "disk_util" => file.list(|disk: Disk| {
                if self.disks.len() < DISKS_MAX {
                    self.disks.push(disk);
                }
            })?,
            _ => file.skip_value()?,
        }
        Ok(())
    }
}
