//! Is each field found where its class has it, for both sizes of pointers and both versions?

use super::super::is_event_trace;
use super::*;
use crate::system::event_tracing::operations::OPERATIONS;
use crate::system::event_tracing::record::Record;

fn begun(made: &Made) -> record::Begun {
    match record(&made.event()) {
        Some(Record::Begun(begun)) => begun,
        other => panic!("{other:?}"),
    }
}

/// Begins an event of FileIo in both versions and with both sizes of pointers.
fn each(kind: u8, check: impl Fn(Made, bool)) {
    for (version, pointer_bytes) in [(2, 4), (2, 8), (3, 4), (3, 8)] {
        let mut made = file_io(kind, 5);
        (made.version, made.pointer_bytes) = (version, pointer_bytes);
        check(made, version == 3);
    }
}

#[test]
fn reads_and_writes() {
    each(67, |made, is_behind| {
        let made = made.u64(1 << 33).pointer(0x1111_1111);
        let made = match is_behind {
            // Offset, IrpPtr, FileObject, FileKey, IssuingThreadId, IoSize, IoFlags.
            true => made.pointer(0x2222_2222).pointer(0x3333_3333).u32(4711),
            // Offset, IrpPtr, TTID, FileObject, FileKey, IoSize, IoFlags.
            false => made.pointer(4711).pointer(0x2222_2222).pointer(0x3333_3333),
        };
        let begun = begun(&made.u32(65_536).u32(0x43).by(12, 99));
        assert_eq!((begun.operation.name, begun.at_ns), ("Read", UNIX_NS + 500));
        assert_eq!((begun.thread, begun.process), (Some(4711), Some(12)));
        assert_eq!((begun.request, begun.object), (0x1111_1111, 0x2222_2222));
        assert_eq!((begun.key, begun.flags), (0x3333_3333, 0x43));
        assert_eq!((begun.offset, begun.bytes), (Some(1 << 33), Some(65_536)));
    });
}

#[test]
fn opens() {
    each(64, |made, is_behind| {
        let made = made.pointer(0x1111_1111);
        let made = match is_behind {
            // IrpPtr, FileObject, IssuingThreadId, CreateOptions, FileAttributes, ShareAccess, OpenPath.
            true => made.pointer(0x2222_2222).u32(4711),
            // IrpPtr, TTID, FileObject and the same.
            false => made.pointer(4711).pointer(0x2222_2222),
        };
        let made = made
            .u32(1)
            .u32(2)
            .u32(3)
            .wide("\\Device\\HarddiskVolume3\\\u{6f22}.dat");
        let begun = begun(&made);
        assert_eq!((begun.object, begun.key), (0x2222_2222, 0));
        assert_eq!((begun.thread, begun.bytes), (Some(4711), None));
        let path = "\\Device\\HarddiskVolume3\\\u{6f22}.dat";
        assert_eq!(begun.path.as_deref(), Some(path));
    });
}

#[test]
fn other_operations() {
    for kind in [65, 66, 73, 69, 70, 71, 74, 75, 72, 77] {
        let has_information = matches!(kind, 69..=71 | 74 | 75);
        each(kind, |made, is_behind| {
            let made = made.pointer(0x1111_1111);
            let made = match is_behind {
                true => made.pointer(0x2222_2222).pointer(0x3333_3333),
                false => made.pointer(4711).pointer(0x2222_2222).pointer(0x3333_3333),
            };
            // ExtraInfo.
            let made = if has_information {
                made.pointer(9)
            } else {
                made
            };
            let made = if is_behind { made.u32(4711) } else { made };
            // InfoClass; Length, InfoClass, FileIndex, FileName.
            let made = match kind {
                72 | 77 => made.u32(4096).u32(37).u32(0).wide("*"),
                _ if has_information => made.u32(5),
                _ => made,
            };
            let begun = begun(&made);
            assert_eq!((begun.request, begun.object), (0x1111_1111, 0x2222_2222));
            assert_eq!(
                (begun.key, begun.thread),
                (0x3333_3333, Some(4711)),
                "{kind}"
            );
        });
    }
}

#[test]
fn ends_names_processes_and_threads() {
    each(76, |made, _| {
        let ended = made.pointer(0x1111_1111).pointer(4096).u32(0xc000_0011);
        let said = record(&ended.event());
        let expected = Record::Ended {
            at_ns: UNIX_NS + 500,
            request: 0x1111_1111,
            information: 4096,
            status: 0xc000_0011,
        };
        assert_eq!(said, Some(expected));
    });
    for kind in [0, 32, 36] {
        let named = Record::Named {
            key: 5,
            name: r"\Device\a".into(),
        };
        assert_eq!(record(&name(kind, 5, r"\Device\a").event()), Some(named));
    }
    let gone = record(&name(35, 5, "x").event());
    assert_eq!(gone, Some(Record::Forgotten { key: 5 }));
    let began = Record::ProcessBegan {
        process: 100,
        parent: 50,
        image: "a.exe".into(),
    };
    assert_eq!(
        record(&process(1, 100, 50, "a.exe").event()),
        Some(began.clone())
    );
    // Without a user, and before version 4 without flags.
    let plain = made(record::PROCESS, 3, 3, 0).pointer(1).u32(100).u32(50);
    let plain = plain.u32(1).u32(0).pointer(7).u32(0).bytes(b"a.exe\0");
    assert_eq!(record(&plain.event()), Some(began));
    let ended = record(&process(2, 100, 50, "a.exe").event());
    assert_eq!(ended, Some(Record::ProcessEnded { process: 100 }));
    let began = Record::ThreadBegan {
        thread: 7,
        process: 100,
    };
    assert_eq!(record(&thread(3, 100, 7).event()), Some(began));
}

