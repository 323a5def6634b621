//! Does every format keep its contract? Its fixtures are recognized by it alone, report what they say, and do no harm when they are cut or mangled.

use super::{FORMATS, format_of, head_of, read_trace};
use crate::event_sink::tests::Reported;
use crate::trace_format::{Fixture, HEAD_BYTES, TraceFormat};

fn reported(format: &TraceFormat, bytes: &[u8]) -> Reported {
    let mut reported = Reported::default();
    let mut input = bytes;
    let head = head_of(&mut input).unwrap();
    reported.facts = read_trace(format, head, input, &mut reported);
    let answers = reported.answered.len() + reported.unanswered.len();
    match reported.facts.has_responses {
        true => assert_eq!(
            reported.made.len(),
            answers,
            "each call is answered or not, once"
        ),
        false => assert_eq!(answers, 0, "what tells no answers has none"),
    }
    assert_eq!(
        reported.facts.unanswered as usize,
        reported.unanswered.len()
    );
    reported
}

fn fixtures() -> impl Iterator<Item = (&'static TraceFormat, Fixture)> {
    let all = FORMATS.iter();
    all.flat_map(|format| {
        (format.fixtures)()
            .into_iter()
            .map(|fixture| (*format, fixture))
    })
}

#[test]
fn every_fixture_is_of_its_format_alone_and_says_what_it_says() {
    for (format, fixture) in fixtures() {
        let of: Vec<&str> = FORMATS
            .iter()
            .filter(|format| (format.recognizes)(fixture.bytes))
            .map(|format| format.name)
            .collect();
        assert_eq!(of, [format.name]);
        let reported = reported(format, fixture.bytes);
        assert_eq!(reported.disordered, 0, "{}", format.name);
        assert_eq!(reported.facts.file_bytes, fixture.bytes.len() as u64);
        (fixture.check)(&reported);
    }
}

#[test]
fn other_files_are_of_no_format() {
    for other in [
        &b""[..],
        b"\n\n\n",
        b"\x1f\x8b\x08\x00",
        b"{\"fio version\": \"fio-3.33\"}",
        b"0, 250, 0, 4096, 0\n1, 260, 0, 4096, 4096\n",
        b"\"(PDH-CSV 4.0)\",\"\\\\HOST\\Memory\\Available Bytes\"\n",
        b"a,b,c,d,e\n1,2,3,4,5\n",
        b"read(3, \"\", 4096) = 0\n",
        &[0u8; 4096],
    ] {
        assert!(
            format_of(other).is_none(),
            "{:?}",
            String::from_utf8_lossy(other)
        );
    }
}

#[test]
fn a_head_of_columns_and_lines_of_another_kind_are_told_from_rows() {
    let csv = b"device_id,opcode,offset,length,timestamp\n1,R,0,4096,1577808144360767\nnonsense\n1,W,4096,4096,1577808144360768\n";
    let format = format_of(csv).unwrap();
    let reported = reported(format, csv);
    assert_eq!((format.name, reported.made.len()), ("alibaba", 2));
    assert_eq!(
        (reported.facts.damaged, reported.facts.first_damaged),
        (1, Some(3))
    );
}

/// A line may be of any length, and is left out.
#[test]
fn a_line_without_end_fills_no_memory() {
    let mut csv = b"1,R,0,4096,1577808144360767\n".to_vec();
    csv.resize(csv.len() + (3 << 20), b'7');
    csv.extend(b"\n1,W,4096,4096,1577808144360768\n");
    let reported = reported(format_of(&csv[..HEAD_BYTES]).unwrap(), &csv);
    assert_eq!(reported.made.len(), 2);
    assert_eq!(reported.facts.file_bytes, csv.len() as u64);
}

#[test]
fn mangled_traces_are_read_without_harm() {
    let mut state = 42u64;
    let mut below = |bound: usize| {
        // Numbers of a linear congruence (Knuth, MMIX), of which the upper bits are taken.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound.max(1)
    };
    for (format, fixture) in fixtures() {
        let complete = reported(format, fixture.bytes).made.len();
        let mut kept = 0;
        for _ in 0..400 {
            let mut bytes = fixture.bytes.to_vec();
            for _ in 0..=below(10) {
                let at = below(bytes.len());
                match below(5) {
                    0 if !bytes.is_empty() => bytes[at] = below(256) as u8,
                    1 if !bytes.is_empty() => bytes[at] ^= 1 << below(8),
                    2 => drop(bytes.drain(at..(at + below(100)).min(bytes.len()))),
                    3 => {
                        let part = bytes[at..(at + below(300)).min(bytes.len())].to_vec();
                        let to = below(bytes.len());
                        bytes.splice(to..to, part);
                    }
                    _ if below(8) == 0 => bytes.truncate(at),
                    _ => {}
                }
            }
            kept += reported(format, &bytes).made.len();
        }
        assert!(
            kept > 400 * complete / 2,
            "{}: {kept} of {}",
            format.name,
            400 * complete
        );
    }
}

/// The first half of a file says the same of its lines as the whole.
#[test]
fn a_cut_file_is_used_up_to_there() {
    for (format, fixture) in fixtures() {
        let complete = reported(format, fixture.bytes);
        let half = fixture.bytes.len() / 2;
        let end = fixture.bytes[..half]
            .iter()
            .rposition(|byte| *byte == b'\n');
        let part = reported(format, &fixture.bytes[..end.unwrap_or(0)]);
        assert!(!part.made.is_empty() && part.made.len() < complete.made.len());
        let answered = part.answered.iter();
        for answer in answered {
            assert!(
                complete.answered.contains(answer),
                "{}: {answer:?}",
                format.name
            );
        }
    }
}
