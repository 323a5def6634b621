//! Where does a section work, on how much data, and with how many clones? `filename`, `directory`, `size`, `offset`, `nrfiles`, `numjobs`.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

use crate::fio_job::engines::{Nearest, on_directories};
use crate::fio_job::job_settings::JobSettings;
use crate::fio_job::numbers::Size;
use crate::fio_job::remarks::Remarks;
use crate::fio_job::section::Section;
use plumb_model::engines::{self, EngineProperties};
use plumb_model::plan::PlanError;
use plumb_model::units::Bytes;
use plumb_model::workload::PathList;
use plumb_model::workload::paths::PATHS_MAX;

/// Sets target, size, start, layout and workers.
pub fn extent(
    section: &Section,
    engine: Nearest,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    settings.numjobs = at_least_one(section, "numjobs")?;
    let files = section.count("nrfiles")?.unwrap_or(1).max(1);
    target(section, engine, settings, remarks)?;
    workers_and_keep(section, settings, remarks)?;
    if let Nearest::Files(kind) = engine {
        // The named files count, not nrfiles.
        let named = Some(settings.files).filter(|named| *named > 0);
        file_set(section, named.unwrap_or(files), settings, remarks)?;
        if named.is_some() {
            // Under other names they are of no use to later jobs, and each job has a folder of its own.
            settings.set(section, "filename", "keep", "false");
        }
        // Creation and deletion end with the files.
        if kind == "stat" && !section.until_time()? {
            let each = settings.get("files").unwrap_or("1").to_string();
            settings.set(section, "ioengine", "operations", each);
        }
        return Ok(());
    }
    // The named files count, not nrfiles.
    let named = settings
        .get("paths")
        .and_then(|paths| paths.parse::<PathList>().ok())
        .map(|paths| paths.0.len() as u32);
    settings.files = match named {
        Some(named) => named,
        None if settings.is_shared => 1,
        None => files,
    };
    if settings.files as usize > PATHS_MAX {
        return Err(section.error(
            "nrfiles",
            format!("{files} files: a job can have at most {PATHS_MAX} open at once"),
        ));
    }
    start(section, settings, remarks)?;
    size(section, settings.files, settings)?;
    layout(section, settings, remarks);
    if settings.files > 1 {
        file_order(section, settings, remarks);
    }
    Ok(())
}

/// A count that must be at least 1 in fio.
pub fn at_least_one(section: &Section, option: &str) -> Result<u32, PlanError> {
    match section.count(option)? {
        Some(0) => Err(section.error(option, "0 is out of range: write 1 or more")),
        count => Ok(count.unwrap_or(1)),
    }
}

/// Sets the order in which several files are used.
fn file_order(section: &Section, settings: &mut JobSettings, remarks: &mut Remarks) {
    let order = section.text("file_service_type").unwrap_or("roundrobin");
    match order.split(':').next().unwrap_or_default() {
        "roundrobin" if !order.contains(':') => {}
        "sequential" => settings.set(section, "file_service_type", "path-order", "one-by-one"),
        _ => remarks.add(
            &section.name,
            format!(
                "file_service_type={order}: each operation uses the next file, as with roundrobin"
            ),
        ),
    }
}

/// Sets target and workers of a replay: the log determines the used range of the target, and every clone replays the entire log.
pub fn replayed(
    section: &Section,
    engine: Nearest,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    settings.numjobs = at_least_one(section, "numjobs")?;
    target(section, engine, settings, remarks)?;
    // The clones share the files of the log.
    settings.is_shared = true;
    workers_and_keep(section, settings, remarks)
}

fn workers_and_keep(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    if settings.numjobs > 1 {
        settings.set(section, "numjobs", "workers", settings.numjobs.to_string());
    }
    let kept = section.flag_given("unlink")?.map(|removed| !removed);
    if let Some(kept) = kept {
        settings.set(section, "unlink", "keep", kept.to_string());
    } else if settings.get("target") != Some("null:") && !section.flag("create_only")? {
        remarks.add(&section.name, "files that plumb creates are removed at the end, while fio keeps them; set unlink=0 to keep them");
    }
    Ok(())
}

