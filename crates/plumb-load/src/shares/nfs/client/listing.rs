//! Which names lie in a folder? Page by page, as long as the server lists what can be.

use std::time::{Duration, Instant};

use plumb_model::statement::Statement;
use plumb_model::workload::NfsVersion;

use super::Client;
use crate::share;
use crate::shares::nfs::call::FileHandle;
use crate::shares::nfs::results::{Attributes, Entry, Failure, Page};

/// How long the listing of one folder may take.
const LISTING: Duration = Duration::from_secs(600);

impl Client {
    /// All names in a folder, with kind and size.
    ///
    /// # Errors
    /// As for [`Client::walk`], and what no server may list.
    pub fn list(&mut self, folder: FileHandle) -> Result<Vec<(String, Attributes)>, Failure> {
        let begun = Instant::now();
        let mut entries: Vec<(String, Attributes)> = Vec::new();
        let (mut name_bytes, mut names, mut page) = (0, 0, Page::default());
        loop {
            let before = entries.len();
            let mut each = |entry: Entry| {
                name_bytes += entry.name.len();
                entries.push((entry.name, entry.attributes));
            };
            let next = if self.version() == NfsVersion::V3 {
                self.page_3(folder, &page, &mut each)
            } else {
                self.page_4(folder, &page, &mut each)
            }?;
            names += next.names as usize;
            if let Some((name, _)) = entries[before..]
                .iter()
                .find(|(name, _)| !share::is_plain_name(name))
            {
                return Err(Failure::Connection(
                    Statement::new("nfs-name-of-no-file").name("name", format!("{name:?}")),
                ));
            }
            if names > share::NAMES_MAX || name_bytes > share::NAMES_BYTES_MAX {
                return Err(Failure::Connection(
                    Statement::new("nfs-lists-too-many-names")
                        .count("most", share::NAMES_MAX as u64)
                        .bytes("size", share::NAMES_BYTES_MAX as f64),
                ));
            }
            in_time(begun)?;
            if next.is_last || next.names == 0 {
                break;
            }
            page = next;
        }
        // In NFS 3 a server may leave attributes out of a listing.
        for (name, attributes) in entries
            .iter_mut()
            .filter(|(_, entry_attributes)| entry_attributes.kind.is_none())
        {
            in_time(begun)?;
            let of = self.walk(folder, &[name])?;
            *attributes = self.attributes(of)?;
        }
        Ok(entries)
    }
}

/// That a listing that was begun then does not take too long.
fn in_time(begun: Instant) -> Result<(), Failure> {
    if begun.elapsed() <= LISTING {
        return Ok(());
    }
    Err(Failure::Connection(
        Statement::new("nfs-lists-too-long").time_ns("time", LISTING.as_nanos() as f64),
    ))
}
