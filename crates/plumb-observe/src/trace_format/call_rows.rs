//! How does a file look in which plumb keeps the calls that it traced? CSV with a line for each call, in the order in which they were answered.
//!
//! The first line is `# plumb-calls 1 ` and JSON: by what was traced (`format`). The second one has the names of the columns. The last one is `# end ` and JSON: what is
//! to be known of the trace (`TraceFacts`); it is missing when the trace was not ended in good order. A column is empty where there is nothing to be said:
//!
//! - `start_ns`: when the call was made, in nanoseconds since 1970 (UTC); `latency_ns`: until it was answered, or given up;
//! - `thread`: as the system numbers it; `lane`: the same counted from 0, never given twice;
//! - `call`, `class`: `pread64`, `read`;
//! - `file`: its path, in quotation marks where it holds a comma, a quotation mark (which is doubled), a backslash (doubled too) or what is no text (`\\n`, `\\x1b`);
//!   `opened`: the number of the open file, never given twice;
//! - `offset`, `bytes`, `moved_bytes`: where, how many were queried for and how many were moved;
//! - `result`: `ok`, the name of the error or `errno 133`; `unanswered` when its end was not seen;
//! - `closes`: 1 when it ended the use of `opened`;
//! - `part`: empty for a call with its end; `begin` for one that is still outstanding long after it was made: its end follows in a line with `end`;
//! - `waiting_ns`: how long before the end of this line the oldest call was made that was outstanding then and has no line yet. What began before that is in the lines so far,
//!   so that a reader can put them in the order of their begin as it reads.
//!
//! Lines with `off_cpu` or `thread` in the column `call` are no calls: a period of a thread off its CPU (in `class`: what it waited for), written at the end of the call that
//! it was in; and the life of a thread, written at its end. Lines that begin with `# mount ` name the file systems that the program sees.

/// How the first line begins; a version that is not this one is another format.
pub const MAGIC: &str = "# plumb-calls 1 ";
/// How a line begins that names a mounted file system: mount point, type and source as a JSON list.
pub const MOUNT: &str = "# mount ";
/// How the last line begins.
pub const END: &str = "# end ";
/// The second line.
pub const COLUMNS: &str = "start_ns,latency_ns,thread,lane,call,class,file,opened,offset,bytes,moved_bytes,result,closes,part,waiting_ns";
/// What is in place of a result.
pub const OK: &str = "ok";
pub const UNANSWERED: &str = "unanswered";
pub const ERROR_NUMBER: &str = "errno ";
/// Parts of a call.
pub const BEGIN: &str = "begin";
pub const REST: &str = "end";

/// In the column `call`: a period in which a thread was off its CPU, with what it waited for in the column `class`; and the life of a thread.
pub const OFF_CPU: &str = "off_cpu";
pub const THREAD: &str = "thread";

/// Writes a text so that it is one column of one line.
pub fn write_text(text: &str, line: &mut Vec<u8>) {
    let is_plain = |byte: &u8| !matches!(byte, b',' | b'"' | b'\\') && !byte.is_ascii_control();
    if text.as_bytes().iter().all(is_plain) {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => line.extend_from_slice(b"\"\""),
            b'\\' => line.extend_from_slice(b"\\\\"),
            b'\n' => line.extend_from_slice(b"\\n"),
            byte if byte.is_ascii_control() => {
                line.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
            }
            byte => line.push(byte),
        }
    }
    line.push(b'"');
}

/// The next column as it is written, and what follows it.
pub fn column<'a>(rest: &mut Option<&'a [u8]>) -> Option<&'a [u8]> {
    let complete = (*rest)?;
    let mut end = 0;
    if complete.first() == Some(&b'"') {
        end = 1;
        loop {
            end += complete.get(end..)?.iter().position(|byte| *byte == b'"')?;
            end += 1;
            match complete.get(end) {
                Some(b'"') => end += 1,
                _ => break,
            }
        }
    }
    match complete.get(end..)?.iter().position(|byte| *byte == b',') {
        Some(at) => {
            *rest = complete.get(end + at + 1..);
            complete.get(..end + at)
        }
        None => {
            *rest = None;
            Some(complete)
        }
    }
}

/// What a column says that [`write_text`] wrote.
pub fn read_text(column: &[u8]) -> Option<String> {
    let Some(quoted) = column.strip_prefix(b"\"") else {
        return Some(String::from_utf8_lossy(column).into_owned());
    };
    let mut rest = quoted.strip_suffix(b"\"")?;
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let escaped = match (first, rest.first()) {
            (b'"', Some(b'"')) => b'"',
            (b'\\', Some(b'\\')) => b'\\',
            (b'\\', Some(b'n')) => b'\n',
            (b'\\', Some(b'x')) => {
                let digits = std::str::from_utf8(rest.get(1..3)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = rest.get(3..)?;
                continue;
            }
            (b'"' | b'\\', _) => return None,
            _ => {
                bytes.push(*first);
                continue;
            }
        };
        bytes.push(escaped);
        rest = rest.get(1..)?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_one_column_of_one_line() {
        for name in [
            "/a/b",
            "",
            "a,b",
            "a\"b\"",
            "\"",
            "\\x\\n",
            "line\nand\r\x1b[2J\x7f",
            "Gr\u{fc}n, \u{6f22}",
        ] {
            let mut line = Vec::new();
            write_text(name, &mut line);
            assert!(!line.contains(&b'\n'), "{name}");
            line.extend_from_slice(b",7");
            let mut rest = Some(&line[..]);
            let first = column(&mut rest).unwrap();
            assert_eq!(read_text(first).as_deref(), Some(name));
            assert_eq!(column(&mut rest), Some(&b"7"[..]));
            assert_eq!(column(&mut rest), None);
        }
        for wrong in ["\"a", "\"a\\\"", "\"\\x1\"", "\"a\"b\""] {
            assert_eq!(read_text(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
