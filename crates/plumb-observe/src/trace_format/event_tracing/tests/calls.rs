//! Do events come to the right calls: with their ends, their files and who made them?

use plumb_model::trace::events::{Answered, CallClass, TraceEvent};
use plumb_model::trace::receiver::TraceReceiver;

use super::super::paths::{is_file, shown};
use super::*;
use crate::trace_format::calls_writer::CallsWriter;
use crate::trace_formats::{format_of, read_trace};

const FILE: (u64, u64) = (0xa0, 0xb0);

fn of_a_process() -> Vec<Made> {
    vec![
        process(3, 100, 50, "app.exe"),
        thread(3, 100, 77),
        create(10, 1, FILE.0, 77, r"\Device\HarddiskVolume3\data\a.bin"),
        end(15, 1, 1, 0),
        transfer(67, 20, 2, FILE, (4096, 8192)),
        // What the read comes to below the cache, while it goes on.
        paging(67, 21, 3, FILE),
        end(25, 3, 4096, 0),
        end(30, 2, 5000, 0),
        transfer(67, 40, 2, FILE, (12_288, 8192)),
        end(42, 2, 0, 0xc000_0011),
        simple(73, 50, 4, FILE),
        end(90, 4, 0, 0),
        simple(65, 91, 5, FILE),
        end(92, 5, 0, 0),
        simple(66, 93, 6, FILE),
        end(94, 6, 0, 0),
    ]
}

#[test]
fn operations_and_their_ends_are_calls() {
    let letters = [(r"\Device\HarddiskVolume3", "C:")];
    let reported = report_of(Subject::Everything, &letters, &of_a_process());
    assert_eq!(reported.disordered, 0);
    let names: Vec<&str> = reported.made.iter().map(|call| call.name).collect();
    assert_eq!(
        names,
        ["Create", "Read", "Read", "Flush", "Cleanup", "Close"]
    );
    let of_file = reported.of_file(r"C:\data\a.bin");
    assert_eq!(of_file.len(), 6);
    let read = of_file[1];
    assert_eq!((read.call.at_ns, read.service_ns()), (UNIX_NS + 2000, 1000));
    assert_eq!(
        (read.call.offset, read.call.bytes),
        (Some(4096), Some(8192))
    );
    assert_eq!((read.moved_bytes, read.status), (Some(5000), None));
    assert_eq!(read.call.class, CallClass::Read);
    let at_end = of_file[2].status.unwrap();
    assert_eq!(at_end.name, Some("STATUS_END_OF_FILE"));
    assert_eq!((at_end.is_error, of_file[2].moved_bytes), (false, Some(0)));
    assert_eq!(of_file[3].service_ns(), 4000);
    assert!(of_file[5].call.closes && !of_file[4].call.closes);
    assert_eq!(reported.lanes.values().collect::<Vec<_>>(), ["app.exe 77"]);
    assert_eq!(
        (
            reported.facts.not_shown.paging,
            reported.facts.unmatched_responses
        ),
        (1, 0)
    );
    assert_eq!(
        (reported.facts.unnamed_files, reported.facts.damaged),
        (0, 0)
    );
    assert_eq!(reported.facts.records, 16);
}

#[test]
fn what_has_no_end_and_what_has_no_begin_is_counted() {
    let reported = report_of(
        Subject::Everything,
        &[],
        &[
            end(1, 9, 0, 0),
            transfer(68, 2, 1, FILE, (0, 512)),
            // Its address is used again: the end of the first one was lost.
            transfer(68, 5, 1, FILE, (512, 512)),
            end(7, 1, 512, 0xc000_007f),
            transfer(68, 8, 2, FILE, (1024, 512)),
        ],
    );
    assert_eq!(
        (
            reported.facts.unmatched_responses,
            reported.facts.unanswered
        ),
        (1, 2)
    );
    assert_eq!(reported.answered.len(), 1);
    let refused = reported.answered[0];
    let status = refused.status.unwrap();
    assert_eq!(
        (status.name, status.is_error),
        (Some("STATUS_DISK_FULL"), true)
    );
    assert_eq!(refused.moved_bytes, None);
    assert_eq!(
        (reported.facts.unnamed_files, reported.facts.damaged),
        (1, 0)
    );
}

