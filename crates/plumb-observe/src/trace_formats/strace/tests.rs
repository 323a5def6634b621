//! Does a log of strace report what the program did that it watched? The same program in three forms of the log; its source is known:
//! eight writes of 4 KiB, a pwrite, an lseek, two reads (one of a duplicate), preadv, pread, fsync; two threads that append and fdatasync four times; a child
//! that reads 1 KiB from the same open file before its parent does; rename, access, unlink.

use plumb_model::trace::events::CallClass;

use crate::event_sink::tests::Reported;
use crate::trace_format::Fixture;

pub fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture {
            bytes: include_bytes!("../../../../../testdata/traces/strace-threads.txt"),
            check: |reported| {
                check_data(reported, "data");
                check_threads(reported);
            },
        },
        Fixture {
            bytes: include_bytes!("../../../../../testdata/traces/strace-names.txt"),
            check: check_untimed,
        },
        Fixture {
            bytes: include_bytes!("../../../../../testdata/traces/strace-relative.txt"),
            check: |reported| {
                assert!(reported.facts.has_responses);
                assert_eq!(reported.count("write"), 8);
                assert_eq!(reported.made[0].name, "readlink");
            },
        },
    ]
}

/// Name, offset and size of each call that moves content.
fn moves(
    calls: impl Iterator<Item = plumb_model::trace::events::Call>,
) -> Vec<(&'static str, Option<u64>, Option<u64>)> {
    let moving = calls.filter(|call| matches!(call.class, CallClass::Read | CallClass::Write));
    moving
        .map(|call| (call.name, call.offset, call.bytes))
        .collect()
}

fn expected() -> Vec<(&'static str, Option<u64>, Option<u64>)> {
    let mut expected: Vec<_> = (0..8)
        .map(|at| ("write", Some(at * 4096), Some(4096)))
        .collect();
    expected.extend([
        ("pwrite64", Some(5000), Some(100)),
        ("read", Some(0), Some(4096)),
        ("read", Some(4096), Some(4096)),
        ("preadv", Some(64), Some(30)),
        ("pread64", Some(1 << 20), Some(4096)),
        // The child and the parent share the position.
        ("read", Some(8192), Some(1024)),
        ("read", Some(9216), Some(1024)),
    ]);
    expected
}

fn check_data(reported: &Reported, name: &str) {
    let calls = reported.of_file(name);
    assert_eq!(moves(calls.iter().map(|of| of.call)), expected());
    let last = calls.last().unwrap();
    assert!(last.call.name == "close" && last.call.closes);
    let of = |name: &str| calls.iter().find(|of| of.call.name == name).unwrap();
    assert_eq!(of("fsync").service_ns(), 3_143_000);
    assert_eq!(of("pread64").moved_bytes, Some(0));
    assert_eq!(of("preadv").moved_bytes, Some(30));
}

fn check_threads(reported: &Reported) {
    for name in ["log a", "log \"b\""] {
        let calls = reported.of_file(name);
        // An append goes wherever the end is.
        assert_eq!(
            moves(calls.iter().map(|of| of.call)),
            vec![("write", None, Some(512)); 4]
        );
        let flushes = calls.iter().filter(|of| of.call.name == "fdatasync");
        assert_eq!(flushes.count(), 4);
        let lane = calls[0].call.lane;
        assert!(calls.iter().all(|of| of.call.lane == lane) && lane != 0);
    }
    let flushes: Vec<u64> = reported
        .of_file("log a")
        .iter()
        .filter(|of| of.call.name == "fdatasync")
        .map(|of| of.service_ns())
        .collect();
    assert_eq!(flushes, [498_000, 448_000, 149_000, 192_000]);
    assert_eq!((reported.unanswered.len(), reported.facts.damaged), (0, 0));
    // Both ends of the pipe.
    assert_eq!(reported.facts.not_shown.not_files, 2);
    assert_eq!(reported.facts.unnamed_files, 0);
    let missing = reported
        .answered
        .iter()
        .find(|of| of.call.name == "access")
        .unwrap();
    assert_eq!(missing.status.unwrap().name, Some("ENOENT"));
    assert_eq!(reported.lanes.len(), 4);
}

/// Without -T nothing reports when a call was answered; with -y descriptors have names.
fn check_untimed(reported: &Reported) {
    assert!(!reported.facts.has_responses && reported.answered.is_empty());
    let is_data = |file: &u64| {
        reported
            .names
            .get(file)
            .is_some_and(|name| name == "/tmp/app/data")
    };
    let of_data = reported
        .made
        .iter()
        .filter(|call| call.file.as_ref().is_some_and(is_data));
    assert_eq!(moves(of_data.copied()), expected());
}
