//! What is in a record of perf_event_open(2)? A tracepoint that was passed, a thread that began or ended, or how many records were lost.

use super::formats::Formats;

/// Kinds of records (enum perf_event_type in linux/perf_event.h).
const MAPPED: u32 = 1;
const LOST: u32 = 2;
const EXIT: u32 = 4;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const LOST_SAMPLES: u32 = 13;
const SWITCH: u32 = 14;
/// Flags of a record of a switch: the thread leaves its CPU; it could have gone on.
const SWITCH_OUT: u16 = 1 << 13;
const SWITCH_OUT_PREEMPTED: u16 = 1 << 14;
/// Bytes before the content of a record: its kind, its flags and its length.
pub(crate) const HEADER_BYTES: usize = 8;

/// What happened. Times are those of the clock that the tracepoints were opened with, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    /// A thread entered a system call.
    Entered {
        thread: u32,
        at_ns: u64,
        number: i64,
        arguments: [u64; 6],
    },
    /// It left it; an error is a negative number.
    Left {
        thread: u32,
        at_ns: u64,
        number: i64,
        result: i64,
    },
    /// A request was submitted to io_uring.
    Submitted {
        thread: u32,
        at_ns: u64,
        request: u64,
        opcode: u8,
    },
    /// It is done.
    Completed {
        at_ns: u64,
        request: u64,
        result: i32,
    },
    /// A thread made another one; both are of the same process when `is_thread`.
    Forked {
        parent: u32,
        child: u32,
        at_ns: u64,
        is_thread: bool,
    },
    /// A thread begins another program, whose calls are numbered as those of 32-bit programs or not.
    Began {
        thread: u32,
        at_ns: u64,
        is_32_bit: bool,
    },
    /// A thread ended.
    Exited { thread: u32, at_ns: u64 },
    /// A thread left its CPU, because it waits or because it was preempted.
    LeftCpu {
        thread: u32,
        at_ns: u64,
        preempted: bool,
    },
    /// A thread runs again.
    Runs { thread: u32, at_ns: u64 },
    /// Records for which there was no room.
    Lost(u64),
}

impl Record {
    /// When it happened; missing for what has no time.
    pub fn at_ns(&self) -> Option<u64> {
        match *self {
            Record::Entered { at_ns, .. }
            | Record::Left { at_ns, .. }
            | Record::Submitted { at_ns, .. }
            | Record::Completed { at_ns, .. }
            | Record::Forked { at_ns, .. }
            | Record::Began { at_ns, .. }
            | Record::Exited { at_ns, .. }
            | Record::LeftCpu { at_ns, .. }
            | Record::Runs { at_ns, .. } => Some(at_ns),
            Record::Lost(_) => None,
        }
    }
}