#[test]
fn names_come_later_and_a_wrong_one_never() {
    let other = (0xa1, 0xb1);
    let third = (0xa2, 0xb2);
    let reported = report_of(
        Subject::Everything,
        &[],
        &[
            // Open before the trace began.
            transfer(67, 1, 1, FILE, (0, 512)),
            end(2, 1, 512, 0),
            transfer(67, 3, 1, other, (0, 512)),
            end(4, 1, 512, 0),
            simple(66, 5, 1, other),
            end(6, 1, 0, 0),
            name(
                32,
                third.1,
                r"\Device\Mup\;LanmanRedirector\server\share\third",
            ),
            transfer(67, 7, 1, third, (0, 512)),
            end(8, 1, 512, 0),
            name(35, third.1, ""),
            simple(66, 9, 1, third),
            end(9, 1, 0, 0),
            // The same address, another file.
            transfer(67, 10, 1, third, (0, 512)),
            end(11, 1, 512, 0),
            // What is open at the end is reported then; the second key is that of another file by now.
            name(36, FILE.1, r"\Device\HarddiskVolume1\first"),
            name(36, other.1, r"\Device\HarddiskVolume1\not the second"),
        ],
    );
    let names: Vec<&str> = reported.names.values().map(String::as_str).collect();
    assert_eq!(
        names,
        [r"\Device\HarddiskVolume1\first", r"\\server\share\third"]
    );
    assert_eq!(reported.facts.unnamed_files, 2);
    let files: Vec<_> = reported.made.iter().filter_map(|call| call.file).collect();
    assert_eq!(files, [0, 1, 1, 2, 2, 3]);
}

#[test]
fn pipes_are_left_out_and_a_refused_file_is_told() {
    let reported = report_of(
        Subject::Everything,
        &[],
        &[
            create(1, 1, 0xa0, 7, r"\Device\NamedPipe\srvsvc"),
            end(2, 1, 0, 0),
            transfer(68, 3, 1, FILE, (0, 100)),
            end(4, 1, 100, 0),
            create(5, 1, 0xa1, 7, r"\Device\HarddiskVolume1\none"),
            end(6, 1, 0, 0xc000_0034),
            // Its address is that of a file that was open before.
            transfer(67, 7, 1, (0xa1, 0xb1), (0, 512)),
            end(8, 1, 512, 0),
            // Begins in a folder that is open: which file it is, it does not say.
            create(9, 1, 0xa2, 7, r"relative.txt"),
            end(10, 1, 1, 0),
        ],
    );
    assert_eq!(reported.facts.not_shown.not_files, 2);
    assert_eq!(
        (reported.facts.unmatched_responses, reported.made.len()),
        (0, 3)
    );
    let refused = reported.of_file(r"\Device\HarddiskVolume1\none");
    assert_eq!(refused.len(), 1);
    let status = refused[0].status.unwrap();
    assert_eq!(status.name, Some("STATUS_OBJECT_NAME_NOT_FOUND"));
    assert_eq!(reported.facts.unnamed_files, 2);
}

#[test]
fn one_process_and_its_children_are_followed_alone() {
    let write =
        |at, request, by: (u32, u32)| transfer(68, at, request, FILE, (0, 512)).by(by.0, by.1);
    let events = [
        process(3, 4, 0, "System"),
        process(1, 100, 50, "app.exe"),
        process(1, 101, 100, "child.exe"),
        process(1, 102, 101, "grandchild.exe"),
        write(1, 1, (102, 7)),
        write(2, 2, (4, 8)),
        // Of the system, by the number of the thread alone.
        thread(3, 4, 77),
        transfer(68, 3, 3, FILE, (0, 512)),
        end(4, 1, 512, 0),
        end(5, 2, 512, 0),
        end(5, 99, 512, 0),
        process(2, 102, 101, "grandchild.exe"),
        // What it began before goes on; then another process has its number.
        write(6, 4, (102, 7)),
        end(7, 4, 512, 0),
        process(1, 102, 4, "service.exe"),
        write(8, 5, (102, 9)),
        end(9, 5, 512, 0),
        write(10, 6, (100, 11)),
        end(11, 6, 512, 0),
        // It is the process that was requested: whose child it is does not matter.
        process(3, 100, 50, "app.exe"),
        write(12, 7, (100, 11)),
    ];
    let reported = report_of(Subject::Process(100), &[], &events);
    let at: Vec<u64> = reported
        .made
        .iter()
        .map(|call| (call.at_ns - UNIX_NS) / 100)
        .collect();
    assert_eq!(at, [1, 6, 10, 12]);
    assert_eq!(
        (
            reported.facts.unmatched_responses,
            reported.facts.unanswered
        ),
        (0, 1)
    );
}

