//! Which file formats can be imported? The list, and how the format of a file is recognized.

mod bonnie;
mod dd;
mod diskspd;
mod elbencho;
mod fio_json;
mod fio_log;
mod fio_terse;
mod fio_text;
mod iometer;
mod ior;
mod iozone_text;
mod iozone_xls;
mod iperf3;
mod netpipe;
mod perfmon;
#[cfg(test)]
mod tests;

use plumb_model::run::Run;

use crate::importer::{HEAD_BYTES, Head, ImportError, Importer, Source};

/// All importers.
pub static IMPORTERS: &[&Importer] = &[
    &bonnie::IMPORTER,
    &dd::IMPORTER,
    &diskspd::IMPORTER,
    &elbencho::IMPORTER,
    &fio_json::IMPORTER,
    &fio_log::IMPORTER,
    &fio_terse::IMPORTER,
    &fio_text::IMPORTER,
    &iometer::IMPORTER,
    &ior::IMPORTER,
    &iozone_text::IMPORTER,
    &iozone_xls::IMPORTER,
    &iperf3::IMPORTER,
    &netpipe::IMPORTER,
    &perfmon::IMPORTER,
];

/// The importer of this name.
///
/// # Errors
/// There is none; the message lists the available ones.
pub fn by_name(name: &str) -> Result<&'static Importer, String> {
    IMPORTERS
        .iter()
        .copied()
        .find(|importer| importer.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = IMPORTERS.iter().map(|importer| importer.name).collect();
            format!(
                "unknown import format '{name}'; choose one of {}",
                names.join(", ")
            )
        })
}

/// Imports a file in this format, or in the format that it is recognized as. Each run names its importer and the file.
///
/// # Errors
/// No importer recognizes it, or the matching one finds nothing usable.
pub fn import(source: &mut Source<'_>, kind: Option<&Importer>) -> Result<Vec<Run>, ImportError> {
    let name = source
        .name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
        .to_string();
    let importer = match kind {
        Some(importer) => importer,
        None => recognized(source, &name)?,
    };
    let mut runs = (importer.import)(source)?;
    for imported in runs
        .iter_mut()
        .filter_map(|run| run.header.imported.as_mut())
    {
        imported.importer = importer.name.into();
        imported.file = source.name.into();
    }
    Ok(runs)
}

fn recognized(source: &mut Source<'_>, name: &str) -> Result<&'static Importer, ImportError> {
    // The buffer holds the beginning without consuming it, if it is large enough, which the caller ensures.
    let bytes = source
        .reader
        .fill_buf()
        .map_err(|error| ImportError::of_file(format!("a readable file: {error}")))?;
    let head = Head {
        name,
        bytes: &bytes[..bytes.len().min(HEAD_BYTES)],
    };
    IMPORTERS
        .iter()
        .copied()
        .find(|importer| (importer.recognizes)(&head))
        .ok_or_else(|| {
            let programs: Vec<_> = IMPORTERS.iter().map(|importer| importer.name).collect();
            ImportError::of_file(format!(
                "a file that begins like one of these formats: {}",
                programs.join(", ")
            ))
        })
}
