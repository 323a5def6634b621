//! Is what a capture says of NFS what was counted? On connections that are made up: versions, fragments, losses, repetitions.

use plumb_model::trace::capture::{CaptureFacts, Protocol};
use plumb_model::trace::events::{Answered, Call, CallClass, TraceEvent};

use crate::captures::read_capture;
use crate::captures::tests::built::{CLIENT, SERVER, Talk, pcap};

struct Reported {
    facts: CaptureFacts,
    answered: Vec<Answered>,
    unanswered: Vec<Call>,
}

fn reported(file: &[u8]) -> Reported {
    let (mut answered, mut unanswered, mut made) = (Vec::new(), Vec::new(), 0);
    let facts = read_capture(file, &mut |event| match event {
        TraceEvent::Made(_) => made += 1,
        TraceEvent::Answered(answer) => answered.push(answer),
        TraceEvent::Unanswered(call, _) => unanswered.push(call),
        TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
    })
    .expect("a capture");
    assert_eq!(made, answered.len() + unanswered.len());
    Reported {
        facts,
        answered,
        unanswered,
    }
}

fn report_of(talk: &Talk) -> Reported {
    reported(&pcap(&talk.packets, 101, false, false, 65_535))
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn opaque(bytes: &[u8]) -> Vec<u8> {
    let mut of = words(&[bytes.len() as u32]);
    of.extend(bytes);
    of.resize(of.len().next_multiple_of(4), 0);
    of
}

/// A record in fragments of at most this many bytes.
fn record(content: &[u8], fragment_bytes: usize) -> Vec<u8> {
    let count = content.len().div_ceil(fragment_bytes);
    let mut record = Vec::new();
    for (at, part) in content.chunks(fragment_bytes).enumerate() {
        let last = if at + 1 == count { 1 << 31 } else { 0 };
        record.extend(words(&[part.len() as u32 | last]));
        record.extend(part);
    }
    record
}

/// A call with credentials of AUTH_SYS.
fn call(xid: u32, version: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    let credentials = [words(&[7]), opaque(b"host"), words(&[0, 0, 1, 0])].concat();
    [
        words(&[xid, 0, 2, 100_003, version, procedure, 1]),
        opaque(&credentials),
        words(&[0, 0]),
        arguments.to_vec(),
    ]
    .concat()
}

fn reply(xid: u32, results: &[u8]) -> Vec<u8> {
    [words(&[xid, 1, 0, 0, 0, 0]), results.to_vec()].concat()
}

fn read_3(xid: u32, offset: u64, bytes: u32) -> Vec<u8> {
    let place = words(&[(offset >> 32) as u32, offset as u32, bytes]);
    call(xid, 3, 6, &[opaque(b"handle-7"), place].concat())
}

fn read_3_reply(xid: u32, bytes: u32) -> Vec<u8> {
    let attributes = [words(&[1]), vec![0; 84]].concat();
    let data = opaque(&vec![0x5a; bytes as usize]);
    reply(
        xid,
        &[words(&[0]), attributes, words(&[bytes, 1]), data].concat(),
    )
}

/// Ten reads of 10,000 bytes, the n-th of them answered after n ms.
fn ten_reads(mut talk: Talk, fragment_bytes: usize, segment_bytes: usize) -> Talk {
    for xid in 1..=10 {
        let offset = u64::from(xid) << 33;
        let request = record(&read_3(xid, offset, 10_000), fragment_bytes);
        talk.say(CLIENT, &request, segment_bytes);
        talk.at_us += u64::from(xid) * 1000;
        let answer = record(&read_3_reply(xid, 10_000), fragment_bytes);
        talk.say(SERVER, &answer, segment_bytes);
        talk.at_us += 50;
    }
    talk
}

fn assert_ten_reads(reported: &Reported, what: &str) {
    assert_eq!(reported.answered.len(), 10, "{what}: {:?}", reported.facts);
    for (answer, xid) in reported.answered.iter().zip(1u64..) {
        assert_eq!(answer.service_ns(), xid * 1_000_000, "{what}");
        let call = &answer.call;
        assert_eq!((call.name, call.class), ("READ", CallClass::Read), "{what}");
        assert_eq!((call.offset, call.bytes), (Some(xid << 33), Some(10_000)));
        assert_eq!((answer.moved_bytes, answer.status), (Some(10_000), None));
        assert_eq!(call.file, reported.answered[0].call.file);
        assert!(call.file.is_some());
    }
}

#[test]
fn fragments_segments_and_ports_make_no_difference() {
    for fragment_bytes in [3, 100, 1 << 20] {
        for segment_bytes in [7, 1460, 60_000] {
            for port in [2049, 34_567] {
                let talk = Talk::begin_on(800, port);
                let talk = ten_reads(talk, fragment_bytes, segment_bytes);
                let what = format!("{fragment_bytes} {segment_bytes} {port}");
                // On any other port the first segment has to show what it is.
                if port != 2049 && (segment_bytes < 60 || fragment_bytes < 60) {
                    continue;
                }
                let reported = report_of(&talk);
                assert_ten_reads(&reported, &what);
                let [connection] = reported.facts.connections.as_slice() else {
                    panic!("{what}: {:?}", reported.facts);
                };
                assert_eq!(connection.protocol, Protocol::Nfs);
                assert_eq!(connection.dialect.as_deref(), Some("NFS 3"));
                assert_eq!(connection.server, format!("10.0.0.2:{port}"));
                assert_eq!((connection.requests, connection.calls_again), (10, 0));
                assert_eq!(reported.answered[0].round_trip_ns, Some(80_000));
                assert_eq!(reported.facts.message_losses, Default::default(), "{what}");
            }
        }
    }
}

#[test]
fn a_capture_that_begins_in_the_middle_or_has_gaps_goes_on_with_the_next_record() {
    let in_the_middle = || {
        let mut talk = Talk::in_the_middle_on(800, 2049);
        talk.say(SERVER, &[0xff; 3000], 1460);
        ten_reads(talk, 1 << 20, 1460)
    };
    let complete = report_of(&in_the_middle());
    assert_ten_reads(&complete, "in the middle");
    assert_eq!(complete.facts.message_losses.searches, 0);
    for lost in 4..70 {
        let mut talk = in_the_middle();
        talk.packets.remove(lost);
        let reported = report_of(&talk);
        let losses = &reported.facts.message_losses;
        assert!(reported.answered.len() >= 8, "{lost}: {:?}", reported.facts);
        if reported.answered.len() < 10 {
            let counted = losses.unanswered + losses.unmatched_responses + losses.cut;
            assert!(counted + losses.searches > 0, "{lost}: {losses:?}");
        }
    }
}

#[test]
fn cut_packets_lose_content_and_keep_heads() {
    let talk = ten_reads(Talk::begin_on(800, 2049), 1 << 20, 1460);
    let file = pcap(&talk.packets, 101, false, false, 220);
    assert_ten_reads(&reported(&file), "220 bytes of each packet");
    let narrow = reported(&pcap(&talk.packets, 101, false, false, 60));
    assert_eq!(narrow.facts.message_losses.cut, 10, "{:?}", narrow.facts);
}

fn compound(minor: u32, operations: &[Vec<u8>]) -> Vec<u8> {
    let count = operations.len() as u32;
    [words(&[0, minor, count]), operations.concat()].concat()
}

fn compound_results(status: u32, results: &[Vec<u8>]) -> Vec<u8> {
    let count = results.len() as u32;
    [words(&[status, 0, count]), results.concat()].concat()
}

fn sequence() -> Vec<u8> {
    words(&[53, 1, 2, 3, 4, 1, 0, 0, 0])
}

fn sequence_result() -> Vec<u8> {
    words(&[53, 0, 1, 2, 3, 4, 1, 0, 0, 0, 0])
}

fn put_handle(handle: &[u8]) -> Vec<u8> {
    [words(&[22]), opaque(handle)].concat()
}

#[test]
fn a_compound_is_one_call_by_the_name_of_what_it_is_for() {
    let state = words(&[1, 2, 3, 4]);
    let read = [words(&[25]), state.clone(), words(&[0, 8192, 4096])].concat();
    let read_result = [words(&[25, 0, 0]), opaque(&[7; 4096])].concat();
    let data = opaque(&vec![9; 100_000]);
    let write = [words(&[38]), state.clone(), words(&[1, 0, 2]), data].concat();
    let write_result = words(&[38, 0, 100_000, 2, 5, 6]);
    let attributes = words(&[9, 2, 1, 2]);
    let close = [words(&[4, 0]), state.clone()].concat();
    let open = [
        words(&[18, 0, 1, 0, 1, 2]),
        opaque(b"owner"),
        words(&[1, 1]),
        [words(&[1, 2]), opaque(&[0; 8])].concat(),
        words(&[0]),
        opaque(b"name"),
    ]
    .concat();
    let put = |handle: &[u8]| put_handle(handle);
    let done = |number: u32| words(&[number, 0]);
    let mut talk = Talk::begin_on(800, 2049);
    let mut xid = 100;
    let mut say = |arguments: Vec<u8>, results: Vec<u8>| {
        xid += 1;
        talk.say(CLIENT, &record(&call(xid, 4, 1, &arguments), 1 << 20), 1460);
        talk.at_us += 300;
        talk.say(SERVER, &record(&reply(xid, &results), 1 << 20), 1460);
        talk.at_us += 10;
    };
    say(
        compound(1, &[sequence(), put(b"f"), read, attributes.clone()]),
        compound_results(0, &[sequence_result(), done(22), read_result]),
    );
    say(
        compound(1, &[sequence(), put(b"f"), write, attributes.clone()]),
        compound_results(0, &[sequence_result(), done(22), write_result]),
    );
    say(
        compound(
            1,
            &[sequence(), put(b"dir"), open, words(&[10]), words(&[3, 31])],
        ),
        compound_results(10_008, &[sequence_result(), done(22), words(&[18, 10_008])]),
    );
    say(
        compound(1, &[sequence(), put(b"f"), close, attributes.clone()]),
        compound_results(0, &[sequence_result(), done(22)]),
    );
    say(
        compound(1, &[sequence(), words(&[24]), attributes]),
        compound_results(0, &[sequence_result()]),
    );
    say(
        compound(1, &[sequence(), words(&[24]), words(&[10])]),
        compound_results(0, &[sequence_result()]),
    );
    say(
        compound(1, &[sequence()]),
        compound_results(10_052, &[words(&[53, 10_052])]),
    );
    let reported = report_of(&talk);
    let names: Vec<&str> = reported.answered.iter().map(|of| of.call.name).collect();
    let expected = [
        "READ",
        "WRITE",
        "OPEN",
        "CLOSE",
        "GETATTR",
        "PUTROOTFH",
        "SEQUENCE",
    ];
    assert_eq!(names, expected, "{:?}", reported.facts);
    let [read, write, open, close, attributes, _, sequence] = reported.answered.as_slice() else {
        panic!("{names:?}");
    };
    assert_eq!(
        (read.call.offset, read.call.bytes),
        (Some(8192), Some(4096))
    );
    assert_eq!(read.moved_bytes, Some(4096));
    assert_eq!(
        (write.call.offset, write.call.bytes, write.moved_bytes),
        (Some(1 << 32), Some(100_000), Some(100_000))
    );
    assert_eq!(read.call.file, write.call.file);
    let status = |of: &Answered| of.status.and_then(|status| status.name);
    assert_eq!(status(open), Some("NFS4ERR_DELAY"));
    assert_eq!(status(sequence), Some("NFS4ERR_BADSESSION"));
    assert!(close.call.closes && close.call.file == read.call.file);
    assert_eq!(attributes.call.class, CallClass::Metadata);
    assert!(
        reported
            .answered
            .iter()
            .all(|of| of.service_ns() == 300_000)
    );
    let dialect = reported.facts.connections[0].dialect.as_deref();
    assert_eq!(dialect, Some("NFS 4.1"));
    assert_eq!(reported.facts.message_losses, Default::default());
}

#[test]
fn a_call_that_is_sent_again_counts_from_its_first_time() {
    let mut talk = Talk::begin_on(800, 2049);
    let request = record(&read_3(7, 0, 100), 1 << 20);
    let answer = record(&read_3_reply(7, 100), 1 << 20);
    talk.say(CLIENT, &request, 1460);
    talk.at_us += 5000;
    talk.say(CLIENT, &request, 1460);
    talk.at_us += 1000;
    talk.say(SERVER, &answer, 1460);
    talk.at_us += 10;
    talk.say(SERVER, &answer, 1460);
    let reported = report_of(&talk);
    assert_eq!(reported.answered.len(), 1);
    assert_eq!(reported.answered[0].service_ns(), 6_000_000);
    let connection = &reported.facts.connections[0];
    assert_eq!((connection.requests, connection.calls_again), (1, 1));
    assert_eq!(reported.facts.message_losses, Default::default());
}

/// A client whose connection breaks sends what it waits for over the next one.
#[test]
fn a_call_that_a_broken_connection_left_is_known_again() {
    let mut talk = Talk::begin_on(800, 2049);
    let request = record(&read_3(7, 0, 100), 1 << 20);
    talk.say(CLIENT, &request, 1460);
    let mut next = Talk::begin_on(801, 2049);
    next.say(CLIENT, &request, 1460);
    next.at_us += 1000;
    next.say(SERVER, &record(&read_3_reply(7, 100), 1 << 20), 1460);
    talk.reset(CLIENT);
    for packet in &mut next.packets {
        packet.at_us += 10_000;
    }
    talk.packets.append(&mut next.packets);
    let reported = report_of(&talk);
    assert_eq!((reported.answered.len(), reported.unanswered.len()), (1, 1));
    let again: u64 = reported
        .facts
        .connections
        .iter()
        .map(|of| of.calls_again)
        .sum();
    assert_eq!(again, 1);
}

#[test]
fn refusals_have_names_and_what_is_encrypted_is_counted() {
    let mut talk = Talk::begin_on(800, 2049);
    let mut say = |request: Vec<u8>, answer: Vec<u8>| {
        talk.say(CLIENT, &record(&request, 1 << 20), 1460);
        talk.at_us += 100;
        talk.say(SERVER, &record(&answer, 1 << 20), 1460);
    };
    let not_found = words(&[2, 0]);
    say(call(1, 3, 3, &opaque(b"dir")), reply(1, &not_found));
    say(
        call(2, 3, 1, &opaque(b"f")),
        words(&[2, 1, 0, 0, 0, 2, 3, 4]),
    );
    say(call(3, 3, 1, &opaque(b"f")), words(&[3, 1, 1, 1, 13]));
    // Credentials of RPCSEC_GSS: version, data, number, privacy; or integrity.
    let gss = |xid: u32, service: u32, arguments: &[u8]| {
        let credentials = [words(&[1, 0, 9, service]), opaque(b"ctx1")].concat();
        [
            words(&[xid, 0, 2, 100_003, 4, 1, 6]),
            opaque(&credentials),
            words(&[6]),
            opaque(&[1; 28]),
            arguments.to_vec(),
        ]
        .concat()
    };
    let gss_reply = |xid: u32, results: &[u8]| {
        [
            words(&[xid, 1, 0, 6]),
            opaque(&[2; 28]),
            words(&[0]),
            results.to_vec(),
        ]
        .concat()
    };
    say(
        gss(4, 3, &opaque(&[0x99; 200])),
        gss_reply(4, &opaque(&[0x77; 300])),
    );
    let read = [words(&[25, 1, 2, 3, 4, 0, 0, 512])].concat();
    let signed = compound(2, &[put_handle(b"f"), read]);
    let signed = [words(&[signed.len() as u32 + 4, 10]), signed].concat();
    let result = compound_results(0, &[words(&[22, 0]), words(&[25, 0, 1]), opaque(&[1; 512])]);
    let result = [words(&[result.len() as u32 + 4, 10]), result].concat();
    say(gss(5, 2, &signed), gss_reply(5, &result));
    let reported = report_of(&talk);
    let counted: Vec<_> = reported
        .answered
        .iter()
        .map(|of| (of.call.name, of.status.and_then(|status| status.name)))
        .collect();
    let expected = [
        ("LOOKUP", Some("NFS3ERR_NOENT")),
        ("GETATTR", Some("RPC PROG_MISMATCH")),
        ("GETATTR", Some("RPC AUTH_ERROR")),
        ("COMPOUND", None),
        ("READ", None),
    ];
    assert_eq!(counted, expected);
    assert_eq!(reported.answered[4].moved_bytes, Some(512));
    assert_eq!(reported.facts.protection.encrypted_messages, 1);
    assert_eq!(reported.facts.protection.clear_messages, 4);
}

#[test]
fn calls_of_the_server_other_programs_tls_and_udp_are_no_calls() {
    let mut talk = Talk::begin_on(800, 2049);
    let other = words(&[9, 0, 2, 100_005, 3, 1, 0, 0, 0, 0]);
    talk.say(CLIENT, &record(&other, 1 << 20), 1460);
    talk.say(CLIENT, &record(&read_3(1, 0, 10), 1 << 20), 1460);
    talk.at_us += 100;
    let back = words(&[77, 0, 2, 0x4000_0000, 1, 1, 0, 0, 0, 0]);
    talk.say(SERVER, &record(&back, 1 << 20), 1460);
    talk.say(CLIENT, &record(&reply(77, &[]), 1 << 20), 1460);
    talk.say(SERVER, &record(&read_3_reply(1, 10), 1 << 20), 1460);
    talk.say(CLIENT, &[0x17, 3, 3, 0, 100, 1, 2, 3, 4, 5], 1460);
    let reported = report_of(&talk);
    assert_eq!(reported.answered.len(), 1);
    assert_eq!(reported.facts.connections[0].notifications, 1);
    let udp = Talk::datagram(800, 2049, &read_3(1, 0, 10));
    let of_udp = super::super::read_capture(
        pcap(&[udp], 101, false, false, 65_535).as_slice(),
        &mut |_| {},
    )
    .expect("a capture");
    assert_eq!((of_udp.nfs_udp_calls, of_udp.connections_count), (1, 0));
}

/// libnfs (nfs-cat, nfs-cp, nfs-ls) and nfs-ganesha. The times in microseconds are those of tshark 4.0.17: `-T fields -e nfs.procedure_v3 -e nfs.main_opcode -e rpc.time`.
#[test]
fn real_traffic_has_the_calls_and_times_of_tshark() {
    let file = include_bytes!("../../../../../testdata/captures/nfs.pcap");
    let reported = reported(file);
    let calls: Vec<(&str, u64)> = reported
        .answered
        .iter()
        .map(|of| (of.call.name, of.service_ns() / 1000))
        .collect();
    let of_version_3 = [
        ("NULL", 57),
        ("FSINFO", 64),
        ("GETATTR", 11),
        ("LOOKUP", 47),
        ("ACCESS", 20),
        ("GETATTR", 17),
        ("READ", 47),
        ("NULL", 35),
        ("FSINFO", 57),
        ("GETATTR", 32),
        ("GETATTR", 41),
        ("CREATE", 149),
        ("LOOKUP", 78),
        ("SETATTR", 85),
        ("WRITE", 71),
        ("COMMIT", 457),
        ("NULL", 27),
        ("FSINFO", 56),
        ("GETATTR", 56),
        ("GETATTR", 66),
        ("READDIRPLUS", 81),
    ];
    let of_version_4 = [
        ("NULL", 74),
        ("SETCLIENTID", 71),
        ("SETCLIENTID_CONFIRM", 236),
        ("LOOKUP", 133),
        ("OPEN", 140),
        ("OPEN_CONFIRM", 284),
        ("GETATTR", 49),
        ("READ", 148),
        ("CLOSE", 40),
        ("NULL", 41),
        ("SETCLIENTID", 108),
        ("SETCLIENTID_CONFIRM", 134),
        ("LOOKUP", 60),
        ("OPEN", 112),
    ];
    assert_eq!(calls, [&of_version_3[..], &of_version_4].concat());
    let moved = reported.answered.iter().filter_map(|of| of.moved_bytes);
    assert_eq!(moved.collect::<Vec<_>>(), [20_000, 6, 20_000]);
    let last = reported.answered.last().and_then(|of| of.status);
    assert_eq!(last.and_then(|status| status.name), Some("NFS4ERR_NOENT"));
    let dialects = reported.facts.connections.iter();
    let mut dialects: Vec<_> = dialects.filter_map(|of| of.dialect.clone()).collect();
    dialects.sort_unstable();
    assert_eq!(dialects, ["NFS 3", "NFS 3", "NFS 3", "NFS 4.0", "NFS 4.0"]);
    assert_eq!(reported.facts.message_losses, Default::default());
}

#[test]
fn mangled_captures_are_read_without_harm() {
    let file = include_bytes!("../../../../../testdata/captures/nfs.pcap");
    let mut state = 7u64;
    let mut below = |bound: usize| {
        // Numbers of a linear congruence (Knuth, MMIX), of which the upper bits are taken.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound.max(1)
    };
    for round in 0..1000 {
        let mut bytes = file.to_vec();
        for _ in 0..=below(30) {
            let at = below(bytes.len());
            match below(3) {
                0 => bytes[at] = below(256) as u8,
                1 => bytes[at] ^= 1 << below(8),
                _ => drop(bytes.drain(at..(at + below(60)).min(bytes.len()))),
            }
        }
        let mut balance = 0i64;
        let read = read_capture(bytes.as_slice(), &mut |event| match event {
            TraceEvent::Made(_) => balance += 1,
            TraceEvent::Answered(_) | TraceEvent::Unanswered(..) => balance -= 1,
            TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
        });
        assert!(read.is_err() || balance == 0, "round {round}");
    }
}
