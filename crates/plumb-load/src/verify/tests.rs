//! Does the verifier find every planted fault, and raise no false alarm whatever overlaps?

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Mutex;

use super::*;

const UNIT: u64 = 4096;
const SEED: u64 = 77;

fn workload(mix: &str, block: &str) -> Workload {
    Workload {
        mix: mix.parse().expect(mix),
        block: block.parse().expect(block),
        verify: true,
        ..Workload::default()
    }
}

fn verifier(units: u64) -> Verifier {
    Verifier::new(
        &workload("read:50,write:50", "4k"),
        SEED,
        &[
            Span {
                start: 0,
                len: units * UNIT,
            },
            Span {
                start: 0,
                len: units * UNIT,
            },
        ],
    )
    .expect("valid")
}

fn write(verifier: &Verifier, offset: u64, block: &mut [u8]) {
    let ticket = verifier
        .try_begin_write(0, offset, block)
        .expect("not busy");
    verifier.written(ticket, true);
}

/// What a read of `block` at `offset` is found to be.
fn read(verifier: &Verifier, offset: u64, block: &[u8]) -> Result<(), Mismatch> {
    let ticket = verifier.expect(0, offset, block.len() as u32);
    verifier.check(ticket, block)
}

/// A verifier, and block 2 as it was after each of three writes.
fn three_writes() -> (Verifier, Vec<Vec<u8>>) {
    let verifier = verifier(8);
    let versions = (0..3).map(|_| {
        let mut block = vec![0; UNIT as usize];
        write(&verifier, 2 * UNIT, &mut block);
        block
    });
    let versions = versions.collect();
    (verifier, versions)
}

/// Plants a fault into block 2 and returns the report.
fn planted(fault: impl FnOnce(&Verifier, &[Vec<u8>], &mut Vec<u8>)) -> Mismatch {
    let (verifier, versions) = three_writes();
    let mut block = versions[2].clone();
    assert_eq!(read(&verifier, 2 * UNIT, &block), Ok(()));
    fault(&verifier, &versions, &mut block);
    let mismatch = read(&verifier, 2 * UNIT, &block).expect_err("a planted fault");
    assert_eq!(
        (
            mismatch.file,
            mismatch.offset,
            mismatch.block_bytes,
            mismatch.wrong_units
        ),
        (0, 2 * UNIT, 4096, 1)
    );
    assert_eq!(verifier.undecided_units(), 0);
    mismatch
}

#[test]
fn every_kind_of_fault_is_found_and_named() {
    let zeroed = planted(|_, _, block| block.fill(0));
    assert!(
        zeroed.to_string().contains("all zeros") && zeroed.to_string().contains("write 3"),
        "{zeroed}"
    );
    let lost = planted(|_, versions, block| block.clone_from(&versions[0]));
    assert!(
        lost.to_string()
            .contains("holds write 1, although write 3 was acknowledged"),
        "{lost}"
    );
    let misplaced = planted(|verifier, _, block| write(verifier, 5 * UNIT, block));
    assert!(
        misplaced
            .to_string()
            .contains("holds the block of offset 20480 of file 0 (its write 1)"),
        "{misplaced}"
    );
    let torn = planted(|_, versions, block| block[1024..].copy_from_slice(&versions[1][1024..]));
    assert!(
        torn.to_string()
            .contains("torn: holds write 3 from byte 0 and write 2 from byte 1024"),
        "{torn}"
    );
    let foreign = planted(|_, _, block| {
        block
            .iter_mut()
            .enumerate()
            .for_each(|(at, byte)| *byte = at as u8)
    });
    assert!(
        foreign.to_string().contains("other data was written here"),
        "{foreign}"
    );
    let older_run = planted(|_, _, block| {
        let older = Verifier::new(
            &workload("write", "4k"),
            1234,
            &[Span {
                start: 0,
                len: 1 << 20,
            }],
        )
        .expect("valid");
        write(&older, 2 * UNIT, block);
    });
    assert!(
        older_run.to_string().contains("another run (seed 1234"),
        "{older_run}"
    );
    let future = planted(|_, _, block| {
        let other = three_writes().0;
        write(&other, 2 * UNIT, block);
    });
    assert!(
        future.to_string().contains("holds write 4") && future.to_string().contains("only 3"),
        "{future}"
    );
}

