//! Which bytes of a file were never written, as the file systems of Windows report it: those beyond the valid data (MS-FSCC 2.3.55 and 2.3.56), and those that a
//! sparse file has no clusters for (MS-FSCC 2.3.51 and 2.3.52).
#![cfg_attr(
    not(windows),
    allow(dead_code, reason = "asked on Windows, tested everywhere")
)]

use std::io;
use std::ops::Range;

/// FSCTL_QUERY_FILE_REGIONS.
pub(crate) const REGIONS: u32 = 0x0009_0284;
/// FSCTL_QUERY_ALLOCATED_RANGES.
pub(crate) const ALLOCATED: u32 = 0x0009_40CF;

/// What NTFS reports (FILE_REGION_USAGE_VALID_CACHED_DATA), and what ReFS does (FILE_REGION_USAGE_VALID_NONCACHED_DATA).
const VALID_USAGES: [u32; 2] = [1, 2];

const REGIONS_HEAD_BYTES: usize = 16;
const REGION_BYTES: usize = 24;
const RANGE_BYTES: usize = 16;

/// Entries of one answer.
const AT_ONCE: usize = 1024;

/// What a control code answered.
pub(crate) struct Answer {
    pub filled_bytes: usize,
    /// The buffer was too small for all (ERROR_MORE_DATA).
    pub is_cut: bool,
}

/// Asks the file system: control code, question, room for the answer.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(u32, &[u8], &mut [u8]) -> io::Result<Answer>;

/// Bytes of the file that were never written. Where the file system answers only one of the two questions, that answer counts.
///
/// # Errors
/// It answers neither, or not by the rules.
pub(crate) fn unwritten_bytes(ask: Ask<'_>, size_bytes: u64) -> io::Result<u64> {
    let valid = VALID_USAGES
        .iter()
        .map(|usage| valid(ask, size_bytes, *usage))
        .reduce(|first, second| first.or(second));
    let valid = valid.unwrap_or_else(|| Err(io::ErrorKind::Unsupported.into()));
    let (valid, allocated) = match (valid, allocated(ask, size_bytes)) {
        (Ok(valid), Ok(allocated)) => (valid, allocated),
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => return Ok(size_bytes - total(&one)),
        (Err(error), Err(_)) => return Err(error),
    };
    let shared = valid.iter().flat_map(|one| {
        let other = allocated.iter();
        other.map(|other| one.start.max(other.start)..one.end.min(other.end))
    });
    let shared: Vec<Range<u64>> = shared.filter(|range| !range.is_empty()).collect();
    Ok(size_bytes - total(&shared))
}

fn total(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

/// Ranges of valid data, in order.
fn valid(ask: Ask<'_>, size_bytes: u64, usage: u32) -> io::Result<Vec<Range<u64>>> {
    let mut question = |start: u64, answer: &mut [u8]| {
        let mut requested = [0; 24];
        requested[..8].copy_from_slice(&start.to_le_bytes());
        requested[8..16].copy_from_slice(&(size_bytes - start).to_le_bytes());
        requested[16..20].copy_from_slice(&usage.to_le_bytes());
        ask(REGIONS, &requested, answer)
    };
    in_order(&mut question, size_bytes, REGIONS_HEAD_BYTES, REGION_BYTES)
        // A region without the usage that was queried for is one without valid data.
        .map(|entries| {
            let valid = entries.into_iter().filter(|(_, rest)| rest[0] & usage != 0);
            valid.map(|(range, _)| range).collect()
        })
}

/// Ranges that have clusters, in order.
fn allocated(ask: Ask<'_>, size_bytes: u64) -> io::Result<Vec<Range<u64>>> {
    let mut question = |start: u64, answer: &mut [u8]| {
        let mut requested = [0; RANGE_BYTES];
        requested[..8].copy_from_slice(&start.to_le_bytes());
        requested[8..].copy_from_slice(&(size_bytes - start).to_le_bytes());
        ask(ALLOCATED, &requested, answer)
    };
    in_order(&mut question, size_bytes, 0, RANGE_BYTES)
        .map(|entries| entries.into_iter().map(|(range, _)| range).collect())
}

/// An entry: its range, and the words behind it.
type Entry = (Range<u64>, [u32; 2]);

/// All entries of a file, requested in as many questions as are needed. They are cut to the file, and each begins where the one before it ends or later.
fn in_order(
    question: &mut dyn FnMut(u64, &mut [u8]) -> io::Result<Answer>,
    size_bytes: u64,
    head_bytes: usize,
    entry_bytes: usize,
) -> io::Result<Vec<Entry>> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
    let mut found: Vec<Entry> = Vec::new();
    let mut start = 0;
    let mut buffer = vec![0; head_bytes + AT_ONCE * entry_bytes];
    while start < size_bytes {
        let answer = question(start, &mut buffer)?;
        let entries = buffer.get(head_bytes..answer.filled_bytes);
        let before = start;
        for entry in entries.unwrap_or_default().chunks_exact(entry_bytes) {
            let (range, rest) = decoded(entry).ok_or_else(|| wrong("a range without an end"))?;
            let range = range.start.max(start)..range.end.min(size_bytes);
            if range.is_empty() {
                continue;
            }
            start = range.end;
            found.push((range, rest));
        }
        match (answer.is_cut, start > before) {
            (false, _) => break,
            (true, true) => {}
            (true, false) => return Err(wrong("an answer that never ends")),
        }
    }
    Ok(found)
}

