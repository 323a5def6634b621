//! What does every fuzz target do? Hands the bytes to one importer, as a file of its kind.

use std::io::BufReader;

use plumb_record::importer::{HEAD_BYTES, Head, Source};
use plumb_record::importers;

/// Recognises and imports the bytes; the answer may be anything but a panic, a hang, or memory without end.
///
/// # Panics
/// There is no importer of this name, or it panics.
pub fn import(importer: &str, bytes: &[u8]) {
    let importer = importers::by_name(importer).unwrap_or_else(|error| panic!("{error}"));
    let _ = (importer.recognises)(&Head { name: "fuzzed", bytes: &bytes[..bytes.len().min(HEAD_BYTES)] });
    let mut reader = BufReader::with_capacity(HEAD_BYTES, bytes);
    if let Ok(runs) = importers::import(&mut Source { name: "fuzzed", reader: &mut reader }, Some(importer)) {
        // Times go forward: what draws and summarises runs rests on it.
        assert!(runs.iter().flat_map(|run| &run.ticks).all(|tick| tick.start_ns <= tick.end_ns));
    }
}
