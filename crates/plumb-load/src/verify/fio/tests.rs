//! Are blocks marked as fio marks them? The blocks themselves are compared with fio's in crates/plumb/tests/it/fio_blocks.rs.

use plumb_model::workload::{FioCheck, FioMarks, Weighted, Workload};

use super::*;

fn workload(marks: &str, block: &str) -> Workload {
    Workload {
        verify: true,
        verify_as: Some(marks.parse().expect("marks")),
        block: block.parse().expect("blocks"),
        mix: Weighted::only(plumb_model::workload::OperationKind::Write),
        ..Workload::default()
    }
}

fn marks(text: &str, block: &str) -> Result<Marks, String> {
    let workload = workload(text, block);
    let of_fio: FioMarks = text.parse().expect("marks");
    Marks::new(&workload, &of_fio, 5)
}

fn with_pattern(check: FioCheck) -> String {
    match check {
        FioCheck::Pattern | FioCheck::PatternHeader => format!("{check} pattern=616263%o"),
        other => other.to_string(),
    }
}

const OFFSET: u64 = 1 << 33;

fn position(at: usize) -> Position {
    Position {
        file: 3,
        block_offset: OFFSET,
        at,
    }
}

fn check_all(marks: &Marks, block: &[u8]) -> Vec<Result<Intact, Wrong>> {
    let intervals = block.chunks_exact(marks.interval()).enumerate();
    let checked = intervals.map(|(index, interval)| {
        let position = position(index * marks.interval());
        let found = marks.check(position, interval)?;
        if let Intact::Count(count) = found {
            marks.check_content(position, count, interval)?;
        }
        Ok(found)
    });
    checked.collect()
}

