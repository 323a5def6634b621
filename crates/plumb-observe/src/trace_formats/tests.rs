//! Does every format keep its contract? Its fixtures are recognised by it alone, tell what they say, and do no harm when they are cut or mangled.

use super::{FORMATS, format_of, head_of, read_trace};
use crate::telling::tests::Told;
use crate::trace_format::{Fixture, HEAD_BYTES, TraceFormat};

fn told(format: &TraceFormat, bytes: &[u8]) -> Told {
    let mut told = Told::default();
    let mut input = bytes;
    let head = head_of(&mut input).unwrap();
    told.facts = read_trace(format, head, input, &mut told);
    let answers = told.answered.len() + told.unanswered.len();
    match told.facts.has_responses {
        true => assert_eq!(
            told.made.len(),
            answers,
            "each call is answered or not, once"
        ),
        false => assert_eq!(answers, 0, "what tells no answers has none"),
    }
    assert_eq!(told.facts.unanswered as usize, told.unanswered.len());
    told
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
            .filter(|format| (format.recognises)(fixture.bytes))
            .map(|format| format.name)
            .collect();
        assert_eq!(of, [format.name]);
        let told = told(format, fixture.bytes);
        assert_eq!(told.disordered, 0, "{}", format.name);
        assert_eq!(told.facts.file_bytes, fixture.bytes.len() as u64);
        (fixture.check)(&told);
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
    let told = told(format, csv);
    assert_eq!((format.name, told.made.len()), ("alibaba", 2));
    assert_eq!((told.facts.damaged, told.facts.first_damaged), (1, Some(3)));
}

/// A line may be of any length, and is left out.
#[test]
fn a_line_without_end_fills_no_memory() {
    let mut csv = b"1,R,0,4096,1577808144360767\n".to_vec();
    csv.resize(csv.len() + (3 << 20), b'7');
    csv.extend(b"\n1,W,4096,4096,1577808144360768\n");
    let told = told(format_of(&csv[..HEAD_BYTES]).unwrap(), &csv);
    assert_eq!(told.made.len(), 2);
    assert_eq!(told.facts.file_bytes, csv.len() as u64);
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
        let whole = told(format, fixture.bytes).made.len();
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
            kept += told(format, &bytes).made.len();
        }
        assert!(
            kept > 400 * whole / 2,
            "{}: {kept} of {}",
            format.name,
            400 * whole
        );
    }
}

/// The first half of a file says the same of its lines as the whole.
#[test]
fn a_cut_file_is_used_up_to_there() {
    for (format, fixture) in fixtures() {
        let whole = told(format, fixture.bytes);
        let half = fixture.bytes.len() / 2;
        let end = fixture.bytes[..half]
            .iter()
            .rposition(|byte| *byte == b'\n');
        let part = told(format, &fixture.bytes[..end.unwrap_or(0)]);
        assert!(!part.made.is_empty() && part.made.len() < whole.made.len());
        let answered = part.answered.iter();
        for answer in answered {
            assert!(
                whole.answered.contains(answer),
                "{}: {answer:?}",
                format.name
            );
        }
    }
}