#[test]
fn every_single_flipped_bit_is_found_where_it_is() {
    for byte in (0..UNIT as usize).step_by(7).chain(0..48).chain([4095]) {
        let bit = byte % 8;
        let mismatch = planted(|_, _, block| block[byte] ^= 1 << bit);
        let location = format!(
            "1 of 4096 bytes differ from write 3; first differing byte {byte} (offset {})",
            8192 + byte
        );
        assert!(
            mismatch.to_string().contains(&location),
            "{byte}: {mismatch}"
        );
        let line = format!("{:x}  found", 8192 + (byte & !15));
        assert!(mismatch.hex_window.contains(&line), "{byte}: {mismatch}");
    }
}

#[test]
fn the_hex_window_shows_both_sides() {
    let mismatch = planted(|_, _, block| block[100..104].copy_from_slice(b"oops"));
    let lines: Vec<&str> = mismatch.hex_window.lines().collect();
    assert_eq!(lines.len(), 8, "{mismatch}");
    let found = lines
        .iter()
        .find(|line| line.contains("2060  found"))
        .expect("the line of byte 96");
    assert!(
        found.contains("6f 6f 70 73") && found.contains("oops"),
        "{found}"
    );
}

#[test]
fn large_blocks_are_checked_unit_by_unit() {
    let verifier = Verifier::new(
        &workload("read:50,write:50", "4k:1,64k:1"),
        SEED,
        &[Span {
            start: 0,
            len: 1 << 20,
        }],
    )
    .expect("valid");
    let mut block = vec![0; 65_536];
    write(&verifier, 65_536, &mut block);
    let mut small = vec![0; 4096];
    write(&verifier, 65_536 + 3 * UNIT, &mut small);
    let mismatch = read(&verifier, 65_536, &block).expect_err("the small write is missing");
    assert_eq!(
        (mismatch.offset, mismatch.wrong_units),
        (65_536 + 3 * UNIT, 1)
    );
    block[3 * 4096..4 * 4096].copy_from_slice(&small);
    assert_eq!(read(&verifier, 65_536, &block), Ok(()));
    assert_eq!(read(&verifier, 65_536 + 3 * UNIT, &small), Ok(()));
    for unit in [1, 7, 15] {
        block[unit * 4096 + 99] ^= 1;
    }
    let mismatch = read(&verifier, 65_536, &block).expect_err("three damaged units");
    assert_eq!((mismatch.offset, mismatch.wrong_units), (65_536 + UNIT, 3));
}

#[test]
fn a_second_write_to_a_busy_block_is_refused_and_leaves_no_trace() {
    let verifier = verifier(16);
    let mut first = vec![0; 8192];
    let ticket = verifier
        .try_begin_write(0, 2 * UNIT, &mut first)
        .expect("free");
    assert!(
        verifier
            .try_begin_write(0, 2 * UNIT, &mut [0; 4096])
            .is_none()
    );
    assert!(
        verifier
            .try_begin_write(0, 3 * UNIT, &mut [0; 4096])
            .is_none()
    );
    assert!(
        verifier.try_begin_write(0, 0, &mut [0; 16_384]).is_none(),
        "its last units are busy"
    );
    assert!(verifier.try_begin_discard(0, 3 * UNIT, 4096).is_none());
    let mut before = vec![0; 8192];
    write(&verifier, 0, &mut before);
    let mut other_file = vec![0; 4096];
    verifier.written(
        verifier
            .try_begin_write(1, 2 * UNIT, &mut other_file)
            .expect("another file"),
        true,
    );
    verifier.written(ticket, true);
    assert_eq!(read(&verifier, 2 * UNIT, &first), Ok(()));
    assert_eq!(read(&verifier, 0, &before), Ok(()));
    assert_eq!(verifier.undecided_units(), 0);
}