#[test]
fn requests_to_disks_are_told_where_there_is_nothing_else() {
    let request = |kind, at, response| {
        let made = made(record::DISK_IO, kind, 3, at).u32(2).u32(0);
        match kind {
            14 => made.u64(response).pointer(2).u32(77),
            _ => {
                let made = made.u32(4096).u32(0).u64(1 << 20);
                made.pointer(1).pointer(2).u64(response).u32(77)
            }
        }
    };
    let events = [
        thread(3, 100, 77),
        // The second one began first.
        request(10, 100, 20),
        request(11, 110, 90),
        request(14, 150, 30),
    ];
    let reported = report_of(Subject::Disks, &[], &events);
    assert_eq!(reported.disordered, 0);
    let made: Vec<_> = reported.made.iter().map(|call| call.name).collect();
    assert_eq!(made, ["disk write", "disk read", "disk flush"]);
    assert_eq!(reported.of_file("disk 2").len(), 3);
    assert_eq!(reported.made[0].at_ns, UNIX_NS + 2000);
    let beside = report_of(Subject::Everything, &[], &events);
    assert_eq!(
        (beside.made.len(), beside.facts.not_shown.disk_requests),
        (0, 3)
    );
}

#[test]
fn a_kept_trace_says_the_same_again() {
    let letters = [(r"\Device\HarddiskVolume3", "C:")];
    let mut events = of_a_process();
    // A status that has no name here.
    events.push(transfer(68, 100, 8, FILE, (0, 512)));
    events.push(end(101, 8, 0, 0xc0e0_0001));
    let reported = report_of(Subject::Everything, &letters, &events);
    let mut bytes = Vec::new();
    let mut kept = CallsWriter::begin(&mut bytes, "etw").unwrap();
    for (file, name) in &reported.names {
        kept.name(*file, name);
    }
    for answered in &reported.answered {
        kept.take(TraceEvent::Made(answered.call));
        kept.take(TraceEvent::Answered(*answered));
    }
    assert_eq!(kept.end(&reported.facts).unwrap(), 7);
    let format = format_of(&bytes).unwrap();
    let mut again = Reported::default();
    again.facts = read_trace(format, bytes, &[][..], &mut again);
    assert_eq!(
        (again.facts.damaged, again.made.len()),
        (0, reported.made.len())
    );
    assert_eq!(again.of_file(r"C:\data\a.bin").len(), 6);
    for (one, other) in reported.answered.iter().zip(&again.answered) {
        let of = |answered: &Answered| {
            let status = answered.status;
            (
                answered.call.name,
                answered.call.at_ns,
                answered.moved_bytes,
                status.map(|status| (status.code, status.name, status.is_error)),
            )
        };
        assert_eq!(of(one), of(other));
    }
}

#[test]
fn paths_are_as_users_write_them() {
    let letters = vec![
        (r"\Device\HarddiskVolume1".to_string(), "D:".to_string()),
        (r"\Device\HarddiskVolume12".to_string(), "C:".to_string()),
    ];
    for (path, expected) in [
        (r"\Device\HarddiskVolume12\a\b", Some(r"C:\a\b")),
        (r"\device\harddiskvolume1", Some(r"D:\")),
        (
            r"\Device\HarddiskVolume123\a",
            Some(r"\Device\HarddiskVolume123\a"),
        ),
        (r"\Device\Mup\server\share\x", Some(r"\\server\share\x")),
        (
            r"\Device\Mup\;LanmanRedirector\;Z:000000000001e0a3\server\share\x",
            Some(r"\\server\share\x"),
        ),
        (r"\Device\Mup", None),
        ("", None),
        ("a.txt", None),
        ("\u{6f22}", None),
    ] {
        assert_eq!(shown(path, &letters).as_deref(), expected, "{path}");
    }
    assert!(!is_file(r"\Device\NamedPipe\x") && is_file(r"\Device\NamedPipes\x"));
    assert!(is_file(r"\Device\HarddiskVolume1"));
}
