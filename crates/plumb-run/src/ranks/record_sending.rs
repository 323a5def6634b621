//! How does the record of a rank get to rank 0, where they share no folder? In pieces, which rank 0 appends; the rank keeps its own.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};

use super::message::Message;

/// Files of a run folder, the only ones that are sent and taken.
const RUN_FILES: [&str; 4] = ["run.json", "ticks.jsonl", "readings.jsonl", "notes.jsonl"];
/// Most bytes of a file in one message.
const PIECE_BYTES: usize = 256 << 10;

/// Sends all of the record by `say`. Errors: a file cannot be read.
pub fn send_record(folder: &Path, say: &dyn Fn(Message)) -> anyhow::Result<()> {
    for file in RUN_FILES {
        let path = folder.join(file);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{}: the record cannot be read", path.display()))?;
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let mut end = rest.len().min(PIECE_BYTES);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, after) = rest.split_at(end);
            say(Message::Piece {
                file: file.into(),
                text: piece.into(),
            });
            rest = after;
        }
    }
    Ok(())
}

/// Appends a piece to the record of a rank in the run folder. Errors: it is no file of a record, or cannot be written.
pub fn take_piece(whole: &Path, rank: u32, file: &str, text: &str) -> anyhow::Result<()> {
    if !RUN_FILES.contains(&file) {
        bail!("rank {rank} sent a file '{file}', which is none of a record");
    }
    let folder = whole.join("ranks").join(format!("{rank:04}"));
    let path = folder.join(file);
    fs::create_dir_all(&folder)
        .and_then(|()| OpenOptions::new().create(true).append(true).open(&path))
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("{}: the record of a rank cannot be kept", path.display()))
}
