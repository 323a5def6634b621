//! How are the lines of a Windows recording read? In UTF-8, or in the code page of western languages.

use csv::{ReaderBuilder, StringRecord};
use encoding_rs::WINDOWS_1252;

use crate::importer::{ImportError, Source};

/// A file, line by line.
pub(super) struct Lines<'a, 's> {
    source: &'a mut Source<'s>,
    bytes: Vec<u8>,
    /// Number of the last line, from 1.
    pub number: u64,
    /// Some bytes were not UTF-8 and were decoded as code page 1252.
    pub has_code_page: bool,
}

impl<'a, 's> Lines<'a, 's> {
    pub fn of(source: &'a mut Source<'s>) -> Lines<'a, 's> {
        Lines {
            source,
            bytes: Vec::new(),
            number: 0,
            has_code_page: false,
        }
    }

    /// The next line without its end; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<String>, ImportError> {
        let is_there = self.source.next_line(&mut self.bytes)?;
        self.number += 1;
        let text = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text.into(),
            Err(_) => {
                self.has_code_page = true;
                // As typeperf writes it on systems of western languages.
                WINDOWS_1252.decode_without_bom_handling(&self.bytes).0
            }
        };
        let text = text.trim_end_matches(['\n', '\r', '\0']);
        Ok(is_there.then(|| text.to_owned()))
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
        let mut lines = Lines::of(&mut source);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(line);
        }
        (all, lines.has_code_page)
    }

    #[test]
    fn what_is_not_utf_8_is_in_code_page_1252() {
        let (lines, has_code_page) = lines_of("Länge\r\n\nlast".as_bytes());
        assert_eq!(
            (lines, has_code_page),
            (vec!["Länge".into(), String::new(), "last".into()], false)
        );
        assert_eq!(
            lines_of(b"L\xe4nge \x80\r\nb"),
            (vec!["Länge €".into(), "b".into()], true)
        );
    }
}