fn decoded(entry: &[u8]) -> Option<Entry> {
    let number = |at: usize| {
        let bytes = entry.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let (start, length) = (number(0)?, number(8)?);
    let rest = number(16).unwrap_or(0);
    Some((
        start..start.checked_add(length)?,
        [rest as u32, (rest >> 32) as u32],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// A file as the documents say that NTFS answers for it.
    struct Volume {
        size: u64,
        /// `None`: the question is not known, as before Windows 8.
        valid: Option<u64>,
        usage: u32,
        /// Where a range begins and ends.
        allocated: Option<Vec<(u64, u64)>>,
        entries_at_once: usize,
    }

    impl Volume {
        fn answer(&self, code: u32, requested: &[u8], answer: &mut [u8]) -> io::Result<Answer> {
            let number = |at: usize| u64::from_le_bytes(requested[at..at + 8].try_into().unwrap());
            let (start, end) = (number(0), number(0) + number(8));
            let unknown = || io::Error::from(io::ErrorKind::Unsupported);
            let (head, size, entries): (usize, usize, Vec<(u64, u64, u32)>) = match code {
                REGIONS => {
                    let valid = self.valid.ok_or_else(unknown)?;
                    let usage = u32::from_le_bytes(requested[16..20].try_into().unwrap());
                    if usage != self.usage {
                        return Err(io::ErrorKind::InvalidInput.into());
                    }
                    let regions = [(0, valid, usage), (valid, self.size, 0)];
                    (16, 24, regions.to_vec())
                }
                ALLOCATED => {
                    let ranges = self.allocated.as_ref().ok_or_else(unknown)?;
                    let entries = ranges.iter().map(|(start, end)| (*start, *end, 0));
                    (0, 16, entries.collect())
                }
                _ => return Err(unknown()),
            };
            let cut = entries
                .into_iter()
                .map(|(from, to, usage)| (from.max(start), to.min(end), usage));
            let entries: Vec<_> = cut.filter(|(from, to, _)| from < to).collect();
            let is_cut = entries.len() > self.entries_at_once;
            let mut filled_bytes = head;
            for (from, to, usage) in entries.into_iter().take(self.entries_at_once) {
                let entry = &mut answer[filled_bytes..filled_bytes + size];
                entry[..8].copy_from_slice(&from.to_le_bytes());
                entry[8..16].copy_from_slice(&(to - from).to_le_bytes());
                if size > 16 {
                    entry[16..20].copy_from_slice(&usage.to_le_bytes());
                }
                filled_bytes += size;
            }
            Ok(Answer {
                filled_bytes,
                is_cut,
            })
        }

        fn unwritten(&self) -> io::Result<u64> {
            let mut ask = |code: u32, requested: &[u8], answer: &mut [u8]| {
                self.answer(code, requested, answer)
            };
            unwritten_bytes(&mut ask, self.size)
        }
    }

    fn volume(size: u64) -> Volume {
        Volume {
            size,
            valid: Some(size),
            usage: 1,
            allocated: Some(vec![(0, size)]),
            entries_at_once: 100,
        }
    }

    #[test]
    fn what_is_beyond_the_valid_data_was_never_written() {
        let mut file = volume(10 * MIB);
        assert_eq!(file.unwritten().unwrap(), 0);
        file.valid = Some(3 * MIB);
        assert_eq!(file.unwritten().unwrap(), 7 * MIB);
        file.usage = 2;
        assert_eq!(file.unwritten().unwrap(), 7 * MIB, "as ReFS tells it");
        file.valid = Some(0);
        assert_eq!(file.unwritten().unwrap(), 10 * MIB);
    }

    #[test]
    fn holes_of_a_sparse_file_were_never_written() {
        let mut file = volume(10 * MIB);
        let clusters = (0..8)
            .map(|at| (at * MIB, at * MIB + 64 * 1024))
            .chain([(9 * MIB, 11 * MIB)])
            .collect();
        file.allocated = Some(clusters);
        assert_eq!(file.unwritten().unwrap(), 9 * MIB - 8 * 64 * 1024);
        file.entries_at_once = 1;
        assert_eq!(
            file.unwritten().unwrap(),
            9 * MIB - 8 * 64 * 1024,
            "asked for again where an answer is cut"
        );
        file.valid = Some(MIB);
        assert_eq!(file.unwritten().unwrap(), 10 * MIB - 64 * 1024);
    }

    #[test]
    fn one_answer_is_enough_and_none_is_an_error() {
        let mut file = volume(10 * MIB);
        (file.valid, file.allocated) = (Some(4 * MIB), None);
        assert_eq!(file.unwritten().unwrap(), 6 * MIB);
        (file.valid, file.allocated) = (None, Some(vec![(0, MIB)]));
        assert_eq!(file.unwritten().unwrap(), 9 * MIB);
        file.allocated = None;
        assert_eq!(
            file.unwritten().unwrap_err().kind(),
            io::ErrorKind::Unsupported
        );
    }

    #[test]
    fn an_answer_against_the_rules_is_an_error_or_cut_to_the_file() {
        let mut endless = |_: u32, _: &[u8], _: &mut [u8]| {
            Ok(Answer {
                filled_bytes: 0,
                is_cut: true,
            })
        };
        assert!(unwritten_bytes(&mut endless, MIB).is_err());
        let mut lie = |_: u32, _: &[u8], answer: &mut [u8]| {
            answer[..64].fill(0xff);
            Ok(Answer {
                filled_bytes: 64,
                is_cut: false,
            })
        };
        assert!(unwritten_bytes(&mut lie, MIB).is_err());
        let mut file = volume(MIB);
        file.allocated = Some(vec![(0, MIB), (0, MIB), (0, 1 << 40)]);
        file.size = MIB;
        assert_eq!(file.unwritten().unwrap(), 0);
    }
}
