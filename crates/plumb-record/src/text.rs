//! How is text of other programs read, in whatever encoding and with whatever was put before each line? As UTF-8, without byte order mark, common indentation,
//! quote marks, and time stamps of a log collector.

use std::io::{BufRead, BufReader, Cursor, Read, Result};

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

mod prefix;

pub use prefix::{Prefix, Unprefixed};

/// Bytes by which text in UTF-16 without a byte order mark is recognized.
const SAMPLE_BYTES: usize = 512;

/// The text, unpacked if it is compressed with gzip or zstd.
fn unpacked<'a>(mut input: impl BufRead + 'a) -> Result<Box<dyn BufRead + 'a>> {
    let mut mark = Vec::new();
    input.by_ref().take(4).read_to_end(&mut mark)?;
    let all = Cursor::new(mark.clone()).chain(input);
    Ok(match mark.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(BufReader::new(MultiGzDecoder::new(all))),
        [0x28, 0xb5, 0x2f, 0xfd] => {
            let decoder = StreamingDecoder::new(all).map_err(std::io::Error::other)?;
            Box::new(BufReader::new(decoder))
        }
        _ => Box::new(all),
    })
}

/// The same bytes, unpacked if they are compressed with gzip or zstd, and as UTF-8 where they are UTF-16 or begin with a byte order mark: PowerShell writes
/// redirected output in UTF-16.
///
/// # Errors
/// It cannot be read.
pub fn decoded<'a>(input: impl BufRead + 'a) -> Result<Box<dyn BufRead + 'a>> {
    let mut input = unpacked(input)?;
    let mut sample = Vec::new();
    input
        .by_ref()
        .take(SAMPLE_BYTES as u64)
        .read_to_end(&mut sample)?;
    let encoding = wide_without_mark(&sample);
    let is_marked = [b"\xff\xfe".as_slice(), b"\xfe\xff", b"\xef\xbb\xbf"]
        .iter()
        .any(|mark| sample.starts_with(mark));
    let all = Cursor::new(sample).chain(input);
    if encoding.is_none() && !is_marked {
        return Ok(Box::new(all));
    }
    let decoder = DecodeReaderBytesBuilder::new()
        .encoding(encoding)
        .bom_override(true)
        .strip_bom(true)
        .utf8_passthru(true)
        .build(all);
    Ok(Box::new(BufReader::new(decoder)))
}

/// The encoding of text in UTF-16 that has no byte order mark: one byte of each pair is zero, and the other is printable ASCII.
fn wide_without_mark(sample: &[u8]) -> Option<&'static Encoding> {
    let is_text = |byte: u8| matches!(byte, b'\t' | b'\r' | b'\n' | b' '..=b'~');
    let pairs: Vec<[u8; 2]> = sample.as_chunks::<2>().0.to_vec();
    let all = |is: fn([u8; 2]) -> (u8, u8)| {
        let found = pairs.iter().map(|pair| is(*pair));
        let fitting = found
            .filter(|(text, zero)| is_text(*text) && *zero == 0)
            .count();
        // Names may be in other alphabets.
        pairs.len() >= 8 && fitting * 10 >= pairs.len() * 9
    };
    if all(|[low, high]| (low, high)) {
        Some(UTF_16LE)
    } else if all(|[high, low]| (low, high)) {
        Some(UTF_16BE)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_text_is_read_as_it_is() {
        use std::io::Write;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"one\ntwo\n").expect("in memory");
        // `cat a.gz b.gz` is a gzip file too.
        let both = packed.finish().expect("in memory").repeat(2);
        let mut text = String::new();
        let mut reader = decoded(both.as_slice()).expect("in memory");
        reader.read_to_string(&mut text).expect("unpacked");
        assert_eq!(text, "one\ntwo\none\ntwo\n");
        let mut short =
            decoded(&both[..12]).and_then(|mut reader| reader.read_to_string(&mut text));
        assert!(short.is_err(), "{short:?}");
        short = decoded(b"\x1f".as_slice()).and_then(|mut reader| reader.read_to_string(&mut text));
        assert!(short.is_ok(), "one byte is no mark: {short:?}");
    }

    #[test]
    fn text_is_the_same_in_every_encoding() {
        // Both halves of U+010A and U+0A0D include a byte with value 10.
        let text = format!(
            "Lä\u{10a}ge\r\n\u{a0d}x\n\nlast, and enough of it to be known {}",
            "x".repeat(1000)
        );
        let little = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<_>>()
        };
        let big = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_be_bytes)
                .collect::<Vec<_>>()
        };
        let marked = format!("\u{feff}{text}");
        for bytes in [
            text.as_bytes().to_vec(),
            marked.as_bytes().to_vec(),
            little(&marked),
            big(&marked),
            little(&text),
            big(&text),
        ] {
            for capacity in [1, 7, 1 << 16] {
                let input = BufReader::with_capacity(capacity, bytes.as_slice());
                let mut read = String::new();
                decoded(input).unwrap().read_to_string(&mut read).unwrap();
                assert_eq!(read, text);
            }
        }
    }

    #[test]
    fn other_bytes_stay_as_they_are() {
        // A capture, a spreadsheet of iozone, text in code page 1252, and nothing.
        for bytes in [
            b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0".as_slice(),
            b"\x09\0\x04\0\x02\0\x10\0\x04\0\x0c\x01\0\0\0\0\0\0\0\x05hello",
            b"L\xe4nge",
            b"",
            b"\xff",
        ] {
            let mut read = Vec::new();
            decoded(bytes).unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes);
        }
    }
}
