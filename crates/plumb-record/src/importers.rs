//! Which file formats can be imported? The list, and how the format of a file is recognized.

mod bonnie;
mod crystaldiskmark;
mod dd;
mod diskspd;
mod diskspd_text;
mod elbencho;
mod elbencho_json;
mod elbencho_text;
mod fio_json;
mod fio_log;
mod fio_terse;
mod fio_text;
mod io500;
mod iometer;
mod ioping;
mod ior;
mod ior_text;
mod iostat;
mod iozone_text;
mod iozone_xls;
mod iperf3;
mod iperf3_text;
mod mdtest;
mod netpipe;
mod perfmon;
mod sar;
mod smbclient;
mod spdk_perf;
mod sysbench;
#[cfg(test)]
mod tests;
mod warp;
mod warp_json;

use std::io::{BufRead, Cursor, Read};

use plumb_model::run::Run;

use crate::importer::{HEAD_BYTES, Head, ImportError, Importer, Source};
use crate::text::{Prefix, Unprefixed, decoded};

/// All importers.
pub static IMPORTERS: &[&Importer] = &[
    &bonnie::IMPORTER,
    &crystaldiskmark::IMPORTER,
    &dd::IMPORTER,
    &diskspd::IMPORTER,
    &diskspd_text::IMPORTER,
    &elbencho::IMPORTER,
    &elbencho_json::IMPORTER,
    &elbencho_text::IMPORTER,
    &fio_json::IMPORTER,
    &fio_log::IMPORTER,
    &fio_terse::IMPORTER,
    &fio_text::IMPORTER,
    &io500::IMPORTER,
    &iometer::IMPORTER,
    &ioping::IMPORTER,
    &ior::IMPORTER,
    &ior_text::IMPORTER,
    &iostat::IMPORTER,
    &iozone_text::IMPORTER,
    &iozone_xls::IMPORTER,
    &iperf3::IMPORTER,
    &iperf3_text::IMPORTER,
    &mdtest::IMPORTER,
    &netpipe::IMPORTER,
    &perfmon::IMPORTER,
    &sar::IMPORTER,
    &smbclient::IMPORTER,
    &spdk_perf::IMPORTER,
    &sysbench::IMPORTER,
    &warp::IMPORTER,
    &warp_json::IMPORTER,
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
    let name = source.name;
    let (importer, mut reader) = opened(source, kind)?;
    let importer = kind.or(importer).ok_or_else(|| {
        let programs: Vec<_> = IMPORTERS.iter().map(|importer| importer.name).collect();
        ImportError::of_file(format!(
            "a file that begins like one of these formats: {}",
            programs.join(", ")
        ))
    })?;
    let mut runs = (importer.import)(&mut Source {
        name,
        reader: &mut *reader,
    })?;
    for imported in runs
        .iter_mut()
        .filter_map(|run| run.header.imported.as_mut())
    {
        imported.importer = importer.name.into();
        imported.file = name.into();
    }
    Ok(runs)
}

/// The format that a file is recognized as; `None` if no importer recognizes it.
///
/// # Errors
/// It cannot be read.
pub fn format_of(source: &mut Source<'_>) -> Result<Option<&'static Importer>, ImportError> {
    Ok(opened(source, None)?.0)
}

/// The importer that recognizes a file, and the file.
type Opened<'a> = (Option<&'static Importer>, Box<dyn BufRead + 'a>);

/// The importer that recognizes a file, of all or only this one, and the file as it reads it: in UTF-8, and without what was put before each line.
fn opened<'a>(
    source: &'a mut Source<'_>,
    kind: Option<&Importer>,
) -> Result<Opened<'a>, ImportError> {
    let name = source.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let unreadable = |error| ImportError::unreadable(&error);
    let mut text = decoded(&mut *source.reader).map_err(unreadable)?;
    let mut head = Vec::new();
    text.by_ref()
        .take(HEAD_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(unreadable)?;
    let recognized = |bytes: &[u8]| {
        let head = Head { name, bytes };
        let of_kind = |importer: &&&Importer| kind.is_none_or(|kind| kind.name == importer.name);
        IMPORTERS
            .iter()
            .filter(of_kind)
            .copied()
            .find(|importer| (importer.recognizes)(&head))
    };
    let prefix = Prefix::of(&head);
    let clean = prefix.and_then(|prefix| {
        let mut clean = Vec::new();
        Unprefixed::new(head.as_slice(), prefix.clone())
            .read_to_end(&mut clean)
            .ok()?;
        Some((recognized(&clean)?, prefix))
    });
    let raw = clean.is_none().then(|| recognized(&head)).flatten();
    let whole = Cursor::new(head).chain(text);
    Ok(match clean {
        Some((importer, prefix)) => (Some(importer), Box::new(Unprefixed::new(whole, prefix))),
        None => (raw, Box::new(whole)),
    })
}
