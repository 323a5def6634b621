//! In which of several files does a block lie? Blocks of one range of numbers are dealt to the files in turn, or one file after the other.

use plumb_model::workload::PathOrder;

use crate::engine::operation::Op;
use crate::site::SiteFile;

/// Several files as one range of bytes from 0 on.
#[derive(Debug)]
pub struct Spread {
    /// First byte in use of each file, and where it ends in the range.
    files: Vec<(u64, u64)>,
    /// Bytes of each file, when all have as many and are taken in turn.
    in_turn: Option<InTurn>,
}

#[derive(Debug, Clone, Copy)]
struct InTurn {
    block: u64,
    each: u64,
    /// The next file, if offsets are independent draws; missing: the offset selects the file.
    next: Option<u64>,
}

impl Spread {
    /// `block_bytes`: what lies in one file before the next one comes. With `draws` offsets are independent draws, which leave the choice of the file free.
    pub fn new(files: &[SiteFile], order: PathOrder, block_bytes: u64, draws: bool) -> Spread {
        let mut end = 0;
        let ranges = files.iter().map(|file| {
            end += file.len;
            (file.start, end)
        });
        let ranges: Vec<(u64, u64)> = ranges.collect();
        let each = files.first().map_or(0, |file| file.len);
        let block = block_bytes.max(1);
        let alike = files.iter().all(|file| file.len == each) && each.is_multiple_of(block);
        Spread {
            files: ranges,
            in_turn: (alike && order == PathOrder::InTurn).then_some(InTurn {
                block,
                each,
                next: draws.then_some(0),
            }),
        }
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.last().map_or(0, |(_, end)| *end)
    }

    /// Sets file and offset of each operation from its position in the range. A block that would cross the end of a file is moved back to end there.
    pub fn assign(&mut self, ops: &mut [Op]) {
        let count = self.files.len() as u64;
        for op in ops {
            let (file, at, bytes) = match &mut self.in_turn {
                Some(InTurn { block, each, next }) => {
                    let (number, rest) = (op.offset / *block, op.offset % *block);
                    let at = number / count * *block + rest;
                    let file = match next {
                        Some(next) => std::mem::replace(next, (*next + 1) % count),
                        None => number % count,
                    };
                    (file as usize, at, *each)
                }
                None => {
                    let file = self.files.partition_point(|(_, end)| *end <= op.offset);
                    let file = file.min(self.files.len() - 1);
                    let begin = if file == 0 { 0 } else { self.files[file - 1].1 };
                    (file, op.offset - begin, self.files[file].1 - begin)
                }
            };
            let at = at.min(bytes.saturating_sub(u64::from(op.len)));
            op.file = file as u32;
            op.offset = self.files[file].0 + at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::SiteKind;
    use plumb_model::workload::OperationKind;

    fn offsets_of(
        lengths: &[u64],
        (order, draws): (PathOrder, bool),
        offsets: &[u64],
        len: u32,
    ) -> Vec<(u32, u64)> {
        let files: Vec<SiteFile> = (0..)
            .zip(lengths)
            .map(|(index, len)| SiteFile {
                index,
                path: "x".into(),
                start: 100,
                len: *len,
                kind: SiteKind::File,
                identity: None,
                folder: None,
            })
            .collect();
        let mut spread = Spread::new(&files, order, 8, draws);
        assert_eq!(spread.bytes(), lengths.iter().sum::<u64>());
        let mut ops: Vec<Op> = offsets
            .iter()
            .map(|offset| Op {
                offset: *offset,
                len,
                slot: 0,
                file: 0,
                kind: OperationKind::Read,
                priority: 0,
            })
            .collect();
        spread.assign(&mut ops);
        ops.iter().map(|op| (op.file, op.offset - 100)).collect()
    }

    #[test]
    fn blocks_are_dealt_in_turn_or_file_by_file() {
        let offsets: Vec<u64> = (0..6).map(|block| block * 8).collect();
        assert_eq!(
            offsets_of(&[16, 16, 16], (PathOrder::InTurn, false), &offsets, 8),
            [(0, 0), (1, 0), (2, 0), (0, 8), (1, 8), (2, 8)]
        );
        let one_by_one = [(0, 0), (0, 8), (1, 0), (1, 8), (2, 0), (2, 8)];
        assert_eq!(
            offsets_of(&[16, 16, 16], (PathOrder::OneByOne, false), &offsets, 8),
            one_by_one
        );
        assert_eq!(
            offsets_of(&[8, 32, 8], (PathOrder::InTurn, false), &offsets, 8),
            [(0, 0), (1, 0), (1, 8), (1, 16), (1, 24), (2, 0)],
            "of files of different lengths one after the other"
        );
        assert_eq!(
            offsets_of(&[16, 16], (PathOrder::OneByOne, false), &[12], 8),
            [(0, 8)],
            "no block crosses the end of a file"
        );
        assert_eq!(
            offsets_of(
                &[16, 16, 16],
                (PathOrder::InTurn, true),
                &[40, 0, 24, 24],
                8
            ),
            [(0, 8), (1, 0), (2, 8), (0, 8)],
            "each file as often as the others"
        );
    }
}
