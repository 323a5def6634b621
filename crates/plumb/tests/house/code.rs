//! What of a source file is code? Comments and texts are blanked, so that a rule finds words of the language and nothing else.

/// Code of one file: as long as the file, with every comment, text and character replaced by spaces.
pub struct Code {
    pub text: String,
    /// Byte ranges of items that are only built for tests.
    tests: Vec<(usize, usize)>,
}

/// One function with a body.
pub struct Function {
    pub name: String,
    /// Line of its `fn`, from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace.
    pub lines: usize,
}

impl Code {
    pub fn of(source: &str) -> Code {
        let text = blanked(source);
        let tests = test_items(&text);
        Code { text, tests }
    }

    fn is_shipped(&self, at: usize) -> bool {
        !self
            .tests
            .iter()
            .any(|(from, to)| (*from..*to).contains(&at))
    }

    fn line_of(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    /// Lines that are not only built for tests, with their numbers from 1.
    pub fn shipped_lines(&self) -> Vec<(usize, &str)> {
        let mut at = 0;
        let mut lines = Vec::new();
        for (index, line) in self.text.split('\n').enumerate() {
            if self.is_shipped(at + line.len() - line.trim_start().len()) {
                lines.push((index + 1, line));
            }
            at += line.len() + 1;
        }
        lines
    }

    /// Names in `#[cfg(test)] mod name;`.
    pub fn test_module_files(&self) -> Vec<String> {
        let items = self
            .tests
            .iter()
            .map(|(from, to)| self.text[*from..*to].trim());
        let declared = items.filter_map(|item| item.rsplit_once("mod ")?.1.strip_suffix(';'));
        declared.map(|name| name.trim().to_string()).collect()
    }

    /// Functions that are not only built for tests.
    pub fn functions(&self) -> Vec<Function> {
        let starts = words_at(&self.text, "fn")
            .into_iter()
            .filter(|at| self.is_shipped(*at));
        starts.filter_map(|at| self.function_at(at)).collect()
    }

    fn function_at(&self, at: usize) -> Option<Function> {
        let rest = &self.text[at + 2..];
        let name: String = rest
            .trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        // A type such as `fn(u8) -> u8` has no name, a declaration in a trait no body.
        let body = rest
            .find(['{', ';'])
            .filter(|body| !name.is_empty() && rest[*body..].starts_with('{'))?;
        let end = at + 2 + body + closing(&rest[body..])?;
        let line = self.line_of(at);
        Some(Function {
            name,
            line,
            lines: self.line_of(end) - line + 1,
        })
    }
}

/// Where a word stands by itself, in bytes.
pub fn words_at(text: &str, word: &str) -> Vec<usize> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let alone =
        |at: &usize| !text[..*at].ends_with(joins) && !text[at + word.len()..].starts_with(joins);
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(alone)
        .collect()
}

/// Where the bracket that `text` begins with is closed.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Items behind `#[cfg(test)]` and the like, from the attribute to their end.
fn test_items(code: &str) -> Vec<(usize, usize)> {
    let mut items = Vec::new();
    for (at, _) in code.match_indices("#[cfg(") {
        let condition = &code[at + 5..];
        let Some(end) = closing(condition) else {
            continue;
        };
        let condition = &condition[..end];
        if words_at(condition, "test").is_empty() || condition.contains("not(") {
            continue;
        }
        let rest = &code[at + 5 + end..];
        // Further attributes hold no braces or semicolons once texts are blanked.
        let Some(first) = rest.find(['{', ';']) else {
            continue;
        };
        let length = if rest[first..].starts_with(';') {
            Some(0)
        } else {
            closing(&rest[first..])
        };
        items.push((
            at,
            at + 5 + end + first + length.unwrap_or(rest.len() - first - 1) + 1,
        ));
    }
    items
}

/// The source with comments, texts and characters replaced by spaces; line ends stay.
fn blanked(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => source[at..]
                .find('\n')
                .map_or(bytes.len(), |length| at + length),
            b'/' if bytes[at..].starts_with(b"/*") => end_of_block_comment(bytes, at),
            b'"' => end_of_text(bytes, at),
            b'r' | b'b' | b'c'
                if !at
                    .checked_sub(1)
                    .is_some_and(|before| is_word(bytes[before])) =>
            {
                end_of_prefixed(source, at).unwrap_or(at)
            }
            b'\'' => end_of_character(source, at).unwrap_or(at),
            _ => at,
        };
        out[at..end]
            .iter_mut()
            .filter(|byte| **byte != b'\n')
            .for_each(|byte| *byte = b' ');
        at = end.max(at + 1);
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Block comments nest.
fn end_of_block_comment(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if bytes[at..].starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// `r"..."`, `r#"..."#`, `b"..."`, `br"..."`, `c"..."`, `b'x'`.
fn end_of_prefixed(source: &str, start: usize) -> Option<usize> {
    let letters = source[start..]
        .find(|c| !matches!(c, 'r' | 'b' | 'c'))
        .filter(|length| *length <= 2)?;
    let raw = source[start..start + letters].contains('r');
    let rest = &source[start + letters..];
    let marks = rest.find(|c| c != '#').unwrap_or(0);
    if raw && rest[marks..].starts_with('"') {
        let end = format!("\"{}", "#".repeat(marks));
        let body = start + letters + marks + 1;
        return source[body..]
            .find(&end)
            .map(|length| body + length + end.len());
    }
    match rest.as_bytes().first() {
        Some(b'"') if !raw => Some(end_of_text(source.as_bytes(), start + letters)),
        Some(b'\'') if !raw => end_of_character(source, start + letters),
        _ => None,
    }
}

/// `'x'` or `'\n'`; a lifetime is none.
fn end_of_character(source: &str, start: usize) -> Option<usize> {
    let rest = &source[start + 1..];
    if let Some(escaped) = rest.strip_prefix('\\') {
        let skip = escaped.chars().next()?.len_utf8();
        return escaped[skip..]
            .find('\'')
            .map(|length| start + 2 + skip + length + 1);
    }
    let length = rest.chars().next()?.len_utf8();
    rest[length..]
        .starts_with('\'')
        .then_some(start + 1 + length + 1)
}

#[test]
fn comments_and_texts_are_no_code() {
    for (source, expected) in [
        ("a // unsafe\nb", "a          \nb"),
        ("a /* x /* y */ z */ b", "a                   b"),
        (r#"a("x\"unsafe") b"#, "a(           ) b"),
        ("r#\"x\"y\"# b", "         b"),
        ("b\"x\" 'a' '\\'' '\\u{1F}' z", "                       z"),
        ("fn f<'a>(x: &'a u8)", "fn f<'a>(x: &'a u8)"),
        ("for 'é' in x", "for      in x"),
    ] {
        assert_eq!(Code::of(source).text, expected, "{source}");
    }
}

#[test]
fn items_for_tests_do_not_ship() {
    let code = Code::of(
        "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\n#[cfg(all(test, unix))]\nmod far;\nfn c() {\n}\n",
    );
    let names: Vec<String> = code
        .functions()
        .into_iter()
        .map(|function| format!("{} {}", function.name, function.lines))
        .collect();
    assert_eq!(names, ["a 1", "c 2"]);
    assert_eq!(code.test_module_files(), ["far"]);
    let shipped: Vec<usize> = code.shipped_lines().iter().map(|(line, _)| *line).collect();
    assert_eq!(shipped, [1, 8, 9, 10]);
    assert!(Code::of("#[cfg(not(test))]\nfn a() {}").functions().len() == 1);
}
