//! Which files must exist before anything runs? Those of jobs with `allow_file_create=0`.

use std::path::{Path, PathBuf};

use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::workload::PathList;

/// Refuses jobs of a section that may not create files, if one is missing and no earlier job (`made`) creates it.
pub fn refuse_missing(
    section: &Section,
    jobs: &[JobSettings],
    made: &mut Vec<PathBuf>,
) -> Result<(), PlanError> {
    let may_create = section.flag_given("allow_file_create")?.unwrap_or(true);
    for settings in jobs {
        for file in files(settings) {
            if may_create {
                made.push(file);
            } else if !made.contains(&file) && !is_there(&file) {
                let why = format!(
                    "{} does not exist, and creating files is not allowed; set filename to an existing file or device, or remove allow_file_create",
                    file.display()
                );
                return Err(section.error("allow_file_create", why));
            }
        }
    }
    Ok(())
}

/// A file or a device, not a folder.
fn is_there(file: &Path) -> bool {
    file.exists() && !file.is_dir()
}

fn files(settings: &JobSettings) -> Vec<PathBuf> {
    let target = settings.get("target").unwrap_or(".");
    if target.contains(':') && !target.starts_with(['.', '/']) {
        return Vec::new();
    }
    let several = settings
        .get("paths")
        .and_then(|paths| paths.parse::<PathList>().ok());
    match several {
        Some(paths) => paths
            .0
            .iter()
            .map(|path| Path::new(target).join(path))
            .collect(),
        None => vec![PathBuf::from(target)],
    }
}
