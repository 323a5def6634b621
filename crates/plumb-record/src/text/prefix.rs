//! What stands before each line of pasted or collected text? Indentation, quote marks, the name of a container, or a time stamp.

use std::io::{BufRead, Read, Result};

/// Longest line that is looked at; the rest of a longer one stays as it is.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Fewest lines by which a prefix is recognized.
const LINES_MIN: usize = 2;
/// Ends of the text that log collectors put before a line: `fio-1  | `, `[pod/fio] `, `> `.
const ENDS: [&str; 4] = ["| ", "] ", "> ", ": "];

/// What is removed before each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prefix {
    /// The same text in every line.
    Same(String),
    /// A date or time, and one space.
    TimeStamp,
}

impl Prefix {
    /// The prefix of text that begins so; `None` without one.
    pub fn of(head: &[u8]) -> Option<Prefix> {
        let text = String::from_utf8_lossy(head);
        // The last line may be cut.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines: Vec<&str> = whole
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        if lines.len() < LINES_MIN {
            return None;
        }
        let has_more = |line: &&str| stamp_bytes(line) < line.trim_end().len();
        if lines.iter().all(|line| stamp_bytes(line) > 0) && lines.iter().any(has_more) {
            return Some(Prefix::TimeStamp);
        }
        let first = lines[0];
        let shared = lines.iter().fold(first.len(), |shared, line| {
            // An empty line may have lost the space that ends its prefix.
            let line = line.bytes().chain(std::iter::once(b' '));
            let same = first.bytes().zip(line).take_while(|(a, b)| a == b).count();
            shared.min(same)
        });
        let shared = first.get(..shared)?;
        let blank = shared.len() - shared.trim_start().len();
        let end = ENDS
            .iter()
            .filter_map(|end| Some(shared.rfind(end)? + end.len()))
            .max()
            .unwrap_or(blank);
        (end > 0).then(|| Prefix::Same(shared[..end].to_string()))
    }

    /// Number of bytes that are removed from this line.
    fn bytes_of(&self, line: &[u8]) -> usize {
        match self {
            Prefix::Same(text) if line.starts_with(text.as_bytes()) => text.len(),
            // An empty line may end where the prefix would have ended with a space.
            Prefix::Same(text) if line.trim_ascii_end() == text.trim_end().as_bytes() => {
                line.trim_ascii_end().len()
            }
            Prefix::Same(_) => 0,
            Prefix::TimeStamp => stamp_bytes(&String::from_utf8_lossy(line)),
        }
    }
}

/// Length of the date or time at the beginning of a line, with what log collectors put after it; 0 without one.
fn stamp_bytes(line: &str) -> usize {
    let mut rest = line.strip_prefix('[').unwrap_or(line);
    let date = date_bytes(rest);
    rest = &rest[date..];
    if date > 0 {
        match rest.strip_prefix(['T', ' ']) {
            Some(time) => rest = time,
            None => return 0,
        }
    }
    let Some(time) = time_bytes(rest) else {
        return 0;
    };
    rest = &rest[time..];
    if line.starts_with('[') {
        match rest.strip_prefix(']') {
            Some(behind) => rest = behind,
            None => return 0,
        }
    }
    let rest = match rest.strip_prefix(' ') {
        Some(behind) => behind_program(behind).unwrap_or(behind),
        None if rest.trim().is_empty() => rest,
        None => return 0,
    };
    line.len() - rest.len()
}

/// What follows host and program in a line of syslog: `host fio[12]: `.
fn behind_program(text: &str) -> Option<&str> {
    let (_, behind_host) = text.split_once(' ')?;
    let (program, behind) = behind_host.split_once("]:")?;
    let is_program = program.contains('[') && !program.contains(char::is_whitespace);
    is_program.then_some(behind.strip_prefix(' ').unwrap_or(behind))
}

/// `2026-11-28`, `2026/11/28` or `Nov 28`.
fn date_bytes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is = |at: usize, is: fn(&u8) -> bool| bytes.get(at).is_some_and(is);
    let digits =
        |range: std::ops::Range<usize>| range.into_iter().all(|at| is(at, u8::is_ascii_digit));
    let separates = |at: usize| is(at, |byte| matches!(byte, b'-' | b'/'));
    if digits(0..4) && separates(4) && digits(5..7) && separates(7) && digits(8..10) {
        return 10;
    }
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let is_day = is(3, |byte| *byte == b' ')
        && is(5, u8::is_ascii_digit)
        && is(4, |byte| byte.is_ascii_digit() || *byte == b' ');
    match text.get(..3) {
        Some(month) if MONTHS.contains(&month) && is_day => 6,
        _ => 0,
    }
}