#[test]
fn a_failed_write_leaves_both_contents_possible_until_the_next_one() {
    let (verifier, versions) = three_writes();
    let mut failed = vec![0; 4096];
    let ticket = verifier
        .try_begin_write(0, 2 * UNIT, &mut failed)
        .expect("free");
    verifier.written(ticket, false);
    assert_eq!(read(&verifier, 2 * UNIT, &versions[2]), Ok(()));
    assert_eq!(read(&verifier, 2 * UNIT, &failed), Ok(()));
    let mut torn = failed.clone();
    torn[2048..].copy_from_slice(&versions[2][2048..]);
    assert_eq!(
        (read(&verifier, 2 * UNIT, &torn), verifier.undecided_units()),
        (Ok(()), 1)
    );
    assert!(
        read(&verifier, 2 * UNIT, &versions[1]).is_err(),
        "older than the last acknowledged write"
    );
    let mut again = vec![0; 4096];
    write(&verifier, 2 * UNIT, &mut again);
    assert_eq!(read(&verifier, 2 * UNIT, &again), Ok(()));
    assert!(read(&verifier, 2 * UNIT, &failed).is_err());
    assert!(read(&verifier, 2 * UNIT, &torn).is_err());
}

#[test]
fn a_read_beside_a_write_may_find_either_or_a_mixture_but_nothing_else() {
    let (verifier, versions) = three_writes();
    // The write begins after the read, and ends before it.
    let tickets: Vec<Ticket> = (0..5).map(|_| verifier.expect(0, 2 * UNIT, 4096)).collect();
    let mut newer = vec![0; 4096];
    write(&verifier, 2 * UNIT, &mut newer);
    let mut mixture = newer.clone();
    mixture[512..1024].copy_from_slice(&versions[2][512..1024]);
    let mut elsewhere = vec![0; 4096];
    write(&verifier, 6 * UNIT, &mut elsewhere);
    let found: Vec<bool> = tickets
        .into_iter()
        .zip([&newer, &versions[2], &mixture, &versions[1], &elsewhere])
        .map(|(ticket, block)| verifier.check(ticket, block).is_ok())
        .collect();
    assert_eq!(found, [true, true, true, false, false]);
    assert_eq!(verifier.undecided_units(), 1);
    assert!(
        read(&verifier, 2 * UNIT, &versions[2]).is_err(),
        "a read that began later must find the newer one"
    );
}

#[test]
fn what_was_never_written_or_was_discarded_is_not_judged_but_misplaced_blocks_are() {
    let (verifier, versions) = three_writes();
    assert_eq!(read(&verifier, 0, &[0; 4096]), Ok(()));
    assert_eq!(read(&verifier, 0, &[7; 4096]), Ok(()));
    assert_eq!(verifier.undecided_units(), 2);
    assert!(
        read(&verifier, 0, &versions[2])
            .is_err_and(|mismatch| mismatch.to_string().contains("offset 8192"))
    );
    verifier.discarded(verifier.try_begin_discard(0, 2 * UNIT, 4096).expect("free"));
    assert_eq!(read(&verifier, 2 * UNIT, &[0; 4096]), Ok(()));
    assert_eq!(read(&verifier, 2 * UNIT, &versions[2]), Ok(()));
    let mut again = vec![0; 4096];
    write(&verifier, 2 * UNIT, &mut again);
    assert_eq!(read(&verifier, 2 * UNIT, &again), Ok(()));
    assert!(read(&verifier, 2 * UNIT, &[0; 4096]).is_err());
}

