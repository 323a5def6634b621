//! What is a file of another program that the user names? The one place that decides it, for every command.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context, bail};
use plumb_observe::captures::is_capture;
use plumb_observe::trace_format::event_tracing::is_event_trace;
use plumb_observe::trace_formats::{FORMATS, format_of as trace_format_of, head_of, without_use};
use plumb_plan::fio_job::is_job_file;
use plumb_record::importer::{HEAD_BYTES, Importer, Source};
use plumb_record::importers::{IMPORTERS, format_of};
use plumb_record::shared::is_shared;
use plumb_record::text::decoded;

use crate::named_plan::job_files::is_of_iometer;

/// What a file holds.
#[derive(Debug, Clone, Copy)]
pub enum FileKind {
    /// What a program measured, which this importer reads.
    Result(&'static Importer),
    /// A run of plumb that `plumb share` packed.
    SharedRun,
    /// Calls, packets or requests of an application.
    Trace,
    /// A job file of fio.
    JobFile,
    /// A configuration file of Iometer.
    IometerConfiguration,
}

/// The kind of a file.
///
/// Errors: it cannot be read, is a folder, or is none of these; in one line.
pub fn kind_of(file: &Path) -> anyhow::Result<FileKind> {
    if is_of_iometer(file) {
        return Ok(FileKind::IometerConfiguration);
    }
    let opened = File::open(file).map_err(|error| {
        anyhow::anyhow!(
            "cannot be opened: {error}; name result files of other programs (plumb import --list shows the kinds)"
        )
    })?;
    if opened.metadata().is_ok_and(|of| of.is_dir()) {
        bail!("is a folder; name its files");
    }
    if is_shared(file) {
        return Ok(FileKind::SharedRun);
    }
    if is_trace(file) {
        return Ok(FileKind::Trace);
    }
    let mut opened = BufReader::with_capacity(HEAD_BYTES, opened);
    let head = opened.fill_buf().context("cannot be read")?.to_vec();
    let name = file.display().to_string();
    let result = format_of(&mut Source {
        name: &name,
        reader: &mut opened,
    });
    match result {
        Ok(Some(importer)) => return Ok(FileKind::Result(importer)),
        Ok(None) => {}
        Err(error) if is_compressed(&head) => {
            bail!("is compressed, and damaged or incomplete: {error}")
        }
        Err(error) => return Err(error.into()),
    }
    let is_named_job = file.extension().is_some_and(|of| of == "fio");
    if is_named_job || is_job_file(&text_of(&head)) {
        return Ok(FileKind::JobFile);
    }
    bail!("{}", unknown(&head))
}

/// Whether a file, or what it begins with, is a trace that [`crate::traces::read`] reads.
pub fn is_trace(file: &Path) -> bool {
    let head = File::open(file).and_then(|mut file| head_of(&mut file));
    head.is_ok_and(|head| {
        let is_by_events = is_event_trace(&head) || has_name_of_event_trace(file);
        let text = || decoded(head.as_slice()).and_then(|mut text| head_of(&mut text));
        is_capture(&head)
            || is_by_events
            || text().is_ok_and(|text| trace_format_of(&text).is_some())
    })
}

/// Whether a file has the name of a recording by Windows' event tracing.
pub(crate) fn has_name_of_event_trace(file: &Path) -> bool {
    file.extension()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("etl"))
}

/// Why a file is of no kind, and which kinds there are.
fn unknown(head: &[u8]) -> String {
    if let Some(why) = without_use(head) {
        return format!("cannot be used: {why}");
    }
    let what = match head {
        [] => "is empty",
        // Captures too: they are read as they are only.
        head if is_compressed(head) => "is compressed; decompress it first",
        _ => "has an unknown format",
    };
    let results: Vec<&str> = IMPORTERS.iter().map(|importer| importer.name).collect();
    let traces: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    format!(
        "{what}; plumb reads results ({}), traces (pcap, pcapng, etl, {}), and job files of fio and Iometer",
        results.join(", "),
        traces.join(", ")
    )
}

/// True for what gzip, zstd or xz wrote.
pub(crate) fn is_compressed(head: &[u8]) -> bool {
    matches!(
        head,
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0xfd, b'7', b'z', ..]
    )
}

/// The text of a file's beginning, in any encoding.
fn text_of(head: &[u8]) -> String {
    let mut text = Vec::new();
    // Bytes in memory can always be read.
    let _ = decoded(head).and_then(|mut decoded| decoded.read_to_end(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str, bytes: &[u8]) -> Result<FileKind, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        kind_of(&file).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn each_kind_is_known_in_every_encoding() {
        let wide = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<_>>()
        };
        let job = "[global]\nioengine=libaio\n[a]\nrw=read\nsize=1m\n";
        let result = "{\n \"fio version\" : \"fio-3.33\",\n \"jobs\" : []\n}\n";
        let calls = "1,R,0,4096,1577808144360767\n2,W,0,4096,1577808144360768\n";
        for encoded in [
            |text: &str| text.as_bytes().to_vec(),
            |text: &str| format!("\u{feff}{text}").into_bytes(),
        ] {
            assert!(matches!(kind("a", &encoded(job)), Ok(FileKind::JobFile)));
            assert!(
                matches!(kind("a", &encoded(result)), Ok(FileKind::Result(of)) if of.name == "fio-json")
            );
            assert!(matches!(kind("a", &encoded(calls)), Ok(FileKind::Trace)));
        }
        assert!(matches!(kind("a", &wide(job)), Ok(FileKind::JobFile)));
        assert!(
            matches!(kind("a", &wide(result)), Ok(FileKind::Result(of)) if of.name == "fio-json")
        );
        assert!(matches!(kind("a", &wide(calls)), Ok(FileKind::Trace)));
        assert!(matches!(
            kind("a.ICF", b"x"),
            Ok(FileKind::IometerConfiguration)
        ));
        assert!(matches!(kind("a.fio", b"x"), Ok(FileKind::JobFile)));
    }

    #[test]
    fn what_is_no_file_of_a_storage_program_is_refused_in_one_line() {
        for (text, expected) in [
            ("", "is empty"),
            ("\u{1f}\u{8b}", "has an unknown format"),
            (
                "[global]\n workgroup = W\n server string = nas\n[share]\n path = /srv\n",
                "has an unknown format",
            ),
            (
                "[mysqld]\ninnodb_io_capacity=200\n",
                "has an unknown format",
            ),
            ("smartctl 7.3\nDevice Model: X\n", "has an unknown format"),
        ] {
            let message = kind("a", text.as_bytes()).expect_err(text);
            assert!(
                message.starts_with(expected)
                    && message.contains("fio-json")
                    && message.contains("strace"),
                "{message}"
            );
            assert_eq!(message.lines().count(), 1);
        }
        let warp = include_bytes!("../../../testdata/foreign/warp/1.6-get.json.zst");
        let known = kind("a.zst", warp).expect("as it is");
        assert!(matches!(known, FileKind::Result(importer) if importer.name == "warp-json"));
        assert!(
            kind("a.xz", b"\xfd7zXZ\x00")
                .expect_err("compressed")
                .contains("decompress")
        );
        assert!(
            kind("a.gz", b"\x1f\x8b\x08")
                .expect_err("cut off")
                .starts_with("is compressed, and damaged or incomplete")
        );
    }
}