/// The path without backslashes before colons. The error: there are several.
pub fn single(text: &str) -> Result<String, String> {
    let (mut path, mut escaped) = (String::new(), false);
    for letter in text.chars() {
        match letter {
            '\\' if !escaped => escaped = true,
            ':' if !escaped => {
                return Err(format!(
                    "'{text}' gives several targets, but a job of plumb has one; use one section for each, which run concurrently"
                ));
            }
            _ => {
                // Backslashes before anything else are part of the name.
                path.extend((escaped && letter != ':').then_some('\\'));
                path.push(letter);
                escaped = false;
            }
        }
    }
    path.extend(escaped.then_some('\\'));
    Ok(path)
}

/// Sets the target of file operations on files that `filename` names: as many files of plumb's own where the first of them is.
fn next_to_named(
    section: &Section,
    directory: Option<String>,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let names = section.read("filename", |text| {
        text.parse::<PathList>().map_err(|why| why.to_string())
    })?;
    let names = names.map(|names| names.0).unwrap_or_default();
    let below = names.first().and_then(|name| Path::new(name).parent());
    let below = below.filter(|folder| !folder.as_os_str().is_empty());
    let folder = joined(directory, below.map(|folder| folder.display().to_string()));
    settings.files = names.len() as u32;
    remarks.add(
        &section.name,
        "filename: files that are created, listed or deleted get names of plumb's own, in a folder beside the named ones, which are not touched",
    );
    settings.set(section, "filename", "target", folder);
    Ok(())
}

fn target(
    section: &Section,
    engine: Nearest,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    if matches!(engine, Nearest::Engine { name, .. } if engines::is_null(name)) {
        settings.set(section, "ioengine", "target", "null:");
        settings.is_shared = true;
        return Ok(());
    }
    // A redirected replay goes to the given target.
    let redirected = settings.replays && section.text("replay_redirect").is_some();
    let directory = if redirected {
        None
    } else {
        section.read("directory", single)?
    };
    let mut option = ["filename", "replay_redirect"][usize::from(redirected)];
    if !redirected
        && !matches!(engine, Nearest::Files(_))
        && section.text("nfs_url").is_none()
        && several(section, &directory, settings)?
    {
        return Ok(());
    }
    if matches!(engine, Nearest::Files(_)) && section.text("filename").is_some() {
        return next_to_named(section, directory, settings, remarks);
    }
    let mut file = section.read(option, single)?;
    if let (None, Some(format)) = (&file, section.text("filename_format")) {
        (option, file) = ("filename_format", shared_name(section, format)?);
        if file.is_none() {
            remark_own_names(section, format, remarks)?;
        }
    }
    settings.is_shared = file.is_some();
    if directory.is_some() && file.is_none() {
        option = "directory";
    }
    let path = joined(directory, file);
    if let Some(export) = export(section, engine)? {
        let below = path.trim_start_matches("./").trim_start_matches('/');
        let below = Some(below).filter(|below| *below != ".").unwrap_or("");
        settings.set(section, "nfs_url", "target", format!("{export}/{below}"));
        return Ok(());
    }
    if path == "-" {
        return Err(section.error(
            option,
            "plumb does not use standard input or output as target; give a file",
        ));
    }
    refuse_directory(section, option, &path, settings.is_shared)?;
    let is_other = path.contains("://")
        || path == "null"
        || path.parse::<plumb_model::target::Target>().is_err();
    let path = if is_other { format!("./{path}") } else { path };
    if settings.is_shared {
        settings.set(section, option, "extend", "true");
    }
    settings.set(section, option, "target", path);
    Ok(())
}

