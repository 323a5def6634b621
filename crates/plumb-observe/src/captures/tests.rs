//! Is what a capture says what was said? On captures that are made up, whole, cut, disordered and mangled.

pub(super) mod built;

use plumb_model::trace::capture::CaptureFacts;
use plumb_model::trace::events::{Answered, TraceEvent};

use built::{
    ACK, BEGIN_NS, CLIENT, ETHERNET, SERVER, Sent, Talk, compound, framed, header, on_link, pcap,
    pcapng, read_answer, read_request,
};

struct Reported {
    facts: CaptureFacts,
    answered: Vec<Answered>,
    made: usize,
    unanswered: usize,
}

/// Reads a file that can be read; each call that was made was answered or not.
fn reported(file: &[u8]) -> Reported {
    let (mut answered, mut made, mut unanswered) = (Vec::new(), 0, 0);
    let facts = super::read_capture(file, &mut |event| match event {
        TraceEvent::Made(_) => made += 1,
        TraceEvent::Answered(answer) => answered.push(answer),
        TraceEvent::Unanswered(..) => unanswered += 1,
        TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
    })
    .expect("a capture");
    assert_eq!(made, answered.len() + unanswered);
    Reported {
        facts,
        answered,
        made,
        unanswered,
    }
}

fn report_of(talk: &Talk) -> Reported {
    reported(&pcap(&talk.packets, 101, false, false, 65_535))
}

/// Ten reads of 10,000 bytes, the n-th of them answered after n ms.
fn ten_reads(mut talk: Talk) -> Talk {
    for message in 1..=10 {
        talk.read(message, message * 10_000, 10_000, message * 1000);
        talk.at_us += 50;
    }
    talk
}

fn assert_ten_reads(reported: &Reported, what: &str) {
    assert_eq!(reported.answered.len(), 10, "{what}: {:?}", reported.facts);
    for (answer, message) in reported.answered.iter().zip(1..) {
        let expected_ns = message * 1_000_000;
        assert!(
            answer.service_ns().abs_diff(expected_ns) < 1000,
            "{what}: {answer:?}"
        );
        let call = &answer.call;
        assert_eq!(
            (call.name, call.offset),
            ("READ", Some(message * 10_000)),
            "{what}"
        );
        assert_eq!(
            (call.bytes, answer.moved_bytes),
            (Some(10_000), Some(10_000)),
            "{what}"
        );
        assert_eq!(answer.status, None);
        assert!(call.at_ns >= BEGIN_NS && call.file == reported.answered[0].call.file);
    }
}

#[test]
fn every_format_link_and_order_tells_the_same() {
    for is_v6 in [false, true] {
        let talk = match is_v6 {
            true => Talk::begin().over_ipv6(),
            false => Talk::begin(),
        };
        // The handshake of a talk that became one of IPv6 was one of IPv4.
        let talk = ten_reads(talk);
        for link in [ETHERNET, 113, 276, 0, 101] {
            let packets = on_link(&talk.packets, link);
            for is_big in [false, true] {
                for in_ns in [false, true] {
                    let what = format!("link {link}, v6 {is_v6}, big {is_big}, ns {in_ns}");
                    let reported = reported(&pcap(&packets, link, is_big, in_ns, 65_535));
                    assert_ten_reads(&reported, &what);
                    assert_eq!(reported.facts.format, "pcap");
                }
                let reported = reported(&pcapng(&packets, link, is_big));
                assert_ten_reads(
                    &reported,
                    &format!("pcapng, link {link}, v6 {is_v6}, big {is_big}"),
                );
                assert_eq!(reported.facts.packet_losses.dropped, Some(3));
                assert_eq!(reported.facts.format, "pcapng");
            }
        }
    }
}

#[test]
fn a_connection_is_described() {
    let reported = report_of(&ten_reads(Talk::begin_on(40_000, 9445)));
    assert_ten_reads(&reported, "another port");
    let [connection] = reported.facts.connections.as_slice() else {
        panic!("{:?}", reported.facts);
    };
    assert_eq!(connection.client, "10.0.0.1:40000");
    assert_eq!(connection.server, "10.0.0.2:9445");
    assert_eq!(connection.handshake_ns, Some(100_000));
    assert_eq!(connection.to_server_ns, Some(80_000));
    assert_eq!(reported.answered[0].round_trip_ns, Some(80_000));
    assert_eq!((connection.requests, connection.credits.granted), (10, 30));
    // One credit at first, three for each that was used.
    assert_eq!(connection.credits.left_min, Some(0));
    assert_eq!(connection.credits.last_credit, Some(1));
    assert_eq!(connection.session.as_deref(), Some("0x0000000000000005"));
    assert!(connection.bytes_to_client > 100_000 && connection.bytes_to_server > 1000);
}

