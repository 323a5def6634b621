//! Records made by hand, as the kernel writes them, and what they are reported as.

use super::following::{Following, Look};
use crate::event_sink::tests::Reported;
use crate::system::open_paths::RequestedPath;
use crate::system::opened_files::OpenedFile;
use crate::system::tracepoints::numbers;
use crate::system::tracepoints::records::Record;

const THREAD: u32 = 4_000_000_000;
/// The clock of the records counts from here.
const SINCE_1970_NS: u64 = 1_000_000;

#[test]
fn a_system_without_tracepoints_says_what_to_do() {
    let reason = super::not_on_this_system();
    assert_eq!(
        reason.is_none(),
        cfg!(any(target_os = "linux", target_os = "windows"))
    );
    assert!(reason.is_none_or(|reason| reason.contains("pass the file to plumb trace")));
}

/// Of the system call with this name.
fn number(name: &str) -> i64 {
    let found = numbers().find(|(_, known)| *known == name);
    found.expect("a known call").0
}

fn call(at_ns: u64, number: i64, arguments: [u64; 6], result: i64) -> [Record; 2] {
    call_of(THREAD, at_ns, number, arguments, result)
}

fn call_of(thread: u32, at_ns: u64, number: i64, arguments: [u64; 6], result: i64) -> [Record; 2] {
    [
        Record::Entered {
            thread,
            at_ns,
            number,
            arguments,
        },
        Record::Left {
            thread,
            at_ns: at_ns + 10,
            number,
            result,
        },
    ]
}

/// What is reported of these records, with the names that descriptors have when they are looked up.
fn reported(
    adopted: Option<(&[OpenedFile], u64)>,
    records: &[Record],
    name_of: impl Fn(i64) -> Option<String>,
) -> Reported {
    let mut reported = Reported::default();
    let mut following = Following::new(&mut reported, SINCE_1970_NS, true);
    if let Some((opened, begin_ns)) = adopted {
        following.adopt(&[THREAD], opened, begin_ns);
    }
    let mut look = Look::default();
    for record in records {
        if let Some((_, descriptor)) = following.asks_for_name(record) {
            look.ask(record, name_of(descriptor));
        }
    }
    for record in records {
        following.note_ends(record, &mut look);
    }
    for record in records {
        following.take(*record, &look);
    }
    let facts = following.end(1_000_000_000);
    reported.facts = facts;
    assert_eq!(reported.disordered, 0);
    reported
}

/// An address, behind which nothing can be seen.
const BEHIND: u64 = 0x7f00_0000_1000;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn a_file_is_opened_read_and_closed() {
    let records = [
        call(
            100,
            number("openat"),
            [-100i64 as u64, BEHIND, 0, 0, 0, 0],
            5,
        ),
        call(200, number("read"), [5, BEHIND, 4096, 0, 0, 0], 4096),
        call(300, number("read"), [5, BEHIND, 4096, 0, 0, 0], 100),
        call(400, number("readv"), [5, BEHIND, 2, 0, 0, 0], 0),
        call(500, number("pread64"), [5, BEHIND, 10, 7, 0, 0], -5),
    ]
    .concat();
    let name = |descriptor| (descriptor == 5).then(|| "/data/a".to_string());
    let reported = reported(None, &records, name);
    let of_file = reported.of_file("/data/a");
    let seen: Vec<_> = of_file
        .iter()
        .map(|of| (of.call.name, of.call.offset, of.call.bytes, of.moved_bytes))
        .collect();
    assert_eq!(
        seen,
        [
            ("openat", None, None, None),
            ("read", Some(0), Some(4096), Some(4096)),
            ("read", Some(4096), Some(4096), Some(100)),
            ("readv", Some(4196), None, Some(0)),
            ("pread64", Some(7), Some(10), None),
        ]
    );
    assert_eq!(of_file[0].call.at_ns, SINCE_1970_NS + 100);
    assert!(of_file[4].status.is_some_and(|status| status.is_error));
    assert_eq!(
        (
            reported.facts.unanswered,
            reported.facts.unmatched_responses
        ),
        (0, 0)
    );
}