#[test]
fn a_read_only_run_with_the_same_seed_checks_what_was_left_behind() {
    let (_, mut versions) = three_writes();
    let later = Verifier::new(
        &workload("read", "4k"),
        SEED,
        &[Span {
            start: 0,
            len: 1 << 20,
        }],
    )
    .expect("valid");
    assert_eq!(read(&later, 2 * UNIT, &versions[2]), Ok(()));
    assert!(
        read(&later, 3 * UNIT, &versions[2])
            .is_err_and(|mismatch| mismatch.to_string().contains("wrong location"))
    );
    versions[2][1000] ^= 1;
    assert!(
        read(&later, 2 * UNIT, &versions[2])
            .is_err_and(|mismatch| mismatch.to_string().contains("first differing byte 1000"))
    );
    assert_eq!(read(&later, 2 * UNIT, &[0; 4096]), Ok(()));
}

#[test]
fn what_some_earlier_run_left_must_be_whole_and_at_its_place() {
    let earlier = verifier(8);
    let mut blocks = [0u64, 1].map(|number| {
        let mut block = vec![0; UNIT as usize];
        write(&earlier, number * UNIT, &mut block);
        block
    });
    let existing = |block: &str, is_existing| {
        let workload = Workload {
            verify_existing: is_existing,
            ..workload("read", block)
        };
        let span = Span {
            start: 0,
            len: 8 * UNIT,
        };
        Verifier::new(&workload, SEED + 1, &[span]).expect("valid")
    };
    let later = existing("4k", true);
    let both = blocks.concat();
    assert_eq!(read(&later, 0, &both), Ok(()));
    // Read in larger blocks than it was written in.
    assert_eq!(read(&existing("8k", true), 0, &both), Ok(()));
    assert_eq!((later.checked_units(), later.undecided_units()), (2, 0));
    let mismatch_of = |offset, block: &[u8]| {
        let mismatch = read(&later, offset, block).expect_err("wrong");
        assert_eq!(mismatch.offset, offset);
        mismatch.to_string()
    };
    assert!(mismatch_of(2 * UNIT, &blocks[1]).contains("block of offset 4096 of an earlier run"));
    assert!(mismatch_of(2 * UNIT, &[0; 4096]).contains("all zeros"));
    assert!(mismatch_of(2 * UNIT, &[7; 4096]).contains("not a block that a verified run"));
    let mut of_fio = [7; 4096];
    of_fio[..2].copy_from_slice(&[0xca, 0xac]);
    assert!(mismatch_of(2 * UNIT, &of_fio).contains("header of fio"));
    blocks[0][4095] ^= 1;
    assert!(mismatch_of(0, &blocks[0]).contains("wrong checksum"));
    let mut wrong = blocks.concat();
    wrong[4096..].fill(0);
    let mismatch = read(&later, 0, &wrong).expect_err("wrong");
    assert_eq!((mismatch.offset, mismatch.wrong_units), (0, 2));
    // Within a larger block the wrong unit is reported, and what it is.
    blocks[0][4095] ^= 1;
    let misplaced = [blocks[0].clone(), blocks[0].clone()].concat();
    let mismatch = read(&existing("8k", true), 0, &misplaced).expect_err("wrong");
    assert_eq!(mismatch.offset, UNIT);
    let message = mismatch.to_string();
    assert!(
        message.contains("block of offset 0 of an earlier run"),
        "{message}"
    );
    // Without the plan's word nobody knows what is to be there.
    let unasked = existing("4k", false);
    assert_eq!(read(&unasked, 0, &wrong), Ok(()));
    assert_eq!(unasked.undecided_units(), 2);
}

