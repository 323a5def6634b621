//! Logs as fio writes them, logs by hand, and what is none.

use super::*;

/// Every request of a log, and the reader after its end.
fn read(text: &str) -> Result<(Vec<Request>, IologReader), PlanError> {
    let mut reader = IologReader::new("some.log");
    let mut requests = Vec::new();
    for line in text.split_inclusive('\n') {
        requests.extend(reader.line(line.as_bytes())?);
    }
    reader.end()?;
    Ok((requests, reader))
}

fn request(kind: OperationKind, file: u16, offset: u64, len: u32, time_us: u64) -> Request {
    Request {
        kind,
        file,
        offset,
        len,
        time_ns: time_us * 1000,
    }
}

#[test]
fn version_3_has_a_time_on_each_line() {
    use OperationKind::{Flush, Read, Trim, Write};
    let text = "fio version 3 iolog\n5 /data/a add\n5 /data/a open\n105 /data/a write 0 4096\n105 b read 8192 512\r\n\n\
                90 /data/a datasync 4096 0\n2000 b trim 1 2\n2000 /data/a sync 0 0\n2500 /data/a close\n";
    let (requests, reader) = read(text).expect("a log");
    let expected = [
        request(Write, 0, 0, 4096, 100),
        request(Read, 1, 8192, 512, 100),
        request(Flush, 0, 0, 0, 100),
        request(Trim, 1, 1, 2, 1995),
        request(Flush, 0, 0, 0, 1995),
    ];
    assert_eq!(requests, expected);
    assert_eq!(reader.files(), ["/data/a", "b"]);
    assert_eq!(reader.length_ns(), 2_495_000);
    assert_eq!(
        reader.counts(),
        IologCounts {
            file_actions: 3,
            full_syncs: 1,
            empty: 0,
            backward: 1,
            waits: 0
        }
    );
}

/// Logs as they lie in testdata: one that fio 3.33 wrote, of 60 reads and writes with an fsync after each eighth write or read, and one by hand.
#[test]
fn whole_logs_are_read() {
    let count = |requests: &[Request], kind| {
        requests
            .iter()
            .filter(|request| request.kind == kind)
            .count()
    };
    let (requests, reader) = read(include_str!(
        "../../../../../testdata/fio/iologs/fio-3.33-mixed.log"
    ))
    .expect("a log");
    let found = [
        OperationKind::Read,
        OperationKind::Write,
        OperationKind::Flush,
    ]
    .map(|kind| count(&requests, kind));
    assert_eq!((found, requests.len()), ([33, 27, 6], 66));
    assert_eq!(
        requests[0],
        request(OperationKind::Read, 0, 28_672, 16_384, 147)
    );
    assert_eq!(
        (reader.files(), reader.length_ns()),
        (["recorded.file".to_string()].as_slice(), 600_273_000)
    );
    assert_eq!(
        reader.counts(),
        IologCounts {
            file_actions: 3,
            full_syncs: 6,
            ..IologCounts::default()
        }
    );
    let (requests, reader) = read(include_str!(
        "../../../../../testdata/fio/iologs/by-hand-v2.log"
    ))
    .expect("a log");
    assert_eq!(
        (requests.len(), reader.files().len(), reader.length_ns()),
        (6, 2, 1_750_000)
    );
    assert_eq!(
        requests[4],
        request(OperationKind::Trim, 1, 65_536, 65_536, 1500)
    );
}

#[test]
fn version_2_waits() {
    let text = "fio version 2 iolog\n/f add\n/f open\n/f read 0 4096\n/f wait 1500 0\n/f wait 50 0\n/f read 4096 4096\n/f read 0 0\n/f close\n";
    let (requests, reader) = read(text).expect("a log");
    assert_eq!(
        requests,
        [
            request(OperationKind::Read, 0, 0, 4096, 0),
            request(OperationKind::Read, 0, 4096, 4096, 1550)
        ]
    );
    assert_eq!(
        (
            reader.length_ns(),
            reader.counts().waits,
            reader.counts().empty
        ),
        (1_550_000, 2, 1)
    );
}