#[test]
fn a_capture_that_begins_in_the_middle_is_searched_for_messages() {
    let mut talk = Talk::in_the_middle();
    // The rest of an answer whose beginning was not captured.
    talk.say(SERVER, &[0; 3000], 1460);
    let reported = report_of(&ten_reads(talk));
    assert_ten_reads(&reported, "in the middle");
    assert_eq!(reported.facts.connections[0].to_server_ns, None);
    assert_eq!(
        reported.facts.message_losses.searches, 0,
        "nothing was lost before"
    );
}

#[test]
fn cut_packets_lose_content_and_keep_headers() {
    let talk = ten_reads(Talk::begin());
    let reported = reported(&pcap(&talk.packets, 101, false, false, 160));
    assert_ten_reads(&reported, "160 bytes of each");
    assert!(reported.facts.packet_losses.cut > 50);
    let narrow = super::tests::reported(&pcap(&talk.packets, 101, false, false, 100));
    assert_eq!(
        narrow.made, 0,
        "40 bytes are headers of IP and TCP, 64 would be needed"
    );
    assert!(narrow.facts.message_losses.cut >= 10, "{:?}", narrow.facts);
}

#[test]
fn segments_in_another_order_or_twice_change_nothing() {
    let mut talk = ten_reads(Talk::begin());
    // Every answer's second and fourth segment, which were sent at the same time.
    let answers: Vec<usize> = (4..talk.packets.len()).step_by(8).collect();
    for at in answers {
        if talk
            .packets
            .get(at + 4)
            .is_some_and(|packet| packet.bytes.len() > 1000)
        {
            talk.packets.swap(at + 2, at + 4);
        }
    }
    let again = talk.packets.clone();
    let twice: Vec<Sent> = again
        .iter()
        .flat_map(|packet| [packet.clone(), packet.clone()])
        .collect();
    talk.packets = twice;
    let reported = report_of(&talk);
    assert_ten_reads(&reported, "twice");
    let losses = &reported.facts.packet_losses;
    assert!(
        losses.duplicates > 50 && losses.out_of_order > 0,
        "{losses:?}"
    );
    assert_eq!((losses.gaps, losses.retransmitted), (0, 0), "{losses:?}");
}

#[test]
fn segments_that_were_sent_again_are_counted_and_used_once() {
    let mut talk = Talk::begin();
    let request = framed(&read_request(1, 0, 10));
    talk.send(CLIENT, ACK, &request);
    // The same again, with another number of its packet.
    let mut again = talk.packets[3].clone();
    again.bytes[4] = 0x77;
    talk.packets.push(again);
    talk.at_us += 500;
    talk.say(SERVER, &framed(&read_answer(1, 0, 10)), 1460);
    let reported = report_of(&talk);
    assert_eq!((reported.answered.len(), reported.made), (1, 1));
    assert_eq!(reported.facts.packet_losses.retransmitted, 1);
}

/// Nobody can use an answer whose beginning is still to come.
#[test]
fn an_answer_is_whole_when_the_segment_that_was_late_has_come() {
    let mut talk = Talk::begin();
    let first = talk.packets.len() + 1;
    talk.read(1, 0, 10_000, 1000);
    let mut late = talk.packets.remove(first);
    late.at_us += 200_000;
    talk.packets.push(late);
    let reported = report_of(&talk);
    assert_eq!(reported.answered.len(), 1, "{:?}", reported.facts);
    assert_eq!(reported.answered[0].service_ns(), 201_000_000);
    assert!(reported.facts.packet_losses.out_of_order > 0);
}

