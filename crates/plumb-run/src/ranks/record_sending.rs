//! How does the record of a rank get to rank 0, where they share no folder? In pieces, which rank 0 appends; the rank keeps its own.

use std::fs;
use std::path::Path;

use anyhow::Context;
use plumb_record::folder::rank_folder;

use super::message::Message;
use crate::agent::RUN_FILES;
use crate::agent::client::append;

/// Most bytes of a file in one message.
const PIECE_BYTES: usize = 256 << 10;

/// Sends all of the record by `send`. Errors: a file cannot be read.
pub fn send_record(folder: &Path, send: &dyn Fn(Message)) -> anyhow::Result<()> {
    for file in RUN_FILES {
        let path = folder.join(file);
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{}: cannot read the record", path.display()))?;
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let mut end = rest.len().min(PIECE_BYTES);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (piece, after) = rest.split_at(end);
            send(Message::Piece {
                file: file.into(),
                text: piece.into(),
            });
            rest = after;
        }
    }
    Ok(())
}

/// Appends a piece to the record of a rank in the run folder. Errors: it is no file of a record, or cannot be written.
pub fn take_piece(folder_of_run: &Path, rank: u32, file: &str, text: &str) -> anyhow::Result<()> {
    let folder = rank_folder(folder_of_run, rank);
    fs::create_dir_all(&folder)
        .with_context(|| format!("{}: cannot store the record of a rank", folder.display()))?;
    append(&folder, file, text).with_context(|| format!("rank {rank}"))
}