/// The path that both form together.
fn joined(directory: Option<String>, file: Option<String>) -> String {
    match (directory, file) {
        // fio puts the directory before any name, even one that begins with a slash (add_file in filesetup.c).
        (Some(directory), Some(file)) => format!(
            "{}/{}",
            directory.trim_end_matches('/'),
            file.trim_start_matches('/')
        ),
        // Without the slash a missing directory would become a file.
        (Some(path), None) => format!("{}/", path.trim_end_matches('/')),
        (None, Some(path)) => path,
        (None, None) => ".".to_string(),
    }
}

/// The export that fio's NFS engine uses; the job's files are in it.
fn export(section: &Section, engine: Nearest) -> Result<Option<String>, PlanError> {
    let on_shares = |engine: &EngineProperties| engine.schemes.iter().any(|scheme| scheme.is_share);
    let is_nfs = matches!(engine, Nearest::Engine { name, .. } if engines::is(name, on_shares));
    let url = match (section.text("nfs_url"), is_nfs) {
        (Some(url), true) => url,
        (None, false) => return Ok(None),
        (Some(_), false) => return Err(section.error("nfs_url", "it belongs to ioengine=nfs")),
        (None, true) => {
            let why = "ioengine=nfs needs it; set nfs_url=nfs://SERVER/EXPORT";
            return Err(section.error("nfs_url", why));
        }
    };
    if !url.starts_with("nfs://") || url.contains('?') {
        let why =
            format!("'{url}' is not an export address; use nfs://SERVER/EXPORT without arguments");
        return Err(section.error("nfs_url", why));
    }
    Ok(Some(url.trim_end_matches('/').to_string()))
}

/// Drops settings of local files if the job's files are on an export.
pub fn settle_export(section: &Section, settings: &mut JobSettings, remarks: &mut Remarks) {
    const OF_LOCAL_FILES: &[&str] = &[
        "access-hint",
        "cold",
        "cold-passes",
        "extend",
        "fresh",
        "keep",
        "pre-read",
        "preallocate",
        "reuse",
        "unfilled",
    ];
    if section.text("nfs_url").is_some() {
        OF_LOCAL_FILES.iter().for_each(|key| settings.drop_key(key));
        remarks.add(&section.name, "files on an export are removed at the end");
    }
}

/// The name is a file name, but a directory exists: fio does not accept it as a file.
fn refuse_directory(
    section: &Section,
    option: &str,
    path: &str,
    is_named: bool,
) -> Result<(), PlanError> {
    if is_named && Path::new(path).is_dir() {
        let why = format!("'{path}' is a directory; set directory={path}, or give a file in it");
        return Err(section.error(option, why));
    }
    Ok(())
}

/// Files that are kept, and several of them, are named by the format.
fn remark_own_names(
    section: &Section,
    format: &str,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let is_taken = section.flag_given("unlink")? == Some(false)
        || section.count("nrfiles")?.is_some_and(|files| files > 1);
    if !is_taken {
        remarks.add(
            &section.name,
            format!("filename_format={format}: plumb chooses its own file names"),
        );
    }
    Ok(())
}

/// Sets several files or devices; `false`: `filename` has only one.
fn several(
    section: &Section,
    directory: &Option<String>,
    settings: &mut JobSettings,
) -> Result<bool, PlanError> {
    // An address has colons of its own, and one with a password is refused where targets are read.
    let is_several = |text: &&str| single(text).is_err() && !text.contains("://");
    if section.text("filename").filter(is_several).is_none() {
        return Ok(false);
    }
    let paths = section.read("filename", |text| {
        text.parse::<PathList>().map_err(|why| why.to_string())
    })?;
    let paths = paths.map(|paths| paths.to_string()).unwrap_or_default();
    settings.is_shared = true;
    settings.set(section, "filename", "extend", "true");
    settings.set(section, "filename", "paths", paths);
    let directory = directory.as_ref().map_or(".".to_string(), |path| {
        format!("{}/", path.trim_end_matches('/'))
    });
    settings.set(section, "filename", "target", directory);
    Ok(true)
}

