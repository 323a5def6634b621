//! Which clones of a section become separate jobs? Those with non-contiguous parts of a file, and those whose files are kept under fio's names.

use crate::Entry;
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::section::Section;
use plumb_model::plan::PlanError;
use plumb_model::target::Target;
use plumb_model::units::Bytes;
use plumb_model::workload::{MinRate, Mix, PathList};

/// Most clones that become separate jobs; more must be workers of one.
const CLONES_MAX: u32 = 1024;

/// Clones with non-contiguous parts of a file become separate jobs.
pub fn clones(
    section: &Section,
    settings: JobSettings,
    jobs: &mut Vec<JobSettings>,
) -> Result<(), PlanError> {
    if settings.has_names_of_fio() {
        return with_names_of_fio(section, settings, jobs);
    }
    if settings.increment_bytes == 0 || settings.numjobs == 1 {
        jobs.push(settings);
        return Ok(());
    }
    if settings.numjobs > CLONES_MAX {
        let message = format!(
            "{} clones at non-contiguous offsets: at most {CLONES_MAX}; with offset_increment equal to size more are possible",
            settings.numjobs
        );
        return Err(section.error("offset_increment", message));
    }
    for clone in 0..settings.numjobs {
        let mut one = settings.clone();
        let start = settings
            .start_bytes
            .saturating_add(settings.increment_bytes.saturating_mul(u64::from(clone)));
        one.name = format!("{}.{clone}", settings.name);
        one.set(
            section,
            "offset_increment",
            "start",
            Bytes(start).to_string(),
        );
        one.drop_key("workers");
        one.drop_key("layout");
        one.drop_key("workers-apart");
        for entry in one.entries.iter_mut().filter(|entry| entry.key != "size") {
            divide(entry, u64::from(settings.numjobs));
        }
        jobs.push(one);
    }
    Ok(())
}

/// One clone's share of the common settings.
fn divide(entry: &mut Entry, clones: u64) {
    let text = match entry.key.as_str() {
        "bytes" | "size" => entry
            .text
            .parse::<Bytes>()
            .ok()
            .map(|bytes| Bytes(bytes.0 / clones).to_string()),
        "operations" | "passes" => entry
            .text
            .parse::<u64>()
            .ok()
            .map(|count| (count / clones).to_string()),
        "rate" => entry
            .text
            .parse::<f64>()
            .ok()
            .map(|rate| (rate / clones as f64).to_string()),
        "min-rate" => entry.text.parse().ok().map(|least| match least {
            MinRate::Iops(count) => MinRate::Iops(count / clones as f64).to_string(),
            MinRate::Bandwidth(Bytes(bytes)) => {
                MinRate::Bandwidth(Bytes(bytes / clones)).to_string()
            }
        }),
        "kind-rates" => entry.text.parse::<Mix>().ok().map(|mut rates| {
            rates
                .0
                .iter_mut()
                .for_each(|(_, rate)| *rate /= clones as f64);
            rates
                .0
                .iter()
                .map(|(kind, rate)| format!("{kind}:{rate}"))
                .collect::<Vec<_>>()
                .join(",")
        }),
        _ => None,
    };
    entry.text = text.unwrap_or_else(|| entry.text.clone());
}

/// Each clone has its own file with the name that fio gives it, which is kept: the next job file finds it there.
fn with_names_of_fio(
    section: &Section,
    settings: JobSettings,
    jobs: &mut Vec<JobSettings>,
) -> Result<(), PlanError> {
    if settings.numjobs > CLONES_MAX {
        let message = format!(
            "{} clones with files that are kept, or with several files: at most {CLONES_MAX}; set filename",
            settings.numjobs
        );
        return Err(section.error("numjobs", message));
    }
    let directory = settings.get("target").unwrap_or(".").to_string();
    for clone in 0..settings.numjobs {
        let name = |file: u32| section.file_name(clone, file);
        let mut one = settings.clone();
        if settings.numjobs > 1 {
            one.name = format!("{}.{clone}", settings.name);
        }
        let is_one = settings.files > 1 && name(0) == name(1);
        if settings.files > 1 && !is_one {
            let names = PathList((0..settings.files).map(name).collect());
            one.set(section, "nrfiles", "paths", names.to_string());
        } else {
            let (name, folder) = (name(0), directory.trim_end_matches('/'));
            // As others name it, so that all jobs of the file share it.
            let is_path = matches!(name.parse(), Ok(Target::Path(_))) && name != "-";
            let path = match folder == "." && is_path {
                true => name,
                false => format!("{folder}/{name}"),
            };
            one.set(section, "unlink", "target", path);
        }
        one.set(section, "unlink", "reuse", "true");
        one.set(section, "size", "extend", "true");
        one.drop_key("workers");
        one.drop_key("layout");
        one.drop_key("workers-apart");
        for entry in one.entries.iter_mut() {
            divide(entry, u64::from(settings.numjobs));
        }
        if is_one {
            take_one_file(&mut one, u64::from(settings.files));
        }
        jobs.push(one);
    }
    Ok(())
}

/// Files of one name are one file: fio opens it so many times, makes it as long as each of them, and passes over it that often.
fn take_one_file(settings: &mut JobSettings, times: u64) {
    settings.files = 1;
    settings.drop_key("path-order");
    for entry in &mut settings.entries {
        let text = match (entry.key.as_str(), &entry.text) {
            ("size", text) => text
                .parse()
                .ok()
                .map(|Bytes(all)| Bytes(all / times).to_string()),
            ("passes", text) => text
                .parse()
                .ok()
                .map(|count: u64| (count * times).to_string()),
            _ => None,
        };
        entry.text = text.unwrap_or_else(|| entry.text.clone());
    }
}