/// Blocks without a header that hold a pattern, as fio's `verify=pattern` leaves them.
#[test]
fn what_some_earlier_run_left_may_be_a_pattern() {
    let of = |content: &str| {
        let workload = Workload {
            verify_existing: true,
            content: content.parse().expect("a content"),
            ..workload("read", "4k")
        };
        let span = Span {
            start: 0,
            len: 8 * UNIT,
        };
        Verifier::new(&workload, SEED + 1, &[span]).expect("valid")
    };
    let expected = of("pattern:010203");
    // Repeated from the beginning of the block, whatever it is read in.
    let block: Vec<u8> = [1, 2, 3].into_iter().cycle().take(8192).collect();
    assert_eq!(read(&expected, UNIT, &block), Ok(()));
    assert_eq!(
        (expected.checked_units(), expected.undecided_units()),
        (2, 0)
    );
    let mut wrong = block.clone();
    wrong[5000] ^= 1;
    let mismatch = read(&expected, UNIT, &wrong).expect_err("wrong");
    assert_eq!((mismatch.offset, mismatch.wrong_units), (2 * UNIT, 1));
    assert!(
        mismatch.to_string().contains("neither the pattern"),
        "{mismatch}"
    );
    assert!(read(&expected, 0, &[0; 4096]).is_err());
    assert!(read(&of("random"), 0, &block).is_err());
    // A block with plumb's header is right too.
    let mut own = vec![0; UNIT as usize];
    write(&verifier(8), 0, &mut own);
    assert_eq!(read(&expected, 0, &own), Ok(()));
}

#[test]
fn the_initial_layout_counts_as_written() {
    let verifier = verifier(16);
    let mut layout = vec![0xff; 10_000];
    verifier.fill_initial(0, 4 * UNIT, &mut layout);
    assert!(layout[8192..].iter().all(|byte| *byte == 0));
    assert_eq!(read(&verifier, 4 * UNIT, &layout[..8192]), Ok(()));
    assert!(read(&verifier, 5 * UNIT, &[0; 4096]).is_err());
    assert_eq!(
        read(&verifier, 4 * UNIT, &layout[..5000]),
        Ok(()),
        "a short read is checked as far as whole units go"
    );
    assert_eq!(
        (verifier.checked_units(), verifier.undecided_units()),
        (4, 0)
    );
}

#[test]
fn counts_may_wrap() {
    let verifier = verifier(2);
    let nearly = COUNT - 1;
    verifier.files[0].words[1].store(nearly << 31 | nearly, Ordering::Relaxed);
    let mut before = vec![0; 4096];
    for turn in 0..4 {
        let mut block = vec![0; 4096];
        write(&verifier, UNIT, &mut block);
        assert_eq!(read(&verifier, UNIT, &block), Ok(()), "turn {turn}");
        assert!(
            turn == 0 || read(&verifier, UNIT, &before).is_err(),
            "turn {turn}"
        );
        before = block;
    }
}

#[test]
fn requested_content_is_kept_and_odd_requests_are_refused() {
    let workload = Workload {
        compress_percent: 50.0,
        ..workload("write", "4k")
    };
    let verifier = Verifier::new(
        &workload,
        SEED,
        &[Span {
            start: 100,
            len: 1 << 20,
        }],
    )
    .expect("valid");
    let mut block = vec![1; 4096];
    write(&verifier, 4096, &mut block);
    assert!(
        block[2048..].iter().all(|byte| *byte == 0)
            && block[40..2048].iter().filter(|byte| **byte == 0).count() < 40
    );
    assert_eq!(read(&verifier, 4096, &block), Ok(()));
    assert_eq!(
        (
            verifier.words(0, 0, 4096).len(),
            verifier.words(0, 1 << 20, 4096).len(),
            verifier.words(7, 4096, 4096).len()
        ),
        (0, 0, 0)
    );
    let refused =
        |workload: &Workload| Verifier::new(workload, SEED, &[]).expect_err("cannot work");
    assert!(refused(&super::tests::workload("write", "256")).contains("512"));
    assert!(refused(&super::tests::workload("write", "4k:1,6k:1")).contains("multiples"));
    assert!(
        refused(&Workload {
            dedupe_percent: 10.0,
            ..super::tests::workload("write", "4k")
        })
        .contains("dedupe-percent")
    );
}

/// Storage whose reads and writes happen in pieces of 512 bytes, in any order between operations, as several devices and caches do it.
struct Pieces {
    bytes: Vec<Mutex<[u8; 512]>>,
}

/// An operation in flight on [`Pieces`]: which piece comes next, and which are still to do.
struct InFlight {
    ticket: Ticket,
    is_write: bool,
    offset: u64,
    block: Vec<u8>,
    to_do: Vec<usize>,
}

