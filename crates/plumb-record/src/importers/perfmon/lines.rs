//! How are the lines of a Windows recording read? In UTF-8, in UTF-16 as PowerShell writes it, or in the code page of western languages.

use std::borrow::Cow;

use csv::{ReaderBuilder, StringRecord};

use crate::importer::{ImportError, Source};

/// Longest line in UTF-16, in bytes.
const WIDE_LINE_BYTES_MAX: usize = 2 << 20;

/// Encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Bytes,
    Utf16 { is_big_endian: bool },
}

impl Encoding {
    fn of(beginning: &[u8]) -> Encoding {
        match beginning {
            [0xFF, 0xFE, ..] => Encoding::Utf16 {
                is_big_endian: false,
            },
            [0xFE, 0xFF, ..] => Encoding::Utf16 {
                is_big_endian: true,
            },
            _ => Encoding::Bytes,
        }
    }
}

/// The text of a file's beginning.
pub(super) fn text_of(beginning: &[u8]) -> Cow<'_, str> {
    match Encoding::of(beginning) {
        Encoding::Bytes => String::from_utf8_lossy(beginning),
        Encoding::Utf16 { is_big_endian } => Cow::Owned(wide(beginning, is_big_endian)),
    }
}

/// A file, line by line.
pub(super) struct Lines<'a, 's> {
    source: &'a mut Source<'s>,
    encoding: Encoding,
    bytes: Vec<u8>,
    /// Number of the last line, from 1.
    pub number: u64,
    /// Some bytes were not UTF-8 and were decoded as code page 1252.
    pub has_code_page: bool,
}

impl<'a, 's> Lines<'a, 's> {
    pub fn of(source: &'a mut Source<'s>) -> Result<Lines<'a, 's>, ImportError> {
        let beginning = source.reader.fill_buf();
        let encoding = Encoding::of(beginning.map_err(|error| ImportError::unreadable(&error))?);
        Ok(Lines {
            source,
            encoding,
            bytes: Vec::new(),
            number: 0,
            has_code_page: false,
        })
    }

    /// The next line without its end; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<String>, ImportError> {
        let is_there = match self.encoding {
            Encoding::Bytes => self.source.next_line(&mut self.bytes)?,
            Encoding::Utf16 { is_big_endian } => self.read_wide(is_big_endian)?,
        };
        self.number += 1;
        let text = match self.encoding {
            Encoding::Utf16 { is_big_endian } => wide(&self.bytes, is_big_endian),
            Encoding::Bytes => match std::str::from_utf8(&self.bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => {
                    self.has_code_page = true;
                    self.bytes.iter().copied().map(letter_of_1252).collect()
                }
            },
        };
        let text = text
            .trim_start_matches('\u{feff}')
            .trim_end_matches(['\n', '\r', '\0']);
        Ok(is_there.then(|| text.to_owned()))
    }

    /// A line with two bytes per character: a byte that looks like a newline may be half of another character.
    fn read_wide(&mut self, is_big_endian: bool) -> Result<bool, ImportError> {
        self.bytes.clear();
        let mut piece = Vec::new();
        while self.source.next_line(&mut piece)? {
            self.bytes.extend_from_slice(&piece);
            if self.bytes.len() > WIDE_LINE_BYTES_MAX {
                return Err(ImportError::at(
                    self.number + 1,
                    "lines shorter than 1 Mi characters, found a longer one",
                ));
            }
            let length = self.bytes.len();
            if is_big_endian {
                if length.is_multiple_of(2) && self.bytes.get(length - 2) == Some(&0) {
                    break;
                }
            } else if !length.is_multiple_of(2) && self.bytes.last() == Some(&b'\n') {
                let mut other = [0];
                let read = self.source.reader.read(&mut other);
                if read.map_err(|error| ImportError::unreadable(&error))? == 0 {
                    break;
                }
                self.bytes.push(other[0]);
                if other[0] == 0 {
                    break;
                }
            }
        }
        Ok(!self.bytes.is_empty())
    }
}

fn wide(bytes: &[u8], is_big_endian: bool) -> String {
    let unit = |pair: &[u8]| match (pair, is_big_endian) {
        ([high, low], true) | ([low, high], false) => u16::from_be_bytes([*high, *low]),
        _ => u16::from(b'?'),
    };
    let units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
    String::from_utf16_lossy(&units)
}

/// Windows code page 1252, as typeperf writes it on systems of western languages.
fn letter_of_1252(byte: u8) -> char {
    const FROM_0X80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => FROM_0X80[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

/// The fields of a line, quoted or not (RFC 4180).
pub(super) fn fields(line: &str, delimiter: u8) -> StringRecord {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(line.len().max(1))
        .from_reader(line.as_bytes());
    let mut fields = StringRecord::new();
    // Text in memory can always be read; no field at all means an empty line.
    if reader.read_record(&mut fields).is_err() {
        fields.clear();
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines_of(bytes: &[u8]) -> (Vec<String>, bool) {
        // A buffer of a few bytes: no line may depend on the buffer end.
        let mut reader = BufReader::with_capacity(7, bytes);
        let mut source = Source {
            name: "",
            reader: &mut reader,
        };
        let mut lines = Lines::of(&mut source).unwrap();
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(line);
        }
        (all, lines.has_code_page)
    }

    #[test]
    fn lines_are_the_same_in_every_encoding() {
        // Both halves of U+010A and U+0A0D include a byte with value 10.
        let text = "\u{feff}Lä\u{10a}ge\r\n\u{a0d}x\n\nlast";
        let want: Vec<String> = ["Lä\u{10a}ge", "\u{a0d}x", "", "last"]
            .map(String::from)
            .into();
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [text.as_bytes(), &little, &big] {
            assert_eq!(lines_of(bytes), (want.clone(), false), "{bytes:?}");
        }
        assert_eq!(lines_of(b"L\xe4nge \x80\r\nb").0, ["Länge €", "b"]);
        assert!(lines_of(b"L\xe4nge").1);
    }
}