/// A descriptor that was closed, replaced, or left by another program may stand for something else when it is looked up.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn a_name_that_may_be_anothers_is_none() {
    let open = call(
        100,
        number("openat"),
        [-100i64 as u64, BEHIND, 0, 0, 0, 0],
        5,
    );
    let other = |number, arguments| call(300, number, arguments, 0);
    for (after, is_named) in [
        (other(number("close"), [5, 0, 0, 0, 0, 0]), false),
        (other(number("dup3"), [9, 5, 0, 0, 0, 0]), false),
        (other(number("execve"), [BEHIND, 0, 0, 0, 0, 0]), false),
        (other(number("close_range"), [3, 9, 0, 0, 0, 0]), false),
        (other(number("close"), [6, 0, 0, 0, 0, 0]), true),
        (other(number("fsync"), [5, 0, 0, 0, 0, 0]), true),
    ] {
        let reported = reported(None, &[open, after].concat(), |_| Some("/data/a".into()));
        assert_eq!(reported.names.len(), usize::from(is_named), "{after:?}");
    }
}

/// The descriptors of a pipe stand behind an address; what is read from it is no file's.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn a_pipe_is_no_file() {
    let records = [
        call(100, number("pipe2"), [BEHIND, 0, 0, 0, 0, 0], 0),
        call(200, number("write"), [4, BEHIND, 10, 0, 0, 0], 10),
        call(300, number("read"), [3, BEHIND, 10, 0, 0, 0], 10),
        call(400, number("close"), [3, 0, 0, 0, 0, 0], 0),
    ]
    .concat();
    let reported = reported(None, &records, |_| None);
    assert_eq!((reported.made.len(), reported.facts.unnamed_files), (0, 0));
    assert_eq!(reported.facts.not_shown.not_files, 3);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn an_interrupted_call_is_no_error_and_memory_is_no_file() {
    let megabytes = 8 << 20;
    let records = [
        call(50, number("creat"), [BEHIND, 0, 0, 0, 0, 0], 5),
        call(100, number("flock"), [5, 2, 0, 0, 0, 0], -512),
        // Without a file, as a program writes it: -1 as an int.
        call(
            200,
            number("mmap"),
            [0, megabytes, 3, 0x22, 0xffff_ffff, 0],
            4096,
        ),
        call(
            300,
            number("mmap"),
            [0, megabytes, 3, 0x22, u64::MAX, 0],
            4096,
        ),
        call(400, number("mmap"), [0, megabytes, 1, 1, 5, 0], 4096),
    ]
    .concat();
    let reported = reported(None, &records, |_| None);
    let status = reported.answered[1].status.expect("a status");
    assert_eq!((status.name, status.is_error), (Some("EINTR"), false));
    assert_eq!(reported.facts.not_shown.mapped_files, 1);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn what_a_process_did_before_it_was_found_is_not_of_the_trace() {
    let opened = [OpenedFile {
        descriptor: 3,
        name: "/data/a".into(),
        position: Some(8192),
        flags: Some(0),
    }];
    let read = |at_ns| call(at_ns, number("read"), [3, BEHIND, 512, 0, 0, 0], 512);
    // In a call since before the tracepoints were there, it comes back from it: no answer is missing.
    let back = Record::Left {
        thread: THREAD,
        at_ns: 50,
        number: number("read"),
        result: 1,
    };
    let after = reported(
        Some((&opened, 100)),
        &[&[back][..], &read(200)].concat(),
        |_| None,
    );
    let offsets = |reported: &Reported| -> Vec<_> {
        reported
            .of_file("/data/a")
            .iter()
            .map(|of| of.call.offset)
            .collect()
    };
    assert_eq!(offsets(&after), [Some(8192)]);
    assert_eq!(
        (after.facts.unmatched_responses, after.facts.unanswered),
        (0, 0)
    );
    // A read while the positions were looked up: whether it is in them is not known.
    let between = reported(
        Some((&opened, 100)),
        &[read(90), read(200)].concat(),
        |_| None,
    );
    assert_eq!(offsets(&between), [None]);
    assert_eq!(between.facts.unmatched_responses, 0);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn requests_of_io_uring_and_what_is_lost_are_told() {
    let submitted = |at_ns, request, opcode| Record::Submitted {
        thread: THREAD,
        at_ns,
        request,
        opcode,
    };
    let completed = |at_ns, request, result| Record::Completed {
        at_ns,
        request,
        result,
    };
    let records = [
        submitted(100, 1, 22),
        submitted(110, 2, 23),
        // Opens a file.
        submitted(120, 3, 18),
        submitted(130, 4, 3),
        completed(200, 2, 4096),
        completed(210, 1, -5),
        completed(220, 9, 0),
        Record::Lost(12),
    ];
    let reported = reported(None, &records, |_| None);
    let names: Vec<&str> = reported.answered.iter().map(|of| of.call.name).collect();
    assert_eq!(names, ["io_uring write", "io_uring read"]);
    assert_eq!(reported.answered[0].moved_bytes, Some(4096));
    assert_eq!(reported.answered[1].moved_bytes, None);
    assert_eq!(reported.unanswered.len(), 1);
    assert_eq!(reported.facts.lost, 12);
    assert_eq!(reported.facts.not_shown.other_calls, 1);
    // A thread that ends in a call leaves it without an answer; an end without a beginning is missed.
    let [entered, left] = call(100, number("rename"), [BEHIND, BEHIND, 0, 0, 0, 0], 0);
    let exited = Record::Exited {
        thread: THREAD,
        at_ns: 150,
    };
    let ended = self::reported(None, &[entered, exited], |_| None);
    assert_eq!((ended.facts.unanswered, ended.answered.len()), (1, 0));
    let missed = self::reported(None, &[left], |_| None);
    assert_eq!(
        (missed.facts.unmatched_responses, missed.answered.len()),
        (1, 0)
    );
}

const CHILD: u32 = THREAD + 1;
/// The working directory, in place of a descriptor.
const CURRENT: u64 = -100i64 as u64;

fn openat(thread: u32, at_ns: u64, folder: u64, flags: u64, result: i64) -> [Record; 2] {
    let arguments = [folder, BEHIND, flags, 0, 0, 0];
    call_of(thread, at_ns, number("openat"), arguments, result)
}

/// What is reported when these paths were read as calls ended, by the time of their begin.
fn report_with(paths: &[(u32, u64, &str)], records: &[Record]) -> Reported {
    let requested = |(thread, at_ns, path): &(u32, u64, &str)| RequestedPath {
        thread: *thread,
        at_ns: at_ns + 5,
        path: path.to_string(),
        folder: None,
    };
    let mut reported = Reported::default();
    let mut following = Following::new(&mut reported, SINCE_1970_NS, true);
    following.begin_in(Some("/tmp"));
    following.take_paths(paths.iter().map(requested).collect(), &[]);
    for record in records {
        following.take(*record, &Look::default());
    }
    reported.facts = following.end(2000);
    reported
}

fn names(reported: &Reported) -> Vec<&str> {
    reported.names.values().map(String::as_str).collect()
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn files_are_called_by_the_paths_that_were_asked_for() {
    let open = |at_ns, folder, result| openat(THREAD, at_ns, folder, 0, result);
    let change = |at_ns, result| call(at_ns, number("chdir"), [BEHIND, 0, 0, 0, 0, 0], result);
    let forked = Record::Forked {
        parent: THREAD,
        child: CHILD,
        at_ns: 650,
        is_thread: false,
    };
    let records = [
        &open(100, CURRENT, 5)[..],
        &call(150, number("close"), [5, 0, 0, 0, 0, 0], 0),
        &change(200, 0),
        // One that fails, and one that is refused.
        &open(250, CURRENT, -2),
        &change(260, -2),
        &open(300, CURRENT, 5),
        // From the folder of a descriptor.
        &open(400, 5, 6),
        &[forked],
        &openat(CHILD, 700, CURRENT, 0, 11),
        // Only the parent's is not known from here on.
        &call(800, number("fchdir"), [77, 0, 0, 0, 0, 0], 0),
        &openat(CHILD, 1000, CURRENT, 0, 13),
    ]
    .concat();
    let paths = [
        (THREAD, 100, "a"),
        (THREAD, 200, "sub"),
        (THREAD, 250, "none"),
        (THREAD, 260, "none"),
        (THREAD, 300, "./b"),
        (THREAD, 400, "c"),
        (CHILD, 700, "../e"),
        (CHILD, 1000, "g"),
    ];
    let reported = report_with(&paths, &records);
    let expected = [
        "/tmp/a",
        "/tmp/sub/b",
        "/tmp/sub/b/c",
        "/tmp/sub/../e",
        "/tmp/sub/g",
    ];
    assert_eq!(names(&reported), expected);
    assert_eq!(reported.facts.unnamed_files, 0);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn a_path_that_is_told_after_the_end_of_its_open_is_that_opens() {
    let open = |at_ns, result| openat(THREAD, at_ns, -100i64 as u64, 0, result);
    let others = [openat(7, 101, 0, 0, 3), openat(7, 203, 0, 0, 3)].concat();
    let own = [open(100, 3), open(200, 4), open(300, 5)].concat();
    let mut records = [own, others].concat();
    records.sort_by_key(Record::at_ns);
    let late = |at_ns, path: &str| RequestedPath {
        thread: THREAD,
        at_ns,
        path: path.into(),
        folder: None,
    };
    let named = |paths: Vec<RequestedPath>| {
        let mut reported = Reported::default();
        let mut following = Following::new(&mut reported, SINCE_1970_NS, true);
        following.take_paths(paths, &records);
        for record in &records {
            following.take(*record, &Look::default());
        }
        reported.facts = following.end(2000);
        names(&reported).join(" ")
    };
    // Each open ends after 10 ns.
    assert_eq!(
        named(vec![late(113, "/a"), late(212, "/b"), late(311, "/c")]),
        "/a /b /c"
    );
    assert_eq!(named(vec![late(113, "/a"), late(311, "/c")]), "/a /c");
    // One whose call has a path already is of a call that was not recorded.
    assert_eq!(named(vec![late(105, "/a"), late(150, "/x")]), "/a");
    assert_eq!(named(vec![late(95, "/x")]), "");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn a_file_whose_path_is_not_known_for_certain_has_no_name() {
    let open = |at_ns, folder, flags, result| openat(THREAD, at_ns, folder, flags, result);
    let records = [
        // From a folder that is not known; one of which no path came; a file without a name; whatever the standard output is.
        &open(450, 77, 0, 7)[..],
        &open(500, CURRENT, 0, 8),
        &open(550, CURRENT, 0o20_200_000, 9),
        &open(600, CURRENT, 0, 10),
        &call(800, number("fchdir"), [77, 0, 0, 0, 0, 0], 0),
        &open(900, CURRENT, 0, 12),
        &open(950, CURRENT, 0, 13),
    ]
    .concat();
    let paths = [
        (THREAD, 450, "d"),
        (THREAD, 470, "before"),
        (THREAD, 550, "/data"),
        (THREAD, 600, "/dev/stdout"),
        (THREAD, 900, "f"),
        (THREAD, 950, "/g"),
    ];
    let reported = report_with(&paths, &records);
    assert_eq!(names(&reported), ["/g"]);
    assert_eq!(reported.facts.unnamed_files, 5);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn calls_of_32_bit_programs_are_counted_and_not_taken_for_others() {
    let began = |thread, at_ns, is_32_bit| Record::Began {
        thread,
        at_ns,
        is_32_bit,
    };
    let forked = Record::Forked {
        parent: THREAD,
        child: CHILD,
        at_ns: 300,
        is_thread: false,
    };
    let [entered, left] = call(100, number("execve"), [BEHIND; 6], 0);
    let read = number("read");
    let records = [
        &openat(THREAD, 50, CURRENT, 0, 5)[..],
        // It is a 32-bit program before the call that begins it has ended.
        &[entered, began(THREAD, 105, true), left],
        &call(200, read, [5, BEHIND, 10, 0, 0, 0], 10),
        &[forked],
        &call_of(CHILD, 400, read, [5, BEHIND, 10, 0, 0, 0], 10),
        // The child begins one of the usual kind; the end of that call has another number here.
        &[began(CHILD, 500, false)],
        &call_of(CHILD, 600, read, [5, BEHIND, 10, 0, 0, 0], 10),
    ]
    .concat();
    let reported = report_with(&[(THREAD, 50, "/data/a")], &records);
    let reads: Vec<_> = reported
        .of_file("/data/a")
        .iter()
        .map(|of| of.at_ns)
        .collect();
    assert_eq!(reads, [SINCE_1970_NS + 60, SINCE_1970_NS + 610]);
    assert_eq!(reported.facts.not_shown.of_32_bit, 2);
    assert_eq!(
        (
            reported.facts.unmatched_responses,
            reported.facts.unanswered
        ),
        (0, 0)
    );
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "asks the kernel of Linux")]
fn what_a_thread_waits_for_is_that_of_its_call() {
    use plumb_model::trace::events::Activity;

    let off = |from: u64, to: u64, preempted| {
        [
            Record::LeftCpu {
                thread: THREAD,
                at_ns: from,
                preempted,
            },
            Record::Runs {
                thread: THREAD,
                at_ns: to,
            },
        ]
    };
    // A call with a period off the CPU in it.
    let waits = |at_ns: u64, name: &str, arguments: [u64; 6], result: i64| {
        let [entered, left] = call(at_ns, number(name), arguments, result);
        let [from, to] = off(at_ns + 2, at_ns + 8, false);
        [entered, from, to, left]
    };
    const O_DSYNC: u64 = 0o10_000;
    let records = [
        &call(
            100,
            number("openat"),
            [-100i64 as u64, BEHIND, O_DSYNC, 0, 0, 0],
            5,
        )[..],
        &waits(200, "write", [5, BEHIND, 4096, 0, 0, 0], 4096),
        &waits(300, "read", [5, BEHIND, 4096, 0, 0, 0], 4096),
        &waits(400, "fdatasync", [5, 0, 0, 0, 0, 0], 0),
        &waits(500, "futex", [BEHIND, 0, 0, 0, 0, 0], 0),
        &waits(600, "clock_nanosleep", [0, 0, BEHIND, 0, 0, 0], 0),
        // Outside of a call.
        &off(700, 720, false),
        &off(730, 740, true),
    ]
    .concat();
    let name = |descriptor| (descriptor == 5).then(|| "/data/a".to_string());
    let reported = reported(None, &records, name);
    let seen: Vec<_> = reported
        .off_cpu
        .iter()
        .map(|of| {
            (
                of.activity,
                of.begin_ns - SINCE_1970_NS,
                of.end_ns - of.begin_ns,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (Activity::SyncWrite, 202, 6),
            (Activity::Read, 302, 6),
            (Activity::Flush, 402, 6),
            (Activity::Lock, 502, 6),
            (Activity::Sleep, 602, 6),
            (Activity::Fault, 700, 20),
            (Activity::Ready, 730, 10),
        ]
    );
    let file = |at: usize| {
        reported.off_cpu[at]
            .file
            .map(|file| &*reported.names[&file])
    };
    assert_eq!((file(0), file(3)), (Some("/data/a"), None));
    // The thread lives until the trace ends.
    let life = reported.ended[0];
    assert_eq!(life.begin_ns - SINCE_1970_NS, 100);
    assert_eq!(life.end_ns - SINCE_1970_NS, 1_000_000_000);
}