#[test]
fn what_was_not_captured_is_said_and_what_follows_is_found() {
    for lost in 4..80 {
        let mut talk = ten_reads(Talk::begin());
        if lost >= talk.packets.len() {
            break;
        }
        talk.packets.remove(lost);
        let reported = report_of(&talk);
        let losses = &reported.facts.message_losses;
        assert!(
            reported.answered.len() >= 8,
            "packet {lost}: {:?}",
            reported.facts
        );
        let is_last = reported.facts.packet_losses.gaps == 0;
        assert!(is_last || reported.facts.packet_losses.gap_bytes > 0);
        if reported.answered.len() < 10 {
            let said =
                losses.unanswered + losses.unmatched_responses + losses.cut + losses.searches;
            assert!(said > 0, "packet {lost}: {:?}", reported.facts);
        }
    }
}

#[test]
fn commands_of_a_compound_are_answered_together() {
    let mut talk = Talk::begin();
    let close = |message, is_response| {
        let mut close = header(6, message, is_response, 0);
        close.extend([24, 0, 0, 0, 0, 0, 0, 0]);
        close.extend([0xff; 16]);
        close
    };
    let mut create = header(5, 1, false, 0);
    create.extend([0; 120]);
    let request = compound(&[create.clone(), read_request(2, 4096, 512), close(3, false)]);
    talk.say(CLIENT, &framed(&request), 77);
    talk.at_us += 700;
    create[16] = 1;
    let answer = compound(&[create, read_answer(2, 0xc000_0011, 0), close(3, true)]);
    talk.say(SERVER, &framed(&answer), 50);
    let reported = report_of(&talk);
    let names: Vec<&str> = reported
        .answered
        .iter()
        .map(|answer| answer.call.name)
        .collect();
    assert_eq!(names, ["CREATE", "READ", "CLOSE"], "{:?}", reported.facts);
    assert!(
        reported
            .answered
            .iter()
            .all(|answer| answer.service_ns() == 700_000)
    );
    assert_eq!(reported.answered[1].call.offset, Some(4096));
    let status = reported.answered[1].status.and_then(|status| status.name);
    assert_eq!(status, Some("STATUS_END_OF_FILE"));
    assert_eq!(
        reported.answered[2].call.file, None,
        "that of the command before"
    );
}

#[test]
fn interim_answers_do_not_end_a_request() {
    let mut talk = Talk::begin();
    talk.say(CLIENT, &framed(&read_request(1, 0, 10)), 1460);
    talk.at_us += 100;
    let mut interim = read_answer(1, 0x103, 0);
    interim[16] |= 2;
    talk.say(SERVER, &framed(&interim), 1460);
    talk.at_us += 900;
    let mut last = read_answer(1, 0, 10);
    last[16] |= 2;
    talk.say(SERVER, &framed(&last), 1460);
    // What nobody requested, and what has no answer.
    talk.say(SERVER, &framed(&header(18, u64::MAX, true, 0)), 1460);
    talk.say(CLIENT, &framed(&header(12, 1, false, 0)), 1460);
    let reported = report_of(&talk);
    assert_eq!((reported.made, reported.answered.len()), (1, 1));
    assert!(reported.answered[0].was_pending && reported.answered[0].service_ns() == 1_000_000);
    let connection = &reported.facts.connections[0];
    assert_eq!((connection.notifications, connection.cancels), (1, 1));
    assert_eq!(reported.facts.message_losses, Default::default());
}

#[test]
fn two_connections_of_a_session_at_the_same_time_are_channels() {
    let first = ten_reads(Talk::begin());
    let second = ten_reads(Talk::begin_on(50_001, 445));
    let mut packets = [first.packets.clone(), second.packets].concat();
    packets.sort_by_key(|packet| packet.at_us);
    let both = reported(&pcap(&packets, 101, false, false, 65_535));
    assert_eq!((both.answered.len(), both.facts.connections_count), (20, 2));
    assert_eq!(both.facts.multichannel_sessions, 1);
    assert_eq!(report_of(&first).facts.multichannel_sessions, 0);
}

