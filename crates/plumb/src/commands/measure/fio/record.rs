//! Where does `plumb fio` keep its record? Nowhere that a script would find it unasked: among the data of the user, where the oldest make room.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use plumb_plan::fio_command::Settings;
use plumb_record::folder::OPERATIONS;
use plumb_record::{read_header, remove_run};
use plumb_run::measurement::{random_number, reserve};

use crate::settings::run_folder;
use crate::system::{fio_data_folder, make_private_folder};

/// `off`, or the folder of the run folders.
const VARIABLE: &str = "PLUMB_FIO_RECORD";
/// Most records that are kept where the user did not choose the location, and their most bytes.
const RECORDS_MAX: usize = 200;
const BYTES_MAX: u64 = 1 << 30;
/// Files of a record.
const FILES: usize = 5;

/// The run folder of an fio command line.
pub struct Record {
    pub folder: PathBuf,
    location: Location,
    /// The folder was made here, still empty.
    is_reserved: bool,
    /// Why nothing is kept although the user did not choose that.
    pub not_kept: Option<String>,
}

enum Location {
    /// The user chose it.
    Chosen,
    /// The data folder, in which the oldest are removed.
    Kept(PathBuf),
    /// A temporary folder, which is removed at the end.
    Off(PathBuf),
}

impl Record {
    /// As requested, next to fio's state files, in the user's output folder, or in the data folder of the user.
    ///
    /// Errors: its folder cannot be created.
    pub fn of(settings: &Settings, name: &str) -> anyhow::Result<Record> {
        if let Some(folder) = run_folder(settings.run_folder.as_ref(), name) {
            return Ok(Record {
                folder,
                location: Location::Chosen,
                is_reserved: false,
                not_kept: None,
            });
        }
        if let Some(parent) = &settings.aux_path {
            return Record::new_in(parent, name, Location::Chosen);
        }
        let chosen = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        if let Some(location) = chosen.as_ref().filter(|value| *value != "off") {
            return Record::new_in(Path::new(location), name, Location::Chosen);
        }
        // Services and `nobody` often have no folder that can be written: the job is what counts.
        let mut not_kept = None;
        if let Some(location) = fio_data_folder().filter(|_| chosen.is_none()) {
            let made = std::fs::create_dir_all(&location).map_err(anyhow::Error::from);
            let kept = || Record::new_in(&location, name, Location::Kept(location.clone()));
            match made.and_then(|()| kept()) {
                Ok(record) => return Ok(record),
                Err(error) => {
                    not_kept = Some(format!(
                        "record: none, {}: {error:#}; give a folder with {VARIABLE}=FOLDER, or {VARIABLE}=off",
                        location.display()
                    ));
                }
            }
        }
        let location = std::env::temp_dir().join(format!("plumb-fio-{:016x}", random_number()));
        make_private_folder(&location).with_context(|| location.display().to_string())?;
        let record = Record::new_in(&location, name, Location::Off(location.clone()))?;
        Ok(Record { not_kept, ..record })
    }

    fn new_in(parent: &Path, name: &str, location: Location) -> anyhow::Result<Record> {
        Ok(Record {
            folder: reserve(parent, name)?,
            location,
            is_reserved: true,
            not_kept: None,
        })
    }

    /// Whether a page belongs to it: only where the user looks for one.
    pub fn has_page(&self) -> bool {
        matches!(self.location, Location::Chosen)
    }

    /// Whether it stays after the command.
    pub fn is_kept(&self) -> bool {
        !matches!(self.location, Location::Off(_))
    }

    /// Removes what does not stay. `are_written`: fio's logs have every operation, of which a record among the data of the user then keeps no copy.
    pub fn end(&self, are_written: bool) {
        // Where nothing was measured it is still empty. An empty folder of the user's stays.
        if self.is_reserved {
            let _ = std::fs::remove_dir(&self.folder);
        }
        match &self.location {
            Location::Chosen => {}
            Location::Kept(location) => {
                if are_written {
                    let _ = std::fs::remove_file(self.folder.join(OPERATIONS));
                }
                make_room(location, &self.folder);
            }
            // What stays of it is in the temporary folder of the system.
            Location::Off(location) => drop(std::fs::remove_dir_all(location)),
        }
    }
}

/// Removes the oldest records, until the others are few and small enough. Only run folders are touched, and never the one of this run.
fn make_room(location: &Path, own: &Path) {
    let entries = std::fs::read_dir(location).into_iter().flatten().flatten();
    let mut records: Vec<(SystemTime, PathBuf, u64)> = entries
        .map(|entry| entry.path())
        .filter(|folder| folder != own)
        .filter_map(|folder| {
            let changed = std::fs::metadata(&folder).ok()?.modified().ok()?;
            let bytes = bytes_in(&folder);
            Some((changed, folder, bytes))
        })
        .collect();
    records.sort();
    let mut bytes: u64 = bytes_in(own) + records.iter().map(|(_, _, bytes)| bytes).sum::<u64>();
    let mut count = records.len() + 1;
    for (_, folder, of_folder) in records {
        if count <= RECORDS_MAX && bytes <= BYTES_MAX {
            break;
        }
        // Whatever the user added stays, and the record with it.
        if std::fs::read_dir(&folder).map_or(true, |files| files.count() > FILES) {
            continue;
        }
        let removed = read_header(&folder)
            .ok()
            .and_then(|header| remove_run(&folder, &header.id).ok());
        if removed == Some(true) {
            count -= 1;
            bytes = bytes.saturating_sub(of_folder);
        }
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| Some(file.metadata().ok()?.len()))
        .sum()
}