fn bytes<const N: usize>(from: &[u8], at: usize) -> Option<[u8; N]> {
    from.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u32_at(from: &[u8], at: usize) -> Option<u32> {
    bytes(from, at).map(u32::from_ne_bytes)
}

fn u64_at(from: &[u8], at: usize) -> Option<u64> {
    bytes(from, at).map(u64::from_ne_bytes)
}

/// Kind and length of the record that begins here.
pub(crate) fn header(record: &[u8]) -> Option<(u32, usize)> {
    let length = u16::from_ne_bytes(bytes(record, 6)?).into();
    Some((u32_at(record, 0)?, length))
}

/// Reads a whole record with its header; `None` when it is of no interest, or not of the form that was requested (PERF_SAMPLE_TID, _TIME and _RAW).
pub(crate) fn record(record: &[u8], formats: &Formats) -> Option<Record> {
    let (kind, _) = header(record)?;
    let content = record.get(HEADER_BYTES..)?;
    match kind {
        SAMPLE => sample(content, formats),
        MAPPED => mapped(content),
        LOST => Some(Record::Lost(u64_at(content, 8)?)),
        LOST_SAMPLES => Some(Record::Lost(u64_at(content, 0)?)),
        FORK => Some(Record::Forked {
            parent: u32_at(content, 12)?,
            child: u32_at(content, 8)?,
            at_ns: u64_at(content, 16)?,
            is_thread: u32_at(content, 0)? == u32_at(content, 4)?,
        }),
        EXIT => Some(Record::Exited {
            thread: u32_at(content, 8)?,
            at_ns: u64_at(content, 16)?,
        }),
        SWITCH => {
            let flags = u16::from_ne_bytes(bytes(record, 4)?);
            let (thread, at_ns) = (u32_at(content, 4)?, u64_at(content, 8)?);
            Some(match flags & SWITCH_OUT {
                0 => Record::Runs { thread, at_ns },
                _ => Record::LeftCpu {
                    thread,
                    at_ns,
                    preempted: flags & SWITCH_OUT_PREEMPTED != 0,
                },
            })
        }
        _ => None,
    }
}

/// The kernel maps its own code for a program (vdso(7)) as the program begins, and below 4 GiB for a 32-bit one.
fn mapped(content: &[u8]) -> Option<Record> {
    const NAME: &[u8] = b"[vdso]\0";
    let name = content.get(32..)?;
    let at_ns = content.len().checked_sub(8)?;
    name.starts_with(NAME).then_some(Record::Began {
        thread: u32_at(content, 4)?,
        at_ns: u64_at(content, at_ns)?,
        is_32_bit: u64_at(content, 8)? < 1 << 32,
    })
}

fn sample(content: &[u8], formats: &Formats) -> Option<Record> {
    let (thread, at_ns) = (u32_at(content, 4)?, u64_at(content, 8)?);
    let raw = content.get(20..)?;
    let id = u16::from_ne_bytes(bytes(raw, 0)?);
    if id == formats.entered.id {
        let mut arguments = [0; 6];
        for (position, argument) in arguments.iter_mut().enumerate() {
            *argument = u64_at(raw, formats.entered.second + position * 8)?;
        }
        return Some(Record::Entered {
            thread,
            at_ns,
            number: u64_at(raw, formats.entered.first)? as i64,
            arguments,
        });
    }
    if id == formats.left.id {
        return Some(Record::Left {
            thread,
            at_ns,
            number: u64_at(raw, formats.left.first)? as i64,
            result: u64_at(raw, formats.left.second)? as i64,
        });
    }
    let (submitted, completed) = formats.requests?;
    if id == submitted.id {
        return Some(Record::Submitted {
            thread,
            at_ns,
            request: u64_at(raw, submitted.first)?,
            opcode: *raw.get(submitted.second)?,
        });
    }
    (id == completed.id).then_some(Record::Completed {
        at_ns,
        request: u64_at(raw, completed.first)?,
        result: u32_at(raw, completed.second)? as i32,
    })
}

#[cfg(test)]
mod tests {
    use super::super::formats::{FIRST_IS_PATH, Format, Opens, SECOND_IS_PATH};
    use super::*;

    const FORMATS: Formats = Formats {
        entered: Format {
            id: 443,
            first: 8,
            second: 16,
        },
        left: Format {
            id: 442,
            first: 8,
            second: 16,
        },
        requests: Some((
            Format {
                id: 21,
                first: 16,
                second: 32,
            },
            Format {
                id: 22,
                first: 16,
                second: 32,
            },
        )),
        opens: Opens {
            second: [None; SECOND_IS_PATH.len()],
            first: [None; FIRST_IS_PATH.len()],
        },
    };

    fn written(kind: u32, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let length = (HEADER_BYTES + content.len()) as u16;
        let header = [
            &kind.to_ne_bytes()[..],
            &[0, 0],
            &length.to_ne_bytes(),
            &content,
        ];
        header.concat()
    }

    fn of_sample(id: u16, raw: &[u8]) -> Vec<u8> {
        let length = (raw.len() + 8) as u32;
        let common = [&id.to_ne_bytes()[..], &[0; 6]].concat();
        written(
            SAMPLE,
            &[
                &7u32.to_ne_bytes(),
                &9u32.to_ne_bytes(),
                &1000u64.to_ne_bytes(),
                &length.to_ne_bytes(),
                &common,
                raw,
            ],
        )
    }

    #[test]
    fn records_of_every_kind_are_read() {
        let words =
            |of: &[u64]| -> Vec<u8> { of.iter().flat_map(|word| word.to_ne_bytes()).collect() };
        let entered = of_sample(443, &words(&[17, 3, 0x7f00, 4096, 8192, 0, u64::MAX]));
        assert_eq!(
            record(&entered, &FORMATS),
            Some(Record::Entered {
                thread: 9,
                at_ns: 1000,
                number: 17,
                arguments: [3, 0x7f00, 4096, 8192, 0, u64::MAX]
            })
        );
        let left = of_sample(442, &words(&[17, -5i64 as u64]));
        assert_eq!(
            record(&left, &FORMATS),
            Some(Record::Left {
                thread: 9,
                at_ns: 1000,
                number: 17,
                result: -5
            })
        );
        let submitted = of_sample(21, &words(&[1, 2, 3, 22]));
        assert_eq!(
            record(&submitted, &FORMATS),
            Some(Record::Submitted {
                thread: 9,
                at_ns: 1000,
                request: 2,
                opcode: 22
            })
        );
        let completed = of_sample(22, &words(&[1, 2, 3, 0xffff_ffff]));
        assert_eq!(
            record(&completed, &FORMATS),
            Some(Record::Completed {
                at_ns: 1000,
                request: 2,
                result: -1
            })
        );
        assert_eq!(
            record(&written(LOST, &[&words(&[5, 12])]), &FORMATS),
            Some(Record::Lost(12))
        );
        let of_fork: Vec<u8> = [7u32, 7, 10, 9]
            .iter()
            .flat_map(|of| of.to_ne_bytes())
            .collect();
        assert_eq!(
            record(&written(FORK, &[&of_fork, &words(&[77])]), &FORMATS),
            Some(Record::Forked {
                parent: 9,
                child: 10,
                at_ns: 77,
                is_thread: true
            })
        );
        // Process, thread, address, length, offset and name; then thread and time again.
        let of_program = |address: u64, name: &[u8; 8]| {
            let begin = words(&[(9 << 32) | 7, address, 4096, 0]);
            written(MAPPED, &[&begin, name, &words(&[(9 << 32) | 7, 1000])])
        };
        let began = |is_32_bit| {
            Some(Record::Began {
                thread: 9,
                at_ns: 1000,
                is_32_bit,
            })
        };
        let narrow = of_program(0xf7f0_0000, b"[vdso]\0\0");
        assert_eq!(record(&narrow, &FORMATS), began(true));
        let wide = of_program(0x7fff_0000_1000, b"[vdso]\0\0");
        assert_eq!(record(&wide, &FORMATS), began(false));
        let library = of_program(0xf7f0_0000, b"/lib/x\0\0");
        assert_eq!(record(&library, &FORMATS), None);
        // The flags stand behind the kind.
        let of_switch = |flags: u16| {
            let mut record = written(SWITCH, &[&words(&[(9 << 32) | 7, 1000])]);
            record[4..6].copy_from_slice(&flags.to_ne_bytes());
            record
        };
        let left = |preempted| {
            Some(Record::LeftCpu {
                thread: 9,
                at_ns: 1000,
                preempted,
            })
        };
        assert_eq!(record(&of_switch(1 << 13), &FORMATS), left(false));
        assert_eq!(record(&of_switch(3 << 13), &FORMATS), left(true));
        let runs = Record::Runs {
            thread: 9,
            at_ns: 1000,
        };
        assert_eq!(record(&of_switch(0), &FORMATS), Some(runs));
        // What is cut, or not known, is nothing, wherever it ends.
        for end in 0..entered.len() {
            assert_eq!(record(&entered[..end], &FORMATS), None, "{end}");
        }
        assert_eq!(record(&of_sample(5, &words(&[1, 2, 3])), &FORMATS), None);
    }
}