#[test]
fn requests_to_disks() {
    for (version, pointer_bytes) in [(2, 4), (2, 8), (3, 4), (3, 8)] {
        let of = |kind| {
            let mut made = made(record::DISK_IO, kind, version, 0);
            made.pointer_bytes = pointer_bytes;
            made.u32(1).u32(0x43)
        };
        let issued = |made: Made| if version == 3 { made.u32(4711) } else { made };
        let thread = (version == 3).then_some(4711);
        // TransferSize, Reserved, ByteOffset, FileObject, Irp, HighResResponseTime, IssuingThreadId.
        let read = of(10).u32(8192).u32(0).u64(1 << 40);
        let read = issued(read.pointer(1).pointer(2).u64(1234));
        let Some(Record::Disk(read)) = record(&read.event()) else {
            panic!("no request");
        };
        assert_eq!((read.disk, read.thread), (1, thread));
        assert_eq!((read.bytes, read.offset), (Some(8192), Some(1 << 40)));
        // 10 million ticks are a second.
        assert_eq!(read.response_ns, Some(123_400));
        // HighResResponseTime, Irp, IssuingThreadId.
        let flush = issued(of(14).u64(10).pointer(2));
        let Some(Record::Disk(flush)) = record(&flush.event()) else {
            panic!("no request");
        };
        assert_eq!((flush.bytes, flush.response_ns), (None, Some(1000)));
        assert_eq!(flush.thread, thread);
        let long = of(14).u64(u64::MAX).pointer(2);
        assert_eq!(record(&long.event()), Some(Record::Damaged));
    }
}

/// Whatever is in an event: it is read, or damaged, and no more.
#[test]
fn cut_and_mangled_events_do_no_harm() {
    let mut state = 7u64;
    let mut random = || {
        // Numbers of a linear congruence (Knuth, MMIX), of which the upper bits are taken.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let complete = transfer(67, 0, 1, (2, 3), (0, 4096));
    for length in 0..complete.payload.len() {
        let mut cut = complete.clone();
        cut.payload.truncate(length);
        assert_eq!(record(&cut.event()), Some(Record::Damaged), "{length}");
    }
    let classes = [
        record::FILE_IO,
        record::DISK_IO,
        record::PROCESS,
        record::THREAD,
        5,
    ];
    let mut events = Vec::new();
    for _ in 0..20_000 {
        let mut made = made(
            classes[random() % 5],
            random() as u8 % 90,
            random() as u8 % 6,
            0,
        );
        made.pointer_bytes = [4, 8][random() % 2];
        made.at = (random() as i64 - (1 << 30)) * (1 << (random() % 32));
        let length = random() % 120;
        made.payload = (0..length).map(|_| (random() % 5) as u8).collect();
        events.push(made);
    }
    for subject in [Subject::Everything, Subject::Disks, Subject::Process(0)] {
        let reported = report_of(subject, &[], &events);
        assert!(reported.facts.damaged > 100);
    }
}

#[test]
fn a_time_before_1970_and_a_position_in_place_of_an_offset_are_no_numbers() {
    let early = transfer(67, -FILETIME, 1, (2, 3), (0, 4096));
    assert_eq!(record(&early.event()), Some(Record::Damaged));
    // FILE_WRITE_TO_END_OF_FILE is -1.
    let append = transfer(68, 0, 1, (2, 3), (u64::MAX, 4096));
    assert_eq!(begun(&append).offset, None);
    let kinds: Vec<u8> = OPERATIONS.iter().map(|operation| operation.kind).collect();
    assert!(kinds.is_sorted());
}

#[test]
fn a_recording_is_known_by_its_begin() {
    let mut head = vec![0u8; 0x60];
    head[..4].copy_from_slice(&65_536u32.to_le_bytes());
    // SYSTEM_TRACE_HEADER of a 64-bit Windows: version 2, type, flags; size, type 0 of group 0.
    head[0x48..0x50].copy_from_slice(&[2, 0, 2, 0xc0, 0x20, 1, 0, 0]);
    assert!(is_event_trace(&head));
    assert!(!is_event_trace(&head[..0x4f]));
    for (at, wrong) in [(0, 1), (0x4a, 0x14), (0x4b, 0x90), (0x4f, 3)] {
        let mut other = head.clone();
        other[at] = wrong;
        assert!(!is_event_trace(&other), "{at}");
    }
    assert!(!is_event_trace(b""));
}