/// The common name of all clones, if the format does not include job or clone.
fn shared_name(section: &Section, format: &str) -> Result<Option<String>, PlanError> {
    if ["$jobname", "$jobnum", "$jobuid", "$clientuid"]
        .iter()
        .any(|word| format.contains(word))
    {
        return Ok(None);
    }
    section.read("filename_format", |format| {
        single(&format.replace("$filenum", "0"))
    })
}

/// Files for file operations: `nrfiles` for each clone.
fn file_set(
    section: &Section,
    files: u32,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    settings.on_files = true;
    for option in ["rate", "rate_iops", "thinktime", "verify"] {
        if section.text(option).is_some() {
            return Err(section.error(
                option,
                "it does not work with file creation, stat and deletion in a job file; use a plan with mix = create and rate",
            ));
        }
    }
    settings.set(
        section,
        "nrfiles",
        "files",
        (u64::from(files) * u64::from(settings.numjobs)).to_string(),
    );
    if on_directories(section.text("ioengine").unwrap_or_default()) {
        return Ok(());
    }
    if let Some(bytes) = section.bytes("filesize")?.filter(|bytes| *bytes > 0) {
        settings.set(section, "filesize", "block", Bytes(bytes).to_string());
    }
    remarks
        .add(&section.name, "a file that plumb creates also gets one block of content, while fio's stays empty; the key block sets its size");
    Ok(())
}

/// Lengths in bytes of the files that an earlier run left under fio's names; `None` where one is not there.
fn left_lengths(section: &Section, settings: &JobSettings) -> Option<Vec<u64>> {
    if settings.is_shared || settings.on_files || settings.replays {
        return None;
    }
    let folder = Path::new(settings.get("target").unwrap_or("."));
    let length = |file| {
        let found = folder.join(section.file_name(0, file)).metadata().ok()?;
        found.is_file().then_some(found.len())
    };
    (0..settings.files.max(1)).map(length).collect()
}

/// What is in them from the job's offset on.
fn left_bytes(section: &Section, settings: &JobSettings) -> Option<u64> {
    let lengths = left_lengths(section, settings)?.into_iter();
    let rest = lengths.map(|length| length.saturating_sub(settings.start_bytes));
    Some(rest.sum()).filter(|bytes| *bytes > 0)
}

/// Size in bytes of the job's file or device, for a percentage of this option.
fn existing_bytes(
    section: &Section,
    option: &str,
    settings: &JobSettings,
) -> Result<u64, PlanError> {
    if let Some(lengths) = left_lengths(section, settings) {
        return Ok(lengths.into_iter().sum());
    }
    let target = settings.get("target").unwrap_or(".");
    let bytes = File::open(target).and_then(|mut file| match file.metadata()?.is_dir() {
        true => Err(std::io::ErrorKind::IsADirectory.into()),
        false => file.seek(SeekFrom::End(0)),
    });
    bytes.map_err(|error| {
        let text = section.text(option).unwrap_or_default();
        section.error(
            option,
            format!("{text} needs the size of {target}, which is unknown ({error}); set filename to an existing file or device, or give bytes"),
        )
    })
}

fn size(section: &Section, files: u32, settings: &mut JobSettings) -> Result<(), PlanError> {
    let each = section.bytes("filesize")?.filter(|bytes| *bytes > 0);
    let all_files = each.map(|each| each.saturating_mul(u64::from(files)));
    let mut part = None;
    let asked = match section.size("size")? {
        None => None,
        Some(Size::Bytes(bytes)) => Some(bytes).filter(|bytes| *bytes > 0),
        Some(Size::Percent(100.0)) => None,
        Some(Size::Percent(share)) => {
            let size_bytes =
                all_files.map_or_else(|| existing_bytes(section, "size", settings), Ok)?;
            part = Some((size_bytes as f64 * share / 100.0) as u64);
            part
        }
    };
    settings.region_bytes = part
        .or(all_files)
        .or(asked)
        .or_else(|| left_bytes(section, settings));
    let Some(region) = settings.region_bytes else {
        return Ok(());
    };
    let clones = if settings.is_shared {
        1
    } else {
        u64::from(settings.numjobs)
    };
    let option = if all_files.is_some() && part.is_none() {
        "filesize"
    } else {
        "size"
    };
    settings.set(
        section,
        option,
        "size",
        Bytes(region.saturating_mul(clones)).to_string(),
    );
    Ok(())
}