impl Pieces {
    fn new(bytes: usize) -> Pieces {
        Pieces {
            bytes: (0..bytes / 512).map(|_| Mutex::new([0; 512])).collect(),
        }
    }

    fn step(&self, operation: &mut InFlight, choice: u64) {
        let piece = operation
            .to_do
            .swap_remove(choice as usize % operation.to_do.len());
        let mut stored = self.bytes[operation.offset as usize / 512 + piece]
            .lock()
            .expect("no panic");
        let part = &mut operation.block[piece * 512..][..512];
        if operation.is_write {
            stored.copy_from_slice(part)
        } else {
            part.copy_from_slice(&*stored)
        }
    }
}

/// One worker: keeps operations in flight, moves them on piece by piece in random order, and counts what the verifier finds.
fn worker(
    verifier: &Verifier,
    storage: &Pieces,
    units: u64,
    seed: u64,
    operations: u64,
) -> (u64, u64) {
    let mut random = crate::feed::offsets::Generator::from_parts(&[seed]);
    let (mut flight, mut begun, mut refused, mut mismatches): (Vec<InFlight>, u64, u64, u64) =
        (Vec::new(), 0, 0, 0);
    while begun < operations || !flight.is_empty() {
        if begun < operations && flight.len() < 16 {
            begun += 1;
            let length = 1 + random.below(4);
            let offset = random.below(units - length + 1) * UNIT;
            let mut block = vec![0; (length * UNIT) as usize];
            let is_write = random.below(2) == 0;
            let ticket = if is_write {
                verifier.try_begin_write(0, offset, &mut block)
            } else {
                Some(verifier.expect(0, offset, block.len() as u32))
            };
            match ticket {
                Some(ticket) => flight.push(InFlight {
                    ticket,
                    is_write,
                    offset,
                    to_do: (0..block.len() / 512).collect(),
                    block,
                }),
                None => refused += 1,
            }
        }
        if flight.is_empty() {
            continue;
        }
        let at = random.below(flight.len() as u64) as usize;
        for _ in 0..1 + random.below(8) {
            if !flight[at].to_do.is_empty() {
                storage.step(&mut flight[at], random.draw());
            }
        }
        if flight[at].to_do.is_empty() {
            let done = flight.swap_remove(at);
            if done.is_write {
                verifier.written(done.ticket, true);
            } else if let Err(mismatch) = verifier.check(done.ticket, &done.block) {
                mismatches += 1;
                eprintln!("{mismatch}");
            }
        }
    }
    (refused, mismatches)
}

