//! Which bytes has a block that is filled with fio's `verify_pattern`?

use std::borrow::Cow;

use plumb_model::workload::{FioMarks, PatternPart};

/// The pattern of a block, which may contain the block's offset.
#[derive(Debug)]
pub(super) struct Pattern {
    bytes: Vec<u8>,
    /// Where in it offsets stand.
    offsets: Vec<usize>,
    /// It begins anew every so many bytes of a block.
    segment: usize,
}

impl Pattern {
    /// None without a pattern.
    pub(super) fn new(marks: &FioMarks) -> Option<Pattern> {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        for part in &marks.pattern {
            match part {
                PatternPart::Bytes(more) => bytes.extend(more),
                PatternPart::Offset => {
                    offsets.push(bytes.len());
                    bytes.extend([0; 8]);
                }
            }
        }
        let segment = marks.pattern_interval.map(|interval| interval.0 as usize);
        let segment = segment.unwrap_or(usize::MAX).max(1);
        (!bytes.is_empty()).then_some(Pattern {
            bytes,
            offsets,
            segment,
        })
    }

    /// The pattern with this offset in it.
    fn with(&self, offset: u64) -> Cow<'_, [u8]> {
        if self.offsets.is_empty() {
            return Cow::Borrowed(&self.bytes);
        }
        let mut bytes = self.bytes.clone();
        for at in &self.offsets {
            bytes[*at..at + 8].copy_from_slice(&offset.to_le_bytes());
        }
        Cow::Owned(bytes)
    }

    /// Calls `piece` with each range of `len` bytes that begin at byte `from` of a block at `offset`, the pattern that it has, and where that continues.
    fn pieces(
        &self,
        offset: u64,
        from: usize,
        len: usize,
        mut piece: impl FnMut(std::ops::Range<usize>, &[u8], usize) -> bool,
    ) {
        let mut done = 0;
        while done < len {
            let position = from + done;
            let within = position % self.segment;
            let count = (self.segment - within).min(len - done);
            let pattern = self.with(offset + (position - within) as u64);
            if !piece(done..done + count, &pattern, within) {
                return;
            }
            done += count;
        }
    }

    /// Fills what begins at byte `from` of a block at `offset`.
    pub(super) fn fill(&self, offset: u64, from: usize, out: &mut [u8]) {
        self.pieces(offset, from, out.len(), |range, pattern, within| {
            let mut bytes = pattern.iter().cycle().skip(within % pattern.len());
            out[range].fill_with(|| bytes.next().copied().unwrap_or_default());
            true
        });
    }

    /// The first byte of what begins at byte `from` of a block at `offset` that is not the pattern's: where, and what it should be.
    pub(super) fn first_difference(
        &self,
        offset: u64,
        from: usize,
        found: &[u8],
    ) -> Option<(usize, u8)> {
        let mut first = None;
        self.pieces(offset, from, found.len(), |range, pattern, within| {
            let expected = pattern.iter().cycle().skip(within % pattern.len());
            let mut pairs = found[range.clone()].iter().zip(expected).enumerate();
            let differing = pairs.find(|(_, (found, expected))| found != expected);
            first = differing.map(|(at, (_, expected))| (range.start + at, *expected));
            first.is_none()
        });
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, offset: u64, len: usize) -> Vec<u8> {
        let marks: FioMarks = text.parse().expect("marks");
        let pattern = Pattern::new(&marks).expect("a pattern");
        let mut out = vec![0xee; len];
        pattern.fill(offset, 0, &mut out);
        assert_eq!(pattern.first_difference(offset, 0, &out), None);
        for at in 0..len {
            let expected = std::mem::replace(&mut out[at], !0x55);
            let is_same = expected == !0x55;
            let found = pattern.first_difference(offset, 0, &out);
            assert_eq!(found, (!is_same).then_some((at, expected)));
            out[at] = expected;
            let rest = pattern.first_difference(offset, at, &out[at..]);
            assert_eq!(rest, None, "from {at}");
        }
        out
    }

    #[test]
    fn a_pattern_repeats_over_the_block() {
        assert_eq!(filled("pattern pattern=616263", 512, 8), b"abcabcab");
        let begun_anew = filled("pattern pattern=616263 pattern-interval=4", 512, 10);
        assert_eq!(begun_anew, b"abcaabcaab");
    }

    #[test]
    fn an_offset_is_that_of_the_block_or_of_the_pattern_interval() {
        let offset = |offset: u64| offset.to_le_bytes();
        let of_block = filled("pattern pattern=%o", 4096, 20);
        assert_eq!(
            of_block,
            [&offset(4096)[..], &offset(4096), &offset(4096)[..4]].concat()
        );
        let of_interval = filled("pattern pattern=31%o pattern-interval=10", 4096, 24);
        let piece = |at| [b"1", &offset(at)[..], b"1"].concat();
        assert_eq!(
            of_interval,
            [piece(4096), piece(4106), piece(4116)[..4].to_vec()].concat()
        );
    }
}