/// `18:00:03`, with a fraction and an offset from UTC if there are any.
fn time_bytes(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_time = bytes
        .get(..8)?
        .iter()
        .enumerate()
        .all(|(at, byte)| match at {
            2 | 5 => *byte == b':',
            _ => byte.is_ascii_digit(),
        });
    is_time.then_some(())?;
    let digits = |at: usize| {
        bytes
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut end = 8;
    if matches!(bytes.get(end), Some(b'.' | b',')) && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    match bytes.get(end) {
        Some(b'Z') => end += 1,
        Some(b'+' | b'-')
            if digits(end + 1) == 2
                && bytes.get(end + 3) == Some(&b':')
                && digits(end + 4) == 2 =>
        {
            end += 6
        }
        Some(b'+' | b'-') if digits(end + 1) == 4 => end += 5,
        _ => {}
    }
    Some(end)
}

/// A file without the prefix of its lines.
pub struct Unprefixed<R> {
    inner: R,
    prefix: Prefix,
    line: Vec<u8>,
    at: usize,
    /// The line goes on beyond what was read of it.
    goes_on: bool,
}

impl<R: BufRead> Unprefixed<R> {
    pub fn new(inner: R, prefix: Prefix) -> Unprefixed<R> {
        Unprefixed {
            inner,
            prefix,
            line: Vec::new(),
            at: 0,
            goes_on: false,
        }
    }
}

impl<R: BufRead> BufRead for Unprefixed<R> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        while self.at >= self.line.len() {
            self.line.clear();
            let read = (&mut self.inner)
                .take(LINE_BYTES_MAX)
                .read_until(b'\n', &mut self.line)?;
            if read == 0 {
                self.at = 0;
                break;
            }
            self.at = match self.goes_on {
                true => 0,
                false => self.prefix.bytes_of(&self.line).min(self.line.len()),
            };
            self.goes_on = self.line.last() != Some(&b'\n');
        }
        Ok(self.line.get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}

impl<R: BufRead> Read for Unprefixed<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let bytes = self.fill_buf()?;
        let taken = bytes.len().min(into.len());
        into[..taken].copy_from_slice(&bytes[..taken]);
        self.consume(taken);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> (Option<Prefix>, String) {
        let prefix = Prefix::of(text.as_bytes());
        let mut read = String::new();
        match prefix.clone() {
            Some(prefix) => Unprefixed::new(text.as_bytes(), prefix)
                .read_to_string(&mut read)
                .unwrap(),
            None => text.as_bytes().read_to_string(&mut read).unwrap(),
        };
        (prefix, read)
    }

    #[test]
    fn what_stands_before_every_line_is_removed() {
        let plain = "fio-3.33\n\na: (groupid=0\n  read: IOPS=1\n";
        for before in [
            "    ",
            "> ",
            "\t",
            "> > ",
            "fio-1  | ",
            "[pod/fio-abc/fio] ",
            "2026-11-28T01:02:03.1234567Z ",
            "2026-11-28T01:02:03+01:00 ",
            "2026-11-28 01:02:03,123 ",
            "[2026-11-28 01:02:03] ",
            "01:02:03 ",
            "Nov 28 01:02:03 host fio[12]: ",
            "Nov  8 01:02:03 host fio[12]: ",
        ] {
            let pasted: String = plain
                .lines()
                .map(|line| format!("{before}{line}\n"))
                .collect();
            assert_eq!(without(&pasted).1, plain, "{before}");
            // Editors remove spaces at the end of a line.
            let trimmed: String = pasted
                .lines()
                .map(|line| format!("{}\n", line.trim_end()))
                .collect();
            assert_eq!(without(&trimmed).1, plain, "{before}");
        }
    }

    #[test]
    fn stamps_differ_from_line_to_line() {
        let text = "2026-11-28T01:02:03Z a\n2026-11-28T01:02:04.5Z   b\n2026-11-28T01:02:04.5Z\n";
        assert_eq!(
            without(text),
            (Some(Prefix::TimeStamp), "a\n  b\n\n".into())
        );
    }

    #[test]
    fn text_without_a_prefix_stays() {
        for text in [
            "a: (g=0): rw=read\nfio-3.33\n",
            "{\n  \"fio version\" : \"fio-3.33\"\n}\n",
            "503, 1380002, 0, 4096\n504, 1380002, 0, 4096\n",
            "one line only\n",
            "  indented once\nand not here\n",
            "2026-11-28T01:02:03Z a\nnot here\n",
            "12:00:01,5\n12:00:02,5\n",
            "",
        ] {
            assert_eq!(without(text), (None, text.into()), "{text}");
        }
    }
}
