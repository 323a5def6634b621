//! What does strace write of a call? `name(argument, argument) = result <time>`, with texts in quotation marks and structures in braces.

use crate::calls::arguments::Arguments;
use crate::calls::errno;
use crate::calls::processes::Ended;
use crate::trace_format::text::{number, seconds_ns};

/// Arguments that are looked at.
const ARGUMENTS_MAX: usize = 12;

/// One call.
pub struct Written<'a> {
    pub name: &'a [u8],
    pub arguments: Texts<'a>,
    pub ended: Ended,
    /// How long it took (-T).
    pub took_ns: Option<u64>,
}

/// Arguments as they are written.
#[derive(Default)]
pub struct Texts<'a> {
    texts: [&'a [u8]; ARGUMENTS_MAX],
    count: usize,
    result: &'a [u8],
}

/// The name of a call that begins here, and what follows the bracket.
pub fn name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| *byte == b'(')?;
    let name = text.get(..end)?;
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
    (!name.is_empty() && name.iter().all(is_name)).then_some((name, text.get(end + 1..)?))
}

/// A whole call; `None` when it is none.
pub fn call(text: &[u8]) -> Option<Written<'_>> {
    let (name, rest) = name(text)?;
    let (mut arguments, after) = Texts::of(rest)?;
    let after = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
    let (result, took_ns) = match time(after) {
        Some((result, took_ns)) => (result, Some(took_ns)),
        None => (after, None),
    };
    arguments.result = result;
    Some(Written {
        name,
        arguments,
        ended: ended(result)?,
        took_ns,
    })
}

/// What is before the `<0.000012>` at the end of a line, and this time.
fn time(text: &[u8]) -> Option<(&[u8], u64)> {
    let begin = text.iter().rposition(|byte| *byte == b'<')?;
    let within = text.get(begin + 1..)?.strip_suffix(b">")?;
    let took_ns = seconds_ns(within).filter(|_| within.contains(&b'.'))?;
    Some((text.get(..begin)?.trim_ascii_end(), took_ns))
}

/// Whether a line reports how long its call took.
pub fn is_timed(line: &[u8]) -> bool {
    time(line.trim_ascii_end()).is_some()
}

fn ended(text: &[u8]) -> Option<Ended> {
    let mut words = text.split(|byte| *byte == b' ');
    let first = words.next()?;
    if first == b"?" {
        // `? ERESTARTSYS (To be restarted ...)`: a signal came between.
        return Some(match words.next() {
            Some(error) if error.starts_with(b"ERESTART") => Ended::Badly(errno::of_name(b"EINTR")),
            _ => Ended::Unknown,
        });
    }
    if first == b"-1"
        && let Some(error) = words.next()
        && error.starts_with(b"E")
    {
        return Some(Ended::Badly(errno::of_name(error)));
    }
    value(first).map(Ended::Well)
}

/// A number in any of strace's forms: `3</etc/passwd>` is 3.
fn value(text: &[u8]) -> Option<i64> {
    let end = text.iter().position(|byte| *byte == b'<');
    let text = text.get(..end.unwrap_or(text.len()))?;
    match text {
        b"AT_FDCWD" => return Some(-100),
        b"NULL" | b"F_DUPFD" => return Some(0),
        b"F_SETFD" => return Some(2),
        b"F_DUPFD_CLOEXEC" => return Some(1030),
        _ => {}
    }
    if let Some(hexadecimal) = text.strip_prefix(b"0x") {
        let digits = std::str::from_utf8(hexadecimal).ok()?;
        // Addresses of the kernel's half are no numbers that are used.
        return i64::from_str_radix(digits, 16).ok();
    }
    match text.strip_prefix(b"-") {
        Some(digits) => Some(-i64::try_from(number(digits)?).ok()?),
        None => i64::try_from(number(text)?).ok(),
    }
}

impl<'a> Texts<'a> {
    /// The arguments up to the closing bracket, and what follows it.
    fn of(rest: &'a [u8]) -> Option<(Texts<'a>, &'a [u8])> {
        let mut texts = Texts::default();
        let (mut depth, mut begin, mut at) = (0usize, 0, 0);
        loop {
            let byte = *rest.get(at)?;
            match byte {
                b'"' => at = end_of_text(rest, at)?,
                b'<' if is_name_of_descriptor(rest, at) => at = end_of_name(rest, at)?,
                b'(' | b'[' | b'{' => depth += 1,
                b')' if depth == 0 => {
                    let last = rest.get(begin..at)?.trim_ascii();
                    if !last.is_empty() {
                        texts.add(last);
                    }
                    return Some((texts, rest.get(at + 1..)?));
                }
                b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                b',' if depth == 0 => {
                    texts.add(rest.get(begin..at)?.trim_ascii());
                    begin = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn add(&mut self, text: &'a [u8]) {
        if let Some(position) = self.texts.get_mut(self.count) {
            *position = text;
            self.count += 1;
        }
    }

    fn get(&self, at: usize) -> Option<&'a [u8]> {
        self.texts.get(at).filter(|_| at < self.count).copied()
    }
}

/// The closing quotation mark of the text that begins here.
fn end_of_text(text: &[u8], begin: usize) -> Option<usize> {
    let mut at = begin + 1;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at),
            _ => at += 1,
        }
    }
}