#[test]
fn what_is_no_log_is_refused_with_file_line_and_what_was_expected() {
    let v3 = |line: &str| format!("fio version 3 iolog\n{line}\n");
    let v2 = |line: &str| format!("fio version 2 iolog\n/f open\n{line}\n");
    for (text, expected) in [
        (String::new(), "some.log: the file is empty"),
        (
            "fio version 1 iolog\n".into(),
            "some.log, line 1: the first line of a log is 'fio version 2 iolog'",
        ),
        ("0,4096,4096\n".into(), "not '0,4096,4096'"),
        (v3("0 f read 0"), "line 2: expected 'TIME FILE ACTION'"),
        (v3("0 a file read 0 4096"), "without spaces"),
        (
            v3("now f read 0 4096"),
            "a time stamp in microseconds, found 'now'",
        ),
        (v3("-1 f read 0 4096"), "found '-1'"),
        (v3("0 f read 0x10 4096"), "an offset in bytes"),
        (
            v3("0 f read 99999999999999999999 4096"),
            "an offset in bytes",
        ),
        (v3("0 f write 0 4096k"), "a length in bytes, found '4096k'"),
        (v3("0 f write 0 2147483648"), "at most 2147479552"),
        (v3("0 f write 18446744073709551615 512"), "2^62"),
        (v3("0 f wait 5 0"), "version 3 has no wait"),
        (
            v3("0 f reed 0 512"),
            "'reed' is no action: there are read, write",
        ),
        (v3("0 f opened"), "'opened' is no action"),
        (v2("0 f read 0 4096"), "line 3: expected 'FILE ACTION'"),
        (v2("/f wait soon 0"), "a time in microseconds"),
        (
            v3(&format!("0 {} open", "x".repeat(LINE_MAX_BYTES))),
            "longer than 4096 bytes",
        ),
        (v3("0 f \u{1b}[31m"), "'?[31m' is no action"),
    ] {
        let error = read(&text).expect_err(&text).to_string();
        assert!(
            error.starts_with("some.log") && error.contains(expected),
            "{text}: {error}"
        );
    }
    let traces: [&[u8]; 2] = [
        &[7, 0x74, 0x61, 0x65, 1, 2, 3],
        &[0x65, 0x61, 0x74, 7, 0, 0],
    ];
    for trace in traces {
        let error = IologReader::new("t")
            .line(trace)
            .expect_err("binary")
            .to_string();
        assert!(
            error.contains("blkparse") && error.contains("fio version 3 iolog"),
            "{error}"
        );
    }
}

/// Thousands of logs with bytes changed, cut, doubled and moved: an answer or an error, never a panic, and times that never fall.
#[test]
fn mangled_logs_are_read_or_refused() {
    let whole = "fio version 3 iolog\n0 f add\n0 f open\n10 f write 0 4096\n20 g read 18446744073709551615 4294967295\n30 f trim 5 5\n31 f sync 0 0\n";
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let mut read_through = 0;
    for round in 0..5000 {
        let mut bytes = whole.as_bytes().to_vec();
        if round % 2 == 0 {
            bytes[14] = b'2';
        }
        for _ in 0..=draw(4) {
            let (from, to) = (draw(bytes.len()), draw(bytes.len()));
            match draw(4) {
                0 if !bytes.is_empty() => bytes[from] = draw(256) as u8,
                1 => bytes.truncate(from.max(20)),
                2 => bytes.extend_from_within(from.min(to)..from.max(to)),
                _ if !bytes.is_empty() => drop(bytes.remove(from)),
                _ => {}
            }
        }
        let (mut reader, mut last) = (IologReader::new("mangled"), 0);
        let lines = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| reader.line(line))
            .map_while(Result::ok)
            .flatten();
        for request in lines.collect::<Vec<_>>() {
            assert!(
                request.time_ns >= last
                    && (request.len > 0 || request.kind == OperationKind::Flush)
            );
            last = request.time_ns;
            read_through += 1;
        }
    }
    assert!(read_through > 1000, "{read_through}");
}