#[test]
fn overlapping_operations_of_many_workers_raise_no_false_alarm() {
    for units in [8, 64, 1000] {
        let workload = workload("read:50,write:50", "4k:1,8k:1,12k:1,16k:1");
        let verifier = Verifier::new(
            &workload,
            SEED,
            &[Span {
                start: 0,
                len: units * UNIT,
            }],
        )
        .expect("valid");
        let storage = Pieces::new((units * UNIT) as usize);
        let found: Vec<(u64, u64)> = std::thread::scope(|scope| {
            let spawn = |number| {
                let (verifier, storage) = (&verifier, &storage);
                scope.spawn(move || worker(verifier, storage, units, units * 100 + number, 3000))
            };
            let threads: Vec<_> = (0..4).map(spawn).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        assert_eq!(
            found.iter().map(|(_, mismatches)| mismatches).sum::<u64>(),
            0,
            "{units} units"
        );
        assert!(
            units > 8 || found.iter().any(|(refused, _)| *refused > 0),
            "nothing overlapped"
        );
        // Now all is quiet: everything that was written must be found, and a fault in each such unit must be too.
        let (mut known, mut caught) = (0, 0);
        for unit in 0..units {
            let mut block: Vec<u8> = storage.bytes[unit as usize * 8..][..8]
                .iter()
                .flat_map(|piece| *piece.lock().expect("no panic"))
                .collect();
            let undecided = verifier.undecided_units();
            assert_eq!(read(&verifier, unit * UNIT, &block), Ok(()), "unit {unit}");
            known += u64::from(verifier.undecided_units() == undecided);
            block[(unit * 977 % UNIT) as usize] ^= 0x10;
            caught += u64::from(read(&verifier, unit * UNIT, &block).is_err());
        }
        assert_eq!(known, caught, "{units} units");
        assert!(
            known * 10 >= units * 9,
            "only {known} of {units} units were written"
        );
    }
}

/// The data of a mapped file has no order of its own on a processor with weak memory order: a reader could see what a write left before it sees that the write was
/// begun, which looks like content that nobody wrote. The processor that runs this may not do that; Miri does
/// (`cargo +nightly miri test --package plumb-load --lib -- weak_memory`).
#[test]
fn with_weak_memory_order_nothing_is_read_that_was_not_begun() {
    let rounds = if cfg!(miri) { 100 } else { 100_000 };
    let verifier = verifier(1);
    let content = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..rounds {
                let ticket = verifier.begin(0, 0, UNIT as usize).expect("one writer");
                let begun = ticket.words.as_slice()[0].begin().begun();
                content.store(begun.into(), Ordering::Relaxed);
                verifier.written(ticket, true);
            }
        });
        scope.spawn(|| {
            for _ in 0..rounds {
                let ticket = verifier.expect(0, 0, UNIT as u32);
                let found = content.load(Ordering::Relaxed);
                let ticket = verifier.completed(ticket, UNIT as usize);
                let before = ticket.words.as_slice()[0].acknowledged();
                let after = ticket.after.expect("completed").as_slice()[0].begun();
                let possible = u64::from(before)..=u64::from(after);
                assert!(possible.contains(&found), "{found} of {possible:?}");
            }
        });
    });
}

#[test]
fn a_real_file_under_several_threads_raises_no_false_alarm() {
    let (units, threads) = (128u64, 4);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let verifier = verifier(units);
    let mut layout = vec![0; (units * UNIT) as usize];
    verifier.fill_initial(0, 0, &mut layout);
    file.as_file()
        .write_all(&layout)
        .expect("room for half a megabyte");
    let (verifier_ref, path) = (&verifier, file.path());
    let work = |number| {
        move || {
            let mut file = File::options()
                .read(true)
                .write(true)
                .open(path)
                .expect("the file is there");
            let mut random = crate::feed::offsets::Generator::from_parts(&[number]);
            let mut block = vec![0; UNIT as usize];
            for _ in 0..2500 {
                let offset = random.below(units) * UNIT;
                file.seek(SeekFrom::Start(offset)).expect("a file");
                if random.below(2) == 0 {
                    let Some(ticket) = verifier_ref.try_begin_write(0, offset, &mut block) else {
                        continue;
                    };
                    let result = file.write_all(&block);
                    verifier_ref.written(ticket, result.is_ok());
                } else {
                    let ticket = verifier_ref.expect(0, offset, UNIT as u32);
                    file.read_exact(&mut block).expect("within the file");
                    verifier_ref
                        .check(ticket, &block)
                        .expect("no fault was planted");
                }
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|number| drop(scope.spawn(work(number)))));
    assert!(
        verifier.checked_units() > 1000
            && verifier.undecided_units() < verifier.checked_units() / 10
    );
    // Somebody else writes one byte: exactly that unit is reported.
    let mut file = File::options()
        .read(true)
        .write(true)
        .open(path)
        .expect("the file is there");
    file.seek(SeekFrom::Start(77 * UNIT + 123)).expect("a file");
    file.write_all(b"overwritten").expect("room");
    let wrong: Vec<u64> = (0..units)
        .filter(|unit| {
            let mut block = vec![0; UNIT as usize];
            file.seek(SeekFrom::Start(unit * UNIT)).expect("a file");
            file.read_exact(&mut block).expect("within the file");
            read(&verifier, unit * UNIT, &block).is_err()
        })
        .collect();
    assert_eq!(wrong, [77]);
}