/// Bytes from the start of the file, also as a percentage of what is there.
fn from_start(section: &Section, option: &str, settings: &JobSettings) -> Result<u64, PlanError> {
    match section.size(option)? {
        None => Ok(0),
        Some(Size::Bytes(bytes)) => Ok(bytes),
        Some(Size::Percent(share)) => {
            let bytes = existing_bytes(section, option, settings)?;
            let bytes = bytes / u64::from(settings.files.max(1));
            Ok((bytes as f64 * share / 100.0) as u64)
        }
    }
}

/// The length of the file that a job without a size goes over, if it is there.
pub fn bytes_there(section: &Section, settings: &JobSettings) -> Option<u64> {
    // Opening anything else may wait, or begin something.
    let is_file = Path::new(settings.get("target")?).is_file();
    if settings.files > 1 || !is_file {
        return None;
    }
    let bytes = existing_bytes(section, "size", settings).ok()?;
    Some(bytes.saturating_sub(settings.start_bytes)).filter(|bytes| *bytes > 0)
}

fn start(
    section: &Section,
    settings: &mut JobSettings,
    remarks: &mut Remarks,
) -> Result<(), PlanError> {
    let block = settings.smallest_block().unwrap_or(1).max(1);
    let start = from_start(section, "offset", settings)?;
    // A percentage is rounded up to a block (get_start_offset in fio's filesetup.c).
    let is_share = section
        .text("offset")
        .is_some_and(|text| text.contains('%'));
    let increment = from_start(section, "offset_increment", settings)?;
    settings.increment_bytes = increment;
    settings.start_bytes = match is_share {
        true => start.next_multiple_of(block),
        false => start,
    };
    if settings.start_bytes > 0 {
        settings.set(
            section,
            "offset",
            "start",
            Bytes(settings.start_bytes).to_string(),
        );
    }
    if !settings.is_shared
        && settings.numjobs > 1
        && settings.start_bytes.max(settings.increment_bytes) > 0
    {
        remarks.add(&section.name, "clones with their own files start at offset 0, without the hole that fio's offset leaves");
        settings.increment_bytes = 0;
    }
    Ok(())
}

fn layout(section: &Section, settings: &mut JobSettings, remarks: &mut Remarks) {
    if settings.numjobs == 1 {
        return;
    }
    if !settings.is_shared {
        settings.set(section, "numjobs", "layout", "own");
        return;
    }
    settings.set(section, "numjobs", "layout", "shared");
    // Consecutive parts: the same as layout own with one file.
    if settings.increment_bytes > 0 && settings.region_bytes == Some(settings.increment_bytes) {
        let all = settings
            .increment_bytes
            .saturating_mul(u64::from(settings.numjobs));
        settings.set(section, "offset_increment", "layout", "own");
        settings.set(section, "offset_increment", "size", Bytes(all).to_string());
        settings.increment_bytes = 0;
    } else if settings.increment_bytes == 0
        && settings
            .get("offsets")
            .is_some_and(|offsets| offsets == "sequential")
    {
        // Data that is read back must have a single writer at a time.
        if section.text("verify").is_none() {
            settings.set(section, "numjobs", "same-start", "true");
        } else {
            remarks.add(
                &section.name,
                "the clones share one file, and each starts at a different part of it; in fio all start at the beginning",
            );
        }
    }
}