#[test]
fn what_is_encrypted_compressed_or_old_is_counted() {
    let mut talk = Talk::begin();
    for word in [b"\xfdSMB", b"\xfcSMB", b"\xffSMB"] {
        let message = [&word[..], &[7; 100]].concat();
        talk.say(CLIENT, &framed(&message), 40);
        talk.say(SERVER, &framed(&message), 4000);
    }
    // A sign of life of NetBIOS.
    talk.say(CLIENT, &[0x85, 0, 0, 0], 4);
    let reported = report_of(&talk);
    let protection = &reported.facts.protection;
    assert_eq!(
        (protection.encrypted_messages, protection.encrypted_bytes),
        (2, 208)
    );
    assert_eq!(
        (protection.compressed_messages, protection.smb1_messages),
        (2, 2)
    );
    assert_eq!(reported.facts.message_losses, Default::default());
    assert_eq!(reported.facts.connections[0].encrypted_messages, 2);
}

#[test]
fn what_stays_without_its_other_half_is_counted() {
    let mut talk = Talk::begin();
    talk.say(CLIENT, &framed(&read_request(1, 0, 10)), 1460);
    talk.say(SERVER, &framed(&read_answer(2, 0, 10)), 1460);
    talk.say(CLIENT, &framed(&read_request(1, 0, 10)), 1460);
    let reported = report_of(&talk);
    let losses = &reported.facts.message_losses;
    assert_eq!(
        (
            losses.unanswered,
            losses.unmatched_responses,
            losses.repeated
        ),
        (1, 1, 1)
    );
    assert_eq!((reported.made, reported.unanswered), (2, 2));
}

#[test]
fn foreign_files_are_refused_with_what_to_do() {
    for (bytes, words) in [
        (&b""[..], "tcpdump"),
        (b"abc", "tcpdump"),
        (b"\x1f\x8b\x08\0\0\0", "gunzip"),
        (b"GIF89a......", "editcap"),
        (b"\xd4\xc3\xb2\xa1\x02\0", "header"),
    ] {
        let refused = super::read_capture(bytes, &mut |_| {}).map(|facts| facts.packets);
        let text = refused.expect_err("no capture").to_string();
        assert!(text.contains(words), "{bytes:?}: {text}");
    }
}

#[test]
fn a_file_that_is_cut_is_used_up_to_there() {
    let talk = ten_reads(Talk::begin());
    let packets = on_link(&talk.packets, ETHERNET);
    for file in [
        pcap(&packets, 1, false, false, 65_535),
        pcapng(&packets, 1, true),
    ] {
        let mut seen = 0;
        for length in (200..file.len()).step_by(97) {
            let reported = reported(&file[..length]);
            assert!(reported.answered.len() >= seen && reported.facts.file_bytes <= length as u64);
            seen = reported.answered.len();
        }
        assert!(seen >= 9);
        let mut damaged = file.clone();
        damaged.extend([0xff; 64]);
        let reported = reported(&damaged);
        assert_ten_reads(&reported, "damaged at its end");
        assert!(reported.facts.damage.is_some());
    }
}

/// Numbers that are the same on each machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

#[test]
fn mangled_captures_are_read_without_harm() {
    let mut numbers = Numbers(42);
    let talk = ten_reads(Talk::begin());
    let packets = on_link(&talk.packets, ETHERNET);
    let files = [
        pcap(&packets, 1, false, false, 300),
        pcap(&talk.packets, 101, true, true, 65_535),
        pcapng(&packets, 1, false),
        pcapng(
            &on_link(&ten_reads(Talk::begin().over_ipv6()).packets, 276),
            276,
            true,
        ),
    ];
    for round in 0..4000 {
        let mut file = files[round % files.len()].clone();
        for _ in 0..=numbers.below(20) {
            let at = numbers.below(file.len());
            if file.is_empty() {
                break;
            }
            match numbers.below(4) {
                0 => file[at] = numbers.below(256) as u8,
                1 => file[at] ^= 1 << numbers.below(8),
                2 => {
                    let end = (at + numbers.below(100)).min(file.len());
                    file.drain(at..end);
                }
                _ => file.truncate(at.max(24)),
            }
        }
        let mut balance = 0i64;
        let read = super::read_capture(file.as_slice(), &mut |event| match event {
            TraceEvent::Made(_) => balance += 1,
            TraceEvent::Answered(_) | TraceEvent::Unanswered(..) => balance -= 1,
            TraceEvent::OffCpu(_) | TraceEvent::Ended(_) => {}
        });
        assert!(read.is_err() || balance == 0, "round {round}");
    }
}