/// `3</etc/passwd>` and `AT_FDCWD</root>` (-y), but not `1<<3`.
fn is_name_of_descriptor(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| text.get(at));
    let is_after = before.is_some_and(|byte| byte.is_ascii_digit() || *byte == b'D');
    is_after && text.get(at + 1).is_some_and(|byte| *byte != b'<')
}

/// The bracket that closes the name of a descriptor; names hold further ones (`</dev/pts/0<char 136:0>>`) and arrows (`->`).
fn end_of_name(text: &[u8], begin: usize) -> Option<usize> {
    let (mut depth, mut at) = (0usize, begin);
    loop {
        match text.get(at)? {
            b'<' => depth += 1,
            b'>' if text.get(at - 1) == Some(&b'-') => {}
            b'>' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// What is in quotation marks; strace writes bytes that are no printable ASCII as `\n`, `\"`, `\303` or `\x1b`.
fn unescaped(text: &[u8]) -> Option<String> {
    let inner = text.strip_prefix(b"\"")?;
    let end = end_of_text(text, 0)?;
    let mut rest = inner.get(..end - 1)?;
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (escape, after) = rest.split_first()?;
        rest = after;
        let digits = |most: usize, is_digit: fn(&u8) -> bool| {
            rest.iter()
                .take(most)
                .take_while(|byte| is_digit(byte))
                .count()
        };
        match escape {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'v' => bytes.push(11),
            b'f' => bytes.push(12),
            b'x' => {
                let count = digits(2, u8::is_ascii_hexdigit);
                let text = std::str::from_utf8(rest.get(..count)?).ok()?;
                bytes.push(u8::from_str_radix(text, 16).ok()?);
                rest = rest.get(count..)?;
            }
            b'0'..=b'7' => {
                let count = digits(2, |byte| (b'0'..=b'7').contains(byte));
                let more = rest.get(..count)?;
                let value = more.iter().fold(u32::from(escape - b'0'), |value, digit| {
                    value * 8 + u32::from(digit - b'0')
                });
                bytes.push(value as u8);
                rest = rest.get(count..)?;
            }
            other => bytes.push(*other),
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a descriptor is called: `3</etc/passwd>`.
fn name_within(text: &[u8]) -> Option<String> {
    let begin = text.iter().position(|byte| *byte == b'<')?;
    let name = text.get(begin + 1..text.len().checked_sub(1)?)?;
    // -yy reports more of it in further brackets.
    let end = match name.starts_with(b"/") {
        true => name.iter().position(|byte| *byte == b'<'),
        false => None,
    };
    let name = name.get(..end.unwrap_or(name.len()))?;
    unescaped(&[b"\"", name, b"\""].concat())
}

/// Every place of `word` in a text, by what follows it.
fn after_each<'a>(text: &'a [u8], word: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    let positions = text.windows(word.len()).enumerate();
    positions
        .filter(move |(_, part)| *part == word)
        .filter_map(move |(at, _)| text.get(at + word.len()..))
}

fn leading_number(text: &[u8]) -> Option<u64> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    number(text.get(..end.unwrap_or(text.len()))?)
}

impl Arguments for Texts<'_> {
    fn number(&self, at: usize) -> Option<i64> {
        value(self.get(at)?)
    }

    fn text(&self, at: usize) -> Option<String> {
        unescaped(self.get(at)?)
    }

    /// With -y the descriptor has the full path, whatever the path that was opened begins at.
    fn opened_name(&self, path: usize) -> Option<String> {
        let complete = name_within(self.result).filter(|name| name.starts_with('/'));
        complete.or_else(|| self.text(path))
    }

    fn vector_bytes(&self, at: usize) -> Option<u64> {
        let text = self.get(at)?;
        // `[{iov_base="...", iov_len=10}, ...]`: a vector that is not written wholly has no known size.
        if !text.starts_with(b"[") || text.ends_with(b", ...]") {
            return None;
        }
        let lengths = after_each(text, b"iov_len=");
        lengths
            .map(leading_number)
            .try_fold(0u64, |sum, length| sum.checked_add(length?))
    }

    fn has_flag(&self, _: usize, _: u64, name: &str) -> bool {
        // clone writes its arguments in another order than the kernel has them, so that every one is looked at.
        let texts = self.texts.iter().take(self.count);
        texts
            .filter(|text| !text.starts_with(b"\""))
            .any(|text| text.windows(name.len()).any(|part| part == name.as_bytes()))
    }

    fn descriptor_name(&self, at: usize) -> Option<String> {
        name_within(self.get(at)?)
    }

    /// The standard input and outputs are terminals and pipes more often than files.
    fn takes_for_file(&self, descriptor: i64) -> bool {
        descriptor > 2
    }

    fn descriptors(&self, at: usize) -> Vec<i64> {
        let text = self.get(at).unwrap_or_default();
        let inner = text.strip_prefix(b"[").unwrap_or_default();
        let inner = inner.strip_suffix(b"]").unwrap_or_default();
        inner
            .split(|byte| *byte == b',')
            .filter_map(|text| value(text.trim_ascii()))
            .collect()
    }

    fn is_file(&self, at: usize) -> Option<bool> {
        let mode = after_each(self.get(at)?, b"st_mode=S_IF").next();
        let mode = mode.or_else(|| after_each(self.get(at)?, b"stx_mode=S_IF").next())?;
        Some(!(mode.starts_with(b"IFO") || mode.starts_with(b"SOCK") || mode.starts_with(b"CHR")))
    }

    fn number_behind(&self, at: usize) -> Option<i64> {
        // `[4096]`, or `[4096] => [8192]` with what it is afterwards.
        let text = self.get(at)?.strip_prefix(b"[")?;
        i64::try_from(leading_number(text)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Written<'_> {
        call(text.as_bytes()).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn arguments_and_results_of_every_form_are_read() {
        let read = of(r#"pread64(3</tmp/a(b, c)>, "x\", y)"..., 4096, 8192) = 4096 <0.000026>"#);
        assert_eq!(read.name, b"pread64");
        assert_eq!(read.arguments.number(0), Some(3));
        assert_eq!(
            read.arguments.descriptor_name(0).as_deref(),
            Some("/tmp/a(b, c)")
        );
        assert_eq!(
            (read.arguments.number(2), read.arguments.number(3)),
            (Some(4096), Some(8192))
        );
        assert_eq!(
            (read.ended, read.took_ns),
            (Ended::Well(4096), Some(26_000))
        );

        let open =
            of(r#"openat(AT_FDCWD, "/a \303\244\"b", O_RDWR|O_APPEND|O_CLOEXEC, 0644) = 3</a>"#);
        assert_eq!(open.arguments.text(1).as_deref(), Some("/a ä\"b"));
        assert!(open.arguments.has_flag(2, 0, "O_APPEND"));
        assert_eq!((open.ended, open.took_ns), (Ended::Well(3), None));
        assert_eq!(open.arguments.opened_name(1).as_deref(), Some("/a"));

        let vector = of(
            r#"preadv(4, [{iov_base="a", iov_len=10}, {iov_base="b", iov_len=20}], 2, 64) = 30 <0.1>"#,
        );
        assert_eq!(vector.arguments.vector_bytes(1), Some(30));
        let cut = of(r#"readv(4, [{iov_base="a", iov_len=10}, ...], 99) = 30 <0.1>"#);
        assert_eq!(cut.arguments.vector_bytes(1), None);

        let error =
            of(r#"access("/none", F_OK) = -1 ENOENT (No such file or directory) <0.00003>"#);
        assert_eq!(error.ended, Ended::Badly(errno::of_name(b"ENOENT")));
        assert_eq!(of("lseek(3, -5, SEEK_CUR) = -5").ended, Ended::Well(-5));
        assert_eq!(of("exit_group(0) = ?").ended, Ended::Unknown);
        let map = of(
            "mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f4c6cc97000 <0.000022>",
        );
        assert_eq!(
            (map.arguments.number(0), map.arguments.number(4)),
            (Some(0), Some(-1))
        );
        assert_eq!(
            of("pipe2([3, 4], O_CLOEXEC) = 0 <0.1>")
                .arguments
                .descriptors(0),
            [3, 4]
        );
        let stat = of(
            r#"newfstatat(1</dev/pts/0<char 136:0>>, "", {st_mode=S_IFIFO|0600, st_size=0, ...}, AT_EMPTY_PATH) = 0 <0.1>"#,
        );
        assert_eq!(stat.arguments.is_file(2), Some(false));
        assert_eq!(
            stat.arguments.descriptor_name(0).as_deref(),
            Some("/dev/pts/0")
        );
        let send = of(
            "sendfile(1<TCP:[127.0.0.1:80->127.0.0.1:9]>, 3, [4096] => [8192], 4096) = 4096 <0.1>",
        );
        assert_eq!(send.arguments.number_behind(2), Some(4096));
        for wrong in [
            "",
            "read",
            "read(3, \"x",
            "read(3) 5",
            "READ(3) = 1",
            "read(3]) = 1",
        ] {
            assert!(call(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}