/// Whatever single byte is damaged, it is found; in the first layout of the header, and in the second, and where the header lies within its interval.
#[test]
fn every_damaged_byte_is_found() {
    for check in FioCheck::ALL {
        for more in [
            "",
            " header=3.41",
            " interval=512 header-at=200",
            " interval=1k",
        ] {
            let text = with_pattern(*check) + more;
            let marks = marks(&text, "2k").expect("marks");
            let mut block = vec![0; 2048];
            marks.make(3, OFFSET, &mut block, |at| 7 + at as u32);
            for (index, found) in check_all(&marks, &block).into_iter().enumerate() {
                let count = Intact::Count(7 + (index * marks.interval()) as u32);
                let expected = match check {
                    FioCheck::Pattern => Intact::Nameless,
                    _ => count,
                };
                assert_eq!(found, Ok(expected), "{text}");
            }
            // A single bit: every kind of checksum finds that, wherever it is.
            for at in (0..2048).step_by(7).chain(0..130) {
                block[at] ^= 0x10;
                let wrong = check_all(&marks, &block);
                let damaged = at / marks.interval();
                for (index, found) in wrong.iter().enumerate() {
                    let is_damaged = index == damaged;
                    assert_eq!(found.is_err(), is_damaged, "{text}, byte {at}: {found:?}");
                }
                block[at] ^= 0x10;
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said_in_the_order_of_fio() {
    let marks = marks("crc32c", "4k").expect("marks");
    let mut block = vec![0; 4096];
    marks.make(3, OFFSET, &mut block, |_| 1);
    let check = |block: &[u8]| marks.check(position(0), block);
    let mut damaged = block.clone();
    damaged[0] = 0;
    assert_eq!(check(&damaged), Err(Wrong::Unmarked { found: 0xac00 }));
    let elsewhere = Position {
        block_offset: OFFSET + 4096,
        ..position(0)
    };
    assert_eq!(
        marks.check(elsewhere, &block),
        Err(Wrong::Field {
            name: "offset",
            found: OFFSET.to_string(),
            expected: (OFFSET + 4096).to_string()
        })
    );
    let shorter = super::tests::marks("crc32c", "2k").expect("marks");
    assert!(matches!(
        shorter.check(position(0), &block[..2048]),
        Err(Wrong::Field { name: "length", .. })
    ));
    let other = super::tests::marks("md5", "4k").expect("marks");
    assert!(matches!(
        other.check(position(0), &block),
        Err(Wrong::Field {
            name: "verify_type",
            ..
        })
    ));
    // fio's two names of one checksum.
    let same = super::tests::marks("crc32c-intel", "4k").expect("marks");
    assert_eq!(same.check(position(0), &block), Ok(Intact::Count(1)));
    // Another seed: another run.
    let of_fio = "crc32c".parse().expect("marks");
    let later = Marks::new(&workload("crc32c", "4k"), &of_fio, 6).expect("marks");
    let found = later.check(position(0), &block);
    assert!(matches!(found, Ok(Intact::Other { .. })), "{found:?}");
}

/// A pattern of a longer block goes on over its units: read in any blocks of the job, it is right.
#[test]
fn a_pattern_is_that_of_the_block_as_written() {
    let marks = marks("pattern_hdr pattern=616263%o", "512:50,2k:50").expect("marks");
    let mut block = vec![0; 2048];
    marks.make(3, OFFSET, &mut block, |_| 1);
    for at in (0..2048).step_by(512) {
        let alone = Position {
            block_offset: OFFSET + at as u64,
            ..position(0)
        };
        let found = marks.check(alone, &block[at..at + 512]);
        assert_eq!(found, Ok(Intact::Count(1)), "{at}");
    }
    block[600] ^= 1;
    let found = marks.check(position(512), &block[512..1024]);
    assert!(
        matches!(found, Err(Wrong::Pattern { at: 88, .. })),
        "{found:?}"
    );
}

#[test]
fn headers_fit_their_blocks() {
    for (text, block, why) in [
        ("md5", "32", "do not fit"),
        ("sha512", "128", "do not fit"),
        ("md5 interval=3k", "4k", "do not fit"),
        ("md5 interval=512 header-at=20", "4k", "header-at must be 0"),
        (
            "md5 interval=512 header-at=480",
            "4k",
            "header-at must be 0",
        ),
    ] {
        let error = marks(text, block).expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
    marks("md5", "64").expect("57 bytes are enough");
    marks("pattern pattern=ab header-at=3k", "8").expect("no header");
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().as_chunks::<2>().0;
    let byte = |two: &[u8; 2]| u8::from_str_radix(str::from_utf8(two).expect("text"), 16);
    digits
        .iter()
        .map(|two| byte(two).expect("digits"))
        .collect()
}

/// The second block of a file that fio 3.42 wrote, and fio 3.33: `--bs=96 --verify=md5 --verify_pattern=0x1122%o`.
#[test]
fn blocks_of_fio_are_right() {
    for block in [
        "caac81026000000000000000000000006000000000000000000000004a9da9070100000000000000010060008ac914524927836751429bac4f18efc1a51d04960000000000001122600000000000000011226000000000000000112260000000",
        "caac020060000000000000000000000060000000000000000000000045d61c07010001000dcf16c8ee1d1c01771d70e61180ba186265181100000000112260000000000000001122600000000000000011226000000000000000112260000000",
    ] {
        let mut block = bytes(block);
        let position = Position {
            file: 0,
            block_offset: 96,
            at: 0,
        };
        let marked = |check: &str| marks(check, "96").expect("marks");
        let of_writer = marked("md5 pattern=1122%o");
        let found = of_writer.check(position, &block);
        assert_eq!(found, Ok(Intact::Other { rand_seed: 0 }));
        // The same block again, but for what only its writer knows.
        let mut own = vec![0; 96];
        of_writer.make(0, 96, &mut own, |_| 1);
        assert_eq!(own[70..], block[70..]);
        // Without a checksum the pattern begins where that one stands: fio refuses the block there too.
        let found = marked("meta pattern=1122%o").check(position, &block);
        assert!(
            matches!(found, Err(Wrong::Pattern { at: 40 | 48, .. })),
            "{found:?}"
        );
        block[95] ^= 1;
        let marks = marks("md5", "96").expect("marks");
        assert!(matches!(
            marks.check(position, &block),
            Err(Wrong::Checksum { .. })
        ));
    }
}
